// Rotation and stretch of a deformation gradient F = R S, and how the rotation changes with F.
//
// A change A of F turns R by dR = R [w], where [w] is the cross product matrix of w = K ax(Rᵀ A), K
// = (tr S 1 - S)⁻¹ and ax(M) = (M21 - M12, M02 - M20, M10 - M01) (Barbič 2012, Exact Corotational
// Linear FEM Stiffness Matrix).
//
// The matrix tr S 1 - S has the eigenvalues s_i + s_j over pairs of signed principal stretches. R,
// the rotation with the greatest trace of Rᵀ F, is unique and smooth where all three are positive:
// also for flat elements and for inverted ones (s_3 < 0) as long as s_2 > |s_3|. Where s_2 + s_3 =
// 0, for elements collapsed to a line or inverted as far as the next stretch, several rotations are
// equally near and R jumps. One of them is taken, with det +1. Sums below 1e-8 are replaced by 1e-8
// in K, so that everything stays finite; anywhere farther away than that, all is exact.
#ifndef PL_FEM_POLAR_H
#define PL_FEM_POLAR_H

#include "math/mat3.h"

typedef struct pl_fem_polar {
  pl_mat3 R, S, K;
  double trace;  // of S
} pl_fem_polar;

void pl_fem_polar_of(const pl_mat3 *F, pl_fem_polar *p);

static inline pl_vec3 pl_fem_axial(const pl_mat3 *a) {
  return (pl_vec3){a->m[2][1] - a->m[1][2], a->m[0][2] - a->m[2][0], a->m[1][0] - a->m[0][1]};
}

static inline pl_mat3 pl_fem_cross_matrix(pl_vec3 w) {
  return (pl_mat3){{{0, -w.z, w.y}, {w.z, 0, -w.x}, {-w.y, w.x, 0}}};
}

static inline pl_mat3 pl_fem_symmetric_part(const pl_mat3 *a) {
  pl_mat3 s;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) s.m[i][j] = 0.5 * (a->m[i][j] + a->m[j][i]);
  return s;
}

#endif
