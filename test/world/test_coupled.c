// Implicit bodies that touch: stacks that stand and sleep, momentum, friction on a slope, bodies of other methods.
// ctest: physics once
#include "fixtures/box_stacks.h"

static const pl_fem_material METHODS[] = {PL_FEM_COROTATED, PL_FEM_FAST};
enum { METHOD_COUNT = 2 };

// Not above 0.85 of Greenhill's height of a column that buckles under its weight, (7.84 E I / (ρ g A))^(1/3).
static void low_stacks_stand_for_a_minute_and_sleep(void **state) {
  (void)state;
  const struct {
    int count;
    double young;
  } stacks[] = {{1, 2e5}, {3, 2e5}, {5, 2e6}};
  for (int k = 0; k < 3 * METHOD_COUNT; ++k) {
    box_stack s =
        make_stack(1, METHODS[k % METHOD_COUNT], stacks[k / METHOD_COUNT].young, stacks[k / METHOD_COUNT].count, 0);
    double max = 0;
    for (int second = 0; second < 60; ++second) {
      run_steps(s.world, 240);
      if (second >= 10) max = fmax(max, stack_speed(&s));
    }
    pl_body_report top = pl_body_get_report(s.world, s.boxes[s.count - 1]);
    print_message("%d boxes of %g Pa, method %d: speed %.2g m/s after 10 s, top at (%.5f, %.5f, %.5f)\n", s.count,
                  stacks[k / METHOD_COUNT].young, k % METHOD_COUNT, max, top.center.x, top.center.y, top.center.z);
    assert_true(max < 1e-3);
    assert_true(hypot(top.center.x, top.center.z) < 1e-3 && top.center.y > 0.95 * BOX_SIZE * (s.count - 0.5));
    for (int i = 0; i < s.count; ++i) assert_true(pl_body_is_asleep(s.world, s.boxes[i]));
    drop_stack(&s);
  }
}

typedef struct motion {
  pl_vec3 momentum, spin;  // spin around the origin of the world
  double size;             // sum of the lengths of momenta
} motion;

static motion motion_of(const box_stack *s) {
  motion m = {{0, 0, 0}, {0, 0, 0}, 0};
  for (int i = 0; i < s->count; ++i) {
    pl_body_report report = pl_body_get_report(s->world, s->boxes[i]);
    pl_vec3 spin = pl_vec3_add(report.angular_momentum, pl_vec3_cross(report.center, report.momentum));
    m.momentum = pl_vec3_add(m.momentum, report.momentum);
    m.spin = pl_vec3_add(m.spin, spin);
    m.size += pl_vec3_length(report.momentum);
  }
  return m;
}

// Two boxes that meet off their centres, in flight, and slide along each other while they touch.
static void a_collision_keeps_momentum(void **state) {
  (void)state;
  for (int m = 0; m < 2 * METHOD_COUNT; ++m) {
    box_stack s = make_stack(1, METHODS[m % METHOD_COUNT], 2e5, 0, 0);
    double sideways = m < METHOD_COUNT ? 0 : 0.8;
    for (int i = 0; i < 2; ++i) {
      pl_error error = {0};
      pl_body_def def = pl_default_body_def();
      def.model = s.model;
      def.gravity_scale = 0;
      def.placement.position = (pl_vec3){0.05 * i, 5 + 0.23 * i, 0.03 * i};
      def.velocity = (pl_vec3){i == 0 ? sideways : -sideways, i == 0 ? 1.5 : -1, 0};
      check_ok(pl_world_add_body(s.world, &def, &s.boxes[s.count++], &error), &error);
    }
    motion before = motion_of(&s);
    run_steps(s.world, 60);
    motion after = motion_of(&s);
    double apart = pl_body_get_report(s.world, s.boxes[1]).center.y - pl_body_get_report(s.world, s.boxes[0]).center.y;
    double linear = pl_vec3_distance(after.momentum, before.momentum) / before.size;
    double angular = pl_vec3_distance(after.spin, before.spin) / (BOX_SIZE * before.size);
    print_message("method %d, %g m/s sideways: momentum off by %.2g, angular momentum by %.2g, centres %.3f m apart\n",
                  m % METHOD_COUNT, sideways, linear, angular, apart);
    assert_true(apart > 0.2);
    assert_true(linear < 1e-6);
    assert_true(angular < 1e-6);
    drop_stack(&s);
  }
}

// Friction must not keep a step from its solution: a tile that is not held in balance hops.
static void run_solved_steps(pl_world *world, int32_t count) {
  for (int32_t i = 0; i < count; ++i) {
    pl_error error = {0};
    pl_step_report report;
    check_ok(pl_world_step(world, &report, &error), &error);
    assert_int_equal(report.unconverged_count, 0);
  }
}

