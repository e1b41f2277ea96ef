// Whatever rest shapes a driver asks for, a body has no force but its own: elastic forces have neither sum nor torque,
// and in flight momentum is kept.
// ctest: physics
#include "fixtures/fem_drivers.h"

static void elastic_forces_have_neither_sum_nor_torque(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  for (int k = 0; k < ADAPTING_COUNT; ++k) {
    pl_mesh *mesh = make_adapting_mesh(context, ADAPTING[k]);
    pl_fem_def def = pl_default_fem_def(ADAPTING[k]);
    def.adapts = true;
    pl_model *model = make_fem_model(context, &def, mesh);
    const pl_fem_model *fem = (const pl_fem_model *)model;
    pl_arena arena;
    pl_arena_init(&arena, context, 0);
    pl_fem_system system;
    assert_true(pl_fem_system_take(&arena, context, fem, &system));
    int32_t n = model->particle_count;
    double *x = PL_TAKE(&arena, double, 3 * n), *g = PL_TAKE(&arena, double, 3 * n), *rest[PL_FEM_MAX_GROUPS] = {0},
           worst = 0;
    for (int32_t i = 0; i < fem->group_count; ++i)
      rest[i] = PL_TAKE(&arena, double, 3 * fem->groups[i].corner_count * fem->groups[i].element_count);
    pl_random random = pl_random_of_seed(3);
    for (int round = 0; round < 20; ++round) {
      put_wild_rest(fem, 100 + (uint64_t)round, 0.3, rest);
      pl_fem_system_use(&system, (const double *const *)rest, NULL);
      for (int32_t i = 0; i < 3 * n; ++i)
        x[i] = fem->rest_points[i] + (fem->planar && i % 3 == 2 ? 0 : pl_random_between(&random, -0.03, 0.03));
      pl_fem_system_evaluate(&system, x, g, NULL, false);
      pl_vec3 sum = {0, 0, 0}, torque = {0, 0, 0};
      double force_size = 0, torque_size = 0;
      for (int32_t i = 0; i < n; ++i) {
        pl_vec3 f = pl_fem_vector(g, i), turn = pl_vec3_cross(pl_fem_vector(x, i), f);
        sum = pl_vec3_add(sum, f);
        torque = pl_vec3_add(torque, turn);
        force_size += pl_vec3_length(f);
        torque_size += pl_vec3_length(turn);
      }
      assert_true(force_size > 0.1);
      worst = fmax(worst, fmax(pl_vec3_length(sum) / force_size, pl_vec3_length(torque) / torque_size));
    }
    print_message("%s: sum and torque of forces are at most %.1e of their sizes\n", ADAPTING_NAMES[k], worst);
    check_at_most(worst, 1e-12);
    pl_arena_destroy(&arena);
    pl_model_destroy(model);
    pl_mesh_destroy(mesh);
  }
  drop_context(context);
}

typedef struct flight {
  double off_parabola, angular;  // worst of all steps: metres, and as a share
  int unconverged;
} flight;

// `size`: how wild the rest shapes are. They differ in every step and fit neither their neighbours nor the last step's.
static flight fly(pl_context *context, pl_fem_material material, double damping, double size, double step) {
  pl_error error = {0};
  pl_mesh *mesh = make_adapting_mesh(context, material);
  pl_fem_def def = pl_default_fem_def(material);
  def.adapts = true;
  def.stiffness_damping = damping;
  def.newton_tolerance = 1e-6;
  def.max_newton_iterations = 50;
  pl_model *model = make_fem_model(context, &def, mesh);
  pl_world *world = make_world(context, step, -9.81);
  add_ground(world);
  pl_body_def body_def = pl_default_body_def();
  body_def.model = model;
  body_def.placement.position = (pl_vec3){0, 100, 0};
  body_def.velocity = (pl_vec3){0.5, 1, 0};
  body_def.angular_velocity = (pl_vec3){0, 0, 4};
  if (material < PL_FEM_PLANE) body_def.angular_velocity = (pl_vec3){2, -3, 4};
  pl_body_id body;
  check_ok(pl_world_add_body(world, &body_def, &body, &error), &error);
  wild_driver wild;
  begin_wild_driver(&wild, size);
  assert_int_equal(pl_fem_drive(world, body, &wild.driver), PL_OK);
  pl_body_report start = pl_body_get_report(world, body);
  flight result = {0};
  for (int i = 1; i <= 100; ++i) {
    run_steps(world, 1);
    result.unconverged += !wild.report.converged;
    pl_body_report now = pl_body_get_report(world, body);
    double t = i * step;
    pl_vec3 parabola = {start.center.x + 0.5 * t, start.center.y + t - 0.5 * 9.81 * t * t, start.center.z};
    result.off_parabola = fmax(result.off_parabola, pl_vec3_distance(now.center, parabola));
    result.angular = fmax(result.angular, pl_vec3_distance(start.angular_momentum, now.angular_momentum) /
                                              pl_vec3_length(start.angular_momentum));
  }
  pl_world_destroy(world);
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
  return result;
}

