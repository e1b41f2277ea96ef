// Tracking of all recordings in a round. Frames that an interrupted run has saved are loaded; the tracker continues
// after the last of them, with the same bits as if it had never stopped.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/context.h"
#include "base/error.h"
#include "capture/capture_run_parts.h"

// A recording being tracked.
typedef struct clip_track {
  pl_capture_result *run;
  int32_t clip;
  const pl_run_clip *data;
  pl_tracker *tracker;
  int32_t skipped;      // frames after the release that are not predicted by the last fit
  int32_t frame;        // to be tracked next
  int64_t truth_count;  // frames that were compared with the truth
  pl_vec3 *points;      // of the last two frames, the last one first
  double times[2];
} clip_track;

// A record of a frame has its report, its points and how much of each was measured.
static size_t frame_size(const clip_track *track) {
  return sizeof(pl_track_report) + (size_t)track->run->point_count * (sizeof(pl_vec3) + sizeof(double));
}

static void name_frame(const clip_track *track, char name[PL_RUN_NAME_SIZE]) {
  snprintf(name, PL_RUN_NAME_SIZE, "round-%d/track-%d/frame-%06d", track->run->round_count + 1, track->clip + 1,
           track->frame + 1);
}

// --- what later rounds know
// ---------------------------------------------------------------------------------------------------

// Whether the last round tracked with moduli in the proportions that its fit found. The first one tracks with the same
// modulus everywhere.
static bool moduli_are_proportional(const pl_capture_result *run) {
  int32_t last = run->round_count - 1, control_count = pl_run_current(run)[-1].report.parameter_count - 3;
  double min = HUGE_VAL, max = 0;
  for (int32_t i = 0; i < control_count; ++i) {
    double ratio = pl_run_value(run, last, i) / (last > 0 ? pl_run_value(run, last - 1, i) : 1);
    min = fmin(min, ratio), max = fmax(max, ratio);
  }
  return max <= run->def.max_modulus_spread * min;
}

// After the release the body moves about as the last fit simulates it. In the release frame it is about where the last
// round had it: the elastic forces of that pose include those of the hand, which are not known otherwise. But a pose
// that was tracked with moduli in other proportions is not an equilibrium of these, and the forces of its noise let
// soft parts slip: the leaf of a lotus on its stiff stem by 5 mm.
static pl_status set_prediction(const clip_track *track, pl_error *error) {
  const pl_capture_result *run = track->run;
  int32_t ahead = track->frame - run->def.release_frame;
  if (run->fit == NULL || ahead < track->skipped) return PL_OK;
  return pl_tracker_set_prediction(track->tracker, track->data->simulated + (size_t)ahead * (size_t)run->point_count,
                                   error);
}

// --- a frame
// ------------------------------------------------------------------------------------------------------------------

static pl_status compare_with_truth(clip_track *track, pl_track_errors *errors, pl_error *error) {
  const pl_capture_clip *clip = &track->run->def.clips[track->clip];
  const pl_vec3 *truth = clip->truth + (size_t)track->frame * (size_t)clip->truth_point_count;
  pl_status status = pl_tracker_compare(track->tracker, track->data->view.cameras, track->data->view.camera_count,
                                        truth, errors, error);
  if (status < 0) return status;
  // Squares until the round is done.
  pl_capture_round *round = &pl_run_current(track->run)->report;
  round->error_seen += errors->seen * errors->seen;
  round->error_hidden += errors->hidden * errors->hidden;
  ++track->truth_count;
  return PL_OK;
}

static void count_frame(const clip_track *track, const pl_track_report *report) {
  pl_capture_round *round = &pl_run_current(track->run)->report;
  round->lost_count += report->state == PL_TRACK_LOST;
  round->doubtful_count += report->state == PL_TRACK_DOUBTFUL;
  round->empty_count += report->state == PL_TRACK_EMPTY;
  round->track_residual += report->residual * report->residual;
  round->track_error += report->point_error * report->point_error;
  round->explained_fraction += report->explained_fraction;
}

