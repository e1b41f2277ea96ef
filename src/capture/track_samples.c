// An order of the surface points of which every beginning covers the surface evenly, and distances along the body
// between its parts.
//
// Wide searches need few surface points, narrow ones all: the order is that of farthest-point sampling (each next point
// is the one farthest from all before), by distance in space, for the first few thousand; the rest follow as they come.
// The parts of the body are the neighbourhoods of a few hundred points of the mesh, also chosen as farthest from each
// other, but along the edges of the tets: so two leaves that touch are far apart, and the two sides of one leaf are
// not.
#include <math.h>

#include "capture/track_parts.h"
#include "mesh/topology.h"

enum { MAX_ORDERED = 3000 };

#define PART_SIZE 0.03  // of the size: between the parts whose distances along the body are kept

// --- the order ----------------------------------------------------------------------------------------------------

static bool order_points(pl_tracker *t) {
  const pl_contact_surface *surface = &t->model->head.surface;
  pl_track_samples *samples = &t->samples;
  int32_t count = surface->point_count, ordered = count < MAX_ORDERED ? count : MAX_ORDERED, current = 0;
  double *nearest = PL_SCRATCH(&t->scratch, double, count);
  if (nearest == NULL) return false;
  for (int32_t i = 0; i < count; ++i) nearest[i] = HUGE_VAL;
  for (int32_t k = 0; k < ordered; ++k) {
    samples->order[k] = current;
    nearest[current] = -1;
    pl_vec3 at = surface->rest_points[current];
    int32_t farthest = -1;
    for (int32_t i = 0; i < count; ++i) {
      if (nearest[i] < 0) continue;
      pl_vec3 d = pl_vec3_sub(surface->rest_points[i], at);
      double square = pl_vec3_dot(d, d);
      if (square < nearest[i]) nearest[i] = square;
      if (farthest < 0 || nearest[i] > nearest[farthest]) farthest = i;
    }
    current = farthest;
  }
  int32_t next = ordered;
  for (int32_t i = 0; i < count; ++i)
    if (nearest[i] >= 0) samples->order[next++] = i;
  return true;
}

// --- distances along the body ---------------------------------------------------------------------------------------

// A heap of (distance, point), smallest first.
typedef struct heap {
  double *keys;
  int32_t *items, count;
} heap;

static void heap_push(heap *h, double key, int32_t item) {
  int32_t i = h->count++;
  for (; i > 0 && h->keys[(i - 1) / 2] > key; i = (i - 1) / 2) {
    h->keys[i] = h->keys[(i - 1) / 2];
    h->items[i] = h->items[(i - 1) / 2];
  }
  h->keys[i] = key;
  h->items[i] = item;
}

static int32_t heap_pop(heap *h, double *key) {
  int32_t item = h->items[0];
  *key = h->keys[0];
  double last = h->keys[--h->count];
  int32_t last_item = h->items[h->count], i = 0;
  for (;;) {
    int32_t child = 2 * i + 1;
    if (child >= h->count) break;
    if (child + 1 < h->count && h->keys[child + 1] < h->keys[child]) ++child;
    if (!(h->keys[child] < last)) break;
    h->keys[i] = h->keys[child];
    h->items[i] = h->items[child];
    i = child;
  }
  h->keys[i] = last;
  h->items[i] = last_item;
  return item;
}

typedef struct graph {
  const double *points;
  pl_rows rings;
  heap heap;  // has room for every edge in both directions
} graph;

// Distances of all points from `start` along edges (Dijkstra), in place: what is already nearer to something is left,
// so that with `owner` the parts grow from all seeds at once.
static void spread(graph *g, int32_t start, double *distances, int32_t *owner, int32_t owner_number) {
  g->heap.count = 0;
  distances[start] = 0;
  if (owner != NULL) owner[start] = owner_number;
  heap_push(&g->heap, 0, start);
  while (g->heap.count > 0) {
    double reached;
    int32_t i = heap_pop(&g->heap, &reached);
    if (reached > distances[i]) continue;
    for (int32_t k = g->rings.start[i]; k < g->rings.start[i + 1]; ++k) {
      int32_t j = g->rings.items[k];
      double there = reached + pl_vec3_distance(pl_fem_vector(g->points, i), pl_fem_vector(g->points, j));
      if (!(there < distances[j])) continue;
      distances[j] = there;
      if (owner != NULL) owner[j] = owner_number;
      heap_push(&g->heap, there, j);
    }
  }
}

