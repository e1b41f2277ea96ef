// Fits that choose their time steps: a motion of short steps is fitted with long ones first, then with shorter ones
// until the modulus stays.
// ctest: unit once
#include "fixtures/cantilever_bars.h"

enum { TRUE_STEPS = 32, VALUES = 4 };
static const int32_t CELLS[3] = {6, 1, 1};
static const double TRUTH[VALUES] = {3e5, 0.3, 0.2, 3e-3};

// A bar whose motion has steps that are shorter than those it is fitted with.
static void open_fine(fit_bar *bar) {
  open_bar(bar, 1, 1, CELLS);
  bar->def.steps_per_frame = TRUE_STEPS;
  make_motions(bar, TRUTH, 20, 1.0 / 30);
  bar->def.steps_per_frame = 1;
  bar->def.young.start = 1e5;
}

static void steps_are_shortened_until_the_modulus_stays(void **state) {
  (void)state;
  pl_error error = {0};
  fit_bar bar;
  open_fine(&bar);
  double off[2];
  for (int k = 0; k < 2; ++k) {
    bar.def.max_steps = k == 0 ? 0 : TRUE_STEPS;
    pl_fit *fit = make_fit(&bar, 2);
    pl_fit_report report;
    check_ok(pl_fit_run(fit, &error), &error);
    check_ok(pl_fit_get_report(fit, &report, &error), &error);
    off[k] = fabs(report.estimates[0].value / TRUTH[0] - 1);
    print_message("%d steps in a frame: %.6g Pa, off by %.3g %%\n", report.steps, report.estimates[0].value,
                  100 * off[k]);
    assert_true(report.converged);
    if (k == 0) assert_int_equal(report.steps, 1);
    if (k == 1) assert_in_range(report.steps, 2, TRUE_STEPS);
    pl_fit_destroy(fit);
  }
  check_at_most(off[1], 0.01);
  check_at_most(3 * off[1], off[0]);
  close_bar(&bar);
}

static void there_are_not_more_steps_than_allowed(void **state) {
  (void)state;
  pl_error error = {0};
  fit_bar bar;
  open_fine(&bar);
  bar.def.max_steps = 3;
  pl_fit *fit = make_fit(&bar, 2);
  pl_fit_report report;
  check_ok(pl_fit_run(fit, &error), &error);
  check_ok(pl_fit_get_report(fit, &report, &error), &error);
  assert_int_equal(report.steps, 2);
  pl_fit_destroy(fit);
  bar.def.max_steps = -1;
  assert_int_equal(pl_fit_create(bar.context, &bar.def, bar.mesh,
                                 &(pl_fit_sequences){.items = bar.sequences, .count = 2}, &fit, &error),
                   PL_ERROR_INVALID_ARGUMENT);
  assert_string_equal(error.field, "max_steps");
  close_bar(&bar);
}

// Stops after an iteration and keeps the state.
typedef struct stop {
  int32_t after;
  void *state;
  size_t size;
} stop;

static bool stop_there(void *user, const pl_fit *fit, const pl_fit_progress *progress) {
  stop *s = user;
  if (progress->iteration != s->after) return true;
  s->size = pl_fit_snapshot_size(fit);
  s->state = malloc(s->size);
  pl_fit_snapshot(fit, s->state);
  return false;
}

static void an_interrupted_fit_continues_with_the_steps_it_had(void **state) {
  (void)state;
  pl_error error = {0};
  fit_bar bar;
  open_fine(&bar);
  bar.def.max_steps = TRUE_STEPS;
  pl_fit *fit = make_fit(&bar, 2);
  check_ok(pl_fit_run(fit, &error), &error);
  double whole[VALUES];
  memcpy(whole, fit->values, sizeof whole);
  int32_t iteration_count = fit->cursor.iteration;
  pl_fit_destroy(fit);
  for (int32_t after = 1; after < iteration_count; ++after) {
    stop s = {.after = after};
    bar.def.after_iteration = stop_there;
    bar.def.user = &s;
    fit = make_fit(&bar, 2);
    assert_int_equal(pl_fit_run(fit, &error), PL_REMARK_CANCELLED);
    pl_fit_destroy(fit);
    bar.def.after_iteration = NULL;
    fit = make_fit(&bar, 2);
    check_ok(pl_fit_restore(fit, s.state, s.size, &error), &error);
    check_ok(pl_fit_run(fit, &error), &error);
    assert_memory_equal(whole, fit->values, sizeof whole);
    pl_fit_destroy(fit);
    free(s.state);
  }
  close_bar(&bar);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_are_shortened_until_the_modulus_stays),
      cmocka_unit_test(there_are_not_more_steps_than_allowed),
      cmocka_unit_test(an_interrupted_fit_continues_with_the_steps_it_had),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
