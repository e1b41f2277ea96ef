// Corotated linear tets, exactly as paper 002, eqs. 1-3:  f = V R Bᵀ E B (Rᵀ x - X), with R the rotation nearest to F.
//
// The linear strain of Rᵀ x - X is S - 1 with the symmetric S = Rᵀ F. With E made of Lamé's constants λ and μ the force is the gradient of
//
//   ψ = μ |S - 1|² + λ/2 tr(S - 1)² = μ (|F|² - 2 τ + 3) + λ/2 (τ - 3)²        τ = tr S = R : F
//
// so besides |F|² it depends on F through τ alone, whose derivatives are those of the rotation: ∂τ/∂F = R. That gives all of them:
//
//   P = 2 μ F + c R                           c = λ (τ - 3) - 2 μ
//   C = 2 μ 1 + λ R⊗R + c ∂R                  ∂R = L K Lᵀ
//   Q = λ (R : Λ) ∂R + λ (∂R Λ ⊗ R + R ⊗ ∂R Λ) + c ∂²R Λ
//
// A change A of F turns R by dR = R [w], where [w] is the cross product matrix of w = K ax(Rᵀ A), K = (tr S 1 - S)⁻¹ and ax(M) = (M21 - M12, M02 - M20,
// M10 - M01) (Barbič 2012, Exact Corotational Linear FEM Stiffness Matrix). As 9 x 9 matrix that is L K Lᵀ, where the columns of L are R [e_k]. Along Λ it
// changes by dL = (R [w] [e_k]) and dK = -K (tr dS 1 - dS) K with dS = Rᵀ Λ - [w] S.
//
// Where ψ has no derivatives: the matrix tr S 1 - S has the eigenvalues s_i + s_j over pairs of signed principal stretches; R is unique, and ψ smooth, where
// all three are positive. That includes flat elements and inverted ones (s_3 < 0) as long as s_2 > |s_3|. Where s_2 + s_3 = 0, elements collapsed to a line
// or inverted as far as the next stretch, τ has a crease: the force jumps between several R that are equally near. One of them is taken, with det +1. Sums
// below 1e-8 are replaced by 1e-8 in K, so that derivatives stay finite (and are those of the smooth side anywhere farther away than that).
#include <stdbool.h>

#include "fem/fem_tet.h"
#include "math/rotation.h"

static const double sum_least = 1e-8;

// Rotation, stretch and K at one F.
typedef struct polar {
  pl_mat3 R, S, K;
  double trace;
} polar;

// --- the rotation -------------------------------------------------------------------------------------------------

static pl_vec3 axial(const pl_mat3 *a) {
  return (pl_vec3){a->m[2][1] - a->m[1][2], a->m[0][2] - a->m[2][0], a->m[1][0] - a->m[0][1]};
}

static pl_mat3 cross_matrix(pl_vec3 w) {
  return (pl_mat3){{{0, -w.z, w.y}, {w.z, 0, -w.x}, {-w.y, w.x, 0}}};
}

static double squared(const pl_mat3 *a) {
  double sum = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) sum += a->m[i][j] * a->m[i][j];
  return sum;
}

// (trace 1 - S)⁻¹ for a symmetric S, with eigenvalues of the bracket not below sum_least.
static pl_mat3 turning_inverse(const pl_mat3 *S, double trace) {
  pl_mat3 H = pl_mat3_scale(*S, -1);
  for (int i = 0; i < 3; ++i) H.m[i][i] += trace;
  // The product of the two larger eigenvalues is at most (their sum / 2)² <= trace²; so this much determinant rules out small ones.
  double determinant = pl_mat3_determinant(H);
  if (H.m[0][0] > 0 && determinant > sum_least * trace * trace) return pl_mat3_scale(pl_mat3_adjugate(H), 1 / determinant);
  pl_vec3 values;
  pl_mat3 axes;
  pl_symmetric_eigen(H, &values, &axes);
  pl_mat3 inverse = pl_mat3_diagonal(1 / fmax(values.x, sum_least), 1 / fmax(values.y, sum_least), 1 / fmax(values.z, sum_least));
  return pl_mat3_multiply(pl_mat3_multiply(axes, inverse), pl_mat3_transpose(axes));
}

