// The factor of the step's matrix D that an actor solves with: many right-hand sides for each set
// of values.
#ifndef PL_ACTOR_FACTOR_H
#define PL_ACTOR_FACTOR_H

#include "fem/fem_model.h"

typedef struct pl_actor_factor pl_actor_factor;

pl_status pl_actor_factor_create(pl_context *context, const pl_fem_model *model,
                                 pl_actor_factor **factor, pl_error *error);
void pl_actor_factor_destroy(pl_actor_factor *factor);  // NULL is allowed

// Whether it is in tiles, whose solves do not fail.
bool pl_actor_factor_is_direct(const pl_actor_factor *factor);

// Take new values. A matrix that is not positive definite is shifted by a multiple of its diagonal
// until it is; `*shift` receives which.
pl_status pl_actor_factor_run(pl_actor_factor *factor, const pl_block_matrix *matrix, double *shift,
                              pl_error *error);

// Solve for `count` right-hand sides of n numbers each, one after the other.
pl_status pl_actor_factor_solve(pl_actor_factor *factor, const double *rhs, int32_t count,
                                double *x, pl_error *error);

#endif
