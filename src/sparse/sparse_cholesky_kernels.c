// The inner loops of the sparse Cholesky factor for the plain machine, and the choice between instruction sets.
#include "sparse/sparse_cholesky_kernels.h"

#include <math.h>

#define KERNELS pl_sparse_cholesky_kernels_plain
#include "sparse/sparse_cholesky_kernel.h"

const pl_sparse_cholesky_kernels *pl_sparse_cholesky_kernels_choose(void) {
#if PL_SIMD_HAS_AVX2
  if (PL_SIMD_CAN_AVX2()) return &pl_sparse_cholesky_kernels_avx2;
#endif
  return &pl_sparse_cholesky_kernels_plain;
}
