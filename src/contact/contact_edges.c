// Edges against edges: what points against triangles cannot see, such as crossed bars.
//
// Two surfaces meet first where a point meets a triangle or where two edges cross. An edge within a flat piece of
// surface is never the first, so only edges count whose triangles both fall away from the other edge: with n across
// both edges, from b towards a, and h the height of a triangle over its edge,
//
//   n . (w - b_0) <= F h   for the third corner w of each triangle at b, their sum < -S h;   at a alike with -n
//
// Such a pair supports the two surfaces against each other along n (it is an edge of the Minkowski difference), so
// n . (p - q) at the nearest points p and q of both is the gap, whether it is open or not. Two questions are asked of a
// pair, as of points. Did they cross during the step, from outside? Then p and q are where they crossed first. If not:
// are they nearer than the radii allow, or a little inside each other, at the end of the step or at its start? "A
// little" is what keeps unrelated edges of bodies that overlap apart: less than a fraction of the triangles' heights,
// and less than the way along either edge to its end, for otherwise the end itself is what touches.
//
// Where both ends of an edge touch the other body as deep as the edge does, the points do the work.
//
// A rigid body has few points and long edges, and dents a soft one between the points of both. There the soft surface
// is flat or hollow, and no pair supports both. So against the sharp edges of a rigid body all edges of a soft one
// count whose triangles rise by no more than D h, up to their ends; only the soft edge can be held by its points. With
// `all_edges` this holds for two soft bodies, too; there the points hold none.
#include <string.h>

#include "contact/collider_surface.h"
#include "contact/contact_solver.h"
#include "contact/edge_touch.h"
#include "contact/pair_lanes.h"
#include "math/lanes.h"
#include "mesh/simplex.h"

// F and S above.
static const double FLAT = 0.02, SHARP = 0.05;
// D above.
static const double DENTED = 0.5;
// Below S: sine of the angle between the triangles at an edge that is asked for at the end of the step only.
static const double SHARP_LIMIT = 0.03;
// An edge that comes faster than this fraction of a body's depth per step may press it flat.
static const double FLAT_WAY = 0.1;
// How far edges may be inside each other, as a fraction of the heights of their triangles.
static const double MAX_DEPTH = 0.25;
// Nearest points must be this many margins, but no more than this fraction, away from the ends of their edges.
static const double END_MARGINS = 4, END_FRACTION = 0.1;
// An approach that is less than this fraction of the relative way slides by.
static const double GRAZE = 1e-3;
// As for points (contact_surface.c): what is as close in the rest shape does not touch.
static const double REST_GAPS = 1.5, REST_EDGES = 0.1;

typedef struct edge_search {
  pl_contact_edge_group *group;
  const pl_surface_motion *a, *b;
  int32_t other;  // number of the other body; -1: a collider
  const pl_contact_body *body_a, *body_b;
  const pl_contact_obstacle *obstacle;  // the collider; NULL: a body
  bool is_self;
  bool is_flat_a, is_flat_b;      // soft, and may have been pressed flat
  bool is_dented_a, is_dented_b;  // pl_contact_is_dented()
  bool all_a, all_b;              // all edges of the surface count: flat or dented
  double gap;                     // metres kept between the two surfaces
  // The edge of a that searches, with its box in the frame of b.
  int32_t edge;
  pl_box box;
} edge_search;

// A pair of edges that may touch.
typedef struct edge_pair {
  const pl_surface_edge *a, *b;
  pl_edge_path path;
  double s, t;
  pl_vec3 normal;  // from b towards a
} edge_pair;

static void edge_points(const pl_vec3 *points, const pl_surface_edge *edge, pl_vec3 ends[2]) {
  ends[0] = points[edge->points[0]];
  ends[1] = points[edge->points[1]];
}

// Box around an edge in the course of the step, in the frame of a surface.
static pl_box path_box(const pl_surface_motion *own, const pl_surface_edge *edge, pl_vec3 drift) {
  pl_box box = pl_box_empty();
  for (int k = 0; k < 2; ++k) {
    pl_box_cover(&box, pl_vec3_add(own->starts[edge->points[k]], drift));
    pl_box_cover(&box, own->ends[edge->points[k]]);
  }
  return box;
}

