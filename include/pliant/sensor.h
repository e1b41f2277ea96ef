/// @file sensor.h
/// Virtual depth cameras: depth images of surfaces, exact or as a real sensor would measure them,
/// to make captures of bodies whose motion is known (part of the lab).
#ifndef PLIANT_SENSOR_H
#define PLIANT_SENSOR_H

#include "pliant/base.h"
#include "pliant/capture_file.h"
#include "pliant/math.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Triangles in front of a sensor. Borrowed memory.
typedef struct pl_sensor_surface {
  const pl_vec3 *points;  ///< metres, in the world
  int32_t point_count;
  const int32_t *triangles;  ///< 3 each, in range
  int32_t triangle_count;
  bool
      masked;  ///< hides surfaces behind it but is not in the image itself, as if removed by a mask
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

/// A camera of `width` x `height` pixels at `eye` that looks at `target` (metres), with +Y up in
/// the image and a focal length of `focal` pixels. When it looks straight up or down, +Z is up in
/// the image. Depths are in tenths of a millimetre. The camera has no name.
PL_API pl_capture_camera pl_sensor_camera(pl_vec3 eye, pl_vec3 target, int32_t width,
                                          int32_t height, double focal);

/// Cameras evenly spaced around an object: input of pl_sensor_ring().
typedef struct pl_camera_ring {
  pl_box box;        ///< what the cameras look at, metres; it fills the picture
  int32_t count;     ///< number of cameras
  double elevation;  ///< radians above the horizontal; every second camera is half as high
  double heading;    ///< radians from +Z towards +X: direction of the first camera
  int32_t width,
      height;        ///< pixels of each camera; the opening angle is that of a Kinect of 640 x 480
  double min_depth;  ///< metres: nothing of the box is nearer to a camera, such as the blind range
                     ///< of a sensor; default 0
} pl_camera_ring;

/// Place cameras on a ring around the vertical axis through the centre of a box. `cameras` receives
/// `ring->count` of them.
PL_API void pl_sensor_ring(const pl_camera_ring *ring, pl_capture_camera *cameras);

/// Render exact depths: `depths` receives width * height numbers, metres along the axis of the
/// camera, rows from the top, 0 where there is nothing. Both sides of triangles are seen; triangles
/// nearer than 1 cm are dropped. Fails with PL_ERROR_INVALID_ARGUMENT for a camera without pixels
/// or focal length, PL_ERROR_INVALID_DATA for a triangle out of range, and when out of memory. May
/// be called from several threads at once.
PL_API pl_status pl_depth_render(pl_context *context, const pl_capture_camera *camera,
                                 const pl_sensor_surface *surfaces, int32_t surface_count,
                                 double *depths, pl_error *error);

/// Cameras and what is in front of them at one moment. Borrowed for the call.
typedef struct pl_sensor_shot {
  const pl_capture_camera *cameras;
  int32_t camera_count;
  int32_t frame;  ///< number of the frame; with the camera's index and the seed it selects the
                  ///< random numbers
  const pl_sensor_surface *surfaces;
  int32_t surface_count;
} pl_sensor_shot;

/// Render the depth image of one camera of a shot as the sensor would measure it. `pixels` receives
/// width * height numbers in the camera's unit, rows from the top, 0 where the sensor measured
/// nothing. Fails as pl_depth_render() does, and with PL_ERROR_INVALID_ARGUMENT for a def out of
/// range or a camera that does not exist. May be called from several threads at once.
PL_API pl_status pl_sensor_render(pl_context *context, const pl_sensor_def *def,
                                  const pl_sensor_shot *shot, int32_t camera_index,
                                  uint16_t *pixels, pl_error *error);

/// Render the depth images of all cameras of a shot on the context's threads. `pixels` has one
/// array per camera. The result is that of pl_sensor_render() for each camera, for any number of
/// threads.
PL_API pl_status pl_sensor_render_all(pl_context *context, const pl_sensor_def *def,
                                      const pl_sensor_shot *shot, uint16_t *const *pixels,
                                      pl_error *error);

#ifdef __cplusplus
}
#endif
#endif
