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
#include "fem/fem_tet.h"
#include "math/mat3.h"

// Where φ departs from I - 3. Between 0.89 (below, ν = 0 still collapses) and 3 (above, small strains would change).
static const double phi_start = 2;

// φ', φ" and φ"' at I.
typedef struct phi_values {
  double value, first, second, third;
} phi_values;

static phi_values phi_at(double I) {
  double t = fmax(0.0, 1 - I / phi_start);
  return (phi_values){I - 3 + phi_start * t * t * t * t / 4, 1 - t * t * t, 3 * t * t / phi_start,
                      -6 * t / (phi_start * phi_start)};
}

static double dot(const pl_mat3 *a, const pl_mat3 *b) {
  double sum = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) sum += a->m[i][j] * b->m[i][j];
  return sum;
}

static pl_mat3 cofactors(const pl_mat3 *F) {
  return pl_mat3_transpose(pl_mat3_adjugate(*F));
}

// Their derivative along L; the columns of cofactors are cross products of the other two.
static pl_mat3 cofactors_along(const pl_mat3 *F, const pl_mat3 *L) {
  pl_vec3 column[3];
  for (int j = 0; j < 3; ++j) {
    int k = (j + 1) % 3, l = (j + 2) % 3;
    column[j] = pl_vec3_add(pl_vec3_cross(pl_mat3_column(*F, k), pl_mat3_column(*L, l)),
                            pl_vec3_cross(pl_mat3_column(*L, k), pl_mat3_column(*F, l)));
  }
  return pl_mat3_from_columns(column[0], column[1], column[2]);
}

// C += s ∂G/∂F: the derivative of cofactors at F along A is Σ ε_imn ε_jpq F_mp A_nq, so each pair of elements that
// share neither row nor column holds one element of F, with a sign.
static void add_cofactor_tangent(double *C, double s, const pl_mat3 *F) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int n = 1; n < 3; ++n)
        for (int q = 1; q < 3; ++q) {
          int row = (i + n) % 3, column = (j + q) % 3, m = (i + 3 - n) % 3, p = (j + 3 - q) % 3;
          C[9 * (3 * i + j) + 3 * row + column] += n == q ? s * F->m[m][p] : -s * F->m[m][p];
        }
}

// C += s (A⊗B + B⊗A) / 2
static void add_product(double *C, double s, const pl_mat3 *A, const pl_mat3 *B) {
  const double *a = &A->m[0][0], *b = &B->m[0][0];
  for (int i = 0; i < 9; ++i)
    for (int j = 0; j < 9; ++j) C[9 * i + j] += 0.5 * s * (a[i] * b[j] + b[i] * a[j]);
}

// μ/2 (I - 3) - μ (J - 1) near rest, where both terms are of first order in the strain E = (FᵀF - 1)/2 and cancel to
// second. With its invariants a = tr E, b = (a² - |E|²)/2, c = det E:  J² - 1 = 2 a + 4 b + 8 c, and the difference
// becomes μ (a (J - 1) - 4 b - 8 c) / (J + 1).
static double shear_near_rest(const pl_mat3 *F, double J) {
  pl_mat3 E = pl_mat3_scale(pl_mat3_multiply(pl_mat3_transpose(*F), *F), 0.5);
  for (int i = 0; i < 3; ++i) E.m[i][i] -= 0.5;
  double a = E.m[0][0] + E.m[1][1] + E.m[2][2], b = 0.5 * (a * a - dot(&E, &E)), c = pl_mat3_determinant(E);
  double excess = (2 * a + 4 * b + 8 * c) / (J + 1);
  return (a * excess - 4 * b - 8 * c) / (J + 1);
}

static double energy(const pl_mat3 *F, pl_fem_lame lame) {
  double J = pl_mat3_determinant(*F), I = dot(F, F);
  double shear = fabs(I - 3) < 0.1 && J > 0.5 ? shear_near_rest(F, J) : 0.5 * phi_at(I).value - (J - 1);
  return lame.mu * shear + 0.5 * (lame.lambda + lame.mu) * (J - 1) * (J - 1);
}

static void stress(const pl_mat3 *F, pl_fem_lame lame, pl_mat3 *P) {
  pl_mat3 G = cofactors(F);
  double k = (lame.lambda + lame.mu) * (pl_mat3_determinant(*F) - 1) - lame.mu;
  *P = pl_mat3_add(pl_mat3_scale(*F, lame.mu * phi_at(dot(F, F)).first), pl_mat3_scale(G, k));
}

static void tangent(const pl_mat3 *F, pl_fem_lame lame, pl_mat3 *P, double *C) {
  pl_mat3 G = cofactors(F);
  phi_values phi = phi_at(dot(F, F));
  double kappa = lame.lambda + lame.mu, k = kappa * (pl_mat3_determinant(*F) - 1) - lame.mu;
  const double *f = &F->m[0][0], *g = &G.m[0][0];
  double along = 2 * lame.mu * phi.second;
  for (int i = 0; i < 9; ++i) {
    for (int j = 0; j < 9; ++j) C[9 * i + j] = along * f[i] * f[j] + kappa * g[i] * g[j];
    C[10 * i] += lame.mu * phi.first;
  }
  add_cofactor_tangent(C, k, F);
  *P = pl_mat3_add(pl_mat3_scale(*F, lame.mu * phi.first), pl_mat3_scale(G, k));
}

static void third(const pl_mat3 *F, pl_fem_lame lame, const pl_mat3 *L, pl_mat3 *P, double *C, double *Q) {
  tangent(F, lame, P, C);
  pl_mat3 G = cofactors(F), dG = cofactors_along(F, L);
  phi_values phi = phi_at(dot(F, F));
  double kappa = lame.lambda + lame.mu, k = kappa * (pl_mat3_determinant(*F) - 1) - lame.mu;
  double dI = 2 * dot(F, L), dJ = dot(&G, L);

  for (int i = 0; i < 81; ++i) Q[i] = 0;
  for (int i = 0; i < 9; ++i) Q[10 * i] = lame.mu * phi.second * dI;
  add_product(Q, 2 * lame.mu * phi.third * dI, F, F);
  add_product(Q, 4 * lame.mu * phi.second, F, L);
  add_product(Q, 2 * kappa, &G, &dG);
  add_cofactor_tangent(Q, kappa * dJ, F);
  add_cofactor_tangent(Q, k, L);
}

const pl_fem_density pl_fem_neo_hookean_density = {energy, stress, tangent, third};

PL_FEM_TET_ENERGY(pl_fem_neo_hookean_tet, "neo-Hookean tet", pl_fem_neo_hookean_density);
