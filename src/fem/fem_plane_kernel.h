// The kernels of fem_plane_assemble.h (paper 004, appendix A, W_Solid2D), included twice: with KERNEL_NAME the table to
// define. The version for one triangle, with all derivatives, is fem_plane.c.
#include <stddef.h>
#include <string.h>

#include "fem/fem_lanes.h"

enum { PLANE_SIDES = 4 };
enum { R00, R01, R02, R11, R12, R22, METRIC_MATRIX };

// Numbers of a four.
PL_SIMD_INLINE void plane_load(const double *from, int count, pl_lanes *to) {
  for (int i = 0; i < count; ++i) to[i] = pl_lanes_load(from + 4 * i);
}
PL_SIMD_INLINE void plane_store(const pl_lanes *from, int count, double *to) {
  for (int i = 0; i < count; ++i) pl_lanes_store(to + 4 * i, from[i]);
}

// Two numbers at a time, as x and y of a point, or of a row of a block, which has three.
typedef double plane_pair __attribute__((vector_size(16), may_alias, aligned(8)));

PL_SIMD_INLINE plane_pair plane_pair_at(const double *from) {
  return *(const plane_pair *)(const void *)from;
}

PL_SIMD_INLINE void plane_sides(const int32_t *corners, const double *x, const int32_t elements[4],
                                pl_lanes d[PLANE_SIDES]) {
  for (int k = 0; k < 4; ++k) {
    const int32_t *points = corners + 3 * (ptrdiff_t)elements[k];
    plane_pair a = plane_pair_at(x + 3 * (ptrdiff_t)points[0]), b = plane_pair_at(x + 3 * (ptrdiff_t)points[1]) - a,
               c = plane_pair_at(x + 3 * (ptrdiff_t)points[2]) - a;
    d[k] = (pl_lanes){b[0], b[1], c[0], c[1]};
  }
  pl_lanes_transpose(d);
}

// The same of corners that every triangle has by itself.
PL_SIMD_INLINE void plane_own_sides(const double *own, const int32_t elements[4], pl_lanes d[PLANE_SIDES]) {
  for (int k = 0; k < 4; ++k) {
    const double *at = own + 9 * (ptrdiff_t)elements[k];
    plane_pair a = plane_pair_at(at), b = plane_pair_at(at + 3) - a, c = plane_pair_at(at + 6) - a;
    d[k] = (pl_lanes){b[0], b[1], c[0], c[1]};
  }
  pl_lanes_transpose(d);
}

// R of a metric's inverse, times a weight.
PL_SIMD_INLINE void plane_stiffness(const pl_lanes g[3], pl_lanes weight, pl_lanes R[METRIC_MATRIX]) {
  pl_lanes w0 = weight * g[0], w1 = weight * g[1], w2 = weight * g[2];
  R[R00] = w0 * g[0];
  R[R01] = 2.0 * (w0 * g[1]);
  R[R02] = w1 * g[1];
  R[R11] = 2.0 * (w0 * g[2] + R[R02]);
  R[R12] = 2.0 * (w1 * g[2]);
  R[R22] = w2 * g[2];
}

// R c
PL_SIMD_INLINE void plane_apply(const pl_lanes R[METRIC_MATRIX], const pl_lanes c[3], pl_lanes s[3]) {
  s[0] = R[R00] * c[0] + R[R01] * c[1] + R[R02] * c[2];
  s[1] = R[R01] * c[0] + R[R11] * c[1] + R[R12] * c[2];
  s[2] = R[R02] * c[0] + R[R12] * c[1] + R[R22] * c[2];
}

PL_SIMD_INLINE pl_lanes plane_area(const pl_lanes d[PLANE_SIDES]) {
  return 0.5 * (d[0] * d[3] - d[1] * d[2]);
}

// R ∇c_v of side number v: the gradients of c by a side, J in the comments, are
//
//   ∇c₀ = (2 p, 0)     ∇c₁ = (q, p)     ∇c₂ = (0, 2 q)
//
// and products with what is 0 in them are left out.
PL_SIMD_INLINE void plane_apply_gradient(const pl_lanes R[METRIC_MATRIX], const pl_lanes d[PLANE_SIDES], int v,
                                         pl_lanes s[3]) {
  if (v < 2) {
    pl_lanes first = 2.0 * d[v], second = d[2 + v];
    s[0] = R[R00] * first + R[R01] * second;
    s[1] = R[R01] * first + R[R11] * second;
    s[2] = R[R02] * first + R[R12] * second;
  } else {
    pl_lanes second = d[v - 2], third = 2.0 * d[v];
    s[0] = R[R01] * second + R[R02] * third;
    s[1] = R[R11] * second + R[R12] * third;
    s[2] = R[R12] * second + R[R22] * third;
  }
}

