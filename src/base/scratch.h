// Scratch stack: memory for the length of a function. Take pieces after a mark, release back to the
// mark; the stack keeps its memory, so the second pass through the same code allocates nothing.
#ifndef PL_BASE_SCRATCH_H
#define PL_BASE_SCRATCH_H

#include <stdbool.h>

#include "pliant/base.h"

typedef struct pl_scratch_chunk pl_scratch_chunk;

typedef struct pl_scratch {
  pl_context *context;
  pl_scratch_chunk *first, *current;
  size_t used;  // bytes used of `current`
} pl_scratch;

typedef struct pl_scratch_mark {
  pl_scratch_chunk *chunk;
  size_t used;
} pl_scratch_mark;

void pl_scratch_init(pl_scratch *scratch, pl_context *context);
void pl_scratch_destroy(pl_scratch *scratch);

pl_scratch_mark pl_scratch_push(const pl_scratch *scratch);

// Memory for `count` items, 64-byte aligned, contents undefined; NULL when out of memory.
void *pl_scratch_take(pl_scratch *scratch, size_t count, size_t item_size);

// Release all that was taken since the mark.
void pl_scratch_pop(pl_scratch *scratch, pl_scratch_mark mark);

// Take no less memory than another stack has, so that what ran on that one allocates nothing on
// this one. False when out of memory.
bool pl_scratch_match(pl_scratch *scratch, const pl_scratch *other);

#define PL_SCRATCH(scratch, type, count) \
  ((type *)pl_scratch_take((scratch), (size_t)(count), sizeof(type)))

#endif
