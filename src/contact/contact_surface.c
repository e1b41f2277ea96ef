// One moving point against the moving triangles of a body.
//
// Two questions are asked. Did the point cross a triangle from outside during the step? Then that triangle is what it
// must be put back in front of, even when it came out again on the other side. If not: is it inside the body, or closer
// than the radii allow? Then the nearest surface point that faces it is where it has to leave; inside and outside are
// distinguished by the surface's normals around that point, so a point deep inside is pushed out as surely as one just
// below the surface.
//
// A body against itself cannot use the second question as it stands, since every surface point is nearest to its own
// triangles. Triangles in the neighbourhood of the point, and those that are as close in the rest shape, are left out;
// of the others a point may be behind no farther than half an edge, and must face the triangle.
#include "contact/contact_surface.h"
#include "contact/pair_lanes.h"
#include "contact/triangle_touch.h"
#include "mesh/simplex.h"

// Rest distances up to this many gaps, or this fraction of an edge, are not contacts in the deformed shape either.
static const double REST_GAPS = 1.5, REST_EDGES = 0.1;
// A point hangs behind another body when a triangle pushes it along its own normal with at least this cosine, and its
// neighbours are this fraction of an edge behind the triangle.
static const double HOOKED = 0.5, HOOKED_EDGES = 0.25;

pl_surface_search pl_surface_search_of(const pl_contact_query *query, int32_t other) {
  return (pl_surface_search){.query = query,
                             .motion = &query->group->motions[other],
                             .other = other,
                             .is_self = other == query->body,
                             .gap = pl_contact_gap_between(query->group, other)};
}

static const pl_surface_motion *own_motion(const pl_surface_search *s) {
  return &s->query->group->motions[s->query->body];
}

static bool are_both_closed(const pl_surface_search *s) {
  return own_motion(s)->tree->is_closed && s->motion->tree->is_closed;
}

static void find_facing(pl_surface_search *s) {
  if (s->is_facing_known) return;
  s->is_facing_known = true;
  s->facing = pl_surface_motion_point_normal(own_motion(s), s->query->point);
  s->has_facing = are_both_closed(s) && pl_vec3_dot(s->facing, s->facing) > 0;
}

// Can the point's own surface lie against this triangle? Open surfaces are touched from both sides, by both sides.
//
// The point's normal is a sum of those of its triangles with positive weights. Most often all of these are on one side,
// and the weights, which take angles, are not needed.
static bool is_facing(pl_surface_search *s, int32_t triangle) {
  if (!are_both_closed(s)) return true;
  const pl_surface_motion *own = own_motion(s);
  const pl_surface_tree *tree = own->tree;
  const double sure = 1e-9;
  double min = HUGE_VAL, max = -HUGE_VAL;
  for (int32_t r = tree->ring_start[s->query->point]; r < tree->ring_start[s->query->point + 1]; ++r) {
    double along = pl_vec3_dot(s->motion->normals[triangle], own->normals[tree->ring[r]]);
    min = along < min ? along : min;
    max = along > max ? along : max;
  }
  if (min <= max && max < -sure) return true;
  if (min <= max && min > sure) return false;
  find_facing(s);
  return !s->has_facing || pl_surface_motion_is_facing(s->motion, triangle, s->facing);
}

// Does the point come back from behind another body? It starts in front of the triangle and its neighbours well behind
// it, and the triangle would push it along the outward normal of its own surface, to 60 degrees. A corner that has come
// through a body would hang there: held away from its own body it stretches it, and flies off at many times the speed
// of the impact when it comes free. It may go back instead.
static bool is_hooked(pl_surface_search *s) {
  find_facing(s);
  if (!s->has_facing || !(pl_vec3_dot(s->crossing_normal, s->facing) > HOOKED * pl_vec3_length(s->facing)))
    return false;
  const pl_surface_motion *own = &s->query->group->motions[s->query->body];
  const pl_surface_tree *tree = own->tree;
  pl_vec3 c[3];
  pl_surface_corners(s->motion->tree, s->motion->starts, s->crossing_triangle, c);
  pl_vec3 normal = pl_triangle_normal(c[0], c[1], c[2]);
  double behind = HOOKED_EDGES * tree->edge_length;
  if (pl_vec3_dot(normal, pl_vec3_sub(s->query->start, c[0])) < -s->query->group->scale.margin) return false;
  for (int32_t r = tree->ring_start[s->query->point]; r < tree->ring_start[s->query->point + 1]; ++r)
    for (int k = 0; k < 3; ++k) {
      int32_t point = tree->surface->triangles[3 * tree->ring[r] + k];
      if (point != s->query->point && pl_vec3_dot(normal, pl_vec3_sub(own->starts[point], c[0])) > -behind)
        return false;
    }
  return true;
}