void pl_contact_edge_group_begin(pl_contact_edge_group *group) {
  const pl_surface_motion *motion = &group->memory->motions[group->body];
  const pl_surface_tree *tree = motion->tree;
  group->start_box = group->end_box = pl_box_empty();
  group->front.count = 0;
  group->front.origin = pl_box_center(motion->end_box);
  for (int32_t i = group->block->first; i < group->block->first + group->block->count; ++i) {
    int32_t triangle = tree->boxes.order[i];
    for (int k = 0; k < 3; ++k) {
      int32_t index = tree->triangle_edges[3 * triangle + k];
      const pl_surface_edge *edge = &tree->edges[index];
      if (edge->triangles[0] != triangle) continue;
      for (int end = 0; end < 2; ++end) {
        pl_box_cover(&group->start_box, motion->starts[edge->points[end]]);
        pl_box_cover(&group->end_box, motion->ends[edge->points[end]]);
      }
      pl_box box = path_box(motion, edge, motion->drift);
      pl_surface_front_add(&group->front, index, &box);
    }
  }
}

// Sum of the outward normals at an edge.
static pl_vec3 outward_at(const pl_surface_motion *motion, const pl_vec3 *points, const pl_surface_edge *edge) {
  pl_vec3 sum = {0, 0, 0}, c[3];
  for (int k = 0; k < 2; ++k) {
    if (edge->triangles[k] < 0) continue;
    pl_surface_corners(motion->tree, points, edge->triangles[k], c);
    sum = pl_vec3_add(sum, pl_triangle_normal(c[0], c[1], c[2]));
  }
  return sum;
}

// Which edges of a surface count.
typedef struct edge_rule {
  double max_rise, max_sum;  // of their triangles, as fractions of the heights
  bool has_depth;            // heights say how deep the other edge may be inside
} edge_rule;

static edge_rule rule_of(bool is_dented, bool is_denting) {
  return is_dented ? (edge_rule){DENTED, DENTED, true} : (edge_rule){FLAT, -SHARP, !is_denting};
}

// Do both triangles at the edge fall away against the direction n? `heights` becomes the smallest of their heights.
static bool falls_away(const pl_vec3 *points, const pl_surface_edge *edge, pl_vec3 n, edge_rule rule, double *heights) {
  pl_vec3 ends[2];
  edge_points(points, edge, ends);
  pl_vec3 along = pl_vec3_sub(ends[1], ends[0]);
  double length2 = pl_vec3_dot(along, along), sum = 0;
  if (!(length2 > 0)) return false;
  for (int k = 0; k < 2; ++k) {
    if (edge->triangles[k] < 0 || edge->opposite[k] < 0) {
      sum -= 1;  // a border falls away
      continue;
    }
    pl_vec3 across = pl_vec3_sub(points[edge->opposite[k]], ends[0]);
    across = pl_vec3_add_scaled(across, along, -pl_vec3_dot(across, along) / length2);
    double height = pl_vec3_length(across), rise = pl_vec3_dot(n, across);
    if (!(height > 0) || rise > rule.max_rise * height) return false;
    sum += rise / height;
    if (rule.has_depth && height < *heights) *heights = height;
  }
  return sum < rule.max_sum;
}

// Do the triangles of both edges of a pair?
static bool fall_away(const edge_search *search, const edge_pair *pair, bool at_end, pl_vec3 n, double *heights) {
  const pl_surface_motion *a = search->a, *b = search->b;
  edge_rule a_rule = rule_of(search->is_dented_a, search->is_dented_b);
  edge_rule b_rule = rule_of(search->is_dented_b, search->is_dented_a);
  return falls_away(at_end ? b->ends : b->starts, pair->b, n, b_rule, heights) &&
         falls_away(at_end ? a->ends : a->starts, pair->a, pl_vec3_scale(n, -1), a_rule, heights);
}

// Do both ends of an edge touch the other body, or the collider, at least as deep?
static bool is_held(const pl_contact_memory *memory, int32_t body, const pl_surface_edge *edge, int32_t other,
                    int32_t collider, double depth) {
  for (int k = 0; k < 2; ++k) {
    int32_t point = memory->point_start[body] + edge->points[k];
    const pl_contact *contacts = &memory->contacts[(size_t)point * PL_CONTACTS_PER_POINT];
    bool is_touching = false;
    for (int32_t i = 0; i < memory->contact_counts[point] && !is_touching; ++i)
      is_touching = contacts[i].b.body == other && contacts[i].collider == collider && contacts[i].depth >= depth;
    if (!is_touching) return false;
  }
  return true;
}

