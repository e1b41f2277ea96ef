// Eight rotations at a time: the same bits from every version of the kernel, the rotations of the double code to float
// rounding.
// ctest: unit
#include "fixtures/random_matrices.h"
#include "math/mat3.h"
#include "math/rotation.h"
#include "math/rotation_batch.h"

typedef struct batch {
  _Alignas(32) float a[9][8];
  _Alignas(32) float q[4][8];
} batch;

static void set_lane(batch *b, int lane, pl_mat3 a, pl_quat guess) {
  for (int i = 0; i < 9; ++i) b->a[i][lane] = (float)a.m[i / 3][i % 3];
  const double q[4] = {guess.x, guess.y, guess.z, guess.w};
  for (int i = 0; i < 4; ++i) b->q[i][lane] = (float)q[i];
}

static pl_mat3 lane_matrix(const batch *b, int lane) {
  pl_mat3 a;
  for (int i = 0; i < 9; ++i) a.m[i / 3][i % 3] = (double)b->a[i][lane];
  return a;
}

static pl_quat lane_quat_of(const batch *b, int lane) {
  return (pl_quat){(double)b->q[0][lane], (double)b->q[1][lane], (double)b->q[2][lane], (double)b->q[3][lane]};
}

// Matrices of every kind the simulation may produce, with guesses from perfect to wrong.
static void fill_lane(pl_random *random, batch *b, int lane) {
  static const double stretches[][3] = {{1, 0.7, 0.4},   {1, 1, 1},        {1, 0.5, -0.3},  {1, 1, 0},
                                        {1, 0.01, 0.01}, {1, 1, -1},       {1, 0, 0},       {0, 0, 0},
                                        {1, 0.9, 0.1},   {1, 1e-4, -1e-5}, {1, 5e-4, 5e-4}, {1, 4.5e-4, 4.5e-4}};
  const double *s = stretches[pl_random_u32(random) % 12];
  double size = pow(10, pl_random_between(random, -20, 20));
  pl_quat truth = random_quat(random), axes = random_quat(random);
  pl_mat3 v = pl_mat3_from_quat(axes);
  pl_mat3 a = pl_mat3_multiply(pl_mat3_multiply(v, pl_mat3_diagonal(size * s[0], size * s[1], size * s[2])),
                               pl_mat3_transpose(v));
  a = pl_mat3_multiply(pl_mat3_from_quat(truth), a);
  double off = pow(10, pl_random_between(random, -4, 0.5));
  set_lane(b, lane, a, pl_quat_multiply(truth, pl_quat_from_axis_angle(random_vec3(random), off)));
}

static void fill_batch(pl_random *random, batch *b) {
  for (int lane = 0; lane < 8; ++lane) fill_lane(random, b, lane);
}

static void every_version_gives_the_same_bits(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(1);
  for (int n = 0; n < 3000; ++n) {
    batch start;
    fill_batch(&random, &start);
    if (n % 10 == 0) start.a[n % 9][n % 8] = n % 20 == 0 ? NAN : HUGE_VALF;
    batch whole = start, scalar = start;
    pl_rotation_batch(&whole.a[0][0], &whole.q[0][0]);
    pl_rotation_batch_scalar(&scalar.a[0][0], &scalar.q[0][0]);
    assert_memory_equal(whole.q, scalar.q, sizeof whole.q);
#if PL_SIMD_HAS_AVX2
    if (PL_SIMD_CAN_AVX2()) {
      batch plain = start, avx2 = start;
      unsigned lost = pl_rotation_batch_plain(&plain.a[0][0], 0, &plain.q[0][0], 1);
      assert_int_equal(pl_rotation_batch_avx2(&avx2.a[0][0], 0, &avx2.q[0][0], 1), lost);
      assert_memory_equal(plain.q, avx2.q, sizeof plain.q);
    }
#endif
  }
}

// Of several batches at a time: on machines without AVX-512 it is one after the other.
static void many_are_as_one_after_the_other(void **state) {
  (void)state;
  enum { STRIDE = 12 * LANES, MAX = 9 };
  pl_random random = pl_random_of_seed(2);
  for (int n = 0; n < 3000; ++n) {
    int count = n % MAX + 1;
    batch b[MAX];
    _Alignas(32) float a[MAX * STRIDE], q[MAX * QUAT_LANES];
    for (int k = 0; k < count; ++k) {
      fill_batch(&random, &b[k]);
      if (n % 10 == k) b[k].a[n % 9][n % 8] = n % 20 == k ? NAN : HUGE_VALF;
      memcpy(a + STRIDE * k, b[k].a, sizeof b[k].a);
      memcpy(q + QUAT_LANES * k, b[k].q, sizeof b[k].q);
      pl_rotation_batch(&b[k].a[0][0], &b[k].q[0][0]);
    }
    pl_rotation_batch_many(a, STRIDE, q, count);
    for (int k = 0; k < count; ++k) assert_memory_equal(q + QUAT_LANES * k, b[k].q, sizeof b[k].q);
  }
}

