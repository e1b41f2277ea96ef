// Cholesky by columns: entry (i, k) needs the dot product of the beginnings of rows i and k, which lie one after the
// other in memory, and the entries of a column do not wait for each other. About size³ / 6 multiplications, four at a
// time.
#include "sparse/dense_factor.h"

#include <math.h>

#include "sparse/block_kernels.h"

// Sums of n terms of the size of the diagonal leave a few n * 1e-16 of it behind where the true pivot is 0.
static const double MIN_PIVOT = 1e-13;

bool pl_dense_factor_take(pl_arena *arena, int32_t size, pl_dense_factor *factor) {
  factor->size = size;
  factor->values = PL_TAKE(arena, double, (size_t)size *(size_t)size);
  factor->inverses = PL_TAKE(arena, double, size);
  return factor->values != NULL && factor->inverses != NULL;
}

int32_t pl_dense_factor_run(pl_dense_factor *factor, bool leave_out) {
  const pl_block_kernels *kernels = pl_block_kernels_choose();
  int32_t size = factor->size, bad_count = 0;
  // As they were: where pivots are compared with them they have been overwritten.
  for (int32_t k = 0; k < size; ++k) factor->inverses[k] = factor->values[(size_t)k * ((size_t)size + 1)];
  for (int32_t k = 0; k < size; ++k) {
    double *own = factor->values + (size_t)k * (size_t)size, pivot = own[k];
    if (pivot > MIN_PIVOT * fabs(factor->inverses[k]) && pivot < HUGE_VAL) {
      own[k] = sqrt(pivot);
      factor->inverses[k] = 1 / own[k];
    } else {
      ++bad_count;
      if (!leave_out) return bad_count;
      for (int32_t column = 0; column <= k; ++column) own[column] = 0;
      factor->inverses[k] = 0;
    }
    kernels->eliminate(factor->values, size, k, factor->inverses[k]);
  }
  return bad_count;
}

void pl_dense_factor_solve(const pl_dense_factor *factor, double *x) {
  pl_block_kernels_choose()->substitute(factor->values, factor->size, factor->inverses, x);
}
