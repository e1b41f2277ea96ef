// Conjugate gradients for a symmetric positive definite matrix and three right-hand sides at once
// (the coordinates of points).
#ifndef PL_SPARSE_SPARSE_CONJUGATE_H
#define PL_SPARSE_SPARSE_CONJUGATE_H

#include "sparse/sparse_matrix.h"

// Memory of the iteration, for any matrix of this many rows.
typedef struct pl_conjugate_work {
  pl_vec3 *residual, *direction, *image;  // r, p, A p
  double *inverse;                        // of the diagonal: the preconditioner
  pl_vec3 *sums;                          // two per block of rows
} pl_conjugate_work;

// When to stop. The size of a residual r is the square root of r . D^-1 r with D the diagonal of
// the matrix, for each column by itself.
typedef struct pl_conjugate_limits {
  double tolerance;  // of the residual against the right-hand side
  double gain;       // of the residual against the one at the start: enough for a step of an outer
                     // iteration; 0 for the tolerance alone
  int32_t max_iterations;
} pl_conjugate_limits;

typedef struct pl_conjugate_report {
  int32_t iteration_count;
  double residual;  // the largest of the three columns, against the right-hand side
  bool converged;
} pl_conjugate_report;

bool pl_conjugate_work_take(pl_arena *arena, int32_t row_count, pl_conjugate_work *work);

// Improve `x` until matrix * x = right. The error, measured by the matrix, shrinks in every
// iteration, so stopping early is safe. The result does not depend on the number of threads. Rows
// that are zero leave their x alone.
pl_conjugate_report pl_conjugate_solve(pl_context *context, const pl_sparse *matrix,
                                       const pl_vec3 *rhs, const pl_conjugate_limits *limits,
                                       const pl_conjugate_work *work, pl_vec3 *x);

#endif
