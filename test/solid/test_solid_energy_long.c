// As test_solid_energy.c: ten thousand steps.
// ctest: physics once long
#include "fixtures/released_solids.h"

static void energy_never_grows_in_ten_thousand_steps(void **state) {
  (void)state;
  release_solids(6, 10000);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(energy_never_grows_in_ten_thousand_steps)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
