// Four doubles at a time, by the vector extensions of gcc and clang: as math/simd.h for floats,
// whose rules and pattern of two files hold here too. The lanes are four tets. Every operation is
// exactly rounded or moves bits, so that all instruction sets give the same bits, and lanes never
// mix except in transposing.
#ifndef PL_FEM_LANES_H
#define PL_FEM_LANES_H

#include <stddef.h>

#include "math/simd_eight.h"

enum { DOUBLE_LANES = 4 };

typedef pl_d4 pl_lanes;
typedef int64_t pl_lane_mask __attribute__((vector_size(32), may_alias));

// Four elements of a batch, from `begin` on; the last four is filled up with its first element.
// Returns how many count.
PL_SIMD_INLINE int32_t pl_lanes_elements(const int32_t *elements, int32_t begin, int32_t count,
                                         int32_t four[4]) {
  int32_t used = count - begin < 4 ? count - begin : 4;
  for (int k = 0; k < 4; ++k) four[k] = elements[begin + (k < used ? k : 0)];
  return used;
}
PL_SIMD_INLINE pl_lanes pl_lanes_load(const double *from) {
  return pl_d4_load(from);
}
PL_SIMD_INLINE void pl_lanes_store(double *to, pl_lanes a) {
  pl_d4_store(to, a);
}
PL_SIMD_INLINE pl_lanes pl_lanes_of(double a) {
  return (pl_lanes){a, a, a, a};
}
// a where the mask is set, b elsewhere.
PL_SIMD_INLINE pl_lanes pl_lanes_select(pl_lane_mask mask, pl_lanes a, pl_lanes b) {
  return (pl_lanes)((mask & (pl_lane_mask)a) | (~mask & (pl_lane_mask)b));
}
PL_SIMD_INLINE pl_lanes pl_lanes_abs(pl_lanes a) {
  return (pl_lanes)((pl_lane_mask)a & INT64_MAX);
}
// |a| with the sign of b.
PL_SIMD_INLINE pl_lanes pl_lanes_signed(pl_lanes a, pl_lanes b) {
  return (pl_lanes)(((pl_lane_mask)a & INT64_MAX) | ((pl_lane_mask)b & INT64_MIN));
}
// a > 0 ? a : 0, so 0 for what is not a number.
PL_SIMD_INLINE pl_lanes pl_lanes_positive(pl_lanes a) {
  return (pl_lanes)((a > 0.0) & (pl_lane_mask)a);
}

#if PL_SIMD_IS_AVX
PL_SIMD_INLINE pl_lanes pl_lanes_sqrt(pl_lanes a) {
  return (pl_lanes)_mm256_sqrt_pd((__m256d)a);
}
// Bit k is set where lane k is.
PL_SIMD_INLINE int pl_lane_bits(pl_lane_mask mask) {
  return _mm256_movemask_pd((__m256d)mask);
}
#else
PL_SIMD_INLINE pl_lanes pl_lanes_sqrt(pl_lanes a) {
  for (int i = 0; i < DOUBLE_LANES; ++i) a[i] = sqrt(a[i]);
  return a;
}
PL_SIMD_INLINE int pl_lane_bits(pl_lane_mask mask) {
  int bits = 0;
  for (int i = 0; i < DOUBLE_LANES; ++i) bits |= (mask[i] < 0) << i;
  return bits;
}
#endif

// The angle of (x, y), with the signs of zeros as of the C library; within 2e-16 of the angle,
// relatively, for finite numbers. The fraction is brought to at most 0.66 by the tangents of 0, π/4
// and π/2, and the rest is the rational approximation of the Cephes library (Moshier 1989), t + t³
// P(t²) / Q(t²). Four calls of the C library take a sixth of the time of a curve's forces, and
// their bits depend on the library.
PL_SIMD_INLINE pl_lanes pl_lanes_atan2(pl_lanes y, pl_lanes x) {
  static const double P[5] = {-8.750608600031904122785e-1, -1.615753718733365076637e1,
                              -7.500855792314704667340e1, -1.228866684490136173410e2,
                              -6.485021904942025371773e1};
  static const double Q[5] = {2.485846490142306297962e1, 1.650270098316988542046e2,
                              4.328810604912902668951e2, 4.853903996359136964868e2,
                              1.945506571482613964425e2};
  const double right = 1.57079632679489661923,
               low = 6.123233995736765886130e-17;  // π/2, and what it lacks
  pl_lanes up = pl_lanes_abs(y), along = pl_lanes_abs(x), none = pl_lanes_of(0);
  pl_lane_mask steep = up > 2.41421356237309504880 * along, middle = ~steep & (up > 0.66 * along);
  pl_lanes from = pl_lanes_select(steep, -along, pl_lanes_select(middle, up - along, up));
  pl_lanes over = pl_lanes_select(steep, up, pl_lanes_select(middle, up + along, along));
  pl_lanes quarter =
      pl_lanes_select(steep, pl_lanes_of(1), pl_lanes_select(middle, pl_lanes_of(0.5), none));
  pl_lanes t = from / pl_lanes_select(over > 0.0, over, pl_lanes_of(1)), z = t * t,
           p = pl_lanes_of(P[0]), q = z + Q[0];
  for (int k = 1; k < 5; ++k) {
    p = p * z + P[k];
    q = q * z + Q[k];
  }
  pl_lanes angle = quarter * right + (t * (z * p / q) + t + quarter * low);
  return pl_lanes_signed(pl_lanes_select((pl_lane_mask)x < 0, (2 * right - angle) + 2 * low, angle),
                         y);
}

