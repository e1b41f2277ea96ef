// Surfaces that would pass through each other in spite of their contacts.
//
// Sweeps are few, normals are those of one moment, and not every edge is searched: now and then two surfaces that were
// apart at the start of a step cross at its end. After resolution edges that pass through triangles are looked for,
//
// 1 and separated by the shortest way (contact_crossing.c), in a few rounds, since one may lead into the next;
// 2 where that does not do, all particles of what crosses form a zone, which moves in this step as one rigid piece from
//   where it was at the start: within it nothing has crossed (Provot 1997; Bridson, Fedkiw and Anderson 2002). Zones
//   that meet become one (contact_zone_motion.c). Edges between a zone and the rest may cross then, so this too is
//   repeated;
// 3 then zones with particles that colliders keep out do not go deeper into these;
// 4 at last zones take in whole bodies, and stay where they were on the colliders that keep them out. Where everything
//   is in one zone nothing has changed since the start.
//
// Before each look the world puts points back that are too deep in a collider: put back later they would cross others.
//
// A pair that crosses at the start of a step is left to its contacts. What lies on a collider is pressed together then,
// cubes of 20 cm by 8 cm. So what a step leaves there must not be found by the next one: it looks with a larger
// tolerance, and passes over edges that are through a surface by next to nothing. In flight bodies come apart by
// themselves; zones in every step would hold them together, and what they hand over is not reported.
//
// Not looked at: pairs that crossed at the start already, which contacts push apart; kinematic surfaces; and, in a heap
// of small soft bodies, pairs whose points are looked up in tets, unless all their edges are to be searched
// (`all_edges`): such bodies are pressed into each other, and to part them takes ten times as long as all else.
//
// Cost: edges times triangles in the box that two bodies share, in parallel; little where they lie on each other.
#include "contact/contact_zones.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "contact/contact_detect.h"
#include "contact/contact_intersect.h"
#include "pliant/math.h"

// Edges may be this many automatic contact thicknesses (1/2000 of a body's size) through a surface, those of the two
// bodies: some that are nearly flat are no contacts, and dented faces cross that far at rest.
static const double TOLERANCE = 2, THICKNESS = 1.0 / 2000;
// Rounds in which what crosses is separated; in which zones are formed of it; of it and the colliders that it presses
// on; and of whole bodies and these.
enum { PART_ROUNDS = 6, FREE_ROUNDS = PART_ROUNDS + 6, ZONE_ROUNDS = FREE_ROUNDS + 8, ROUNDS = ZONE_ROUNDS + 6 };
// Separated surfaces are this fraction of the tolerance away from each other.
static const double PART_MARGIN = 0.1;
// Surfaces whose gap is overlapped by less than this many slops lie on each other.
static const double SLOPS = 2;
// Both are larger by this fraction of them at the start of a step, and no way apart is too short to be found there.
static const double START_SLACK = 0.05;
// Pairs that cross in one step, at most: this many for each body.
enum { PAIRS_PER_BODY = 8 };

bool pl_contact_zones_take(pl_contact_memory *memory) {
  pl_contact_zones *z = &memory->zones;
  int32_t body_count = memory->body_count, member_count = memory->particle_start[body_count] + body_count;
  z->pair_capacity = PAIRS_PER_BODY * body_count;
  z->parents = PL_TAKE(&memory->arena, int32_t, member_count);
  z->members = PL_TAKE(&memory->arena, int32_t, member_count);
  z->is_supported = PL_TAKE(&memory->arena, bool, body_count);
  z->is_crossing = PL_TAKE(&memory->arena, bool, body_count);
  z->is_changed = PL_TAKE(&memory->arena, bool, body_count);
  z->was_changed = PL_TAKE(&memory->arena, bool, body_count);
  z->tolerances = PL_TAKE(&memory->arena, double, body_count);
  z->spins = PL_TAKE(&memory->arena, pl_vec3, body_count);
  z->shifts = PL_TAKE(&memory->arena, double, body_count);
  z->holds = PL_TAKE(&memory->arena, pl_contact_hold, memory->particle_start[body_count]);
  z->pairs = PL_TAKE(&memory->arena, pl_zone_pair, z->pair_capacity);
  if (memory->arena.failed) return false;
  for (int32_t i = 0; i < member_count; ++i) z->parents[i] = -1;
  for (int32_t b = 0; b < body_count; ++b) {
    // The root of the hierarchy is the box around the shape it was built for.
    const pl_box_tree *tree = &memory->motions[b].tree->boxes;
    if (tree->node_count > 0) z->tolerances[b] = TOLERANCE * THICKNESS * pl_box_diagonal(tree->nodes[0].box);
  }
  return true;
}

