// Linear and quadratic tets against known deformations: Cook's membrane, a block under gravity, a cantilever and a
// thick cylinder under pressure; order of convergence; the same meshes through CalculiX, where it is installed.
// ctest: physics once
#define _XOPEN_SOURCE 700
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../bench/bench_element_cases.h"
#include "check.h"

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

// --- CalculiX -----------------------------------------------------------------------------------------------------

// The case as an input of CalculiX behind the mesh: linear elasticity, the same nodal forces and held coordinates.
static void append_case(const char *path, const element_case *c, const element_case_body *b, int32_t point) {
  FILE *file = fopen(path, "a");
  assert_non_null(file);
  fprintf(file, "*NSET, NSET=POINT\n%d\n*MATERIAL, NAME=M\n*ELASTIC\n%g, %g\n*DENSITY\n%g\n", point + 1, element_young,
          c->poisson, element_density);
  fprintf(file, "*SOLID SECTION, ELSET=EC3D40, MATERIAL=M\n*BOUNDARY\n");
  for (int32_t i = 0; i < b->pinned_count; ++i)
    for (int k = 0; k < 3; ++k)
      if (b->axes[i] >> k & 1) fprintf(file, "%d, %d, %d, 0\n", b->pinned[i] + 1, k + 1, k + 1);
  fprintf(file, "*STEP\n*STATIC\n*CLOAD\n");
  for (int32_t i = 0; i < c->point_count; ++i) {
    const double f[3] = {b->forces[i].x, b->forces[i].y, b->forces[i].z};
    for (int k = 0; k < 3; ++k)
      if (f[k] != 0) fprintf(file, "%d, %d, %.12e\n", i + 1, k + 1, f[k]);
  }
  fprintf(file, "*NODE PRINT, NSET=POINT\nU\n*END STEP\n");
  fclose(file);
}

// Displacement of the last line of numbers in CalculiX's table.
static double read_result(const char *path, int axis) {
  FILE *file = fopen(path, "r");
  char line[256];
  double u[3] = {0, 0, 0}, found[3] = {(double)NAN, (double)NAN, (double)NAN};
  int node;
  assert_non_null(file);
  while (fgets(line, sizeof line, file) != NULL)
    if (sscanf(line, "%d %lf %lf %lf", &node, &u[0], &u[1], &u[2]) == 4) memcpy(found, u, sizeof found);
  fclose(file);
  return found[axis];
}

static void calculix_agrees_on_the_same_mesh(void **unused) {
  (void)unused;
  if (system("command -v ccx >/dev/null 2>&1") != 0) skip();
  char folder[] = "/tmp/pliant-ccx-XXXXXX", path[128], command[256];
  assert_non_null(mkdtemp(folder));
  pl_context *context = make_context(1);
  pl_error error = {0};
  for (int n = 0; n < 4; ++n) {
    element_case c = solve(context, ELEMENT_CYLINDER, 4, PL_FEM_COROTATED, PL_FEM_QUADRATIC, RATIOS[n]);
    element_case_body b;
    check_ok(element_case_build(context, &c, &b, &error), &error);
    int32_t point = -1;
    for (int32_t i = 0; i < c.point_count; ++i)
      if (pl_vec3_length(b.box[i]) < 1e-9) point = i;
    snprintf(path, sizeof path, "%s/case.inp", folder);
    check_ok(pl_mesh_save(context, path, b.mesh, &error), &error);
    append_case(path, &c, &b, point);
    snprintf(command, sizeof command, "cd %s && OMP_NUM_THREADS=1 ccx case >log 2>&1", folder);
    assert_int_equal(system(command), 0);
    snprintf(path, sizeof path, "%s/case.dat", folder);
    double other = read_result(path, 0);
    print_message("cylinder ν %g: %.6g m, CalculiX %.6g m (%.3f %%)\n", RATIOS[n], c.value, other,
                  100 * (c.value / other - 1));
    check_near(c.value / other, 1, 0.005);
    element_case_free(&b);
  }
  snprintf(command, sizeof command, "rm -rf %s", folder);
  assert_int_equal(system(command), 0);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(quadratic_tets_are_within_one_percent),
      cmocka_unit_test(materials_agree_at_small_strains),
      cmocka_unit_test(displacements_converge_with_third_order),
      cmocka_unit_test(calculix_agrees_on_the_same_mesh),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
