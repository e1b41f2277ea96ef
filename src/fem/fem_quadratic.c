// Energies of tets with ten nodes and their derivatives; see fem_quadratic.h for the formulas and letters.
//
// Derivatives at each point of integration are those of fem_tet.h, with B and w of the point:
//
//   gradient   g_a  = Σ w (P + λ d̄ D) B_a                     D = ∂d/∂F
//   hessian    H_ab = Σ w (C + λ d̄ ∂D) contracted + λ/V m_a m_bᵀ        m_a = Σ w D B_a
//   mixed      M_ab = Σ (g_a B_bᵀ - g_b B_aᵀ - H_ab F) + λ m_a (∂d̄/∂X_b)ᵀ
//              ∂d̄/∂X_b = Σ w ((d - d̄) B_b - Fᵀ D B_b) / V
//
// where the sum of `mixed` is over the points, with each point's own g and H, without the term of m.
#include "fem/fem_quadratic.h"

#include <math.h>
#include <string.h>

enum { NODES = PL_FEM_QUADRATIC_NODES, POINTS = PL_FEM_QUADRATIC_POINTS, VALUES = PL_FEM_QUADRATIC_VALUES };

const double pl_fem_quadratic_shares[NODES] = {1.0 / 36, 1.0 / 36, 1.0 / 36, 1.0 / 36, 4.0 / 27,
                                               4.0 / 27, 4.0 / 27, 4.0 / 27, 4.0 / 27, 4.0 / 27};

// Ends of the edge that node 4 + k is the middle of.
static const int ENDS[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};

// The points: one coordinate is NEAR, three are FAR; (5 + 3 √5) / 20 and (5 - √5) / 20.
static const double NEAR = 0.58541019662496845446, FAR = 0.13819660112501051518;

#define VALUE_NEAR (0.58541019662496845446 * (2 * 0.58541019662496845446 - 1))
#define VALUE_FAR (0.13819660112501051518 * (2 * 0.13819660112501051518 - 1))
#define BESIDE (4 * 0.58541019662496845446 * 0.13819660112501051518)
#define ACROSS (4 * 0.13819660112501051518 * 0.13819660112501051518)
const double pl_fem_quadratic_values[POINTS][NODES] = {
    {VALUE_NEAR, VALUE_FAR, VALUE_FAR, VALUE_FAR, BESIDE, ACROSS, BESIDE, BESIDE, ACROSS, ACROSS},
    {VALUE_FAR, VALUE_NEAR, VALUE_FAR, VALUE_FAR, BESIDE, BESIDE, ACROSS, ACROSS, BESIDE, ACROSS},
    {VALUE_FAR, VALUE_FAR, VALUE_NEAR, VALUE_FAR, ACROSS, BESIDE, BESIDE, ACROSS, ACROSS, BESIDE},
    {VALUE_FAR, VALUE_FAR, VALUE_FAR, VALUE_NEAR, ACROSS, ACROSS, ACROSS, BESIDE, BESIDE, BESIDE},
};

// ∂N_a/∂L_b at point q with corner coordinates L; the gradient by X follows from those of L.
static void slopes_at(int q, double slopes[NODES][4]) {
  double L[4];
  memset(slopes, 0, NODES * 4 * sizeof(double));
  for (int b = 0; b < 4; ++b) L[b] = b == q ? NEAR : FAR;
  for (int a = 0; a < 4; ++a) slopes[a][a] = 4 * L[a] - 1;
  for (int k = 0; k < 6; ++k) {
    slopes[4 + k][ENDS[k][0]] = 4 * L[ENDS[k][1]];
    slopes[4 + k][ENDS[k][1]] = 4 * L[ENDS[k][0]];
  }
}

void pl_fem_quadratic_slopes(int q, double by_corner[NODES][3]) {
  double slopes[NODES][4];
  slopes_at(q, slopes);
  // L_0 = 1 - L_1 - L_2 - L_3.
  for (int a = 0; a < NODES; ++a)
    for (int b = 0; b < 3; ++b) by_corner[a][b] = slopes[a][b + 1] - slopes[a][0];
}

