// The kernels of actor/actor_cage.h, included twice: with KERNEL_NAME the table to define. X = X₀ + L p of paper 004,
// eq. 4, with L = W ⊗ 1. Lanes are handles of a cage, neighbours in a row of weights; the coordinates of p, which lie
// between each other, are taken apart first. The number of axes is written out by the callers, so that loops over them
// are unrolled.
#include <stddef.h>
#include <string.h>

#include "fem/fem_lanes.h"

PL_SIMD_INLINE void cage_move_axes(const pl_cage_map *m, const double *p, int axes, double *change) {
  ptrdiff_t stride = m->stride;
  memset(m->lanes, 0, 3 * (size_t)stride * sizeof(double));
  for (int32_t v = 0; v < m->handle_count; ++v)
    for (int b = 0; b < axes; ++b) m->lanes[stride * b + v] = p[axes * v + b];
  for (ptrdiff_t i = 0; i < m->particle_count; ++i) {
    const double *w = m->weights + stride * i;
    pl_lanes sums[3] = {pl_lanes_of(0), pl_lanes_of(0), pl_lanes_of(0)};
    for (ptrdiff_t v = 0; v < stride; v += 4) {
      pl_lanes weight = pl_lanes_load(w + v);
      for (int b = 0; b < axes; ++b) sums[b] += weight * pl_lanes_load(m->lanes + stride * b + v);
    }
    for (int b = 0; b < 3; ++b)
      change[3 * i + b] = b < axes ? (sums[b][0] + sums[b][1]) + (sums[b][2] + sums[b][3]) : 0;
  }
}

static void cage_move(const pl_cage_map *map, const double *p, double *change) {
  if (map->axes == 2)
    cage_move_axes(map, p, 2, change);
  else
    cage_move_axes(map, p, 3, change);
}

// Eight handles at a time: the sums of two fours do not wait for each other.
PL_SIMD_INLINE void cage_pull_axes(const pl_cage_map *m, const double *v, int axes, double *product) {
  ptrdiff_t stride = m->stride;
  for (ptrdiff_t k = 0; k < stride; k += PL_CAGE_LANES) {
    pl_lanes low[3] = {pl_lanes_of(0), pl_lanes_of(0), pl_lanes_of(0)}, high[3] = {low[0], low[0], low[0]};
    for (ptrdiff_t i = 0; i < m->particle_count; ++i) {
      const double *w = m->weights + stride * i + k;
      pl_lanes first = pl_lanes_load(w), second = pl_lanes_load(w + 4);
      for (int b = 0; b < axes; ++b) {
        low[b] += first * v[3 * i + b];
        high[b] += second * v[3 * i + b];
      }
    }
    for (int b = 0; b < axes; ++b) {
      pl_lanes_store(m->lanes + stride * b + k, low[b]);
      pl_lanes_store(m->lanes + stride * b + k + 4, high[b]);
    }
  }
  for (int32_t k = 0; k < m->handle_count; ++k)
    for (int b = 0; b < axes; ++b) product[axes * k + b] = m->lanes[stride * b + k];
}

static void cage_pull(const pl_cage_map *map, const double *v, double *product) {
  if (map->axes == 2)
    cage_pull_axes(map, v, 2, product);
  else
    cage_pull_axes(map, v, 3, product);
}

// One row of blocks and some handles at a time, so that the sums stay in registers.
PL_SIMD_INLINE void cage_rows_axes(const pl_cage_map *m, const pl_block_matrix *matrix, int32_t row, int axes,
                                   double *rows) {
  const pl_block_pattern *pattern = matrix->pattern;
  ptrdiff_t size = (ptrdiff_t)axes * m->handle_count;
  for (int a = 0; a < axes; ++a) {
    for (int32_t from = 0; from < m->handle_count; from += 4) {
      pl_lanes sums[3] = {pl_lanes_of(0), pl_lanes_of(0), pl_lanes_of(0)};
      for (int32_t k = pattern->start[row]; k < pattern->start[row + 1]; ++k) {
        const double *block = matrix->values + 9 * (ptrdiff_t)k + 3 * a;
        pl_lanes weight = pl_lanes_load(m->weights + m->stride * pattern->columns[k] + from);
        for (int b = 0; b < axes; ++b) sums[b] += weight * block[b];
      }
      double *target = rows + size * a + axes * from;
      for (int v = 0; v < 4 && from + v < m->handle_count; ++v)
        for (int b = 0; b < axes; ++b) target[axes * v + b] = sums[b][v];
    }
  }
  if (axes == 2) memset(rows + 2 * size, 0, (size_t)size * sizeof(double));
}

