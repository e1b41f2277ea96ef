// The kernels of fem_edge_tet_assemble.h, included twice: with KERNEL_NAME the table to define. The version for one
// tet, with all derivatives and where they come from, is fem_edge_tet.c. With d = x_a - x_b of an edge, q = l² - L²,
// n = ∇v and m = v - V,
//
//   g = Σ 2 c q d + κ m n        H = Σ (4 c d dᵀ + 2 c q 1) + κ (n nᵀ + m ∇²v)        M = -Σ 4 c d Dᵀ - κ n Nᵀ
//
// for the sides d_k = x_k - x_0; corner 0 gets minus the sum of the others. Damping by the change of l² and v since the
// start of the step is the same with another weight.
#include <math.h>
#include <stddef.h>

#include "fem/fem_sides_kernel.h"

enum { EDGES = 6, EDGE_TET_FOURS = sizeof(pl_fem_edge_tet_constants) / (4 * sizeof(double)) };

// The constants of four tets, number by number. Lanes without a tet repeat the first.
typedef union edge_tet_lanes {
  pl_lanes fours[EDGE_TET_FOURS][4];
  struct {
    pl_lanes start_stiffness[EDGES], start_volume, volume_stiffness, stiffness[EDGES], volume, unused, square[EDGES],
        unused_too[2];
  } by;
} edge_tet_lanes;

PL_SIMD_INLINE void edge_tet_constants(const pl_fem_edge_tets *z, const int32_t four[4], edge_tet_lanes *c) {
  const double *from[4];
  for (int k = 0; k < 4; ++k) from[k] = (const double *)(const void *)&z->constants[four[k]];
  // The first four are those of the start alone.
  for (int f = 1; f < EDGE_TET_FOURS; ++f) {
    for (int k = 0; k < 4; ++k) c->fours[f][k] = pl_lanes_load(from[k] + 4 * f);
    pl_lanes_transpose(c->fours[f]);
  }
}

// Sides that an edge goes between, from the second to the first; -1: corner 0.
PL_SIMD_INLINE void edge_tet_ends(int edge, int *a, int *b) {
  *a = edge < 3 ? edge : edge == 5 ? 2 : edge - 2;
  *b = edge < 3 ? -1 : edge == 5 ? 1 : 0;
}

PL_SIMD_INLINE void edge_tet_ways(pl_lanes d[SIDES_MAX][3], pl_lanes ways[EDGES][3]) {
  for (int edge = 0; edge < EDGES; ++edge) {
    int a, b;
    edge_tet_ends(edge, &a, &b);
    for (int i = 0; i < 3; ++i) {
      ways[edge][i] = d[a][i];
      if (b >= 0) ways[edge][i] -= d[b][i];
    }
  }
}

// 6 ∇v by the sides, and v.
PL_SIMD_INLINE pl_lanes edge_tet_volume(pl_lanes d[SIDES_MAX][3], pl_lanes n[SIDES_MAX][3]) {
  for (int k = 0; k < SIDES_MAX; ++k) pl_lanes_cross(d[(k + 1) % 3], d[(k + 2) % 3], n[k]);
  pl_lanes volume = pl_lanes_dot(d[0], n[0]) / 6.0;
  for (int k = 0; k < SIDES_MAX; ++k)
    for (int i = 0; i < 3; ++i) n[k][i] = n[k][i] / 6.0;
  return volume;
}

// Forces: pulls along the edges and one along n.
PL_SIMD_INLINE void edge_tet_force(pl_lanes ways[EDGES][3], const pl_lanes pulls[EDGES], pl_lanes n[SIDES_MAX][3],
                                   pl_lanes pull, pl_lanes g[SIDES_MAX][3]) {
  for (int k = 0; k < SIDES_MAX; ++k)
    for (int i = 0; i < 3; ++i) g[k][i] = pull * n[k][i];
  for (int edge = 0; edge < EDGES; ++edge) {
    int a, b;
    edge_tet_ends(edge, &a, &b);
    for (int i = 0; i < 3; ++i) {
      pl_lanes force = pulls[edge] * ways[edge][i];
      g[a][i] += force;
      if (b >= 0) g[b][i] -= force;
    }
  }
}

// What H is made of: factors of d dᵀ and of 1 by edge, of n nᵀ and of ∇²v.
typedef struct edge_tet_bend {
  pl_lanes along[EDGES], across[EDGES], volume, curl;
} edge_tet_bend;

