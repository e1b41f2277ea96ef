// Parallel loops cover every item once, for any number of threads, and their partition depends on the problem alone.
#include "base/parallel.h"
#include "check.h"

typedef struct count_data {
  int32_t *touched;
  int32_t *block_of;
} count_data;

static void count_items(void *data, int32_t begin, int32_t end, int32_t block) {
  count_data *c = data;
  for (int32_t i = begin; i < end; ++i) {
    c->touched[i]++;
    c->block_of[i] = block;
  }
}

static void every_item_is_done_once_whatever_the_threads(void **state) {
  (void)state;
  enum { COUNT = 10007, GRAIN = 64 };
  static int32_t touched[COUNT], block_of[COUNT];
  for (int32_t threads = 1; threads <= 5; ++threads) {
    pl_context *context = make_context(threads);
    for (int round = 0; round < 200; ++round) {
      memset(touched, 0, sizeof touched);
      pl_parallel_for(context, COUNT, GRAIN, count_items, &(count_data){touched, block_of});
      for (int32_t i = 0; i < COUNT; ++i) {
        assert_int_equal(touched[i], 1);
        assert_int_equal(block_of[i], i / GRAIN);
      }
    }
    drop_context(context);
  }
}

static void no_items_means_no_calls(void **state) {
  (void)state;
  pl_context *context = make_context(2);
  pl_parallel_for(context, 0, 16, count_items, NULL);
  assert_int_equal(pl_block_count(0, 16), 0);
  assert_int_equal(pl_block_count(17, 16), 2);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_item_is_done_once_whatever_the_threads),
      cmocka_unit_test(no_items_means_no_calls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
