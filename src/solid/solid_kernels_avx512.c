// The inner loops for AVX-512: those of bodies side by side add up poses with registers of 16 lanes.
#define PL_SIMD_AVX512
#include "math/quat_batch.h"
#include "math/rotation_batch.h"
#include "solid/solid_kernels.h"

#if PL_SIMD_HAS_AVX2
#define KERNELS pl_solid_kernels_avx512
#include "solid/solid_kernel.h"
#endif
PL_SIMD_END