void pl_fem_quadratic_rest_of(const double *X, pl_fem_quadratic_rest *rest) {
  for (int q = 0; q < POINTS; ++q) {
    double by_corner[NODES][3];
    pl_fem_quadratic_slopes(q, by_corner);
    // Relative to node 0, for what is far from the origin.
    pl_mat3 J = pl_mat3_zero();
    for (int a = 0; a < NODES; ++a)
      for (int b = 0; b < 3; ++b)
        for (int i = 0; i < 3; ++i) J.m[i][b] += (X[3 * a + i] - X[i]) * by_corner[a][b];
    double determinant = pl_mat3_determinant(J);
    pl_mat3 inverse = pl_mat3_scale(pl_mat3_adjugate(J), 1 / determinant);
    for (int a = 0; a < NODES; ++a)
      for (int i = 0; i < 3; ++i)
        rest->B[q][a][i] =
            by_corner[a][0] * inverse.m[0][i] + by_corner[a][1] * inverse.m[1][i] + by_corner[a][2] * inverse.m[2][i];
    rest->weights[q] = determinant / 24;
  }
}

// λ acts on the mean; the rest of the constants at the points.
static pl_fem_lame at_points(pl_fem_lame all, double *mean_lambda) {
  *mean_lambda = all.lambda;
  all.lambda = 0;
  return all;
}

// An element at x: F at every point, the volume and the mean of d.
typedef struct state {
  pl_fem_quadratic_rest rest;
  pl_fem_lame constants;
  double mean_lambda, volume, dilation;
  pl_mat3 F[POINTS];
} state;

static pl_mat3 gradient_at(const double *x, const double B[NODES][3]) {
  pl_mat3 F = pl_mat3_zero();
  for (int a = 1; a < NODES; ++a)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) F.m[i][j] += (x[3 * a + i] - x[i]) * B[a][j];
  return F;
}

static void state_of(const pl_fem_density *density, const pl_fem_element *e, state *s) {
  pl_fem_quadratic_rest_of(e->X, &s->rest);
  s->constants = at_points(pl_fem_density_constants(density, e->p), &s->mean_lambda);
  s->volume = s->dilation = 0;
  for (int q = 0; q < POINTS; ++q) {
    pl_mat3 D;
    s->F[q] = gradient_at(e->x, (const double(*)[3])s->rest.B[q]);
    s->volume += s->rest.weights[q];
    s->dilation += s->rest.weights[q] * density->dilation(&s->F[q], &D, NULL);
  }
  s->dilation /= s->volume;
}

// g_a += w P B_a
static void add_stress(double w, const pl_mat3 *P, const double B[NODES][3], double *g) {
  for (int a = 0; a < NODES; ++a)
    for (int i = 0; i < 3; ++i)
      g[3 * a + i] += w * (P->m[i][0] * B[a][0] + P->m[i][1] * B[a][1] + P->m[i][2] * B[a][2]);
}

// h_ab += w C contracted with B_a and B_b
static void add_contracted(double w, const double *C, const double B[NODES][3], double *h) {
  for (int b = 0; b < NODES; ++b)
    for (int k = 0; k < 3; ++k) {
      double t[9];
      for (int i = 0; i < 9; ++i)
        t[i] = w * (C[9 * i + 3 * k] * B[b][0] + C[9 * i + 3 * k + 1] * B[b][1] + C[9 * i + 3 * k + 2] * B[b][2]);
      for (int a = 0; a < NODES; ++a)
        for (int i = 0; i < 3; ++i)
          h[VALUES * (3 * a + i) + 3 * b + k] += B[a][0] * t[3 * i] + B[a][1] * t[3 * i + 1] + B[a][2] * t[3 * i + 2];
    }
}

