// What came out of a fit, and how far it is to be trusted.
//
// Random errors give every parameter a standard deviation (fit_deviation.c). Where the error of the data was stated,
// and the residual is beyond it, what is left over is the model's: it widens all intervals by the most that it can do.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "capture/fit_parts.h"
#include "pliant/math.h"

static const double AT_BOUND = 1e-9;  // of the bound
// Residual from which the data are not met: this fraction of the amplitude, and this many times the stated error.
static const double MISFIT = 0.3, MISFIT_NOISE = 3;

const char *pl_fit_verdict_name(pl_fit_verdict verdict) {
  static const char *const names[] = {"determined", "not determined", "at its bound",
                                      "held",       "not converged",  "not met"};
  return (unsigned)verdict < sizeof names / sizeof names[0] ? names[verdict] : "unknown";
}

pl_status pl_fit_run(pl_fit *fit, pl_error *error) {
  double start = pl_clock_seconds();
  pl_status status;
  if (fit->sequence_count + fit->case_count + fit->vibration_count == 0 || fit->column_count == 0)
    status = pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "there is no sequence or no parameter to fit");
  else if (fit->start_count > 0 && fit->def.fitter == PL_FITTER_NELDER_MEAD)
    status = pl_fail(error, PL_ERROR_UNSUPPORTED, "Nelder-Mead does not fit starts; use Gauss-Newton");
  else
    status = fit->def.fitter == PL_FITTER_GAUSS_NEWTON ? pl_fit_run_gauss(fit, error) : pl_fit_run_simplex(fit, error);
  fit->seconds += pl_clock_seconds() - start;
  return status;
}

static void name_value(const pl_fit *fit, int32_t value, pl_fit_estimate *estimate) {
  static const char *const others[3] = {"poisson", "mass damping", "stiffness damping"};
  static const char *const viscous[PL_FIT_VISCOUS_KINDS] = {"prony ratio", "prony time", "second prony ratio",
                                                            "second prony time", "loss factor"};
  int32_t other = value - fit->body.control_count;
  if (value < fit->body.control_count)
    snprintf(estimate->name, sizeof estimate->name, "young %d", value + 1);
  else
    snprintf(estimate->name, sizeof estimate->name, "%s",
             other < 3 ? others[other] : viscous[fit->body.viscous_kinds[other - 3]]);
}

bool pl_fit_is_misfit(const pl_fit *fit) {
  const pl_fit_evaluation *now = &fit->now;
  double noise = fit->def.noise * fit->def.noise * 3 * now->weight;
  return now->cost > fmax(MISFIT * MISFIT * now->amplitude, MISFIT_NOISE * MISFIT_NOISE * noise);
}

// How far a value still is from that of short steps, where it was fitted with twice their length too: what the last
// halving changed, of which an order of 2 leaves a third and one of 1 all; half of it is between them.
static double step_error(const pl_fit *fit, int32_t value) {
  if (fit->cursor.steps <= fit->def.steps_per_frame) return 0;
  return 0.5 * fabs(pl_fit_coordinate(fit, value, fit->values[value]) -
                    pl_fit_coordinate(fit, value, fit->cursor.coarser[value]));
}

// The deviation is known, and the lack of fit; `way` is the remaining one to the minimum.
static void set_verdict(const pl_fit *fit, int32_t value, double way, pl_fit_estimate *estimate) {
  double deviation = fit->deviations[value];
  const pl_fit_range *range = &fit->ranges[value];
  bool logarithmic = pl_fit_is_logarithmic(fit, value);
  estimate->discretisation = step_error(fit, value);
  if (fit->refined) {
    estimate->value = fit->refined_values[value];
    deviation = fit->refined_deviations[value];
    estimate->discretisation = fit->uncertainties[value];
    estimate->lack_of_fit = fit->refined_lacks[value];
  }
  // Tets and steps are part of what the model lacks: the larger of both counts.
  double extra = fmax(estimate->discretisation, estimate->lack_of_fit) + fabs(way);
  // What is not random is added, not squared: it is the same in every repetition.
  double coordinate = pl_fit_coordinate(fit, value, estimate->value), half = PL_NORMAL_95 * deviation + extra;
  estimate->deviation = deviation + extra / PL_NORMAL_95;
  estimate->min = fmax(range->min, logarithmic ? exp(coordinate - half) : coordinate - half);
  estimate->max = fmin(range->max, logarithmic ? exp(fmin(coordinate + half, 700)) : coordinate + half);
  bool at_bound = estimate->value <= range->min * (1 + AT_BOUND) || estimate->value >= range->max * (1 - AT_BOUND);
  double wide = logarithmic ? half : half / 0.5;  // Poisson's ratio lives between 0 and a half
  bool converged = fit->cursor.converged && (!fit->refined || fit->refined_converged);
  estimate->verdict = !converged              ? PL_FIT_NOT_CONVERGED
                      : pl_fit_is_misfit(fit) ? PL_FIT_MISFIT
                      : wide > fit->def.doubt ? PL_FIT_NOT_DETERMINED
                      : at_bound              ? PL_FIT_AT_BOUND
                                              : PL_FIT_DETERMINED;
}

