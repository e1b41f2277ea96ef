// What eigenmodes are computed with unless the caller says otherwise; apart from the search, since builds without
// ARPACK have it too.
#include "solvers/eigen_modes.h"

pl_eigen_def pl_default_eigen_def(void) {
  pl_eigen_def def = {.mode_count = 6, .tolerance = 1e-10, .max_iterations = 300, .solver = pl_default_linear_def()};
  def.solver.limits = (pl_block_limits){.tolerance = 1e-12, .max_iterations = 20000};
  def.solver.hint.step = 0;
  return def;
}
