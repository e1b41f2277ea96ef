// Cholesky factor of a small dense symmetric matrix.
#ifndef PL_SPARSE_DENSE_FACTOR_H
#define PL_SPARSE_DENSE_FACTOR_H

#include "base/arena.h"

typedef struct pl_dense_factor {
  int32_t size;
  double *values;     // size x size, row-major; the lower triangle is read and becomes the factor
  double *inverses;   // of the factor's diagonal; 0 for unknowns left out
  double *workspace;  // for eight columns
} pl_dense_factor;

bool pl_dense_factor_take(pl_arena *arena, int32_t size, pl_dense_factor *factor);

// Factor in place. A pivot must be more than 1e-13 of its diagonal entry. Where one is not, either
// the unknown is left out (`leave_out`: its solution is 0), as it should be where it is known that
// columns may depend on each other, or the factorisation ends. Returns the number of pivots that
// were not.
int32_t pl_dense_factor_run(pl_dense_factor *factor, bool leave_out);

// Overwrite x, a right-hand side, by the solution.
void pl_dense_factor_solve(const pl_dense_factor *factor, double *x);

#endif
