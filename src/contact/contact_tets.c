// The points of a body among the tets of another: for two soft bodies that lie against, or deep in, each other.
//
// A point x inside the other body is in one of its tets, with weights w. In the rest shape it is at X = sum w_i X_i,
// and there the surface never folds, flattens or turns inside out: the way out is to the nearest triangle of the rest
// shape, however much the body is squeezed. Gap and normal are those of this triangle where it is now.
//
// Did the point come in during this step? Then it must go back through the triangle where it did: the first one that
// the way from X_0 to X crosses, X_0 being where it was at the start, in the frame of the same tet then. A point that
// starts a fraction of an edge below a triangle still comes in through it.
//
// Did the point press against a triangle of the body in the last step? Then it began this one in front of that face,
// and leaves through it again, whatever is nearest: in one step of a squeezed body a point may come in so deep that
// another face is nearer, and the way through tets that are bent does not tell.
//
// Of tangled bodies (contact_tangle.h), points whose way out leads against the common direction leave where a ray along
// it leaves the rest shape.
//
// Edges are not looked at: contact_detect.c asks for those of coarse bodies, and of two that no point holds apart.
#include <string.h>

#include "contact/contact_cache.h"
#include "contact/contact_solver.h"
#include "contact/contact_tangle.h"
#include "contact/pair_lanes.h"
#include "math/lanes.h"
#include "math/mat3.h"
#include "math/rotation.h"
#include "mesh/simplex.h"

// As for triangles (contact_surface.c): how far below the surface a point still comes in, and how far away a triangle
// that the point can lie against is preferred to one that it cannot.
static const double START_EDGES = 0.1, FACING_EDGES = 0.1, FACING_RATIO = 32;
// Weights outside a triangle that count as on its border.
static const double BORDER = 1e-3;
// Distances that differ by less than this factor are the same, up to rounding.
static const double NEARER = 1 - 1e-9;

// A point that was found in a tet.
typedef struct found_point {
  int32_t point, tet;
  float weights[4];
} found_point;

// What points of one body that are looked up in another have in common.
typedef struct tet_pair {
  const pl_contact_group *group;  // of the points
  int32_t other;
  // Of contacts that are kept (contact_keep.c): the slots of the points, and what they call the other body; NULL: none
  const pl_contact_impulse *last;
  pl_contact_mask last_mask;
  uint32_t partner;
} tet_pair;

typedef struct tet_search {
  const pl_contact_group *group;
  int32_t point;
  const pl_contact_surface *surface;  // of the other body
  const pl_surface_motion *motion;
  const pl_tet_map *map;
  const pl_vec3 *positions;  // of the particles of the other body
  int32_t other, tet;
  const int32_t *triangles;  // where the way out may be
  int32_t triangle_count;
  double heights[PL_TET_TRIANGLES];  // of the point above these at the end of the step, at rest, metres
  pl_vec3 rest_end;                  // where it is then, at rest
  pl_vec3 outward;                   // at the point, of its own surface; not unit
} tet_search;

// Where a contact may be.
typedef struct tet_exit {
  int32_t triangle;  // -1: nowhere
  double weights[3];
  double order;    // time of crossing, or distance at rest in metres
  bool is_hooked;  // nowhere, since the point comes back from behind
} tet_exit;

static void rest_corners(const tet_search *s, int32_t triangle, pl_vec3 corners[3]) {
  pl_surface_corners(s->motion->tree, s->surface->rest_points, triangle, corners);
}

// Height of a position of the rest shape above the plane of a triangle.
static double rest_height(const tet_search *s, int32_t triangle, pl_vec3 position) {
  return pl_vec3_dot(s->map->normals[triangle], position) - s->map->offsets[triangle];
}

