// Stable neo-Hookean tets: rubber that recovers from any flattening and inversion.
//
//   ψ = μ/2 φ(I) - μ (J - 1) + κ/2 (J - 1)²      I = |F|²,  J = det F,  κ = λ + μ
//
// This is the energy that Smith, de Goes and Kim (Stable Neo-Hookean Flesh Simulation, 2018) arrive at before their
// last step: no logarithm of J, hence smooth through J = 0, at rest for F = 1, and with κ = λ + μ the linear elasticity
// of the Lamé constants λ, μ for small strains. With φ(I) = I - 3 it has one flaw, which they name: an element crushed
// to a small ball is drawn on to a point, where ψ has a local minimum, since μ/2 I pulls inwards to first order and J
// to third. They add a logarithm of I + 1; that changes the material everywhere (uniaxial stress at stretch 2 by 11 %,
// in the incompressible limit) and needs refitted constants. Here φ departs from I - 3 only where I < 2:
//
//   φ' = 1 - t³,  t = max(0, 1 - I/2)        φ = I - 3 + t⁴/2
//
// At volume preserved I >= 3, so that the incompressible limit is exactly σ = μ (l - l⁻²); φ' vanishes at I = 0 as
// theirs does, and the pull inwards is weaker than the volume's push outwards all the way down (for Poisson's ratio >=
// 0). φ has three continuous derivatives, which is enough here.
//
//   P = μ φ' F + k G          G = ∂J/∂F, the matrix of cofactors;  k = κ (J - 1) - μ
//   C = μ φ' 1 + 2 μ φ" F⊗F + κ G⊗G + k ∂G/∂F
#include "fem/fem_invariants.h"

static double energy(const pl_mat3 *F, pl_fem_lame lame) {
  double J = pl_mat3_determinant(*F), I = pl_fem_dot(F, F);
  double shear = fabs(I - 3) < 0.1 && J > 0.5 ? pl_fem_shear_near_rest(F, J) : 0.5 * pl_fem_phi_at(I).value - (J - 1);
  return lame.mu * shear + 0.5 * (lame.lambda + lame.mu) * (J - 1) * (J - 1);
}

static void stress(const pl_mat3 *F, pl_fem_lame lame, pl_mat3 *P) {
  pl_mat3 G = pl_fem_cofactors(F);
  double k = (lame.lambda + lame.mu) * (pl_mat3_determinant(*F) - 1) - lame.mu;
  *P = pl_mat3_add(pl_mat3_scale(*F, lame.mu * pl_fem_phi_at(pl_fem_dot(F, F)).first), pl_mat3_scale(G, k));
}

static void tangent(const pl_mat3 *F, pl_fem_lame lame, pl_mat3 *P, double *C) {
  pl_mat3 G = pl_fem_cofactors(F);
  pl_fem_phi phi = pl_fem_phi_at(pl_fem_dot(F, F));
  double kappa = lame.lambda + lame.mu, k = kappa * (pl_mat3_determinant(*F) - 1) - lame.mu;
  const double *f = &F->m[0][0], *g = &G.m[0][0];
  double along = 2 * lame.mu * phi.second;
  for (int i = 0; i < 9; ++i) {
    for (int j = 0; j < 9; ++j) C[9 * i + j] = along * f[i] * f[j] + kappa * g[i] * g[j];
    C[10 * i] += lame.mu * phi.first;
  }
  pl_fem_add_cofactor_tangent(C, k, F);
  *P = pl_mat3_add(pl_mat3_scale(*F, lame.mu * phi.first), pl_mat3_scale(G, k));
}

static void third(const pl_mat3 *F, pl_fem_lame lame, const pl_mat3 *L, pl_mat3 *P, double *C, double *Q) {
  tangent(F, lame, P, C);
  pl_mat3 G = pl_fem_cofactors(F), dG = pl_fem_cofactors_along(F, L);
  pl_fem_phi phi = pl_fem_phi_at(pl_fem_dot(F, F));
  double kappa = lame.lambda + lame.mu, k = kappa * (pl_mat3_determinant(*F) - 1) - lame.mu;
  double dI = 2 * pl_fem_dot(F, L), dJ = pl_fem_dot(&G, L);

  for (int i = 0; i < 81; ++i) Q[i] = 0;
  for (int i = 0; i < 9; ++i) Q[10 * i] = lame.mu * phi.second * dI;
  pl_fem_add_product(Q, 2 * lame.mu * phi.third * dI, F, F);
  pl_fem_add_product(Q, 4 * lame.mu * phi.second, F, L);
  pl_fem_add_product(Q, 2 * kappa, &G, &dG);
  pl_fem_add_cofactor_tangent(Q, kappa * dJ, F);
  pl_fem_add_cofactor_tangent(Q, k, L);
}

const pl_fem_density pl_fem_neo_hookean_density = {energy, stress, tangent, third, pl_fem_volume_dilation, 2};

PL_FEM_TET_ENERGY(pl_fem_neo_hookean_tet, "neo-Hookean tet", pl_fem_neo_hookean_density, 2);
