// Similarities of keys, weights that interpolate, and widths by cross-validation.
// ctest: unit
#include "detail/detail_weights.h"
#include "fixtures/detail_cube.h"
#include "math/simd.h"

enum { MAX = 60 };
static const pl_key_layout LAYOUT = {3, -1, 2, 1e-6, 0}, PATCHED = {2, 1, 1, 1e-6, 0};

typedef struct sample_set {
  pl_moments sites[MAX], patches[MAX];
  pl_vector_moments loads[MAX];
  float keys[MAX * PL_KEY_MAX_SIZE];
  pl_detail_examples examples;
} sample_set;

// Random descriptors; sites differ by about `spread`. Every seventh has no load.
static sample_set *make_set(const pl_key_layout *layout, int32_t count, double spread, uint64_t seed) {
  sample_set *set = calloc(1, sizeof *set);
  pl_random random = pl_random_of_seed(seed);
  int32_t size = pl_key_size(layout);
  for (int32_t e = 0; e < count; ++e) {
    for (int32_t i = 0; i < PL_MOMENT_COUNT; ++i) {
      set->sites[e].values[i] = spread * pl_random_normal(&random);
      set->patches[e].values[i] = spread * pl_random_normal(&random);
      for (int c = 0; c < 3; ++c)
        set->loads[e].components[c].values[i] = e % 7 == 6 ? 0 : 0.01 * pl_random_normal(&random);
    }
    pl_key_pack(layout, &set->sites[e], &set->patches[e], &set->loads[e], set->keys + (size_t)size * (size_t)e);
  }
  set->examples = (pl_detail_examples){*layout, count, set->keys, false};
  return set;
}

static const float *key_of(const sample_set *set, int32_t example) {
  return set->keys + (size_t)pl_key_size(&set->examples.layout) * (size_t)example;
}

static double similarity(const pl_key_layout *layout, const pl_widths *w, const float *a, const float *b) {
  pl_widths d = pl_key_distances(layout, a, b);
  double exponent = 0.5 * d.site * d.site / (w->site * w->site);
  if (layout->patch_order >= 0) exponent += 0.5 * d.patch * d.patch / (w->patch * w->patch);
  if (layout->load_order > 0) exponent += 0.5 * d.load * d.load / (w->load * w->load);
  return fmax((exp(-exponent) - PL_SIMILARITY_FLOOR) / (1 - PL_SIMILARITY_FLOOR), 0.0);
}

static pl_detail_weights *build(pl_context *context, const sample_set *set, pl_widths widths,
                                pl_detail_weights_report *report) {
  pl_error error = {0};
  pl_detail_weights *weights = NULL;
  check_ok(pl_detail_weights_build(context, &set->examples, &widths, &weights, report, &error), &error);
  return weights;
}

static void distances_of_keys_are_those_of_descriptors(void **state) {
  (void)state;
  const pl_key_layout *layouts[2] = {&LAYOUT, &PATCHED};
  for (int l = 0; l < 2; ++l) {
    sample_set *set = make_set(layouts[l], 20, 0.1, 3);
    for (int32_t a = 0; a < 20; ++a)
      for (int32_t b = 0; b < 20; ++b) {
        pl_widths d = pl_key_distances(layouts[l], key_of(set, a), key_of(set, b));
        check_near(d.site, pl_site_distance(&set->sites[a], &set->sites[b], layouts[l]->site_order), 1e-6);
        check_near(d.load, pl_load_distance(&set->loads[a], &set->loads[b], layouts[l]->load_order, 1e-6), 1e-6);
        if (l == 1) check_near(d.patch, pl_site_distance(&set->patches[a], &set->patches[b], 1), 1e-6);
      }
    free(set);
  }
}