// What a search for crossings knows.
typedef struct zone_search {
  pl_contact_detection detection;
  pl_contact_memory *memory;
  pl_contact_body *bodies;
  const pl_contact_exchange *exchange;
  bool spares_tets;   // pairs whose points are looked up in tets are not watched
  bool parts;         // what crosses is separated, it becomes no zone
  bool joins_bodies;  // whole bodies become zones, not only what crosses
} zone_search;

// --- surfaces after resolution

// The points of a body: particles are where resolution put them, and outside of colliders; those of a rigid body turn
// with it.
static void place_body(const zone_search *s, int32_t index) {
  pl_contact_memory *memory = s->memory;
  pl_surface_motion *motion = &memory->motions[index];
  pl_contact_body *body = &s->bodies[index];
  if (body->asleep || !memory->presences[index].is_placed) return;
  pl_contact_hold *holds = &memory->zones.holds[memory->particle_start[index]];
  if (s->exchange != NULL && body->rigid == NULL && s->exchange->keep_out(s->exchange->data, index, holds))
    body->moved = true;
  pl_contact_need_points(&s->detection, index);
  pl_quat turn = pl_quat_identity();
  pl_vec3 was = {0, 0, 0};
  if (body->rigid != NULL) {
    was = memory->move_rigids[index].center;
    turn = pl_quat_multiply(body->rigid->rotation, pl_quat_conjugate(memory->move_rigids[index].rotation));
  }
  double shift = 0;
  bool has_hierarchy = memory->presences[index].has_normals;
  motion->end_box = pl_box_empty();
  for (int32_t i = 0; i < body->surface->point_count; ++i) {
    pl_vec3 point = pl_contact_surface_point(body->surface, i, body->positions);
    if (body->rigid != NULL) point = pl_vec3_add(body->rigid->center, pl_quat_rotate(turn, pl_vec3_sub(point, was)));
    if (has_hierarchy) {
      pl_vec3 way = pl_vec3_sub(point, motion->ends[i]);
      shift = pl_larger(shift, pl_vec3_dot(way, way));
    }
    motion->ends[i] = point;
    pl_box_cover(&motion->end_box, point);
  }
  memory->zones.shifts[index] += sqrt(shift);
  memory->item_boxes[index] = motion->end_box;
}

static void place_bodies(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const zone_search *s = data;
  for (int32_t i = begin; i < end; ++i) {
    // Poses of rigid bodies that touch nothing were not noted.
    if (s->bodies[i].rigid != NULL && s->memory->plan.island_of[i] < 0) s->memory->move_rigids[i] = *s->bodies[i].rigid;
    s->memory->zones.shifts[i] = 0;
    int32_t first = s->memory->particle_start[i], count = s->memory->particle_start[i + 1] - first;
    memset(&s->memory->zones.holds[first], 0, (size_t)count * sizeof(pl_contact_hold));
    place_body(s, i);
  }
}

// --- search

// The edges of a among the triangles of b, at the start or at the end of the step.
typedef struct side_search {
  const zone_search *search;
  int32_t a, b;
  bool at_start, joins, is_supported;
  double tolerance, shallow;  // as of pl_zone_crossing
  pl_box region;              // where both surfaces are
} side_search;

static const pl_vec3 *points_of(const side_search *s, int32_t body) {
  const pl_surface_motion *motion = &s->search->memory->motions[body];
  return s->at_start ? motion->starts : motion->ends;
}

static bool is_empty(pl_box box) {
  return !(box.min.x <= box.max.x && box.min.y <= box.max.y && box.min.z <= box.max.z);
}

static pl_box region_of(const pl_contact_memory *memory, int32_t a, int32_t b, bool at_start) {
  const pl_surface_motion *p = &memory->motions[a], *q = &memory->motions[b];
  pl_box box = at_start ? p->start_box : p->end_box, other = at_start ? q->start_box : q->end_box;
  return (pl_box){pl_vec3_max(box.min, other.min), pl_vec3_min(box.max, other.max)};
}

