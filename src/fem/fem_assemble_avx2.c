// pl_fem_assemble_tets() for AVX2.
#define PL_SIMD_AVX2
#include "fem/fem_assemble.h"

#if PL_SIMD_HAS_AVX2
#define KERNEL_NAME pl_fem_assemble_tets_avx2
#include "fem/fem_assemble_kernel.h"
#endif
PL_SIMD_END
