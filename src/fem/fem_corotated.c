// Corotated linear tets, exactly as paper 002, eqs. 1-3:  f = V R Bᵀ E B (Rᵀ x - X), with R the rotation nearest to F.
//
// The linear strain of Rᵀ x - X is S - 1 with the symmetric S = Rᵀ F. With E made of Lamé's constants λ and μ the force
// is the gradient of
//
//   ψ = μ |S - 1|² + λ/2 tr(S - 1)² = μ (|F|² - 2 τ + 3) + λ/2 (τ - 3)²        τ = tr S = R : F
//
// so besides |F|² it depends on F through τ alone, whose derivatives are those of the rotation: ∂τ/∂F = R. That gives
// all of them:
//
//   P = 2 μ F + c R                           c = λ (τ - 3) - 2 μ
//   C = 2 μ 1 + λ R⊗R + c ∂R                  ∂R = L K Lᵀ
//   Q = λ (R : Λ) ∂R + λ (∂R Λ ⊗ R + R ⊗ ∂R Λ) + c ∂²R Λ
//
// A change A of F turns R by dR = R [w], where [w] is the cross product matrix of w = K ax(Rᵀ A), K = (tr S 1 - S)⁻¹
// and ax(M) = (M21 - M12, M02 - M20, M10 - M01) (Barbič 2012, Exact Corotational Linear FEM Stiffness Matrix). As 9 x 9
// matrix that is L K Lᵀ, where the columns of L are R [e_k]. Along Λ it changes by dL = (R [w] [e_k]) and dK = -K (tr
// dS 1 - dS) K with dS = Rᵀ Λ - [w] S.
//
// Where ψ is smooth, and what is done where it is not, is said in fem_polar.h: elements collapsed to a line or inverted
// as far as the next stretch lie on a crease of ψ, where the force jumps between several equally near rotations.
//
// This is the version for one tet, with all derivatives. Steps use the one for four tets at a time,
// fem_assemble_kernel.h, which has energy, gradient and Hessian; test_assemble.c compares the two.
#include <stddef.h>

#include "fem/fem_polar.h"
#include "fem/fem_tet.h"
#include "math/mat3.h"

// --- energy, stress and tangent -----------------------------------------------------------------------------------

static double energy(const pl_mat3 *F, pl_fem_lame lame) {
  pl_fem_polar p;
  pl_fem_polar_of(F, &p);
  pl_mat3 strain = pl_mat3_add(p.S, pl_mat3_diagonal(-1, -1, -1));
  double dilation = strain.m[0][0] + strain.m[1][1] + strain.m[2][2];
  return lame.mu * pl_mat3_norm(strain) * pl_mat3_norm(strain) + 0.5 * lame.lambda * dilation * dilation;
}

static void stress_of(const pl_mat3 *F, const pl_fem_polar *p, pl_fem_lame lame, pl_mat3 *P) {
  double push = lame.lambda * (p->trace - 3);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) P->m[i][j] = 2 * lame.mu * (F->m[i][j] - p->R.m[i][j]) + push * p->R.m[i][j];
}

static void stress(const pl_mat3 *F, pl_fem_lame lame, pl_mat3 *P) {
  pl_fem_polar p;
  pl_fem_polar_of(F, &p);
  stress_of(F, &p, lame, P);
}

// L: rows of three for the nine elements of R [e_0], R [e_1], R [e_2].
static void turning_basis(const pl_mat3 *R, double L[9][3]) {
  for (int i = 0; i < 3; ++i) {
    const double *r = R->m[i];
    double rows[3][3] = {{0, -r[2], r[1]}, {r[2], 0, -r[0]}, {-r[1], r[0], 0}};
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k) L[3 * i + j][k] = rows[j][k];
  }
}

// C += s (A K Bᵀ + B K Aᵀ) / 2
static void add_turning(double *C, double s, const double A[9][3], const pl_mat3 *K, const double B[9][3]) {
  double KA[9][3], KB[9][3];
  for (int i = 0; i < 9; ++i)
    for (int k = 0; k < 3; ++k) {
      KA[i][k] = 0.5 * s * (A[i][0] * K->m[0][k] + A[i][1] * K->m[1][k] + A[i][2] * K->m[2][k]);
      KB[i][k] = 0.5 * s * (B[i][0] * K->m[0][k] + B[i][1] * K->m[1][k] + B[i][2] * K->m[2][k]);
    }
  for (int i = 0; i < 9; ++i)
    for (int j = 0; j < 9; ++j)
      C[9 * i + j] += KA[i][0] * B[j][0] + KA[i][1] * B[j][1] + KA[i][2] * B[j][2] + KB[i][0] * A[j][0] +
                      KB[i][1] * A[j][1] + KB[i][2] * A[j][2];
}

