// Arithmetic on pl_mat3 (row-major).
#ifndef PL_MATH_MAT3_H
#define PL_MATH_MAT3_H

#include "math/vec3.h"

static inline pl_mat3 pl_mat3_zero(void) {
  return (pl_mat3){{{0}}};
}
static inline pl_mat3 pl_mat3_identity(void) {
  return (pl_mat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
}
static inline pl_mat3 pl_mat3_diagonal(double x, double y, double z) {
  return (pl_mat3){{{x, 0, 0}, {0, y, 0}, {0, 0, z}}};
}
static inline pl_mat3 pl_mat3_of_columns(pl_vec3 a, pl_vec3 b, pl_vec3 c) {
  return (pl_mat3){{{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}}};
}
static inline pl_vec3 pl_mat3_column(pl_mat3 a, int j) {
  return (pl_vec3){a.m[0][j], a.m[1][j], a.m[2][j]};
}
static inline pl_vec3 pl_mat3_apply(pl_mat3 a, pl_vec3 v) {
  return (pl_vec3){a.m[0][0] * v.x + a.m[0][1] * v.y + a.m[0][2] * v.z,
                   a.m[1][0] * v.x + a.m[1][1] * v.y + a.m[1][2] * v.z,
                   a.m[2][0] * v.x + a.m[2][1] * v.y + a.m[2][2] * v.z};
}
static inline pl_mat3 pl_mat3_add(pl_mat3 a, pl_mat3 b) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) a.m[i][j] += b.m[i][j];
  return a;
}
static inline pl_mat3 pl_mat3_scale(pl_mat3 a, double s) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) a.m[i][j] *= s;
  return a;
}
static inline pl_mat3 pl_mat3_multiply(pl_mat3 a, pl_mat3 b) {
  pl_mat3 c;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      c.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j];
  return c;
}
static inline pl_mat3 pl_mat3_transpose(pl_mat3 a) {
  return (pl_mat3){{{a.m[0][0], a.m[1][0], a.m[2][0]},
                    {a.m[0][1], a.m[1][1], a.m[2][1]},
                    {a.m[0][2], a.m[1][2], a.m[2][2]}}};
}
// u vᵀ
static inline pl_mat3 pl_mat3_outer(pl_vec3 u, pl_vec3 v) {
  return (pl_mat3){{{u.x * v.x, u.x * v.y, u.x * v.z},
                    {u.y * v.x, u.y * v.y, u.y * v.z},
                    {u.z * v.x, u.z * v.y, u.z * v.z}}};
}
static inline double pl_mat3_determinant(pl_mat3 a) {
  return a.m[0][0] * (a.m[1][1] * a.m[2][2] - a.m[1][2] * a.m[2][1]) -
         a.m[0][1] * (a.m[1][0] * a.m[2][2] - a.m[1][2] * a.m[2][0]) +
         a.m[0][2] * (a.m[1][0] * a.m[2][1] - a.m[1][1] * a.m[2][0]);
}
// Transposed matrix of cofactors: a * adjugate(a) = det(a) * identity, also for singular a.
static inline pl_mat3 pl_mat3_adjugate(pl_mat3 a) {
  pl_vec3 c0 = pl_mat3_column(a, 0), c1 = pl_mat3_column(a, 1), c2 = pl_mat3_column(a, 2);
  pl_vec3 r0 = pl_vec3_cross(c1, c2), r1 = pl_vec3_cross(c2, c0), r2 = pl_vec3_cross(c0, c1);
  return (pl_mat3){{{r0.x, r0.y, r0.z}, {r1.x, r1.y, r1.z}, {r2.x, r2.y, r2.z}}};
}
// The caller knows that det(a) is not zero.
static inline pl_mat3 pl_mat3_inverse(pl_mat3 a) {
  return pl_mat3_scale(pl_mat3_adjugate(a), 1.0 / pl_mat3_determinant(a));
}
// Frobenius norm.
static inline double pl_mat3_norm(pl_mat3 a) {
  double sum = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) sum += a.m[i][j] * a.m[i][j];
  return sqrt(sum);
}
// A power of two that brings the largest element to about 1, so that products neither overflow nor
// vanish and nothing is rounded; 0 for a matrix that is zero or not finite.
static inline double pl_mat3_normalizer(pl_mat3 a) {
  double max = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      if (!isfinite(a.m[i][j])) return 0;
      max = fmax(max, fabs(a.m[i][j]));
    }
  if (max == 0) return 0;
  int exponent;
  frexp(max, &exponent);
  // The limits keep the factor and its inverse normal numbers.
  if (exponent < -1000) exponent = -1000;
  if (exponent > 1000) exponent = 1000;
  return ldexp(1.0, -exponent);
}

#endif