static void join_crossing(const side_search *s, const pl_zone_crossing *x) {
  pl_contact_memory *memory = s->search->memory;
  pl_contact_body *bodies = s->search->bodies;
  if (s->search->parts) {
    pl_contact_part_crossing(memory, bodies, x);
    memory->zones.is_changed[s->a] = memory->zones.is_changed[s->b] = true;
    return;
  }
  if (s->search->joins_bodies) {
    pl_zone_join_body(memory, bodies, s->b, pl_zone_join_body(memory, bodies, s->a, -1));
    return;
  }
  int32_t last = -1;
  for (int k = 0; k < 2; ++k) last = pl_zone_join_point(memory, bodies, s->a, x->edge->points[k], last);
  const int32_t *corners = &memory->motions[s->b].tree->surface->triangles[3 * x->triangle];
  for (int k = 0; k < 3; ++k) last = pl_zone_join_point(memory, bodies, s->b, corners[k], last);
}

// Does an edge pass through a triangle? Becomes part of a zone, or is separated, if wanted.
static bool compare(const side_search *s, const pl_surface_edge *edge, int32_t triangle) {
  const pl_vec3 *points = points_of(s, s->a);
  pl_vec3 c[3], position;
  pl_surface_corners(s->search->memory->motions[s->b].tree, points_of(s, s->b), triangle, c);
  if (!pl_contact_pierces(points[edge->points[0]], points[edge->points[1]], c, s->tolerance, &position)) return false;
  pl_zone_crossing x = {.a = s->a,
                        .b = s->b,
                        .edge = edge,
                        .triangle = triangle,
                        .at_start = s->at_start,
                        .any_way = s->at_start && s->is_supported,
                        .tolerance = s->tolerance,
                        .shallow = s->shallow,
                        .margin = PART_MARGIN * s->tolerance};
  if (pl_contact_is_shallow(s->search->memory, s->search->bodies, &x)) return false;
  if (s->joins) join_crossing(s, &x);
  return true;
}

// The triangles of b near the region. Of a small surface they are listed, a part at a time; of a large one its
// hierarchy is asked, which holds the surface as it was before resolution moved it by no more than its shift.
//
// Neighbouring edges of a ask together, and then each for itself among what is near all of them.
enum { EDGES = 24 };
typedef struct triangle_part {
  const side_search *side;
  const pl_surface_edge *edges[EDGES], *edge;  // that ask, and the one among them that does
  int32_t edge_count;
  pl_box edge_box;
  bool is_small, any;
  pl_surface_front front;
  int32_t next;  // of a small surface: where the next part begins
  uint8_t codes[PL_SURFACE_LANE_POINTS];
} triangle_part;

static bool is_small(const pl_surface_motion *motion) {
  return motion->lane_block_count > 0;
}

// Which sides of a box points are outside of, a bit each: what has one in common does not meet the box.
static void classify(const pl_vec3 *points, int32_t count, pl_box box, uint8_t *codes) {
  for (int32_t i = 0; i < count; ++i) {
    pl_vec3 p = points[i];
    codes[i] = (uint8_t)((p.x < box.min.x) | (p.x > box.max.x) << 1 | (p.y < box.min.y) << 2 | (p.y > box.max.y) << 3 |
                         (p.z < box.min.z) << 4 | (p.z > box.max.z) << 5);
  }
}

// A box in the frame of a surface's hierarchy.
static pl_box frame_box(const side_search *s, int32_t body, pl_box box) {
  const pl_contact_memory *memory = s->search->memory;
  pl_vec3 drift = s->at_start ? memory->motions[body].drift : pl_vec3_of(0, 0, 0);
  box = (pl_box){pl_vec3_add(box.min, drift), pl_vec3_add(box.max, drift)};
  return pl_box_expand(box, memory->zones.shifts[body]);
}

static pl_box triangle_box_of(const side_search *s, int32_t triangle) {
  pl_vec3 c[3];
  pl_surface_corners(s->search->memory->motions[s->b].tree, points_of(s, s->b), triangle, c);
  return (pl_box){pl_vec3_min(pl_vec3_min(c[0], c[1]), c[2]), pl_vec3_max(pl_vec3_max(c[0], c[1]), c[2])};
}

