// Two edges, both moving: the first time at which they cross.
#ifndef PL_CONTACT_EDGE_TOUCH_H
#define PL_CONTACT_EDGE_TOUCH_H

#include "pliant/math.h"

// Two edges whose ends move in straight lines during a step.
typedef struct pl_edge_path {
  pl_vec3 start_a[2], end_a[2], start_b[2], end_b[2];
} pl_edge_path;

typedef struct pl_edge_crossing {
  double time;     // in [0, 1]
  double s, t;     // where along a and b, 0 … 1
  pl_vec3 normal;  // unit, across both edges at that time, from b towards where a came from
} pl_edge_crossing;

// Do the edges cross? Gives the first time. Edges that are parallel then, to 1e-3, are passed over:
// their ends meet something else.
bool pl_edge_touch_crossing(const pl_edge_path *path, pl_edge_crossing *crossing);

// Nearest points of the lines through two edges: a[0] + s (a[1] - a[0]) and b[0] + t (b[1] - b[0]).
// False for edges that are parallel, to 1e-3.
bool pl_edge_lines_nearest(const pl_vec3 a[2], const pl_vec3 b[2], double *s, double *t);

// Distance of two edges.
double pl_edge_distance(const pl_vec3 a[2], const pl_vec3 b[2]);

#endif
