// A block under gravity and a cantilever of quadratic tets through CalculiX, where it is installed: the same meshes
// agree within 0.5 %. Cook's membrane and the cylinder are in test_element_cases.c.
// ctest: physics once long
#include "check_calculix.h"

static void block_and_beam_agree_with_calculix(void **unused) {
  (void)unused;
  static const double ratios[3] = {0.3, 0.45, 0.499};
  for (int n = 0; n < 3; ++n)
    compare_with_calculix(
        (const calculix_case[]){{ELEMENT_BLOCK, 8, ratios[n], 1, 0.005}, {ELEMENT_BEAM, 8, ratios[n], 1, 0.005}}, 2,
        false);
}

static void beam_without_the_cure_is_that_of_calculix(void **unused) {
  (void)unused;
  static const double ratios[4] = {0.3, 0.45, 0.499, 0.4999};
  for (int n = 0; n < 4; ++n)
    compare_with_calculix((const calculix_case[]){{ELEMENT_BEAM, 4, ratios[n], 1, 2e-6}}, 1, true);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(beam_without_the_cure_is_that_of_calculix),
      cmocka_unit_test(block_and_beam_agree_with_calculix),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
