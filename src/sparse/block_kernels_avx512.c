// The kernels of block matrices for AVX-512.
#define PL_SIMD_AVX512
#include "math/simd.h"

#include "sparse/block_kernels.h"

#if PL_SIMD_HAS_AVX2
#define KERNEL_NAME pl_block_kernels_avx512
#include "sparse/block_kernel.h"
#endif
PL_SIMD_END
