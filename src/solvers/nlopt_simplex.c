// Nelder and Mead's simplex by NLopt (LN_NELDERMEAD), which keeps to bounds. It takes no random numbers, so the same
// function values lead the same way.
#include "solvers/nlopt_simplex.h"

#include <math.h>
#include <nlopt.h>

#include "base/error.h"

typedef struct search {
  const pl_simplex_def *def;
  nlopt_opt optimiser;
} search;

static double evaluate(unsigned count, const double *x, double *gradient, void *data) {
  (void)gradient;
  search *s = data;
  bool stop = false;
  double value = s->def->function(s->def->data, (int32_t)count, x, &stop);
  if (stop) nlopt_force_stop(s->optimiser);
  // NLopt compares values only: a very large one is as good as none.
  return isfinite(value) ? value : 1e300;
}

bool pl_simplex_is_available(void) {
  return true;
}

pl_status pl_simplex_minimise(const pl_simplex_def *def, double *x, double *value, pl_error *error) {
  search s = {.def = def, .optimiser = nlopt_create(NLOPT_LN_NELDERMEAD, (unsigned)def->count)};
  if (s.optimiser == NULL) return pl_fail_memory(error);
  nlopt_result result = nlopt_set_min_objective(s.optimiser, evaluate, &s);
  if (result > 0) result = nlopt_set_lower_bounds(s.optimiser, def->min);
  if (result > 0) result = nlopt_set_upper_bounds(s.optimiser, def->max);
  if (result > 0) result = nlopt_set_initial_step(s.optimiser, def->steps);
  if (result > 0) result = nlopt_set_xtol_abs1(s.optimiser, def->tolerance);
  if (result > 0) result = nlopt_set_maxeval(s.optimiser, def->limit);
  if (result > 0) result = nlopt_optimize(s.optimiser, x, value);
  nlopt_destroy(s.optimiser);
  if (result == NLOPT_FORCED_STOP) return PL_REMARK_CANCELLED;
  if (result == NLOPT_MAXEVAL_REACHED) return PL_REMARK_NOT_CONVERGED;
  if (result == NLOPT_OUT_OF_MEMORY) return pl_fail_memory(error);
  if (result < 0 && result != NLOPT_ROUNDOFF_LIMITED)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "NLopt failed with code %d", (int)result);
  return PL_OK;
}
