// Rigid bodies in contact: momentum of collisions with soft and rigid bodies, stacks, slopes, rolling.
// ctest: physics threads
#include "fixtures/rigid_bodies.h"
#include "fixtures/world_intersections.h"

typedef struct sums {
  pl_vec3 momentum, spin;
  double energy;
} sums;

static sums sums_of(const pl_world *world) {
  sums s = {0};
  for (int32_t i = 0; i < pl_world_body_count(world); ++i) {
    pl_body_report report = pl_body_get_report(world, pl_world_get_body(world, i));
    s.momentum = pl_vec3_add(s.momentum, report.momentum);
    s.spin = pl_vec3_add(s.spin, pl_vec3_add(report.angular_momentum, pl_vec3_cross(report.center, report.momentum)));
    s.energy += report.kinetic_energy;
  }
  return s;
}

static pl_body_id add_moving(pl_world *world, const pl_model *model, pl_vec3 position, pl_vec3 velocity) {
  pl_error error = {0};
  pl_body_def def = pl_default_body_def();
  def.model = model;
  def.placement = (pl_transform){position, pl_quat_from_axis_angle((pl_vec3){0.3, 1, 0.2}, 0.5)};
  def.velocity = velocity;
  pl_body_id id;
  check_ok(pl_world_add_body(world, &def, &id, &error), &error);
  return id;
}

// They hit each other off centre, with friction.
static void collide(pl_context *context, const pl_model *first, const pl_model *second, double limit) {
  pl_world_def def = pl_default_world_def();
  pl_error error = {0};
  def.gravity = (pl_vec3){0, 0, 0};
  def.contact_damping = 0;
  pl_world *world = NULL;
  check_ok(pl_world_create(context, &def, &world, &error), &error);
  pl_body_id a = add_moving(world, first, (pl_vec3){0, 0, 0}, (pl_vec3){2, 0, 0});
  add_moving(world, second, (pl_vec3){0.6, 0.1, 0.05}, (pl_vec3){-1, 0, 0.2});
  sums before = sums_of(world);
  double speed = pl_body_get_report(world, a).momentum.x;
  run_steps(world, 240);
  sums after = sums_of(world);
  double scale = fabs(speed);
  print_message("momentum changed by %.2g, angular momentum by %.2g, energy %.4f of the start\n",
                pl_vec3_distance(before.momentum, after.momentum) / scale,
                pl_vec3_distance(before.spin, after.spin) / scale, after.energy / before.energy);
  assert_true(pl_body_get_report(world, a).momentum.x < 0.9 * speed);  // they met
  check_at_most(pl_vec3_distance(before.momentum, after.momentum), limit * scale);
  check_at_most(pl_vec3_distance(before.spin, after.spin), limit * scale);
  check_at_most(after.energy, before.energy);
  pl_world_destroy(world);
}

static void collisions_keep_momentum(void **state) {
  (void)state;
  pl_context *context = make_context(2);
  pl_solid_def def = pl_default_solid_def();
  pl_model *soft = make_box_model(context, (pl_vec3){0.4, 0.4, 0.4}, 3, 3, 3, &def);
  pl_model *box = make_rigid_box(context, (pl_vec3){0.2, 0.15, 0.25});
  pl_model *ball = make_rigid_sphere(context, 0.2);
  collide(context, soft, box, 1e-6);
  collide(context, ball, soft, 1e-6);
  collide(context, box, box, 1e-6);
  collide(context, ball, box, 1e-6);
  pl_model_destroy(soft);
  pl_model_destroy(box);
  pl_model_destroy(ball);
  drop_context(context);
}

