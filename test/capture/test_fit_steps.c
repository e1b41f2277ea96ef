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

// Keeps the state after every iteration, and stops after one of them.
enum { MAX_STATES = 64 };
typedef struct recording {
  int32_t stop_after;  // 0: never
  void *states[MAX_STATES];
  size_t sizes[MAX_STATES];
  pl_fit_cursor cursors[MAX_STATES];
  double values[MAX_STATES][VALUES];
} recording;

static bool record(void *user, const pl_fit *fit, const pl_fit_progress *progress) {
  recording *r = user;
  int32_t i = progress->iteration;
  assert_in_range(i, 1, MAX_STATES - 1);
  r->sizes[i] = pl_fit_snapshot_size(fit);
  r->states[i] = malloc(r->sizes[i]);
  pl_fit_snapshot(fit, r->states[i]);
  memcpy(r->values[i], fit->values, sizeof r->values[i]);
  memcpy(&r->cursors[i], &fit->cursor, sizeof fit->cursor);
  r->cursors[i].evaluations = 0;  // one more to resume
  return i != r->stop_after;
}

static void drop_recording(recording *r) {
  for (int i = 0; i < MAX_STATES; ++i) free(r->states[i]);
}

static pl_fit *resume(fit_bar *bar, const recording *from, int32_t after, recording *to) {
  pl_error error = {0};
  bar->def.user = to;
  pl_fit *fit = make_fit(bar, 2);
  check_ok(pl_fit_restore(fit, from->states[after], from->sizes[after], &error), &error);
  return fit;
}

static void an_interrupted_fit_continues_with_the_steps_it_had(void **state) {
  (void)state;
  pl_error error = {0};
  fit_bar bar;
  recording whole = {.stop_after = 0};
  open_fine(&bar);
  bar.def.max_steps = TRUE_STEPS;
  bar.def.after_iteration = record;
  bar.def.user = &whole;
  pl_fit *fit = make_fit(&bar, 2);
  check_ok(pl_fit_run(fit, &error), &error);
  double values[VALUES];
  memcpy(values, fit->values, sizeof values);
  int32_t iteration_count = fit->cursor.iteration, changes = 0;
  pl_fit_destroy(fit);
  // From every state the next one follows to the last bit, so all of them do.
  for (int32_t after = 1; after + 1 < iteration_count; ++after) {
    recording next = {.stop_after = after + 1};
    fit = resume(&bar, &whole, after, &next);
    assert_int_equal(pl_fit_run(fit, &error), PL_REMARK_CANCELLED);
    assert_memory_equal(next.values[after + 1], whole.values[after + 1], sizeof *whole.values);
    assert_memory_equal(&next.cursors[after + 1], &whole.cursors[after + 1], sizeof *whole.cursors);
    pl_fit_destroy(fit);
    drop_recording(&next);
    changes += whole.cursors[after + 1].steps != whole.cursors[after].steps;
  }
  assert_true(changes >= 3);
  // To the end from the first and from the last.
  for (int k = 0; k < 2; ++k) {
    int32_t after = k == 0 ? 1 : iteration_count - 1;
    recording rest = {.stop_after = 0};
    fit = resume(&bar, &whole, after, &rest);
    check_ok(pl_fit_run(fit, &error), &error);
    assert_memory_equal(values, fit->values, sizeof values);
    pl_fit_destroy(fit);
    drop_recording(&rest);
  }
  drop_recording(&whole);
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
