// Thin bodies that bend far, columns that buckle and a bar that hangs, through equilibria of whole bodies: the elastica
// with its order of convergence, Euler's and Greenhill's loads.
// ctest: physics
#include "fixtures/fem_bodies.h"

enum { MAX_SEGMENTS = 160 };

// A clamped curve of length 1 along x with bending stiffness `*stiffness`, N m². A segment before it clamps the angle;
// the hinge there stands for half a segment only, so that it must be twice as stiff: the mean of the clamp's modulus
// and the curve's.
static pl_model *make_curve(pl_context *context, int32_t count, double *stiffness) {
  pl_mesh *mesh = make_fem_chain(context, 1, count);
  double scales[MAX_SEGMENTS + 1];
  for (int32_t i = 0; i <= count; ++i) scales[i] = i == 0 ? 3 : 1;
  pl_fem_def def = pl_default_fem_def(PL_FEM_CURVE);
  def.young = 1e9;
  def.thickness = 0.005;
  def.young_scales = scales;
  *stiffness = def.young * pow(def.thickness, 4) / 12;
  pl_model *model = make_fem_model(context, &def, mesh);
  pl_mesh_destroy(mesh);
  return model;
}

typedef struct load {
  pl_vec3 tip;           // N on the last point
  pl_vec3 acceleration;  // m/s²
  int32_t steps;
} load;

// Where the tip of the clamped curve comes to rest.
static pl_vec3 bend(pl_context *context, const pl_model *model, int32_t count, const load *it) {
  pl_error error = {0};
  pl_vec3 x[MAX_SEGMENTS + 2], forces[MAX_SEGMENTS + 2] = {{0, 0, 0}};
  for (int32_t i = 0; i < count + 2; ++i) x[i] = (pl_vec3){(i - 1.0) / count, 0, 0};
  forces[count + 1] = it->tip;
  pl_fem_equilibrium_def rest = pl_default_fem_equilibrium_def();
  rest.forces = forces;
  rest.acceleration = it->acceleration;
  rest.pinned = (const int32_t[2]){0, 1};
  rest.pinned_count = 2;
  rest.load_steps = it->steps;
  rest.max_newton_iterations = 200;
  // Stretching is 5e5 times as stiff as bending here, and its rounding errors are larger than a hundred-millionth of a
  // small load.
  rest.tolerance = 1e-6;
  check_ok(pl_fem_equilibrium(context, model, &rest, x, NULL, &error), &error);
  return x[count + 1];
}

// PL²/EI, deflection and shortening over L (Bisshopp and Drucker 1945).
static void the_elastica_under_tip_load_converges(void **state) {
  (void)state;
  static const double table[3][3] = {
      {1, 0.3017207738, 0.0564332362834}, {3, 0.60325344113, 0.254420184564}, {5, 0.713791523612, 0.387628360724}};
  pl_context *context = make_context(1);
  for (int k = 0; k < 3; ++k) {
    double off[3];
    for (int level = 0; level < 3; ++level) {
      int32_t count = 10 << level;
      double stiffness;
      pl_model *model = make_curve(context, count, &stiffness);
      pl_vec3 tip = bend(context, model, count, &(load){.tip = {0, -table[k][0] * stiffness, 0}, .steps = 5});
      off[level] = hypot(-tip.y - table[k][1], 1 - tip.x - table[k][2]);
      if (level == 2) {
        check_near(-tip.y, table[k][1], 0.003 * table[k][1]);
        check_near(1 - tip.x, table[k][2], 0.003 * table[k][2]);
      }
      pl_model_destroy(model);
    }
    double order = log2(off[0] / off[1]);
    print_message("elastica, PL²/EI = %g: tip off by %.1e, %.1e, %.1e L with 10, 20, 40 segments, order %.2f\n",
                  table[k][0], off[0], off[1], off[2], order);
    assert_true(order > 1.5);
  }
  drop_context(context);
}

