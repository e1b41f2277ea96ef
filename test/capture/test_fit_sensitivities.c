// Forward sensitivities of whole motions, with the reference shape that changes with the material, against finite
// differences.
// ctest: derivative
#include "fixtures/cantilever_bars.h"
#include "solvers/eigen_modes.h"

enum { MAX_COUNT = 10 };

static void check_gradient(pl_fem_material material, bool pins_move, bool viscous) {
  pl_error error = {0};
  fit_bar bar;
  open_bar(&bar, 1, 2, (const int32_t[3]){4, 1, 1});
  bar.def.material = material;
  bar.def.poisson.fitted = true;
  int32_t count = viscous ? MAX_COUNT : 5;
  make_motions(&bar, (const double[]){2e5, 6e4, 0.28, 0.3, 2e-3}, 12, 1.0 / 30);
  if (pins_move) {
    // Pins that wander, so that fixed points have a velocity.
    for (int32_t f = 0; f < 12; ++f)
      for (int32_t i = 0; i < bar.pinned_count; ++i)
        bar.positions[0][f * bar.point_count + bar.pinned[i]] =
            pl_vec3_add(pl_mesh_get_view(bar.mesh).points[bar.pinned[i]], (pl_vec3){0, 0.002 * f, 0.001 * f * f});
    bar.sequences[0].pins_move = true;
  }
  if (viscous) {
    pl_fit_range *ranges[] = {&bar.def.prony_ratio, &bar.def.prony_time, &bar.def.second_prony_ratio,
                              &bar.def.second_prony_time, &bar.def.loss_factor};
    for (int i = 0; i < 5; ++i) ranges[i]->start = 0.1, ranges[i]->fitted = true;
  }
  pl_fit *fit = make_fit(&bar, 2);
  fit->step_tolerance = 1e-13;  // the remainder of a step has a derivative of its own
  double values[MAX_COUNT] = {1.5e5, 9e4, 0.33, 0.2, 3e-3, 0.4, 0.05, 0.3, 0.02, 0.12};
  size_t bytes = 3 * (size_t)bar.point_count * sizeof(double);
  double *X = malloc(bytes), gradient[MAX_COUNT];
  memcpy(X, fit->body.model->rest_points, bytes);
  check_ok(pl_fit_evaluate(fit, values, X, 12, true, &fit->now, &error), &error);
  assert_false(fit->now.failed);
  assert_int_equal(fit->column_count, count);
  memcpy(gradient, fit->now.gradient, (size_t)count * sizeof(double));
  for (int32_t k = 0; k < count; ++k) {
    // Differences of the fourth order.
    double cost[4], h = 5e-4, moved[MAX_COUNT];
    for (int side = 0; side < 4; ++side) {
      memcpy(moved, values, sizeof moved);
      double coordinate = pl_fit_coordinate(fit, k, values[k]) + h * (side < 2 ? side - 2 : side - 1);
      moved[k] = pl_fit_physical(fit, k, coordinate);
      memcpy(X, fit->body.model->rest_points, bytes);
      check_ok(pl_fit_evaluate(fit, moved, X, 12, false, &fit->trial, &error), &error);
      cost[side] = fit->trial.cost;
    }
    // The gradient is half the derivative of the sum of squares.
    double slope = (8 * (cost[2] - cost[1]) - (cost[3] - cost[0])) / (24 * h);
    print_message("value %d: %.9g by sensitivities, %.9g by differences\n", k, gradient[k], slope);
    check_near(gradient[k], slope, 1e-6 * fabs(slope) + 1e-9 * fit->now.cost);
  }
  free(X);
  pl_fit_destroy(fit);
  close_bar(&bar);
}

static void motions_change_with_the_parameters_as_sensitivities_say(void **state) {
  (void)state;
  check_gradient(PL_FEM_COROTATED, false, false);
  check_gradient(PL_FEM_NEO_HOOKEAN, false, false);
}

static void also_where_pins_move(void **state) {
  (void)state;
  check_gradient(PL_FEM_COROTATED, true, false);
}

static void also_of_viscoelastic_materials(void **state) {
  (void)state;
  check_gradient(PL_FEM_COROTATED, false, true);
  check_gradient(PL_FEM_NEO_HOOKEAN, true, true);
}

// Frequencies and damping ratios; eigenvalues have derivatives by differences.
static void vibrations_change_with_the_parameters_as_differences_say(void **state) {
  (void)state;
  pl_error error = {0};
  if (!pl_eigen_is_available()) skip();
  fit_bar bar;
  open_bar(&bar, 1, 2, (const int32_t[3]){4, 1, 1});
  pl_fit_range *ranges[] = {&bar.def.prony_ratio, &bar.def.prony_time, &bar.def.second_prony_ratio,
                            &bar.def.second_prony_time, &bar.def.loss_factor};
  for (int i = 0; i < 5; ++i) ranges[i]->start = 0.1, ranges[i]->fitted = true;
  pl_fit_vibration vibrations[2] = {{0, 3, 0.01, 0.1, 0.01}, {2, 12, 0.02, 0.05, 0.02}};
  pl_fit *fit = NULL;
  check_ok(pl_fit_create(bar.context, &bar.def, bar.mesh,
                         &(pl_fit_sequences){.vibrations = vibrations, .vibration_count = 2}, &fit, &error),
           &error);
  double values[MAX_COUNT] = {1.5e5, 9e4, 0.3, 0.2, 3e-3, 0.4, 0.05, 0.3, 0.02, 0.12}, gradient[MAX_COUNT];
  size_t bytes = 3 * (size_t)bar.point_count * sizeof(double);
  double *X = malloc(bytes);
  memcpy(X, fit->body.model->rest_points, bytes);
  check_ok(pl_fit_evaluate(fit, values, X, 1, true, &fit->now, &error), &error);
  assert_false(fit->now.failed);
  memcpy(gradient, fit->now.gradient, (size_t)fit->column_count * sizeof(double));
  for (int32_t k = 0; k < fit->column_count; ++k) {
    const double h = 1e-3;
    double cost[2], moved[MAX_COUNT];
    for (int side = 0; side < 2; ++side) {
      memcpy(moved, values, sizeof moved);
      moved[fit->columns[k]] *= exp(side == 0 ? h : -h);
      memcpy(X, fit->body.model->rest_points, bytes);
      check_ok(pl_fit_evaluate(fit, moved, X, 1, false, &fit->trial, &error), &error);
      cost[side] = fit->trial.cost;
    }
    double slope = (cost[0] - cost[1]) / (4 * h);
    print_message("value %d: %.6g by the root, %.6g by differences\n", fit->columns[k], gradient[k], slope);
    check_near(gradient[k], slope, 1e-3 * fabs(slope) + 1e-7 * fit->now.cost);
  }
  free(X);
  pl_fit_destroy(fit);
  close_bar(&bar);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(motions_change_with_the_parameters_as_sensitivities_say),
      cmocka_unit_test(also_where_pins_move),
      cmocka_unit_test(also_of_viscoelastic_materials),
      cmocka_unit_test(vibrations_change_with_the_parameters_as_differences_say),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
