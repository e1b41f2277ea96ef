// CHOLMOD as a back end of linear solvers (sparse/linear_solver.h).
#ifndef PL_SOLVERS_CHOLMOD_SOLVER_H
#define PL_SOLVERS_CHOLMOD_SOLVER_H

#include "sparse/linear_solver.h"

// Sparse Cholesky for pl_linear_def.direct, NULL in builds without CHOLMOD (PLIANT_CHOLMOD). CHOLMOD takes its memory from malloc, not from the context. Sets the
// number of threads of OpenBLAS to one, for the whole process: with more its results depend on their number, and small blocks get slower.
// Warns in the context's log when the BLAS is the reference one, which is 4 to 9 times slower.
const pl_linear_backend *pl_cholmod_backend(void);

#endif
