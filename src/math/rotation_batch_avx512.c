// Two or four batches of pl_rotation_batch() at a time, for AVX-512.
#define PL_SIMD_AVX512
#include "math/rotation_batch.h"

#if PL_SIMD_HAS_AVX2
#define KERNEL_NAME pl_rotation_batch_avx512
#define WIDTH 16
#include "math/rotation_batch_kernel.h"
#endif
PL_SIMD_END
