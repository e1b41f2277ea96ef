// Solids in the plane: triangles with Green strain and an area term (paper 004, appendix A, W_Solid2D).
//
//   W = ½ k_l |E|² Ā + ½ k_a (a - A)² / Ā            E = ½ (FᵀF - I)    F  takes the sides at rest to those now
//
//   a, A   signed area now and at rest: turned inside out it is negative, so the second term resists inversion
//   Ā      area at the start
//
// F is D D₀⁻¹ with the sides as columns, D now and D₀ at rest. Only the metrics C = DᵀD and M = D₀ᵀD₀ matter, with G =
// M⁻¹:
//
//   |E|² = ¼ tr((G C - I)²)          S = ∂W/∂C = κ (G C G - G),  κ = ¼ k_l Ā          ∂W/∂D = 2 D S
//
// S is linear in C, which is quadratic in x, and dG = -G dM G: all derivatives are short sums of products of 2 x 2
// matrices. With a dot for a change of x or X, and L = ΛᵀD + DᵀΛ the change of C along λ, so that s = λ·∂W/∂x = S : L,
//
//   H  = S : C₁₂ + S₁ : C₂   xx = S₁₂ : L + S₁ : L₂ + S₂ : L₁   xX = S₁₂ : L + S₂ : L₁   XX = S₁₂ : L
//
// For small strains the material is isotropic with shear modulus k_l/2 and first Lamé parameter k_a (N/m: times
// thickness), hence E t = k_l (k_l + 2 k_a) / (k_l + k_a) and ν = k_a / (k_l + k_a).
//
// This is the version for one triangle, with all derivatives; fem_plane_kernel.h does four at a time, with damping.
//
// A polynomial in x, so every state has finite values, whatever is flat or inverted. Rest or start shapes without area
// divide by zero.
#include <math.h>
#include <stddef.h>

#include "fem/fem_measure.h"

static const char *const names[] = {"strain k_l (N/m)", "area k_a (N/m)"};

// --- area ---------------------------------------------------------------------------------------------------------

static double signed_area(const double *d) {
  return 0.5 * (d[0] * d[4] - d[1] * d[3]);
}

static void area_gradient(const double *d, double *g) {
  const double values[6] = {0.5 * d[4], -0.5 * d[3], 0, -0.5 * d[1], 0.5 * d[0], 0};
  for (int i = 0; i < 6; ++i) g[i] = values[i];
}

static void area_hessian(const double *d, double *h) {
  (void)d;
  for (int i = 0; i < 36; ++i) h[i] = 0;
  h[6 * 0 + 4] = h[6 * 4 + 0] = 0.5;
  h[6 * 1 + 3] = h[6 * 3 + 1] = -0.5;
}

static double area_fraction(const double *d) {
  return 1 / fabs(signed_area(d));
}

static const pl_fem_measure area = {3, signed_area, area_gradient, area_hessian, NULL, area_fraction};

// The element with k_a where the measure looks for its stiffness.
static pl_fem_element area_element(const pl_fem_element *e) {
  return (pl_fem_element){e->x, e->X, e->U, e->p + 1};
}

// --- strain -------------------------------------------------------------------------------------------------------

typedef struct mat2 {
  double m[2][2];
} mat2;

static mat2 product(mat2 a, mat2 b) {
  mat2 c;
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) c.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j];
  }
  return c;
}

static mat2 triple(mat2 a, mat2 b, mat2 c) {
  return product(a, product(b, c));
}

// a + f b
static mat2 sum(mat2 a, mat2 b, double f) {
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) a.m[i][j] += f * b.m[i][j];
  }
  return a;
}

static mat2 scaled(mat2 a, double f) {
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) a.m[i][j] *= f;
  }
  return a;
}

static double inner(mat2 a, mat2 b) {
  return a.m[0][0] * b.m[0][0] + a.m[0][1] * b.m[0][1] + a.m[1][0] * b.m[1][0] + a.m[1][1] * b.m[1][1];
}

// A unit change of the sides: number v in 0..3 moves side v / 2 along the axis v % 2.
enum { MOVES = 4 };

// AᵀB + BᵀA for A = the unit change v.
static mat2 metric_change(mat2 b, int v) {
  mat2 c = {{{0}}};
  for (int j = 0; j < 2; ++j) {
    c.m[v / 2][j] += b.m[v % 2][j];
    c.m[j][v / 2] += b.m[v % 2][j];
  }
  return c;
}

// The same for two unit changes.
static mat2 metric_second(int v, int w) {
  mat2 c = {{{0}}};
  if (v % 2 != w % 2) return c;
  c.m[v / 2][w / 2] += 1;
  c.m[w / 2][v / 2] += 1;
  return c;
}

typedef struct strain {
  double kappa;
  mat2 now, rest;  // sides as columns
  mat2 C, G, S;
} strain;

