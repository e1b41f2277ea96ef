// Part of the kernel in fem_assemble_kernel.h: rotation, left stretch and eigenvalues of four
// matrices at a time.
#ifndef PL_FEM_ASSEMBLE_POLAR_H
#define PL_FEM_ASSEMBLE_POLAR_H

#include "fem/fem_assemble.h"
#include "fem/fem_lanes.h"

// F = U R with the left stretch U, and K = (tr U 1 - U)⁻¹, which says how R turns (fem_polar.h; the
// left forms are those there, turned by R).
typedef struct polar_lanes {
  pl_lanes R[3][3], U[PL_SYMMETRIC], K[PL_SYMMETRIC], trace;
} polar_lanes;

// Largest root of the quartic of fem_polar.c, for I = |F|², J = det F and G2 = |cofactors|². Lanes
// that are done stand still, so that each takes its own steps.
PL_SIMD_INLINE pl_lanes trace_of_stretch(pl_lanes I, pl_lanes J, pl_lanes G2) {
  pl_lanes trace = pl_lanes_sqrt(3.0 * I), constant = I * I - 4.0 * G2;
  pl_lane_mask active = ~(pl_lane_mask){0};
  for (int i = 0; i < 40; ++i) {
    pl_lanes value = ((trace * trace - 2.0 * I) * trace - 8.0 * J) * trace + constant;
    pl_lanes step = value / (4.0 * ((trace * trace - I) * trace - 2.0 * J));
    trace = pl_lanes_select(active, trace - step, trace);
    active &= pl_lanes_abs(step) > 1e-9 * trace;
    if (pl_lane_bits(active) == 0) break;
  }
  return trace;
}

// R by the closed form of fem_polar.c, made orthogonal by one step. Returns the lanes in which it
// is good.
PL_SIMD_INLINE pl_lane_mask rotation_by_trace(pl_lanes F[3][3], pl_lanes R[3][3]) {
  pl_lanes G[3][3], left[PL_SYMMETRIC], cube[3][3], rough[3][3];
  for (int i = 0; i < 3; ++i) pl_lanes_cross(F[(i + 1) % 3], F[(i + 2) % 3], G[i]);
  pl_lanes_gram(F, left);
  pl_lanes I = left[PL_XX] + left[PL_YY] + left[PL_ZZ], J = pl_lanes_dot(F[0], G[0]);
  pl_lanes G2 = pl_lanes_dot(G[0], G[0]) + pl_lanes_dot(G[1], G[1]) + pl_lanes_dot(G[2], G[2]);
  pl_lanes trace = trace_of_stretch(I, J, G2), e = 0.5 * (trace * trace - I), sums = trace * e - J,
           inverse = 1.0 / sums;
  pl_lanes a = (trace * trace - e) * inverse, b = trace * inverse;
  pl_lanes_multiply_symmetric(left, F, cube);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) rough[i][j] = a * F[i][j] + b * G[i][j] - inverse * cube[i][j];

  // R ← (3 - R Rᵀ) R / 2
  pl_lanes defect[PL_SYMMETRIC], product[3][3];
  pl_lanes_gram(rough, defect);
  pl_lanes_multiply_symmetric(defect, rough, product);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) R[i][j] = 1.5 * rough[i][j] - 0.5 * product[i][j];
  return sums > 1e-3 * (trace * trace * trace);
}

// Lanes without a good rotation by the scalar code; rare. F is nine lanes, row by row.
static void settle_lanes(const pl_lanes *F, int bad, polar_lanes *p) {
  double f[9 * DOUBLE_LANES], r[9 * DOUBLE_LANES], u[PL_SYMMETRIC * DOUBLE_LANES],
      k[PL_SYMMETRIC * DOUBLE_LANES];
  for (int i = 0; i < 9; ++i) {
    pl_lanes_store(f + DOUBLE_LANES * i, F[i]);
    pl_lanes_store(r + DOUBLE_LANES * i, p->R[i / 3][i % 3]);
  }
  for (int i = 0; i < PL_SYMMETRIC; ++i) {
    pl_lanes_store(u + DOUBLE_LANES * i, p->U[i]);
    pl_lanes_store(k + DOUBLE_LANES * i, p->K[i]);
  }
  for (int lane = 0; lane < DOUBLE_LANES; ++lane)
    if (bad >> lane & 1) pl_fem_assemble_settle(f, lane, r, u, k);
  for (int i = 0; i < 9; ++i) p->R[i / 3][i % 3] = pl_lanes_load(r + DOUBLE_LANES * i);
  for (int i = 0; i < PL_SYMMETRIC; ++i) {
    p->U[i] = pl_lanes_load(u + DOUBLE_LANES * i);
    p->K[i] = pl_lanes_load(k + DOUBLE_LANES * i);
  }
}

// Inverse of tr U 1 - U by cofactors.
PL_SIMD_INLINE void turning_inverse(const pl_lanes U[PL_SYMMETRIC], pl_lanes K[PL_SYMMETRIC]) {
  pl_lanes xx = U[PL_YY] + U[PL_ZZ], yy = U[PL_XX] + U[PL_ZZ], zz = U[PL_XX] + U[PL_YY];
  pl_lanes xy = -U[PL_XY], xz = -U[PL_XZ], yz = -U[PL_YZ];
  K[PL_XX] = yy * zz - yz * yz;
  K[PL_XY] = xz * yz - xy * zz;
  K[PL_XZ] = xy * yz - xz * yy;
  K[PL_YY] = xx * zz - xz * xz;
  K[PL_YZ] = xy * xz - xx * yz;
  K[PL_ZZ] = xx * yy - xy * xy;
  pl_lanes inverse = 1.0 / (xx * K[PL_XX] + xy * K[PL_XY] + xz * K[PL_XZ]);
  for (int i = 0; i < PL_SYMMETRIC; ++i) K[i] *= inverse;
}