// In a slot of the block that the edge belongs to.
static void keep_contact(const pl_contact_edge_group *group, const pl_surface_edge *edge, const pl_contact *contact) {
  const pl_contact_memory *memory = group->memory;
  int32_t block = memory->edge_block_start[group->body] + edge->leaf / PL_CONTACT_EDGE_TRIANGLES;
  pl_contact_edge_slots_add(memory, block, contact);
}

// Side b becomes a place on the collider, at `end` at the end of the step.
static void touch_obstacle(const pl_contact_obstacle *obstacle, const edge_pair *pair, pl_contact *contact) {
  const pl_edge_path *path = &pair->path;
  pl_vec3 end = pl_vec3_lerp(path->end_b[0], path->end_b[1], pair->t);
  pl_vec3 way = pl_vec3_sub(end, pl_vec3_lerp(path->start_b[0], path->start_b[1], pair->t));
  contact->b.count = 0;
  contact->b.body = -1;
  contact->collider = obstacle->collider;
  contact->offset += pl_vec3_dot(contact->normal, end);
  if (obstacle->step_length > 0) contact->surface_velocity = pl_vec3_scale(way, 1 / obstacle->step_length);
}

static void add_pair(const edge_search *search, const edge_pair *pair) {
  pl_contact_edge_group *group = search->group;
  const pl_edge_path *path = &pair->path;
  pl_vec3 start = pl_vec3_sub(pl_vec3_lerp(path->start_a[0], path->start_a[1], pair->s),
                              pl_vec3_lerp(path->start_b[0], path->start_b[1], pair->t));
  pl_vec3 end = pl_vec3_sub(pl_vec3_lerp(path->end_a[0], path->end_a[1], pair->s),
                            pl_vec3_lerp(path->end_b[0], path->end_b[1], pair->t));
  double gap = pl_vec3_dot(pair->normal, end) - search->gap;
  if (!(gap < group->scale.margin)) return;
  const pl_contact_body *body = search->body_a, *other = search->body_b;
  pl_contact contact = {
      .a = {group->body, 2, {pair->a->points[0], pair->a->points[1]}, {1 - pair->s, pair->s}},
      .b = {search->other, 2, {pair->b->points[0], pair->b->points[1]}, {1 - pair->t, pair->t}},
      .collider = -1,
      .normal = pair->normal,
      .offset = search->gap,
      .start_gap = pl_vec3_dot(pair->normal, start) - search->gap,
      .depth = -gap,
      .friction = sqrt(body->friction * other->friction),
      .restitution = fmax(body->restitution, other->restitution),
  };
  if (search->obstacle != NULL) touch_obstacle(search->obstacle, pair, &contact);
  keep_contact(group, pair->a, &contact);
}

// Is the direction out of a surface at its edge, as far as it has an outside?
static bool is_out_of(const pl_surface_motion *motion, const pl_surface_edge *edge, bool at_end, pl_vec3 n) {
  return !motion->tree->is_closed ||
         pl_vec3_dot(n, outward_at(motion, at_end ? motion->ends : motion->starts, edge)) > 0;
}

// May a pair that crosses along n from outside be the first to meet? Of a soft body that an impact has pressed flat the
// far side arrives after the near one: there it is enough that its edge enters the other body from outside.
static bool may_meet(const edge_search *search, const edge_pair *pair, pl_vec3 n, double way) {
  double heights = HUGE_VAL;
  pl_vec3 back = pl_vec3_scale(n, -1);
  edge_rule a_rule = rule_of(search->all_a, search->all_b);
  edge_rule b_rule = rule_of(search->all_b, search->all_a);
  bool enters_b =
      is_out_of(search->b, pair->b, false, n) && falls_away(search->b->starts, pair->b, n, b_rule, &heights);
  bool enters_a =
      is_out_of(search->a, pair->a, false, back) && falls_away(search->a->starts, pair->a, back, a_rule, &heights);
  if (enters_a && enters_b) return true;
  return (enters_b && search->is_flat_a && way > FLAT_WAY * search->a->tree->surface->tet_map->depth) ||
         (enters_a && search->is_flat_b && way > FLAT_WAY * search->b->tree->surface->tet_map->depth);
}

