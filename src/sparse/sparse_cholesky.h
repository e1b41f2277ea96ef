// Cholesky factor of a sparse symmetric positive definite matrix that is solved with many times:
// found once in double, kept in single precision in the form that three right-hand sides at once,
// the coordinates of points, are fastest with.
#ifndef PL_SPARSE_SPARSE_CHOLESKY_H
#define PL_SPARSE_SPARSE_CHOLESKY_H

#include "math/f4.h"
#include "sparse/sparse_matrix.h"

// Unknowns are numbered in the order of elimination. Columns are grouped into supernodes, runs of
// columns with the same rows below: columns first[s] … first[s + 1] - 1 and rows
// below[below_start[s]] …, together the rows of a dense panel.
typedef struct pl_sparse_cholesky {
  int32_t row_count, supernode_count;
  const int32_t *row_of;          // the row of the matrix that is eliminated k-th
  const int32_t *first;           // supernode_count + 1
  const int32_t *below_start;     // supernode_count + 1
  const int32_t *below;           // rising for each supernode
  const size_t *panel_start;      // supernode_count + 1
  const float *panels;            // see sparse_cholesky.c
  int32_t max_rows, max_columns;  // of any panel, with padding
  int64_t entry_count;            // of the factor without the zeros that panels contain
} pl_sparse_cholesky;

// Order, factor and pack `matrix`; what the factor holds comes from `arena`, the matrix is not
// needed afterwards. `positions`, one per row, guide the order; NULL: unknown. Fails with
// PL_ERROR_INVALID_DATA when the matrix is not positive definite, and when out of memory.
pl_status pl_sparse_cholesky_build(pl_context *context, pl_arena *arena, const pl_sparse *matrix,
                                   const pl_vec3 *positions, pl_sparse_cholesky *factor,
                                   pl_error *error);

// Floats that pl_sparse_cholesky_solve() needs to work in.
size_t pl_sparse_cholesky_workspace(const pl_sparse_cholesky *factor);

// Overwrite x, a right-hand side in the order of elimination, by the solution. Fourth components
// become 0. `workspace` is aligned to 32 bytes.
void pl_sparse_cholesky_solve(const pl_sparse_cholesky *factor, pl_f4 *x, float *workspace);

#endif
