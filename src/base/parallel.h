// Parallel loops whose result does not depend on the number of threads: the partition is fixed by
// the problem (`grain` items a block), and what blocks hand back is combined by the caller in block
// order.
#ifndef PL_BASE_PARALLEL_H
#define PL_BASE_PARALLEL_H

#include "pliant/base.h"

// Work on items [begin, end), which are block number `block`.
typedef void pl_range_function(void *data, int32_t begin, int32_t end, int32_t block);

// Number of blocks pl_parallel_for() makes of `item_count` items.
int32_t pl_block_count(int32_t item_count, int32_t grain);

// Run `work` over all items. Loops must not be nested but in pl_parallel_for_whole(); one context
// may run loops from several threads, which then take turns.
void pl_parallel_for(pl_context *context, int32_t item_count, int32_t grain,
                     pl_range_function *work, void *data);

// Run `work` for every item as a block of its own. It may contain loops; until all items are done,
// every loop of the context runs on the thread that begins it. For few items with much work each.
void pl_parallel_for_whole(pl_context *context, int32_t item_count, pl_range_function *work,
                           void *data);

// Between these two calls loops follow each other closely, as in a step: the workers of the context
// stay awake a little longer for the next one. They may overlap and be nested.
void pl_parallel_begin_burst(pl_context *context);
void pl_parallel_end_burst(pl_context *context);

#endif
