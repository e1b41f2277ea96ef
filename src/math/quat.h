// Arithmetic on rotations (unit quaternions) and rigid placements.
#ifndef PL_MATH_QUAT_H
#define PL_MATH_QUAT_H

#include "math/mat3.h"

static inline pl_quat pl_quat_identity(void) {
  return (pl_quat){0, 0, 0, 1};
}
static inline double pl_quat_dot(pl_quat a, pl_quat b) {
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
static inline pl_quat pl_quat_scale(pl_quat a, double s) {
  return (pl_quat){a.x * s, a.y * s, a.z * s, a.w * s};
}
// Unit quaternion; the identity for zero.
static inline pl_quat pl_quat_unit(pl_quat a) {
  double n = sqrt(pl_quat_dot(a, a));
  return n > 1e-300 ? pl_quat_scale(a, 1.0 / n) : pl_quat_identity();
}
static inline pl_quat pl_quat_conjugate(pl_quat a) {
  return (pl_quat){-a.x, -a.y, -a.z, a.w};
}
// First b, then a.
static inline pl_quat pl_quat_multiply(pl_quat a, pl_quat b) {
  return (pl_quat){
      a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
      a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}
static inline pl_vec3 pl_quat_apply(pl_quat q, pl_vec3 v) {
  pl_vec3 u = {q.x, q.y, q.z};
  pl_vec3 t = pl_vec3_scale(pl_vec3_cross(u, v), 2.0);
  return pl_vec3_add(pl_vec3_add_scaled(v, t, q.w), pl_vec3_cross(u, t));
}
// Rotation by |v| radians around v.
static inline pl_quat pl_quat_of_rotation_vector(pl_vec3 v) {
  double angle = pl_vec3_length(v);
  double s = angle > 1e-12 ? sin(0.5 * angle) / angle : 0.5;
  return (pl_quat){s * v.x, s * v.y, s * v.z, cos(0.5 * angle)};
}
static inline pl_quat pl_quat_of_axis_angle(pl_vec3 axis, double angle) {
  return pl_quat_of_rotation_vector(
      pl_vec3_scale(pl_vec3_unit_or(axis, (pl_vec3){0, 1, 0}), angle));
}
static inline pl_mat3 pl_mat3_of_quat(pl_quat q) {
  double x = q.x, y = q.y, z = q.z, w = q.w;
  return (pl_mat3){{{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
                    {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
                    {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}}};
}
// Shortest-arc interpolation at constant speed.
static inline pl_quat pl_quat_slerp(pl_quat a, pl_quat b, double t) {
  double d = pl_quat_dot(a, b);
  if (d < 0) {
    b = pl_quat_scale(b, -1);
    d = -d;
  }
  double s = 1 - t;
  if (d < 0.9995) {
    double angle = acos(d), inverse = 1 / sin(angle);
    s = sin(s * angle) * inverse;
    t = sin(t * angle) * inverse;
  }
  return pl_quat_unit(
      (pl_quat){s * a.x + t * b.x, s * a.y + t * b.y, s * a.z + t * b.z, s * a.w + t * b.w});
}

static inline pl_transform pl_transform_identity(void) {
  return (pl_transform){{0, 0, 0}, {0, 0, 0, 1}};
}
// Finite, with a rotation that can be made a unit.
static inline bool pl_transform_is_valid(pl_transform t) {
  double norm = pl_quat_dot(t.rotation, t.rotation);
  return pl_vec3_is_finite(t.position) && isfinite(norm) && norm > 1e-12;
}
static inline pl_vec3 pl_transform_apply(pl_transform t, pl_vec3 p) {
  return pl_vec3_add(pl_quat_apply(t.rotation, p), t.position);
}
// The point whose image is p.
static inline pl_vec3 pl_transform_unapply(pl_transform t, pl_vec3 p) {
  return pl_quat_apply(pl_quat_conjugate(t.rotation), pl_vec3_sub(p, t.position));
}
// First b, then a.
static inline pl_transform pl_transform_multiply(pl_transform a, pl_transform b) {
  return (pl_transform){pl_transform_apply(a, b.position),
                        pl_quat_unit(pl_quat_multiply(a.rotation, b.rotation))};
}

#endif
