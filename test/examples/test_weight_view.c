// Weights by view direction and by kernels: Algorithm 1 evaluated another way, limits, interpolation at the examples.
// ctest: unit
#include "base/random.h"
#include "check.h"
#include "examples/weights.h"

static pl_vec3 random_direction(pl_random *random) {
  return (pl_vec3){pl_random_normal(random), pl_random_normal(random), pl_random_normal(random)};
}

// Algorithm 1, line by line, with Kahan's angle between unit vectors: from the lengths of their difference and sum.
static void algorithm_1(int count, const pl_view_example *examples, pl_vec3 d, double *weights) {
  double sum = 0;
  for (int j = 0; j < count; ++j) {
    pl_vec3 a = pl_vec3_normalize_or(d, d), b = pl_vec3_normalize_or(examples[j].direction, d);
    double angle = 2 * atan2(pl_vec3_length(pl_vec3_sub(a, b)), pl_vec3_length(pl_vec3_add(a, b)));
    weights[j] = exp(-pow(angle / examples[j].extent, 2));
    sum += weights[j];
  }
  if (sum < 1) return;
  for (int j = 0; j < count; ++j) weights[j] /= sum;
}

static void view_weights_are_those_of_algorithm_1(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(1);
  int normalised = 0;
  for (int c = 0; c < 5000; ++c) {
    int count = 1 + c % 8;
    pl_view_example examples[8];
    for (int j = 0; j < count; ++j)
      examples[j] = (pl_view_example){random_direction(&random), pl_random_between(&random, 0.2, 1.5)};
    pl_vec3 d = c % 5 == 0 ? examples[0].direction : pl_vec3_scale(random_direction(&random), 10);
    double weights[8], expected[8], sum = 0;
    pl_view_weights(count, examples, d, weights);
    algorithm_1(count, examples, d, expected);
    for (int j = 0; j < count; ++j) {
      check_near(weights[j], expected[j], 1e-12);
      assert_true(weights[j] >= 0);
      sum += weights[j];
    }
    check_at_most(sum, 1 + 1e-14);
    normalised += sum > 1 - 1e-12;
  }
  // Both branches of the algorithm were taken.
  assert_true(normalised > 500 && normalised < 4500);
}

static void weights_have_the_limits_they_should(void **state) {
  (void)state;
  const pl_view_example two[2] = {{{0, 0, 3}, 0.5}, {{0, 0, -1}, 0.5}};
  double weights[2];
  // At its direction an example has all but what the far one has; an extent away 1/e; at right angles both the same.
  pl_view_weights(2, two, (pl_vec3){0, 0, 1}, weights);
  check_near(weights[0], 1, 1e-15);
  check_at_most(weights[1], exp(-PL_PI * PL_PI / 0.25) * (1 + 1e-12));
  pl_view_weights(2, two, (pl_vec3){sin(0.5), 0, cos(0.5)}, weights);
  check_near(weights[0], exp(-1), 1e-15);
  pl_view_weights(2, two, (pl_vec3){1, 0, 0}, weights);
  check_near(weights[0], exp(-PL_PI * PL_PI), 1e-15);
  check_near(weights[1], weights[0], 1e-18);
  // No direction: the rest.
  const pl_vec3 nowhere[3] = {{0, 0, 0}, {(double)NAN, 0, 0}, {HUGE_VAL, 0, 0}};
  for (int i = 0; i < 3; ++i) {
    pl_view_weights(2, two, nowhere[i], weights);
    assert_true(weights[0] == 0 && weights[1] == 0);
  }
  // Very wide extents share evenly.
  const pl_view_example wide[2] = {{{1, 0, 0}, 1e6}, {{0, 1, 0}, 1e6}};
  pl_view_weights(2, wide, (pl_vec3){0, 0, 1}, weights);
  check_near(weights[0], 0.5, 1e-9);
  check_near(weights[1], 0.5, 1e-9);
}

