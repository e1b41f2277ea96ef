// Captures of a bar that was filmed: its material is found, and a run that is interrupted anywhere ends with the same
// bits.
// ctest: physics threads once
#define _XOPEN_SOURCE 700
#include "base/context.h"
#include "fixtures/filmed_bars.h"

// What the callback of a test has seen, and when it is to stop.
typedef struct watch {
  int32_t events[PL_CAPTURE_ROUND_END + 1];
  int32_t loaded_count;
  int32_t budget;  // frames and iterations that are computed before it cancels; below 0: no end
} watch;

static bool watch_progress(void *user, const pl_capture_progress *progress) {
  watch *seen = user;
  ++seen->events[progress->event];
  assert_non_null(progress->report);
  if (progress->event == PL_CAPTURE_FRAME) {
    assert_non_null(progress->track);
    assert_int_equal(progress->tracker->frame_count, progress->frame + 1);
    seen->loaded_count += progress->loaded;
    if (progress->loaded) return true;
  } else if (progress->event == PL_CAPTURE_ITERATION) {
    assert_non_null(progress->fit);
    assert_int_equal(progress->iteration->iteration, progress->report->iteration_count);
  } else {
    return true;
  }
  return seen->budget < 0 || seen->budget-- > 0;
}

static pl_capture_run_def film_def(const filmed_bar *film, const pl_capture_clip *clips, watch *seen) {
  pl_capture_run_def def = pl_default_capture_run_def();
  def.mesh = film->bar.mesh;
  def.clips = clips;
  def.clip_count = film->clip_count;
  def.fit = film->bar.def;
  def.fit.young.start = 1e5;
  def.warm_start = false;
  def.max_rounds = 2;
  def.progress = watch_progress;
  def.user = seen;
  return def;
}

static pl_capture_result *run_to_end(pl_context *context, const pl_capture_run_def *def) {
  pl_error error = {0};
  pl_capture_result *result = NULL;
  pl_status status = pl_capture_run(context, def, &result, &error);
  if (status < 0) fail_msg("%s", error.text);
  assert_true(status == PL_OK || status == PL_REMARK_NOT_CONVERGED);
  assert_int_equal(error.text[0], 0);
  return result;
}

static void the_modulus_of_a_filmed_bar_is_found(void **state) {
  (void)state;
  filmed_bar film;
  open_film(&film, 2, 12, (const int32_t[3]){12, 3, 3}, (const int32_t[2]){160, 120});
  watch seen = {.budget = -1};
  pl_capture_clip clips[2] = {{0}};
  for (int i = 0; i < 2; ++i)
    clips[i] = (pl_capture_clip){.recording = read_film(film.bar.context, &film, i),
                                 .truth = film.truths[i],
                                 .truth_frame_count = film.frame_count,
                                 .truth_point_count = film.surface_count};
  pl_capture_run_def def = film_def(&film, clips, &seen);
  pl_capture_result *result = run_to_end(film.bar.context, &def);
  pl_capture_result_view view = pl_capture_result_get_view(result);
  assert_int_equal(view.round_count, 2);
  assert_int_equal(view.motion_count, 2);
  for (int32_t r = 0; r < 2; ++r) {
    const pl_capture_round *round = &view.rounds[r];
    print_message(
        "round %d: modulus %.0f Pa, tracked to %.2f mm, off by %.2f and %.2f mm, fitted to %.2f mm, %d iterations\n",
        r + 1, round->estimates[0].value, 1e3 * round->track_residual, 1e3 * round->error_seen,
        1e3 * round->error_hidden, 1e3 * round->fit_rms, round->iteration_count);
    // The noise is 2 mm, the motion some centimetres.
    check_near(round->estimates[0].value, film.modulus, 0.05 * film.modulus);
    assert_int_equal(round->estimates[0].verdict, PL_FIT_DETERMINED);
    assert_string_equal(round->estimates[0].name, "young 1");
    assert_true(round->has_truth);
    check_at_most(round->error_seen, 6e-3);
    check_at_most(1e-6, round->error_hidden);
    assert_int_equal(round->parameter_count, 4);
    check_near(round->iteration_values[4 * (round->iteration_count - 1)], round->estimates[0].value,
               1e-3 * round->estimates[0].value);
  }
  check_at_most(view.rounds[1].error_seen, 0.9 * view.rounds[0].error_seen);
  check_at_most(view.rounds[1].error_hidden, 0.9 * view.rounds[0].error_hidden);
  assert_int_equal(seen.events[PL_CAPTURE_FRAME], 2 * 2 * 12);
  assert_int_equal(seen.events[PL_CAPTURE_ITERATION], view.rounds[0].iteration_count + view.rounds[1].iteration_count);
  assert_int_equal(seen.events[PL_CAPTURE_ROUND_END], 2);
  pl_model *model = NULL;
  pl_error error = {0};
  check_ok(pl_capture_result_build_model(result, &model, &error), &error);
  assert_int_equal(pl_model_get_report(model).particle_count, film.bar.point_count);
  pl_model_destroy(model);
  pl_capture_result_destroy(result);
  for (int i = 0; i < 2; ++i) pl_capture_destroy((pl_capture *)(uintptr_t)clips[i].recording);
  close_film(&film);
}

// --- resuming
// -----------------------------------------------------------------------------------------------------------------

static void check_bits(const void *a, const void *b, size_t size) {
  assert_memory_equal(a, b, size);
}

