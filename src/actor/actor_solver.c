// Sequential quadratic programming for one step of an actor (paper 004, section 6; Nocedal and Wright 2006, chapter
// 18).
//
// From u and p, where the step's equations are linearised: the step of actor_solver_blocks.c, as far along it as the
// merit falls (actor_solver_search.c), and again, until the optimality conditions hold. They are measured without
// units: c against the forces that balance; the gradient of the objective by p along c = 0, which is r' + Jᵀ g, in the
// norm √(v K⁻¹ v), against the root of the objective: a fraction of t leaves about t² of the objective to be gained.
//
// What contact does to it. The stiffness of friction jumps between sticking and slipping, and points that have slipped
// begin every step just there: searches may end at such kinks before the optimality conditions hold. (Friction that
// goes over smoothly while the search continues was tried; it reached the same goals.) Caps of friction are found again
// at each of the first points, then held: otherwise searches go round in circles. The search begins, with the last
// step's p or a guess, near c = 0; when it finds nothing, it begins again from there. A second failure in a row ends
// it.
//
// Where steps had to be shortened, the coming ones are damped (Levenberg and Marquardt): K's diagonal is raised by a
// factor that grows and falls again.
#include "actor/actor_solver.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "actor/actor_solver_parts.h"
#include "base/error.h"

enum { MAX_START = 6, MAX_RESTORATIONS = 8, FRICTION_UPDATES = 4 };
// how far the objective may grow, as the equations are not solved where the search begins
static const double WORSE = 1.5;

static bool take_arrays(pl_actor_solver *s) {
  pl_arena *arena = &s->arena;
  size_t n = (size_t)s->n, P = (size_t)s->P, rows = (size_t)s->max_rows, max = rows > P ? rows : P;
  s->goals = PL_TAKE(arena, double, rows);
  s->E = PL_TAKE(arena, double, n *P);
  s->gradient = PL_TAKE(arena, double, P);
  s->hessian = PL_TAKE(arena, double, P *P);
  s->Y = PL_TAKE(arena, double, rows *n);
  s->J = PL_TAKE(arena, double, rows *P);
  s->F = PL_TAKE(arena, double, P *n);
  s->AF = PL_TAKE(arena, double, P *n);
  s->B = PL_TAKE(arena, double, P *n);
  s->C = PL_TAKE(arena, double, P *P);
  s->K = PL_TAKE(arena, double, P *P);
  s->pull = PL_TAKE(arena, double, P);
  s->reduced = PL_TAKE(arena, double, P);
  s->du = PL_TAKE(arena, double, n);
  s->dp = PL_TAKE(arena, double, P);
  s->dlambda = PL_TAKE(arena, double, n);
  s->rhs = PL_TAKE(arena, double, (max + 1) * n);
  s->workspace = PL_TAKE(arena, double, n);
  s->room2 = PL_TAKE(arena, double, n);
  s->small_workspace = PL_TAKE(arena, double, max);
  s->trial_u = PL_TAKE(arena, double, n);
  s->trial_p = PL_TAKE(arena, double, P);
  s->start_u = PL_TAKE(arena, double, n);
  s->start_p = PL_TAKE(arena, double, P);
  if (pl_rest_space_is_sparse(s->space)) {
    s->sparse_diagonal = PL_TAKE(arena, double, P);
    s->Z = PL_TAKE(arena, double, rows *n);
    s->sparse_workspace = PL_TAKE(arena, double, 2 * n + rows);
    if (!pl_dense_factor_take(arena, s->max_rows, &s->ties) ||
        !pl_block_matrix_take(arena, &s->model->pattern, &s->sparse_hessian))
      return false;
  }
  return pl_dense_factor_take(arena, s->P, &s->small) && pl_block_matrix_take(arena, &s->model->pattern, &s->bending) &&
         !arena->failed;
}

pl_status pl_actor_solver_create(pl_context *context, const pl_fem_model *model, pl_rest_space *space, int32_t max_rows,
                                 pl_actor_solver **solver, pl_error *error) {
  *solver = NULL;
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_actor_solver *s = PL_TAKE(&arena, pl_actor_solver, 1);
  if (s == NULL) return pl_fail_memory(error);
  s->arena = arena;
  s->model = model;
  s->space = space;
  s->n = 3 * model->head.particle_count;
  s->P = pl_rest_space_size(space);
  s->max_rows = max_rows;
  pl_status status = take_arrays(s) ? PL_OK : pl_fail_memory(error);
  if (status >= 0) status = pl_actor_factor_create(context, model, &s->factor, error);
  if (status >= 0 && pl_rest_space_is_sparse(space) && pl_actor_factor_is_direct(s->factor))
    status = pl_actor_factor_create(context, model, &s->sparse, error);
  if (status < 0) {
    pl_actor_solver_destroy(s);
    return status;
  }
  *solver = s;
  return PL_OK;
}

