// Identities of vectors, matrices, quaternions, placements and boxes.
// ctest: unit
#include "fixtures/random_matrices.h"
#include "math/mat3.h"

static void check_vec3_near(pl_vec3 a, pl_vec3 b, double tolerance) {
  check_near(pl_vec3_distance(a, b), 0, tolerance);
}

static void cross_product_is_normal_and_has_the_area(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(1);
  for (int n = 0; n < 1000; ++n) {
    pl_vec3 a = random_vec3(&random), b = random_vec3(&random), c = pl_vec3_cross(a, b);
    check_near(pl_vec3_dot(a, c), 0, 1e-13);
    check_near(pl_vec3_dot(b, c), 0, 1e-13);
    double area2 = pl_vec3_dot(a, a) * pl_vec3_dot(b, b) - pl_vec3_dot(a, b) * pl_vec3_dot(a, b);
    check_near(pl_vec3_dot(c, c), area2, 1e-11);
    check_near(pl_mat3_determinant(pl_mat3_from_columns(a, b, c)), pl_vec3_dot(c, c), 1e-11);
  }
  check_vec3_near(pl_vec3_cross((pl_vec3){1, 0, 0}, (pl_vec3){0, 1, 0}), (pl_vec3){0, 0, 1}, 0);
}

static void units_have_length_one_and_zero_falls_back(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(2);
  pl_vec3 fallback = {0, 0, 1};
  for (int n = 0; n < 1000; ++n) {
    pl_vec3 u = pl_vec3_normalize_or(pl_vec3_scale(random_vec3(&random), pow(10, n % 200 - 100)), fallback);
    check_near(pl_vec3_length(u), 1, 1e-14);
    pl_vec3 p = pl_vec3_perpendicular(u);
    check_near(pl_vec3_length(p), 1, 1e-14);
    check_near(pl_vec3_dot(u, p), 0, 1e-14);
  }
  check_vec3_near(pl_vec3_normalize_or((pl_vec3){0, 0, 0}, fallback), fallback, 0);
  const pl_vec3 axes[] = {{0, 0, 1}, {0, 0, -1}, {1, 0, 0}, {0, -1, 0}, {0, 0, -1 + 1e-16}};
  for (int i = 0; i < 5; ++i) check_near(pl_vec3_dot(axes[i], pl_vec3_perpendicular(axes[i])), 0, 1e-15);
}

static void mixing_and_extremes_work_by_component(void **state) {
  (void)state;
  pl_vec3 a = {1, -2, 3}, b = {5, -6, 7};
  check_vec3_near(pl_vec3_lerp(a, b, 0.25), (pl_vec3){2, -3, 4}, 0);
  check_vec3_near(pl_vec3_min(a, b), (pl_vec3){1, -6, 3}, 0);
  check_vec3_near(pl_vec3_max(a, b), (pl_vec3){5, -2, 7}, 0);
  check_vec3_near(pl_vec3_add_scaled(a, b, -2), (pl_vec3){-9, 10, -11}, 0);
  assert_true(pl_vec3_is_finite(a));
  assert_false(pl_vec3_is_finite((pl_vec3){0, (double)NAN, 0}));
  assert_false(pl_vec3_is_finite((pl_vec3){0, 0, HUGE_VAL}));
}

static void the_adjugate_inverts_up_to_the_determinant(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(3);
  for (int n = 0; n < 1000; ++n) {
    pl_mat3 a = random_mat3(&random), b = random_mat3(&random);
    double det = pl_mat3_determinant(a);
    check_near(mat3_distance(pl_mat3_multiply(a, pl_mat3_adjugate(a)), pl_mat3_diagonal(det, det, det)), 0, 1e-12);
    check_near(pl_mat3_determinant(pl_mat3_multiply(a, b)), det * pl_mat3_determinant(b), 1e-10);
    if (fabs(det) > 0.01)
      check_near(mat3_distance(pl_mat3_multiply(pl_mat3_inverse(a), a), pl_mat3_identity()), 0, 1e-9);
    // Applying a product is applying one after the other; transposing turns the order around.
    pl_vec3 v = random_vec3(&random), w = random_vec3(&random);
    check_vec3_near(pl_mat3_apply(pl_mat3_multiply(a, b), v), pl_mat3_apply(a, pl_mat3_apply(b, v)), 1e-12);
    check_near(pl_vec3_dot(w, pl_mat3_apply(a, v)), pl_vec3_dot(v, pl_mat3_apply(pl_mat3_transpose(a), w)), 1e-12);
    check_near(pl_vec3_dot(w, pl_mat3_apply(pl_mat3_outer(v, w), w)), pl_vec3_dot(v, w) * pl_vec3_dot(w, w), 1e-11);
  }
}

static void a_normalizer_is_a_power_of_two_that_fits(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(4);
  for (int e = -300; e <= 300; e += 7) {
    pl_mat3 a = pl_mat3_scale(random_mat3(&random), pow(10, e));
    double f = pl_mat3_normalizer(a), max = 0;
    int exponent;
    assert_true(frexp(f, &exponent) == 0.5);
    for (int i = 0; i < 9; ++i) max = fmax(max, fabs(f * a.m[i / 3][i % 3]));
    assert_true(max >= 0.5 && max <= 1);
  }
  assert_true(pl_mat3_normalizer(pl_mat3_zero()) == 0);
  assert_true(pl_mat3_normalizer(pl_mat3_diagonal(1, (double)NAN, 1)) == 0);
  assert_true(pl_mat3_normalizer(pl_mat3_diagonal(1, HUGE_VAL, 1)) == 0);
  double min = pl_mat3_normalizer(pl_mat3_diagonal(5e-324, 0, 0));
  assert_true(isfinite(min) && min > 0);
}

