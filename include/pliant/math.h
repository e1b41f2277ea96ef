/// @file math.h
/// Vectors, rotations, matrices, transforms and boxes: the value types that other headers use, and
/// arithmetic on them.
///
/// All functions here are inline, take and return values, and keep no state: they may be called
/// from any thread. None allocates and none fails; infinities and NaNs pass through as IEEE
/// arithmetic defines it.
#ifndef PLIANT_MATH_H
#define PLIANT_MATH_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Pi.
#define PL_PI 3.14159265358979323846

/// Point or vector in metres (or another unit where stated).
typedef struct pl_vec3 {
  double x, y, z;
} pl_vec3;

/// Rotation as a unit quaternion; w is the real part. Zero is not a rotation: the identity is {0,
/// 0, 0, 1}.
typedef struct pl_quat {
  double x, y, z, w;
} pl_quat;

/// 3x3 matrix, row-major: m[row][column].
typedef struct pl_mat3 {
  double m[3][3];
} pl_mat3;

/// Rigid transform: point -> rotation * point + position.
typedef struct pl_transform {
  pl_vec3 position;
  pl_quat rotation;
} pl_transform;

/// Axis-aligned box; empty when a `min` component exceeds its `max`.
typedef struct pl_box {
  pl_vec3 min, max;
} pl_box;

// --- vectors
// --------------------------------------------------------------------------------------

/// The vector (x, y, z).
static inline pl_vec3 pl_vec3_of(double x, double y, double z) {
  pl_vec3 v = {x, y, z};
  return v;
}

/// a + b.
static inline pl_vec3 pl_vec3_add(pl_vec3 a, pl_vec3 b) {
  return pl_vec3_of(a.x + b.x, a.y + b.y, a.z + b.z);
}

/// a - b.
static inline pl_vec3 pl_vec3_sub(pl_vec3 a, pl_vec3 b) {
  return pl_vec3_of(a.x - b.x, a.y - b.y, a.z - b.z);
}

/// s a.
static inline pl_vec3 pl_vec3_scale(pl_vec3 a, double s) {
  return pl_vec3_of(a.x * s, a.y * s, a.z * s);
}