static pl_vec3 corner_mix(const pl_surface_motion *motion, const pl_vec3 *points, int32_t triangle,
                          const double weights[3]) {
  pl_vec3 corners[3];
  pl_surface_corners(motion->tree, points, triangle, corners);
  pl_vec3 sum = pl_vec3_scale(corners[0], weights[0]);
  return pl_vec3_add_scaled(pl_vec3_add_scaled(sum, corners[1], weights[1]), corners[2], weights[2]);
}

void pl_contact_add_triangle(const pl_contact_query *query, int32_t other_body, const pl_contact_place *place,
                             pl_vec3 normal) {
  int32_t triangle = place->triangle;
  const double *weights = place->weights;
  const pl_contact_group *group = query->group;
  const pl_surface_motion *motion = &group->motions[other_body];
  double keep_away = pl_contact_gap_between(group, other_body);
  pl_vec3 start = corner_mix(motion, motion->starts, triangle, weights);
  pl_vec3 end = corner_mix(motion, motion->ends, triangle, weights);
  double gap = pl_vec3_dot(normal, pl_vec3_sub(query->end, end)) - keep_away;
  if (!(gap < group->scale.margin)) return;
  const pl_contact_body *body = &group->bodies[query->body], *other = &group->bodies[other_body];
  const int32_t *corners = &motion->tree->surface->triangles[3 * (size_t)triangle];
  pl_contact contact = {
      .a = {query->body, 1, {query->point}, {1}},
      .b = {other_body, 3, {corners[0], corners[1], corners[2]}, {weights[0], weights[1], weights[2]}},
      .collider = -1,
      .normal = normal,
      .offset = keep_away,
      .start_gap = pl_vec3_dot(normal, pl_vec3_sub(query->start, start)) - keep_away,
      .depth = -gap,
      .friction = sqrt(body->friction * other->friction),
      .restitution = pl_larger(body->restitution, other->restitution),
  };
  pl_contact_slots_add(query->slots, &contact);
}

static void add_triangle(const pl_surface_search *s, int32_t triangle, const double weights[3], pl_vec3 normal) {
  pl_contact_place place = {triangle, {weights[0], weights[1], weights[2]}};
  pl_contact_add_triangle(s->query, s->other, &place, normal);
}

static bool is_corner(const pl_surface_tree *tree, int32_t point, int32_t triangle) {
  const int32_t *corners = &tree->surface->triangles[3 * triangle];
  return corners[0] == point || corners[1] == point || corners[2] == point;
}

// Is the triangle around the point, or around one of its neighbours?
static bool is_around(const pl_surface_tree *tree, int32_t point, int32_t triangle) {
  for (int k = 0; k < 3; ++k) {
    int32_t corner = tree->surface->triangles[3 * triangle + k];
    if (corner == point) return true;
    for (int32_t r = tree->ring_start[corner]; r < tree->ring_start[corner + 1]; ++r)
      if (is_corner(tree, point, tree->ring[r])) return true;
  }
  return false;
}

// Distance of point and triangle in the rest shape; infinite when there is none to look at.
static double rest_distance(const pl_surface_tree *tree, int32_t point, int32_t triangle) {
  const pl_vec3 *rest = tree->surface->rest_points;
  if (rest == NULL) return HUGE_VAL;
  pl_vec3 corners[3];
  double weights[3];
  pl_surface_corners(tree, rest, triangle, corners);
  return pl_vec3_distance(rest[point], pl_triangle_nearest(corners[0], corners[1], corners[2], rest[point], weights));
}

