// Cholesky by rows: row i needs the dot products of its own beginning with those of the rows above, which lie one after
// the other in memory. About size³ / 6 multiplications, four at a time.
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
  int32_t bad_count = 0;
  for (int32_t row = 0; row < factor->size; ++row) {
    double *own = factor->values + (size_t)row * (size_t)factor->size, diagonal = own[row];
    double pivot = kernels->eliminate(factor->values, factor->size, row, factor->inverses);
    if (pivot > MIN_PIVOT * fabs(diagonal) && pivot < HUGE_VAL) {
      own[row] = sqrt(pivot);
      factor->inverses[row] = 1 / own[row];
      continue;
    }
    ++bad_count;
    if (!leave_out) return bad_count;
    for (int32_t column = 0; column <= row; ++column) own[column] = 0;
    factor->inverses[row] = 0;
  }
  return bad_count;
}

void pl_dense_factor_solve(const pl_dense_factor *factor, double *x) {
  pl_block_kernels_choose()->substitute(factor->values, factor->size, factor->inverses, x);
}