static mat2 sides_of(const double *x) {
  return (mat2){{{x[3] - x[0], x[6] - x[0]}, {x[4] - x[1], x[7] - x[1]}}};
}

static mat2 metric_of(mat2 d) {
  double pq = d.m[0][0] * d.m[0][1] + d.m[1][0] * d.m[1][1];
  return (mat2){
      {{d.m[0][0] * d.m[0][0] + d.m[1][0] * d.m[1][0], pq}, {pq, d.m[0][1] * d.m[0][1] + d.m[1][1] * d.m[1][1]}}};
}

static strain strain_of(const pl_fem_element *e, double stiffness) {
  double start[6];
  pl_fem_sides_find(3, e->U, start);
  strain z = {.kappa = 0.25 * stiffness * fabs(signed_area(start)), .now = sides_of(e->x), .rest = sides_of(e->X)};
  mat2 M = metric_of(z.rest);
  // det M = det D₀²: not from the entries of M, where thin triangles lose their digits
  double det = z.rest.m[0][0] * z.rest.m[1][1] - z.rest.m[0][1] * z.rest.m[1][0];
  z.G = scaled((mat2){{{M.m[1][1], -M.m[0][1]}, {-M.m[1][0], M.m[0][0]}}}, 1 / (det * det));
  z.C = metric_of(z.now);
  z.S = scaled(sum(triple(z.G, z.C, z.G), z.G, -1), z.kappa);
  return z;
}

// Change of S when C or G changes.
static mat2 stress_by_C(const strain *z, mat2 C1) {
  return scaled(triple(z->G, C1, z->G), z->kappa);
}
static mat2 stress_by_G(const strain *z, mat2 G1) {
  mat2 a = triple(G1, z->C, z->G), b = triple(z->G, z->C, G1);
  return scaled(sum(sum(a, b, 1), G1, -1), z->kappa);
}

// Changes of G with one and with two unit changes of the rest sides.
static mat2 inverse_change(const strain *z, int v) {
  return scaled(triple(z->G, metric_change(z->rest, v), z->G), -1);
}
static mat2 inverse_second(const strain *z, int v, int w, const mat2 G1[MOVES]) {
  // d(-G M₁ G) = -G₂ M₁ G - G M₁ G₂ - G M₁₂ G
  mat2 M1 = metric_change(z->rest, v), half = triple(G1[w], M1, z->G), other = triple(z->G, M1, G1[w]);
  return scaled(sum(sum(half, other, 1), triple(z->G, metric_second(v, w), z->G), 1), -1);
}

// From the four moves to the nine numbers of the corners: out = 3-corner vector or matrix, added to what is there.
static void add_vector(const double moves[MOVES], double *g) {
  double small[6] = {moves[0], moves[1], 0, moves[2], moves[3], 0}, large[9];
  pl_fem_sides_spread_vector(3, small, large);
  for (int i = 0; i < 9; ++i) g[i] += large[i];
}

static void add_matrix(double moves[MOVES][MOVES], double *h) {
  double small[36] = {0}, large[81];
  for (int v = 0; v < MOVES; ++v) {
    for (int w = 0; w < MOVES; ++w) small[6 * (3 * (v / 2) + v % 2) + 3 * (w / 2) + w % 2] = moves[v][w];
  }
  pl_fem_sides_spread_matrix(3, small, large);
  for (int i = 0; i < 81; ++i) h[i] += large[i];
}

// --- the energy ---------------------------------------------------------------------------------------------------

static double plane_energy(const pl_fem_element *e) {
  strain z = strain_of(e, e->p[0]);
  pl_fem_element a = area_element(e);
  // tr((GC - I)²) as the inner product with the transpose: it has no cancellation near rest
  mat2 GC = sum(product(z.G, z.C), (mat2){{{1, 0}, {0, 1}}}, -1);
  mat2 transposed = {{{GC.m[0][0], GC.m[1][0]}, {GC.m[0][1], GC.m[1][1]}}};
  return 0.5 * z.kappa * inner(GC, transposed) + pl_fem_measure_energy(&area, &a);
}

static void add_strain_gradient(const strain *z, double *g) {
  double moves[MOVES];
  for (int v = 0; v < MOVES; ++v) moves[v] = inner(z->S, metric_change(z->now, v));
  add_vector(moves, g);
}

static void plane_gradient(const pl_fem_element *e, double *g) {
  strain z = strain_of(e, e->p[0]);
  pl_fem_element a = area_element(e);
  pl_fem_measure_gradient(&area, &a, g);
  add_strain_gradient(&z, g);
}

static void plane_hessian(const pl_fem_element *e, double *h) {
  strain z = strain_of(e, e->p[0]);
  pl_fem_element a = area_element(e);
  double moves[MOVES][MOVES];
  for (int v = 0; v < MOVES; ++v) {
    mat2 S1 = stress_by_C(&z, metric_change(z.now, v));
    for (int w = 0; w <= v; ++w) {
      moves[v][w] = moves[w][v] = inner(z.S, metric_second(v, w)) + inner(S1, metric_change(z.now, w));
    }
  }
  pl_fem_measure_hessian(&area, &a, h);
  add_matrix(moves, h);
}

