// Energies, gradients and Hessians of four quadratic tets at a time; included once per instruction
// set with KERNEL_NAME the function to define. The one-tet versions, with all derivatives, are in
// fem_quadratic.c, whose letters are used here.
//
// A first pass over the points of integration finds F and the mean dilation, hence the pressure
// π = λ d̄. The second finds at each point
//
//   P    stress, π D in it            D    ∂d/∂F
//   C    ∂P/∂F, 9 x 9, π ∂D in it
//
// and adds w P B_a, w D B_a and w C contracted with B_a and B_b for the nodes 1 … 9. In the end
// λ/V m mᵀ is added, and node 0 gets minus the sum of the others.
//
//   corotated   P = 2 μ (F - R) + π R    D = R    C = 2 μ 1 + (π - 2 μ) ∂R
//               ∂R = Eᵀ K E, E column by element (i, j) of F: row i of the cross product matrix of
//               column j of R, with the sign that makes it positive
//   Yeoh        with f, K and φ of fem_yeoh.c and κ = μ (λ is in π)
//               P = 2 f' φ' F + k G      k = κ (J - 1) + π - 2 f'
//               C = 2 f' φ' 1 + 4 f' φ" F⊗F + f" ∂K⊗∂K + κ G⊗G + k ∂G
//
// Projection as in fem_assemble_kernel.h: of corotated the 3 x 3 matrix of turning, of Yeoh in the
// axes of stretch; there C = Σ N_(ij)(kl) D_ij ⊗ D_kl with the dyads D_ij of left and right axes.
//
// Cost with exact tangent: some 15,000 operations for four tets, most of them in contractions.
#include <stddef.h>

#include "fem/fem_assemble_polar.h"
#include "fem/fem_lanes.h"
#include "fem/fem_lanes_quadratic.h"
#include "fem/fem_lanes_strain.h"
#include "fem/fem_quadratic_assemble.h"

enum { POINTS = PL_FEM_QUADRATIC_POINTS, NUMBERS = 3 * FREE * POINTS + POINTS + 4 };

_Static_assert(sizeof(pl_fem_quadratic_constants) == NUMBERS * sizeof(double) && NUMBERS % 4 == 0,
               "whole lanes are loaded");

typedef struct tet_lanes {
  pl_lanes constants[NUMBERS];  // as in pl_fem_quadratic_constants
  pl_lanes edge[FREE][3];       // of nodes 1 … 9 from node 0
  pl_lanes volume, lambda, mu, second, third;
} tet_lanes;

// A point of integration.
typedef struct point_lanes {
  pl_lanes F[3][3], G[3][3], J;
  polar_lanes polar;
} point_lanes;

// B of nodes 1 … 9 at a point, and its weight.
PL_SIMD_INLINE const pl_lanes *gradients_at(const tet_lanes *t, int q) {
  return t->constants + (ptrdiff_t)3 * FREE * q;
}
PL_SIMD_INLINE pl_lanes weight_at(const tet_lanes *t, int q) {
  return t->constants[3 * FREE * POINTS + q];
}

static void load_tets(const pl_fem_quadratics *tets, const int32_t element[DOUBLE_LANES], tet_lanes *t) {
  for (int part = 0; part < NUMBERS; part += 4) {
    for (int lane = 0; lane < DOUBLE_LANES; ++lane)
      t->constants[part + lane] = pl_lanes_load((const double *)(const void *)&tets->constants[element[lane]] + part);
    pl_lanes_transpose(t->constants + part);
  }
  const pl_lanes *rest = t->constants + (ptrdiff_t)3 * FREE * POINTS;
  t->volume = (rest[0] + rest[1]) + (rest[2] + rest[3]);
  t->lambda = rest[POINTS];
  t->mu = rest[POINTS + 1];
  t->second = rest[POINTS + 2];
  t->third = rest[POINTS + 3];
  pl_lanes_load_edges(tets->positions, tets->nodes, FREE + 1, element, t->edge);
}

PL_SIMD_INLINE void find_gradient(const tet_lanes *t, int q, pl_lanes F[3][3]) {
  const pl_lanes *B = gradients_at(t, q);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) F[i][j] = t->edge[0][i] * B[j];
  for (int a = 1; a < FREE; ++a)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) F[i][j] += t->edge[a][i] * B[3 * a + j];
}