// s·∇c of side number v
PL_SIMD_INLINE pl_lanes plane_along_gradient(const pl_lanes d[PLANE_SIDES], int v, const pl_lanes s[3]) {
  return v < 2 ? 2.0 * d[v] * s[0] + d[2 + v] * s[1] : d[v - 2] * s[1] + 2.0 * d[v] * s[2];
}

PL_SIMD_INLINE void plane_area_gradient(const pl_lanes d[PLANE_SIDES], pl_lanes a[PLANE_SIDES]) {
  a[0] = 0.5 * d[3];
  a[1] = -0.5 * d[2];
  a[2] = -0.5 * d[1];
  a[3] = 0.5 * d[0];
}

// s·∇c + t ∇a
PL_SIMD_INLINE void plane_force(const pl_lanes d[PLANE_SIDES], const pl_lanes s[3], pl_lanes g[PLANE_SIDES]) {
  for (int a = 0; a < 2; ++a) {
    g[a] = 2.0 * (s[0] * d[a]) + s[1] * d[2 + a];
    g[2 + a] = s[1] * d[a] + 2.0 * (s[2] * d[2 + a]);
  }
}

// What of a symmetric matrix, as (00, twice 01, 11), is not negative.
PL_SIMD_INLINE void plane_positive_part(pl_lanes s[3]) {
  pl_lanes mean = 0.5 * (s[0] + s[2]), half = 0.5 * (s[0] - s[2]), off = 0.5 * s[1];
  pl_lanes radius = pl_lanes_sqrt(half * half + off * off), high = mean + radius, low = mean - radius;
  pl_lane_mask whole = low >= 0.0, some = high > 0.0;
  // One value of each sign: S⁺ = high (S - low) / (high - low)
  pl_lanes factor = high / (2.0 * pl_lanes_select(whole | ~some, pl_lanes_of(1), radius)), none = pl_lanes_of(0);
  const pl_lanes part[3] = {factor * (s[0] - low), factor * s[1], factor * (s[2] - low)};
  for (int i = 0; i < 3; ++i) s[i] = pl_lanes_select(whole, s[i], pl_lanes_select(some, part[i], none));
}

// Add the lanes of triangles to what belongs to their corners.
PL_SIMD_INLINE void plane_scatter_vector(const pl_fem_planes *z, const int32_t *elements, int32_t count,
                                         const pl_lanes g[PLANE_SIDES], double *to) {
  pl_lanes own[4] = {g[0], g[1], g[2], g[3]};
  pl_lanes_transpose(own);
  for (int32_t k = 0; k < count; ++k) {
    const int32_t *points = z->corners + 3 * (ptrdiff_t)elements[k];
    plane_pair first = {own[k][0], own[k][1]}, second = {own[k][2], own[k][3]};
    *(plane_pair *)(void *)(to + 3 * (ptrdiff_t)points[0]) -= first + second;
    *(plane_pair *)(void *)(to + 3 * (ptrdiff_t)points[1]) += first;
    *(plane_pair *)(void *)(to + 3 * (ptrdiff_t)points[2]) += second;
  }
}

// The same of elastic forces g and those of damping h, side by side: x and y of both for every point.
PL_SIMD_INLINE void plane_scatter_both(const pl_fem_planes *z, const int32_t *elements, int32_t count,
                                       const pl_lanes g[PLANE_SIDES], const pl_lanes h[PLANE_SIDES]) {
  pl_lanes first[4] = {g[0], g[1], h[0], h[1]}, second[4] = {g[2], g[3], h[2], h[3]};
  pl_lanes_transpose(first);
  pl_lanes_transpose(second);
  for (int32_t k = 0; k < count; ++k) {
    const int32_t *points = z->corners + 3 * (ptrdiff_t)elements[k];
    double *a = z->both + 4 * (ptrdiff_t)points[0], *b = z->both + 4 * (ptrdiff_t)points[1],
           *c = z->both + 4 * (ptrdiff_t)points[2];
    pl_lanes_store(a, pl_lanes_load(a) - (first[k] + second[k]));
    pl_lanes_store(b, pl_lanes_load(b) + first[k]);
    pl_lanes_store(c, pl_lanes_load(c) + second[k]);
  }
}

