// A tracked surface against the true one, apart where cameras see it and where they do not.
#include <math.h>

#include "base/arena.h"
#include "base/error.h"
#include "capture/track_parts.h"
#include "pliant/math.h"
#include "pliant/sensor.h"

// A point counts as seen if it is at most this many pixels' width behind the rendered depth: the depth is that of the
// pixel's centre, and a slanted surface is farther away half a pixel away from it.
static const double DEPTH_SLACK = 3;

// The true surface in a frame, and which of its points some camera sees.
typedef struct true_surface {
  const pl_vec3 *points;
  pl_vec3 *normals;
  double *depths;
  uint8_t *seen;
} true_surface;

static pl_status mark_seen(const pl_tracker *t, const pl_capture_camera *camera, const true_surface *truth,
                           pl_error *error) {
  const pl_contact_surface *surface = &t->model->head.surface;
  pl_sensor_surface shape = {truth->points, surface->point_count, surface->triangles, surface->triangle_count, false};
  pl_status status = pl_depth_render(t->context, camera, &shape, 1, truth->depths, error);
  pl_quat back = pl_quat_conjugate(camera->placement.rotation);
  for (int32_t i = 0; status >= 0 && i < surface->point_count; ++i) {
    pl_vec3 away = pl_vec3_sub(camera->placement.position, truth->points[i]);
    pl_vec3 p = pl_quat_rotate(back, pl_vec3_scale(away, -1));
    double u = floor(camera->cx + camera->fx * p.x / p.z + 0.5), v = floor(camera->cy + camera->fy * p.y / p.z + 0.5);
    if (!(p.z > 0 && u >= 0 && v >= 0 && u < camera->width && v < camera->height)) continue;
    double depth = truth->depths[(size_t)v * (size_t)camera->width + (size_t)u];
    bool faces = pl_vec3_dot(away, truth->normals[i]) > 0;
    if (faces && (depth == 0 || p.z < depth + DEPTH_SLACK * p.z / camera->fx)) truth->seen[i] = 1;
  }
  return status;
}

static void measure(const pl_tracker *t, const true_surface *truth, pl_track_errors *errors) {
  int32_t count = t->model->head.surface.point_count;
  double squares[2] = {0, 0};
  int64_t counts[2] = {0, 0};
  for (int32_t i = 0; i < count; ++i) {
    pl_vec3 d = pl_vec3_sub(t->surface[i], truth->points[i]);
    squares[truth->seen[i]] += d.x * d.x + d.y * d.y + d.z * d.z;
    ++counts[truth->seen[i]];
  }
  errors->seen = counts[1] > 0 ? sqrt(squares[1] / (double)counts[1]) : 0;
  errors->hidden = counts[0] > 0 ? sqrt(squares[0] / (double)counts[0]) : 0;
  errors->seen_fraction = (double)counts[1] / (double)count;
}

pl_status pl_tracker_compare(const pl_tracker *t, const pl_capture_camera *cameras, int32_t camera_count,
                             const pl_vec3 *points, pl_track_errors *errors, pl_error *error) {
  const pl_contact_surface *surface = &t->model->head.surface;
  size_t count = (size_t)surface->point_count, pixels = 0;
  for (int32_t c = 0; c < camera_count; ++c) {
    if (cameras[c].width < 1 || cameras[c].height < 1)
      return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "cameras", "camera %d has no pixels", c);
    size_t size = (size_t)cameras[c].width * (size_t)cameras[c].height;
    if (size > pixels) pixels = size;
  }
  pl_arena arena;
  pl_arena_init(&arena, t->context, 0);
  true_surface truth = {points, PL_TAKE(&arena, pl_vec3, count), PL_TAKE(&arena, double, pixels),
                        PL_TAKE(&arena, uint8_t, count)};
  pl_status status = arena.failed ? pl_fail_memory(error) : PL_OK;
  if (status >= 0) {
    pl_normals_compute(points, surface->point_count, surface->triangles, surface->triangle_count, truth.normals);
    for (size_t i = 0; i < count; ++i) truth.seen[i] = camera_count == 0;
  }
  for (int32_t c = 0; c < camera_count && status >= 0; ++c) status = mark_seen(t, &cameras[c], &truth, error);
  if (status >= 0) measure(t, &truth, errors);
  pl_arena_destroy(&arena);
  return status;
}
