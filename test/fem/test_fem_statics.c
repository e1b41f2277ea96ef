// Bodies at rest under loads, against the strength of materials.
// ctest: physics
#include "base/random.h"
#include "fixtures/fem_bodies.h"
#include "pliant/math.h"

static pl_vec3 *copy_points(const pl_mesh *mesh) {
  pl_mesh_view view = pl_mesh_get_view(mesh);
  pl_vec3 *points = calloc((size_t)view.point_count, sizeof *points);
  memcpy(points, view.points, (size_t)view.point_count * sizeof *points);
  return points;
}

// A homogeneous deformation is an equilibrium whatever the mesh: hold the boundary to it, and the points inside follow.
static void patch_test(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *box = make_fem_box(context, (pl_vec3){1, 1, 1}, 3, 3, 3);
  pl_mesh_view view = pl_mesh_get_view(box);
  pl_vec3 *points = copy_points(box), *expected = copy_points(box);
  pl_random random = pl_random_of_seed(3);
  int32_t pinned[64], pinned_count = 0;
  for (int32_t i = 0; i < view.point_count; ++i) {
    pl_vec3 p = points[i];
    bool inside = fabs(p.x) < 0.49 && fabs(p.y) < 0.49 && fabs(p.z) < 0.49;
    if (inside)
      points[i] =
          pl_vec3_add(p, (pl_vec3){0.06 * pl_random_between(&random, -1, 1), 0.06 * pl_random_between(&random, -1, 1),
                                   0.06 * pl_random_between(&random, -1, 1)});
    else
      pinned[pinned_count++] = i;
  }
  view.points = points;
  pl_mesh *mesh = NULL;
  check_ok(pl_mesh_create(context, &view, &mesh, &error), &error);
  const double A[3][3] = {{1.1, 0.2, -0.1}, {0.05, 0.9, 0.1}, {0.1, -0.05, 1.05}};
  for (int32_t i = 0; i < view.point_count; ++i) {
    pl_vec3 p = points[i];
    expected[i] =
        (pl_vec3){A[0][0] * p.x + A[0][1] * p.y + A[0][2] * p.z, A[1][0] * p.x + A[1][1] * p.y + A[1][2] * p.z,
                  A[2][0] * p.x + A[2][1] * p.y + A[2][2] * p.z};
  }
  for (int k = 0; k < 2; ++k) {
    pl_fem_def def = pl_default_fem_def(k == 0 ? PL_FEM_COROTATED : PL_FEM_NEO_HOOKEAN);
    pl_model *model = make_fem_model(context, &def, mesh);
    pl_fem_equilibrium_def rest = pl_default_fem_equilibrium_def();
    rest.pinned = pinned;
    rest.pinned_count = pinned_count;
    rest.tolerance = 1e-14;
    pl_vec3 x[64];
    for (int32_t i = 0; i < view.point_count; ++i) x[i] = points[i];
    for (int32_t i = 0; i < pinned_count; ++i) x[pinned[i]] = expected[pinned[i]];
    pl_fem_report report;
    assert_true(pl_fem_equilibrium(context, model, &rest, x, &report, &error) >= 0);
    double worst = 0;
    for (int32_t i = 0; i < view.point_count; ++i) worst = fmax(worst, pl_vec3_distance(x[i], expected[i]));
    print_message("patch test, material %d: %.2g m off after %d iterations\n", k, worst, report.newton_count);
    check_at_most(worst, 1e-10);
    pl_model_destroy(model);
  }
  free(points);
  free(expected);
  pl_mesh_destroy(mesh);
  pl_mesh_destroy(box);
  drop_context(context);
}

// Lowest point of a hanging bar of square section. ν = 0: the clamp at the top holds the section without straining it.
static double hang(pl_context *context, int32_t cells, pl_fem_material material) {
  pl_error error = {0};
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){0.1, 1, 0.1}, 1, cells, 1);
  pl_mesh_view view = pl_mesh_get_view(mesh);
  pl_fem_def def = pl_default_fem_def(material);
  def.young = 1e6;
  def.poisson = 0;
  pl_model *model = make_fem_model(context, &def, mesh);
  pl_vec3 *x = copy_points(mesh);
  int32_t pinned[16], count = 0;
  for (int32_t i = 0; i < view.point_count; ++i)
    if (view.points[i].y > 0.4999) pinned[count++] = i;
  pl_fem_equilibrium_def rest = pl_default_fem_equilibrium_def();
  rest.acceleration = (pl_vec3){0, -9.81, 0};
  rest.pinned = pinned;
  rest.pinned_count = count;
  check_ok(pl_fem_equilibrium(context, model, &rest, x, NULL, &error), &error);
  double sum = 0, n = 0;
  for (int32_t i = 0; i < view.point_count; ++i)
    if (view.points[i].y < -0.4999) sum += -0.5 - x[i].y, n++;
  free(x);
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
  return sum / n;
}

