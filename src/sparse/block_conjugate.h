// Conjugate gradients for symmetric positive definite block matrices.
#ifndef PL_SPARSE_BLOCK_CONJUGATE_H
#define PL_SPARSE_BLOCK_CONJUGATE_H

#include "sparse/block_matrix.h"

// What every residual is multiplied by. The stronger, the fewer iterations and the longer each and
// its preparation; src/sparse/README.md has figures.
typedef enum pl_block_preconditioner {
  PL_PRECONDITION_JACOBI,  // inverses of the diagonal blocks: the fastest where a step is short for
                           // the stiffness
  PL_PRECONDITION_COARSE,  // that, and rigid motions of a few dozen pieces of the body: stiff
                           // bodies
  PL_PRECONDITION_INCOMPLETE,  // incomplete factor and rigid motions of pieces: stiff and nearly
                               // incompressible bodies, statics
} pl_block_preconditioner;

typedef struct pl_block_limits {
  double tolerance;        // of |b - A x| against |b|
  int32_t max_iterations;  // per right-hand side
} pl_block_limits;

typedef struct pl_block_conjugate_report {
  int32_t iteration_count;  // of all right-hand sides together
  double residual;          // the largest |b - A x| / |b|
  // the matrix is not positive definite: a direction p with p . A p <= 0 was met, and x is what
  // was reached before it
  bool negative_curvature;
} pl_block_conjugate_report;

typedef struct pl_block_conjugate pl_block_conjugate;

// Workspace for any matrix on this pattern, which must outlive it. `positions`, 3 per row, show the
// coarse part which rows are near each other; NULL: unknown. Fails only when out of memory.
pl_status pl_block_conjugate_create(pl_context *context, const pl_block_pattern *pattern,
                                    pl_block_preconditioner kind, const double *positions,
                                    pl_block_conjugate **solver, pl_error *error);
void pl_block_conjugate_destroy(pl_block_conjugate *solver);

// Make the preconditioner of matrix + shift * diag(weights), and from now on solve with that
// matrix. `weights`, 3 per row, are not read if shift is 0. Matrix and weights must stay until the
// last solve. Allocates nothing.
void pl_block_conjugate_prepare(pl_block_conjugate *solver, const pl_block_matrix *matrix,
                                double shift, const double *weights);

// Improve `x`, `count` vectors one after the other, towards A x = right. What x holds at the start
// is the first guess. Allocates nothing. The result does not depend on the number of threads.
// PL_REMARK_NOT_CONVERGED at the iteration limit or with negative curvature; PL_ERROR_NOT_FINITE
// when numbers overflow, x then being unusable.
pl_status pl_block_conjugate_solve(pl_block_conjugate *solver, const double *rhs, int32_t count,
                                   const pl_block_limits *limits, double *x,
                                   pl_block_conjugate_report *report);

#endif
