// Energies, gradients and Hessians of four tets at a time; included once per instruction set with KERNEL_NAME the
// function to define. The one-tet versions, with all derivatives, are fem_corotated.c (paper 002, eqs. 1 to 3) and
// fem_neo_hookean.c.
//
// F = Σ e_a B_aᵀ over the edges e_a = x_a - x_0 and the shape gradients B_a of corners 1, 2, 3; corner 0 takes minus
// the sum of the others in everything. The 9 x 9 matrix of second derivatives of ψ by F is never made: contracted with
// B_a and B_b its terms are
//
//   corotated     H_ab = V (2 μ (B_a·B_b) 1 + λ b_a b_bᵀ + c [b_a]ᵀ K [b_b])
//                 b_a = R B_a,  c = λ (tr U - 3) - 2 μ
//   neo-Hookean   H_ab = V (μ φ' (B_a·B_b) 1 + 2 μ φ" f_a f_bᵀ + κ g_a g_bᵀ + k ∂²J/∂x_a∂x_b)
//                 f_a = F B_a,  g_a = ∂J/∂x_a
//
// with the letters of fem_corotated.c and fem_neo_hookean.c, U and K on the left of R, and [b] the cross product
// matrix. ∂²J/∂x_1∂x_2 = -[e_3] det B and so on round.
//
// Projection. Corotated: ψ" is 2 μ on the symmetric matrices (times R), with more along R, and μ + c K on the skew
// ones: only that 3 x 3 matrix can be indefinite, and it is projected. Neo-Hookean: in the axes Q of U the skew and the
// symmetric mode of every pair of axes have the eigenvalues μ φ' ± k σ, and the three stretches a 3 x 3 matrix.
//
// Cost, with exact tangent: some 900 operations per tet for corotated, 500 for neo-Hookean, and 144 numbers written.
#include <stddef.h>

#include "fem/fem_assemble.h"
#include "fem/fem_assemble_polar.h"
#include "fem/fem_lanes.h"
#include "fem/fem_lanes_linear.h"
#include "fem/fem_lanes_strain.h"

_Static_assert(sizeof(pl_fem_tet_constants) == 12 * sizeof(double), "twelve numbers are loaded");

typedef struct tet_lanes {
  pl_lanes B[3][3], edge[3][3], F[3][3], metric[3][3];  // metric: B_a·B_b
  pl_lanes volume, lambda, mu;
} tet_lanes;

PL_SIMD_INLINE void load_tets(const pl_fem_tets *tets, const int32_t element[DOUBLE_LANES], tet_lanes *t) {
  pl_lanes c[12];
  for (int part = 0; part < 12; part += 4) {
    for (int lane = 0; lane < DOUBLE_LANES; ++lane)
      c[part + lane] = pl_lanes_load((const double *)(const void *)&tets->constants[element[lane]] + part);
    pl_lanes_transpose(c + part);
  }
  for (int i = 0; i < 9; ++i) t->B[i / 3][i % 3] = c[i];
  t->volume = c[9];
  t->lambda = c[10];
  t->mu = c[11];

  pl_lanes_load_edges(tets->positions, tets->corners, 4, element, t->edge);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      t->F[i][j] = t->edge[0][i] * t->B[0][j] + t->edge[1][i] * t->B[1][j] + t->edge[2][i] * t->B[2][j];
}

PL_SIMD_INLINE void find_metric(tet_lanes *t) {
  for (int a = 0; a < 3; ++a)
    for (int b = a; b < 3; ++b) t->metric[a][b] = pl_lanes_dot(t->B[a], t->B[b]);
}

// --- corotated ----------------------------------------------------------------------------------------------------