// Where the point with these weights in a tet is in the rest shape. Relative to the first corner: weights in single
// precision do not quite sum to 1.
static pl_vec3 rest_position(const pl_tet_map *map, int32_t tet, const double weights[4]) {
  pl_vec3 first = map->rest[pl_tet_map_corner(map, tet, 0)], position = first;
  for (int k = 1; k < 4; ++k)
    position = pl_vec3_add_scaled(position, pl_vec3_sub(map->rest[pl_tet_map_corner(map, tet, k)], first), weights[k]);
  return position;
}

// Normal of a triangle, twice its area long.
static pl_vec3 area_of(const pl_vec3 *points, const int32_t corners[3]) {
  pl_vec3 first = points[corners[0]];
  return pl_vec3_cross(pl_vec3_sub(points[corners[1]], first), pl_vec3_sub(points[corners[2]], first));
}

static pl_vec3 touched_area(const tet_search *s, int32_t triangle) {
  return area_of(s->positions, &s->map->triangle_particles[3 * (size_t)triangle]);
}

// Can the point's own surface lie against this triangle?
static bool is_facing(const tet_search *s, int32_t triangle) {
  return pl_vec3_dot(touched_area(s, triangle), s->outward) < 0;
}

// Where the point was at the start of the step, at rest, in the frame of the tet then; false if that tells nothing.
static bool find_rest_start(const tet_search *s, pl_vec3 *rest_start) {
  const pl_contact_body *body = &s->group->bodies[s->other];
  const pl_vec3 *starts = body->asleep ? body->positions : body->starts;
  pl_vec3 corners[4];
  double weights[4];
  for (int k = 0; k < 4; ++k) corners[k] = starts[pl_tet_map_corner(s->map, s->tet, k)];
  if (!pl_tet_weights(corners, s->group->motions[s->group->body].starts[s->point], weights)) return false;
  *rest_start = rest_position(s->map, s->tet, weights);
  return true;
}

// The first triangle that the point's way crosses inwards, of those that it can lie against.
static tet_exit find_crossed(const tet_search *s) {
  tet_exit first = {.triangle = -1, .order = 2};
  double tolerance = pl_larger(s->group->scale.margin, START_EDGES * s->motion->tree->edge_length);
  pl_vec3 rest_start;
  if (!find_rest_start(s, &rest_start)) return first;
  for (int32_t i = 0; i < s->triangle_count; ++i) {
    int32_t triangle = s->triangles[i];
    double end = s->heights[i];
    if (!(end < 0)) continue;
    double start = rest_height(s, triangle, rest_start);
    if (!(start > -tolerance && end < start)) continue;
    double time = start > 0 ? start / (start - end) : -1e-6 * start, weights[3];
    if (!(time < first.order)) continue;
    pl_vec3 at = pl_vec3_lerp(rest_start, s->rest_end, start > 0 ? time : 0);
    if (!pl_tet_map_weights(s->map, triangle, at, weights) || !is_facing(s, triangle)) continue;
    first = (tet_exit){.triangle = triangle, .weights = {weights[0], weights[1], weights[2]}, .order = time};
  }
  return first;
}

// Take a triangle if it is nearer, at rest, than the nearest so far.
static void try_triangle(const tet_search *s, int32_t triangle, tet_exit *nearest) {
  pl_vec3 c[3];
  double weights[3];
  rest_corners(s, triangle, c);
  double distance = pl_vec3_distance(s->rest_end, pl_triangle_nearest(c[0], c[1], c[2], s->rest_end, weights));
  if (distance < nearest->order)
    *nearest = (tet_exit){.triangle = triangle, .weights = {weights[0], weights[1], weights[2]}, .order = distance};
}

// The nearest triangle of the rest shape; with `is_facing_only` among those that the point can lie against, within
// `limit`.
static tet_exit find_nearest(const tet_search *s, double limit, bool is_facing_only) {
  tet_exit nearest = {.triangle = -1, .order = limit};
  for (int32_t i = 0; i < s->triangle_count; ++i) {
    int32_t triangle = s->triangles[i];
    if (!(fabs(s->heights[i]) < nearest.order) || (is_facing_only && !is_facing(s, triangle))) continue;
    try_triangle(s, triangle, &nearest);
  }
  return nearest;
}

