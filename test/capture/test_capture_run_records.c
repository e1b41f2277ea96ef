// Runs on wrong input, on records that are damaged or of another run, on stores that fail, and on memory that runs out.
#define _XOPEN_SOURCE 700
// ctest: unit
#include "base/context.h"
#include "fixtures/filmed_bars.h"

typedef struct small_run {
  filmed_bar film;
  pl_capture_clip clip;
  pl_capture_run_def def;
} small_run;

// Four frames of a tiny bar, one round.
static void open_run(small_run *run) {
  open_film(&run->film, 1, 4, (const int32_t[3]){3, 1, 1}, (const int32_t[2]){40, 30});
  run->clip = (pl_capture_clip){.recording = read_film(run->film.bar.context, &run->film, 0)};
  run->def = pl_default_capture_run_def();
  run->def.mesh = run->film.bar.mesh;
  run->def.clips = &run->clip;
  run->def.clip_count = 1;
  run->def.fit = run->film.bar.def;
  run->def.fit.max_iterations = 2;
  run->def.warm_start = false;
  run->def.max_rounds = 1;
}

static void close_run(small_run *run) {
  pl_store_close(&run->def.store);
  pl_capture_destroy((pl_capture *)(uintptr_t)run->clip.recording);
  close_film(&run->film);
}

static pl_status run_once(const small_run *run, pl_error *error) {
  pl_capture_result *result = NULL;
  pl_status status = pl_capture_run(run->film.bar.context, &run->def, &result, error);
  assert_true((result != NULL) == (status >= 0));
  pl_capture_result_destroy(result);
  return status;
}

static void expect_refusal(const small_run *run, pl_status status, const char *word) {
  pl_error error = {0};
  assert_int_equal(run_once(run, &error), status);
  char text[1024];
  pl_error_format(&error, text, sizeof text);
  if (strstr(text, word) == NULL) fail_msg("'%s' does not have '%s'", text, word);
}

static bool never_called(void *user, const pl_fit *fit, const pl_fit_progress *progress) {
  (void)user, (void)fit, (void)progress;
  return true;
}

static void a_wrong_def_is_refused_by_name(void **state) {
  (void)state;
  small_run run;
  open_run(&run);
  const pl_capture_run_def good = run.def;
  run.def.magic = 0;
  expect_refusal(&run, PL_ERROR_INVALID_ARGUMENT, "pl_capture_run_def");
  run.def = good, run.def.clip_count = 0;
  expect_refusal(&run, PL_ERROR_INVALID_ARGUMENT, "clip_count");
  run.def = good, run.def.max_rounds = 0;
  expect_refusal(&run, PL_ERROR_INVALID_ARGUMENT, "max_rounds");
  run.def = good, run.def.max_modulus_spread = 0.5;
  expect_refusal(&run, PL_ERROR_INVALID_ARGUMENT, "max_modulus_spread");
  run.def = good, run.def.settle_tolerance = (double)NAN;
  expect_refusal(&run, PL_ERROR_INVALID_ARGUMENT, "settle_tolerance");
  run.def = good, run.def.mesh = NULL;
  expect_refusal(&run, PL_ERROR_INVALID_ARGUMENT, "mesh");
  run.def = good, run.def.fit.after_iteration = never_called;
  expect_refusal(&run, PL_ERROR_INVALID_ARGUMENT, "after_iteration");
  run.def = good, run.def.release_frame = 3;
  expect_refusal(&run, PL_ERROR_INVALID_DATA, "too few");
  run.def = good;
  run.clip.truth = run.film.truths[0];
  run.clip.truth_frame_count = 3;
  run.clip.truth_point_count = run.film.surface_count;
  expect_refusal(&run, PL_ERROR_INVALID_DATA, "3 frames");
  run.clip.truth_frame_count = 4;
  run.clip.truth_point_count = run.film.surface_count - 1;
  expect_refusal(&run, PL_ERROR_INVALID_DATA, "points in 4 frames");
  run.clip.truth = NULL;
  const pl_capture *recording = run.clip.recording;
  run.clip.recording = NULL;
  expect_refusal(&run, PL_ERROR_INVALID_ARGUMENT, "recording 1");
  run.clip.recording = recording;
  pl_capture_result_destroy(NULL);
  close_run(&run);
}

static int32_t count_loaded;

static bool count_frames(void *user, const pl_capture_progress *progress) {
  (void)user;
  count_loaded += progress->event == PL_CAPTURE_FRAME && progress->loaded;
  return true;
}

