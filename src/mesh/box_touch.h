// Does something touch a box? All positions are in the frame of the box: its centre is the origin,
// its edges lie along the axes, `half` are its half edge lengths. What only touches counts.
#ifndef PL_MESH_BOX_TOUCH_H
#define PL_MESH_BOX_TOUCH_H

#include "pliant/math.h"

// A triangle (separating axes: Akenine-Möller 2001).
bool pl_box_touches_triangle(pl_vec3 half, const pl_vec3 corners[3]);

// Another box, placed in the frame of the first (separating axes: Gottschalk 1996).
bool pl_box_touches_box(pl_vec3 half, pl_transform other, pl_vec3 other_half);

// Distance of the segment ab from the box, 0 where they touch.
double pl_box_segment_distance(pl_vec3 half, pl_vec3 a, pl_vec3 b);

#endif
