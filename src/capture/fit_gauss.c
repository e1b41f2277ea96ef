// Gauss-Newton with forward sensitivities, Levenberg damping, bounds and a growing time horizon.
//
//   (N + λ D) δ = -g        N = Σ sᵀ s, g = Σ sᵀ (x - tracked) of all sequences, by simulation       D  diagonal of N,
//   with a floor
//
// Over a long time a wrong modulus shifts the phase of a vibration by whole turns, and the distance has a minimum at
// each: so the first few frames are fitted first, where there is only one, and each window starts from what the last
// one found. Parameters that a short window does not determine hardly move, by the floor of D. Moduli of many control
// points are held together in windows before the last, the more the worse these are met: see spread_weight(). A trial
// is simulated with its sensitivities at once: most are taken, and a second simulation would cost more than those of
// the ones that are not.
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "capture/fit_parts.h"
#include "sparse/dense_factor.h"

static const double LONGEST_STEP = 1.2;  // of a logarithm: a factor of 3.3
// Of a damping parameter as a fraction of itself: motions are about linear in it, not in its logarithm. Short windows
// hardly show it and may leave it a hundred times too low; by a factor of 3.3 at a time the whole motion would have to
// be simulated four times to bring it back.
static const double MAX_DAMPING_CHANGE = 100, MIN_DAMPING_CHANGE = -0.7;
static const double MAX_DAMPING = 1e8, MIN_DAMPING = 1e-9, DIAGONAL_FLOOR = 0.01;
static const double FLANK = 100;                         // how much more a step may cost from which one more is tried
static const double HIDDEN = 1e-3, EARLY_HIDDEN = 0.25;  // squares of a thirtieth and half a standard deviation
// Standard deviations that a parameter may be away from where the fit would end. The way that is left is part of the
// interval, which a tenth makes wider by a twentieth: less than what is known of a deviation from some 20 blocks of
// frames, 1 / sqrt(2 · 20) of it.
static const double MAX_OFFSET = 0.1;
// What is believed of the start: a standard deviation of this in coordinates, so a factor of 20. It counts for nothing
// next to what the data determine; what they do not determine stays about there.
static const double PRIOR = 3;
static const double SPREAD = 1;  // standard deviation of logarithms of moduli around their mean, before the last window
static const double EARLY_CHANGE = 0.03, EARLY_GAIN = 0.1;  // with which a window is left before the last
static const double ROUGH_GAIN = 0.01;                      // with which steps that are too long are left
static const double REFINED = 0.01;    // change of a modulus at which shorter steps are short enough
static const double AT_BOUND = 1e-12;  // of a coordinate
static const double LAST_GAIN =
    1e-7;  // of the cost, with which the last window is left: below it rounding of the cost decides
static const double EXACT = 1e-9;  // rms distance, as a fraction of the size, below which there is nothing left to fit
static const double TINY = 0.1;    // fraction of a tolerance from which a change is not worth a simulation
enum { EARLY_ITERATIONS = 12, REACH_HALVES = 30 };

bool pl_fit_report_progress(pl_fit *fit, const pl_fit_progress *progress) {
  return fit->def.after_iteration == NULL || fit->def.after_iteration(fit->def.user, fit, progress);
}

// A place in the space of parameters with what was simulated there.
typedef struct spot {
  const double *values;
  const pl_fit_evaluation *data;
} spot;

// Distance from the start in units of what is believed of it, in m² of the cost: see PRIOR.
static double prior_weight(const pl_fit *fit) {
  return fit->def.noise * fit->def.noise / (PRIOR * PRIOR);
}

static double prior_offset(const pl_fit *fit, const double *values, int32_t column) {
  int32_t value = fit->columns[column];
  return pl_fit_coordinate(fit, value, values[value]) - fit->start[column];
}

// In a window before the last: how much the logarithms of moduli are held to their mean,
//
//   w Σ (θ_k - mean)²,   w = cost / frames / SPREAD²
//
// What is not met yet counts as one error of its size in every frame. So a body that is far too stiff or too soft first
// becomes so as a whole: by itself, each of many moduli would go where it hides a bit of the distance, a hundred times
// too high or too low, from where longer windows do not bring it back. Where the motion is met, w is nothing.
static double spread_weight(const pl_fit *fit) {
  bool last = fit->cursor.window + 1 == fit->window_count;
  double frames = fmax(1, fit->windows[fit->cursor.window]);
  return last ? 0 : fit->now.cost / frames / (SPREAD * SPREAD);
}