PL_SIMD_INLINE void decompose(pl_lanes F[3][3], polar_lanes *p) {
  pl_lane_mask good = rotation_by_trace(F, p->R);
  pl_lanes N[3][3];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) N[i][j] = pl_lanes_dot(F[i], p->R[j]);
  p->U[PL_XX] = N[0][0];
  p->U[PL_YY] = N[1][1];
  p->U[PL_ZZ] = N[2][2];
  p->U[PL_XY] = 0.5 * (N[0][1] + N[1][0]);
  p->U[PL_XZ] = 0.5 * (N[0][2] + N[2][0]);
  p->U[PL_YZ] = 0.5 * (N[1][2] + N[2][1]);
  turning_inverse(p->U, p->K);

  // The last correction: R ← R + [w] R with w = K ax(F Rᵀ).
  pl_lanes axial[3] = {N[2][1] - N[1][2], N[0][2] - N[2][0], N[1][0] - N[0][1]}, w[3];
  pl_lanes_apply_symmetric(p->K, axial, w);
  for (int j = 0; j < 3; ++j) {
    pl_lanes column[3] = {p->R[0][j], p->R[1][j], p->R[2][j]}, turned[3];
    pl_lanes_cross(w, column, turned);
    for (int i = 0; i < 3; ++i) p->R[i][j] += turned[i];
  }
  int bad = ~pl_lane_bits(good) & 15;
  if (bad != 0) settle_lanes(&F[0][0], bad, p);
  p->trace = p->U[PL_XX] + p->U[PL_YY] + p->U[PL_ZZ];
}

// --- eigenvalues
// --------------------------------------------------------------------------------------------------

// One rotation of Jacobi's in the plane p, q; r is the third axis. Columns of Q turn alike.
PL_SIMD_INLINE void jacobi_turn(pl_lanes *pp, pl_lanes *qq, pl_lanes *pq, pl_lanes *pr,
                                pl_lanes *qr, pl_lanes Q[3][3], int p, int q) {
  pl_lanes theta = (*qq - *pp) / (2.0 * *pq);
  pl_lanes t =
      pl_lanes_signed(1.0 / (pl_lanes_abs(theta) + pl_lanes_sqrt(theta * theta + 1.0)), theta);
  t = pl_lanes_select(*pq == 0.0, pl_lanes_of(0), t);
  pl_lanes c = 1.0 / pl_lanes_sqrt(t * t + 1.0), s = t * c, other = *pr;
  *pp -= t * *pq;
  *qq += t * *pq;
  *pq = pl_lanes_of(0);
  *pr = c * other - s * *qr;
  *qr = s * other + c * *qr;
  for (int i = 0; i < 3; ++i) {
    pl_lanes old = Q[i][p];
    Q[i][p] = c * old - s * Q[i][q];
    Q[i][q] = s * old + c * Q[i][q];
  }
}

// a = Q diag(values) Qᵀ. Five sweeps give all digits of any 3 x 3 matrix; a fixed number of them,
// so that lanes do not wait for each other's.
static void eigen_lanes(const pl_lanes a[PL_SYMMETRIC], pl_lanes values[3], pl_lanes Q[3][3]) {
  pl_lanes xx = a[PL_XX], xy = a[PL_XY], xz = a[PL_XZ], yy = a[PL_YY], yz = a[PL_YZ], zz = a[PL_ZZ];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) Q[i][j] = pl_lanes_of(i == j ? 1 : 0);
  for (int sweep = 0; sweep < 5; ++sweep) {
    jacobi_turn(&xx, &yy, &xy, &xz, &yz, Q, 0, 1);
    jacobi_turn(&xx, &zz, &xz, &xy, &yz, Q, 0, 2);
    jacobi_turn(&yy, &zz, &yz, &xy, &xz, Q, 1, 2);
  }
  values[0] = xx;
  values[1] = yy;
  values[2] = zz;
}

// Negative eigenvalues of `a` become 0. Lanes that have none by Sylvester's criterion stay as they
// are.
static void project_lanes(pl_lanes a[PL_SYMMETRIC]) {
  pl_lanes minor = a[PL_XX] * a[PL_YY] - a[PL_XY] * a[PL_XY];
  pl_lanes determinant = a[PL_ZZ] * minor - a[PL_XX] * a[PL_YZ] * a[PL_YZ] -
                         a[PL_YY] * a[PL_XZ] * a[PL_XZ] + 2.0 * (a[PL_XY] * a[PL_XZ] * a[PL_YZ]);
  pl_lane_mask definite = (a[PL_XX] > 0.0) & (minor > 0.0) & (determinant > 0.0);
  if (pl_lane_bits(definite) == 15) return;
  pl_lanes values[3], Q[3][3];
  eigen_lanes(a, values, Q);
  int slot = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j, ++slot) {
      pl_lanes sum = pl_lanes_of(0);
      for (int k = 0; k < 3; ++k) sum += pl_lanes_positive(values[k]) * (Q[i][k] * Q[j][k]);
      a[slot] = pl_lanes_select(definite, a[slot], sum);
    }
}

#endif