static void records_of_another_run_are_refused_and_damaged_ones_made_again(void **state) {
  (void)state;
  small_run run;
  open_run(&run);
  pl_error error = {0};
  check_ok(pl_store_open_memory(run.film.bar.context, &run.def.store, &error), &error);
  run.def.progress = count_frames;
  assert_true(run_once(&run, &error) >= 0);
  // What may differ: rounds, tolerance and iterations.
  run.def.settle_tolerance = 0.5;
  run.def.fit.max_iterations = 3;
  count_loaded = 0;
  assert_true(run_once(&run, &error) >= 0);
  assert_int_equal(count_loaded, 4);
  // A bit of the third frame.
  const pl_store *store = &run.def.store;
  size_t size = 0;
  check_ok(store->load(store->user, "round-1/track-1/frame-000003", NULL, 0, &size, &error), &error);
  unsigned char *bytes = malloc(size);
  check_ok(store->load(store->user, "round-1/track-1/frame-000003", bytes, size, &size, &error), &error);
  bytes[size / 2] ^= 1;
  check_ok(store->save(store->user, "round-1/track-1/frame-000003", bytes, size, &error), &error);
  count_loaded = 0;
  assert_true(run_once(&run, &error) >= 0);
  assert_int_equal(count_loaded, 2);
  // One that is cut short.
  check_ok(store->save(store->user, "round-1/track-1/frame-000002", bytes, 7, &error), &error);
  count_loaded = 0;
  assert_true(run_once(&run, &error) >= 0);
  assert_int_equal(count_loaded, 1);
  free(bytes);
  const pl_capture_run_def good = run.def;
  run.def.fit.density *= 1.01;
  expect_refusal(&run, PL_ERROR_INVALID_DATA, "other data or settings");
  run.def = good, run.def.track.noise *= 2;
  expect_refusal(&run, PL_ERROR_INVALID_DATA, "other data or settings");
  run.def = good, run.def.release_frame = 1;
  expect_refusal(&run, PL_ERROR_INVALID_DATA, "other data or settings");
  run.def = good;
  close_run(&run);
}

static pl_status fail_to_save(void *user, const char *name, const void *bytes, size_t size, pl_error *error) {
  (void)user, (void)name, (void)bytes, (void)size;
  *error = (pl_error){.status = PL_ERROR_FILE, .text = "the disk is full"};
  return PL_ERROR_FILE;
}

static pl_status find_nothing(void *user, const char *name, void *bytes, size_t capacity, size_t *size,
                              pl_error *error) {
  (void)name, (void)bytes, (void)capacity, (void)size, (void)error;
  return *(const pl_status *)user;
}

static void a_store_that_fails_ends_the_run(void **state) {
  (void)state;
  small_run run;
  open_run(&run);
  pl_status load_status = PL_ERROR_NOT_FOUND;
  run.def.store = (pl_store){.save = fail_to_save, .load = find_nothing, .user = &load_status};
  expect_refusal(&run, PL_ERROR_FILE, "the disk is full");
  load_status = PL_ERROR_FILE;
  pl_error error = {0};
  assert_int_equal(run_once(&run, &error), PL_ERROR_FILE);
  run.def.store = (pl_store){.save = fail_to_save};
  expect_refusal(&run, PL_ERROR_INVALID_ARGUMENT, "store");
  run.def.store = (pl_store){0};
  close_run(&run);
}

static void every_allocation_of_a_run_may_fail(void **state) {
  (void)state;
  small_run run;
  open_run(&run);
  run.def.fit.direct = NULL;  // CHOLMOD takes its memory elsewhere
  run.def.fit.max_iterations = 1;
  run.def.max_rounds = 2;
  run.clip.truth = run.film.truths[0];
  run.clip.truth_frame_count = 4;
  run.clip.truth_point_count = run.film.surface_count;
  pl_capture *kept = (pl_capture *)(uintptr_t)run.clip.recording;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  run.clip.recording = read_film(context, &run.film, 0);
  int64_t live = allocator.live_count, n = 1;
  pl_status status = PL_ERROR_OUT_OF_MEMORY;
  // Every allocation at first, then fewer and fewer: there are thousands, and they repeat.
  for (; status == PL_ERROR_OUT_OF_MEMORY; n += 1 + n / 25) {
    pl_capture_result *result = NULL;
    pl_error error = {0};
    allocator.fail_at = allocator.call_count + n;
    status = pl_store_open_memory(context, &run.def.store, &error);
    if (status >= 0) status = pl_capture_run(context, &run.def, &result, &error);
    pl_capture_result_destroy(result);
    pl_store_close(&run.def.store);
    assert_int_equal(allocator.live_count, live);
  }
  print_message("%d allocations, status %d\n", (int)n, (int)status);
  assert_true(status >= 0);
  pl_capture_destroy((pl_capture *)(uintptr_t)run.clip.recording);
  drop_context(context);
  run.clip.recording = kept;
  close_run(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_wrong_def_is_refused_by_name),
      cmocka_unit_test(records_of_another_run_are_refused_and_damaged_ones_made_again),
      cmocka_unit_test(a_store_that_fails_ends_the_run),
      cmocka_unit_test(every_allocation_of_a_run_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
