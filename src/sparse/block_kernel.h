// The kernels of sparse/block_kernels.h, included twice: with KERNEL_NAME the table to define.
//
// Three numbers are handled four at a time. The fourth lane carries whatever follows them, takes part in no sum that is
// kept, and is never written to where it matters. So the lanes that count see the same operations in the same order on
// every machine.

#include "math/simd_eight.h"

typedef float float4_unaligned __attribute__((vector_size(16), may_alias, aligned(4)));

PL_SIMD_INLINE pl_d4 load4_single(const float *from) {
  return __builtin_convertvector(*(const float4_unaligned *)(const void *)from, pl_d4);
}
PL_SIMD_INLINE double add3(pl_d4 a) {
  return a[0] + a[1] + a[2];
}

// A block of 9 numbers is two fours and one. The fours of a row-major element matrix lie across its rows, and are
// blended from two loads each that stay inside of it.
PL_SIMD_INLINE void scatter_blocks(double *values, const int32_t *slots, const double *matrix, int32_t width) {
  for (int32_t a = 0; a < width; ++a)
    for (int32_t b = 0; b < width; ++b) {
      double *to = values + 9 * (size_t)slots[a * width + b];
      const double *row0 = matrix + 9 * a * width + 3 * b, *row1 = row0 + 3 * width, *row2 = row1 + 3 * width;
      pl_d4_unaligned *first = (pl_d4_unaligned *)(void *)to, *second = (pl_d4_unaligned *)(void *)(to + 4);
      *first += __builtin_shufflevector(pl_d4_load(row0), pl_d4_load(row1 - 3), 0, 1, 2, 7);
      *second += __builtin_shufflevector(pl_d4_load(row1 + 1), pl_d4_load(row2 - 2), 0, 1, 6, 7);
      to[8] += row2[2];
    }
}

static void scatter(double *values, const int32_t *slots, const double *matrix, int32_t width) {
  if (width == 4)
    scatter_blocks(values, slots, matrix, 4);  // tets, with all offsets known
  else
    scatter_blocks(values, slots, matrix, width);
}

static double multiply(const pl_block_matrix *matrix, int32_t begin, int32_t end, const double *x, double *y) {
  const int32_t *start = matrix->pattern->start, *columns = matrix->pattern->columns;
  int32_t last_column = matrix->pattern->row_count - 1;
  pl_d4 dots = {0};
  for (int32_t row = begin; row < end; ++row) {
    pl_d4 sum0 = {0}, sum1 = {0}, sum2 = {0};
    const double *values = matrix->values + 9 * (size_t)start[row];
    // After the last column of x there is nothing to read.
    int32_t stop = start[row + 1];
    bool meets_last = columns[stop - 1] == last_column;
    stop -= meets_last;
    for (int32_t i = start[row]; i < stop; ++i, values += 9) {
      pl_d4 at = pl_d4_load(x + 3 * (size_t)columns[i]);
      sum0 += pl_d4_load(values) * at;
      sum1 += pl_d4_load(values + 3) * at;
      sum2 += pl_d4_load(values + 6) * at;
    }
    if (meets_last) {
      const double *from = x + 3 * (size_t)last_column;
      pl_d4 at = {from[0], from[1], from[2], 0};
      sum0 += pl_d4_load(values) * at;
      sum1 += pl_d4_load(values + 3) * at;
      sum2 += pl_d4_load(values + 6) * at;
    }
    const double *own = x + 3 * (size_t)row;
    pl_d4 result = {add3(sum0), add3(sum1), add3(sum2), 0};
    dots += result * (pl_d4){own[0], own[1], own[2], 0};
    double *to = y + 3 * (size_t)row;
    to[0] = result[0];
    to[1] = result[1];
    to[2] = result[2];
  }
  return add3(dots);
}

