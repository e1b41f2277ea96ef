// How far to go along a step: the line search on the merit function of section 6 of paper 004,
//
//   ψ = ½ |G u - s|² + r(p) + γ |c|₁
//
// γ begins small and only grows: to 1.1 times the largest multiplier, from where on minima of ψ are solutions, and to
// what makes the step one of descent (Nocedal and Wright 2006, eq. 18.36). Steps are halved until ψ falls by a
// ten-thousandth of what its slope promises.
//
// The equations of motion are far from linear where a body turns or touches down. Points far from c = 0 are not useful
// to linearise at, so a step has to end near it, whatever ψ says. And where a length is refused for what it does to c,
// as Maratos found it to happen, it is tried once more with u corrected by D⁻¹ c at its end (the second-order
// correction, ibid., section 18.3). A plane body of free points whose ends come apart in mid-air takes 20 iterations to
// 1e-6 so, and over 100 where only first lengths are corrected.
//
// In a kink the lengths of successive steps are alike, and a step that is no good at 1/32 is seldom good at all: the
// search then learns more from a gradient nearby (actor_solver.c) than from still shorter lengths. So a line search
// begins near the length of the last one and gives up early. Against halving from 1 down to 1/128 that saves 5 to 28 %
// of the time of a search, and the objective that it reaches is the same on average. Giving up at 1/16 saves a tenth
// more, but hoppers then fall.
#include <math.h>
#include <string.h>

#include "actor/actor_solver_parts.h"

enum { MAX_SETTLE_TRIALS = 20 };
static const double FALL = 1e-4;
// Lengths of steps: the shortest, where the next line search begins as a multiple of the last length, and where it
// begins after one without a good length.
static const double MIN_LENGTH = 1.0 / 32, GROWTH = 4, RESTART = 0.05;
// As a multiple of the tolerance, the residual that one more step of Newton's method mostly brings below it.
static const double NEARLY_SOLVED = 5;
static const double WEIGHT_MARGIN = 1.1;  // the merit weight must exceed the largest multiplier
// Rounding of the merit function and of the energy, relative to their sizes: a smaller rise is none.
static const double MERIT_NOISE = 1e-14, ENERGY_NOISE = 1e-13;

// Slope of the objective along the step.
static double objective_gradient(const pl_actor_solver *s, const pl_goal_rows *rows) {
  double gradient = 0;
  for (int32_t k = 0; k < rows->count; ++k)
    for (int32_t i = rows->start[k]; i < rows->start[k + 1]; ++i)
      gradient -= s->goals[k] * rows->weights[i] * s->du[rows->slots[i]];
  return gradient - pl_actor_dot(s->P, s->gradient, s->dp);
}

static void grow_weight(pl_actor_solver *s, const double *lambda, double gradient) {
  double max = 0;
  for (int32_t i = 0; i < s->n; ++i) {
    double size = fabs(lambda[i] - s->dlambda[i]);
    max = size > max ? size : max;
  }
  s->merit_weight = fmax(s->merit_weight, WEIGHT_MARGIN * max);
  if (s->forces > 0) s->merit_weight = fmax(s->merit_weight, 2 * gradient / s->forces);
}

// What is to be thought of the trial u and p: good, or refused for nothing but a small c, or bad. Where forces are not
// needed whatever comes out, they are not found for a trial that its goals alone make bad: costs are not negative.
typedef enum step_rating { GOOD, NEARLY_GOOD, BAD } step_rating;

static step_rating rate_step(pl_actor_solver *s, pl_fem_choice *choice, const pl_goal_rows *rows, const double *last,
                             double wanted, bool needs_forces) {
  pl_fem_potential *potential = &choice->work->potential;
  double goals = pl_actor_goals_measure(rows, s->trial_u, NULL);
  if (!needs_forces && !((isnan(s->trial_cost) ? goals : goals + s->trial_cost) <= wanted)) return BAD;
  potential->without_energy = true;
  pl_fem_potential_evaluate(potential, s->trial_u, false, false);
  potential->without_energy = false;
  if (!(pl_fem_potential_residual(potential) <= PL_ACTOR_NEAR * potential->size)) return BAD;
  // The same for all u that are tried with this p.
  if (isnan(s->trial_cost)) s->trial_cost = pl_rest_space_regularise(s->space, s->trial_p, last, NULL, NULL);
  double objective = goals + s->trial_cost;
  if (!(objective <= wanted)) return BAD;
  double forces = pl_actor_sum_sizes(s->n, potential->gradient);
  return objective + s->merit_weight * forces <= wanted ? GOOD : NEARLY_GOOD;
}

// Where a step of some length leads, corrected once if it is not good by itself: the first length in any case, others
// where that is likely to help.
static pl_status try_length(pl_actor_solver *s, pl_fem_choice *choice, const pl_goal_rows *rows, const double *last,
                            const double *p, double length, double wanted, bool is_first, bool *good, pl_error *error) {
  for (int32_t i = 0; i < s->n; ++i) s->trial_u[i] = choice->work->next[i] - length * s->du[i];
  for (int32_t j = 0; j < s->P; ++j) s->trial_p[j] = p[j] - length * s->dp[j];
  pl_actor_shape_use(s, choice, s->trial_p);
  s->trial_cost = (double)NAN;
  step_rating first = rate_step(s, choice, rows, last, wanted, is_first);
  *good = first == GOOD;
  if (*good || (first == BAD && !is_first)) return PL_OK;
  pl_status status = pl_actor_factor_solve(s->factor, choice->work->potential.gradient, 1, s->workspace, error);
  if (status < 0) return status;
  for (int32_t i = 0; i < s->n; ++i) s->trial_u[i] -= s->workspace[i];
  *good = rate_step(s, choice, rows, last, wanted, false) == GOOD;
  return PL_OK;
}