static bool find_crossing(const edge_search *search, edge_pair *pair) {
  pl_edge_crossing crossing;
  const pl_edge_path *path = &pair->path;
  if (!pl_edge_touch_crossing(path, &crossing)) return false;
  pl_vec3 n = crossing.normal;
  pl_vec3 way = pl_vec3_sub(pl_vec3_sub(pl_vec3_lerp(path->end_a[0], path->end_a[1], crossing.s),
                                        pl_vec3_lerp(path->end_b[0], path->end_b[1], crossing.t)),
                            pl_vec3_sub(pl_vec3_lerp(path->start_a[0], path->start_a[1], crossing.s),
                                        pl_vec3_lerp(path->start_b[0], path->start_b[1], crossing.t)));
  if (!(-pl_vec3_dot(n, way) > GRAZE * pl_vec3_length(way))) return false;
  if (!may_meet(search, pair, n, pl_vec3_length(way))) return false;
  // The plane that must not be passed is that of the end of the step, unless the edges have turned much.
  pl_vec3 end = pl_vec3_cross(pl_vec3_sub(path->end_a[1], path->end_a[0]), pl_vec3_sub(path->end_b[1], path->end_b[0]));
  end = pl_vec3_normalize_or(end, n);
  double turn = pl_vec3_dot(end, n);
  pair->normal = fabs(turn) > 0.9 ? pl_vec3_scale(end, turn > 0 ? 1 : -1) : n;
  pair->s = crossing.s;
  pair->t = crossing.t;
  return true;
}

// Distance from a place along an edge to the nearer end.
static double to_end(double s, double length) {
  return fmin(s, 1 - s) * length;
}

// How far the unit vector n across both edges leads out of b; open surfaces remember the side they were on at the
// start.
static double side_of(const edge_search *search, const edge_pair *pair, bool at_end, pl_vec3 n, double start_side) {
  const pl_surface_motion *a = search->a, *b = search->b;
  if (b->tree->is_closed) return pl_vec3_dot(n, outward_at(b, at_end ? b->ends : b->starts, pair->b));
  if (a->tree->is_closed) return -pl_vec3_dot(n, outward_at(a, at_end ? a->ends : a->starts, pair->a));
  return start_side;
}

// Edges that are near each other at the end of the step or at its start, of which the end of the step counts.
static bool find_nearest(const edge_search *search, edge_pair *pair, bool at_end) {
  const pl_edge_path *path = &pair->path;
  const pl_vec3 *a = at_end ? path->end_a : path->start_a, *b = at_end ? path->end_b : path->start_b;
  double margin = search->group->scale.margin;
  if (!pl_edge_lines_nearest(a, b, &pair->s, &pair->t)) return false;
  if (!(pair->s > 0 && pair->s < 1 && pair->t > 0 && pair->t < 1)) return false;
  pl_vec3 u = pl_vec3_sub(a[1], a[0]), v = pl_vec3_sub(b[1], b[0]);
  pl_vec3 n = pl_vec3_normalize_or(pl_vec3_cross(u, v), pl_vec3_of(0, 1, 0));
  double distance = pl_vec3_dot(n, pl_vec3_sub(a[0], b[0]));
  double a_length = pl_vec3_length(u), b_length = pl_vec3_length(v), max_depth = MAX_DEPTH * fmin(a_length, b_length);
  if (fabs(distance) > fmax(search->gap + margin, max_depth)) return false;
  double a_end = search->is_dented_a ? 0 : fmin(END_MARGINS * margin, END_FRACTION * a_length);
  double b_end = search->is_dented_b ? 0 : fmin(END_MARGINS * margin, END_FRACTION * b_length);
  if (to_end(pair->s, a_length) < a_end || to_end(pair->t, b_length) < b_end) return false;
  pl_vec3 start_n =
      pl_vec3_cross(pl_vec3_sub(path->start_a[1], path->start_a[0]), pl_vec3_sub(path->start_b[1], path->start_b[0]));
  double start_side = pl_vec3_dot(start_n, pl_vec3_sub(path->start_a[0], path->start_b[0]));
  double side = side_of(search, pair, at_end, n, start_side);
  if (side < 0) n = pl_vec3_scale(n, -1), distance = -distance, start_side = -start_side;
  if (!(distance - search->gap < margin)) return false;
  // Out of b and into a.
  if (search->b->tree->is_closed && !(fabs(side) > 0)) return false;
  if (!is_out_of(search->a, pair->a, at_end, pl_vec3_scale(n, -1))) return false;
  bool is_closed = search->a->tree->is_closed && search->b->tree->is_closed;
  if (!is_closed && distance < 0 && !(start_side > 0)) return false;

  double heights = HUGE_VAL, depth = fmax(0, -distance);
  if (!fall_away(search, pair, at_end, n, &heights)) return false;
  if (depth > fmin(MAX_DEPTH * heights, max_depth)) return false;
  if (to_end(pair->s, a_length) < depth + a_end || to_end(pair->t, b_length) < depth + b_end) return false;
  pair->normal = n;
  return true;
}

