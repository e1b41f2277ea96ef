// As test_fem_energy.c: more seeds, ten thousand steps.
// ctest: physics once long
#include "fixtures/released_bodies.h"

static void energy_never_grows_in_ten_thousand_steps(void **state) {
  (void)state;
  release_all(3, 10000);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(energy_never_grows_in_ten_thousand_steps)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
