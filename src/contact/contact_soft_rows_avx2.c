// The kernels for AVX2.
#define PL_SIMD_AVX2
#include "math/simd.h"

#include "contact/contact_soft_rows.h"

#if PL_SIMD_HAS_AVX2
#define BUILD_NAME pl_soft_build_avx2
#define START_NAME pl_soft_start_avx2
#define SWEEP_NAME pl_soft_sweep_avx2
#define SCREEN_NAME pl_soft_screen_avx2
#include "contact/contact_settle_kernel.h"
#include "contact/contact_soft_kernel.h"
#include "contact/contact_soft_sweep_kernel.h"
#endif
PL_SIMD_END
