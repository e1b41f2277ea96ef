// The inner loops for AVX2.
#define PL_SIMD_AVX2
#include "math/quat_batch.h"
#include "math/rotation_batch.h"
#include "solid/solid_kernels.h"

#if PL_SIMD_HAS_AVX2
#define KERNELS pl_solid_kernels_avx2
#include "solid/solid_kernel.h"
#endif
PL_SIMD_END