static void interpolating_weights_are_exact_at_every_example(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(2);
  double worst = 0, blurred = 0;
  int built = 0;
  for (int c = 0; c < 1000; ++c) {
    int count = 1 + c % 12;
    pl_view_example examples[12];
    for (int j = 0; j < count; ++j)
      examples[j] = (pl_view_example){random_direction(&random), pl_random_between(&random, 0.3, 1.3)};
    double factor[13 * 12], similarities[12], weights[12];
    int32_t pivots[12];
    pl_weight_kernel kernel = {0, factor, pivots};
    pl_error error = {0};
    if (pl_view_kernel_build(count, examples, &kernel, &error) != PL_OK) continue;
    built++;
    for (int j = 0; j < count; ++j) {
      // A camera twice as far away is in the same direction.
      pl_view_similarities(count, examples, pl_vec3_scale(examples[j].direction, 2.1), similarities);
      pl_weight_kernel_evaluate(&kernel, similarities, weights);
      for (int k = 0; k < count; ++k) worst = fmax(worst, fabs(weights[k] - (j == k)));
      pl_view_weights(count, examples, examples[j].direction, weights);
      blurred = fmax(blurred, 1 - weights[j]);
    }
    // Anywhere else they are on the simplex, and a small turn changes them little.
    pl_vec3 d = random_direction(&random);
    double before[12], sum = 0;
    pl_view_similarities(count, examples, d, similarities);
    pl_weight_kernel_evaluate(&kernel, similarities, before);
    for (int k = 0; k < count; ++k) {
      assert_true(before[k] >= 0);
      sum += before[k];
    }
    check_at_most(sum, 1 + 1e-13);
  }
  print_message(
      "weights at examples differ from e_j by at most %.1e, seed 2 (Algorithm 1: %.2f); %d of 1000 sets built\n", worst,
      blurred, built);
  check_at_most(worst, 1e-9);
  assert_true(built > 900 && blurred > 0.3);
}

static void kernels_in_any_feature_space_interpolate(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(3);
  enum { COUNT = 50, DIMENSION = 7 };
  double features[COUNT * DIMENSION], widths[DIMENSION], similarities[COUNT * COUNT], factor[(COUNT + 1) * COUNT],
      weights[COUNT];
  int32_t pivots[COUNT];
  for (int c = 0; c < DIMENSION; ++c) widths[c] = pow(10, c - 3);
  for (int i = 0; i < COUNT * DIMENSION; ++i) features[i] = widths[i % DIMENSION] * 1.5 * pl_random_normal(&random);
  pl_feature_set set = {COUNT, DIMENSION, features, widths};
  double column[COUNT];
  for (int j = 0; j < COUNT; ++j) {
    pl_feature_similarities(&set, features + j * DIMENSION, column);
    for (int i = 0; i < COUNT; ++i) {
      similarities[i * COUNT + j] = column[i];
      // By the formula, dimension by dimension.
      double product = 1;
      for (int d = 0; d < DIMENSION; ++d) {
        double off = features[i * DIMENSION + d] - features[j * DIMENSION + d];
        product *= exp(-off * off / (2 * widths[d] * widths[d]));
      }
      check_near(column[i], product, 1e-13);
    }
  }
  pl_weight_kernel kernel = {COUNT, factor, pivots};
  pl_error error = {0};
  check_ok(pl_weight_kernel_build(&kernel, similarities, &error), &error);
  for (int j = 0; j < COUNT; ++j) {
    pl_feature_similarities(&set, features + j * DIMENSION, column);
    pl_weight_kernel_interpolate(&kernel, column, weights);
    for (int i = 0; i < COUNT; ++i) check_near(weights[i], i == j, 1e-9);
    pl_weight_kernel_evaluate(&kernel, column, column);
    for (int i = 0; i < COUNT; ++i) check_near(column[i], i == j, 1e-9);
  }
  // Phi w = s for any s, multiplied out.
  for (int i = 0; i < COUNT; ++i) column[i] = pl_random_normal(&random);
  pl_weight_kernel_interpolate(&kernel, column, weights);
  for (int i = 0; i < COUNT; ++i) {
    double sum = 0;
    for (int j = 0; j < COUNT; ++j) sum += similarities[i * COUNT + j] * weights[j];
    check_near(sum, column[i], 1e-10);
  }
}