static bool is_spared(const pl_surface_search *s, int32_t triangle) {
  const pl_surface_tree *tree = s->motion->tree;
  if (is_around(tree, s->query->point, triangle)) return true;
  return rest_distance(tree, s->query->point, triangle) <=
         pl_larger(REST_GAPS * s->gap, REST_EDGES * tree->edge_length);
}

// A point that starts this fraction of an edge below a surface still enters it through the triangle above its start.
// Where it ends, pressed by its own body, another face may be nearer, which would push it out through the wrong side.
static double start_tolerance(const pl_surface_search *s) {
  return pl_larger(s->query->group->scale.margin, PL_START_EDGES * s->motion->tree->edge_length);
}

// The first crossing counts, and of triangles the point starts below, the nearest.
static double start_depth_time(const pl_triangle_path *path) {
  pl_vec3 normal = pl_triangle_normal(path->start_corners[0], path->start_corners[1], path->start_corners[2]);
  double depth = -pl_vec3_dot(normal, pl_vec3_sub(path->start, path->start_corners[0]));
  return 1e-6 * pl_larger(depth, 0);
}

void pl_surface_visit_crossing(void *data, int32_t triangle) {
  pl_surface_search *s = data;
  if (s->is_self && is_corner(s->motion->tree, s->query->point, triangle)) return;
  pl_triangle_path path = {.start = s->query->start, .end = s->query->end};
  pl_surface_corners(s->motion->tree, s->motion->starts, triangle, path.start_corners);
  pl_surface_corners(s->motion->tree, s->motion->ends, triangle, path.end_corners);
  double time, weights[3];
  bool from_inside;
  if (!pl_triangle_touch_crossing(&path, start_tolerance(s), !s->motion->tree->is_closed, &time, weights, &from_inside))
    return;
  if (time == 0 && !from_inside) time = start_depth_time(&path);
  // The first one counts. Of several at once, as when a corner rests on an edge, one that the point's own surface can
  // lie against, then the one that is entered deepest, then the lowest: the order of the hierarchy must not matter.
  if (time > s->crossing_time) return;
  bool can_lie = is_facing(s, triangle);
  pl_vec3 normal = s->motion->normals[triangle];
  if (pl_vec3_dot(normal, normal) < 0.5) return;
  if (from_inside) normal = pl_vec3_scale(normal, -1);
  double gap = pl_vec3_dot(normal, pl_vec3_sub(path.end, path.end_corners[0]));
  if (time == s->crossing_time) {
    if (can_lie != s->is_crossing_facing) {
      if (!can_lie) return;
    } else if (gap > s->crossing_gap || (gap == s->crossing_gap && triangle > s->crossing_triangle)) {
      return;
    }
  }
  if (s->is_self && is_spared(s, triangle)) return;
  s->crossing_time = time;
  s->crossing_triangle = triangle;
  s->crossing_gap = gap;
  s->is_crossing_facing = can_lie;
  s->crossing_normal = normal;
  for (int k = 0; k < 3; ++k) s->crossing_weights[k] = weights[k];
}

static bool find_crossing(pl_surface_search *s, const pl_surface_front *front) {
  s->crossing_time = 2;
  s->crossing_triangle = -1;
  if (front->count == 0) return false;
  pl_box start = {s->query->start, s->query->start}, end = {s->query->end, s->query->end};
  pl_box path = pl_box_expand(pl_surface_motion_frame_box(s->motion, start, end), start_tolerance(s));
  pl_surface_motion_visit(s->motion, front, path, pl_surface_visit_crossing, s);
  return s->crossing_triangle >= 0;
}

// Unit normal of a contact at the nearest surface point, on the point's side or away from the inside.
static pl_vec3 normal_at(const pl_surface_search *s, const pl_hit *hit, bool is_inside) {
  pl_vec3 outward = pl_surface_motion_outward(s->motion, hit);
  pl_vec3 away = pl_vec3_scale(pl_vec3_sub(s->query->end, hit->point), is_inside ? -1 : 1);
  // On the surface itself the direction to it is noise.
  double noise = 1e-9 * s->motion->tree->edge_length;
  return pl_vec3_normalize_or(hit->distance > noise ? away : outward, pl_vec3_of(0, 1, 0));
}

