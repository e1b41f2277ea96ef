// The map from the numbers of a file to indices: against a plain list, with every kind of key, and memory that fails.
// ctest: unit
#include "base/random.h"
#include "check.h"
#include "io/index_map.h"

enum { COUNT = 3000 };

// Keys that a file may have: dense, sparse, negative, in runs that collide in a table of a power of two.
static int64_t key_of(int kind, int32_t i) {
  switch (kind) {
    case 0: return i + 1;
    case 1: return (int64_t)i * 4096;
    case 2: return -(int64_t)i * 7919;
    default: return i % 2 == 0 ? INT64_MAX - i : INT64_MIN + i;
  }
}

static void keys_of_every_kind_are_found_again(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  for (int kind = 0; kind < 4; ++kind) {
    pl_index_map map = pl_index_map_of(context);
    assert_int_equal(pl_index_map_get(&map, 1), -1);
    for (int32_t i = 0; i < COUNT; ++i) {
      bool is_new = false;
      assert_true(pl_index_map_put(&map, key_of(kind, i), i, &is_new));
      assert_true(is_new);
    }
    for (int32_t i = 0; i < COUNT; ++i) {
      bool is_new = true;
      assert_int_equal(pl_index_map_get(&map, key_of(kind, i)), i);
      assert_true(pl_index_map_put(&map, key_of(kind, i), i + 1, &is_new));
      assert_false(is_new);
      assert_int_equal(pl_index_map_get(&map, key_of(kind, i)), i);  // the old value stays
      assert_int_equal(pl_index_map_get(&map, key_of(kind, COUNT + i)), -1);
    }
    pl_index_map_free(&map);
  }
  drop_context(context);
}

static void random_keys_agree_with_a_list(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(5);
  pl_index_map map = pl_index_map_of(context);
  int32_t value_of[500];
  memset(value_of, -1, sizeof value_of);
  for (int32_t i = 0; i < 2000; ++i) {
    int32_t key = (int32_t)(pl_random_u32(&random) % 500);
    bool is_new = false;
    assert_true(pl_index_map_put(&map, key, i, &is_new));
    assert_int_equal(is_new, value_of[key] < 0);
    if (value_of[key] < 0) value_of[key] = i;
  }
  for (int32_t key = 0; key < 500; ++key) assert_int_equal(pl_index_map_get(&map, key), value_of[key]);
  pl_index_map_free(&map);
  drop_context(context);
}

static void running_out_of_memory_keeps_what_is_there(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  int64_t live = allocator.live_count;
  pl_index_map map = pl_index_map_of(context);
  int failures = 0;
  for (int32_t i = 0; i < COUNT; ++i) {
    bool is_new;
    allocator.fail_at = allocator.call_count + 1;  // whenever the table grows
    bool done = pl_index_map_put(&map, i, i, &is_new);
    allocator.fail_at = 0;
    if (done) continue;
    failures++;
    for (int32_t k = 0; k < i; ++k) assert_int_equal(pl_index_map_get(&map, k), k);
    assert_int_equal(pl_index_map_get(&map, i), -1);
    assert_true(pl_index_map_put(&map, i, i, &is_new));
  }
  assert_true(failures > 3);
  pl_index_map_free(&map);
  assert_int_equal(allocator.live_count, live);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(keys_of_every_kind_are_found_again),
      cmocka_unit_test(random_keys_agree_with_a_list),
      cmocka_unit_test(running_out_of_memory_keeps_what_is_there),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
