// Energies, gradients and Hessians of many tets of the simplified solid, four at a time: the fast
// twin of pl_fem_edge_tet (fem_edge_tet.c), for stepping and for actors. What rest shape, start and
// material make of a tet is prepared once: in
//
//   W = Σ_edges ½ c (l² - L²)²  +  ½ κ (v - V)²
//
// c, L², κ and V.
#ifndef PL_FEM_EDGE_TET_ASSEMBLE_H
#define PL_FEM_EDGE_TET_ASSEMBLE_H

#include <stdbool.h>
#include <stdint.h>

#include "math/simd.h"

// Of one tet: fours of numbers, to be turned into lanes. Edges are 01, 02, 03, 12, 13, 23.
typedef struct pl_fem_edge_tet_constants {
  double start_stiffness[6];  // c / k_l
  double start_volume;        // V̄
  double volume_stiffness;    // κ
  double stiffness[6];        // c
  double volume;              // V, with its sign
  double unused;
  double square[6];  // L²
  double unused_too[2];
} pl_fem_edge_tet_constants;

// What damping of a tet compares with: where it was when the step began.
typedef struct pl_fem_edge_tet_before {
  double square[6], volume, unused;
} pl_fem_edge_tet_before;

// Blocks of a tet on and below the diagonal of the matrix: of corners 0 to 3 and of pairs (1, 0),
// (2, 0), (3, 0), (2, 1), (3, 1), (3, 2). Where the first of a pair has the lower number, the block
// is turned (-1, otherwise 0).
typedef struct pl_fem_edge_tet_blocks {
  int64_t turned[8];
  int32_t slots[10], unused[2];
} pl_fem_edge_tet_blocks;

// What is to be done with tets; arrays are borrowed. Results are added to what `gradient`,
// `viscous` and `values` hold.
typedef struct pl_fem_edge_tets {
  const pl_fem_edge_tet_constants *constants;  // by tet
  const int32_t *corners;                      // four points per tet
  const int32_t *slots;                        // 16 per tet: blocks of the matrix
  const pl_fem_edge_tet_blocks *lower;         // by tet: only these blocks, or NULL
  const double *positions;                     // three numbers per point
  const pl_fem_edge_tet_before *before;        // damping: by tet, or NULL
  double factor;                               // of the damping
  const double *rest;    // corners at rest, by tet; only for the derivatives by them
  const double *limits;  // the energy W of a tet becomes plain W + scale limits[i] W², or NULL
  double plain, scale;
  bool positive;     // what could be negative of Hessians is left out (fem_edge_tet.c, positive)
  double *energies;  // by tet, overwritten
  double *viscous_energies;  // the same of the damping; only with `before`
  double *gradient;          // three numbers per point, or NULL
  double *viscous;           // the same of the damping; only with `before`
  double *values;            // of the matrix: 9 per block, or NULL
} pl_fem_edge_tets;

// What the start makes of a tet, once; then what rest shape and parameters p do.
void pl_fem_edge_tet_constants_start(const double *U, pl_fem_edge_tet_constants *constants);
void pl_fem_edge_tet_constants_rest(const double *X, const double *p,
                                    pl_fem_edge_tet_constants *constants);

// Where its blocks are; `corners` and `slots` of the tet.
void pl_fem_edge_tet_blocks_find(const int32_t *corners, const int32_t *slots,
                                 pl_fem_edge_tet_blocks *blocks);

// What its corners x where damping begins make of it, once for all evaluations of a step.
void pl_fem_edge_tet_before_find(const double *x, pl_fem_edge_tet_before *before);

// Tets elements[0 .. count). A tet's numbers do not depend on which others it is computed with, and
// are the same bits on every instruction set.
void pl_fem_assemble_edge_tets(const pl_fem_edge_tets *tets, const int32_t *elements,
                               int32_t count);
// ∂²W/∂x∂X, not symmetric, added to `values`.
void pl_fem_assemble_edge_tets_mixed(const pl_fem_edge_tets *tets, const int32_t *elements,
                                     int32_t count);

// For one instruction set each.
typedef struct pl_fem_edge_tet_kernels {
  void (*assemble)(const pl_fem_edge_tets *tets, const int32_t *elements, int32_t count);
  void (*mixed)(const pl_fem_edge_tets *tets, const int32_t *elements, int32_t count);
} pl_fem_edge_tet_kernels;

extern const pl_fem_edge_tet_kernels pl_fem_edge_tet_kernels_plain;
#if PL_SIMD_HAS_AVX2
extern const pl_fem_edge_tet_kernels pl_fem_edge_tet_kernels_avx2, pl_fem_edge_tet_kernels_avx512;
#endif

#endif