static void in_flight_momentum_is_kept_whatever_is_asked_for(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  for (int k = 0; k < 4 * ADAPTING_COUNT; ++k) {
    double damping = k / ADAPTING_COUNT % 2 == 0 ? 0 : 0.01, step = k / ADAPTING_COUNT < 2 ? 1.0 / 100 : 1.0 / 30;
    // Thin sheets crumple in the end when nothing damps them, the sooner the more their triangles are asked to differ.
    // Angles of folded triangles jump: there steps may have no solution, but what they end with keeps momentum all the
    // same.
    double size = ADAPTING[k % ADAPTING_COUNT] == PL_FEM_SHELL ? 0.05 : 0.15;
    flight f = fly(context, ADAPTING[k % ADAPTING_COUNT], damping, size, step);
    print_message(
        "%s, damping %.2g, step %.4f: %.1e m off the parabola, angular momentum off by %.1e, %d steps not converged\n",
        ADAPTING_NAMES[k % ADAPTING_COUNT], damping, step, f.off_parabola, f.angular, f.unconverged);
    check_at_most(f.off_parabola, 1e-8);
    check_at_most(f.angular, 1e-6);
    if (ADAPTING[k % ADAPTING_COUNT] != PL_FEM_SHELL || damping > 0) assert_int_equal(f.unconverged, 0);
  }
  drop_context(context);
}

// Thrown onto the ground, driven wildly, between sticking and slipping: the equations hold in every step all the same,
// to a part in a million.
static void on_the_ground_every_step_is_solved(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  static const int kinds[] = {0, 2, 4};
  for (int k = 0; k < 3; ++k) {
    pl_mesh *mesh = make_adapting_mesh(context, ADAPTING[kinds[k]]);
    pl_fem_def def = pl_default_fem_def(ADAPTING[kinds[k]]);
    def.adapts = true;
    def.friction = 0.8;
    def.newton_tolerance = 1e-6;
    def.max_newton_iterations = 50;
    pl_model *model = make_fem_model(context, &def, mesh);
    pl_world *world = make_world(context, 1.0 / 30, -9.81);
    add_ground(world);
    pl_body_id body = add_body(world, model, (pl_vec3){0, 0.2, 0});
    wild_driver wild;
    begin_wild_driver(&wild, 0.15);
    assert_int_equal(pl_fem_drive(world, body, &wild.driver), PL_OK);
    double worst = 0;
    int touching = 0, max = 0;
    for (int i = 0; i < 100; ++i) {
      pl_fem_report report;
      run_steps(world, 1);
      check_ok(pl_fem_get_report(world, body, &report), NULL);
      assert_true(report.converged);
      worst = fmax(worst, report.relative_residual);
      max = report.newton_count > max ? report.newton_count : max;
      pl_vec3 surface[64];
      assert_in_range(model->surface.point_count, 1, 64);
      pl_body_get_surface(world, body, surface);
      for (int32_t p = 0; p < model->surface.point_count; ++p) touching += surface[p].y < 0;
    }
    print_message("%s on the ground: residual at most %.1e, at most %d iterations, points touched %d times\n",
                  ADAPTING_NAMES[kinds[k]], worst, max, touching);
    check_at_most(worst, 1e-6);
    assert_true(touching > 50);
    pl_world_destroy(world);
    pl_model_destroy(model);
    pl_mesh_destroy(mesh);
  }
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(elastic_forces_have_neither_sum_nor_torque),
      cmocka_unit_test(in_flight_momentum_is_kept_whatever_is_asked_for),
      cmocka_unit_test(on_the_ground_every_step_is_solved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
