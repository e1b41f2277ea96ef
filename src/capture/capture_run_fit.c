// Fitting in a round: warm start, iterations with a record after each, and what came out. The fit pauses after every
// iteration, so that it can be saved and looked at. That costs nothing: what a look simulates, the next iteration
// would.
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "capture/capture_run_parts.h"

// What is saved of a fit before its iterations, their values and its own state.
typedef struct fit_head {
  int32_t iteration_count, value_count;
  int32_t warm_started;
  pl_warm_start_report warm_start;
} fit_head;

static bool after_iteration(void *user, const pl_fit *fit, const pl_fit_progress *progress) {
  pl_capture_result *run = user;
  (void)fit;
  run->iteration = *progress;
  run->has_iterated = true;
  return false;
}

static bool is_given_up(void *user) {
  const pl_capture_result *run = user;
  return run->def.fit.give_up != NULL && run->def.fit.give_up(run->def.fit.user);
}

// --- records
// ------------------------------------------------------------------------------------------------------------------

static void name_fit(const pl_capture_result *run, char name[PL_RUN_NAME_SIZE]) {
  snprintf(name, PL_RUN_NAME_SIZE, "round-%d/fit", run->round_count + 1);
}

// Add iterations to the history of the round.
static pl_status add_iterations(pl_run_round *round, const pl_fit_progress *iterations, const double *values,
                                size_t count, pl_error *error) {
  size_t width = (size_t)round->report.parameter_count;
  pl_fit_progress *new_iterations = pl_vector_grow(&round->iterations, count);
  double *new_values = pl_vector_grow(&round->values, count * width);
  if (new_iterations == NULL || new_values == NULL) return pl_fail_memory(error);
  memcpy(new_iterations, iterations, count * sizeof *iterations);
  memcpy(new_values, values, count * width * sizeof *values);
  round->report.iteration_count += (int32_t)count;
  round->report.iterations = round->iterations.items;
  round->report.iteration_values = round->values.items;
  return PL_OK;
}

static pl_status save_fit(const pl_capture_result *run, pl_error *error) {
  if (run->def.store.save == NULL) return PL_OK;
  const pl_run_round *round = pl_run_current(run);
  fit_head head;
  memset(&head, 0, sizeof head);
  head.iteration_count = round->report.iteration_count;
  head.value_count = round->report.parameter_count;
  head.warm_started = run->warm_started;
  head.warm_start = run->warm_start;
  size_t iterations = round->iterations.count * sizeof(pl_fit_progress), values = round->values.count * sizeof(double);
  pl_run_record record;
  if (!pl_run_record_make(run->context, sizeof head + iterations + values + pl_fit_snapshot_size(run->fit), &record))
    return pl_fail_memory(error);
  unsigned char *to = record.payload;
  memcpy(to, &head, sizeof head);
  memcpy(to + sizeof head, round->iterations.items, iterations);
  memcpy(to + sizeof head + iterations, round->values.items, values);
  pl_fit_snapshot(run->fit, to + sizeof head + iterations + values);
  char name[PL_RUN_NAME_SIZE];
  name_fit(run, name);
  pl_status status = pl_run_save(run, name, &record, error);
  pl_run_record_free(&record);
  return status;
}

// Take up a fit where it was saved.
static pl_status restore_fit(pl_capture_result *run, const pl_run_record *record, pl_error *error) {
  pl_run_round *round = pl_run_current(run);
  fit_head head;
  if (record->size < sizeof head) return pl_fail(error, PL_ERROR_INVALID_DATA, "the record of a fit is cut short");
  memcpy(&head, record->payload, sizeof head);
  size_t count = head.iteration_count > 0 ? (size_t)head.iteration_count : 0,
         width = (size_t)round->report.parameter_count;
  size_t iterations = count * sizeof(pl_fit_progress), values = count * width * sizeof(double);
  if (head.value_count != round->report.parameter_count || record->size < sizeof head + iterations + values)
    return pl_fail(error, PL_ERROR_INVALID_DATA, "the record of a fit is of other parameters");
  const unsigned char *from = record->payload + sizeof head;
  pl_status status =
      pl_fit_restore(run->fit, from + iterations + values, record->size - sizeof head - iterations - values, error);
  if (status < 0) return status;
  run->warm_started = head.warm_started != 0;
  run->warm_start = head.warm_start;
  // Payloads are aligned to doubles, and all that is in them is a multiple of eight bytes.
  return add_iterations(round, (const pl_fit_progress *)(const void *)from,
                        (const double *)(const void *)(from + iterations), count, error);
}

// `*loaded` says whether there was a record.
static pl_status load_fit(pl_capture_result *run, bool *loaded, pl_error *error) {
  char name[PL_RUN_NAME_SIZE];
  name_fit(run, name);
  pl_run_record record;
  pl_status status = pl_run_load(run, name, &record, error);
  *loaded = status >= 0 && record.payload != NULL;
  if (*loaded) status = restore_fit(run, &record, error);
  pl_run_record_free(&record);
  return status;
}

// --- a fit
// --------------------------------------------------------------------------------------------------------------------