// Blocks H_ab of the head of this file, corotated (paper 002, eq. 2, with the derivative of R).
PL_SIMD_INLINE void corotated_blocks(tet_lanes *t, const pl_lanes twist[PL_SYMMETRIC], pl_lanes b[3][3],
                                     linear_lanes *r) {
  pl_lanes twice_mu = t->volume * (2.0 * t->mu), lambda = t->volume * t->lambda;
  for (int q = 0; q < 3; ++q) {
    // The columns of twist [b_q].
    pl_lanes zero = pl_lanes_of(0), columns[3][3];
    pl_lanes cross[3][3] = {{zero, b[q][2], -b[q][1]}, {-b[q][2], zero, b[q][0]}, {b[q][1], -b[q][0], zero}};
    for (int j = 0; j < 3; ++j) pl_lanes_apply_symmetric(twist, cross[j], columns[j]);
    for (int p = 0; p <= q; ++p) {
      pl_lanes block[3][3];
      for (int j = 0; j < 3; ++j) {
        pl_lanes turned[3], along = lambda * b[q][j];
        pl_lanes_cross(columns[j], b[p], turned);
        for (int i = 0; i < 3; ++i) block[i][j] = b[p][i] * along + turned[i];
        block[j][j] += twice_mu * t->metric[p][q];
      }
      set_linear_block(r, p, q, block);
    }
  }
}

// ψ and P of fem_corotated.c (paper 002, eqs. 1 and 3).
PL_SIMD_INLINE void corotated_lanes(tet_lanes *t, bool positive, bool tangent, linear_lanes *r) {
  polar_lanes p;
  pl_lanes b[3][3], push, distance = pl_lanes_of(0);
  decompose(t->F, &p);
  push = t->lambda * (p.trace - 3.0);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) distance += (t->F[i][j] - p.R[i][j]) * (t->F[i][j] - p.R[i][j]);
  r->energy = t->volume * (t->mu * distance + 0.5 * push * (p.trace - 3.0));
  for (int a = 0; a < 3; ++a) {
    pl_lanes f[3];
    pl_lanes_apply(p.R, t->B[a], b[a]);
    pl_lanes_apply(t->F, t->B[a], f);
    for (int i = 0; i < 3; ++i) r->gradient[a + 1][i] = t->volume * (2.0 * t->mu * (f[i] - b[a][i]) + push * b[a][i]);
  }
  complete_linear_gradient(r);
  if (!tangent) return;

  pl_lanes c = push - 2.0 * t->mu, twist[PL_SYMMETRIC];
  for (int i = 0; i < PL_SYMMETRIC; ++i) twist[i] = c * p.K[i];
  if (positive) {
    static const int diagonal[3] = {PL_XX, PL_YY, PL_ZZ};
    for (int i = 0; i < 3; ++i) twist[diagonal[i]] += t->mu;
    project_lanes(twist);
    for (int i = 0; i < 3; ++i) twist[diagonal[i]] -= t->mu;
  }
  for (int i = 0; i < PL_SYMMETRIC; ++i) twist[i] *= t->volume;
  find_metric(t);
  corotated_blocks(t, twist, b, r);
  complete_linear_matrix(r);
}

// --- neo-Hookean --------------------------------------------------------------------------------------------------

// Volume ratio J and its derivatives by the corners 1, 2, 3; the derivatives of φ; k = dψ/dJ.
typedef struct neo_lanes {
  pl_lanes determinant, J, I, phi1, phi2, kappa, k, by_corner[3][3];
} neo_lanes;

PL_SIMD_INLINE neo_lanes neo_of(tet_lanes *t, pl_lanes *energy) {
  neo_lanes n;
  pl_lanes face[3];
  pl_lanes_cross(t->B[1], t->B[2], face);
  n.determinant = pl_lanes_dot(t->B[0], face);
  for (int a = 0; a < 3; ++a) {
    pl_lanes_cross(t->edge[(a + 1) % 3], t->edge[(a + 2) % 3], n.by_corner[a]);
    for (int i = 0; i < 3; ++i) n.by_corner[a][i] *= n.determinant;
  }
  n.J = pl_lanes_dot(t->edge[0], n.by_corner[0]);
  n.I = pl_lanes_dot(t->F[0], t->F[0]) + pl_lanes_dot(t->F[1], t->F[1]) + pl_lanes_dot(t->F[2], t->F[2]);
  pl_lanes hessian = pl_lanes_positive(1.0 - 0.5 * n.I), square = hessian * hessian;
  n.phi1 = 1.0 - square * hessian;
  n.phi2 = 1.5 * square;
  n.kappa = t->lambda + t->mu;
  n.k = n.kappa * (n.J - 1.0) - t->mu;

  pl_lanes shear = 0.5 * pl_lanes_shear(t->F, n.J, n.I, square * square);
  *energy = t->volume * (t->mu * shear + 0.5 * n.kappa * ((n.J - 1.0) * (n.J - 1.0)));
  return n;
}