// The next part; false when there is none.
static bool list_triangles(triangle_part *part) {
  const side_search *s = part->side;
  const pl_contact_surface *surface = s->search->memory->motions[s->b].tree->surface;
  const pl_vec3 *points = points_of(s, s->b);
  if (!part->is_small) {
    return part->next++ == 0;
  }
  if (part->next == 0) classify(points, surface->point_count, s->region, part->codes);
  part->front.count = 0;
  part->front.origin = pl_box_center(s->region);
  for (; part->next < surface->triangle_count && part->front.count < PL_SURFACE_FRONT; ++part->next) {
    const int32_t *corners = &surface->triangles[3 * part->next];
    if ((part->codes[corners[0]] & part->codes[corners[1]] & part->codes[corners[2]]) != 0) continue;
    pl_box box = triangle_box_of(s, part->next);
    pl_surface_front_add(&part->front, part->next, &box);
  }
  return part->front.count > 0;
}

static void visit_target(void *data, int32_t triangle) {
  triangle_part *part = data;
  part->any = compare(part->side, part->edge, triangle) || part->any;
}

static pl_box edge_box_of(const side_search *s, const pl_surface_edge *edge) {
  const pl_vec3 *points = points_of(s, s->a);
  pl_vec3 p = points[edge->points[0]], q = points[edge->points[1]];
  return (pl_box){pl_vec3_min(p, q), pl_vec3_max(p, q)};
}

// Do the edges that were gathered pass through any triangle?
static void compare_edges(triangle_part *part) {
  const side_search *s = part->side;
  const pl_surface_motion *b = &s->search->memory->motions[s->b];
  pl_surface_front front = {.count = 0, .origin = part->front.origin};
  int32_t near[PL_SURFACE_FRONT], count = 0;
  if (part->is_small && part->edge_count > 0) {
    count = pl_surface_front_list(&part->front, part->edge_box, near);
    for (int32_t i = 0; i < count; ++i) {
      pl_box box = triangle_box_of(s, near[i]);
      pl_surface_front_add(&front, near[i], &box);
    }
  } else if (part->edge_count > 0) {
    pl_surface_motion_gather(b, frame_box(s, s->b, part->edge_box), NULL, &front);
  }
  for (int32_t e = 0; e < part->edge_count && front.count > 0 && (s->joins || !part->any); ++e) {
    part->edge = part->edges[e];
    pl_box box = edge_box_of(s, part->edge);
    if (part->is_small) {
      count = pl_surface_front_list(&front, box, near);
      for (int32_t i = 0; i < count; ++i) visit_target(part, near[i]);
    } else {
      pl_surface_motion_visit(b, &front, frame_box(s, s->b, box), visit_target, part);
    }
  }
  part->edge_count = 0;
  part->edge_box = pl_box_empty();
}

static void add_edge(triangle_part *part, const pl_surface_edge *edge) {
  pl_box box = edge_box_of(part->side, edge);
  if (!pl_box_overlaps(box, part->side->region)) return;
  part->edges[part->edge_count++] = edge;
  pl_box_cover_box(&part->edge_box, &box);
  if (part->edge_count == EDGES) compare_edges(part);
}

// The edges that belong to a triangle of a.
static void visit_edges(void *data, int32_t triangle) {
  triangle_part *part = data;
  const pl_surface_tree *tree = part->side->search->memory->motions[part->side->a].tree;
  for (int k = 0; k < 3; ++k) {
    const pl_surface_edge *edge = &tree->edges[tree->triangle_edges[3 * triangle + k]];
    if (edge->triangles[0] == triangle) add_edge(part, edge);
  }
}

