// How far to go along a step: the line search on the merit function of section 6 of paper 004,
//
//   ψ = ½ |G u - s|² + r(p) + γ |c|₁
//
// γ begins small and only grows: to 1.1 times the largest multiplier, from where on minima of ψ are solutions, and to what makes the step one of descent
// (Nocedal and Wright 2006, eq. 18.36). Steps are halved until ψ falls by a ten-thousandth of what its slope promises.
//
// The equations of motion are far from linear where a body turns or touches down, and a full step that is good for the goals is then refused for what it does to c
// (the effect that Maratos found); and where it is not, points away from c = 0 are no good to linearise at. So every length that is tried is corrected: u goes on by D⁻¹ c at the end of the
// step, first with the D of its start (ibid., section 18.3), then with that of where it is, until c is small and ψ has fallen, or c falls no more. Measured on the bodies of
// the tests pressing against the ground from one step to the next: of 120 steps, 110 came to within 1e-2 of stationary in 20 iterations, 45 with the first
// correction alone. More than a few are not worth their time: half as long a step is sooner found good, and where one was shortened the next begins at twice
// its length. Friction is held meanwhile.
#include <math.h>
#include <string.h>

#include "actor/actor_solver_parts.h"

enum { HALVINGS_MOST = 8, CORRECTIONS_MOST = 3, TRIES_MOST = 5 };
static const double FALL = 1e-4;
static const double NEAR = 0.1;    // |c| against the forces that balance: what is near enough to go on from
static const double CLOSE = 1e-4;  // from here on c is not what raises ψ

typedef struct merit {
  double objective, forces, energy;  // energy: Φ, of which c is the gradient
} merit;

static merit evaluate(pl_actor_solver *s, pl_fem_choice *choice, const pl_goal_rows *rows, const double *last) {
  pl_fem_work *w = choice->work;
  merit m = {.energy = pl_fem_potential_evaluate(&w->potential, s->trial_u, false, false)};
  m.objective = pl_actor_goals_measure(rows, s->trial_u, NULL) + pl_rest_space_regularise(s->space, s->trial_p, last, NULL, NULL);
  for (int32_t i = 0; i < s->n; ++i) m.forces += fabs(w->potential.gradient[i]);
  return m;
}

// Slope of the objective along the step.
static double objective_slope(const pl_actor_solver *s, const pl_goal_rows *rows) {
  double slope = 0;
  for (int32_t k = 0; k < rows->count; ++k)
    for (int32_t i = rows->start[k]; i < rows->start[k + 1]; ++i) slope -= s->goals[k] * rows->weights[i] * s->du[rows->places[i]];
  return slope - pl_actor_dot(s->P, s->slope, s->dp);
}

static void grow_weight(pl_actor_solver *s, const double *lambda, double slope) {
  double most = 0;
  for (int32_t i = 0; i < s->n; ++i) most = fmax(most, fabs(lambda[i] - s->dlambda[i]));
  s->merit_weight = fmax(s->merit_weight, 1.1 * most);
  if (s->forces > 0) s->merit_weight = fmax(s->merit_weight, 2 * slope / s->forces);
}

// Take D⁻¹ c from the trial u, with D from here if it is to be `fresh`; s->room keeps what was taken.
static pl_status correct(pl_actor_solver *s, pl_fem_choice *choice, bool fresh, pl_error *error) {
  pl_fem_potential *potential = &choice->work->potential;
  pl_status status = PL_OK;
  if (fresh) {
    bool held = potential->hold;
    potential->hold = true;
    pl_fem_potential_evaluate(potential, s->trial_u, true, false);
    potential->hold = held;
    status = pl_actor_factor_run(s->factor, potential->matrix, &s->factor_shift, error);
  }
  if (status >= 0) status = pl_actor_factor_solve(s->factor, potential->gradient, 1, s->room, error);
  for (int32_t i = 0; status >= 0 && i < s->n; ++i) s->trial_u[i] -= s->room[i];
  return status;
}

// Half of the last correction back.
static void take_back(pl_actor_solver *s) {
  for (int32_t i = 0; i < s->n; ++i) {
    s->room[i] *= 0.5;
    s->trial_u[i] += s->room[i];
  }
}

