// The kernels of actor/actor_cage.h, included for every instruction set: with KERNEL_NAME the table to define. X = X₀ +
// L p of paper 004, eq. 4, with L = W ⊗ 1. Lanes are handles of a cage, neighbours in a row of weights; the coordinates
// of p, which lie between each other, are taken apart first. The number of axes is written out by the callers, so that
// loops over them are unrolled.
#include <stddef.h>
#include <string.h>

#include "fem/fem_lanes.h"
#include "math/simd_eight.h"

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

// Eights of handles whose sums registers hold at a time: a sum of one would wait for itself.
enum { PULL_EIGHTS = PL_SIMD_IS_AVX512 ? 2 : 1 };

PL_SIMD_INLINE void cage_pull_eights(const pl_cage_map *m, const double *v, int axes, ptrdiff_t first, int eights) {
  pl_d8 sums[PULL_EIGHTS][3];
  for (int e = 0; e < eights; ++e)
    for (int b = 0; b < axes; ++b) sums[e][b] = pl_d8_of(0);
  for (ptrdiff_t i = 0; i < m->particle_count; ++i)
    for (int e = 0; e < eights; ++e) {
      pl_d8 weight = pl_d8_load(m->weights + m->stride * i + first + 8 * e);
      for (int b = 0; b < axes; ++b) sums[e][b] = pl_d8_add_product(sums[e][b], weight, pl_d8_of(v[3 * i + b]));
    }
  for (int e = 0; e < eights; ++e)
    for (int b = 0; b < axes; ++b) pl_d8_store(m->lanes + m->stride * b + first + 8 * e, sums[e][b]);
}

PL_SIMD_INLINE void cage_pull_axes(const pl_cage_map *m, const double *v, int axes, double *product) {
  ptrdiff_t stride = m->stride, k = 0;
  for (; k + 8 * PULL_EIGHTS <= stride; k += 8 * PULL_EIGHTS) cage_pull_eights(m, v, axes, k, PULL_EIGHTS);
  for (; k < stride; k += 8) cage_pull_eights(m, v, axes, k, 1);
  for (int32_t h = 0; h < m->handle_count; ++h)
    for (int b = 0; b < axes; ++b) product[axes * h + b] = m->lanes[stride * b + h];
}

static void cage_pull(const pl_cage_map *map, const double *v, double *product) {
  if (map->axes == 2)
    cage_pull_axes(map, v, 2, product);
  else
    cage_pull_axes(map, v, 3, product);
}

// Handles whose sums with eight vectors registers hold at a time.
enum { PULL_HANDLES = PL_SIMD_IS_AVX512 ? 4 : 2 };

// Of eight vectors, which are the lanes.
PL_SIMD_INLINE void cage_pull_many_axes(const pl_cage_map *m, const double *v, int axes, double *to) {
  for (ptrdiff_t h = 0; h < m->handle_count; h += PULL_HANDLES) {
    pl_d8 sums[PULL_HANDLES][3];
    for (int k = 0; k < PULL_HANDLES; ++k)
      for (int b = 0; b < axes; ++b) sums[k][b] = pl_d8_of(0);
    for (ptrdiff_t i = 0; i < m->particle_count; ++i) {
      pl_d8 own[3];
      for (int b = 0; b < axes; ++b) own[b] = pl_d8_load(v + 8 * (3 * i + b));
      const double *weights = m->weights + m->stride * i + h;
      for (int k = 0; k < PULL_HANDLES; ++k)
        for (int b = 0; b < axes; ++b) sums[k][b] = pl_d8_add_product(sums[k][b], own[b], pl_d8_of(weights[k]));
    }
    for (int k = 0; k < PULL_HANDLES && h + k < m->handle_count; ++k)
      for (int b = 0; b < axes; ++b) pl_d8_store(to + 8 * (axes * (h + k) + b), sums[k][b]);
  }
}

static void cage_pull_many(const pl_cage_map *map, const double *v, double *to) {
  if (map->axes == 2)
    cage_pull_many_axes(map, v, 2, to);
  else
    cage_pull_many_axes(map, v, 3, to);
}

