// Planning several steps at once.
//
//   minimise     Σ_k ½ |goals at the end of step k|² + r(p_k; p_{k-1})
//   subject to   c(u_k, p_k; x_k, v_k) = 0,   k = 0 … H - 1
//
// x_k, v_k is where step k - 1 ends. Goals, contact and friction are those of every planned step; what the behaviour
// asks for now is taken to hold until the end of the plan. Only p_0 is used, and the next step plans again (receding
// horizon). With H = 1 this is the problem of actor_solver.h.
//
// Method. The equations of a step can always be solved, so they are: going through the plan for given p
// (actor_horizon_roll.c) makes the objective a function of p alone, Σ_k ½ |g_k(p)|²
// + r. Its derivatives J = ∂g/∂p come from one pass backwards in time, over the blocks D_k and E_k of the single steps:
// one solve with D_k for each goal of step k and of all later ones, H (H + 1) / 2 for each row. Then Gauss and Newton,
//
//   (r'' + JᵀJ) dp = r' + Jᵀ g
//
// with r'' block tridiagonal, as p_{k-1} is what p_k is compared with, and the length of the step halved until the
// objective falls. All planned rest shapes begin as the last step's, not as the last plan's: what an actor does depends
// on the state of the world alone.
//
// r is quadratic in p_k - p_{k-1}, with the matrix Q; so ∂r(p; q)/∂p less the same with q = p is Q (p - q), which is
// where Q comes from, and minus ∂r/∂q.
#include "actor/actor_horizon.h"

#include <math.h>
#include <string.h>

#include "actor/actor_horizon_parts.h"
#include "base/error.h"
#include "base/scratch.h"

enum { MAX_LENGTHS = 3, LEVEL_COUNT = 2 };
static const double SHORTENING = 0.25;
static const double FALL = 1e-4;         // of the fall that the gradient promises (Armijo)
static const double DAMPING_GROWTH = 8;  // faster than in a single step: a trial costs a whole plan
static const double USUAL_STEP = 0.01;   // s: chooses solvers only, the plan brings its own step

// --- memory ---------------------------------------------------------------------------------------------------------

static void take_state(pl_actor_horizon *z, pl_fem_state *state, bool with_rest) {
  pl_arena *arena = &z->arena;
  state->positions = PL_TAKE(arena, double, z->n);
  state->velocities = PL_TAKE(arena, double, z->n);
  state->anchors = PL_TAKE(arena, double, 4 * (size_t)z->model->head.surface.point_count);
  for (int32_t g = 0; with_rest && g < z->model->group_count; ++g) {
    const pl_fem_group *group = &z->model->groups[g];
    state->rest[g] = PL_TAKE(arena, double, 3 * (size_t)group->corner_count * (size_t)group->element_count);
  }
}

static pl_status solve_direct(void *user, const pl_block_matrix *matrix, const double *right, double *x, double *shift,
                              pl_error *error) {
  pl_plan_step *step = user;
  pl_status status = pl_actor_factor_run(step->factor, matrix, shift, error);
  return status < 0 ? status : pl_actor_factor_solve(step->factor, right, 1, x, error);
}

static pl_status take_step(pl_actor_horizon *z, pl_context *context, pl_plan_step *step, pl_error *error) {
  pl_arena *arena = &z->arena;
  void *work = NULL;
  take_state(z, &step->state, true);
  step->moved = PL_TAKE(arena, double, z->n);
  step->held = PL_TAKE(arena, double, 3 * (size_t)z->n);
  step->goals = PL_TAKE(arena, double, z->max_rows);
  if (arena->failed || !pl_block_matrix_take(arena, &z->model->pattern, &step->cross)) return pl_fail_memory(error);
  pl_status status = pl_fem_create_work(&z->model->head, context, USUAL_STEP, &work, error);
  step->work = work;
  step->direct = (pl_fem_direct){.solve = solve_direct, .user = step};
  return status < 0 ? status : pl_actor_factor_create(context, z->model, &step->factor, error);
}

