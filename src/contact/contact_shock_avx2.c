// The kernel for AVX2.
#define PL_SIMD_AVX2
#include "math/simd.h"

#include "contact/contact_shock.h"

#if PL_SIMD_HAS_AVX2
#define KERNEL_NAME pl_shock_run_avx2
#define GROUP_KERNEL_NAME pl_shock_run_group_avx2
#include "contact/contact_shock_kernel.h"
#endif
PL_SIMD_END
