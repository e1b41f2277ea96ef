// Boxes against triangles, boxes and segments.
//
// Two convex bodies are apart exactly if a plane separates them, and for polyhedra the plane can be taken along a face
// of one or along an edge of each: finitely many directions to try. A direction of length 0, from parallel edges, is
// never separating and does no harm.
#include "mesh/box_touch.h"

static double extent(pl_vec3 half, pl_vec3 axis) {
  return half.x * fabs(axis.x) + half.y * fabs(axis.y) + half.z * fabs(axis.z);
}

static bool separates_triangle(pl_vec3 half, const pl_vec3 corners[3], pl_vec3 axis) {
  double a = pl_vec3_dot(corners[0], axis), b = pl_vec3_dot(corners[1], axis), c = pl_vec3_dot(corners[2], axis);
  double reach = extent(half, axis);
  return fmin(a, fmin(b, c)) > reach || fmax(a, fmax(b, c)) < -reach;
}

bool pl_box_touches_triangle(pl_vec3 half, const pl_vec3 corners[3]) {
  static const pl_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int i = 0; i < 3; ++i)
    if (separates_triangle(half, corners, axes[i])) return false;
  pl_vec3 edges[3] = {pl_vec3_sub(corners[1], corners[0]), pl_vec3_sub(corners[2], corners[1]),
                      pl_vec3_sub(corners[0], corners[2])};
  if (separates_triangle(half, corners, pl_vec3_cross(edges[0], edges[1]))) return false;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k)
      if (separates_triangle(half, corners, pl_vec3_cross(axes[i], edges[k]))) return false;
  return true;
}

bool pl_box_touches_box(pl_vec3 half, pl_transform other, pl_vec3 other_half) {
  static const pl_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  pl_vec3 turned[3], directions[15];
  for (int i = 0; i < 3; ++i) {
    directions[i] = axes[i];
    directions[3 + i] = turned[i] = pl_quat_rotate(other.rotation, axes[i]);
  }
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) directions[6 + 3 * i + k] = pl_vec3_cross(axes[i], turned[k]);
  for (int i = 0; i < 15; ++i) {
    pl_vec3 n = directions[i];
    double reach = extent(half, n) + other_half.x * fabs(pl_vec3_dot(turned[0], n)) +
                   other_half.y * fabs(pl_vec3_dot(turned[1], n)) + other_half.z * fabs(pl_vec3_dot(turned[2], n));
    if (fabs(pl_vec3_dot(other.position, n)) > reach) return false;
  }
  return true;
}

static double point_distance(pl_vec3 half, pl_vec3 p) {
  pl_vec3 beyond = {fmax(fabs(p.x) - half.x, 0), fmax(fabs(p.y) - half.y, 0), fmax(fabs(p.z) - half.z, 0)};
  return pl_vec3_length(beyond);
}

double pl_box_segment_distance(pl_vec3 half, pl_vec3 a, pl_vec3 b) {
  // The distance of a point from a convex body is a convex function of the point, so thirds close in on its minimum.
  double low = 0, high = 1;
  for (int i = 0; i < 100; ++i) {
    double s = low + (high - low) / 3, t = high - (high - low) / 3;
    if (point_distance(half, pl_vec3_lerp(a, b, s)) <= point_distance(half, pl_vec3_lerp(a, b, t)))
      high = t;
    else
      low = s;
  }
  return fmin(point_distance(half, pl_vec3_lerp(a, b, low)), fmin(point_distance(half, a), point_distance(half, b)));
}
