// Which boxes meet: a hierarchy over boxes that move, built again in every step.
//
// Items are sorted along a curve that fills space (Morton 1966, 21 bits along each axis), and a
// balanced binary tree is put over that order. Building takes time in proportion to the number of
// items, a question its logarithm and what is found. One large item widens only the boxes on its
// way to the root, and one item far away leaves 21 bits for the others. The tree says what may
// meet; in which order it says so depends on where the items are, so callers must not.
#ifndef PL_CONTACT_BROAD_PHASE_H
#define PL_CONTACT_BROAD_PHASE_H

#include "base/arena.h"
#include "pliant/math.h"

typedef struct pl_broad_phase {
  int32_t capacity;    // items that memory was taken for
  int32_t leaf_count;  // power of two, at least the number of items
  uint64_t *keys, *spare_keys;
  int32_t *order, *spare_order;  // items along the curve
  pl_box *boxes;                 // 1: root; 2 i and 2 i + 1: below i; from leaf_count on: items
} pl_broad_phase;

// Take the memory for `capacity` items from the arena; false when out of memory.
bool pl_broad_phase_take(pl_arena *arena, int32_t capacity, pl_broad_phase *broad);

// Build over `count` <= capacity boxes. Empty ones meet nothing.
void pl_broad_phase_build(pl_broad_phase *broad, const pl_box *boxes, int32_t count);

// A question to the tree: begin, then next until it returns -1.
enum { PL_BROAD_PHASE_DEPTH = 34 };
typedef struct pl_broad_walk {
  const pl_broad_phase *broad;
  pl_box box;
  int32_t depth, stack[PL_BROAD_PHASE_DEPTH];
} pl_broad_walk;

pl_broad_walk pl_broad_phase_begin(const pl_broad_phase *broad, pl_box box);

// Next item whose box meets that of the question, -1 when there are no more.
int32_t pl_broad_phase_next(pl_broad_walk *walk);

#endif
