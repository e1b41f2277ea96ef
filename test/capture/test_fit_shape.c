// ctest: unit
// Meshes whose unstressed shape is neither known nor that without gravity: derivatives by the acceleration that is
// fitted with the material against differences, and truths of another program path that come back.
#include "fixtures/cantilever_bars.h"
#include "pliant/math.h"

static const int32_t CELLS[3] = {8, 1, 1};
enum { FRAMES = 12 };

static void motions_change_with_the_shape_as_sensitivities_say(void **state) {
  (void)state;
  pl_error error = {0};
  fit_bar bar;
  open_bar(&bar, 1, 2, (const int32_t[3]){4, 1, 1});
  make_motions(&bar, (const double[]){2e5, 6e4, 0.28, 0.3, 2e-3}, FRAMES, 1.0 / 30);
  bar.def.shape = PL_FIT_SHAPE_UNKNOWN;
  pl_fit *fit = make_fit(&bar, 2);
  fit->step_tolerance = 1e-13;
  assert_int_equal(fit->column_count, 4 + 3);
  double values[PL_FIT_MAX_VALUES] = {1.5e5, 9e4, 0.3, 0.2, 3e-3, 0.3, -0.6, 0.4}, gradient[7], scale = 0;
  size_t bytes = 3 * (size_t)bar.point_count * sizeof(double);
  double *X = malloc(bytes);
  memcpy(X, fit->body.model->rest_points, bytes);
  check_ok(pl_fit_evaluate(fit, values, X, FRAMES, true, &fit->now, &error), &error);
  assert_false(fit->now.failed);
  memcpy(gradient, fit->now.gradient, sizeof gradient);
  for (int32_t k = 0; k < fit->column_count; ++k) scale = fmax(scale, fabs(gradient[k]));
  for (int32_t k = 0; k < fit->column_count; ++k) {
    double cost[2], h = 1e-4, moved[PL_FIT_MAX_VALUES];
    for (int side = 0; side < 2; ++side) {
      memcpy(moved, values, sizeof moved);
      int32_t value = fit->columns[k];
      moved[value] = pl_fit_physical(fit, value, pl_fit_coordinate(fit, value, values[value]) + (side == 0 ? -h : h));
      memcpy(X, fit->body.model->rest_points, bytes);
      check_ok(pl_fit_evaluate(fit, moved, X, FRAMES, false, &fit->trial, &error), &error);
      cost[side] = fit->trial.cost;
    }
    double slope = (cost[1] - cost[0]) / (4 * h);
    print_message("column %d: %.9g by sensitivities, %.9g by differences\n", k, gradient[k], slope);
    check_near(gradient[k], slope, 1e-6 * scale);
  }
  free(X);
  pl_fit_destroy(fit);
  close_bar(&bar);
}

// Equilibrium of a model under an acceleration and a force on its last points; independent of the fit.
static void settle(const fit_bar *bar, const pl_model *model, pl_vec3 acceleration, const pl_vec3 *forces,
                   pl_vec3 *positions) {
  pl_error error = {0};
  pl_fem_equilibrium_def def = pl_default_fem_equilibrium_def();
  def.pinned = bar->pinned;
  def.pinned_count = bar->pinned_count;
  def.acceleration = acceleration;
  def.forces = forces;
  def.tolerance = 1e-10;
  check_ok(pl_fem_equilibrium(bar->context, model, &def, positions, NULL, &error), &error);
}