// Blocks H_ab of the head of this file, neo-Hookean (Smith, de Goes, Kim 2018, with φ of fem_neo_hookean.c).
PL_SIMD_INLINE void neo_blocks(tet_lanes *t, neo_lanes *n, pl_lanes f[3][3], linear_lanes *r) {
  pl_lanes level = t->volume * (t->mu * n->phi1), along = t->volume * (2.0 * t->mu * n->phi2),
           kappa = t->volume * n->kappa;
  pl_lanes swirl = t->volume * (n->k * n->determinant), zero = pl_lanes_of(0);
  for (int a = 0; a < 3; ++a)
    for (int b = a; b < 3; ++b) {
      pl_lanes block[3][3];
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          block[i][j] = along * f[a][i] * f[b][j] + kappa * n->by_corner[a][i] * n->by_corner[b][j];
      for (int i = 0; i < 3; ++i) block[i][i] += level * t->metric[a][b];
      if (a != b) {
        // -[e] for the pairs that follow each other round (1 2, 2 3), +[e] for the pair 1 3, with e the edge of the
        // corner that is in neither.
        const pl_lanes *e = t->edge[3 - a - b];
        pl_lanes s = b - a == 1 ? -swirl : swirl;
        pl_lanes cross[3][3] = {{zero, -e[2], e[1]}, {e[2], zero, -e[0]}, {-e[1], e[0], zero}};
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j)
            if (i != j) block[i][j] += s * cross[i][j];
      }
      set_linear_block(r, a, b, block);
    }
}

// Eigenvalues of ψ" in the axes of U, clamped: `stretch` for the three stretches, and for the plane across axis i half
// the sum and half the difference of the symmetric mode's and the skew mode's, which multiply equal and crosswise
// elements.
PL_SIMD_INLINE void neo_modes(tet_lanes *t, neo_lanes *n, const pl_lanes sigma[3], pl_lanes stretch[PL_SYMMETRIC],
                              pl_lanes equal[3], pl_lanes crosswise[3]) {
  pl_lanes level = t->mu * n->phi1, along = 2.0 * t->mu * n->phi2, g[3];
  for (int i = 0; i < 3; ++i) {
    g[i] = sigma[(i + 1) % 3] * sigma[(i + 2) % 3];
    pl_lanes skew = pl_lanes_positive(level + n->k * sigma[i]), symmetric = pl_lanes_positive(level - n->k * sigma[i]);
    equal[i] = 0.5 * (symmetric + skew);
    crosswise[i] = 0.5 * (symmetric - skew);
  }
  int slot = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j, ++slot) {
      stretch[slot] = along * sigma[i] * sigma[j] + n->kappa * g[i] * g[j];
      stretch[slot] += i == j ? level : (pl_lanes)(n->k * sigma[(3 - i - j) % 3]);
    }
  project_lanes(stretch);
}

// Q N Qᵀ
PL_SIMD_INLINE void turn_block(pl_lanes Q[3][3], pl_lanes N[3][3], pl_lanes block[3][3]) {
  pl_lanes half[3][3];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) half[i][j] = Q[i][0] * N[0][j] + Q[i][1] * N[1][j] + Q[i][2] * N[2][j];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) block[i][j] = pl_lanes_dot(half[i], Q[j]);
}

