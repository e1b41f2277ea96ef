// Linear and quadratic tets against known deformations: Cook's membrane, a block under gravity, a cantilever and a
// thick cylinder under pressure; order of convergence; the same meshes through CalculiX, where it is installed.
// ctest: physics once
#include "check_calculix.h"

static const double RATIOS[4] = {0.3, 0.45, 0.499, 0.4999};

static element_case solve(pl_context *context, element_case_kind kind, int32_t cells, pl_fem_material material,
                          pl_fem_element_order element, double poisson) {
  element_case c = {.kind = kind,
                    .cells = cells,
                    .material = material,
                    .element = element,
                    .poisson = poisson,
                    .direct = pl_cholmod_backend()};
  pl_error error = {0};
  check_ok(element_case_solve(context, &c, &error), &error);
  return c;
}

static void quadratic_tets_are_within_one_percent(void **unused) {
  (void)unused;
  pl_context *context = make_context(1);
  for (int k = 0; k < ELEMENT_CASES; ++k)
    for (int n = 0; n < 4; ++n) {
      element_case linear = solve(context, (element_case_kind)k, 4, PL_FEM_COROTATED, PL_FEM_LINEAR, RATIOS[n]),
                   quadratic = solve(context, (element_case_kind)k, 4, PL_FEM_COROTATED, PL_FEM_QUADRATIC, RATIOS[n]);
      double reference = element_case_reference((element_case_kind)k, RATIOS[n]);
      print_message("%-9s ν %-6g linear %+6.1f %%, quadratic %+5.2f %%\n", element_case_names[k], RATIOS[n],
                    100 * (linear.value / reference - 1), 100 * (quadratic.value / reference - 1));
      check_near(quadratic.value / reference, 1, 0.01);
    }
  drop_context(context);
}

// Small strains are those of linear elasticity whatever the material.
static void materials_agree_at_small_strains(void **unused) {
  (void)unused;
  pl_context *context = make_context(1);
  for (int n = 0; n < 3; ++n) {
    double first = solve(context, ELEMENT_COOK, 2, PL_FEM_COROTATED, PL_FEM_QUADRATIC, RATIOS[n]).value;
    check_near(solve(context, ELEMENT_COOK, 2, PL_FEM_NEO_HOOKEAN, PL_FEM_QUADRATIC, RATIOS[n]).value, first,
               0.005 * first);
    check_near(solve(context, ELEMENT_COOK, 2, PL_FEM_YEOH, PL_FEM_QUADRATIC, RATIOS[n]).value, first, 0.005 * first);
  }
  drop_context(context);
}

static void displacements_converge_with_third_order(void **unused) {
  (void)unused;
  pl_context *context = make_context(1);
  double errors[3];
  for (int i = 0; i < 3; ++i)
    errors[i] = solve(context, ELEMENT_CYLINDER, 8 << i, PL_FEM_COROTATED, PL_FEM_QUADRATIC, 0.3).worst;
  double order = log2(errors[1] / errors[2]);
  print_message("cylinder: largest errors %.2e %.2e %.2e, orders %.2f %.2f\n", errors[0], errors[1], errors[2],
                log2(errors[0] / errors[1]), order);
  assert_true(order >= 2.8);
  drop_context(context);
}

// With λ = 0 both programs have the same element. Loads are small, as CalculiX is asked for linear elasticity and ours
// turns with the body.
static void calculix_has_the_same_element_without_lambda(void **unused) {
  (void)unused;
  compare_with_calculix((const calculix_case[]){{ELEMENT_COOK, 4, 0, 0.01, 5e-5},
                                                {ELEMENT_BLOCK, 4, 0, 0.01, 5e-5},
                                                {ELEMENT_BEAM, 4, 0, 1, 5e-5},
                                                {ELEMENT_CYLINDER, 4, 0, 0.01, 5e-5}},
                        4, false);
}

// Without the cure of locking ours is the element of CalculiX for every Poisson's ratio, on meshes where the two differ
// by up to 11 % with it.
static void calculix_has_the_same_element_without_the_cure(void **unused) {
  (void)unused;
  for (int n = 0; n < 4; ++n)
    compare_with_calculix((const calculix_case[]){{ELEMENT_COOK, 4, RATIOS[n], 1, 2e-6},
                                                  {ELEMENT_BLOCK, 4, RATIOS[n], 1, 2e-6},
                                                  {ELEMENT_CYLINDER, 4, RATIOS[n], 1, 2e-6}},
                          3, true);
}

// CalculiX has λ at every point of the element, ours on its mean: they differ by the error of the mesh. The other two
// cases are in test_element_calculix.c.
static void calculix_agrees_on_the_same_mesh(void **unused) {
  (void)unused;
  for (int n = 0; n < 4; ++n)
    compare_with_calculix(
        (const calculix_case[]){{ELEMENT_COOK, 16, RATIOS[n], 1, 0.005}, {ELEMENT_CYLINDER, 4, RATIOS[n], 1, 0.005}}, 2,
        false);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(quadratic_tets_are_within_one_percent),
      cmocka_unit_test(materials_agree_at_small_strains),
      cmocka_unit_test(displacements_converge_with_third_order),
      cmocka_unit_test(calculix_has_the_same_element_without_lambda),
      cmocka_unit_test(calculix_has_the_same_element_without_the_cure),
      cmocka_unit_test(calculix_agrees_on_the_same_mesh),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
