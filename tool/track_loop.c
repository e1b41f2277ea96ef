// The frames of a track, one by one, kept in a log so that an interrupted track can go on: behind every frame the log has its points and its report, and a small
// file says how many frames count and what they were made with.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool_folder.h"
#include "tool_interrupt.h"
#include "tool_track.h"

void track_pack(const pl_track_report *r, double numbers[TRACK_NUMBERS]) {
  const double all[TRACK_NUMBERS] = {r->time,
                                     (double)r->state,
                                     r->point_count,
                                     r->used_count,
                                     r->residual,
                                     r->explained_fraction,
                                     r->seen_fraction,
                                     r->width,
                                     r->outlier_fraction,
                                     r->prediction_error,
                                     r->motion,
                                     r->usual_fraction,
                                     r->usual_seen,
                                     r->usual_residual,
                                     r->iteration_count,
                                     r->newton_count,
                                     r->try_count,
                                     r->seconds,
                                     0};
  memcpy(numbers, all, sizeof all);
}

pl_track_report track_unpack(const double n[TRACK_NUMBERS]) {
  return (pl_track_report){.time = n[0],
                           .state = (pl_track_state)(int)n[1],
                           .point_count = (int32_t)n[2],
                           .used_count = (int32_t)n[3],
                           .residual = n[4],
                           .explained_fraction = n[5],
                           .seen_fraction = n[6],
                           .width = n[7],
                           .outlier_fraction = n[8],
                           .prediction_error = n[9],
                           .motion = n[10],
                           .usual_fraction = n[11],
                           .usual_seen = n[12],
                           .usual_residual = n[13],
                           .iteration_count = (int32_t)n[14],
                           .newton_count = (int32_t)n[15],
                           .try_count = (int32_t)n[16],
                           .seconds = n[17]};
}

// What decides the result besides the model: settings, held points, the capture.
static uint64_t hash_job(const track_job *job) {
  const double numbers[] = {job->def.noise,          job->def.outliers,       job->def.first_reach,    job->def.reach,
                            job->def.detail,         job->def.inertia,        job->def.acceleration.x, job->def.acceleration.y,
                            job->def.acceleration.z, job->def.gating ? 1 : 0, job->def.max_points,     job->view.frame_count,
                            job->view.rate,          job->view.camera_count};
  uint64_t hash = job->hash;
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
    uint64_t bits;
    memcpy(&bits, &numbers[i], sizeof bits);
    hash = (hash ^ bits) * UINT64_C(0x100000001B3) + (hash >> 29);
  }
  for (int32_t i = 0; i < job->held_count; ++i) hash = (hash ^ (uint64_t)(uint32_t)job->held[i]) * UINT64_C(0x100000001B3);
  return hash;
}

// --- the log --------------------------------------------------------------------------------------------------------

// How many frames may be gone on behind; -1 if that cannot be found out, printed.
static int64_t read_resume(const track_job *job) {
  FILE *file = fopen(job->resume_path, "r");
  int64_t count = -1;
  uint64_t hash = 0;
  bool good = file != NULL && fscanf(file, "pliant track 1 frames %" SCNd64 " hash %" SCNx64, &count, &hash) == 2 && count >= 0;
  if (file != NULL) fclose(file);
  if (!good)
    tool_complain(&job->tool->voice, "there is no unfinished track in '%s'", job->folder);
  else if (hash != job->hash)
    tool_complain(&job->tool->voice, "the unfinished track in '%s' was begun with another body, capture or settings", job->folder);
  return good && hash == job->hash ? count : -1;
}

static bool write_resume(const track_job *job) {
  char *temporary = tool_text("%s.tmp", job->resume_path);
  FILE *file = fopen(temporary, "w");
  bool good = file != NULL && fprintf(file, "pliant track 1 frames %d hash %" PRIx64 "\n", job->done_count, job->hash) > 0;
  if (file != NULL) good = fclose(file) == 0 && good;
  good = good && rename(temporary, job->resume_path) == 0;
  if (!good) tool_complain(&job->tool->voice, "'%s' cannot be written", job->resume_path);
  free(temporary);
  return good;
}

static void count_state(track_job *job, pl_track_state state) {
  job->lost_count += state == PL_TRACK_LOST;
  job->doubtful_count += state == PL_TRACK_DOUBTFUL;
  job->empty_count += state == PL_TRACK_EMPTY;
}

