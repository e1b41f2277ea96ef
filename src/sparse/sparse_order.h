// The order in which the unknowns of a symmetric matrix are best eliminated, so that the factor has
// few entries.
#ifndef PL_SPARSE_SPARSE_ORDER_H
#define PL_SPARSE_SPARSE_ORDER_H

#include "sparse/sparse_matrix.h"

// order[k] is the row to be eliminated k-th. `positions`, one per row, decide where to cut; NULL:
// cuts follow distances in the graph. False when out of memory.
bool pl_sparse_order_find(pl_context *context, const pl_sparse *matrix, const pl_vec3 *positions,
                          int32_t *order);

#endif
