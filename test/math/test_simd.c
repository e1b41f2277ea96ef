// The 8-wide wrapper as compiled for the plain machine.
// ctest: unit
#include "math/simd_cases.h"

int main(void) {
  return cmocka_run_group_tests(simd_tests, NULL, NULL);
}