static void similarities_are_those_of_the_formula_on_every_machine(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  const pl_key_layout *layouts[2] = {&LAYOUT, &PATCHED};
  for (int32_t count = 1; count <= 50; count += 7) {
    const pl_key_layout *layout = layouts[count % 2];
    sample_set *set = make_set(layout, count, 0.1, (uint64_t)count);
    pl_widths widths = {0.4, 0.3, 0.6};
    pl_detail_weights *weights = build(context, set, widths, NULL);
    float *scratch = aligned_alloc(64, (pl_detail_weights_scratch(weights) * sizeof(float) + 63) / 64 * 64), found[MAX];
    int32_t positive = 0;
    for (int32_t q = 0; q < count; ++q) {
      pl_detail_similarities(weights, key_of(set, q), scratch, found);
      for (int32_t e = 0; e < count; ++e) {
        check_near((double)found[e], similarity(layout, &widths, key_of(set, q), key_of(set, e)), 2e-6);
        positive += e != q && found[e] > 0;
      }
    }
    assert_true(count < 8 || positive > 0);
    free(scratch);
    pl_detail_weights_destroy(weights);
    free(set);
  }
#if PL_SIMD_HAS_AVX2
  if (PL_SIMD_CAN_AVX2()) {
    sample_set *set = make_set(&LAYOUT, 24, 0.1, 77);
    _Alignas(64) float numbers[24 * PL_KEY_MAX_SIZE], plain[24], avx2[24];
    int32_t size = pl_key_size(&LAYOUT);
    for (int32_t e = 0; e < 24; ++e)
      for (int32_t i = 0; i < size; ++i) numbers[8 * size * (e / 8) + 8 * i + e % 8] = key_of(set, e)[i];
    pl_key_rows rows = {24, 3, 20, 0, size - 20, numbers};
    pl_key_kernel kernel = {3, 0, 2, 1e-3f};
    for (int32_t q = 0; q < 24; ++q) {
      pl_detail_kernels_plain.correlate(&rows, &kernel, key_of(set, q), plain);
      pl_detail_kernels_avx2.correlate(&rows, &kernel, key_of(set, q), avx2);
      assert_memory_equal(plain, avx2, sizeof plain);
    }
    free(set);
  }
#endif
  drop_context(context);
}

static void at_an_example_it_alone_has_weight(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  for (int32_t count = 1; count <= MAX; count += 59) {
    sample_set *set = make_set(&LAYOUT, count, 0.1, 31);
    pl_detail_weights_report report;
    pl_detail_weights *weights = build(context, set, (pl_widths){0.5, 0, 0.7}, &report);
    print_message("%d examples: %d groups, the largest of %d; response %.2f; inexact by %.1e\n", count,
                  report.group_count, report.max_group, report.response, report.inexactness);
    _Alignas(64) float scratch[2 * MAX + 64], found[MAX];
    for (int32_t q = 0; q < count; ++q) {
      assert_true(pl_detail_weights_evaluate(weights, key_of(set, q), scratch, found) >= 1);
      for (int32_t e = 0; e < count; ++e) check_near((double)found[e], e == q, 1e-5);
    }
    // Plain weights are the similarities.
    set->examples.plain = true;
    pl_detail_weights *plain = build(context, set, (pl_widths){0.5, 0, 0.7}, NULL);
    float similarities[MAX];
    for (int32_t q = 0; q < count; ++q) {
      pl_detail_weights_evaluate(plain, key_of(set, q), scratch, found);
      pl_detail_similarities(weights, key_of(set, q), scratch, similarities);
      assert_memory_equal(found, similarities, (size_t)count * sizeof *found);
    }
    pl_detail_weights_destroy(plain);
    // Far from all: nothing.
    float far[PL_KEY_MAX_SIZE] = {100.0f};
    assert_int_equal(pl_detail_weights_evaluate(weights, far, scratch, found), 0);
    for (int32_t e = 0; e < count; ++e) check_near((double)found[e], 0, 0);
    pl_detail_weights_destroy(weights);
    free(set);
  }
  drop_context(context);
}

// Weights that smooth: similarities as shares of their sum and of what no detail has; example `out` does not take part.
static void take_means(const sample_set *set, const pl_widths *widths, const float *key, int32_t out, double *means) {
  double total = PL_SIMILARITY_NOTHING;
  for (int32_t i = 0; i < set->examples.count; ++i) {
    means[i] = i == out ? 0 : similarity(&LAYOUT, widths, key_of(set, i), key);
    total += means[i];
  }
  for (int32_t i = 0; i < set->examples.count; ++i) means[i] /= total;
}