// C += s A⊗A, above the diagonal too only where the row does not exceed the column.
PL_SIMD_INLINE void add_square(pl_lanes C[9][9], pl_lanes s, const pl_lanes *a) {
  for (int i = 0; i < 9; ++i) {
    pl_lanes scaled = s * a[i];
    for (int j = i; j < 9; ++j) C[i][j] += scaled * a[j];
  }
}

PL_SIMD_INLINE void clear_tangent(pl_lanes C[9][9], pl_lanes diagonal) {
  for (int i = 0; i < 9; ++i)
    for (int j = i; j < 9; ++j) C[i][j] = i == j ? diagonal : pl_lanes_of(0);
}

// --- corotated
// ------------------------------------------------------------------------------------

// C = 2 μ 1 + Eᵀ T E, T the matrix of turning.
PL_SIMD_INLINE void turning_tangent(pl_lanes R[3][3], const pl_lanes T[PL_SYMMETRIC], pl_lanes twice_mu,
                                    pl_lanes C[9][9]) {
  pl_lanes E[9][3], TE[9][3];
  for (int j = 0; j < 3; ++j) {
    pl_lanes zero = pl_lanes_of(0), r[3] = {R[0][j], R[1][j], R[2][j]};
    pl_lanes cross[3][3] = {{zero, r[2], -r[1]}, {-r[2], zero, r[0]}, {r[1], -r[0], zero}};
    for (int i = 0; i < 3; ++i)
      for (int m = 0; m < 3; ++m) E[3 * i + j][m] = cross[i][m];
  }
  for (int k = 0; k < 9; ++k) pl_lanes_apply_symmetric(T, E[k], TE[k]);
  for (int i = 0; i < 9; ++i)
    for (int j = i; j < 9; ++j) C[i][j] = pl_lanes_dot(E[i], TE[j]);
  for (int i = 0; i < 9; ++i) C[i][i] += twice_mu;
}

PL_SIMD_INLINE void corotated_point(const tet_lanes *t, point_lanes *p, pl_lanes pressure, bool positive, bool tangent,
                                    pl_lanes *energy, pl_lanes P[9], pl_lanes D[9], pl_lanes C[9][9]) {
  pl_lanes distance = pl_lanes_of(0), twice = 2.0 * t->mu;
  for (int k = 0; k < 9; ++k) {
    pl_lanes off = p->F[k / 3][k % 3] - p->polar.R[k / 3][k % 3];
    distance += off * off;
    D[k] = p->polar.R[k / 3][k % 3];
    P[k] = twice * off + pressure * D[k];
  }
  *energy = t->mu * distance;
  if (!tangent) return;
  static const int diagonal[3] = {PL_XX, PL_YY, PL_ZZ};
  pl_lanes turning[PL_SYMMETRIC], c = pressure - twice;
  for (int i = 0; i < PL_SYMMETRIC; ++i) turning[i] = c * p->polar.K[i];
  if (positive) {
    for (int i = 0; i < 3; ++i) turning[diagonal[i]] += t->mu;
    project_lanes(turning);
    for (int i = 0; i < 3; ++i) turning[diagonal[i]] -= t->mu;
  }
  turning_tangent(p->polar.R, turning, twice, C);
}

// --- Yeoh, and neo-Hookean as its case without coefficients
// ---------------------------------------

typedef struct yeoh_lanes {
  pl_lanes K, f1, f2, phi1, phi2, k, by[9];  // by: ∂K
} yeoh_lanes;

PL_SIMD_INLINE yeoh_lanes yeoh_of(const tet_lanes *t, point_lanes *p, pl_lanes pressure) {
  yeoh_lanes y;
  pl_lanes I = pl_lanes_dot(p->F[0], p->F[0]) + pl_lanes_dot(p->F[1], p->F[1]) + pl_lanes_dot(p->F[2], p->F[2]);
  pl_lanes short_of = pl_lanes_positive(1.0 - 0.5 * I), square = short_of * short_of;
  y.phi1 = 1.0 - square * short_of;
  y.phi2 = 1.5 * square;
  y.K = pl_lanes_shear(p->F, p->J, I, square * square);
  y.f1 = 0.5 * t->mu + t->second * y.K + 1.5 * t->third * (y.K * y.K);
  y.f2 = t->second + 3.0 * t->third * y.K;
  y.k = t->mu * (p->J - 1.0) + pressure - 2.0 * y.f1;
  for (int i = 0; i < 9; ++i) y.by[i] = 2.0 * (y.phi1 * p->F[i / 3][i % 3] - p->G[i / 3][i % 3]);
  return y;
}