PL_SIMD_INLINE void plane_add_pair(double *to, double first, double second) {
  *(plane_pair *)(void *)to += (plane_pair){first, second};
}

// From sides to corners: rows and columns of corner 0 are minus the sums of the others.
PL_SIMD_INLINE void plane_scatter_matrix(const pl_fem_planes *z, const int32_t *elements, int32_t count,
                                         pl_lanes K[PLANE_SIDES][PLANE_SIDES]) {
  pl_lanes values[9][4];
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      pl_lanes row1 = K[i][j] + K[i][2 + j], row2 = K[2 + i][j] + K[2 + i][2 + j];
      int at = 2 * i + j;
      values[0][at] = row1 + row2;
      values[1][at] = -(K[i][j] + K[2 + i][j]);
      values[2][at] = -(K[i][2 + j] + K[2 + i][2 + j]);
      values[3][at] = -row1;
      values[4][at] = K[i][j];
      values[5][at] = K[i][2 + j];
      values[6][at] = -row2;
      values[7][at] = K[2 + i][j];
      values[8][at] = K[2 + i][2 + j];
    }
  for (int b = 0; b < 9; ++b) pl_lanes_transpose(values[b]);
  for (int32_t k = 0; k < count; ++k) {
    const int32_t *slots = z->slots + 9 * (ptrdiff_t)elements[k];
    for (int b = 0; b < 9; ++b) {
      double *block = z->values + 9 * (ptrdiff_t)slots[b];
      pl_lanes own = values[b][k];
      plane_add_pair(block, own[0], own[1]);
      plane_add_pair(block + 3, own[2], own[3]);
    }
  }
}

// The same of a symmetric matrix, blocks on and below the diagonal of the body's alone.
PL_SIMD_INLINE void plane_scatter_lower(const pl_fem_planes *z, const pl_fem_plane_four *four, int32_t count,
                                        pl_lanes K[PLANE_SIDES][PLANE_SIDES]) {
  pl_lanes values[6][4];
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      pl_lanes row1 = K[i][j] + K[i][2 + j], row2 = K[2 + i][j] + K[2 + i][2 + j];
      int at = 2 * i + j;
      values[0][at] = row1 + row2;
      values[1][at] = K[i][j];
      values[2][at] = K[2 + i][2 + j];
      values[3][at] = -row1;
      values[4][at] = -row2;
      values[5][at] = K[2 + i][j];
    }
  for (int b = 0; b < 3; ++b) {
    pl_lane_mask turned = (pl_lane_mask)pl_lanes_load((const double *)(const void *)four->turned[b]);
    pl_lanes first = values[3 + b][1], second = values[3 + b][2];
    values[3 + b][1] = pl_lanes_select(turned, second, first);
    values[3 + b][2] = pl_lanes_select(turned, first, second);
  }
  for (int b = 0; b < 6; ++b) pl_lanes_transpose(values[b]);
  for (int32_t k = 0; k < count; ++k)
    for (int b = 0; b < 6; ++b) {
      double *block = z->values + 9 * (ptrdiff_t)four->lower[k][b];
      pl_lanes own = values[b][k];
      plane_add_pair(block, own[0], own[1]);
      plane_add_pair(block + 3, own[2], own[3]);
    }
}

// Σ R_kl ∇c_k ∇c_lᵀ + Σ s_k ∇²c_k + w ∇a ∇aᵀ + t ∇²a
PL_SIMD_INLINE void plane_hessian_of(const pl_lanes d[PLANE_SIDES], const pl_lanes R[METRIC_MATRIX],
                                     const pl_lanes s[3], pl_lanes weight, pl_lanes t,
                                     pl_lanes K[PLANE_SIDES][PLANE_SIDES]) {
  pl_lanes a[PLANE_SIDES];
  plane_area_gradient(d, a);
  for (int j = 0; j < PLANE_SIDES; ++j) {
    pl_lanes by[3];
    plane_apply_gradient(R, d, j, by);
    for (int i = 0; i <= j; ++i) K[i][j] = plane_along_gradient(d, i, by) + weight * (a[i] * a[j]);
  }
  for (int i = 0; i < 2; ++i) {
    K[i][i] += 2.0 * s[0];
    K[2 + i][2 + i] += 2.0 * s[2];
    K[i][2 + i] += s[1];
  }
  K[0][3] += 0.5 * t;
  K[1][2] -= 0.5 * t;
  for (int i = 1; i < PLANE_SIDES; ++i)
    for (int j = 0; j < i; ++j) K[i][j] = K[j][i];
}

