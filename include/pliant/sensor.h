/// @file sensor.h
/// Depth pictures of surfaces, exact or as a sensor would take them: captures of bodies whose motion is known (part of the lab).
#ifndef PLIANT_SENSOR_H
#define PLIANT_SENSOR_H

#include "pliant/base.h"
#include "pliant/cloud.h"
#include "pliant/math.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Triangles to be seen; borrowed memory.
typedef struct pl_sensor_surface {
  const pl_vec3 *points;  ///< metres, in the world
  int32_t point_count;
  const int32_t *triangles;  ///< 3 each, in range
  int32_t triangle_count;
  bool masked;  ///< hides what is behind it, and is not in the picture itself: as if a mask had cut it out
} pl_sensor_surface;

/// What is wrong with the pictures of a depth sensor.
typedef struct pl_sensor_def {
  // parameters of src/capture/sensor_parameters.c by `make generate`: begin
  /// Standard deviation along the depth.
  double noise;  ///< m, 0 … 10, default 0.002
  /// Quantisation step of depths at 1 m; 0: only the unit of the image.
  double quantum;  ///< m, 0 … 10, default 0.0028
  /// Quantisation grows with the square of the depth, as in sensors that triangulate; otherwise it
  /// is the same at all depths.
  bool quantum_grows;  ///< default true
  /// Fraction of all pixels that are dropped.
  double dropout;  ///< 0 … 1, default 0
  /// Depth difference of neighbouring pixels from which they are edge pixels; pixels next to empty
  /// ones are too.
  double edge_jump;  ///< m, 0 … 1e6, default 0.02
  /// Fraction of edge pixels that are dropped.
  double edge_dropout;  ///< 0 … 1, default 0.5
  /// Fraction of the other edge pixels whose depth is mixed from the two sides.
  double edge_mix;  ///< 0 … 1, default 0.1
  /// Fraction of pixels whose depth is an outlier.
  double outliers;  ///< 0 … 1, default 0.1
  /// Outliers are uniform within this distance of the true depth.
  double outlier_range;  ///< m, 0 … 1e6, default 0.3
  /// Minimum depth that is seen.
  double min_depth;  ///< m, 0 … 1e6, default 0.3
  /// Maximum depth that is seen.
  double max_depth;  ///< m, 0 … 1e6, default 8
  /// Seed of all random numbers; the same seed, camera and frame give the same image.
  uint64_t seed;  ///< default 1
  // parameters: end

  uint32_t magic;  ///< set by pl_default_sensor_def()
} pl_sensor_def;

/// Every parameter at its default: about what a first Kinect does.
PL_API pl_sensor_def pl_default_sensor_def(void);

/// A camera of `width` x `height` pixels at `eye` that looks at `target`, with the vertical +Y upwards in the picture and a focal length of
/// `focal` pixels; depths in units of a tenth of a millimetre. Looking straight up or down, +Z is upwards. Has no name.
PL_API pl_capture_camera pl_sensor_camera(pl_vec3 eye, pl_vec3 target, int32_t width, int32_t height, double focal);

/// `count` cameras evenly around the vertical through the middle of `box`, `elevation` radians above it (every second one half as much), the first
/// in direction `heading` (radians from +Z towards +X), as far away as makes the box fill the picture; 640 x 480 pixels, or `width` x `height`, with the opening of a Kinect.
PL_API void pl_sensor_ring(pl_box box, int32_t count, double elevation, double heading, int32_t width, int32_t height,
                           pl_capture_camera *cameras);

/// Exact depths of what a camera sees: width * height numbers in metres along its axis, rows from the top, 0 where nothing is. Both sides of triangles are
/// seen; those that come nearer than 1 cm are left out. Fails with PL_ERROR_INVALID_ARGUMENT for a camera without pixels or focal length, PL_ERROR_INVALID_DATA
/// for a triangle out of range, and when out of memory. May be called from several threads at once.
PL_API pl_status pl_depth_render(pl_context *context, const pl_capture_camera *camera, const pl_sensor_surface *surfaces,
                                 int32_t surface_count, double *depths, pl_error *error);

/// Take one picture: width * height numbers in the camera's unit, 0 where the sensor saw nothing. `number` and `frame` choose the random numbers. Fails as
/// pl_depth_render() does, with PL_ERROR_INVALID_ARGUMENT for a def that is wrong, and when out of memory. May be called from several threads at once.
PL_API pl_status pl_sensor_render(pl_context *context, const pl_sensor_def *def, const pl_capture_camera *camera, int32_t number,
                                  int32_t frame, const pl_sensor_surface *surfaces, int32_t surface_count, uint16_t *pixels,
                                  pl_error *error);

/// Take the pictures of all cameras at once, each on a thread of its own: `pixels` has one array per camera. As pl_sensor_render() otherwise.
PL_API pl_status pl_sensor_render_all(pl_context *context, const pl_sensor_def *def, const pl_capture_camera *cameras,
                                      int32_t camera_count, int32_t frame, const pl_sensor_surface *surfaces, int32_t surface_count,
                                      uint16_t *const *pixels, pl_error *error);

#ifdef __cplusplus
}
#endif
#endif