// τ is the largest root of τ⁴ - 2 I τ² - 8 J τ + I² - 4 |G|², with I = |F|², J = det F and G the cofactors of F (from τ² = I + 2 e and e² = |G|² + 2 J τ,
// where e is the sum of products of two stretches). Beyond it the quartic is convex, so Newton's iteration from the bound √(3 I) falls monotonically.
static double trace_of_stretch(double I, double J, double G2) {
  double trace = sqrt(3 * I), constant = I * I - 4 * G2;
  for (int i = 0; i < 40; ++i) {
    double value = ((trace * trace - 2 * I) * trace - 8 * J) * trace + constant;
    double step = value / (4 * ((trace * trace - I) * trace - 2 * J));
    trace -= step;
    if (!(fabs(step) > 1e-9 * trace)) break;
  }
  return trace;
}

// R from τ and e by eliminating powers of S between Cayley-Hamilton's equation and cof F = R cof S:
//
//   (τ e - J) R = (τ² - e) F + τ G - F Fᵀ F
//
// τ e - J is the product of the three sums s_i + s_j; where it is small this loses digits and false is returned.
static bool rotation_by_trace(const pl_mat3 *F, pl_mat3 *R) {
  pl_mat3 G = pl_mat3_transpose(pl_mat3_adjugate(*F)), metric = pl_mat3_multiply(pl_mat3_transpose(*F), *F);
  double I = squared(F), J = pl_mat3_determinant(*F), trace = trace_of_stretch(I, J, squared(&G));
  double e = 0.5 * (trace * trace - I), sums = trace * e - J;
  if (!(sums > 1e-4 * trace * trace * trace)) return false;
  pl_mat3 cube = pl_mat3_multiply(*F, metric);
  double a = (trace * trace - e) / sums, b = trace / sums, c = -1 / sums;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) R->m[i][j] = a * F->m[i][j] + b * G.m[i][j] + c * cube.m[i][j];
  return true;
}

// R - R (RᵀR - 1) / 2: one step of Newton and Schulz takes the error of orthogonality to its square.
static pl_mat3 orthogonalized(const pl_mat3 *R) {
  pl_mat3 half = pl_mat3_scale(pl_mat3_multiply(pl_mat3_transpose(*R), *R), -0.5);
  for (int i = 0; i < 3; ++i) half.m[i][i] += 1.5;
  return pl_mat3_multiply(*R, half);
}

static pl_mat3 symmetric_part(const pl_mat3 *a) {
  pl_mat3 s = *a;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) s.m[i][j] = 0.5 * (a->m[i][j] + a->m[j][i]);
  return s;
}

static void decompose(const pl_mat3 *F, polar *p) {
  bool direct = rotation_by_trace(F, &p->R);
  p->R = direct ? orthogonalized(&p->R) : pl_mat3_of_quat(pl_rotation_of_mat3(*F, pl_quat_identity()));
  pl_mat3 product = pl_mat3_multiply(pl_mat3_transpose(p->R), *F);
  p->S = symmetric_part(&product);
  p->trace = p->S.m[0][0] + p->S.m[1][1] + p->S.m[2][2];
  p->K = turning_inverse(&p->S, p->trace);
  if (!direct) return;
  // What is left of the axial part is the last correction of the rotation, about 1e-8 at the most. S and K change by its square.
  pl_mat3 turn = cross_matrix(pl_mat3_apply(p->K, axial(&product)));
  p->R = pl_mat3_add(p->R, pl_mat3_multiply(p->R, turn));
}

// --- energy, stress and tangent -----------------------------------------------------------------------------------

static double energy(const pl_mat3 *F, pl_fem_lame lame) {
  polar p;
  decompose(F, &p);
  pl_mat3 strain = pl_mat3_add(p.S, pl_mat3_diagonal(-1, -1, -1));
  double dilation = strain.m[0][0] + strain.m[1][1] + strain.m[2][2];
  return lame.mu * squared(&strain) + 0.5 * lame.lambda * dilation * dilation;
}