// Damping: energy, derivative by the metric, and its R added to that of the strain.
PL_SIMD_INLINE pl_lanes plane_damping(const pl_fem_plane_four *four, const pl_lanes d[PLANE_SIDES],
                                      pl_lanes R[METRIC_MATRIX], pl_lanes s[3]) {
  pl_lanes Q[METRIC_MATRIX], b[PLANE_SIDES], moved[PLANE_SIDES], change[3];
  plane_load(four->damping[0], METRIC_MATRIX, Q);
  plane_load(four->before[0], PLANE_SIDES, b);
  for (int i = 0; i < PLANE_SIDES; ++i) moved[i] = d[i] - b[i];
  change[0] = moved[0] * (d[0] + b[0]) + moved[1] * (d[1] + b[1]);
  change[1] = moved[0] * d[2] + moved[1] * d[3] + (b[0] * moved[2] + b[1] * moved[3]);
  change[2] = moved[2] * (d[2] + b[2]) + moved[3] * (d[3] + b[3]);
  plane_apply(Q, change, s);
  for (int i = 0; i < METRIC_MATRIX; ++i) R[i] += Q[i];
  return 0.5 * (change[0] * s[0] + change[1] * s[1] + change[2] * s[2]);
}

PL_SIMD_INLINE pl_lanes plane_gather(const double *from, const int32_t elements[4]) {
  return (pl_lanes){from[elements[0]], from[elements[1]], from[elements[2]], from[elements[3]]};
}

PL_SIMD_INLINE void plane_scatter_energies(const int32_t *elements, int32_t count, pl_lanes energy, double *to) {
  for (int32_t k = 0; k < count; ++k) to[elements[k]] = energy[k];
}

// What is asked for most often, known to the compiler: forces with damping, and with the Hessian; the cost of a rest
// shape.
typedef enum plane_task { PLANE_ANY, PLANE_FORCES, PLANE_STEP, PLANE_COST } plane_task;

PL_SIMD_INLINE plane_task plane_task_of(const pl_fem_planes *z) {
  if (z->limits == NULL && z->damped && z->both != NULL && !z->positive)
    return z->values == NULL ? PLANE_FORCES : PLANE_STEP;
  return z->limits != NULL && !z->damped && z->gradient == NULL && z->values == NULL ? PLANE_COST : PLANE_ANY;
}

