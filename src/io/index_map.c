// Open addressing with linear steps, a power of two of slots, at most half of them used.
#include "io/index_map.h"

#include "base/context.h"
#include "base/hash.h"

pl_index_map pl_index_map_of(pl_context *context) {
  return (pl_index_map){.context = context};
}

void pl_index_map_free(pl_index_map *map) {
  pl_release(map->context, map->keys);
  pl_release(map->context, map->values);
  *map = pl_index_map_of(map->context);
}

// The slot of the key, or the free one where it would go.
static size_t find_slot(const pl_index_map *map, int64_t key) {
  size_t slot = (size_t)pl_hash_bytes(PL_HASH_START, &key, sizeof key) & (map->slot_count - 1);
  while (map->values[slot] >= 0 && map->keys[slot] != key) slot = (slot + 1) & (map->slot_count - 1);
  return slot;
}

static bool grow(pl_index_map *map) {
  pl_index_map larger = {.context = map->context, .slot_count = map->slot_count == 0 ? 64 : 2 * map->slot_count};
  larger.keys = pl_allocate(map->context, larger.slot_count * sizeof *larger.keys);
  larger.values = pl_allocate(map->context, larger.slot_count * sizeof *larger.values);
  if (larger.keys == NULL || larger.values == NULL) {
    pl_index_map_free(&larger);
    return false;
  }
  for (size_t i = 0; i < larger.slot_count; ++i) larger.values[i] = -1;
  for (size_t i = 0; i < map->slot_count; ++i) {
    if (map->values[i] < 0) continue;
    size_t slot = find_slot(&larger, map->keys[i]);
    larger.keys[slot] = map->keys[i];
    larger.values[slot] = map->values[i];
  }
  larger.used_count = map->used_count;
  pl_index_map_free(map);
  *map = larger;
  return true;
}

bool pl_index_map_put(pl_index_map *map, int64_t key, int32_t value, bool *is_new) {
  if (2 * (map->used_count + 1) > map->slot_count && !grow(map)) return false;
  size_t slot = find_slot(map, key);
  *is_new = map->values[slot] < 0;
  if (!*is_new) return true;
  map->keys[slot] = key;
  map->values[slot] = value;
  ++map->used_count;
  return true;
}

int32_t pl_index_map_get(const pl_index_map *map, int64_t key) {
  return map->slot_count == 0 ? -1 : map->values[find_slot(map, key)];
}
