// The kernels of fem_edge_tet_assemble.h for AVX2.
#define PL_SIMD_AVX2
#include "fem/fem_edge_tet_assemble.h"

#if PL_SIMD_HAS_AVX2
#define KERNEL_NAME pl_fem_edge_tet_kernels_avx2
#include "fem/fem_edge_tet_kernel.h"
#endif
PL_SIMD_END