// Do points already hold the two bodies apart here?
static bool is_redundant(const edge_search *search, const edge_pair *pair) {
  const pl_edge_path *path = &pair->path;
  pl_vec3 end = pl_vec3_sub(pl_vec3_lerp(path->end_a[0], path->end_a[1], pair->s),
                            pl_vec3_lerp(path->end_b[0], path->end_b[1], pair->t));
  double depth = search->gap - pl_vec3_dot(pair->normal, end) - search->group->scale.margin;
  const pl_contact_memory *memory = search->group->memory;
  int32_t collider = search->obstacle != NULL ? search->obstacle->collider : -1, body = search->group->body;
  if (!search->is_dented_b && is_held(memory, body, pair->a, search->other, collider, depth)) return true;
  return search->obstacle == NULL && !search->is_dented_a && is_held(memory, search->other, pair->b, body, -1, depth);
}

static bool has_corner(const pl_surface_tree *tree, int32_t triangle, int32_t point) {
  const int32_t *corners = &tree->surface->triangles[3 * triangle];
  return corners[0] == point || corners[1] == point || corners[2] == point;
}

// Edges of one surface that share a point, or whose points are neighbours.
static bool is_adjacent(const pl_surface_tree *tree, const pl_surface_edge *a, const pl_surface_edge *b) {
  for (int k = 0; k < 2; ++k)
    for (int32_t r = tree->ring_start[a->points[k]]; r < tree->ring_start[a->points[k] + 1]; ++r)
      if (has_corner(tree, tree->ring[r], b->points[0]) || has_corner(tree, tree->ring[r], b->points[1])) return true;
  return false;
}

static bool is_spared(const edge_search *search, const edge_pair *pair) {
  const pl_surface_tree *tree = search->a->tree;
  if (is_adjacent(tree, pair->a, pair->b)) return true;
  const pl_vec3 *rest = tree->surface->rest_points;
  if (rest == NULL) return false;
  pl_vec3 a[2], b[2];
  edge_points(rest, pair->a, a);
  edge_points(rest, pair->b, b);
  return pl_edge_distance(a, b) <= fmax(REST_GAPS * search->gap, REST_EDGES * tree->edge_length);
}

// Can the edge be sharp in any direction that counts? With g the normal of one triangle and w the third corner of the
// other, sin of the angle between them is -g . (w - a) / (|g| h). It is asked at the end of the step only, with a limit
// below S, for the angle changes little in a step. A fold of an open surface is sharp from one side or the other.
static bool may_be_sharp(const pl_surface_motion *motion, const pl_surface_edge *edge) {
  if (edge->triangles[1] < 0 || edge->opposite[1] < 0) return true;
  const pl_vec3 *points = motion->ends;
  pl_vec3 start = points[edge->points[0]], along = pl_vec3_sub(points[edge->points[1]], start);
  // The first triangle has its third corner to the left of the edge.
  pl_vec3 g = pl_vec3_cross(along, pl_vec3_sub(points[edge->opposite[0]], start));
  pl_vec3 across = pl_vec3_sub(points[edge->opposite[1]], start);
  double rise = pl_vec3_dot(g, across), length2 = pl_vec3_dot(along, along), way = pl_vec3_dot(across, along);
  if (motion->tree->is_closed && !(rise < 0)) return false;
  return rise * rise * length2 >
         SHARP_LIMIT * SHARP_LIMIT * pl_vec3_dot(g, g) * (pl_vec3_dot(across, across) * length2 - way * way);
}

