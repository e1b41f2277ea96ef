// Where a body rests under a load, and its energy in any pose: the incremental potential without inertia.
//
// The load is applied in equal parts, each from where the last one led, so that a body that bends far or may buckle is
// followed along its path.
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "fem/fem_newton.h"
#include "fem/fem_parameters.h"
#include "pliant/math.h"

typedef struct statics {
  pl_arena arena;
  pl_fem_system system;
  pl_block_matrix matrix;
  pl_linear_solver *solver;
  pl_fem_potential potential;
  pl_fem_newton newton;
  double *u, *load;
  uint8_t *fixed;
} statics;

static pl_status check_positions(const pl_model *model, const pl_vec3 *positions, pl_error *error) {
  if (!pl_fem_is_model(model))
    return pl_fail(error, PL_ERROR_UNSUPPORTED, "the model is of method %s; use one of pl_fem_build()",
                   model->method->name);
  for (int32_t i = 0; i < model->particle_count; ++i)
    if (!pl_vec3_is_finite(positions[i])) return pl_fail(error, PL_ERROR_INVALID_DATA, "position %d is not finite", i);
  return PL_OK;
}

static pl_status check_def(const pl_model *model, const pl_fem_equilibrium_def *def, pl_error *error) {
  pl_status status = pl_parameters_check(&pl_fem_equilibrium_def_parameters, def, error);
  if (status < 0) return status;
  for (int32_t i = 0; i < def->pinned_count; ++i)
    if (def->pinned[i] < 0 || def->pinned[i] >= model->particle_count)
      return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "pinned", "%d is out of range; the body has points 0 … %d",
                           def->pinned[i], model->particle_count - 1);
  for (int32_t i = 0; def->pinned_axes != NULL && i < def->pinned_count; ++i)
    if (def->pinned_axes[i] > PL_BLOCK_FIX_ALL)
      return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "pinned_axes", "%d of pin %d; use sums of 1, 2 and 4",
                           def->pinned_axes[i], i);
  for (int32_t i = 0; def->forces != NULL && i < model->particle_count; ++i)
    if (!pl_vec3_is_finite(def->forces[i]))
      return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "forces", "force %d is not finite", i);
  return PL_OK;
}

static pl_status take_statics(pl_context *context, const pl_fem_model *model, double tolerance, statics *s,
                              pl_error *error) {
  size_t n = (size_t)model->head.particle_count;
  if (!pl_fem_system_take(&s->arena, context, model, &s->system) ||
      !pl_block_matrix_take(&s->arena, &model->pattern, &s->matrix) ||
      !pl_fem_potential_take(&s->arena, &s->system, &s->matrix, &s->potential) ||
      !pl_fem_newton_take(&s->arena, model, &s->newton))
    return pl_fail_memory(error);
  s->u = PL_TAKE(&s->arena, double, 3 * n);
  s->load = PL_TAKE(&s->arena, double, 3 * n);
  s->fixed = PL_TAKE(&s->arena, uint8_t, n);
  if (s->arena.failed) return pl_fail_memory(error);
  pl_linear_def linear = model->linear;
  linear.positions = model->rest_points;
  linear.hint.step = 0;
  linear.limits = (pl_block_limits){.tolerance = fmax(1e-11, fmin(1e-6, 0.1 * tolerance)), .max_iterations = 20000};
  return pl_linear_solver_create(context, &model->pattern, &linear, &s->solver, error);
}

static pl_status apply_loads(const pl_fem_model *model, const pl_fem_equilibrium_def *def, statics *s,
                             pl_fem_report *report, pl_error *error) {
  pl_status status = PL_OK;
  for (int32_t part = 1; part <= def->load_steps && status >= 0; ++part) {
    double fraction = (double)part / def->load_steps;
    for (int32_t i = 0; i < model->head.particle_count; ++i) {
      pl_vec3 force = pl_vec3_scale(def->acceleration, model->load_masses[i]);
      if (def->forces != NULL) force = pl_vec3_add(force, def->forces[i]);
      pl_fem_put(s->load, i, pl_vec3_scale(force, fraction));
    }
    // What did not quite converge on the way does not matter: the last part decides.
    status = pl_fem_newton_minimise(&s->newton, s->u, report, error);
  }
  return status;
}

