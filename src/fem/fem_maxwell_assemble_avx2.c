// Viscosity of many tets at a time for AVX2.
#define PL_SIMD_AVX2
#include "fem/fem_maxwell_assemble.h"

#if PL_SIMD_HAS_AVX2
#define KERNEL_NAME pl_fem_maxwell_avx2
#include "fem/fem_maxwell_kernel.h"
#endif
PL_SIMD_END
