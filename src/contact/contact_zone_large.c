// What crosses between two large bodies (contact_zone_search.c).
//
// The points of each are rounded to single precision once, and eight neighbouring triangles have a box. The edges of
// such eight ask the blocks of the other body that they meet; what may cross is computed again in double precision.
// Before, both are cut to the slab across a direction along which they overlap least, kept from look to look.
//
// A heap takes many looks in a step, and between two of them few points move. What edges passed through what triangles
// is remembered of each pair: then only edges and triangles with a point that moved since are compared again, and where
// nothing did, nothing is. It is remembered whether it counts or not, since that depends on neighbours too.
#include <math.h>
#include <string.h>

#include "contact/contact_zone_search.h"
#include "contact/pair_lanes.h"
#include "math/lanes.h"
#include "pliant/math.h"

// Where a body is at the moment of the look.
static const pl_lane_shape *shape_of(const pl_zone_side *s, int32_t body) {
  const pl_contact_memory *memory = s->check->memory;
  int32_t index = 2 * body + s->check->at_start;
  pl_lane_shape *shape = &memory->zones.shapes[index];
  atomic_bool *has_shape = &memory->zones.has_shapes[index];
  if (atomic_load_explicit(has_shape, memory_order_acquire)) return shape;
  atomic_flag *lock = &memory->presences[body].lock;
  while (atomic_flag_test_and_set_explicit(lock, memory_order_acquire)) continue;
  if (!atomic_load_explicit(has_shape, memory_order_relaxed)) {
    const pl_surface_motion *motion = pl_zone_motion(s, body);
    const bool *moved = &memory->zones.is_moved[memory->point_start[body]];
    shape->origin = pl_box_center(s->check->at_start ? motion->start_box : motion->end_box);
    pl_lane_kernels_get()->fit_shape(motion->tree, pl_zone_points(s, body), moved, shape);
    atomic_store_explicit(has_shape, true, memory_order_release);
  }
  atomic_flag_clear_explicit(lock, memory_order_release);
  return shape;
}

// --- the slab where two bodies overlap

// Two bodies where they overlap. Heights are in the frame of the second.
typedef struct large_pair {
  const pl_surface_tree *trees[2];
  const pl_lane_shape *shapes[2];
  float shift[3];   // of places of the first into the frame of the second
  float error;      // metres that differences of these may be off by
  float normal[3];  // unit
  float low, high;  // smallest height of the first, largest of the second
  float ascent[3];  // from the point of the second to that of the first that have them
} large_pair;

static void set_floats(float to[3], pl_vec3 a) {
  to[0] = (float)a.x, to[1] = (float)a.y, to[2] = (float)a.z;
}

