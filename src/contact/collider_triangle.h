// Triangles against the signed distance of a collider.
#ifndef PL_CONTACT_COLLIDER_TRIANGLE_H
#define PL_CONTACT_COLLIDER_TRIANGLE_H

#include "contact/collider.h"

// How deep a triangle is in a collider, in metres, and where: the weights of its corners, and the
// normal of the collider there. -INFINITY where it is certainly no deeper than `allowed`.
double pl_collider_triangle_depth(const pl_collider *collider, pl_transform placement,
                                  const pl_vec3 corners[3], double allowed, double weights[3],
                                  pl_vec3 *normal);

#endif
