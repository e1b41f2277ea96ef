// The kernels for the plain machine, and the choice between instruction sets.
#include "contact/contact_soft_rows.h"

#include "math/simd.h"

#define KERNELS pl_soft_kernels_plain
#include "contact/contact_soft_kernel.h"

const pl_soft_kernels *pl_soft_kernels_get(void) {
#if PL_SIMD_HAS_AVX2
  if (PL_SIMD_CAN_AVX2()) return &pl_soft_kernels_avx2;
#endif
  return &pl_soft_kernels_plain;
}