static void tangent_of(const pl_fem_polar *p, pl_fem_lame lame, double *C) {
  double L[9][3], scaled[9][3], c = lame.lambda * (p->trace - 3) - 2 * lame.mu;
  const double *r = &p->R.m[0][0];
  turning_basis(&p->R, L);
  for (int i = 0; i < 9; ++i)
    for (int k = 0; k < 3; ++k)
      scaled[i][k] = c * (L[i][0] * p->K.m[0][k] + L[i][1] * p->K.m[1][k] + L[i][2] * p->K.m[2][k]);
  for (int i = 0; i < 9; ++i)
    for (int j = i; j < 9; ++j) {
      double value =
          lame.lambda * r[i] * r[j] + scaled[i][0] * L[j][0] + scaled[i][1] * L[j][1] + scaled[i][2] * L[j][2];
      C[9 * i + j] = value;
      C[9 * j + i] = value;
    }
  for (int i = 0; i < 9; ++i) C[10 * i] += 2 * lame.mu;
}

static void tangent(const pl_mat3 *F, pl_fem_lame lame, pl_mat3 *P, double *C) {
  pl_fem_polar p;
  pl_fem_polar_of(F, &p);
  stress_of(F, &p, lame, P);
  tangent_of(&p, lame, C);
}

// --- third derivatives --------------------------------------------------------------------------------------------

static void third(const pl_mat3 *F, pl_fem_lame lame, const pl_mat3 *direction, pl_mat3 *P, double *C, double *Q) {
  pl_fem_polar p;
  pl_fem_polar_of(F, &p);
  stress_of(F, &p, lame, P);
  tangent_of(&p, lame, C);

  // How R, L, S and K change along the direction.
  pl_mat3 seen = pl_mat3_multiply(pl_mat3_transpose(p.R), *direction);
  pl_mat3 turn = pl_fem_cross_matrix(pl_mat3_apply(p.K, pl_fem_axial(&seen)));
  pl_mat3 dR = pl_mat3_multiply(p.R, turn);
  pl_mat3 dS = pl_mat3_add(seen, pl_mat3_scale(pl_mat3_multiply(turn, p.S), -1));
  double dtrace = seen.m[0][0] + seen.m[1][1] + seen.m[2][2];
  pl_mat3 dH = pl_mat3_scale(pl_fem_symmetric_part(&dS), -1);
  for (int i = 0; i < 3; ++i) dH.m[i][i] += dtrace;
  pl_mat3 dK = pl_mat3_scale(pl_mat3_multiply(pl_mat3_multiply(p.K, dH), p.K), -1);
  double L[9][3], dL[9][3];
  turning_basis(&p.R, L);
  turning_basis(&dR, dL);

  double c = lame.lambda * (p.trace - 3) - 2 * lame.mu;
  const double *r = &p.R.m[0][0], *dr = &dR.m[0][0];
  for (int i = 0; i < 9; ++i)
    for (int j = 0; j < 9; ++j) Q[9 * i + j] = lame.lambda * (dr[i] * r[j] + r[i] * dr[j]);
  pl_mat3 weights = pl_mat3_add(pl_mat3_scale(p.K, lame.lambda * dtrace), pl_mat3_scale(dK, c));
  add_turning(Q, 1, (const double(*)[3])L, &weights, (const double(*)[3])L);
  add_turning(Q, 2 * c, (const double(*)[3])dL, &p.K, (const double(*)[3])L);
}

// τ - 3, whose derivatives are R and ∂R.
static double dilation(const pl_mat3 *F, pl_mat3 *G, double *C) {
  pl_fem_polar p;
  pl_fem_polar_of(F, &p);
  *G = p.R;
  if (C != NULL) {
    double L[9][3];
    turning_basis(&p.R, L);
    for (int i = 0; i < 81; ++i) C[i] = 0;
    add_turning(C, 1, (const double(*)[3])L, &p.K, (const double(*)[3])L);
  }
  return p.trace - 3;
}

const pl_fem_density pl_fem_corotated_density = {energy, stress, tangent, third, dilation, 2};

PL_FEM_TET_ENERGY(pl_fem_corotated_tet, "corotated tet", pl_fem_corotated_density, 2);
