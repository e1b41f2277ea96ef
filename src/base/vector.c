#include "base/vector.h"

#include <string.h>

#include "base/context.h"

pl_vector pl_vector_of(pl_context *context, size_t item_size) {
  return (pl_vector){.context = context, .item_size = item_size};
}

void *pl_vector_grow(pl_vector *vector, size_t count) {
  size_t wanted = vector->count + count;
  if (wanted < count || wanted > SIZE_MAX / 4 / vector->item_size) {
    vector->failed = true;
    return NULL;
  }
  if (wanted > vector->capacity || vector->items == NULL) {
    size_t capacity = vector->capacity + vector->capacity / 2 + 16;
    if (capacity < wanted) capacity = wanted;
    void *items = pl_allocate(vector->context, capacity * vector->item_size);
    if (items == NULL) {
      vector->failed = true;
      return NULL;
    }
    if (vector->count > 0) memcpy(items, vector->items, vector->count * vector->item_size);
    pl_release(vector->context, vector->items);
    vector->items = items;
    vector->capacity = capacity;
  }
  char *first = (char *)vector->items + vector->count * vector->item_size;
  memset(first, 0, count * vector->item_size);
  vector->count = wanted;
  return first;
}

bool pl_vector_push(pl_vector *vector, const void *item) {
  void *slot = pl_vector_grow(vector, 1);
  if (slot == NULL) return false;
  memcpy(slot, item, vector->item_size);
  return true;
}

void pl_vector_free(pl_vector *vector) {
  pl_release(vector->context, vector->items);
  *vector = (pl_vector){.context = vector->context, .item_size = vector->item_size};
}
