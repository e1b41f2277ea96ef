// Frames of a capture as clouds in the world's axes and in metres, and what the first of them hold.
#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/error.h"
#include "base/finding.h"
#include "io/capture_parts.h"
#include "io/cloud_builder.h"
#include "pliant/math.h"

// A capture of this size is rather one whose unit was forgotten.
#define MAX_SIDE 50.0         // metres
#define FAR 0.02              // fraction of the points at either end that may be outliers
enum { MAX_SAMPLE = 20000 };  // points of a frame that are looked at

static pl_status add_pixels(pl_cloud *cloud, const pl_capture_camera *camera, int32_t number, const uint16_t *depths,
                            const uint16_t *mask, pl_error *error) {
  pl_mat3 rotation = pl_mat3_from_quat(camera->placement.rotation);
  for (int32_t v = 0; v < camera->height; ++v) {
    for (int32_t u = 0; u < camera->width; ++u) {
      size_t pixel = (size_t)v * (size_t)camera->width + (size_t)u;
      if (mask != NULL && mask[pixel] == 0) continue;
      ++cloud->pixel_count;
      if (depths[pixel] == 0) {
        ++cloud->invalid_pixel_count;
        continue;
      }
      double d = depths[pixel] * camera->depth_scale;
      pl_vec3 seen = {(u - camera->cx) * d / camera->fx, (v - camera->cy) * d / camera->fy, d};
      size_t count_before = cloud->points.count;
      pl_status status = pl_cloud_add(cloud, pl_vec3_add(pl_mat3_apply(rotation, seen), camera->placement.position),
                                      NULL, NULL, error);
      if (status < 0) return status;
      if (cloud->points.count > count_before && !pl_vector_push(&cloud->cameras, &number)) return pl_fail_memory(error);
    }
  }
  return PL_OK;
}

static pl_status add_camera(const pl_capture *capture, int32_t number, int32_t frame, pl_cloud *cloud,
                            pl_error *error) {
  const pl_capture_camera *camera = &capture->view.cameras[number];
  pl_context *context = capture->arena.context;
  pl_depth_picture depth, mask = {0};
  pl_status status =
      pl_depth_load(context, capture->depths[number].paths[frame], camera->width, camera->height, false, &depth, error);
  if (status < 0) return status;
  if (camera->masked)
    status =
        pl_depth_load(context, capture->masks[number].paths[frame], camera->width, camera->height, true, &mask, error);
  if (status >= 0) status = add_pixels(cloud, camera, number, depth.values, mask.values, error);
  pl_release(context, depth.values);
  pl_release(context, mask.values);
  return status;
}

static pl_status read_cameras(const pl_capture *capture, int32_t frame, pl_cloud **result, pl_error *error) {
  pl_cloud *cloud = pl_cloud_create(capture->arena.context);
  if (cloud == NULL) return pl_fail_memory(error);
  pl_status status = PL_OK;
  for (int32_t i = 0; i < capture->view.camera_count && status >= 0; ++i)
    status = add_camera(capture, i, frame, cloud, error);
  if (status < 0)
    pl_cloud_destroy(cloud);
  else
    *result = cloud;
  return status;
}

pl_status pl_capture_load_frame(const pl_capture *capture, int32_t frame, pl_cloud **cloud, pl_findings *findings,
                                pl_error *error) {
  *cloud = NULL;
  if (frame < 0 || frame >= capture->view.frame_count)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "there is no frame %d; the capture has %d, counted from 0", frame,
                   capture->view.frame_count);
  if (capture->view.camera_count > 0) return read_cameras(capture, frame, cloud, error);
  pl_status status = pl_cloud_load(capture->arena.context, capture->clouds.paths[frame], cloud, findings, error);
  if (status < 0) return status;
  pl_vec3 *points = (*cloud)->points.items;
  for (size_t i = 0; i < (*cloud)->points.count; ++i) points[i] = pl_vec3_scale(points[i], capture->view.metres);
  return PL_OK;
}

