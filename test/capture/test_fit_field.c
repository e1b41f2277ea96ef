// Fields of Young's modulus: where control points are, and weights that are shares.
// ctest: unit
#include "fixtures/fem_bodies.h"
#include "pliant/fit.h"
#include "pliant/math.h"

static void check_fractions(pl_field_view view) {
  for (int32_t t = 0; t < view.tet_count; ++t) {
    double sum = 0;
    for (int32_t k = 0; k < view.control_count; ++k) {
      double w = view.weights[t * view.control_count + k];
      assert_true(w >= 0 && w <= 1);
      sum += w;
    }
    check_near(sum, 1, 1e-12);
  }
}

static pl_vec3 middle_of(const pl_mesh_view *mesh, int32_t tet) {
  pl_vec3 sum = {0, 0, 0};
  for (int a = 0; a < 4; ++a) sum = pl_vec3_add(sum, pl_vec3_scale(mesh->points[mesh->tets[4 * tet + a]], 0.25));
  return sum;
}

static void along_an_axis_moduli_are_linear_between_control_points(void **state) {
  (void)state;
  pl_error error = {0};
  pl_context *context = make_context(1);
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){2, 1, 1}, 8, 2, 2);
  pl_mesh_view points = pl_mesh_get_view(mesh);
  pl_field_def def = pl_default_field_def();
  def.placement = PL_FIELD_ALONG_AXIS;
  def.control_count = 3;
  pl_field *field = NULL;
  check_ok(pl_field_build(context, &def, mesh, &field, &error), &error);
  pl_field_view view = pl_field_get_view(field);
  check_fractions(view);
  for (int k = 0; k < 3; ++k) check_near(view.points[k].x, k - 1.0, 1e-12);
  // Values 0, 1, 2 at the control points make the place itself, because cells end where control points are.
  for (int32_t t = 0; t < view.tet_count; ++t)
    check_near(view.weights[3 * t + 1] + 2 * view.weights[3 * t + 2], 1 + middle_of(&points, t).x, 1e-12);
  pl_field_destroy(field);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

static void harmonic_weights_are_symmetric_and_fall_with_distance(void **state) {
  (void)state;
  pl_error error = {0};
  pl_context *context = make_context(1);
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){2, 0.5, 0.5}, 12, 3, 3);
  pl_mesh_view points = pl_mesh_get_view(mesh);
  const pl_vec3 positions[4] = {{-1, 0, 0}, {-0.3, 0, 0}, {0.3, 0, 0}, {1, 0, 0}};
  pl_field_def def = pl_default_field_def();
  def.placement = PL_FIELD_GIVEN;
  def.blend = PL_FIELD_HARMONIC;
  def.control_count = 4;
  def.points = positions;
  pl_field *field = NULL;
  check_ok(pl_field_build(context, &def, mesh, &field, &error), &error);
  pl_field_view view = pl_field_get_view(field);
  check_fractions(view);
  for (int32_t t = 0; t < view.tet_count; ++t) {
    double x = middle_of(&points, t).x;
    const double *w = view.weights + 4 * t;
    if (x < -0.9) assert_true(w[0] > 0.6);
    if (x > 0.9) assert_true(w[3] > 0.6);
    if (fabs(x) < 0.1) assert_true(w[1] + w[2] > 0.75 && fabs(w[1] - w[2]) < 0.4);
  }
  // Two at the same place.
  pl_field *none = NULL;
  const pl_vec3 same[2] = {{-1, 0, 0}, {-1.001, 0, 0}};
  def.control_count = 2;
  def.points = same;
  assert_int_equal(pl_field_build(context, &def, mesh, &none, &error), PL_ERROR_INVALID_DATA);
  assert_null(none);
  pl_field_destroy(field);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

static void farthest_points_spread_over_the_ends(void **state) {
  (void)state;
  pl_error error = {0};
  pl_context *context = make_context(1);
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){3, 1, 1}, 6, 2, 2);
  pl_field_def def = pl_default_field_def();
  def.placement = PL_FIELD_FARTHEST;
  def.blend = PL_FIELD_HARMONIC;
  def.control_count = 2;
  pl_field *field = NULL;
  check_ok(pl_field_build(context, &def, mesh, &field, &error), &error);
  pl_field_view view = pl_field_get_view(field);
  // Opposite corners.
  pl_vec3 way = pl_vec3_sub(view.points[0], view.points[1]);
  check_near(pl_vec3_length(way), sqrt(11), 1e-12);
  pl_field_destroy(field);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

static void memory_that_runs_out_is_reported(void **state) {
  (void)state;
  pl_error error = {0};
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){2, 1, 1}, 2, 1, 1);
  pl_field_def def = pl_default_field_def();
  def.placement = PL_FIELD_FARTHEST;
  def.blend = PL_FIELD_HARMONIC;
  def.control_count = 2;
  pl_status status = PL_ERROR_OUT_OF_MEMORY;
  int64_t live = allocator.live_count;
  for (int64_t n = 1; status == PL_ERROR_OUT_OF_MEMORY; ++n) {
    pl_field *field = NULL;
    allocator.fail_at = allocator.call_count + n;
    status = pl_field_build(context, &def, mesh, &field, &error);
    assert_true((status == PL_OK) == (field != NULL));
    pl_field_destroy(field);
    assert_int_equal(allocator.live_count, live);
  }
  assert_int_equal(status, PL_OK);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(along_an_axis_moduli_are_linear_between_control_points),
      cmocka_unit_test(harmonic_weights_are_symmetric_and_fall_with_distance),
      cmocka_unit_test(farthest_points_spread_over_the_ends),
      cmocka_unit_test(memory_that_runs_out_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
