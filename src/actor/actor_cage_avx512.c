// The kernels of cages for AVX-512.
#define PL_SIMD_AVX512
#include "math/simd.h"

#include "actor/actor_cage.h"

#if PL_SIMD_HAS_AVX2
#define KERNEL_NAME pl_cage_kernels_avx512
#include "actor/actor_cage_kernel.h"
#endif
PL_SIMD_END
