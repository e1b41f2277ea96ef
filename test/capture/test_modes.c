// Vibrations of a bar against the closed formula, of a free body against rigid motion.
// ctest: physics
#include "check.h"
#include "fixtures/fem_bodies.h"
#include "pliant/modes.h"
#include "pliant/solver.h"

static void longitudinal_frequencies_are_those_of_a_bar(void **state) {
  (void)state;
  if (pl_cholmod_backend() == NULL) skip();
  pl_context *context = make_context(1);
  pl_error error = {0};
  // Without Poisson's effect a short, thick bar that is held at one end stretches at f = c / (4 L), c = √(E / ρ).
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){0.4, 0.4, 0.4}, 8, 8, 8);
  pl_mesh_view view = pl_mesh_get_view(mesh);
  pl_fem_def def = pl_default_fem_def(PL_FEM_COROTATED);
  def.young = 1e6, def.poisson = 0;
  pl_model *model = make_fem_model(context, &def, mesh);
  int32_t held_count, *held = list_left_points(mesh, -0.19, &held_count);
  enum { MODES = 8 };
  double frequencies[MODES], expected = sqrt(1e6 / 1000) / (4 * 0.4), nearest = HUGE_VAL;
  pl_vec3 *shapes = calloc((size_t)MODES * (size_t)view.point_count, sizeof *shapes);
  pl_modes_def modes = pl_default_modes_def();
  modes.mode_count = MODES, modes.pinned = held, modes.pinned_count = held_count;
  modes.direct = pl_cholmod_backend();
  check_ok(pl_modes_find(context, model, &modes, frequencies, shapes, &error), &error);
  for (int k = 0; k < MODES; ++k) {
    print_message("mode %d: %.3f Hz\n", k, frequencies[k]);
    assert_true(frequencies[k] > 0 && (k == 0 || frequencies[k] >= frequencies[k - 1]));
    for (int32_t i = 0; i < held_count; ++i) assert_true(pl_vec3_length(shapes[k * view.point_count + held[i]]) == 0);
    if (fabs(frequencies[k] - expected) < fabs(nearest - expected)) nearest = frequencies[k];
  }
  print_message("a bar: %.3f Hz\n", expected);
  assert_true(fabs(nearest / expected - 1) < 0.01);
  free(held), free(shapes);
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

static void a_free_body_has_six_rigid_motions(void **state) {
  (void)state;
  if (pl_cholmod_backend() == NULL) skip();
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){0.3, 0.2, 0.1}, 4, 3, 2);
  pl_fem_def def = pl_default_fem_def(PL_FEM_NEO_HOOKEAN);
  pl_model *model = make_fem_model(context, &def, mesh);
  double frequencies[8];
  pl_modes_def modes = pl_default_modes_def();
  modes.mode_count = 8, modes.direct = pl_cholmod_backend();
  check_ok(pl_modes_find(context, model, &modes, frequencies, NULL, &error), &error);
  for (int k = 0; k < 6; ++k) assert_true(fabs(frequencies[k]) < 1e-3 * frequencies[6]);
  assert_true(frequencies[6] > 1);
  modes.pinned = &(int32_t){9999}, modes.pinned_count = 1;
  assert_int_equal(pl_modes_find(context, model, &modes, frequencies, NULL, &error), PL_ERROR_INVALID_ARGUMENT);
  modes.pinned_count = 0, modes.mode_count = 0;
  assert_int_equal(pl_modes_find(context, model, &modes, frequencies, NULL, &error), PL_ERROR_INVALID_ARGUMENT);
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(longitudinal_frequencies_are_those_of_a_bar),
      cmocka_unit_test(a_free_body_has_six_rigid_motions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
