// The rotation found maximises trace(Rᵀ a) over all rotations, from any guess, for any matrix.
// ctest: unit
#include "fixtures/random_matrices.h"
#include "math/mat3.h"
#include "math/rotation.h"

// Independent reference: with a = u diag(s) vᵀ, u and v rotations, the largest trace is s0 + s1 + s2 and u vᵀ reaches
// it.
static double best_trace(pl_mat3 a) {
  pl_mat3 u, v;
  pl_vec3 s;
  pl_signed_svd(a, &u, &s, &v);
  return s.x + s.y + s.z;
}

static void check_best(pl_mat3 a, pl_quat guess) {
  pl_quat q = pl_rotation_of_mat3(a, guess);
  check_near(pl_quat_dot(q, q), 1, 1e-14);
  double size = pl_mat3_norm(a);
  check_near(mat3_dot(pl_mat3_from_quat(q), a), best_trace(a), 1e-13 * size);
}

static void no_random_rotation_does_better(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(1);
  for (int n = 0; n < 100; ++n) {
    pl_mat3 a = random_mat3(&random);
    double found = mat3_dot(pl_mat3_from_quat(pl_rotation_of_mat3(a, random_quat(&random))), a), best = -HUGE_VAL;
    for (int k = 0; k < 1000; ++k) best = fmax(best, mat3_dot(pl_mat3_from_quat(random_quat(&random)), a));
    check_at_most(best, found);
    // Nor does a small turn of the answer.
    for (int k = 0; k < 20; ++k) {
      pl_quat q = pl_rotation_of_mat3(a, pl_quat_identity());
      q = pl_quat_multiply(q, pl_quat_from_rotation_vector(pl_vec3_scale(random_vec3(&random), 1e-3)));
      check_at_most(mat3_dot(pl_mat3_from_quat(q), a), found + 1e-13);
    }
  }
}

static void any_guess_reaches_the_best(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(2);
  for (int n = 0; n < 20000; ++n) check_best(random_mat3(&random), random_quat(&random));
}

static void guesses_off_by_half_a_turn_reach_the_best(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(3);
  for (int n = 0; n < 3000; ++n) {
    pl_quat truth = random_quat(&random);
    pl_mat3 stretch = pl_mat3_diagonal(3, 2, n % 2 == 0 ? 1 : -0.5);
    pl_mat3 a = pl_mat3_multiply(pl_mat3_from_quat(truth), stretch);
    // Around a principal axis the guess is a saddle point exactly; around any other nearly a minimum.
    pl_vec3 axis = n % 3 == 0 ? (pl_vec3){1, 0, 0} : n % 3 == 1 ? (pl_vec3){0, 0, 1} : random_vec3(&random);
    double off = n % 4 == 0 ? 0 : pow(10, -(n % 16));
    pl_quat guess = pl_quat_multiply(truth, pl_quat_from_axis_angle(axis, PL_PI - off));
    check_best(a, guess);
    check_near(fabs(pl_quat_dot(pl_rotation_of_mat3(a, guess), truth)), 1, 1e-13);
  }
}

static void a_good_guess_gives_the_rotation_to_all_digits(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(4);
  for (int n = 0; n < 3000; ++n) {
    pl_quat truth = random_quat(&random), axes = random_quat(&random);
    pl_mat3 v = pl_mat3_from_quat(axes);
    pl_mat3 s = pl_mat3_multiply(pl_mat3_multiply(v, pl_mat3_diagonal(1, 0.5, 0.1)), pl_mat3_transpose(v));
    pl_mat3 a = pl_mat3_multiply(pl_mat3_from_quat(truth), s);
    pl_quat guess = pl_quat_multiply(truth, pl_quat_from_rotation_vector(pl_vec3_scale(random_vec3(&random), 0.1)));
    pl_quat q = pl_rotation_of_mat3(a, guess);
    double sign = pl_quat_dot(truth, guess) < 0 ? -1 : 1;
    check_near(q.x, sign * truth.x, 1e-14);
    check_near(q.y, sign * truth.y, 1e-14);
    check_near(q.z, sign * truth.z, 1e-14);
    check_near(q.w, sign * truth.w, 1e-14);
    // The stretch that is left is the one put in.
    check_near(mat3_distance(pl_right_stretch(a, q), s), 0, 1e-13);
  }
}

