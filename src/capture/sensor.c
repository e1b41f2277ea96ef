// A depth sensor: exact depths, and what happens to them on the way to the picture.
//
// In this order, as in a sensor that finds depth by triangulation: some pixels are lost, more of them at edges, where
// others show something between the two sides; some show a depth that has nothing to do with the surface; the others
// get noise along the depth; and all are quantised. Such steps are even in disparity, so they grow with the square of
// the depth: a first Kinect has about 2.8 mm at 1 m and 11 mm at 2 m (Khoshelham and Elberink 2012). Every pixel takes
// the same number of random numbers whatever becomes of it, so that changing one setting leaves the others' random
// numbers alone.
#include "pliant/sensor.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/parallel.h"
#include "base/random.h"
#include "capture/depth_buffer.h"
#include "capture/sensor_parameters.h"

pl_sensor_def pl_default_sensor_def(void) {
  pl_sensor_def def = {0};
  pl_parameters_set_defaults(&pl_sensor_def_parameters, &def);
  return def;
}

static pl_status check_camera(const pl_capture_camera *camera, const pl_sensor_surface *surfaces, int32_t surface_count,
                              pl_error *error) {
  bool good = camera->width > 0 && camera->height > 0 && (int64_t)camera->width * camera->height <= INT32_MAX;
  good = good && isfinite(camera->fx) && isfinite(camera->fy) && camera->fx > 0 && camera->fy > 0 &&
         isfinite(camera->cx) && isfinite(camera->cy) && pl_vec3_is_finite(camera->placement.position);
  const pl_quat q = camera->placement.rotation;
  double norm = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
  if (!good || !(fabs(norm - 1) < 1e-6))
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT,
                   "camera '%s' needs pixels, a focal length and a rotation of length 1",
                   camera->name != NULL ? camera->name : "");
  for (int32_t i = 0; i < surface_count; ++i)
    for (int64_t k = 0; k < 3 * (int64_t)surfaces[i].triangle_count; ++k)
      if (surfaces[i].triangles[k] < 0 || surfaces[i].triangles[k] >= surfaces[i].point_count)
        return pl_fail(error, PL_ERROR_INVALID_DATA, "triangle %lld of surface %d names point %d; it has %d",
                       (long long)(k / 3), i, surfaces[i].triangles[k], surfaces[i].point_count);
  return PL_OK;
}

// What a picture is made in.
typedef struct workspace {
  pl_vec3 *seen;  // places of points in the camera's axes
  double *masks;  // depths of what is masked
} workspace;

static size_t max_points(const pl_sensor_surface *surfaces, int32_t surface_count) {
  size_t max = 1;
  for (int32_t i = 0; i < surface_count; ++i)
    if ((size_t)surfaces[i].point_count > max) max = (size_t)surfaces[i].point_count;
  return max;
}

// False when out of memory; leave_room() either way.
static bool allocate_workspace(pl_context *context, const pl_capture_camera *camera, const pl_sensor_surface *surfaces,
                               int32_t surface_count, workspace *work) {
  work->seen = pl_allocate_array(context, max_points(surfaces, surface_count), sizeof *work->seen);
  work->masks = pl_allocate_array(context, (size_t)camera->width * (size_t)camera->height, sizeof *work->masks);
  return work->seen != NULL && work->masks != NULL;
}

static void free_workspace(pl_context *context, workspace *work) {
  pl_release(context, work->seen);
  pl_release(context, work->masks);
}

// Depths; 0 where nothing is.
static void render(const pl_capture_camera *camera, const pl_sensor_surface *surfaces, int32_t surface_count,
                   const workspace *work, double *depths) {
  pl_vec3 *seen = work->seen;
  double *masks = work->masks;
  pl_depth_view view = pl_depth_view_of(camera, 1);
  ptrdiff_t pixel_count = (ptrdiff_t)camera->width * camera->height;
  for (ptrdiff_t i = 0; i < pixel_count; ++i) depths[i] = HUGE_VAL;
  for (int32_t i = 0; i < surface_count; ++i)
    if (surfaces[i].masked) pl_depth_draw(&view, &surfaces[i], seen, depths);
  // A masked pixel that nothing is drawn in front of shows nothing.
  memcpy(masks, depths, (size_t)pixel_count * sizeof(double));
  for (int32_t i = 0; i < surface_count; ++i)
    if (!surfaces[i].masked) pl_depth_draw(&view, &surfaces[i], seen, depths);
  for (ptrdiff_t i = 0; i < pixel_count; ++i)
    if (masks[i] < HUGE_VAL && !(depths[i] < masks[i])) depths[i] = 0;
  for (ptrdiff_t i = 0; i < pixel_count; ++i)
    if (!(depths[i] < HUGE_VAL)) depths[i] = 0;
}

pl_status pl_depth_render(pl_context *context, const pl_capture_camera *camera, const pl_sensor_surface *surfaces,
                          int32_t surface_count, double *depths, pl_error *error) {
  pl_status status = check_camera(camera, surfaces, surface_count, error);
  if (status < 0) return status;
  workspace work;
  if (allocate_workspace(context, camera, surfaces, surface_count, &work))
    render(camera, surfaces, surface_count, &work, depths);
  else
    status = pl_fail_memory(error);
  free_workspace(context, &work);
  return status;
}