/// a + s b.
static inline pl_vec3 pl_vec3_add_scaled(pl_vec3 a, pl_vec3 b, double s) {
  return pl_vec3_of(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

/// Dot product.
static inline double pl_vec3_dot(pl_vec3 a, pl_vec3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

/// Cross product a x b.
static inline pl_vec3 pl_vec3_cross(pl_vec3 a, pl_vec3 b) {
  return pl_vec3_of(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

/// Euclidean length.
static inline double pl_vec3_length(pl_vec3 a) {
  return sqrt(pl_vec3_dot(a, a));
}

/// Distance of two points.
static inline double pl_vec3_distance(pl_vec3 a, pl_vec3 b) {
  return pl_vec3_length(pl_vec3_sub(a, b));
}

/// a divided by its length, or `fallback` when the length is below 1e-300.
static inline pl_vec3 pl_vec3_normalize_or(pl_vec3 a, pl_vec3 fallback) {
  double length = pl_vec3_length(a);
  return length > 1e-300 ? pl_vec3_scale(a, 1.0 / length) : fallback;
}

/// Linear interpolation a + t (b - a).
static inline pl_vec3 pl_vec3_lerp(pl_vec3 a, pl_vec3 b, double t) {
  return pl_vec3_add_scaled(a, pl_vec3_sub(b, a), t);
}

/// Minimum of each component; that of `a` where either is NaN.
static inline pl_vec3 pl_vec3_min(pl_vec3 a, pl_vec3 b) {
  return pl_vec3_of(b.x < a.x ? b.x : a.x, b.y < a.y ? b.y : a.y, b.z < a.z ? b.z : a.z);
}

/// Maximum of each component; that of `a` where either is NaN.
static inline pl_vec3 pl_vec3_max(pl_vec3 a, pl_vec3 b) {
  return pl_vec3_of(b.x > a.x ? b.x : a.x, b.y > a.y ? b.y : a.y, b.z > a.z ? b.z : a.z);
}

/// Whether no component is infinite or NaN.
static inline bool pl_vec3_is_finite(pl_vec3 a) {
  return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

/// A unit vector perpendicular to the unit vector `n`; the same one for the same `n` (Duff et al.
/// 2017).
static inline pl_vec3 pl_vec3_perpendicular(pl_vec3 n) {
  double sign = copysign(1.0, n.z);
  double a = -1.0 / (sign + n.z);
  return pl_vec3_of(1.0 + sign * n.x * n.x * a, sign * n.x * n.y * a, -sign * n.x);
}

// --- matrices
// -------------------------------------------------------------------------------------

/// The identity matrix.
static inline pl_mat3 pl_mat3_identity(void) {
  pl_mat3 a = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  return a;
}

/// The matrix with columns a, b and c.
static inline pl_mat3 pl_mat3_from_columns(pl_vec3 a, pl_vec3 b, pl_vec3 c) {
  pl_mat3 m = {{{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}}};
  return m;
}

/// Column `j`, 0 to 2.
static inline pl_vec3 pl_mat3_column(pl_mat3 a, int j) {
  return pl_vec3_of(a.m[0][j], a.m[1][j], a.m[2][j]);
}

/// Matrix times vector, a v.
static inline pl_vec3 pl_mat3_apply(pl_mat3 a, pl_vec3 v) {
  return pl_vec3_of(a.m[0][0] * v.x + a.m[0][1] * v.y + a.m[0][2] * v.z,
                    a.m[1][0] * v.x + a.m[1][1] * v.y + a.m[1][2] * v.z,
                    a.m[2][0] * v.x + a.m[2][1] * v.y + a.m[2][2] * v.z);
}

/// s a.
static inline pl_mat3 pl_mat3_scale(pl_mat3 a, double s) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) a.m[i][j] *= s;
  return a;
}

/// Matrix product a b.
static inline pl_mat3 pl_mat3_multiply(pl_mat3 a, pl_mat3 b) {
  pl_mat3 c;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      c.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j];
  return c;
}

/// Transpose.
static inline pl_mat3 pl_mat3_transpose(pl_mat3 a) {
  pl_mat3 t = {{{a.m[0][0], a.m[1][0], a.m[2][0]},
                {a.m[0][1], a.m[1][1], a.m[2][1]},
                {a.m[0][2], a.m[1][2], a.m[2][2]}}};
  return t;
}

/// Determinant.
static inline double pl_mat3_determinant(pl_mat3 a) {
  return a.m[0][0] * (a.m[1][1] * a.m[2][2] - a.m[1][2] * a.m[2][1]) -
         a.m[0][1] * (a.m[1][0] * a.m[2][2] - a.m[1][2] * a.m[2][0]) +
         a.m[0][2] * (a.m[1][0] * a.m[2][1] - a.m[1][1] * a.m[2][0]);
}

/// Adjugate (transposed matrix of cofactors): a adjugate(a) = det(a) identity, also for a singular
/// matrix.
static inline pl_mat3 pl_mat3_adjugate(pl_mat3 a) {
  pl_vec3 c0 = pl_mat3_column(a, 0), c1 = pl_mat3_column(a, 1), c2 = pl_mat3_column(a, 2);
  pl_vec3 r0 = pl_vec3_cross(c1, c2), r1 = pl_vec3_cross(c2, c0), r2 = pl_vec3_cross(c0, c1);
  pl_mat3 m = {{{r0.x, r0.y, r0.z}, {r1.x, r1.y, r1.z}, {r2.x, r2.y, r2.z}}};
  return m;
}

/// Inverse. The determinant must not be zero.
static inline pl_mat3 pl_mat3_inverse(pl_mat3 a) {
  return pl_mat3_scale(pl_mat3_adjugate(a), 1.0 / pl_mat3_determinant(a));
}

// --- rotations
// ------------------------------------------------------------------------------------

/// The identity rotation.
static inline pl_quat pl_quat_identity(void) {
  pl_quat q = {0, 0, 0, 1};
  return q;
}

/// Dot product of the four components.
static inline double pl_quat_dot(pl_quat a, pl_quat b) {
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

/// All four components times s.
static inline pl_quat pl_quat_scale(pl_quat a, double s) {
  pl_quat q = {a.x * s, a.y * s, a.z * s, a.w * s};
  return q;
}

/// a divided by its length; the identity when the length is below 1e-300.
static inline pl_quat pl_quat_normalize(pl_quat a) {
  double n = sqrt(pl_quat_dot(a, a));
  return n > 1e-300 ? pl_quat_scale(a, 1.0 / n) : pl_quat_identity();
}

/// Conjugate: the inverse rotation of a unit quaternion.
static inline pl_quat pl_quat_conjugate(pl_quat a) {
  pl_quat q = {-a.x, -a.y, -a.z, a.w};
  return q;
}

/// Product a b: the rotation b followed by the rotation a.
static inline pl_quat pl_quat_multiply(pl_quat a, pl_quat b) {
  pl_quat q = {
      a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
      a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
  return q;
}

/// The vector v rotated by the unit quaternion q.
static inline pl_vec3 pl_quat_rotate(pl_quat q, pl_vec3 v) {
  pl_vec3 u = pl_vec3_of(q.x, q.y, q.z);
  pl_vec3 t = pl_vec3_scale(pl_vec3_cross(u, v), 2.0);
  return pl_vec3_add(pl_vec3_add_scaled(v, t, q.w), pl_vec3_cross(u, t));
}

/// Rotation around `v` by as many radians as `v` is long.
static inline pl_quat pl_quat_from_rotation_vector(pl_vec3 v) {
  double angle = pl_vec3_length(v);
  double s = angle > 1e-12 ? sin(0.5 * angle) / angle : 0.5;
  pl_quat q = {s * v.x, s * v.y, s * v.z, cos(0.5 * angle)};
  return q;
}

/// Rotation by `angle` radians around `axis`, a vector of any length. A zero axis counts as +Y.
static inline pl_quat pl_quat_from_axis_angle(pl_vec3 axis, double angle) {
  return pl_quat_from_rotation_vector(
      pl_vec3_scale(pl_vec3_normalize_or(axis, pl_vec3_of(0, 1, 0)), angle));
}

/// Spherical linear interpolation from a (t = 0) to b (t = 1) along the shorter arc.
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
  pl_quat q = {s * a.x + t * b.x, s * a.y + t * b.y, s * a.z + t * b.z, s * a.w + t * b.w};
  return pl_quat_normalize(q);
}

/// Rotation matrix of a unit quaternion.
static inline pl_mat3 pl_mat3_from_quat(pl_quat q) {
  double x = q.x, y = q.y, z = q.z, w = q.w;
  pl_mat3 m = {{{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
                {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
                {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}}};
  return m;
}

// --- rigid transforms
// -----------------------------------------------------------------------------

/// The identity transform.
static inline pl_transform pl_transform_identity(void) {
  pl_transform t = {{0, 0, 0}, {0, 0, 0, 1}};
  return t;
}

/// Whether the transform is finite and its rotation can be normalized.
static inline bool pl_transform_is_valid(pl_transform t) {
  double norm = pl_quat_dot(t.rotation, t.rotation);
  return pl_vec3_is_finite(t.position) && isfinite(norm) && norm > 1e-12;
}

/// The point p transformed by t.
static inline pl_vec3 pl_transform_apply(pl_transform t, pl_vec3 p) {
  return pl_vec3_add(pl_quat_rotate(t.rotation, p), t.position);
}

/// The point p transformed by the inverse of t.
static inline pl_vec3 pl_transform_apply_inverse(pl_transform t, pl_vec3 p) {
  return pl_quat_rotate(pl_quat_conjugate(t.rotation), pl_vec3_sub(p, t.position));
}

/// Product a b: the transform b followed by the transform a, with its rotation normalized.
static inline pl_transform pl_transform_multiply(pl_transform a, pl_transform b) {
  pl_transform t = {pl_transform_apply(a, b.position),
                    pl_quat_normalize(pl_quat_multiply(a.rotation, b.rotation))};
  return t;
}

// --- boxes
// ----------------------------------------------------------------------------------------

/// The empty box.
static inline pl_box pl_box_empty(void) {
  pl_box box = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
  return box;
}

/// The smallest box that contains `box` and `point`.
static inline pl_box pl_box_add_point(pl_box box, pl_vec3 point) {
  pl_box sum = {pl_vec3_min(box.min, point), pl_vec3_max(box.max, point)};
  return sum;
}

/// The smallest box that contains a and b.
static inline pl_box pl_box_merge(pl_box a, pl_box b) {
  pl_box sum = {pl_vec3_min(a.min, b.min), pl_vec3_max(a.max, b.max)};
  return sum;
}

/// `box` with every side moved outwards by `distance` metres.
static inline pl_box pl_box_expand(pl_box box, double distance) {
  pl_vec3 d = pl_vec3_of(distance, distance, distance);
  pl_box larger = {pl_vec3_sub(box.min, d), pl_vec3_add(box.max, d)};
  return larger;
}

/// Whether two boxes have a point in common; touching boxes do.
static inline bool pl_box_overlaps(pl_box a, pl_box b) {
  return a.min.x <= b.max.x && b.min.x <= a.max.x && a.min.y <= b.max.y && b.min.y <= a.max.y &&
         a.min.z <= b.max.z && b.min.z <= a.max.z;
}

/// Centre of a box that is not empty.
static inline pl_vec3 pl_box_center(pl_box box) {
  return pl_vec3_lerp(box.min, box.max, 0.5);
}

/// Length of the diagonal, metres; 0 for an empty box.
static inline double pl_box_diagonal(pl_box box) {
  return box.min.x > box.max.x ? 0.0 : pl_vec3_distance(box.min, box.max);
}

#ifdef __cplusplus
}
#endif
#endif
