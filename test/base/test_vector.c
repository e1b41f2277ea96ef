// A vector keeps what was put in, however often it moved, and stays whole when it cannot grow.
// ctest: unit
#include "base/vector.h"
#include "check.h"

static void items_survive_growth(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_vector numbers = pl_vector_of(context, sizeof(int32_t));
  for (int32_t i = 0; i < 10000; ++i) assert_true(pl_vector_push(&numbers, &i));
  assert_int_equal(numbers.count, 10000);
  for (int32_t i = 0; i < 10000; ++i) assert_int_equal(PL_ITEM(&numbers, int32_t, i), i);
  // Growth by a factor: far fewer allocations than items.
  assert_true(pl_context_get_memory_report(context).allocation_count < 30);
  pl_vector_free(&numbers);
  assert_int_equal(numbers.count, 0);
  drop_context(context);
}

static void grown_items_are_zero(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_vector vector = pl_vector_of(context, 3);
  for (size_t n = 0; n < 50; ++n) {
    unsigned char *fresh = pl_vector_grow(&vector, n);
    assert_non_null(fresh);
    for (size_t k = 0; k < 3 * n; ++k) assert_int_equal(fresh[k], 0);
    memset(fresh, 0xFF, 3 * n);
  }
  pl_vector_free(&vector);
  drop_context(context);
}

static void a_refused_growth_keeps_the_items(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  pl_vector vector = pl_vector_of(context, sizeof(double));
  double value = 1.5;
  assert_true(pl_vector_push(&vector, &value));
  allocator.fail_at = allocator.call_count + 1;
  assert_null(pl_vector_grow(&vector, 1000));
  assert_true(vector.failed);
  assert_int_equal(vector.count, 1);
  assert_true(PL_ITEM(&vector, double, 0) == value);
  assert_null(pl_vector_grow(&vector, SIZE_MAX));
  assert_null(pl_vector_grow(&vector, SIZE_MAX / 16));
  pl_vector_free(&vector);
  drop_context(context);
  assert_int_equal(allocator.live_count, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(items_survive_growth),
      cmocka_unit_test(grown_items_are_zero),
      cmocka_unit_test(a_refused_growth_keeps_the_items),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
