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
#include "contact/contact_solver.h"
#include "contact/pair_lanes.h"
#include "contact/triangle_touch.h"
#include "mesh/simplex.h"

// Rest distances up to this many gaps, or this fraction of an edge, are not contacts in the deformed shape either.
static const double REST_GAPS = 1.5, REST_EDGES = 0.1;
// A point hangs behind another body when a triangle pushes it along its own normal with at least this cosine, and its
// neighbours are this fraction of an edge behind the triangle.
static const double HOOKED = 0.5, HOOKED_EDGES = 0.25;

typedef struct surface_search {
  const pl_contact_query *query;
  const pl_surface_motion *motion;  // of the touched body
  int32_t other;
  bool is_self;
  double gap;  // metres kept between the two surfaces
  // Largest coordinate of the two surfaces where they meet, if the touched one is packed (pair_lanes.h); otherwise 0.
  double packed_extent;
  // Outward normal of the point's own surface, asked for only near a contact. It counts when both surfaces are closed.
  bool is_facing_known, has_facing;
  pl_vec3 facing;
  // First crossing.
  double crossing_time, crossing_gap;
  pl_vec3 crossing_normal;
  bool is_crossing_facing;
  int32_t crossing_triangle;  // -1: none yet
  double crossing_weights[3];
  // Nearest triangle of the same body that counts, and a box around the normals at the point if the surface is closed.
  pl_hit nearest;
  pl_box ring_normals;
} surface_search;

static double gap_between(const pl_contact_group *group, int32_t other) {
  return group->bodies[group->body].radius + group->bodies[other].radius;
}

static surface_search search_of(const pl_contact_query *query, int32_t other) {
  return (surface_search){.query = query,
                          .motion = &query->group->motions[other],
                          .other = other,
                          .is_self = other == query->body,
                          .gap = gap_between(query->group, other)};
}

static const pl_surface_motion *own_motion(const surface_search *s) {
  return &s->query->group->motions[s->query->body];
}

static bool are_both_closed(const surface_search *s) {
  return own_motion(s)->tree->is_closed && s->motion->tree->is_closed;
}

static void find_facing(surface_search *s) {
  if (s->is_facing_known) return;
  s->is_facing_known = true;
  s->facing = pl_surface_motion_point_normal(own_motion(s), s->query->point);
  s->has_facing = are_both_closed(s) && pl_vec3_dot(s->facing, s->facing) > 0;
}

