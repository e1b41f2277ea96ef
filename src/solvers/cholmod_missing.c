// Instead of cholmod_solver.c in builds without CHOLMOD.
#include "solvers/cholmod_solver.h"

const pl_linear_backend *pl_cholmod_backend(void) {
  return NULL;
}