static void examples_that_cannot_be_distinguished_are_named(void **state) {
  (void)state;
  const pl_view_example same[3] = {{{1, 0, 0}, 0.5}, {{0, 1, 0}, 0.5}, {{0, 2, 0}, 0.5}};
  double factor[12];
  int32_t pivots[3];
  pl_weight_kernel kernel = {0, factor, pivots};
  pl_error error = {0};
  assert_int_equal(pl_view_kernel_build(3, same, &kernel, &error), PL_ERROR_INVALID_DATA);
  assert_non_null(strstr(error.text, "examples 1 and 2"));
  const pl_view_example zero[2] = {{{1, 0, 0}, 0.5}, {{0, 0, 0}, 0.5}};
  assert_int_equal(pl_view_kernel_build(2, zero, &kernel, &error), PL_ERROR_INVALID_DATA);
  assert_non_null(strstr(error.text, "example 1"));
  const pl_view_example narrow[1] = {{{1, 0, 0}, 0}};
  assert_int_equal(pl_view_check(1, narrow, &error), PL_ERROR_INVALID_DATA);
  assert_non_null(strstr(error.text, "extent"));
  assert_int_equal(pl_view_kernel_build(PL_MAX_EXAMPLES + 1, same, &kernel, &error), PL_ERROR_INVALID_DATA);
  kernel.count = 1;
  const double broken = (double)NAN;
  assert_int_equal(pl_weight_kernel_build(&kernel, &broken, &error), PL_ERROR_INVALID_DATA);
  assert_non_null(strstr(error.text, "not finite"));
}

static void every_driver_answers_to_one_call(void **state) {
  (void)state;
  const double fixed[2] = {0.25, 3}, times[2] = {0, 1}, values[4] = {0, 0, 0.5, 0.5}, features[2] = {0, 4}, width = 1;
  const pl_view_example views[2] = {{{1, 0, 0}, 1.3}, {{0, 1, 0}, 1.3}};
  double view_factor[6], feature_factor[6], similarities[4];
  int32_t view_pivots[2], feature_pivots[2];
  pl_error error = {0};
  pl_weight_driver constant = {.kind = PL_DRIVER_CONSTANT, .count = 2, .weights = fixed};
  pl_weight_driver curve = {
      .kind = PL_DRIVER_CURVE, .count = 2, .curve = {PL_CURVE_LINEAR, false, 2, 2, times, values, NULL}};
  pl_weight_driver view = {.kind = PL_DRIVER_VIEW, .count = 2, .views = views}, exact_view = view;
  exact_view.kernel = (pl_weight_kernel){0, view_factor, view_pivots};
  check_ok(pl_view_kernel_build(2, views, &exact_view.kernel, &error), &error);
  pl_weight_driver feature = {.kind = PL_DRIVER_FEATURE, .count = 2, .features = {2, 1, features, &width}},
                   exact_feature = feature;
  for (int j = 0; j < 2; ++j) {
    double column[2];
    pl_feature_similarities(&feature.features, &features[j], column);
    for (int i = 0; i < 2; ++i) similarities[2 * i + j] = column[i];
  }
  exact_feature.kernel = (pl_weight_kernel){2, feature_factor, feature_pivots};
  check_ok(pl_weight_kernel_build(&exact_feature.kernel, similarities, &error), &error);

  pl_weight_input input = {.time = 0.5, .direction = {0, 2, 0}, .feature = &features[1]};
  double weights[2];
  pl_weight_driver_evaluate(&constant, &input, weights);
  check_near(weights[0], 0.25 / 3.25, 1e-15);
  pl_weight_driver_evaluate(&curve, &input, weights);
  check_near(weights[1], 0.25, 1e-15);
  double fraction = exp(-(PL_PI / 2.6) * (PL_PI / 2.6));
  pl_weight_driver_evaluate(&view, &input, weights);
  check_near(weights[1], 1 / (1 + fraction), 1e-15);
  pl_weight_driver_evaluate(&exact_view, &input, weights);
  check_near(weights[1], 1, 1e-14);
  check_near(weights[0], 0, 1e-14);
  pl_weight_driver_evaluate(&feature, &input, weights);
  check_near(weights[0], exp(-8) / (1 + exp(-8)), 1e-15);
  pl_weight_driver_evaluate(&exact_feature, &input, weights);
  check_near(weights[1], 1, 1e-14);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(view_weights_are_those_of_algorithm_1),
      cmocka_unit_test(weights_have_the_limits_they_should),
      cmocka_unit_test(interpolating_weights_are_exact_at_every_example),
      cmocka_unit_test(kernels_in_any_feature_space_interpolate),
      cmocka_unit_test(examples_that_cannot_be_distinguished_are_named),
      cmocka_unit_test(every_driver_answers_to_one_call),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