PL_SIMD_INLINE void edge_tet_hessian(pl_lanes d[SIDES_MAX][3], pl_lanes ways[EDGES][3], pl_lanes n[SIDES_MAX][3],
                                     const edge_tet_bend *bend, pl_lanes K[SIDES_MAX][SIDES_MAX][3][3]) {
  for (int k = 0; k < SIDES_MAX; ++k)
    for (int l = 0; l <= k; ++l)
      for (int i = 0; i < 3; ++i) {
        pl_lanes row = bend->volume * n[k][i];
        for (int j = 0; j < 3; ++j) K[k][l][i][j] = row * n[l][j];
      }
  for (int edge = 0; edge < EDGES; ++edge) {
    int a, b;
    edge_tet_ends(edge, &a, &b);
    for (int i = 0; i < 3; ++i) {
      pl_lanes row = bend->along[edge] * ways[edge][i];
      for (int j = 0; j < 3; ++j) {
        pl_lanes block = row * ways[edge][j];
        if (i == j) block += bend->across[edge];
        K[a][a][i][j] += block;
        if (b < 0) continue;
        K[b][b][i][j] += block;
        K[a][b][i][j] -= block;
      }
    }
  }
  // ∇²v of sides k + 1 and k + 2 is -[d_k] / 6; of sides (2, 0), for k = 1, it lies below the diagonal as it is.
  for (int k = 0; k < SIDES_MAX; ++k) {
    int a = (k + 1) % 3, b = (k + 2) % 3;
    for (int i = 0; i < 3; ++i) {
      int j = (i + 1) % 3;
      pl_lanes value = bend->curl * d[k][(i + 2) % 3];  // entry (i, i + 1) of -[d], times its factor
      if (a > b) {
        K[a][b][i][j] += value;
        K[a][b][j][i] -= value;
      } else {
        K[b][a][j][i] += value;
        K[b][a][i][j] -= value;
      }
    }
  }
}

PL_SIMD_INLINE void edge_tet_store(const int32_t *four, int32_t count, pl_lanes energy, double *to) {
  for (int32_t k = 0; k < count; ++k) to[four[k]] = energy[k];
}

// Damping: energy and forces are stored, and what it adds to H to `bend`.
PL_SIMD_INLINE void edge_tet_damp(const pl_fem_edge_tets *z, const int32_t four[4], int32_t count,
                                  const edge_tet_lanes *c, pl_lanes ways[EDGES][3], const pl_lanes squares[EDGES],
                                  pl_lanes n[SIDES_MAX][3], pl_lanes volume, bool positive, edge_tet_bend *bend) {
  pl_lanes pulls[EDGES], g[SIDES_MAX][3], was[2][4];  // l² of the six edges and v where damping began
  for (int f = 0; f < 2; ++f) {
    for (int k = 0; k < 4; ++k) was[f][k] = pl_lanes_load(z->before[four[k]].square + 4 * f);
    pl_lanes_transpose(was[f]);
  }
  pl_lanes kappa = z->factor * c->by.volume_stiffness, change = volume - was[1][2];
  pl_lanes pull = kappa * change, lost = 0.5 * (pull * change);
  for (int edge = 0; edge < EDGES; ++edge) {
    pl_lanes weight = z->factor * c->by.stiffness[edge], q = squares[edge] - was[edge / 4][edge % 4];
    pulls[edge] = 2.0 * (weight * q);
    lost += 0.5 * (weight * q * q);
    bend->along[edge] += 4.0 * weight;
    if (positive) q = pl_lanes_positive(q);
    bend->across[edge] += 2.0 * (weight * q);
  }
  bend->volume += kappa;
  bend->curl += pull;
  edge_tet_force(ways, pulls, n, pull, g);
  edge_tet_store(four, count, lost, z->viscous_energies);
  sides_scatter_vector(z->corners, 4, four, count, g, z->viscous);
}

// What is asked for most often, known to the compiler: forces with damping, and with the Hessian; the cost of a rest
// shape.
typedef enum edge_tet_task { EDGE_TET_ANY, EDGE_TET_FORCES, EDGE_TET_STEP, EDGE_TET_COST } edge_tet_task;

PL_SIMD_INLINE edge_tet_task edge_tet_task_of(const pl_fem_edge_tets *z) {
  if (z->limits == NULL && z->before != NULL && z->gradient != NULL && !z->positive)
    return z->values == NULL ? EDGE_TET_FORCES : EDGE_TET_STEP;
  return z->limits != NULL && z->before == NULL && z->gradient == NULL && z->values == NULL ? EDGE_TET_COST
                                                                                            : EDGE_TET_ANY;
}

