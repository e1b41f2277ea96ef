// The frames of a track, one by one, stored in a log so that an interrupted track can be resumed: for every frame the
// log has its points and its report, and a small file states the number of valid frames and a hash of the settings.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool_clouds.h"
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
                                     r->strain,
                                     (double)r->cause,
                                     r->coverage,
                                     r->point_error};
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
                           .seconds = n[17],
                           .strain = n[18],
                           .cause = (pl_track_cause)(int)n[19],
                           .coverage = n[20],
                           .point_error = n[21]};
}

// Hash of everything that determines the result besides the model: settings, held points, the capture.
static uint64_t hash_job(const track_job *job) {
  const double numbers[] = {job->def.noise,          job->def.outliers,       job->def.first_reach,
                            job->def.reach,          job->def.detail,         job->def.inertia,
                            job->def.acceleration.x, job->def.acceleration.y, job->def.acceleration.z,
                            job->def.gating ? 1 : 0, job->def.max_points,     job->view.frame_count,
                            job->view.rate,          job->view.camera_count,  job->aligned ? 1 : 0};
  uint64_t hash = job->hash;
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
    uint64_t bits;
    memcpy(&bits, &numbers[i], sizeof bits);
    hash = (hash ^ bits) * UINT64_C(0x100000001B3) + (hash >> 29);
  }
  for (int32_t i = 0; i < job->held_count; ++i)
    hash = (hash ^ (uint64_t)(uint32_t)job->held[i]) * UINT64_C(0x100000001B3);
  return hash;
}

// --- the log --------------------------------------------------------------------------------------------------------

// Number of frames to resume after; -1 if it cannot be determined (printed).
static int64_t read_resume(const track_job *job) {
  FILE *file = fopen(job->resume_path, "r");
  int64_t count = -1;
  uint64_t hash = 0;
  bool good =
      file != NULL && fscanf(file, "pliant track 3 frames %" SCNd64 " hash %" SCNx64, &count, &hash) == 2 && count >= 0;
  if (file != NULL) fclose(file);
  if (!good)
    tool_print_error(&job->tool->console, "there is no unfinished track in '%s'; start again without --resume",
                     job->folder);
  else if (hash != job->hash)
    tool_print_error(&job->tool->console,
                     "the unfinished track in '%s' has another body, capture or settings; give the same ones, or start "
                     "again without --resume",
                     job->folder);
  return good && hash == job->hash ? count : -1;
}

static bool write_resume(const track_job *job) {
  char *temporary = tool_text("%s.tmp", job->resume_path);
  FILE *file = fopen(temporary, "w");
  bool good =
      file != NULL && fprintf(file, "pliant track 3 frames %d hash %" PRIx64 "\n", job->done_count, job->hash) > 0;
  if (file != NULL) good = fclose(file) == 0 && good;
  good = good && rename(temporary, job->resume_path) == 0;
  if (!good) tool_print_error(&job->tool->console, "'%s' cannot be written", job->resume_path);
  free(temporary);
  return good;
}

static void count_state(track_job *job, pl_track_state state) {
  job->lost_count += state == PL_TRACK_LOST;
  job->doubtful_count += state == PL_TRACK_DOUBTFUL;
  job->empty_count += state == PL_TRACK_EMPTY;
}

// Vectors of the log after the points of a frame: its report, plain numbers in vectors of three.
enum { EXTRA_COUNT = (TRACK_NUMBERS + 2) / 3 };

static pl_status append(track_job *job, const pl_track_report *report, const pl_tracker_view *view, pl_vec3 *workspace,
                        pl_error *error) {
  double *row = job->table + (size_t)job->done_count * TRACK_NUMBERS, extra[3 * EXTRA_COUNT] = {0};
  track_pack(report, row);
  memcpy(extra, row, TRACK_NUMBERS * sizeof(double));
  memcpy(workspace, view->points, (size_t)job->point_count * sizeof *workspace);
  memcpy(workspace + job->point_count, extra, sizeof extra);
  return pl_frame_log_append(job->log, 0, workspace, error);
}

