// Writes a track, and compares it with the truth where that is known.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tool_folder.h"
#include "tool_track.h"

// --- against the truth ----------------------------------------------------------------------------------------------

// `points` and `truth` are workspace for a frame of the tets and of the surface.
static pl_status compare_frame(track_job *job, int32_t number, pl_vec3 *points, pl_vec3 *truth, pl_error *error) {
  pl_track_report report = track_unpack(job->table + (size_t)number * TRACK_NUMBERS);
  pl_status status = pl_frame_file_read(job->truth, number, truth, error);
  if (status >= 0) status = pl_frame_log_read(job->log, number, 0, job->point_count, points, error);
  if (status >= 0) status = pl_tracker_resume(job->tracker, &(pl_track_frame){&report, points, NULL, 0, 1}, error);
  if (status < 0) return status;
  return pl_tracker_compare(job->tracker, job->view.cameras, job->view.camera_count, truth, &job->errors[number],
                            error);
}

static void print_errors(const track_job *job) {
  double seen = 0, hidden = 0, worst = 0, worst_hidden = 0;
  for (int32_t f = 0; f < job->done_count; ++f) {
    const pl_track_errors *errors = &job->errors[f];
    seen += errors->seen * errors->seen;
    hidden += errors->hidden * errors->hidden;
    worst = fmax(worst, errors->seen);
    worst_hidden = fmax(worst_hidden, errors->hidden);
  }
  pl_box box = pl_model_get_report(job->model).box;
  double dx = box.max.x - box.min.x, dy = box.max.y - box.min.y, dz = box.max.z - box.min.z,
         size = sqrt(dx * dx + dy * dy + dz * dz);
  seen = sqrt(seen / job->done_count);
  hidden = sqrt(hidden / job->done_count);
  tool_print(&job->tool->console,
             "truth:     %.3g mm rms where cameras see (worst frame %.3g), %.3g mm where they do not (%.3g): %.2f %% "
             "of the size of "
             "%.3g m",
             1e3 * seen, 1e3 * worst, 1e3 * hidden, 1e3 * worst_hidden, 100 * hidden / size, size);
}

pl_status track_compare(track_job *job, pl_error *error) {
  if (job->truth == NULL) return PL_OK;
  pl_vec3 *points = tool_allocate((size_t)job->point_count, sizeof *points);
  pl_vec3 *truth = tool_allocate((size_t)job->surface_count, sizeof *truth);
  job->errors = tool_allocate((size_t)job->done_count, sizeof *job->errors);
  pl_status status = PL_OK;
  for (int32_t f = 0; f < job->done_count && status >= 0; ++f) status = compare_frame(job, f, points, truth, error);
  if (status >= 0) print_errors(job);
  free(points);
  free(truth);
  return status;
}

// --- JSON -----------------------------------------------------------------------------------------------------------

// Root mean squares over the frames; of lost frames too.
void track_print_json(const track_job *job) {
  double residual = 0, explained = 0, seconds = 0, seen = 0, hidden = 0;
  int32_t count = job->done_count > 0 ? job->done_count : 1;
  printf("{\"folder\":");
  tool_print_json_text(job->folder);
  printf(",\"frames\":%d,\"points\":%d,\"states\":[", job->done_count, job->point_count);
  for (int32_t f = 0; f < job->done_count; ++f) {
    pl_track_report report = track_unpack(job->table + (size_t)f * TRACK_NUMBERS);
    residual += report.residual * report.residual / count;
    explained += report.explained_fraction / count;
    seconds += report.seconds;
    if (f > 0) putchar(',');
    tool_print_json_text(pl_track_state_name(report.state));
    if (job->errors != NULL) seen += job->errors[f].seen * job->errors[f].seen / count;
    if (job->errors != NULL) hidden += job->errors[f].hidden * job->errors[f].hidden / count;
  }
  printf("],\"lost\":%d,\"doubtful\":%d,\"empty\":%d,\"residual\":", job->lost_count, job->doubtful_count,
         job->empty_count);
  tool_print_json_number(sqrt(residual));
  printf(",\"explained\":");
  tool_print_json_number(explained);
  printf(",\"seconds\":");
  tool_print_json_number(seconds);
  printf(",\"error_seen\":");
  tool_print_json_number(job->errors != NULL ? sqrt(seen) : HUGE_VAL);  // null: the truth is not known
  printf(",\"error_hidden\":");
  tool_print_json_number(job->errors != NULL ? sqrt(hidden) : HUGE_VAL);
  printf("}\n");
}

// --- files
// ------------------------------------------------------------------------------------------------------------

