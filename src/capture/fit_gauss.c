// Gauss-Newton with forward sensitivities, Levenberg damping, bounds and a growing time horizon.
//
//   (N + λ D) δ = -g        N = Σ sᵀ s, g = Σ sᵀ (x - tracked) of all sequences, by simulation       D  diagonal of N, with a floor
//
// Over a long time a wrong modulus shifts the phase of a vibration by whole turns, and the distance has a minimum at each: so the first few frames are fitted first, where
// there is only one, and each window starts from what the last one found. Parameters that a short window does not determine hardly move, by the floor of D. A trial is
// simulated with its sensitivities at once: most are taken, and a second simulation would cost more than those of the ones that are not.
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "capture/fit_parts.h"
#include "sparse/dense_factor.h"

static const double LONGEST_STEP = 1.2;  // of a logarithm: a factor of 3.3
static const double DAMPING_MOST = 1e8, DAMPING_LEAST = 1e-9, DIAGONAL_FLOOR = 1e-5;
static const double EARLY_CHANGE = 0.03, EARLY_GAIN = 0.1;  // with which a window is left before the last
enum { EARLY_ITERATIONS = 12 };

bool pl_fit_tell(pl_fit *fit, const pl_fit_progress *progress) {
  return fit->def.after_iteration == NULL || fit->def.after_iteration(fit->def.user, fit, progress);
}

// Whether a column stands at a bound that the distance pushes it against.
static bool is_held(const pl_fit *fit, int32_t column) {
  int32_t value = fit->columns[column];
  const pl_fit_range *range = &fit->ranges[value];
  double down = fit->now.gradient[column];
  return (fit->values[value] <= range->least && down > 0) || (fit->values[value] >= range->most && down < 0);
}

// δ into `step`, and by how much the cost should fall.
static pl_status find_step(pl_fit *fit, double *step, double *promise, pl_error *error) {
  int32_t n = fit->column_count;
  const double *normal = fit->now.normal, *gradient = fit->now.gradient;
  pl_arena arena;
  pl_arena_init(&arena, fit->context, 0);
  pl_dense_factor factor;
  if (!pl_dense_factor_take(&arena, n, &factor)) {
    pl_arena_destroy(&arena);
    return pl_fail_memory(error);
  }
  double largest = 0;
  for (int32_t i = 0; i < n; ++i) largest = fmax(largest, normal[i * n + i]);
  for (int32_t i = 0; i < n; ++i)
    for (int32_t j = 0; j < n; ++j) {
      bool apart = is_held(fit, i) || is_held(fit, j);
      double value = apart ? 0 : normal[i * n + j];
      if (i == j) value += fit->place.damping * fmax(value, DIAGONAL_FLOOR * largest) + (apart ? 1 : 0);
      factor.values[i * n + j] = value;
    }
  for (int32_t i = 0; i < n; ++i) step[i] = is_held(fit, i) ? 0 : -gradient[i];
  pl_dense_factor_run(&factor, true);
  pl_dense_factor_solve(&factor, step);
  pl_arena_destroy(&arena);
  *promise = 0;
  for (int32_t i = 0; i < n; ++i) step[i] = fmin(fmax(step[i], -LONGEST_STEP), LONGEST_STEP);
  for (int32_t i = 0; i < n; ++i) {
    double row = 2 * gradient[i];
    for (int32_t j = 0; j < n; ++j) row += normal[i * n + j] * step[j];
    *promise -= row * step[i];
  }
  return PL_OK;
}

// Values after the step, within bounds; returns the largest change of a coordinate.
static double move_values(const pl_fit *fit, const double *step, double *values) {
  double change = 0;
  memcpy(values, fit->values, (size_t)fit->value_count * sizeof(double));
  for (int32_t k = 0; k < fit->column_count; ++k) {
    int32_t value = fit->columns[k];
    double from = pl_fit_coordinate(fit, value, fit->values[value]);
    values[value] = pl_fit_physical(fit, value, from + step[k]);
    change = fmax(change, fabs(pl_fit_coordinate(fit, value, values[value]) - from));
  }
  return change;
}

static void accept(pl_fit *fit, const double *values) {
  pl_fit_evaluation now = fit->now;
  double *rest = fit->rest;
  memcpy(fit->values, values, (size_t)fit->value_count * sizeof(double));
  fit->now = fit->trial;
  fit->trial = now;
  fit->rest = fit->trial_rest;
  fit->trial_rest = rest;
}

