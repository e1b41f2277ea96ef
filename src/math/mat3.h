// Arithmetic on pl_mat3 (row-major) beyond what pliant/math.h has.
#ifndef PL_MATH_MAT3_H
#define PL_MATH_MAT3_H

#include "pliant/math.h"

static inline pl_mat3 pl_mat3_zero(void) {
  return (pl_mat3){{{0}}};
}
static inline pl_mat3 pl_mat3_diagonal(double x, double y, double z) {
  return (pl_mat3){{{x, 0, 0}, {0, y, 0}, {0, 0, z}}};
}
static inline pl_mat3 pl_mat3_add(pl_mat3 a, pl_mat3 b) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) a.m[i][j] += b.m[i][j];
  return a;
}
// u vᵀ
static inline pl_mat3 pl_mat3_outer(pl_vec3 u, pl_vec3 v) {
  return (pl_mat3){{{u.x * v.x, u.x * v.y, u.x * v.z},
                    {u.y * v.x, u.y * v.y, u.y * v.z},
                    {u.z * v.x, u.z * v.y, u.z * v.z}}};
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