// Energy, gradient and Hessian of up to four triangles, W_Solid2D and its damping.
PL_SIMD_INLINE void plane_assemble_four(const pl_fem_planes *z, const int32_t elements[4], int32_t count,
                                        plane_task task) {
  bool damped = task == PLANE_ANY ? z->damped : task != PLANE_COST;
  bool limited = task == PLANE_ANY ? z->limits != NULL : task == PLANE_COST;
  bool pulls = task == PLANE_ANY ? z->gradient != NULL : task != PLANE_COST;
  bool bends = task == PLANE_ANY ? z->values != NULL : task == PLANE_STEP;
  bool positive = task == PLANE_ANY && z->positive;
  bool both = task == PLANE_ANY ? z->both != NULL : task != PLANE_COST;
  const pl_fem_plane_four *four = z->fours + z->places[elements[0]];
  pl_lanes d[PLANE_SIDES], m[3], R[METRIC_MATRIX], s[3], g[PLANE_SIDES], a[PLANE_SIDES], K[PLANE_SIDES][PLANE_SIDES];
  plane_sides(z->corners, z->positions, elements, d);
  plane_load(four->metric[0], 3, m);
  plane_load(four->stiffness[0], METRIC_MATRIX, R);
  const pl_lanes change[3] = {d[0] * d[0] + d[1] * d[1] - m[0], d[0] * d[2] + d[1] * d[3] - m[1],
                              d[2] * d[2] + d[3] * d[3] - m[2]};
  plane_apply(R, change, s);
  pl_lanes weight = pl_lanes_load(four->area_weight), excess = plane_area(d) - pl_lanes_load(four->area),
           pull = weight * excess;
  pl_lanes energy = 0.5 * (change[0] * s[0] + change[1] * s[1] + change[2] * s[2] + pull * excess);
  plane_force(d, s, g);
  plane_area_gradient(d, a);
  for (int i = 0; i < PLANE_SIDES; ++i) g[i] += pull * a[i];
  pl_lanes gradient = pl_lanes_of(1), hessian = pl_lanes_of(0);
  if (limited) {
    pl_lanes limit = z->scale * plane_gather(z->limits, elements);
    gradient = z->plain + 2.0 * (limit * energy);
    hessian = 2.0 * limit;
    energy = energy * (z->plain + limit * energy);
  }
  plane_scatter_energies(elements, count, energy, z->energies);
  if (pulls && !both) {
    pl_lanes scaled[PLANE_SIDES];
    for (int i = 0; i < PLANE_SIDES; ++i) scaled[i] = gradient * g[i];
    plane_scatter_vector(z, elements, count, scaled, z->gradient);
  }
  if (positive) {
    plane_positive_part(s);
    pull = pl_lanes_of(0);
  }
  if (damped) {
    pl_lanes dragged[3], drag[PLANE_SIDES], lost = plane_damping(four, d, R, dragged);
    plane_force(d, dragged, drag);
    plane_scatter_energies(elements, count, lost, z->viscous_energies);
    if (both)
      plane_scatter_both(z, elements, count, g, drag);
    else
      plane_scatter_vector(z, elements, count, drag, z->viscous);
    for (int i = 0; i < 3 && !positive; ++i) s[i] += dragged[i];
  }
  if (!bends) return;
  plane_hessian_of(d, R, s, weight, pull, K);
  for (int i = 0; i < PLANE_SIDES && limited; ++i)
    for (int j = 0; j < PLANE_SIDES; ++j) K[i][j] = gradient * K[i][j] + hessian * (g[i] * g[j]);
  if (z->lower)
    plane_scatter_lower(z, four, count, K);
  else
    plane_scatter_matrix(z, elements, count, K);
}

// ∂²W/∂x∂X of up to four triangles (paper 004, §6).
PL_SIMD_INLINE void plane_mixed_four(const pl_fem_planes *z, const int32_t elements[4], int32_t count) {
  const pl_fem_plane_four *four = z->fours + z->places[elements[0]];
  pl_lanes d[PLANE_SIDES], T[METRIC_MATRIX], g[3], n[3], sides[PLANE_SIDES], a[PLANE_SIDES], A[PLANE_SIDES],
      area_weight = pl_lanes_load(four->area_weight);
  plane_sides(z->corners, z->positions, elements, d);
  plane_load(four->inverse[0], 3, g);
  plane_load(four->sides[0], PLANE_SIDES, sides);
  const pl_lanes metric[3] = {d[0] * d[0] + d[1] * d[1], d[0] * d[2] + d[1] * d[3], d[2] * d[2] + d[3] * d[3]};
  // N, its 01 not doubled
  plane_stiffness(g, pl_lanes_of(1), T);
  plane_apply(T, metric, n);
  n[0] -= 0.5 * g[0];
  n[1] = 0.5 * (n[1] - g[1]);
  n[2] -= 0.5 * g[2];
  pl_lanes weight = -2.0 * pl_lanes_load(four->kappa);
  T[R00] = weight * (g[0] * n[0]);
  T[R01] = weight * (g[0] * n[1] + g[1] * n[0]);
  T[R02] = weight * (g[1] * n[1]);
  T[R11] = weight * (g[0] * n[2] + 2.0 * (g[1] * n[1]) + g[2] * n[0]);
  T[R12] = weight * (g[1] * n[2] + g[2] * n[1]);
  T[R22] = weight * (g[2] * n[2]);
  plane_area_gradient(d, a);
  plane_area_gradient(sides, A);
  pl_lanes K[PLANE_SIDES][PLANE_SIDES];
  for (int j = 0; j < PLANE_SIDES; ++j) {
    pl_lanes by[3];
    plane_apply_gradient(T, sides, j, by);
    for (int i = 0; i < PLANE_SIDES; ++i) K[i][j] = plane_along_gradient(d, i, by) - area_weight * (a[i] * A[j]);
  }
  plane_scatter_matrix(z, elements, count, K);
}

