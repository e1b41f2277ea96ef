// Yeoh's rubber: neo-Hookean for small strains, stiffer or softer as they grow.
//
//   ψ = ½ (μ K + a K² + b K³) + κ/2 (J - 1)²        K = φ(|F|²) - 2 (J - 1),  κ = λ + μ
//
// K is twice what the stable neo-Hookean energy multiplies with μ (fem_neo_hookean.c), so a = b = 0 is that energy. At
// volume preserved K = I - 3, and ψ is Yeoh's Σ c_i (I - 3)^i with c_1 = μ/2, c_2 = a/2, c_3 = b/2: the parameters
// `stiffening` and `late_stiffening` are c_2 / c_1 and c_3 / c_1. K is of second order in the strain, so that neither
// changes the moduli at rest, with whatever Poisson's ratio. (I - 3 itself would: its square is of second order in the
// dilation.)
//
//   f = ½ (μ K + a K² + b K³)                     f', f", f"' by K
//   ∂K = 2 (φ' F - G)                             ∂²K = 2 (φ' 1 + 2 φ" F⊗F - ∂G)
//   P = f' ∂K + κ (J - 1) G
//   C = f" ∂K⊗∂K + f' ∂²K + κ G⊗G + κ (J - 1) ∂G
#include "fem/fem_invariants.h"

// K and what f is at it.
typedef struct measure {
  double K, f1, f2, f3;
  pl_fem_phi phi;
  pl_mat3 G, by;  // ∂J, ∂K
  double J;
} measure;

static double measure_of(const pl_mat3 *F, double J) {
  double I = pl_fem_dot(F, F);
  return fabs(I - 3) < 0.1 && J > 0.5 ? 2 * pl_fem_shear_near_rest(F, J) : pl_fem_phi_at(I).value - 2 * (J - 1);
}

static measure measure_at(const pl_mat3 *F, pl_fem_lame c) {
  measure m = {.J = pl_mat3_determinant(*F), .phi = pl_fem_phi_at(pl_fem_dot(F, F)), .G = pl_fem_cofactors(F)};
  m.K = measure_of(F, m.J);
  m.f1 = 0.5 * c.mu + c.second * m.K + 1.5 * c.third * m.K * m.K;
  m.f2 = c.second + 3 * c.third * m.K;
  m.f3 = 3 * c.third;
  m.by = pl_mat3_add(pl_mat3_scale(*F, 2 * m.phi.first), pl_mat3_scale(m.G, -2));
  return m;
}

static double energy(const pl_mat3 *F, pl_fem_lame c) {
  double J = pl_mat3_determinant(*F), K = measure_of(F, J);
  return 0.5 * K * (c.mu + K * (c.second + K * c.third)) + 0.5 * (c.lambda + c.mu) * (J - 1) * (J - 1);
}

static void stress_of(const measure *m, pl_fem_lame c, pl_mat3 *P) {
  double push = (c.lambda + c.mu) * (m->J - 1);
  *P = pl_mat3_add(pl_mat3_scale(m->by, m->f1), pl_mat3_scale(m->G, push));
}

static void stress(const pl_mat3 *F, pl_fem_lame c, pl_mat3 *P) {
  measure m = measure_at(F, c);
  stress_of(&m, c, P);
}

// s ∂²K
static void add_measure_tangent(double *C, double s, const pl_mat3 *F, const pl_fem_phi *phi) {
  for (int i = 0; i < 9; ++i) C[10 * i] += 2 * s * phi->first;
  pl_fem_add_product(C, 4 * s * phi->second, F, F);
  pl_fem_add_cofactor_tangent(C, -2 * s, F);
}

static void tangent_of(const pl_mat3 *F, const measure *m, pl_fem_lame c, double *C) {
  double kappa = c.lambda + c.mu;
  for (int i = 0; i < 81; ++i) C[i] = 0;
  pl_fem_add_product(C, m->f2, &m->by, &m->by);
  add_measure_tangent(C, m->f1, F, &m->phi);
  pl_fem_add_product(C, kappa, &m->G, &m->G);
  pl_fem_add_cofactor_tangent(C, kappa * (m->J - 1), F);
}

static void tangent(const pl_mat3 *F, pl_fem_lame c, pl_mat3 *P, double *C) {
  measure m = measure_at(F, c);
  stress_of(&m, c, P);
  tangent_of(F, &m, c, C);
}

static void third(const pl_mat3 *F, pl_fem_lame c, const pl_mat3 *L, pl_mat3 *P, double *C, double *Q) {
  measure m = measure_at(F, c);
  stress_of(&m, c, P);
  tangent_of(F, &m, c, C);
  pl_mat3 dG = pl_fem_cofactors_along(F, L), dby;
  double dI = 2 * pl_fem_dot(F, L), dJ = pl_fem_dot(&m.G, L), dK = pl_fem_dot(&m.by, L), kappa = c.lambda + c.mu;
  dby = pl_mat3_add(pl_mat3_scale(*L, 2 * m.phi.first), pl_mat3_scale(*F, 2 * m.phi.second * dI));
  dby = pl_mat3_add(dby, pl_mat3_scale(dG, -2));
  for (int i = 0; i < 81; ++i) Q[i] = 0;
  pl_fem_add_product(Q, m.f3 * dK, &m.by, &m.by);
  pl_fem_add_product(Q, 2 * m.f2, &dby, &m.by);
  add_measure_tangent(Q, m.f2 * dK, F, &m.phi);
  // f' times the change of ∂²K
  for (int i = 0; i < 9; ++i) Q[10 * i] += 2 * m.f1 * m.phi.second * dI;
  pl_fem_add_product(Q, 4 * m.f1 * m.phi.third * dI, F, F);
  pl_fem_add_product(Q, 8 * m.f1 * m.phi.second, F, L);
  pl_fem_add_cofactor_tangent(Q, -2 * m.f1, L);
  pl_fem_add_product(Q, 2 * kappa, &m.G, &dG);
  pl_fem_add_cofactor_tangent(Q, kappa * dJ, F);
  pl_fem_add_cofactor_tangent(Q, kappa * (m.J - 1), L);
}

const pl_fem_density pl_fem_yeoh_density = {energy, stress, tangent, third, pl_fem_volume_dilation, 4};

PL_FEM_TET_ENERGY(pl_fem_yeoh_tet, "Yeoh tet", pl_fem_yeoh_density, 4);
