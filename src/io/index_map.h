// From the numbers a file gives its things (any, in any order) to indices: a hash table.
#ifndef PL_IO_INDEX_MAP_H
#define PL_IO_INDEX_MAP_H

#include "pliant/base.h"

typedef struct pl_index_map {
  pl_context *context;
  int64_t *keys;
  int32_t *values;  // -1 in a free slot
  size_t slot_count, used_count;
} pl_index_map;

pl_index_map pl_index_map_of(pl_context *context);
void pl_index_map_free(pl_index_map *map);

// Put a key with a value of 0 or more. `*is_new` tells whether the key was new; if not, the old
// value stays. False when out of memory.
bool pl_index_map_put(pl_index_map *map, int64_t key, int32_t value, bool *is_new);

// The value of a key, or -1.
int32_t pl_index_map_get(const pl_index_map *map, int64_t key);

#endif
