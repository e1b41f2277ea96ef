// The run of a capture: what the library is given, what is said on the way, and what comes back.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool_capture.h"
#include "tool_clouds.h"
#include "tool_folder.h"
#include "tool_interrupt.h"
#include "tool_ranks.h"

// Warnings about single frames would bury the rest where all are bad.
enum { FRAME_WARNINGS_MAX = 10 };

// --- what is said
// -----------------------------------------------------------------------------------------------------------

static void warn_frame(capture_job *job, const pl_capture_progress *progress) {
  const pl_track_report *report = progress->track;
  int32_t bad_count = progress->frame + 1 - job->tally.state_counts[PL_TRACK_GOOD];
  if (report->state == PL_TRACK_GOOD || bad_count > FRAME_WARNINGS_MAX) return;
  char text[200];
  pl_track_report_describe(report, text, sizeof text);
  tool_progress_end(&job->progress);
  tool_print_warning(&job->tool->console, "frame %d: %s", progress->frame, text);
}

static void print_track(const capture_job *job, const pl_capture_progress *progress) {
  const capture_tally *tally = &job->tally;
  const tool_console *console = &job->tool->console;
  double seconds = tool_seconds() - tally->begin, count = progress->frame_count;
  tool_print(console, "tracked:   %d frames in %.3g s (%.3g s a frame)", progress->frame_count, seconds,
             seconds / count);
  if (tally->matched_count > 0)
    tool_print(console, "residual:  %.3g mm rms along the normal; %.1f %% of the points explained",
               1e3 * sqrt(tally->residual / tally->matched_count), 100 * tally->explained / count);
  else
    tool_print(console, "residual:  none, as no point was matched with the body in any frame");
  if (tally->state_counts[PL_TRACK_GOOD] < progress->frame_count)
    tool_print(console, "states:    %d lost, %d doubtful, %d empty", tally->state_counts[PL_TRACK_LOST],
               tally->state_counts[PL_TRACK_DOUBTFUL], tally->state_counts[PL_TRACK_EMPTY]);
  if (progress->errors != NULL)
    tool_print(console, "truth:     %.3g mm rms where cameras see (worst frame %.3g), %.3g mm where they do not (%.3g)",
               1e3 * sqrt(tally->seen / count), 1e3 * tally->worst_seen, 1e3 * sqrt(tally->hidden / count),
               1e3 * tally->worst_hidden);
}

// What may be wrong with the place and the size of the mesh, where even the first frame is not found.
static void doubt_first(const capture_job *job, const pl_capture_progress *progress) {
  pl_cloud *cloud = NULL;
  if (progress->frame > 0 || progress->round > 0 || progress->track->state == PL_TRACK_GOOD) return;
  if (pl_capture_load_frame(job->clips[progress->clip].recording, 0, &cloud, NULL, NULL) >= 0)
    tool_doubt_cloud(&job->tool->console, cloud, job->object.mesh, NULL);
  pl_cloud_destroy(cloud);
}

static void take_frame(capture_job *job, const pl_capture_progress *progress) {
  capture_tally *tally = &job->tally;
  if (progress->frame == 0) {
    *tally = (capture_tally){.begin = tool_seconds()};
    job->progress = tool_progress_start(&job->tool->console, "frame", 0, progress->frame_count);
  }
  tally->loaded_count += progress->loaded;
  ++tally->state_counts[progress->track->state];
  tally->residual += progress->track->residual * progress->track->residual;
  tally->explained += progress->track->explained_fraction;
  tally->matched_count += progress->track->explained_fraction > 0;
  if (progress->errors != NULL) {
    tally->seen += progress->errors->seen * progress->errors->seen;
    tally->hidden += progress->errors->hidden * progress->errors->hidden;
    tally->worst_seen = fmax(tally->worst_seen, progress->errors->seen);
    tally->worst_hidden = fmax(tally->worst_hidden, progress->errors->hidden);
  }
  bool last = progress->frame + 1 == progress->frame_count;
  if (tally->loaded_count > 0 && (progress->frame == tally->loaded_count || (last && progress->loaded)))
    tool_print(&job->tool->console, "resuming after frame %d", tally->loaded_count);
  doubt_first(job, progress);
  warn_frame(job, progress);
  tool_progress_show(&job->progress, progress->frame + 1);
  if (!last) return;
  tool_progress_end(&job->progress);
  print_track(job, progress);
}

static void print_warm_start(const capture_job *job, const pl_capture_progress *progress) {
  const tool_console *console = &job->tool->console;
  const pl_warm_start_report *warm = progress->warm_start;
  if (progress->warm_start_status == PL_OK)
    tool_print(console, "warm start: the object swings at %.4g Hz, damped by %.3g of critical; about %.4g Pa (%.3g s)",
               warm->frequency, warm->damping_ratio, warm->young, warm->seconds);
  else
    tool_print(console, "warm start: %s; the fit begins with %.4g Pa",
               progress->warm_start_status < 0 ? "this program was built without ARPACK"
                                               : "the motion has no frequency to go by",
               job->settings.def.young.start);
}

static void print_round(const capture_job *job, const pl_capture_progress *progress) {
  const pl_capture_round *round = progress->report;
  tool_print(&job->tool->console, "round %d: tracked to %.4g mm, simulated to %.4g mm", progress->round + 1,
             1e3 * round->track_residual, 1e3 * round->fit_rms);
  if (round->has_truth)
    tool_print(&job->tool->console,
               "round %d: off the truth by %.4g mm where cameras see, by %.4g mm where they do not",
               progress->round + 1, 1e3 * round->error_seen, 1e3 * round->error_hidden);
}

// --- the run
// ----------------------------------------------------------------------------------------------------------------

