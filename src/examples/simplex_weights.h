// Weights of the pose nearest to a given one among all mixtures of rest and examples. Weights here
// are those of the n examples; the rest shape has the remainder up to 1, w_0 = 1 - sum w_k.
//
// Nothing here allocates. Same input, same bits; any number of threads.
#ifndef PL_EXAMPLES_SIMPLEX_WEIGHTS_H
#define PL_EXAMPLES_SIMPLEX_WEIGHTS_H

#include <stdbool.h>
#include <stdint.h>

#include "pliant/examples.h"

// Most examples of one set: the work arrays below are of fixed size. Far more than an artist poses
// by hand.
enum { PL_MAX_EXAMPLES = PL_MAX_EXAMPLE_COUNT };

typedef struct pl_simplex_report {
  int32_t pass_count;  // times an example (or the rest) joined the mixture
  double gap;  // the squared distance found exceeds the least one by at most 2 * gap; in the unit
               // of `gram`
  bool is_exact;  // no example would bring the pose nearer, up to rounding; false also for input
                  // that is not finite
} pl_simplex_report;

// Minimise |L w - d|^2 over w_k >= 0, sum w_k <= 1, where `gram` is L^T L (n x n, symmetric) and
// `pull` is L^T d, 0 <= n <= PL_MAX_EXAMPLES. Equal, dependent and zero columns are allowed: then
// the answer is one of several, but always the same one for the same input. With `is_warm`,
// `weights` holds a start, normally the last step's weights, which saves most passes when little
// has changed; without, it is only written. Where the answer is not unique it depends on that
// start, so a state that is saved must keep the weights. Input that is not finite gives the rest
// (all weights 0). `report` may be NULL.
void pl_simplex_solve(int32_t n, const double *gram, const double *pull, bool is_warm,
                      double *weights, pl_simplex_report *report);

// Eigenvalues of `gram` below this fraction of the largest count as zero. Descriptors are computed
// from single-precision positions, so columns that depend on each other do so to about 1e-6, and
// the squares of that appear in `gram`.
#define PL_SIMPLEX_CUTOFF 1e-11

// Pseudo-inverse of `gram` (n x n, symmetric, positive semi-definite), for
// pl_simplex_project_paper(). Done once for a model. Input that is not finite gives zeros.
void pl_simplex_pseudo_inverse(int32_t n, const double *gram, double cutoff, double *inverse);

// The weights as paper 000 prints them, `inverse` times `pull` with negative weights removed by its
// loop. Returns the number of passes of that loop. Input that is not finite gives the rest.
int32_t pl_simplex_project_paper(int32_t n, const double *inverse, const double *pull,
                                 double *weights);

#endif