static bool search_side(const side_search *s) {
  const pl_surface_motion *a = &s->search->memory->motions[s->a];
  uint8_t codes[PL_SURFACE_LANE_POINTS];
  triangle_part part;
  part.side = s;
  part.is_small = is_small(&s->search->memory->motions[s->b]);
  part.any = false;
  part.next = part.edge_count = 0;
  part.edge_box = pl_box_empty();
  pl_surface_front front;
  if (is_small(a))
    classify(points_of(s, s->a), a->tree->surface->point_count, s->region, codes);
  else
    pl_surface_motion_gather(a, frame_box(s, s->a, s->region), NULL, &front);
  while (list_triangles(&part)) {
    if (!is_small(a)) pl_surface_motion_visit(a, &front, frame_box(s, s->a, s->region), visit_edges, &part);
    for (int32_t i = 0; is_small(a) && i < a->tree->edge_count; ++i) {
      const pl_surface_edge *edge = &a->tree->edges[a->tree->edge_order[i]];
      if ((codes[edge->points[0]] & codes[edge->points[1]]) == 0) add_edge(&part, edge);
    }
    compare_edges(&part);
  }
  return part.any;
}

// --- a body with itself: edges of neighbouring triangles at a time, among those that face them

enum { SELF_TRIANGLES = 16 };

typedef struct self_search {
  side_search side;
  const pl_surface_edge *edge;
  bool any;
} self_search;

static void visit_self(void *data, int32_t triangle) {
  self_search *s = data;
  const int32_t *corners = &s->side.search->memory->motions[s->side.b].tree->surface->triangles[3 * triangle];
  for (int k = 0; k < 3; ++k)
    if (corners[k] == s->edge->points[0] || corners[k] == s->edge->points[1]) return;
  s->any = compare(&s->side, s->edge, triangle) || s->any;
}

static pl_box self_box(const self_search *s, const pl_surface_edge *edge) {
  const pl_vec3 *points = points_of(&s->side, s->side.a);
  pl_vec3 p = points[edge->points[0]], q = points[edge->points[1]];
  return frame_box(&s->side, s->side.a, (pl_box){pl_vec3_min(p, q), pl_vec3_max(p, q)});
}

static bool search_self(const side_search *side) {
  const pl_surface_motion *motion = &side->search->memory->motions[side->a];
  const pl_surface_tree *tree = motion->tree;
  self_search s = {.side = *side};
  pl_surface_front front;
  for (int32_t first = 0; first < tree->surface->triangle_count; first += SELF_TRIANGLES) {
    const pl_surface_edge *edges[3 * SELF_TRIANGLES];
    pl_box box = pl_box_empty(), normals = pl_box_empty();
    int32_t count = 0;
    for (int32_t i = first; i < first + SELF_TRIANGLES && i < tree->surface->triangle_count; ++i)
      for (int k = 0; k < 3; ++k) {
        int32_t triangle = tree->boxes.order[i];
        const pl_surface_edge *edge = &tree->edges[tree->triangle_edges[3 * triangle + k]];
        if (edge->triangles[0] != triangle) continue;
        pl_box own = self_box(&s, edge);
        pl_box_cover_box(&box, &own);
        for (int side_of = 0; side_of < 2; ++side_of)
          if (edge->triangles[side_of] >= 0) pl_box_cover(&normals, motion->normals[edge->triangles[side_of]]);
        edges[count++] = edge;
      }
    pl_surface_motion_gather(motion, box, tree->is_closed ? &normals : NULL, &front);
    for (int32_t i = 0; i < count && front.count > 0 && (side->joins || !s.any); ++i) {
      s.edge = edges[i];
      pl_surface_motion_visit(motion, &front, self_box(&s, s.edge), visit_self, &s);
    }
  }
  return s.any;
}

// Does a body touch a collider, or something that does?
static bool is_supported(const pl_contact_memory *memory, int32_t body) {
  int32_t island = memory->plan.island_of[body];
  return island >= 0 && memory->zones.is_supported[island];
}

static void find_supported(pl_contact_memory *memory) {
  const pl_contact_plan *plan = &memory->plan;
  memset(memory->zones.is_supported, 0, (size_t)memory->body_count * sizeof(bool));
  for (int32_t p = 0; p < plan->pair_count; ++p)
    if (plan->pairs[p].joint < 0 && plan->pairs[p].b < 0 && plan->island_of[plan->pairs[p].a] >= 0)
      memory->zones.is_supported[plan->island_of[plan->pairs[p].a]] = true;
}

