// Projections onto the simplex and onto a box cut by the plane of sum 1, against bisection and against the conditions
// of a nearest point.
// ctest: unit
#include "base/random.h"
#include "check.h"
#include "examples/simplex_project.h"

// The multiplier by plain bisection on the sum.
static void bisect(int count, const double *values, const double *lower, const double *upper, double *x) {
  double low = -1e4, high = 1e4;
  for (int round = 0; round < 200; ++round) {
    double t = 0.5 * (low + high), sum = 0;
    for (int i = 0; i < count; ++i) sum += fmin(fmax(values[i] - t, lower[i]), upper[i]);
    if (sum > 1)
      low = t;
    else
      high = t;
  }
  for (int i = 0; i < count; ++i) x[i] = fmin(fmax(values[i] - low, lower[i]), upper[i]);
}

static void check_sum(int count, const double *x, double tolerance) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += x[i];
  check_near(sum, 1, tolerance);
}

static void boxes_agree_with_bisection(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(1);
  double worst = 0;
  for (int c = 0; c < 6000; ++c) {
    int count = 1 + c % PL_WEIGHTS_MAX;
    double values[PL_WEIGHTS_MAX], lower[PL_WEIGHTS_MAX], upper[PL_WEIGHTS_MAX], found[PL_WEIGHTS_MAX],
        expected[PL_WEIGHTS_MAX];
    double inside = 1, size = c % 3 == 0 ? 100 : 1;
    for (int i = 0; i < count; ++i) {
      // Around a point of the plane, so that the box meets it; values on a coarse grid, so that kinks coincide.
      double center = i + 1 < count ? pl_random_normal(&random) : inside;
      inside -= center;
      lower[i] = pl_random_u32(&random) % 5 == 0 ? center : center - pl_random_unit(&random);
      upper[i] = pl_random_u32(&random) % 5 == 0 ? center : center + pl_random_unit(&random);
      if (c % 7 == 0) lower[i] = center - 0.125, upper[i] = center + 0.125;
      if (c % 11 == 0 && i == 0) lower[i] = -1e3, upper[i] = 1e3;
      values[i] = size * (c % 2 == 0 ? rint(4 * pl_random_normal(&random)) / 4 : pl_random_normal(&random));
    }
    assert_true(pl_box_project(count, values, lower, upper, found));
    bisect(count, values, lower, upper, expected);
    check_sum(count, found, 1e-11);
    for (int i = 0; i < count; ++i) {
      assert_true(found[i] >= lower[i] && found[i] <= upper[i]);
      worst = fmax(worst, fabs(found[i] - expected[i]));
    }
  }
  print_message("box and plane against bisection: %.1e, seed 1\n", worst);
  check_at_most(worst, 1e-11);
}

// No exchange of weight between two components brings the point nearer: sufficient, since the set is convex and these
// span its plane.
static void the_simplex_point_is_the_nearest(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(2);
  for (int c = 0; c < 5000; ++c) {
    int count = 1 + c % PL_WEIGHTS_MAX;
    double values[PL_WEIGHTS_MAX], x[PL_WEIGHTS_MAX];
    for (int i = 0; i < count; ++i) values[i] = (c % 2 == 0 ? 1 : 0.05) * pl_random_normal(&random);
    pl_simplex_project(count, values, x);
    check_sum(count, x, 1e-14);
    for (int i = 0; i < count; ++i) {
      assert_true(x[i] >= 0);
      for (int j = 0; j < count; ++j)
        if (x[j] > 0) check_at_most(x[j] - values[j], x[i] - values[i] + 1e-14);
    }
    // What lies on the simplex stays there; output may be input.
    memcpy(values, x, sizeof x);
    pl_simplex_project(count, values, values);
    for (int i = 0; i < count; ++i) check_near(values[i], x[i], 1e-15);
  }
}

static void unbounded_boxes_are_the_plane_itself(void **state) {
  (void)state;
  const double values[3] = {3, -1, 2}, lower[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL},
               upper[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
  double x[3];
  assert_true(pl_box_project(3, values, lower, upper, x));
  check_near(x[0], 2, 1e-15);
  check_near(x[1], -2, 1e-15);
  check_near(x[2], 1, 1e-15);
}

static void the_window_holds_weights_near_its_center(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(3);
  for (int c = 0; c < 3000; ++c) {
    int count = 2 + c % 8;
    double center[9], values[9], x[9], reach = 0.1;
    for (int i = 0; i < count; ++i) center[i] = pl_random_normal(&random);
    pl_simplex_project(count, center, center);
    for (int i = 0; i < count; ++i) values[i] = center[i] + 0.3 * pl_random_normal(&random);
    double min = c % 2 == 0 ? 0 : -HUGE_VAL;
    assert_true(pl_window_project(count, values, center, reach, min, x));
    check_sum(count, x, 1e-14);
    for (int i = 0; i < count; ++i) {
      check_at_most(fabs(x[i] - center[i]), reach + 1e-15);
      assert_true(x[i] >= min);
    }
    // No reach leaves the center, and weights inside the window stay.
    assert_true(pl_window_project(count, values, center, 0, 0, x));
    for (int i = 0; i < count; ++i) check_near(x[i], center[i], 1e-15);
    assert_true(pl_window_project(count, center, center, reach, 0, x));
    for (int i = 0; i < count; ++i) check_near(x[i], center[i], 1e-15);
  }
}

static void what_has_no_answer_is_refused(void **state) {
  (void)state;
  double x[2] = {7, 7};
  assert_false(pl_box_project(2, (const double[]){0, 0}, (const double[]){0.6, 0.6}, (const double[]){1, 1}, x));
  assert_false(pl_box_project(2, (const double[]){0, 0}, (const double[]){0, 0}, (const double[]){0.4, 0.4}, x));
  assert_false(pl_box_project(2, (const double[]){0, 0}, (const double[]){1, 0}, (const double[]){0, 1}, x));
  assert_false(pl_box_project(2, (const double[]){(double)NAN, 0}, (const double[]){0, 0}, (const double[]){1, 1}, x));
  assert_false(pl_box_project(2, (const double[]){0, 0}, (const double[]){(double)NAN, 0}, (const double[]){1, 1}, x));
  assert_true(x[0] == 7 && x[1] == 7);
  pl_simplex_project(2, (const double[]){0, (double)NAN}, x);
  assert_true(x[0] == 1 && x[1] == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(boxes_agree_with_bisection),
      cmocka_unit_test(the_simplex_point_is_the_nearest),
      cmocka_unit_test(unbounded_boxes_are_the_plane_itself),
      cmocka_unit_test(the_window_holds_weights_near_its_center),
      cmocka_unit_test(what_has_no_answer_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