// A straight bar was scanned while it hung sideways, and is then loaded as it hangs down.
static void a_bar_scanned_in_another_position_gives_its_modulus(void **state) {
  (void)state;
  enum { TIPS = 4 };
  const double young = 1.2e5;
  const pl_vec3 sideways = {0, 0.35 * 9.81, -9.0};
  pl_error error = {0};
  fit_bar bar;
  open_bar(&bar, 1, 1, CELLS);
  size_t n = (size_t)bar.point_count;
  pl_fem_def fem = pl_default_fem_def(PL_FEM_COROTATED);
  fem.young = young;
  fem.density = bar.def.density;
  fem.direct = pl_cholmod_backend();
  pl_model *model = NULL;
  check_ok(pl_fem_build(bar.context, &fem, bar.mesh, &model, &error), &error);
  pl_mesh_view view = pl_mesh_get_view(bar.mesh);
  pl_vec3 *scanned = calloc(n, sizeof *scanned), *seen[2], *forces = calloc(n, sizeof *forces);
  memcpy(scanned, view.points, n * sizeof *scanned);
  settle(&bar, model, sideways, NULL, scanned);
  int32_t tips[TIPS], tip_count = 0;
  for (int32_t i = 0; i < bar.point_count; ++i)
    if (view.points[i].x > 0.499) tips[tip_count++] = i;
  assert_int_equal(tip_count, TIPS);
  const pl_vec3 pulls[2] = {{0, 0, 0}, {0.1, -0.3, 0.5}};
  pl_fit_load_case cases[2];
  for (int c = 0; c < 2; ++c) {
    seen[c] = calloc(n, sizeof **seen);
    memcpy(seen[c], view.points, n * sizeof **seen);
    for (int i = 0; i < TIPS; ++i) forces[tips[i]] = pl_vec3_scale(pulls[c], 1.0 / TIPS);
    settle(&bar, model, bar.def.gravity, forces, seen[c]);
    cases[c] = (pl_fit_load_case){.loaded = tips, .loaded_count = TIPS, .force = pulls[c], .positions = seen[c]};
  }
  view.points = scanned;
  pl_mesh *mesh = NULL;
  check_ok(pl_mesh_create(bar.context, &view, &mesh, &error), &error);
  double found[2];
  for (int unknown = 0; unknown < 2; ++unknown) {
    bar.def.shape = unknown ? PL_FIT_SHAPE_UNKNOWN : PL_FIT_SHAPE_STATIC;
    bar.def.young.start = 3e5;
    bar.def.mass_damping.fitted = bar.def.stiffness_damping.fitted = false;
    pl_fit *fit = NULL;
    pl_fit_report report;
    check_ok(
        pl_fit_create(bar.context, &bar.def, mesh, &(pl_fit_sequences){.cases = cases, .case_count = 2}, &fit, &error),
        &error);
    check_ok(pl_fit_run(fit, &error), &error);
    check_ok(pl_fit_get_report(fit, &report, &error), &error);
    found[unknown] = report.estimates[0].value;
    pl_vec3 a = report.shape_acceleration;
    print_message("%s: %.6g Pa, %s, in equilibrium under (%.3f, %.3f, %.3f) m/s²\n", unknown ? "unknown" : "static",
                  found[unknown], pl_fit_verdict_name(report.estimates[0].verdict), a.x, a.y, a.z);
    if (unknown) {
      assert_int_equal(report.estimates[0].verdict, PL_FIT_DETERMINED);
      assert_true(pl_vec3_distance(a, sideways) < 0.01 * 9.81);
    }
    pl_fit_destroy(fit);
  }
  // Masses are those of the scanned shape, whose volume is another one by its strain.
  check_near(found[1], young, 0.005 * young);
  assert_true(fabs(found[0] / young - 1) > 0.1);
  for (int c = 0; c < 2; ++c) free(seen[c]);
  free(scanned);
  free(forces);
  pl_mesh_destroy(mesh);
  pl_model_destroy(model);
  close_bar(&bar);
}

static void what_needs_a_known_shape_is_refused(void **state) {
  (void)state;
  pl_error error = {0};
  fit_bar bar;
  open_bar(&bar, 1, 1, CELLS);
  bar.def.shape = PL_FIT_SHAPE_UNKNOWN;
  pl_fit_vibration vibration = {0, 3, 0.01, (double)NAN, 0.01};
  pl_fit *fit = NULL;
  assert_int_equal(pl_fit_create(bar.context, &bar.def, bar.mesh,
                                 &(pl_fit_sequences){.vibrations = &vibration, .vibration_count = 1}, &fit, &error),
                   PL_ERROR_UNSUPPORTED);
  bar.def.gravity = (pl_vec3){0, 0, 0};
  assert_int_equal(pl_fit_create(bar.context, &bar.def, bar.mesh, &(pl_fit_sequences){0}, &fit, &error),
                   PL_ERROR_INVALID_ARGUMENT);
  assert_null(fit);
  close_bar(&bar);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(motions_change_with_the_shape_as_sensitivities_say),
      cmocka_unit_test(a_bar_scanned_in_another_position_gives_its_modulus),
      cmocka_unit_test(what_needs_a_known_shape_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
