// Eigenvalues and singular values rebuild their matrix, in order, with proper rotations, for any size and rank.
// ctest: unit
#include "fixtures/random_matrices.h"
#include "math/jacobi.h"
#include "math/mat3.h"
#include "math/rotation.h"

static pl_mat3 rebuild(pl_mat3 u, pl_vec3 s, pl_mat3 v) {
  return pl_mat3_multiply(pl_mat3_multiply(u, pl_mat3_diagonal(s.x, s.y, s.z)), pl_mat3_transpose(v));
}

static void check_eigen(pl_mat3 a) {
  pl_vec3 values;
  pl_mat3 vectors;
  pl_symmetric_eigen(a, &values, &vectors);
  check_is_rotation(vectors, 1e-13);
  assert_true(values.x >= values.y && values.y >= values.z);
  check_near(mat3_distance(rebuild(vectors, values, vectors), a), 0, 1e-13 * pl_mat3_norm(a));
}

static void check_svd(pl_mat3 a) {
  pl_mat3 u, v;
  pl_vec3 s;
  pl_signed_svd(a, &u, &s, &v);
  check_is_rotation(u, 1e-13);
  check_is_rotation(v, 1e-13);
  assert_true(s.x >= s.y && s.y >= fabs(s.z));
  check_near(mat3_distance(rebuild(u, s, v), a), 0, 1e-13 * pl_mat3_norm(a));
}

static void random_matrices_are_rebuilt(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(1);
  for (int n = 0; n < 5000; ++n) {
    pl_mat3 a = pl_mat3_scale(random_mat3(&random), pow(10, n % 41 - 20));
    check_svd(a);
    check_eigen(pl_mat3_add(a, pl_mat3_transpose(a)));
    check_eigen(pl_mat3_multiply(pl_mat3_transpose(a), a));
  }
}

static void equal_and_vanishing_values_are_no_trouble(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(2);
  const double stretches[][3] = {{1, 1, 1},      {1, 1, -1},    {2, 1, 1},         {2, 2, 1},    {1, 1, 0},
                                 {1, 0, 0},      {1, 1, 1e-15}, {1, 1e-15, 1e-15}, {1, 1e-9, 0}, {1, 1 - 1e-12, 0},
                                 {1, 1e-150, 0}, {3, 2, -2},    {1, 1e-8, 1e-16}};
  for (size_t c = 0; c < sizeof stretches / sizeof stretches[0]; ++c)
    for (int n = 0; n < 200; ++n) {
      pl_mat3 a = mat3_of_stretches(&random, stretches[c][0], stretches[c][1], stretches[c][2]);
      check_svd(a);
      pl_mat3 q = pl_mat3_from_quat(random_quat(&random));
      pl_mat3 s = rebuild(q, (pl_vec3){stretches[c][0], stretches[c][1], stretches[c][2]}, q);
      check_eigen(pl_mat3_scale(pl_mat3_add(s, pl_mat3_transpose(s)), 0.5));
    }
}

static void known_values_are_found(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(3);
  for (int n = 0; n < 1000; ++n) {
    double s[3] = {pl_random_between(&random, 2, 3), pl_random_between(&random, 1, 2),
                   pl_random_between(&random, -1, 1)};
    pl_mat3 u, v;
    pl_vec3 found;
    pl_signed_svd(mat3_of_stretches(&random, s[0], s[1], s[2]), &u, &found, &v);
    check_near(found.x, s[0], 1e-13);
    check_near(found.y, s[1], 1e-13);
    check_near(found.z, s[2], 1e-13);
    pl_mat3 q = pl_mat3_from_quat(random_quat(&random));
    pl_symmetric_eigen(rebuild(q, (pl_vec3){s[2], s[0], s[1]}, q), &found, &v);
    check_near(found.x, s[0], 1e-13);
    check_near(found.y, s[1], 1e-13);
    check_near(found.z, s[2], 1e-13);
  }
}

// Going through the eigenvalues of aᵀa would leave errors of 1e-8.
static void small_singular_values_keep_their_digits(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(4);
  for (int n = 0; n < 500; ++n) {
    pl_mat3 u, v;
    pl_vec3 s;
    pl_signed_svd(mat3_of_stretches(&random, 1, 1e-6, 1e-9), &u, &s, &v);
    check_near(s.y, 1e-6, 1e-15);
    check_near(s.z, 1e-9, 1e-15);
  }
}

static void zero_and_diagonal_matrices_are_exact(void **state) {
  (void)state;
  pl_mat3 u, v;
  pl_vec3 s;
  pl_signed_svd(pl_mat3_zero(), &u, &s, &v);
  check_is_rotation(u, 0);
  check_is_rotation(v, 0);
  check_near(pl_vec3_length(s), 0, 0);
  pl_symmetric_eigen(pl_mat3_zero(), &s, &v);
  check_is_rotation(v, 0);
  check_near(pl_vec3_length(s), 0, 0);
  pl_symmetric_eigen(pl_mat3_diagonal(-1, 5, 2), &s, &v);
  assert_true(s.x == 5 && s.y == 2 && s.z == -1);
  pl_signed_svd(pl_mat3_diagonal(1, -3, 2), &u, &s, &v);
  assert_true(s.x == 3 && s.y == 2 && s.z == -1);
  check_svd((pl_mat3){{{0, 0, 0}, {0, 0, 7}, {0, 0, 0}}});
  // Not finite: ends, with rotations.
  pl_signed_svd(pl_mat3_diagonal(1, (double)NAN, HUGE_VAL), &u, &s, &v);
  check_is_rotation(u, 0);
}

static void four_by_four_matrices_are_rebuilt(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(5);
  for (int n = 0; n < 1000; ++n) {
    double a[4][4], d[4][4], v[4][4];
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j <= i; ++j) a[i][j] = a[j][i] = d[i][j] = d[j][i] = pl_random_normal(&random);
    pl_jacobi_eigen(4, d, v);
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) {
        double element = 0, product = 0;
        for (int k = 0; k < 4; ++k) {
          element += v[i][k] * d[k][k] * v[j][k];
          product += v[i][k] * v[j][k];
        }
        check_near(element, a[i][j], 1e-13);
        check_near(product, i == j, 1e-14);
      }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_matrices_are_rebuilt),
      cmocka_unit_test(equal_and_vanishing_values_are_no_trouble),
      cmocka_unit_test(known_values_are_found),
      cmocka_unit_test(small_singular_values_keep_their_digits),
      cmocka_unit_test(zero_and_diagonal_matrices_are_exact),
      cmocka_unit_test(four_by_four_matrices_are_rebuilt),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
