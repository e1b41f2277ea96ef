// ctest: unit
// Several motions of what should be the same material: intervals have the spread between them.
#include "fixtures/cantilever_bars.h"

static const int32_t CELLS[3] = {6, 1, 1};
enum { FRAMES = 30, REPEATS = 4 };

static double shake(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return ((double)(*state >> 11) / 9007199254740992.0 - 0.5) * 3.4641016151377544;  // variance 1
}

// Half width of the interval of the modulus, as a fraction, of the same bend of four specimens of these moduli, with
// some noise; *value receives the modulus.
static double fit_repeats(const double youngs[REPEATS], double *value) {
  pl_error error = {0};
  pl_vec3 *motions[REPEATS];
  pl_fit_sequence repeats[REPEATS];
  uint64_t random = 7;
  fit_bar bar;
  open_bar(&bar, 1, 1, CELLS);
  size_t count = (size_t)bar.point_count * FRAMES;
  for (int r = 0; r < REPEATS; ++r) {
    for (int s = 0; s < 2; ++s) free(bar.starts[s]), free(bar.positions[s]);
    make_motions(&bar, (const double[]){youngs[r], 0.3, 0.3, 2e-3}, FRAMES, 1.0 / 30);
    motions[r] = calloc(count, sizeof **motions);
    memcpy(motions[r], bar.positions[0], count * sizeof **motions);
    for (size_t i = (size_t)bar.point_count; i < count; ++i)
      motions[r][i].x += 5e-4 * shake(&random), motions[r][i].y += 5e-4 * shake(&random),
          motions[r][i].z += 5e-4 * shake(&random);
    repeats[r] = bar.sequences[0];
    repeats[r].positions = motions[r];
  }
  for (int r = 0; r < REPEATS; ++r) repeats[r].start_positions = bar.starts[0];
  bar.def.noise = 5e-4;
  bar.def.young.start = 2e5;
  bar.def.mass_damping.start = 0.3;
  bar.def.stiffness_damping.start = 2e-3;
  pl_fit *fit = NULL;
  pl_fit_report report;
  check_ok(pl_fit_create(bar.context, &bar.def, bar.mesh, &(pl_fit_sequences){.items = repeats, .count = REPEATS}, &fit,
                         &error),
           &error);
  check_ok(pl_fit_run(fit, &error), &error);
  check_ok(pl_fit_get_report(fit, &report, &error), &error);
  const pl_fit_estimate *e = &report.estimates[0];
  double half = 0.5 * log(e->max / e->min);
  print_message("%.6g Pa in %.6g … %.6g, half width %.2f %%\n", e->value, e->min, e->max, 100 * half);
  *value = e->value;
  pl_fit_destroy(fit);
  for (int r = 0; r < REPEATS; ++r) free(motions[r]);
  close_bar(&bar);
  return half;
}

static void repeats_that_disagree_widen_the_interval(void **state) {
  (void)state;
  // Moduli with a standard deviation of 2 %: the mean of four is known to t₃ 2 % / √4 = 3.2 %.
  double alike[REPEATS] = {2e5, 2e5, 2e5, 2e5}, apart[REPEATS] = {1.95e5, 2.05e5, 1.98e5, 2.02e5}, values[2];
  double narrow = fit_repeats(alike, &values[0]), wide = fit_repeats(apart, &values[1]);
  check_near(values[0], 2e5, 0.005 * 2e5);
  check_near(values[1], 2e5, 0.02 * 2e5);
  assert_true(narrow < 0.01);
  assert_true(wide > 0.02 && wide < 0.06);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(repeats_that_disagree_widen_the_interval),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
