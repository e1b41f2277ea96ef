// The points of one small surface against the triangles of another, in a slab in which they overlap (pair_axis.h).
//
// Points that are inside the other body leave through what is nearest, each by itself. Of two bodies that were put into
// each other those ways lead to all sides, and add up to nothing: pairs of finite elements or rigid bodies stayed so
// for ever. Where any of a body's points is deep in the other, and any leaves against the common direction of
// contact_tangle.h, all leave along that.
#include "contact/contact_surface.h"
#include "contact/contact_tangle.h"
#include "contact/pair_lanes.h"

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
  // Where points leave, and how many of them are deep inside.
  int32_t exit_count, deep_count;
  pl_surface_exit exits[PL_SURFACE_LANE_POINTS];
} slab_search;

// The points in the slab; `box` becomes that around their paths.
static int32_t list_slab_points(const slab_search *s, int32_t points[PL_SURFACE_LANE_POINTS], pl_box *box) {
  const pl_surface_motion *own = s->own, *motion = s->motion;
  int32_t codes[PL_SURFACE_LANE_POINTS], count = 0;
  pl_vec3 offset = pl_vec3_sub(own->origin, motion->origin), drift = pl_vec3_sub(motion->drift, own->drift);
  pl_box other = pl_surface_motion_frame_box(motion, motion->start_box, motion->end_box);
  other = pl_box_expand(other, s->limit + s->slab->slack);
  pl_lane_region region;
  pl_lane_set_floats(region.start_shift, pl_vec3_add(offset, drift));
  pl_lane_set_floats(region.end_shift, offset);
  pl_lane_set_floats(region.min, pl_vec3_sub(other.min, motion->origin));
  pl_lane_set_floats(region.max, pl_vec3_sub(other.max, motion->origin));
  pl_lane_set_floats(region.normal, s->slab->normal);
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
static void find_nearest_in_slab(slab_search *slab, pl_surface_search *s, double inside, double facing_reach) {
  const pl_surface_motion *motion = s->motion;
  pl_box end = {s->query->end, s->query->end};
  double reach = slab->limit;
  pl_surface_exit out;
  if (!pl_box_overlaps(pl_box_expand(motion->end_box, reach), end)) return;
  if (motion->tree->is_closed && pl_box_overlaps(motion->end_box, end))
    reach = pl_larger(reach, inside + 1e-9 * pl_box_diagonal(motion->end_box));
  pl_hit hit = pl_surface_nearest_packed(s, s->query->end, reach, NULL);
  if (hit.triangle < 0) return;
  bool is_behind = pl_surface_is_behind(s, &hit);
  if (!pl_surface_find_exit(s, &hit, is_behind, facing_reach, &out)) return;
  slab->exits[slab->exit_count++] = out;
  slab->deep_count += motion->tree->is_closed && is_behind && hit.distance > slab->crossed;
}

// Where the body of the points goes, if any point leaves against that; false: all may go their own way.
static bool find_way_apart(const slab_search *slab, pl_vec3 *way) {
  const pl_surface_motion *own = slab->own, *motion = slab->motion;
  pl_contact_tangle tangle = {{0, 0, 0}, 0};
  if (slab->deep_count == 0 || !own->tree->is_closed) return false;
  for (int32_t i = 0; i < slab->exit_count; ++i)
    pl_contact_tangle_add(&tangle, pl_contact_outward(own, slab->exits[i].point));
  pl_vec3 middle = pl_vec3_scale(pl_vec3_add(motion->end_box.min, motion->end_box.max), 0.5);
  pl_vec3 own_middle = pl_vec3_scale(pl_vec3_add(own->end_box.min, own->end_box.max), 0.5);
  *way = pl_contact_tangle_way(&tangle, pl_vec3_sub(own_middle, middle));
  for (int32_t i = 0; i < slab->exit_count; ++i)
    if (pl_contact_is_along(slab->exits[i].normal, pl_vec3_scale(*way, -1))) return true;
  return false;
}

// Tangled bodies leave along one direction: points whose own way out is another one leave where a ray along it does.
static void add_exits(slab_search *slab, int32_t other) {
  pl_vec3 way;
  bool is_tangled = find_way_apart(slab, &way);
  for (int32_t i = 0; i < slab->exit_count; ++i) {
    pl_surface_exit *out = &slab->exits[i];
    pl_contact_query query;
    if (!pl_contact_group_query(slab->group, out->point, &query)) continue;
    pl_surface_search s = pl_surface_search_of(&query, other);
    if (is_tangled && !pl_contact_is_along(out->normal, way)) {
      if (!pl_contact_find_way_out(slab->motion, query.end, way, &out->place)) continue;
      out->normal = slab->motion->normals[out->place.triangle];
    }
    pl_surface_add_exit(&s, out);
  }
}

static void find_slab_point(slab_search *slab, int32_t point, int32_t other, double facing_reach) {
  pl_contact_query query;
  const pl_surface_motion *motion = slab->motion;
  if (!pl_contact_group_query(slab->group, point, &query)) return;
  pl_surface_search s = pl_surface_search_of(&query, other);
  s.packed_extent = slab->extent;
  pl_lane_path path = {.reach = (float)(slab->crossed + slab->slab->slack),
                       .extent = (float)slab->extent,
                       .is_two_sided = !motion->tree->is_closed};
  pl_lane_set_floats(path.start, pl_vec3_sub(pl_vec3_add(query.start, motion->drift), motion->origin));
  pl_lane_set_floats(path.end, pl_vec3_sub(query.end, motion->origin));
  int32_t crossed[PL_LANE_TRIANGLES], count = slab->kernels->list_crossed(motion->packed, &path, crossed);
  s.crossing_time = 2;
  s.crossing_triangle = -1;
  for (int32_t i = 0; i < count; ++i) pl_surface_visit_crossing(&s, crossed[i]);
  if (s.crossing_triangle >= 0) {
    if (pl_surface_find_crossed_exit(&s, facing_reach, &slab->exits[slab->exit_count])) ++slab->exit_count;
    return;
  }
  double inside = slab->slab->other_high + slab->slab->slack - pl_contact_slab_height(slab->slab, query.end);
  find_nearest_in_slab(slab, &s, inside, facing_reach);
}

void pl_contact_find_body_in_slab(const pl_contact_group *group, int32_t other, const pl_contact_slab *slab) {
  const pl_surface_motion *own = &group->motions[group->body], *motion = &group->motions[other];
  // Without an initializer: it has space for all points of the largest bodies.
  slab_search s;
  s.kernels = pl_lane_kernels_get();
  s.group = group;
  s.own = own;
  s.motion = motion;
  s.slab = slab;
  s.limit = pl_contact_gap_between(group, other) + group->scale.margin;
  s.crossed = pl_larger(group->scale.margin, PL_START_EDGES * motion->tree->edge_length);
  s.exit_count = s.deep_count = 0;
  double facing_reach = PL_FACING_EDGES * pl_smaller(motion->tree->edge_length, own->tree->edge_length);
  int32_t points[PL_SURFACE_LANE_POINTS];
  pl_box box;
  int32_t count = list_slab_points(&s, points, &box);
  if (count == 0) return;
  s.extent = pl_larger(
      max_coordinate(box, motion->origin),
      max_coordinate(pl_surface_motion_frame_box(motion, motion->start_box, motion->end_box), motion->origin));
  for (int32_t k = 0; k < count; ++k) find_slab_point(&s, points[k], other, facing_reach);
  add_exits(&s, other);
}
