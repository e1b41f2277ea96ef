// The kernels for the plain machine, and the choice between instruction sets.
#include "contact/contact_soft_rows.h"

#include "math/simd.h"

#define BUILD_NAME pl_soft_build_plain
#define START_NAME pl_soft_start_plain
#define SWEEP_NAME pl_soft_sweep_plain
#define SCREEN_NAME pl_soft_screen_plain
#include "contact/contact_settle_kernel.h"
#include "contact/contact_soft_kernel.h"
#include "contact/contact_soft_sweep_kernel.h"

const pl_soft_kernels pl_soft_kernels_plain = {pl_soft_build_plain, pl_soft_start_plain, pl_soft_sweep_plain,
                                               pl_soft_screen_plain};
#if PL_SIMD_HAS_AVX2
const pl_soft_kernels pl_soft_kernels_avx2 = {pl_soft_build_avx2, pl_soft_start_avx2, pl_soft_sweep_avx2,
                                              pl_soft_screen_avx2};
// Rows are built, and looked at in the end, four at a time here too: most pairs have too few for eight.
const pl_soft_kernels pl_soft_kernels_avx512 = {pl_soft_build_avx2, pl_soft_start_avx512, pl_soft_sweep_avx512,
                                                pl_soft_screen_avx2};
#endif

const pl_soft_kernels *pl_soft_kernels_get(void) {
#if PL_SIMD_HAS_AVX2
  if (PL_SIMD_CAN_AVX512()) return &pl_soft_kernels_avx512;
  if (PL_SIMD_CAN_AVX2()) return &pl_soft_kernels_avx2;
#endif
  return &pl_soft_kernels_plain;
}
