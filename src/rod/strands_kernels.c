// The inner loop of strands for the plain machine, and the choice between instruction sets.
#include "math/simd.h"

#define KERNELS pl_strands_kernels_plain
#include "rod/strands_kernel.h"

const pl_strands_kernels *pl_strands_kernels_choose(void) {
#if PL_SIMD_HAS_AVX2
  if (PL_SIMD_CAN_AVX2()) return &pl_strands_kernels_avx2;
#endif
  return &pl_strands_kernels_plain;
}