// C += s ∂G/∂F: pairs of elements that share neither row nor column hold one element of F.
PL_SIMD_INLINE void add_cofactors(pl_lanes C[9][9], pl_lanes s, pl_lanes F[3][3]) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int n = 1; n < 3; ++n)
        for (int q = 1; q < 3; ++q) {
          int from = 3 * i + j, to = 3 * ((i + n) % 3) + (j + q) % 3;
          pl_lanes value = s * F[(i + 3 - n) % 3][(j + 3 - q) % 3];
          if (from < to) C[from][to] += n == q ? value : -value;
        }
}

// Exact: k and f" as they are.
PL_SIMD_INLINE void yeoh_tangent(const tet_lanes *t, point_lanes *p, const yeoh_lanes *y, pl_lanes C[9][9]) {
  clear_tangent(C, 2.0 * y->f1 * y->phi1);
  add_square(C, 4.0 * y->f1 * y->phi2, &p->F[0][0]);
  add_square(C, y->f2, y->by);
  add_square(C, t->mu, &p->G[0][0]);
  add_cofactors(C, y->k, p->F);
}

// The same with negative eigenvalues replaced by 0.
static void yeoh_positive(const tet_lanes *t, point_lanes *p, const yeoh_lanes *y, pl_lanes C[9][9]) {
  static const int slot[3][3] = {{PL_XX, PL_XY, PL_XZ}, {PL_XY, PL_YY, PL_YZ}, {PL_XZ, PL_YZ, PL_ZZ}};
  pl_lanes sigma[3], Q[3][3], stretch[PL_SYMMETRIC], g[3], by[3], dyads[9][9], images[9][9];
  pl_lanes level = 2.0 * y->f1 * y->phi1, along = 4.0 * y->f1 * y->phi2;
  decompose(p->F, &p->polar);
  eigen_lanes(p->polar.U, sigma, Q);
  for (int i = 0; i < 3; ++i) {
    g[i] = sigma[(i + 1) % 3] * sigma[(i + 2) % 3];
    by[i] = 2.0 * (y->phi1 * sigma[i] - g[i]);
  }
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j) {
      pl_lanes *to = &stretch[slot[i][j]];
      *to = along * sigma[i] * sigma[j] + y->f2 * by[i] * by[j] + t->mu * g[i] * g[j];
      *to += i == j ? level : (pl_lanes)(y->k * sigma[(3 - i - j) % 3]);
    }
  project_lanes(stretch);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      pl_lanes v[3];
      for (int l = 0; l < 3; ++l)
        v[l] = Q[0][j] * p->polar.R[0][l] + Q[1][j] * p->polar.R[1][l] + Q[2][j] * p->polar.R[2][l];
      for (int k = 0; k < 9; ++k) dyads[3 * i + j][k] = Q[k / 3][i] * v[k % 3];
    }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 9; ++k) {
        if (i == j) {
          images[4 * i][k] =
              stretch[slot[i][0]] * dyads[0][k] + stretch[slot[i][1]] * dyads[4][k] + stretch[slot[i][2]] * dyads[8][k];
          continue;
        }
        int axis = 3 - i - j;
        pl_lanes skew = pl_lanes_positive(level + y->k * sigma[axis]),
                 symmetric = pl_lanes_positive(level - y->k * sigma[axis]);
        images[3 * i + j][k] =
            0.5 * (symmetric + skew) * dyads[3 * i + j][k] + 0.5 * (symmetric - skew) * dyads[3 * j + i][k];
      }
  clear_tangent(C, pl_lanes_of(0));
  for (int m = 0; m < 9; ++m)
    for (int i = 0; i < 9; ++i)
      for (int j = i; j < 9; ++j) C[i][j] += dyads[m][i] * images[m][j];
}

