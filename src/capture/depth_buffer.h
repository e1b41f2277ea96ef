// Depths of triangles as a camera sees them: a z-buffer in plain C, so that pictures are the same
// on every machine.
#ifndef PL_CAPTURE_DEPTH_BUFFER_H
#define PL_CAPTURE_DEPTH_BUFFER_H

#include "math/mat3.h"
#include "pliant/sensor.h"

// A camera ready to project: world to its own axes, and pixels.
typedef struct pl_depth_view {
  pl_mat3 turn;  // from the world's axes to the camera's
  pl_vec3 eye;
  double fx, fy, cx, cy;
  int32_t width, height;
} pl_depth_view;

// View of a camera in a picture that is `shrink` times smaller in both directions.
pl_depth_view pl_depth_view_of(const pl_capture_camera *camera, int32_t shrink);

// A point in the camera's axes.
static inline pl_vec3 pl_depth_see(const pl_depth_view *view, pl_vec3 point) {
  return pl_mat3_apply(view->turn, pl_vec3_sub(point, view->eye));
}

// Draw over what is in `depths` (width * height numbers, HUGE_VAL where nothing is yet); `seen` has
// room for point_count places in the camera's axes and receives them. Indices are in range.
void pl_depth_draw(const pl_depth_view *view, const pl_sensor_surface *surface, pl_vec3 *seen,
                   double *depths);

#endif
