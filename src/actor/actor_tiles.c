// The kernels of tiles for the plain machine, and the choice between instruction sets.
#include "actor/actor_tiles.h"

#define KERNEL_NAME pl_tile_kernels_plain
#include "actor/actor_tiles_kernel.h"

const pl_tile_kernels *pl_tile_kernels_choose(void) {
#if PL_SIMD_HAS_AVX2
  if (PL_SIMD_CAN_AVX512()) return &pl_tile_kernels_avx512;
  if (PL_SIMD_CAN_AVX2()) return &pl_tile_kernels_avx2;
#endif
  return &pl_tile_kernels_plain;
}