// A frame is known: keep it, compare it, report it. The next one is due then.
static pl_status finish_frame(clip_track *track, const pl_track_report *report, const double *supports, bool loaded,
                              pl_error *error) {
  pl_capture_result *run = track->run;
  size_t n = (size_t)run->point_count;
  pl_tracker_view view = pl_tracker_get_view(track->tracker);
  view.supports = supports;  // a tracker that resumes does not have them
  pl_track_errors errors;
  bool has_truth = run->def.clips[track->clip].truth != NULL;
  int32_t ahead = track->frame - run->def.release_frame;
  if (ahead >= 0) memcpy(track->data->positions + (size_t)ahead * n, view.points, n * sizeof(pl_vec3));
  for (size_t i = 0; i < n; ++i) track->data->weights[i] += supports[i];
  count_frame(track, report);
  if (has_truth) {
    pl_status status = compare_with_truth(track, &errors, error);
    if (status < 0) return status;
  }
  return pl_run_report_progress(run, (pl_capture_progress){.event = PL_CAPTURE_FRAME,
                                                           .clip = track->clip,
                                                           .frame = track->frame++,
                                                           .frame_count = track->data->view.frame_count,
                                                           .loaded = loaded,
                                                           .track = report,
                                                           .tracker = &view,
                                                           .errors = has_truth ? &errors : NULL});
}

static pl_status save_frame(const clip_track *track, const pl_track_report *report, pl_error *error) {
  const pl_capture_result *run = track->run;
  if (run->def.store.save == NULL) return PL_OK;
  size_t n = (size_t)run->point_count;
  pl_tracker_view view = pl_tracker_get_view(track->tracker);
  pl_run_record record;
  if (!pl_run_record_make(run->context, frame_size(track), &record)) return pl_fail_memory(error);
  unsigned char *to = record.payload;
  memcpy(to, report, sizeof *report);
  memcpy(to + sizeof *report, view.points, n * sizeof(pl_vec3));
  memcpy(to + sizeof *report + n * sizeof(pl_vec3), view.supports, n * sizeof(double));
  char name[PL_RUN_NAME_SIZE];
  name_frame(track, name);
  pl_status status = pl_run_save(run, name, &record, error);
  pl_run_record_free(&record);
  return status;
}

static pl_status track_frame(clip_track *track, pl_error *error) {
  pl_cloud *cloud = NULL;
  pl_status status =
      pl_capture_load_frame(track->run->def.clips[track->clip].recording, track->frame, &cloud, NULL, error);
  if (status < 0) return status;
  pl_cloud_view points = pl_cloud_get_view(cloud);
  pl_track_report report;
  status = set_prediction(track, error);
  if (status >= 0)
    status = pl_tracker_advance(track->tracker, track->data->view.times[track->frame], &points, &report, error);
  pl_cloud_destroy(cloud);
  if (status >= 0) status = save_frame(track, &report, error);
  if (status < 0) return status;
  return finish_frame(track, &report, pl_tracker_get_view(track->tracker).supports, false, error);
}

// --- frames that are there already
// --------------------------------------------------------------------------------------------

// The tracker as it was after a loaded frame.
static pl_status restore_frame(clip_track *track, const pl_run_record *record, pl_error *error) {
  size_t n = (size_t)track->run->point_count;
  pl_track_report report;
  const unsigned char *from = record->payload + sizeof report;
  memcpy(&report, record->payload, sizeof report);
  memcpy(track->points + n, track->points, n * sizeof(pl_vec3));
  memcpy(track->points, from, n * sizeof(pl_vec3));
  track->times[1] = track->times[0];
  track->times[0] = report.time;
  pl_status status =
      pl_tracker_resume(track->tracker,
                        &(pl_track_frame){&report, track->points, track->frame > 0 ? track->points + n : NULL,
                                          track->frame > 0 ? track->times[1] : 0, track->frame + 1},
                        error);
  // Payloads are aligned, and what comes before is a multiple of eight bytes.
  const double *supports = (const double *)(const void *)(from + n * sizeof(pl_vec3));
  return status < 0 ? status : finish_frame(track, &report, supports, true, error);
}

static pl_status load_frames(clip_track *track, pl_error *error) {
  pl_status status = PL_OK;
  bool there = true;
  while (status == PL_OK && there && track->frame < track->data->view.frame_count) {
    char name[PL_RUN_NAME_SIZE];
    name_frame(track, name);
    pl_run_record record;
    status = pl_run_load(track->run, name, &record, error);
    there = status >= 0 && record.payload != NULL && record.size == frame_size(track);
    if (there) status = restore_frame(track, &record, error);
    pl_run_record_free(&record);
  }
  return status;
}

// --- a recording
// --------------------------------------------------------------------------------------------------------------