// Which side of an open surface the point was on at the start: only from there it can come close.
static bool is_behind_at_start(const pl_surface_search *s, const pl_hit *hit) {
  pl_vec3 corners[3];
  pl_surface_corners(s->motion->tree, s->motion->starts, hit->triangle, corners);
  pl_vec3 normal = pl_triangle_normal(corners[0], corners[1], corners[2]);
  return pl_vec3_dot(normal, pl_vec3_sub(s->query->start, corners[0])) < 0;
}

// The nearest triangle of a packed surface, as pl_surface_motion_nearest() finds it.
pl_hit pl_surface_nearest_packed(const pl_surface_search *s, pl_vec3 position, double limit, const pl_vec3 *facing) {
  const pl_surface_motion *motion = s->motion;
  int32_t nearest[PL_LANE_TRIANGLES];
  pl_lane_position at = {.limit = (float)(limit + 1e-6 * (limit + s->packed_extent)),
                         .extent = (float)s->packed_extent,
                         .has_facing = facing != NULL};
  pl_lane_set_floats(at.position, pl_vec3_sub(position, motion->origin));
  if (facing != NULL) pl_lane_set_floats(at.facing, pl_vec3_normalize_or(*facing, pl_vec3_of(0, 1, 0)));
  int32_t count = pl_lane_kernels_get()->list_nearest(motion->packed, &at, nearest);
  return pl_surface_motion_nearest_of(motion, position, limit, facing, nearest, count);
}

static void take_exit(const pl_surface_search *s, const pl_hit *hit, bool is_inside, pl_surface_exit *out) {
  const double *weights = hit->barycentric;
  *out = (pl_surface_exit){
      s->query->point, {hit->triangle, {weights[0], weights[1], weights[2]}}, normal_at(s, hit, is_inside)};
}

// The triangle nearest to `position`, within `limit`, that the point's own surface can lie against; false: none.
static bool find_facing_exit(pl_surface_search *s, pl_vec3 position, double limit, pl_surface_exit *out) {
  find_facing(s);
  pl_hit hit = s->packed_extent > 0 ? pl_surface_nearest_packed(s, position, limit, &s->facing)
                                    : pl_surface_motion_nearest(s->motion, position, limit, &s->facing);
  if (hit.triangle < 0) return false;
  pl_vec3 corners[3];
  pl_surface_corners(s->motion->tree, s->motion->ends, hit.triangle, corners);
  hit.point = pl_triangle_nearest(corners[0], corners[1], corners[2], s->query->end, hit.barycentric);
  pl_vec3 away = pl_vec3_sub(s->query->end, hit.point);
  hit.distance = pl_vec3_length(away);
  bool is_behind = pl_vec3_dot(away, pl_surface_motion_outward(s->motion, &hit)) < 0;
  take_exit(s, &hit, is_behind, out);
  return true;
}

void pl_surface_add_exit(const pl_surface_search *s, const pl_surface_exit *out) {
  pl_contact_add_triangle(s->query, s->other, &out->place, out->normal);
}

// What lies on an edge is as near to the side that it does not lie against, which would push it off. So a facing
// triangle is preferred when it is within a fraction of an edge, or of a multiple of the distance. Without a limit a
// body squashed flat would be pulled through thin ones, since then what faces it is their far side.
static const double FACING_RATIO = 32;

// The nearest surface point, or what to touch instead; false where the point is neither inside the other body nor too
// close.
bool pl_surface_find_exit(pl_surface_search *s, const pl_hit *hit, bool is_behind, double facing_reach,
                          pl_surface_exit *out) {
  bool is_closed = s->motion->tree->is_closed, is_inside = is_closed && is_behind;
  double limit = s->gap + s->query->group->scale.margin;
  if (!is_closed && is_behind != is_behind_at_start(s, hit)) return false;
  if (!is_inside && hit->distance >= limit) return false;
  // What lies on an edge without being inside may also have a triangle nearest that it cannot lie against, as near as
  // the one that it does lie against: which of the two is found is chance, and what rests must not lose its contact.
  double reach = is_inside ? pl_larger(facing_reach, FACING_RATIO * hit->distance) : limit;
  if (!is_facing(s, hit->triangle)) {
    if (find_facing_exit(s, s->query->end, reach, out)) return true;
    if (!is_inside) return false;
  }
  take_exit(s, hit, is_inside, out);
  return true;
}