// The same of one: what a kernel measures of an element at rest is what single elements measure.
PL_SIMD_INLINE double pl_fem_angle(double y, double x) {
  return pl_lanes_atan2(pl_lanes_of(y), pl_lanes_of(x))[0];
}

// Rows become columns: from number k of four tets to four numbers of tet k, and back.
PL_SIMD_INLINE void pl_lanes_transpose(pl_lanes a[4]) {
  pl_d4_transpose(a);
}

// --- vectors and matrices of lanes
// --------------------------------------------------------------------------------
//
// Arguments [3][3] are read only where not said otherwise; C17 does not let a matrix be passed to a
// pointer to const rows.

// Symmetric 3 x 3 matrices are six lanes, in this order.
enum { PL_XX, PL_XY, PL_XZ, PL_YY, PL_YZ, PL_ZZ, PL_SYMMETRIC };

PL_SIMD_INLINE pl_lanes pl_lanes_dot(const pl_lanes a[3], const pl_lanes b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
PL_SIMD_INLINE void pl_lanes_cross(const pl_lanes a[3], const pl_lanes b[3], pl_lanes c[3]) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}
// y = A x
PL_SIMD_INLINE void pl_lanes_apply(pl_lanes a[3][3], const pl_lanes x[3], pl_lanes y[3]) {
  for (int i = 0; i < 3; ++i) y[i] = pl_lanes_dot(a[i], x);
}
// y = S x for a symmetric S.
PL_SIMD_INLINE void pl_lanes_apply_symmetric(const pl_lanes s[PL_SYMMETRIC], const pl_lanes x[3],
                                             pl_lanes y[3]) {
  y[0] = s[PL_XX] * x[0] + s[PL_XY] * x[1] + s[PL_XZ] * x[2];
  y[1] = s[PL_XY] * x[0] + s[PL_YY] * x[1] + s[PL_YZ] * x[2];
  y[2] = s[PL_XZ] * x[0] + s[PL_YZ] * x[1] + s[PL_ZZ] * x[2];
}
// A Aᵀ
PL_SIMD_INLINE void pl_lanes_gram(pl_lanes a[3][3], pl_lanes s[PL_SYMMETRIC]) {
  s[PL_XX] = pl_lanes_dot(a[0], a[0]);
  s[PL_XY] = pl_lanes_dot(a[0], a[1]);
  s[PL_XZ] = pl_lanes_dot(a[0], a[2]);
  s[PL_YY] = pl_lanes_dot(a[1], a[1]);
  s[PL_YZ] = pl_lanes_dot(a[1], a[2]);
  s[PL_ZZ] = pl_lanes_dot(a[2], a[2]);
}
// S A for a symmetric S.
PL_SIMD_INLINE void pl_lanes_multiply_symmetric(const pl_lanes s[PL_SYMMETRIC], pl_lanes a[3][3],
                                                pl_lanes c[3][3]) {
  for (int j = 0; j < 3; ++j) {
    pl_lanes column[3] = {a[0][j], a[1][j], a[2][j]}, result[3];
    pl_lanes_apply_symmetric(s, column, result);
    for (int i = 0; i < 3; ++i) c[i][j] = result[i];
  }
}

// Nodes 1, 2 … of four elements relative to their node 0: `nodes` has node_count per element,
// `positions` three numbers per node.
PL_SIMD_INLINE void pl_lanes_load_edges(const double *positions, const int32_t *nodes,
                                        int node_count, const int32_t element[DOUBLE_LANES],
                                        pl_lanes edges[][3]) {
  pl_lanes first[3];
  for (int a = 0; a < node_count; ++a) {
    const double *at[DOUBLE_LANES];
    for (int lane = 0; lane < DOUBLE_LANES; ++lane)
      at[lane] = positions + 3 * (ptrdiff_t)nodes[node_count * (ptrdiff_t)element[lane] + a];
    for (int i = 0; i < 3; ++i) {
      pl_lanes x = {at[0][i], at[1][i], at[2][i], at[3][i]};
      if (a == 0)
        first[i] = x;
      else
        edges[a - 1][i] = x - first[i];
    }
  }
}

#endif