static pl_status open_track(clip_track *track, const pl_model *model, pl_error *error) {
  const pl_capture_result *run = track->run;
  pl_track_def def = run->def.track;
  def.held = run->def.fit.pinned;
  def.held_count = run->def.fit.pinned_count;
  def.cameras = track->data->view.cameras;
  def.camera_count = track->data->view.camera_count;
  // The model has the gravity-free rest shape once there is a fit; before it the static shape counts as unloaded.
  def.acceleration = run->fit != NULL ? run->def.fit.gravity : (pl_vec3){0, 0, 0};
  track->points = pl_allocate_array(run->context, 2 * (size_t)run->point_count, sizeof *track->points);
  if (track->points == NULL) return pl_fail_memory(error);
  return pl_tracker_create(run->context, &def, model, pl_mesh_get_view(run->def.mesh).points, &track->tracker, error);
}

static pl_status track_clip(clip_track *track, const pl_model *model, pl_error *error) {
  pl_capture_result *run = track->run;
  memset(track->data->weights, 0, (size_t)run->point_count * sizeof(double));
  pl_status status = open_track(track, model, error);
  if (status >= 0) status = load_frames(track, error);
  while (status == PL_OK && track->frame < track->data->view.frame_count) status = track_frame(track, error);
  for (int32_t i = 0; i < run->point_count; ++i) track->data->weights[i] /= track->data->view.frame_count;
  pl_tracker_destroy(track->tracker);
  pl_release(run->context, track->points);
  return status;
}

static pl_status check_truths(const pl_capture_result *run, const pl_model *model, pl_error *error) {
  int32_t surface_count = pl_model_get_report(model).surface_point_count;
  for (int32_t i = 0; i < run->def.clip_count; ++i) {
    const pl_capture_clip *clip = &run->def.clips[i];
    if (clip->truth != NULL && clip->truth_point_count != surface_count)
      return pl_fail(error, PL_ERROR_INVALID_DATA,
                     "the truth of recording %d has %d points in %d frames, the surface has %d points", i + 1,
                     clip->truth_point_count, clip->truth_frame_count, surface_count);
  }
  return PL_OK;
}

// The motions of the last round with the parameters that were found.
static pl_status simulate_motions(pl_capture_result *run, pl_error *error) {
  pl_status status = PL_OK;
  for (int32_t i = 0; i < run->def.clip_count && status >= 0; ++i) {
    pl_run_clip *clip = &run->clips[i];
    size_t count = (size_t)clip->motion_frames * (size_t)run->point_count;
    if (clip->simulated == NULL) clip->simulated = pl_allocate_array(run->context, count, sizeof *clip->simulated);
    status = clip->simulated != NULL ? pl_fit_predict(run->fit, &run->motions[i], clip->simulated, NULL, error)
                                     : pl_fail_memory(error);
  }
  return status;
}

pl_status pl_run_track(pl_capture_result *run, pl_error *error) {
  double begin = pl_clock_seconds();
  pl_model *model = NULL;
  pl_status status = pl_run_build_model(run, &model, error);
  int64_t frame_count = 0, truth_count = 0;
  int32_t skipped = 0;
  if (status >= 0) status = check_truths(run, model, error);
  if (status >= 0 && run->fit != NULL) {
    status = simulate_motions(run, error);
    skipped = moduli_are_proportional(run) ? 0 : 1;
  }
  for (int32_t i = 0; i < run->def.clip_count && status == PL_OK; ++i) {
    clip_track track = {.run = run, .clip = i, .data = &run->clips[i], .skipped = skipped};
    status = track_clip(&track, model, error);
    frame_count += track.data->view.frame_count;
    truth_count += track.truth_count;
  }
  pl_model_destroy(model);
  if (status != PL_OK) return status;
  pl_capture_round *round = &pl_run_current(run)->report;
  round->has_truth = truth_count > 0;
  round->track_residual = sqrt(round->track_residual / (double)frame_count);
  round->track_error = sqrt(round->track_error / (double)frame_count);
  round->explained_fraction /= (double)frame_count;
  if (truth_count > 0) {
    round->error_seen = sqrt(round->error_seen / (double)truth_count);
    round->error_hidden = sqrt(round->error_hidden / (double)truth_count);
  }
  round->track_seconds = pl_clock_seconds() - begin;
  return PL_OK;
}