// Groups only save work: the weights are those of the formulas for all examples, evaluated plainly.
static void weights_are_those_of_the_formulas_and_continuous(void **state) {
  (void)state;
  enum { COUNT = 40 };
  pl_context *context = make_context(1);
  sample_set *set = make_set(&LAYOUT, COUNT, 0.1, 13);
  // Two clusters that do not know of each other, in mixed order.
  int32_t size = pl_key_size(&LAYOUT);
  for (int32_t e = 0; e < COUNT; e += 3) set->keys[(size_t)size * (size_t)e] += 20;
  pl_widths widths = {0.4, 0, 0.7};
  pl_detail_weights_report report;
  pl_detail_weights *weights = build(context, set, widths, &report);
  assert_true(report.group_count >= 2 && report.max_group > 8);
  assert_true(report.tight < 1 && report.response < 8);
  pl_widths tight = {widths.site * report.tight, 0, widths.load * report.tight};
  static double phi[COUNT * COUNT], means[COUNT][COUNT];
  int32_t order[COUNT];
  for (int32_t i = 0; i < COUNT; ++i) {
    take_means(set, &widths, key_of(set, i), -1, means[i]);
    for (int32_t j = 0; j < COUNT; ++j)
      phi[i * COUNT + j] = similarity(&LAYOUT, &tight, key_of(set, i), key_of(set, j));
  }
  assert_true(pl_kernel_invert(COUNT, phi, order));
  _Alignas(64) float scratch[2 * MAX + 64], found[MAX], last[MAX];
  enum { STEPS = 400 };
  double jump = 0;
  for (int32_t step = 0; step <= STEPS; ++step) {
    float key[PL_KEY_MAX_SIZE];
    float t = (float)step / STEPS;
    for (int32_t i = 0; i < size; ++i) key[i] = (1 - t) * key_of(set, 1)[i] + t * key_of(set, 4)[i];
    pl_detail_weights_evaluate(weights, key, scratch, found);
    double expected[COUNT];
    take_means(set, &widths, key, -1, expected);
    for (int32_t k = 0; k < COUNT; ++k) {
      // What example k has beyond the mean of the others counts by this.
      double beyond = 0;
      for (int32_t j = 0; j < COUNT; ++j)
        beyond += phi[k * COUNT + j] * similarity(&LAYOUT, &tight, key_of(set, j), key);
      for (int32_t i = 0; i < COUNT; ++i) expected[i] += beyond * ((i == k) - means[k][i]);
    }
    for (int32_t i = 0; i < COUNT; ++i) {
      check_near((double)found[i], expected[i], 1e-5);
      if (step > 0) jump = fmax(jump, fabs((double)found[i] - (double)last[i]));
    }
    memcpy(last, found, sizeof found);
  }
  check_at_most(jump, 0.03);
  pl_detail_weights_destroy(weights);
  free(set);
  drop_context(context);
}

static void examples_that_cannot_be_distinguished_are_named(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  sample_set *set = make_set(&LAYOUT, 12, 0.1, 17);
  int32_t size = pl_key_size(&LAYOUT);
  memcpy(set->keys + 9 * size, set->keys + 4 * size, (size_t)size * sizeof(float));
  pl_detail_weights *weights = NULL;
  pl_error error = {0};
  pl_widths widths = {0.4, 0, 0.7};
  assert_int_equal(pl_detail_weights_build(context, &set->examples, &widths, &weights, NULL, &error),
                   PL_ERROR_INVALID_DATA);
  assert_null(weights);
  assert_non_null(strstr(error.text, "examples 4 and 9"));
  // Widths need data to be fitted to.
  double products[144] = {0};
  assert_int_equal(pl_widths_fit(context, &set->examples, products, &widths, NULL, &error), PL_ERROR_INVALID_DATA);
  set->keys[5] = NAN;
  assert_int_equal(pl_detail_weights_build(context, &set->examples, &widths, &weights, NULL, &error),
                   PL_ERROR_INVALID_DATA);
  assert_non_null(strstr(error.text, "example 0"));
  widths.load = 0;
  assert_int_equal(pl_detail_weights_build(context, &set->examples, &widths, &weights, NULL, &error),
                   PL_ERROR_INVALID_ARGUMENT);
  free(set);
  drop_context(context);
}

// Examples on a line of sites, with data that change smoothly along it.
static sample_set *make_line(int32_t count, double *data, double *products) {
  sample_set *set = make_set(&LAYOUT, count, 0, 1);
  pl_random random = pl_random_of_seed(6);
  for (int32_t e = 0; e < count; ++e) {
    double t = (double)e / (count - 1);
    set->sites[e].values[0] = t;
    set->sites[e].values[3] = 0.3 * t * t;
    for (int c = 0; c < 3; ++c)
      for (int32_t i = 1; i < 4; ++i)
        set->loads[e].components[c].values[i] =
            sin(1 + c + i) + 0.3 * t * cos(i + 2 * c) + 0.2 * pl_random_normal(&random);
    pl_key_pack(&LAYOUT, &set->sites[e], NULL, &set->loads[e], set->keys + (size_t)pl_key_size(&LAYOUT) * (size_t)e);
    for (int32_t k = 0; k < 5; ++k) data[5 * e + k] = sin(3 * t + k) + 0.2 * k;
  }
  for (int32_t i = 0; i < count; ++i)
    for (int32_t j = 0; j < count; ++j) {
      products[i * count + j] = 0;
      for (int32_t k = 0; k < 5; ++k) products[i * count + j] += data[5 * i + k] * data[5 * j + k];
    }
  return set;
}