static bool take_arrays(pl_actor_horizon *z) {
  pl_arena *arena = &z->arena;
  size_t n = (size_t)z->n, P = (size_t)z->P, all = (size_t)z->H * P, rows = (size_t)z->H * (size_t)z->max_rows;
  z->rate = PL_TAKE(arena, double, P *P);
  z->hessian = PL_TAKE(arena, double, P *P);
  z->p = PL_TAKE(arena, double, all);
  z->trial = PL_TAKE(arena, double, all);
  z->gradient = PL_TAKE(arena, double, all);
  z->dp = PL_TAKE(arena, double, all);
  z->J = PL_TAKE(arena, double, rows *all);
  z->pulled = PL_TAKE(arena, double, rows *P);
  z->by_x = PL_TAKE(arena, double, rows *n);
  z->by_v = PL_TAKE(arena, double, rows *n);
  z->rhs = PL_TAKE(arena, double, rows *n);
  z->lambda = PL_TAKE(arena, double, rows *n);
  z->workspace = PL_TAKE(arena, double, n + P);
  z->room2 = PL_TAKE(arena, double, n + P);
  take_state(z, &z->end, false);
  return pl_dense_factor_take(arena, (int32_t)all, &z->small) && !arena->failed;
}

// Q, column by column.
static void find_rate(pl_actor_horizon *z) {
  size_t P = (size_t)z->P;
  double *here = z->workspace, *moved = z->room2;
  memset(z->p, 0, P * sizeof(double));
  memset(z->trial, 0, P * sizeof(double));
  pl_rest_space_regularise(z->space, z->p, z->p, here, NULL);
  for (size_t j = 0; j < P; ++j) {
    z->trial[j] = -1;
    pl_rest_space_regularise(z->space, z->p, z->trial, moved, NULL);
    z->trial[j] = 0;
    for (size_t i = 0; i < P; ++i) z->rate[i * P + j] = moved[i] - here[i];
  }
}

pl_status pl_actor_horizon_create(pl_context *context, const pl_fem_model *model, pl_rest_space *space,
                                  int32_t max_rows, int32_t step_count, pl_actor_horizon **horizon, pl_error *error) {
  *horizon = NULL;
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_actor_horizon *z = PL_TAKE(&arena, pl_actor_horizon, 1);
  if (z == NULL) return pl_fail_memory(error);
  z->arena = arena;
  z->model = model;
  z->space = space;
  z->n = 3 * model->head.particle_count;
  z->P = pl_rest_space_size(space);
  z->max_rows = max_rows;
  z->H = step_count;
  z->max_square = HUGE_VAL;
  z->steps = PL_TAKE(&z->arena, pl_plan_step, step_count);
  pl_status status = z->steps != NULL && take_arrays(z) ? PL_OK : pl_fail_memory(error);
  for (int32_t k = 0; status >= 0 && k < step_count; ++k) status = take_step(z, context, &z->steps[k], error);
  if (status < 0) {
    pl_actor_horizon_destroy(z);
    return status;
  }
  find_rate(z);
  *horizon = z;
  return PL_OK;
}

void pl_actor_horizon_destroy(pl_actor_horizon *horizon) {
  if (horizon == NULL) return;
  for (int32_t k = 0; horizon->steps != NULL && k < horizon->H; ++k) {
    pl_actor_factor_destroy(horizon->steps[k].factor);
    if (horizon->steps[k].work != NULL) pl_fem_destroy_work(horizon->steps[k].work);
  }
  pl_arena arena = horizon->arena;
  pl_arena_destroy(&arena);
}

// --- the objective --------------------------------------------------------------------------------------------------

static const double *before(const pl_actor_horizon *z, const double *p, const double *last, int32_t k) {
  return k > 0 ? p + (size_t)(k - 1) * (size_t)z->P : last;
}

static double regularise(pl_actor_horizon *z, const double *p, const double *last) {
  double sum = 0;
  for (int32_t k = 0; k < z->H; ++k)
    sum += pl_rest_space_regularise(z->space, p + (size_t)k * (size_t)z->P, before(z, p, last, k), NULL, NULL);
  return sum;
}