static void cage_rows(const pl_cage_map *map, const pl_block_matrix *matrix, int32_t row, double *rows) {
  if (map->axes == 2)
    cage_rows_axes(map, matrix, row, 2, rows);
  else
    cage_rows_axes(map, matrix, row, 3, rows);
}

static void cage_add_four(double *target, const double *const rows[4], const double factors[4], int32_t from,
                          int32_t size) {
  const double *r0 = rows[0], *r1 = rows[1], *r2 = rows[2], *r3 = rows[3];
  double f0 = factors[0], f1 = factors[1], f2 = factors[2], f3 = factors[3];
  int32_t q = from;
  for (; q + 4 <= size; q += 4)
    pl_lanes_store(target + q, pl_lanes_load(target + q) + (pl_lanes_load(r0 + q) * f0 + pl_lanes_load(r1 + q) * f1 +
                                                            pl_lanes_load(r2 + q) * f2 + pl_lanes_load(r3 + q) * f3));
  for (; q < size; ++q) target[q] += f0 * r0[q] + f1 * r1[q] + f2 * r2[q] + f3 * r3[q];
}

PL_SIMD_INLINE void cage_transposed_axes(const pl_block_matrix *matrix, int axes, const double *v, double *to) {
  const pl_block_pattern *pattern = matrix->pattern;
  memset(to, 0, 12 * (size_t)pattern->row_count * sizeof(double));
  for (ptrdiff_t i = 0; i < pattern->row_count; ++i) {
    pl_lanes own[3];
    for (int a = 0; a < axes; ++a) own[a] = pl_lanes_load(v + 12 * i + 4 * a);
    for (int32_t k = pattern->start[i]; k < pattern->start[i + 1]; ++k) {
      const double *block = matrix->values + 9 * (ptrdiff_t)k;
      double *target = to + 12 * (ptrdiff_t)pattern->columns[k];
      for (int b = 0; b < axes; ++b) {
        pl_lanes sum = own[0] * block[b] + own[1] * block[3 + b];
        if (axes == 3) sum += own[2] * block[6 + b];
        pl_lanes_store(target + 4 * b, pl_lanes_load(target + 4 * b) + sum);
      }
    }
  }
}

static void cage_transposed(const pl_block_matrix *matrix, int32_t axes, const double *v, double *to) {
  if (axes == 2)
    cage_transposed_axes(matrix, 2, v, to);
  else
    cage_transposed_axes(matrix, 3, v, to);
}

static void cage_add_squares(double *K, int32_t size, const double *J, int32_t count) {
  for (ptrdiff_t i = 0; i < size; ++i) {
    double *own = K + size * i;
    ptrdiff_t j = 0;
    for (; j + 4 <= i + 1; j += 4) {
      pl_lanes sum = pl_lanes_load(own + j);
      for (ptrdiff_t k = 0; k < count; ++k) sum += pl_lanes_load(J + size * k + j) * J[size * k + i];
      pl_lanes_store(own + j, sum);
    }
    for (; j <= i; ++j)
      for (ptrdiff_t k = 0; k < count; ++k) own[j] += J[size * k + i] * J[size * k + j];
  }
}

const pl_cage_kernels KERNEL_NAME = {cage_move, cage_pull, cage_rows, cage_add_four, cage_transposed, cage_add_squares};