// The triangles of the tet, and how far the point is above them.
static void measure_heights(tet_search *s) {
  s->triangles = &s->map->triangles[PL_TET_TRIANGLES * (size_t)s->tet];
  for (; s->triangle_count < PL_TET_TRIANGLES && s->triangles[s->triangle_count] >= 0; ++s->triangle_count)
    s->heights[s->triangle_count] = rest_height(s, s->triangles[s->triangle_count], s->rest_end);
}

// Take the triangles around a corner of `held` that are parts of its face and nearer.
static void try_ring(const tet_search *s, int32_t held, int corner, tet_exit *nearest) {
  const pl_surface_tree *tree = s->motion->tree;
  int32_t point = s->surface->triangles[3 * (size_t)held + (size_t)corner];
  for (int32_t r = tree->ring_start[point]; r < tree->ring_start[point + 1]; ++r) {
    int32_t triangle = tree->ring[r];
    if (fabs(rest_height(s, triangle, s->rest_end)) < NEARER * nearest->order &&
        pl_tet_map_is_flush(s->map, held, triangle))
      try_triangle(s, triangle, nearest);
  }
}

// The triangle to leave through for a point that pressed against `held` in the last step, and so began this one in
// front of it: the nearest of the same face, among those of the tet and those around `held`.
//
// A point is no nearer to a triangle than to its plane. Most points stay above `held` itself, and where the whole face
// is in its plane none of the others is nearer then: they need not be looked at.
static tet_exit find_held(tet_search *s, int32_t held) {
  tet_exit nearest = {.triangle = -1, .order = HUGE_VAL};
  if (held >= s->surface->triangle_count || !is_facing(s, held)) return nearest;
  try_triangle(s, held, &nearest);
  if (s->map->is_level[held] && nearest.weights[0] > 0 && nearest.weights[1] > 0 && nearest.weights[2] > 0)
    return nearest;
  measure_heights(s);
  for (int32_t i = 0; i < s->triangle_count; ++i)
    if (fabs(s->heights[i]) < NEARER * nearest.order && pl_tet_map_is_flush(s->map, held, s->triangles[i]))
      try_triangle(s, s->triangles[i], &nearest);
  for (int k = 0; k < 3; ++k) try_ring(s, held, k, &nearest);
  return nearest;
}

static tet_exit find_exit(tet_search *s, uint32_t last_spot) {
  if (last_spot != 0) {
    tet_exit held = find_held(s, pl_contact_spot_place(last_spot).triangle);
    if (held.triangle >= 0) return held;
  }
  measure_heights(s);
  tet_exit crossed = find_crossed(s);
  if (crossed.triangle >= 0) return crossed;
  tet_exit nearest = find_nearest(s, HUGE_VAL, false);
  if (nearest.triangle < 0 || is_facing(s, nearest.triangle)) return nearest;
  double reach = pl_larger(FACING_EDGES * s->motion->tree->edge_length, FACING_RATIO * nearest.order);
  tet_exit facing = find_nearest(s, reach, true);
  if (facing.triangle >= 0) return facing;
  // A corner that has come through a thin body may go back: held there it would stretch its own.
  nearest.is_hooked = pl_contact_is_hooked(touched_area(s, nearest.triangle), s->outward);
  if (nearest.is_hooked) nearest.triangle = -1;
  return nearest;
}

static void add_flush_normal(const pl_contact_surface *surface, const pl_vec3 *positions, int32_t exit,
                             int32_t triangle, pl_vec3 *sum) {
  if (triangle < 0 || !pl_tet_map_is_flush(surface->tet_map, exit, triangle)) return;
  const int32_t *c = &surface->tet_map->triangle_particles[3 * (size_t)triangle];
  *sum = pl_vec3_add(*sum, pl_triangle_normal(positions[c[0]], positions[c[1]], positions[c[2]]));
}