static void a_hanging_bar_lengthens_by_rho_g_L2_over_2E(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  double expected = 1000 * 9.81 / (2 * 1e6);
  for (int k = 0; k < 2; ++k) {
    double coarse = hang(context, 4, k == 0 ? PL_FEM_COROTATED : PL_FEM_NEO_HOOKEAN);
    double fine = hang(context, 16, k == 0 ? PL_FEM_COROTATED : PL_FEM_NEO_HOOKEAN);
    print_message("hanging bar, material %d: %.6f m with 4 cells, %.6f with 16, closed form %.6f (%.2f %%)\n", k,
                  coarse, fine, expected, 100 * fabs(fine / expected - 1));
    check_near(fine, expected, 0.02 * expected);
  }
  drop_context(context);
}

// Sag of a cantilever under its weight, wL⁴/(8EI) + wL²/(2kGA), cut ever more finely. One cell wide: without lateral
// strain the width does not matter.
static double sag(pl_context *context, int32_t cells, double *expected) {
  pl_error error = {0};
  const double length = 0.5, depth = 0.1, young = 1e6, density = 100, gravity = 1;
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){length, depth, depth / cells}, 5 * cells, cells, 1);
  pl_fem_def def = pl_default_fem_def(PL_FEM_COROTATED);
  def.young = young;
  def.poisson = 0;
  def.density = density;
  pl_model *model = make_fem_model(context, &def, mesh);
  pl_vec3 *x = copy_points(mesh);
  int32_t count, *pinned = list_left_points(mesh, -0.5 * length + 1e-9, &count);
  pl_fem_equilibrium_def rest = pl_default_fem_equilibrium_def();
  rest.acceleration = (pl_vec3){0, -gravity, 0};
  rest.pinned = pinned;
  rest.pinned_count = count;
  rest.tolerance = 1e-6;
  check_ok(pl_fem_equilibrium(context, model, &rest, x, NULL, &error), &error);
  pl_mesh_view view = pl_mesh_get_view(mesh);
  double sum = 0, n = 0;
  for (int32_t i = 0; i < view.point_count; ++i)
    if (view.points[i].x > 0.5 * length - 1e-9) sum += view.points[i].y - x[i].y, n++;
  double area = depth * depth / cells, inertia = area * depth * depth / 12, w = density * area * gravity;
  *expected = w * pow(length, 4) / (8 * young * inertia) + w * length * length / (2 * 5.0 / 6 * 0.5 * young * area);
  free(pinned);
  free(x);
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
  return sum / n;
}

static void a_cantilever_sags_as_beam_theory_says(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  double expected, error[3];
  for (int k = 0; k < 3; ++k) {
    double found = sag(context, 4 << k, &expected);
    error[k] = 1 - found / expected;
    print_message("cantilever, %2d cells deep: sag %.4g m, closed form %.4g m, %.2f %% too stiff\n", 4 << k, found,
                  expected, 100 * error[k]);
  }
  double order = log2((error[0] - error[1]) / (error[1] - error[2]));
  print_message("order of convergence %.2f\n", order);
  assert_true(order > 1.5);
  check_at_most(fabs(error[2]), 0.02);
  drop_context(context);
}

// Tip of a clamped curve of 40 segments. The clamp is a ghost segment, and the hinge at it belongs to half a segment
// only: twice as stiff.
static pl_model *make_elastica(pl_context *context, int32_t count, double *stiffness) {
  pl_mesh *mesh = make_fem_chain(context, 1, count);
  double scales[256];
  for (int32_t i = 0; i <= count; ++i) scales[i] = i == 0 ? 3 : 1;
  pl_fem_def def = pl_default_fem_def(PL_FEM_CURVE);
  def.young = 1e9;
  def.thickness = 0.01;
  def.young_scales = scales;
  *stiffness = def.young * pow(def.thickness, 4) / 12;
  pl_model *model = make_fem_model(context, &def, mesh);
  pl_mesh_destroy(mesh);
  return model;
}

static void a_curve_under_tip_load_is_the_elastica(void **state) {
  (void)state;
  // PL²/EI, deflection and shortening over L (Bisshopp and Drucker 1945).
  static const double table[][3] = {{1, 0.3017207738, 0.0564332362834},
                                    {2, 0.493457480397, 0.160641720825},
                                    {3, 0.60325344113, 0.254420184564},
                                    {5, 0.713791523612, 0.387628360724}};
  pl_context *context = make_context(1);
  pl_error error = {0};
  enum { SEGMENTS = 40 };
  double stiffness;
  pl_model *model = make_elastica(context, SEGMENTS, &stiffness);
  for (int k = 0; k < 4; ++k) {
    pl_vec3 x[SEGMENTS + 2], forces[SEGMENTS + 2] = {{0, 0, 0}};
    for (int32_t i = 0; i < SEGMENTS + 2; ++i) x[i] = (pl_vec3){(i - 1.0) / SEGMENTS, 0, 0};
    forces[SEGMENTS + 1] = (pl_vec3){0, -table[k][0] * stiffness, 0};
    pl_fem_equilibrium_def rest = pl_default_fem_equilibrium_def();
    rest.forces = forces;
    rest.pinned = (const int32_t[2]){0, 1};
    rest.pinned_count = 2;
    rest.load_steps = 4;
    pl_fem_report report;
    check_ok(pl_fem_equilibrium(context, model, &rest, x, &report, &error), &error);
    double down = -x[SEGMENTS + 1].y, back = 1 - x[SEGMENTS + 1].x;
    print_message("elastica PL²/EI = %g: down %.5f (%.5f), back %.5f (%.5f), %d Newton iterations\n", table[k][0], down,
                  table[k][1], back, table[k][2], report.newton_count);
    check_near(down, table[k][1], 0.03 * table[k][1]);
    check_near(back, table[k][2], 0.03 * table[k][2]);
  }
  pl_model_destroy(model);
  drop_context(context);
}

