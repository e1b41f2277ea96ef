// Energies, gradients and Hessians of many quadratic tets, four at a time: the fast twin of the
// tables of fem_quadratic.c, for stepping. The rest shape's part is prepared once.
#ifndef PL_FEM_QUADRATIC_ASSEMBLE_H
#define PL_FEM_QUADRATIC_ASSEMBLE_H

#include <stdbool.h>
#include <stdint.h>

#include "fem/fem_quadratic.h"
#include "math/simd.h"

// What the rest shape and the material make of one tet, in the order in which the kernel loads it.
typedef struct pl_fem_quadratic_constants {
  // B of nodes 1 … 9 at every point; that of node 0 is minus their sum
  double gradients[PL_FEM_QUADRATIC_POINTS][PL_FEM_QUADRATIC_NODES - 1][3];
  double weights[PL_FEM_QUADRATIC_POINTS];  // m³
  double lambda, mu, second, third;         // Pa (pl_fem_lame)
} pl_fem_quadratic_constants;

typedef enum pl_fem_quadratic_model {
  PL_FEM_QUADRATIC_COROTATED,
  PL_FEM_QUADRATIC_YEOH,  // neo-Hookean where second and third are 0
} pl_fem_quadratic_model;

// All tets of a body; arrays are borrowed.
typedef struct pl_fem_quadratics {
  pl_fem_quadratic_model model;
  bool positive;  // Hessians are projected to positive semi-definite, as by pl_fem_tets
  const pl_fem_quadratic_constants *constants;  // by tet
  const int32_t *nodes;                         // ten points per tet
  const double *positions;                      // three numbers per point
} pl_fem_quadratics;

// From nodes at rest X (30 numbers) and the parameters of the density.
pl_fem_quadratic_constants pl_fem_quadratic_constants_of(const pl_fem_density *density,
                                                         const double *X, const double *p);

// For the tets elements[0 .. count): energies[i] in joules, gradients[30 i …], and matrices[900 i
// …], 30 x 30 row-major, exactly symmetric. Each of the last two may be NULL. A tet's numbers do
// not depend on which others it is computed with, and are the same bits on every instruction set.
// Touches nothing else and may run on any number of threads.
void pl_fem_assemble_quadratics(const pl_fem_quadratics *tets, const int32_t *elements,
                                int32_t count, double *energies, double *gradients,
                                double *matrices);

// The same for one instruction set each, for tests.
void pl_fem_assemble_quadratics_plain(const pl_fem_quadratics *tets, const int32_t *elements,
                                      int32_t count, double *energies, double *gradients,
                                      double *matrices);
#if PL_SIMD_HAS_AVX2
void pl_fem_assemble_quadratics_avx2(const pl_fem_quadratics *tets, const int32_t *elements,
                                     int32_t count, double *energies, double *gradients,
                                     double *matrices);
#endif

#endif
