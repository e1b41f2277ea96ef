// The walk through the tree of boxes; included by broad_phase.c and broad_phase_avx2.c with KERNEL_NAME set.
//
// Depth first, children in their order. All items of a lowest node are compared at once, and named one by one.

#include "math/simd_eight.h"

// Which children of a node the box of a question may meet.
PL_SIMD_INLINE uint32_t met_children(const pl_broad_node *node, const pl_f8 min[3], const pl_f8 max[3]) {
  pl_m8 met = ~(pl_m8){0};
  for (int k = 0; k < 3; ++k) {
    met &= (pl_m8)(pl_f8_load_unaligned((const float *)node->min[k]) <= max[k]);
    met &= (pl_m8)(pl_f8_load_unaligned((const float *)node->max[k]) >= min[k]);
  }
  return (uint32_t)pl_m8_bits(met);
}

static inline bool boxes_meet(const pl_box *a, const pl_box *b) {
  return (a->min.x <= b->max.x) & (b->min.x <= a->max.x) & (a->min.y <= b->max.y) & (b->min.y <= a->max.y) &
         (a->min.z <= b->max.z) & (b->min.z <= a->max.z);
}

// Those of the items from `first` on, a bit each, whose own boxes meet that of the question.
static inline uint32_t met_items(const pl_broad_walk *walk, int32_t first, uint32_t items) {
  uint32_t met = 0;
  for (; items != 0; items &= items - 1) {
    int i = __builtin_ctz(items);
    met |= (uint32_t)boxes_meet(&walk->broad->boxes[first + i], &walk->box) << i;
  }
  return met;
}

bool KERNEL_NAME(pl_broad_walk *walk) {
  const pl_broad_phase *broad = walk->broad;
  pl_f8 min[3], max[3];
  for (int k = 0; k < 3; ++k) min[k] = pl_f8_set1(walk->min[k]), max[k] = pl_f8_set1(walk->max[k]);
  int32_t level = walk->level;
  while (level <= broad->level_count) {
    uint32_t children = walk->children[level];
    if (children == 0) {
      level++;
      continue;
    }
    walk->children[level] = children & (children - 1);
    int32_t node = PL_BROAD_PHASE_CHILDREN * walk->nodes[level] + __builtin_ctz(children);
    uint32_t met = met_children(&broad->levels[level - 1][node], min, max);
    if (level > 1) {
      level--;
      walk->nodes[level] = node;
      walk->children[level] = met;
      continue;
    }
    walk->first_item = PL_BROAD_PHASE_CHILDREN * node;
    walk->items = met_items(walk, walk->first_item, met);
    if (walk->items == 0) continue;
    walk->level = level;
    return true;
  }
  walk->level = level;
  return false;
}
