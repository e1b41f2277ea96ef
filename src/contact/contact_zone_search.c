// What crosses at one moment of a step: edges of one body through triangles of another, or of the same.
//
// Two small bodies are compared in the part of space that both are in: their boxes, and a slab across the direction
// that detection told them apart by, or almost. Edges ask the triangles there, eight at a time in single precision
// (pair_lanes.h); what may cross is computed again in double precision. Two large bodies are compared in
// contact_zone_large.c; a large and a small one ask hierarchies.
//
// Where a pair is known not to cross, and then some points moved, only edges and triangles with such a point are
// compared.
#include "contact/contact_zone_search.h"

#include "contact/pair_lanes.h"
#include "math/lanes.h"
#include "pliant/math.h"

// Separated surfaces are this fraction of the tolerance away from each other.
static const double PART_MARGIN = 0.1;

static pl_box common_box(pl_box a, pl_box b) {
  return (pl_box){pl_vec3_max(a.min, b.min), pl_vec3_min(a.max, b.max)};
}

pl_box pl_zone_region(const pl_zone_check *check, bool only_moved) {
  const pl_surface_motion *p = &check->memory->motions[check->a], *q = &check->memory->motions[check->b];
  pl_box box = check->at_start ? p->start_box : p->end_box, other = check->at_start ? q->start_box : q->end_box;
  if (!only_moved) return common_box(box, other);
  // What moved of one body, and what moved of the other.
  const pl_box *moved = check->memory->zones.moved_boxes;
  pl_box region = common_box(moved[check->a], other), second = common_box(moved[check->b], box);
  if (pl_zone_is_empty(region)) return second;
  if (!pl_zone_is_empty(second)) pl_box_cover_box(&region, &second);
  return region;
}

bool pl_zone_pierces(const pl_zone_side *s, const pl_surface_edge *edge, int32_t triangle, bool at_start,
                     double tolerance) {
  const pl_surface_motion *a = pl_zone_motion(s, s->a), *b = pl_zone_motion(s, s->b);
  const pl_vec3 *points = at_start ? a->starts : a->ends;
  pl_vec3 c[3], position;
  pl_surface_corners(b->tree, at_start ? b->starts : b->ends, triangle, c);
  return pl_contact_pierces(points[edge->points[0]], points[edge->points[1]], c, tolerance, &position);
}

// Does an edge pass through a triangle? Then it is handed over.
bool pl_zone_compare(const pl_zone_side *s, const pl_surface_edge *edge, int32_t triangle) {
  const pl_zone_check *check = s->check;
  if (!pl_zone_pierces(s, edge, triangle, check->at_start, check->tolerance)) return false;
  pl_zone_crossing x = {.a = s->a,
                        .b = s->b,
                        .edge = edge,
                        .triangle = triangle,
                        .at_start = check->at_start,
                        .any_way = check->at_start && check->is_supported,
                        .tolerance = check->tolerance,
                        .shallow = check->shallow,
                        .margin = PART_MARGIN * check->tolerance};
  if (pl_contact_is_shallow(check->memory, check->bodies, &x)) return false;
  if (check->spares_old && pl_zone_pierces(s, edge, triangle, true, check->tolerance)) {
    if (!pl_zone_pierces(s, edge, triangle, false, check->old_tolerance)) return false;
    pl_zone_crossing old = x;
    old.any_way = true;
    old.shallow = check->old_shallow;
    if (pl_contact_is_shallow(check->memory, check->bodies, &old)) return false;
  }
  if (check->visit != NULL) check->visit(check->data, &x);
  return true;
}

// --- two small bodies

static bool is_small(const pl_surface_motion *motion) {
  return motion->lane_block_count > 0;
}

// The direction that detection found for a pair; zero if there is none.
static pl_vec3 axis_of(const pl_contact_memory *memory, int32_t a, int32_t b) {
  int32_t low = a < b ? a : b, high = a < b ? b : a;
  int32_t first = low * PL_PAIR_AXES;
  for (int32_t k = first; k < first + memory->axis_counts[low]; ++k)
    if (memory->axes[k].other == high) return memory->axis_lines[k].normal;
  return pl_vec3_of(0, 0, 0);
}

// A pair of small bodies where they overlap.
typedef struct small_pair {
  float extent;  // metres: twice the largest coordinate
  pl_lane_points points[2];
} small_pair;

static void set_floats(float to[3], pl_vec3 a) {
  to[0] = (float)a.x, to[1] = (float)a.y, to[2] = (float)a.z;
}