bool pl_surface_is_behind(const pl_surface_search *s, const pl_hit *hit) {
  pl_vec3 away = pl_vec3_sub(s->query->end, hit->point);
  return pl_vec3_dot(away, pl_surface_motion_outward(s->motion, hit)) < 0;
}

// Is the point inside the other body, or too close? Returns whether it is outside. `anchor` is the position asked for
// last, nearby.
static bool find_nearest(pl_surface_search *s, double facing_reach, pl_distance_anchor *anchor) {
  const pl_surface_motion *motion = s->motion;
  pl_vec3 position = s->query->end;
  pl_box end = {position, position};
  double limit = s->gap + s->query->group->scale.margin, reach = limit;
  if (!pl_box_overlaps(pl_box_expand(motion->end_box, limit), end)) return true;
  if (motion->tree->is_closed && pl_box_overlaps(motion->end_box, end)) {
    pl_distance_range range = pl_distance_anchor_range(anchor, position);
    double slack = 1e-9 * pl_box_diagonal(motion->end_box);
    if (range.low > limit + slack) return true;
    reach = pl_distance_search_limit(range, limit, slack);
  }
  pl_hit hit = pl_surface_motion_nearest(motion, position, reach, NULL);
  if (hit.triangle < 0) return true;
  bool is_behind = pl_surface_is_behind(s, &hit);
  *anchor = (pl_distance_anchor){true, position, is_behind ? -hit.distance : hit.distance};
  pl_surface_exit out;
  if (pl_surface_find_exit(s, &hit, is_behind, facing_reach, &out)) pl_surface_add_exit(s, &out);
  return !(motion->tree->is_closed && is_behind);
}

bool pl_surface_find_crossed_exit(pl_surface_search *s, double facing_reach, pl_surface_exit *out) {
  pl_vec3 position = corner_mix(s->motion, s->motion->ends, s->crossing_triangle, s->crossing_weights);
  if (!s->is_crossing_facing) {
    if (find_facing_exit(s, position, facing_reach, out)) return true;
    if (is_hooked(s)) return false;
  }
  const double *weights = s->crossing_weights;
  *out = (pl_surface_exit){
      s->query->point, {s->crossing_triangle, {weights[0], weights[1], weights[2]}}, s->crossing_normal};
  return true;
}

void pl_contact_find_body(const pl_contact_group *group, int32_t other, pl_distance_anchor *anchor) {
  const pl_surface_motion *motion = &group->motions[other];
  double limit = pl_contact_gap_between(group, other) + group->scale.margin;
  double facing_reach =
      PL_FACING_EDGES * pl_smaller(motion->tree->edge_length, group->motions[group->body].tree->edge_length);
  pl_surface_front front;
  pl_box box = pl_box_expand(pl_surface_motion_frame_box(motion, group->start_box, group->end_box),
                             pl_larger(limit, PL_START_EDGES * motion->tree->edge_length));
  pl_surface_motion_gather(motion, box, NULL, &front);
  bool may_be_inside = motion->tree->is_closed && pl_box_overlaps(motion->end_box, group->end_box);
  if (front.count == 0 && !may_be_inside) return;

  // From a position outside to one that no triangle is near to or between, one is still outside. Chains of neighbours
  // save most searches.
  pl_contact_query query;
  bool has_outside = false;
  pl_vec3 outside = {0, 0, 0};
  for (int32_t i = 0; i < group->count; ++i) {
    if (!pl_contact_group_query(group, i, &query)) continue;
    pl_surface_search s = pl_surface_search_of(&query, other);
    pl_surface_exit out;
    if (find_crossing(&s, &front)) {
      if (pl_surface_find_crossed_exit(&s, facing_reach, &out)) pl_surface_add_exit(&s, &out);
      continue;
    }
    pl_box between = {query.end, query.end};
    pl_box_cover(&between, outside);
    bool is_clear = has_outside && !pl_surface_front_is_met(&front, pl_box_expand(between, limit));
    if (!is_clear && !find_nearest(&s, facing_reach, anchor)) continue;
    has_outside = true;
    outside = query.end;
  }
}

