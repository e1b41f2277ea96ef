// Nearest points on segments, triangles and tets, with their barycentric weights. Weights are >= 0
// and sum to 1, and are exactly 0 for corners that have no part in the nearest feature: two zeros
// in a triangle mean a corner, one an edge, none the face. Safe for elements without length, area
// or volume, which are treated as the lower-dimensional thing they are.
#ifndef PL_MESH_SIMPLEX_H
#define PL_MESH_SIMPLEX_H

#include "pliant/math.h"

// Nearest point to `p` on segment ab.
pl_vec3 pl_segment_nearest(pl_vec3 a, pl_vec3 b, pl_vec3 p, double weights[2]);

// Nearest points of two segments, as fractions of the way from the first end of each to the second.
void pl_segments_nearest(const pl_vec3 a[2], const pl_vec3 b[2], double *s, double *t);

// Nearest point to `p` on triangle abc.
pl_vec3 pl_triangle_nearest(pl_vec3 a, pl_vec3 b, pl_vec3 c, pl_vec3 p, double weights[3]);

// Nearest point to `p` on the filled tet with the given corners; p itself when it is inside.
pl_vec3 pl_tet_nearest(const pl_vec3 corners[4], pl_vec3 p, double weights[4]);

// Barycentric weights of any point with respect to a tet; sum 1, negative outside. False (weights
// untouched) when the tet is too flat for them to mean anything.
bool pl_tet_weights(const pl_vec3 corners[4], pl_vec3 p, double weights[4]);

// Barycentric weights of the projection of `p` onto the plane of abc, not clamped. False when the
// triangle has (almost) no area.
bool pl_triangle_weights(pl_vec3 a, pl_vec3 b, pl_vec3 c, pl_vec3 p, double weights[3]);

// Unit normal of abc, counter-clockwise; zero when the triangle is so thin (height below 1e-10 of
// its length) that rounding decides it.
static inline pl_vec3 pl_triangle_normal(pl_vec3 a, pl_vec3 b, pl_vec3 c) {
  pl_vec3 ab = pl_vec3_sub(b, a), ac = pl_vec3_sub(c, a), normal = pl_vec3_cross(ab, ac),
          none = {0, 0, 0};
  double length = pl_vec3_length(normal);
  return length > 1e-10 * (pl_vec3_dot(ab, ab) + pl_vec3_dot(ac, ac))
             ? pl_vec3_normalize_or(normal, none)
             : none;
}

// Solid angle of triangle abc seen from `p`, in radians, positive when seen from its back; 0 for p
// on the triangle's plane outside it.
double pl_triangle_solid_angle(pl_vec3 a, pl_vec3 b, pl_vec3 c, pl_vec3 p);

#endif