PL_SIMD_INLINE void yeoh_point(const tet_lanes *t, point_lanes *p, pl_lanes pressure, bool positive, bool tangent,
                               pl_lanes *energy, pl_lanes P[9], pl_lanes D[9], pl_lanes C[9][9]) {
  yeoh_lanes y = yeoh_of(t, p, pressure);
  pl_lanes push = t->mu * (p->J - 1.0) + pressure, change = p->J - 1.0;
  *energy = 0.5 * y.K * (t->mu + y.K * (t->second + y.K * t->third)) + 0.5 * t->mu * (change * change);
  for (int i = 0; i < 9; ++i) {
    D[i] = p->G[i / 3][i % 3];
    P[i] = y.f1 * y.by[i] + push * D[i];
  }
  if (!tangent) return;
  if (positive)
    yeoh_positive(t, p, &y, C);
  else
    yeoh_tangent(t, p, &y, C);
}

// --- sums over points
// -----------------------------------------------------------------------------

// d of a point.
PL_SIMD_INLINE pl_lanes dilation_at(pl_fem_quadratic_model model, point_lanes *p) {
  if (model == PL_FEM_QUADRATIC_COROTATED) {
    decompose(p->F, &p->polar);
    return p->polar.trace - 3.0;
  }
  for (int i = 0; i < 3; ++i) pl_lanes_cross(p->F[(i + 1) % 3], p->F[(i + 2) % 3], p->G[i]);
  p->J = pl_lanes_dot(p->F[0], p->G[0]);
  return p->J - 1.0;
}

static void evaluate_lanes(const pl_fem_quadratics *tets, const tet_lanes *t, bool tangent, quadratic_lanes *r) {
  point_lanes points[POINTS];
  pl_lanes dilation = pl_lanes_of(0);
  for (int q = 0; q < POINTS; ++q) {
    find_gradient(t, q, points[q].F);
    dilation += weight_at(t, q) * dilation_at(tets->model, &points[q]);
  }
  dilation /= t->volume;
  pl_lanes pressure = t->lambda * dilation;
  clear_quadratic(tangent, r);
  r->energy = 0.5 * t->volume * (pressure * dilation);
  for (int q = 0; q < POINTS; ++q) {
    pl_lanes energy, P[9], D[9], C[9][9], w = weight_at(t, q);
    if (tets->model == PL_FEM_QUADRATIC_COROTATED)
      corotated_point(t, &points[q], pressure, tets->positive, tangent, &energy, P, D, C);
    else
      yeoh_point(t, &points[q], pressure, tets->positive, tangent, &energy, P, D, C);
    r->energy += w * energy;
    add_quadratic_vectors(gradients_at(t, q), w, P, r->gradient);
    if (!tangent) continue;
    add_quadratic_vectors(gradients_at(t, q), w, D, r->mean);
    for (int i = 0; i < 9; ++i)
      for (int j = i; j < 9; ++j) C[i][j] *= w;
    add_quadratic_blocks(gradients_at(t, q), C, r);
  }
}

void KERNEL_NAME(const pl_fem_quadratics *tets, const int32_t *elements, int32_t count, double *energies,
                 double *gradients, double *matrices) {
  for (int32_t begin = 0; begin < count; begin += DOUBLE_LANES) {
    // A last group that is not full repeats its first tet.
    int lane_count = count - begin < DOUBLE_LANES ? (int)(count - begin) : DOUBLE_LANES;
    int32_t element[DOUBLE_LANES];
    for (int lane = 0; lane < DOUBLE_LANES; ++lane) element[lane] = elements[begin + (lane < lane_count ? lane : 0)];
    tet_lanes t;
    quadratic_lanes r;
    load_tets(tets, element, &t);
    evaluate_lanes(tets, &t, matrices != NULL, &r);
    for (int lane = 0; lane < lane_count; ++lane) energies[begin + lane] = r.energy[lane];
    if (gradients != NULL) write_quadratic_gradients(&r, lane_count, gradients + 30 * (ptrdiff_t)begin);
    if (matrices == NULL) continue;
    r.factor = (tets->positive ? pl_lanes_positive(t.lambda) : t.lambda) / t.volume;
    write_quadratic_matrices(&r, lane_count, matrices + 900 * (ptrdiff_t)begin);
  }
}