static void visit_nearest_self(void *data, int32_t triangle) {
  pl_surface_search *s = data;
  const pl_surface_tree *tree = s->motion->tree;
  if (is_corner(tree, s->query->point, triangle)) return;
  const pl_vec3 *normal = &s->motion->normals[triangle];
  if (tree->is_closed && !pl_normal_boxes_may_face(&s->ring_normals, &(pl_box){*normal, *normal})) return;
  pl_vec3 corners[3];
  pl_surface_corners(tree, s->motion->ends, triangle, corners);
  pl_hit hit = {.triangle = triangle};
  hit.point = pl_triangle_nearest(corners[0], corners[1], corners[2], s->query->end, hit.barycentric);
  pl_vec3 away = pl_vec3_sub(s->query->end, hit.point);
  hit.distance = pl_vec3_length(away);
  bool is_nearer =
      hit.distance < s->nearest.distance || (hit.distance == s->nearest.distance && triangle < s->nearest.triangle);
  if (!is_nearer || is_spared(s, triangle) || !is_facing(s, triangle)) return;
  bool is_behind = pl_vec3_dot(away, *normal) < 0;
  double limit = s->gap + s->query->group->scale.margin;
  if (!tree->is_closed) {
    if (is_behind != is_behind_at_start(s, &hit)) return;
  } else if (is_behind) {
    // A thin wall has its own other side within reach: what is close at rest is not behind by mistake.
    if (tree->surface->rest_points == NULL || rest_distance(tree, s->query->point, triangle) < tree->edge_length)
      return;
    limit = 0.5 * tree->edge_length;
  }
  if (hit.distance <= limit) s->nearest = hit;
}

static void touch_nearest_self(const pl_surface_search *s) {
  pl_vec3 away = pl_vec3_sub(s->query->end, s->nearest.point);
  bool is_behind =
      s->motion->tree->is_closed && pl_vec3_dot(away, pl_surface_motion_outward(s->motion, &s->nearest)) < 0;
  add_triangle(s, s->nearest.triangle, s->nearest.barycentric, normal_at(s, &s->nearest, is_behind));
}

// Around every point there are triangles of its own body. Those that are crossed must hold the point within its path,
// which relative to the body is short. Those that are only near must face it, which on a smooth piece of a closed
// surface none do: normals rule them out.
void pl_contact_find_self(const pl_contact_group *group) {
  const pl_surface_motion *motion = &group->motions[group->body];
  double limit =
      pl_larger(pl_contact_gap_between(group, group->body) + group->scale.margin, 0.5 * motion->tree->edge_length);
  pl_surface_front crossed, near;
  pl_box box = pl_surface_motion_frame_box(motion, group->start_box, group->end_box), normals = pl_box_empty();
  pl_surface_motion_gather(motion, pl_box_expand(box, group->scale.margin), NULL, &crossed);
  pl_box ring_normals[PL_SURFACE_BLOCK];
  for (int32_t i = 0; i < group->count; ++i) {
    ring_normals[i] = pl_surface_motion_ring_normals(motion, group->points[i]);
    pl_box_cover_box(&normals, &ring_normals[i]);
  }
  bool is_closed = motion->tree->is_closed;
  pl_surface_motion_gather(motion, pl_box_expand(group->end_box, limit), is_closed ? &normals : NULL, &near);

  pl_contact_query query;
  for (int32_t i = 0; i < group->count; ++i) {
    if (!pl_contact_group_query(group, i, &query)) continue;
    pl_surface_search s = pl_surface_search_of(&query, group->body);
    if (find_crossing(&s, &crossed)) {
      add_triangle(&s, s.crossing_triangle, s.crossing_weights, s.crossing_normal);
      continue;
    }
    if (near.count == 0) continue;
    s.ring_normals = ring_normals[i];
    s.nearest = (pl_hit){.triangle = -1, .distance = limit};
    pl_surface_motion_visit(motion, &near, pl_box_expand((pl_box){query.end, query.end}, limit), visit_nearest_self,
                            &s);
    if (s.nearest.triangle >= 0) touch_nearest_self(&s);
  }
}
