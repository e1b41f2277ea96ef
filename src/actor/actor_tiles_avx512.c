// The kernels of tiles for AVX-512.
#define PL_SIMD_AVX512
#include "math/simd.h"

#include "actor/actor_tiles.h"

#if PL_SIMD_HAS_AVX2
#define KERNEL_NAME pl_tile_kernels_avx512
#include "actor/actor_tiles_kernel.h"
#endif
PL_SIMD_END
