// What energies of |F|² and det F share: both with their derivatives by F, and φ, which bends |F|²
// near the collapse of an element (fem_neo_hookean.c says why).
#ifndef PL_FEM_INVARIANTS_H
#define PL_FEM_INVARIANTS_H

#include <math.h>
#include <stddef.h>

#include "fem/fem_tet.h"
#include "math/mat3.h"

// Where φ departs from I - 3. Between 0.89 (below, ν = 0 still collapses) and 3 (above, small
// strains would change).
static const double pl_fem_phi_start = 2;

// φ', φ" and φ"' at I.
typedef struct pl_fem_phi {
  double value, first, second, third;
} pl_fem_phi;

static inline pl_fem_phi pl_fem_phi_at(double I) {
  double t = fmax(0.0, 1 - I / pl_fem_phi_start);
  return (pl_fem_phi){I - 3 + pl_fem_phi_start * t * t * t * t / 4, 1 - t * t * t,
                      3 * t * t / pl_fem_phi_start, -6 * t / (pl_fem_phi_start * pl_fem_phi_start)};
}

static inline double pl_fem_dot(const pl_mat3 *a, const pl_mat3 *b) {
  double sum = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) sum += a->m[i][j] * b->m[i][j];
  return sum;
}

static inline pl_mat3 pl_fem_cofactors(const pl_mat3 *F) {
  return pl_mat3_transpose(pl_mat3_adjugate(*F));
}

// Their derivative along L; the columns of cofactors are cross products of the other two.
static inline pl_mat3 pl_fem_cofactors_along(const pl_mat3 *F, const pl_mat3 *L) {
  pl_vec3 column[3];
  for (int j = 0; j < 3; ++j) {
    int k = (j + 1) % 3, l = (j + 2) % 3;
    column[j] = pl_vec3_add(pl_vec3_cross(pl_mat3_column(*F, k), pl_mat3_column(*L, l)),
                            pl_vec3_cross(pl_mat3_column(*L, k), pl_mat3_column(*F, l)));
  }
  return pl_mat3_from_columns(column[0], column[1], column[2]);
}

// C += s ∂G/∂F: the derivative of cofactors at F along A is Σ ε_imn ε_jpq F_mp A_nq, so each pair
// of elements that share neither row nor column holds one element of F, with a sign.
static inline void pl_fem_add_cofactor_tangent(double *C, double s, const pl_mat3 *F) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int n = 1; n < 3; ++n)
        for (int q = 1; q < 3; ++q) {
          int row = (i + n) % 3, column = (j + q) % 3, m = (i + 3 - n) % 3, p = (j + 3 - q) % 3;
          C[9 * (3 * i + j) + 3 * row + column] += n == q ? s * F->m[m][p] : -s * F->m[m][p];
        }
}

// C += s (A⊗B + B⊗A) / 2
static inline void pl_fem_add_product(double *C, double s, const pl_mat3 *A, const pl_mat3 *B) {
  const double *a = &A->m[0][0], *b = &B->m[0][0];
  for (int i = 0; i < 9; ++i)
    for (int j = 0; j < 9; ++j) C[9 * i + j] += 0.5 * s * (a[i] * b[j] + b[i] * a[j]);
}

// μ/2 (I - 3) - μ (J - 1) near rest, where both terms are of first order in the strain E = (FᵀF -
// 1)/2 and cancel to second. With its invariants a = tr E, b = (a² - |E|²)/2, c = det E:  J² - 1 =
// 2 a + 4 b + 8 c, and the difference becomes μ (a (J - 1) - 4 b - 8 c) / (J + 1).
static inline double pl_fem_shear_near_rest(const pl_mat3 *F, double J) {
  pl_mat3 E = pl_mat3_scale(pl_mat3_multiply(pl_mat3_transpose(*F), *F), 0.5);
  for (int i = 0; i < 3; ++i) E.m[i][i] -= 0.5;
  double a = E.m[0][0] + E.m[1][1] + E.m[2][2], b = 0.5 * (a * a - pl_fem_dot(&E, &E)),
         c = pl_mat3_determinant(E);
  double excess = (2 * a + 4 * b + 8 * c) / (J + 1);
  return (a * excess - 4 * b - 8 * c) / (J + 1);
}

// J - 1 with its derivatives: the dilation of these energies.
static inline double pl_fem_volume_dilation(const pl_mat3 *F, pl_mat3 *G, double *C) {
  *G = pl_fem_cofactors(F);
  for (int i = 0; C != NULL && i < 81; ++i) C[i] = 0;
  if (C != NULL) pl_fem_add_cofactor_tangent(C, 1, F);
  return pl_mat3_determinant(*F) - 1;
}

#endif
