// Going through a plan, and its derivatives backwards in time. actor_horizon.c says what for.
//
// A step with τ, r, S as in fem_step.c (S = 0 where nothing touches; in the first-order scheme v' = v̄):
//
//   c(u, p, x, v) = 0        x' = x + r (u - x)        v' = (2 - S) v̄ - (1 - S) v        v̄ = (u - x) / τ
//
// For a goal with derivatives a, b by x', v' at the end of some step, its derivatives by what that step begins with
// follow from one solve,
//
//   D λ = r a + (2 - S) b / τ         by p   -Eᵀ λ
//                                     by x   (1 - r) a - (2 - S) b / τ - (∂c/∂x)ᵀ λ
//                                     by v   -(1 - S) b - (∂c/∂v)ᵀ λ
//
// and continue as a and b of the step before. Of c, inertia gives ∂c/∂x = -(c₀ + drag) M and ∂c/∂v = -M/τ; contact acts
// at (1 - r) x + r u and gives (1 - r)/r of its part in D; of damping, which compares u with x, minus its part in D is
// taken, which is right for small changes of shape. Derivatives of S, of friction's caps and of its anchors are left
// out.
#include <math.h>
#include <string.h>

#include "actor/actor_horizon_parts.h"
#include "base/error.h"
#include "fem/fem_viscous.h"
#include "math/mat3.h"

static bool is_midpoint(const pl_actor_horizon *z) {
  return z->model->scheme == PL_FEM_SECOND_ORDER;
}

// S of the contacts as last evaluated: its three columns by particle, from what it makes of unit changes.
static void find_held(const pl_actor_horizon *z, pl_plan_step *step) {
  int32_t count = z->model->head.particle_count;
  memset(step->held, 0, 9 * (size_t)count * sizeof(double));
  if (!is_midpoint(z) || !pl_fem_contacts_any(&step->work->contacts)) return;
  double *changes = z->workspace;
  for (int axis = 0; axis < 3; ++axis) {
    for (int32_t i = 0; i < z->n; ++i) changes[i] = i % 3 == axis;
    pl_fem_contacts_suppress(&step->work->contacts, 1 / (z->tau * z->tau), step->work->blocks, changes);
    for (int32_t i = 0; i < count; ++i)
      for (int k = 0; k < 3; ++k) step->held[9 * (ptrdiff_t)i + 3 * k + axis] = changes[3 * i + k];
  }
}

// y = S b
static void multiply_held(const pl_plan_step *step, int32_t n, const double *b, double *y) {
  for (int32_t i = 0; i < n; ++i) {
    const double *row = step->held + 3 * (ptrdiff_t)i, *at = b + i / 3 * 3;
    y[i] = row[0] * at[0] + row[1] * at[1] + row[2] * at[2];
  }
}

// The state that a solved step ends in.
static void finish_step(pl_actor_horizon *z, pl_plan_step *step, pl_fem_state end) {
  pl_fem_work *w = step->work;
  double tau = z->tau, reach = pl_fem_reach(z->model);
  const double *x = step->state.positions, *v = step->state.velocities;
  find_held(z, step);
  for (int32_t i = 0; i < z->n; ++i) z->workspace[i] = (w->next[i] - x[i]) / tau - v[i];
  multiply_held(step, z->n, z->workspace, z->room2);
  for (int32_t i = 0; i < z->n; ++i) {
    double mean = (w->next[i] - x[i]) / tau;
    end.positions[i] = x[i] + reach * (w->next[i] - x[i]);
    end.velocities[i] = is_midpoint(z) && !pl_actor_is_fixed(w, i) ? 2 * mean - v[i] - z->room2[i] : mean;
  }
  size_t anchors = 4 * (size_t)z->model->head.surface.point_count * sizeof(double);
  memcpy(end.anchors, step->state.anchors, anchors);
  if (w->contacts.collider_count > 0) pl_fem_contacts_settle(&w->contacts, w->next, end.anchors);
}