static void fill_history(fit_job *fit, const pl_capture_round *round) {
  fit->row_count = 0;
  for (int32_t i = 0; i < round->iteration_count; ++i)
    fit_add_iteration(fit, &round->iterations[i], round->iteration_values + (size_t)i * (size_t)round->parameter_count,
                      round->parameter_count);
}

// history.csv in the folder of the round, by the first process.
static bool write_history(capture_job *job, const pl_capture_progress *progress) {
  if (tool_rank() != 0) return true;
  char *folder = tool_text("%s/round-%d", job->folder, progress->round + 1);
  fill_history(&job->fit, progress->report);
  pl_status status = fit_write_history(&job->fit, folder, &job->trouble);
  free(folder);
  return status >= 0;
}

static bool report_progress(void *user, const pl_capture_progress *progress) {
  capture_job *job = user;
  const tool_console *console = &job->tool->console;
  bool fine = true;
  switch (progress->event) {
    case PL_CAPTURE_ROUND_BEGIN: tool_print(console, "round %d", progress->round + 1); break;
    case PL_CAPTURE_FRAME: take_frame(job, progress); break;
    case PL_CAPTURE_WARM_START_BEGIN: break;
    case PL_CAPTURE_WARM_START_END: print_warm_start(job, progress); break;
    case PL_CAPTURE_FIT_BEGIN:
      if (progress->loaded) tool_print(console, "resuming after iteration %d", progress->report->iteration_count);
      break;
    case PL_CAPTURE_ITERATION:
      tool_print(console, "iteration %3d  %4d frames of %d steps  rms %.4g mm  change %.2g",
                 progress->iteration->iteration, progress->iteration->frame_count, progress->iteration->steps,
                 1e3 * progress->iteration->rms, progress->iteration->change);
      fine = write_history(job, progress);
      break;
    case PL_CAPTURE_ROUND_END: print_round(job, progress); break;
  }
  return tool_ranks_agree(fine && tool_interrupt_count() == 0) != 0;
}

static pl_capture_run_def make_def(capture_job *job, pl_capture_clip *clips) {
  pl_capture_run_def def = pl_default_capture_run_def();
  for (int32_t i = 0; i < job->clip_count; ++i)
    clips[i] = (pl_capture_clip){.recording = job->clips[i].recording,
                                 .truth = job->clips[i].truth,
                                 .truth_frame_count = job->clips[i].truth_frame_count,
                                 .truth_point_count = job->clips[i].truth_point_count};
  def.mesh = job->object.mesh;
  def.surface = job->surface;
  def.clips = clips;
  def.clip_count = job->clip_count;
  def.release_frame = job->release;
  if (strcmp(tool_get_text(job->arguments, "start"), "moving") == 0) def.start = PL_FIT_START_MOVING;
  def.max_rounds = job->max_rounds;
  def.fit = job->settings.def;
  def.fit.field = job->field;
  def.fit.pinned = job->object.held;
  def.fit.pinned_count = job->object.held_count;
  if (def.fit.noise > 0) def.track.noise = def.fit.noise;
  def.warm_start = job->settings.warm_start;
  def.progress = report_progress;
  def.user = job;
  return def;
}

// What was found, as the parts of the tool want it that write a fit.
static void take_result(capture_job *job) {
  job->found = pl_capture_result_get_view(job->result);
  for (int32_t i = 0; i < job->found.motion_count; ++i) {
    const pl_fit_sequence *motion = &job->found.motions[i];
    job->object.motions[i] = (fit_motion){.name = tool_text("%s", job->clips[i].name),
                                          .frame_count = motion->frame_count,
                                          .point_count = pl_mesh_get_view(job->object.mesh).point_count,
                                          .rate = job->clips[i].view.rate,
                                          .positions = motion->positions,
                                          .weights = motion->point_weights,
                                          .borrowed = true};
  }
  job->object.motion_count = job->found.motion_count;
  job->fit.fit = job->found.fit;
  job->fit.field = job->field;
  job->fit.warm = job->found.warm_start;
  job->fit.warmed = job->found.warm_started;
  fill_history(&job->fit, &job->found.rounds[job->found.round_count - 1]);
  for (int32_t i = 0; i < job->found.round_count; ++i) {
    const pl_capture_round *round = &job->found.rounds[i];
    if (!round->converged || round->lost_count + round->doubtful_count + round->empty_count > 0) job->remarks = true;
  }
}

int capture_run(capture_job *job) {
  const tool_console *console = &job->tool->console;
  pl_error error = {0};
  capture_store own = {0};
  pl_capture_clip *clips = tool_allocate((size_t)job->clip_count, sizeof *clips);
  job->fit = (fit_job){.tool = job->tool,
                       .context = job->context,
                       .object = &job->object,
                       .settings = &job->settings,
                       .folder = job->folder};
  pl_status status = pl_field_build(job->context, &job->settings.field, job->object.mesh, &job->field, &error);
  pl_capture_run_def def = make_def(job, clips);
  if (status >= 0) status = capture_store_open(job->context, job->folder, &own, &def.store, &error);
  tool_interrupt_watch();
  if (status >= 0) status = pl_capture_run(job->context, &def, &job->result, &error);
  tool_interrupt_release();
  tool_progress_end(&job->progress);
  capture_store_close(&own);
  free(clips);
  if (job->trouble.status < 0) return tool_report_error(console, &job->trouble);
  if (status < 0) return tool_report_error(console, &error);
  if (status == PL_REMARK_CANCELLED) {
    tool_print(console, "stopped; continue with the same command and --resume");
    return TOOL_FAILED;
  }
  take_result(job);
  return TOOL_DONE;
}
