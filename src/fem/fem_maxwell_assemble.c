// Viscosity of many tets at a time: the kernel for the plain machine, and the choice between instruction sets.
#include "fem/fem_maxwell_assemble.h"

#define KERNEL_NAME pl_fem_maxwell_plain
#include "fem/fem_maxwell_kernel.h"

const pl_fem_maxwell_kernel *pl_fem_maxwell_choose(void) {
#if PL_SIMD_HAS_AVX2
  if (PL_SIMD_CAN_AVX2()) return &pl_fem_maxwell_avx2;
#endif
  return &pl_fem_maxwell_plain;
}
