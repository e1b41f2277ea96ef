// Surfaces of modelled shapes that were made before. A scene that is built again with other numbers
// describes the same shapes, and sampling them takes longer than all the rest.
#ifndef PL_SCENE_SHAPE_CACHE_H
#define PL_SCENE_SHAPE_CACHE_H

#include "base/vector.h"
#include "pliant/modeller.h"

typedef struct pl_shape_cache {
  pl_context *context;
  pl_vector surfaces;  // of what was made, with the hash of what it was made from
} pl_shape_cache;

void pl_shape_cache_init(pl_shape_cache *cache, pl_context *context);
void pl_shape_cache_free(pl_shape_cache *cache);

// As pl_shape_build_surface(), or a copy of what that gave before for the same input. `cache` may
// be NULL: nothing is kept. One thread at a time.
pl_status pl_shape_cache_build(pl_shape_cache *cache, pl_context *context, const pl_shape_def *def,
                               const pl_shape_node *nodes, int32_t node_count, pl_mesh **surface,
                               pl_error *error);

#endif
