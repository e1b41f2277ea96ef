// Many quadratic tets at a time: the kernel for the plain machine, and the choice between instruction sets.
#include "fem/fem_quadratic_assemble.h"

#include <string.h>

#define KERNEL_NAME pl_fem_assemble_quadratics_plain
#include "fem/fem_quadratic_kernel.h"

pl_fem_quadratic_constants pl_fem_quadratic_constants_of(const pl_fem_density *density, const double *X,
                                                         const double *p) {
  pl_fem_quadratic_constants constants;
  pl_fem_quadratic_rest rest;
  pl_fem_lame lame = pl_fem_density_constants(density, p);
  pl_fem_quadratic_rest_of(X, &rest);
  for (int q = 0; q < PL_FEM_QUADRATIC_POINTS; ++q) {
    memcpy(constants.gradients[q], rest.B[q][1], sizeof constants.gradients[q]);
    constants.weights[q] = rest.weights[q];
  }
  constants.lambda = lame.lambda;
  constants.mu = lame.mu;
  constants.second = lame.second;
  constants.third = lame.third;
  return constants;
}

void pl_fem_assemble_quadratics(const pl_fem_quadratics *tets, const int32_t *elements, int32_t count, double *energies,
                                double *gradients, double *matrices) {
#if PL_SIMD_HAS_AVX2
  if (PL_SIMD_CAN_AVX2()) {
    pl_fem_assemble_quadratics_avx2(tets, elements, count, energies, gradients, matrices);
    return;
  }
#endif
  pl_fem_assemble_quadratics_plain(tets, elements, count, energies, gradients, matrices);
}
