// Tets follow a posed surface: exactly where they can, without turning over where they cannot.
// ctest: unit threads
#include "fixtures/posed_bars.h"

static pl_status fit(bar *b, pl_pose_def def, pl_pose_report *report) {
  pl_error error = {0};
  pl_status status =
      pl_pose_fit(b->context, &def, &(pl_pose_target){b->tets, b->surface, b->posed}, b->points, report, &error);
  if (status < 0) fail_msg("%s", error.text);
  return status;
}

// Largest distance of a result from where `motion` takes the rest.
static double distance_from(const bar *b, bar_motion *motion, double amount) {
  double max = 0;
  for (int32_t i = 0; i < b->volume.point_count; ++i)
    max = fmax(max, pl_vec3_distance(b->points[i], motion(b->volume.points[i], amount)));
  return max;
}

static pl_vec3 stay(pl_vec3 p, double amount) {
  (void)amount;
  return p;
}

static pl_vec3 move_rigidly(pl_vec3 p, double amount) {
  return pl_vec3_add(pl_quat_rotate(pl_quat_from_axis_angle(pl_vec3_of(1, 2, -0.5), amount), p),
                     pl_vec3_of(3, -20, 0.1));
}

static pl_vec3 squash(pl_vec3 p, double amount) {
  return pl_vec3_of(p.x / sqrt(amount), p.y / sqrt(amount), p.z * amount);
}

static pl_vec3 mirror(pl_vec3 p, double amount) {
  return pl_vec3_of(amount * p.x, p.y, p.z);
}

static void the_rest_is_its_own_fit(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  bar b = bar_make(context, pl_vec3_of(1, 1, 4), 2, 2, 8);
  pl_pose_report report;
  bar_pose(&b, stay, 0);
  assert_int_equal(fit(&b, pl_default_pose_def(), &report), PL_OK);
  check_near(distance_from(&b, stay, 0), 0, 1e-9);
  check_near(report.residual_max, 0, 1e-9);
  check_near(report.min_j, 1, 1e-9);
  check_near(report.max_j, 1, 1e-9);
  check_near(report.volume_ratio, 1, 1e-12);
  assert_int_equal(report.softened_count, 0);
  bar_free(&b);
  drop_context(context);
}

static void a_rigid_motion_is_met_whatever_the_weight(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  bar b = bar_make(context, pl_vec3_of(1, 1, 4), 2, 2, 8);
  pl_pose_report report;
  for (double weight = 1e-3; weight < 1e7; weight *= 1e3)
    for (double angle = 0; angle < 3.2; angle += 0.7) {
      pl_pose_def def = pl_default_pose_def();
      def.weight = weight;
      bar_pose(&b, move_rigidly, angle);
      assert_int_equal(fit(&b, def, &report), PL_OK);
      check_near(distance_from(&b, move_rigidly, angle), 0, 1e-9);
      assert_int_equal(report.inverted_count, 0);
    }
  bar_free(&b);
  drop_context(context);
}

static void an_affine_squash_is_met(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  bar b = bar_make(context, pl_vec3_of(1, 1, 4), 3, 3, 6);
  pl_pose_report report, exact_report;
  pl_pose_def def = pl_default_pose_def();
  bar_pose(&b, squash, 0.5);
  assert_int_equal(fit(&b, def, &report), PL_OK);
  check_at_most(report.residual_max, 1e-3);
  check_near(report.min_j, 1, 0.01);
  check_near(report.max_j, 1, 0.01);
  def.exact = true;
  assert_int_equal(fit(&b, def, &exact_report), PL_OK);
  check_near(distance_from(&b, squash, 0.5), 0, 1e-5);
  printf("  squash: residual %.2g m at weight %g, %.2g m exact\n", report.residual_max, report.weight,
         exact_report.residual_max);
  check_at_most(exact_report.residual_max, 2e-3 * report.residual_max);
  bar_free(&b);
  drop_context(context);
}

static void a_full_twist_inverts_nothing(void **state) {
  (void)state;
  pl_context *context = make_context(0);
  bar b = bar_make(context, pl_vec3_of(1, 1, 4), 4, 4, 16);
  pl_pose_report report;
  for (double turns = 1; turns <= 2; ++turns) {
    bar_pose(&b, bar_twist, turns * 2 * PL_PI);
    assert_int_equal(fit(&b, pl_default_pose_def(), &report), PL_OK);
    printf("  twist of %g°: residual %.2g m rms, %.2g m max, J %.3f to %.3f, %d of %d inverted\n", 360 * turns,
           report.residual_rms, report.residual_max, report.min_j, report.max_j, report.inverted_count,
           b.volume.tet_count);
    assert_int_equal(report.inverted_count, 0);
    assert_int_equal(report.softened_count, 0);
    check_at_most(report.residual_max, 1e-3);
    assert_true(report.residual_rms > 0 && report.residual_rms <= report.residual_max);
    assert_true(report.min_j > 0.4);
    check_at_most(distance_from(&b, bar_twist, turns * 2 * PL_PI), 0.1);
  }
  bar_free(&b);
  drop_context(context);
}

