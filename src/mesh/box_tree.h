// A hierarchy of boxes over items of any kind. Nodes are one flat array in depth-first order: the
// first child of node n is n + 1, the second is nodes[n].second; a leaf has count > 0 items,
// order[first .. first + count). Every node covers a contiguous range of `order`.
#ifndef PL_MESH_BOX_TREE_H
#define PL_MESH_BOX_TREE_H

#include "base/arena.h"
#include "pliant/math.h"

// nodes on a path from the root, at most: what a traversal's stack must hold
enum { PL_BOX_TREE_DEPTH = 64 };

typedef struct pl_box_node {
  pl_box box;
  int32_t first, count;  // leaf: its items; inner node: count 0
  int32_t second;        // inner node: second child
  int32_t end;           // items below this node are order[first .. end)
} pl_box_node;

typedef struct pl_box_tree {
  pl_box_node *nodes;
  int32_t node_count;  // 0 for no items
  int32_t *order;      // items in the order of the leaves
} pl_box_tree;

// Build over `count` boxes (not empty). Takes nodes and order from `arena`; false when out of
// memory. The same boxes give the same tree.
bool pl_box_tree_build(pl_arena *arena, const pl_box *boxes, int32_t count, pl_box_tree *tree);

// Squared distance of a point to a box, 0 inside.
static inline double pl_box_distance_squared(const pl_box *box, pl_vec3 p) {
  double x = box->min.x - p.x, y = box->min.y - p.y, z = box->min.z - p.z;
  double u = p.x - box->max.x, v = p.y - box->max.y, w = p.z - box->max.z;
  x = x > u ? x : u;
  y = y > v ? y : v;
  z = z > w ? z : w;
  x = x > 0 ? x : 0;
  y = y > 0 ? y : 0;
  z = z > 0 ? z : 0;
  return x * x + y * y + z * z;
}

#endif
