// The inner loops of block matrices, compiled for the plain machine, AVX2 and AVX-512
// (math/simd.h says how). All give the same bits.
#ifndef PL_SPARSE_BLOCK_KERNELS_H
#define PL_SPARSE_BLOCK_KERNELS_H

#include "sparse/block_matrix.h"

// Incomplete factor, sparse/block_incomplete.h.
typedef struct pl_block_lower {
  const int32_t *start;    // row_count + 1
  const int32_t *columns;  // of the blocks left of the diagonal, rising
  const float *values;     // 9 per block, row-major, with a few zeros after the last
  const double *inverses;  // 9 per row: of the diagonal block; zeros after the last
} pl_block_lower;

// Room for some columns of a dense Cholesky factor (sparse/dense_factor.h) that is under way.
enum { PL_DENSE_PANEL = 8 };
typedef struct pl_dense_panel {
  double *values;  // size x size, row-major, the factor
  ptrdiff_t size;
  ptrdiff_t stride;  // size rounded up to a multiple of 8
  // PL_DENSE_PANEL x stride each: entries of the columns, by column; sums of products of their rows
  // with earlier columns.
  double *columns, *dots;
  double *diagonal;  // stride: diagonal entries less the squares so far
} pl_dense_panel;

typedef struct pl_block_kernels {
  // Add an element matrix of `width` corners, row-major, to the blocks at `slots`.
  void (*scatter)(double *values, const int32_t *slots, const double *matrix, int32_t width);
  // y = A x for rows [begin, end); returns their part of x . y.
  double (*multiply)(const pl_block_matrix *matrix, int32_t begin, int32_t end, const double *x,
                     double *y);
  // z = (L D Lᵀ)⁻¹ r for rows [begin, end), which are coupled to no others in L; `workspace` holds
  // 4 doubles per row of the matrix.
  void (*sweep)(const pl_block_lower *lower, int32_t begin, int32_t end, const double *r, double *z,
                double *workspace);
  // Columns [first, first + width) of a dense Cholesky factor, first a multiple of PL_DENSE_PANEL
  // and earlier columns done: what they need of those, then one after the other below its
  // diagonal, `inverse` that of its diagonal entry, and all of them back into the factor.
  void (*panel_begin)(const pl_dense_panel *panel, int32_t first, int32_t width);
  void (*panel_column)(const pl_dense_panel *panel, int32_t first, int32_t c, double inverse);
  void (*panel_end)(const pl_dense_panel *panel, int32_t first, int32_t width);
  // Overwrite x, a right-hand side, by the solution, with a Cholesky factor of `size` rows and the
  // inverses of its diagonal.
  void (*substitute)(const double *factor, int32_t size, const double *inverses, double *x);
} pl_block_kernels;

extern const pl_block_kernels pl_block_kernels_plain, pl_block_kernels_avx2,
    pl_block_kernels_avx512;

// The fastest that this processor can run.
const pl_block_kernels *pl_block_kernels_choose(void);

#endif
