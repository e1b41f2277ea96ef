// Rounds of tracking and fitting (paper 002, figure 2): with what a fit finds, the parts that no camera sees are filled in better, and with a better track the fit is
// better. A round takes up what an interrupted one left: frames that were tracked are read, and the fit goes on from its checkpoint.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool_capture.h"
#include "tool_folder.h"
#include "tool_interrupt.h"

static const double SETTLED = 0.01;  // relative change of distances and parameters at which rounds end
static const double ALIKE = 1.05;    // ratio of factors on moduli that are the same for tracking

// --- the model ----------------------------------------------------------------------------------------------------------

static double size_of(const pl_mesh *mesh) {
  pl_mesh_view view = pl_mesh_get_view(mesh);
  pl_box box = pl_box_from_points(view.points, view.point_count);
  return fmax(box.max.x - box.min.x, fmax(box.max.y - box.min.y, box.max.z - box.min.z));
}

pl_status capture_model(capture_job *job, pl_model **model, pl_error *error) {
  const pl_fit_def *settings = &job->settings.def;
  pl_fem_def def = pl_default_fem_def(settings->material);
  pl_mesh *carried = NULL;
  pl_status status = PL_OK;
  def.density = settings->density;
  def.young = settings->young.start;
  def.poisson = settings->poisson.start;
  def.surface = job->surface;
  def.surface_tolerance = 0.05 * size_of(job->object.mesh);
  def.direct = settings->direct;
  if (job->fit == NULL) return pl_fem_build(job->context, &def, job->object.mesh, model, error);
  if (job->surface != NULL) {
    pl_vec3 *reference = tool_allocate((size_t)pl_mesh_get_view(job->object.mesh).point_count, sizeof *reference);
    status = pl_fit_get_fields(job->fit->fit, reference, NULL);
    if (status >= 0)
      status = track_carry_surface(job->context, job->object.mesh, reference, job->surface, def.surface_tolerance, &carried, error);
    def.surface = carried;
    free(reference);
  }
  if (status >= 0) status = pl_fit_build_model(job->fit->fit, &def, model, error);
  pl_mesh_destroy(carried);
  return status;
}

// --- tracking -----------------------------------------------------------------------------------------------------------

// The motion of a track, from the release on, and how much of every point was measured.
static pl_status take_motion(const capture_job *job, const track_job *track, fit_motion *motion, pl_error *error) {
  size_t n = (size_t)track->point_count;
  motion->frame_count = track->frame_count - job->release;
  motion->positions = tool_allocate((size_t)motion->frame_count * n, sizeof *motion->positions);
  motion->weights = tool_allocate(n, sizeof *motion->weights);
  for (size_t i = 0; i < n; ++i) motion->weights[i] = track->supports[i] / track->frame_count;
  pl_status status = PL_OK;
  for (int32_t f = 0; f < motion->frame_count && status >= 0; ++f)
    status = pl_frame_log_read(track->log, f + job->release, 0, track->point_count, motion->positions + (size_t)f * n, error);
  return status;
}

// Squares of a clip's frames, until track_all() takes their roots.
static void add_residuals(const track_job *track, capture_round *round) {
  for (int32_t f = 0; f < track->done_count; ++f) {
    const double *off = track->errors != NULL ? track->errors + 3 * (size_t)f : (const double[2]){0, 0};
    round->off_seen += off[0] * off[0];
    round->off_hidden += off[1] * off[1];
    pl_track_report report = track_unpack(track->table + (size_t)f * TRACK_NUMBERS);
    round->residual += report.residual * report.residual;
    round->explained += report.explained_fraction;
  }
}

// Whether the last round tracked with the moduli that were found, but for a common factor: in the first one they are the same all over.
static bool tracked_alike(const capture_job *job) {
  const double *found = job->values + (size_t)(job->round_count - 1) * (size_t)job->value_count;
  double min = HUGE_VAL, max = 0;
  for (int32_t i = 0; i < job->value_count - 3; ++i) {
    double ratio = job->round_count > 1 ? found[i] / found[i - job->value_count] : found[i];
    min = fmin(min, ratio), max = fmax(max, ratio);
  }
  return max <= ALIKE * min;
}

// What later rounds know: without gravity the body has the shape that was found, and behind the release it moves about as simulated. In the frame of the release it is about where the
// last round had it; elastic forces of that place have those of the hand in them, which are not known otherwise. But a pose that was tracked with other moduli is no equilibrium
// of these, and the forces of its noise let soft parts slip: the leaf of a lotus on its stiff stem by 5 mm.
static void take_knowledge(const capture_job *job, const capture_clip *clip, track_job *track) {
  int32_t skipped = tracked_alike(job) ? 0 : 1;
  track->def.acceleration = job->settings.def.gravity;
  track->foreseen_from = job->release + skipped;
  track->foreseen = clip->simulated + (size_t)skipped * (size_t)track->point_count;
}