static void flat_inverted_and_thin_matrices_work(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(5);
  const double stretches[][3] = {{1, 1, 1},     {1, 1, -1},         {1, 0.5, -0.5}, {1, 0.5, -0.4999999},
                                 {1, 1, 0},     {1, 0.5, 0},        {1, 0, 0},      {1, 1e-6, 0},
                                 {1, 1e-12, 0}, {1, 1e-15, -1e-15}, {1, 1, -1e-9},  {1, 1e-3, -1e-3},
                                 {2, 1, -1},    {1, 1e-8, 1e-8}};
  for (size_t c = 0; c < sizeof stretches / sizeof stretches[0]; ++c)
    for (int n = 0; n < 300; ++n) {
      pl_mat3 a = mat3_of_stretches(&random, stretches[c][0], stretches[c][1], stretches[c][2]);
      check_best(a, random_quat(&random));
      check_best(a, pl_quat_identity());
    }
}

static void the_size_of_the_matrix_does_not_matter(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(6);
  for (int n = 0; n < 200; ++n) {
    pl_mat3 a = random_mat3(&random);
    pl_quat guess = random_quat(&random), q = pl_rotation_of_mat3(a, guess);
    for (int e = -20; e <= 20; e += 5) check_best(pl_mat3_scale(a, pow(10, e)), guess);
    // By powers of two not even a bit changes.
    for (int e = -900; e <= 900; e += 300) {
      pl_quat other = pl_rotation_of_mat3(pl_mat3_scale(a, ldexp(1, e)), guess);
      assert_memory_equal(&other, &q, sizeof q);
    }
  }
  pl_quat tiny = pl_rotation_of_mat3(pl_mat3_diagonal(1e-310, 1e-310, 1e-310), (pl_quat){0.1, 0.2, 0.3, 0.9});
  check_near(tiny.w, 1, 1e-12);
}

static void no_matrix_leaves_the_guess(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(7);
  pl_quat guess = random_quat(&random);
  const pl_mat3 nothing[] = {pl_mat3_zero(), pl_mat3_diagonal((double)NAN, 1, 1), pl_mat3_diagonal(1, HUGE_VAL, 1)};
  for (int i = 0; i < 3; ++i) check_near(pl_quat_dot(pl_rotation_of_mat3(nothing[i], guess), guess), 1, 1e-15);
  // A guess that is none counts as the identity.
  const pl_quat none[] = {{0, 0, 0, 0}, {(double)NAN, 0, 0, 1}, {HUGE_VAL, 0, 0, 0}};
  for (int i = 0; i < 3; ++i) {
    assert_true(pl_rotation_of_mat3(pl_mat3_zero(), none[i]).w == 1);
    check_best(random_mat3(&random), none[i]);
  }
}

// A line of particles says nothing about the turn around itself; the guess decides, so that it does not spin.
static void what_the_matrix_leaves_open_follows_the_guess(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(8);
  for (int n = 0; n < 500; ++n) {
    pl_quat truth = random_quat(&random);
    pl_vec3 rest = pl_vec3_normalize_or(random_vec3(&random), (pl_vec3){1, 0, 0}), now = pl_quat_rotate(truth, rest);
    pl_mat3 a = pl_mat3_outer(now, rest);
    // Already a maximum: it stays.
    check_near(fabs(pl_quat_dot(pl_rotation_of_mat3(a, truth), truth)), 1, 1e-12);
    // From elsewhere the shortest turn that brings the line into place.
    pl_vec3 axis = pl_vec3_normalize_or(pl_vec3_cross(now, random_vec3(&random)), (pl_vec3){1, 0, 0});
    pl_quat guess = pl_quat_multiply(pl_quat_from_axis_angle(axis, 0.3), truth);
    check_near(fabs(pl_quat_dot(pl_rotation_of_mat3(a, guess), truth)), 1, 1e-12);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_random_rotation_does_better),
      cmocka_unit_test(any_guess_reaches_the_best),
      cmocka_unit_test(guesses_off_by_half_a_turn_reach_the_best),
      cmocka_unit_test(a_good_guess_gives_the_rotation_to_all_digits),
      cmocka_unit_test(flat_inverted_and_thin_matrices_work),
      cmocka_unit_test(the_size_of_the_matrix_does_not_matter),
      cmocka_unit_test(no_matrix_leaves_the_guess),
      cmocka_unit_test(what_the_matrix_leaves_open_follows_the_guess),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