// Where a step of some length leads, corrected. `*good`: c is small there and ψ no more than `wanted`.
static pl_status try_length(pl_actor_solver *s, pl_fem_choice *choice, const pl_goal_rows *rows, const double *last,
                            const double *p, double length, double wanted, bool *good, pl_error *error) {
  const pl_fem_potential *potential = &choice->work->potential;
  merit before = {.energy = HUGE_VAL, .forces = HUGE_VAL};
  for (int32_t i = 0; i < s->n; ++i) s->trial_u[i] = choice->work->next[i] - length * s->du[i];
  for (int32_t j = 0; j < s->P; ++j) s->trial_p[j] = p[j] - length * s->dp[j];
  pl_actor_shape_use(s, choice, s->trial_p);
  for (int tries = 0, corrections = 0; tries < TRIES_MOST; ++tries) {
    merit m = evaluate(s, choice, rows, last);
    double residual = pl_fem_potential_residual(potential);
    *good = residual <= NEAR * potential->size && m.objective + s->merit_weight * m.forces <= wanted;
    if (*good || (residual <= CLOSE * potential->size && !(m.objective <= wanted)) || !isfinite(m.forces)) return PL_OK;
    // Corrections go towards the minimum of Φ. One that overshoots is halved.
    if (!(m.energy <= before.energy || m.forces <= 0.5 * before.forces)) {
      take_back(s);
      continue;
    }
    if (corrections == CORRECTIONS_MOST) return PL_OK;
    pl_status status = correct(s, choice, corrections > 0, error);
    if (status < 0) return status;
    before = m;
    ++corrections;
  }
  return PL_OK;
}

pl_status pl_actor_line_search(pl_actor_solver *s, pl_fem_choice *choice, const pl_goal_rows *rows, const double *last, double *p,
                               double *lambda, double *length, pl_error *error) {
  double slope = objective_slope(s, rows);
  grow_weight(s, lambda, slope);
  double start = 0.5 * s->goal_square + s->regulariser + s->merit_weight * s->forces;
  slope = fmin(slope - s->merit_weight * s->forces, 0);
  *length = fmin(1, 2 * s->last_length);
  for (int k = 0; k < HALVINGS_MOST; ++k, *length *= 0.5) {
    bool good = false;
    double wanted = start + FALL * *length * slope + 1e-14 * start;
    pl_status status = try_length(s, choice, rows, last, p, *length, wanted, &good, error);
    if (status < 0) return status;
    if (!good) continue;
    s->last_length = *length;
    memcpy(choice->work->next, s->trial_u, (size_t)s->n * sizeof(double));
    memcpy(p, s->trial_p, (size_t)s->P * sizeof(double));
    for (int32_t i = 0; i < s->n; ++i) lambda[i] -= *length * s->dlambda[i];
    return PL_OK;
  }
  *length = 0;
  pl_actor_shape_use(s, choice, p);
  return PL_OK;
}

// Newton's method with the length of steps halved until Φ, of which c is the gradient, falls. Friction is that of where it begins.
pl_status pl_actor_settle(pl_actor_solver *s, pl_fem_choice *choice, int32_t limit, double tolerance, pl_error *error) {
  pl_fem_potential *potential = &choice->work->potential;
  double *u = choice->work->next;
  bool held = potential->hold;
  pl_status status = PL_OK;
  for (int32_t i = 0; i < limit; ++i, potential->hold = true) {
    double energy = pl_fem_potential_evaluate(potential, u, true, false), slope = 0, reached = HUGE_VAL, length = 1;
    if (pl_fem_potential_residual(potential) <= tolerance * potential->size) break;
    status = pl_actor_factor_run(s->factor, potential->matrix, &s->factor_shift, error);
    if (status >= 0) status = pl_actor_factor_solve(s->factor, potential->gradient, 1, s->du, error);
    if (status < 0) break;
    for (int32_t k = 0; k < s->n; ++k) slope += potential->gradient[k] * s->du[k];
    double noise = 1e-13 * (fabs(energy) + fabs(potential->elastic_energy));
    for (int k = 0; k < HALVINGS_MOST && !(reached <= energy + noise - FALL * length * slope); ++k, length *= 0.5) {
      for (int32_t j = 0; j < s->n; ++j) s->trial_u[j] = u[j] - length * s->du[j];
      reached = pl_fem_potential_evaluate(potential, s->trial_u, false, false);
    }
    if (!(reached <= energy + noise)) break;
    memcpy(u, s->trial_u, (size_t)s->n * sizeof(double));
  }
  potential->hold = held;
  return status;
}
