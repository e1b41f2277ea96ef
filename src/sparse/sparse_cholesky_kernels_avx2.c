// The inner loops of the sparse Cholesky factor for AVX2.
#define PL_SIMD_AVX2
#include "sparse/sparse_cholesky_kernels.h"

#include <math.h>

#if PL_SIMD_HAS_AVX2
#define KERNELS pl_sparse_cholesky_kernels_avx2
#include "sparse/sparse_cholesky_kernel.h"
#endif
PL_SIMD_END
