// Numbering the points of a body such that neighbours are near each other.
#ifndef PL_ACTOR_ORDER_H
#define PL_ACTOR_ORDER_H

#include "sparse/block_pattern.h"

// order[k] is the row that comes k-th. False when out of memory.
bool pl_actor_order_find(pl_context *context, const pl_block_pattern *pattern, int32_t *order);

#endif
