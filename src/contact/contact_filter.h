// Which things touch: layers and masks, and rules for single pairs.
#ifndef PL_CONTACT_FILTER_H
#define PL_CONTACT_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"

// 32 layers, one bit each: those a thing is not in, and those it does not touch. A filter that is
// zero lets everything touch.
typedef struct pl_contact_filter {
  uint32_t absent, spared;
} pl_contact_filter;

// From the layers that a thing is in, and those it touches.
static inline pl_contact_filter pl_contact_filter_of(uint32_t layers, uint32_t mask) {
  return (pl_contact_filter){~layers, ~mask};
}

// Each must be in a layer of the other's mask.
static inline bool pl_contact_filter_meets(pl_contact_filter a, pl_contact_filter b) {
  return (~a.absent & ~b.spared) != 0 && (~b.absent & ~a.spared) != 0;
}

// One of two things: the number of a body, or ~number of a collider.
typedef int32_t pl_contact_thing;

// What two things do when they meet, instead of what their own numbers say.
typedef struct pl_contact_pair {
  pl_contact_thing a, b;  // a < b
  bool collides;
  double friction, restitution;  // negative: combined from those of the two
} pl_contact_pair;

// A sorted list of them.
typedef struct pl_contact_pairs {
  const pl_contact_pair *items;
  int32_t count;
} pl_contact_pairs;

// The rule for two things in any order, or NULL.
static inline const pl_contact_pair *pl_contact_pairs_find(const pl_contact_pairs *pairs,
                                                           pl_contact_thing a, pl_contact_thing b) {
  if (pairs->count == 0) return NULL;
  if (a > b) {
    pl_contact_thing swap = a;
    a = b;
    b = swap;
  }
  int32_t low = 0, high = pairs->count;
  while (low < high) {
    int32_t middle = low + (high - low) / 2;
    const pl_contact_pair *it = &pairs->items[middle];
    if (it->a == a && it->b == b) return it;
    if (it->a < a || (it->a == a && it->b < b))
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

// May two things touch, by their filters and by the rule for them if there is one?
static inline bool pl_contact_may_meet(const pl_contact_pairs *pairs, pl_contact_thing a,
                                       pl_contact_filter filter_a, pl_contact_thing b,
                                       pl_contact_filter filter_b) {
  if (!pl_contact_filter_meets(filter_a, filter_b)) return false;
  const pl_contact_pair *pair = pl_contact_pairs_find(pairs, a, b);
  return pair == NULL || pair->collides;
}

#endif