static double evaluate_energy(const pl_fem_density *density, const pl_fem_element *e) {
  state s;
  state_of(density, e, &s);
  double energy = 0.5 * s.volume * s.mean_lambda * s.dilation * s.dilation;
  for (int q = 0; q < POINTS; ++q) energy += s.rest.weights[q] * density->energy(&s.F[q], s.constants);
  return energy;
}

// P with the element's pressure in it.
static pl_mat3 stress_at(const pl_fem_density *density, const state *s, int q, pl_fem_lame constants, double pressure) {
  pl_mat3 P, D;
  density->stress(&s->F[q], constants, &P);
  density->dilation(&s->F[q], &D, NULL);
  return pl_mat3_add(P, pl_mat3_scale(D, pressure));
}

static void evaluate_gradient(const pl_fem_density *density, const pl_fem_element *e, double *g) {
  state s;
  state_of(density, e, &s);
  memset(g, 0, VALUES * sizeof(double));
  for (int q = 0; q < POINTS; ++q) {
    pl_mat3 P = stress_at(density, &s, q, s.constants, s.mean_lambda * s.dilation);
    add_stress(s.rest.weights[q], &P, (const double(*)[3])s.rest.B[q], g);
  }
}

// P, C and D at a point, the element's pressure in P and C.
static void tangent_at(const pl_fem_density *density, const state *s, int q, pl_mat3 *P, double *C, pl_mat3 *D) {
  double turning[81], pressure = s->mean_lambda * s->dilation;
  density->tangent(&s->F[q], s->constants, P, C);
  density->dilation(&s->F[q], D, turning);
  *P = pl_mat3_add(*P, pl_mat3_scale(*D, pressure));
  for (int i = 0; i < 81; ++i) C[i] += pressure * turning[i];
}

static void add_square(double factor, const double *m, double *h) {
  for (int i = 0; i < VALUES; ++i)
    for (int j = 0; j < VALUES; ++j) h[VALUES * i + j] += factor * m[i] * m[j];
}

static void make_symmetric(double *h) {
  for (int i = 0; i < VALUES; ++i)
    for (int j = 0; j < i; ++j) h[VALUES * i + j] = h[VALUES * j + i];
}

static void evaluate_hessian(const pl_fem_density *density, const pl_fem_element *e, double *h) {
  state s;
  double m[VALUES] = {0}, C[81];
  state_of(density, e, &s);
  memset(h, 0, VALUES * VALUES * sizeof(double));
  for (int q = 0; q < POINTS; ++q) {
    pl_mat3 P, D;
    tangent_at(density, &s, q, &P, C, &D);
    add_contracted(s.rest.weights[q], C, (const double(*)[3])s.rest.B[q], h);
    add_stress(s.rest.weights[q], &D, (const double(*)[3])s.rest.B[q], m);
  }
  add_square(s.mean_lambda / s.volume, m, h);
  make_symmetric(h);
}

// to_ab += g_a B_bᵀ - g_b B_aᵀ - h_ab F
static void add_transport(double *to, const double *g, const double *h, const double B[NODES][3], const pl_mat3 *F) {
  for (int a = 0; a < NODES; ++a)
    for (int b = 0; b < NODES; ++b) {
      pl_fem_add_outer(to, VALUES, a, b, 1, g + 3 * a, B[b]);
      pl_fem_add_outer(to, VALUES, a, b, -1, g + 3 * b, B[a]);
    }
  for (int i = 0; i < VALUES; ++i)
    for (int b = 0; b < VALUES; b += 3)
      for (int k = 0; k < 3; ++k)
        to[VALUES * i + b + k] -=
            h[VALUES * i + b] * F->m[0][k] + h[VALUES * i + b + 1] * F->m[1][k] + h[VALUES * i + b + 2] * F->m[2][k];
}

