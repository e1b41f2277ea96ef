// Queries of a cage.
//
// In space they go to the tree of triangles, with the generalized winding number for inside, of either sign: a cage
// turned inside out is as good as another. In a plane a cage has tens of segments, so all of them are asked; inside is
// what an odd number of them separates from infinity, which also allows holes and outlines that touch themselves in a
// point.
#include "mesh/harmonic_cage.h"

#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "mesh/simplex.h"
#include "pliant/math.h"

static double component(pl_vec3 v, int32_t axis) {
  return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static pl_status check_polygons(pl_context *context, const pl_harmonic_cage *cage, pl_error *error) {
  const pl_mesh_view *view = &cage->view;
  if (cage->box.max.z - cage->box.min.z > PL_CAGE_ROUNDING * cage->size)
    return pl_fail(error, PL_ERROR_INVALID_DATA,
                   "the cage is made of segments but not flat: all its points must have the same z");
  int32_t *ends = pl_allocate_array(context, (size_t)view->point_count, sizeof *ends);
  if (ends == NULL) return pl_fail_memory(error);
  for (int32_t i = 0; i < 2 * view->segment_count; ++i) ends[view->segments[i]]++;
  int32_t loose = 0;
  while (loose < view->point_count && ends[loose] % 2 == 0) loose++;
  pl_release(context, ends);
  if (loose == view->point_count) return PL_OK;
  return pl_fail(error, PL_ERROR_INVALID_DATA,
                 "the cage is open at its point %d: its segments must form closed polygons", loose);
}

static pl_status check_surface(pl_context *context, const pl_mesh *mesh, pl_error *error) {
  pl_mesh_check_report report = {0};
  pl_status status = pl_mesh_check(context, mesh, NULL, &report, error);
  if (status < 0) return status;
  if (report.open_edge_count == 0) return PL_OK;
  return pl_fail(error, PL_ERROR_INVALID_DATA, "the cage has %d open edges: it must be a closed surface",
                 report.open_edge_count);
}

pl_status pl_harmonic_cage_open(pl_context *context, const pl_mesh *mesh, pl_harmonic_cage *cage, pl_error *error) {
  *cage = (pl_harmonic_cage){.view = pl_mesh_get_view(mesh)};
  cage->dimension = cage->view.triangle_count > 0 ? 3 : 2;
  if (cage->view.triangle_count == 0 && cage->view.segment_count == 0)
    return pl_fail(error, PL_ERROR_INVALID_DATA, "the cage has neither triangles nor segments");
  cage->box = pl_box_from_points(cage->view.points, cage->view.point_count);
  cage->size = pl_box_diagonal(cage->box);
  pl_vec3 extent = pl_vec3_sub(cage->box.max, cage->box.min);
  for (int32_t axis = 0; axis < cage->dimension; ++axis)
    if (!(component(extent, axis) > 1e-6 * cage->size) || !isfinite(cage->size))
      return pl_fail(error, PL_ERROR_INVALID_DATA, "the cage encloses nothing: it is flat along axis %d", axis);
  if (cage->dimension == 2) return check_polygons(context, cage, error);
  pl_status status = check_surface(context, mesh, error);
  return status < 0 ? status : pl_triangle_tree_build(context, mesh, &cage->tree, error);
}

void pl_harmonic_cage_close(pl_harmonic_cage *cage) {
  pl_triangle_tree_destroy(cage->tree);
  cage->tree = NULL;
}

bool pl_harmonic_cage_holds(const pl_harmonic_cage *cage, pl_vec3 point) {
  if (cage->dimension == 3) return fabs(pl_triangle_tree_winding(cage->tree, point)) > 0.5;
  bool inside = false;
  for (int32_t s = 0; s < cage->view.segment_count; ++s) {
    pl_vec3 a = cage->view.points[cage->view.segments[2 * s]], b = cage->view.points[cage->view.segments[2 * s + 1]];
    if ((a.y > point.y) == (b.y > point.y)) continue;
    if (a.x + (b.x - a.x) * ((point.y - a.y) / (b.y - a.y)) > point.x) inside = !inside;
  }
  return inside;
}

static pl_cage_position position_of_hit(const pl_harmonic_cage *cage, pl_hit hit) {
  pl_cage_position position = {.found = hit.triangle >= 0, .distance = hit.distance};
  for (int32_t i = 0; position.found && i < 3; ++i) {
    position.vertices[i] = cage->view.triangles[3 * hit.triangle + i];
    position.weights[i] = hit.barycentric[i];
  }
  return position;
}

pl_cage_position pl_harmonic_cage_nearest(const pl_harmonic_cage *cage, pl_vec3 point) {
  if (cage->dimension == 3) return position_of_hit(cage, pl_triangle_tree_nearest(cage->tree, point, HUGE_VAL));
  pl_cage_position best = {.distance = HUGE_VAL};
  for (int32_t s = 0; s < cage->view.segment_count; ++s) {
    const int32_t *ends = &cage->view.segments[2 * s];
    double weights[4] = {0};
    pl_vec3 at = pl_segment_nearest(cage->view.points[ends[0]], cage->view.points[ends[1]], point, weights);
    double distance = pl_vec3_distance(at, point);
    if (distance < best.distance)
      best = (pl_cage_position){true, distance, {ends[0], ends[1], 0}, {weights[0], weights[1], 0}};
  }
  return best;
}

static pl_cage_position cross_segments(const pl_harmonic_cage *cage, pl_vec3 point, int32_t axis, double sign,
                                       double limit) {
  pl_cage_position best = {.distance = HUGE_VAL};
  for (int32_t s = 0; s < cage->view.segment_count; ++s) {
    const int32_t *ends = &cage->view.segments[2 * s];
    pl_vec3 a = cage->view.points[ends[0]], b = cage->view.points[ends[1]];
    double across = component(b, 1 - axis) - component(a, 1 - axis);
    // A segment along the way is met at its ends, by its neighbours.
    double t = across != 0 ? (component(point, 1 - axis) - component(a, 1 - axis)) / across : -1;
    if (!(t >= 0 && t <= 1)) continue;
    double distance =
        sign * (component(a, axis) + t * (component(b, axis) - component(a, axis)) - component(point, axis));
    if (distance < 0 || distance > limit || distance >= best.distance) continue;
    best = (pl_cage_position){true, distance, {ends[0], ends[1], 0}, {1 - t, t, 0}};
  }
  return best;
}

pl_cage_position pl_harmonic_cage_cross(const pl_harmonic_cage *cage, pl_vec3 point, int32_t axis, double sign,
                                        double limit) {
  // Begin a little before the point and end a little beyond the limit: a cage that goes through either must not be
  // missed.
  double slack = PL_CAGE_ROUNDING * cage->size;
  pl_vec3 along = pl_vec3_of(axis == 0 ? sign : 0, axis == 1 ? sign : 0, axis == 2 ? sign : 0);
  pl_vec3 begin = pl_vec3_add_scaled(point, along, -slack);
  pl_cage_position position =
      cage->dimension == 2 ? cross_segments(cage, begin, axis, sign, limit + 2 * slack)
                           : position_of_hit(cage, pl_triangle_tree_ray(cage->tree, begin, along, limit + 2 * slack));
  if (position.found) position.distance = fmin(fmax(position.distance - slack, 0), limit);
  return position;
}
