#include "bench_contact_overlap.h"

#include <stdlib.h>

// The surface of a body as it is.
typedef struct body_surface {
  pl_vec3 *points;
  pl_box box;
  pl_triangle_tree *tree;
} body_surface;

typedef struct overlap_search {
  const bench_bodies *bodies;
  pl_model_report report;
  body_surface *surfaces;
} overlap_search;

static pl_status read_surface(const overlap_search *s, int32_t index, pl_error *error) {
  body_surface *surface = &s->surfaces[index];
  int32_t count = s->report.surface_point_count;
  pl_status status = pl_body_get_surface(s->bodies->world, s->bodies->ids[index], surface->points);
  if (status < 0) return status;
  surface->box = pl_box_from_points(surface->points, count);
  pl_mesh_view view = {.points = surface->points,
                       .point_count = count,
                       .triangles = pl_model_get_surface_triangles(s->bodies->model),
                       .triangle_count = s->report.surface_triangle_count};
  pl_mesh *mesh = NULL;
  status = pl_mesh_create(s->bodies->context, &view, &mesh, error);
  if (status >= 0) status = pl_triangle_tree_build(s->bodies->context, mesh, &surface->tree, error);
  pl_mesh_destroy(mesh);
  return status;
}

static bool is_inside(const body_surface *surface, pl_vec3 point, double depth) {
  if (!pl_box_overlaps(surface->box, (pl_box){point, point})) return false;
  if (pl_triangle_tree_nearest(surface->tree, point, depth).triangle >= 0) return false;
  return pl_triangle_tree_winding(surface->tree, point) > 0.5;
}

static bool is_inside_any(const overlap_search *s, int32_t index, int32_t point, double depth) {
  for (int32_t other = 0; other < s->bodies->count; ++other)
    if (other != index && is_inside(&s->surfaces[other], s->surfaces[index].points[point], depth)) return true;
  return false;
}

pl_status bench_measure_overlap(const bench_bodies *bodies, double depth, double *fraction, pl_error *error) {
  overlap_search s = {.bodies = bodies, .report = pl_model_get_report(bodies->model)};
  int32_t point_count = s.report.surface_point_count, found = 0;
  s.surfaces = calloc((size_t)bodies->count, sizeof *s.surfaces);
  pl_vec3 *points = malloc((size_t)bodies->count * (size_t)point_count * sizeof *points);
  pl_status status = s.surfaces == NULL || points == NULL ? PL_ERROR_OUT_OF_MEMORY : PL_OK;
  for (int32_t i = 0; i < bodies->count && status >= 0; ++i) {
    s.surfaces[i].points = points + (size_t)i * (size_t)point_count;
    status = read_surface(&s, i, error);
  }
  for (int32_t i = 0; i < bodies->count && status >= 0; ++i)
    for (int32_t k = 0; k < point_count; ++k) found += is_inside_any(&s, i, k, depth);
  for (int32_t i = 0; s.surfaces != NULL && i < bodies->count; ++i) pl_triangle_tree_destroy(s.surfaces[i].tree);
  free(points);
  free(s.surfaces);
  *fraction = (double)found / ((double)bodies->count * point_count);
  return status;
}
