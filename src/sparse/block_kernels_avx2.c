// The kernels of block matrices for AVX2.
#define PL_SIMD_AVX2
#include "math/simd.h"

#include "sparse/block_kernels.h"

#if PL_SIMD_HAS_AVX2
#define KERNEL_NAME pl_block_kernels_avx2
#include "sparse/block_kernel.h"
#endif
PL_SIMD_END
