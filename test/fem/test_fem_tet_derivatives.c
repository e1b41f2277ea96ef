// Every derivative of the energies of tets against extrapolated differences, in every kind of deformation.
// ctest: derivative
#include "fem/check_energy.h"
#include "fixtures/tet_states.h"

// Each kind of state with several seeds; `parameters` are the energy's.
static void check_all_kinds(const pl_fem_energy *energy, const double *parameters, double size) {
  pl_random random = pl_random_of_seed(17);
  printf("%s, E or k_l %g, size %g, seed 17: largest relative deviation\n", energy->name, parameters[0], size);
  for (int kind = 0; kind < TET_KINDS; ++kind) {
    double worst = 0;
    for (int trial = 0; trial < 4; ++trial) {
      tet_state state = make_tet_state(&random, &tet_kinds[kind], size);
      pl_fem_element e = {state.x, state.X, state.U, parameters};
      // The corotated energy must stay smooth over the first step, and a change of rest shape is amplified by F.
      double step = fmin(0.02, 0.05 * state.gap / fmax(1, tet_kinds[kind].stretch[0]));
      worst = fmax(worst, check_energy(energy, &e, state.lambda, step, 1e-6, tet_kinds[kind].name));
    }
    printf("  %-32s %.1e\n", tet_kinds[kind].name, worst);
  }
}

static void corotated_derivatives_agree_with_differences(void **unused) {
  (void)unused;
  check_all_kinds(&pl_fem_corotated_tet, (double[]){1e5, 0.3}, 1);
  check_all_kinds(&pl_fem_corotated_tet, (double[]){2e6, 0.49}, 0.01);
  check_all_kinds(&pl_fem_corotated_tet, (double[]){1, 0}, 100);
}

static void neo_hookean_derivatives_agree_with_differences(void **unused) {
  (void)unused;
  check_all_kinds(&pl_fem_neo_hookean_tet, (double[]){1e5, 0.3}, 1);
  check_all_kinds(&pl_fem_neo_hookean_tet, (double[]){2e6, 0.49}, 0.01);
  check_all_kinds(&pl_fem_neo_hookean_tet, (double[]){1, 0}, 100);
}

static void yeoh_derivatives_agree_with_differences(void **unused) {
  (void)unused;
  check_all_kinds(&pl_fem_yeoh_tet, (double[]){1e5, 0.3, 0.2, 0.05}, 1);
  check_all_kinds(&pl_fem_yeoh_tet, (double[]){2e6, 0.49, -0.1, 0.02}, 0.01);
  check_all_kinds(&pl_fem_yeoh_tet, (double[]){1, 0, 0, 0}, 100);
}

static void edge_tet_derivatives_agree_with_differences(void **unused) {
  (void)unused;
  check_all_kinds(&pl_fem_edge_tet, (double[]){1e5, 3e5}, 1);
  check_all_kinds(&pl_fem_edge_tet, (double[]){2e3, 1e6}, 0.01);
  check_all_kinds(&pl_fem_edge_tet, (double[]){1, 0.1}, 100);
}

// A mirrored rest shape is a rest shape: no force in it, and derivatives that hold.
static void a_mirrored_rest_shape_is_at_rest(void **unused) {
  (void)unused;
  const pl_fem_energy *energies[] = {&pl_fem_corotated_tet, &pl_fem_neo_hookean_tet, &pl_fem_edge_tet};
  pl_random random = pl_random_of_seed(5);
  for (int k = 0; k < 3; ++k) {
    tet_state state = make_tet_state(&random, &tet_kinds[0], 1);
    for (int i = 0; i < 12; i += 3) state.x[i] = -state.x[i], state.X[i] = -state.X[i], state.U[i] = -state.U[i];
    double parameters[2] = {1e5, 0.3}, g[12];
    pl_fem_element e = {state.x, state.X, state.U, parameters}, rest = {state.X, state.X, state.U, parameters};
    energies[k]->gradient(&rest, g);
    for (int i = 0; i < 12; ++i) check_near(g[i], 0, 1e-8);
    check_near(energies[k]->energy(&rest), 0, 1e-9);
    check_energy(energies[k], &e, state.lambda, 0.01, 1e-6, "mirrored");
  }
}

// Where no derivative exists (collapsed to a line or a point, inverted up to the crease) numbers are finite all the
// same.
static void derivatives_of_collapsed_tets_are_finite(void **unused) {
  (void)unused;
  static const tet_kind collapsed[] = {
      {"line", {1, 0, 0}, 0}, {"point", {0, 0, 0}, 0}, {"crease", {1, 0.5, -0.5}, 0}, {"reflection", {-1, -1, -1}, 0}};
  const pl_fem_energy *energies[] = {&pl_fem_corotated_tet, &pl_fem_neo_hookean_tet, &pl_fem_edge_tet};
  pl_random random = pl_random_of_seed(3);
  for (int kind = 0; kind < 4; ++kind)
    for (int k = 0; k < 3; ++k) {
      tet_state state = make_tet_state(&random, &collapsed[kind], 1);
      double g[12], all[3][144], parameters[2] = {1e5, 0.3};
      pl_fem_element e = {state.x, state.X, state.U, parameters};
      energies[k]->gradient(&e, g);
      for (int i = 0; i < 12; ++i) assert_true(isfinite(g[i]));
      energies[k]->hessian(&e, all[0]);
      energies[k]->mixed(&e, all[1]);
      for (int i = 0; i < 144; ++i) assert_true(isfinite(all[0][i]) && isfinite(all[1][i]));
      energies[k]->third(&e, state.lambda, all[0], all[1], all[2]);
      for (int i = 0; i < 144; ++i) assert_true(isfinite(all[0][i]) && isfinite(all[1][i]) && isfinite(all[2][i]));
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(corotated_derivatives_agree_with_differences),
      cmocka_unit_test(neo_hookean_derivatives_agree_with_differences),
      cmocka_unit_test(yeoh_derivatives_agree_with_differences),
      cmocka_unit_test(edge_tet_derivatives_agree_with_differences),
      cmocka_unit_test(a_mirrored_rest_shape_is_at_rest),
      cmocka_unit_test(derivatives_of_collapsed_tets_are_finite),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
