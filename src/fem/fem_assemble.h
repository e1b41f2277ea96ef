// Energies, gradients and Hessians of many tets, four at a time: the fast twin of
// pl_fem_corotated_tet and pl_fem_neo_hookean_tet, for stepping. The rest shape's part is prepared
// once.
#ifndef PL_FEM_ASSEMBLE_H
#define PL_FEM_ASSEMBLE_H

#include <stdbool.h>
#include <stdint.h>

#include "math/simd.h"

// What the rest shape and the material make of one tet.
typedef struct pl_fem_tet_constants {
  // of the shape functions of corners 1, 2, 3 by X, three each: the rows of the inverse of the
  // matrix of rest edges
  double gradients[9];
  double volume;      // m³
  double lambda, mu;  // Lamé's constants, Pa
} pl_fem_tet_constants;

typedef enum pl_fem_tet_model { PL_FEM_TET_COROTATED, PL_FEM_TET_NEO_HOOKEAN } pl_fem_tet_model;

// All tets of a body; arrays are borrowed.
typedef struct pl_fem_tets {
  pl_fem_tet_model model;
  // Hessians are projected to positive semi-definite: the negative eigenvalues of ∂²ψ/∂F² are
  // replaced by 0, in closed form (Smith, de Goes and Kim 2019, Analytic Eigensystems for Isotropic
  // Distortion Energies). Otherwise they are exact.
  bool positive;
  const pl_fem_tet_constants *constants;  // by tet
  const int32_t *corners;                 // four points per tet
  const double *positions;                // three numbers per point
} pl_fem_tets;

// From corners at rest X (12 numbers, not flat) and p = (Young's modulus Pa, Poisson's ratio).
pl_fem_tet_constants pl_fem_tet_constants_of(const double *X, const double *p);

// For the tets elements[0 .. count): energies[i] in joules, gradients[12 i …] by the corners'
// coordinates (the elastic force is minus that), and matrices[144 i …], 12 x 12 row-major, exactly
// symmetric: as a pl_block_visit wants them. Each of the three may be NULL. A tet's numbers do not
// depend on which others it is computed with, and are the same bits on every instruction set.
// Touches nothing else and may run on any number of threads.
void pl_fem_assemble_tets(const pl_fem_tets *tets, const int32_t *elements, int32_t count,
                          double *energies, double *gradients, double *matrices);

// The same for one instruction set each, for tests.
void pl_fem_assemble_tets_plain(const pl_fem_tets *tets, const int32_t *elements, int32_t count,
                                double *energies, double *gradients, double *matrices);
#if PL_SIMD_HAS_AVX2
void pl_fem_assemble_tets_avx2(const pl_fem_tets *tets, const int32_t *elements, int32_t count,
                               double *energies, double *gradients, double *matrices);
#endif

// Rotation, left stretch and inverse for one lane that the kernel cannot settle (see fem_polar.h).
// F and R are [9][4], U and K [6][4], as the kernel has them.
void pl_fem_assemble_settle(const double *F, int lane, double *R, double *U, double *K);

#endif
