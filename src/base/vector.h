// A growing array, for readers and builders that do not know their counts beforehand.
//
//   pl_vector points = pl_vector_of(context, sizeof(pl_vec3));
//   pl_vec3 *p = pl_vector_grow(&points, 1);   // NULL when out of memory; `failed` stays set
//   ... PL_ITEM(&points, pl_vec3, i) ...
//   pl_vector_free(&points);
#ifndef PL_BASE_VECTOR_H
#define PL_BASE_VECTOR_H

#include "pliant/base.h"

typedef struct pl_vector {
  pl_context *context;
  void *items;
  size_t item_size, count, capacity;
  bool failed;
} pl_vector;

pl_vector pl_vector_of(pl_context *context, size_t item_size);

// Append `count` zeroed items and return the first, or NULL when out of memory.
void *pl_vector_grow(pl_vector *vector, size_t count);

// Append a copy of one item; false when out of memory.
bool pl_vector_push(pl_vector *vector, const void *item);

void pl_vector_free(pl_vector *vector);

#define PL_ITEM(vector, type, index) (((type *)(vector)->items)[index])

#endif