// qL³/EI, deflection and shortening over L of a horizontal curve under its own weight.
static void the_elastica_under_its_weight(void **state) {
  (void)state;
  static const double table[4][3] = {{1, 0.12347139941, 0.00875360439789},
                                     {5, 0.495905034207, 0.153342815535},
                                     {10, 0.700199700162, 0.343646228352},
                                     {25, 0.855900188001, 0.613840227871}};
  pl_context *context = make_context(1);
  double stiffness;
  enum { COUNT = 40 };
  pl_model *model = make_curve(context, COUNT, &stiffness);
  double weight = pl_model_get_report(model).mass * COUNT / (COUNT + 1);  // per m/s², without the clamp's segment
  for (int k = 0; k < 4; ++k) {
    load it = {.acceleration = {0, -table[k][0] * stiffness / weight, 0}, .steps = 5};
    pl_vec3 tip = bend(context, model, COUNT, &it);
    print_message("elastica, qL³/EI = %g: down %.5f (%.5f), back %.5f (%.5f)\n", table[k][0], -tip.y, table[k][1],
                  1 - tip.x, table[k][2]);
    check_near(-tip.y, table[k][1], 0.01 * table[k][1]);
    check_near(1 - tip.x, table[k][2], 0.01 * table[k][2]);
  }
  pl_model_destroy(model);
  drop_context(context);
}

// A small load across makes a column give way by δ; towards the critical load P it grows as 1/(P - load), so that a
// straight line through 1/δ meets zero there (Southwell 1932).
static double find_critical(pl_context *context, const pl_model *model, int32_t count, pl_vec3 unit, bool own_weight,
                            double expected) {
  double loads[2], inverse[2];
  for (int k = 0; k < 2; ++k) {
    loads[k] = expected * (k == 0 ? 0.97 : 0.985);
    load it = {.steps = 4};
    pl_vec3 *to = own_weight ? &it.acceleration : &it.tip;
    *to = pl_vec3_scale(unit, loads[k]);
    to->y = 1e-6 * pl_vec3_length(*to);
    inverse[k] = 1 / bend(context, model, count, &it).y;
  }
  return loads[1] + (loads[1] - loads[0]) * inverse[1] / (inverse[0] - inverse[1]);
}

static void columns_buckle_at_the_loads_of_euler_and_greenhill(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  double stiffness, euler = PL_PI * PL_PI / 4, greenhill = 7.83734743894;
  enum { COUNT = 40 };
  pl_model *model = make_curve(context, COUNT, &stiffness);
  double weight = pl_model_get_report(model).mass * COUNT / (COUNT + 1);
  double found = find_critical(context, model, COUNT, (pl_vec3){-stiffness, 0, 0}, false, euler);
  print_message("Euler, clamped and free: PL²/EI = %.4f, closed form %.4f (%+.2f %%)\n", found, euler,
                100 * (found / euler - 1));
  check_near(found, euler, 0.002 * euler);
  found = find_critical(context, model, COUNT, (pl_vec3){-stiffness / weight, 0, 0}, true, greenhill);
  print_message("Greenhill, own weight: ρgAL³/EI = %.4f, closed form %.4f (%+.2f %%)\n", found, greenhill,
                100 * (found / greenhill - 1));
  check_near(found, greenhill, 0.002 * greenhill);
  // Above the load it has left the straight line for good (to the elastica; at 1.2 times the load the tip is more than
  // 0.5 L aside).
  pl_vec3 tip =
      bend(context, model, COUNT, &(load){.tip = {-1.2 * euler * stiffness, 1e-4 * stiffness, 0}, .steps = 12});
  print_message("20 %% above Euler's load: tip at %.3f %.3f L\n", tip.x, tip.y);
  assert_true(tip.y > 0.5);
  pl_model_destroy(model);
  drop_context(context);
}