static void a_skinned_elbow_inverts_about_twenty_tets_when_exact(void **state) {
  (void)state;
  pl_context *context = make_context(0);
  bar b = bar_make(context, pl_vec3_of(1, 1, 4), 6, 6, 24);
  pl_pose_def def = pl_default_pose_def();
  def.exact = true;
  pl_pose_report report;
  bar_pose(&b, bar_elbow, PL_PI / 2);
  assert_int_equal(fit(&b, def, &report), PL_OK);
  printf("  exact elbow of 90°: %d of %d tets inverted, least J %.3g, residual %.2g m\n", report.inverted_count,
         b.volume.tet_count, report.min_j, report.residual_max);
  assert_in_range(report.inverted_count, 12, 30);
  check_at_most(report.min_j, -0.01);
  check_at_most(report.residual_max, 1e-5);
  check_near(report.weight, 1e6, 0);
  bar_free(&b);
  drop_context(context);
}

static void a_skinned_elbow_gives_way_at_the_crease_only(void **state) {
  (void)state;
  pl_context *context = make_context(0);
  bar b = bar_make(context, pl_vec3_of(1, 1, 4), 4, 4, 16);
  pl_pose_def def = pl_default_pose_def();
  pl_pose_report report;
  bar_pose(&b, bar_elbow, PL_PI / 2);
  assert_int_equal(fit(&b, def, &report), PL_OK);
  printf("  soft elbow of 90°: weight %.3g at %d of %d points, least J %.3g, residual %.2g m rms, %.2g m max\n",
         report.weight, report.softened_count, b.skin.point_count, report.min_j, report.residual_rms,
         report.residual_max);
  assert_int_equal(report.inverted_count, 0);
  assert_true(report.min_j > 0 && report.weight < def.weight);
  assert_in_range(report.softened_count, 1, b.skin.point_count / 4);
  check_at_most(report.residual_rms, 0.02);
  bar_free(&b);
  drop_context(context);
}

static void even_a_tangle_ends_without_inversion(void **state) {
  (void)state;
  pl_context *context = make_context(0);
  bar b = bar_make(context, pl_vec3_of(1, 1, 4), 2, 2, 8);
  pl_pose_report report;
  for (double angle = 0.7; angle < 0.95; angle += 0.1) {
    bar_pose(&b, bar_elbow, angle * PL_PI);
    assert_true(fit(&b, pl_default_pose_def(), &report) >= 0);
    assert_int_equal(report.inverted_count, 0);
  }
  // A mirror image cannot be met at all; it is known by the volume it encloses.
  bar_pose(&b, mirror, -1);
  assert_true(fit(&b, pl_default_pose_def(), &report) >= 0);
  printf("  mirror image: volume ratio %g, residual %.2g m, weight %g\n", report.volume_ratio, report.residual_max,
         report.weight);
  assert_int_equal(report.inverted_count, 0);
  check_near(report.volume_ratio, -1, 1e-9);
  bar_free(&b);
  drop_context(context);
}

static void energy_never_rises(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  bar b = bar_make(context, pl_vec3_of(1, 1, 4), 3, 3, 10);
  pl_pose_def def = pl_default_pose_def();
  pl_error error = {0};
  bar_motion *const motions[] = {bar_twist, bar_elbow, mirror};
  const double amounts[] = {6, 2, -1};
  for (int m = 0; m < 3; ++m)
    for (double weight = 0.01; weight < 1e5; weight *= 100) {
      pl_pose_fitter fitter;
      check_ok(pl_pose_fitter_build(context, &def, b.tets, b.surface, &fitter, &error), &error);
      bar_pose(&b, motions[m], amounts[m]);
      pl_pose_fitter_begin(&fitter, b.posed);
      pl_pose_fitter_set_weight(&fitter, weight);
      pl_pose_fitter_start(&fitter);
      pl_pose_fitter_rotate(&fitter);
      double energy = pl_pose_fitter_energy(&fitter);
      for (int i = 0; i < 15; ++i) {
        pl_pose_fitter_solve(&fitter);
        double solved = pl_pose_fitter_energy(&fitter);
        check_at_most(solved, energy * (1 + 1e-9));
        pl_pose_fitter_rotate(&fitter);
        energy = pl_pose_fitter_energy(&fitter);
        check_at_most(energy, solved * (1 + 1e-9));
      }
      pl_pose_fitter_destroy(&fitter);
    }
  bar_free(&b);
  drop_context(context);
}