// The same projected to positive semi-definite: Q diag Qᵀ by neo_modes().
PL_SIMD_INLINE void neo_positive_blocks(tet_lanes *t, neo_lanes *n, linear_lanes *r) {
  static const int slot[3][3] = {{PL_XX, PL_XY, PL_XZ}, {PL_XY, PL_YY, PL_YZ}, {PL_XZ, PL_YZ, PL_ZZ}};
  polar_lanes p;
  pl_lanes sigma[3], Q[3][3], stretch[PL_SYMMETRIC], equal[3], crosswise[3], beta[3][3];
  decompose(t->F, &p);
  eigen_lanes(p.U, sigma, Q);
  neo_modes(t, n, sigma, stretch, equal, crosswise);
  for (int a = 0; a < 3; ++a) {
    pl_lanes b[3];
    pl_lanes_apply(p.R, t->B[a], b);
    for (int i = 0; i < 3; ++i) beta[a][i] = Q[0][i] * b[0] + Q[1][i] * b[1] + Q[2][i] * b[2];
  }
  for (int a = 0; a < 3; ++a)
    for (int b = a; b < 3; ++b) {
      pl_lanes N[3][3], block[3][3];
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
          int u = (i + 1) % 3, v = (i + 2) % 3;
          pl_lanes value = stretch[slot[i][j]] * beta[a][i] * beta[b][j];
          if (i == j)
            value += equal[v] * beta[a][u] * beta[b][u] + equal[u] * beta[a][v] * beta[b][v];
          else
            value += crosswise[3 - i - j] * beta[a][j] * beta[b][i];
          N[i][j] = t->volume * value;
        }
      turn_block(Q, N, block);
      set_linear_block(r, a, b, block);
    }
}

// ψ and P of fem_neo_hookean.c.
PL_SIMD_INLINE void neo_hookean_lanes(tet_lanes *t, bool positive, bool tangent, linear_lanes *r) {
  neo_lanes n = neo_of(t, &r->energy);
  pl_lanes f[3][3], level = t->mu * n.phi1;
  for (int a = 0; a < 3; ++a) {
    pl_lanes_apply(t->F, t->B[a], f[a]);
    for (int i = 0; i < 3; ++i) r->gradient[a + 1][i] = t->volume * (level * f[a][i] + n.k * n.by_corner[a][i]);
  }
  complete_linear_gradient(r);
  if (!tangent) return;
  if (positive) {
    neo_positive_blocks(t, &n, r);
  } else {
    find_metric(t);
    neo_blocks(t, &n, f, r);
  }
  complete_linear_matrix(r);
}

// --- groups of four -----------------------------------------------------------------------------------------------

void KERNEL_NAME(const pl_fem_tets *tets, const int32_t *elements, int32_t count, double *energies, double *gradients,
                 double *matrices) {
  for (int32_t begin = 0; begin < count; begin += DOUBLE_LANES) {
    // A last group that is not full repeats its first tet.
    int lane_count = count - begin < DOUBLE_LANES ? (int)(count - begin) : DOUBLE_LANES;
    int32_t element[DOUBLE_LANES];
    for (int lane = 0; lane < DOUBLE_LANES; ++lane) element[lane] = elements[begin + (lane < lane_count ? lane : 0)];
    tet_lanes t;
    linear_lanes r;
    load_tets(tets, element, &t);
    if (tets->model == PL_FEM_TET_COROTATED)
      corotated_lanes(&t, tets->positive, matrices != NULL, &r);
    else
      neo_hookean_lanes(&t, tets->positive, matrices != NULL, &r);
    if (energies != NULL)
      for (int lane = 0; lane < lane_count; ++lane) energies[begin + lane] = r.energy[lane];
    if (gradients != NULL) write_rows(&r.gradient[0][0], 12, lane_count, gradients + 12 * (ptrdiff_t)begin);
    if (matrices == NULL) continue;
    double *to = matrices + 144 * (ptrdiff_t)begin;
    if (lane_count == DOUBLE_LANES)
      write_rows(&r.matrix[0][0], 144, DOUBLE_LANES, to);
    else
      write_rows(&r.matrix[0][0], 144, lane_count, to);
  }
}