static void stress_of(const pl_mat3 *F, const polar *p, pl_fem_lame lame, pl_mat3 *P) {
  double push = lame.lambda * (p->trace - 3);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) P->m[i][j] = 2 * lame.mu * (F->m[i][j] - p->R.m[i][j]) + push * p->R.m[i][j];
}

static void stress(const pl_mat3 *F, pl_fem_lame lame, pl_mat3 *P) {
  polar p;
  decompose(F, &p);
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
      C[9 * i + j] += KA[i][0] * B[j][0] + KA[i][1] * B[j][1] + KA[i][2] * B[j][2] + KB[i][0] * A[j][0] + KB[i][1] * A[j][1] +
                      KB[i][2] * A[j][2];
}

static void tangent_of(const polar *p, pl_fem_lame lame, double *C) {
  double L[9][3], scaled[9][3], c = lame.lambda * (p->trace - 3) - 2 * lame.mu;
  const double *r = &p->R.m[0][0];
  turning_basis(&p->R, L);
  for (int i = 0; i < 9; ++i)
    for (int k = 0; k < 3; ++k) scaled[i][k] = c * (L[i][0] * p->K.m[0][k] + L[i][1] * p->K.m[1][k] + L[i][2] * p->K.m[2][k]);
  for (int i = 0; i < 9; ++i)
    for (int j = i; j < 9; ++j) {
      double value = lame.lambda * r[i] * r[j] + scaled[i][0] * L[j][0] + scaled[i][1] * L[j][1] + scaled[i][2] * L[j][2];
      C[9 * i + j] = value;
      C[9 * j + i] = value;
    }
  for (int i = 0; i < 9; ++i) C[10 * i] += 2 * lame.mu;
}

static void tangent(const pl_mat3 *F, pl_fem_lame lame, pl_mat3 *P, double *C) {
  polar p;
  decompose(F, &p);
  stress_of(F, &p, lame, P);
  tangent_of(&p, lame, C);
}

// --- third derivatives --------------------------------------------------------------------------------------------

static void third(const pl_mat3 *F, pl_fem_lame lame, const pl_mat3 *direction, pl_mat3 *P, double *C, double *Q) {
  polar p;
  decompose(F, &p);
  stress_of(F, &p, lame, P);
  tangent_of(&p, lame, C);

  // How R, L, S and K change along the direction.
  pl_mat3 seen = pl_mat3_multiply(pl_mat3_transpose(p.R), *direction);
  pl_mat3 turn = cross_matrix(pl_mat3_apply(p.K, axial(&seen)));
  pl_mat3 dR = pl_mat3_multiply(p.R, turn);
  pl_mat3 dS = pl_mat3_add(seen, pl_mat3_scale(pl_mat3_multiply(turn, p.S), -1));
  double dtrace = seen.m[0][0] + seen.m[1][1] + seen.m[2][2];
  pl_mat3 dH = pl_mat3_scale(symmetric_part(&dS), -1);
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

const pl_fem_density pl_fem_corotated_density = {energy, stress, tangent, third};

static double element_energy(const pl_fem_element *e) {
  return pl_fem_tet_energy(&pl_fem_corotated_density, e);
}
static void element_gradient(const pl_fem_element *e, double *g) {
  pl_fem_tet_gradient(&pl_fem_corotated_density, e, g);
}
static void element_hessian(const pl_fem_element *e, double *h) {
  pl_fem_tet_hessian(&pl_fem_corotated_density, e, h);
}
static void element_mixed(const pl_fem_element *e, double *m) {
  pl_fem_tet_mixed(&pl_fem_corotated_density, e, m);
}
static void element_material(const pl_fem_element *e, double *d) {
  pl_fem_tet_material(&pl_fem_corotated_density, e, d);
}
static void element_third(const pl_fem_element *e, const double *lambda, double *xx, double *xX, double *XX) {
  pl_fem_tet_third(&pl_fem_corotated_density, e, lambda, xx, xX, XX);
}

const pl_fem_energy pl_fem_corotated_tet = {
    .name = "corotated tet",
    .corner_count = 4,
    .parameter_count = 2,
    .parameter_names = pl_fem_elastic_names,
    .energy = element_energy,
    .gradient = element_gradient,
    .hessian = element_hessian,
    .mixed = element_mixed,
    .material = element_material,
    .third = element_third,
};
