// A Young's modulus means the same on any mesh and at any step: the sag of a cantilever under its weight against finite
// elements on the same mesh, over three decades of moduli, three meshes and three steps.
// ctest: physics once
#include "body/body_method.h"
#include "fixtures/fem_bodies.h"

static const double LENGTH = 1, WIDTH = 0.2, DENSITY = 1000;

// The weight that makes a beam sag by 3 % of its length.
static double gravity_for(double young) {
  double moment = pow(WIDTH, 4) / 12, area = WIDTH * WIDTH;
  return 0.03 * LENGTH * 8 * young * moment / (DENSITY * area * pow(LENGTH, 4));
}

static pl_world *make_cantilever(pl_context *context, const pl_model *model, const pl_mesh *mesh, double step,
                                 double gravity, pl_body_id *body) {
  pl_error error = {0};
  pl_world *world = make_world(context, step, -gravity);
  *body = add_body(world, model, (pl_vec3){0, 0, 0});
  pl_mesh_view view = pl_mesh_get_view(mesh);
  for (int32_t i = 0; i < view.point_count; ++i) {
    if (view.points[i].x > -0.4999 * LENGTH) continue;
    pl_pin_def pin = pl_default_pin_def();
    pin.body = *body;
    pin.particle = i;
    pin.target = view.points[i];
    check_ok(pl_world_add_pin(world, &pin, NULL, &error), &error);
  }
  return world;
}

static double sag_of(pl_world *world, pl_body_id body, const pl_mesh *mesh) {
  pl_mesh_view view = pl_mesh_get_view(mesh);
  pl_vec3 *x = calloc((size_t)view.point_count, sizeof *x);
  pl_body_get_positions(world, body, x);
  double sum = 0;
  int32_t count = 0;
  for (int32_t i = 0; i < view.point_count; ++i) {
    if (view.points[i].x < 0.4999 * LENGTH) continue;
    sum += view.points[i].y - x[i].y;
    count++;
  }
  free(x);
  return sum / count;
}

// Step until the body rests: where the kinetic energy has passed a peak of the slow vibration, all velocities are set
// to zero. Not oftener than that: velocities are half a step behind, which matters to fast ones.
static void settle(pl_world *world, pl_body_id body, const pl_model *model, double period, double step) {
  size_t n = (size_t)pl_model_get_report(model).particle_count;
  pl_vec3 *v = calloc(n, sizeof *v), *still = calloc(n, sizeof *v);
  pl_error error = {0};
  double before = 0;
  double last = 0;
  for (int64_t s = 0; s < (int64_t)(4 * period / step); ++s) {
    run_steps(world, 1);
    pl_body_get_velocities(world, body, v);
    double energy = 0;
    for (size_t i = 0; i < n; ++i) energy += pl_vec3_dot(v[i], v[i]);
    bool is_past = energy < before && (double)s * step > last + 0.15 * period;
    if (is_past) check_ok(pl_body_set_state(world, body, NULL, still, &error), &error);
    if (is_past) last = (double)s * step;
    before = is_past ? 0 : energy;
  }
  free(v);
  free(still);
}

static void a_cantilever_sags_as_finite_elements_do(void **state) {
  (void)state;
  static const struct {
    double young;
    int32_t cells;
    double step;
  } trials[] = {
      {1e4, 3, 1.0 / 1000}, {1e5, 3, 1.0 / 1000}, {1e6, 3, 1.0 / 1000}, {1e7, 3, 1.0 / 3000}, {1e5, 2, 1.0 / 1000},
      {1e5, 4, 1.0 / 1000}, {1e5, 6, 1.0 / 500},  {1e5, 3, 1.0 / 500},  {1e5, 3, 1.0 / 2000},
  };
  for (size_t t = 0; t < sizeof trials / sizeof *trials; ++t) {
    pl_context *context = make_context(1);
    int32_t n = trials[t].cells;
    double young = trials[t].young, gravity = gravity_for(young);
    pl_mesh *mesh = make_fem_box(context, (pl_vec3){LENGTH, WIDTH, WIDTH}, 5 * n, n, n);
    pl_fem_def fem_def = pl_default_fem_def(PL_FEM_COROTATED);
    fem_def.young = young;
    fem_def.poisson = 0;
    fem_def.density = DENSITY;
    fem_def.mass_damping = 2;
    double sags[2], period = 2 * PL_PI / (3.52 * sqrt(young * WIDTH * WIDTH / 12 / DENSITY));
    pl_solid_def def = pl_default_solid_def();
    def.damping = 10 / period;
    def.young = young;
    def.density = DENSITY;
    pl_error error = {0};
    pl_model *fem = make_fem_model(context, &fem_def, mesh), *solid = NULL;
    check_ok(pl_solid_build(context, &def, mesh, &solid, &error), &error);
    pl_body_id body;
    for (int side = 0; side < 2; ++side) {
      double step = side == 0 ? trials[t].step : period / 40;
      pl_world *world = make_cantilever(context, side == 0 ? solid : fem, mesh, step, gravity, &body);
      settle(world, body, side == 0 ? solid : fem, period, step);
      sags[side] = sag_of(world, body, mesh);
      pl_world_destroy(world);
    }
    print_message("%g Pa, %d cells across, step 1/%.0f s: sag %.4f m, finite elements %.4f m (%+.1f %%)\n", young, n,
                  1 / trials[t].step, sags[0], sags[1], 100 * (sags[0] / sags[1] - 1));
    check_near(sags[0] / sags[1], 1, 0.15);
    pl_model_destroy(fem);
    pl_model_destroy(solid);
    pl_mesh_destroy(mesh);
    drop_context(context);
  }
}

