// Cameras placed by what they look at.
#include <math.h>

#include "pliant/math.h"
#include "pliant/sensor.h"

#define KINECT_WIDTH 640.0
#define KINECT_FOCAL 525.0  // pixels of a picture that is KINECT_WIDTH wide
#define DEPTH_UNIT 0.0001   // metres: fine against any noise, and 16 bits reach 6.5 m
#define WORKSPACE 1.1       // how much farther away than just fits

// Quaternion of a rotation matrix with columns right, down and forward (Shepperd 1978).
static pl_quat quat_of_axes(pl_vec3 x, pl_vec3 y, pl_vec3 z) {
  double four[4] = {1 + x.x - y.y - z.z, 1 - x.x + y.y - z.z, 1 - x.x - y.y + z.z, 1 + x.x + y.y + z.z};
  int best = 0;
  for (int i = 1; i < 4; ++i)
    if (four[i] > four[best]) best = i;
  double root = sqrt(four[best]), s = 0.5 / root;
  double big = 0.5 * root;
  double xy = (x.y + y.x) * s, xz = (x.z + z.x) * s, yz = (y.z + z.y) * s;
  double wx = (y.z - z.y) * s, wy = (z.x - x.z) * s, wz = (x.y - y.x) * s;
  if (best == 0) return (pl_quat){big, xy, xz, wx};
  if (best == 1) return (pl_quat){xy, big, yz, wy};
  if (best == 2) return (pl_quat){xz, yz, big, wz};
  return (pl_quat){wx, wy, wz, big};
}

pl_capture_camera pl_sensor_camera(pl_vec3 eye, pl_vec3 target, int32_t width, int32_t height, double focal) {
  pl_vec3 forward = pl_vec3_normalize_or(pl_vec3_sub(target, eye), (pl_vec3){0, 0, -1});
  // Within a degree of the vertical +Y says nothing of what is upwards.
  pl_vec3 up = fabs(forward.y) > 0.9999 ? (pl_vec3){0, 0, 1} : (pl_vec3){0, 1, 0};
  pl_vec3 right = pl_vec3_normalize_or(pl_vec3_cross(forward, up), (pl_vec3){1, 0, 0});
  pl_vec3 down = pl_vec3_cross(forward, right);
  return (pl_capture_camera){.name = "",
                             .width = width,
                             .height = height,
                             .fx = focal,
                             .fy = focal,
                             .cx = 0.5 * (width - 1),
                             .cy = 0.5 * (height - 1),
                             .placement = {eye, quat_of_axes(right, down, forward)},
                             .depth_scale = DEPTH_UNIT};
}

void pl_sensor_ring(const pl_camera_ring *ring, pl_capture_camera *cameras) {
  int32_t width = ring->width, height = ring->height;
  double focal = KINECT_FOCAL * width / KINECT_WIDTH, radius = 0.5 * pl_box_diagonal(ring->box);
  double narrow = 0.5 * (width < height ? width : height) / focal;  // tangent of the half opening
  // A small object must not lie in the blind range of the sensor: cameras then stand back, and it fills less of the
  // picture.
  double fills = WORKSPACE * radius * sqrt(1 + narrow * narrow) / narrow, sees = WORKSPACE * ring->min_depth + radius;
  double distance = fmax(fills, ring->min_depth > 0 ? sees : 0);
  pl_vec3 middle = pl_box_center(ring->box);
  for (int32_t i = 0; i < ring->count; ++i) {
    double angle = ring->heading + 2 * PL_PI * i / ring->count,
           high = i % 2 == 0 ? ring->elevation : 0.5 * ring->elevation;
    pl_vec3 away = {sin(angle) * cos(high), sin(high), cos(angle) * cos(high)};
    cameras[i] = pl_sensor_camera(pl_vec3_add_scaled(middle, away, distance), middle, width, height, focal);
  }
}
