// The 8-wide wrapper as compiled for AVX2; passes without a test where the machine has none.
// ctest: unit
#define PL_SIMD_AVX2
#include "math/simd_cases.h"
PL_SIMD_END

int main(void) {
  return PL_SIMD_CAN_AVX2() ? cmocka_run_group_tests(simd_tests, NULL, NULL) : 0;
}
