// The kernels of cages for the plain machine, and the choice between instruction sets.
#include "actor/actor_cage.h"

#define KERNEL_NAME pl_cage_kernels_plain
#include "actor/actor_cage_kernel.h"

const pl_cage_kernels *pl_cage_kernels_choose(void) {
#if PL_SIMD_HAS_AVX2
  if (PL_SIMD_CAN_AVX512()) return &pl_cage_kernels_avx512;
  if (PL_SIMD_CAN_AVX2()) return &pl_cage_kernels_avx2;
#endif
  return &pl_cage_kernels_plain;
}
