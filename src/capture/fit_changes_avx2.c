// pl_fit_changes_plain() for AVX2.
#define PL_SIMD_AVX2
#include "capture/fit_changes.h"

#if PL_SIMD_HAS_AVX2
#define KERNEL_NAME pl_fit_changes_avx2
#include "capture/fit_changes_kernel.h"
#endif
PL_SIMD_END