// Does the edge count at all?
static bool is_candidate(const pl_surface_motion *motion, bool all_count, const pl_surface_edge *edge) {
  return all_count || may_be_sharp(motion, edge);
}

static void test_pair(const edge_search *search, int32_t other_edge) {
  edge_pair pair = {.a = &search->a->tree->edges[search->edge], .b = &search->b->tree->edges[other_edge]};
  edge_points(search->a->starts, pair.a, pair.path.start_a);
  edge_points(search->a->ends, pair.a, pair.path.end_a);
  edge_points(search->b->starts, pair.b, pair.path.start_b);
  edge_points(search->b->ends, pair.b, pair.path.end_b);
  if (!find_crossing(search, &pair)) {
    if (!find_nearest(search, &pair, true) && !find_nearest(search, &pair, false)) return;
    if (is_redundant(search, &pair)) return;
  }
  if (search->is_self && is_spared(search, &pair)) return;
  add_pair(search, &pair);
}

// Do triangles whose corners are outside of a collider reach in no farther than they may at this edge of it?
static bool is_too_flat(const pl_contact_obstacle *obstacle, const pl_surface_edge *edge) {
  for (int k = 0; k < 2; ++k)
    if (pl_collider_surface_sag(obstacle->surface, edge->points[k], obstacle->size) > obstacle->allowed) return false;
  return true;
}

static void visit_triangle(void *data, int32_t triangle) {
  const edge_search *search = data;
  const pl_surface_tree *tree = search->b->tree;
  for (int k = 0; k < 3; ++k) {
    int32_t edge = tree->triangle_edges[3 * triangle + k];
    if (tree->edges[edge].triangles[0] != triangle) continue;
    // Within one body each pair once.
    if (search->is_self && edge <= search->edge) continue;
    if (search->obstacle != NULL && is_too_flat(search->obstacle, &tree->edges[edge])) continue;
    pl_box box = path_box(search->b, &tree->edges[edge], search->b->drift);
    if (pl_box_overlaps(box, search->box) && is_candidate(search->b, search->all_b, &tree->edges[edge]))
      test_pair(search, edge);
  }
}

bool pl_contact_is_dented(const pl_contact_body *body, const pl_contact_body *other) {
  if (body == other || body->rigid != NULL || body->is_kinematic) return false;
  return other->rigid != NULL || (body->all_edges && other->all_edges);
}

// May an impact press a body flat? Its points are farther apart than it is thick, so that edges do most of the work:
// all of them count.
static bool may_be_flat(const pl_contact_memory *memory, const pl_contact_body *bodies, int32_t body, int32_t other) {
  return body != other && bodies[body].rigid == NULL && !bodies[body].is_kinematic &&
         pl_surface_motion_is_thin(&memory->motions[body]);
}

static edge_search search_of(pl_contact_edge_group *group, int32_t other) {
  const pl_surface_motion *motions = group->memory->motions;
  const pl_contact_body *a = &group->bodies[group->body], *b = &group->bodies[other];
  bool is_flat_a = may_be_flat(group->memory, group->bodies, group->body, other);
  bool is_flat_b = may_be_flat(group->memory, group->bodies, other, group->body);
  return (edge_search){.group = group,
                       .a = &motions[group->body],
                       .b = &motions[other],
                       .other = other,
                       .body_a = a,
                       .body_b = b,
                       .is_self = other == group->body,
                       .is_flat_a = is_flat_a,
                       .is_flat_b = is_flat_b,
                       .is_dented_a = pl_contact_is_dented(a, b),
                       .is_dented_b = pl_contact_is_dented(b, a),
                       .all_a = is_flat_a || pl_contact_is_dented(a, b),
                       .all_b = is_flat_b || pl_contact_is_dented(b, a),
                       .gap = a->radius + b->radius};
}

