// What a track leaves behind, and how far it is from the truth where that is known.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tool_track.h"

// --- against the truth ----------------------------------------------------------------------------------------------

// The true surface in a frame, and which of its points some camera sees.
typedef struct truth_frame {
  pl_vec3 *points, *normals;
  double *depths;
  uint8_t *seen;
} truth_frame;

static pl_vec3 minus(pl_vec3 a, pl_vec3 b) {
  return (pl_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

// A point in the axes of a camera.
static pl_vec3 in_camera(const pl_capture_camera *camera, pl_vec3 point) {
  pl_quat q = camera->placement.rotation;
  pl_vec3 p = minus(point, camera->placement.position);
  // The inverse rotation: that of the conjugate.
  double x = -q.x, y = -q.y, z = -q.z;
  pl_vec3 c = {y * p.z - z * p.y, z * p.x - x * p.z, x * p.y - y * p.x};
  return (pl_vec3){p.x + 2 * (q.w * c.x + y * c.z - z * c.y), p.y + 2 * (q.w * c.y + z * c.x - x * c.z),
                   p.z + 2 * (q.w * c.z + x * c.y - y * c.x)};
}

static pl_status see(track_job *job, const pl_tracker_view *view, const pl_capture_camera *camera, truth_frame *frame,
                     pl_error *error) {
  pl_sensor_surface surface = {frame->points, view->surface_count, view->triangles, view->triangle_count, false};
  pl_status status = pl_depth_render(job->context, camera, &surface, 1, frame->depths, error);
  for (int32_t i = 0; status >= 0 && i < view->surface_count; ++i) {
    pl_vec3 away = minus(camera->placement.position, frame->points[i]), n = frame->normals[i],
            p = in_camera(camera, frame->points[i]);
    double u = floor(camera->cx + camera->fx * p.x / p.z + 0.5), v = floor(camera->cy + camera->fy * p.y / p.z + 0.5);
    if (!(p.z > 0 && u >= 0 && v >= 0 && u < camera->width && v < camera->height)) continue;
    double depth = frame->depths[(size_t)v * (size_t)camera->width + (size_t)u];
    bool faces = away.x * n.x + away.y * n.y + away.z * n.z > 0;
    if (faces && (depth == 0 || p.z < depth + 3 * p.z / camera->fx)) frame->seen[i] = 1;
  }
  return status;
}

static pl_status compare_frame(track_job *job, int32_t number, truth_frame *frame, pl_error *error) {
  pl_tracker_view view = pl_tracker_get_view(job->tracker);
  pl_status status = pl_frame_file_read(job->truth, number, frame->points, error);
  pl_vec3 *points = tool_allocate((size_t)job->point_count, sizeof *points);
  if (status >= 0) status = pl_frame_log_read(job->log, number, 0, job->point_count, points, error);
  pl_track_report report = track_unpack(job->table + (size_t)number * TRACK_NUMBERS);
  if (status >= 0) status = pl_tracker_resume(job->tracker, &(pl_track_frame){&report, points, NULL, 0, 1}, error);
  free(points);
  if (status < 0) return status;
  pl_normals_compute(frame->points, view.surface_count, view.triangles, view.triangle_count, frame->normals);
  memset(frame->seen, job->view.camera_count == 0 ? 1 : 0, (size_t)view.surface_count);
  for (int32_t c = 0; c < job->view.camera_count && status >= 0; ++c) status = see(job, &view, &job->view.cameras[c], frame, error);
  double square[2] = {0, 0};
  int64_t count[2] = {0, 0};
  for (int32_t i = 0; i < view.surface_count; ++i) {
    pl_vec3 d = minus(view.surface[i], frame->points[i]);
    square[frame->seen[i]] += d.x * d.x + d.y * d.y + d.z * d.z;
    ++count[frame->seen[i]];
  }
  double *row = job->errors + 3 * (size_t)number;
  row[0] = count[1] > 0 ? sqrt(square[1] / (double)count[1]) : 0;
  row[1] = count[0] > 0 ? sqrt(square[0] / (double)count[0]) : 0;
  row[2] = (double)count[1] / (double)view.surface_count;
  return status;
}

static void say_errors(const track_job *job) {
  double seen = 0, hidden = 0, worst = 0, worst_hidden = 0;
  for (int32_t f = 0; f < job->done_count; ++f) {
    const double *row = job->errors + 3 * (size_t)f;
    seen += row[0] * row[0];
    hidden += row[1] * row[1];
    worst = fmax(worst, row[0]);
    worst_hidden = fmax(worst_hidden, row[1]);
  }
  pl_box box = pl_model_get_report(job->model).box;
  double dx = box.max.x - box.min.x, dy = box.max.y - box.min.y, dz = box.max.z - box.min.z,
         size = sqrt(dx * dx + dy * dy + dz * dz);
  seen = sqrt(seen / job->done_count);
  hidden = sqrt(hidden / job->done_count);
  tool_say(&job->tool->voice,
           "truth:     %.3g mm rms where cameras see (worst frame %.3g), %.3g mm where they do not (%.3g): %.2f %% of the size of "
           "%.3g m",
           1e3 * seen, 1e3 * worst, 1e3 * hidden, 1e3 * worst_hidden, 100 * hidden / size, size);
}

pl_status track_compare(track_job *job, pl_error *error) {
  if (job->truth == NULL) return PL_OK;
  size_t n = (size_t)job->surface_count, pixels = 1;
  for (int32_t c = 0; c < job->view.camera_count; ++c) {
    size_t count = (size_t)job->view.cameras[c].width * (size_t)job->view.cameras[c].height;
    if (count > pixels) pixels = count;
  }
  truth_frame frame = {.points = tool_allocate(n, sizeof(pl_vec3)),
                       .normals = tool_allocate(n, sizeof(pl_vec3)),
                       .depths = tool_allocate(pixels, sizeof(double)),
                       .seen = tool_allocate(n, 1)};
  job->errors = tool_allocate(3 * (size_t)job->done_count, sizeof(double));
  pl_status status = PL_OK;
  for (int32_t f = 0; f < job->done_count && status >= 0; ++f) status = compare_frame(job, f, &frame, error);
  if (status >= 0) say_errors(job);
  free(frame.points);
  free(frame.normals);
  free(frame.depths);
  free(frame.seen);
  return status;
}

// --- files ------------------------------------------------------------------------------------------------------------

static pl_status write_table(track_job *job, pl_error *error) {
  static const char *const columns[] = {
      "frame", "time",    "lost",       "points",           "used",      "residual",   "explained",
      "seen",  "width",   "outliers",   "prediction_error", "motion",    "iterations", "newton",
      "tries", "seconds", "error_seen", "error_hidden",     "truth_seen"};
  static const int sources[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 14, 15, 16, 17};
  int32_t width = job->errors != NULL ? 19 : 16;
  double *cells = tool_allocate((size_t)job->done_count * (size_t)width, sizeof *cells);
  for (int32_t f = 0; f < job->done_count; ++f) {
    const double *row = job->table + (size_t)f * TRACK_NUMBERS;
    double *out = cells + (size_t)f * (size_t)width;
    out[0] = f;
    out[1] = row[0];
    for (int k = 0; k < 14; ++k) out[2 + k] = row[sources[k]];
    for (int k = 0; k < 3 && job->errors != NULL; ++k) out[16 + k] = job->errors[3 * (size_t)f + (size_t)k];
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
    if (status >= 0 && surface) status = pl_tracker_resume(job->tracker, &(pl_track_frame){&report, points, NULL, 0, 1}, error);
    if (status >= 0) status = pl_frames_add_frame(frames, surface ? pl_tracker_get_view(job->tracker).surface : points, error);
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
  const tool_value *formats = tool_find_value(job->arguments, "format");
  const char *at = formats->given ? formats->text : "pc2";
  if (strcasecmp(at, "none") == 0) return status;
  while (status >= 0) {
    char name[16] = "";
    size_t length = strcspn(at, ",");
    if (length < sizeof name) memcpy(name, at, length);
    pl_frame_format format = pl_frame_format_find(name);
    if (format == 0) {
      *error = (pl_error){.status = PL_ERROR_INVALID_ARGUMENT};
      snprintf(error->text, sizeof error->text, "--format knows pc2, mdd, glb, vtu, obj, ply and csv, not '%.*s'", (int)length, at);
      return error->status;
    }
    bool takes_tets = format == PL_FRAMES_PC2 || format == PL_FRAMES_MDD || format == PL_FRAMES_VTU || format == PL_FRAMES_CSV;
    if (format != PL_FRAMES_VTU) status = write_motion(job, format, true, error);
    if (status >= 0 && takes_tets) status = write_motion(job, format, false, error);
    if (at[length] == '\0') break;
    at += length + 1;
  }
  return status;
}