// A tile on a pinned plate, with gravity turned by the angle of the slope; how fast it slides after half a second.
static double sliding_speed(pl_fem_material material, double angle, double *start_speed) {
  pl_error error = {0};
  pl_context *context = make_context(1);
  pl_fem_def def = pl_default_fem_def(material);
  def.young = 1e6;
  def.fast_step = BOX_STEP;
  pl_mesh *plate = make_fem_box(context, (pl_vec3){2, 0.1, 0.4}, 20, 1, 4);
  pl_mesh *tile = make_fem_box(context, (pl_vec3){0.2, 0.05, 0.2}, 3, 1, 3);
  pl_model *models[2] = {make_fem_model(context, &def, plate), make_fem_model(context, &def, tile)};
  pl_world *world = make_world(context, BOX_STEP, -9.81);
  pl_body_id ground = add_body(world, models[0], (pl_vec3){0, 0, 0});
  pl_mesh_view view = pl_mesh_get_view(plate);
  for (int32_t i = 0; i < view.point_count; ++i) {
    pl_pin_def pin = pl_default_pin_def();
    pin.body = ground, pin.particle = i, pin.target = view.points[i];
    if (view.points[i].y < 0) check_ok(pl_world_add_pin(world, &pin, NULL, &error), &error);
  }
  pl_body_id body = add_body(world, models[1], (pl_vec3){-0.5, 0.075, 0});
  pl_mesh_destroy(plate);
  pl_mesh_destroy(tile);
  run_steps(world, 120);
  pl_world_set_gravity(world, (pl_vec3){9.81 * sin(angle), -9.81 * cos(angle), 0});
  run_solved_steps(world, 60);
  *start_speed = pl_body_get_report(world, body).momentum.x / pl_body_get_report(world, body).mass;
  run_solved_steps(world, 60);
  double speed = pl_body_get_report(world, body).momentum.x / pl_body_get_report(world, body).mass;
  pl_world_destroy(world);
  for (int i = 0; i < 2; ++i) pl_model_destroy(models[i]);
  drop_context(context);
  return speed;
}

static void friction_between_bodies_holds_and_slides_as_coulomb_says(void **state) {
  (void)state;
  double hold = atan(0.5);
  for (int m = 0; m < METHOD_COUNT; ++m) {
    double start, speed = sliding_speed(METHODS[m], hold - 0.02, &start);
    print_message("method %d, 0.02 rad below the angle of friction: %.2g m/s\n", m, speed);
    assert_true(fabs(speed) < 1e-3);
    for (int k = 0; k < 2; ++k) {
      double angle = hold + (k == 0 ? 0.05 : 0.2), wanted = 9.81 * (sin(angle) - 0.5 * cos(angle));
      speed = sliding_speed(METHODS[m], angle, &start);
      double found = (speed - start) / 0.25;
      print_message("method %d, %.2f rad: acceleration %.4f of %.4f m/s^2\n", m, angle, found, wanted);
      assert_true(fabs(found - wanted) < 0.02 * wanted);
    }
  }
}

// A soft box on one of another method, and the other way round.
static void other_methods_carry_and_are_carried(void **state) {
  (void)state;
  for (int k = 0; k < 2 * METHOD_COUNT; ++k) {
    box_stack s = make_stack(1, METHODS[k / 2], 5e5, 0, 0);
    pl_solid_def def = pl_default_solid_def();
    pl_model *solid = make_box_model(s.context, (pl_vec3){BOX_SIZE, BOX_SIZE, BOX_SIZE}, 3, 3, 3, &def);
    for (int i = 0; i < 2; ++i)
      s.boxes[s.count++] = add_body(s.world, i == k % 2 ? s.model : solid, (pl_vec3){0, 0.1 + 0.2 * i, 0});
    run_steps(s.world, 2 * 240);
    pl_body_report top = pl_body_get_report(s.world, s.boxes[1]);
    print_message("method %d %s a solid: top at %.4f m, %.2g m/s\n", k / 2, k % 2 == 0 ? "under" : "on", top.center.y,
                  stack_speed(&s));
    assert_true(top.center.y > 0.27 && hypot(top.center.x, top.center.z) < 0.01);
    pl_world_destroy(s.world);
    pl_model_destroy(solid);
    pl_model_destroy(s.model);
    drop_context(s.context);
  }
}

// Two bodies put into each other by three quarters: hundreds of contacts that press in all directions. Each step is
// solved, in few iterations (21.7 in the mean while deep contacts had friction).
static void bodies_put_into_each_other_are_solved(void **state) {
  (void)state;
  enum { STEPS = 20 };
  pl_context *context = make_context(1);
  pl_world *world = make_world(context, 1.0 / 240, 9.81);
  pl_fem_def def = pl_default_fem_def(PL_FEM_COROTATED);
  def.young = 3e5;
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){0.2, 0.2, 0.2}, 3, 3, 3);
  pl_model *model = make_fem_model(context, &def, mesh);
  pl_mesh_destroy(mesh);
  pl_body_id body = add_body(world, model, (pl_vec3){0, 1, 0});
  add_body(world, model, (pl_vec3){0.013, 1.05, 0.007});
  pl_error error = {0};
  int32_t iterations = 0;
  for (int step = 0; step < STEPS; ++step) {
    pl_step_report report;
    pl_fem_report fem;
    check_ok(pl_world_step(world, &report, &error), &error);
    assert_int_equal(report.unconverged_count, 0);
    assert_int_equal(pl_fem_get_report(world, body, &fem), PL_OK);
    iterations += fem.newton_count;
  }
  print_message("put into each other: %.1f iterations a step\n", (double)iterations / STEPS);
  check_at_most((double)iterations / STEPS, 15);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bodies_put_into_each_other_are_solved),
      cmocka_unit_test(low_stacks_stand_for_a_minute_and_sleep),
      cmocka_unit_test(a_collision_keeps_momentum),
      cmocka_unit_test(friction_between_bodies_holds_and_slides_as_coulomb_says),
      cmocka_unit_test(other_methods_carry_and_are_carried),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