static edge_search search_of_obstacle(pl_contact_edge_group *group, const pl_contact_obstacle *obstacle) {
  const pl_contact_memory *memory = group->memory;
  const pl_contact_body *body = &group->bodies[group->body];
  bool is_soft = body->rigid == NULL, is_flat = is_soft && pl_surface_motion_is_thin(&memory->motions[group->body]);
  return (edge_search){.group = group,
                       .a = &memory->motions[group->body],
                       .b = &obstacle->surface->motion,
                       .other = -1,
                       .body_a = body,
                       .body_b = obstacle->body,
                       .obstacle = obstacle,
                       .is_flat_a = is_flat,
                       .is_dented_a = is_soft,
                       .all_a = is_soft,
                       .gap = body->radius + obstacle->body->radius};
}

static void find_edges(edge_search *search) {
  const pl_contact_edge_group *group = search->group;
  double limit = search->gap + group->scale.margin;
  // Edges that the other body's box rules out are not looked at.
  pl_box region = pl_surface_motion_frame_box(search->b, search->b->start_box, search->b->end_box);
  region = pl_box_expand(region, limit);
  int32_t edges[PL_SURFACE_FRONT], sharp_count = 0;
  pl_box reached = pl_surface_motion_frame_box(search->a, search->b->start_box, search->b->end_box);
  int32_t count = pl_surface_front_list(&group->front, pl_box_expand(reached, limit), edges);
  pl_box box = pl_box_empty();
  for (int32_t i = 0; i < count; ++i) {
    const pl_surface_edge *edge = &search->a->tree->edges[edges[i]];
    if (!is_candidate(search->a, search->all_a, edge)) continue;
    pl_box own = path_box(search->a, edge, search->b->drift);
    if (!pl_box_overlaps(own, region)) continue;
    pl_box_cover_box(&box, &own);
    edges[sharp_count++] = edges[i];
  }
  if (sharp_count == 0) return;
  pl_surface_front front;
  pl_surface_motion_gather(search->b, pl_box_expand(box, limit), NULL, &front);
  for (int32_t i = 0; i < sharp_count && front.count > 0; ++i) {
    search->edge = edges[i];
    pl_box own = path_box(search->a, &search->a->tree->edges[edges[i]], search->b->drift);
    search->box = pl_box_expand(own, limit);
    pl_surface_motion_visit(search->b, &front, search->box, visit_triangle, search);
  }
}

void pl_contact_find_edges(pl_contact_edge_group *group, int32_t other) {
  edge_search search = search_of(group, other);
  find_edges(&search);
}

void pl_contact_find_obstacle_edges(pl_contact_edge_group *group, const pl_contact_obstacle *obstacle) {
  edge_search search = search_of_obstacle(group, obstacle);
  find_edges(&search);
}

// --- two small surfaces that overlap in a slab (pair_axis.h)

static void set_floats(float to[3], pl_vec3 a) {
  to[0] = (float)a.x, to[1] = (float)a.y, to[2] = (float)a.z;
}

double pl_contact_edge_sine(const pl_contact_memory *memory, const pl_contact_body *bodies, int32_t body) {
  const double any = -1e-30;
  const pl_surface_motion *motion = &memory->motions[body];
  for (int32_t k = memory->neighbour_start[body]; k < memory->neighbour_start[body + 1]; ++k) {
    const pl_contact_neighbour *neighbour = &memory->neighbours[k];
    if (neighbour->is_kept || memory->axes[neighbour->axis].is_apart) continue;
    if (pl_contact_is_dented(&bodies[body], &bodies[neighbour->body]) ||
        may_be_flat(memory, bodies, body, neighbour->body))
      return any;
  }
  // Less than is asked for, because of rounding.
  return 0.99 * (motion->tree->is_closed ? SHARP_LIMIT : -SHARP_LIMIT);
}

// Where edges of a body may touch another: near its box and in the slab. Positions are in the frame of either of them.
static pl_lane_region region_of(const pl_surface_motion *own, const pl_surface_motion *other,
                                const pl_surface_motion *frame, const pl_contact_slab *slab, double reach) {
  pl_box box = pl_box_expand(pl_surface_motion_frame_box(frame, other->start_box, other->end_box), reach);
  pl_vec3 offset = pl_vec3_sub(own->origin, frame->origin);
  pl_lane_region region;
  set_floats(region.end_shift, offset);
  set_floats(region.start_shift, pl_vec3_add(offset, pl_vec3_sub(frame->drift, own->drift)));
  set_floats(region.min, pl_vec3_sub(box.min, frame->origin));
  set_floats(region.max, pl_vec3_sub(box.max, frame->origin));
  set_floats(region.normal, slab->normal);
  region.height = (float)(slab->other_high + reach - pl_contact_slab_height(slab, frame->origin));
  return region;
}

