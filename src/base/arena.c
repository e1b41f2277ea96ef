#include "base/arena.h"

#include <stdalign.h>
#include <string.h>

#include "base/context.h"

struct pl_arena_chunk {
  alignas(64) pl_arena_chunk *next;
  size_t size, used;  // of the memory after this head
};

static const size_t MIN_CHUNK = 4096;
static const size_t MAX_DOUBLING = (size_t)1 << 24;

void pl_arena_init(pl_arena *arena, pl_context *context, size_t first_size) {
  *arena = (pl_arena){.context = context, .next_size = first_size > 0 ? first_size : MIN_CHUNK};
}

static size_t round_up(size_t size, size_t alignment) {
  return (size + alignment - 1) & ~(alignment - 1);
}

// The first chunk that a reset kept and that is large enough; NULL if there is none.
static pl_arena_chunk *use_spare(pl_arena *arena, size_t size) {
  pl_arena_chunk **it = &arena->spares;
  while (*it != NULL && (*it)->size < size) it = &(*it)->next;
  pl_arena_chunk *chunk = *it;
  if (chunk != NULL) *it = chunk->next;
  return chunk;
}

static pl_arena_chunk *add_chunk(pl_arena *arena, size_t size) {
  pl_arena_chunk *chunk = use_spare(arena, size);
  if (chunk == NULL) {
    size_t chunk_size = round_up(size > arena->next_size ? size : arena->next_size, 64);
    chunk = pl_allocate(arena->context, sizeof(pl_arena_chunk) + chunk_size);
    if (chunk == NULL) return NULL;
    chunk->size = chunk_size;
    // One large piece must not make the chunk after it, which may hold a few bytes, twice as large.
    arena->next_size = chunk_size < MAX_DOUBLING / 2 ? 2 * chunk_size : MAX_DOUBLING;
  }
  chunk->next = arena->chunks;
  chunk->used = 0;
  arena->chunks = chunk;
  return chunk;
}

static void *take(pl_arena *arena, size_t count, size_t item_size) {
  if (item_size != 0 && count > SIZE_MAX / 4 / item_size) {
    arena->failed = true;
    return NULL;
  }
  size_t size = count * item_size;
  size_t alignment = size >= 64 ? 64 : 16;
  pl_arena_chunk *chunk = arena->chunks;
  if (chunk == NULL || round_up(chunk->used, alignment) + size > chunk->size) {
    chunk = add_chunk(arena, size);
    if (chunk == NULL) {
      arena->failed = true;
      return NULL;
    }
  }
  size_t start = round_up(chunk->used, alignment);
  chunk->used = start + size;
  arena->byte_count += size;
  return (char *)(chunk + 1) + start;
}

void *pl_arena_take(pl_arena *arena, size_t count, size_t item_size) {
  void *memory = take(arena, count, item_size);
  if (memory != NULL) memset(memory, 0, count * item_size);
  return memory;
}

void *pl_arena_take_raw(pl_arena *arena, size_t count, size_t item_size) {
  void *memory = take(arena, count, item_size);
#if !defined(NDEBUG)
  if (memory != NULL) memset(memory, 0xFF, count * item_size);
#endif
  return memory;
}

void *pl_arena_copy(pl_arena *arena, const void *items, size_t count, size_t item_size) {
  void *memory = pl_arena_take(arena, count, item_size);
  if (memory != NULL && count * item_size > 0) memcpy(memory, items, count * item_size);
  return memory;
}

char *pl_arena_copy_text(pl_arena *arena, const char *text) {
  return pl_arena_copy(arena, text, strlen(text) + 1, 1);
}

void pl_arena_reset(pl_arena *arena) {
  while (arena->chunks != NULL) {
    pl_arena_chunk *chunk = arena->chunks;
    arena->chunks = chunk->next;
    chunk->next = arena->spares;
    arena->spares = chunk;
  }
  arena->byte_count = 0;
  arena->failed = false;
}

static void release_chunks(pl_context *context, pl_arena_chunk *chunk) {
  while (chunk != NULL) {
    pl_arena_chunk *next = chunk->next;
    pl_release(context, chunk);
    chunk = next;
  }
}

void pl_arena_destroy(pl_arena *arena) {
  pl_context *context = arena->context;
  pl_arena_chunk *chunks = arena->chunks, *spares = arena->spares;
  arena->chunks = arena->spares = NULL;
  release_chunks(context, chunks);
  release_chunks(context, spares);
}