PL_SIMD_INLINE void plane_assemble_task(const pl_fem_planes *planes, const int32_t *elements, int32_t count,
                                        plane_task task) {
  for (int32_t begin = 0; begin < count; begin += 4) {
    int32_t four[4], used = pl_lanes_elements(elements, begin, count, four);
    plane_assemble_four(planes, four, used, task);
  }
}

static void plane_assemble(const pl_fem_planes *planes, const int32_t *elements, int32_t count) {
  switch (plane_task_of(planes)) {
    case PLANE_FORCES: plane_assemble_task(planes, elements, count, PLANE_FORCES); break;
    case PLANE_STEP: plane_assemble_task(planes, elements, count, PLANE_STEP); break;
    case PLANE_COST: plane_assemble_task(planes, elements, count, PLANE_COST); break;
    case PLANE_ANY: plane_assemble_task(planes, elements, count, PLANE_ANY); break;
  }
}

static void plane_mixed(const pl_fem_planes *planes, const int32_t *elements, int32_t count) {
  for (int32_t begin = 0; begin < count; begin += 4) {
    int32_t four[4], used = pl_lanes_elements(elements, begin, count, four);
    plane_mixed_four(planes, four, used);
  }
}

// What rest shapes make of a four.
PL_SIMD_INLINE void plane_rest_four(const double *rest, pl_fem_plane_four *four) {
  pl_lanes d[PLANE_SIDES], R[METRIC_MATRIX];
  plane_own_sides(rest, four->members, d);
  const pl_lanes m[3] = {d[0] * d[0] + d[1] * d[1], d[0] * d[2] + d[1] * d[3], d[2] * d[2] + d[3] * d[3]};
  // The determinant of the metric is that of the sides squared: not from the metric's entries, where thin triangles
  // lose their digits.
  pl_lanes det = d[0] * d[3] - d[1] * d[2], over = 1.0 / (det * det);
  const pl_lanes inverse[3] = {over * m[2], -over * m[1], over * m[0]};
  plane_stiffness(inverse, pl_lanes_load(four->kappa), R);
  plane_store(d, PLANE_SIDES, four->sides[0]);
  plane_store(m, 3, four->metric[0]);
  plane_store(inverse, 3, four->inverse[0]);
  plane_store(R, METRIC_MATRIX, four->stiffness[0]);
  pl_lanes_store(four->area, 0.5 * det);
}

static void plane_rest(const double *rest, int32_t count, pl_fem_plane_four *fours) {
  for (int32_t f = 0; f < count; ++f) plane_rest_four(rest, &fours[f]);
}

// What damping makes of a four: the metric of the start in place of G, and Lamé's first term on the trace.
PL_SIMD_INLINE void plane_before_four(const int32_t *corners, const double *before, double factor,
                                      pl_fem_plane_four *four) {
  pl_lanes b[PLANE_SIDES], g[3], Q[METRIC_MATRIX];
  plane_sides(corners, before, four->members, b);
  plane_store(b, PLANE_SIDES, four->before[0]);
  plane_load(four->start[0], 3, g);
  pl_lanes size = factor * pl_lanes_load(four->start_area), trace = 0.25 * (size * pl_lanes_load(four->bulk));
  plane_stiffness(g, 0.25 * (size * pl_lanes_load(four->strain)), Q);
  const pl_lanes t[3] = {g[0], 2.0 * g[1], g[2]};
  Q[R00] += trace * (t[0] * t[0]);
  Q[R01] += trace * (t[0] * t[1]);
  Q[R02] += trace * (t[0] * t[2]);
  Q[R11] += trace * (t[1] * t[1]);
  Q[R12] += trace * (t[1] * t[2]);
  Q[R22] += trace * (t[2] * t[2]);
  plane_store(Q, METRIC_MATRIX, four->damping[0]);
}

static void plane_before(const int32_t *corners, const double *before, double factor, int32_t count,
                         pl_fem_plane_four *fours) {
  for (int32_t f = 0; f < count; ++f) plane_before_four(corners, before, factor, &fours[f]);
}

const pl_fem_plane_kernels KERNEL_NAME = {plane_assemble, plane_mixed, plane_rest, plane_before};
