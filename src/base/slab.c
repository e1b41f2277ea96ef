#include "base/slab.h"

#include <stdalign.h>
#include <string.h>

#include "base/context.h"

// Precedes every block.
typedef struct slab_block {
  alignas(64) pl_slab_chunk *chunk;
  size_t size;
  struct slab_block *next;  // of those that were given back
} slab_block;

struct pl_slab_chunk {
  alignas(64) pl_slab_chunk *next;
  size_t size, used;  // of the memory after this head
  int64_t block_count;
  slab_block *free_blocks;
};

// Chunks grow, so that a few blocks do not take much memory; with its heads the largest fills two large pages.
static const size_t FIRST_CHUNK = (size_t)1 << 16, LAST_CHUNK = ((size_t)4 << 20) - 2 * sizeof(pl_slab_chunk);

void pl_slab_init(pl_slab *slab, pl_context *context) {
  *slab = (pl_slab){.context = context, .next_size = FIRST_CHUNK};
}

// A block and its head take an odd number of lines of the cache: with a power of two, the same places of all blocks
// would share a few of the lines that the cache has for them.
static size_t length_of(size_t size) {
  size_t lines = (size + 63) / 64;
  return (lines + lines % 2) * 64 + sizeof(slab_block);
}

static slab_block *take_again(pl_slab_chunk *chunk, size_t size) {
  for (slab_block **it = &chunk->free_blocks; *it != NULL; it = &(*it)->next) {
    slab_block *block = *it;
    if (length_of(block->size) != length_of(size)) continue;
    *it = block->next;
    return block;
  }
  return NULL;
}

static pl_slab_chunk *add_chunk(pl_slab *slab, size_t length) {
  size_t size = length > slab->next_size ? length : slab->next_size;
  pl_slab_chunk *chunk = pl_allocate(slab->context, sizeof(pl_slab_chunk) + size);
  if (chunk == NULL) return NULL;
  *chunk = (pl_slab_chunk){.next = slab->chunks, .size = size};
  slab->chunks = chunk;
  slab->next_size = 4 * slab->next_size < LAST_CHUNK ? 4 * slab->next_size : LAST_CHUNK;
  return chunk;
}

void *pl_slab_take(pl_slab *slab, size_t size) {
  size_t length = length_of(size);
  if (size > SIZE_MAX / 4) return NULL;
  slab_block *block = NULL;
  pl_slab_chunk *chunk = slab->chunks;
  for (; chunk != NULL; chunk = chunk->next)
    if ((block = take_again(chunk, size)) != NULL || chunk->size - chunk->used >= length) break;
  if (chunk == NULL) chunk = add_chunk(slab, length);
  if (chunk == NULL) return NULL;
  if (block == NULL) {
    block = (slab_block *)(void *)((char *)(chunk + 1) + chunk->used);
    chunk->used += length;
  }
  *block = (slab_block){.chunk = chunk, .size = size};
  chunk->block_count++;
  return memset(block + 1, 0, size);
}

static void release_chunk(pl_slab *slab, pl_slab_chunk *chunk) {
  pl_slab_chunk **it = &slab->chunks;
  while (*it != chunk) it = &(*it)->next;
  *it = chunk->next;
  pl_release(slab->context, chunk);
}

void pl_slab_give(pl_slab *slab, void *block) {
  if (block == NULL) return;
  slab_block *head = (slab_block *)block - 1;
  pl_slab_chunk *chunk = head->chunk;
  head->next = chunk->free_blocks;
  chunk->free_blocks = head;
  if (--chunk->block_count == 0) release_chunk(slab, chunk);
}
