// The kernels of sweeps for AVX-512.
#define PL_SIMD_AVX512
#include "math/simd.h"

#include "contact/contact_soft_rows.h"

#if PL_SIMD_HAS_AVX2
#define START_NAME pl_soft_start_avx512
#define SWEEP_NAME pl_soft_sweep_avx512
#include "contact/contact_soft_sweep_kernel.h"
#endif
PL_SIMD_END
