// Embeddings whose parents and weights are known, instead of searched for.
#ifndef PL_MESH_EMBEDDING_H
#define PL_MESH_EMBEDDING_H

#include "pliant/mesh.h"

// An embedding with copies of these arrays, 4 per point as in pl_embedding_view. Fails only when
// out of memory.
pl_status pl_embedding_create(pl_context *context, int32_t point_count, const int32_t *parents,
                              const float *weights, pl_embedding **embedding, pl_error *error);

#endif
