#include "body/body_surface.h"

#include <string.h>

#include "base/context.h"
#include "base/error.h"

// Take triangles and rest points from `view`; parents and weights are for the caller to fill.
static pl_status take_arrays(pl_arena *arena, const pl_mesh_view *view, pl_contact_surface *surface, int32_t **parents,
                             float **weights, pl_error *error) {
  *parents = PL_TAKE(arena, int32_t, 4 * (size_t)view->point_count);
  *weights = PL_TAKE(arena, float, 4 * (size_t)view->point_count);
  surface->triangles = pl_arena_copy(arena, view->triangles, 3 * (size_t)view->triangle_count, sizeof(int32_t));
  surface->rest_points = pl_arena_copy(arena, view->points, (size_t)view->point_count, sizeof(pl_vec3));
  surface->point_count = view->point_count;
  surface->triangle_count = view->triangle_count;
  surface->parents = *parents;
  surface->weights = *weights;
  return *parents && *weights && surface->triangles && surface->rest_points ? PL_OK : pl_fail_memory(error);
}

// Each boundary point is a particle itself: four times the same parent with all the weight on the first.
static pl_status use_boundary(pl_context *context, const pl_mesh *mesh, pl_arena *arena, pl_contact_surface *surface,
                              pl_error *error) {
  int32_t *point_of_surface = pl_allocate_array(context, (size_t)surface->particle_count, sizeof(int32_t));
  if (point_of_surface == NULL) return pl_fail_memory(error);
  pl_mesh *boundary = NULL;
  pl_status status = pl_mesh_build_boundary(context, mesh, &boundary, point_of_surface, error);
  if (status >= 0) {
    pl_mesh_view view = pl_mesh_get_view(boundary);
    int32_t *parents;
    float *weights;
    status = take_arrays(arena, &view, surface, &parents, &weights, error);
    for (int32_t i = 0; status >= 0 && i < view.point_count; ++i) {
      for (int k = 0; k < 4; ++k) parents[4 * i + k] = point_of_surface[i];
      weights[4 * i] = 1.0f;
    }
  }
  pl_mesh_destroy(boundary);
  pl_release(context, point_of_surface);
  return status;
}

static pl_status use_embedding(pl_context *context, const pl_mesh *mesh, const pl_mesh *fine, double tolerance,
                               pl_arena *arena, pl_contact_surface *surface, pl_error *error) {
  pl_mesh_view view = pl_mesh_get_view(fine);
  if (view.triangle_count == 0)
    return pl_fail_field(error, PL_ERROR_INVALID_DATA, "surface",
                         "the surface has no triangles; give a triangle mesh, or none");
  pl_embedding *embedding = NULL;
  pl_status status = pl_embedding_build(context, mesh, &(pl_embedding_input){view.points, view.point_count, tolerance},
                                        &embedding, NULL, error);
  if (status < 0) return status;
  pl_embedding_view embedded = pl_embedding_get_view(embedding);
  int32_t *parents;
  float *weights;
  status = take_arrays(arena, &view, surface, &parents, &weights, error);
  if (status >= 0) {
    memcpy(parents, embedded.parents, 4 * (size_t)view.point_count * sizeof(int32_t));
    memcpy(weights, embedded.weights, 4 * (size_t)view.point_count * sizeof(float));
  }
  pl_embedding_destroy(embedding);
  return status;
}

pl_status pl_body_surface_build(pl_context *context, const pl_mesh *mesh, const pl_mesh *fine, double tolerance,
                                pl_arena *arena, pl_contact_surface *surface, pl_error *error) {
  *surface = (pl_contact_surface){.particle_count = pl_mesh_get_view(mesh).point_count};
  if (fine == NULL) return use_boundary(context, mesh, arena, surface, error);
  return use_embedding(context, mesh, fine, tolerance, arena, surface, error);
}

pl_status pl_body_surface_of_triangles(const pl_mesh_view *view, const int32_t *triangles, int32_t triangle_count,
                                       pl_arena *arena, pl_contact_surface *surface, pl_error *error) {
  int32_t *point_of = PL_TAKE(arena, int32_t, view->point_count), count = 0;
  int32_t *corners = PL_TAKE(arena, int32_t, 3 * (size_t)triangle_count);
  if (arena->failed) return pl_fail_memory(error);
  for (int32_t i = 0; i < 3 * triangle_count; ++i) point_of[triangles[i]] = 1;
  for (int32_t i = 0; i < view->point_count; ++i) point_of[i] = point_of[i] ? count++ : -1;
  int32_t *parents = PL_TAKE(arena, int32_t, 4 * (size_t)count);
  float *weights = PL_TAKE(arena, float, 4 * (size_t)count);
  pl_vec3 *points = PL_TAKE(arena, pl_vec3, count);
  if (arena->failed) return pl_fail_memory(error);
  for (int32_t i = 0; i < view->point_count; ++i) {
    int32_t p = point_of[i];
    if (p < 0) continue;
    for (int k = 0; k < 4; ++k) parents[4 * p + k] = i;
    weights[4 * p] = 1.0f;
    points[p] = view->points[i];
  }
  for (int32_t i = 0; i < 3 * triangle_count; ++i) corners[i] = point_of[triangles[i]];
  *surface = (pl_contact_surface){.point_count = count,
                                  .parents = parents,
                                  .weights = weights,
                                  .triangle_count = triangle_count,
                                  .triangles = corners,
                                  .particle_count = view->point_count,
                                  .rest_points = points};
  return PL_OK;
}