// Place both bodies. False where they are apart.
static bool place_pair(const pl_zone_side *s, small_pair *pair) {
  const pl_lane_kernels *kernels = pl_lane_kernels_get();
  pl_lane_overlap overlap = {.origin = pl_box_center(s->region)};
  set_floats(overlap.min, pl_vec3_sub(s->region.min, overlap.origin));
  set_floats(overlap.max, pl_vec3_sub(s->region.max, overlap.origin));
  set_floats(overlap.normal, axis_of(s->check->memory, s->a, s->b));
  pl_lane_points *a = &pair->points[0], *b = &pair->points[1];
  kernels->place_points(pl_zone_points(s, s->a), pl_zone_motion(s, s->a)->tree->surface->point_count, &overlap, a);
  kernels->place_points(pl_zone_points(s, s->b), pl_zone_motion(s, s->b)->tree->surface->point_count, &overlap, b);
  pair->extent = 2 * (a->extent > b->extent ? a->extent : b->extent);
  // More than rounding does to heights.
  float slack = 1e-6f * pair->extent;
  if (a->low > b->high + slack || b->low > a->high + slack) return false;
  kernels->clip_points(a, b->low - slack, b->high + slack);
  kernels->clip_points(b, a->low - slack, a->high + slack);
  return true;
}

// Whether points moved since the last look; NULL: that is not asked.
static const bool *moved_of(const pl_zone_side *s, int32_t body) {
  const pl_contact_memory *memory = s->check->memory;
  return s->check->only_moved ? &memory->zones.is_moved[memory->point_start[body]] : NULL;
}

// The next triangles of a body where it may be met, from `*next` on. False when there are no more.
static bool list_triangles(const pl_surface_tree *tree, const pl_lane_points *points, const bool *moved, int32_t *next,
                           pl_lane_pierced *pierced) {
  pierced->count = 0;
  for (; *next < tree->surface->triangle_count && pierced->count < PL_LANE_PIERCED; ++*next) {
    int32_t triangle = tree->boxes.order[*next];
    const int32_t *c = &tree->surface->triangles[3 * triangle];
    if ((points->codes[c[0]] & points->codes[c[1]] & points->codes[c[2]]) != 0) continue;
    int32_t i = pierced->count++;
    pierced->triangles[i] = triangle;
    if (moved == NULL) continue;
    if (i % LANES == 0) pierced->moved[i / LANES] = 0;
    if (moved[c[0]] || moved[c[1]] || moved[c[2]]) pierced->moved[i / LANES] |= (uint8_t)(1u << i % LANES);
  }
  return pierced->count > 0;
}

// The edges of one body, of number `own` in the pair, among the triangles of the other.
static bool search_small_side(const pl_zone_side *s, const small_pair *pair, int own) {
  const pl_lane_kernels *kernels = pl_lane_kernels_get();
  const pl_surface_tree *tree = pl_zone_motion(s, s->a)->tree;
  const pl_surface_tree *other = pl_zone_motion(s, s->b)->tree;
  const pl_lane_points *mine = &pair->points[own], *others = &pair->points[1 - own];
  const bool *moved = moved_of(s, s->a);
  int32_t list[PL_LANE_PIERCED], next = 0;
  pl_lane_pierced pierced;
  bool any = false;
  while (list_triangles(other, others, moved_of(s, s->b), &next, &pierced)) {
    kernels->pack_pierced(others, other->surface->triangles, (float)s->check->tolerance, pair->extent, &pierced);
    for (int32_t i = 0; i < tree->edge_count; ++i) {
      const pl_surface_edge *edge = &tree->edges[tree->edge_order[i]];
      int32_t p = edge->points[0], q = edge->points[1];
      if ((mine->codes[p] & mine->codes[q]) != 0) continue;
      bool by_moved = moved != NULL && !moved[p] && !moved[q];
      int32_t count = kernels->list_pierced(&pierced, mine->places[p], mine->places[q], pair->extent, by_moved, list);
      for (int32_t k = 0; k < count; ++k) any = pl_zone_compare(s, edge, list[k]) || any;
      if (any && s->check->visit == NULL) return true;
    }
  }
  return any;
}

static bool search_small(pl_zone_side *s) {
  small_pair pair;
  if (!place_pair(s, &pair)) return false;
  bool any = search_small_side(s, &pair, 0);
  if (any && s->check->visit == NULL) return true;
  s->a = s->check->b, s->b = s->check->a;
  return search_small_side(s, &pair, 1) || any;
}

// --- others: edges at a time, among triangles gathered from a hierarchy or by their corners

// The triangles of b near the region. Of a small surface they are listed, a part at a time; of a large one its
// hierarchy is asked.
//
// Neighbouring edges of a ask together, and then each for itself among what is near all of them.
enum { EDGES = 24 };
typedef struct triangle_part {
  const pl_zone_side *side;
  const pl_surface_edge *edges[EDGES], *edge;  // that ask, and the one among them that does
  int32_t edge_count;
  pl_box edge_box;
  bool is_small, any;
  pl_surface_front front;
  int32_t next;  // of a small surface: where the next part begins
  uint8_t codes[PL_SURFACE_LANE_POINTS];
} triangle_part;

// Which sides of a box points are outside of, a bit each: what has one in common does not meet the box.
static void classify(const pl_vec3 *points, int32_t count, pl_box box, uint8_t *codes) {
  for (int32_t i = 0; i < count; ++i) {
    pl_vec3 p = points[i];
    codes[i] = (uint8_t)((p.x < box.min.x) | (p.x > box.max.x) << 1 | (p.y < box.min.y) << 2 | (p.y > box.max.y) << 3 |
                         (p.z < box.min.z) << 4 | (p.z > box.max.z) << 5);
  }
}

