// The inner loops of the fast corotated solid for the plain machine, and the choice between instruction sets.
#include "fem/fem_fast_kernels.h"

#include "math/quat_batch.h"
#include "math/rotation_batch.h"

#define KERNELS pl_fem_fast_kernels_plain
#include "fem/fem_fast_kernel.h"

const pl_fem_fast_kernels *pl_fem_fast_kernels_choose(void) {
#if PL_SIMD_HAS_AVX2
  if (PL_SIMD_CAN_AVX2()) return &pl_fem_fast_kernels_avx2;
#endif
  return &pl_fem_fast_kernels_plain;
}