static int compare_with_truth(track_job *track, const char *path) {
  pl_error error = {0};
  if (path == NULL) return TOOL_DONE;
  if (!track_open_truth(track, path)) return TOOL_FAILED;
  return track_compare(track, &error) < 0 ? tool_report_error(&track->tool->voice, &error) : TOOL_DONE;
}

static int track_clip(capture_job *job, const char *folder, int32_t number, pl_model *model, capture_round *round) {
  const capture_clip *clip = &job->clips[number];
  pl_mesh_view mesh = pl_mesh_get_view(job->object.mesh);
  pl_error error = {0};
  track_job track = {.tool = job->tool,
                     .context = job->context,
                     .capture = clip->capture,
                     .view = clip->view,
                     .folder = tool_text("%s/track-%d", folder, number + 1),
                     .held = job->object.held,
                     .held_count = job->object.held_count,
                     .point_count = mesh.point_count,
                     .model = model,
                     .surface_count = pl_model_get_report(model).surface_point_count,
                     .frame_count = clip->view.frame_count,
                     .hash = pl_model_get_report(model).hash,
                     .def = pl_default_track_def()};
  if (job->settings.def.noise > 0) track.def.noise = job->settings.def.noise;
  track.def.held = job->object.held;
  track.def.held_count = job->object.held_count;
  track.def.cameras = clip->view.cameras;
  track.def.camera_count = clip->view.camera_count;
  if (job->fit != NULL) take_knowledge(job, clip, &track);
  int code = tool_folder_make(job->tool, track.folder) ? TOOL_DONE : TOOL_FAILED;
  track.resume = track_is_unfinished(&track);
  if (code == TOOL_DONE && pl_tracker_create(job->context, &track.def, model, mesh.points, &track.tracker, &error) < 0)
    code = tool_report_error(&job->tool->voice, &error);
  if (code == TOOL_DONE) code = track_frames(&track);
  if (code == TOOL_DONE) code = compare_with_truth(&track, clip->truth);
  fit_motion *motion = &job->object.motions[number];
  *motion = (fit_motion){.name = tool_text("%s", clip->name), .rate = clip->view.rate};
  if (code == TOOL_DONE && take_motion(job, &track, motion, &error) < 0) code = tool_report_error(&job->tool->voice, &error);
  if (code == TOOL_DONE) add_residuals(&track, round);
  job->remarks = job->remarks || track.remarks || track.lost_count > 0;
  track_close_frames(&track);
  pl_frame_file_close(track.truth);
  pl_tracker_destroy(track.tracker);
  free(track.errors);
  free(track.folder);
  return code;
}

// The motions of the last round with the parameters that were found: what the next one expects.
static pl_status simulate_motions(capture_job *job, pl_error *error) {
  pl_status status = PL_OK;
  for (int32_t i = 0; i < job->clip_count && status >= 0; ++i) {
    pl_fit_sequence sequence = fit_sequence_of(&job->object.motions[i]);
    size_t count = (size_t)sequence.frame_count * (size_t)pl_mesh_get_view(job->object.mesh).point_count;
    if (job->clips[i].simulated == NULL) job->clips[i].simulated = tool_allocate(count, sizeof(pl_vec3));
    status = pl_fit_predict(job->fit->fit, &sequence, job->clips[i].simulated, NULL, error);
  }
  return status;
}

static int track_all(capture_job *job, const char *folder, capture_round *round) {
  double begin = tool_seconds();
  pl_error error = {0};
  pl_model *model = NULL;
  if (capture_model(job, &model, &error) < 0) return tool_report_error(&job->tool->voice, &error);
  if (job->fit != NULL && simulate_motions(job, &error) < 0) {
    pl_model_destroy(model);
    return tool_report_error(&job->tool->voice, &error);
  }
  for (int32_t i = 0; i < job->object.motion_count; ++i) fit_motion_free(&job->object.motions[i]);
  job->object.motion_count = 0;
  int code = TOOL_DONE;
  int64_t frame_count = 0;
  for (int32_t i = 0; i < job->clip_count && code == TOOL_DONE; ++i) {
    code = track_clip(job, folder, i, model, round);
    job->object.motion_count = i + 1;
    frame_count += job->clips[i].view.frame_count;
  }
  pl_model_destroy(model);
  round->residual = sqrt(round->residual / (double)frame_count);
  round->explained /= (double)frame_count;
  round->off_seen = sqrt(round->off_seen / (double)frame_count);
  round->off_hidden = sqrt(round->off_hidden / (double)frame_count);
  round->track_seconds = tool_seconds() - begin;
  return code;
}

