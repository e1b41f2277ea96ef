// The nodes of a modelled shape made ready for many evaluations: checked once, with placements and
// boxes worked out.
#ifndef PL_MESH_SHAPE_NODE_H
#define PL_MESH_SHAPE_NODE_H

#include "base/arena.h"
#include "pliant/math.h"
#include "pliant/modeller.h"

// What follows from a node and everything below it.
typedef struct pl_shape_cache {
  pl_mat3 rotation;   // local -> parent
  pl_box box;         // holds the shape, local coordinates (before scale and placement)
  pl_box placed_box;  // holds the shape, parent coordinates
} pl_shape_cache;

// A shape as the evaluator sees it. Without caches everything still works, only slower: boxes are
// then found on each visit.
typedef struct pl_shape {
  const pl_shape_node *nodes;
  int32_t node_count;
  const pl_shape_cache *caches;  // one per node, or NULL
} pl_shape;

// Check every node and fill the caches (from `arena`); the error names node and field.
pl_status pl_shape_prepare(pl_shape *shape, pl_arena *arena, const pl_shape_node *nodes,
                           int32_t node_count, pl_error *error);

// Box of a node in its local coordinates, and in those of its parent.
pl_box pl_shape_node_box(const pl_shape *shape, int32_t index);
pl_box pl_shape_node_placed_box(const pl_shape *shape, int32_t index);

#endif