// Lanes 3 of `workspace` are zero on the way down, where they are multiplied, and arbitrary on the way up, where they
// are not read.
static void sweep(const pl_block_lower *lower, int32_t begin, int32_t end, const double *r, double *z,
                  double *workspace) {
  const int32_t *start = lower->start, *columns = lower->columns;
  for (int32_t row = begin; row < end; ++row) {
    pl_d4 sum0 = {0}, sum1 = {0}, sum2 = {0};
    const float *values = lower->values + 9 * (size_t)start[row];
    for (int32_t i = start[row]; i < start[row + 1]; ++i, values += 9) {
      pl_d4 at = pl_d4_load(workspace + 4 * (size_t)columns[i]);
      sum0 += load4_single(values) * at;
      sum1 += load4_single(values + 3) * at;
      sum2 += load4_single(values + 6) * at;
    }
    const double *from = r + 3 * (size_t)row;
    *(pl_d4_unaligned *)(void *)(workspace + 4 * (size_t)row) =
        (pl_d4){from[0] - add3(sum0), from[1] - add3(sum1), from[2] - add3(sum2), 0};
  }
  for (int32_t row = begin; row < end; ++row) {
    pl_d4 *at = (pl_d4 *)(void *)(workspace + 4 * (size_t)row);
    const double *inverse = lower->inverses + 9 * (size_t)row;
    pl_d4 value = *at;
    *at = pl_d4_load(inverse) * value[0] + pl_d4_load(inverse + 3) * value[1] + pl_d4_load(inverse + 6) * value[2];
  }
  for (int32_t row = end - 1; row >= begin; --row) {
    const double *own = workspace + 4 * (size_t)row;
    pl_d4 own0 = {own[0], own[0], own[0], own[0]}, own1 = {own[1], own[1], own[1], own[1]},
          own2 = {own[2], own[2], own[2], own[2]};
    const float *values = lower->values + 9 * (size_t)start[row];
    for (int32_t i = start[row]; i < start[row + 1]; ++i, values += 9) {
      pl_d4 *to = (pl_d4 *)(void *)(workspace + 4 * (size_t)columns[i]);
      *to -= load4_single(values) * own0 + load4_single(values + 3) * own1 + load4_single(values + 6) * own2;
    }
    double *out = z + 3 * (size_t)row;
    out[0] = own[0];
    out[1] = own[1];
    out[2] = own[2];
  }
}

// Others whose products with four rows are summed at a time: as many as registers hold sums of.
enum { PANEL_TILE = PL_SIMD_IS_AVX512 ? 4 : 1 };

// --- dense factor -------------------------------------------------------------------------------------------------
//
//   L_rk = (A_rk - Σ_i<k L_ri L_ki) / L_kk        L_kk = √(A_kk - Σ_i<k L_ki²)
//
// Eight columns at a time, the panel. What of the sums is before it is found first, with every number read for several
// products: for row r and column k as Σ over eights of i, lane by lane, then lanes together. The rest is added number
// by number as columns come, and diagonal entries lose their squares one after the other. The panel is turned for that:
// lanes are rows, which do not wait for each other.

// Sums over numbers [0, first) of four rows with each of `count` others, into dots[stride c + …].
PL_SIMD_INLINE void panel_dots(const double *const own[4], const double *other, ptrdiff_t size, int count,
                               int32_t first, double *dots, ptrdiff_t stride) {
  pl_d8 sums[PANEL_TILE][4];
  for (int c = 0; c < count; ++c)
    for (int r = 0; r < 4; ++r) sums[c][r] = pl_d8_of(0);
  for (ptrdiff_t i = 0; i < first; i += 8) {
    pl_d8 rows[4];
    for (int r = 0; r < 4; ++r) rows[r] = pl_d8_load(own[r] + i);
    for (int c = 0; c < count; ++c) {
      pl_d8 column = pl_d8_load(other + size * c + i);
      for (int r = 0; r < 4; ++r) sums[c][r] = pl_d8_add_product(sums[c][r], rows[r], column);
    }
  }
  for (int c = 0; c < count; ++c) {
    pl_d4 lanes[4];
    for (int r = 0; r < 4; ++r) lanes[r] = pl_d8_low(sums[c][r]) + pl_d8_high(sums[c][r]);
    pl_d4_transpose(lanes);
    pl_d4_store(dots + stride * c, (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]));
  }
}

