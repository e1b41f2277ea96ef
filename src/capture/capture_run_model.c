// The body that a run tracks: what the last fit found, or the static shape before the first.
#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "capture/capture_run_parts.h"

// The surface as it sits in the tets when these have the points of the rest shape.
static pl_status move_surface(pl_capture_result *run, double tolerance, pl_mesh **moved, pl_error *error) {
  pl_mesh_view view = pl_mesh_get_view(run->def.surface);
  pl_vec3 *rest = pl_allocate_array(run->context, (size_t)run->point_count, sizeof *rest);
  pl_vec3 *points = pl_allocate_array(run->context, (size_t)view.point_count, sizeof *points);
  pl_embedding *embedding = NULL;
  pl_status status = rest != NULL && points != NULL ? PL_OK : pl_fail_memory(error);
  if (status >= 0)
    status =
        pl_embedding_build(run->context, run->def.mesh, &(pl_embedding_input){view.points, view.point_count, tolerance},
                           &embedding, NULL, error);
  if (status >= 0) status = pl_fit_get_fields(run->fit, rest, NULL);
  if (status >= 0) {
    pl_embedding_apply(embedding, rest, points);
    view.points = points;
    view.pose_count = 0;
    view.poses = NULL;
    status = pl_mesh_create(run->context, &view, moved, error);
  }
  pl_embedding_destroy(embedding);
  pl_release(run->context, points);
  pl_release(run->context, rest);
  return status;
}

pl_status pl_run_build_model(pl_capture_result *run, pl_model **model, pl_error *error) {
  const pl_fit_def *fit = &run->def.fit;
  pl_fem_def def = pl_default_fem_def(fit->material);
  pl_mesh *moved = NULL;
  pl_status status = PL_OK;
  *model = NULL;
  def.density = fit->density;
  def.young = fit->young.start;
  def.poisson = fit->poisson.start;
  def.surface = run->def.surface;
  def.surface_tolerance = run->def.surface_tolerance * run->size;
  def.direct = fit->direct;
  if (run->fit == NULL) return pl_fem_build(run->context, &def, run->def.mesh, model, error);
  if (run->def.surface != NULL) status = move_surface(run, def.surface_tolerance, &moved, error);
  def.surface = moved;
  if (status >= 0) status = pl_fit_build_model(run->fit, &def, model, error);
  pl_mesh_destroy(moved);
  return status;
}

pl_status pl_capture_result_build_model(pl_capture_result *result, pl_model **model, pl_error *error) {
  *model = NULL;
  if (result->fit == NULL)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT,
                   "the capture was cancelled before it had a fit; run it to the end first");
  return pl_run_build_model(result, model, error);
}
