// Tracking and fitting in turn (paper 002, figure 2): with what a fit finds, the parts that no camera sees are filled
// in better, and a better track makes a better fit. A round takes up what an interrupted run left in the store, frame
// by frame and iteration by iteration, so that a run that resumes goes through the same code and the same numbers as
// one that was never interrupted.
#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "base/hash.h"
#include "capture/capture_run_parts.h"

// --- progress
// -----------------------------------------------------------------------------------------------------------------

pl_run_round *pl_run_current(const pl_capture_result *run) {
  return &PL_ITEM(&run->rounds, pl_run_round, run->rounds.count - 1);
}

double pl_run_value(const pl_capture_result *run, int32_t round, int32_t parameter) {
  return PL_ITEM(&run->rounds, pl_run_round, round).estimates[parameter].value;
}

pl_status pl_run_report_progress(const pl_capture_result *run, pl_capture_progress progress) {
  if (run->def.progress == NULL) return PL_OK;
  progress.round = (int32_t)run->rounds.count - 1;
  progress.report = &pl_run_current(run)->report;
  if (progress.fit != NULL) progress.motions = run->motions;
  return run->def.progress(run->def.user, &progress) ? PL_OK : PL_REMARK_CANCELLED;
}

// --- rounds
// -------------------------------------------------------------------------------------------------------------------

static bool is_near(const pl_capture_result *run, double now, double before) {
  return fabs(now - before) <= run->def.settle_tolerance * fabs(before);
}

// Whether neither the clouds' distance nor any parameter changed much in the last round.
static bool has_settled(const pl_capture_result *run) {
  if (run->round_count < 2) return false;
  const pl_run_round *now = &PL_ITEM(&run->rounds, pl_run_round, run->round_count - 1), *before = now - 1;
  bool settled = is_near(run, now->report.track_residual, before->report.track_residual);
  for (int32_t i = 0; i < now->report.parameter_count && settled; ++i)
    settled = is_near(run, now->estimates[i].value, before->estimates[i].value);
  return settled;
}

// Records of the next round depend on what this one found.
static void continue_hash(pl_capture_result *run) {
  const pl_run_round *round = pl_run_current(run);
  run->hash = pl_hash_bytes(run->hash, &round->report.steps, sizeof round->report.steps);
  for (int32_t i = 0; i < round->report.parameter_count; ++i)
    run->hash = pl_hash_bytes(run->hash, &round->estimates[i].value, sizeof(double));
}

static pl_status run_round(pl_capture_result *run, pl_error *error) {
  pl_run_round *round = pl_vector_grow(&run->rounds, 1);
  if (round == NULL) return pl_fail_memory(error);
  round->iterations = pl_vector_of(run->context, sizeof(pl_fit_progress));
  round->values = pl_vector_of(run->context, sizeof(double));
  pl_status status = pl_run_report_progress(run, (pl_capture_progress){.event = PL_CAPTURE_ROUND_BEGIN});
  if (status == PL_OK) status = pl_run_track(run, error);
  if (status == PL_OK) status = pl_run_fit(run, error);
  if (status < 0 || status == PL_REMARK_CANCELLED) return status;
  run->round_count++;
  run->settled = has_settled(run);
  continue_hash(run);
  pl_status reported =
      pl_run_report_progress(run, (pl_capture_progress){.event = PL_CAPTURE_ROUND_END, .fit = run->fit});
  return reported != PL_OK ? reported : status;
}

static pl_status run_rounds(pl_capture_result *run, pl_error *error) {
  pl_status status = PL_OK, worst = PL_OK;
  while (status >= 0 && status != PL_REMARK_CANCELLED && run->round_count < run->def.max_rounds && !run->settled) {
    status = run_round(run, error);
    if (status == PL_REMARK_NOT_CONVERGED) worst = status;
  }
  return status < 0 || status == PL_REMARK_CANCELLED ? status : worst;
}

// --- the result
// ---------------------------------------------------------------------------------------------------------------

