// pl_fem_assemble_quadratics() for AVX2.
#define PL_SIMD_AVX2
#include "fem/fem_quadratic_assemble.h"

#if PL_SIMD_HAS_AVX2
#define KERNEL_NAME pl_fem_assemble_quadratics_avx2
#include "fem/fem_quadratic_kernel.h"
#endif
PL_SIMD_END