// A strip of shell hanging far down under its weight is an elastica too. Hinges on equilateral triangles bend with ν =
// -1/3, so that a narrow strip has 8/9 of D = E t³/12(1 - ν²): E t³/12 for ν = 1/3. It is as wide as three and a half
// triangles, and a narrower strip is closer to a line; the clamp lies between half a side and a side before the first
// free column.
static void a_strip_of_shell_hangs_as_the_elastica(void **state) {
  (void)state;
  static const double down = 0.425159275308, back = 0.109889250093;  // qL³/EI = 4
  pl_context *context = make_context(1);
  pl_error error = {0};
  double found[3][2];
  for (int level = 0; level < 3; ++level) {
    int32_t count = 12 << level;
    const double length = 0.2, thickness = 0.001;
    pl_mesh *mesh = make_fem_sheet(context, length, count, 4);
    pl_mesh_view view = pl_mesh_get_view(mesh);
    pl_fem_def def = pl_default_fem_def(PL_FEM_SHELL);
    def.young = 1e7;
    def.thickness = thickness;
    def.poisson = 1.0 / 3;
    pl_model *model = make_fem_model(context, &def, mesh);
    pl_vec3 *x = calloc((size_t)view.point_count, sizeof *x);
    memcpy(x, view.points, (size_t)view.point_count * sizeof *x);
    // Columns up to one side are held; half a side further the strip is as bent as its load says.
    double side = length / count, bent = length - 0.75 * side;
    int32_t pinned_count, *pinned = list_left_points(mesh, side + 1e-9, &pinned_count);
    pl_fem_equilibrium_def rest = pl_default_fem_equilibrium_def();
    double stiffness = def.young * pow(thickness, 3) / 12;
    rest.acceleration = (pl_vec3){0, 0, -4 * stiffness / (def.density * thickness * bent * bent * bent)};
    rest.pinned = pinned;
    rest.pinned_count = pinned_count;
    rest.load_steps = 6;
    rest.max_newton_iterations = 100;
    rest.tolerance = 1e-6;
    pl_fem_report report;
    check_ok(pl_fem_equilibrium(context, model, &rest, x, &report, &error), &error);
    double n = 0, z = 0, along = 0;
    for (int32_t i = 0; i < view.point_count; ++i)
      if (view.points[i].x > length - 1e-9) z -= x[i].z, along += x[i].x, n++;
    found[level][0] = z / n / bent;
    found[level][1] = (length - along / n) / bent;
    print_message("strip, %d columns: down %.4f (%.4f), back %.4f (%.4f) of the free length; %d Newton iterations\n",
                  count, found[level][0], down, found[level][1], back, report.newton_count);
    free(pinned);
    free(x);
    pl_model_destroy(model);
    pl_mesh_destroy(mesh);
  }
  check_near(found[2][0], down, 0.02 * down);
  check_near(found[2][1], back, 0.03 * back);
  drop_context(context);
}

// A bar of square section that hangs from its upper end: it lengthens by ρ g L²/2E and stores (ρ g)² A L³/6E. With ν =
// 0 the length of linear elements is nearly exact on any mesh, so that the order shows in the energy, which sees that
// strain goes up in steps.
static void a_hanging_bar_converges(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  const double length = 1, side = 0.1, young = 1e6, weight = 1000 * 9.81;
  double off[4], stretch = 0, expected = weight * length * length / (2 * young);
  for (int level = 0; level < 4; ++level) {
    int32_t cells = 4 << level, pinned[64], count = 0;
    pl_mesh *mesh = make_fem_box(context, (pl_vec3){side, length, side}, 1, cells, 1);
    pl_mesh_view view = pl_mesh_get_view(mesh);
    pl_fem_def def = pl_default_fem_def(PL_FEM_COROTATED);
    def.young = young;
    def.poisson = 0;
    pl_model *model = make_fem_model(context, &def, mesh);
    pl_vec3 x[256];
    assert_true(view.point_count <= 256);
    for (int32_t i = 0; i < view.point_count; ++i) {
      x[i] = view.points[i];
      if (x[i].y > 0.5 * length - 1e-9) pinned[count++] = i;
    }
    pl_fem_equilibrium_def rest = pl_default_fem_equilibrium_def();
    rest.acceleration = (pl_vec3){0, -9.81, 0};
    rest.pinned = pinned;
    rest.pinned_count = count;
    pl_fem_report report;
    check_ok(pl_fem_equilibrium(context, model, &rest, x, &report, &error), &error);
    double n = 0, energy = weight * weight * side * side * pow(length, 3) / (6 * young);
    stretch = 0;
    for (int32_t i = 0; i < view.point_count; ++i)
      if (view.points[i].y < -0.5 * length + 1e-9) stretch += view.points[i].y - x[i].y, n++;
    stretch /= n;
    off[level] = 1 - report.energy / energy;
    print_message("hanging bar, %2d cells: %.6f m (closed form %.6f), energy off by %.2e\n", cells, stretch, expected,
                  off[level]);
    pl_model_destroy(model);
    pl_mesh_destroy(mesh);
  }
  print_message("order %.2f\n", log2(off[2] / off[3]));
  check_near(stretch, expected, 0.001 * expected);
  check_at_most(fabs(off[3]), 0.02);
  assert_true(log2(off[2] / off[3]) > 1.7);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_elastica_under_tip_load_converges),
      cmocka_unit_test(the_elastica_under_its_weight),
      cmocka_unit_test(columns_buckle_at_the_loads_of_euler_and_greenhill),
      cmocka_unit_test(a_strip_of_shell_hangs_as_the_elastica),
      cmocka_unit_test(a_hanging_bar_converges),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
