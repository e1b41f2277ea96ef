// A differentiable motion: creating it, its inputs, and the run. Newton's method with a line search along the
// potential
//
//   Φ(u) = ½ c |u - x|²_M - u·(M v/τ + f + M a) + W(u) + D(u) + V(2u - x)/2
//
// with D of the viscosity (rollout_viscous.c) and V of the planes (rollout_contact.c), whose gradient is r
// (rollout_parts.h), to a tolerance at which the derivatives of the result are those of the exact solution.
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "capture/rollout_parameters.h"
#include "capture/rollout_parts.h"
#include "pliant/math.h"

// Steps shorter than this fraction of the body are taken whole: the potential no longer resolves what they gain.
static const double WHOLE = 1e-6;
static const double ARMIJO = 1e-4;
enum { HALVINGS_MAX = 40, MAX_PLANES = 64 };

pl_rollout_def pl_default_rollout_def(void) {
  pl_rollout_def def = {0};
  pl_parameters_set_defaults(&pl_rollout_def_parameters, &def);
  return def;
}

// --- create -------------------------------------------------------------------------------------------------------

static pl_status check_def(const pl_rollout_def *def, pl_error *error) {
  pl_status status = pl_parameters_check(&pl_rollout_def_parameters, def, error);
  if (status < 0) return status;
  if (def->model == NULL) return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "model", "a rollout needs a model");
  const pl_fem_model *model = (const pl_fem_model *)def->model;
  if (!pl_fem_is_model(def->model) || (model->material != PL_FEM_COROTATED && model->material != PL_FEM_NEO_HOOKEAN))
    return pl_fail(error, PL_ERROR_UNSUPPORTED, "only corotated and neo-Hookean tets can be differentiated");
  if (model->groups[0].corner_count != 4)
    return pl_fail(error, PL_ERROR_UNSUPPORTED, "quadratic tets cannot be differentiated; use linear ones");
  if (def->equilibrium && def->step_count != 1)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "step_count", "an equilibrium is 1 step, not %d",
                         def->step_count);
  for (int32_t i = 0; i < def->pinned_count; ++i)
    if (def->pinned[i] < 0 || def->pinned[i] >= def->model->particle_count)
      return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "pinned", "%d is out of range; the body has points 0 … %d",
                           def->pinned[i], def->model->particle_count - 1);
  if (def->plane_count < 0 || def->plane_count > MAX_PLANES)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "plane_count", "%d is out of range; use 0 … %d",
                         def->plane_count, MAX_PLANES);
  for (int32_t i = 0; i < def->plane_count; ++i) {
    double length = pl_vec3_length(def->planes[i].normal);
    if (!(length > 0) || !isfinite(length) || !isfinite(def->planes[i].offset))
      return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "planes",
                           "plane %d needs a finite normal that is not 0 and a finite offset", i);
  }
  return PL_OK;
}

// The planes with unit normals, and how hard they push: as colliders do in a world.
static bool take_planes(pl_rollout *r) {
  if (r->def.plane_count == 0) return true;
  const pl_fem_touch *touch = &r->model->touch;
  pl_rollout_plane *planes = PL_TAKE(&r->arena, pl_rollout_plane, r->def.plane_count);
  if (planes == NULL || !pl_block_matrix_take(&r->arena, &r->model->pattern, &r->contact)) return false;
  for (int32_t i = 0; i < r->def.plane_count; ++i)
    planes[i] =
        (pl_rollout_plane){pl_vec3_normalize_or(r->def.planes[i].normal, pl_vec3_of(0, 1, 0)), r->def.planes[i].offset};
  r->def.planes = planes;
  double inertia = r->def.equilibrium ? 0 : 10 * touch->layer_mass / (r->def.step * r->def.step);
  r->plane_stiffness = fmax(touch->stiffness, inertia);
  return true;
}

