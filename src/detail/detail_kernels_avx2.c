// The inner loops for AVX2.
#define PL_SIMD_AVX2
#include "math/f4.h"
#include "math/simd.h"

#include "detail/detail_kernels.h"

#if PL_SIMD_HAS_AVX2
#define KERNELS pl_detail_kernels_avx2
#include "detail/detail_kernel.h"
#endif
PL_SIMD_END
