// The inner loops for AVX2.
#define PL_SIMD_AVX2
#include "math/simd.h"

#include "math/rotation_batch.h"
#include "rod/rod_kernels.h"

#if PL_SIMD_HAS_AVX2
#define KERNELS pl_rod_kernels_avx2
#include "rod/rod_kernel.h"
#endif
PL_SIMD_END
