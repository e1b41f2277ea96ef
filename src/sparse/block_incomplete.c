// Incomplete block factorisation without fill: A ≈ L D Lᵀ, L unit lower triangular with blocks only where A has some, D
// of 3x3 blocks (Meijerink and van der Vorst 1977, by blocks).
//
//   U_ij = A_ij - Σ_k U_ik L_jkᵀ        k < j, both in the pattern
//   L_ij = U_ij D_j⁻¹
//   D_i  = A_ii - Σ_j U_ij L_ijᵀ
//
// For matrices that are not of M type, and elastic ones are not, a D_i may come out indefinite. Then the slab starts
// again with its diagonal raised (Manteuffel 1980). L is kept in single precision: it is an approximation anyway, and
// the sweeps are bound by reading it.
#include "sparse/block_incomplete.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"

// What is cut away between slabs weakens the factor, so there are no more of them than threads that are likely to be
// there, and small bodies stay whole.
enum { MAX_SLABS = 8, MIN_SLAB = 2048 };
enum { MAX_TRIES = 12, PADDING = 8 };
static const double FIRST_SHIFT = 0.01, SHIFT_GROWTH = 2;

int32_t pl_block_slab(int32_t row_count) {
  int32_t rows = pl_block_count(row_count, MAX_SLABS);
  return rows > MIN_SLAB ? rows : MIN_SLAB;
}

typedef struct factoring {
  const pl_block_matrix *matrix;
  double shift;
  const double *weights;
  pl_block_incomplete *factor;
} factoring;

bool pl_block_invert(const double *m, double *inverse) {
  // Cofactors of the lower triangle; leading minors tell whether it is positive definite.
  double c00 = m[4] * m[8] - m[7] * m[7], c10 = m[6] * m[7] - m[3] * m[8], c20 = m[3] * m[7] - m[6] * m[4];
  double second = m[0] * m[4] - m[3] * m[3];
  double determinant = m[0] * c00 + m[3] * c10 + m[6] * c20;
  // Far above rounding, or the inverse would have the sign of an error.
  double scale = 1e-12;
  if (!(m[0] > 0 && second > scale * m[0] * m[4] && determinant > scale * second * m[8]) || !(determinant < HUGE_VAL))
    return false;
  double factor = 1 / determinant;
  inverse[0] = c00 * factor;
  inverse[1] = inverse[3] = c10 * factor;
  inverse[2] = inverse[6] = c20 * factor;
  inverse[4] = (m[0] * m[8] - m[6] * m[6]) * factor;
  inverse[5] = inverse[7] = (m[3] * m[6] - m[0] * m[7]) * factor;
  inverse[8] = second * factor;
  return isfinite(inverse[0]) && isfinite(inverse[4]) && isfinite(inverse[8]);
}

static void read_diagonal(const pl_block_matrix *matrix, double shift, const double *weights, int32_t row,
                          double *block) {
  memcpy(block, matrix->values + 9 * (size_t)matrix->pattern->diagonal[row], 9 * sizeof(double));
  if (shift != 0)
    for (int c = 0; c < 3; ++c) block[4 * c] += shift * weights[3 * (size_t)row + (size_t)c];
}

void pl_block_invert_diagonal(const pl_block_matrix *matrix, double shift, const double *weights, int32_t row,
                              double *inverse) {
  double block[9];
  read_diagonal(matrix, shift, weights, row, block);
  if (pl_block_invert(block, inverse)) return;
  memset(inverse, 0, 9 * sizeof(double));
  for (int c = 0; c < 3; ++c)
    inverse[4 * c] = block[4 * c] != 0 && isfinite(1 / block[4 * c]) ? fabs(1 / block[4 * c]) : 1;
}

