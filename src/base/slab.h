// Blocks that come and go one by one, each with all arrays of one thing, side by side in chunks.
//
// A thousand things of forty kilobytes from the system's allocator lie on ten thousand pages, more
// than the processor has in its table: what walks all of them looks up a page for nearly every
// array. Chunks of several megabytes are put on large pages (context.c).
#ifndef PL_BASE_SLAB_H
#define PL_BASE_SLAB_H

#include "pliant/base.h"

typedef struct pl_slab_chunk pl_slab_chunk;

typedef struct pl_slab {
  pl_context *context;
  pl_slab_chunk *chunks;  // newest first
  size_t next_size;       // of the next chunk
} pl_slab;

// Allocates nothing yet. There is nothing to destroy once all blocks were given back.
void pl_slab_init(pl_slab *slab, pl_context *context);

// A zeroed block of `size` bytes, aligned to 64; NULL when out of memory.
void *pl_slab_take(pl_slab *slab, size_t size);

// Give a block back, for others of the same size; the last one of a chunk releases it. NULL is
// allowed.
void pl_slab_give(pl_slab *slab, void *block);

#endif