// Do the surfaces of two bodies cross? `joins`: what does becomes a zone.
static bool search_pair(const zone_search *search, int32_t a, int32_t b, bool at_start, bool joins) {
  const pl_contact_zones *z = &search->memory->zones;
  double tolerance = fmin(z->tolerances[a], z->tolerances[b]);
  // Contacts that overlap by less than the slop are left alone.
  double shallow = SLOPS * search->detection.scale.slop - search->bodies[a].radius - search->bodies[b].radius;
  bool is_pressed = is_supported(search->memory, a) || is_supported(search->memory, b);
  if (is_pressed) shallow = fmin(shallow, tolerance);
  // What is left at the end of a step must not be found at the start of the next, where it is rounded.
  if (is_pressed && at_start)
    shallow = fmax(shallow, START_SLACK * tolerance);
  else if (is_pressed)
    tolerance *= 1 - START_SLACK, shallow -= START_SLACK * fabs(shallow);
  pl_box region = region_of(search->memory, a, b, at_start);
  side_search s = {search, a, b, at_start, joins, is_pressed, tolerance, shallow, region};
  if (a == b) return search_self(&s);
  if (is_empty(s.region)) return false;
  bool any = search_side(&s);
  s.a = b, s.b = a;
  return any && !joins ? any : search_side(&s) || any;
}

static bool is_watched(const zone_search *s, int32_t a, int32_t b) {
  const pl_contact_body *p = &s->bodies[a], *q = &s->bodies[b];
  const pl_contact_presence *presences = s->memory->presences;
  const pl_surface_motion *motion = &s->memory->motions[a];
  if (p->is_kinematic || q->is_kinematic || !presences[a].is_placed || !presences[b].is_placed) return false;
  if (a == b) return p->self_contact && !p->asleep && s->memory->presences[a].has_normals;
  if (s->spares_tets && pl_contact_is_in_tets(s->memory, a, b) && !(p->all_edges && q->all_edges)) return false;
  return pl_contact_may_touch(&s->detection, a, motion->end_box, motion->end_box, b);
}

// Does a plane keep two small bodies apart? The one that detection tried last is a good guess.
static bool is_apart(const pl_contact_memory *memory, int32_t a, int32_t b) {
  const pl_surface_motion *p = &memory->motions[a], *q = &memory->motions[b];
  const pl_pair_axis *axes = &memory->axes[(size_t)a * PL_PAIR_AXES];
  int32_t k = 0;
  while (k < memory->axis_counts[a] && axes[k].other != b) ++k;
  if (k == memory->axis_counts[a]) return false;
  double min[2] = {HUGE_VAL, HUGE_VAL}, max[2] = {-HUGE_VAL, -HUGE_VAL};
  for (int side = 0; side < 2; ++side) {
    const pl_surface_motion *motion = side == 0 ? p : q;
    for (int32_t i = 0; i < motion->tree->surface->point_count; ++i) {
      double height = pl_vec3_dot(axes[k].normal, motion->ends[i]);
      min[side] = pl_smaller(height, min[side]);
      max[side] = pl_larger(height, max[side]);
    }
  }
  return min[0] > max[1] || min[1] > max[0];
}

// Does a body cross one of a higher number, or itself, and did not at the start?
static bool is_crossing(const zone_search *s, int32_t body) {
  pl_broad_walk walk = pl_broad_phase_begin(&s->memory->broad, s->memory->item_boxes[body]);
  bool any =
      is_watched(s, body, body) && search_pair(s, body, body, false, false) && !search_pair(s, body, body, true, false);
  for (int32_t item; !any && (item = pl_broad_phase_next(&walk)) >= 0;)
    any = item > body && is_watched(s, body, item) && !is_apart(s->memory, body, item) &&
          search_pair(s, body, item, false, false) && !search_pair(s, body, item, true, false);
  return any;
}

static void find_crossing(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const zone_search *s = data;
  for (int32_t i = begin; i < end; ++i) s->memory->zones.is_crossing[i] = is_crossing(s, i);
}

// The pair in the list; NULL where there is no space for it.
static pl_zone_pair *get_pair(const zone_search *s, int32_t a, int32_t b) {
  pl_contact_zones *z = &s->memory->zones;
  for (int32_t i = 0; i < z->pair_count; ++i)
    if (z->pairs[i].a == a && z->pairs[i].b == b) return &z->pairs[i];
  if (z->pair_count == z->pair_capacity) return NULL;
  z->pairs[z->pair_count] = (pl_zone_pair){a, b, search_pair(s, a, b, true, false)};
  return &z->pairs[z->pair_count++];
}

