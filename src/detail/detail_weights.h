// From descriptors to weights of examples: keys, similarities (eq. 15 of paper 003), weights that
// interpolate, and widths by cross-validation.
#ifndef PL_DETAIL_WEIGHTS_H
#define PL_DETAIL_WEIGHTS_H

#include "detail/detail_kernels.h"

// What a key is made of. All keys of a database have one layout.
typedef struct pl_key_layout {
  int32_t site_order;   // 0 to 3
  int32_t patch_order;  // moments of the contact patch's shape, 0 to 3; -1: none
  int32_t load_order;   // 1 or 2; 0: none
  double min_load;      // loads whose norm is no more than this are none, metres
  // Metres; 0: eq. 14, loads differ by direction alone. Otherwise a load is the direction of (load,
  // reference) in one dimension more: a small one is then near to none, a large one far from it,
  // and two of one direction can be distinguished by their size.
  double load_reference;
} pl_key_layout;

enum { PL_KEY_MAX_SIZE = 2 * PL_MOMENT_COUNT + 3 * (PL_LOAD_COUNT - 1) + 1 };

// Widths of the kernel, in the units of eqs. 9 and 14; those of runs that are not there are not
// read.
typedef struct pl_widths {
  double site, patch, load;
} pl_widths;

// Numbers in a key: the site's, then the patch's, each times the root of its multiplicity, so that
// eq. 9 is the plain distance; then the load's as a unit vector with the fraction of the reference,
// which is 1 for no load, so that the cosine of eq. 14 is the plain product, in all cases.
int32_t pl_key_size(const pl_key_layout *layout);

// Fill a key from descriptors in the stamping frame. `patch` may be NULL if the layout has none,
// and `load` likewise.
void pl_key_pack(const pl_key_layout *layout, const pl_moments *site, const pl_moments *patch,
                 const pl_vector_moments *load, float *key);

// Distances of two keys, run by run, as eqs. 9 and 14 have them.
pl_widths pl_key_distances(const pl_key_layout *layout, const float *a, const float *b);

// Examples by their keys.
typedef struct pl_detail_examples {
  pl_key_layout layout;
  int32_t count;
  const float *keys;  // pl_key_size() each
  bool plain;  // weights are the similarities of eq. 15 themselves: for more examples than can be
               // made to interpolate
} pl_detail_examples;

// Similarities below this are none: far examples then cost nothing and have no part in each other's
// weights.
static const double PL_SIMILARITY_FLOOR = 1e-3;
// Similarity of every site to no detail at all.
static const double PL_SIMILARITY_NOTHING = 0.1;

typedef struct pl_detail_weights pl_detail_weights;

typedef struct pl_detail_weights_report {
  int32_t group_count, max_group;  // examples fall into groups that are not similar to each other
  double tight;                    // the narrow widths as a fraction of the others
  // largest element of the matrices: what an error of the similarities may grow by
  double response;
  double inexactness;  // farthest that weights at an example are from 1 for it and 0 for the others
} pl_detail_weights_report;

// Prepare weights; copies the keys. Fails with PL_ERROR_INVALID_DATA naming two examples that are
// too alike for these widths. Cost: the cube of the largest group.
pl_status pl_detail_weights_build(pl_context *context, const pl_detail_examples *examples,
                                  const pl_widths *widths, pl_detail_weights **weights,
                                  pl_detail_weights_report *report, pl_error *error);
void pl_detail_weights_destroy(pl_detail_weights *weights);

// Floats of scratch that the calls below want, aligned to 32 bytes.
size_t pl_detail_weights_scratch(const pl_detail_weights *weights);

// Similarity of a key to each example, w of eq. 15 less the floor: 1 at an example, 0 where it is
// not similar at all.
void pl_detail_similarities(const pl_detail_weights *weights, const float *key, float *scratch,
                            float *similarities);

// Interpolating weights: 1 for example i and 0 for all others where the key is that of example i; 0
// far from all. They need not be positive nor sum to 1 (the paper does not divide by the sum: an
// unknown place gets no detail). No allocation. Returns the number of similar examples.
int32_t pl_detail_weights_evaluate(const pl_detail_weights *weights, const float *key,
                                   float *scratch, float *found);

typedef struct pl_widths_report {
  double error;   // of the widths found, as a fraction of the data: root of the squared errors over
                  // root of the squares
  int32_t tried;  // pairs of widths
} pl_widths_report;

// Widths by which the mean of all others (b in detail_weights.c) predicts each example best.
// `products` are the scalar products of the examples' data (stamps) with each other, count x count.
// More than 256 examples: 256 of them, evenly taken.
pl_status pl_widths_fit(pl_context *context, const pl_detail_examples *examples,
                        const double *products, pl_widths *widths, pl_widths_report *report,
                        pl_error *error);

// Invert an n x n matrix in place, with row exchanges; `order` holds n entries. False if it is
// singular.
bool pl_kernel_invert(int32_t n, double *a, int32_t *order);

// An inverse with larger elements than this is not used: single precision would show.
static const double PL_MAX_RESPONSE = 2e3;

#endif