// At a corner or an edge the normal is that of all triangles there which are flush with the one that the point leaves
// through, so that two dented faces whose points meet do not push each other aside.
pl_vec3 pl_contact_exit_normal(const pl_surface_tree *tree, const pl_vec3 *positions, int32_t exit,
                               const double weights[3]) {
  const pl_contact_surface *surface = tree->surface;
  const int32_t *corners = &surface->triangles[3 * (size_t)exit];
  pl_vec3 sum = {0, 0, 0};
  for (int k = 0; k < 3; ++k) {
    if (!(weights[k] > 1 - BORDER)) continue;
    for (int32_t r = tree->ring_start[corners[k]]; r < tree->ring_start[corners[k] + 1]; ++r)
      add_flush_normal(surface, positions, exit, tree->ring[r], &sum);
    return pl_vec3_normalize_or(sum, sum);
  }
  add_flush_normal(surface, positions, exit, exit, &sum);
  for (int k = 0; k < 3; ++k) {
    if (!(weights[(k + 2) % 3] < BORDER)) continue;
    const pl_surface_edge *edge = &tree->edges[tree->triangle_edges[3 * exit + k]];
    add_flush_normal(surface, positions, exit, edge->triangles[edge->triangles[0] == exit], &sum);
    return pl_vec3_normalize_or(sum, sum);
  }
  return sum;
}

// May a point have pressed against something in the last step?
static bool has_last(const tet_pair *pair, int32_t point) {
  int32_t point_count = pair->group->bodies[pair->group->body].surface->point_count;
  return pair->last != NULL && pl_contact_mask_has(pair->last_mask, point, point_count);
}

// Where on the other body the point pressed in the last step; 0: it did not, or that is not known.
static uint32_t last_spot_of(const tet_pair *pair, int32_t point) {
  if (!has_last(pair, point)) return 0;
  const pl_contact_impulse *slot =
      pl_contact_cache_find_in(&pair->last[(size_t)point * PL_IMPULSES_PER_POINT], pair->partner);
  return slot != NULL ? slot->spot : 0;
}

// Without an initializer: clearing the heights takes longer than most searches, which do not ask for them.
static void begin_search(const tet_pair *pair, const found_point *found, tet_search *s) {
  const double w[4] = {(double)found->weights[0], (double)found->weights[1], (double)found->weights[2],
                       (double)found->weights[3]};
  s->group = pair->group;
  s->point = found->point;
  s->motion = &pair->group->motions[pair->other];
  s->surface = s->motion->tree->surface;
  s->map = s->surface->tet_map;
  s->positions = pair->group->bodies[pair->other].positions;
  s->other = pair->other;
  s->tet = found->tet;
  s->triangle_count = 0;
  s->rest_end = rest_position(s->map, found->tet, w);
  s->outward = pl_contact_outward(&pair->group->motions[pair->group->body], found->point);
}

// Returns whether the point touches the other body.
static bool touch_exit(const tet_pair *pair, int32_t point, const tet_exit *out) {
  const pl_contact_group *group = pair->group;
  if (out->triangle < 0) return false;
  pl_contact_place place = {out->triangle, {out->weights[0], out->weights[1], out->weights[2]}};
  if (group->hits != NULL) {
    pl_soft_list_add(group->hits, point, pl_contact_spot_of(&place, group->spot_uses));
    return true;
  }
  pl_vec3 normal = pl_contact_exit_normal(group->motions[pair->other].tree, group->bodies[pair->other].positions,
                                          out->triangle, out->weights);
  if (pl_vec3_dot(normal, normal) < 0.5) return false;
  pl_contact_query query;
  pl_contact_group_query(group, point, &query);
  pl_contact_add_triangle(&query, pair->other, &place, normal);
  return true;
}