static pl_status take_parts(pl_rollout *r, pl_error *error) {
  pl_arena *arena = &r->arena;
  size_t n = (size_t)r->n, tets = (size_t)r->model->groups[0].element_count, steps = (size_t)r->def.step_count;
  double **vectors[] = {&r->u, &r->gradient, &r->residual, &r->step, &r->base, &r->product, &r->end, &r->pressed};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; ++i) *vectors[i] = PL_TAKE(arena, double, n);
  r->rest = PL_TAKE(arena, double, 12 * tets);
  r->change = PL_TAKE(arena, double, 12 * tets);
  r->parameters = PL_TAKE(arena, double, 2 * tets);
  r->forces = PL_TAKE(arena, double, n *steps);
  r->x = PL_TAKE(arena, double, n *(steps + 1));
  r->v = PL_TAKE(arena, double, n *(steps + 1));
  r->fixed = PL_TAKE(arena, uint8_t, n / 3);
  if (arena->failed || !pl_block_matrix_take(arena, &r->model->pattern, &r->stiffness) || !take_planes(r) ||
      !pl_rollout_viscous_take(r))
    return pl_fail_memory(error);
  for (int32_t i = 0; i < r->def.pinned_count; ++i) r->fixed[r->def.pinned[i]] = PL_BLOCK_FIX_ALL;
  r->def.pinned = NULL;
  r->body = (pl_fit_body){.model = r->model, .fixed = r->fixed, .direct = r->def.direct};
  return pl_fit_worker_create(r->context, &r->body, r->def.equilibrium ? 0 : r->def.step, &r->worker, error);
}

pl_status pl_rollout_create(pl_context *context, const pl_rollout_def *def, pl_rollout **rollout, pl_error *error) {
  *rollout = NULL;
  pl_status status = check_def(def, error);
  if (status < 0) return status;
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_rollout *made = PL_TAKE(&arena, pl_rollout, 1);
  if (made == NULL) {
    pl_arena_destroy(&arena);
    return pl_fail_memory(error);
  }
  made->context = context;
  made->arena = arena;
  made->def = *def;
  made->model = (const pl_fem_model *)def->model;
  made->n = 3 * (ptrdiff_t)def->model->particle_count;
  made->extent = pl_box_diagonal(def->model->box);
  status = take_parts(made, error);
  if (status < 0) {
    pl_rollout_destroy(made);
    return status;
  }
  *rollout = made;
  return PL_OK;
}

void pl_rollout_destroy(pl_rollout *rollout) {
  if (rollout == NULL) return;
  pl_fit_worker_destroy(rollout->worker);
  pl_arena arena = rollout->arena;
  pl_arena_destroy(&arena);
}

// --- inputs -------------------------------------------------------------------------------------------------------

static pl_status check_numbers(const char *field, const double *values, ptrdiff_t count, double min, double max,
                               pl_error *error) {
  for (ptrdiff_t i = 0; values != NULL && i < count; ++i)
    if (!(values[i] >= min && values[i] <= max))
      return pl_fail_field(error, PL_ERROR_INVALID_DATA, field, "number %td is %g; use %g … %g", i, values[i], min,
                           max);
  return PL_OK;
}

static pl_status check_inputs(const pl_rollout *r, const pl_rollout_inputs *in, pl_error *error) {
  ptrdiff_t tets = r->model->groups[0].element_count, examples = r->model->examples.count, n = r->n;
  const double far = 1e30;
  const struct {
    const char *field;
    const double *values;
    ptrdiff_t count;
    double min, max;
  } rows[] = {
      {"young", in->young, tets, 1e-9, 1e15},
      {"poisson", in->poisson, 1, -0.9999, 0.4999},
      {"mass_damping", in->mass_damping, 1, 0, 1e6},
      {"stiffness_damping", in->stiffness_damping, 1, 0, 1e3},
      {"rest", in->rest != NULL ? &in->rest->x : NULL, n, -far, far},
      {"weights", in->weights, examples, -10, 10},
      {"positions", in->positions != NULL ? &in->positions->x : NULL, n, -far, far},
      {"velocities", in->velocities != NULL ? &in->velocities->x : NULL, n, -far, far},
      {"forces", in->forces != NULL ? &in->forces->x : NULL, n * r->def.step_count, -far, far},
  };
  pl_status status = PL_OK;
  for (size_t i = 0; i < sizeof rows / sizeof *rows && status >= 0; ++i)
    status = check_numbers(rows[i].field, rows[i].values, rows[i].count, rows[i].min, rows[i].max, error);
  if (status >= 0 && in->rest != NULL && in->weights != NULL)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "weights", "give a rest shape or weights, not both");
  return status;
}

static void set_material(pl_rollout *r, const pl_rollout_inputs *in) {
  const pl_fem_group *group = &r->model->groups[0];
  ptrdiff_t tets = group->element_count;
  memcpy(r->parameters, group->parameters, 2 * (size_t)tets * sizeof(double));
  for (ptrdiff_t t = 0; t < tets; ++t) {
    if (in->young != NULL) r->parameters[2 * t] = in->young[t];
    if (in->poisson != NULL) r->parameters[2 * t + 1] = *in->poisson;
  }
  memcpy(r->rest, group->starts, 12 * (size_t)tets * sizeof(double));
  double *rest[PL_FEM_MAX_GROUPS] = {r->rest};
  if (in->rest != NULL) pl_fem_system_gather_rest(r->model, &in->rest->x, rest);
  r->has_weights = in->weights != NULL && r->model->examples.count > 0;
  if (r->has_weights) pl_fem_examples_mix(r->model, 0, in->weights, 0, group->element_count, r->rest);
  const double *use_rest[PL_FEM_MAX_GROUPS] = {r->rest}, *use_parameters[PL_FEM_MAX_GROUPS] = {r->parameters};
  pl_fem_system_use(&r->worker->system, use_rest, use_parameters);
}

