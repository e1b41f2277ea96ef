// Sequential quadratic programming for one step of an actor (paper 004, section 6; Nocedal and Wright 2006, chapter
// 18).
//
// From u and p, where the step's equations are linearised: the step of actor_solver_blocks.c, as far along it as the
// merit falls (actor_solver_search.c), and again, until the optimality conditions hold. They are measured without
// units: c against the forces that balance; the gradient of the objective by p along c = 0, which is r' + Jᵀ g, in the
// norm √(v K⁻¹ v), against the root of the objective: a fraction of t leaves about t² of the objective to be gained.
//
// What contact does to it. Points stick or slip, touch or do not: along c = 0 the objective has kinks, and minima tend
// to lie in them, where the gradient does not vanish. So the search learns from where it has been how the gradient
// changes across them (actor_solver_memory.c). Where no length of a step is good, the equations are solved at a small
// one: either it is better after all, or its gradient is the lesson for the next step from the same point. Caps of
// friction are found again at each of the first points, then held: otherwise searches go round in circles.
//
// A search is finished when the optimality conditions hold, or when the equations are solved and LEVEL_COUNT moves in
// a row, some of them shortened, have gained less than the tolerance altogether: slow descent along a kink is not worth
// its time.
//
// Before friction is held, and with exact second derivatives, nothing is learnt; there, where steps had to be
// shortened, the coming ones are damped (Levenberg and Marquardt): K's diagonal is raised by a factor that grows and
// falls again.
#include "actor/actor_solver.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "actor/actor_solver_parts.h"
#include "base/error.h"

enum { MAX_START = 6, FRICTION_UPDATES = 4, LEVEL_COUNT = 2 };
// Solving the equations again within a search: Newton's iterations, how often for points far from c = 0, and how often
// for lessons.
enum { MAX_SETTLE = 25, MAX_RESTORATIONS = 4, MAX_LESSONS = 12 };
// |c| against the forces that balance: where gradients along c = 0 can be compared, and where equations are solved for
// that.
static const double SOLVED = 1e-3, RESTORED = 1e-5;
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
  s->held_u = PL_TAKE(arena, double, n);
  s->held_p = PL_TAKE(arena, double, P);
  s->whole = PL_TAKE(arena, double, P);
  s->memory_p = PL_TAKE(arena, double, PL_ACTOR_MEMORY *P);
  s->memory_g = PL_TAKE(arena, double, PL_ACTOR_MEMORY *P);
  s->memory_last = PL_TAKE(arena, double, 3 * P);
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
  s->bends = true;
  s->cage = pl_cage_kernels_choose();
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

// To where the search began.
static void go_back(pl_actor_solver *s, pl_fem_choice *choice, double *p) {
  s->is_evaluated = false;
  memcpy(choice->work->next, s->start_u, (size_t)s->n * sizeof(double));
  memcpy(p, s->start_p, (size_t)s->P * sizeof(double));
  pl_actor_shape_use(s, choice, p);
}

