// Independent pieces of work on several threads.
#ifndef TOOL_ITEMS_H
#define TOOL_ITEMS_H

#include "pliant/pliant.h"

typedef void (*tool_item_function)(void *user, pl_context *context, int32_t item);

// Calls `run` once for each item from 0 to count - 1, on up to `thread_count` threads (0: one per
// processor), each with a context that computes on one thread: results do not depend on the number.
void tool_run_items(int32_t count, int32_t thread_count, tool_item_function run, void *user);

#endif
