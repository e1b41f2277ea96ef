// What decides the weights of examples: drivers as plain data and functions. A driver knows nothing
// of bodies; it yields weights on the simplex, w_k >= 0 and sum w_k <= 1, the rest shape has the
// remainder. Weights by projection of the current shape are in simplex_weights.h.
//
// Structs borrow the arrays they point to. Evaluating never allocates and never writes to the
// driver: any number of threads may share one.
#ifndef PL_EXAMPLES_WEIGHTS_H
#define PL_EXAMPLES_WEIGHTS_H

#include "examples/simplex_weights.h"
#include "pliant/base.h"
#include "pliant/math.h"

// Put any weights on the simplex: what is negative or no number counts as 0, and a sum above 1 is
// divided out, as paper 001 does. Weights on the simplex stay as they are, to the bit. `weights`
// may be `values`.
void pl_weights_limit(int32_t count, const double *values, double *weights);

// Everything moves towards the rest: w_k * fraction, with fraction in [0, 1]. Paper 000's beta.
void pl_weights_fade(int32_t count, double fraction, double *weights);

// --- a curve over time
// -------------------------------------------------------------------------------------------------------------------

typedef enum pl_curve_kind {
  PL_CURVE_LINEAR = 0,  // straight from key to key
  PL_CURVE_SMOOTH = 1,  // a smooth curve that never leaves the range of its two keys
} pl_curve_kind;

typedef struct pl_weight_curve {
  pl_curve_kind kind;
  bool is_looping;  // the last key is the first one again; where their values differ, weights jump
  int32_t count;    // weights
  int32_t key_count;     // at least 1
  const double *times;   // s, rising; one per key
  const double *values;  // key_count x count
  // 1/s, key_count x count; only for PL_CURVE_SMOOTH, from pl_weight_curve_slopes()
  const double *slopes;
} pl_weight_curve;

// PL_OK, or what is wrong with times and values: `error` names the key. Negative values and sums
// above 1 are errors here, as a user who wrote them meant something else.
pl_status pl_weight_curve_check(const pl_weight_curve *curve, pl_error *error);

// Slopes for a smooth curve, into an array of key_count x count; the caller then points `slopes` to
// it.
void pl_weight_curve_slopes(const pl_weight_curve *curve, double *slopes);

// Weights at `time` (s). Before the first key and after the last its values hold, unless the curve
// loops. A time that is not a number counts as the first key.
void pl_weight_curve_evaluate(const pl_weight_curve *curve, double time, double *weights);

// --- similarity to examples
// --------------------------------------------------------------------------------------------------------------

// A kernel that interpolates: at example i the weights are exactly e_i. The caller owns the arrays.
typedef struct pl_weight_kernel {
  int32_t count;      // examples; not bounded by PL_MAX_EXAMPLES
  double *factor;     // (count + 1) x count; the last row is for building
  int32_t *pivot_of;  // count
} pl_weight_kernel;

// Factor the kernel: similarities[i * count + j] is the similarity of example i to the state of
// example j. `factor` and `pivot_of` must be there and are filled. Fails with
// PL_ERROR_INVALID_DATA, naming by number the two examples that are most alike, when the examples
// cannot be distinguished well enough for weights to 1e-9. Allocates nothing.
pl_status pl_weight_kernel_build(pl_weight_kernel *kernel, const double *similarities,
                                 pl_error *error);

// Interpolating weights from similarities[i], that of example i to the current state. They may be
// negative, and their sum is free. `weights` may be `similarities`.
void pl_weight_kernel_interpolate(const pl_weight_kernel *kernel, const double *similarities,
                                  double *weights);

// The same, put on the simplex.
void pl_weight_kernel_evaluate(const pl_weight_kernel *kernel, const double *similarities,
                               double *weights);

// Gaussian similarities of a feature vector to those of examples (paper 003, eq. 15): exp(-sum_c
// (x_c - f_ic)^2 / (2 width_c^2)).
typedef struct pl_feature_set {
  int32_t count, dimension;
  const double *features;  // count x dimension
  const double *widths;    // one per dimension, > 0
} pl_feature_set;
void pl_feature_similarities(const pl_feature_set *set, const double *feature,
                             double *similarities);

// --- view direction
// ----------------------------------------------------------------------------------------------------------------------

// An example that belongs to a direction to the camera, in the frame of what is posed.
typedef struct pl_view_example {
  pl_vec3 direction;  // any length but zero
  double extent;      // radians, > 0: where its influence has fallen to 1/e
} pl_view_example;

// PL_OK, or an error that names the example whose direction or extent is unusable.
pl_status pl_view_check(int32_t count, const pl_view_example *examples, pl_error *error);

// Gaussian similarity of each example's direction to `direction` (paper 001, section 3.2). All 0
// when `direction` has no length.
void pl_view_similarities(int32_t count, const pl_view_example *examples, pl_vec3 direction,
                          double *similarities);

// Weights by paper 001, Algorithm 1.
void pl_view_weights(int32_t count, const pl_view_example *examples, pl_vec3 direction,
                     double *weights);

// Prepare weights that are exactly e_j at direction j, which Algorithm 1's are not where extents
// overlap. Evaluate with pl_view_similarities() and pl_weight_kernel_evaluate(). count <=
// PL_MAX_EXAMPLES; fails as pl_view_check() and pl_weight_kernel_build() do.
pl_status pl_view_kernel_build(int32_t count, const pl_view_example *examples,
                               pl_weight_kernel *kernel, pl_error *error);

// --- any of them
// -------------------------------------------------------------------------------------------------------------------------

typedef enum pl_driver_kind {
  PL_DRIVER_CONSTANT = 0,  // `weights`: fixed, or a slider's that the host writes between steps
  PL_DRIVER_CURVE = 1,     // `curve`
  PL_DRIVER_VIEW = 2,      // `views`; interpolating if `kernel` has a count
  PL_DRIVER_FEATURE = 3,   // `features`; interpolating if `kernel` has a count
} pl_driver_kind;

typedef struct pl_weight_driver {
  pl_driver_kind kind;
  int32_t count;          // weights
  const double *weights;  // and so on: only the members of the kind are read
  pl_weight_curve curve;
  const pl_view_example *views;
  pl_feature_set features;
  pl_weight_kernel kernel;
} pl_weight_driver;

// Inputs of drivers; each reads its own.
typedef struct pl_weight_input {
  double time;            // s
  pl_vec3 direction;      // to the camera, in the frame of what is posed
  const double *feature;  // one per dimension of the driver's features
} pl_weight_input;

void pl_weight_driver_evaluate(const pl_weight_driver *driver, const pl_weight_input *input,
                               double *weights);

#endif