// Depth on the far side of the edge that pixel (u, v) lies at: the neighbour that differs most, 0 for nothing there;
// the pixel's own depth away from edges.
static double across_edge(const double *depths, int32_t width, int32_t height, int32_t u, int32_t v, double jump) {
  static const int32_t steps[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
  double own = depths[(ptrdiff_t)v * width + u], other = own, max = jump;
  for (int k = 0; k < 4; ++k) {
    int32_t x = u + steps[k][0], y = v + steps[k][1];
    if (x < 0 || y < 0 || x >= width || y >= height) continue;
    double beside = depths[(ptrdiff_t)y * width + x];
    if (beside == 0) return 0;
    if (fabs(beside - own) > max) {
      max = fabs(beside - own);
      other = beside;
    }
  }
  return other;
}

// The depth that the sensor reports for a pixel; 0: none.
static double report_pixel(const pl_sensor_def *def, double depth, double across, pl_random *random) {
  double lost = pl_random_unit(random), at_edge = pl_random_unit(random), mixed = pl_random_unit(random);
  double fraction = pl_random_unit(random), wild = pl_random_unit(random), where = pl_random_unit(random);
  double noise = pl_random_normal(random);
  if (!(depth >= def->min_depth && depth <= def->max_depth && depth > 0)) return 0;
  bool edge = across != depth;
  if (lost < def->dropout || (edge && at_edge < def->edge_dropout)) return 0;
  if (edge && mixed < def->edge_mix) {
    // Next to an empty pixel, a mixed pixel moves backwards by up to three times the jump that counts as an edge.
    double far_side = across > 0 ? across : depth + 3 * def->edge_jump;
    depth += fraction * (far_side - depth);
  }
  if (wild < def->outliers) depth += def->outlier_range * (2 * where - 1);
  depth += def->noise * noise;
  double step = def->quantum * (def->quantum_grows ? depth * depth : 1);
  if (step > 0) depth = step * floor(depth / step + 0.5);
  return depth > 0 ? depth : 0;
}

static void render_image(const pl_sensor_def *def, const pl_capture_camera *camera, int32_t number, int32_t frame,
                         const double *depths, uint16_t *pixels) {
  pl_random random = pl_random_of_seed(def->seed * UINT64_C(0x9E3779B97F4A7C15) +
                                       (uint64_t)(uint32_t)number * UINT64_C(0xD1B54A32D192ED03) +
                                       (uint64_t)(uint32_t)frame * UINT64_C(0xABC98388FB8FAC03));
  for (int32_t v = 0; v < camera->height; ++v)
    for (int32_t u = 0; u < camera->width; ++u) {
      ptrdiff_t i = (ptrdiff_t)v * camera->width + u;
      double across = depths[i] > 0 ? across_edge(depths, camera->width, camera->height, u, v, def->edge_jump) : 0;
      double value = floor(report_pixel(def, depths[i], across, &random) / camera->depth_scale + 0.5);
      pixels[i] = value >= 1 && value <= UINT16_MAX ? (uint16_t)value : 0;
    }
}

pl_status pl_sensor_render(pl_context *context, const pl_sensor_def *def, const pl_sensor_shot *shot,
                           int32_t camera_index, uint16_t *pixels, pl_error *error) {
  if (camera_index < 0 || camera_index >= shot->camera_count)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "there is no camera %d; the shot has %d", camera_index,
                   shot->camera_count);
  const pl_capture_camera *camera = &shot->cameras[camera_index];
  pl_status status = pl_parameters_check(&pl_sensor_def_parameters, def, error);
  if (status >= 0) status = check_camera(camera, shot->surfaces, shot->surface_count, error);
  if (status >= 0) status = pl_check_range("depth_scale", camera->depth_scale, 0, 1e6, false, error);
  if (status < 0) return status;
  workspace work;
  bool taken = allocate_workspace(context, camera, shot->surfaces, shot->surface_count, &work);
  double *depths = pl_allocate_array(context, (size_t)camera->width * (size_t)camera->height, sizeof *depths);
  if (taken && depths != NULL) {
    render(camera, shot->surfaces, shot->surface_count, &work, depths);
    render_image(def, camera, camera_index, shot->frame, depths, pixels);
  } else {
    status = pl_fail_memory(error);
  }
  free_workspace(context, &work);
  pl_release(context, depths);
  return status;
}

typedef struct exposure {
  pl_context *context;
  const pl_sensor_def *def;
  const pl_sensor_shot *shot;
  uint16_t *const *pixels;
  pl_status *statuses;
} exposure;

static void render_some(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  exposure *all = data;
  for (int32_t i = begin; i < end; ++i)
    all->statuses[i] = pl_sensor_render(all->context, all->def, all->shot, i, all->pixels[i], NULL);
}

pl_status pl_sensor_render_all(pl_context *context, const pl_sensor_def *def, const pl_sensor_shot *shot,
                               uint16_t *const *pixels, pl_error *error) {
  pl_status *statuses = pl_allocate_array(context, (size_t)shot->camera_count + 1, sizeof *statuses);
  if (statuses == NULL) return pl_fail_memory(error);
  exposure all = {context, def, shot, pixels, statuses};
  pl_parallel_for(context, shot->camera_count, 1, render_some, &all);
  pl_status status = PL_OK;
  for (int32_t i = 0; i < shot->camera_count && status >= 0; ++i)
    // Render again for the error's text; it fails in the same way.
    if (statuses[i] < 0)
      status = statuses[i] == PL_ERROR_OUT_OF_MEMORY ? pl_fail_memory(error)
                                                     : pl_sensor_render(context, def, shot, i, pixels[i], error);
  pl_release(context, statuses);
  return status;
}
