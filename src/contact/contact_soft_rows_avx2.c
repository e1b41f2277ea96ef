// The kernels for AVX2.
#define PL_SIMD_AVX2
#include "math/simd.h"

#include "contact/contact_soft_rows.h"

#if PL_SIMD_HAS_AVX2
#define KERNELS pl_soft_kernels_avx2
#include "contact/contact_soft_kernel.h"
#endif
PL_SIMD_END
