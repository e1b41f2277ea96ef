/// @file solver.h
/// Linear solvers of the lab that can be given to the runtime.
#ifndef PLIANT_SOLVER_H
#define PLIANT_SOLVER_H

#include "pliant/base.h"

#ifdef __cplusplus
extern "C" {
#endif

struct pl_linear_backend;

/// CHOLMOD as the sparse factorisation of finite-element bodies (`direct` of pl_fem_def); static
/// storage. NULL in builds without CHOLMOD (PLIANT_CHOLMOD). CHOLMOD takes its memory from malloc,
/// not from the context. The first solver created with it sets the number of OpenBLAS threads to
/// one for the whole process: with more threads the results depend on their number, and small
/// blocks get slower. Warns in the context's log when the BLAS is the reference one, which is 4 to
/// 9 times slower. May be called from any thread.
PL_API const struct pl_linear_backend *pl_cholmod_backend(void);

#ifdef __cplusplus
}
#endif
#endif
