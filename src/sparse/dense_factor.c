// Cholesky by columns: entry (i, k) needs the dot product of the beginnings of rows i and k, which lie one after the
// other in memory, and the entries of a column do not wait for each other. About size³ / 6 multiplications, four or
// eight at a time; columns are taken eight at a time, so that what is read of a row serves several of them.
#include "sparse/dense_factor.h"

#include <math.h>

#include "sparse/block_kernels.h"

// Sums of n terms of the size of the diagonal leave a few n * 1e-16 of it behind where the true pivot is 0.
static const double MIN_PIVOT = 1e-13;

static size_t stride_of(int32_t size) {
  return ((size_t)size + 7) / 8 * 8;
}

bool pl_dense_factor_take(pl_arena *arena, int32_t size, pl_dense_factor *factor) {
  factor->size = size;
  factor->values = PL_TAKE(arena, double, (size_t)size *(size_t)size);
  factor->inverses = PL_TAKE(arena, double, size);
  factor->workspace = PL_TAKE(arena, double, (2 * PL_DENSE_PANEL + 1) * stride_of(size));
  return factor->values != NULL && factor->inverses != NULL && factor->workspace != NULL;
}

// Unknown k of a panel that begins with unknown `first` is left out.
static void clear_row(const pl_dense_panel *panel, int32_t first, int32_t k) {
  for (int32_t column = 0; column <= k; ++column) panel->values[panel->size * k + column] = 0;
  for (int32_t column = first; column < k; ++column) panel->columns[panel->stride * (column - first) + k] = 0;
}

int32_t pl_dense_factor_run(pl_dense_factor *factor, bool leave_out) {
  const pl_block_kernels *kernels = pl_block_kernels_choose();
  int32_t size = factor->size, bad_count = 0;
  size_t stride = stride_of(size);
  pl_dense_panel panel = {.values = factor->values,
                          .size = size,
                          .stride = (ptrdiff_t)stride,
                          .columns = factor->workspace,
                          .dots = factor->workspace + PL_DENSE_PANEL * stride,
                          .diagonal = factor->workspace + 2 * PL_DENSE_PANEL * stride};
  // As they were: where pivots are compared with them they have been overwritten.
  for (int32_t k = 0; k < size; ++k)
    factor->inverses[k] = panel.diagonal[k] = factor->values[(size_t)k * ((size_t)size + 1)];
  for (int32_t first = 0; first < size; first += PL_DENSE_PANEL) {
    int32_t width = size - first < PL_DENSE_PANEL ? size - first : PL_DENSE_PANEL;
    kernels->panel_begin(&panel, first, width);
    for (int32_t k = first; k < first + width; ++k) {
      double pivot = panel.diagonal[k], *root = &factor->values[(size_t)k * ((size_t)size + 1)];
      if (pivot > MIN_PIVOT * fabs(factor->inverses[k]) && pivot < HUGE_VAL) {
        *root = sqrt(pivot);
        factor->inverses[k] = 1 / *root;
      } else {
        ++bad_count;
        if (!leave_out) return bad_count;
        clear_row(&panel, first, k);
        factor->inverses[k] = 0;
      }
      kernels->panel_column(&panel, first, k - first, factor->inverses[k]);
    }
    kernels->panel_end(&panel, first, width);
  }
  return bad_count;
}

void pl_dense_factor_solve(const pl_dense_factor *factor, double *x) {
  pl_block_kernels_choose()->substitute(factor->values, factor->size, factor->inverses, x);
}