static double reach_of(const pl_contact_edge_group *group, int32_t other, const pl_contact_slab *slab) {
  return group->bodies[group->body].radius + group->bodies[other].radius + group->scale.margin + 2 * slab->slack;
}

bool pl_contact_list_edge_sides(const pl_contact_edge_group *group, uint64_t sides[PL_SURFACE_LANE_POINTS]) {
  const pl_contact_memory *memory = group->memory;
  const pl_surface_motion *own = &memory->motions[group->body];
  int32_t point_count = own->tree->surface->point_count, shift = 0, codes[PL_SURFACE_LANE_POINTS];
  for (int32_t i = 0; i < point_count; ++i) sides[i] = PL_LANE_NO_SIDES;
  for (int32_t k = memory->neighbour_start[group->body]; k < memory->neighbour_start[group->body + 1]; ++k) {
    const pl_contact_neighbour *neighbour = &memory->neighbours[k];
    const pl_pair_axis *axis = &memory->axes[neighbour->axis];
    if (neighbour->is_kept || axis->is_apart) continue;
    if (shift == 64) return false;
    // Heights are those of the frame that the axis was found in.
    const pl_surface_motion *other = &memory->motions[neighbour->body], *frame = &memory->motions[axis->other];
    pl_contact_slab slab = pl_pair_line_slab(&memory->axis_lines[neighbour->axis], axis->other != group->body);
    pl_lane_region region = region_of(own, other, frame, &slab, reach_of(group, neighbour->body, &slab));
    pl_lane_kernels_get()->classify(own->lanes, own->lane_block_count, &region, codes);
    for (int32_t i = 0; i < point_count; ++i) sides[i] ^= (uint64_t)(codes[i] ^ 1) << shift;
    shift += 8;
  }
  return true;
}

void pl_contact_find_edges_in_slab(pl_contact_edge_group *group, int32_t other, const pl_contact_slab *slab) {
  const pl_lane_kernels *kernels = pl_lane_kernels_get();
  edge_search search = search_of(group, other);
  const pl_surface_motion *a = search.a, *b = search.b;
  double reach = reach_of(group, other, slab);
  pl_lane_region region = region_of(a, b, b, slab, reach);
  int32_t codes[PL_SURFACE_LANE_POINTS], touched[PL_LANE_EDGES];
  kernels->classify(a->lanes, a->lane_block_count, &region, codes);
  pl_box boxes = pl_surface_motion_frame_box(b, b->start_box, b->end_box);
  pl_box own = pl_surface_motion_frame_box(b, a->start_box, a->end_box);
  pl_box_cover_box(&boxes, &own);
  pl_lane_reach lane_reach = {.limit = (float)reach,
                              .depth = (float)MAX_DEPTH,
                              .rise = search.is_flat_a || search.is_flat_b       ? 2
                                      : search.is_dented_a || search.is_dented_b ? (float)DENTED
                                                                                 : 0,
                              .extent = (float)pl_box_diagonal(boxes)};
  memcpy(lane_reach.start_shift, region.start_shift, sizeof region.start_shift);
  memcpy(lane_reach.end_shift, region.end_shift, sizeof region.end_shift);
  for (int32_t i = 0; i < a->packed->edge_count; ++i) {
    search.edge = a->packed->edges[i];
    const pl_surface_edge *edge = &a->tree->edges[search.edge];
    if ((codes[edge->points[0]] & codes[edge->points[1]]) != 0) continue;
    int32_t count = kernels->list_edges(a, i, b, &lane_reach, touched);
    if (count == 0 || !is_candidate(a, search.all_a, edge)) continue;
    for (int32_t k = 0; k < count; ++k)
      if (is_candidate(b, search.all_b, &b->tree->edges[touched[k]])) test_pair(&search, touched[k]);
  }
}
