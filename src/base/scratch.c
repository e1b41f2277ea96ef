#include "base/scratch.h"

#include <stdalign.h>

#include "base/context.h"

struct pl_scratch_chunk {
  alignas(64) pl_scratch_chunk *next;
  size_t size;
};

static const size_t MIN_CHUNK = (size_t)1 << 16;

void pl_scratch_init(pl_scratch *scratch, pl_context *context) {
  *scratch = (pl_scratch){.context = context};
}

void pl_scratch_destroy(pl_scratch *scratch) {
  for (pl_scratch_chunk *chunk = scratch->first; chunk != NULL;) {
    pl_scratch_chunk *next = chunk->next;
    pl_release(scratch->context, chunk);
    chunk = next;
  }
  scratch->first = scratch->current = NULL;
}

pl_scratch_mark pl_scratch_push(const pl_scratch *scratch) {
  return (pl_scratch_mark){scratch->current, scratch->used};
}

// One more chunk at the end of the chain, after `last` (NULL: there is none yet).
static pl_scratch_chunk *add_chunk(pl_scratch *scratch, pl_scratch_chunk *last, size_t size) {
  pl_scratch_chunk *chunk = pl_allocate(scratch->context, sizeof(pl_scratch_chunk) + size);
  if (chunk == NULL) return NULL;
  *chunk = (pl_scratch_chunk){.size = size};
  if (last == NULL)
    scratch->first = chunk;
  else
    last->next = chunk;
  return chunk;
}

void *pl_scratch_take(pl_scratch *scratch, size_t count, size_t item_size) {
  if (item_size != 0 && count > SIZE_MAX / 4 / item_size) return NULL;
  size_t size = (count * item_size + 63) & ~(size_t)63;
  // Move on to the next kept chunk that is large enough; smaller ones are passed over until the next pop.
  while (scratch->current == NULL || scratch->used + size > scratch->current->size) {
    pl_scratch_chunk *next = scratch->current == NULL ? scratch->first : scratch->current->next;
    if (next == NULL) {
      size_t chunk_size = scratch->current == NULL ? MIN_CHUNK : 2 * scratch->current->size;
      if (chunk_size < size) chunk_size = size;
      next = add_chunk(scratch, scratch->current, chunk_size);
      if (next == NULL) return NULL;
    }
    scratch->current = next;
    scratch->used = 0;
  }
  void *memory = (char *)(scratch->current + 1) + scratch->used;
  scratch->used += size;
  return memory;
}

void pl_scratch_pop(pl_scratch *scratch, pl_scratch_mark mark) {
  scratch->current = mark.chunk;
  scratch->used = mark.used;
}

bool pl_scratch_match(pl_scratch *scratch, const pl_scratch *other) {
  pl_scratch_chunk *own = scratch->first, *last = NULL;
  for (const pl_scratch_chunk *chunk = other->first; chunk != NULL; chunk = chunk->next) {
    // A chunk that is too small is passed over when something is taken.
    while (own != NULL && own->size < chunk->size) last = own, own = own->next;
    if (own == NULL) own = add_chunk(scratch, last, chunk->size);
    if (own == NULL) return false;
    last = own;
    own = own->next;
  }
  return true;
}
