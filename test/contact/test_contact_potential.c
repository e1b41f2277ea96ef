// Contacts as terms of a potential: derivatives against differences, momentum, and the cone of friction.
// ctest: derivative
#include "contact/contact_potential.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "check.h"
#include "pliant/math.h"

enum { PARTICLES = 7, N = 3 * PARTICLES };

// A point between two particles on a triangle of three others, pressed or not, held or sliding.
static pl_contact_potential make_term(pl_random *random, double gap) {
  pl_vec3 normal = {pl_random_between(random, -1, 1), pl_random_between(random, -1, 1), 1.5};
  normal = pl_vec3_normalize_or(normal, pl_vec3_of(0, 0, 1));
  pl_contact_potential term = {.count = 5,
                               .particles = {0, 1, 2, 3, 4},
                               .weights = {0.3, 0.7, -0.2, -0.5, -0.3},
                               .normal = normal,
                               .friction = 0.6,
                               .stiffness = 40,
                               .normal_multiplier = 3};
  pl_vec3 pull = {pl_random_between(random, -1, 1), pl_random_between(random, -1, 1), pl_random_between(random, -1, 1)};
  term.tangent_multiplier = pl_vec3_add_scaled(pull, normal, -pl_vec3_dot(pull, normal));
  // Every other one with a rigid side: particle 0 is its centre, 6 turns it.
  if (pl_random_between(random, 0, 1) < 0.5) {
    term.turn_count = 1;
    term.turns[0] = 6;
    term.levers[0] = (pl_vec3){pl_random_between(random, -1, 1), 0.4, pl_random_between(random, -1, 1)};
    term.fixed = (pl_vec3){0.01, -0.01, 0.005};
  }
  term.offset = pl_vec3_dot(term.fixed, normal) - gap;
  return term;
}

static void place(pl_random *random, double *z) {
  for (int i = 0; i < N; ++i) z[i] = pl_random_between(random, -0.02, 0.02);
}

static void gradient_and_product_are_those_of_the_energy(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(4);
  int pressed = 0, sliding = 0;
  for (int k = 0; k < 200; ++k) {
    double z[N], moved[N], d[N], gradient[N] = {0}, product[N] = {0}, blocks[9 * PARTICLES] = {0};
    pl_contact_potential term = make_term(&random, k % 4 == 0 ? 0.2 : 0);
    place(&random, z);
    for (int i = 0; i < N; ++i) d[i] = pl_random_between(&random, -1, 1);
    pl_contact_potential_evaluate(&term, z, true);
    pressed += term.force > 0;
    sliding += term.grip > 0 && pl_vec3_length(term.slide) > 0;
    pl_contact_potential_add_gradient(&term, gradient);
    pl_contact_potential_add_product(&term, d, product);
    pl_contact_potential_add_blocks(&term, blocks);
    double energies[2], slopes[2][N], e = 1e-6, slope = 0;
    for (int way = 0; way < 2; ++way) {
      pl_contact_potential other = term;  // with the cap as it is
      for (int i = 0; i < N; ++i) moved[i] = z[i] + (way == 0 ? e : -e) * d[i];
      energies[way] = pl_contact_potential_evaluate(&other, moved, false);
      memset(slopes[way], 0, sizeof slopes[way]);
      pl_contact_potential_add_gradient(&other, slopes[way]);
    }
    for (int i = 0; i < N; ++i) slope += gradient[i] * d[i];
    assert_true(fabs((energies[0] - energies[1]) / (2 * e) - slope) < 1e-6 * (1 + fabs(slope)));
    double sum[3] = {0};
    for (int i = 0; i < N; ++i) {
      assert_true(fabs((slopes[0][i] - slopes[1][i]) / (2 * e) - product[i]) < 1e-4 * (1 + fabs(product[i])));
      if (i < 18) sum[i % 3] += gradient[i];  // the seventh turns
    }
    for (int c = 0; c < 3; ++c) assert_true(fabs(sum[c]) < 1e-12);
    // Diagonal blocks are the products with single particles.
    double unit[N] = {0}, column[N] = {0};
    unit[4] = 1;
    pl_contact_potential_add_product(&term, unit, column);
    for (int c = 0; c < 3; ++c) assert_true(fabs(column[3 + c] - blocks[9 + 3 * c + 1]) < 1e-12);
    double turn[N] = {0}, turned[N] = {0};
    turn[18] = 1;
    pl_contact_potential_add_product(&term, turn, turned);
    for (int c = 0; c < 3; ++c) assert_true(fabs(turned[18 + c] - blocks[54 + 3 * c]) < 1e-12);
  }
  assert_true(pressed > 50 && pressed < 200 && sliding > 5);
}

static void friction_stays_in_its_cone(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(5);
  for (int k = 0; k < 100; ++k) {
    double z[N];
    pl_contact_potential term = make_term(&random, 0);
    place(&random, z);
    pl_contact_potential_evaluate(&term, z, true);
    assert_true(term.force >= 0);
    assert_true(pl_vec3_length(term.tangent) <= term.friction * term.force * (1 + 1e-12));
    assert_true(fabs(pl_vec3_dot(term.tangent, term.normal)) < 1e-12);
  }
}

// A mass above a plane, drawn down or along by a spring: one step of Newton's method, predicted, ends in the minimum on
// the other side of a kink, where a plain one overshoots it.
static void a_predicted_step_ends_beyond_the_kink(void **state) {
  (void)state;
  for (int kind = 0; kind < 2; ++kind) {
    // Apart and to meet; or pressed with 4 N, sliding along x and to hold.
    pl_contact_potential term = {.count = 1,
                                 .weights = {1},
                                 .normal = {0, 1, 0},
                                 .friction = 0.5,
                                 .stiffness = 80,
                                 .normal_multiplier = kind == 0 ? 0 : 4};
    double inertia = 10, z[3] = {kind == 0 ? 0 : -0.3, kind == 0 ? 0.1 : 0, 0};
    double goal[3] = {kind == 0 ? 0 : 0.02, kind == 0 ? -0.2 : 0, 0}, d[3];
    double plain = 0;
    for (int round = 0; round < 2; ++round) {
      double gradient[3] = {0}, blocks[9] = {0};
      if (round == 0) pl_contact_potential_evaluate(&term, z, true);
      if (round == 1) assert_true(pl_contact_potential_predict(&term, d));
      pl_contact_potential_add_gradient(&term, gradient);
      pl_contact_potential_add_blocks(&term, blocks);
      for (int i = 0; i < 3; ++i) {
        gradient[i] += inertia * (z[i] - goal[i]);
        d[i] = -gradient[i] / (blocks[4 * i] + inertia);
      }
      double end[3] = {z[0] + d[0], z[1] + d[1], z[2] + d[2]}, left[3] = {0}, size = 0;
      pl_contact_potential there = term;
      pl_contact_potential_evaluate(&there, end, false);
      pl_contact_potential_add_gradient(&there, left);
      for (int i = 0; i < 3; ++i) size += fabs(left[i] + inertia * (end[i] - goal[i]));
      if (round == 0)
        plain = size;
      else
        check_near(size, 0, 1e-12);
    }
    assert_true(plain > 1);
    // Predicted once, it stays as it is.
    assert_false(pl_contact_potential_predict(&term, d));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradient_and_product_are_those_of_the_energy),
      cmocka_unit_test(friction_stays_in_its_cone),
      cmocka_unit_test(a_predicted_step_ends_beyond_the_kink),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