// --- tangled bodies

// The points of a body in another, with what became of them.
typedef struct found_points {
  int32_t count;
  found_point items[PL_SURFACE_LANE_POINTS];
  tet_exit exits[PL_SURFACE_LANE_POINTS];
  pl_contact_tangle tangle;
} found_points;

static pl_vec3 mean_of(const pl_vec3 *points, int32_t count) {
  pl_vec3 sum = {0, 0, 0};
  for (int32_t i = 0; i < count; ++i) sum = pl_vec3_add(sum, points[i]);
  return pl_vec3_scale(sum, 1.0 / count);
}

static pl_vec3 middle_of(const pl_contact_body *body) {
  return mean_of(body->positions, body->surface->particle_count);
}

static pl_vec3 way_apart(const tet_pair *pair, const found_points *found) {
  const pl_contact_body *bodies = pair->group->bodies;
  pl_vec3 apart = pl_vec3_sub(middle_of(&bodies[pair->group->body]), middle_of(&bodies[pair->other]));
  return pl_contact_tangle_way(&found->tangle, apart);
}

// A direction in the rest shape of a body.
static pl_vec3 rest_direction(const pl_contact_body *body, pl_vec3 direction) {
  int32_t count = body->surface->particle_count;
  const pl_vec3 *rest = body->surface->tet_map->rest;
  pl_vec3 middle = middle_of(body), rest_middle = mean_of(rest, count);
  pl_mat3 sum = pl_mat3_zero();
  for (int32_t i = 0; i < count; ++i)
    sum = pl_mat3_add(sum, pl_mat3_outer(pl_vec3_sub(body->positions[i], middle), pl_vec3_sub(rest[i], rest_middle)));
  pl_quat rotation = pl_rotation_of_mat3(sum, pl_quat_identity());
  return pl_quat_rotate(pl_quat_conjugate(rotation), direction);
}

static void untangle(const tet_pair *pair, found_points *found) {
  const pl_contact_body *other = &pair->group->bodies[pair->other];
  const pl_tet_map *map = other->surface->tet_map;
  pl_vec3 way = rest_direction(other, way_apart(pair, found));
  for (int32_t i = 0; i < found->count; ++i) {
    tet_exit *out = &found->exits[i];
    if (out->triangle >= 0 && pl_contact_is_along(map->normals[out->triangle], way)) continue;
    tet_search s;
    pl_contact_place place;
    begin_search(pair, &found->items[i], &s);
    if (!pl_tet_map_find_way_out(map, s.surface, s.rest_end, way, &place)) continue;
    *out = (tet_exit){.triangle = place.triangle};
    memcpy(out->weights, place.weights, sizeof out->weights);
  }
}

static void set_floats(float to[3], pl_vec3 a) {
  to[0] = (float)a.x, to[1] = (float)a.y, to[2] = (float)a.z;
}

// Is a point a number at both ends of the step? Of most bodies all are, and their starts are not looked at.
static bool is_finite_point(const pl_surface_motion *motion, int32_t point) {
  return motion->is_finite || (pl_vec3_is_finite(motion->starts[point]) && pl_vec3_is_finite(motion->ends[point]));
}

// The points of a body that may be in another: those that end the step within its hull. Returns how many there are.
static int32_t list_inside(const pl_surface_motion *own, const pl_surface_motion *other, double limit,
                           const pl_lane_tets *tets, int32_t points[PL_SURFACE_LANE_POINTS]) {
  pl_box box = pl_box_expand(other->end_box, limit);
  pl_lane_hull hull;
  set_floats(hull.shift, pl_vec3_sub(own->origin, tets->origin));
  set_floats(hull.min, pl_vec3_sub(box.min, tets->origin));
  set_floats(hull.max, pl_vec3_sub(box.max, tets->origin));
  pl_pair_axis_end_extents(other, limit, hull.direction_min, hull.direction_max);
  int32_t listed = pl_lane_kernels_get()->list_points(own->lanes, own->lane_block_count, &hull, points), count = 0;
  for (int32_t i = 0; i < listed && points[i] < own->tree->surface->point_count; ++i)
    if (is_finite_point(own, points[i])) points[count++] = points[i];
  return count;
}