static void rotations_are_those_of_the_double_code(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(2);
  double worst = 0;
  for (int n = 0; n < 2000; ++n) {
    batch b;
    for (int lane = 0; lane < 8; ++lane) {
      pl_quat truth = random_quat(&random);
      pl_mat3 v = pl_mat3_from_quat(random_quat(&random));
      pl_mat3 s = pl_mat3_multiply(pl_mat3_multiply(v, pl_mat3_diagonal(1, 0.6, n % 2 == 0 ? 0.3 : -0.2)),
                                   pl_mat3_transpose(v));
      double off = pow(10, pl_random_between(&random, -3, 0));
      pl_mat3 a = pl_mat3_scale(pl_mat3_multiply(pl_mat3_from_quat(truth), s), pow(10, n % 41 - 20));
      set_lane(&b, lane, a, pl_quat_multiply(truth, pl_quat_from_axis_angle(random_vec3(&random), off)));
    }
    batch start = b;
    pl_rotation_batch(&b.a[0][0], &b.q[0][0]);
    for (int lane = 0; lane < 8; ++lane) {
      pl_quat guess = lane_quat_of(&start, lane), q = lane_quat_of(&b, lane);
      pl_quat exact = pl_rotation_of_mat3(lane_matrix(&start, lane), guess);
      pl_quat error = pl_quat_multiply(pl_quat_conjugate(exact), q);
      worst = fmax(worst, 2 * pl_vec3_length((pl_vec3){error.x, error.y, error.z}));
      check_near(pl_quat_dot(q, q), 1, 4e-7);
    }
  }
  printf("worst angle to the double rotation: %.3g\n", worst);
  check_at_most(worst, 2e-6);
}

static void anything_gives_the_best_rotation(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(3);
  for (int n = 0; n < 3000; ++n) {
    batch b;
    fill_batch(&random, &b);
    pl_rotation_batch(&b.a[0][0], &b.q[0][0]);
    for (int lane = 0; lane < 8; ++lane) {
      pl_mat3 a = lane_matrix(&b, lane), u, v;
      pl_vec3 s;
      pl_signed_svd(a, &u, &s, &v);
      pl_quat q = lane_quat_of(&b, lane);
      check_near(pl_quat_dot(q, q), 1, 4e-7);
      // The trace is flat at its maximum, so only the rounding of q itself shows.
      check_near(mat3_dot(pl_mat3_from_quat(q), a), s.x + s.y + s.z, 3e-6 * s.x);
    }
  }
}

static void broken_input_leaves_or_makes_a_rotation(void **state) {
  (void)state;
  batch b;
  pl_quat guess = pl_quat_normalize((pl_quat){1, 2, 3, 4}), zero = {0, 0, 0, 0};
  set_lane(&b, 0, pl_mat3_zero(), guess);
  set_lane(&b, 1, pl_mat3_diagonal((double)NAN, 1, 1), guess);
  set_lane(&b, 2, pl_mat3_diagonal(HUGE_VAL, 1, 1), guess);
  set_lane(&b, 3, pl_mat3_identity(), zero);
  set_lane(&b, 4, pl_mat3_diagonal(1e-42, 1e-42, 1e-42), guess);
  set_lane(&b, 5, pl_mat3_diagonal(1e38, 1e38, 1e38), guess);
  set_lane(&b, 6, pl_mat3_identity(), (pl_quat){(double)NAN, 0, 0, 1});
  set_lane(&b, 7, pl_mat3_identity(), pl_quat_scale(guess, 50));
  pl_rotation_batch(&b.a[0][0], &b.q[0][0]);
  for (int lane = 0; lane < 3; ++lane) check_near(pl_quat_dot(lane_quat_of(&b, lane), guess), 1, 1e-6);
  for (int lane = 3; lane < 8; ++lane) check_near(fabs(lane_quat_of(&b, lane).w), 1, 1e-6);
}

static void a_lane_does_not_depend_on_its_neighbours(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(4);
  for (int n = 0; n < 500; ++n) {
    batch one, other;
    fill_batch(&random, &one);
    fill_batch(&random, &other);
    int from = n % 8, to = n / 8 % 8;
    for (int i = 0; i < 9; ++i) other.a[i][to] = one.a[i][from];
    for (int i = 0; i < 4; ++i) other.q[i][to] = one.q[i][from];
    pl_rotation_batch(&one.a[0][0], &one.q[0][0]);
    pl_rotation_batch(&other.a[0][0], &other.q[0][0]);
    for (int i = 0; i < 4; ++i) assert_memory_equal(&other.q[i][to], &one.q[i][from], sizeof(float));
  }
}

// Bodies in motion must not fall back to double: that would cost ten times as much.
static void moderate_turns_settle_in_float(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(5);
  for (int n = 0; n < 500; ++n) {
    batch b;
    for (int lane = 0; lane < 8; ++lane) {
      pl_quat truth = random_quat(&random);
      pl_mat3 a = pl_mat3_multiply(pl_mat3_from_quat(truth), pl_mat3_diagonal(1, 0.5, 0.25));
      set_lane(&b, lane, a,
               pl_quat_multiply(truth, pl_quat_from_axis_angle(random_vec3(&random), 0.6 * pl_random_unit(&random))));
    }
    assert_int_equal(pl_rotation_batch_plain(&b.a[0][0], 0, &b.q[0][0], 1), 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_version_gives_the_same_bits),
      cmocka_unit_test(many_are_as_one_after_the_other),
      cmocka_unit_test(rotations_are_those_of_the_double_code),
      cmocka_unit_test(anything_gives_the_best_rotation),
      cmocka_unit_test(broken_input_leaves_or_makes_a_rotation),
      cmocka_unit_test(a_lane_does_not_depend_on_its_neighbours),
      cmocka_unit_test(moderate_turns_settle_in_float),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
