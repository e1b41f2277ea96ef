// Energies, gradients and Hessians of many elements of a shell, four at a time: the fast twin of
// pl_fem_shell_stretch, pl_fem_shell_area and pl_fem_shell_hinge (fem_shell.c), for stepping. What
// rest shape, start and material make of an element is prepared once: in
//
//   W = ½ w (f(x) - F)²        w = k γ(U), F = f(X)
//
// only f and its derivatives are left to compute (fem_measure.h).
#ifndef PL_FEM_SHELL_ASSEMBLE_H
#define PL_FEM_SHELL_ASSEMBLE_H

#include <stdbool.h>
#include <stdint.h>

#include "fem/fem_energy.h"
#include "math/simd.h"

typedef struct pl_fem_shell_constants {
  double weight;  // w
  double rest;    // F
} pl_fem_shell_constants;

// What is to be done with elements of one kind; arrays are borrowed. Results are added to what
// `gradient` and `values` hold.
typedef struct pl_fem_shells {
  int32_t corner_count;                     // 2: edges, 3: triangles, 4: hinges
  const pl_fem_shell_constants *constants;  // by element
  const int32_t *corners;                   // by element: corner_count points
  const int32_t *slots;                     // by element: corner_count² blocks of the matrix
  const double *positions;                  // three numbers per point
  bool positive;     // what could be negative of Hessians is left out (fem_measure.h)
  double *energies;  // by element, overwritten
  double *gradient;  // three numbers per point, or NULL
  double *values;    // of the matrix: 9 per block, or NULL
} pl_fem_shells;

// Whether elements with this energy are computed here.
bool pl_fem_is_shell(const pl_fem_energy *energy);
// What start U, rest X and parameters p make of an element.
pl_fem_shell_constants pl_fem_shell_constants_of(const pl_fem_energy *energy, const double *U,
                                                 const double *X, const double *p);

// Elements elements[0 .. count). An element's numbers do not depend on which others it is computed
// with, and are the same bits on every instruction set.
void pl_fem_assemble_shells(const pl_fem_shells *shells, const int32_t *elements, int32_t count);

// For one instruction set each.
typedef struct pl_fem_shell_kernels {
  void (*assemble)(const pl_fem_shells *shells, const int32_t *elements, int32_t count);
} pl_fem_shell_kernels;

extern const pl_fem_shell_kernels pl_fem_shell_kernels_plain;
#if PL_SIMD_HAS_AVX2
extern const pl_fem_shell_kernels pl_fem_shell_kernels_avx2;
#endif

#endif