// Eight handles at a time, so that the sums stay in registers.
PL_SIMD_INLINE void cage_rows_axes(const pl_cage_map *m, const pl_block_matrix *matrix, int32_t row, int axes,
                                   double *rows) {
  const pl_block_pattern *pattern = matrix->pattern;
  for (ptrdiff_t from = 0; from < m->stride; from += 8) {
    pl_d8 sums[3][3];
    for (int a = 0; a < axes; ++a)
      for (int b = 0; b < axes; ++b) sums[a][b] = pl_d8_of(0);
    for (int32_t k = pattern->start[row]; k < pattern->start[row + 1]; ++k) {
      const double *block = matrix->values + 9 * (ptrdiff_t)k;
      pl_d8 weight = pl_d8_load(m->weights + m->stride * pattern->columns[k] + from);
      for (int a = 0; a < axes; ++a)
        for (int b = 0; b < axes; ++b) sums[a][b] = pl_d8_add_product(sums[a][b], weight, pl_d8_of(block[3 * a + b]));
    }
    for (int a = 0; a < axes; ++a)
      for (int b = 0; b < axes; ++b) pl_d8_store(rows + m->stride * (axes * a + b) + from, sums[a][b]);
  }
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

// Four particles of one sum, which is then added: as by cage_add_four().
PL_SIMD_INLINE pl_d8 cage_sum_four(const pl_d8 rows[4], const double *factors) {
  pl_d8 sum = pl_d8_multiply(rows[0], pl_d8_of(factors[0]));
  for (int k = 1; k < 4; ++k) sum = pl_d8_add_product(sum, rows[k], pl_d8_of(factors[k]));
  return sum;
}

// Rows of two handles at a time: what is read of the particles' rows serves both.
PL_SIMD_INLINE void cage_square_few(const pl_cage_map *m, const double *const factors[2], const double *rows, int axes,
                                    ptrdiff_t from, int count, double *const targets[2]) {
  ptrdiff_t stride = m->stride, step = axes * axes * stride;
  for (int b = 0; b < axes; ++b)
    for (ptrdiff_t q = stride * b + from; q < stride * (b + 1); q += 8) {
      pl_d8 first[4], second[4];
      for (int k = 0; k < 4; ++k) {
        first[k] = pl_d8_load(rows + step * k + q);
        second[k] = pl_d8_load(rows + step * (k + 4) + q);
      }
      for (int t = 0; t < count; ++t) {
        pl_d8 sum = pl_d8_add(pl_d8_load(targets[t] + q), cage_sum_four(first, factors[t]));
        pl_d8_store(targets[t] + q, pl_d8_add(sum, cage_sum_four(second, factors[t] + 4)));
      }
    }
}

PL_SIMD_INLINE void cage_square_axes(const pl_cage_map *m, int32_t first, int32_t count, const double *rows, int axes,
                                     double *square) {
  ptrdiff_t stride = m->stride, width = axes * stride;
  for (ptrdiff_t v = 0; v < m->handle_count; v += 2) {
    double factors[2][8];
    for (int t = 0; t < 2; ++t)
      for (int k = 0; k < 8; ++k) factors[t][k] = k < count ? m->weights[stride * (first + k) + v + t] : 0;
    const double *const both[2] = {factors[0], factors[1]};
    for (int a = 0; a < axes; ++a) {
      double *own = square + width * (stride * a + v), *const targets[2] = {own, own + width};
      cage_square_few(m, both, rows + width * a, axes, v / 8 * 8, 2, targets);
    }
  }
}

static void cage_square(const pl_cage_map *map, int32_t first, int32_t count, const double *rows, double *square) {
  if (map->axes == 2)
    cage_square_axes(map, first, count, rows, 2, square);
  else
    cage_square_axes(map, first, count, rows, 3, square);
}

PL_SIMD_INLINE void cage_transposed_axes(const pl_block_matrix *matrix, int axes, const double *v, double *to) {
  const pl_block_pattern *pattern = matrix->pattern;
  memset(to, 0, 24 * (size_t)pattern->row_count * sizeof(double));
  for (ptrdiff_t i = 0; i < pattern->row_count; ++i) {
    pl_d8 own[3];
    for (int a = 0; a < axes; ++a) own[a] = pl_d8_load(v + 24 * i + 8 * a);
    for (int32_t k = pattern->start[i]; k < pattern->start[i + 1]; ++k) {
      const double *block = matrix->values + 9 * (ptrdiff_t)k;
      double *target = to + 24 * (ptrdiff_t)pattern->columns[k];
      for (int b = 0; b < axes; ++b) {
        pl_d8 sum = pl_d8_multiply(own[0], pl_d8_of(block[b]));
        for (int a = 1; a < axes; ++a) sum = pl_d8_add_product(sum, own[a], pl_d8_of(block[3 * a + b]));
        pl_d8_store(target + 8 * b, pl_d8_add(pl_d8_load(target + 8 * b), sum));
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

// Rows [i, i + count) up to the diagonal; what is written beyond it up to the next eight is not read.
PL_SIMD_INLINE void cage_add_squares_of(double *K, const double *base, ptrdiff_t size, const double *J,
                                        ptrdiff_t row_count, ptrdiff_t i, int count) {
  double *own = K + size * i;
  const double *from = base + size * i;
  ptrdiff_t j = 0;
  for (; j < i + count && j + 8 <= size; j += 8) {
    pl_d8 sums[4];
    for (int r = 0; r < count; ++r) sums[r] = pl_d8_load(from + size * r + j);
    for (ptrdiff_t k = 0; k < row_count; ++k) {
      pl_d8 lanes = pl_d8_load(J + size * k + j);
      for (int r = 0; r < count; ++r) sums[r] = pl_d8_add_product(sums[r], lanes, pl_d8_of(J[size * k + i + r]));
    }
    for (int r = 0; r < count; ++r) pl_d8_store(own + size * r + j, sums[r]);
  }
  for (; j < i + count; ++j)
    for (int r = 0; r < count; ++r) {
      double sum = from[size * r + j];
      for (ptrdiff_t k = 0; k < row_count; ++k) sum += J[size * k + i + r] * J[size * k + j];
      own[size * r + j] = sum;
    }
}

static void cage_add_squares(double *K, const double *base, int32_t size, const double *J, int32_t count) {
  ptrdiff_t i = 0;
  for (; i + 4 <= size; i += 4) cage_add_squares_of(K, base, size, J, count, i, 4);
  for (; i < size; ++i) cage_add_squares_of(K, base, size, J, count, i, 1);
}

// Rows [row, row + count): they do not wait for each other. What is left over of fours is added to the first lane.
PL_SIMD_INLINE void cage_multiply_rows(const double *matrix, ptrdiff_t size, const double *x, int count, double *y) {
  pl_lanes sums[8];
  ptrdiff_t i = 0;
  for (int r = 0; r < count; ++r) sums[r] = pl_lanes_of(0);
  for (; i + 4 <= size; i += 4) {
    pl_lanes at = pl_lanes_load(x + i);
    for (int r = 0; r < count; ++r) sums[r] += pl_lanes_load(matrix + size * r + i) * at;
  }
  for (int r = 0; r < count; ++r) {
    double first = sums[r][0];
    for (ptrdiff_t k = i; k < size; ++k) first += matrix[size * r + k] * x[k];
    y[r] = (first + sums[r][1]) + (sums[r][2] + sums[r][3]);
  }
}

static void cage_multiply(const double *matrix, int32_t size, const double *x, double *y) {
  ptrdiff_t row = 0;
  for (; row + 8 <= size; row += 8) cage_multiply_rows(matrix + size * row, size, x, 8, y + row);
  for (; row < size; ++row) cage_multiply_rows(matrix + size * row, size, x, 1, y + row);
}

const pl_cage_kernels KERNEL_NAME = {.move = cage_move,
                                     .pull = cage_pull,
                                     .pull_many = cage_pull_many,
                                     .rows = cage_rows,
                                     .add_four = cage_add_four,
                                     .square = cage_square,
                                     .transposed = cage_transposed,
                                     .add_squares = cage_add_squares,
                                     .multiply = cage_multiply};
