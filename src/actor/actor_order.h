// Numbering the points of a body for a factor.
#ifndef PL_ACTOR_ORDER_H
#define PL_ACTOR_ORDER_H

#include "sparse/block_pattern.h"

// Neighbours near each other: order[k] is the row that comes k-th. False when out of memory.
bool pl_actor_order_find(pl_context *context, const pl_block_pattern *pattern, int32_t *order);

// Few entries in the factor, where bodies branch or are as wide as long: always the row next that
// is coupled with the fewest that are left (Tinney and Walker 1967). Of the branches that end in a
// row, the one that was eliminated last lies next to it, or the first. Takes n² bits of memory.
bool pl_actor_order_by_degree(pl_context *context, const pl_block_pattern *pattern, bool first_near,
                              int32_t *order);

#endif
