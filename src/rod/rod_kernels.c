// The inner loops for the plain machine, and the choice between instruction sets.
#include "rod/rod_kernels.h"

#include "math/rotation_batch.h"
#include "math/simd.h"

#define KERNELS pl_rod_kernels_plain
#include "rod/rod_kernel.h"

const pl_rod_kernels *pl_rod_kernels_choose(void) {
#if PL_SIMD_HAS_AVX2
  if (PL_SIMD_CAN_AVX2()) return &pl_rod_kernels_avx2;
#endif
  return &pl_rod_kernels_plain;
}
