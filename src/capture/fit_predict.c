// Prediction of held-out motions with a fitted body, also in other worlds.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "capture/fit_parts.h"
#include "pliant/math.h"

pl_status pl_fit_predict(pl_fit *fit, const pl_fit_sequence *sequence, pl_vec3 *positions,
                         pl_fit_prediction *prediction, pl_error *error) {
  if (sequence->frame_count < 2 || sequence->positions == NULL || !(sequence->frame_seconds > 0))
    return pl_fail(error, PL_ERROR_INVALID_DATA, "a sequence has at least 2 frames and a positive time between them");
  bool found = false;
  pl_status status = pl_fit_check_loads(fit, sequence, 0, error);
  if (status >= 0 && pl_fit_start_is_unknown(sequence)) status = pl_fit_find_starts(fit, error);
  if (status >= 0) status = pl_fit_find_rest(fit, fit->values, fit->rest, &found, error);
  if (status < 0) return status;
  if (!found) return pl_fail(error, PL_ERROR_INVALID_DATA, "the values as they stand have no reference shape");
  // A start that was fitted belongs to a sequence of the fit.
  pl_motion_start start = {.force_value = -1, .velocity_value = -1};
  for (int32_t i = 0; i < fit->sequence_count; ++i)
    if (fit->sequences[i].positions == sequence->positions) start = fit->starts[i];
  if (pl_fit_start_is_unknown(sequence) && start.force_value < 0 && start.velocity_value < 0)
    return pl_fail(error, PL_ERROR_UNSUPPORTED,
                   "the start of a held-out sequence cannot be fitted; give its positions");
  bool placed_by_data = start.force_value >= 0 || sequence->start == PL_FIT_START_BALANCED;
  if (sequence->markers != NULL && sequence->start_positions == NULL && !placed_by_data)
    return pl_fail(error, PL_ERROR_INVALID_DATA, "markers do not tell where the body starts; give start_positions");
  pl_arena arena;
  pl_arena_init(&arena, fit->context, 0);
  pl_fit_sequence placed = *sequence;
  status = pl_fit_place_nodes(fit, &arena, &placed, error);
  pl_motion_job job = {.sequence = &placed,
                       .start = start,
                       .noise = fit->def.noise,
                       .frame_count = sequence->frame_count,
                       .steps_per_frame = fit->cursor.steps,
                       .tolerance = fit->step_tolerance,
                       .values = fit->values,
                       .rest = fit->rest,
                       .positions = positions,
                       .def = &fit->def};
  pl_motion_result result = {0};
  pl_fit_worker *worker = NULL;
  if (status >= 0)
    status =
        pl_fit_worker_create(fit->context, &fit->body, sequence->frame_seconds / job.steps_per_frame, &worker, error);
  if (status >= 0) status = pl_motion_run(worker, &job, &result, error);
  pl_fit_worker_destroy(worker);
  pl_arena_destroy(&arena);
  if (status < 0) return status;
  if (result.failed) return pl_fail(error, PL_ERROR_INVALID_DATA, "the values as they stand have no such motion");
  if (prediction != NULL)
    *prediction = (pl_fit_prediction){.rms = result.weight > 0 ? sqrt(result.cost / result.weight) : 0,
                                      .amplitude = result.weight > 0 ? sqrt(result.amplitude / result.weight) : 0,
                                      .worst = result.worst};
  return PL_OK;
}

static double volume_of(const pl_mesh_view *mesh, const pl_vec3 *points) {
  double sum = 0;
  for (int32_t t = 0; t < mesh->tet_count; ++t) {
    const int32_t *c = mesh->tets + 4 * (ptrdiff_t)t;
    pl_vec3 a = pl_vec3_sub(points[c[1]], points[c[0]]), b = pl_vec3_sub(points[c[2]], points[c[0]]);
    sum += pl_vec3_dot(a, pl_vec3_cross(b, pl_vec3_sub(points[c[3]], points[c[0]]))) / 6;
  }
  return sum;
}

static pl_status build(pl_fit *fit, const pl_fem_def *base, pl_arena *arena, pl_model **model, pl_error *error) {
  pl_mesh_view view = pl_mesh_get_view(fit->mesh);
  pl_vec3 *reference = PL_TAKE(arena, pl_vec3, view.point_count);
  double *young = PL_TAKE(arena, double, view.tet_count);
  if (arena->failed) return pl_fail_memory(error);
  bool found = false;
  pl_status status = pl_fit_find_rest(fit, fit->values, fit->rest, &found, error);
  if (status < 0) return status;
  if (!found) return pl_fail(error, PL_ERROR_INVALID_DATA, "the values as they stand have no reference shape");
  pl_fit_get_fields(fit, reference, young);
  pl_fem_def def = base != NULL ? *base : pl_default_fem_def(fit->def.material);
  def.material = fit->def.material;
  def.element = fit->def.element;
  def.density = fit->def.density * volume_of(&view, view.points) / volume_of(&view, reference);
  // Moduli by the smallest, as factors: what judges a body by its contrast must not take pascals for it.
  def.young = HUGE_VAL;
  for (int32_t t = 0; t < view.tet_count; ++t) def.young = fmin(def.young, young[t]);
  for (int32_t t = 0; t < view.tet_count; ++t) young[t] /= def.young;
  def.young_scales = young;
  def.poisson = fit->values[fit->body.control_count];
  def.mass_damping = fit->values[fit->body.control_count + 1];
  def.stiffness_damping = fit->values[fit->body.control_count + 2];
  double *fields[PL_FIT_VISCOUS_KINDS] = {&def.prony_ratio, &def.prony_time, &def.second_prony_ratio,
                                          &def.second_prony_time, &def.loss_factor};
  for (int32_t i = 0; i < fit->body.viscous_count; ++i)
    *fields[fit->body.viscous_kinds[i]] = fit->values[fit->body.control_count + 3 + i];
  def.loss_frequency = fit->body.loss_frequency;
  if (def.direct == NULL) def.direct = fit->def.direct;
  view.points = reference;
  pl_mesh *mesh = NULL;
  status = pl_mesh_create(fit->context, &view, &mesh, error);
  if (status >= 0) status = pl_fem_build(fit->context, &def, mesh, model, error);
  pl_mesh_destroy(mesh);
  return status;
}

pl_status pl_fit_build_model(pl_fit *fit, const pl_fem_def *base, pl_model **model, pl_error *error) {
  *model = NULL;
  pl_arena arena;
  pl_arena_init(&arena, fit->context, 0);
  pl_status status = build(fit, base, &arena, model, error);
  pl_arena_destroy(&arena);
  return status;
}
