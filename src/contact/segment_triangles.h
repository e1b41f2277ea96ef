// A tapered segment against the triangles of a tree: where along it the gap to one of them is
// least.
#ifndef PL_CONTACT_SEGMENT_TRIANGLES_H
#define PL_CONTACT_SEGMENT_TRIANGLES_H

#include "mesh/triangle_tree.h"

// A tapered segment in the frame of the tree: balls around start + t along with radius
// (1 - t) radius + t end_radius, t in [0, 1].
typedef struct pl_tapered_segment {
  pl_vec3 start, along;
  double radius, end_radius;  // metres, >= 0
} pl_tapered_segment;

typedef struct pl_triangle_gap {
  double t, gap;  // where along the segment; unsigned distance there less the radius there
  pl_hit hit;     // nearest point of the triangles to that place
} pl_triangle_gap;

// The least gap that is at most `limit`, to 1e-7 of the segment's length; false if there is none.
// Of places with the same gap the one nearest to the middle. Distances are unsigned: what the
// surface encloses is not known here.
bool pl_triangle_tree_segment_gap(const pl_triangle_tree *tree, const pl_tapered_segment *segment,
                                  double limit, pl_triangle_gap *gap);

#endif