static pl_status take_clips(pl_capture_result *run, pl_error *error) {
  size_t count = (size_t)run->def.clip_count, n = (size_t)run->point_count;
  run->clips = pl_allocate_array(run->context, count, sizeof *run->clips);
  run->motions = pl_allocate_array(run->context, count, sizeof *run->motions);
  if (run->clips == NULL || run->motions == NULL) return pl_fail_memory(error);
  for (size_t i = 0; i < count; ++i) {
    pl_run_clip *clip = &run->clips[i];
    clip->view = pl_capture_get_view(run->def.clips[i].recording);
    clip->motion_frames = clip->view.frame_count - run->def.release_frame;
    clip->positions = pl_allocate_array(run->context, (size_t)clip->motion_frames * n, sizeof *clip->positions);
    clip->weights = pl_allocate_array(run->context, n, sizeof *clip->weights);
    if (clip->positions == NULL || clip->weights == NULL) return pl_fail_memory(error);
    run->motions[i] = (pl_fit_sequence){.frame_count = clip->motion_frames,
                                        .frame_seconds = 1 / clip->view.rate,
                                        .positions = clip->positions,
                                        .start = run->def.start,
                                        .point_weights = clip->weights};
  }
  return PL_OK;
}

static pl_status take_views(pl_capture_result *run, pl_error *error) {
  run->views = pl_allocate_array(run->context, (size_t)run->round_count, sizeof *run->views);
  if (run->views == NULL) return pl_fail_memory(error);
  for (int32_t i = 0; i < run->round_count; ++i) run->views[i] = PL_ITEM(&run->rounds, pl_run_round, i).report;
  // What belongs to the call alone.
  run->def.fit.give_up = NULL;
  run->def.progress = NULL;
  run->def.store = (pl_store){0};
  run->def.clips = NULL;
  return PL_OK;
}

pl_status pl_capture_run(pl_context *context, const pl_capture_run_def *def, pl_capture_result **result,
                         pl_error *error) {
  *result = NULL;
  pl_status status = pl_run_check(def, error);
  if (status < 0) return status;
  pl_capture_result *run = pl_allocate_array(context, 1, sizeof *run);
  if (run == NULL) return pl_fail_memory(error);
  pl_mesh_view mesh = pl_mesh_get_view(def->mesh);
  pl_box box = pl_box_from_points(mesh.points, mesh.point_count);
  run->context = context;
  run->def = *def;
  run->point_count = mesh.point_count;
  run->size = fmax(box.max.x - box.min.x, fmax(box.max.y - box.min.y, box.max.z - box.min.z));
  run->rounds = pl_vector_of(context, sizeof(pl_run_round));
  run->hash = pl_run_hash(def);
  status = take_clips(run, error);
  if (status >= 0) status = run_rounds(run, error);
  if (status >= 0) {
    pl_status taken = take_views(run, error);
    if (taken < 0) status = taken;
  }
  if (status < 0)
    pl_capture_result_destroy(run);
  else
    *result = run;
  return status;
}

pl_capture_result_view pl_capture_result_get_view(const pl_capture_result *result) {
  return (pl_capture_result_view){.round_count = result->round_count,
                                  .rounds = result->views,
                                  .settled = result->settled,
                                  .motion_count = result->def.clip_count,
                                  .motions = result->motions,
                                  .fit = result->fit,
                                  .warm_started = result->warm_started,
                                  .warm_start = result->warm_start};
}

void pl_capture_result_destroy(pl_capture_result *result) {
  if (result == NULL) return;
  pl_context *context = result->context;
  pl_fit_destroy(result->fit);
  for (size_t i = 0; i < result->rounds.count; ++i) {
    pl_run_round *round = &PL_ITEM(&result->rounds, pl_run_round, i);
    pl_release(context, round->estimates);
    pl_vector_free(&round->iterations);
    pl_vector_free(&round->values);
  }
  pl_vector_free(&result->rounds);
  for (int32_t i = 0; result->clips != NULL && i < result->def.clip_count; ++i) {
    pl_release(context, result->clips[i].positions);
    pl_release(context, result->clips[i].simulated);
    pl_release(context, result->clips[i].weights);
  }
  pl_release(context, result->clips);
  pl_release(context, result->motions);
  pl_release(context, result->views);
  pl_release(context, result);
}