// Columns of moduli, which come first.
static int32_t modulus_columns(const pl_fit *fit) {
  int32_t count = 0;
  while (count < fit->column_count && fit->columns[count] < fit->body.control_count) ++count;
  return count;
}

// θ of a column less the mean of the moduli; 0 for other columns.
static double spread_offset(const pl_fit *fit, const double *values, int32_t column) {
  int32_t count = modulus_columns(fit);
  double mean = 0;
  if (column >= count) return 0;
  for (int32_t k = 0; k < count; ++k) mean += pl_fit_coordinate(fit, fit->columns[k], values[fit->columns[k]]) / count;
  return pl_fit_coordinate(fit, fit->columns[column], values[fit->columns[column]]) - mean;
}

static double total_cost(const pl_fit *fit, spot at) {
  double sum = at.data->cost;
  for (int32_t k = 0; k < modulus_columns(fit); ++k) {
    double off = spread_offset(fit, at.values, k);
    sum += spread_weight(fit) * off * off;
  }
  for (int32_t k = 0; k < fit->column_count; ++k)
    sum += prior_weight(fit) * prior_offset(fit, at.values, k) * prior_offset(fit, at.values, k);
  return sum;
}

static double gradient_of(const pl_fit *fit, spot at, int32_t column) {
  return at.data->gradient[column] + prior_weight(fit) * prior_offset(fit, at.values, column) +
         spread_weight(fit) * spread_offset(fit, at.values, column);
}

// Whether a column stands at a bound that the distance pushes it against.
static bool is_held(const pl_fit *fit, spot at, int32_t column) {
  int32_t value = fit->columns[column];
  const pl_fit_range *range = &fit->ranges[value];
  // In coordinates, with room: the exponential of a bound's logarithm is not that bound.
  double gradient = gradient_of(fit, at, column), here = pl_fit_coordinate(fit, value, at.values[value]);
  return (here <= pl_fit_coordinate(fit, value, range->min) + AT_BOUND && gradient > 0) ||
         (here >= pl_fit_coordinate(fit, value, range->max) - AT_BOUND && gradient < 0);
}

// The matrix of find_step() without Levenberg's damping and priors: N, and the second derivative of what holds moduli
// together.
static double curvature(const pl_fit *fit, spot at, int32_t i, int32_t j) {
  int32_t count = modulus_columns(fit);
  double together = i < count && j < count ? (i == j) - 1.0 / count : 0;
  return at.data->normal[i * fit->column_count + j] + spread_weight(fit) * together;
}

static bool is_damping(const pl_fit *fit, int32_t value) {
  return value == fit->body.control_count + 1 || value == fit->body.control_count + 2;
}

// What a step is expected to do.
typedef struct step_facts {
  double promise;  // m² of the cost that it is to gain
  double damping;  // Levenberg's, as it was raised to keep the elastic part within LONGEST_STEP
} step_facts;

// What shortens a step: λ of D, and what is added to all of the diagonal, m².
typedef struct levenberg {
  double damping, belief;
} levenberg;

// (N + P + λ D + belief) δ = -g, P of the priors; what is held at a bound stays.
static pl_status solve_step(const pl_fit *fit, spot at, levenberg by, double *step, pl_error *error) {
  int32_t n = fit->column_count;
  pl_arena arena;
  pl_arena_init(&arena, fit->context, 0);
  pl_dense_factor factor;
  if (!pl_dense_factor_take(&arena, n, &factor)) {
    pl_arena_destroy(&arena);
    return pl_fail_memory(error);
  }
  double max = 0;
  for (int32_t i = 0; i < n; ++i) max = fmax(max, curvature(fit, at, i, i));
  for (int32_t i = 0; i < n; ++i)
    for (int32_t j = 0; j < n; ++j) {
      bool apart = is_held(fit, at, i) || is_held(fit, at, j);
      double value = apart ? 0 : curvature(fit, at, i, j);
      if (i == j)
        value += by.damping * fmax(value, DIAGONAL_FLOOR * max) + by.belief + prior_weight(fit) + (apart ? max : 0);
      factor.values[i * n + j] = value;
    }
  for (int32_t i = 0; i < n; ++i) step[i] = is_held(fit, at, i) ? 0 : -gradient_of(fit, at, i);
  pl_dense_factor_run(&factor, true);
  pl_dense_factor_solve(&factor, step);
  pl_arena_destroy(&arena);
  return PL_OK;
}

