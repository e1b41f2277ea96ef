// The inner loops of the sparse Cholesky factor, compiled for the plain machine and for AVX2 (see
// math/simd.h for how). All give the same bits.
#ifndef PL_SPARSE_SPARSE_CHOLESKY_KERNELS_H
#define PL_SPARSE_SPARSE_CHOLESKY_KERNELS_H

#include "math/simd.h"
#include "sparse/sparse_cholesky.h"

// Panels are kept in tiles of four columns by eight rows; the tiles of four columns lie one below
// the other. Those above the diagonal are left out: columns 4 k … begin at row pl_panel_begin(k).
enum { PL_PANEL_COLUMNS = 4, PL_PANEL_ROWS = 8 };
static inline int32_t pl_panel_begin(int32_t column) {
  return column / PL_PANEL_ROWS * PL_PANEL_ROWS;
}
static inline int32_t pl_panel_padded(int32_t count, int32_t multiple) {
  return (count + multiple - 1) / multiple * multiple;
}

typedef struct pl_sparse_cholesky_kernels {
  // Eliminate the first `width` columns of a dense symmetric matrix of `size` rows, column-major,
  // of which the lower triangle is used: they become columns of the factor, the rows and columns
  // after them the Schur complement. False where a pivot is not positive.
  bool (*eliminate)(double *front, int32_t size, int32_t width);
  // Turn the first `width` columns from (L11; L21) into (L11⁻¹; L21 L11⁻¹). `column` has room for
  // `width` numbers.
  void (*invert)(double *front, int32_t size, int32_t width, double *column);
  void (*solve)(const pl_sparse_cholesky *factor, pl_f4 *x, float *workspace);
} pl_sparse_cholesky_kernels;

extern const pl_sparse_cholesky_kernels pl_sparse_cholesky_kernels_plain;
#if PL_SIMD_HAS_AVX2
extern const pl_sparse_cholesky_kernels pl_sparse_cholesky_kernels_avx2;
#endif

const pl_sparse_cholesky_kernels *pl_sparse_cholesky_kernels_choose(void);

#endif
