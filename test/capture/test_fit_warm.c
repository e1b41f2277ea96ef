// Warm starts with several control points: frequencies alone tell the order of magnitude of each modulus, and the fit
// continues from there.
// ctest: unit once
#include "fixtures/cantilever_bars.h"
#include "solvers/eigen_modes.h"

static const int32_t CELLS[3] = {8, 1, 1};
enum { FRAMES = 120, MAX_VALUES = 6 };

// A bar with `control_count` moduli, whose motion is known exactly and whose fit starts at the same wrong modulus
// everywhere.
static void open_wrong(fit_bar *bar, int32_t control_count, const double *truth, double start) {
  open_bar(bar, 1, control_count, CELLS);
  bar->def.steps_per_frame = 4;  // long steps would shift the frequencies
  make_motions(bar, truth, FRAMES, 1.0 / 60);
  bar->def.young.start = start;
}

static void warm_up(pl_fit *fit, pl_warm_start_report *report) {
  pl_error error = {0};
  pl_warm_start_def def = pl_default_warm_start_def();
  check_ok(pl_fit_warm_start(fit, &def, report, &error), &error);
  for (int32_t k = 0; k < fit->body.control_count; ++k) print_message("%.3g Pa ", fit->values[k]);
  print_message("from frequencies, %.3g Pa uniform, mismatch %.3g, %.2g s\n", report->young, report->mismatch,
                report->seconds);
}

static void check_moduli(const pl_fit *fit, const double *truth, double factor) {
  for (int32_t k = 0; k < fit->body.control_count; ++k) check_near(log(fit->values[k] / truth[k]), 0, log(factor));
}

// From a hundred times what is true.
static void two_moduli_are_found_from_far_away(void **state) {
  (void)state;
  if (!pl_eigen_is_available()) skip();
  static const double truth[5] = {5e5, 6e4, 0.3, 0.2, 1e-3};
  pl_error error = {0};
  pl_warm_start_report report;
  fit_bar bar;
  open_wrong(&bar, 2, truth, 1.7e7);
  pl_fit *fit = make_fit(&bar, 2);
  warm_up(fit, &report);
  // One modulus for all would be off by more than this at one of the two.
  check_moduli(fit, truth, 2);
  check_at_most(report.mismatch, 0.1);
  check_ok(pl_fit_run(fit, &error), &error);
  check_moduli(fit, truth, 1.01);
  pl_fit_destroy(fit);
  close_bar(&bar);
}

static void so_are_three_from_below(void **state) {
  (void)state;
  if (!pl_eigen_is_available()) skip();
  static const double truth[6] = {1e6, 1e5, 4e5, 0.3, 0.2, 1e-3};
  pl_error error = {0};
  pl_warm_start_report report;
  fit_bar bar;
  open_wrong(&bar, 3, truth, 4e3);
  pl_fit *fit = make_fit(&bar, 2);
  warm_up(fit, &report);
  check_moduli(fit, truth, 3.2);
  check_ok(pl_fit_run(fit, &error), &error);
  check_moduli(fit, truth, 1.02);
  pl_fit_destroy(fit);
  close_bar(&bar);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_moduli_are_found_from_far_away),
      cmocka_unit_test(so_are_three_from_below),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
