// A point against one triangle, both moving: the first crossing.
#ifndef PL_CONTACT_TRIANGLE_TOUCH_H
#define PL_CONTACT_TRIANGLE_TOUCH_H

#include "pliant/math.h"

// A point and a triangle that move in straight lines during a step.
typedef struct pl_triangle_path {
  pl_vec3 start, end;  // of the point
  pl_vec3 start_corners[3], end_corners[3];
} pl_triangle_path;

// Does the point pass from the outer side of the triangle to the inner one (from either side if
// `two_sided`)? A start no deeper than `tolerance` metres behind the triangle counts as in front of
// it. Gives the first time in [0, 1], the barycentrics there, and whether the point came from the
// inner side.
bool pl_triangle_touch_crossing(const pl_triangle_path *path, double tolerance, bool two_sided,
                                double *time, double barycentric[3], bool *from_inside);

#endif
