// Cholesky factor of small sparse matrices, as of bodies of some hundred points.
//
// Unknowns are taken four at a time. The factor is stored by columns of fours: its tiles of 4 x 4
// numbers that are not 0 whatever the numbers of the matrix are, the diagonal one first. Which tile
// a product of two others is subtracted from is listed once: no search in the inner loops, only
// tiles times tiles.
#ifndef PL_ACTOR_TILES_H
#define PL_ACTOR_TILES_H

#include <stddef.h>
#include <stdint.h>

#include "math/simd.h"

typedef struct pl_tiles {
  int32_t columns;       // fours of unknowns
  const int32_t *start;  // columns + 1: where the tiles of a column begin
  const int32_t *rows;   // by tile: its row, rising in each column from the diagonal on
  // For every column, for every two tiles (i, k), (j, k), i >= j, below its diagonal, by j and then
  // by i: the number of tile (i, j).
  const int32_t *targets;
  double *values;    // 16 numbers each: number 4 j + i is row i, column j
  double *inverses;  // of the factor's diagonal
} pl_tiles;

typedef struct pl_tile_kernels {
  // Factor the lower triangle in place. False if it is not positive definite: a pivot must be more
  // than 1e-13 of its diagonal entry.
  bool (*factor)(const pl_tiles *tiles);
  // Overwrite right-hand sides, `width` of them lying side by side, 4 or 8, by the solutions.
  void (*solve)(const pl_tiles *tiles, int32_t width, double *x);
  // The same of one, with the same bits.
  void (*solve_one)(const pl_tiles *tiles, double *x);
} pl_tile_kernels;

extern const pl_tile_kernels pl_tile_kernels_plain, pl_tile_kernels_avx2, pl_tile_kernels_avx512;

// The fastest that this processor can run; all give the same bits.
const pl_tile_kernels *pl_tile_kernels_choose(void);

#endif
