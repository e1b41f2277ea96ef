// Joints of rigid bodies against closed forms, and what they must keep: momentum, limits, the same bits.
// ctest: physics threads
#include "base/random.h"
#include "fixtures/rigid_bodies.h"

static pl_joint_id add_joint(pl_world *world, const pl_joint_def *def) {
  pl_error error = {0};
  pl_joint_id id;
  check_ok(pl_world_add_joint(world, def, &id, &error), &error);
  return id;
}

static pl_joint_def joint_of(pl_joint_kind kind, pl_body_id a, pl_vec3 anchor) {
  pl_joint_def def = pl_default_joint_def();
  def.kind = kind;
  def.body_a = a;
  def.anchor = anchor;
  return def;
}

// A ball of radius r whose centre is l from the joint swings by I θ'' = -m g l sin θ with I = m l² + 2/5 m r².
static void a_pendulum_has_its_period_and_keeps_its_energy(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  double l = 1, r = 0.1, amplitude = 0.5, h = 1.0 / 240;
  pl_model *model = make_rigid_sphere(context, r);
  pl_world *world = make_world(context, h, -9.81);
  pl_body_id body = add_body(world, model, (pl_vec3){l * sin(amplitude), -l * cos(amplitude), 0});
  pl_joint_def def = joint_of(PL_JOINT_BALL, body, (pl_vec3){0, 0, 0});
  add_joint(world, &def);
  double mass = pl_model_get_report(model).mass, start = 9.81 * mass * l * (1 - cos(amplitude));
  double first = 0, last = 0, low = HUGE_VAL, high = 0, stretch = 0, previous = l * sin(amplitude);
  int32_t crossings = 0;
  for (int32_t i = 0; i < 20 * 240; ++i) {
    run_steps(world, 1);
    pl_body_report report = pl_body_get_report(world, body);
    // Velocities are those of the middle of the step, so heights are taken there too.
    double y = report.center.y - 0.5 * h * report.momentum.y / mass;
    double energy = report.kinetic_energy + 9.81 * mass * (y + l);
    low = fmin(low, energy / start);
    high = fmax(high, energy / start);
    stretch = fmax(stretch, fabs(pl_vec3_length(report.center) - l));
    if (previous > 0 && report.center.x <= 0) {
      double time = (i + previous / (previous - report.center.x)) * h;
      if (crossings++ == 0) first = time;
      last = time;
    }
    previous = report.center.x;
  }
  // Series of the elliptic integral in the amplitude.
  double a2 = amplitude * amplitude, inertia = l * l + 0.4 * r * r;
  double period = 2 * PL_PI * sqrt(inertia / (9.81 * l)) * (1 + a2 / 16 + 11 * a2 * a2 / 3072);
  double measured = (last - first) / (crossings - 1);
  print_message("period %.6f s, closed form %.6f; energy %.5f … %.5f of the start; stretch %.2g m\n", measured, period,
                low, high, stretch);
  check_near(measured, period, 2e-3 * period);
  check_at_most(high, 1.01);
  check_at_most(0.98, low);
  check_at_most(stretch, 1e-4);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

static void a_motor_reaches_its_speed_and_its_target(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_model *model = make_rigid_box(context, (pl_vec3){0.5, 0.1, 0.1});
  pl_rigid_report mass;
  pl_rigid_get_report(model, &mass);
  pl_world *world = make_world(context, 1.0 / 240, 0);
  pl_body_id body = add_body(world, model, (pl_vec3){0, 1, 0});
  pl_joint_def def = joint_of(PL_JOINT_HINGE, body, (pl_vec3){0, 1, 0});
  def.motor = PL_JOINT_MOTOR_SPEED;
  def.motor_speed = 3;
  def.max_torque = 5;
  pl_joint_id joint = add_joint(world, &def);
  // Constant torque until the speed is there: w = T t / I.
  run_steps(world, 60);
  double inertia = mass.inertia.m[2][2];
  check_near(motion_of(world, body).angular_velocity.z, fmin(3, 5 * 0.25 / inertia), 1e-6);
  check_near(pl_joint_get_report(world, joint).motor_torque, 5, 1e-9);
  run_steps(world, 1200);
  check_near(motion_of(world, body).angular_velocity.z, 3, 1e-9);
  check_ok(pl_joint_set_motor(world, joint, PL_JOINT_MOTOR_TARGET, 2, -1, &error), &error);
  run_steps(world, 2400);
  check_near(pl_joint_get_report(world, joint).position, -1, 1e-6);
  check_near(motion_of(world, body).angular_velocity.z, 0, 1e-6);
  assert_int_equal(pl_joint_set_motor(world, (pl_joint_id){9, 9}, 0, 0, 0, &error), PL_ERROR_NOT_FOUND);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

// A door falls to its limit and rests there.
static void limits_hold(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_model *model = make_rigid_box(context, (pl_vec3){0.5, 0.05, 0.3});
  pl_world *world = make_world(context, 1.0 / 240, -9.81);
  pl_body_id body = add_body(world, model, (pl_vec3){0.5, 0, 0});
  pl_joint_def def = joint_of(PL_JOINT_HINGE, body, (pl_vec3){0, 0, 0});
  def.limited = true;
  def.lower = -0.8;
  def.upper = 0.2;
  pl_joint_id joint = add_joint(world, &def);
  double lowest = 0;
  for (int32_t i = 0; i < 960; ++i) {
    run_steps(world, 1);
    lowest = fmin(lowest, pl_joint_get_report(world, joint).position);
  }
  pl_joint_report report = pl_joint_get_report(world, joint);
  double weight = 9.81 * pl_model_get_report(model).mass;
  print_message("lowest angle %.6f, at rest %.6f, torque %.3f of %.3f\n", lowest, report.position, report.motor_torque,
                0.5 * weight * cos(0.8));
  check_at_most(-0.8 - lowest, 1e-3);
  check_near(report.position, -0.8, 1e-6);
  check_near(report.motor_torque, 0.5 * weight * cos(0.8), 1e-3 * weight);
  check_near(report.force.y, weight, 1e-3 * weight);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

// On a slide inclined by 30 degrees it falls with g sin 30°, and does not turn though its centre is next to the slide.
static void a_slider_falls_along_its_axis(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_model *model = make_rigid_box(context, (pl_vec3){0.2, 0.1, 0.3});
  double h = 1.0 / 240;
  pl_world *world = make_world(context, h, -9.81);
  pl_body_id body = add_body(world, model, (pl_vec3){0.3, 0, 0.2});
  pl_joint_def def = joint_of(PL_JOINT_SLIDER, body, (pl_vec3){0, 0, 0});
  def.axis = (pl_vec3){cos(PL_PI / 6), -sin(PL_PI / 6), 0};
  def.limited = true;
  def.lower = -1;
  def.upper = 1;
  pl_joint_id joint = add_joint(world, &def);
  run_steps(world, 120);
  pl_rigid_motion motion = motion_of(world, body);
  check_near(pl_joint_get_report(world, joint).position, 0.5 * 9.81 * 0.5 * 0.25 * 121 / 120, 1e-4);
  check_near(fabs(motion.placement.rotation.w), 1, 1e-9);
  run_steps(world, 480);
  check_near(pl_joint_get_report(world, joint).position, 1, 1e-5);
  check_at_most(pl_vec3_length(motion_of(world, body).velocity), 1e-6);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

// A cantilever of boxes fixed to each other holds, and its root carries the weight and the moment; then it breaks.
static void a_fixed_joint_carries_weight_and_breaks(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_model *model = make_rigid_box(context, (pl_vec3){0.25, 0.1, 0.1});
  double weight = 9.81 * pl_model_get_report(model).mass;
  for (int breaks = 0; breaks < 2; ++breaks) {
    pl_world *world = make_world(context, 1.0 / 240, -9.81);
    pl_body_id bodies[3];
    pl_joint_id joints[3];
    for (int i = 0; i < 3; ++i) {
      bodies[i] = add_body(world, model, (pl_vec3){0.25 + 0.5 * i, 2, 0});
      pl_joint_def def = joint_of(PL_JOINT_FIXED, bodies[i], (pl_vec3){0.5 * i, 2, 0});
      if (i > 0) def.body_b = bodies[i - 1];
      if (breaks && i == 0) def.break_torque = 2 * weight;
      joints[i] = add_joint(world, &def);
    }
    run_steps(world, 480);
    pl_joint_report root = pl_joint_get_report(world, joints[0]);
    print_message("root carries %.2f N of %.2f, %.2f N m of %.2f\n", root.force.y, 3 * weight, root.torque.z,
                  0.75 * 3 * weight);
    if (breaks) {
      assert_true(root.is_broken);
      assert_false(pl_joint_get_report(world, joints[1]).is_broken);
      check_at_most(motion_of(world, bodies[0]).placement.position.y, -5);
    } else {
      check_near(root.force.y, 3 * weight, 0.01 * weight);
      check_near(root.torque.z, 2.25 * weight, 0.02 * weight);
      check_near(motion_of(world, bodies[2]).placement.position.y, 2, 2e-3);
    }
    pl_world_destroy(world);
  }
  pl_model_destroy(model);
  drop_context(context);
}

// --- momentum, and the same motion elsewhere and for any number of threads

typedef struct chain {
  pl_world *world;
  pl_body_id bodies[8];
} chain;

static chain make_chain(pl_context *context, const pl_model *model, pl_vec3 offset, double gravity) {
  chain c = {.world = make_world(context, 1.0 / 240, gravity)};
  pl_error error = {0};
  for (int i = 0; i < 8; ++i) {
    pl_body_def def = pl_default_body_def();
    def.model = model;
    def.placement.position = pl_vec3_add(offset, (pl_vec3){0.5 * i, 2, 0});
    def.velocity = (pl_vec3){0, 0.3 * i, i % 2};
    def.angular_velocity = (pl_vec3){i, 1, -i};
    def.collides = gravity != 0;
    check_ok(pl_world_add_body(c.world, &def, &c.bodies[i], &error), &error);
    if (i == 0) continue;
    pl_joint_def joint = joint_of(i % 3 == 0   ? PL_JOINT_HINGE
                                  : i % 3 == 1 ? PL_JOINT_BALL
                                               : PL_JOINT_FIXED,
                                  c.bodies[i], pl_vec3_add(offset, (pl_vec3){0.5 * i - 0.25, 2, 0}));
    joint.body_b = c.bodies[i - 1];
    joint.axis = (pl_vec3){0, 1, 1};
    add_joint(c.world, &joint);
  }
  return c;
}

static pl_vec3 angular_momentum(const chain *c) {
  pl_vec3 sum = {0, 0, 0};
  for (int i = 0; i < 8; ++i) {
    pl_body_report report = pl_body_get_report(c->world, c->bodies[i]);
    sum = pl_vec3_add(sum, pl_vec3_add(report.angular_momentum, pl_vec3_cross(report.center, report.momentum)));
  }
  return sum;
}

static void joints_keep_momentum(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_model *model = make_rigid_box(context, (pl_vec3){0.2, 0.1, 0.15});
  chain c = make_chain(context, model, (pl_vec3){0, 0, 0}, 0);
  pl_vec3 spin = angular_momentum(&c), start = {0, 0, 0}, end = {0, 0, 0};
  for (int i = 0; i < 8; ++i) start = pl_vec3_add(start, pl_body_get_report(c.world, c.bodies[i]).momentum);
  run_steps(c.world, 480);
  for (int i = 0; i < 8; ++i) end = pl_vec3_add(end, pl_body_get_report(c.world, c.bodies[i]).momentum);
  double linear = pl_vec3_distance(start, end) / pl_vec3_length(start);
  double angular = pl_vec3_distance(spin, angular_momentum(&c)) / pl_vec3_length(spin);
  print_message("after 2 s: momentum changed by %.2g, angular momentum by %.2g\n", linear, angular);
  check_at_most(linear, 1e-12);
  check_at_most(angular, 1e-6);
  pl_world_destroy(c.world);
  pl_model_destroy(model);
  drop_context(context);
}

static void the_same_bits_for_any_number_of_threads_and_after_restore(void **state) {
  (void)state;
  uint64_t hashes[3];
  for (int k = 0; k < 3; ++k) {
    pl_context *context = make_context(k + 1);
    pl_error error = {0};
    pl_model *model = make_rigid_box(context, (pl_vec3){0.2, 0.1, 0.15});
    chain c = make_chain(context, model, (pl_vec3){0, 0, 0}, -9.81);
    add_ground(c.world);
    run_steps(c.world, 120);
    size_t size = pl_world_snapshot_size(c.world);
    void *snapshot = malloc(size);
    pl_world_snapshot(c.world, snapshot);
    run_steps(c.world, 120);
    hashes[k] = pl_world_get_hash(c.world);
    check_ok(pl_world_restore(c.world, snapshot, size, &error), &error);
    run_steps(c.world, 120);
    assert_true(pl_world_get_hash(c.world) == hashes[k]);
    free(snapshot);
    pl_world_destroy(c.world);
    pl_model_destroy(model);
    drop_context(context);
  }
  assert_true(hashes[0] == hashes[1] && hashes[0] == hashes[2]);
}

static void the_motion_is_the_same_elsewhere(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_model *model = make_rigid_box(context, (pl_vec3){0.2, 0.1, 0.15});
  double distances[3] = {0, 5, 1000};
  pl_vec3 ends[3];
  for (int k = 0; k < 3; ++k) {
    pl_vec3 offset = {distances[k], 0, -distances[k]};
    chain c = make_chain(context, model, offset, -9.81);
    run_steps(c.world, 120);
    ends[k] = pl_vec3_sub(motion_of(c.world, c.bodies[7]).placement.position, offset);
    pl_world_destroy(c.world);
  }
  print_message("differences at 5 m and 1 km: %.2g %.2g m\n", pl_vec3_distance(ends[0], ends[1]),
                pl_vec3_distance(ends[0], ends[2]));
  check_at_most(pl_vec3_distance(ends[0], ends[1]), 1e-11);
  check_at_most(pl_vec3_distance(ends[0], ends[2]), 1e-9);
  pl_model_destroy(model);
  drop_context(context);
}

static void what_makes_no_sense_is_refused(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_model *model = make_rigid_sphere(context, 0.2);
  pl_solid_def soft_def = pl_default_solid_def();
  pl_model *soft = make_box_model(context, (pl_vec3){1, 1, 1}, 1, 1, 1, &soft_def);
  pl_world *world = make_world(context, 1.0 / 240, -9.81);
  pl_body_id body = add_body(world, model, (pl_vec3){0, 0, 0}), other = add_body(world, soft, (pl_vec3){0, 3, 0});
  pl_joint_def def = joint_of(PL_JOINT_HINGE, body, (pl_vec3){0, 0, 0});
  pl_joint_def bad = def;
  bad.axis = (pl_vec3){0, 0, 0};
  assert_int_equal(pl_world_add_joint(world, &bad, NULL, &error), PL_ERROR_INVALID_ARGUMENT);
  bad = def;
  bad.limited = true;
  bad.lower = 1;
  assert_int_equal(pl_world_add_joint(world, &bad, NULL, &error), PL_ERROR_INVALID_ARGUMENT);
  bad = def;
  bad.body_b = body;
  assert_int_equal(pl_world_add_joint(world, &bad, NULL, &error), PL_ERROR_INVALID_ARGUMENT);
  bad = def;
  bad.body_a = other;
  assert_int_equal(pl_world_add_joint(world, &bad, NULL, &error), PL_ERROR_UNSUPPORTED);
  assert_non_null(strstr(error.text, "attachment"));
  bad.body_a = (pl_body_id){77, 1};
  assert_int_equal(pl_world_add_joint(world, &bad, NULL, &error), PL_ERROR_NOT_FOUND);
  pl_joint_id joint = add_joint(world, &def);
  assert_int_equal(pl_world_joint_count(world), 1);
  check_ok(pl_world_remove_body(world, body, &error), &error);
  assert_int_equal(pl_world_joint_count(world), 0);
  assert_int_equal(pl_world_remove_joint(world, joint, &error), PL_ERROR_NOT_FOUND);
  run_steps(world, 2);
  pl_world_destroy(world);
  pl_model_destroy(model);
  pl_model_destroy(soft);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_pendulum_has_its_period_and_keeps_its_energy),
      cmocka_unit_test(a_motor_reaches_its_speed_and_its_target),
      cmocka_unit_test(limits_hold),
      cmocka_unit_test(a_slider_falls_along_its_axis),
      cmocka_unit_test(a_fixed_joint_carries_weight_and_breaks),
      cmocka_unit_test(joints_keep_momentum),
      cmocka_unit_test(the_same_bits_for_any_number_of_threads_and_after_restore),
      cmocka_unit_test(the_motion_is_the_same_elsewhere),
      cmocka_unit_test(what_makes_no_sense_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
