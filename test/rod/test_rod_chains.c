// Chains as such: lengths, trees, loops, twist, limits, colliders, wind, time.
// ctest: physics
#include "contact/segment_touch.h"
#include "fixtures/rod_chains.h"

// A head that is shaken hard in every way.
static pl_transform shaken(double time) {
  pl_vec3 position = {0.15 * sin(2 * PL_PI * 2.3 * time), 0.08 * sin(2 * PL_PI * 3.1 * time),
                      0.1 * sin(2 * PL_PI * 1.7 * time)};
  pl_vec3 turn = {1.2 * sin(2 * PL_PI * 1.9 * time), 1.5 * sin(2 * PL_PI * 1.3 * time),
                  0.9 * sin(2 * PL_PI * 2.7 * time)};
  return (pl_transform){position, pl_quat_from_rotation_vector(turn)};
}

static double worst_length(pl_context *context, test_rod *rod, double seconds) {
  pl_error error = {0};
  pl_model *model = build_rod(context, rod);
  pl_world_def def = pl_default_world_def();
  def.wind = (pl_vec3){6, 1, -3};
  def.air_density = 1.2;
  def.drag = 1.0;
  pl_world *world = NULL;
  check_ok(pl_world_create(context, &def, &world, &error), &error);
  pl_body_id id = add_body(world, model, (pl_vec3){0.3, 1, -0.2});
  double worst = 0;
  for (int32_t s = 0; s < (int32_t)(seconds * 240); ++s) {
    check_ok(pl_rod_set_joint_target(world, id, 0, shaken((s + 1) / 240.0), 0, &error), &error);
    run_steps(world, 1);
    pl_vec3 positions[MAX_ROD_JOINTS];
    check_ok(pl_body_get_positions(world, id, positions), NULL);
    worst = fmax(worst, length_error(rod, positions));
  }
  pl_world_destroy(world);
  pl_model_destroy(model);
  return worst;
}

static void lengths_hold_whatever_happens(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  const struct {
    const char *name;
    pl_vec3 turn;
  } forms[] = {{"straight", {0, 0, 0}}, {"coiled", {0.3, 0, 0.9}}, {"folded", {PL_PI, 0, 0}}};
  for (int k = 0; k < 3; ++k)
    for (int soft = 0; soft < 2; ++soft)
      for (int solver = 0; solver < 2; ++solver) {
        test_rod rod;
        begin_rod(&rod, 12, 0.04, forms[k].turn);
        rod.def.stiffness = soft ? 0.002 : 0.5;
        rod.def.solver = solver == 0 ? PL_ROD_MATCHED : PL_ROD_SPRING_BONE;
        for (int32_t i = 1; i <= 12; ++i) rod.joints[i].pull = (pl_vec3){0, -0.2, 0};
        double worst = worst_length(context, &rod, 2);
        printf("%s, %s, %s: lengths within %.2g\n", forms[k].name, soft ? "soft" : "stiff",
               solver == 0 ? "matched" : "spring bones", worst);
        assert_true(worst < 1e-3);
      }
  drop_context(context);
}

// A tree: a stem with branches that branch again, and a loop closed by a link back to the stem.
static void begin_antler(test_rod *rod) {
  begin_rod(rod, 5, 0.06, (pl_vec3){0, 0, 0.1});
  const struct {
    int32_t parent;
    pl_vec3 step;
  } more[] = {{3, {0.05, 0.03, 0}},  {6, {0.05, 0.02, 0.01}},  {3, {-0.05, 0.03, 0.01}},
              {8, {-0.04, 0.04, 0}}, {8, {-0.02, 0.02, 0.05}}, {4, {0.02, 0.03, 0.05}}};
  for (size_t i = 0; i < sizeof more / sizeof more[0]; ++i) {
    int32_t joint = rod->def.joint_count++;
    rod->joints[joint] = pl_default_rod_joint(more[i].parent);
    rod->joints[joint].name = "tine";
    rod->joints[joint].radius = 0.01;
    rod->joints[joint].rest.position = pl_vec3_add(rod->joints[more[i].parent].rest.position, more[i].step);
  }
}

