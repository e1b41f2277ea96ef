// Weights on the simplex, and curves of them over time.
// ctest: unit
#include "base/random.h"
#include "check.h"
#include "examples/weights.h"

static double sum_of(int count, const double *weights) {
  double sum = 0;
  for (int k = 0; k < count; ++k) {
    assert_true(weights[k] >= 0);
    sum += weights[k];
  }
  return sum;
}

static void anything_is_put_on_the_simplex(void **state) {
  (void)state;
  static const struct {
    double values[3], expected[3];
  } cases[] = {
      {{0.2, 0.3, 0.1}, {0.2, 0.3, 0.1}},       {{-1, 0.5, 0}, {0, 0.5, 0}},
      {{2, 1, 1}, {0.5, 0.25, 0.25}},           {{1e308, 1e308, 0}, {0.5, 0.5, 0}},
      {{HUGE_VAL, HUGE_VAL, 1}, {0.5, 0.5, 0}}, {{-HUGE_VAL, 0, 3}, {0, 0, 1}},
  };
  for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
    double weights[3];
    pl_weights_limit(3, cases[c].values, weights);
    for (int k = 0; k < 3; ++k) check_near(weights[k], cases[c].expected[k], 1e-15);
  }
  double weights[2] = {(double)NAN, 0.5};
  pl_weights_limit(2, weights, weights);
  assert_true(weights[0] == 0 && weights[1] == 0.5);
  // Weights on the simplex stay to the bit, also when they only just sum to 1.
  pl_random random = pl_random_of_seed(1);
  for (int c = 0; c < 1000; ++c) {
    double before[6], sum = 0, after[6];
    for (int k = 0; k < 6; ++k) sum += before[k] = pl_random_unit(&random);
    for (int k = 0; k < 6; ++k) before[k] /= sum;
    pl_weights_limit(6, before, after);
    assert_memory_equal(before, after, sizeof before);
  }
}

static void fading_gives_weight_to_the_rest(void **state) {
  (void)state;
  double weights[2] = {0.5, 0.25};
  pl_weights_fade(2, 0.5, weights);
  assert_true(weights[0] == 0.25 && weights[1] == 0.125);
}

static const double TIMES[4] = {1, 2, 4, 5};
static const double VALUES[8] = {0, 0.5, 1, 0, 0.25, 0.75, 0, 0.5};

static pl_weight_curve test_curve(pl_curve_kind kind, bool is_looping, double *slopes) {
  pl_weight_curve curve = {kind, is_looping, 2, 4, TIMES, VALUES, NULL};
  pl_weight_curve_slopes(&curve, slopes);
  curve.slopes = slopes;
  pl_error error = {0};
  check_ok(pl_weight_curve_check(&curve, &error), &error);
  return curve;
}

static void every_curve_passes_through_its_keys_and_holds_outside(void **state) {
  (void)state;
  double slopes[8], weights[2];
  for (int kind = 0; kind < 4; ++kind) {
    pl_weight_curve curve = test_curve((pl_curve_kind)(kind % 2), kind >= 2, slopes);
    for (int i = 0; i < 4; ++i) {
      pl_weight_curve_evaluate(&curve, TIMES[i], weights);
      for (int k = 0; k < 2; ++k) check_near(weights[k], VALUES[2 * i + k], 1e-15);
    }
    if (curve.is_looping) continue;
    pl_weight_curve_evaluate(&curve, -10, weights);
    assert_true(weights[0] == 0 && weights[1] == 0.5);
    pl_weight_curve_evaluate(&curve, 10, weights);
    assert_true(weights[0] == 0 && weights[1] == 0.5);
    pl_weight_curve_evaluate(&curve, (double)NAN, weights);
    assert_true(weights[0] == 0 && weights[1] == 0.5);
    pl_weight_curve_evaluate(&curve, HUGE_VAL, weights);
    assert_true(weights[0] == 0 && weights[1] == 0.5);
  }
}

