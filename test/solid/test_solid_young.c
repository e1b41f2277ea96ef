// A Young's modulus means the same on any mesh and at any step: the sag of a cantilever under its weight against finite
// elements on the same mesh, over three decades of moduli, three meshes and three steps.
// ctest: physics once
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

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_cantilever_sags_as_finite_elements_do)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
