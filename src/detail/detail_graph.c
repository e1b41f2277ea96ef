// Ways along edges from a contact, and which points they lead to without a long way round.
//
//   detour = (g - e) / (e + slack)        g  length of the way        e  straight distance
//
// A point counts whole up to a detour of 0.5 and not at all from 1 on. Over one edge of a box the detour is at most
// 0.41, on lattices, where ways are zigzag, at most 0.39 beyond a few edges; but to the far side of a cut, or of a
// sheet away from its rim, it is long. Near the tip of a cut the fraction fades, so that a cut that grows changes
// things continuously. The paper says nothing of this; it leaves cuts to the influence maps of its predecessor.
//
// A surface that is carried by tets has no points of its own in their graph. A contact then starts at the tet points
// its triangle hangs on, which are up to a tet away in any direction: a way that leads there first and back again would
// be a detour where nothing is cut. So ways may also start straight at the neighbours of these points.
//
// Shortest ways by buckets of similar length (Meyer and Sanders 2003, Delta-stepping, on one thread): points wait in
// the bucket of their distance, and one that gets nearer moves to another. Buckets are narrower than most edges, so few
// are looked at twice, and no heap is kept: more than twice as fast as one. Distances are the least sums along any way,
// whatever the order. Memory comes from the caller.
#include "detail/detail_graph.h"

#include <string.h>

static const float DETOUR_WHOLE = 0.5f, DETOUR_NONE = 1.0f;

// Corner across the side opposite to each corner, as edges after the others.
static int32_t list_across(pl_elements triangles, const int32_t *neighbours, int32_t *edges) {
  int32_t count = 0;
  for (int32_t t = 0; t < triangles.count; ++t)
    for (int k = 0; k < 3; ++k) {
      int32_t other = neighbours[3 * (size_t)t + (size_t)k];
      if (other <= t) continue;
      const int32_t *own = triangles.corners + 3 * (size_t)t, *there = triangles.corners + 3 * (size_t)other;
      int32_t a = own[(k + 1) % 3], b = own[(k + 2) % 3], far = -1;
      for (int m = 0; m < 3; ++m)
        if (there[m] != a && there[m] != b) far = there[m];
      if (far < 0 || far == own[k]) continue;
      edges[2 * (size_t)count] = own[k];
      edges[2 * (size_t)count++ + 1] = far;
    }
  return count;
}

bool pl_graph_build(pl_arena *arena, pl_elements elements, const pl_vec3 *points, int32_t point_count,
                    pl_graph *graph) {
  *graph = (pl_graph){.point_count = point_count, .points = points};
  pl_arena temporary;
  pl_arena_init(&temporary, arena->context, 0);
  int32_t *edges = NULL, edge_count = 0, *neighbours = NULL, *all = NULL;
  pl_rows rings = {0};
  bool done = pl_edges_find(&temporary, elements, point_count, &edges, &edge_count);
  if (done && elements.width == 3) {
    done = pl_neighbours_find(&temporary, elements, point_count, &neighbours);
    all = done ? PL_TAKE(&temporary, int32_t, 2 * ((size_t)edge_count + 3 * (size_t)elements.count)) : NULL;
    done = all != NULL;
    if (done) {
      memcpy(all, edges, 2 * (size_t)edge_count * sizeof *all);
      edge_count += list_across(elements, neighbours, all + 2 * (size_t)edge_count);
      edges = all;
    }
  }
  done = done && pl_rings_find(&temporary, edges, edge_count, point_count, &rings);
  if (done) {
    size_t entry_count = (size_t)rings.start[point_count];
    graph->start = pl_arena_copy(arena, rings.start, (size_t)point_count + 1, sizeof *rings.start);
    graph->items = pl_arena_copy(arena, rings.items, entry_count, sizeof *rings.items);
    graph->lengths = PL_TAKE(arena, float, entry_count);
    done = !arena->failed;
    for (int32_t i = 0; done && i < point_count; ++i)
      for (int32_t k = graph->start[i]; k < graph->start[i + 1]; ++k)
        graph->lengths[k] = (float)pl_vec3_distance(points[i], points[graph->items[k]]);
  }
  pl_arena_destroy(&temporary);
  return done;
}