// n_b += w ((d - d̄) B_b - Fᵀ D B_b)
static void add_rest_dilation(const state *s, int q, double d, const pl_mat3 *D, double *n) {
  pl_mat3 drag = pl_mat3_multiply(pl_mat3_transpose(s->F[q]), *D);
  for (int b = 0; b < NODES; ++b)
    for (int i = 0; i < 3; ++i) {
      const double *B = s->rest.B[q][b];
      n[3 * b + i] += s->rest.weights[q] *
                      ((d - s->dilation) * B[i] - drag.m[i][0] * B[0] - drag.m[i][1] * B[1] - drag.m[i][2] * B[2]);
    }
}

static void evaluate_mixed(const pl_fem_density *density, const pl_fem_element *e, double *to) {
  state s;
  double m[VALUES] = {0}, n[VALUES] = {0}, C[81];
  state_of(density, e, &s);
  memset(to, 0, VALUES * VALUES * sizeof(double));
  for (int q = 0; q < POINTS; ++q) {
    double g[VALUES] = {0}, h[VALUES * VALUES] = {0};
    const double(*B)[3] = (const double(*)[3])s.rest.B[q];
    pl_mat3 P, D;
    tangent_at(density, &s, q, &P, C, &D);
    add_stress(s.rest.weights[q], &P, B, g);
    add_contracted(s.rest.weights[q], C, B, h);
    add_transport(to, g, h, B, &s.F[q]);
    add_stress(s.rest.weights[q], &D, B, m);
    add_rest_dilation(&s, q, density->dilation(&s.F[q], &D, NULL), &D, n);
  }
  for (int i = 0; i < VALUES; ++i)
    for (int j = 0; j < VALUES; ++j) to[VALUES * i + j] += s.mean_lambda / s.volume * m[i] * n[j];
}

static void evaluate_material(const pl_fem_density *density, const pl_fem_element *e, double *d) {
  state s;
  state_of(density, e, &s);
  int count = density->parameter_count;
  for (int k = 0; k < count; ++k) {
    double mean, g[VALUES] = {0};
    pl_fem_lame part = at_points(pl_fem_density_constants_by(density, e->p, k), &mean);
    for (int q = 0; q < POINTS; ++q) {
      pl_mat3 P = stress_at(density, &s, q, part, mean * s.dilation);
      add_stress(s.rest.weights[q], &P, (const double(*)[3])s.rest.B[q], g);
    }
    for (int i = 0; i < VALUES; ++i) d[count * i + k] = g[i];
  }
}

// The table of a density on this element.
#define QUADRATIC_ENERGY(prefix, text, density, count)                \
  static double prefix##_energy(const pl_fem_element *e) {            \
    return evaluate_energy(&density, e);                              \
  }                                                                   \
  static void prefix##_gradient(const pl_fem_element *e, double *g) { \
    evaluate_gradient(&density, e, g);                                \
  }                                                                   \
  static void prefix##_hessian(const pl_fem_element *e, double *h) {  \
    evaluate_hessian(&density, e, h);                                 \
  }                                                                   \
  static void prefix##_mixed(const pl_fem_element *e, double *m) {    \
    evaluate_mixed(&density, e, m);                                   \
  }                                                                   \
  static void prefix##_material(const pl_fem_element *e, double *d) { \
    evaluate_material(&density, e, d);                                \
  }                                                                   \
  const pl_fem_energy pl_fem_##prefix##_quadratic = {                 \
      .name = text,                                                   \
      .corner_count = NODES,                                          \
      .parameter_count = count,                                       \
      .parameter_names = pl_fem_elastic_names,                        \
      .energy = prefix##_energy,                                      \
      .gradient = prefix##_gradient,                                  \
      .hessian = prefix##_hessian,                                    \
      .mixed = prefix##_mixed,                                        \
      .material = prefix##_material,                                  \
  }

QUADRATIC_ENERGY(corotated, "corotated quadratic tet", pl_fem_corotated_density, 2);
QUADRATIC_ENERGY(neo_hookean, "neo-Hookean quadratic tet", pl_fem_neo_hookean_density, 2);
QUADRATIC_ENERGY(yeoh, "Yeoh quadratic tet", pl_fem_yeoh_density, 4);