void pl_actor_solver_destroy(pl_actor_solver *solver) {
  if (solver == NULL) return;
  pl_actor_factor_destroy(solver->factor);
  pl_actor_factor_destroy(solver->sparse);
  pl_arena arena = solver->arena;
  pl_arena_destroy(&arena);
}

bool pl_actor_rows_ask(const pl_goal_rows *rows) {
  for (int32_t i = 0; rows->count > 0 && i < rows->start[rows->count]; ++i)
    if (rows->weights[i] != 0) return true;
  return false;
}

static double residual_of(const pl_fem_choice *choice) {
  const pl_fem_potential *potential = &choice->work->potential;
  return potential->size > 0 ? pl_fem_potential_residual(potential) / potential->size : 0;
}

static void finish(const pl_actor_solver *s, const pl_goal_rows *rows, const pl_fem_choice *choice, const double *last,
                   const double *p, pl_actor_outcome *outcome) {
  outcome->goal_square = 2 * pl_actor_goals_measure(rows, choice->work->next, NULL);
  outcome->regulariser = pl_rest_space_regularise(s->space, p, last, NULL, NULL);
  outcome->objective = 0.5 * outcome->goal_square + outcome->regulariser;
  outcome->residual = residual_of(choice);
}

// Steps that had to be shortened are followed by damped ones.
static const double DAMPING_GROWTH = 4;

static void adapt_damping(pl_actor_solver *s, double length) {
  if (length < PL_DAMPING_SHORT)
    s->damping = fmax(DAMPING_GROWTH * s->damping, PL_DAMPING_FIRST);
  else if (length == 1)
    s->damping = s->damping > PL_DAMPING_LAST ? PL_DAMPING_DECAY * s->damping : 0;
}

// Whether the optimality conditions hold: by p; by λ, roughly, as the equations are solved once more afterwards; and
// closing c would not change the objective, by λ·c.
static bool is_optimal(const pl_actor_solver *s, const pl_fem_choice *choice, const double *lambda, double tolerance,
                       double stationary) {
  double objective = 0.5 * s->goal_square + s->regulariser;
  double change = fabs(pl_actor_dot(s->n, lambda, choice->work->potential.gradient));
  return stationary <= tolerance && residual_of(choice) <= fmin(PL_ACTOR_NEAR, 10 * tolerance) &&
         change <= tolerance * objective;
}

static double objective_at(const pl_actor_solver *s, const pl_goal_rows *rows, const double *u, const double *last,
                           const double *p) {
  return pl_actor_goals_measure(rows, u, NULL) + pl_rest_space_regularise(s->space, p, last, NULL, NULL);
}

// The merit may fall while the objective grows, where the search began with equations far from solved. What it has
// found is then worse than the rest shape as it was: now and then a hundred times so, and a body that follows it
// convulses.
static void keep_better(pl_actor_solver *s, pl_fem_choice *choice, const pl_goal_rows *rows, const double *last,
                        double *p) {
  if (objective_at(s, rows, choice->work->next, last, p) <= WORSE * s->start_objective) return;
  memcpy(choice->work->next, s->start_u, (size_t)s->n * sizeof(double));
  memcpy(p, s->start_p, (size_t)s->P * sizeof(double));
  pl_actor_shape_use(s, choice, p);
}

// Near c = 0 with this p; where the search begins if that is better than what was tried before.
static pl_status try_start(pl_actor_solver *s, pl_fem_choice *choice, const pl_goal_rows *rows, const double *last,
                           const double *p, pl_error *error) {
  pl_actor_shape_use(s, choice, p);
  pl_status status = pl_actor_settle(s, choice, MAX_START, PL_ACTOR_NEAR, error);
  double objective = objective_at(s, rows, choice->work->next, last, p);
  if (status < 0 || !(objective < s->start_objective)) return status;
  memcpy(s->start_u, choice->work->next, (size_t)s->n * sizeof(double));
  memcpy(s->start_p, p, (size_t)s->P * sizeof(double));
  s->start_objective = objective;
  return PL_OK;
}