static pl_status estimate(pl_fit *fit, pl_error *error) {
  int32_t n = fit->column_count, all = fit->result_count;
  pl_arena arena;
  pl_arena_init(&arena, fit->context, 0);
  pl_fit_covariance found;
  pl_status status = pl_fit_find_covariance(fit, pl_fit_variance(fit), &arena, &found, error);
  const double *inverse = found.inverse;
  double way[PL_FIT_MAX_VALUES] = {0};
  if (status >= 0) status = pl_fit_find_way(fit, &found, way, error);
  memset(fit->correlations, 0, (size_t)all * (size_t)all * sizeof(double));
  for (int32_t k = 0; status >= 0 && k < all; ++k) {
    pl_fit_estimate *e = &fit->estimates[k];
    *e = (pl_fit_estimate){.value = fit->values[k],
                           .min = fit->values[k],
                           .max = fit->values[k],
                           .verdict = PL_FIT_HELD,
                           .mesh_value = fit->values[k]};
    name_value(fit, k, e);
  }
  for (int32_t i = 0; status >= 0 && i < n; ++i) {
    double variance = inverse[i * n + i];
    if (fit->columns[i] >= all) continue;
    fit->estimates[fit->columns[i]].lack_of_fit = found.lacks[i];
    fit->deviations[fit->columns[i]] = found.deviations[i];
    set_verdict(fit, fit->columns[i], way[i], &fit->estimates[fit->columns[i]]);
    for (int32_t j = 0; j < n && fit->columns[j] < all; ++j)
      fit->correlations[fit->columns[i] * all + fit->columns[j]] =
          i == j ? 1 : fmin(1, fmax(-1, inverse[i * n + j] / sqrt(fmax(variance * inverse[j * n + j], 1e-300))));
  }
  pl_arena_destroy(&arena);
  return status;
}

static pl_vec3 shape_acceleration(const pl_fit *fit) {
  if (fit->def.shape == PL_FIT_SHAPE_UNSTRESSED) return (pl_vec3){0, 0, 0};
  if (fit->shape_value < 0) return fit->def.gravity;
  const double *a = fit->values + fit->shape_value;
  return pl_vec3_scale((pl_vec3){a[0], a[1], a[2]}, pl_vec3_length(fit->def.gravity));
}

pl_status pl_fit_get_report(pl_fit *fit, pl_fit_report *report, pl_error *error) {
  int32_t window = fit->windows[fit->cursor.window];
  if (!fit->evaluated) {
    int32_t evaluations = fit->cursor.evaluations;
    pl_status status = pl_fit_find_starts(fit, error);
    if (status >= 0) status = pl_fit_evaluate(fit, fit->values, fit->rest, window, true, &fit->now, error);
    fit->cursor.evaluations = evaluations;
    if (status < 0) return status;
    if (fit->now.failed)
      return pl_fail(error, PL_ERROR_INVALID_DATA, "the values as they stand have no reference shape or no motion");
    fit->evaluated = true;
  }
  const pl_fit_evaluation *now = &fit->now;
  pl_status status = estimate(fit, error);
  if (status < 0) return status;
  *report = (pl_fit_report){.parameter_count = fit->result_count,
                            .estimates = fit->estimates,
                            .correlations = fit->correlations,
                            .converged = fit->cursor.converged != 0,
                            .iteration_count = fit->cursor.iteration,
                            .evaluation_count = fit->cursor.evaluations,
                            .rms = now->weight > 0 ? sqrt(now->cost / now->weight) : 0,
                            .deviation = sqrt(pl_fit_variance(fit)),
                            .amplitude = now->weight > 0 ? sqrt(now->amplitude / now->weight) : 0,
                            .frame_count = window,
                            .steps = fit->cursor.steps,
                            .seconds = fit->seconds,
                            .reference = fit->reference_report,
                            .refined = fit->refined,
                            .noise = fit->def.noise,
                            .has_lack_of_fit = pl_fit_unexplained(fit) > 0,
                            .shape_acceleration = shape_acceleration(fit)};
  return PL_OK;
}

pl_status pl_fit_get_fields(const pl_fit *fit, pl_vec3 *reference, double *young) {
  const pl_fit_body *body = &fit->body;
  for (int32_t i = 0; reference != NULL && i < body->point_count; ++i) reference[i] = pl_fem_vector(fit->rest, i);
  for (int32_t t = 0; young != NULL && t < body->model->groups[0].element_count; ++t) {
    young[t] = 0;
    for (int32_t k = 0; k < body->control_count; ++k)
      young[t] += body->weights[(ptrdiff_t)t * body->control_count + k] * fit->values[k];
  }
  return PL_OK;
}

const double *pl_fit_get_values(const pl_fit *fit, int32_t *count) {
  *count = fit->result_count;
  return fit->values;
}

pl_status pl_fit_set_values(pl_fit *fit, const double *values, pl_error *error) {
  for (int32_t k = 0; k < fit->result_count; ++k) {
    const pl_fit_range *range = &fit->ranges[k];
    bool outside = range->fitted ? !(values[k] >= range->min && values[k] <= range->max) : !isfinite(values[k]);
    if (outside || (k < fit->body.control_count && !(values[k] > 0)))
      return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "value %d is %g, outside its bounds %g … %g", k, values[k],
                     range->min, range->max);
  }
  memcpy(fit->values, values, (size_t)fit->result_count * sizeof(double));
  fit->refined = false;
  fit->evaluated = false;
  return PL_OK;
}