// What of a symmetric matrix is not negative.
static mat2 positive_part(mat2 s) {
  double mean = 0.5 * (s.m[0][0] + s.m[1][1]), half = 0.5 * (s.m[0][0] - s.m[1][1]), off = s.m[0][1];
  double radius = sqrt(half * half + off * off), high = mean + radius, low = mean - radius;
  if (low >= 0) return s;
  if (!(high > 0)) return (mat2){{{0}}};
  // One value of each sign: S⁺ = high (S - low) / (high - low)
  mat2 shifted = {{{s.m[0][0] - low, off}, {off, s.m[1][1] - low}}};
  return scaled(shifted, high / (2 * radius));
}

// Compression loses the term that pushes sideways, the area its second derivative.
static void plane_positive(const pl_fem_element *e, double *h) {
  strain z = strain_of(e, e->p[0]);
  pl_fem_element a = area_element(e);
  mat2 S = positive_part(z.S);
  double moves[MOVES][MOVES];
  for (int v = 0; v < MOVES; ++v) {
    mat2 S1 = stress_by_C(&z, metric_change(z.now, v));
    for (int w = 0; w <= v; ++w) {
      moves[v][w] = moves[w][v] = inner(S, metric_second(v, w)) + inner(S1, metric_change(z.now, w));
    }
  }
  pl_fem_measure_positive(&area, &a, h);
  add_matrix(moves, h);
}

static void plane_mixed(const pl_fem_element *e, double *m) {
  strain z = strain_of(e, e->p[0]);
  pl_fem_element a = area_element(e);
  double moves[MOVES][MOVES];
  for (int w = 0; w < MOVES; ++w) {
    mat2 S2 = stress_by_G(&z, inverse_change(&z, w));
    for (int v = 0; v < MOVES; ++v) moves[v][w] = inner(S2, metric_change(z.now, v));
  }
  pl_fem_measure_mixed(&area, &a, m);
  add_matrix(moves, m);
}

static void plane_material(const pl_fem_element *e, double *d) {
  strain z = strain_of(e, 1);
  pl_fem_element a = area_element(e);
  double by_strain[9] = {0}, by_area[9];
  add_strain_gradient(&z, by_strain);
  pl_fem_measure_material(&area, &a, by_area);
  for (int i = 0; i < 9; ++i) {
    d[2 * i] = by_strain[i];
    d[2 * i + 1] = by_area[i];
  }
}

static void plane_third(const pl_fem_element *e, const double *lambda, double *xx, double *xX, double *XX) {
  strain z = strain_of(e, e->p[0]);
  pl_fem_element a = area_element(e);
  mat2 along = sides_of(lambda), L = {{{0}}}, S1[MOVES], L1[MOVES], G1[MOVES];
  for (int v = 0; v < MOVES; ++v) {
    mat2 C1 = metric_change(z.now, v);
    S1[v] = stress_by_C(&z, C1);
    L1[v] = metric_change(along, v);
    G1[v] = inverse_change(&z, v);
    L = sum(L, C1, along.m[v % 2][v / 2]);
  }
  double by_xx[MOVES][MOVES], by_xX[MOVES][MOVES], by_XX[MOVES][MOVES];
  mat2 S_along = stress_by_C(&z, L);
  for (int v = 0; v < MOVES; ++v) {
    mat2 C1 = metric_change(z.now, v);
    for (int w = 0; w < MOVES; ++w) {
      by_xx[v][w] = inner(S_along, metric_second(v, w)) + inner(S1[v], L1[w]) + inner(S1[w], L1[v]);
      mat2 S12 = sum(triple(G1[w], C1, z.G), triple(z.G, C1, G1[w]), 1);
      by_xX[v][w] = z.kappa * inner(S12, L) + inner(stress_by_G(&z, G1[w]), L1[v]);
      mat2 bent = sum(triple(G1[v], z.C, G1[w]), triple(G1[w], z.C, G1[v]), 1);
      by_XX[v][w] = z.kappa * inner(bent, L) + inner(stress_by_G(&z, inverse_second(&z, v, w, G1)), L);
    }
  }
  pl_fem_measure_third(&area, &a, lambda, xx, xX, XX);
  add_matrix(by_xx, xx);
  add_matrix(by_xX, xX);
  add_matrix(by_XX, XX);
}

const pl_fem_energy pl_fem_plane_triangle = {"plane triangle",
                                             3,
                                             2,
                                             names,
                                             plane_energy,
                                             plane_gradient,
                                             plane_hessian,
                                             plane_mixed,
                                             plane_material,
                                             plane_third,
                                             plane_positive,
                                             NULL};