// r' and r'' of the whole plan into the gradient and the small matrix.
static void evaluate_regulariser(pl_actor_horizon *z, const double *last) {
  size_t P = (size_t)z->P, all = (size_t)z->H * P;
  double *K = z->small.values, *own = z->workspace, *still = z->room2;
  memset(K, 0, all * all * sizeof(double));
  memset(z->gradient, 0, all * sizeof(double));
  for (int32_t k = 0; k < z->H; ++k) {
    const double *p = z->p + (size_t)k * P;
    size_t at = (size_t)k * P;
    pl_rest_space_regularise(z->space, p, p, still, NULL);
    pl_rest_space_regularise(z->space, p, before(z, z->p, last, k), own, z->hessian);
    for (size_t i = 0; i < P; ++i) {
      z->gradient[at + i] += own[i];
      if (k > 0) z->gradient[at - P + i] -= own[i] - still[i];
      for (size_t j = 0; j < P; ++j) {
        K[(at + i) * all + at + j] += z->hessian[i * P + j];
        if (k == 0) continue;
        K[(at - P + i) * all + at - P + j] += z->rate[i * P + j];
        K[(at + i) * all + at - P + j] -= z->rate[i * P + j];
      }
    }
  }
}

// K with its factor, the gradient and the step.
static pl_status find_step(pl_actor_horizon *z, const pl_plan_rows *rows, const double *last, double damping,
                           pl_actor_outcome *outcome, pl_error *error) {
  size_t all = (size_t)z->H * (size_t)z->P, count = (size_t)rows->rows.count;
  for (double shift = 0; shift<PL_SHIFT_MAX; shift = shift> 0 ? PL_SHIFT_GROWTH * shift : PL_SHIFT_FIRST) {
    double *K = z->small.values, max = 0;
    evaluate_regulariser(z, last);
    for (size_t r = 0; r < (size_t)z->H * count; ++r) {
      const double *row = z->J + r * all;
      double goal = z->steps[r / count].goals[r % count];
      for (size_t i = 0; i < all; ++i) {
        z->gradient[i] += goal * row[i];
        for (size_t j = 0; row[i] != 0 && j <= i; ++j) K[i * all + j] += row[i] * row[j];
      }
    }
    for (size_t i = 0; i < all; ++i) max = fmax(max, K[i * all + i]);
    for (size_t i = 0; i < all; ++i) K[i * all + i] += damping * K[i * all + i] + shift * (max > 0 ? max : 1);
    outcome->shift = fmax(outcome->shift, shift);
    if (pl_dense_factor_run(&z->small, false) != 0) continue;
    memcpy(z->dp, z->gradient, all * sizeof(double));
    pl_dense_factor_solve(&z->small, z->dp);
    return PL_OK;
  }
  return pl_fail(error, PL_ERROR_NOT_FINITE, "goals or regulariser of a plan have derivatives that are not finite");
}

// --- the search -----------------------------------------------------------------------------------------------------

// Go along the step as far as the objective falls. `*length` 0: nowhere; the plan is then gone through as before.
static pl_status search_line(pl_actor_horizon *z, pl_fem_choice *choice, const pl_plan_rows *rows, const double *last,
                             double *objective, double *length, pl_error *error) {
  size_t all = (size_t)z->H * (size_t)z->P;
  double promise = 0, square = 0;
  for (size_t i = 0; i < all; ++i) promise += z->gradient[i] * z->dp[i];
  *length = 1;
  for (int k = 0; k < MAX_LENGTHS; ++k, *length *= SHORTENING) {
    for (size_t i = 0; i < all; ++i) z->trial[i] = z->p[i] - *length * z->dp[i];
    double cost = regularise(z, z->trial, last), wanted = *objective - FALL * *length * promise;
    z->max_square = 2 * (wanted - cost);
    pl_status status = cost <= wanted ? pl_horizon_roll(z, choice, rows, z->trial, &square, error) : PL_OK;
    z->max_square = HUGE_VAL;
    if (status < 0) return status;
    if (!(0.5 * square + cost <= wanted)) continue;
    memcpy(z->p, z->trial, all * sizeof(double));
    *objective = 0.5 * square + cost;
    return PL_OK;
  }
  *length = 0;
  return pl_horizon_roll(z, choice, rows, z->p, &square, error);
}

