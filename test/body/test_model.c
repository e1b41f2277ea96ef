// Models of every method, described alike: counts, mass, box, memory and hash.
// ctest: unit
#include "check.h"
#include "fixtures/fem_bodies.h"
#include "fixtures/solid_bodies.h"

static void a_report_says_what_the_model_was_built_from(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *mesh = NULL;
  check_ok(pl_mesh_create_box(context, (pl_vec3){0.4, 0.6, 0.8}, (const int32_t[3]){2, 3, 4}, &mesh, &error), &error);
  pl_solid_def solid = pl_default_solid_def();
  solid.density = 500;
  pl_fem_def fem = pl_default_fem_def(PL_FEM_NEO_HOOKEAN);
  fem.density = 500;
  pl_model *models[2] = {NULL, NULL};
  check_ok(pl_solid_build(context, &solid, mesh, &models[0], &error), &error);
  check_ok(pl_fem_build(context, &fem, mesh, &models[1], &error), &error);
  for (int i = 0; i < 2; ++i) {
    pl_model_report report = pl_model_get_report(models[i]);
    assert_string_equal(report.method, i == 0 ? "solid" : "fem");
    assert_int_equal(report.particle_count, 3 * 4 * 5);
    assert_int_equal(report.surface_point_count, 3 * 4 * 5 - 1 * 2 * 3);
    assert_int_equal(report.surface_triangle_count, 2 * 2 * (2 * 3 + 3 * 4 + 4 * 2));
    check_near(report.mass, 500 * 0.4 * 0.6 * 0.8, 1e-6);
    check_near(report.box.min.x, -0.2, 1e-6);
    check_near(report.box.max.z, 0.4, 1e-6);
    assert_true(report.byte_count > 0 && report.byte_count <= pl_context_get_memory_report(context).byte_count);
    for (int32_t k = 0; k < 3 * report.surface_triangle_count; ++k)
      assert_in_range(pl_model_get_surface_triangles(models[i])[k], 0, report.surface_point_count - 1);
    assert_int_equal(pl_model_get_examples(models[i]).example_count, 0);
  }
  pl_model_destroy(models[0]);
  pl_model_destroy(models[1]);
  pl_model_destroy(NULL);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

static void the_hash_follows_the_mesh_and_the_def(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_solid_def def = pl_default_solid_def(), other = def;
  other.density = 2 * def.density;
  pl_model *models[4] = {make_box_model(context, (pl_vec3){1, 1, 1}, 2, 2, 2, &def),
                         make_box_model(context, (pl_vec3){1, 1, 1}, 2, 2, 2, &def),
                         make_box_model(context, (pl_vec3){1, 1, 1}, 2, 2, 2, &other),
                         make_box_model(context, (pl_vec3){1, 1, 1.5}, 2, 2, 2, &def)};
  uint64_t hash = pl_model_get_report(models[0]).hash;
  assert_true(pl_model_get_report(models[1]).hash == hash);
  assert_true(pl_model_get_report(models[2]).hash != hash);
  assert_true(pl_model_get_report(models[3]).hash != hash);
  for (int i = 0; i < 4; ++i) pl_model_destroy(models[i]);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_report_says_what_the_model_was_built_from),
      cmocka_unit_test(the_hash_follows_the_mesh_and_the_def),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