// A box in the frame of a surface's hierarchy.
static pl_box frame_box(const pl_zone_side *s, int32_t body, pl_box box) {
  pl_vec3 drift = s->check->at_start ? pl_zone_motion(s, body)->drift : pl_vec3_of(0, 0, 0);
  return (pl_box){pl_vec3_add(box.min, drift), pl_vec3_add(box.max, drift)};
}

static pl_box triangle_box_of(const pl_zone_side *s, int32_t triangle) {
  pl_vec3 c[3];
  pl_surface_corners(pl_zone_motion(s, s->b)->tree, pl_zone_points(s, s->b), triangle, c);
  return (pl_box){pl_vec3_min(pl_vec3_min(c[0], c[1]), c[2]), pl_vec3_max(pl_vec3_max(c[0], c[1]), c[2])};
}

// The next part; false when there is none.
static bool list_part(triangle_part *part) {
  const pl_zone_side *s = part->side;
  const pl_contact_surface *surface = pl_zone_motion(s, s->b)->tree->surface;
  const pl_vec3 *points = pl_zone_points(s, s->b);
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
  part->any = pl_zone_compare(part->side, part->edge, triangle) || part->any;
}

static pl_box edge_box_of(const pl_zone_side *s, const pl_surface_edge *edge) {
  const pl_vec3 *points = pl_zone_points(s, s->a);
  pl_vec3 p = points[edge->points[0]], q = points[edge->points[1]];
  return (pl_box){pl_vec3_min(p, q), pl_vec3_max(p, q)};
}

// Do the edges that were gathered pass through any triangle?
static void compare_edges(triangle_part *part) {
  const pl_zone_side *s = part->side;
  const pl_surface_motion *b = pl_zone_motion(s, s->b);
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
  for (int32_t e = 0; e < part->edge_count && front.count > 0 && (s->check->visit != NULL || !part->any); ++e) {
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
  const pl_surface_tree *tree = pl_zone_motion(part->side, part->side->a)->tree;
  for (int k = 0; k < 3; ++k) {
    const pl_surface_edge *edge = &tree->edges[tree->triangle_edges[3 * triangle + k]];
    if (edge->triangles[0] == triangle) add_edge(part, edge);
  }
}

static bool search_large_side(const pl_zone_side *s) {
  const pl_surface_motion *a = pl_zone_motion(s, s->a);
  uint8_t codes[PL_SURFACE_LANE_POINTS];
  triangle_part part;
  part.side = s;
  part.is_small = is_small(pl_zone_motion(s, s->b));
  part.any = false;
  part.next = part.edge_count = 0;
  part.edge_box = pl_box_empty();
  pl_surface_front front;
  if (is_small(a))
    classify(pl_zone_points(s, s->a), a->tree->surface->point_count, s->region, codes);
  else
    pl_surface_motion_gather(a, frame_box(s, s->a, s->region), NULL, &front);
  while (list_part(&part)) {
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
  pl_zone_side side;
  const pl_surface_edge *edge;
  bool any;
} self_search;

static void visit_self(void *data, int32_t triangle) {
  self_search *s = data;
  const int32_t *corners = &pl_zone_motion(&s->side, s->side.b)->tree->surface->triangles[3 * triangle];
  for (int k = 0; k < 3; ++k)
    if (corners[k] == s->edge->points[0] || corners[k] == s->edge->points[1]) return;
  s->any = pl_zone_compare(&s->side, s->edge, triangle) || s->any;
}

static pl_box self_box(const self_search *s, const pl_surface_edge *edge) {
  const pl_vec3 *points = pl_zone_points(&s->side, s->side.a);
  pl_vec3 p = points[edge->points[0]], q = points[edge->points[1]];
  return frame_box(&s->side, s->side.a, (pl_box){pl_vec3_min(p, q), pl_vec3_max(p, q)});
}

static bool search_self(const pl_zone_side *side) {
  const pl_surface_motion *motion = pl_zone_motion(side, side->a);
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
    for (int32_t i = 0; i < count && front.count > 0 && (side->check->visit != NULL || !s.any); ++i) {
      s.edge = edges[i];
      pl_surface_motion_visit(motion, &front, self_box(&s, s.edge), visit_self, &s);
    }
  }
  return s.any;
}

bool pl_zone_check_run(const pl_zone_check *check) {
  pl_zone_side s = {check, check->a, check->b, pl_zone_region(check, check->only_moved)};
  if (check->a == check->b) return search_self(&s);
  if (pl_zone_is_empty(s.region)) return false;
  bool is_a_small = is_small(pl_zone_motion(&s, s.a)), is_b_small = is_small(pl_zone_motion(&s, s.b));
  if (is_a_small && is_b_small) return search_small(&s);
  if (!is_a_small && !is_b_small) return pl_zone_search_large(&s);
  bool any = search_large_side(&s);
  s.a = check->b, s.b = check->a;
  return any && check->visit == NULL ? any : search_large_side(&s) || any;
}
