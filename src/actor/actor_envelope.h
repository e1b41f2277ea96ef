// Cholesky factor inside an envelope: of small matrices whose unknowns can be numbered such that
// neighbours are near each other, as in bodies of some hundred points.
//
// Unknowns are taken four at a time. Row t of fours is stored from its first four that is not 0 up
// to the diagonal, as tiles of 4 x 4 numbers by columns. What is 0 left of that stays 0 in the
// factor, and everything right of it is treated as dense: no lists of indices in the inner loops,
// only tiles times tiles.
#ifndef PL_ACTOR_ENVELOPE_H
#define PL_ACTOR_ENVELOPE_H

#include <stddef.h>
#include <stdint.h>

#include "math/simd.h"

typedef struct pl_envelope {
  int32_t tile_rows;     // fours of unknowns
  const int32_t *first;  // by tile row: its first tile
  // tile_rows + 1: where its tiles begin; tile (t, k) is number start[t] + k - first[t]
  const size_t *start;
  double *tiles;     // 16 numbers each: number 4 j + i is row i, column j
  double *inverses;  // of the factor's diagonal
} pl_envelope;

typedef struct pl_envelope_kernels {
  // Factor the lower triangle in place. False if it is not positive definite: a pivot must be more
  // than 1e-13 of its diagonal entry.
  bool (*factor)(const pl_envelope *envelope);
  // Overwrite four right-hand sides, lying side by side, by the solutions.
  void (*solve)(const pl_envelope *envelope, double *x);
} pl_envelope_kernels;

extern const pl_envelope_kernels pl_envelope_kernels_plain, pl_envelope_kernels_avx2;

// The fastest that this processor can run; all give the same bits.
const pl_envelope_kernels *pl_envelope_kernels_choose(void);

#endif