static void quaternions_and_matrices_turn_alike(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(5);
  for (int n = 0; n < 1000; ++n) {
    pl_quat a = random_quat(&random), b = random_quat(&random);
    pl_vec3 v = random_vec3(&random);
    pl_mat3 ma = pl_mat3_from_quat(a), mb = pl_mat3_from_quat(b);
    check_is_rotation(ma, 1e-14);
    check_vec3_near(pl_quat_rotate(a, v), pl_mat3_apply(ma, v), 1e-14);
    check_near(mat3_distance(pl_mat3_from_quat(pl_quat_multiply(a, b)), pl_mat3_multiply(ma, mb)), 0, 1e-14);
    check_near(mat3_distance(pl_mat3_from_quat(pl_quat_conjugate(a)), pl_mat3_transpose(ma)), 0, 1e-15);
    check_vec3_near(pl_quat_rotate(pl_quat_conjugate(a), pl_quat_rotate(a, v)), v, 1e-14);
  }
  assert_true(pl_quat_normalize((pl_quat){0, 0, 0, 0}).w == 1);
}

static void rotation_vectors_turn_by_their_length(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(6);
  // Rodrigues' formula, written with matrices.
  for (int n = 0; n < 1000; ++n) {
    pl_vec3 axis = pl_vec3_normalize_or(random_vec3(&random), (pl_vec3){1, 0, 0}), v = random_vec3(&random);
    double angle = pow(10, pl_random_between(&random, -15, 0.5));
    pl_vec3 expected = pl_vec3_scale(v, cos(angle));
    expected = pl_vec3_add_scaled(expected, pl_vec3_cross(axis, v), sin(angle));
    expected = pl_vec3_add_scaled(expected, axis, pl_vec3_dot(axis, v) * (1 - cos(angle)));
    check_vec3_near(pl_quat_rotate(pl_quat_from_rotation_vector(pl_vec3_scale(axis, angle)), v), expected, 1e-14);
    check_vec3_near(pl_quat_rotate(pl_quat_from_axis_angle(pl_vec3_scale(axis, 5), angle), v), expected, 1e-13);
  }
  assert_true(pl_quat_from_rotation_vector((pl_vec3){0, 0, 0}).w == 1);
}

static void slerp_has_constant_speed_on_the_short_way(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(7);
  for (int n = 0; n < 500; ++n) {
    pl_quat a = random_quat(&random);
    pl_vec3 axis = pl_vec3_normalize_or(random_vec3(&random), (pl_vec3){1, 0, 0});
    double angle = n % 5 == 0 ? 1e-3 : pl_random_between(&random, 0.01, 3.1), t = pl_random_unit(&random);
    pl_quat b = pl_quat_multiply(pl_quat_from_axis_angle(axis, angle), a);
    if (n % 2 == 1) b = pl_quat_scale(b, -1);
    pl_quat expected = pl_quat_multiply(pl_quat_from_axis_angle(axis, t * angle), a);
    // Below the switch to straight interpolation the speed is constant to the cube of the half angle.
    check_near(fabs(pl_quat_dot(pl_quat_slerp(a, b, t), expected)), 1, 1e-9);
  }
}

static void placements_compose_and_undo(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(8);
  for (int n = 0; n < 200; ++n) {
    pl_transform a = {random_vec3(&random), random_quat(&random)}, b = {random_vec3(&random), random_quat(&random)};
    pl_vec3 p = random_vec3(&random);
    check_vec3_near(pl_transform_apply(pl_transform_multiply(a, b), p), pl_transform_apply(a, pl_transform_apply(b, p)),
                    1e-13);
    check_vec3_near(pl_transform_apply_inverse(a, pl_transform_apply(a, p)), p, 1e-13);
  }
  check_vec3_near(pl_transform_apply(pl_transform_identity(), (pl_vec3){1, 2, 3}), (pl_vec3){1, 2, 3}, 0);
}

static void boxes_hold_what_they_were_given(void **state) {
  (void)state;
  pl_box box = pl_box_empty();
  check_near(pl_box_diagonal(box), 0, 0);
  box = pl_box_add_point(pl_box_add_point(box, (pl_vec3){1, 5, 3}), (pl_vec3){4, 1, 3});
  check_near(pl_box_diagonal(box), 5, 1e-15);
  check_vec3_near(pl_box_center(box), (pl_vec3){2.5, 3, 3}, 1e-15);
  pl_box grown = pl_box_expand(box, 0.5);
  check_vec3_near(grown.min, (pl_vec3){0.5, 0.5, 2.5}, 0);
  pl_box far = {{6, 0, 0}, {7, 9, 9}};
  assert_false(pl_box_overlaps(box, far));
  assert_true(pl_box_overlaps(pl_box_expand(box, 2), far));
  assert_true(pl_box_overlaps(pl_box_merge(box, far), far));
  assert_false(pl_box_overlaps(pl_box_empty(), far));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cross_product_is_normal_and_has_the_area),
      cmocka_unit_test(units_have_length_one_and_zero_falls_back),
      cmocka_unit_test(mixing_and_extremes_work_by_component),
      cmocka_unit_test(the_adjugate_inverts_up_to_the_determinant),
      cmocka_unit_test(a_normalizer_is_a_power_of_two_that_fits),
      cmocka_unit_test(quaternions_and_matrices_turn_alike),
      cmocka_unit_test(rotation_vectors_turn_by_their_length),
      cmocka_unit_test(slerp_has_constant_speed_on_the_short_way),
      cmocka_unit_test(placements_compose_and_undo),
      cmocka_unit_test(boxes_hold_what_they_were_given),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
