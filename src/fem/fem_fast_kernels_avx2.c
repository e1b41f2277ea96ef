// The inner loops of the fast corotated solid for AVX2.
#define PL_SIMD_AVX2
#include "fem/fem_fast_kernels.h"

#include "math/quat_batch.h"
#include "math/rotation_batch.h"

#if PL_SIMD_HAS_AVX2
#define KERNELS pl_fem_fast_kernels_avx2
#include "fem/fem_fast_kernel.h"
#endif
PL_SIMD_END