static double longest_elastic(const pl_fit *fit, const double *step) {
  double longest = 0;
  for (int32_t i = 0; i < fit->column_count; ++i)
    if (fit->columns[i] <= fit->body.control_count) longest = fmax(longest, fabs(step[i]));
  return longest;
}

// The step with the least damping, from the cursor's on, that moves no elastic parameter by more than LONGEST_STEP.
// Shortened as a whole, a step that wants to change what hardly moves anything by a factor of a million would leave
// nothing for what the data do determine; damping shortens the former and hardly the latter.
static pl_status solve_within_reach(const pl_fit *fit, spot at, double *step, double *damping, pl_error *error) {
  double min = fit->cursor.damping, max = MAX_DAMPING;
  *damping = min;
  pl_status status = solve_step(fit, at, (levenberg){.damping = min}, step, error);
  if (status < 0 || longest_elastic(fit, step) <= LONGEST_STEP) return status;
  for (int halves = 0; halves < REACH_HALVES && status >= 0; ++halves) {
    *damping = sqrt(min * max);
    status = solve_step(fit, at, (levenberg){.damping = *damping}, step, error);
    if (longest_elastic(fit, step) > LONGEST_STEP)
      min = *damping;
    else
      max = *damping;
  }
  *damping = max;
  return status < 0 ? status : solve_step(fit, at, (levenberg){.damping = max}, step, error);
}

// δ into `step`, and by how much the cost should fall.
static pl_status find_step(pl_fit *fit, spot at, double *step, step_facts *facts, pl_error *error) {
  int32_t n = fit->column_count;
  pl_status status = solve_within_reach(fit, at, step, &facts->damping, error);
  if (status < 0) return status;
  for (int32_t i = 0; i < n; ++i) {
    if (is_damping(fit, fit->columns[i]))
      step[i] = log1p(fmin(fmax(step[i], MIN_DAMPING_CHANGE), MAX_DAMPING_CHANGE));
    else
      step[i] = fmin(fmax(step[i], -LONGEST_STEP), LONGEST_STEP);
  }
  facts->promise = 0;
  for (int32_t i = 0; i < n; ++i) {
    double row = 2 * gradient_of(fit, at, i) + prior_weight(fit) * step[i];
    for (int32_t j = 0; j < n; ++j) row += curvature(fit, at, i, j) * step[j];
    facts->promise -= row * step[i];
  }
  return PL_OK;
}

