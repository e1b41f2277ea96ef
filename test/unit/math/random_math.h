// Random matrices and rotations for the tests of this folder.
#ifndef PL_TEST_RANDOM_MATH_H
#define PL_TEST_RANDOM_MATH_H

#include "base/random.h"
#include "check.h"
#include "math/mat3.h"
#include "pliant/math.h"

static inline pl_vec3 random_vec3(pl_random *random) {
  double x = pl_random_normal(random), y = pl_random_normal(random), z = pl_random_normal(random);
  return (pl_vec3){x, y, z};
}

static inline pl_mat3 random_mat3(pl_random *random) {
  pl_mat3 a;
  for (int i = 0; i < 9; ++i) a.m[i / 3][i % 3] = pl_random_normal(random);
  return a;
}

// Uniform over all rotations.
static inline pl_quat random_quat(pl_random *random) {
  pl_vec3 v = random_vec3(random);
  return pl_quat_normalize((pl_quat){v.x, v.y, v.z, pl_random_normal(random)});
}

// u diag(s) vᵀ with random rotations u and v.
static inline pl_mat3 mat3_of_stretches(pl_random *random, double s0, double s1, double s2) {
  pl_mat3 u = pl_mat3_from_quat(random_quat(random)), v = pl_mat3_from_quat(random_quat(random));
  return pl_mat3_multiply(pl_mat3_multiply(u, pl_mat3_diagonal(s0, s1, s2)), pl_mat3_transpose(v));
}

static inline double mat3_distance(pl_mat3 a, pl_mat3 b) {
  return pl_mat3_norm(pl_mat3_add(a, pl_mat3_scale(b, -1)));
}

// trace(aᵀ b)
static inline double mat3_dot(pl_mat3 a, pl_mat3 b) {
  double sum = 0;
  for (int i = 0; i < 9; ++i) sum += a.m[i / 3][i % 3] * b.m[i / 3][i % 3];
  return sum;
}

static inline void check_is_rotation(pl_mat3 r, double tolerance) {
  check_near(mat3_distance(pl_mat3_multiply(r, pl_mat3_transpose(r)), pl_mat3_identity()), 0, tolerance);
  check_near(pl_mat3_determinant(r), 1, tolerance);
}

#endif