static void a_linear_curve_goes_straight(void **state) {
  (void)state;
  double slopes[8], weights[2];
  pl_weight_curve curve = test_curve(PL_CURVE_LINEAR, false, slopes);
  pl_weight_curve_evaluate(&curve, 1.25, weights);
  check_near(weights[0], 0.25, 1e-15);
  check_near(weights[1], 0.375, 1e-15);
  pl_weight_curve_evaluate(&curve, 3, weights);
  check_near(weights[0], 0.625, 1e-15);
  check_near(weights[1], 0.375, 1e-15);
}

static void a_looping_curve_repeats_itself(void **state) {
  (void)state;
  double slopes[8], once[2], later[2];
  for (int kind = 0; kind < 2; ++kind) {
    pl_weight_curve curve = test_curve((pl_curve_kind)kind, true, slopes);
    for (int step = 0; step < 64; ++step) {
      double time = 1 + step / 16.0;
      pl_weight_curve_evaluate(&curve, time, once);
      for (int turn = -3; turn <= 3; ++turn) {
        pl_weight_curve_evaluate(&curve, time + 4 * turn, later);
        for (int k = 0; k < 2; ++k) check_near(later[k], once[k], 1e-14);
      }
    }
  }
  // Its ends agree, so the smooth one passes them without a kink.
  pl_weight_curve curve = test_curve(PL_CURVE_SMOOTH, true, slopes);
  for (int k = 0; k < 2; ++k) check_near(slopes[k], slopes[6 + k], 1e-15);
  double step = 1e-6, before[2], at[2], after[2];
  pl_weight_curve_evaluate(&curve, 5 - step, before);
  pl_weight_curve_evaluate(&curve, 5, at);
  pl_weight_curve_evaluate(&curve, 5 + step, after);
  for (int k = 0; k < 2; ++k) check_near((at[k] - before[k]) / step, (after[k] - at[k]) / step, 1e-4);
}

static void a_smooth_curve_is_smooth_and_stays_between_its_keys(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(2);
  enum { KEYS = 7, COUNT = 3 };
  double max_sum = 0;
  for (int c = 0; c < 500; ++c) {
    double times[KEYS], values[KEYS * COUNT], slopes[KEYS * COUNT], time = 0;
    for (int i = 0; i < KEYS; ++i) {
      times[i] = time += 0.05 + pl_random_unit(&random);
      double w[COUNT + 1], sum = 0;
      for (int k = 0; k <= COUNT; ++k) sum += w[k] = pl_random_u32(&random) % 3 == 0 ? 0 : pl_random_unit(&random);
      for (int k = 0; k < COUNT; ++k) values[i * COUNT + k] = sum > 0 ? w[k] / sum : 0;
    }
    // One weight alone, so that no sum is divided out.
    double alone[KEYS], alone_slopes[KEYS];
    for (int i = 0; i < KEYS; ++i) alone[i] = values[i * COUNT];
    if (c % 2 == 0) alone[KEYS - 1] = alone[0];
    pl_weight_curve single = {PL_CURVE_SMOOTH, c % 2 == 0, 1, KEYS, times, alone, alone_slopes};
    pl_weight_curve_slopes(&single, alone_slopes);
    for (int i = 0; i + 1 < KEYS; ++i) {
      double min = fmin(alone[i], alone[i + 1]), max = fmax(alone[i], alone[i + 1]), h = times[i + 1] - times[i],
             last = alone[i], w;
      for (int step = 0; step <= 40; ++step) {
        pl_weight_curve_evaluate(&single, times[i] + h * step / 40, &w);
        assert_true(w >= min - 1e-14 && w <= max + 1e-14);
        // Monotone between two keys.
        check_at_most((last - w) * (alone[i + 1] >= alone[i] ? 1 : -1), 1e-14);
        last = w;
      }
      // The slope at a key is the same from both sides, and the one computed.
      double left, right, at, e = 1e-7;
      if (i == 0) continue;
      pl_weight_curve_evaluate(&single, times[i] - e, &left);
      pl_weight_curve_evaluate(&single, times[i], &at);
      pl_weight_curve_evaluate(&single, times[i] + e, &right);
      check_near((at - left) / e, alone_slopes[i], 1e-3);
      check_near((right - at) / e, alone_slopes[i], 1e-3);
    }
    pl_weight_curve all = {PL_CURVE_SMOOTH, false, COUNT, KEYS, times, values, slopes};
    pl_weight_curve_slopes(&all, slopes);
    for (int step = 0; step <= 200; ++step) {
      double weights[COUNT];
      pl_weight_curve_evaluate(&all, times[0] + (times[KEYS - 1] - times[0]) * step / 200, weights);
      max_sum = fmax(max_sum, sum_of(COUNT, weights));
    }
  }
  check_at_most(max_sum, 1 + 1e-14);
}

