// The lowest vibrations of a finite-element body around any pose: K u = ω² M u (solvers/eigen_modes.h), with K the
// Hessian of the elastic energy there and M the lumped masses.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "capture/modes_parameters.h"
#include "fem/fem_system.h"
#include "pliant/math.h"
#include "pliant/modes.h"
#include "solvers/eigen_modes.h"

pl_modes_def pl_default_modes_def(void) {
  pl_modes_def def = {0};
  pl_parameters_set_defaults(&pl_modes_def_parameters, &def);
  return def;
}

static pl_status check_def(const pl_model *model, const pl_modes_def *def, pl_error *error) {
  pl_status status = pl_parameters_check(&pl_modes_def_parameters, def, error);
  if (status < 0) return status;
  if (!pl_fem_is_model(model))
    return pl_fail(error, PL_ERROR_UNSUPPORTED, "the model is of method %s; use one of pl_fem_build()",
                   model->method->name);
  for (int32_t i = 0; i < def->pinned_count; ++i)
    if (def->pinned[i] < 0 || def->pinned[i] >= model->particle_count)
      return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "pinned", "%d is out of range; the body has points 0 … %d",
                           def->pinned[i], model->particle_count - 1);
  for (int32_t i = 0; def->positions != NULL && i < model->particle_count; ++i)
    if (!pl_vec3_is_finite(def->positions[i]))
      return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "positions", "position %d is not finite", i);
  return PL_OK;
}

static pl_status find(pl_context *context, pl_arena *arena, const pl_fem_model *model, const pl_modes_def *def,
                      double *frequencies, pl_vec3 *shapes, pl_error *error) {
  size_t n = (size_t)model->head.particle_count, count = (size_t)def->mode_count;
  pl_fem_system system;
  pl_block_matrix matrix;
  uint8_t *fixed = PL_TAKE(arena, uint8_t, n);
  double *modes = PL_TAKE(arena, double, 3 * n * count);
  if (arena->failed || !pl_fem_system_take(arena, context, model, &system) ||
      !pl_block_matrix_take(arena, &model->pattern, &matrix))
    return pl_fail_memory(error);
  memset(fixed, model->planar ? PL_BLOCK_FIX_Z : 0, n);
  for (int32_t i = 0; i < def->pinned_count; ++i) fixed[def->pinned[i]] = PL_BLOCK_FIX_ALL;
  const double *pose = def->positions != NULL ? &def->positions->x : model->rest_points;
  pl_fem_system_use(&system, NULL, NULL);
  pl_fem_system_evaluate(&system, pose, NULL, &matrix, false);
  pl_block_matrix_fix(context, &matrix, fixed);
  pl_eigen_def eigen = pl_default_eigen_def();
  eigen.mode_count = def->mode_count;
  eigen.tolerance = def->tolerance;
  eigen.solver = model->linear;
  eigen.solver.direct = def->direct;
  eigen.solver.choice = def->direct != NULL ? PL_LINEAR_DIRECT : PL_LINEAR_CG;
  eigen.solver.positions = model->rest_points;
  eigen.solver.hint.step = 0;
  pl_status status =
      pl_eigen_modes_compute(context, &matrix, model->head.masses, &eigen, frequencies, modes, NULL, error);
  if (status < 0) return status;
  for (size_t k = 0; k < count; ++k)
    frequencies[k] = copysign(sqrt(fabs(frequencies[k])), frequencies[k]) / (2 * PL_PI);
  if (shapes != NULL) memcpy(shapes, modes, 3 * n * count * sizeof(double));
  return status;
}

pl_status pl_modes_find(pl_context *context, const pl_model *model, const pl_modes_def *def, double *frequencies,
                        pl_vec3 *shapes, pl_error *error) {
  pl_status status = check_def(model, def, error);
  if (status < 0) return status;
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  status = find(context, &arena, (const pl_fem_model *)model, def, frequencies, shapes, error);
  pl_arena_destroy(&arena);
  return status;
}
