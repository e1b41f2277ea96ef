// Which boxes meet: a hierarchy over boxes that move, built again in every step.
//
// Items are sorted along a curve that fills space (Morton 1966, 21 bits along each axis), and a
// tree of eight children each is put over that order. Building takes time in proportion to the
// number of items, a question its logarithm and what is found. One large item widens only the boxes
// on its way to the root, and one item far away leaves 21 bits for the others. The tree says what
// may meet; in which order it says so depends on where the items are, so callers must not.
//
// A node holds the boxes of its children side by side, in single precision and rounded outwards, so
// that eight are compared at a time; an item that they do not rule out is compared as it is.
#ifndef PL_CONTACT_BROAD_PHASE_H
#define PL_CONTACT_BROAD_PHASE_H

#include <stdbool.h>

#include "base/arena.h"
#include "math/f4.h"

enum { PL_BROAD_PHASE_CHILDREN = 8, PL_BROAD_PHASE_LEVELS = 11 };

typedef struct pl_broad_node {
  pl_f4 min[3][2], max[3][2];  // of the first four children and of the others
} pl_broad_node;

typedef struct pl_broad_phase {
  int32_t capacity;  // items that memory was taken for
  uint64_t *keys, *spare_keys;
  int32_t *order, *spare_order;                  // items along the curve
  pl_box *boxes;                                 // of these, in that order
  int32_t level_count;                           // 0: there are no items
  pl_broad_node *levels[PL_BROAD_PHASE_LEVELS];  // the last is the root; below the first are items
} pl_broad_phase;

// Take the memory for `capacity` items from the arena; false when out of memory.
bool pl_broad_phase_take(pl_arena *arena, int32_t capacity, pl_broad_phase *broad);

// Build over `count` <= capacity boxes. Empty ones meet nothing.
void pl_broad_phase_build(pl_broad_phase *broad, const pl_box *boxes, int32_t count);

// A question to the tree: begin, then next until it returns -1.
typedef struct pl_broad_walk {
  const pl_broad_phase *broad;
  pl_box box;
  float min[3], max[3];  // the same, rounded outwards
  int32_t level;         // of the node that is looked at; one above the root: the walk begins,
                         // higher: it has ended
  // Of that node and those above it, by level: its number, and which children are still to be
  // looked at, a bit each
  int32_t nodes[PL_BROAD_PHASE_LEVELS + 1];
  uint32_t children[PL_BROAD_PHASE_LEVELS + 1];
  // Items of the lowest node that was looked at last, which are still to be named, a bit each
  int32_t first_item;
  uint32_t items;
} pl_broad_walk;

pl_broad_walk pl_broad_phase_begin(const pl_broad_phase *broad, pl_box box);

// A question whose answer is nothing.
pl_broad_walk pl_broad_phase_skip(const pl_broad_phase *broad);

// Walk on until there are `items`; false at the end (broad_phase_kernel.h).
bool pl_broad_walk_on_plain(pl_broad_walk *walk);
bool pl_broad_walk_on_avx2(pl_broad_walk *walk);

// The same by the kernel for this machine.
bool pl_broad_walk_on(pl_broad_walk *walk);

// Next item whose box meets that of the question, -1 when there are no more.
static inline int32_t pl_broad_phase_next(pl_broad_walk *walk) {
  if (walk->items == 0 && !pl_broad_walk_on(walk)) return -1;
  int32_t item = walk->broad->order[walk->first_item + __builtin_ctz(walk->items)];
  walk->items &= walk->items - 1;
  return item;
}

#endif