bool pl_block_incomplete_take(pl_arena *arena, const pl_block_pattern *pattern, pl_block_incomplete *factor) {
  int32_t row_count = pattern->row_count, count = 0;
  *factor = (pl_block_incomplete){.slab_rows = pl_block_slab(row_count)};
  factor->start = PL_TAKE(arena, int32_t, row_count + 1);
  if (arena->failed) return false;
  for (int pass = 0; pass < 2; ++pass) {
    count = 0;
    for (int32_t row = 0; row < row_count; ++row) {
      int32_t first = row / factor->slab_rows * factor->slab_rows;
      for (int32_t i = pattern->start[row]; i < pattern->diagonal[row]; ++i) {
        if (pattern->columns[i] < first) continue;
        if (pass == 1) factor->columns[count] = pattern->columns[i], factor->slots[count] = i;
        ++count;
      }
      factor->start[row + 1] = count;
      if (count - factor->start[row] > factor->longest) factor->longest = count - factor->start[row];
    }
    if (pass == 1) break;
    factor->columns = PL_TAKE(arena, int32_t, count);
    factor->slots = PL_TAKE(arena, int32_t, count);
    if (arena->failed) return false;
  }
  int32_t slab_count = pl_block_count(row_count, factor->slab_rows);
  factor->values = PL_TAKE(arena, float, (size_t)count * 9 + PADDING);
  factor->inverses = PL_TAKE(arena, double, (size_t)row_count * 9 + PADDING);
  factor->workspace = PL_TAKE(arena, double, (size_t)row_count * 4 + PADDING);
  factor->rows = PL_TAKE(arena, double, (size_t)slab_count *(size_t)factor->longest * 9);
  factor->shifts = PL_TAKE(arena, double, slab_count);
  factor->lower = (pl_block_lower){factor->start, factor->columns, factor->values, factor->inverses};
  return !arena->failed;
}

// to -= a bᵀ
static void subtract_product(double *to, const double *a, const float *b) {
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c)
      to[3 * r + c] -=
          a[3 * r] * (double)b[3 * c] + a[3 * r + 1] * (double)b[3 * c + 1] + a[3 * r + 2] * (double)b[3 * c + 2];
}

// Row `row` of L and the inverse of D; false if D is not positive definite.
static bool factor_row(const factoring *f, int32_t row, double raise, double *blocks) {
  const pl_block_incomplete *factor = f->factor;
  const int32_t *columns = factor->columns;
  int32_t first = factor->start[row], end = factor->start[row + 1];
  double pivot[9];
  read_diagonal(f->matrix, f->shift, f->weights, row, pivot);
  for (int c = 0; c < 3; ++c) pivot[4 * c] *= 1 + raise;
  for (int32_t i = first; i < end; ++i) {
    double *u = blocks + 9 * (size_t)(i - first);
    memcpy(u, f->matrix->values + 9 * (size_t)factor->slots[i], 9 * sizeof(double));
    // Columns that this row and row j have in common, both rising.
    int32_t j = columns[i];
    for (int32_t mine = first, other = factor->start[j]; mine < i && other < factor->start[j + 1];) {
      int32_t difference = columns[mine] - columns[other];
      if (difference == 0) subtract_product(u, blocks + 9 * (size_t)(mine - first), factor->values + 9 * (size_t)other);
      mine += difference <= 0;
      other += difference >= 0;
    }
    const double *inverse = factor->inverses + 9 * (size_t)j;
    float *to = factor->values + 9 * (size_t)i;
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c)
        to[3 * r + c] = (float)(u[3 * r] * inverse[c] + u[3 * r + 1] * inverse[3 + c] + u[3 * r + 2] * inverse[6 + c]);
    subtract_product(pivot, u, to);
  }
  return pl_block_invert(pivot, factor->inverses + 9 * (size_t)row);
}

static void factor_slab(void *data, int32_t begin, int32_t end, int32_t slab) {
  const factoring *f = data;
  double *blocks = f->factor->rows + (size_t)slab * (size_t)f->factor->longest * 9;
  double raise = 0;
  for (int try = 0; try < MAX_TRIES; ++try) {
    bool good = true;
    for (int32_t row = begin; good && row < end; ++row) good = factor_row(f, row, raise, blocks);
    f->factor->shifts[slab] = raise;
    if (good) return;
    raise = raise > 0 ? raise * SHIFT_GROWTH : FIRST_SHIFT;
  }
  // An indefinite matrix may defy every diagonal: its blocks alone, then.
  f->factor->shifts[slab] = HUGE_VAL;
  memset(f->factor->values + 9 * (size_t)f->factor->start[begin], 0,
         (size_t)(f->factor->start[end] - f->factor->start[begin]) * 9 * sizeof(float));
  for (int32_t row = begin; row < end; ++row)
    pl_block_invert_diagonal(f->matrix, f->shift, f->weights, row, f->factor->inverses + 9 * (size_t)row);
}

void pl_block_incomplete_run(pl_context *context, const pl_block_matrix *matrix, double shift, const double *weights,
                             pl_block_incomplete *factor) {
  factoring f = {.matrix = matrix, .shift = shift, .weights = weights, .factor = factor};
  pl_parallel_for(context, matrix->pattern->row_count, factor->slab_rows, factor_slab, &f);
}
