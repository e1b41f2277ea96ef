// ctest: unit
// When a fit ends: as soon as what is left to do is small against what the errors of the data leave uncertain. Errors
// of a track are alike in neighbouring points and frames, so that a thousand numbers say as much as a few; along what
// the motion hardly shows, a fit that takes them for independent follows those errors for long.
#include "base/random.h"
#include "fixtures/cantilever_bars.h"
#include "pliant/math.h"

enum { CONTROLS = 8, FRAMES = 100, PATTERNS = 4, SEEDS = 3 };
static const double ERROR = 5e-4;       // metres, of each pattern at its largest
static const double CORRELATION = 0.8;  // from frame to frame
static const double TRUTH[CONTROLS + 3] = {9e5, 8e5, 6e5, 5e5, 3e5, 2.5e5, 2e5, 2e5, 0.3, 0.3, 2e-3};

// Smooth along the bar, and from frame to frame: what a tracker that slips or lags leaves.
static void add_track_error(const fit_bar *bar, pl_vec3 *positions, uint64_t seed) {
  const pl_vec3 *rest = pl_mesh_get_view(bar->mesh).points;
  pl_random random = pl_random_of_seed(seed);
  double sizes[PATTERNS][3] = {{0}}, fresh = sqrt(1 - CORRELATION * CORRELATION);
  for (int32_t f = 1; f < FRAMES; ++f)
    for (int k = 0; k < PATTERNS; ++k) {
      for (int a = 0; a < 3; ++a)
        sizes[k][a] =
            f == 1 ? pl_random_normal(&random) : CORRELATION * sizes[k][a] + fresh * pl_random_normal(&random);
      for (int32_t i = 0; i < bar->point_count; ++i) {
        double shape = ERROR * sin((k + 0.5) * PL_PI * (rest[i].x + 0.5));
        positions[f * bar->point_count + i] = pl_vec3_add_scaled(
            positions[f * bar->point_count + i], (pl_vec3){sizes[k][0], sizes[k][1], sizes[k][2]}, shape);
      }
    }
}

// Iterations over the whole motion.
static bool count_last(void *user, const pl_fit *fit, const pl_fit_progress *progress) {
  (void)fit;
  int32_t *count = user;
  *count += progress->frame_count == FRAMES;
  return true;
}

// What came of fits to tracks with different errors.
typedef struct stop_facts {
  int last_iterations;               // over the whole motion
  int contained, undetermined, all;  // of the intervals
} stop_facts;

// `noise` is what the tracks state of themselves; 0: nothing.
static stop_facts fit_tracks(double noise) {
  pl_error error = {0};
  stop_facts facts = {0};
  for (int seed = 0; seed < SEEDS; ++seed) {
    fit_bar bar;
    int32_t count = 0;
    open_bar(&bar, 1, CONTROLS, (const int32_t[3]){14, 1, 1});
    make_motions(&bar, TRUTH, FRAMES, 0.03);
    add_track_error(&bar, bar.positions[0], (uint64_t)(11 + seed));
    bar.def.noise = noise;
    bar.def.young.start = 4e5;
    bar.def.after_iteration = count_last;
    bar.def.user = &count;
    pl_fit *fit = make_fit(&bar, 1);
    check_ok(pl_fit_run(fit, &error), &error);
    pl_fit_report report;
    check_ok(pl_fit_get_report(fit, &report, &error), &error);
    print_message("noise %g mm, seed %d: rms %g mm after %d iterations, %d of them over the whole motion\n",
                  1e3 * noise, seed, 1e3 * report.rms, report.iteration_count, count);
    for (int i = 0; i < report.parameter_count; ++i) {
      const pl_fit_estimate *e = &report.estimates[i];
      if (e->verdict == PL_FIT_HELD) continue;
      bool inside = e->min < TRUTH[i] && TRUTH[i] < e->max;
      print_message("  %-18s %10.5g of %8.5g in %10.5g … %10.5g, %s%s\n", e->name, e->value, TRUTH[i], e->min, e->max,
                    pl_fit_verdict_name(e->verdict), inside ? "" : "   missed");
      facts.contained += inside;
      facts.undetermined += e->verdict == PL_FIT_NOT_DETERMINED;
      facts.all++;
    }
    facts.last_iterations += count;
    pl_fit_destroy(fit);
    close_bar(&bar);
  }
  print_message("%d iterations; %d of %d intervals contain the truth, %d are not determined\n", facts.last_iterations,
                facts.contained, facts.all, facts.undetermined);
  return facts;
}

// By the gain of the cost, as if all numbers were independent, it took 37 iterations over the whole motion.
static void a_fit_ends_when_the_rest_is_below_what_the_errors_leave(void **state) {
  (void)state;
  stop_facts facts = fit_tracks(0);
  assert_true(facts.last_iterations <= 10 * SEEDS);
  assert_true(facts.contained >= 0.9 * facts.all);
  assert_true(facts.undetermined >= SEEDS && 2 * facts.undetermined < facts.all);
}

// Its error is larger than a track can tell from its points: what remains is not noise, and hides more.
static void a_residual_that_is_not_noise_ends_it_earlier(void **state) {
  (void)state;
  stop_facts facts = fit_tracks(0.4 * ERROR);
  assert_true(facts.last_iterations <= 4 * SEEDS);
  assert_int_equal(facts.contained, facts.all);
  assert_true(facts.undetermined >= SEEDS);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_fit_ends_when_the_rest_is_below_what_the_errors_leave),
      cmocka_unit_test(a_residual_that_is_not_noise_ends_it_earlier),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
