// Values and gradients of a shape's distance field.
#ifndef PL_MESH_SHAPE_DISTANCE_H
#define PL_MESH_SHAPE_DISTANCE_H

#include "mesh/shape_node.h"

// Value of the root at `point`: negative inside, and never steeper than 1, so its size is a lower
// bound of the distance to the surface.
double pl_shape_value(const pl_shape *shape, pl_vec3 point);

// Gradient by differences over `step` metres.
pl_vec3 pl_shape_gradient(const pl_shape *shape, pl_vec3 point, double step);

#endif
