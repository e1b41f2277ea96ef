// Connectivity around a contact: paths along the edges of a surface or of tets, and the fraction of
// each point that remains when only points that can be reached without a long way round count.
#ifndef PL_DETAIL_GRAPH_H
#define PL_DETAIL_GRAPH_H

#include "mesh/topology.h"
#include "pliant/math.h"

typedef struct pl_graph {
  int32_t point_count;
  const pl_vec3 *points;  // at rest; borrowed
  int32_t *start;         // ways from point i are [start[i], start[i + 1])
  int32_t *items;         // where to
  float *lengths;         // metres
} pl_graph;

// Ways along all edges of tets; of triangles, also across each edge from corner to corner, so that
// distances on a lattice are nearly those on the surface. `points` must outlive the graph. False
// when out of memory.
bool pl_graph_build(pl_arena *arena, pl_elements elements, const pl_vec3 *points,
                    int32_t point_count, pl_graph *graph);

enum { PL_REACH_BUCKETS = 256 };

// Working memory of pl_graph_reach(), for graphs of up to point_count points. Between calls as it
// was made.
typedef struct pl_reach_work {
  float *distances;          // HUGE_VALF where not reached
  int32_t *next, *last;      // neighbours of waiting points in their bucket, -1 at its ends
  int32_t *bucket_of_point;  // -1: not waiting
  int32_t *visited;
  int32_t *heads;  // first of each bucket, -1 for an empty one
} pl_reach_work;

bool pl_reach_work_take(pl_arena *arena, int32_t point_count, pl_reach_work *work);

enum { PL_REACH_SOURCES = 3 };

typedef struct pl_reach_query {
  pl_vec3 center;
  int32_t source_count;
  int32_t sources[PL_REACH_SOURCES];  // points that the center is next to
  bool starts_at_neighbours;          // the center is amid the elements of these points, so their
                                      // neighbours are next to it too
  double limit;  // points farther from the center than this do not count, metres
  double slack;  // ways round that are shorter than this are none, metres
} pl_reach_query;

// How much of each point counts: 1 where the way along the graph is about straight, 0 where it is
// cut off or the way is about twice as long, smooth in between. `fractions` holds point_count.
void pl_graph_reach(const pl_graph *graph, const pl_reach_query *query, pl_reach_work *work,
                    float *fractions);

#endif