static void count_frame(pl_capture_report *report, const pl_cloud_view *view, int64_t *pixel_count,
                        int64_t *invalid_count) {
  bool first = report->frame_count == 0;
  if (first || view->point_count < report->fewest_points) report->fewest_points = view->point_count;
  if (first || view->point_count > report->max_points) report->max_points = view->point_count;
  report->mean_points += view->point_count;
  report->dropped_count += view->dropped_count;
  ++report->frame_count;
  *pixel_count += view->pixel_count;
  *invalid_count += view->invalid_pixel_count;
  for (int32_t i = 0; i < view->point_count; ++i) report->box = pl_box_add_point(report->box, view->points[i]);
}

// Coordinates of some points of the first frames, to find the extent of nearly all of them.
typedef struct coordinate_sample {
  pl_vector axes[3];  // of double
} coordinate_sample;

static bool take_sample(coordinate_sample *sample, const pl_cloud_view *view) {
  int32_t step = 1 + view->point_count / MAX_SAMPLE;
  for (int32_t i = 0; i < view->point_count; i += step) {
    const double p[3] = {view->points[i].x, view->points[i].y, view->points[i].z};
    for (int k = 0; k < 3; ++k)
      if (!pl_vector_push(&sample->axes[k], &p[k])) return false;
  }
  return true;
}

static int compare_numbers(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Extent of all but the outermost FAR of the points at either end.
static double extent_of(pl_vector *axis) {
  if (axis->count == 0) return 0;
  qsort(axis->items, axis->count, sizeof(double), compare_numbers);
  size_t outside = (size_t)(FAR * (double)axis->count);
  return PL_ITEM(axis, double, axis->count - 1 - outside) - PL_ITEM(axis, double, outside);
}

static pl_status doubt_units(coordinate_sample *sample, pl_findings *findings) {
  pl_vec3 size = {extent_of(&sample->axes[0]), extent_of(&sample->axes[1]), extent_of(&sample->axes[2])};
  double max = fmax(size.x, fmax(size.y, size.z));
  if (findings == NULL || !(max > MAX_SIDE)) return PL_OK;
  pl_finding about = {.severity = PL_SEVERITY_WARNING,
                      .index = -1,
                      .kind = "looks-like-millimetres",
                      .why = "sizes of an object held before a sensor are some centimetres to some metres",
                      .fix = "set \"units\": \"mm\" for clouds, or \"depth_scale\": 0.001 for depth pictures"};
  return pl_findings_addf(findings, &about, "nearly all points of the first frames lie in %g x %g x %g m", size.x,
                          size.y, size.z);
}

pl_status pl_capture_get_report(const pl_capture *capture, int32_t frame_count, pl_capture_report *report,
                                pl_findings *findings, pl_error *error) {
  pl_capture_report found = {.box = pl_box_empty()};
  int32_t last = capture->view.frame_count;
  found.duration = capture->view.times[last - 1] - capture->view.times[0];
  if (frame_count < 1) frame_count = 1;
  int64_t pixel_count = 0, invalid_count = 0;
  coordinate_sample sample;
  for (int k = 0; k < 3; ++k) sample.axes[k] = pl_vector_of(capture->arena.context, sizeof(double));
  pl_status status = PL_OK;
  for (int32_t i = 0; i < frame_count && i < last && status >= 0; ++i) {
    pl_cloud *cloud = NULL;
    status = pl_capture_load_frame(capture, i, &cloud, findings, error);
    if (status < 0) break;
    pl_cloud_view view = pl_cloud_get_view(cloud);
    count_frame(&found, &view, &pixel_count, &invalid_count);
    if (!take_sample(&sample, &view)) status = pl_fail_memory(error);
    pl_cloud_destroy(cloud);
  }
  if (status >= 0 && doubt_units(&sample, findings) < 0) status = pl_fail_memory(error);
  for (int k = 0; k < 3; ++k) pl_vector_free(&sample.axes[k]);
  if (status < 0) return status;
  found.mean_points /= found.frame_count;
  found.invalid_fraction = pixel_count > 0 ? (double)invalid_count / (double)pixel_count : 0;
  if (report != NULL) *report = found;
  return PL_OK;
}
