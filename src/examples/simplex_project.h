// Plain Euclidean projections of weights: onto the simplex, and onto a box cut by the plane of
// sum 1. All weights are meant here, the rest's among them. Nothing allocates; output may be the
// input.
#ifndef PL_EXAMPLES_SIMPLEX_PROJECT_H
#define PL_EXAMPLES_SIMPLEX_PROJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "examples/simplex_weights.h"

// Most weights of one call: rest and examples.
enum { PL_WEIGHTS_MAX = PL_MAX_EXAMPLES + 1 };

// The point nearest to `values` with x_i >= 0 and sum 1; 1 <= count <= PL_WEIGHTS_MOST.
void pl_simplex_project(int32_t count, const double *values, double *projected);

// The point nearest to `values` with lower_i <= x_i <= upper_i and sum 1; bounds may be infinite.
// False, and nothing written, when there is no such point or a value is not finite.
bool pl_box_project(int32_t count, const double *values, const double *lower, const double *upper,
                    double *projected);

// The sliding window of paper 001, section 4: the point nearest to `values` whose components are
// within `reach` of those of `center` (which has sum 1) and at least `min`: 0 to stay on the
// simplex as `center` does, -HUGE_VAL for the window alone. False as above.
bool pl_window_project(int32_t count, const double *values, const double *center, double reach,
                       double min, double *projected);

#endif