// Error of predicting each example by the others, one after another left out.
static double leave_one_out(const sample_set *set, const pl_widths *widths, const double *data) {
  double error = 0, total = 0, means[MAX];
  for (int32_t out = 0; out < set->examples.count; ++out) {
    take_means(set, widths, key_of(set, out), out, means);
    for (int32_t k = 0; k < 5; ++k) {
      double predicted = 0;
      for (int32_t i = 0; i < set->examples.count; ++i) predicted += means[i] * data[5 * i + k];
      error += pow(predicted - data[5 * out + k], 2);
      total += pow(data[5 * out + k], 2);
    }
  }
  return sqrt(error / total);
}

// The same with the most similar of the others alone.
static double nearest_out(const sample_set *set, const pl_widths *widths, const double *data) {
  double error = 0, total = 0;
  for (int32_t out = 0; out < set->examples.count; ++out) {
    int32_t best = out == 0 ? 1 : 0;
    for (int32_t i = 0; i < set->examples.count; ++i)
      if (i != out && similarity(&LAYOUT, widths, key_of(set, i), key_of(set, out)) >
                          similarity(&LAYOUT, widths, key_of(set, best), key_of(set, out)))
        best = i;
    for (int32_t k = 0; k < 5; ++k) {
      error += pow(data[5 * best + k] - data[5 * out + k], 2);
      total += pow(data[5 * out + k], 2);
    }
  }
  return sqrt(error / total);
}

static void widths_predict_examples_from_the_others(void **state) {
  (void)state;
  enum { COUNT = 16 };
  double data[5 * COUNT], products[COUNT * COUNT];
  sample_set *set = make_line(COUNT, data, products);
  pl_context *context = make_context(1);
  pl_widths widths;
  pl_widths_report report;
  pl_error error = {0};
  check_ok(pl_widths_fit(context, &set->examples, products, &widths, &report, &error), &error);
  double plain = leave_one_out(set, &widths, data);
  print_message("the most similar one alone: %.1f %%\n", 100 * nearest_out(set, &widths, data));
  print_message("widths %.3f and %.3f: left out and predicted with an error of %.1f %% (plainly %.1f %%); %d tried\n",
                widths.site, widths.load, 100 * report.error, 100 * plain, report.tried);
  check_near(report.error, plain, 1e-6);
  check_at_most(report.error, 0.15);
  check_at_most(report.error, 0.8 * nearest_out(set, &widths, data));
  // No narrower or wider ones are much better.
  for (int a = -1; a <= 1; ++a)
    for (int b = -1; b <= 1; ++b) {
      pl_widths other = {widths.site * pow(1.3, a), 0, widths.load * pow(1.3, b)};
      check_at_most(0.95 * report.error, leave_one_out(set, &other, data));
    }
  pl_detail_weights *weights = build(context, set, widths, NULL);
  pl_detail_weights_destroy(weights);
  free(set);
  drop_context(context);
}

static void running_out_of_memory_leaves_nothing_behind(void **state) {
  (void)state;
  enum { COUNT = 16 };
  double data[5 * COUNT], products[COUNT * COUNT];
  sample_set *set = make_line(COUNT, data, products);
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  bool done = false;
  for (int64_t n = 1; !done; ++n) {
    pl_widths widths = {0.1, 0, 0.5};
    pl_detail_weights *weights = NULL;
    pl_error error = {0};
    allocator.call_count = 0;
    allocator.fail_at = n;
    pl_status status = pl_widths_fit(context, &set->examples, products, &widths, NULL, &error);
    if (status == PL_OK) status = pl_detail_weights_build(context, &set->examples, &widths, &weights, NULL, &error);
    assert_true(status == PL_OK || status == PL_ERROR_OUT_OF_MEMORY);
    assert_int_equal(status == PL_OK, weights != NULL);
    done = status == PL_OK;
    assert_true(done || n < 100);
    pl_detail_weights_destroy(weights);
  }
  allocator.fail_at = 0;
  free(set);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(distances_of_keys_are_those_of_descriptors),
      cmocka_unit_test(similarities_are_those_of_the_formula_on_every_machine),
      cmocka_unit_test(at_an_example_it_alone_has_weight),
      cmocka_unit_test(weights_are_those_of_the_formulas_and_continuous),
      cmocka_unit_test(examples_that_cannot_be_distinguished_are_named),
      cmocka_unit_test(widths_predict_examples_from_the_others),
      cmocka_unit_test(running_out_of_memory_leaves_nothing_behind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