static void check_same(const filmed_bar *film, pl_capture_result *a, pl_capture_result *b) {
  pl_capture_result_view x = pl_capture_result_get_view(a), y = pl_capture_result_get_view(b);
  assert_int_equal(x.round_count, y.round_count);
  for (int32_t r = 0; r < x.round_count; ++r) {
    const pl_capture_round *p = &x.rounds[r], *q = &y.rounds[r];
    assert_int_equal(p->iteration_count, q->iteration_count);
    assert_int_equal(p->steps, q->steps);
    check_bits(&p->track_residual, &q->track_residual, sizeof(double));
    check_bits(&p->explained_fraction, &q->explained_fraction, sizeof(double));
    check_bits(&p->fit_rms, &q->fit_rms, sizeof(double));
    check_bits(p->iteration_values, q->iteration_values,
               (size_t)(p->iteration_count * p->parameter_count) * sizeof *p->iteration_values);
    for (int32_t i = 0; i < p->parameter_count; ++i) {
      check_bits(&p->estimates[i].value, &q->estimates[i].value, sizeof(double));
      check_bits(&p->estimates[i].max, &q->estimates[i].max, sizeof(double));
    }
  }
  size_t count = (size_t)x.motions[0].frame_count * (size_t)film->bar.point_count;
  check_bits(x.motions[0].positions, y.motions[0].positions, count * sizeof(pl_vec3));
  check_bits(x.motions[0].point_weights, y.motions[0].point_weights, (size_t)film->bar.point_count * sizeof(double));
}

// Run in pieces of `budget` frames and iterations until it is done; returns how often it was cancelled.
static int run_in_pieces(pl_context *context, pl_capture_run_def *def, watch *seen, int32_t budget,
                         pl_capture_result **result) {
  pl_error error = {0};
  pl_status status = PL_REMARK_CANCELLED;
  int cancelled = 0;
  for (; status == PL_REMARK_CANCELLED && cancelled < 1000; cancelled += status == PL_REMARK_CANCELLED) {
    pl_capture_result_destroy(*result);
    seen->budget = budget;
    status = pl_capture_run(context, def, result, &error);
    if (status < 0) fail_msg("%s", error.text);
    if (status == PL_REMARK_CANCELLED) assert_true(pl_capture_result_get_view(*result).round_count < 2);
  }
  return cancelled;
}

static void a_cancelled_run_resumes_to_the_same_bits(void **state) {
  (void)state;
  filmed_bar film;
  open_film(&film, 1, 8, (const int32_t[3]){8, 2, 2}, (const int32_t[2]){80, 60});
  pl_context *context = film.bar.context, *other = make_context(1);
  watch seen = {.budget = -1};
  pl_capture_clip clip = {.recording = read_film(context, &film, 0)};
  pl_capture_run_def def = film_def(&film, &clip, &seen);
  def.release_frame = 1;
  def.settle_tolerance = 0;
  pl_capture_result *whole = run_to_end(context, &def);
  assert_int_equal(pl_capture_result_get_view(whole).motions[0].frame_count, 7);
  const int32_t budgets[] = {0, 1, 2, 5, 11};
  for (size_t i = 0; i < sizeof budgets / sizeof budgets[0]; ++i) {
    pl_error error = {0};
    pl_capture_result *result = NULL;
    char folder[] = "/tmp/pliant-store-XXXXXX";
    assert_non_null(mkdtemp(folder));
    // In memory and on disk, with other numbers of threads.
    check_ok(i % 2 == 0 ? pl_store_open_memory(context, &def.store, &error)
                        : pl_store_open_folder(context, folder, &def.store, &error),
             &error);
    seen.loaded_count = 0;
    int cancelled = run_in_pieces(i < 2 ? other : context, &def, &seen, budgets[i], &result);
    print_message("pieces of %d: cancelled %d times, %d frames loaded\n", budgets[i] + 1, cancelled, seen.loaded_count);
    assert_true(cancelled > 0 && seen.loaded_count > 0);
    check_same(&film, whole, result);
    pl_capture_result_destroy(result);
    pl_store_close(&def.store);
    remove_tree(folder);
  }
  pl_capture_result_destroy(whole);
  pl_capture_destroy((pl_capture *)(uintptr_t)clip.recording);
  close_film(&film);
  drop_context(other);
}

// More rounds later, and rounds that end because nothing changes any more.
static void rounds_can_be_added_and_end_when_they_settle(void **state) {
  (void)state;
  filmed_bar film;
  open_film(&film, 1, 6, (const int32_t[3]){8, 2, 2}, (const int32_t[2]){80, 60});
  pl_error error = {0};
  watch seen = {.budget = -1};
  pl_capture_clip clip = {.recording = read_film(film.bar.context, &film, 0)};
  pl_capture_run_def def = film_def(&film, &clip, &seen);
  check_ok(pl_store_open_memory(film.bar.context, &def.store, &error), &error);
  def.max_rounds = 1;
  pl_capture_result *one = run_to_end(film.bar.context, &def);
  double first = pl_capture_result_get_view(one).rounds[0].estimates[0].value;
  assert_false(pl_capture_result_get_view(one).settled);
  def.max_rounds = 20;
  def.settle_tolerance = 0.2;
  seen.loaded_count = 0;
  pl_capture_result *more = run_to_end(film.bar.context, &def);
  pl_capture_result_view view = pl_capture_result_get_view(more);
  assert_int_equal(seen.loaded_count, 6);
  check_bits(&first, &view.rounds[0].estimates[0].value, sizeof first);
  assert_true(view.settled);
  assert_true(view.round_count >= 2 && view.round_count < 20);
  pl_capture_result_destroy(one);
  pl_capture_result_destroy(more);
  pl_store_close(&def.store);
  pl_capture_destroy((pl_capture *)(uintptr_t)clip.recording);
  close_film(&film);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_modulus_of_a_filmed_bar_is_found),
      cmocka_unit_test(a_cancelled_run_resumes_to_the_same_bits),
      cmocka_unit_test(rounds_can_be_added_and_end_when_they_settle),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