// H in blocks on and below the diagonal of the body's matrix alone: of the corners, then of pairs, turned where the
// first of a pair has the lower number.
PL_SIMD_INLINE void edge_tet_scatter_lower(const pl_fem_edge_tets *z, const int32_t four[4], int32_t count,
                                           pl_lanes K[SIDES_MAX][SIDES_MAX][3][3]) {
  enum { CORNERS = 4, PAIRS = 6 };
  pl_lanes blocks[9 * SIDES_MAX_BLOCKS], turned[2][4];
  for (int at = 0; at < 9; ++at) {
    pl_lanes all = pl_lanes_of(0);
    for (int i = 0; i < SIDES_MAX; ++i) {
      pl_lanes row = pl_lanes_of(0);
      for (int j = 0; j < SIDES_MAX; ++j) row += j <= i ? K[i][j][at / 3][at % 3] : K[j][i][at % 3][at / 3];
      blocks[9 * (1 + i) + at] = K[i][i][at / 3][at % 3];
      blocks[9 * (CORNERS + i) + at] = -row;
      all += row;
    }
    blocks[at] = all;
    blocks[9 * 7 + at] = K[1][0][at / 3][at % 3];
    blocks[9 * 8 + at] = K[2][0][at / 3][at % 3];
    blocks[9 * 9 + at] = K[2][1][at / 3][at % 3];
  }
  const int32_t *slots[4];
  for (int k = 0; k < 4; ++k) slots[k] = z->lower[four[k]].slots;
  for (int f = 0; f < 2; ++f) {
    for (int k = 0; k < 4; ++k)
      turned[f][k] = pl_lanes_load((const double *)(const void *)(z->lower[four[k]].turned + 4 * f));
    pl_lanes_transpose(turned[f]);
  }
  for (int pair = 0; pair < PAIRS; ++pair)
    for (int i = 1; i < 3; ++i)
      for (int j = 0; j < i; ++j) {
        pl_lanes *block = blocks + 9 * (CORNERS + pair), below = block[3 * i + j], above = block[3 * j + i];
        pl_lane_mask mask = (pl_lane_mask)turned[pair / 4][pair % 4];
        block[3 * i + j] = pl_lanes_select(mask, above, below);
        block[3 * j + i] = pl_lanes_select(mask, below, above);
      }
  sides_add_some(slots, CORNERS + PAIRS, count, blocks, z->values);
}

// Energy, gradient and Hessian of up to four tets, and their damping.
PL_SIMD_INLINE void edge_tet_assemble_four(const pl_fem_edge_tets *z, const int32_t four[4], int32_t count,
                                           edge_tet_task task) {
  bool damped = task == EDGE_TET_ANY ? z->before != NULL : task != EDGE_TET_COST;
  bool limited = task == EDGE_TET_ANY ? z->limits != NULL : task == EDGE_TET_COST;
  bool pulled = task == EDGE_TET_ANY ? z->gradient != NULL : task != EDGE_TET_COST;
  bool bends = task == EDGE_TET_ANY ? z->values != NULL : task == EDGE_TET_STEP;
  bool positive = task == EDGE_TET_ANY && z->positive;
  edge_tet_lanes c;
  pl_lanes d[SIDES_MAX][3], ways[EDGES][3], n[SIDES_MAX][3], squares[EDGES], pulls[EDGES], g[SIDES_MAX][3];
  edge_tet_bend bend;
  edge_tet_constants(z, four, &c);
  sides_load(z->corners, z->positions, 4, four, d);
  edge_tet_ways(d, ways);
  pl_lanes volume = edge_tet_volume(d, n), kappa = c.by.volume_stiffness, m = volume - c.by.volume, pull = kappa * m;
  pl_lanes energy = 0.5 * (pull * m);
  for (int edge = 0; edge < EDGES; ++edge) {
    squares[edge] = pl_lanes_dot(ways[edge], ways[edge]);
    pl_lanes stiffness = c.by.stiffness[edge], q = squares[edge] - c.by.square[edge];
    pulls[edge] = 2.0 * (stiffness * q);
    energy += 0.5 * (stiffness * q * q);
    bend.along[edge] = 4.0 * stiffness;
    if (positive) q = pl_lanes_positive(q);
    bend.across[edge] = 2.0 * (stiffness * q);
  }
  bend.volume = kappa;
  bend.curl = pull;
  edge_tet_force(ways, pulls, n, pull, g);
  pl_lanes slope = pl_lanes_of(1), square = pl_lanes_of(0);
  if (limited) {
    pl_lanes limit = z->scale * sides_gather(z->limits, four);
    slope = z->plain + 2.0 * (limit * energy);
    square = 2.0 * limit;
    energy = energy * (z->plain + limit * energy);
  }
  edge_tet_store(four, count, energy, z->energies);
  if (pulled) {
    pl_lanes scaled[SIDES_MAX][3];
    for (int k = 0; k < SIDES_MAX; ++k)
      for (int i = 0; i < 3; ++i) scaled[k][i] = slope * g[k][i];
    sides_scatter_vector(z->corners, 4, four, count, scaled, z->gradient);
  }
  if (damped) edge_tet_damp(z, four, count, &c, ways, squares, n, volume, positive, &bend);
  if (!bends) return;
  pl_lanes K[SIDES_MAX][SIDES_MAX][3][3];
  if (positive) {
    bend.volume = pl_lanes_positive(bend.volume);
    bend.curl = pl_lanes_of(0);
  }
  bend.curl = bend.curl / 6.0;
  edge_tet_hessian(d, ways, n, &bend, K);
  for (int k = 0; k < SIDES_MAX && limited; ++k)
    for (int l = 0; l <= k; ++l)
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) K[k][l][i][j] = slope * K[k][l][i][j] + square * (g[k][i] * g[l][j]);
  if (z->lower != NULL)
    edge_tet_scatter_lower(z, four, count, K);
  else
    sides_scatter_symmetric(z->slots, 4, four, count, K, z->values);
}