static void set_inputs(pl_rollout *r, const pl_rollout_inputs *in) {
  size_t bytes = (size_t)r->n * sizeof(double);
  set_material(r, in);
  r->alpha = in->mass_damping != NULL ? *in->mass_damping : r->model->mass_damping;
  r->beta = in->stiffness_damping != NULL ? *in->stiffness_damping : r->model->stiffness_damping;
  r->tau = 0.5 * r->def.step;
  r->c = 1 / (r->tau * r->tau) + r->alpha / r->tau;
  if (r->def.equilibrium) r->c = r->beta = 0;
  memcpy(r->x, in->positions != NULL ? &in->positions->x : r->model->rest_points, bytes);
  memset(r->v, 0, bytes);
  if (in->velocities != NULL) memcpy(r->v, in->velocities, bytes);
  pl_rollout_viscous_start(r);
  const double gravity[3] = {r->def.gravity.x, r->def.gravity.y, r->def.gravity.z};
  for (ptrdiff_t i = 0; i < r->n; ++i) {
    if (pl_rollout_is_fixed(r, i)) r->v[i] = 0;
    for (ptrdiff_t k = 0; k < r->def.step_count; ++k)
      r->forces[k * r->n + i] =
          r->model->head.masses[i / 3] * gravity[i % 3] + (in->forces != NULL ? (&in->forces->x)[k * r->n + i] : 0);
  }
}

// --- Newton's method ----------------------------------------------------------------------------------------------

// Φ at u, less what does not depend on u.
static double potential(pl_rollout *r, int32_t index) {
  const double *x = r->x + index * r->n, *v = r->v + index * r->n, *f = r->forces + index * r->n;
  double sum = pl_fem_system_evaluate(&r->worker->system, r->u, NULL, NULL, false);
  sum += pl_rollout_viscous_evaluate(r, NULL, NULL);
  for (ptrdiff_t i = 0; i < r->n; ++i) {
    double moved = r->u[i] - x[i], mass = r->model->head.masses[i / 3];
    sum += (0.5 * mass * r->c * moved - (r->def.equilibrium ? 0 : mass * v[i] / r->tau) - f[i]) * moved;
  }
  pl_rollout_set_end(r, index);
  return sum + pl_rollout_press(r, NULL) / pl_rollout_reach(r);
}

// r at u.
static void evaluate(pl_rollout *r, int32_t index) {
  const double *x = r->x + index * r->n, *v = r->v + index * r->n, *f = r->forces + index * r->n;
  pl_fem_system_evaluate(&r->worker->system, r->u, r->gradient, NULL, false);
  pl_rollout_viscous_evaluate(r, r->gradient, NULL);
  pl_rollout_set_end(r, index);
  pl_rollout_press(r, r->gradient);
  for (ptrdiff_t i = 0; i < r->n; ++i) {
    double mass = r->model->head.masses[i / 3], inertia = mass * r->c * (r->u[i] - x[i]);
    if (!r->def.equilibrium) inertia -= mass * v[i] / r->tau;
    r->residual[i] = pl_rollout_is_fixed(r, i) ? 0 : inertia + r->gradient[i] - f[i];
  }
}

pl_status pl_rollout_factor(pl_rollout *r, pl_error *error) {
  pl_fit_worker *w = r->worker;
  pl_fem_system_evaluate(&w->system, r->u, NULL, &r->stiffness, false);
  pl_rollout_viscous_evaluate(r, NULL, &r->stiffness);
  pl_rollout_find_contact(r);
  pl_block_matrix_clear(w->context, &w->matrix);
  for (ptrdiff_t i = 0; i < 9 * (ptrdiff_t)r->stiffness.pattern->block_count; ++i)
    w->matrix.values[i] =
        r->stiffness.values[i] + (r->def.plane_count > 0 ? pl_rollout_reach(r) * r->contact.values[i] : 0);
  pl_block_matrix_add_diagonal(w->context, &w->matrix, r->c, r->model->head.masses);
  pl_block_matrix_fix(w->context, &w->matrix, r->fixed);
  return pl_linear_solver_factor(w->solver, &w->matrix, error);
}

