// The kernels of tiles for AVX2.
#define PL_SIMD_AVX2
#include "math/simd.h"

#include "actor/actor_tiles.h"

#if PL_SIMD_HAS_AVX2
#define KERNEL_NAME pl_tile_kernels_avx2
#include "actor/actor_tiles_kernel.h"
#endif
PL_SIMD_END