// The merit may fall while the objective grows, where the search began with equations far from solved. What it has
// found is then worse than the rest shape as it was: now and then a hundred times so, and a body that follows it
// convulses.
static void keep_better(pl_actor_solver *s, pl_fem_choice *choice, const pl_goal_rows *rows, const double *last,
                        double *p) {
  if (objective_at(s, rows, choice->work->next, last, p) <= WORSE * s->start_objective) return;
  go_back(s, choice, p);
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

// A search under way.
typedef struct actor_search {
  pl_actor_solver *solver;
  const pl_actor_settings *settings;
  pl_fem_choice *choice;
  const pl_goal_rows *rows;
  const double *last;
  double *p, *lambda;
  double level;         // objective from which the points since have gained less than the tolerance
  int32_t level_count;  // these points
  bool is_level_short;  // some move between them was shortened
  int32_t restoration_count, lesson_count;
  int32_t row_count;  // lessons since the last move
} actor_search;

// Off the ground nothing leads back to it: a rest shape with which the feet lose the ground in this step is a minimum
// of its own. Two are tried, both from where the step begins: where the first has come to, feet may have lost the
// ground, and friction with it. A first one that is no worse than what the last step was left with is good enough. One
// half as bad again would nearly always be, too, and save up to a tenth of the time, but bodies fall in the other
// steps.
static pl_status begin(const actor_search *it, pl_error *error) {
  pl_actor_solver *s = it->solver;
  pl_fem_choice *choice = it->choice;
  const double *last = it->last;
  double *p = it->p;
  size_t points = (size_t)s->n * sizeof(double), numbers = (size_t)s->P * sizeof(double);
  double *u = choice->work->next;
  s->start_objective = HUGE_VAL;
  memcpy(s->start_u, u, points);
  memcpy(s->start_p, p, numbers);
  memcpy(s->room2, u, points);
  pl_status status = try_start(s, choice, it->rows, last, p, error);
  if (status < 0 || memcmp(p, last, numbers) == 0) return status;
  if (s->start_objective <= it->settings->usual_objective) return PL_OK;
  memcpy(u, s->room2, points);
  status = try_start(s, choice, it->rows, last, last, error);
  memcpy(u, s->start_u, points);
  memcpy(p, s->start_p, numbers);
  pl_actor_shape_use(s, choice, p);
  return status;
}

static double objective_of(const pl_actor_solver *s) {
  return 0.5 * s->goal_square + s->regulariser;
}

static pl_status find_step(const actor_search *it, pl_error *error) {
  pl_actor_solver *s = it->solver;
  pl_status status = pl_actor_get_point_view(s, it->choice, it->rows, it->last, it->p, error);
  if (status < 0) return status;
  return pl_actor_step_find(s, it->settings->hessian, it->choice, it->rows, it->p, it->lambda, error);
}

static bool is_finished(actor_search *it, bool held, pl_actor_outcome *outcome) {
  pl_actor_solver *s = it->solver;
  outcome->shift = fmax(outcome->shift, s->shift);
  outcome->stationary = pl_actor_point_stationary(s);
  for (int32_t k = 0; k < s->n; ++k) s->workspace[k] = it->lambda[k] - s->dlambda[k];
  if (is_optimal(s, it->choice, s->workspace, it->settings->tolerance, outcome->stationary)) return true;
  if (!held || residual_of(it->choice) > SOLVED) return false;
  double objective = objective_of(s);
  bool falls = it->level_count == 0 || objective < (1 - it->settings->tolerance) * it->level;
  if (falls) it->level = objective;
  it->level_count = falls ? 1 : it->level_count + 1;
  it->is_level_short = it->is_level_short && !falls;
  return it->level_count > LEVEL_COUNT && it->is_level_short;
}

// Solve the equations a small way along the step. Where that is no better, go back and keep what was learnt.
static pl_status try_restored(actor_search *it, pl_error *error) {
  pl_actor_solver *s = it->solver;
  double *u = it->choice->work->next, before = objective_of(s), length = ldexp(1, -5 - 2 * it->row_count);
  memcpy(s->held_u, u, (size_t)s->n * sizeof(double));
  memcpy(s->held_p, it->p, (size_t)s->P * sizeof(double));
  for (int32_t k = 0; k < s->n; ++k) u[k] -= length * s->du[k];
  for (int32_t k = 0; k < s->P; ++k) it->p[k] -= length * s->dp[k];
  pl_actor_shape_use(s, it->choice, it->p);
  pl_status status = pl_actor_settle(s, it->choice, MAX_SETTLE, RESTORED, error);
  bool solved = status >= 0 && residual_of(it->choice) < SOLVED;
  if (solved && objective_at(s, it->rows, u, it->last, it->p) < before) return PL_OK;
  if (solved) status = find_step(it, error);
  if (status == PL_ERROR_NOT_FINITE) status = PL_OK;  // elements inside out: not a place to learn from
  s->is_evaluated = false;
  memcpy(u, s->held_u, (size_t)s->n * sizeof(double));
  memcpy(it->p, s->held_p, (size_t)s->P * sizeof(double));
  pl_actor_shape_use(s, it->choice, it->p);
  pl_actor_memory_part(s);
  return status;
}

// What is to be done where no length of a step is good, with that |c|; `*ends` if nothing is.
static pl_status recover(actor_search *it, double residual, bool *ends, pl_error *error) {
  bool learns = it->settings->hessian == PL_ACTOR_GAUSS_NEWTON;
  if (learns && residual <= SOLVED) {
    *ends = it->lesson_count++ == MAX_LESSONS;
    pl_status status = *ends ? PL_OK : try_restored(it, error);
    it->row_count++;
    return status;
  }
  *ends = it->restoration_count++ == (learns ? MAX_RESTORATIONS : 1);
  if (*ends) return PL_OK;
  pl_status status = pl_actor_settle(it->solver, it->choice, MAX_SETTLE, 0.1 * SOLVED, error);
  pl_actor_memory_part(it->solver);
  *ends = learns && !(residual_of(it->choice) < 0.5 * residual);
  return status;
}

static pl_status search(actor_search *it, pl_actor_outcome *outcome, pl_error *error) {
  pl_actor_solver *s = it->solver;
  pl_status status = begin(it, error);
  bool ends = false;
  for (int32_t i = 0; status >= 0 && !ends; ++i) {
    bool held = i >= FRICTION_UPDATES;
    it->choice->work->potential.hold = held;
    bool learns = held && it->settings->hessian == PL_ACTOR_GAUSS_NEWTON;
    if (i <= FRICTION_UPDATES) pl_actor_memory_clear(s);
    if (learns) s->damping = 0;
    s->bends = i % FRICTION_UPDATES == 0 || it->settings->hessian == PL_ACTOR_EXACT;
    status = find_step(it, error);
    if (status == PL_ERROR_NOT_FINITE && i > 0) {
      go_back(s, it->choice, it->p);
      status = PL_OK;
      break;
    }
    if (status < 0) break;
    outcome->converged = is_finished(it, held, outcome);
    if (outcome->converged || i == it->settings->max_iterations) break;
    double length = 0, residual = residual_of(it->choice);
    status = pl_actor_line_search(s, it->choice, it->rows, it->last, it->p, it->lambda, &length, error);
    if (status < 0) break;
    outcome->iteration_count++;
    outcome->min_step = fmin(outcome->min_step, length);
    if (!learns) adapt_damping(s, length);
    it->is_level_short = it->is_level_short || length < 1;
    if (length > 0)
      it->row_count = 0;
    else
      status = recover(it, residual, &ends, error);
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
  s->first_length = 1;
  s->is_evaluated = false;
  actor_search it = {s, settings, choice, rows, last, p, lambda, .level = 0};
  // A factor in tiles has no z of bodies in a plane.
  w->potential.without_z = s->model->planar && pl_actor_factor_is_direct(s->factor);
  w->potential.without_z = w->potential.without_z && settings->hessian == PL_ACTOR_GAUSS_NEWTON;
  w->potential.lower = pl_fem_system_has_lower(s->model) && pl_actor_factor_is_direct(s->factor) &&
                       settings->hessian == PL_ACTOR_GAUSS_NEWTON;
  pl_status status = search(&it, outcome, error);
  w->potential.hold = w->potential.without_z = w->potential.lower = false;
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
  pl_actor_memory_clear(s);
  s->bends = true;
  pl_status status = pl_actor_get_point_view(s, choice, rows, last, p, error);
  if (status >= 0) status = pl_actor_step_find(s, settings->hessian, choice, rows, p, lambda, error);
  if (status < 0) return status;
  memcpy(du, s->du, (size_t)s->n * sizeof(double));
  memcpy(dp, s->dp, (size_t)s->P * sizeof(double));
  memcpy(dlambda, s->dlambda, (size_t)s->n * sizeof(double));
  return PL_OK;
}