pl_status pl_rollout_linearise(pl_rollout *r, int32_t index, pl_error *error) {
  const double *x = r->x + index * r->n, *next = x + r->n;
  for (ptrdiff_t i = 0; i < r->n; ++i) r->u[i] = r->def.equilibrium ? next[i] : 0.5 * (x[i] + next[i]);
  pl_rollout_viscous_recall(r, index);
  memcpy(r->end, next, (size_t)r->n * sizeof(double));
  pl_status status = pl_rollout_factor(r, error);
  if (status >= 0 && pl_linear_solver_report(r->worker->solver)->shift > 0)
    return pl_fail(error, PL_ERROR_INVALID_DATA,
                   "the equations of step %d are not positive definite: the motion may continue in several ways there "
                   "and has no derivative; shorten the step",
                   index);
  return status;
}

// Moves u along the step, by less than the whole of it where the potential does not fall.
static bool search_line(pl_rollout *r, int32_t index) {
  double before = potential(r, index), slope = 0, fraction = 1;
  memcpy(r->base, r->u, (size_t)r->n * sizeof(double));
  for (ptrdiff_t i = 0; i < r->n; ++i) slope += r->residual[i] * r->step[i];
  for (int halving = 0; halving < HALVINGS_MAX; ++halving, fraction *= 0.5) {
    for (ptrdiff_t i = 0; i < r->n; ++i) r->u[i] = r->base[i] + fraction * r->step[i];
    if (potential(r, index) <= before + ARMIJO * fraction * slope) return true;
  }
  return false;
}

static pl_status solve_step(pl_rollout *r, int32_t index, pl_error *error) {
  double size = r->extent * sqrt((double)r->n / 3);
  for (int32_t k = 0; k < r->def.max_newton_iterations; ++k) {
    evaluate(r, index);
    pl_status status = pl_rollout_factor(r, error);
    memset(r->step, 0, (size_t)r->n * sizeof(double));
    if (status >= 0) status = pl_linear_solver_solve(r->worker->solver, r->residual, 1, r->step, error);
    if (status < 0) return status;
    double square = 0;
    for (ptrdiff_t i = 0; i < r->n; ++i) r->step[i] = -r->step[i], square += r->step[i] * r->step[i];
    double length = sqrt(square) / size;
    if (!isfinite(length)) break;
    if (length > WHOLE) {
      if (!search_line(r, index)) break;
      continue;
    }
    for (ptrdiff_t i = 0; i < r->n; ++i) r->u[i] += r->step[i];
    if (length <= r->def.tolerance) return PL_OK;
  }
  return pl_fail(error, PL_ERROR_INVALID_DATA, "step %d could not be solved; shorten the step or damp the body", index);
}

static pl_status take_step(pl_rollout *r, int32_t index, pl_error *error) {
  const double *x = r->x + index * r->n, *v = r->v + index * r->n;
  double *next = r->x + (index + 1) * r->n, *velocity = r->v + (index + 1) * r->n;
  for (ptrdiff_t i = 0; i < r->n; ++i) r->u[i] = x[i] + (r->def.equilibrium ? 0 : r->tau * v[i]);
  pl_rollout_viscous_begin(r, index);
  pl_status status = solve_step(r, index, error);
  if (status >= 0) pl_rollout_viscous_finish(r);
  for (ptrdiff_t i = 0; i < r->n; ++i) {
    bool held = pl_rollout_is_fixed(r, i) || r->def.equilibrium;
    next[i] = held ? r->u[i] : 2 * r->u[i] - x[i];
    velocity[i] = held ? 0 : 2 * (r->u[i] - x[i]) / r->tau - v[i];
  }
  return status;
}

pl_status pl_rollout_run(pl_rollout *r, const pl_rollout_inputs *inputs, pl_vec3 *positions, pl_vec3 *velocities,
                         pl_error *error) {
  const pl_rollout_inputs none = {0}, *in = inputs != NULL ? inputs : &none;
  pl_status status = check_inputs(r, in, error);
  if (status < 0) return status;
  r->has_run = false;
  set_inputs(r, in);
  for (int32_t k = 0; k < r->def.step_count && status >= 0; ++k) status = take_step(r, k, error);
  if (status < 0) return status;
  r->has_run = true;
  size_t bytes = (size_t)r->n * (size_t)(r->def.step_count + 1) * sizeof(double);
  if (positions != NULL) memcpy(positions, r->x, bytes);
  if (velocities != NULL) memcpy(velocities, r->v, bytes);
  return PL_OK;
}
