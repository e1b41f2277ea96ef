// What is known of a Cholesky factor before any number of it: order, tree, supernodes.
#ifndef PL_SPARSE_SPARSE_CHOLESKY_PLAN_H
#define PL_SPARSE_SPARSE_CHOLESKY_PLAN_H

#include "sparse/sparse_cholesky.h"

typedef struct pl_sparse_cholesky_plan {
  int32_t *row_of, *index_of;  // the row that is eliminated k-th, and back
  int32_t supernode_count;
  int32_t *first;        // supernode_count + 1
  int32_t *parent;       // supernode that a supernode's first row below belongs to, -1 for none
  int32_t *below_start;  // supernode_count + 1
  int32_t *below;        // rows below each supernode, rising
  int64_t entry_count;
} pl_sparse_cholesky_plan;

// All of it from `arena`; PL_ERROR_UNSUPPORTED where row lists do not fit 31 bits.
pl_status pl_sparse_cholesky_plan_build(pl_context *context, pl_arena *arena,
                                        const pl_sparse *matrix, const pl_vec3 *positions,
                                        pl_sparse_cholesky_plan *plan, pl_error *error);

#endif