static double measure_goals(const pl_plan_rows *rows, pl_fem_state end, double *goals) {
  double square = 0;
  for (int32_t k = 0; k < rows->rows.count; ++k) {
    goals[k] = -rows->targets[k];
    for (int32_t i = rows->rows.start[k]; i < rows->rows.start[k + 1]; ++i) {
      int32_t slot = rows->rows.slots[i];
      goals[k] += rows->rows.weights[i] *
                  (rows->positions_by[k] * end.positions[slot] + rows->speeds_by[k] * end.velocities[slot]);
    }
    square += goals[k] * goals[k];
  }
  return square;
}

// From where the step moved to when the plan was gone through last: plans that are tried one after the other differ
// little, and one or two iterations of Newton's method are enough.
static pl_status solve_step(pl_actor_horizon *z, pl_plan_step *step, pl_error *error) {
  pl_fem_work *w = step->work;
  for (int32_t i = 0; z->is_warm && i < z->n; ++i)
    if (!pl_actor_is_fixed(w, i)) w->next[i] = step->state.positions[i] + step->moved[i];
  pl_fem_report report = {0};
  w->newton.direct = &step->direct;
  pl_status status = pl_fem_newton_minimise(&w->newton, w->next, &report, error);
  for (int32_t i = 0; i < z->n; ++i) step->moved[i] = w->next[i] - step->state.positions[i];
  return status;
}

pl_status pl_horizon_roll(pl_actor_horizon *z, pl_fem_choice *choice, const pl_plan_rows *rows, const double *p,
                          double *square, pl_error *error) {
  const pl_fem_model *model = z->model;
  size_t n = (size_t)z->n, anchors = 4 * (size_t)model->head.surface.point_count;
  memcpy(z->steps[0].state.positions, choice->state.positions, n * sizeof(double));
  memcpy(z->steps[0].state.velocities, choice->state.velocities, n * sizeof(double));
  memcpy(z->steps[0].state.anchors, choice->state.anchors, anchors * sizeof(double));
  z->tau = pl_fem_inner_step(model, choice->move->step);
  *square = 0;
  for (int32_t k = 0; k < z->H; ++k) {
    pl_plan_step *step = &z->steps[k];
    pl_body_move move = *choice->move;
    move.time += k * move.step;
    pl_rest_space_shape(z->space, p + (size_t)k * (size_t)z->P, step->state.rest);
    if (!pl_fem_prepare_step(model, step->work, step->state, &move)) return pl_fail_memory(error);
    pl_status status = solve_step(z, step, error);
    if (status < 0) return status;
    pl_fem_state end = k + 1 < z->H ? z->steps[k + 1].state : z->end;
    finish_step(z, step, end);
    *square += measure_goals(rows, end, step->goals);
    if (*square > z->max_square) return PL_OK;  // the steps that are left have guesses of the plan before
  }
  z->is_warm = true;
  return PL_OK;
}

// D with its factor, the map E and ∂c/∂x of a step, with friction as it was solved.
static pl_status evaluate_step(pl_actor_horizon *z, pl_plan_step *step, pl_error *error) {
  pl_fem_work *w = step->work;
  pl_context *context = w->system.context;
  double shift = 0, reach = pl_fem_reach(z->model);
  bool held = w->potential.hold;
  w->potential.hold = true;
  pl_fem_potential_evaluate(&w->potential, w->next, true, false);
  w->potential.hold = held;
  pl_status status = pl_actor_factor_run(step->factor, w->potential.matrix, &shift, error);
  if (status < 0) return status;
  pl_block_matrix_clear(context, &step->cross);
  if (w->contacts.collider_count > 0) pl_fem_contacts_add_matrix(&w->contacts, &step->cross);
  for (ptrdiff_t i = 0; i < 9 * (ptrdiff_t)z->model->pattern.block_count; ++i)
    step->cross.values[i] *= (1 - reach) / reach;
  if (w->potential.viscous != NULL)
    pl_fem_viscous_evaluate(&w->system, w->potential.base, -w->potential.damping_factor, w->next, z->workspace,
                            &step->cross, false);
  pl_rest_space_mixed_get_view(z->space, &w->system, w->next);
  return PL_OK;
}

