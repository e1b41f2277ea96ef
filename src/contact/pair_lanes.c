// The filters for the plain machine, and the choice between instruction sets.
#include "contact/pair_lanes.h"

#include "math/simd.h"

#define KERNELS pl_lane_kernels_plain
#include "contact/pair_lanes_kernel.h"

const pl_lane_kernels *pl_lane_kernels_get(void) {
#if PL_SIMD_HAS_AVX2
  if (PL_SIMD_CAN_AVX2()) return &pl_lane_kernels_avx2;
#endif
  return &pl_lane_kernels_plain;
}
