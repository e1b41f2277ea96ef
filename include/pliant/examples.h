/// @file examples.h
/// Weights of example poses, for hosts with bodies or drivers of their own. Bodies of this library
/// find their weights themselves (pl_body_get_weights()).
#ifndef PLIANT_EXAMPLES_H
#define PLIANT_EXAMPLES_H

#include "pliant/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Maximum number of examples of one set.
#define PL_MAX_EXAMPLE_COUNT 32

/// Weights of the blend of rest shape and examples nearest to a given shape: minimise |L w - d|²
/// over w_k >= 0, sum w_k <= 1, where the columns of L are the descriptors of the examples minus
/// that of the rest shape, and d is the descriptor of the shape minus that of the rest shape.
/// `gram` is L^T L (count x count, symmetric) and `pull` is L^T d; `weights` receives `count`
/// numbers. Exact, also for linearly dependent examples. Allocates nothing; may be called from
/// several threads at once. Fails with PL_ERROR_INVALID_ARGUMENT when count is not in 0 …
/// PL_MAX_EXAMPLE_COUNT. Numbers that are not finite give the rest shape (all weights 0).
PL_API pl_status pl_weights_nearest(int32_t count, const double *gram, const double *pull,
                                    double *weights);

#ifdef __cplusplus
}
#endif
#endif