static void next_window(pl_fit *fit) {
  fit->place.window++;
  fit->place.window_iteration = 0;
  fit->place.rejected = 0;
  fit->place.damping = fmin(fit->place.damping, 1e-2);
  fit->evaluated = false;
}

// Whether the window is done, after an iteration with a change of coordinates and a gain as a share of the cost.
static void judge(pl_fit *fit, bool accepted, double change, double gain) {
  pl_fit_place *place = &fit->place;
  double floor = 1e-9 * fit->size, rms = fit->now.weight > 0 ? sqrt(fit->now.cost / fit->now.weight) : 0;
  bool exact = rms <= floor, stuck = place->damping >= DAMPING_MOST;
  if (place->window + 1 < fit->window_count) {
    bool settled = accepted && (change < EARLY_CHANGE || gain < EARLY_GAIN);
    if (settled || exact || place->window_iteration >= EARLY_ITERATIONS || place->rejected >= 6) next_window(fit);
    return;
  }
  bool settled = accepted && (change < fit->def.tolerance || gain < 1e-7);
  // A step that is rejected although it is tiny: rounding decides.
  if (settled || exact || stuck || (!accepted && change < 0.1 * fit->def.tolerance)) place->finished = place->converged = 1;
}

static pl_fit_progress tell_of(const pl_fit *fit, double change, bool accepted) {
  return (pl_fit_progress){.iteration = fit->place.iteration,
                           .frame_count = fit->windows[fit->place.window],
                           .evaluations = fit->place.evaluations,
                           .rms = fit->now.weight > 0 ? sqrt(fit->now.cost / fit->now.weight) : 0,
                           .change = change,
                           .damping = fit->place.damping,
                           .accepted = accepted};
}

static pl_status iterate(pl_fit *fit, pl_fit_progress *progress, pl_error *error) {
  pl_fit_place *place = &fit->place;
  double step[PL_FIT_VALUES_MOST] = {0}, values[PL_FIT_VALUES_MOST], promise = 0;
  pl_status status = find_step(fit, step, &promise, error);
  if (status < 0) return status;
  double change = move_values(fit, step, values);
  bool last = place->window + 1 == fit->window_count;
  if (change < (last ? fit->def.tolerance : 0.1 * EARLY_CHANGE)) {
    // Nothing left to gain here: the simulation that would show it is saved.
    place->iteration++;
    *progress = tell_of(fit, change, true);
    if (last)
      place->finished = place->converged = 1;
    else
      next_window(fit);
    return PL_OK;
  }
  size_t bytes = 3 * (size_t)fit->body.model->head.particle_count * sizeof(double);
  memcpy(fit->trial_rest, fit->rest, bytes);
  status = pl_fit_evaluate(fit, values, fit->trial_rest, fit->windows[place->window], true, &fit->trial, error);
  if (status < 0) return status;
  double before = fit->now.cost, fell = before - fit->trial.cost;
  bool accepted = !fit->trial.failed && fell > 0;
  if (accepted) accept(fit, values);
  double ratio = promise > 0 ? fell / promise : 0;
  place->damping *= !accepted ? 8 : ratio > 0.75 ? 0.1 : ratio < 0.25 ? 2 : 0.5;
  place->damping = fmin(fmax(place->damping, DAMPING_LEAST), DAMPING_MOST);
  place->rejected = accepted ? 0 : place->rejected + 1;
  place->iteration++;
  place->window_iteration++;
  *progress = tell_of(fit, change, accepted);
  judge(fit, accepted, change, accepted && before > 0 ? fell / before : 0);
  return PL_OK;
}

pl_status pl_fit_run_gauss(pl_fit *fit, pl_error *error) {
  while (!fit->place.finished) {
    if (fit->place.iteration >= fit->def.iteration_limit) return PL_REMARK_NOT_CONVERGED;
    if (!fit->evaluated) {
      pl_status status = pl_fit_evaluate(fit, fit->values, fit->rest, fit->windows[fit->place.window], true, &fit->now, error);
      if (status < 0) return status;
      if (fit->now.failed)
        return pl_fail(error, PL_ERROR_INVALID_DATA,
                       "the values to start from have no reference shape or no motion: the body is too soft for its weight; start "
                       "with a higher modulus");
      fit->evaluated = true;
    }
    pl_fit_progress progress;
    pl_status status = iterate(fit, &progress, error);
    if (status < 0) return status;
    if (!pl_fit_tell(fit, &progress)) return PL_REMARK_CANCELLED;
  }
  return fit->place.converged ? PL_OK : PL_REMARK_NOT_CONVERGED;
}
