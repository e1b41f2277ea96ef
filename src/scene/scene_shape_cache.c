// A few surfaces, found by the hash of their description.
#include "scene/scene_shape_cache.h"

#include "base/hash.h"

// Scenes have a handful; when there are more than this, those of scenes before go.
enum { MAX = 64 };

typedef struct kept_surface {
  uint64_t hash;
  pl_mesh *mesh;
} kept_surface;

void pl_shape_cache_init(pl_shape_cache *cache, pl_context *context) {
  *cache = (pl_shape_cache){context, pl_vector_of(context, sizeof(kept_surface))};
}

static void clear(pl_shape_cache *cache) {
  for (size_t i = 0; i < cache->surfaces.count; ++i) pl_mesh_destroy(PL_ITEM(&cache->surfaces, kept_surface, i).mesh);
  cache->surfaces.count = 0;
}

void pl_shape_cache_free(pl_shape_cache *cache) {
  clear(cache);
  pl_vector_free(&cache->surfaces);
}

// Number by number: between the members of a struct there may be anything.
static uint64_t hash_node(uint64_t hash, const pl_shape_node *node) {
  const double numbers[] = {(double)node->kind,
                            node->placement.position.x,
                            node->placement.position.y,
                            node->placement.position.z,
                            node->placement.rotation.x,
                            node->placement.rotation.y,
                            node->placement.rotation.z,
                            node->placement.rotation.w,
                            node->scale,
                            node->size.x,
                            node->size.y,
                            node->size.z,
                            node->from.x,
                            node->from.y,
                            node->from.z,
                            node->to.x,
                            node->to.y,
                            node->to.z,
                            node->radius,
                            node->end_radius,
                            node->smoothness,
                            node->amount,
                            node->outline_count,
                            node->child_count};
  hash = pl_hash_bytes(hash, numbers, sizeof numbers);
  if (node->outline_count > 0)
    hash = pl_hash_bytes(hash, node->outline, 2 * (size_t)node->outline_count * sizeof(double));
  if (node->child_count > 0) hash = pl_hash_bytes(hash, node->children, (size_t)node->child_count * sizeof(int32_t));
  return hash;
}

pl_status pl_shape_cache_build(pl_shape_cache *cache, pl_context *context, const pl_shape_def *def,
                               const pl_shape_node *nodes, int32_t node_count, pl_mesh **surface, pl_error *error) {
  if (cache == NULL) return pl_shape_build_surface(context, def, nodes, node_count, surface, error);
  const double numbers[] = {def->cell_size, def->target_triangle_count, node_count};
  uint64_t hash = pl_hash_bytes(PL_HASH_START, numbers, sizeof numbers);
  for (int32_t i = 0; i < node_count; ++i) hash = hash_node(hash, &nodes[i]);
  for (size_t i = 0; i < cache->surfaces.count; ++i) {
    const kept_surface *kept = &PL_ITEM(&cache->surfaces, kept_surface, i);
    if (kept->hash != hash) continue;
    pl_mesh_view view = pl_mesh_get_view(kept->mesh);
    return pl_mesh_create(context, &view, surface, error);
  }
  pl_status status = pl_shape_build_surface(context, def, nodes, node_count, surface, error);
  if (status < 0) return status;
  if (cache->surfaces.count >= MAX) clear(cache);
  kept_surface kept = {.hash = hash};
  pl_mesh_view view = pl_mesh_get_view(*surface);
  // Without memory nothing is kept; it is made again the next time.
  if (pl_mesh_create(cache->context, &view, &kept.mesh, NULL) >= 0 && !pl_vector_push(&cache->surfaces, &kept))
    pl_mesh_destroy(kept.mesh);
  return status;
}
