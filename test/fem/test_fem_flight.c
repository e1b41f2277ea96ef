// Bodies in free flight, and bodies that were squashed, flattened and turned inside out.
// ctest: physics
#include "base/random.h"
#include "fixtures/fem_bodies.h"
#include "pliant/math.h"

static pl_vec3 total_angular_momentum(const pl_world *world, pl_body_id body) {
  return pl_body_get_report(world, body).angular_momentum;
}

// Rest shapes that jump between examples in flight excite every vibration there is; momentum must not notice.
static void fly(pl_context *context, const pl_mesh *mesh, pl_fem_def def, const char *name) {
  pl_error error = {0};
  pl_mesh_view view = pl_mesh_get_view(mesh);
  pl_vec3 *posed = calloc((size_t)view.point_count, sizeof *posed);
  bool planar = def.material == PL_FEM_PLANE || def.material == PL_FEM_CURVE;
  for (int32_t i = 0; i < view.point_count; ++i) {
    pl_vec3 p = view.points[i];
    posed[i] = (pl_vec3){1.15 * p.x, 0.9 * p.y + 0.5 * p.x * p.x, planar ? 0 : p.z + 0.4 * p.x * p.y};
  }
  pl_mesh_pose example = {"bent", posed};
  def.examples = &example;
  def.example_count = 1;
  pl_model *model = make_fem_model(context, &def, mesh);
  pl_world *world = make_world(context, 1.0 / 120, 0);
  pl_body_def body_def = pl_default_body_def();
  body_def.model = model;
  body_def.placement.position = (pl_vec3){1, 2, planar ? 0 : 3};
  body_def.velocity = (pl_vec3){0.5, -0.3, planar ? 0 : 0.2};
  body_def.angular_velocity = planar ? (pl_vec3){0, 0, 4} : (pl_vec3){2, -3, 4};
  pl_body_id body;
  check_ok(pl_world_add_body(world, &body_def, &body, &error), &error);
  pl_vec3 p0 = pl_body_get_report(world, body).momentum, l0 = total_angular_momentum(world, body);
  for (int part = 0; part < 10; ++part) {
    double weight = part % 2;
    check_ok(pl_body_set_weights(world, body, 0, &weight, &error), &error);
    run_steps(world, 100);
  }
  pl_vec3 p1 = pl_body_get_report(world, body).momentum, l1 = total_angular_momentum(world, body);
  double linear = pl_vec3_distance(p0, p1) / pl_vec3_length(p0),
         angular = pl_vec3_distance(l0, l1) / pl_vec3_length(l0);
  print_message("%s: over 1000 steps momentum changes by %.2g, angular momentum by %.2g of itself\n", name, linear,
                angular);
  check_at_most(linear, 1e-10);
  check_at_most(angular, 1e-6);
  pl_world_destroy(world);
  pl_model_destroy(model);
  free(posed);
}

static void momentum_is_kept_in_flight_whatever_the_rest_shape(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_mesh *box = make_fem_box(context, (pl_vec3){0.3, 0.2, 0.2}, 2, 1, 2);
  pl_mesh *sheet = make_fem_sheet(context, 0.3, 3, 2), *chain = make_fem_chain(context, 0.5, 6);
  pl_fem_def def = pl_default_fem_def(PL_FEM_COROTATED);
  fly(context, box, def, "corotated");
  def = pl_default_fem_def(PL_FEM_NEO_HOOKEAN);
  fly(context, box, def, "neo-Hookean");
  def = pl_default_fem_def(PL_FEM_EDGES);
  fly(context, box, def, "edges");
  def = pl_default_fem_def(PL_FEM_SHELL);
  fly(context, sheet, def, "shell");
  def = pl_default_fem_def(PL_FEM_PLANE);
  fly(context, sheet, def, "plane");
  def = pl_default_fem_def(PL_FEM_CURVE);
  def.young = 1e6;
  fly(context, chain, def, "curve");
  pl_mesh_destroy(box);
  pl_mesh_destroy(sheet);
  pl_mesh_destroy(chain);
  drop_context(context);
}

