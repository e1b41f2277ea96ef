// Instead of eigen_modes.c in builds without ARPACK.
#include "base/error.h"
#include "solvers/eigen_modes.h"

bool pl_eigen_is_available(void) {
  return false;
}

pl_status pl_eigen_modes_compute(pl_context *context, const pl_block_matrix *stiffness, const double *masses,
                                 const pl_eigen_def *def, double *eigenvalues, double *modes, pl_eigen_report *report,
                                 pl_error *error) {
  (void)context, (void)stiffness, (void)masses, (void)def, (void)eigenvalues, (void)modes, (void)report;
  return pl_fail(error, PL_ERROR_UNSUPPORTED,
                 "this build has no ARPACK; eigenmodes need libarpack2-dev when configuring");
}