static float dot(const float a[3], const float b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Try a direction; it is kept if the bodies are farther apart along it.
static bool try_axis(large_pair *p, const float way[3]) {
  float length = sqrtf(dot(way, way)), normal[3], back[3], first, second;
  if (!(length > 1e-20f) || !(length < HUGE_VALF)) return false;
  for (int k = 0; k < 3; ++k) normal[k] = way[k] / length, back[k] = -normal[k];
  const pl_lane_kernels *kernels = pl_lane_kernels_get();
  int32_t lowest = kernels->find_deepest(p->shapes[0], p->trees[0]->surface->point_count, normal, &first);
  int32_t highest = kernels->find_deepest(p->shapes[1], p->trees[1]->surface->point_count, back, &second);
  float low = first + dot(normal, p->shift), high = -second;
  if (!(low - high > p->low - p->high)) return false;
  p->low = low, p->high = high;
  for (int k = 0; k < 3; ++k) {
    p->normal[k] = normal[k];
    p->ascent[k] = p->shapes[0]->places[lowest][k] + p->shift[k] - p->shapes[1]->places[highest][k];
  }
  return true;
}

// Turn towards the way between the two points that decide, which takes them apart fastest (pair_axis.c).
static void climb(large_pair *p, float step, int count) {
  for (int i = 0; i < count && p->low <= p->high; ++i) {
    float length = sqrtf(dot(p->ascent, p->ascent)), along = dot(p->ascent, p->normal), way[3];
    if (!(length > 0)) return;
    for (int k = 0; k < 3; ++k) way[k] = p->normal[k] + step * (p->ascent[k] - along * p->normal[k]) / length;
    if (!try_axis(p, way)) step *= 0.4f;
  }
}

// From the direction that is remembered, if there is one. False if the bodies are apart.
static bool find_slab(const pl_zone_side *s, pl_zone_record *record, large_pair *p) {
  for (int i = 0; i < 2; ++i) {
    p->trees[i] = pl_zone_motion(s, i == 0 ? s->a : s->b)->tree;
    p->shapes[i] = shape_of(s, i == 0 ? s->a : s->b);
  }
  set_floats(p->shift, pl_vec3_sub(p->shapes[0]->origin, p->shapes[1]->origin));
  float extent = p->shapes[0]->extent + p->shapes[1]->extent;
  for (int k = 0; k < 3; ++k) extent += fabsf(p->shift[k]);
  p->error = 1.5e-7f * extent;
  p->low = -HUGE_VALF, p->high = HUGE_VALF;
  for (int k = 0; k < 3; ++k) p->normal[k] = 0;
  if (record != NULL && try_axis(p, record->normal)) {
    climb(p, 0.01f, 2);
  } else {
    try_axis(p, p->shift);
    climb(p, 0.5f, 8);
  }
  if (record != NULL) memcpy(record->normal, p->normal, sizeof p->normal);
  float slack = 8 * p->error;
  if (p->low > p->high + slack) return false;
  p->low -= slack, p->high += slack;
  return true;
}

// --- what edges pass through

// The edges of one body among the triangles of the other.
typedef struct large_search {
  const pl_zone_side *side;
  const pl_surface_tree *own, *other;
  const pl_lane_shape *own_shape, *other_shape;
  pl_lane_slab slab;  // where both are, in the frame of the own shape
  // Where something moved since the last look: points of the own body, bits of the other's triangles; NULL: none.
  bool only_moved;
  const bool *moved;
  const uint8_t *others_moved;
  pl_lane_slab others_slab;  // where the latter are
  pl_lane_asking asking;
  int32_t first;  // of the edges that ask, in the order of the leaves
  bool any;
  // What is found; NULL: it is handed over at once, and with nobody to take it the first one ends the search.
  pl_lane_passing *found;
  int32_t found_count;
  bool is_full;
} large_search;

static void set_slab(const large_pair *p, int of, pl_box region, pl_lane_slab *slab) {
  set_floats(slab->min, pl_vec3_sub(region.min, p->shapes[of]->origin));
  set_floats(slab->max, pl_vec3_sub(region.max, p->shapes[of]->origin));
  for (int k = 0; k < 3; ++k) {
    slab->min[k] -= p->error + 1e-6f * fabsf(slab->min[k]);
    slab->max[k] += p->error + 1e-6f * fabsf(slab->max[k]);
    slab->normal[k] = p->normal[k];
  }
  float shift = of == 0 ? dot(p->normal, p->shift) : 0;
  slab->low = p->low - shift, slab->high = p->high - shift;
}

static void begin_side(const pl_zone_side *side, const large_pair *p, int own, large_search *s) {
  *s = (large_search){.side = side,
                      .own = p->trees[own],
                      .other = p->trees[1 - own],
                      .own_shape = p->shapes[own],
                      .other_shape = p->shapes[1 - own]};
  for (int k = 0; k < 3; ++k) s->asking.shift[k] = own == 0 ? p->shift[k] : -p->shift[k];
  s->asking.tolerance = (float)side->check->tolerance;
  s->asking.error = p->error;
  set_slab(p, own, side->region, &s->slab);
  set_slab(p, 1 - own, side->region, &s->asking.slab);
}

static bool is_done(const large_search *s) {
  return s->is_full || (s->found == NULL && s->any && s->side->check->visit == NULL);
}

static const pl_surface_edge *get_edge(const pl_surface_tree *tree, int32_t number) {
  return &tree->edges[tree->edge_order[number]];
}

static bool is_edge_near(const pl_zone_side *side, const pl_surface_edge *edge, pl_box region) {
  const pl_vec3 *points = pl_zone_points(side, side->a);
  pl_vec3 p = points[edge->points[0]], q = points[edge->points[1]];
  return pl_box_overlaps((pl_box){pl_vec3_min(p, q), pl_vec3_max(p, q)}, region);
}

static void take_passing(large_search *s, int32_t number, int32_t leaf) {
  const pl_surface_edge *edge = get_edge(s->own, number);
  int32_t triangle = s->other->boxes.order[leaf];
  if (s->found == NULL) {
    s->any = pl_zone_compare(s->side, edge, triangle) || s->any;
  } else if (pl_zone_pierces(s->side, edge, triangle, false, s->side->check->tolerance)) {
    if (s->found_count == PL_ZONE_FOUND)
      s->is_full = true;
    else
      s->found[s->found_count++] = (pl_lane_passing){number, leaf};
  }
}

// What one of the edges that ask may pass through, by leaves.
static void take_edge(large_search *s, int32_t edge, const pl_lane_passing *list, int32_t count) {
  bool is_near = false;
  for (int32_t i = 0; i < count && !is_done(s); ++i) {
    if (list[i].edge != edge) continue;
    if (!is_near && !is_edge_near(s->side, get_edge(s->own, s->first + edge), s->side->region)) return;
    is_near = true;
    take_passing(s, s->first + edge, list[i].leaf);
  }
}

// Crossings are taken by edges, and those of an edge by leaves.
static void ask(large_search *s) {
  const pl_lane_kernels *kernels = pl_lane_kernels_get();
  pl_lane_passing list[PL_LANE_PASSING];
  int32_t next = 0, end = (s->other->surface->triangle_count + LANES - 1) / LANES;
  int32_t count = kernels->list_passed(s->own_shape, &s->asking, s->other, s->other_shape, &next, list);
  if (next >= end) {
    for (int32_t i = 0; i < s->asking.count && count > 0; ++i) take_edge(s, i, list, count);
    return;
  }
  // More than the list holds: one edge at a time, in parts. The others are there, but do not ask.
  uint32_t all = s->asking.asks;
  for (int32_t i = 0; i < s->asking.count; ++i) {
    s->asking.asks = all & (1u << i);
    for (next = 0; next < end && s->asking.asks != 0;) {
      count = kernels->list_passed(s->own_shape, &s->asking, s->other, s->other_shape, &next, list);
      take_edge(s, i, list, count);
    }
  }
}

// The edges of a block of triangles ask; those that did not move only where others did, if that is near.
static void ask_block(large_search *s, int32_t block, bool is_near_moved) {
  const pl_surface_tree *tree = s->own;
  pl_lane_asking *asking = &s->asking;
  int32_t end = LANES * (block + 1), count = tree->surface->triangle_count;
  s->first = tree->leaf_edges[LANES * block];
  asking->count = tree->leaf_edges[end < count ? end : count] - s->first;
  uint32_t all = (1u << asking->count) - 1;
  asking->asks_all = s->only_moved && s->moved == NULL ? 0 : all;
  for (int32_t i = 0; i < asking->count; ++i) {
    const int32_t *points = get_edge(tree, s->first + i)->points;
    for (int k = 0; k < 2; ++k) asking->points[k][i] = points[k];
    if (s->moved != NULL && !s->moved[points[0]] && !s->moved[points[1]]) asking->asks_all &= ~(1u << i);
  }
  asking->moved = is_near_moved ? s->others_moved : NULL;
  asking->asks = asking->moved != NULL ? all : asking->asks_all;
  if (asking->asks != 0) ask(s);
}

static void search_edges(large_search *s) {
  const pl_lane_kernels *kernels = pl_lane_kernels_get();
  int32_t block_count = (s->own->surface->triangle_count + LANES - 1) / LANES;
  for (int32_t first = 0; first < block_count; first += LANES) {
    const float *boxes = &s->own_shape->boxes[(size_t)first * PL_LANE_BOX_ROWS];
    int bits = kernels->find_met(boxes, &s->slab);
    int near_moved = bits != 0 && s->others_moved != NULL ? kernels->find_met(boxes, &s->others_slab) : 0;
    for (; bits != 0 && !is_done(s); bits &= bits - 1) {
      int lane = __builtin_ctz((unsigned)bits);
      if (first + lane < block_count) ask_block(s, first + lane, (near_moved >> lane & 1) != 0);
    }
  }
}

static pl_zone_side turned(const pl_zone_side *s) {
  return (pl_zone_side){s->check, s->b, s->a, s->region};
}

// Without anything remembered.
static bool search_at_once(const pl_zone_side *side, const large_pair *pair) {
  pl_zone_side sides[2] = {*side, turned(side)};
  bool any = false;
  for (int own = 0; own < 2; ++own) {
    large_search s;
    begin_side(&sides[own], pair, own, &s);
    search_edges(&s);
    any = any || s.any;
    if (any && side->check->visit == NULL) return true;
  }
  return any;
}

// --- what is remembered

// NULL where there is no space for it.
static pl_zone_record *record_of(const pl_zone_side *s) {
  pl_zone_record *records = s->check->memory->zones.records[s->a], *record = NULL;
  for (int32_t i = 0; i < PL_ZONE_RECORDS && (record == NULL || record->other != s->b); ++i)
    if (records[i].other == s->b || (record == NULL && !records[i].is_used)) record = &records[i];
  if (record == NULL || (record->is_used && record->other != s->b)) return NULL;
  if (record->other != s->b) memset(record->normal, 0, sizeof record->normal);
  if (!record->is_used) record->is_known = false;
  record->is_used = true;
  record->other = s->b;
  return record;
}

// What is known of a body since a look.
typedef enum known_body { BODY_UNKNOWN, BODY_SAME, BODY_MOVED } known_body;

static known_body know_body(const pl_zone_side *s, int32_t body, int32_t placing) {
  const pl_contact_zones *z = &s->check->memory->zones;
  if (placing == z->placings[body]) return BODY_SAME;
  return placing == z->moved_since[body] ? BODY_MOVED : BODY_UNKNOWN;
}

static bool is_before(pl_lane_passing a, pl_lane_passing b) {
  return a.edge < b.edge || (a.edge == b.edge && a.leaf < b.leaf);
}

// Does an edge or triangle have a point that moved?
static bool has_moved(const large_search *s, const bool *others, pl_lane_passing x) {
  const int32_t *p = get_edge(s->own, x.edge)->points;
  const int32_t *c = &s->other->surface->triangles[3 * s->other->boxes.order[x.leaf]];
  return (s->moved != NULL && (s->moved[p[0]] || s->moved[p[1]])) ||
         (others != NULL && (others[c[0]] || others[c[1]] || others[c[2]]));
}

// Put what is known and did not move among what was found, in order. Returns the number; more than there is space for
// means that it did not fit.
static int32_t merge(const large_search *s, const bool *others, const pl_lane_passing *known, int32_t known_count,
                     pl_lane_passing *to) {
  int32_t count = 0, k = 0;
  for (int32_t f = 0; f < s->found_count || k < known_count;) {
    if (k < known_count && has_moved(s, others, known[k])) {
      ++k;
      continue;
    }
    bool is_known = k < known_count && (f >= s->found_count || is_before(known[k], s->found[f]));
    if (count == PL_ZONE_FOUND) return PL_ZONE_FOUND + 1;
    to[count++] = is_known ? known[k++] : s->found[f++];
  }
  return count;
}

// Bring what is remembered up to date. False if it does not fit.
static bool update_record(const pl_zone_side *side, const large_pair *pair, bool is_apart, pl_zone_record *record) {
  const pl_contact_memory *memory = side->check->memory;
  const int32_t bodies[2] = {side->a, side->b};
  known_body known[2];
  const bool *moved[2];
  bool is_new = !record->is_known || record->tolerance != side->check->tolerance;
  for (int k = 0; k < 2; ++k) {
    known[k] = know_body(side, bodies[k], record->placings[k]);
    is_new = is_new || known[k] == BODY_UNKNOWN;
    moved[k] = known[k] == BODY_MOVED ? &memory->zones.is_moved[memory->point_start[bodies[k]]] : NULL;
    record->placings[k] = memory->zones.placings[bodies[k]];
  }
  if (!is_new && known[0] == BODY_SAME && known[1] == BODY_SAME) return true;
  pl_lane_passing all[2 * PL_ZONE_FOUND], found[PL_ZONE_FOUND];
  int32_t counts[2] = {0, 0}, total = 0;
  record->is_known = false;
  pl_zone_side sides[2] = {*side, turned(side)};
  for (int own = 0; own < 2 && !is_apart; ++own) {
    sides[own].region = pl_zone_region(side->check, !is_new);
    large_search s;
    begin_side(&sides[own], pair, own, &s);
    s.found = found;
    s.only_moved = !is_new;
    s.moved = is_new ? NULL : moved[own];
    s.others_moved = is_new || moved[1 - own] == NULL ? NULL : s.other_shape->moved;
    set_slab(pair, own, memory->zones.moved_boxes[bodies[1 - own]], &s.others_slab);
    if (!pl_zone_is_empty(sides[own].region)) search_edges(&s);
    if (s.is_full) return false;
    const pl_lane_passing *old = &record->found[own == 0 ? 0 : record->counts[0]];
    counts[own] = merge(&s, moved[1 - own], old, is_new ? 0 : record->counts[own], &all[total]);
    total += counts[own];
    if (total > PL_ZONE_FOUND) return false;
  }
  memcpy(record->found, all, (size_t)total * sizeof *all);
  for (int k = 0; k < 2; ++k) record->counts[k] = counts[k];
  record->tolerance = side->check->tolerance;
  record->is_known = true;
  return true;
}

// What of it counts.
static bool compare_record(const pl_zone_side *side, const pl_zone_record *record) {
  pl_zone_side sides[2] = {*side, turned(side)};
  const pl_lane_passing *next = record->found;
  bool any = false;
  for (int own = 0; own < 2; ++own) {
    const pl_surface_tree *tree = pl_zone_motion(side, sides[own].a)->tree;
    const pl_surface_tree *other = pl_zone_motion(side, sides[own].b)->tree;
    for (int32_t i = 0; i < record->counts[own]; ++i, ++next) {
      const pl_surface_edge *edge = get_edge(tree, next->edge);
      if (!is_edge_near(&sides[own], edge, side->region)) continue;
      any = pl_zone_compare(&sides[own], edge, other->boxes.order[next->leaf]) || any;
      if (any && side->check->visit == NULL) return true;
    }
  }
  return any;
}

// Is nothing of a look out of date?
static bool is_current(const pl_zone_side *s, const pl_zone_record *record) {
  return record->is_known && record->tolerance == s->check->tolerance &&
         know_body(s, s->a, record->placings[0]) == BODY_SAME && know_body(s, s->b, record->placings[1]) == BODY_SAME;
}

bool pl_zone_search_large(const pl_zone_side *side) {
  if (pl_zone_motion(side, side->a)->tree->edge_count == 0 || pl_zone_motion(side, side->b)->tree->edge_count == 0)
    return false;
  pl_zone_record *record = record_of(side);
  bool remembers = record != NULL && !side->check->at_start;
  if (remembers && is_current(side, record)) return compare_record(side, record);
  large_pair pair;
  bool is_apart = !find_slab(side, record, &pair);
  if (remembers && update_record(side, &pair, is_apart, record)) return compare_record(side, record);
  return !is_apart && search_at_once(side, &pair);
}