static void squashed_flattened_and_inverted_bodies_recover(void **state) {
  (void)state;
  static const pl_fem_material materials[3] = {PL_FEM_COROTATED, PL_FEM_NEO_HOOKEAN, PL_FEM_EDGES};
  static const char *const names[4] = {"squashed to a tenth", "flattened", "turned inside out", "scrambled"};
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){0.3, 0.2, 0.2}, 3, 2, 2);
  pl_vec3 x[36];
  for (int k = 0; k < 12; ++k) {
    pl_fem_def def = pl_default_fem_def(materials[k / 4]);
    def.scheme = PL_FEM_IMPLICIT_EULER;
    def.poisson = 0.4;
    pl_model *model = make_fem_model(context, &def, mesh);
    pl_world *world = make_world(context, 1.0 / 60, 0);
    pl_body_id body = add_body(world, model, (pl_vec3){0, 0, 0});
    pl_random random = pl_random_of_seed(11);
    for (int32_t i = 0; i < 36; ++i) {
      x[i] = pl_mesh_get_view(mesh).points[i];
      if (k % 4 == 0) x[i].y *= 0.1;
      if (k % 4 == 1) x[i].y = 0;
      if (k % 4 == 2) x[i].y *= -1;
      if (k % 4 == 3)
        x[i] = (pl_vec3){0.2 * pl_random_between(&random, -1, 1), 0.2 * pl_random_between(&random, -1, 1),
                         0.2 * pl_random_between(&random, -1, 1)};
    }
    double start, end;
    check_ok(pl_fem_compute_energy(context, model, x, &start, NULL, &error), &error);
    check_ok(pl_body_set_state(world, body, x, NULL, &error), &error);
    run_steps(world, 200);
    pl_body_get_positions(world, body, x);
    check_ok(pl_fem_compute_energy(context, model, x, &end, NULL, &error), &error);
    print_message("%s, material %d: elastic energy %.3g J, after 3.3 s %.3g J\n", names[k % 4], k / 4, start, end);
    check_at_most(end, 1e-4 * start);
    pl_world_destroy(world);
    pl_model_destroy(model);
  }
  pl_mesh_destroy(mesh);
  drop_context(context);
}

// Without damping, steps far too long for the vibrations: the midpoint rule alone would blow such a body up.
static void a_violently_vibrating_body_gains_nothing(void **state) {
  (void)state;
  static const pl_fem_material materials[3] = {PL_FEM_COROTATED, PL_FEM_NEO_HOOKEAN, PL_FEM_EDGES};
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){0.3, 0.2, 0.2}, 2, 1, 1);
  pl_vec3 x[12];
  for (int k = 0; k < 3; ++k) {
    pl_fem_def def = pl_default_fem_def(materials[k]);
    pl_model *model = make_fem_model(context, &def, mesh);
    pl_world *world = make_world(context, 1.0 / 30, 0);
    pl_body_id body = add_body(world, model, (pl_vec3){0, 0, 0});
    for (int32_t i = 0; i < 12; ++i) {
      x[i] = pl_mesh_get_view(mesh).points[i];
      x[i] = (pl_vec3){1.8 * x[i].x, 0.3 * x[i].y, x[i].z + 0.5 * x[i].x};
    }
    check_ok(pl_body_set_state(world, body, x, NULL, &error), &error);
    double start, worst = 0;
    check_ok(pl_fem_compute_energy(context, model, x, &start, NULL, &error), &error);
    for (int i = 0; i < 500; ++i) {
      double elastic;
      run_steps(world, 1);
      pl_body_get_positions(world, body, x);
      check_ok(pl_fem_compute_energy(context, model, x, &elastic, NULL, &error), &error);
      worst = fmax(worst, elastic + pl_body_get_report(world, body).kinetic_energy);
    }
    print_message("violent vibrations, material %d: at most %.3f of the energy at the start\n", k, worst / start);
    check_at_most(worst, 1.3 * start);
    pl_world_destroy(world);
    pl_model_destroy(model);
  }
  pl_mesh_destroy(mesh);
  drop_context(context);
}

// Bodies that fall straight, and ones that vibrate too fast for their steps: the centre of mass is a point under
// gravity, which midpoint follows exactly.
static void the_centre_falls_on_a_parabola(void **state) {
  (void)state;
  static const pl_fem_material materials[3] = {PL_FEM_COROTATED, PL_FEM_NEO_HOOKEAN, PL_FEM_EDGES};
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){0.3, 0.2, 0.2}, 2, 1, 1);
  for (int k = 0; k < 6; ++k) {
    pl_fem_def def = pl_default_fem_def(materials[k % 3]);
    pl_model *model = make_fem_model(context, &def, mesh);
    pl_world *world = make_world(context, 1.0 / 60, -9.81);
    add_ground(world);
    pl_body_id body = add_body(world, model, (pl_vec3){0, 10, 0});
    pl_vec3 x[12];
    for (int32_t i = 0; i < 12; ++i) {
      x[i] = pl_mesh_get_view(mesh).points[i];
      if (k >= 3) x[i].x *= 1.8;
      x[i].y += 10;
    }
    check_ok(pl_body_set_state(world, body, x, NULL, &error), &error);
    run_steps(world, 60);
    double off = pl_body_get_report(world, body).center.y - (10 - 0.5 * 9.81);
    print_message("fall, material %d, %s: %.2g m off after 1 s\n", k % 3, k < 3 ? "at rest" : "vibrating", off);
    check_near(off, 0, 1e-10);
    pl_world_destroy(world);
    pl_model_destroy(model);
  }
  pl_mesh_destroy(mesh);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(momentum_is_kept_in_flight_whatever_the_rest_shape),
      cmocka_unit_test(the_centre_falls_on_a_parabola),
      cmocka_unit_test(squashed_flattened_and_inverted_bodies_recover),
      cmocka_unit_test(a_violently_vibrating_body_gains_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