// Values after the step, within bounds; returns the largest change of a coordinate.
static double move_values(const pl_fit *fit, const double *from, const double *step, double *values) {
  double change = 0;
  memcpy(values, from, (size_t)fit->value_count * sizeof(double));
  for (int32_t k = 0; k < fit->column_count; ++k) {
    int32_t value = fit->columns[k];
    double before = pl_fit_coordinate(fit, value, from[value]);
    values[value] = pl_fit_physical(fit, value, before + step[k]);
    change = fmax(change, fabs(pl_fit_coordinate(fit, value, values[value]) - before));
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

// A step along a curved valley ends on its flank: parameters that are known well are then off by the square of the step
// in those that are not. One more step from there, with the derivatives found there, leads down again. True if it
// reaches less than where the first one began; values and the trial are then those.
static pl_status correct(pl_fit *fit, double before, double *values, bool *better, pl_error *error) {
  spot flank = {values, &fit->trial};
  double step[PL_FIT_MAX_VALUES] = {0}, corrected[PL_FIT_MAX_VALUES];
  step_facts facts;
  *better = false;
  if (fit->trial.failed || !(fit->trial.cost < FLANK * before)) return PL_OK;
  pl_status status = find_step(fit, flank, step, &facts, error);
  if (status < 0 || !(total_cost(fit, flank) - facts.promise < before)) return status;
  move_values(fit, values, step, corrected);
  status = pl_fit_evaluate(fit, corrected, fit->trial_rest, fit->windows[fit->cursor.window], true, &fit->trial, error);
  if (status < 0) return status;
  memcpy(values, corrected, (size_t)fit->value_count * sizeof(double));
  *better = !fit->trial.failed && total_cost(fit, flank) < before;
  return PL_OK;
}

static void next_window(pl_fit *fit) {
  fit->cursor.window++;
  fit->cursor.window_iteration = 0;
  fit->cursor.rejected = 0;
  fit->cursor.damping = fmin(fit->cursor.damping, PL_FIT_FIRST_DAMPING);
  fit->evaluated = false;
}

// Largest change of an elastic parameter, as a share of a modulus, since half as many steps.
static double change_by_steps(const pl_fit *fit) {
  double change = 0;
  for (int32_t k = 0; k < fit->column_count && fit->columns[k] <= fit->body.control_count; ++k) {
    int32_t value = fit->columns[k];
    double before = pl_fit_coordinate(fit, value, fit->cursor.coarser[value]);
    change = fmax(change, fabs(pl_fit_coordinate(fit, value, fit->values[value]) - before));
  }
  return change;
}

// Whether shorter steps are still to come.
static bool is_coarse(const pl_fit *fit) {
  const pl_fit_cursor *cursor = &fit->cursor;
  bool enough = cursor->steps > fit->def.steps_per_frame && change_by_steps(fit) <= REFINED;
  return !enough && fit->sequence_count > 0 && 2 * cursor->steps <= fit->def.max_steps;
}

// The whole motion is fitted with these steps. Steps that are too long shift frequencies, and the modulus with them: it
// is fitted again from here with half of their length, where few iterations are left to do, until that changes nothing.
static void settle(pl_fit *fit) {
  pl_fit_cursor *cursor = &fit->cursor;
  if (!is_coarse(fit)) {
    cursor->finished = cursor->converged = 1;
    return;
  }
  memcpy(cursor->coarser, fit->values, sizeof cursor->coarser);
  cursor->steps *= 2;
  cursor->rejected = 0;
  cursor->damping = fmin(cursor->damping, PL_FIT_FIRST_DAMPING);
  fit->evaluated = false;
}

// Whether the window is done, after an iteration with a change of coordinates and a gain as a share of the cost.
static void update_damping(pl_fit *fit, bool accepted, double change, double gain) {
  pl_fit_cursor *cursor = &fit->cursor;
  double floor = EXACT * fit->size, rms = fit->now.weight > 0 ? sqrt(fit->now.cost / fit->now.weight) : 0;
  bool exact = rms <= floor, stuck = cursor->damping >= MAX_DAMPING;
  if (cursor->window + 1 < fit->window_count) {
    // A window that is not met is worth its iterations: a longer one from there has other minima nearby.
    bool settled = accepted && (change < EARLY_CHANGE || (gain < EARLY_GAIN && !pl_fit_is_misfit(fit)));
    if (settled || exact || cursor->window_iteration >= EARLY_ITERATIONS || cursor->rejected >= 6) next_window(fit);
    return;
  }
  bool settled = accepted && (change < fit->def.tolerance || gain < (is_coarse(fit) ? ROUGH_GAIN : LAST_GAIN));
  // A step that is rejected although it is tiny: rounding decides.
  if (settled || exact || stuck || (!accepted && change < TINY * fit->def.tolerance)) settle(fit);
}

static pl_fit_progress progress_of(const pl_fit *fit, double change, bool accepted) {
  return (pl_fit_progress){.iteration = fit->cursor.iteration,
                           .frame_count = fit->windows[fit->cursor.window],
                           .steps = fit->cursor.steps,
                           .evaluations = fit->cursor.evaluations,
                           .rms = fit->now.weight > 0 ? sqrt(fit->now.cost / fit->now.weight) : 0,
                           .change = change,
                           .damping = fit->cursor.damping,
                           .accepted = accepted};
}

// The cost counts every number as one, though errors may be alike in thousands of them; against what is believed, it
// counts as few here. So what is not determined has not far to go.
pl_status pl_fit_find_way(const pl_fit *fit, const pl_fit_covariance *by_errors, double *way, pl_error *error) {
  return solve_step(fit, (spot){fit->values, &fit->now}, (levenberg){.belief = by_errors->variance / (PRIOR * PRIOR)},
                    way, error);
}

// What the data say of how far the fit has come.
typedef struct outlook {
  double offset;          // see below
  double useful_damping;  // Levenberg's, below which no step is another one
} outlook;

// The relative offset of Bates and Watts (1981): how far the whole Gauss-Newton step, which Levenberg's damping does
// not shorten, would still lead, in standard deviations; of all p parameters together, or of the one that moves most,
//
//   (N + V/9) δ = -g        o² = max( δᵀ N δ / (p s²),  max_i δ_i² / s_i² )
//
// s_i is the deviation that is reported, s² the variance for which as many independent numbers would have it, V that
// without what the model lacks. They count errors that are alike in many points and frames as the few that they are,
// and what the model lacks as one error (fit_deviation.c). Taken for independent, a hundred thousand numbers of a track
// make a step along what they hardly determine look important for long, while it only follows the errors of the track.
// Together, because parameters that are hard to tell apart may all be wrong by less than a deviation and yet leave most
// of the residual. Deviations are of the residual, not of the stated noise: exact data are fitted as far as they are
// exact.
static pl_status find_outlook(const pl_fit *fit, outlook *found, pl_error *error) {
  int32_t n = fit->column_count;
  double step[PL_FIT_MAX_VALUES] = {0}, max = 0, inflation = 1, together = 0, alone = 0;
  pl_arena arena;
  pl_arena_init(&arena, fit->context, 0);
  pl_fit_covariance by_errors;
  pl_status status = pl_fit_find_covariance(fit, pl_fit_residual_variance(fit), &arena, &by_errors, error);
  if (status >= 0) status = pl_fit_find_way(fit, &by_errors, step, error);
  for (int32_t i = 0; i < n && status >= 0; ++i) {
    double deviation = fmax(by_errors.deviations[i] + by_errors.lacks[i] / PL_NORMAL_95, 1e-300);
    if (fit->columns[i] < fit->result_count) alone = fmax(alone, fabs(step[i]) / deviation);
    for (int32_t j = 0; j < n; ++j) together += step[i] * fit->now.normal[i * n + j] * step[j];
    max = fmax(max, fit->now.normal[i * n + i]);
  }
  // D_i (N⁻¹)_ii: what belongs to the weakest direction has an eigenvalue of about one over the largest of them.
  for (int32_t i = 0; i < n && status >= 0; ++i)
    inflation = fmax(inflation, fmax(fit->now.normal[i * n + i], DIAGONAL_FLOOR * max) * by_errors.scales[i] *
                                    by_errors.scales[i] * by_errors.inverse[i * n + i]);
  double variance = status >= 0 ? by_errors.variance + pl_fit_unexplained(fit) / (PL_NORMAL_95 * PL_NORMAL_95) : 0;
  *found = (outlook){.offset = fmax(alone, sqrt(fmax(together, 0) / fmax(n * variance, 1e-300))),
                     .useful_damping = 1 / inflation};
  pl_arena_destroy(&arena);
  return status;
}

static pl_status iterate(pl_fit *fit, pl_fit_progress *progress, pl_error *error) {
  pl_fit_cursor *cursor = &fit->cursor;
  double step[PL_FIT_MAX_VALUES] = {0}, values[PL_FIT_MAX_VALUES];
  step_facts facts;
  spot here = {fit->values, &fit->now}, there = {values, &fit->trial};
  outlook ahead;
  pl_status status = find_outlook(fit, &ahead, error);
  if (status >= 0) status = find_step(fit, here, step, &facts, error);
  if (status < 0) return status;
  double change = move_values(fit, fit->values, step, values), before = total_cost(fit, here);
  bool last = cursor->window + 1 == fit->window_count, better = false;
  cursor->iteration++;
  cursor->window_iteration++;
  // Nothing left to gain here, or nothing that the errors of the data would not hide: the promise in units of their
  // variance is the square of the step in standard deviations of the parameters, if they are independent, and the
  // offset is that if they are not. The simulation that would show it is saved. What is not met has no offset: where a
  // phase is wrong by a turn, the residual has little to do with any parameter. Nor have windows before the last: left
  // with half a deviation to go, those of a plant with 13 moduli led to 13 mm in 25 frames, in place of 2.3.
  bool hidden = last && ahead.offset < MAX_OFFSET && !pl_fit_is_misfit(fit);
  if (change < (last ? fit->def.tolerance : TINY * EARLY_CHANGE) || hidden ||
      facts.promise < (last ? HIDDEN : EARLY_HIDDEN) * pl_fit_variance(fit)) {
    *progress = progress_of(fit, change, true);
    if (last)
      settle(fit);
    else
      next_window(fit);
    return PL_OK;
  }
  memcpy(fit->trial_rest, fit->rest, 3 * (size_t)fit->body.model->head.particle_count * sizeof(double));
  status = pl_fit_evaluate(fit, values, fit->trial_rest, fit->windows[cursor->window], true, &fit->trial, error);
  if (status < 0) return status;
  double fell = before - total_cost(fit, there), ratio = facts.promise > 0 ? fell / facts.promise : 0;
  bool accepted = !fit->trial.failed && fell > 0;
  if (!accepted) status = correct(fit, before, values, &better, error);
  if (status < 0) return status;
  if (better) fell = before - total_cost(fit, there);
  if (accepted || better) accept(fit, values);
  // By how well the model predicted the gain, as usual (a quarter and three quarters of it). Lowered only after two
  // steps that were taken: otherwise every other one is lost. Six and 0.15 undo each other about, so that a single bad
  // step costs one good one. After one that was rejected the next is a shorter one at once: damping grows from what the
  // step had, and from where damping begins to matter.
  if (!accepted && !better) cursor->damping = fmax(facts.damping, ahead.useful_damping / 6);
  cursor->damping *= better                 ? 1
                     : !accepted            ? 6
                     : ratio < 0.25         ? 2
                     : cursor->rejected > 0 ? 1
                     : ratio > 0.75         ? 0.15
                                            : 0.5;
  cursor->damping = fmin(fmax(cursor->damping, MIN_DAMPING), MAX_DAMPING);
  accepted = accepted || better;
  cursor->rejected = accepted ? 0 : cursor->rejected + 1;
  *progress = progress_of(fit, change, accepted);
  update_damping(fit, accepted, change, accepted && before > 0 ? fell / before : 0);
  return PL_OK;
}

pl_status pl_fit_run_gauss(pl_fit *fit, pl_error *error) {
  pl_status found = pl_fit_find_starts(fit, error);
  if (found < 0) return found;
  for (int32_t k = 0; fit->cursor.iteration == 0 && k < fit->column_count; ++k)
    fit->start[k] = pl_fit_coordinate(fit, fit->columns[k], fit->values[fit->columns[k]]);
  while (!fit->cursor.finished) {
    if (fit->cursor.iteration >= fit->def.max_iterations) return PL_REMARK_NOT_CONVERGED;
    if (!fit->evaluated) {
      pl_status status =
          pl_fit_evaluate(fit, fit->values, fit->rest, fit->windows[fit->cursor.window], true, &fit->now, error);
      if (status < 0) return status;
      if (fit->now.failed)
        return pl_fail(
            error, PL_ERROR_INVALID_DATA,
            "the values to start from have no reference shape or no motion: the body is too soft for its weight; start "
            "with a higher modulus");
      fit->evaluated = true;
    }
    pl_fit_progress progress;
    pl_status status = iterate(fit, &progress, error);
    if (status < 0) return status;
    if (!pl_fit_report_progress(fit, &progress)) return PL_REMARK_CANCELLED;
  }
  return fit->cursor.converged ? PL_OK : PL_REMARK_NOT_CONVERGED;
}
