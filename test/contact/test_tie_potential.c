// Attached points in a coupled solve: energy, gradient and Hessian against differences, hard and by springs.
// ctest: derivative
#include <math.h>
#include <string.h>

#include "check.h"
#include "contact/tie_potential.h"
#include "pliant/math.h"

enum { PARTICLES = 5, SIZE = 3 * PARTICLES };

static const double Z[SIZE] = {0.11, 0.18, 0.33, 0.02, -0.01, 0.03, -0.42, 0.52, 0.6, 0.01, 0.02, -0.02, 0.2, 0.1, 0};

// Three particles on side a, a rigid body (particles 3 and 4) on side b.
static pl_tie_potential make_tie(double spring, double drag) {
  return (pl_tie_potential){.count = 4,
                            .particles = {0, 1, 2, 3},
                            .weights = {0.5, 0.3, 0.2, -1},
                            .turn_count = 1,
                            .turns = {4},
                            .levers = {{0.3, -0.2, 0.5}},
                            .fixed = {0.1, 0, -0.2},
                            .goal = {0.01, 0, 0},
                            .start = {0.02, 0.01, 0},
                            .spring = spring,
                            .drag = drag,
                            .multiplier = {3, -4, 5}};
}

static void derivatives_are_those_of_the_energy(void **state) {
  (void)state;
  for (int k = 0; k < 2; ++k) {
    pl_tie_potential tie = make_tie(k == 0 ? 0 : 200, k == 0 ? 0 : 50);
    double gradient[SIZE] = {0}, blocks[9 * PARTICLES] = {0}, bodies[9 * PARTICLES];
    for (int i = 0; i < 9 * PARTICLES; ++i) bodies[i] = i % 9 % 4 == 0 ? 100 : 0;
    pl_tie_potential_set_stiffness(&tie, bodies, 10);
    assert_true(tie.stiffness > 0 && (k == 0 || tie.stiffness == 250));
    pl_tie_potential_evaluate(&tie, Z);
    pl_tie_potential_add_gradient(&tie, gradient);
    pl_tie_potential_add_blocks(&tie, blocks);
    for (int i = 0; i < SIZE; ++i) {
      double e = 1e-6, z[SIZE], d[SIZE] = {0}, product[SIZE] = {0}, ends[2];
      d[i] = 1;
      pl_tie_potential_add_product(&tie, d, product);
      for (int side = 0; side < 2; ++side) {
        pl_tie_potential moved = tie;
        double slope[SIZE] = {0};
        memcpy(z, Z, sizeof z);
        z[i] += side == 0 ? e : -e;
        ends[side] = pl_tie_potential_evaluate(&moved, z);
        pl_tie_potential_add_gradient(&moved, slope);
        for (int j = 0; j < SIZE; ++j) check_near(slope[j] - gradient[j], (side == 0 ? e : -e) * product[j], 1e-9);
      }
      check_near(gradient[i], (ends[0] - ends[1]) / (2 * e), 1e-5);
      for (int j = i / 3 * 3; j < i / 3 * 3 + 3; ++j)
        check_near(blocks[9 * (i / 3) + 3 * (j % 3) + i % 3], product[j], 1e-9);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(derivatives_are_those_of_the_energy)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