static bool form_zone(const zone_search *s, int32_t a, int32_t b) {
  if (!is_watched(s, a, b) || !search_pair(s, a, b, false, false)) return false;
  const pl_zone_pair *pair = get_pair(s, a, b);
  return pair != NULL && !pair->is_old && search_pair(s, a, b, false, true);
}

// Zones of what crosses and did not at the start. Returns whether there is any.
static bool form_zones(zone_search *s, int round) {
  pl_contact_memory *memory = s->memory;
  const pl_contact_zones *z = &memory->zones;
  bool any = false;
  s->parts = round < PART_ROUNDS;
  s->joins_bodies = round >= ZONE_ROUNDS;
  memory->zones.support = s->joins_bodies ? PL_ZONE_HELD : round >= FREE_ROUNDS ? PL_ZONE_SUPPORTED : PL_ZONE_FREE;
  for (int32_t a = 0; a < memory->body_count; ++a) {
    if (round == 0 && !z->is_crossing[a]) continue;
    if (round == 0 || z->was_changed[a]) any = form_zone(s, a, a) || any;
    pl_broad_walk walk = pl_broad_phase_begin(&memory->broad, memory->item_boxes[a]);
    for (int32_t b; (b = pl_broad_phase_next(&walk)) >= 0;)
      if (b > a && (round == 0 || z->was_changed[a] || z->was_changed[b])) any = form_zone(s, a, b) || any;
  }
  return any;
}

// Is there anything to look at? In a heap of small soft bodies there are only those pairs that move fast, and touch.
static bool is_any_watched(const zone_search *s) {
  const pl_contact_plan *plan = &s->memory->plan;
  bool any = false;
  for (int32_t b = 0; b < s->memory->body_count && !any; ++b) {
    bool has_edges = s->bodies[b].all_edges && s->memory->presences[b].is_near_body;
    any = !s->bodies[b].asleep && (!s->spares_tets || has_edges || s->bodies[b].self_contact);
  }
  for (int32_t p = 0; p < plan->pair_count && !any; ++p)
    any = plan->pairs[p].joint < 0 && plan->pairs[p].b >= 0 && is_watched(s, plan->pairs[p].a, plan->pairs[p].b);
  return any;
}

enum { BODY_GRAIN = 2 };

void pl_contact_keep_apart(pl_contact_solver *solver, pl_contact_body *bodies, const pl_contact_step *step,
                           bool spares_tets) {
  pl_contact_memory *memory = &solver->memory;
  pl_contact_zones *z = &memory->zones;
  zone_search s = {.detection = {.memory = memory,
                                 .bodies = bodies,
                                 .pairs = &solver->pairs,
                                 .step = step->step,
                                 .scale = pl_contact_scale_of(step)},
                   .memory = memory,
                   .bodies = bodies,
                   .exchange = step->exchange,
                   .spares_tets = spares_tets};
  if (!is_any_watched(&s)) return;
  find_supported(memory);
  pl_parallel_for(solver->context, memory->body_count, BODY_GRAIN, place_bodies, &s);
  pl_broad_phase_build(&memory->broad, memory->item_boxes, memory->body_count);
  pl_parallel_for(solver->context, memory->body_count, BODY_GRAIN, find_crossing, &s);
  z->step = step->step;
  z->pair_count = z->member_count = 0;
  memset(z->is_changed, 0, (size_t)memory->body_count * sizeof *z->is_changed);
  for (int round = 0; round < ROUNDS; ++round) {
    memcpy(z->was_changed, z->is_changed, (size_t)memory->body_count * sizeof *z->is_changed);
    memset(z->is_changed, 0, (size_t)memory->body_count * sizeof *z->is_changed);
    if (!form_zones(&s, round)) break;
    for (int32_t i = 0; i < z->member_count; ++i)
      if (z->parents[z->members[i]] == z->members[i]) pl_zone_move(memory, bodies, z->members[i]);
    for (int32_t b = 0; b < memory->body_count; ++b)
      if (z->is_changed[b]) place_body(&s, b);
    pl_broad_phase_build(&memory->broad, memory->item_boxes, memory->body_count);
  }
  for (int32_t i = 0; i < z->member_count; ++i) z->parents[z->members[i]] = -1;
  pl_contact_take_back_spins(memory, bodies);
}