pl_status pl_actor_line_search(pl_actor_solver *s, pl_fem_choice *choice, const pl_goal_rows *rows, const double *last,
                               double *p, double *lambda, double *length, pl_error *error) {
  double gradient = objective_gradient(s, rows);
  grow_weight(s, lambda, gradient);
  double start = 0.5 * s->goal_square + s->regulariser + s->merit_weight * s->forces;
  gradient = fmin(gradient - s->merit_weight * s->forces, 0);
  bool is_first = true;
  for (*length = s->first_length; *length >= MIN_LENGTH; *length *= 0.5, is_first = false) {
    bool good = false;
    double wanted = start + FALL * *length * gradient + MERIT_NOISE * start;
    pl_status status = try_length(s, choice, rows, last, p, *length, wanted, is_first, &good, error);
    if (status < 0) return status;
    if (!good) continue;
    s->first_length = fmin(GROWTH * *length, 1);
    memcpy(choice->work->next, s->trial_u, (size_t)s->n * sizeof(double));
    memcpy(p, s->trial_p, (size_t)s->P * sizeof(double));
    for (int32_t i = 0; i < s->n; ++i) lambda[i] -= *length * s->dlambda[i];
    return PL_OK;
  }
  *length = 0;
  s->first_length = RESTART;
  pl_actor_shape_use(s, choice, p);
  return PL_OK;
}

// A shorter length of a step of Newton's method: where the parabola through the energy and its slope at 0 and the
// energy reached has its minimum, within bounds.
static double shorter_length(double length, double rise, double slope) {
  double fraction = 0.5 * length * slope / (rise + length * slope);
  return length * (isfinite(fraction) ? fmin(fmax(fraction, 0.1), 0.5) : 0.1);
}

// Whether a whole step of Newton's method is worth evaluating with a matrix at once, which costs twice as much as
// forces alone but less than both one after the other: where the matrix is likely to be used. The last one of a search
// is used where friction is held, by the point that comes next.
static bool is_matrix_likely(const pl_fem_potential *potential, double tolerance, bool held, bool is_last) {
  if (held) return true;
  return !is_last && pl_fem_potential_residual(potential) > NEARLY_SOLVED * tolerance * potential->size;
}

// Newton's method with the length of steps shortened until Φ, of which c is the gradient, falls. Friction is that of
// where it begins. A matrix that is not positive is replaced by one of projected elements: far from c = 0 that leads
// farther than a shifted one.
pl_status pl_actor_settle(pl_actor_solver *s, pl_fem_choice *choice, int32_t limit, double tolerance, pl_error *error) {
  pl_fem_potential *potential = &choice->work->potential;
  double *u = choice->work->next;
  bool held = potential->hold, has_matrix = true, was_whole = true, is_lost = false;
  pl_status status = PL_OK;
  double energy = pl_fem_potential_evaluate(potential, u, true, false);
  potential->hold = true;
  for (int32_t i = 0; i < limit && !(pl_fem_potential_residual(potential) <= tolerance * potential->size); ++i) {
    double reached = HUGE_VAL, length = 1;
    if (!has_matrix) energy = pl_fem_potential_evaluate(potential, u, true, false);
    status = pl_actor_factor_run(s->factor, potential->matrix, &s->factor_shift, error);
    if (status >= 0 && s->factor_shift > 0) {
      pl_fem_potential_evaluate(potential, u, true, true);
      status = pl_actor_factor_run(s->factor, potential->matrix, &s->factor_shift, error);
    }
    if (status >= 0) status = pl_actor_factor_solve(s->factor, potential->gradient, 1, s->du, error);
    if (status < 0) break;
    double gradient = pl_actor_dot(s->n, potential->gradient, s->du);
    double noise = ENERGY_NOISE * (fabs(energy) + fabs(potential->elastic_energy));
    bool foresees = was_whole && is_matrix_likely(potential, tolerance, held, i + 1 == limit);
    for (int k = 0; k < MAX_SETTLE_TRIALS && !(reached <= energy + noise - FALL * length * gradient); ++k) {
      if (k > 0) length = shorter_length(length, reached - energy, gradient);
      for (int32_t j = 0; j < s->n; ++j) s->trial_u[j] = u[j] - length * s->du[j];
      has_matrix = foresees && k == 0;
      reached = pl_fem_potential_evaluate(potential, s->trial_u, has_matrix, false);
    }
    is_lost = !(reached <= energy + noise);
    if (is_lost) break;
    memcpy(u, s->trial_u, (size_t)s->n * sizeof(double));
    energy = reached;
    was_whole = length == 1;
  }
  potential->hold = held;
  s->is_evaluated = status >= 0 && has_matrix && held && !is_lost;
  return status;
}