// a and b of the goals at the end of step k.
static void begin_rows(pl_actor_horizon *z, int32_t k, const pl_plan_rows *rows) {
  size_t n = (size_t)z->n, first = (size_t)k * (size_t)rows->rows.count;
  for (int32_t r = 0; r < rows->rows.count; ++r) {
    double *a = z->by_x + (first + (size_t)r) * n, *b = z->by_v + (first + (size_t)r) * n;
    memset(a, 0, n * sizeof(double));
    memset(b, 0, n * sizeof(double));
    for (int32_t i = rows->rows.start[r]; i < rows->rows.start[r + 1]; ++i) {
      a[rows->rows.slots[i]] += rows->rows.weights[i] * rows->positions_by[r];
      b[rows->rows.slots[i]] += rows->rows.weights[i] * rows->speeds_by[r];
    }
  }
}

// The part of a right-hand side that comes through velocities: (2 - S) b / τ, or b / τ.
static void pull_velocity(const pl_actor_horizon *z, const pl_plan_step *step, const double *b, double *y) {
  double tau = z->tau;
  if (!is_midpoint(z)) {
    for (int32_t i = 0; i < z->n; ++i) y[i] = b[i] / tau;
    return;
  }
  multiply_held(step, z->n, b, y);
  for (int32_t i = 0; i < z->n; ++i) y[i] = (2 * b[i] - y[i]) / tau;
}

// From derivatives by the end of a step to those by its start, for one goal whose λ is known.
static void propagate_back(pl_actor_horizon *z, const pl_plan_step *step, const double *lambda, double *a, double *b) {
  const pl_fem_work *w = step->work;
  const double *masses = z->model->head.masses;
  double reach = pl_fem_reach(z->model);
  pull_velocity(z, step, b, z->workspace);
  pl_block_matrix_multiply(w->system.context, &step->cross, lambda, z->room2);
  for (int32_t i = 0; i < z->n; ++i)
    a[i] = (1 - reach) * a[i] - z->workspace[i] - z->room2[i] + w->potential.inertia * masses[i / 3] * lambda[i];
  if (is_midpoint(z)) {
    multiply_held(step, z->n, b, z->workspace);
    for (int32_t i = 0; i < z->n; ++i) b[i] = z->workspace[i] - b[i];
  } else {
    memset(b, 0, (size_t)z->n * sizeof(double));
  }
  for (int32_t i = 0; i < z->n; ++i) {
    b[i] += masses[i / 3] / z->tau * lambda[i];
    if (pl_actor_is_fixed(w, i)) a[i] = b[i] = 0;
  }
}

pl_status pl_horizon_differentiate(pl_actor_horizon *z, const pl_plan_rows *rows, pl_error *error) {
  size_t n = (size_t)z->n, P = (size_t)z->P, all = (size_t)z->H * P, count = (size_t)rows->rows.count;
  memset(z->J, 0, (size_t)z->H * count * all * sizeof(double));
  for (int32_t j = z->H - 1; j >= 0; --j) {
    pl_plan_step *step = &z->steps[j];
    size_t first = (size_t)j * count, last = (size_t)z->H * count;
    double reach = pl_fem_reach(z->model);
    pl_status status = evaluate_step(z, step, error);
    if (status < 0) return status;
    begin_rows(z, j, rows);
    for (size_t r = first; r < last; ++r) {
      double *q = z->rhs + r * n;
      pull_velocity(z, step, z->by_v + r * n, q);
      for (size_t i = 0; i < n; ++i)
        q[i] = pl_actor_is_fixed(step->work, (int32_t)i) ? 0 : q[i] + reach * z->by_x[r * n + i];
    }
    status =
        pl_actor_factor_solve(step->factor, z->rhs + first * n, (int32_t)(last - first), z->lambda + first * n, error);
    if (status < 0) return status;
    pl_rest_space_mixed_pull(z->space, z->lambda + first * n, (int32_t)(last - first), z->pulled);
    for (size_t r = first; r < last; ++r) {
      const double *lambda = z->lambda + r * n, *pulled = z->pulled + (r - first) * P;
      double *to = z->J + r * all + (size_t)j * P;
      for (size_t k = 0; k < P; ++k) to[k] = -pulled[k];
      propagate_back(z, step, lambda, z->by_x + r * n, z->by_v + r * n);
    }
  }
  return PL_OK;
}
