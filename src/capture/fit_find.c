// The reference shape of a model, by itself.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "capture/fit_parameters.h"
#include "capture/fit_reference.h"
#include "pliant/math.h"

static pl_status check_input(const pl_model *model, const pl_reference_def *def, const pl_vec3 *reference,
                             pl_error *error) {
  pl_status status = pl_parameters_check(&pl_reference_def_parameters, def, error);
  if (status < 0) return status;
  if (!pl_fem_is_model(model)) return pl_fail(error, PL_ERROR_UNSUPPORTED, "the model is not one of pl_fem_build()");
  const pl_fem_model *fem = (const pl_fem_model *)model;
  if ((fem->material != PL_FEM_COROTATED && fem->material != PL_FEM_NEO_HOOKEAN) || fem->groups[0].corner_count != 4)
    return pl_fail(error, PL_ERROR_UNSUPPORTED, "reference shapes are found for linear corotated and neo-Hookean tets");
  for (int32_t i = 0; status >= 0 && i < def->pinned_count; ++i)
    if (def->pinned[i] < 0 || def->pinned[i] >= model->particle_count)
      status =
          pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "pinned", "%d is out of range; the body has points 0 … %d",
                        def->pinned[i], model->particle_count - 1);
  for (int32_t i = 0; status >= 0 && i < model->particle_count; ++i)
    if (!pl_vec3_is_finite(reference[i]))
      status = pl_fail(error, PL_ERROR_INVALID_DATA, "point %d to start from is not finite", i);
  return status;
}

static pl_status find(pl_context *context, const pl_fem_model *model, const pl_reference_def *def, pl_arena *arena,
                      pl_vec3 *reference, pl_reference_report *report, pl_error *error) {
  int32_t n = model->head.particle_count;
  uint8_t *fixed = PL_TAKE(arena, uint8_t, n);
  double *load = PL_TAKE(arena, double, 3 * (size_t)n), *X = PL_TAKE(arena, double, 3 * (size_t)n);
  if (arena->failed) return pl_fail_memory(error);
  for (int32_t i = 0; i < n; ++i) pl_fem_put(load, i, pl_vec3_scale(def->gravity, model->head.masses[i]));
  for (int32_t i = 0; i < n; ++i) pl_fem_put(X, i, reference[i]);
  for (int32_t i = 0; i < def->pinned_count; ++i) {
    fixed[def->pinned[i]] = PL_BLOCK_FIX_ALL;
    pl_fem_put(X, def->pinned[i], pl_fem_vector(model->rest_points, def->pinned[i]));
  }
  pl_fit_body body = {
      .model = model, .point_count = model->head.particle_count, .fixed = fixed, .load = load, .direct = def->direct};
  pl_fit_worker *worker = NULL;
  pl_reference search;
  pl_status status = pl_fit_worker_create(context, &body, 0, &worker, error);
  if (status >= 0) status = pl_reference_take(worker, &search, error);
  if (status >= 0)
    status = def->solver == PL_REFERENCE_NEWTON ? pl_reference_newton(&search, def, X, report, error)
                                                : pl_reference_march(&search, def, X, report, error);
  for (int32_t i = 0; status >= 0 && i < n; ++i) reference[i] = pl_fem_vector(X, i);
  pl_fit_worker_destroy(worker);
  return status;
}

pl_status pl_reference_find(pl_context *context, const pl_model *model, const pl_reference_def *def, pl_vec3 *reference,
                            pl_reference_report *report, pl_error *error) {
  pl_reference_report mine = {0};
  pl_status status = check_input(model, def, reference, error);
  if (status < 0) return status;
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  status = find(context, (const pl_fem_model *)model, def, &arena, reference, &mine, error);
  pl_arena_destroy(&arena);
  if (status >= 0 && report != NULL) *report = mine;
  return status;
}
