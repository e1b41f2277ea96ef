// Instead of nlopt_simplex.c in builds without NLopt.
#include "base/error.h"
#include "solvers/nlopt_simplex.h"

bool pl_simplex_is_available(void) {
  return false;
}

pl_status pl_simplex_minimise(const pl_simplex_def *def, double *x, double *value, pl_error *error) {
  (void)def, (void)x, (void)value;
  return pl_fail(error, PL_ERROR_UNSUPPORTED,
                 "this build has no NLopt; Nelder-Mead needs libnlopt-dev when configuring");
}
