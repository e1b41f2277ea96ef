// Rows of joints in a coupled solve: energy, gradient and Hessian against differences, inside of their bounds and at
// them.
// ctest: derivative
#include <math.h>
#include <string.h>

#include "check.h"
#include "contact/joint_potential.h"

enum { PARTICLES = 4, SIZE = 3 * PARTICLES };

// Two rigid bodies: particles 0 and 1, 2 and 3.
static pl_joint_potential make_row(double low, double high, double multiplier) {
  return (pl_joint_potential){.particles = {0, 2},
                              .centers = {{0.1, 0.2, 0.3}, {-0.4, 0.5, 0.6}},
                              .linear = {{0.6, -0.8, 0}, {-0.6, 0.8, 0}},
                              .angular = {{0.2, 0.1, -0.3}, {0.4, -0.5, 0.1}},
                              .error = 0.02,
                              .low = low,
                              .high = high,
                              .stiffness = 300,
                              .multiplier = multiplier};
}

static const double Z[SIZE] = {0.11, 0.18, 0.33, 0.02, -0.01, 0.03, -0.42, 0.52, 0.6, 0.01, 0.02, -0.02};

static void derivatives_are_those_of_the_energy(void **state) {
  (void)state;
  // Inside; at the upper bound; at the lower one; a limit that is not reached.
  const double bounds[][3] = {{-HUGE_VAL, HUGE_VAL, 5}, {-4, 4, 30}, {-4, 4, -60}, {-HUGE_VAL, 0, 40}};
  for (int k = 0; k < 4; ++k) {
    pl_joint_potential row = make_row(bounds[k][0], bounds[k][1], bounds[k][2]);
    double gradient[SIZE] = {0}, blocks[9 * PARTICLES] = {0};
    pl_joint_potential_evaluate(&row, Z);
    pl_joint_potential_add_gradient(&row, gradient);
    pl_joint_potential_add_blocks(&row, blocks);
    assert_true(row.force >= row.low && row.force <= row.high);
    assert_int_equal(row.holds, k == 0);
    for (int i = 0; i < SIZE; ++i) {
      double e = 1e-6, z[SIZE], d[SIZE] = {0}, product[SIZE] = {0}, ends[2], slopes[2][SIZE] = {{0}};
      d[i] = 1;
      pl_joint_potential_evaluate(&row, Z);
      pl_joint_potential_add_product(&row, d, product);
      for (int side = 0; side < 2; ++side) {
        memcpy(z, Z, sizeof z);
        z[i] += side == 0 ? e : -e;
        ends[side] = pl_joint_potential_evaluate(&row, z);
        pl_joint_potential_add_gradient(&row, slopes[side]);
      }
      check_near(gradient[i], (ends[0] - ends[1]) / (2 * e), 1e-6);
      for (int j = 0; j < SIZE; ++j) check_near(product[j], (slopes[0][j] - slopes[1][j]) / (2 * e), 1e-4);
      for (int j = i / 3 * 3; j < i / 3 * 3 + 3; ++j)
        check_near(blocks[9 * (i / 3) + 3 * (j % 3) + i % 3], product[j], 1e-9);
    }
  }
}

static void what_leaves_its_bound_on_a_step_follows(void **state) {
  (void)state;
  pl_joint_potential row = make_row(-4, 4, 30);
  double d[SIZE] = {0};
  pl_joint_potential_evaluate(&row, Z);
  assert_false(row.holds);
  assert_false(pl_joint_potential_predict(&row, d));
  d[0] = -0.3;  // less error by 0.18 m, 54 N
  assert_true(pl_joint_potential_predict(&row, d));
  assert_true(row.holds && row.force > 4);
}

static void a_side_that_nothing_moves_takes_no_part(void **state) {
  (void)state;
  pl_joint_potential row = make_row(-HUGE_VAL, HUGE_VAL, 5);
  row.particles[1] = -1;
  double gradient[SIZE] = {0}, blocks[9 * PARTICLES];
  for (int i = 0; i < 9 * PARTICLES; ++i) blocks[i] = i % 9 % 4 == 0 ? 100 : 0;
  pl_joint_potential_set_stiffness(&row, blocks, 10);
  // |linear|² + |angular|² over 100.
  check_near(row.stiffness, 10 * 100 / (1 + 0.14), 1e-9);
  pl_joint_potential_evaluate(&row, Z);
  pl_joint_potential_add_gradient(&row, gradient);
  for (int i = 6; i < SIZE; ++i) assert_true(gradient[i] == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_are_those_of_the_energy),
      cmocka_unit_test(what_leaves_its_bound_on_a_step_follows),
      cmocka_unit_test(a_side_that_nothing_moves_takes_no_part),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