static pl_status find_rest(pl_context *context, const pl_fem_model *model, const pl_fem_equilibrium_def *def,
                           statics *s, const pl_vec3 *positions, pl_fem_report *report, pl_error *error) {
  pl_status status = take_statics(context, model, def->tolerance, s, error);
  if (status < 0) return status;
  for (int32_t i = 0; i < model->head.particle_count; ++i) pl_fem_put(s->u, i, positions[i]);
  memset(s->fixed, model->planar ? PL_BLOCK_FIX_Z : 0, (size_t)model->head.particle_count);
  for (int32_t i = 0; i < def->pinned_count; ++i)
    s->fixed[def->pinned[i]] |= def->pinned_axes != NULL ? def->pinned_axes[i] : PL_BLOCK_FIX_ALL;
  s->potential.load = s->load;
  s->potential.fixed = s->fixed;
  s->newton.potential = &s->potential;
  s->newton.solver = s->solver;
  s->newton.limit = def->max_newton_iterations;
  s->newton.tolerance = def->tolerance;
  s->newton.linear_tolerance = fmax(fmin(def->tolerance, 1e-4), 1e-10);
  // Positions rounded to one part in 1e16 of the body's size strain an element by that over its own; so in every
  // unknown. What resists most is the volume.
  double nu = model->linear.hint.poisson, stiffest = fmax(1, (1 - nu) / ((1 + nu) * (1 - 2 * nu)));
  s->newton.min = 1e-16 * stiffest * model->force_scale *
                  fmax(1, pl_box_diagonal(model->head.box) / model->element_size) *
                  sqrt(3.0 * model->head.particle_count);
  return apply_loads(model, def, s, report, error);
}

pl_status pl_fem_equilibrium(pl_context *context, const pl_model *model, const pl_fem_equilibrium_def *def,
                             pl_vec3 *positions, pl_fem_report *report, pl_error *error) {
  pl_fem_report mine = {0};
  pl_status status = check_positions(model, positions, error);
  if (status >= 0) status = check_def(model, def, error);
  if (status < 0) return status;
  statics s = {0};
  pl_arena_init(&s.arena, context, 0);
  status = find_rest(context, (const pl_fem_model *)model, def, &s, positions, &mine, error);
  for (int32_t i = 0; status >= 0 && i < model->particle_count; ++i) {
    positions[i] = pl_fem_vector(s.u, i);
    if (def->reactions == NULL) continue;
    pl_vec3 held = pl_fem_vector(s.potential.image, i);
    uint8_t axes = s.fixed[i];
    def->reactions[i] = (pl_vec3){(axes & PL_BLOCK_FIX_X) != 0 ? held.x : 0, (axes & PL_BLOCK_FIX_Y) != 0 ? held.y : 0,
                                  (axes & PL_BLOCK_FIX_Z) != 0 ? held.z : 0};
  }
  pl_linear_solver_destroy(s.solver);
  pl_arena_destroy(&s.arena);
  if (report != NULL) *report = mine;
  return status;
}

pl_status pl_fem_compute_energy(pl_context *context, const pl_model *model, const pl_vec3 *positions, double *energy,
                                pl_vec3 *forces, pl_error *error) {
  pl_status status = check_positions(model, positions, error);
  if (status < 0) return status;
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  size_t n = 3 * (size_t)model->particle_count;
  double *u = PL_TAKE(&arena, double, n), *gradient = PL_TAKE(&arena, double, n);
  pl_fem_system system;
  if (u == NULL || gradient == NULL || !pl_fem_system_take(&arena, context, (const pl_fem_model *)model, &system)) {
    pl_arena_destroy(&arena);
    return pl_fail_memory(error);
  }
  for (int32_t i = 0; i < model->particle_count; ++i) pl_fem_put(u, i, positions[i]);
  *energy = pl_fem_system_evaluate(&system, u, forces != NULL ? gradient : NULL, NULL, false);
  for (int32_t i = 0; forces != NULL && i < model->particle_count; ++i)
    forces[i] = pl_vec3_scale(pl_fem_vector(gradient, i), -1);
  pl_arena_destroy(&arena);
  return PL_OK;
}
