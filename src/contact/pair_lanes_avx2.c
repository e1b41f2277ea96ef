// The filters for AVX2.
#define PL_SIMD_AVX2
#include "math/simd.h"

#include "contact/pair_lanes.h"

#if PL_SIMD_HAS_AVX2
#define KERNELS pl_lane_kernels_avx2
#include "contact/pair_lanes_kernel.h"
#endif
PL_SIMD_END
