// Arithmetic on pl_vec3 and pl_box.
#ifndef PL_MATH_VEC3_H
#define PL_MATH_VEC3_H

#include <math.h>
#include <stdbool.h>

#include "pliant/math.h"

static inline pl_vec3 pl_vec3_of(double x, double y, double z) {
  return (pl_vec3){x, y, z};
}
static inline pl_vec3 pl_vec3_add(pl_vec3 a, pl_vec3 b) {
  return (pl_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline pl_vec3 pl_vec3_sub(pl_vec3 a, pl_vec3 b) {
  return (pl_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline pl_vec3 pl_vec3_scale(pl_vec3 a, double s) {
  return (pl_vec3){a.x * s, a.y * s, a.z * s};
}
// a + s b
static inline pl_vec3 pl_vec3_add_scaled(pl_vec3 a, pl_vec3 b, double s) {
  return (pl_vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static inline double pl_vec3_dot(pl_vec3 a, pl_vec3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline pl_vec3 pl_vec3_cross(pl_vec3 a, pl_vec3 b) {
  return (pl_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double pl_vec3_length(pl_vec3 a) {
  return sqrt(pl_vec3_dot(a, a));
}
static inline double pl_vec3_distance(pl_vec3 a, pl_vec3 b) {
  return pl_vec3_length(pl_vec3_sub(a, b));
}
// Unit vector, or `fallback` when a is (almost) zero.
static inline pl_vec3 pl_vec3_unit_or(pl_vec3 a, pl_vec3 fallback) {
  double length = pl_vec3_length(a);
  return length > 1e-300 ? pl_vec3_scale(a, 1.0 / length) : fallback;
}
// a + t (b - a)
static inline pl_vec3 pl_vec3_mix(pl_vec3 a, pl_vec3 b, double t) {
  return pl_vec3_add_scaled(a, pl_vec3_sub(b, a), t);
}
static inline pl_vec3 pl_vec3_min(pl_vec3 a, pl_vec3 b) {
  return (pl_vec3){fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z)};
}
static inline pl_vec3 pl_vec3_max(pl_vec3 a, pl_vec3 b) {
  return (pl_vec3){fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z)};
}
static inline bool pl_vec3_is_finite(pl_vec3 a) {
  return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}
// Some unit vector at right angles to the unit vector n; the same one for the same n (Duff et al.
// 2017).
static inline pl_vec3 pl_vec3_perpendicular(pl_vec3 n) {
  double sign = copysign(1.0, n.z);
  double a = -1.0 / (sign + n.z);
  return (pl_vec3){1.0 + sign * n.x * n.x * a, sign * n.x * n.y * a, -sign * n.x};
}

static inline pl_box pl_box_empty(void) {
  return (pl_box){{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
}
static inline pl_box pl_box_with(pl_box box, pl_vec3 point) {
  return (pl_box){pl_vec3_min(box.min, point), pl_vec3_max(box.max, point)};
}
static inline pl_box pl_box_join(pl_box a, pl_box b) {
  return (pl_box){pl_vec3_min(a.min, b.min), pl_vec3_max(a.max, b.max)};
}
static inline pl_box pl_box_grow(pl_box box, double by) {
  pl_vec3 d = {by, by, by};
  return (pl_box){pl_vec3_sub(box.min, d), pl_vec3_add(box.max, d)};
}
static inline bool pl_box_overlaps(pl_box a, pl_box b) {
  return a.min.x <= b.max.x && b.min.x <= a.max.x && a.min.y <= b.max.y && b.min.y <= a.max.y &&
         a.min.z <= b.max.z && b.min.z <= a.max.z;
}
static inline pl_vec3 pl_box_center(pl_box box) {
  return pl_vec3_mix(box.min, box.max, 0.5);
}
// Length of the diagonal; 0 for an empty box.
static inline double pl_box_diagonal(pl_box box) {
  return box.min.x > box.max.x ? 0.0 : pl_vec3_distance(box.min, box.max);
}

#endif