// A cantilever whose half next to the clamp is four times as stiff, against tets of these moduli.
static void a_map_of_stiffness_is_one_of_moduli(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){LENGTH, WIDTH, WIDTH}, 16, 3, 3);
  pl_mesh_view view = pl_mesh_get_view(mesh);
  double young = 1e5, gravity = gravity_for(young),
         period = 2 * PL_PI / (3.52 * sqrt(young * WIDTH * WIDTH / 12 / DENSITY));
  float *scales = calloc((size_t)view.point_count, sizeof *scales);
  double *of_tets = calloc((size_t)view.tet_count, sizeof *of_tets), sags[3];
  for (int32_t i = 0; i < view.point_count; ++i) scales[i] = view.points[i].x < 0 ? 4 : 1;
  for (int32_t t = 0; t < view.tet_count; ++t) {
    double x = 0;
    for (int k = 0; k < 4; ++k) x += view.points[view.tets[4 * t + k]].x;
    of_tets[t] = x < 0 ? 4 : 1;
  }
  for (int side = 0; side < 3; ++side) {
    pl_fem_def fem_def = pl_default_fem_def(PL_FEM_COROTATED);
    fem_def.young = young;
    fem_def.poisson = 0;
    fem_def.density = DENSITY;
    fem_def.mass_damping = 2;
    fem_def.young_scales = of_tets;
    pl_solid_def def = pl_default_solid_def();
    def.damping = 10 / period;
    def.young = young;
    def.density = DENSITY;
    if (side == 1) def.stiffness_scales = scales;
    pl_model *model = NULL;
    if (side == 0)
      model = make_fem_model(context, &fem_def, mesh);
    else
      check_ok(pl_solid_build(context, &def, mesh, &model, &error), &error);
    double step = side == 0 ? period / 40 : 1.0 / 1000;
    pl_body_id body;
    pl_world *world = make_cantilever(context, model, mesh, step, gravity, &body);
    settle(world, body, model, period, step);
    sags[side] = sag_of(world, body, mesh);
    pl_world_destroy(world);
    pl_model_destroy(model);
  }
  print_message("sag %.4f m with a map, %.4f m without; finite elements %.4f m\n", sags[1], sags[2], sags[0]);
  check_near(sags[1] / sags[0], 1, 0.15);
  check_at_most(sags[1], 0.6 * sags[2]);
  free(scales);
  free(of_tets);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

// Twice the density everywhere by a map is twice the density; in a half it is twice the mass there.
static void a_map_of_density_is_one_of_masses(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){LENGTH, WIDTH, WIDTH}, 8, 2, 2);
  pl_mesh_view view = pl_mesh_get_view(mesh);
  float *scales = calloc((size_t)view.point_count, sizeof *scales);
  pl_vec3 *x[2];
  for (int side = 0; side < 2; ++side) {
    for (int32_t i = 0; i < view.point_count; ++i) scales[i] = 2;
    pl_solid_def def = pl_default_solid_def();
    def.young = 1e5;
    def.density = side == 0 ? 2 * DENSITY : DENSITY;
    if (side == 1) def.density_scales = scales;
    pl_model *model = NULL;
    pl_body_id body;
    check_ok(pl_solid_build(context, &def, mesh, &model, &error), &error);
    pl_world *world = make_cantilever(context, model, mesh, 1.0 / 1000, 2, &body);
    run_steps(world, 300);
    x[side] = calloc((size_t)view.point_count, sizeof **x);
    pl_body_get_positions(world, body, x[side]);
    pl_world_destroy(world);
    pl_model_destroy(model);
  }
  for (int32_t i = 0; i < view.point_count; ++i) check_at_most(pl_vec3_distance(x[0][i], x[1][i]), 1e-6);
  for (int32_t i = 0; i < view.point_count; ++i) scales[i] = view.points[i].x > 0 ? 2 : 1;
  pl_model *models[2];
  pl_solid_def def = pl_default_solid_def();
  check_ok(pl_solid_build(context, &def, mesh, &models[0], &error), &error);
  def.density_scales = scales;
  check_ok(pl_solid_build(context, &def, mesh, &models[1], &error), &error);
  for (int32_t i = 0; i < view.point_count; ++i)
    check_near(models[1]->masses[i] / models[0]->masses[i], (double)scales[i], 1e-12);
  scales[5] = 0;
  pl_model *none = NULL;
  assert_int_equal(pl_solid_build(context, &def, mesh, &none, &error), PL_ERROR_INVALID_ARGUMENT);
  for (int side = 0; side < 2; ++side) pl_model_destroy(models[side]), free(x[side]);
  free(scales);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_cantilever_sags_as_finite_elements_do),
                                     cmocka_unit_test(a_map_of_stiffness_is_one_of_moduli),
                                     cmocka_unit_test(a_map_of_density_is_one_of_masses)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