// Seeds, each the point farthest from those before (or of a piece that has none), until the parts are small.
static int32_t choose_seeds(graph *g, int32_t count, double radius, double *nearest, int32_t *owner, int32_t *seeds) {
  int32_t seed_count = 0, farthest = 0;
  for (int32_t i = 0; i < count; ++i) nearest[i] = HUGE_VAL;
  while (seed_count < PL_TRACK_MAX_SEEDS && nearest[farthest] > radius) {
    seeds[seed_count] = farthest;
    spread(g, farthest, nearest, owner, seed_count++);
    farthest = 0;
    for (int32_t i = 1; i < count; ++i)
      if (nearest[i] > nearest[farthest]) farthest = i;
  }
  return seed_count;
}

static bool take_graph(pl_arena *arena, const pl_fem_model *model, graph *g) {
  const pl_fem_group *tets = &model->groups[0];
  int32_t *edges, edge_count, count = model->head.particle_count;
  pl_elements elements = {tets->corners, tets->element_count, tets->corner_count};
  if (!pl_edges_find(arena, elements, count, &edges, &edge_count) ||
      !pl_rings_find(arena, edges, edge_count, count, &g->rings))
    return false;
  // Every push lowers a distance over one directed edge, and each such edge is gone along once a pop: twice as many
  // entries are never alive.
  size_t workspace = 2 * (size_t)edge_count + (size_t)count + 1;
  g->points = model->rest_points;
  g->heap = (heap){.keys = PL_TAKE(arena, double, workspace), .items = PL_TAKE(arena, int32_t, workspace)};
  return !arena->failed;
}

static bool measure_parts(pl_tracker *t, pl_arena *arena) {
  const pl_contact_surface *surface = &t->model->head.surface;
  pl_track_samples *samples = &t->samples;
  int32_t count = t->model->head.particle_count, seeds[PL_TRACK_MAX_SEEDS];
  graph g;
  double *nearest = PL_TAKE(arena, double, count);
  int32_t *owner = PL_TAKE(arena, int32_t, count);
  if (nearest == NULL || owner == NULL || !take_graph(arena, t->model, &g)) return false;
  samples->seed_count = choose_seeds(&g, count, PART_SIZE * t->size, nearest, owner, seeds);
  for (int32_t i = 0; i < count; ++i)
    if (nearest[i] < HUGE_VAL) samples->seed_radius = fmax(samples->seed_radius, nearest[i]);
  samples->distances = PL_TAKE(&t->arena, double, (size_t)samples->seed_count *(size_t)samples->seed_count);
  if (samples->distances == NULL) return false;
  for (int32_t i = 0; i < surface->point_count; ++i) {
    // The part of the point of the mesh that carries most of it.
    int32_t heaviest = 0;
    for (int32_t k = 1; k < 4; ++k)
      if (surface->weights[4 * i + k] > surface->weights[4 * i + heaviest]) heaviest = k;
    samples->seed_of_point[i] = owner[surface->parents[4 * i + heaviest]];
  }
  for (int32_t a = 0; a < samples->seed_count; ++a) {
    for (int32_t i = 0; i < count; ++i) nearest[i] = HUGE_VAL;
    spread(&g, seeds[a], nearest, NULL, 0);
    for (int32_t b = 0; b < samples->seed_count; ++b)
      samples->distances[(ptrdiff_t)a * samples->seed_count + b] = nearest[seeds[b]];
  }
  return true;
}

bool pl_track_samples_build(pl_tracker *t) {
  const pl_contact_surface *surface = &t->model->head.surface;
  pl_track_samples *samples = &t->samples;
  samples->count = surface->point_count;
  samples->areas = t->model->touch.areas;
  samples->order = PL_TAKE(&t->arena, int32_t, surface->point_count);
  samples->seed_of_point = PL_TAKE(&t->arena, int32_t, surface->point_count);
  if (t->arena.failed) return false;
  for (int32_t i = 0; i < samples->count; ++i) samples->area += samples->areas[i];
  pl_arena arena;
  pl_arena_init(&arena, t->context, 0);
  pl_scratch_mark mark = pl_scratch_push(&t->scratch);
  bool good = order_points(t) && measure_parts(t, &arena);
  pl_scratch_pop(&t->scratch, mark);
  pl_arena_destroy(&arena);
  return good;
}