// Can the point's own surface lie against this triangle? Open surfaces are touched from both sides, by both sides.
//
// The point's normal is a sum of those of its triangles with positive weights. Most often all of these are on one side,
// and the weights, which take angles, are not needed.
static bool is_facing(surface_search *s, int32_t triangle) {
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
static bool is_hooked(surface_search *s) {
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
  double keep_away = gap_between(group, other_body);
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

static void add_triangle(const surface_search *s, int32_t triangle, const double weights[3], pl_vec3 normal) {
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

static bool is_spared(const surface_search *s, int32_t triangle) {
  const pl_surface_tree *tree = s->motion->tree;
  if (is_around(tree, s->query->point, triangle)) return true;
  return rest_distance(tree, s->query->point, triangle) <=
         pl_larger(REST_GAPS * s->gap, REST_EDGES * tree->edge_length);
}

static const double START_EDGES = 0.1;

// A point that starts this fraction of an edge below a surface still enters it through the triangle above its start.
// Where it ends, pressed by its own body, another face may be nearer, which would push it out through the wrong side.
static double start_tolerance(const surface_search *s) {
  return pl_larger(s->query->group->scale.margin, START_EDGES * s->motion->tree->edge_length);
}

// The first crossing counts, and of triangles the point starts below, the nearest.
static double start_depth_time(const pl_triangle_path *path) {
  pl_vec3 normal = pl_triangle_normal(path->start_corners[0], path->start_corners[1], path->start_corners[2]);
  double depth = -pl_vec3_dot(normal, pl_vec3_sub(path->start, path->start_corners[0]));
  return 1e-6 * pl_larger(depth, 0);
}

static void visit_crossing(void *data, int32_t triangle) {
  surface_search *s = data;
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

static bool find_crossing(surface_search *s, const pl_surface_front *front) {
  s->crossing_time = 2;
  s->crossing_triangle = -1;
  if (front->count == 0) return false;
  pl_box start = {s->query->start, s->query->start}, end = {s->query->end, s->query->end};
  pl_box path = pl_box_expand(pl_surface_motion_frame_box(s->motion, start, end), start_tolerance(s));
  pl_surface_motion_visit(s->motion, front, path, visit_crossing, s);
  return s->crossing_triangle >= 0;
}

// Unit normal of a contact at the nearest surface point, on the point's side or away from the inside.
static pl_vec3 normal_at(const surface_search *s, const pl_hit *hit, bool is_inside) {
  pl_vec3 outward = pl_surface_motion_outward(s->motion, hit);
  pl_vec3 away = pl_vec3_scale(pl_vec3_sub(s->query->end, hit->point), is_inside ? -1 : 1);
  // On the surface itself the direction to it is noise.
  double noise = 1e-9 * s->motion->tree->edge_length;
  return pl_vec3_normalize_or(hit->distance > noise ? away : outward, pl_vec3_of(0, 1, 0));
}

// Which side of an open surface the point was on at the start: only from there it can come close.
static bool is_behind_at_start(const surface_search *s, const pl_hit *hit) {
  pl_vec3 corners[3];
  pl_surface_corners(s->motion->tree, s->motion->starts, hit->triangle, corners);
  pl_vec3 normal = pl_triangle_normal(corners[0], corners[1], corners[2]);
  return pl_vec3_dot(normal, pl_vec3_sub(s->query->start, corners[0])) < 0;
}

static void set_floats(float to[3], pl_vec3 a) {
  to[0] = (float)a.x, to[1] = (float)a.y, to[2] = (float)a.z;
}

// The nearest triangle of a packed surface, as pl_surface_motion_nearest() finds it.
static pl_hit nearest_packed(const surface_search *s, pl_vec3 position, double limit, const pl_vec3 *facing) {
  const pl_surface_motion *motion = s->motion;
  int32_t nearest[PL_LANE_TRIANGLES];
  pl_lane_position at = {.limit = (float)(limit + 1e-6 * (limit + s->packed_extent)),
                         .extent = (float)s->packed_extent,
                         .has_facing = facing != NULL};
  set_floats(at.position, pl_vec3_sub(position, motion->origin));
  if (facing != NULL) set_floats(at.facing, pl_vec3_normalize_or(*facing, pl_vec3_of(0, 1, 0)));
  int32_t count = pl_lane_kernels_get()->list_nearest(motion->packed, &at, nearest);
  return pl_surface_motion_nearest_of(motion, position, limit, facing, nearest, count);
}

// Touch the triangle nearest to `position`, within `limit`, that the point's own surface can lie against, if there is
// one.
static bool touch_facing(surface_search *s, pl_vec3 position, double limit) {
  find_facing(s);
  pl_hit hit = s->packed_extent > 0 ? nearest_packed(s, position, limit, &s->facing)
                                    : pl_surface_motion_nearest(s->motion, position, limit, &s->facing);
  if (hit.triangle < 0) return false;
  pl_vec3 corners[3];
  pl_surface_corners(s->motion->tree, s->motion->ends, hit.triangle, corners);
  hit.point = pl_triangle_nearest(corners[0], corners[1], corners[2], s->query->end, hit.barycentric);
  pl_vec3 away = pl_vec3_sub(s->query->end, hit.point);
  hit.distance = pl_vec3_length(away);
  bool is_behind = pl_vec3_dot(away, pl_surface_motion_outward(s->motion, &hit)) < 0;
  add_triangle(s, hit.triangle, hit.barycentric, normal_at(s, &hit, is_behind));
  return true;
}

// What lies on an edge is as near to the side that it does not lie against, which would push it off. So a facing
// triangle is preferred when it is within a fraction of an edge, or of a multiple of the distance. Without a limit a
// body squashed flat would be pulled through thin ones, since then what faces it is their far side.
static const double FACING_EDGES = 0.1, FACING_RATIO = 32;

// Touch the nearest surface point, if the point is inside the other body or too close. Returns whether it is outside.
static bool touch_nearest(surface_search *s, const pl_hit *hit, bool is_behind, double facing_reach) {
  bool is_closed = s->motion->tree->is_closed;
  double limit = s->gap + s->query->group->scale.margin;
  if (!is_closed && is_behind != is_behind_at_start(s, hit)) return true;
  bool is_inside = is_closed && is_behind;
  if (!is_inside && hit->distance >= limit) return true;
  // What lies on an edge without being inside may also have a triangle nearest that it cannot lie against, as near as
  // the one that it does lie against: which of the two is found is chance, and what rests must not lose its contact.
  double reach = is_inside ? pl_larger(facing_reach, FACING_RATIO * hit->distance) : limit;
  if (is_facing(s, hit->triangle) || (!touch_facing(s, s->query->end, reach) && is_inside))
    add_triangle(s, hit->triangle, hit->barycentric, normal_at(s, hit, is_inside));
  return !is_inside;
}

static bool is_behind_hit(const surface_search *s, const pl_hit *hit) {
  pl_vec3 away = pl_vec3_sub(s->query->end, hit->point);
  return pl_vec3_dot(away, pl_surface_motion_outward(s->motion, hit)) < 0;
}

// Is the point inside the other body, or too close? Returns whether it is outside. `anchor` is the position asked for
// last, nearby.
static bool find_nearest(surface_search *s, double facing_reach, pl_distance_anchor *anchor) {
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
  bool is_behind = is_behind_hit(s, &hit);
  *anchor = (pl_distance_anchor){true, position, is_behind ? -hit.distance : hit.distance};
  return touch_nearest(s, &hit, is_behind, facing_reach);
}

static void touch_crossed(surface_search *s, double facing_reach) {
  pl_vec3 position = corner_mix(s->motion, s->motion->ends, s->crossing_triangle, s->crossing_weights);
  if (!s->is_crossing_facing && (touch_facing(s, position, facing_reach) || is_hooked(s))) return;
  add_triangle(s, s->crossing_triangle, s->crossing_weights, s->crossing_normal);
}

void pl_contact_find_body(const pl_contact_group *group, int32_t other, pl_distance_anchor *anchor) {
  const pl_surface_motion *motion = &group->motions[other];
  double limit = gap_between(group, other) + group->scale.margin;
  double facing_reach =
      FACING_EDGES * pl_smaller(motion->tree->edge_length, group->motions[group->body].tree->edge_length);
  pl_surface_front front;
  pl_box box = pl_box_expand(pl_surface_motion_frame_box(motion, group->start_box, group->end_box),
                             pl_larger(limit, START_EDGES * motion->tree->edge_length));
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
    surface_search s = search_of(&query, other);
    if (find_crossing(&s, &front)) {
      touch_crossed(&s, facing_reach);
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

// --- two small surfaces that overlap in a slab (pair_axis.h)

static double max_coordinate(pl_box box, pl_vec3 origin) {
  pl_vec3 a = pl_vec3_sub(box.min, origin), b = pl_vec3_sub(box.max, origin);
  return pl_larger(pl_larger(pl_larger(fabs(a.x), fabs(b.x)), pl_larger(fabs(a.y), fabs(b.y))),
                   pl_larger(fabs(a.z), fabs(b.z)));
}

// The search of one body's points among the triangles of another.
typedef struct slab_search {
  const pl_lane_kernels *kernels;
  const pl_contact_group *group;
  const pl_surface_motion *own, *motion;  // of the points, and of the triangles
  const pl_contact_slab *slab;
  double limit;    // metres: what is farther apart does not touch
  double crossed;  // metres: a point that starts no farther below a triangle crosses it
  double extent;   // largest coordinate relative to the origin of `motion`
} slab_search;

// The points in the slab; `box` becomes that around their paths.
static int32_t list_slab_points(const slab_search *s, int32_t points[PL_SURFACE_LANE_POINTS], pl_box *box) {
  const pl_surface_motion *own = s->own, *motion = s->motion;
  int32_t codes[PL_SURFACE_LANE_POINTS], count = 0;
  pl_vec3 offset = pl_vec3_sub(own->origin, motion->origin), drift = pl_vec3_sub(motion->drift, own->drift);
  pl_box other = pl_surface_motion_frame_box(motion, motion->start_box, motion->end_box);
  other = pl_box_expand(other, s->limit + s->slab->slack);
  pl_lane_region region;
  set_floats(region.start_shift, pl_vec3_add(offset, drift));
  set_floats(region.end_shift, offset);
  set_floats(region.min, pl_vec3_sub(other.min, motion->origin));
  set_floats(region.max, pl_vec3_sub(other.max, motion->origin));
  set_floats(region.normal, s->slab->normal);
  double origin = pl_contact_slab_height(s->slab, motion->origin);
  region.height = (float)(s->slab->other_high + s->limit + 2 * s->slab->slack - origin);
  s->kernels->classify(own->lanes, own->lane_block_count, &region, codes);
  *box = pl_box_empty();
  for (int32_t i = 0; i < own->tree->surface->point_count; ++i) {
    if (codes[i] != 0) continue;
    points[count++] = i;
    pl_box_cover(box, pl_vec3_add(own->starts[i], motion->drift));
    pl_box_cover(box, own->ends[i]);
  }
  return count;
}

// The nearest surface point of one that is no farther inside than `inside`.
static void find_nearest_in_slab(const slab_search *slab, surface_search *s, double inside, double facing_reach) {
  const pl_surface_motion *motion = s->motion;
  pl_box end = {s->query->end, s->query->end};
  double reach = slab->limit;
  if (!pl_box_overlaps(pl_box_expand(motion->end_box, reach), end)) return;
  if (motion->tree->is_closed && pl_box_overlaps(motion->end_box, end))
    reach = pl_larger(reach, inside + 1e-9 * pl_box_diagonal(motion->end_box));
  pl_hit hit = nearest_packed(s, s->query->end, reach, NULL);
  if (hit.triangle >= 0) touch_nearest(s, &hit, is_behind_hit(s, &hit), facing_reach);
}

static void find_slab_point(const slab_search *slab, int32_t point, int32_t other, double facing_reach) {
  pl_contact_query query;
  const pl_surface_motion *motion = slab->motion;
  if (!pl_contact_group_query(slab->group, point, &query)) return;
  surface_search s = search_of(&query, other);
  s.packed_extent = slab->extent;
  pl_lane_path path = {.reach = (float)(slab->crossed + slab->slab->slack),
                       .extent = (float)slab->extent,
                       .is_two_sided = !motion->tree->is_closed};
  set_floats(path.start, pl_vec3_sub(pl_vec3_add(query.start, motion->drift), motion->origin));
  set_floats(path.end, pl_vec3_sub(query.end, motion->origin));
  int32_t crossed[PL_LANE_TRIANGLES], count = slab->kernels->list_crossed(motion->packed, &path, crossed);
  s.crossing_time = 2;
  s.crossing_triangle = -1;
  for (int32_t i = 0; i < count; ++i) visit_crossing(&s, crossed[i]);
  if (s.crossing_triangle >= 0) {
    touch_crossed(&s, facing_reach);
    return;
  }
  double inside = slab->slab->other_high + slab->slab->slack - pl_contact_slab_height(slab->slab, query.end);
  find_nearest_in_slab(slab, &s, inside, facing_reach);
}

void pl_contact_find_body_in_slab(const pl_contact_group *group, int32_t other, const pl_contact_slab *slab) {
  const pl_surface_motion *own = &group->motions[group->body], *motion = &group->motions[other];
  slab_search s = {
      .kernels = pl_lane_kernels_get(),
      .group = group,
      .own = own,
      .motion = motion,
      .slab = slab,
      .limit = gap_between(group, other) + group->scale.margin,
      .crossed = pl_larger(group->scale.margin, START_EDGES * motion->tree->edge_length),
  };
  double facing_reach = FACING_EDGES * pl_smaller(motion->tree->edge_length, own->tree->edge_length);
  int32_t points[PL_SURFACE_LANE_POINTS];
  pl_box box;
  int32_t count = list_slab_points(&s, points, &box);
  if (count == 0) return;
  s.extent = pl_larger(
      max_coordinate(box, motion->origin),
      max_coordinate(pl_surface_motion_frame_box(motion, motion->start_box, motion->end_box), motion->origin));
  for (int32_t k = 0; k < count; ++k) find_slab_point(&s, points[k], other, facing_reach);
}

static void visit_nearest_self(void *data, int32_t triangle) {
  surface_search *s = data;
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

static void touch_nearest_self(const surface_search *s) {
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
  double limit = pl_larger(gap_between(group, group->body) + group->scale.margin, 0.5 * motion->tree->edge_length);
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
    surface_search s = search_of(&query, group->body);
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
