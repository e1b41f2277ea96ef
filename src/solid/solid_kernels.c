// The inner loops for the plain machine, and the choice between instruction sets.
#include "solid/solid_kernels.h"

#include "math/quat_batch.h"
#include "math/rotation_batch.h"

#define KERNELS pl_solid_kernels_plain
#include "solid/solid_kernel.h"

const pl_solid_kernels *pl_solid_kernels_choose(void) {
#if PL_SIMD_HAS_AVX2
  if (PL_SIMD_CAN_AVX512()) return &pl_solid_kernels_avx512;
  if (PL_SIMD_CAN_AVX2()) return &pl_solid_kernels_avx2;
#endif
  return &pl_solid_kernels_plain;
}
