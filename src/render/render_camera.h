// A camera as the shaders take it.
#ifndef PL_RENDER_RENDER_CAMERA_H
#define PL_RENDER_RENDER_CAMERA_H

#include "pliant/picture.h"

typedef struct pl_render_view {
  pl_vec3 eye, right, up,
      back;         // metres in world space; unit axes of the picture, `back` towards the viewer
  double tangent;   // of half the vertical field of view
  double distance;  // metres from eye to target
} pl_render_view;

// Axes of a camera. An eye on its target, an `up` along the view and angles outside (0, pi) are
// given a sensible meaning; numbers that are not finite are PL_ERROR_INVALID_ARGUMENT.
pl_status pl_render_view_of_camera(const pl_camera *camera, pl_render_view *view, pl_error *error);

// Column-major matrix from points relative to `origin` to clip space.
void pl_render_view_matrix(const pl_render_view *view, pl_vec3 origin, double aspect,
                           double nearest, double farthest, float matrix[16]);

#endif