static void a_stack_of_boxes_stands(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_model *model = make_rigid_box(context, (pl_vec3){0.1, 0.1, 0.1});
  pl_world *world = make_world(context, 1.0 / 240, -9.81);
  add_ground(world);
  pl_body_id bodies[20];
  for (int i = 0; i < 20; ++i) bodies[i] = add_body(world, model, (pl_vec3){0, 0.1 + 0.2 * i, 0});
  double fastest = 0, farthest = 0;
  for (int32_t step = 0; step < 10 * 240; ++step) {
    run_steps(world, 1);
    for (int i = 0; i < 20; ++i) {
      pl_body_report report = pl_body_get_report(world, bodies[i]);
      if (step > 5 * 240) fastest = fmax(fastest, report.max_speed);
      farthest = fmax(farthest, pl_vec3_distance(report.center, (pl_vec3){0, 0.1 + 0.2 * i, 0}));
    }
  }
  print_message("20 boxes: %.2g m/s after 5 s, moved by %.2g m\n", fastest, farthest);
  check_at_most(fastest, 1e-3);
  check_at_most(farthest, 1e-2);  // half a millimetre of overlap between two
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

// Gravity is turned instead of the ground.
static double slide(pl_context *context, const pl_model *model, double angle, double height, double seconds) {
  pl_error error = {0};
  pl_world_def def = pl_default_world_def();
  def.gravity = (pl_vec3){9.81 * sin(angle), -9.81 * cos(angle), 0};
  pl_world *world = NULL;
  check_ok(pl_world_create(context, &def, &world, &error), &error);
  add_ground(world);
  pl_body_id body = add_body(world, model, (pl_vec3){0, height, 0});
  run_steps(world, (int32_t)(seconds * 240 + 0.5));
  double speed = motion_of(world, body).velocity.x;
  pl_world_destroy(world);
  return speed;
}

// Friction 0.5 of box and ground: it rests below atan 0.5 = 26.6°, and slides with g (sin a - 0.5 cos a) above.
static void boxes_rest_and_slide_on_slopes(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_model *model = make_rigid_box(context, (pl_vec3){0.2, 0.05, 0.2});
  double below = slide(context, model, 0.44, 0.05, 2), above = slide(context, model, 0.5, 0.05, 2);
  double expected = 2 * 9.81 * (sin(0.5) - 0.5 * cos(0.5));
  print_message("speed after 2 s: %.2g m/s at 25.2°, %.4f of %.4f at 28.6°\n", below, above, expected);
  check_at_most(fabs(below), 1e-4);
  check_near(above, expected, 0.02 * expected);
  pl_model_destroy(model);
  drop_context(context);
}

// A ball rolls with 5/7 g sin a. Made of triangles it loses speed from one to the next, the less the finer they are.
static void balls_roll(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  double expected = 9.81 * sin(0.2) * 5 / 7, speeds[3];
  for (int k = 0; k < 3; ++k) {
    pl_rigid_def def = pl_default_rigid_def();
    def.shape = PL_RIGID_SPHERE;
    def.radius = 0.2;
    def.subdivisions = 2 + k;
    pl_model *model = make_rigid(context, &def, NULL);
    speeds[k] = slide(context, model, 0.2, 0.2, 1);
    pl_model_destroy(model);
  }
  print_message("speed of a ball after 1 s: %.4f, %.4f, %.4f of %.4f\n", speeds[0], speeds[1], speeds[2], expected);
  assert_true(speeds[0] < speeds[1] && speeds[1] < speeds[2] && speeds[2] < 1.02 * expected);
  check_near(speeds[2], expected, 0.1 * expected);
  drop_context(context);
}

// A box on a plate: the plate carries its weight, and the moment around the plate's origin is that of the weight.
static void colliders_feel_what_rests_on_them(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_model *model = make_rigid_box(context, (pl_vec3){0.1, 0.1, 0.1});
  pl_world_def def = pl_default_world_def();
  def.sleeping = false;
  pl_world *world = NULL;
  check_ok(pl_world_create(context, &def, &world, &error), &error);
  pl_collider_def plate = pl_default_collider_def(PL_COLLIDER_BOX);
  plate.half_size = (pl_vec3){2, 0.1, 2};
  plate.placement.position = (pl_vec3){5, -0.1, 0};
  pl_collider_id collider;
  check_ok(pl_world_add_collider(world, &plate, &collider, &error), &error);
  add_body(world, model, (pl_vec3){6, 0.1, 0.5});
  run_steps(world, 480);
  pl_vec3 linear, angular;
  check_ok(pl_world_get_collider_impulse(world, collider, &linear, &angular), &error);
  double weight = 9.81 * pl_model_get_report(model).mass;
  print_message("force %.3f N of %.3f, moment (%.3f, %.3f)\n", 240 * linear.y, -weight, 240 * angular.x,
                240 * angular.z);
  check_near(240 * linear.y, -weight, 1e-3 * weight);
  check_near(240 * angular.x, 0.5 * weight, 1e-2 * weight);
  check_near(240 * angular.z, -weight, 1e-2 * weight);
  assert_int_equal(pl_world_get_collider_impulse(world, (pl_collider_id){9, 9}, &linear, &angular), PL_ERROR_NOT_FOUND);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

// A bar with no points over a cushion falls on it between the points of both: its edges alone hold it up.
static void edges_dent_a_soft_body(void **state) {
  (void)state;
  static const int32_t CELLS[] = {4, 7};
  static const double OFFSETS[] = {0.01, 0.04}, ANGLES[] = {0, 0.4};
  for (int k = 0; k < 8; ++k) {
    pl_context *context = make_context(1);
    pl_error error = {0};
    pl_solid_def soft = pl_default_solid_def();
    soft.density = 300;
    int32_t cells = CELLS[k / 4];
    pl_model *cushion = make_box_model(context, (pl_vec3){0.4, 0.1, 0.4}, cells, 2, cells, &soft);
    pl_model *bar = make_rigid_box(context, (pl_vec3){0.4, 0.02, 0.03});
    pl_world *world = make_world(context, 1.0 / 240, -9.81);
    add_ground(world);
    add_body(world, cushion, (pl_vec3){0, 0.05, 0});
    pl_body_def def = pl_default_body_def();
    def.model = bar;
    def.placement.position = (pl_vec3){0, 0.16, OFFSETS[k % 2]};
    def.placement.rotation = pl_quat_from_axis_angle((pl_vec3){0, 1, 0}, ANGLES[k / 2 % 2]);
    pl_body_id id;
    check_ok(pl_world_add_body(world, &def, &id, &error), &error);
    pl_contact_solver *solver = NULL;
    run_steps(world, 1);
    check_ok(pl_contact_solver_create(context, &solver, &error), &error);
    check_ok(pl_contact_solver_prepare(solver, world->contact_bodies.items, (int32_t)world->contact_bodies.count, NULL,
                                       0, &error),
             &error);
    int32_t bad = 0;
    for (int i = 0; i < 240; ++i) {
      run_steps(world, 1);
      bad += count_intersections(world, solver) > 0;
    }
    print_message("%d cells, %g m off the middle, %g rad: %d of 240 steps with intersections, bar at %.4f m\n", cells,
                  OFFSETS[k % 2], ANGLES[k / 2 % 2], bad, motion_of(world, id).placement.position.y);
    assert_int_equal(bad, 0);
    assert_true(motion_of(world, id).placement.position.y > 0.06);
    pl_contact_solver_destroy(solver);
    pl_world_destroy(world);
    pl_model_destroy(bar);
    pl_model_destroy(cushion);
    drop_context(context);
  }
}

// A rigid box on a soft cube on a rigid box, pushed sideways: the tower rocks on the soft cube, and comes to rest.
static void a_tower_with_a_soft_part_comes_to_rest(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_solid_def def = pl_default_solid_def();
  pl_model *rigid = make_rigid_box(context, (pl_vec3){0.07, 0.07, 0.07});
  pl_model *soft = make_box_model(context, (pl_vec3){0.16, 0.16, 0.16}, 2, 2, 2, &def);
  pl_world *world = make_world(context, 1.0 / 240, -9.81);
  add_ground(world);
  add_body(world, rigid, (pl_vec3){0, 0.07, 0});
  add_body(world, soft, (pl_vec3){0, 0.215, 0});
  pl_body_def top = pl_default_body_def();
  top.model = rigid;
  top.placement.position = (pl_vec3){0, 0.36, 0};
  top.velocity = (pl_vec3){0.06, 0, 0};
  pl_body_id id;
  check_ok(pl_world_add_body(world, &top, &id, &error), &error);
  double way[2] = {0, 0};
  for (int second = 0; second < 2; ++second)
    for (int k = 0; k < 240; ++k) {
      run_steps(world, 1);
      way[second] = fmax(way[second], fabs(motion_of(world, id).placement.position.x));
    }
  print_message("the tower sways by %.2f mm in the first second, %.2f in the second\n", 1e3 * way[0], 1e3 * way[1]);
  check_at_most(way[1], 0.5 * way[0]);
  run_steps(world, 300);
  assert_true(pl_body_is_asleep(world, id));
  pl_world_destroy(world);
  pl_model_destroy(soft);
  pl_model_destroy(rigid);
  drop_context(context);
}

// Boxes and soft cubes that fall on each other.
static void threads_do_not_change_a_bit(void **state) {
  (void)state;
  uint64_t hashes[3];
  for (int k = 0; k < 3; ++k) {
    pl_context *context = make_context(1 + k);
    pl_solid_def soft_def = pl_default_solid_def();
    pl_model *rigid = make_rigid_box(context, (pl_vec3){0.1, 0.1, 0.1});
    pl_model *soft = make_box_model(context, (pl_vec3){0.2, 0.2, 0.2}, 2, 2, 2, &soft_def);
    pl_world *world = make_world(context, 1.0 / 240, -9.81);
    add_ground(world);
    for (int i = 0; i < 12; ++i)
      add_moving(world, i % 2 == 0 ? rigid : soft, (pl_vec3){0.15 * (i % 3), 0.2 + 0.25 * (i / 3), 0},
                 (pl_vec3){0, -2, 0});
    run_steps(world, check_steps(80));
    hashes[k] = pl_world_get_hash(world);
    pl_world_destroy(world);
    pl_model_destroy(soft);
    pl_model_destroy(rigid);
    drop_context(context);
  }
  assert_true(hashes[1] == hashes[0] && hashes[2] == hashes[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(threads_do_not_change_a_bit),
      cmocka_unit_test(a_tower_with_a_soft_part_comes_to_rest),
      cmocka_unit_test(edges_dent_a_soft_body),
      cmocka_unit_test(collisions_keep_momentum),
      cmocka_unit_test(a_stack_of_boxes_stands),
      cmocka_unit_test(boxes_rest_and_slide_on_slopes),
      cmocka_unit_test(balls_roll),
      cmocka_unit_test(colliders_feel_what_rests_on_them),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
