// The kernels of fem_edge_tet_assemble.h for AVX-512: four tets at a time as with AVX2, but with twice the registers.
#define PL_SIMD_AVX512
#include "fem/fem_edge_tet_assemble.h"

#if PL_SIMD_HAS_AVX2
#define KERNEL_NAME pl_fem_edge_tet_kernels_avx512
#include "fem/fem_edge_tet_kernel.h"
#endif
PL_SIMD_END
