// The paper's fitter: downhill simplex over all frames (paper 002, section 6.2), by library.
//
// Every evaluation is logged. A search that is taken up again is replayed: the library asks for the same coordinates in
// the same order, and what the log holds is not simulated again. Reference shapes are found from the same start each
// time, so that no evaluation depends on one before it.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "capture/fit_parts.h"
#include "solvers/nlopt_simplex.h"

static const double FIRST_EDGE = 0.5;  // of a logarithm

typedef struct simplex_search {
  pl_fit *fit;
  size_t asked;  // evaluations so far, replayed ones included
  double best;
  pl_status status;
  pl_error *error;
} simplex_search;

static void values_of(const pl_fit *fit, const double *x, double *values) {
  memcpy(values, fit->values, (size_t)fit->value_count * sizeof(double));
  for (int32_t k = 0; k < fit->column_count; ++k) values[fit->columns[k]] = pl_fit_physical(fit, fit->columns[k], x[k]);
}

// The value in the log if the next entry is of the same coordinates.
static bool replay(const simplex_search *s, const double *x, double *value) {
  const pl_fit *fit = s->fit;
  size_t width = (size_t)fit->column_count + 1;
  if ((s->asked + 1) * width > fit->log.count) return false;
  const double *entry = &PL_ITEM(&fit->log, double, s->asked *width);
  if (memcmp(entry, x, (size_t)fit->column_count * sizeof(double)) != 0) return false;
  *value = entry[fit->column_count];
  return true;
}

static double simulate(simplex_search *s, const double *x) {
  pl_fit *fit = s->fit;
  double values[PL_FIT_MAX_VALUES];
  values_of(fit, x, values);
  memcpy(fit->trial_rest, fit->body.model->rest_points,
         3 * (size_t)fit->body.model->head.particle_count * sizeof(double));
  s->status = pl_fit_evaluate(fit, values, fit->trial_rest, fit->longest, false, &fit->trial, s->error);
  return s->status < 0 ? HUGE_VAL : fit->trial.cost;
}

static double evaluate(void *data, int32_t count, const double *x, bool *stop) {
  simplex_search *s = data;
  pl_fit *fit = s->fit;
  double value;
  bool replayed = replay(s, x, &value);
  if (!replayed) {
    size_t width = (size_t)count + 1;
    fit->log.count = s->asked * width;  // what was logged of another search
    value = simulate(s, x);
    double *entry = s->status < 0 ? NULL : pl_vector_grow(&fit->log, width);
    if (s->status >= 0 && entry == NULL) s->status = pl_fail_memory(s->error);
    if (s->status < 0) {
      *stop = true;
      return value;
    }
    memcpy(entry, x, (size_t)count * sizeof(double));
    entry[count] = value;
  }
  s->asked++;
  bool better = value < s->best;
  s->best = fmin(s->best, value);
  if (replayed) return value;
  fit->cursor.iteration++;
  pl_fit_progress progress = {.iteration = fit->cursor.iteration,
                              .frame_count = fit->longest,
                              .steps = fit->cursor.steps,
                              .evaluations = fit->cursor.evaluations,
                              .rms = fit->trial.weight > 0 ? sqrt(s->best / fit->trial.weight) : 0,
                              .accepted = better};
  *stop = !pl_fit_report_progress(fit, &progress);
  return value;
}

pl_status pl_fit_run_simplex(pl_fit *fit, pl_error *error) {
  double x[PL_FIT_MAX_VALUES], min[PL_FIT_MAX_VALUES], max[PL_FIT_MAX_VALUES], steps[PL_FIT_MAX_VALUES], value = 0;
  for (int32_t k = 0; k < fit->column_count; ++k) {
    int32_t of = fit->columns[k];
    x[k] = pl_fit_coordinate(fit, of, fit->values[of]);
    min[k] = pl_fit_coordinate(fit, of, fit->ranges[of].min);
    max[k] = pl_fit_coordinate(fit, of, fit->ranges[of].max);
    steps[k] = fmin(pl_fit_is_logarithmic(fit, of) ? FIRST_EDGE : 0.1, 0.5 * (max[k] - min[k]));
    if (x[k] + steps[k] > max[k]) steps[k] = -steps[k];
  }
  simplex_search s = {.fit = fit, .best = HUGE_VAL, .error = error};
  pl_simplex_def def = {.count = fit->column_count,
                        .min = min,
                        .max = max,
                        .steps = steps,
                        .tolerance = fit->def.tolerance,
                        .limit = fit->def.max_iterations,
                        .function = evaluate,
                        .data = &s};
  pl_status status = pl_simplex_minimise(&def, x, &value, error);
  if (s.status < 0) return s.status;
  // Stopped: the values stay those of the start, from which the log is replayed.
  if (status < 0 || status == PL_REMARK_CANCELLED) return status;
  if (!isfinite(s.best))
    return pl_fail(error, PL_ERROR_INVALID_DATA,
                   "no values near the start have a reference shape and a motion; start with a higher modulus");
  double values[PL_FIT_MAX_VALUES];
  values_of(fit, x, values);
  memcpy(fit->values, values, sizeof values);
  fit->cursor.window = fit->window_count - 1;
  fit->cursor.finished = 1;
  fit->cursor.converged = status == PL_OK;
  fit->evaluated = false;
  return status;
}