// Rows and points of the frames already tracked; the tracker resumes after them.
static pl_status go_on(track_job *job, int64_t count, pl_vec3 *points, pl_error *error) {
  pl_vec3 *before = tool_allocate((size_t)job->point_count + EXTRA_COUNT, sizeof *before);
  pl_status status = PL_OK;
  for (int64_t f = 0; f < count && status >= 0; ++f) {
    status = pl_frame_log_read(job->log, f, job->point_count, (int64_t)EXTRA_COUNT, points, error);
    if (status < 0) break;
    const double *extra = (const double *)points;
    memcpy(job->table + (size_t)f * TRACK_NUMBERS, extra, TRACK_NUMBERS * sizeof(double));
    count_state(job, (pl_track_state)(int)extra[1]);
  }
  if (status >= 0) status = pl_frame_log_read(job->log, count - 1, 0, job->point_count, points, error);
  if (status >= 0 && count > 1) status = pl_frame_log_read(job->log, count - 2, 0, job->point_count, before, error);
  if (status >= 0) {
    pl_track_report report = track_unpack(job->table + (size_t)(count - 1) * TRACK_NUMBERS);
    double time_before = count > 1 ? job->table[(size_t)(count - 2) * TRACK_NUMBERS] : 0;
    status = pl_tracker_resume(
        job->tracker, &(pl_track_frame){&report, points, count > 1 ? before : NULL, time_before, (int32_t)count},
        error);
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
      pl_frame_log_open(job->context, job->log_path, job->point_count + (int64_t)EXTRA_COUNT, keep, &job->log, error);
  if (status >= 0 && keep > 0) status = go_on(job, keep, workspace, error);
  if (status >= 0 && keep > 0) tool_print(&job->tool->console, "resuming after frame %d", job->done_count);
  return status;
}

// --- the loop -------------------------------------------------------------------------------------------------------

static void warn_frame(const track_job *job, tool_progress *progress, const pl_track_report *report) {
  if (report->state == PL_TRACK_GOOD) return;
  char text[200];
  pl_track_report_describe(report, text, sizeof text);
  tool_progress_end(progress);
  tool_print_warning(&job->tool->console, "frame %d: %s", job->done_count, text);
}

static pl_status track_one(track_job *job, tool_progress *progress, pl_vec3 *workspace, pl_error *error) {
  pl_cloud *cloud = NULL;
  pl_status status = pl_capture_load_frame(job->capture, job->done_count, &cloud, NULL, error);
  if (status < 0) return status;
  pl_cloud_view points = pl_cloud_get_view(cloud);
  pl_track_report report;
  status = pl_tracker_advance(job->tracker, job->view.times[job->done_count], &points, &report, error);
  if (status >= 0 && job->done_count == 0 && report.state != PL_TRACK_GOOD)
    tool_doubt_cloud(&job->tool->console, cloud, job->mesh, job->aligned ? NULL : "--align");
  pl_cloud_destroy(cloud);
  if (status < 0) return status;
  pl_tracker_view view = pl_tracker_get_view(job->tracker);
  status = append(job, &report, &view, workspace, error);
  if (status < 0) return status;
  // The number of warnings for single frames is limited, so that they do not hide everything else.
  if (job->lost_count + job->doubtful_count + job->empty_count < 10) warn_frame(job, progress, &report);
  count_state(job, report.state);
  ++job->done_count;
  tool_progress_show(progress, job->done_count);
  return write_resume(job) ? PL_OK : PL_ERROR_FILE;
}

static void print_summary(const track_job *job, double seconds) {
  double residual = 0, explained = 0;
  int32_t matched_count = 0, count = job->done_count > 0 ? job->done_count : 1;
  for (int32_t f = 0; f < job->done_count; ++f) {
    pl_track_report report = track_unpack(job->table + (size_t)f * TRACK_NUMBERS);
    residual += report.residual * report.residual;
    explained += report.explained_fraction;
    matched_count += report.explained_fraction > 0;
  }
  tool_print(&job->tool->console, "tracked:   %d frames in %.3g s (%.3g s per frame)", job->done_count, seconds,
             seconds / count);
  if (matched_count > 0)
    tool_print(&job->tool->console, "residual:  %.3g mm rms along the normal; %.1f %% of the points explained",
               1e3 * sqrt(residual / matched_count), 100 * explained / count);
  else
    tool_print(&job->tool->console, "residual:  none, as no point was matched with the body in any frame");
  if (job->lost_count + job->doubtful_count + job->empty_count > 0)
    tool_print(&job->tool->console, "states:    %d lost, %d doubtful, %d empty", job->lost_count, job->doubtful_count,
               job->empty_count);
}

void track_close_frames(track_job *job) {
  pl_frame_log_close(job->log);
  free(job->table);
  free(job->log_path);
  free(job->resume_path);
}

int track_frames(track_job *job) {
  pl_error error = {0};
  const tool_console *console = &job->tool->console;
  job->hash = hash_job(job);
  job->log_path = tool_text("%s/track.frames", job->folder);
  job->resume_path = tool_text("%s/track.resume", job->folder);
  job->table = tool_allocate((size_t)job->frame_count * TRACK_NUMBERS, sizeof(double));
  pl_vec3 *workspace = tool_allocate((size_t)job->point_count + EXTRA_COUNT, sizeof *workspace);
  pl_status status = begin(job, workspace, &error);
  double start = tool_seconds();
  tool_interrupt_watch();
  tool_progress progress = tool_progress_start(console, "frame", job->done_count, job->frame_count);
  while (status >= 0 && job->done_count < job->frame_count && tool_interrupt_count() == 0)
    status = track_one(job, &progress, workspace, &error);
  tool_progress_end(&progress);
  tool_interrupt_release();
  free(workspace);
  if (status < 0) return error.text[0] != '\0' ? tool_report_error(console, &error) : TOOL_FAILED;
  if (job->done_count < job->frame_count) {
    tool_print_error(console, "interrupted after frame %d; resume with the same command and --resume", job->done_count);
    return TOOL_FAILED;
  }
  print_summary(job, tool_seconds() - start);
  if (job->doubtful_count + job->empty_count > 0) job->remarks = true;
  return TOOL_DONE;
}