// Off the ground nothing leads back to it: a rest shape with which the feet lose the ground in this step is a minimum
// of its own. Two are tried.
static pl_status begin(pl_actor_solver *s, pl_fem_choice *choice, const pl_goal_rows *rows, const double *last,
                       double *p, pl_error *error) {
  size_t points = (size_t)s->n * sizeof(double), numbers = (size_t)s->P * sizeof(double);
  double *u = choice->work->next;
  s->start_objective = HUGE_VAL;
  memcpy(s->start_u, u, points);
  memcpy(s->start_p, p, numbers);
  memcpy(s->room2, u, points);
  pl_status status = try_start(s, choice, rows, last, p, error);
  if (status < 0 || memcmp(p, last, numbers) == 0) return status;
  memcpy(u, s->room2, points);
  status = try_start(s, choice, rows, last, last, error);
  memcpy(u, s->start_u, points);
  memcpy(p, s->start_p, numbers);
  pl_actor_shape_use(s, choice, p);
  return status;
}

static pl_status search(pl_actor_solver *s, const pl_actor_settings *settings, pl_fem_choice *choice,
                        const pl_goal_rows *rows, const double *last, double *p, double *lambda,
                        pl_actor_outcome *outcome, pl_error *error) {
  bool failed = false;
  pl_status status = begin(s, choice, rows, last, p, error);
  for (int32_t i = 0; status >= 0; ++i) {
    choice->work->potential.hold = i >= FRICTION_UPDATES;
    status = pl_actor_get_point_view(s, choice, rows, last, p, error);
    if (status >= 0) status = pl_actor_step_find(s, settings->hessian, choice, rows, lambda, error);
    if (status < 0) break;
    outcome->shift = fmax(outcome->shift, s->shift);
    outcome->stationary = pl_actor_point_stationary(s);
    for (int32_t k = 0; k < s->n; ++k) s->workspace[k] = lambda[k] - s->dlambda[k];
    outcome->converged = is_optimal(s, choice, s->workspace, settings->tolerance, outcome->stationary);
    if (outcome->converged || i == settings->max_iterations) break;
    double length = 0;
    status = pl_actor_line_search(s, choice, rows, last, p, lambda, &length, error);
    if (status < 0) break;
    outcome->iteration_count++;
    outcome->min_step = fmin(outcome->min_step, length);
    adapt_damping(s, length);
    if (length == 0 && failed) break;
    failed = length == 0;
    if (failed) status = pl_actor_settle(s, choice, MAX_RESTORATIONS, settings->tolerance, error);
  }
  return status;
}

pl_status pl_actor_solver_run(pl_actor_solver *s, const pl_actor_settings *settings, pl_fem_choice *choice,
                              const pl_goal_rows *rows, const double *last, double *p, double *lambda,
                              pl_actor_outcome *outcome, pl_error *error) {
  assert(rows->count <= s->max_rows);
  *outcome = (pl_actor_outcome){.converged = true, .min_step = 1};
  if (!pl_actor_rows_ask(rows)) {
    memcpy(p, last, (size_t)s->P * sizeof(double));
    return PL_OK;
  }
  pl_fem_work *w = choice->work;
  outcome->converged = false;
  s->merit_weight = s->damping = 0;
  s->last_length = 1;
  pl_status status = search(s, settings, choice, rows, last, p, lambda, outcome, error);
  w->potential.hold = false;
  if (status < 0) return status;
  keep_better(s, choice, rows, last, p);
  pl_fem_potential_evaluate(&w->potential, w->next, false, false);
  finish(s, rows, choice, last, p, outcome);
  return PL_OK;
}

pl_status pl_actor_solver_solve(pl_actor_solver *s, const pl_block_matrix *matrix, const double *rhs, double *x,
                                double *shift, pl_error *error) {
  pl_status status = pl_actor_factor_run(s->factor, matrix, shift, error);
  return status < 0 ? status : pl_actor_factor_solve(s->factor, rhs, 1, x, error);
}

pl_status pl_actor_solver_direction(pl_actor_solver *s, const pl_actor_settings *settings, pl_fem_choice *choice,
                                    const pl_goal_rows *rows, const double *last, const double *p, const double *lambda,
                                    double *du, double *dp, double *dlambda, pl_error *error) {
  assert(rows->count <= s->max_rows);
  pl_actor_shape_use(s, choice, p);
  pl_status status = pl_actor_get_point_view(s, choice, rows, last, p, error);
  if (status >= 0) status = pl_actor_step_find(s, settings->hessian, choice, rows, lambda, error);
  if (status < 0) return status;
  memcpy(du, s->du, (size_t)s->n * sizeof(double));
  memcpy(dp, s->dp, (size_t)s->P * sizeof(double));
  memcpy(dlambda, s->dlambda, (size_t)s->n * sizeof(double));
  return PL_OK;
}
