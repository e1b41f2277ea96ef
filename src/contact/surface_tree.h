// A hierarchy of boxes over the triangles of a surface, with the neighbourhoods that nearest-point
// and side questions need. All of it depends on the triangles alone and is built once per surface;
// the shape of the moment is in surface_motion.h. Answers do not depend on the shape the hierarchy
// was built for.
#ifndef PL_CONTACT_SURFACE_TREE_H
#define PL_CONTACT_SURFACE_TREE_H

#include "contact/contact.h"
#include "mesh/box_tree.h"
#include "pliant/math.h"

// Where a surface point is, given the particles: a weighted mean of some.
pl_vec3 pl_contact_surface_mean(const pl_contact_surface *surface, int32_t point,
                                const pl_vec3 *particles);

// The same; a particle itself is the common case, and stays free of rounding.
static inline pl_vec3 pl_contact_surface_point(const pl_contact_surface *surface, int32_t point,
                                               const pl_vec3 *particles) {
  const float *weights = &surface->weights[4 * (size_t)point];
  if (weights[0] == 1.0f && weights[1] == 0.0f && weights[2] == 0.0f && weights[3] == 0.0f)
    return particles[surface->parents[4 * (size_t)point]];
  return pl_contact_surface_mean(surface, point, particles);
}

// Points are worked on in blocks of at most this many. Few enough to be close together, enough for
// what is found once per block to pay.
enum { PL_SURFACE_BLOCK = 8 };

// An edge between two surface points and the triangles on either side. Each edge belongs to one
// triangle, the lower.
typedef struct pl_surface_edge {
  int32_t points[2];
  int32_t triangles[2];  // the second -1 at a border; where more than two meet, the lowest
  int32_t opposite[2];   // the corner of either triangle that is not on the edge, -1 alike
  int32_t leaf;          // index of the first triangle in the order of the tree's leaves
} pl_surface_edge;

typedef struct pl_surface_tree {
  const pl_contact_surface *surface;
  pl_box_tree boxes;  // over the triangles; its own boxes are those of the shape it was built for
  const int32_t *ring_start;  // point_count + 1: offsets into `ring`
  const int32_t *ring;        // triangles around each point, rising
  int32_t edge_count;
  const pl_surface_edge *edges;   // in the order of the triangles they belong to
  const int32_t *triangle_edges;  // 3 per triangle: from corner k to the next
  const int32_t *edge_order;      // all edges, in the order of the leaves of their triangles
  const int32_t *leaf_edges;  // triangle_count + 1: how many of these belong to leaves before each
  // Edges between two points that are particles themselves, as pairs of particles; those of a
  // closed surface once each. In blocks of eight that share no particle, [block][2][8]; lanes that
  // are not used name one particle more than there are.
  int32_t link_block_count;
  const int32_t *link_blocks;
  int32_t max_links;           // at one particle
  int32_t block_count;         // blocks of points that are close together at rest
  const int32_t *block_start;  // block_count + 1: offsets into `point_order`
  const int32_t *point_order;  // all points, block by block
  bool is_closed;      // every edge has one triangle on either side: inside and outside are defined
  double edge_length;  // mean at rest, metres; 0 without triangles
} pl_surface_tree;

// Build the tree over the surface points `points` (those of the rest shape if there are any) with
// memory from `arena`.
pl_status pl_surface_tree_build(pl_arena *arena, const pl_contact_surface *surface,
                                const pl_vec3 *points, pl_surface_tree *tree, pl_error *error);

// Corners of a triangle at the start or at the end of the step.
static inline void pl_surface_corners(const pl_surface_tree *tree, const pl_vec3 *points,
                                      int32_t triangle, pl_vec3 corners[3]) {
  for (int k = 0; k < 3; ++k) corners[k] = points[tree->surface->triangles[3 * triangle + k]];
}

#endif