static void one_key_is_a_constant(void **state) {
  (void)state;
  double time = 3, values[2] = {0.25, 0.5}, slopes[2], weights[2];
  for (int kind = 0; kind < 2; ++kind) {
    pl_weight_curve curve = {(pl_curve_kind)kind, false, 2, 1, &time, values, slopes};
    pl_weight_curve_slopes(&curve, slopes);
    for (int t = 0; t < 6; ++t) {
      pl_weight_curve_evaluate(&curve, t, weights);
      assert_memory_equal(weights, values, sizeof values);
    }
  }
}

static void two_keys_make_a_line_when_smooth(void **state) {
  (void)state;
  double times[2] = {0, 2}, values[2] = {0, 1}, slopes[2], weight;
  pl_weight_curve curve = {PL_CURVE_SMOOTH, false, 1, 2, times, values, slopes};
  pl_weight_curve_slopes(&curve, slopes);
  for (int i = 0; i <= 10; ++i) {
    pl_weight_curve_evaluate(&curve, 0.2 * i, &weight);
    check_near(weight, 0.1 * i, 1e-15);
  }
}

static void mistakes_in_curves_are_named(void **state) {
  (void)state;
  static const struct {
    double times[2], values[4];
    int key_count;
    bool is_looping;
    const char *word;
  } cases[] = {
      {{0, 0}, {0, 0, 0, 0}, 2, false, "key 1"},
      {{0, HUGE_VAL}, {0, 0, 0, 0}, 2, false, "key 1"},
      {{0, 1}, {0, 0, -0.5, 0}, 2, false, "weight 0 of key 1"},
      {{0, 1}, {0.75, 0.5, 0, 0}, 2, false, "key 0 sum to 1.25"},
      {{0, 1}, {0, 0, 0, 0}, 0, false, "at least one key"},
      {{0, 1}, {0, 0, 0, 0}, 1, true, "two keys"},
  };
  for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
    pl_weight_curve curve = {PL_CURVE_LINEAR, cases[c].is_looping, 2,   cases[c].key_count,
                             cases[c].times,  cases[c].values,     NULL};
    pl_error error = {0};
    assert_int_equal(pl_weight_curve_check(&curve, &error), PL_ERROR_INVALID_DATA);
    assert_non_null(strstr(error.text, cases[c].word));
    assert_int_equal(pl_weight_curve_check(&curve, NULL), PL_ERROR_INVALID_DATA);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(anything_is_put_on_the_simplex),
      cmocka_unit_test(fading_gives_weight_to_the_rest),
      cmocka_unit_test(every_curve_passes_through_its_keys_and_holds_outside),
      cmocka_unit_test(a_linear_curve_goes_straight),
      cmocka_unit_test(a_looping_curve_repeats_itself),
      cmocka_unit_test(a_smooth_curve_is_smooth_and_stays_between_its_keys),
      cmocka_unit_test(one_key_is_a_constant),
      cmocka_unit_test(two_keys_make_a_line_when_smooth),
      cmocka_unit_test(mistakes_in_curves_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