// How exactly steps of the plan are solved: the search asks for the root of what the objective can still fall by, and
// an error of the forces changes the objective by as much.
static void choose_tolerance(pl_actor_horizon *z, double tolerance) {
  for (int32_t k = 0; k < z->H; ++k)
    z->steps[k].work->newton.tolerance = fmax(z->model->newton_tolerance, tolerance * tolerance);
}

static pl_status search(pl_actor_horizon *z, const pl_actor_settings *settings, pl_fem_choice *choice,
                        const pl_plan_rows *rows, const double *last, pl_actor_outcome *outcome, pl_error *error) {
  double square = 0, damping = 0;
  int32_t level_count = 0;
  bool is_level_short = false, moved = true;
  z->is_warm = false;
  choose_tolerance(z, settings->tolerance);
  pl_status status = pl_horizon_roll(z, choice, rows, z->p, &square, error);
  double objective = 0.5 * square + regularise(z, z->p, last), level = objective;
  for (int32_t i = 0; status >= 0; ++i) {
    double promise = 0, length = 0;
    if (moved) status = pl_horizon_differentiate(z, rows, error);  // else the derivatives are those of before
    if (status >= 0) status = find_step(z, rows, last, damping, outcome, error);
    if (status < 0) break;
    for (size_t k = 0; k < (size_t)z->H * (size_t)z->P; ++k) promise += z->gradient[k] * z->dp[k];
    outcome->stationary = objective > 0 ? sqrt(fmax(promise, 0) / (2 * objective)) : 0;
    outcome->converged = outcome->stationary <= settings->tolerance || (level_count >= LEVEL_COUNT && is_level_short);
    if (outcome->converged || i == settings->max_iterations) break;
    status = search_line(z, choice, rows, last, &objective, &length, error);
    outcome->iteration_count++;
    outcome->min_step = fmin(outcome->min_step, length);
    moved = length > 0;
    if (!moved && damping > 1) break;
    if (length < PL_DAMPING_SHORT)
      damping = fmax(DAMPING_GROWTH * damping, PL_DAMPING_FIRST);
    else if (length == 1)
      damping = damping > PL_DAMPING_LAST ? PL_DAMPING_DECAY * damping : 0;
    bool falls = objective < (1 - settings->tolerance) * level;
    if (falls) level = objective;
    level_count = falls ? 0 : level_count + (length > 0);
    is_level_short = !falls && (is_level_short || length < 1);
  }
  outcome->objective = objective;
  outcome->regulariser = regularise(z, z->p, last);
  outcome->goal_square = 2 * (objective - outcome->regulariser);
  return status;
}

pl_status pl_actor_horizon_run(pl_actor_horizon *z, const pl_actor_settings *settings, pl_fem_choice *choice,
                               const pl_plan_rows *rows, const double *last, double *p, pl_actor_outcome *outcome,
                               pl_error *error) {
  *outcome = (pl_actor_outcome){.converged = true, .min_step = 1};
  if (!pl_actor_rows_ask(&rows->rows)) return PL_OK;
  size_t P = (size_t)z->P;
  for (int32_t k = 0; k < z->H; ++k) memcpy(z->p + (size_t)k * P, p, P * sizeof(double));
  outcome->converged = false;
  pl_scratch_mark mark = pl_scratch_push(choice->move->scratch);
  pl_status status = search(z, settings, choice, rows, last, outcome, error);
  pl_scratch_pop(choice->move->scratch, mark);
  if (status < 0) return status;
  pl_fem_work *w = choice->work;
  memcpy(p, z->p, P * sizeof(double));
  memcpy(w->next, z->steps[0].work->next, (size_t)z->n * sizeof(double));
  pl_rest_space_shape(z->space, p, choice->state.rest);
  pl_fem_system_use(&w->system, (const double *const *)choice->state.rest, NULL);
  pl_fem_potential_evaluate(&w->potential, w->next, false, false);
  outcome->residual = w->potential.size > 0 ? pl_fem_potential_residual(&w->potential) / w->potential.size : 0;
  return PL_OK;
}