static pl_status create_fit(pl_capture_result *run, pl_error *error) {
  static const int32_t all_frames[1] = {0};
  pl_fit_def def = run->def.fit;
  pl_run_round *round = pl_run_current(run);
  def.after_iteration = after_iteration;
  def.give_up = is_given_up;
  def.user = run;
  // What the track says of itself is what the fit may leave.
  if (!(def.noise > 0)) def.noise = round->report.track_error;
  // Later rounds begin where the one before ended: with the steps that it needed, and with all frames.
  if (run->round_count > 0) {
    def.steps_per_frame = round[-1].report.steps;
    def.max_steps = 0;
    def.windows = all_frames;
    def.window_count = 1;
  }
  pl_fit_destroy(run->fit);
  run->fit = NULL;
  pl_status status =
      pl_fit_create(run->context, &def, run->def.mesh,
                    &(pl_fit_sequences){.items = run->motions, .count = run->def.clip_count}, &run->fit, error);
  if (status >= 0) (void)pl_fit_get_values(run->fit, &round->report.parameter_count);
  return status;
}

static pl_status start_warm(pl_capture_result *run, pl_error *error) {
  pl_error trouble = {0};
  pl_status reported = pl_run_report_progress(run, (pl_capture_progress){.event = PL_CAPTURE_WARM_START_BEGIN});
  if (reported != PL_OK) return reported;
  pl_status status = pl_fit_warm_start(run->fit, &run->def.warm_start_def, &run->warm_start, &trouble);
  run->warm_started = status == PL_OK;
  // Without a frequency, or a solver for eigenvalues, the fit starts from the modulus of the def.
  if (status < 0 && status != PL_ERROR_UNSUPPORTED) {
    if (error != NULL) *error = trouble;
    return status;
  }
  return pl_run_report_progress(
      run, (pl_capture_progress){
               .event = PL_CAPTURE_WARM_START_END, .warm_start_status = status, .warm_start = &run->warm_start});
}

// Where the iterations begin: at the saved state, at the end of the round before, or where a warm start says.
static pl_status start_fit(pl_capture_result *run, bool *loaded, pl_error *error) {
  pl_status status = load_fit(run, loaded, error);
  if (status < 0 || *loaded) return status;
  if (run->round_count == 0) return run->def.warm_start ? start_warm(run, error) : PL_OK;
  const pl_run_round *before = pl_run_current(run) - 1;
  int32_t count = before->report.parameter_count;
  double *values = pl_allocate_array(run->context, (size_t)count, sizeof *values);
  if (values == NULL) return pl_fail_memory(error);
  for (int32_t i = 0; i < count; ++i) values[i] = before->estimates[i].value;
  status = pl_fit_set_values(run->fit, values, error);
  pl_release(run->context, values);
  return status;
}

static pl_status iterate(pl_capture_result *run, pl_error *error) {
  pl_status status = PL_REMARK_CANCELLED;
  while (status == PL_REMARK_CANCELLED) {
    run->has_iterated = false;
    status = pl_fit_run(run->fit, error);
    if (status < 0) return status;
    // What was left out makes an iteration meaningless: it is not kept.
    if (is_given_up(run)) return PL_REMARK_CANCELLED;
    if (!run->has_iterated) continue;
    int32_t count;
    const double *values = pl_fit_get_values(run->fit, &count);
    pl_status kept = add_iterations(pl_run_current(run), &run->iteration, values, 1, error);
    if (kept >= 0) kept = save_fit(run, error);
    if (kept >= 0)
      kept = pl_run_report_progress(
          run, (pl_capture_progress){.event = PL_CAPTURE_ITERATION, .fit = run->fit, .iteration = &run->iteration});
    if (kept != PL_OK) return kept;
  }
  return status;
}

static pl_status keep_result(pl_capture_result *run, pl_error *error) {
  pl_run_round *round = pl_run_current(run);
  pl_fit_report found;
  pl_status status = pl_fit_get_report(run->fit, &found, error);
  if (status < 0) return status;
  round->estimates = pl_allocate_array(run->context, (size_t)found.parameter_count, sizeof *round->estimates);
  if (round->estimates == NULL) return pl_fail_memory(error);
  memcpy(round->estimates, found.estimates, (size_t)found.parameter_count * sizeof *round->estimates);
  round->report.estimates = round->estimates;
  round->report.fit_rms = found.rms;
  round->report.fit_seconds = found.seconds;
  round->report.steps = found.steps;
  round->report.converged = found.converged;
  return PL_OK;
}

pl_status pl_run_fit(pl_capture_result *run, pl_error *error) {
  bool loaded = false;
  pl_status status = create_fit(run, error);
  if (status >= 0) status = start_fit(run, &loaded, error);
  if (status == PL_OK)
    status = pl_run_report_progress(
        run, (pl_capture_progress){.event = PL_CAPTURE_FIT_BEGIN, .fit = run->fit, .loaded = loaded});
  if (status == PL_OK) status = iterate(run, error);
  if (status == PL_OK || status == PL_REMARK_NOT_CONVERGED) {
    pl_status kept = keep_result(run, error);
    if (kept < 0) status = kept;
  }
  return status;
}
