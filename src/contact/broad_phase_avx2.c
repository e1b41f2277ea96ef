// The walk through the tree for AVX2.
#define PL_SIMD_AVX2
#include "math/simd.h"

#include "contact/broad_phase.h"

#if PL_SIMD_HAS_AVX2
#define KERNEL_NAME pl_broad_walk_on_avx2
#include "contact/broad_phase_kernel.h"
#endif
PL_SIMD_END
