// Elements of shells and curves four at a time: the kernels for the plain machine, the choice between instruction sets,
// and what is prepared.
#include "fem/fem_shell_assemble.h"

#include <math.h>

#include "fem/fem_measure.h"

#define KERNEL_NAME pl_fem_shell_kernels_plain
#include "fem/fem_shell_kernel.h"

static const pl_fem_shell_kernels *kernels_choose(void) {
#if PL_SIMD_HAS_AVX2
  if (PL_SIMD_CAN_AVX2()) return &pl_fem_shell_kernels_avx2;
#endif
  return &pl_fem_shell_kernels_plain;
}

void pl_fem_assemble_shells(const pl_fem_shells *shells, const int32_t *elements, int32_t count) {
  kernels_choose()->assemble(shells, elements, count);
}

void pl_fem_assemble_shells_mixed(const pl_fem_shells *shells, const int32_t *elements, int32_t count) {
  kernels_choose()->mixed(shells, elements, count);
}

static const pl_fem_measure *measure_of(const pl_fem_energy *energy) {
  return energy == &pl_fem_shell_stretch   ? &pl_fem_shell_edge_measure
         : energy == &pl_fem_shell_area    ? &pl_fem_shell_triangle_measure
         : energy == &pl_fem_shell_hinge   ? &pl_fem_shell_hinge_measure
         : energy == &pl_fem_curve_stretch ? &pl_fem_curve_edge_measure
         : energy == &pl_fem_curve_bend    ? &pl_fem_curve_turn_measure
                                           : NULL;
}

bool pl_fem_is_shell(const pl_fem_energy *energy) {
  return measure_of(energy) != NULL;
}

pl_fem_shell_kind pl_fem_shell_kind_of(const pl_fem_energy *energy) {
  return energy->corner_count == 2      ? PL_FEM_SHELL_EDGE
         : energy == &pl_fem_curve_bend ? PL_FEM_SHELL_TURN
         : energy->corner_count == 3    ? PL_FEM_SHELL_TRIANGLE
                                        : PL_FEM_SHELL_HINGE;
}

double pl_fem_shell_value(const pl_fem_energy *energy, const double *corners) {
  const pl_fem_measure *measure = measure_of(energy);
  double sides[PL_FEM_MAX_SIDES];
  pl_fem_sides_find(measure->corner_count, corners, sides);
  return measure->value(sides);
}

static void find_weight(const pl_fem_energy *energy, const double *U, const double *p,
                        pl_fem_shell_constants *constants) {
  if (!(constants->start != 0)) {
    const pl_fem_measure *measure = measure_of(energy);
    double start[PL_FEM_MAX_SIDES];
    pl_fem_sides_find(measure->corner_count, U, start);
    constants->start = measure->fraction(start);
  }
  constants->weight = p[0] * constants->start;
}

void pl_fem_shell_constants_rest(const pl_fem_energy *energy, const double *U, const double *X, const double *p,
                                 pl_fem_shell_constants *constants) {
  find_weight(energy, U, p, constants);
  constants->rest = pl_fem_shell_value(energy, X);
}

void pl_fem_shell_constants_rests(const pl_fem_energy *energy, int32_t count, const double *U, const double *X,
                                  const double *p, pl_fem_shell_constants *constants) {
  bool turns = pl_fem_shell_kind_of(energy) == PL_FEM_SHELL_TURN;
  for (int32_t e = 0; e < count; ++e) {
    ptrdiff_t at = 3 * (ptrdiff_t)energy->corner_count * e;
    find_weight(energy, U + at, p + (ptrdiff_t)energy->parameter_count * e, &constants[e]);
    if (!turns) constants[e].rest = pl_fem_shell_value(energy, X + at);
  }
  if (turns) kernels_choose()->rest_turns(X, count, constants);
}
