// Incomplete factor of a block matrix, the smoother of sparse/block_conjugate.h, and the inverse of
// 3x3 diagonal blocks.
#ifndef PL_SPARSE_BLOCK_INCOMPLETE_H
#define PL_SPARSE_BLOCK_INCOMPLETE_H

#include "sparse/block_kernels.h"

// Rows of a slab: couplings between slabs are left out of the factor, so that slabs are factored
// and solved in parallel.
int32_t pl_block_slab(int32_t row_count);

typedef struct pl_block_incomplete {
  pl_block_lower lower;
  // the lower blocks of each row within its slab, and where they are in the matrix
  int32_t *start, *columns, *slots;
  float *values;
  double *inverses;
  double *workspace;  // 4 per row, for the sweeps
  double *rows;       // `longest` blocks per slab, while factoring
  double *shifts;     // of every slab: what its diagonal was raised by, relatively, to keep pivots
                      // positive
  int32_t longest;    // blocks of the longest row
  int32_t slab_rows;  // pl_block_slab()
} pl_block_incomplete;

// Inverse of a symmetric positive definite 3x3 matrix, which is symmetric to the last bit; false if
// it is not positive definite.
bool pl_block_invert(const double *matrix, double *inverse);

// Inverse of diagonal block `row` of matrix + shift * diag(weights). Where that is not positive
// definite: of the absolute values of its diagonal.
void pl_block_invert_diagonal(const pl_block_matrix *matrix, double shift, const double *weights,
                              int32_t row, double *inverse);

bool pl_block_incomplete_take(pl_arena *arena, const pl_block_pattern *pattern,
                              pl_block_incomplete *factor);

// Factor matrix + shift * diag(weights), weights three per row (not read when shift is 0). Always
// succeeds: pivots are kept positive.
void pl_block_incomplete_run(pl_context *context, const pl_block_matrix *matrix, double shift,
                             const double *weights, pl_block_incomplete *factor);

#endif
