// Products with L of a cage, W ⊗ 1 over the coordinates that move: every coordinate of a particle
// is the same mean of that coordinate of the cage's vertices. And what else of an actor's algebra
// is dense: the sums of K.
#ifndef PL_ACTOR_CAGE_H
#define PL_ACTOR_CAGE_H

#include <stddef.h>
#include <stdint.h>

#include "math/simd.h"
#include "sparse/block_matrix.h"

enum {
  PL_CAGE_LANES = 8,  // rows of weights are padded with 0 to a multiple of it
  PL_CAGE_BATCH = 8   // particles whose rows are multiplied at a time
};

typedef struct pl_cage_map {
  int32_t particle_count, handle_count;
  int32_t axes;           // 2 or 3
  ptrdiff_t stride;       // handle_count, padded
  const double *weights;  // particle_count x stride
  double *lanes;          // room: 3 x stride
} pl_cage_map;

typedef struct pl_cage_kernels {
  // change (3 per particle) = L p
  void (*move)(const pl_cage_map *map, const double *p, double *change);
  // product (P) = Lᵀ v, v 3 per particle
  void (*pull)(const pl_cage_map *map, const double *v, double *product);
  // The same of eight vectors side by side: 8 numbers for each of the 3 of a particle, and of P.
  void (*pull_many)(const pl_cage_map *map, const double *v, double *to);
  // The rows of one particle in matrix L: row a by coordinates b of the handles, `stride` numbers
  // each, at stride (axes a + b).
  void (*rows)(const pl_cage_map *map, const pl_block_matrix *matrix, int32_t row, double *rows);
  // target[from … size) += Σ factors[k] rows[k], of four rows
  void (*add_four)(double *target, const double *const rows[4], const double factors[4],
                   int32_t from, int32_t size);
  // square += Lᵀ times `rows` of `count` up to PL_CAGE_BATCH particles from `first` on, laid out as
  // above one after the other; rows that do not count are finite. Row a, v of the square is at
  // axes stride (stride a + v); what of it belongs to handles before v may be left out.
  void (*square)(const pl_cage_map *map, int32_t first, int32_t count, const double *rows,
                 double *square);
  // Eight vectors v side by side (8 numbers for each of the 3 of a particle): to = matrixᵀ v.
  void (*transposed)(const pl_block_matrix *matrix, int32_t axes, const double *v, double *to);
  // The lower triangle of K (size x size) = that of `base` + JᵀJ, of `count` rows of J. The upper
  // one may change.
  void (*add_squares)(double *K, const double *base, int32_t size, const double *J, int32_t count);
  // y = matrix x, size x size
  void (*multiply)(const double *matrix, int32_t size, const double *x, double *y);
} pl_cage_kernels;

extern const pl_cage_kernels pl_cage_kernels_plain, pl_cage_kernels_avx2, pl_cage_kernels_avx512;

// The fastest that this processor can run; all give the same bits.
const pl_cage_kernels *pl_cage_kernels_choose(void);

#endif
