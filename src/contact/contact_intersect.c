// Edges through triangles.
//
// With V(p) = (p - a) . n, n = (b - a) x (c - a), the line of the edge pq passes through the plane of abc between its
// ends if V(p) and V(q) differ in sign, and through the triangle if the volumes of pq with its three edges have one
// sign. Touching is not passing: ends that are in the plane, to the rounding of their coordinates, do not count.
#include "contact/contact_intersect.h"

#include "base/error.h"
#include "contact/contact_solver.h"

// Of coordinates, as a fraction of them.
static const double ROUNDING = 1e-12;

typedef struct intersect_search {
  const pl_surface_motion *a, *b;
  int32_t body, other, edge;
  pl_contact_intersections *found;
} intersect_search;

static double volume(pl_vec3 u, pl_vec3 v, pl_vec3 w) {
  return pl_vec3_dot(u, pl_vec3_cross(v, w));
}

bool pl_contact_pierces(pl_vec3 p, pl_vec3 q, const pl_vec3 c[3], double tolerance, pl_vec3 *position) {
  pl_vec3 n = pl_vec3_cross(pl_vec3_sub(c[1], c[0]), pl_vec3_sub(c[2], c[0]));
  double d = pl_vec3_dot(n, pl_vec3_sub(p, c[0])), e = pl_vec3_dot(n, pl_vec3_sub(q, c[0]));
  // Most edges do not even reach the plane.
  if (!((d > 0 && e < 0) || (d < 0 && e > 0))) return false;
  double length = pl_vec3_length(n);
  tolerance = fmax(tolerance, ROUNDING * (pl_vec3_length(p) + pl_vec3_length(q) + pl_vec3_length(c[0])));
  if (!((d > tolerance * length && e < -tolerance * length) || (d < -tolerance * length && e > tolerance * length)))
    return false;
  pl_vec3 along = pl_vec3_sub(q, p), r[3];
  for (int k = 0; k < 3; ++k) r[k] = pl_vec3_sub(c[k], p);
  double x = volume(along, r[0], r[1]), y = volume(along, r[1], r[2]), z = volume(along, r[2], r[0]);
  if (!((x > 0 && y > 0 && z > 0) || (x < 0 && y < 0 && z < 0))) return false;
  *position = pl_vec3_lerp(p, q, d / (d - e));
  return true;
}

static void visit_triangle(void *data, int32_t triangle) {
  const intersect_search *s = data;
  const pl_surface_edge *edge = &s->a->tree->edges[s->edge];
  const int32_t *corners = &s->b->tree->surface->triangles[3 * triangle];
  for (int k = 0; k < 3 && s->body == s->other; ++k)
    if (corners[k] == edge->points[0] || corners[k] == edge->points[1]) return;
  pl_vec3 c[3], position, p = s->a->ends[edge->points[0]], q = s->a->ends[edge->points[1]];
  pl_surface_corners(s->b->tree, s->b->ends, triangle, c);
  pl_contact_intersections *found = s->found;
  if (!pl_contact_pierces(p, q, c, found->tolerance, &position)) return;
  if (found->count < found->capacity)
    found->items[found->count] =
        (pl_contact_intersection){s->body, {edge->points[0], edge->points[1]}, s->other, triangle, position};
  found->count++;
}

static void search_pair(const pl_contact_memory *memory, int32_t body, int32_t other, pl_contact_intersections *found) {
  intersect_search s = {&memory->motions[body], &memory->motions[other], body, other, 0, found};
  pl_surface_front front;
  for (s.edge = 0; s.edge < s.a->tree->edge_count; ++s.edge) {
    const pl_surface_edge *edge = &s.a->tree->edges[s.edge];
    pl_box box = pl_box_empty();
    for (int k = 0; k < 2; ++k) pl_box_cover(&box, s.a->ends[edge->points[k]]);
    if (!pl_box_overlaps(box, s.b->end_box)) continue;
    pl_surface_motion_gather(s.b, box, NULL, &front);
    if (front.count > 0) pl_surface_motion_visit(s.b, &front, box, visit_triangle, &s);
  }
}

// Surfaces where they are, as if nothing moved.
static void place_body(pl_contact_memory *memory, const pl_contact_body *body, int32_t index) {
  pl_surface_motion *motion = &memory->motions[index];
  motion->drift = pl_vec3_of(0, 0, 0);
  motion->end_box = pl_box_empty();
  for (int32_t i = 0; i < body->surface->point_count; ++i) {
    motion->starts[i] = motion->ends[i] = pl_contact_surface_point(body->surface, i, body->positions);
    pl_box_cover(&motion->end_box, motion->ends[i]);
  }
  motion->start_box = motion->end_box;
  memory->item_boxes[index] = motion->end_box;
  memory->presences[index].is_at_rest = false;
  pl_surface_motion_refit(motion);
}

pl_status pl_contact_find_intersections(pl_contact_solver *solver, const pl_contact_body *bodies, int32_t body_count,
                                        pl_contact_intersections *found, pl_error *error) {
  pl_contact_memory *memory = &solver->memory;
  bool is_same = body_count == memory->body_count;
  for (int32_t i = 0; i < body_count && is_same; ++i) is_same = memory->motions[i].tree->surface == bodies[i].surface;
  if (!is_same) return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "the contact solver was prepared for other bodies");
  found->count = 0;
  solver->contact_count = 0;
  for (int32_t i = 0; i < body_count; ++i) place_body(memory, &bodies[i], i);
  pl_broad_phase_build(&memory->broad, memory->item_boxes, body_count);
  for (int32_t body = 0; body < body_count; ++body) {
    if (!found->spares_self) search_pair(memory, body, body, found);
    // Neighbours come in the order of the curve; asked for by number, the list is the same wherever the bodies are.
    for (int32_t last = -1, next;; last = next) {
      next = -1;
      pl_broad_walk walk = pl_broad_phase_begin(&memory->broad, memory->item_boxes[body]);
      for (int32_t item; (item = pl_broad_phase_next(&walk)) >= 0;)
        if (item != body && item > last && (next < 0 || item < next)) next = item;
      if (next < 0) break;
      search_pair(memory, body, next, found);
    }
  }
  return PL_OK;
}