bool pl_reach_work_take(pl_arena *arena, int32_t point_count, pl_reach_work *work) {
  work->distances = PL_TAKE(arena, float, point_count);
  work->next = PL_TAKE(arena, int32_t, point_count);
  work->last = PL_TAKE(arena, int32_t, point_count);
  work->bucket_of_point = PL_TAKE(arena, int32_t, point_count);
  work->visited = PL_TAKE(arena, int32_t, point_count);
  work->heads = PL_TAKE(arena, int32_t, PL_REACH_BUCKETS);
  if (arena->failed) return false;
  for (int32_t i = 0; i < point_count; ++i) {
    work->distances[i] = HUGE_VALF;
    work->bucket_of_point[i] = -1;
  }
  for (int32_t b = 0; b < PL_REACH_BUCKETS; ++b) work->heads[b] = -1;
  return true;
}

static void leave_bucket(pl_reach_work *work, int32_t point) {
  int32_t next = work->next[point], last = work->last[point];
  if (last >= 0)
    work->next[last] = next;
  else
    work->heads[work->bucket_of_point[point]] = next;
  if (next >= 0) work->last[next] = last;
  work->bucket_of_point[point] = -1;
}

static void enter_bucket(pl_reach_work *work, int32_t point, int32_t bucket) {
  int32_t head = work->heads[bucket];
  work->next[point] = head;
  work->last[point] = -1;
  if (head >= 0) work->last[head] = point;
  work->heads[bucket] = point;
  work->bucket_of_point[point] = bucket;
}

// A way of length `distance` to a point; `scale` buckets a metre.
static void offer(pl_reach_work *work, int32_t point, float distance, float scale, int32_t *visited_count) {
  if (!(distance < work->distances[point])) return;
  if (work->distances[point] == HUGE_VALF) work->visited[(*visited_count)++] = point;
  int32_t bucket = (int32_t)(distance * scale);
  if (bucket >= PL_REACH_BUCKETS) bucket = PL_REACH_BUCKETS - 1;
  work->distances[point] = distance;
  if (work->bucket_of_point[point] == bucket) return;
  if (work->bucket_of_point[point] >= 0) leave_bucket(work, point);
  enter_bucket(work, point, bucket);
}

// The straight way from the center to a point, to begin with.
static void offer_straight(const pl_graph *graph, const pl_reach_query *query, int32_t point, float longest,
                           pl_reach_work *work, int32_t *visited_count) {
  float way = (float)pl_vec3_distance(query->center, graph->points[point]);
  if (way < longest) offer(work, point, way, PL_REACH_BUCKETS / longest, visited_count);
}

static float fraction_of(float way, float straight, float slack) {
  float detour = (way - straight) / (straight + slack);
  if (detour <= DETOUR_WHOLE) return 1.0f;
  if (!(detour < DETOUR_NONE)) return 0.0f;
  float t = (DETOUR_NONE - detour) / (DETOUR_NONE - DETOUR_WHOLE);
  return t * t * (3.0f - 2.0f * t);
}

void pl_graph_reach(const pl_graph *graph, const pl_reach_query *query, pl_reach_work *work, float *fractions) {
  int32_t visited_count = 0;
  // Ways may lead a little outside, and no longer way than this gives a fraction.
  double outside = 1.25 * query->limit;
  float longest = (float)(2 * query->limit + query->slack), slack = (float)query->slack,
        scale = PL_REACH_BUCKETS / longest;
  for (int32_t i = 0; i < query->source_count; ++i) {
    int32_t source = query->sources[i];
    offer_straight(graph, query, source, longest, work, &visited_count);
    for (int32_t k = graph->start[source]; query->starts_at_neighbours && k < graph->start[source + 1]; ++k)
      offer_straight(graph, query, graph->items[k], longest, work, &visited_count);
  }
  for (int32_t bucket = 0; bucket < PL_REACH_BUCKETS; ++bucket)
    while (work->heads[bucket] >= 0) {
      int32_t point = work->heads[bucket];
      leave_bucket(work, point);
      pl_vec3 off = pl_vec3_sub(query->center, graph->points[point]);
      if (pl_vec3_dot(off, off) > outside * outside) continue;
      for (int32_t k = graph->start[point]; k < graph->start[point + 1]; ++k) {
        float way = work->distances[point] + graph->lengths[k];
        if (way < longest) offer(work, graph->items[k], way, scale, &visited_count);
      }
    }
  memset(fractions, 0, (size_t)graph->point_count * sizeof *fractions);
  for (int32_t i = 0; i < visited_count; ++i) {
    int32_t point = work->visited[i];
    double straight = pl_vec3_distance(query->center, graph->points[point]);
    if (straight <= query->limit) fractions[point] = fraction_of(work->distances[point], (float)straight, slack);
    work->distances[point] = HUGE_VALF;
  }
}