// A finer surface than the tets, partly outside them.
static void a_surface_need_not_be_the_boundary(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  bar b = bar_make(context, pl_vec3_of(2.1, 2.1, 2.1), 5, 5, 5);
  pl_mesh_destroy(b.surface);
  free(b.posed);
  b.surface = sample_sphere(context, 12);
  b.skin = pl_mesh_get_view(b.surface);
  b.posed = malloc((size_t)b.skin.point_count * sizeof *b.posed);
  bar_pose(&b, bar_twist, 4);
  pl_pose_report report;
  assert_true(fit(&b, pl_default_pose_def(), &report) >= 0);
  printf("  sphere in a box: residual %.2g m, least J %.2f, %d iterations\n", report.residual_max, report.min_j,
         report.iteration_count);
  assert_int_equal(report.inverted_count, 0);
  check_at_most(report.residual_max, 0.1);
  bar_free(&b);
  drop_context(context);
}

static void the_number_of_threads_changes_no_bit(void **state) {
  (void)state;
  pl_vec3 *first = NULL;
  for (int32_t threads = 1; threads <= 4; threads += 3) {
    pl_context *context = make_context(threads);
    bar b = bar_make(context, pl_vec3_of(1, 1, 4), 4, 4, 16);
    pl_pose_report report;
    bar_pose(&b, bar_elbow, 1.7);
    assert_true(fit(&b, pl_default_pose_def(), &report) >= 0);
    if (first == NULL) {
      first = b.points;
      b.points = NULL;
    } else {
      assert_memory_equal(first, b.points, (size_t)b.volume.point_count * sizeof *first);
    }
    bar_free(&b);
    drop_context(context);
  }
  free(first);
}

static void wrong_input_is_refused_by_name(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  bar b = bar_make(context, pl_vec3_of(1, 1, 1), 1, 1, 1);
  bar_pose(&b, stay, 0);
  pl_error error = {0};
  pl_pose_def def = pl_default_pose_def();
  def.weight = -1;
  assert_int_equal(pl_pose_fit(context, &def, &(pl_pose_target){b.tets, b.surface, b.posed}, b.points, NULL, &error),
                   PL_ERROR_INVALID_ARGUMENT);
  assert_string_equal(error.field, "weight");
  def = pl_default_pose_def();
  assert_int_equal(pl_pose_fit(context, &def, &(pl_pose_target){b.surface, b.surface, b.posed}, b.points, NULL, &error),
                   PL_ERROR_INVALID_DATA);
  assert_non_null(strstr(error.text, "no tets"));
  b.posed[3].y = (double)NAN;
  assert_int_equal(pl_pose_fit(context, &def, &(pl_pose_target){b.tets, b.surface, b.posed}, b.points, NULL, &error),
                   PL_ERROR_INVALID_DATA);
  assert_non_null(strstr(error.text, "point 3"));
  b.posed[3].y = 1e250;
  assert_int_equal(pl_pose_fit(context, &def, &(pl_pose_target){b.tets, b.surface, b.posed}, b.points, NULL, &error),
                   PL_ERROR_NOT_FINITE);
  const int32_t inverted[4] = {0, 2, 1, 4};
  pl_mesh_view view = b.volume;
  view.tet_count = 1;
  view.tets = inverted;
  pl_mesh *wrong = sample_of_view(context, view);
  assert_int_equal(pl_pose_fit(context, &def, &(pl_pose_target){wrong, b.surface, b.posed}, b.points, NULL, &error),
                   PL_ERROR_INVALID_DATA);
  assert_non_null(strstr(error.text, "tet 0"));
  pl_mesh_destroy(wrong);
  pl_mesh *far = sample_box(context, pl_vec3_of(9, 9, 9), 1, 1, 1);
  assert_int_equal(pl_pose_fit(context, &def, &(pl_pose_target){b.tets, far, b.posed}, b.points, NULL, &error),
                   PL_ERROR_INVALID_DATA);
  assert_non_null(strstr(error.text, "away from the mesh"));
  pl_mesh_destroy(far);
  bar_free(&b);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_rest_is_its_own_fit),
      cmocka_unit_test(a_rigid_motion_is_met_whatever_the_weight),
      cmocka_unit_test(an_affine_squash_is_met),
      cmocka_unit_test(a_full_twist_inverts_nothing),
      cmocka_unit_test(a_skinned_elbow_inverts_about_twenty_tets_when_exact),
      cmocka_unit_test(a_skinned_elbow_gives_way_at_the_crease_only),
      cmocka_unit_test(even_a_tangle_ends_without_inversion),
      cmocka_unit_test(energy_never_rises),
      cmocka_unit_test(a_surface_need_not_be_the_boundary),
      cmocka_unit_test(the_number_of_threads_changes_no_bit),
      cmocka_unit_test(wrong_input_is_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