// --- fitting ------------------------------------------------------------------------------------------------------------

static int fit_motions(capture_job *job, const char *folder, capture_round *round) {
  pl_error error = {0};
  fit_job *fit = tool_allocate(1, sizeof *fit);
  *fit =
      (fit_job){.tool = job->tool, .context = job->context, .object = &job->object, .settings = &job->settings, .folder = folder};
  // Later rounds begin where the one before ended: with the steps that it needed, and with all frames.
  if (job->round_count > 0) {
    static const int32_t whole[1] = {0};
    job->settings.def.steps_per_frame = job->steps;
    job->settings.def.max_steps = 0;
    job->settings.def.windows = whole;
    job->settings.def.window_count = 1;
  }
  pl_status status = fit_open(fit, &error);
  bool resume = status >= 0 && fit_is_unfinished(fit);
  if (status >= 0 && !resume && job->round_count > 0) {
    const double *values = job->values + (size_t)(job->round_count - 1) * (size_t)job->value_count;
    status = pl_fit_set_values(fit->fit, values, &error);
    fit->warmed = true;
  }
  tool_interrupt_watch();
  if (status >= 0) status = fit_run(fit, resume, &error);
  tool_interrupt_release();
  pl_fit_report found;
  if (status == PL_OK || status == PL_REMARK_NOT_CONVERGED) {
    pl_status looked = pl_fit_get_report(fit->fit, &found, &error);
    if (looked < 0) status = looked;
  }
  if (job->fit != NULL) {
    fit_close(job->fit);
    free(job->fit);
  }
  job->fit = fit;
  if (status < 0) return tool_report_error(&job->tool->voice, &error);
  if (status == PL_REMARK_CANCELLED) {
    tool_say(&job->tool->voice, "stopped; go on with the same command and --resume");
    return TOOL_FAILED;
  }
  if (status == PL_REMARK_NOT_CONVERGED) job->remarks = true;
  round->rms = found.rms;
  round->fit_seconds = found.seconds;
  job->steps = found.steps;
  int32_t count;
  const double *values = pl_fit_get_values(fit->fit, &count);
  if (job->values == NULL) job->values = tool_allocate((size_t)count * CAPTURE_MAX_ROUNDS, sizeof *job->values);
  job->value_count = count;
  memcpy(job->values + (size_t)job->round_count * (size_t)count, values, (size_t)count * sizeof *values);
  return TOOL_DONE;
}

// --- rounds -------------------------------------------------------------------------------------------------------------

static bool has_settled(const capture_job *job) {
  if (job->round_count < 2) return false;
  const capture_round *now = &job->rounds[job->round_count - 1], *before = now - 1;
  const double *values = job->values + (size_t)(job->round_count - 1) * (size_t)job->value_count, *old = values - job->value_count;
  bool settled = fabs(now->residual - before->residual) <= SETTLED * before->residual;
  for (int32_t i = 0; i < job->value_count && settled; ++i) settled = fabs(values[i] - old[i]) <= SETTLED * fabs(old[i]);
  return settled;
}

int capture_rounds(capture_job *job) {
  int code = TOOL_DONE;
  while (code == TOOL_DONE && job->round_count < job->max_rounds && !has_settled(job)) {
    capture_round *round = &job->rounds[job->round_count];
    tool_say(&job->tool->voice, "round %d", job->round_count + 1);
    char *folder = tool_text("%s/round-%d", job->folder, job->round_count + 1);
    if (!tool_folder_make(job->tool, folder)) code = TOOL_FAILED;
    if (code == TOOL_DONE) code = track_all(job, folder, round);
    if (code == TOOL_DONE) code = fit_motions(job, folder, round);
    if (code == TOOL_DONE) {
      ++job->round_count;
      tool_say(&job->tool->voice, "round %d: tracked to %.4g mm, simulated to %.4g mm", job->round_count, 1e3 * round->residual,
               1e3 * round->rms);
      if (job->has_truth)
        tool_say(&job->tool->voice, "round %d: off the truth by %.4g mm where cameras see, by %.4g mm where they do not",
                 job->round_count, 1e3 * round->off_seen, 1e3 * round->off_hidden);
    }
    // The fit keeps the name of its folder only while it runs.
    if (job->fit != NULL) job->fit->folder = job->folder;
    free(folder);
  }
  return code;
}