static pl_status write_table(track_job *job, pl_error *error) {
  static const char *const columns[] = {
      "frame",        "time",      "lost",     "points",           "used",   "residual",    "explained",
      "seen",         "width",     "outliers", "prediction_error", "motion", "iterations",  "newton",
      "tries",        "seconds",   "strain",   "coverage",         "cause",  "point_error", "error_seen",
      "error_hidden", "truth_seen"};
  static const int sources[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 14, 15, 16, 17, 18, 20, 19, 21};
  enum { SOURCE_COUNT = sizeof sources / sizeof *sources };
  int32_t width = 2 + SOURCE_COUNT + (job->errors != NULL ? 3 : 0);
  double *cells = tool_allocate((size_t)job->done_count * (size_t)width, sizeof *cells);
  for (int32_t f = 0; f < job->done_count; ++f) {
    const double *row = job->table + (size_t)f * TRACK_NUMBERS;
    double *out = cells + (size_t)f * (size_t)width;
    out[0] = f;
    out[1] = row[0];
    for (int k = 0; k < SOURCE_COUNT; ++k) out[2 + k] = row[sources[k]];
    const double errors[3] = {job->errors != NULL ? job->errors[f].seen : 0,
                              job->errors != NULL ? job->errors[f].hidden : 0,
                              job->errors != NULL ? job->errors[f].seen_fraction : 0};
    memcpy(out + 2 + SOURCE_COUNT, errors, (size_t)(width - 2 - SOURCE_COUNT) * sizeof *out);
  }
  char *path = tool_text("%s/residuals.csv", job->folder);
  pl_status status = pl_table_save(job->context, path, &(pl_table_view){width, columns, job->done_count, cells}, error);
  free(path);
  free(cells);
  return status;
}

// The motion of the surface, or of the tets, in one format.
static pl_status write_motion(track_job *job, pl_frame_format format, bool surface, pl_error *error) {
  pl_tracker_view view = pl_tracker_get_view(job->tracker);
  pl_mesh_view tets = pl_mesh_get_view(job->mesh);
  char *path = tool_text("%s/%s", job->folder, surface ? "track_surface" : "track_points");
  pl_frames_def def = pl_default_frames_def(format);
  def.path = path;
  def.frame_rate = job->view.rate > 0 ? job->view.rate : 30;
  def.start_time = job->view.times[0];
  def.frame_count = job->done_count;
  def.point_count = surface ? view.surface_count : view.point_count;
  def.triangles = surface ? view.triangles : NULL;
  def.triangle_count = surface ? view.triangle_count : 0;
  def.tets = surface ? NULL : tets.tets;
  def.tet_count = surface ? 0 : tets.tet_count;
  def.name = "track";
  pl_frames *frames = NULL;
  pl_vec3 *points = tool_allocate((size_t)job->point_count, sizeof *points);
  pl_status status = pl_frames_create(job->context, &def, &frames, error);
  for (int32_t f = 0; f < job->done_count && status >= 0; ++f) {
    status = pl_frame_log_read(job->log, f, 0, job->point_count, points, error);
    pl_track_report report = track_unpack(job->table + (size_t)f * TRACK_NUMBERS);
    if (status >= 0 && surface)
      status = pl_tracker_resume(job->tracker, &(pl_track_frame){&report, points, NULL, 0, 1}, error);
    if (status >= 0)
      status = pl_frames_add_frame(frames, surface ? pl_tracker_get_view(job->tracker).surface : points, error);
  }
  if (status >= 0)
    status = pl_frames_close(frames, error);
  else
    pl_frames_abandon(frames);
  free(points);
  free(path);
  return status;
}

pl_status track_write(track_job *job, pl_error *error) {
  pl_status status = write_table(job, error);
  const char *at = tool_get_text(job->arguments, "format");
  if (strcasecmp(at, "none") == 0) return status;
  while (status >= 0) {
    char name[16] = "";
    size_t length = strcspn(at, ",");
    if (length < sizeof name) memcpy(name, at, length);
    pl_frame_format format = pl_frame_format_find(name);
    if (format == 0) {
      *error = (pl_error){.status = PL_ERROR_INVALID_ARGUMENT};
      snprintf(error->text, sizeof error->text,
               "--format knows pc2, mdd, glb, usda, vtu, obj, ply, csv and npz, not '%.*s'", (int)length, at);
      return error->status;
    }
    bool takes_tets =
        format == PL_FRAMES_PC2 || format == PL_FRAMES_MDD || format == PL_FRAMES_VTU || format >= PL_FRAMES_CSV;
    if (format != PL_FRAMES_VTU) status = write_motion(job, format, true, error);
    if (status >= 0 && takes_tets) status = write_motion(job, format, false, error);
    if (at[length] == '\0') break;
    at += length + 1;
  }
  return status;
}