// ∂²W/∂x∂X of up to four tets (paper 004, §6).
PL_SIMD_INLINE void edge_tet_mixed_four(const pl_fem_edge_tets *z, const int32_t four[4], int32_t count) {
  edge_tet_lanes c;
  pl_lanes d[SIDES_MAX][3], rest[SIDES_MAX][3], ways[EDGES][3], rest_ways[EDGES][3], n[SIDES_MAX][3], N[SIDES_MAX][3];
  pl_lanes K[SIDES_MAX][SIDES_MAX][3][3];
  edge_tet_constants(z, four, &c);
  sides_load(z->corners, z->positions, 4, four, d);
  sides_load_own(z->rest, 4, four, rest);
  edge_tet_ways(d, ways);
  edge_tet_ways(rest, rest_ways);
  edge_tet_volume(d, n);
  edge_tet_volume(rest, N);
  for (int k = 0; k < SIDES_MAX; ++k)
    for (int l = 0; l < SIDES_MAX; ++l)
      for (int i = 0; i < 3; ++i) {
        pl_lanes row = -(c.by.volume_stiffness * n[k][i]);
        for (int j = 0; j < 3; ++j) K[k][l][i][j] = row * N[l][j];
      }
  for (int edge = 0; edge < EDGES; ++edge) {
    int a, b;
    edge_tet_ends(edge, &a, &b);
    for (int i = 0; i < 3; ++i) {
      pl_lanes row = -4.0 * (c.by.stiffness[edge] * ways[edge][i]);
      for (int j = 0; j < 3; ++j) {
        pl_lanes block = row * rest_ways[edge][j];
        K[a][a][i][j] += block;
        if (b < 0) continue;
        K[b][b][i][j] += block;
        K[a][b][i][j] -= block;
        K[b][a][i][j] -= block;
      }
    }
  }
  sides_scatter_whole(z->slots, 4, four, count, K, z->values);
}

PL_SIMD_INLINE void edge_tet_assemble_task(const pl_fem_edge_tets *tets, const int32_t *elements, int32_t count,
                                           edge_tet_task task) {
  for (int32_t begin = 0; begin < count; begin += 4) {
    int32_t four[4], used = pl_lanes_elements(elements, begin, count, four);
    edge_tet_assemble_four(tets, four, used, task);
  }
}

static void edge_tet_assemble(const pl_fem_edge_tets *tets, const int32_t *elements, int32_t count) {
  switch (edge_tet_task_of(tets)) {
    case EDGE_TET_FORCES: edge_tet_assemble_task(tets, elements, count, EDGE_TET_FORCES); break;
    case EDGE_TET_STEP: edge_tet_assemble_task(tets, elements, count, EDGE_TET_STEP); break;
    case EDGE_TET_COST: edge_tet_assemble_task(tets, elements, count, EDGE_TET_COST); break;
    case EDGE_TET_ANY: edge_tet_assemble_task(tets, elements, count, EDGE_TET_ANY); break;
  }
}

static void edge_tet_mixed(const pl_fem_edge_tets *tets, const int32_t *elements, int32_t count) {
  for (int32_t begin = 0; begin < count; begin += 4) {
    int32_t four[4], used = pl_lanes_elements(elements, begin, count, four);
    edge_tet_mixed_four(tets, four, used);
  }
}

const pl_fem_edge_tet_kernels KERNEL_NAME = {edge_tet_assemble, edge_tet_mixed};