static void panel_begin(const pl_dense_panel *p, int32_t first, int32_t width) {
  ptrdiff_t size = p->size, stride = p->stride;
  for (int32_t row = first; row < size; row += 4) {
    const double *own[4];
    for (int r = 0; r < 4; ++r) own[r] = p->values + size * (row + r < size ? row + r : size - 1);
    int32_t c = 0;
    for (; c + PANEL_TILE <= width; c += PANEL_TILE)
      panel_dots(own, p->values + size * (first + c), size, PANEL_TILE, first, p->dots + stride * c + row, stride);
    for (; c < width; ++c)
      panel_dots(own, p->values + size * (first + c), size, 1, first, p->dots + stride * c + row, stride);
    for (c = 0; c + 4 <= width; c += 4) {
      pl_d4 lanes[4];
      for (int r = 0; r < 4; ++r) lanes[r] = pl_d4_load(own[r] + first + c);
      pl_d4_transpose(lanes);
      for (int k = 0; k < 4; ++k) pl_d4_store(p->columns + stride * (c + k) + row, lanes[k]);
    }
    for (; c < width; ++c)
      for (int r = 0; r < 4; ++r) p->columns[stride * c + row + r] = own[r][first + c];
  }
}

// Column number c of the panel below its diagonal. Rows before it in its first lanes are not read again.
static void panel_column(const pl_dense_panel *p, int32_t first, int32_t c, double inverse) {
  ptrdiff_t stride = p->stride;
  double factors[PL_DENSE_PANEL];
  for (int32_t i = 0; i < c; ++i) factors[i] = p->columns[stride * i + first + c];
  for (ptrdiff_t row = (first + c + 1) / 8 * 8; row < p->size; row += 8) {
    pl_d8 dot = pl_d8_load(p->dots + stride * c + row);
    for (int32_t i = 0; i < c; ++i)
      dot = pl_d8_add_product(dot, pl_d8_load(p->columns + stride * i + row), pl_d8_of(factors[i]));
    double *own = p->columns + stride * c + row, *diagonal = p->diagonal + row;
    pl_d8 value = pl_d8_multiply(pl_d8_subtract(pl_d8_load(own), dot), pl_d8_of(inverse));
    pl_d8_store(own, value);
    pl_d8_store(diagonal, pl_d8_subtract_product(pl_d8_load(diagonal), value, value));
  }
}

// Back into the rows of the factor, below the diagonal.
static void panel_end(const pl_dense_panel *p, int32_t first, int32_t width) {
  ptrdiff_t size = p->size, stride = p->stride, row = first;
  for (; row < size && row < first + width; ++row)
    for (ptrdiff_t c = 0; c < row - first; ++c) p->values[size * row + first + c] = p->columns[stride * c + row];
  for (; row + 4 <= size; row += 4)
    for (ptrdiff_t c = 0; c < width; c += 4) {
      pl_d4 lanes[4];
      for (int k = 0; k < 4; ++k) lanes[k] = pl_d4_load(p->columns + stride * (c + k) + row);
      pl_d4_transpose(lanes);
      for (int r = 0; r < 4; ++r) pl_d4_store(p->values + size * (row + r) + first + c, lanes[r]);
    }
  for (; row < size; ++row)
    for (ptrdiff_t c = 0; c < width; ++c) p->values[size * row + first + c] = p->columns[stride * c + row];
}

static void substitute(const double *factor, int32_t size, const double *inverses, double *x) {
  for (int32_t row = 0; row < size; ++row) {
    const double *own = factor + (size_t)size * (size_t)row;
    pl_d4 sum_a = {0}, sum_b = {0};
    int32_t i = 0;
    for (; i + 8 <= row; i += 8) {
      sum_a += pl_d4_load(own + i) * pl_d4_load(x + i);
      sum_b += pl_d4_load(own + i + 4) * pl_d4_load(x + i + 4);
    }
    pl_d4 sum = sum_a + sum_b;
    double dot = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    for (; i < row; ++i) dot += own[i] * x[i];
    x[row] = (x[row] - dot) * inverses[row];
  }
  for (int32_t row = size - 1; row >= 0; --row) {
    const double *own = factor + (size_t)size * (size_t)row;
    double value = x[row] *= inverses[row];
    pl_d4 all = {value, value, value, value};
    int32_t i = 0;
    for (; i + 4 <= row; i += 4) *(pl_d4_unaligned *)(void *)(x + i) -= pl_d4_load(own + i) * all;
    for (; i < row; ++i) x[i] -= own[i] * value;
  }
}

const pl_block_kernels KERNEL_NAME = {.scatter = scatter,
                                      .multiply = multiply,
                                      .sweep = sweep,
                                      .panel_begin = panel_begin,
                                      .panel_column = panel_column,
                                      .panel_end = panel_end,
                                      .substitute = substitute};
