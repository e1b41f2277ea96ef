// The map of cages: weights of the body's particles in a cage, given or made (paper 004, section 4; Joshi and others
// 2007).
//
// Parameters are displacements of the cage's vertices, so p = 0 is the rest shape whatever the rounding of the weights.
#include <string.h>

#include "actor/actor_space_parts.h"
#include "base/error.h"
#include "mesh/harmonic_weights.h"
#include "mesh/topology.h"
#include "pliant/math.h"

// A curve has no triangles to build a cage around; as triangles without area its segments do.
static pl_status thicken_curve(pl_context *context, pl_arena *arena, const pl_mesh_view *view, pl_mesh **thick,
                               pl_error *error) {
  int32_t *triangles = PL_TAKE(arena, int32_t, 3 * (size_t)view->segment_count);
  if (triangles == NULL) return pl_fail_memory(error);
  for (ptrdiff_t s = 0; s < view->segment_count; ++s)
    for (int k = 0; k < 3; ++k) triangles[3 * s + k] = view->segments[2 * s + (k > 0)];
  pl_mesh_view made = {.point_count = view->point_count,
                       .points = view->points,
                       .triangle_count = view->segment_count,
                       .triangles = triangles};
  return pl_mesh_create(context, &made, thick, error);
}

// Neither does an open shell enclose anything: it is given two sides, half an element to either side of its points, and
// walls along its border.
static pl_status thicken_shell(pl_context *context, pl_arena *arena, const pl_mesh_view *view, double half,
                               pl_mesh **thick, pl_error *error) {
  size_t n = (size_t)view->point_count, count = (size_t)view->triangle_count;
  int32_t *neighbours, shift = view->point_count, used = 0;
  pl_vec3 *points = PL_TAKE(arena, pl_vec3, 2 * n), *normals = PL_TAKE(arena, pl_vec3, n);
  int32_t *triangles = PL_TAKE(arena, int32_t, 24 * count);
  if (arena->failed ||
      !pl_neighbours_find(arena, (pl_elements){view->triangles, view->triangle_count, 3}, shift, &neighbours))
    return pl_fail_memory(error);
  pl_normals_compute(view->points, view->point_count, view->triangles, view->triangle_count, normals);
  for (size_t i = 0; i < n; ++i) {
    points[i] = pl_vec3_add_scaled(view->points[i], normals[i], half);
    points[n + i] = pl_vec3_add_scaled(view->points[i], normals[i], -half);
  }
  for (size_t t = 0; t < count; ++t) {
    const int32_t *c = view->triangles + 3 * t;
    const int32_t sides[6] = {c[0], c[1], c[2], c[0] + shift, c[2] + shift, c[1] + shift};
    memcpy(triangles + 3 * (ptrdiff_t)used, sides, sizeof sides);
    used += 2;
    for (size_t k = 0; k < 3; ++k) {
      if (neighbours[3 * t + k] >= 0) continue;
      int32_t p = c[(k + 1) % 3], q = c[(k + 2) % 3];
      const int32_t collider[6] = {q, p, p + shift, q, p + shift, q + shift};
      memcpy(triangles + 3 * (ptrdiff_t)used, collider, sizeof collider);
      used += 2;
    }
  }
  if (used == 2 * view->triangle_count) return PL_OK;
  pl_mesh_view made = {.point_count = 2 * shift, .points = points, .triangle_count = used, .triangles = triangles};
  return pl_mesh_create(context, &made, thick, error);
}

static pl_status make_cage(const pl_rest_space *space, const pl_actor_def *def, const pl_mesh *mesh, pl_mesh **cage,
                           pl_error *error) {
  int32_t min = space->axes == 2 ? 4 : 8;
  if (def->cage_point_count < min)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "cage_point_count",
                         "%d points are too few around a solid; use %d or more", def->cage_point_count, min);
  const pl_fem_model *model = space->model;
  pl_mesh_view view = pl_mesh_get_view(mesh);
  pl_mesh *thick = NULL;
  pl_status status = PL_OK;
  pl_arena arena;
  pl_arena_init(&arena, space->context, 0);
  if (model->material == PL_FEM_CURVE) status = thicken_curve(space->context, &arena, &view, &thick, error);
  if (model->material == PL_FEM_SHELL)
    status = thicken_shell(space->context, &arena, &view, 0.5 * model->element_size, &thick, error);
  pl_arena_destroy(&arena);
  if (status >= 0)
    status = pl_cage_build(space->context, thick != NULL ? thick : mesh, def->cage_point_count, cage, error);
  pl_mesh_destroy(thick);
  return status;
}

static pl_status find_weights(pl_rest_space *space, const pl_mesh *cage, const pl_mesh *mesh, pl_error *error) {
  pl_harmonic_weights *harmonic = NULL;
  pl_harmonic_report report;
  pl_mesh_view view = pl_mesh_get_view(mesh);
  pl_status status =
      pl_harmonic_build(space->context, cage, view.points, view.point_count, 0, &harmonic, &report, error);
  if (status < 0) return status;
  pl_harmonic_view harmonic_view = pl_harmonic_get_view(harmonic);
  space->weight_stride = (harmonic_view.cage_point_count + PL_CAGE_LANES - 1) / PL_CAGE_LANES * PL_CAGE_LANES;
  double *weights = PL_TAKE(&space->arena, double, (size_t)harmonic_view.point_count *(size_t)space->weight_stride);
  if (weights != NULL)
    for (ptrdiff_t i = 0; i < harmonic_view.point_count; ++i)
      for (int32_t k = harmonic_view.start[i]; k < harmonic_view.start[i + 1]; ++k)
        weights[space->weight_stride * i + harmonic_view.columns[k]] = harmonic_view.values[k];
  space->handle_count = harmonic_view.cage_point_count;
  space->weights = weights;
  pl_harmonic_destroy(harmonic);
  return weights != NULL ? PL_OK : pl_fail_memory(error);
}

static pl_status keep_handles(pl_rest_space *space, const pl_mesh *cage, pl_error *error) {
  pl_mesh_view view = pl_mesh_get_view(cage);
  double *handles = PL_TAKE(&space->arena, double, 3 * (size_t)space->handle_count);
  if (handles == NULL) return pl_fail_memory(error);
  for (int32_t k = 0; k < space->handle_count; ++k) pl_fem_put(handles, k, view.points[k]);
  space->handles = handles;
  return PL_OK;
}

pl_status pl_rest_cage_build(pl_rest_space *space, const pl_actor_def *def, const pl_mesh *mesh, pl_error *error) {
  pl_mesh *made = NULL;
  pl_status status = PL_OK;
  if (def->cage == NULL) status = make_cage(space, def, mesh, &made, error);
  const pl_mesh *cage = def->cage != NULL ? def->cage : made;
  if (status >= 0) status = find_weights(space, cage, mesh, error);
  if (status >= 0) status = keep_handles(space, cage, error);
  pl_mesh_destroy(made);
  space->size = space->axes * space->handle_count;
  return status;
}
