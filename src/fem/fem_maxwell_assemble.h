// The inner loops of fem_maxwell.c: energies, forces and stiffness of four tets at a time, and
// derivatives of four columns at a time.
#ifndef PL_FEM_MAXWELL_ASSEMBLE_H
#define PL_FEM_MAXWELL_ASSEMBLE_H

#include "fem/fem_maxwell.h"
#include "math/simd.h"

// A pose to evaluate.
typedef struct pl_fem_maxwell_pose {
  const pl_fem_maxwell *maxwell;
  const double *u;
  bool positive;  // matrices without what could be negative of them
} pl_fem_maxwell_pose;

// Positions whose metrics are measured along changes of them (pl_fem_maxwell_measure_change()).
typedef struct pl_fem_maxwell_moves {
  const double *x, *change;
  int32_t padded;
} pl_fem_maxwell_moves;

// The functions of one instruction set. All give the same bits, and a tet's numbers do not depend
// on which others it is computed with.
typedef struct pl_fem_maxwell_kernel {
  // For the tets elements[0 .. count): D of each in joules, forces (3 numbers per node) and
  // Hessians, exactly symmetric, as a pl_block_visit wants them. Each of the three may be NULL.
  void (*evaluate)(const pl_fem_maxwell_pose *pose, const int32_t *elements, int32_t count,
                   double *energies, double *gradients, double *matrices);
  // pl_fem_maxwell_change() and pl_fem_maxwell_measure_change() of all tets; `padded` is a multiple
  // of 4.
  void (*change)(const pl_fem_maxwell *maxwell, const pl_fem_maxwell_changes *changes);
  void (*measure_change)(const pl_fem_maxwell *maxwell, const pl_fem_maxwell_moves *moves,
                         double *metrics);
} pl_fem_maxwell_kernel;

extern const pl_fem_maxwell_kernel pl_fem_maxwell_plain;
#if PL_SIMD_HAS_AVX2
extern const pl_fem_maxwell_kernel pl_fem_maxwell_avx2;
#endif

// That of this machine.
const pl_fem_maxwell_kernel *pl_fem_maxwell_choose(void);

#endif
