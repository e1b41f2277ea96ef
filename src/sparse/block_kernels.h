// The inner loops of block matrices, compiled for the plain machine and for AVX2 (math/simd.h says
// how). Both give the same bits.
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
  // Column `column` of the Cholesky factor of `size` rows below its diagonal, where earlier columns
  // are done; `inverse` is that of its diagonal entry. The squares of its entries are subtracted
  // from the diagonal entries of their rows.
  void (*eliminate)(double *factor, int32_t size, int32_t column, double inverse);
  // Overwrite x, a right-hand side, by the solution, with a Cholesky factor of `size` rows and the
  // inverses of its diagonal.
  void (*substitute)(const double *factor, int32_t size, const double *inverses, double *x);
} pl_block_kernels;

extern const pl_block_kernels pl_block_kernels_plain, pl_block_kernels_avx2;

// The fastest that this processor can run.
const pl_block_kernels *pl_block_kernels_choose(void);

#endif
