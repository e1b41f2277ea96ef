// CHOLMOD as a back end of linear solvers (sparse/linear_solver.h): pl_cholmod_backend(), for
// pl_linear_def.direct, is public.
#ifndef PL_SOLVERS_CHOLMOD_SOLVER_H
#define PL_SOLVERS_CHOLMOD_SOLVER_H

#include "pliant/solver.h"
#include "sparse/linear_solver.h"

#endif
