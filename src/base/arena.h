// An arena: many pieces of memory that live and die together. An object and all its arrays come
// from one arena, so destroying it is one call and an early return cannot leak.
#ifndef PL_BASE_ARENA_H
#define PL_BASE_ARENA_H

#include "pliant/base.h"

typedef struct pl_arena_chunk pl_arena_chunk;

typedef struct pl_arena {
  pl_context *context;
  pl_arena_chunk *chunks;  // newest first
  pl_arena_chunk *spares;  // kept by a reset, in the order in which they were used
  size_t next_size;        // of the next chunk
  size_t byte_count;       // handed out so far
  bool failed;             // some take returned NULL
} pl_arena;

// Start an arena; `first_size` is a guess of the bytes it will hand out (0: small). Allocates
// nothing yet.
void pl_arena_init(pl_arena *arena, pl_context *context, size_t first_size);

// Zeroed memory for `count` items, aligned to 64 bytes if it is 64 or larger and to 16 otherwise;
// NULL when out of memory. Never NULL for count 0.
void *pl_arena_take(pl_arena *arena, size_t count, size_t item_size);

// The same, but not zeroed, so that what is never used costs no time and stays out of memory: for
// large arrays of which every item is written before it is read. Builds with asserts fill it with
// ones, which are no numbers.
void *pl_arena_take_raw(pl_arena *arena, size_t count, size_t item_size);

// A copy of `count` items; NULL when out of memory.
void *pl_arena_copy(pl_arena *arena, const void *items, size_t count, size_t item_size);

// A copy of a string.
char *pl_arena_copy_text(pl_arena *arena, const char *text);

// Take back what was handed out, and keep the memory: taking the same again, in the same order,
// allocates nothing.
void pl_arena_reset(pl_arena *arena);

// Release everything. The pl_arena struct may live inside its own memory.
void pl_arena_destroy(pl_arena *arena);

#define PL_TAKE(arena, type, count) ((type *)pl_arena_take((arena), (size_t)(count), sizeof(type)))
#define PL_TAKE_RAW(arena, type, count) \
  ((type *)pl_arena_take_raw((arena), (size_t)(count), sizeof(type)))

#endif