static void trees_and_loops_keep_their_lengths(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  test_rod rod;
  begin_antler(&rod);
  assert_true(worst_length(context, &rod, 2) < 1e-3);

  // Two links make two loops, one of them through the root.
  const pl_rod_link links[] = {{7, 5}, {9, 1}};
  rod.def.links = links;
  rod.def.link_count = 2;
  rod.def.stiffness = 0.01;
  pl_model *model = build_rod(context, &rod);
  pl_world *world = make_world(context, 1.0 / 240, -9.81);
  pl_body_id id = add_body(world, model, (pl_vec3){0, 0, 0});
  double worst = 0, worst_link = 0;
  for (int32_t s = 0; s < 480; ++s) {
    check_ok(pl_rod_set_joint_target(world, id, 0, shaken((s + 1) / 240.0), 0, NULL), NULL);
    run_steps(world, 1);
    pl_vec3 now[MAX_ROD_JOINTS];
    check_ok(pl_body_get_positions(world, id, now), NULL);
    worst = fmax(worst, length_error(&rod, now));
    for (int k = 0; k < 2; ++k) {
      double rest =
          pl_vec3_length(pl_vec3_sub(rod.joints[links[k].from].rest.position, rod.joints[links[k].to].rest.position));
      worst_link = fmax(worst_link, fabs(pl_vec3_length(pl_vec3_sub(now[links[k].from], now[links[k].to])) / rest - 1));
    }
  }
  printf("loops: segments within %.2g, links within %.2g\n", worst, worst_link);
  assert_true(worst < 1e-3 && worst_link < 1e-3);
  assert_int_equal(pl_rod_get_report(model).link_count, 2);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

// Without damping and outside forces a swing keeps its energy: the amplitude after many periods is what it was.
static void a_swing_without_damping_goes_on(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  test_rod rod;
  begin_rod(&rod, 6, 0.05, (pl_vec3){0, 0, 0});
  rod.def.damping = 0;
  rod.def.stiffness = 0.02;
  pl_model *model = build_rod(context, &rod);
  pl_world *world = make_world(context, 1.0 / 240, 0);
  pl_body_id id = add_body(world, model, (pl_vec3){0, 0, 0});
  pl_vec3 velocities[8] = {{0, 0, 0}};
  for (int i = 2; i <= 6; ++i) velocities[i].x = 0.05 * (i - 1) * (i - 1) / 25;
  check_ok(pl_body_set_state(world, id, NULL, velocities, NULL), NULL);
  double early = 0, late = 0;
  for (int32_t s = 0; s < 2400; ++s) {
    run_steps(world, 1);
    double energy = pl_body_get_report(world, id).kinetic_energy;
    if (s < 480) early = fmax(early, energy);
    if (s >= 1920) late = fmax(late, energy);
  }
  printf("peak energy after 10 s: %.1f %% of the first two seconds'\n", 100 * late / early);
  assert_true(late > 0.8 * early && late < 1.05 * early);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

// The kinematic joint is turned around the axis of a straight chain: the twist reaches the tip.
static void twist_reaches_the_tip(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  test_rod rod;
  begin_rod(&rod, 8, 0.05, (pl_vec3){0, 0, 0});
  rod.def.damping = 4;
  pl_model *model = build_rod(context, &rod);
  pl_world *world = make_world(context, 1.0 / 240, 0);
  pl_body_id id = add_body(world, model, (pl_vec3){0, 0, 0});
  pl_quat turned = pl_quat_from_axis_angle((pl_vec3){0, 1, 0}, 1.2);
  check_ok(pl_rod_set_joint_target(world, id, 0, (pl_transform){{0, 0, 0}, turned}, 0.5, NULL), NULL);
  run_steps(world, 1200);
  pl_transform joints[16];
  check_ok(pl_rod_get_joints(world, id, joints), NULL);
  for (int i = 1; i <= 8; ++i) assert_true(fabs(pl_quat_dot(joints[i].rotation, turned)) > 0.9999);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

static void angles_stay_within_their_limits(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  test_rod rod;
  begin_rod(&rod, 7, 0.05, (pl_vec3){0, 0, 0});
  rod.def.stiffness = 0.0005;
  const double limit = 15 * PL_PI / 180;
  for (int i = 2; i <= 7; ++i) rod.joints[i].max_angle = limit;
  pl_model *model = build_rod(context, &rod);
  pl_world_def def = pl_default_world_def();
  def.gravity = (pl_vec3){9.81, 0, 0};
  pl_world *world = NULL;
  check_ok(pl_world_create(context, &def, &world, NULL), NULL);
  pl_body_id id = add_body(world, model, (pl_vec3){0, 0, 0});
  double first = 0;
  for (int32_t s = 0; s < 720; ++s) {
    run_steps(world, 1);
    pl_vec3 x[16];
    check_ok(pl_body_get_positions(world, id, x), NULL);
    double angle = acos(
        fmin(pl_vec3_dot(pl_vec3_normalize_or(pl_vec3_sub(x[2], x[1]), (pl_vec3){0, 1, 0}), (pl_vec3){0, 1, 0}), 1));
    first = fmax(first, angle);
  }
  printf("first segment turned by %.2f of 15 degrees\n", first * 180 / PL_PI);
  assert_true(first < limit + 1e-3);
  assert_true(first > 0.5 * limit);  // the limit was needed
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

// Every form of collider in the way of a falling chain whose joints would all pass it: only the middle of a long
// segment meets it.
static void segments_meet_colliders_along_their_length(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  const int32_t cells[3] = {1, 1, 1};
  pl_mesh *box = NULL, *skin = NULL;
  check_ok(pl_mesh_create_box(context, (pl_vec3){0.06, 0.06, 0.06}, cells, &box, NULL), NULL);
  check_ok(pl_mesh_build_boundary(context, box, &skin, NULL, NULL), NULL);
  for (int shape = PL_COLLIDER_SPHERE; shape <= PL_COLLIDER_MESH; ++shape) {
    test_rod rod;
    begin_rod(&rod, 3, 0.4, (pl_vec3){0, 0, 0});
    for (int i = 1; i <= 3; ++i) {
      // Along x, held at the left end.
      rod.joints[i].rest.position = (pl_vec3){0.4 * (i - 1), 0, 0};
      rod.joints[i].radius = 0.01;
    }
    rod.def.stiffness = 0.0002;
    rod.def.damping = 3;
    pl_model *model = build_rod(context, &rod);
    pl_world *world = make_world(context, 1.0 / 240, -9.81);
    pl_collider_def def = pl_default_collider_def((pl_collider_shape)shape);
    def.radius = 0.04;
    def.half_length = 0.1;
    def.half_size = (pl_vec3){0.03, 0.03, 0.03};
    def.mesh = skin;
    def.placement = (pl_transform){{0.62, -0.15, 0}, pl_quat_from_axis_angle((pl_vec3){1, 0, 0}, 1.5)};
    check_ok(pl_world_add_collider(world, &def, NULL, NULL), NULL);
    pl_collider *copy = NULL;
    check_ok(pl_collider_create(context, &def, &copy, NULL), NULL);
    pl_body_id id = add_body(world, model, (pl_vec3){0, 0, 0});
    double deepest = 0, worst = 0, nearest = HUGE_VAL;
    for (int32_t s = 0; s < 480; ++s) {
      run_steps(world, 1);
      pl_vec3 x[8];
      check_ok(pl_body_get_positions(world, id, x), NULL);
      worst = fmax(worst, length_error(&rod, x));
      for (int i = 2; i <= 3; ++i) {
        pl_segment segment = {x[i - 1], x[i], 0.01, 0.01};
        pl_segment_touch touch = {0};
        if (!pl_segment_touch_collider(&segment, copy, def.placement, 10, &touch)) continue;
        deepest = fmax(deepest, -touch.gap);
        nearest = fmin(nearest, touch.gap);
      }
    }
    printf("collider %d: overlap at most %.2g m, lengths within %.2g\n", shape, deepest, worst);
    assert_true(deepest < 1e-3 && worst < 1e-3);
    assert_true(nearest < 1e-3);  // it was met
    pl_world_destroy(world);
    pl_model_destroy(model);
    pl_collider_destroy(context, copy);
  }
  pl_mesh_destroy(box);
  pl_mesh_destroy(skin);
  drop_context(context);
}

// A chain on its own collider moves with the body: nothing depends on where the body is.
static void own_colliders_move_with_their_joint(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_vec3 tips[2];
  for (int far = 0; far < 2; ++far) {
    test_rod rod;
    begin_rod(&rod, 6, 0.1, (pl_vec3){0, 0, 0});
    rod.def.stiffness = 0.0005;
    rod.def.damping = 3;
    pl_rod_collider ball = {.joint = 0, .shape = pl_default_collider_def(PL_COLLIDER_SPHERE)};
    ball.shape.radius = 0.2;
    ball.shape.placement.position = (pl_vec3){0.25, 0.2, 0};
    rod.def.colliders = &ball;
    rod.def.collider_count = 1;
    pl_model *model = build_rod(context, &rod);
    pl_world_def def = pl_default_world_def();
    def.gravity = (pl_vec3){9.81, 0, 0};
    pl_world *world = NULL;
    check_ok(pl_world_create(context, &def, &world, NULL), NULL);
    pl_vec3 at = far ? (pl_vec3){1000, -500, 2000} : (pl_vec3){0, 0, 0};
    pl_body_id id = add_body(world, model, at);
    run_steps(world, 480);
    pl_vec3 x[16];
    check_ok(pl_body_get_positions(world, id, x), NULL);
    tips[far] = pl_vec3_sub(x[6], at);
    for (int i = 2; i <= 6; ++i)
      assert_true(pl_vec3_length(pl_vec3_sub(pl_vec3_sub(x[i], at), ball.shape.placement.position)) > 0.2);
    pl_world_destroy(world);
    pl_model_destroy(model);
  }
  printf("tip at %.4f %.4f %.4f near, %.4f %.4f %.4f far\n", tips[0].x, tips[0].y, tips[0].z, tips[1].x, tips[1].y,
         tips[1].z);
  assert_true(tips[0].x > 0.05);
  assert_true(pl_vec3_length(pl_vec3_sub(tips[0], tips[1])) < 1e-3);
  drop_context(context);
}

// Hair grows out of heads: a root inside its own collider, or nearer to it than its radius, does not set the chain in
// motion.
static void roots_may_be_inside_colliders(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  for (int k = 0; k < 4; ++k) {
    test_rod rod;
    begin_rod(&rod, 4, 0.06, (pl_vec3){0, 0, 0});
    rod.def.stiffness = k % 2 == 0 ? 0.001 : 0.1;
    pl_rod_collider skull = {.joint = 0, .shape = pl_default_collider_def(PL_COLLIDER_SPHERE)};
    skull.shape.radius = 0.12;
    skull.shape.placement.position = (pl_vec3){0.03, k < 2 ? -0.125 : -0.1, 0};
    rod.def.colliders = &skull;
    rod.def.collider_count = 1;
    pl_model *model = build_rod(context, &rod);
    pl_world *world = make_world(context, 1.0 / 240, -9.81);
    pl_body_id id = add_body(world, model, (pl_vec3){0, 0, 0});
    run_steps(world, 240 * 8);
    double speed = pl_body_get_report(world, id).max_speed;
    printf("root %s, %s: %.1e m/s after 8 s\n", k < 2 ? "near" : "inside", k % 2 == 0 ? "soft" : "stiff", speed);
    assert_true(speed < 0.05);
    pl_world_destroy(world);
    pl_model_destroy(model);
  }
  drop_context(context);
}

// Displays of 30, 60 and 144 frames a second see the same motion at the same times, bit for bit, though they lead the
// joint at other times.
static void the_display_rate_does_not_matter(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  const int rates[] = {30, 60, 144};
  uint64_t hashes[3];
  for (int k = 0; k < 3; ++k) {
    test_rod rod;
    begin_rod(&rod, 8, 0.05, (pl_vec3){0, 0, 0.2});
    pl_model *model = build_rod(context, &rod);
    pl_world *world = make_world(context, 1.0 / 240, -9.81);
    pl_body_id id = add_body(world, model, (pl_vec3){0, 0, 0});
    // A joint moved over a second moves the same way whoever observes it.
    check_ok(pl_rod_set_joint_target(
                 world, id, 0, (pl_transform){{0.3, 0.1, 0}, pl_quat_from_axis_angle((pl_vec3){0, 0, 1}, 1)}, 1, NULL),
             NULL);
    for (int frame = 0; frame < 2 * rates[k]; ++frame)
      check_ok(pl_world_advance(world, 1.0 / rates[k], 0, NULL, NULL), NULL);
    assert_int_equal(pl_world_step_count(world), 480);
    hashes[k] = pl_world_get_hash(world);
    pl_world_destroy(world);
    pl_model_destroy(model);
  }
  assert_true(hashes[0] == hashes[1] && hashes[1] == hashes[2]);
  drop_context(context);
}

static void teleport_reset_and_settling(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  test_rod rod;
  begin_rod(&rod, 8, 0.05, (pl_vec3){0, 0, 0.2});
  rod.def.damping = 3;
  pl_model *model = build_rod(context, &rod);
  pl_world *world = make_world(context, 1.0 / 240, -9.81);
  pl_body_id id = add_body(world, model, (pl_vec3){0, 0, 0});
  pl_vec3 before[16], after[16];

  // Settling: time stands still, the chain hangs as it will.
  check_ok(pl_world_settle(world, 10, NULL, NULL), NULL);
  assert_true(pl_world_get_time(world) == 0);
  assert_true(pl_body_get_report(world, id).max_speed < 1e-2);
  check_ok(pl_body_get_positions(world, id, before), NULL);
  assert_true(length_error(&rod, before) < 1e-5);

  // A jump of ten metres and half a turn around the vertical: nothing whips.
  pl_transform jump = {{10, 2, -3}, pl_quat_from_axis_angle((pl_vec3){0, 1, 0}, PL_PI)};
  check_ok(pl_body_teleport(world, id, jump, NULL), NULL);
  run_steps(world, 1);
  check_ok(pl_body_get_positions(world, id, after), NULL);
  for (int i = 1; i <= 8; ++i)
    assert_true(pl_vec3_length(pl_vec3_sub(after[i], pl_transform_apply(jump, before[i]))) < 1e-4);
  run_steps(world, 100);
  assert_true(pl_body_get_report(world, id).max_speed < 2e-2);

  // The same jump by leading the joint does whip: that is what carrying is for.
  check_ok(pl_rod_set_joint_target(world, id, 0, pl_transform_identity(), 0, NULL), NULL);
  run_steps(world, 2);
  assert_true(pl_body_get_report(world, id).max_speed > 10);

  check_ok(pl_body_reset(world, id, NULL), NULL);
  check_ok(pl_body_get_positions(world, id, after), NULL);
  for (int i = 1; i <= 8; ++i) assert_true(pl_vec3_length(pl_vec3_sub(after[i], rod.joints[i].rest.position)) < 1e-6);
  assert_true(pl_body_get_report(world, id).kinetic_energy == 0);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

// An animation that begins far from the rest pose begins there: no whip in its first frame.
static void the_first_pose_is_where_things_begin(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  test_rod rod;
  begin_rod(&rod, 6, 0.05, (pl_vec3){0, 0, 0.1});
  pl_model *model = build_rod(context, &rod);
  pl_world *world = make_world(context, 1.0 / 240, 0);
  pl_body_id id = add_body(world, model, (pl_vec3){0, 0, 0});
  pl_transform first = {{3, 1, -2}, pl_quat_from_axis_angle((pl_vec3){1, 2, 0}, 2)};
  check_ok(pl_rod_set_joint_target(world, id, 0, first, 0, NULL), NULL);
  run_steps(world, 2);
  assert_true(pl_body_get_report(world, id).max_speed < 1e-3);
  pl_vec3 now[8];
  check_ok(pl_body_get_positions(world, id, now), NULL);
  for (int i = 1; i <= 6; ++i)
    assert_true(pl_vec3_distance(now[i], pl_transform_apply(first, rod.joints[i].rest.position)) < 1e-5);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

// In steady wind a limp chain hangs at the angle where drag and weight balance; light air does not blow it faster than
// itself.
static void wind_blows_chains(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  test_rod rod;
  begin_rod(&rod, 2, 0.5, (pl_vec3){0, 0, 0});
  rod.joints[2].rest.position = (pl_vec3){0, -0.5, 0};
  rod.joints[1].radius = rod.joints[2].radius = 0.005;
  rod.joints[2].mass = 0.02;
  rod.def.stiffness = 1e-9;
  rod.def.damping = 2;
  pl_model *model = build_rod(context, &rod);
  pl_world_def def = pl_default_world_def();
  def.wind = (pl_vec3){8, 0, 0};
  def.air_density = 1.2;
  def.drag = 1.1;
  pl_world *world = NULL;
  check_ok(pl_world_create(context, &def, &world, NULL), NULL);
  pl_body_id id = add_body(world, model, (pl_vec3){0, 0, 0});
  run_steps(world, 4800);
  pl_vec3 x[4];
  check_ok(pl_body_get_positions(world, id, x), NULL);
  // Moments around the root: half of the drag of the whole rod acts at the tip. m g sin(a) = ½ · ½ rho C 2 r l (v cos
  // a)².
  double a = atan2(x[2].x, -x[2].y), weight = 0.02 * 9.81 * sin(a),
         drag = 0.5 * 0.5 * 1.2 * 1.1 * 0.01 * 0.5 * 64 * cos(a) * cos(a);
  printf("angle %.3f rad, weight %.5f N, drag %.5f N\n", a, weight, drag);
  assert_true(fabs(weight / drag - 1) < 0.01);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lengths_hold_whatever_happens),
      cmocka_unit_test(trees_and_loops_keep_their_lengths),
      cmocka_unit_test(a_swing_without_damping_goes_on),
      cmocka_unit_test(twist_reaches_the_tip),
      cmocka_unit_test(angles_stay_within_their_limits),
      cmocka_unit_test(segments_meet_colliders_along_their_length),
      cmocka_unit_test(own_colliders_move_with_their_joint),
      cmocka_unit_test(roots_may_be_inside_colliders),
      cmocka_unit_test(the_display_rate_does_not_matter),
      cmocka_unit_test(teleport_reset_and_settling),
      cmocka_unit_test(the_first_pose_is_where_things_begin),
      cmocka_unit_test(wind_blows_chains),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
