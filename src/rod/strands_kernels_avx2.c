// The inner loop of strands for AVX2.
#define PL_SIMD_AVX2
#include "math/simd.h"

#include "rod/strands.h"

#if PL_SIMD_HAS_AVX2
#define KERNELS pl_strands_kernels_avx2
#include "rod/strands_kernel.h"
#endif
PL_SIMD_END
