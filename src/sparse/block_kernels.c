// The kernels of block matrices for the plain machine, and the choice between instruction sets.
#include "sparse/block_kernels.h"

#include "math/simd.h"

#define KERNEL_NAME pl_block_kernels_plain
#include "sparse/block_kernel.h"

const pl_block_kernels *pl_block_kernels_choose(void) {
#if PL_SIMD_HAS_AVX2
  if (PL_SIMD_CAN_AVX512()) return &pl_block_kernels_avx512;
  if (PL_SIMD_CAN_AVX2()) return &pl_block_kernels_avx2;
#endif
  return &pl_block_kernels_plain;
}
