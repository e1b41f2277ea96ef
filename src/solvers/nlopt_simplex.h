// The downhill simplex of Nelder and Mead with bounds: minimising without derivatives.
#ifndef PL_SOLVERS_NLOPT_SIMPLEX_H
#define PL_SOLVERS_NLOPT_SIMPLEX_H

#include "pliant/base.h"

// The function to minimise, of `count` coordinates; HUGE_VAL where there is no value. *stop ends
// the search after this evaluation.
typedef double pl_simplex_function(void *data, int32_t count, const double *x, bool *stop);

typedef struct pl_simplex_def {
  int32_t count;
  const double *min, *max;  // bounds
  const double *steps;      // edges of the first simplex
  double tolerance;         // size of the simplex at which it ends
  int32_t limit;            // evaluations
  pl_simplex_function *function;
  void *data;
} pl_simplex_def;

// Whether this build can (PLIANT_NLOPT).
bool pl_simplex_is_available(void);

// Improve x, within its bounds; *value is the least that was found. The same input asks for the
// same evaluations in the same order. PL_REMARK_NOT_CONVERGED at the limit, PL_REMARK_CANCELLED
// when stopped, PL_ERROR_UNSUPPORTED without NLopt.
pl_status pl_simplex_minimise(const pl_simplex_def *def, double *x, double *value, pl_error *error);

#endif
