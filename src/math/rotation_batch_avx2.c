// pl_rotation_batch() for AVX2.
#define PL_SIMD_AVX2
#include "math/rotation_batch.h"

#if PL_SIMD_HAS_AVX2
#define KERNEL_NAME pl_rotation_batch_avx2
#define WIDTH 8
#include "math/rotation_batch_kernel.h"
#endif
PL_SIMD_END