// Vectors of the log behind the points of a frame.
static size_t extra_count(const track_job *job) {
  return ((size_t)TRACK_NUMBERS + (size_t)job->point_count + 2) / 3;
}

static pl_status append(track_job *job, const pl_track_report *report, const pl_tracker_view *view, pl_vec3 *workspace,
                        pl_error *error) {
  double *row = job->table + (size_t)job->done_count * TRACK_NUMBERS;
  track_pack(report, row);
  memcpy(workspace, view->points, (size_t)job->point_count * sizeof *workspace);
  // Behind the points: the report, then what was measured of every point. Plain numbers in vectors of three.
  double *extra = tool_allocate(3 * extra_count(job), sizeof *extra);
  memcpy(extra, row, TRACK_NUMBERS * sizeof(double));
  memcpy(extra + TRACK_NUMBERS, view->supports, (size_t)job->point_count * sizeof(double));
  memcpy(workspace + job->point_count, extra, 3 * extra_count(job) * sizeof(double));
  free(extra);
  for (int32_t i = 0; i < job->point_count; ++i) job->supports[i] += view->supports[i];
  return pl_frame_log_append(job->log, 0, workspace, error);
}

// Rows and points of the frames that are there already; the tracker goes on behind them.
static pl_status go_on(track_job *job, int64_t count, pl_vec3 *points, pl_error *error) {
  pl_vec3 *before = tool_allocate((size_t)job->point_count + extra_count(job), sizeof *before);
  pl_status status = PL_OK;
  for (int64_t f = 0; f < count && status >= 0; ++f) {
    status = pl_frame_log_read(job->log, f, job->point_count, (int64_t)extra_count(job), points, error);
    if (status < 0) break;
    const double *extra = (const double *)points;
    memcpy(job->table + (size_t)f * TRACK_NUMBERS, extra, TRACK_NUMBERS * sizeof(double));
    for (int32_t i = 0; i < job->point_count; ++i) job->supports[i] += extra[TRACK_NUMBERS + i];
    count_state(job, (pl_track_state)(int)extra[1]);
  }
  if (status >= 0) status = pl_frame_log_read(job->log, count - 1, 0, job->point_count, points, error);
  if (status >= 0 && count > 1) status = pl_frame_log_read(job->log, count - 2, 0, job->point_count, before, error);
  if (status >= 0) {
    pl_track_report report = track_unpack(job->table + (size_t)(count - 1) * TRACK_NUMBERS);
    double time_before = count > 1 ? job->table[(size_t)(count - 2) * TRACK_NUMBERS] : 0;
    status = pl_tracker_resume(job->tracker,
                               &(pl_track_frame){&report, points, count > 1 ? before : NULL, time_before, (int32_t)count}, error);
  }
  job->done_count = (int32_t)count;
  free(before);
  return status;
}

static pl_status begin(track_job *job, pl_vec3 *workspace, pl_error *error) {
  int64_t keep = job->resume ? read_resume(job) : 0;
  if (keep < 0) {
    error->text[0] = '\0';
    return PL_ERROR_NOT_FOUND;
  }
  if (keep > job->frame_count) keep = job->frame_count;
  pl_status status =
      pl_frame_log_open(job->context, job->log_path, job->point_count + (int64_t)extra_count(job), keep, &job->log, error);
  if (status >= 0 && keep > 0) status = go_on(job, keep, workspace, error);
  if (status >= 0 && keep > 0) tool_say(&job->tool->voice, "going on behind frame %d", job->done_count);
  return status;
}

// --- the loop -------------------------------------------------------------------------------------------------------

static void warn_frame(const track_job *job, tool_progress *progress, const pl_track_report *report) {
  if (report->state == PL_TRACK_GOOD) return;
  tool_progress_end(progress);
  if (report->state == PL_TRACK_EMPTY)
    tool_warn(&job->tool->voice, "frame %d has no points near the body (%d in all)", job->done_count, report->point_count);
  else
    tool_warn(&job->tool->voice, "frame %d: the track is %s: %.0f %% of the points explained (usually %.0f %%), %.2g mm off",
              job->done_count, pl_track_state_name(report->state), 100 * report->explained_fraction, 100 * report->usual_fraction,
              1e3 * report->residual);
}