// A couple at the last segment that turns with it: forces across the segment, found again until they fit.
static void an_end_moment_rolls_a_curve_into_a_circle(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  enum { SEGMENTS = 40, LAST = SEGMENTS + 1 };
  double stiffness;
  pl_model *model = make_elastica(context, SEGMENTS, &stiffness);
  pl_vec3 x[SEGMENTS + 2];
  for (int32_t i = 0; i < SEGMENTS + 2; ++i) x[i] = (pl_vec3){(i - 1.0) / SEGMENTS, 0, 0};
  const double full = 2 * PL_PI;
  pl_fem_equilibrium_def rest = pl_default_fem_equilibrium_def();
  rest.pinned = (const int32_t[2]){0, 1};
  rest.pinned_count = 2;
  for (int part = 1; part <= 40; ++part)
    for (int round = 0; round < 6; ++round) {
      pl_vec3 forces[SEGMENTS + 2] = {{0, 0, 0}}, along = pl_vec3_sub(x[LAST], x[LAST - 1]);
      double length = pl_vec3_length(along), moment = full * stiffness * part / 40;
      pl_vec3 across = pl_vec3_scale((pl_vec3){-along.y, along.x, 0}, moment / (length * length));
      forces[LAST] = across;
      forces[LAST - 1] = pl_vec3_scale(across, -1);
      rest.forces = forces;
      assert_true(pl_fem_equilibrium(context, model, &rest, x, NULL, &error) >= 0);
    }
  // The last segment feels the moment at its first point only, so half a segment stays straight.
  double off = pl_vec3_distance(x[LAST], (pl_vec3){0, 0, 0});
  print_message("rolled up: the tip is %.4f of the length from the clamp\n", off);
  check_at_most(off, 0.03);
  pl_model_destroy(model);
  drop_context(context);
}

// A strip of a shell clamped along one short side. It is narrow, so that it bends as a beam, with E t³/12 per width in
// place of the plate's stiffness.
static void a_shell_cantilever_sags_as_a_beam(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  const double length = 0.2, thickness = 0.004, young = 1e6, density = 1000, gravity = 0.02, poisson = 0.3;
  pl_mesh *mesh = make_fem_sheet(context, length, 20, 4);
  pl_mesh_view view = pl_mesh_get_view(mesh);
  pl_fem_def def = pl_default_fem_def(PL_FEM_SHELL);
  def.young = young;
  def.thickness = thickness;
  def.poisson = poisson;
  pl_model *model = make_fem_model(context, &def, mesh);
  pl_vec3 *x = copy_points(mesh);
  // Two columns are held: they clamp the angle at the second.
  double side = length / 20;
  int32_t count, *pinned = list_left_points(mesh, side + 1e-9, &count);
  pl_fem_equilibrium_def rest = pl_default_fem_equilibrium_def();
  rest.acceleration = (pl_vec3){0, 0, -gravity};
  rest.pinned = pinned;
  rest.pinned_count = count;
  rest.tolerance = 1e-6;
  pl_fem_report report;
  check_ok(pl_fem_equilibrium(context, model, &rest, x, &report, &error), &error);
  double sum = 0, n = 0;
  for (int32_t i = 0; i < view.point_count; ++i)
    if (view.points[i].x > length - 1e-9) sum -= x[i].z, n++;
  double stiffness = young * pow(thickness, 3) / 12, load = density * thickness * gravity;
  // The bent part begins between the second column and the row before it that odd rows have.
  double longest = load * pow(length - 0.5 * side, 4) / (8 * stiffness),
         shortest = load * pow(length - side, 4) / (8 * stiffness);
  print_message("shell cantilever: sag %.4g m, beam formula %.4g … %.4g m; %d Newton, %s\n", sum / n, shortest, longest,
                report.newton_count, report.solver);
  assert_true(sum / n > 0.98 * shortest && sum / n < 1.02 * longest);
  free(pinned);
  free(x);
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(patch_test),
      cmocka_unit_test(a_hanging_bar_lengthens_by_rho_g_L2_over_2E),
      cmocka_unit_test(a_cantilever_sags_as_beam_theory_says),
      cmocka_unit_test(a_curve_under_tip_load_is_the_elastica),
      cmocka_unit_test(an_end_moment_rolls_a_curve_into_a_circle),
      cmocka_unit_test(a_shell_cantilever_sags_as_a_beam),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
