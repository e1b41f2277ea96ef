// The downhill simplex: minima inside and at bounds, the same way every time, and stopping.
// ctest: unit
#include "check.h"
#include "solvers/nlopt_simplex.h"

typedef struct valley {
  int32_t calls, stop_at;
  double sum;  // of all coordinates asked for: tells paths apart
} valley;

static double banana(void *data, int32_t count, const double *x, bool *stop) {
  valley *v = data;
  assert_int_equal(count, 2);
  v->sum += x[0] * (1 + v->calls) + x[1];
  if (++v->calls == v->stop_at) *stop = true;
  double a = x[1] - x[0] * x[0], b = 1 - x[0];
  return 100 * a * a + b * b;
}

static pl_status search(valley *v, double max, int32_t limit, double *x, double *value) {
  pl_error error = {0};
  pl_simplex_def def = {.count = 2,
                        .min = (const double[]){-2, -2},
                        .max = (const double[]){max, 2},
                        .steps = (const double[]){0.3, 0.3},
                        .tolerance = 1e-7,
                        .limit = limit,
                        .function = banana,
                        .data = v};
  x[0] = -1;
  x[1] = 1.5;
  return pl_simplex_minimise(&def, x, value, &error);
}

static void it_ends_in_the_minimum_or_at_a_bound(void **state) {
  (void)state;
  if (!pl_simplex_is_available()) skip();
  double x[2], value;
  valley v = {0}, again = {0};
  assert_int_equal(search(&v, 2, 5000, x, &value), PL_OK);
  check_near(x[0], 1, 1e-5);
  check_near(x[1], 1, 1e-5);
  check_at_most(value, 1e-10);
  assert_int_equal(search(&again, 2, 5000, x, &value), PL_OK);
  assert_true(again.calls == v.calls && again.sum == v.sum);
  valley bounded = {0};
  assert_int_equal(search(&bounded, 0.5, 5000, x, &value), PL_OK);
  check_near(x[0], 0.5, 1e-5);
  check_near(x[1], 0.25, 1e-4);
}

static void it_stops_when_asked_to_and_at_its_limit(void **state) {
  (void)state;
  if (!pl_simplex_is_available()) skip();
  double x[2], value;
  valley v = {.stop_at = 7};
  assert_int_equal(search(&v, 2, 5000, x, &value), PL_REMARK_CANCELLED);
  assert_int_equal(v.calls, 7);
  valley limited = {0};
  assert_int_equal(search(&limited, 2, 20, x, &value), PL_REMARK_NOT_CONVERGED);
  assert_int_equal(limited.calls, 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_ends_in_the_minimum_or_at_a_bound),
      cmocka_unit_test(it_stops_when_asked_to_and_at_its_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