static pl_status track_one(track_job *job, tool_progress *progress, pl_vec3 *workspace, pl_error *error) {
  pl_cloud *cloud = NULL;
  pl_status status = pl_capture_load_frame(job->capture, job->done_count, &cloud, NULL, error);
  if (status < 0) return status;
  pl_cloud_view points = pl_cloud_get_view(cloud);
  pl_track_report report;
  int64_t ahead = (int64_t)job->done_count - job->foreseen_from;
  status = PL_OK;
  if (job->foreseen != NULL && ahead >= 0)
    status = pl_tracker_set_prediction(job->tracker, job->foreseen + ahead * job->point_count, error);
  if (status >= 0) status = pl_tracker_advance(job->tracker, job->view.times[job->done_count], &points, &report, error);
  pl_cloud_destroy(cloud);
  if (status < 0) return status;
  pl_tracker_view view = pl_tracker_get_view(job->tracker);
  status = append(job, &report, &view, workspace, error);
  if (status < 0) return status;
  // Warnings of single frames would bury the rest where all are bad.
  if (job->lost_count + job->doubtful_count + job->empty_count < 10) warn_frame(job, progress, &report);
  count_state(job, report.state);
  ++job->done_count;
  tool_progress_show(progress, job->done_count);
  return write_resume(job) ? PL_OK : PL_ERROR_FILE;
}

static void say_summary(const track_job *job, double seconds) {
  double residual = 0, explained = 0;
  for (int32_t f = 0; f < job->done_count; ++f) {
    residual += job->table[(size_t)f * TRACK_NUMBERS + 4] * job->table[(size_t)f * TRACK_NUMBERS + 4];
    explained += job->table[(size_t)f * TRACK_NUMBERS + 5];
  }
  int32_t count = job->done_count > 0 ? job->done_count : 1;
  tool_say(&job->tool->voice, "tracked:   %d frames in %.3g s (%.3g s a frame)", job->done_count, seconds, seconds / count);
  tool_say(&job->tool->voice, "residual:  %.3g mm rms along the normal; %.1f %% of the points explained",
           1e3 * sqrt(residual / count), 100 * explained / count);
  if (job->lost_count + job->doubtful_count + job->empty_count > 0)
    tool_say(&job->tool->voice, "states:    %d lost, %d doubtful, %d empty", job->lost_count, job->doubtful_count,
             job->empty_count);
}

bool track_is_unfinished(const track_job *job) {
  char *path = tool_text("%s/track.resume", job->folder);
  bool there = tool_is_file(path);
  free(path);
  return there;
}

void track_close_frames(track_job *job) {
  pl_frame_log_close(job->log);
  free(job->table);
  free(job->supports);
  free(job->log_path);
  free(job->resume_path);
}

int track_frames(track_job *job) {
  pl_error error = {0};
  const tool_voice *voice = &job->tool->voice;
  job->hash = hash_job(job);
  job->log_path = tool_text("%s/track.frames", job->folder);
  job->resume_path = tool_text("%s/track.resume", job->folder);
  job->table = tool_allocate((size_t)job->frame_count * TRACK_NUMBERS, sizeof(double));
  job->supports = tool_allocate((size_t)job->point_count, sizeof(double));
  pl_vec3 *workspace = tool_allocate((size_t)job->point_count + extra_count(job), sizeof *workspace);
  pl_status status = begin(job, workspace, &error);
  double start = tool_seconds();
  tool_interrupt_watch();
  tool_progress progress = tool_progress_start(voice, "frame", job->done_count, job->frame_count);
  while (status >= 0 && job->done_count < job->frame_count && tool_interrupt_count() == 0)
    status = track_one(job, &progress, workspace, &error);
  tool_progress_end(&progress);
  tool_interrupt_release();
  free(workspace);
  if (status < 0) return error.text[0] != '\0' ? tool_report_error(voice, &error) : TOOL_FAILED;
  if (job->done_count < job->frame_count) {
    tool_complain(voice, "interrupted behind frame %d; the same command with --resume goes on", job->done_count);
    return TOOL_FAILED;
  }
  say_summary(job, tool_seconds() - start);
  if (job->doubtful_count + job->empty_count > 0) job->remarks = true;
  return TOOL_DONE;
}