static void fill_lookup(const pl_surface_motion *own, const int32_t *points, int32_t count, pl_vec3 origin,
                        pl_lane_lookup *lookup) {
  lookup->count = count;
  for (int i = 0; i < LANES; ++i) {
    float position[3];
    set_floats(position, pl_vec3_sub(own->ends[points[i < count ? i : count - 1]], origin));
    for (int k = 0; k < 3; ++k) lookup->positions[k][i] = position[k];
  }
}

// Look the points of a body up. The slots of those that are found are fetched into the cache: they are asked for when
// all points have been looked up.
static void find_all_inside(const tet_pair *pair, const pl_lane_tets *tets, found_points *found) {
  const pl_contact_group *group = pair->group;
  const pl_surface_motion *own = &group->motions[group->body], *motion = &group->motions[pair->other];
  double limit = group->bodies[group->body].radius + group->bodies[pair->other].radius + group->scale.margin;
  if (group->hits != NULL && group->watches) limit += pl_soft_watch(own, motion);
  int32_t points[PL_SURFACE_LANE_POINTS], count = list_inside(own, motion, limit, tets, points);
  pl_lane_lookup lookup;
  lookup.limit = (float)limit;
  found->count = 0;
  for (int32_t first = 0; first < count; first += LANES) {
    fill_lookup(own, &points[first], count - first < LANES ? count - first : LANES, tets->origin, &lookup);
    pl_lane_kernels_get()->find_tets(motion->tree->surface->tet_map, tets, &lookup);
    for (int32_t i = 0; i < lookup.count; ++i) {
      if (lookup.tets[i] < 0) continue;
      found_point *to = &found->items[found->count++];
      *to = (found_point){.point = points[first + i], .tet = lookup.tets[i]};
      memcpy(to->weights, lookup.weights[i], sizeof to->weights);
      if (!has_last(pair, to->point)) continue;
      const pl_contact_impulse *slots = &pair->last[(size_t)to->point * PL_IMPULSES_PER_POINT];
      __builtin_prefetch(slots);
      __builtin_prefetch(slots + PL_IMPULSES_PER_POINT - 1);
    }
  }
}

// Where each point leaves by itself. Returns whether the bodies are tangled.
static bool find_exits(const tet_pair *pair, found_points *found) {
  bool is_tangled = false;
  found->tangle = (pl_contact_tangle){{0, 0, 0}, 0};
  for (int32_t i = 0; i < found->count; ++i) {
    tet_search s;
    begin_search(pair, &found->items[i], &s);
    found->exits[i] = find_exit(&s, last_spot_of(pair, s.point));
    is_tangled = is_tangled || found->exits[i].is_hooked;
    pl_contact_tangle_add(&found->tangle, s.outward);
  }
  return is_tangled;
}

int32_t pl_contact_find_in_tets(const pl_contact_group *group, int32_t other, const pl_lane_tets *tets) {
  tet_pair pair = {.group = group,
                   .other = other,
                   .last = group->hits != NULL ? pl_contact_cache_last(&group->bodies[group->body]) : NULL,
                   .last_mask = pl_contact_cache_last_mask(&group->bodies[group->body]),
                   .partner = pl_contact_cache_partner(&group->bodies[other])};
  // Without an initializer, as above: it has space for all points of the largest bodies.
  found_points found;
  int32_t touching = 0;
  find_all_inside(&pair, tets, &found);
  if (find_exits(&pair, &found)) untangle(&pair, &found);
  for (int32_t i = 0; i < found.count; ++i) touching += touch_exit(&pair, found.items[i].point, &found.exits[i]);
  return touching;
}
