// How far to go along a step: the line search on the merit function of section 6 of paper 004,
//
//   ψ = ½ |G u - s|² + r(p) + γ |c|₁
//
// γ begins small and only grows: to 1.1 times the largest multiplier, from where on minima of ψ are solutions, and to what makes the step one of descent
// (Nocedal and Wright 2006, eq. 18.36). Steps are halved until ψ falls by a ten-thousandth of what its slope promises.
//
// The equations of motion are far from linear where a body turns or touches down, and a full step that is good for the goals may then be refused for what it does
// to c (the effect that Maratos found). So a full step that is refused is tried once more with u corrected by what c says at its end, D⁻¹ c with the
// same D (ibid., section 18.3): it costs one solve.
#include <math.h>
#include <string.h>

#include "actor/actor_solver_parts.h"

enum { HALVINGS_MOST = 12 };
static const double FALL = 1e-4;

typedef struct merit {
  double objective, forces;
} merit;

static merit evaluate(pl_actor_solver *s, pl_fem_choice *choice, const pl_goal_rows *rows, const double *last, const double *u,
                      const double *p) {
  pl_fem_work *w = choice->work;
  merit m = {0, 0};
  pl_actor_shape_use(s, choice, p);
  pl_fem_potential_evaluate(&w->potential, u, false, false);
  m.objective = pl_actor_goals_measure(rows, u, NULL) + pl_rest_space_regularise(s->space, p, last, NULL, NULL);
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

static void go(const pl_actor_solver *s, const double *u, const double *p, double length) {
  for (int32_t i = 0; i < s->n; ++i) s->trial_u[i] = u[i] - length * s->du[i];
  for (int32_t j = 0; j < s->P; ++j) s->trial_p[j] = p[j] - length * s->dp[j];
}

pl_status pl_actor_line_search(pl_actor_solver *s, pl_fem_choice *choice, const pl_goal_rows *rows, const double *last, double *p,
                               double *lambda, double *length, pl_error *error) {
  double *u = choice->work->next;
  double slope = objective_slope(s, rows);
  grow_weight(s, lambda, slope);
  double start = 0.5 * s->goal_square + s->regulariser + s->merit_weight * s->forces;
  slope -= s->merit_weight * s->forces;
  double noise = 1e-14 * start;
  *length = 1;
  for (int k = 0; k < HALVINGS_MOST; ++k, *length *= 0.5) {
    double wanted = start + FALL * *length * fmin(slope, 0) + noise;
    go(s, u, p, *length);
    merit m = evaluate(s, choice, rows, last, s->trial_u, s->trial_p);
    bool good = m.objective + s->merit_weight * m.forces <= wanted;
    if (!good && k == 0) {
      memset(s->room, 0, (size_t)s->n * sizeof(double));
      pl_status status = pl_actor_factor_solve(s->factor, choice->work->potential.gradient, 1, s->room, error);
      if (status < 0) return status;
      for (int32_t i = 0; i < s->n; ++i) s->trial_u[i] -= s->room[i];
      m = evaluate(s, choice, rows, last, s->trial_u, s->trial_p);
      good = m.objective + s->merit_weight * m.forces <= wanted;
    }
    if (!good) continue;
    memcpy(u, s->trial_u, (size_t)s->n * sizeof(double));
    memcpy(p, s->trial_p, (size_t)s->P * sizeof(double));
    for (int32_t i = 0; i < s->n; ++i) lambda[i] -= *length * s->dlambda[i];
    return PL_OK;
  }
  *length = 0;
  pl_actor_shape_use(s, choice, p);
  return PL_OK;
}
