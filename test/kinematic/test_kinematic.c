// Kinematic meshes: they go to their targets, carry and push what they touch, and take along what is tied to them.
// ctest: physics threads
#include "fixtures/kinematic_meshes.h"
#include "fixtures/mesh_samples.h"
#include "fixtures/rod_chains.h"

typedef enum other_method { SOLID, RIGID, FEM, FAST, OTHER_COUNT } other_method;
static const char *const OTHER_NAMES[OTHER_COUNT] = {"solid", "rigid", "fem", "fast"};

// A box with edges of 20 cm.
static pl_model *make_other(pl_context *context, other_method method, double friction) {
  const pl_vec3 size = {0.2, 0.2, 0.2};
  if (method == RIGID) {
    pl_rigid_def def = pl_default_rigid_def();
    def.shape = PL_RIGID_BOX;
    def.half_size = pl_vec3_scale(size, 0.5);
    def.friction = friction;
    return make_rigid(context, &def, NULL);
  }
  if (method == SOLID) {
    pl_solid_def def = pl_default_solid_def();
    def.friction = friction;
    return make_box_model(context, size, 2, 2, 2, &def);
  }
  pl_fem_def def = pl_default_fem_def(method == FAST ? PL_FEM_FAST : PL_FEM_COROTATED);
  def.young = 3e5;
  def.friction = friction;
  def.fast_step = 1.0 / 240;
  pl_mesh *mesh = make_fem_box(context, size, 2, 2, 2);
  pl_model *model = make_fem_model(context, &def, mesh);
  pl_mesh_destroy(mesh);
  return model;
}

// --- where it goes

static void points_move_evenly_and_arrive(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_world *world = make_world(context, 1.0 / 240, 0);
  test_kinematic it = make_kinematic_box(context, (pl_vec3){1, 1, 1}, 2, 0.5);
  it.body = add_body(world, it.model, (pl_vec3){0, 2, 0});
  pl_vec3 targets[100], now[100], velocities[100];
  pl_mesh_view view = pl_mesh_get_view(it.mesh);
  for (int32_t i = 0; i < it.count; ++i) targets[i] = (pl_vec3){view.points[i].x + 0.4, 2 + 1.5 * view.points[i].y, 7};
  pl_error error = {0};
  check_ok(pl_kinematic_set_target(world, it.body, targets, 1.0 / 60, &error), &error);
  for (int step = 1; step <= 5; ++step) {
    run_steps(world, 1);
    assert_int_equal(pl_body_get_positions(world, it.body, now), PL_OK);
    assert_int_equal(pl_body_get_velocities(world, it.body, velocities), PL_OK);
    double part = step < 4 ? step / 4.0 : 1;
    for (int32_t i = 0; i < it.count; ++i) {
      pl_vec3 start = {view.points[i].x, view.points[i].y + 2, view.points[i].z};
      check_at_most(pl_vec3_distance(now[i], pl_vec3_lerp(start, targets[i], part)), 1e-12);
      pl_vec3 speed = pl_vec3_scale(pl_vec3_sub(targets[i], start), step <= 4 ? 60 : 0);
      check_at_most(pl_vec3_distance(velocities[i], speed), 1e-9);
      if (step == 4) assert_memory_equal(&now[i], &targets[i], sizeof now[i]);
    }
  }
  pl_world_destroy(world);
  drop_kinematic(&it);
  drop_context(context);
}

static void wrong_calls_are_refused(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_world *world = make_world(context, 1.0 / 240, 0);
  test_kinematic it = make_kinematic_box(context, (pl_vec3){1, 1, 1}, 1, 0.5);
  it.body = add_body(world, it.model, (pl_vec3){0, 0, 0});
  pl_model *ball = make_rigid_sphere(context, 0.1);
  pl_body_id other = add_body(world, ball, (pl_vec3){5, 0, 0});
  pl_vec3 points[100] = {{0, 0, 0}};
  pl_error error = {0};
  assert_int_equal(pl_kinematic_set_target(world, (pl_body_id){9, 9}, points, 0, &error), PL_ERROR_NOT_FOUND);
  assert_int_equal(pl_kinematic_set_target(world, other, points, 0, &error), PL_ERROR_UNSUPPORTED);
  assert_int_equal(pl_kinematic_set_target(world, it.body, points, -1, &error), PL_ERROR_INVALID_ARGUMENT);
  points[3].y = (double)NAN;
  assert_int_equal(pl_kinematic_set_target(world, it.body, points, 0, &error), PL_ERROR_INVALID_ARGUMENT);
  assert_string_equal(error.field, "points");
  pl_kinematic_def def = {0};
  pl_model *model = NULL;
  assert_int_equal(pl_kinematic_build(context, &def, it.mesh, &model, &error), PL_ERROR_INVALID_ARGUMENT);
  def = pl_default_kinematic_def();
  pl_mesh *chain = make_fem_chain(context, 1, 3);
  assert_int_equal(pl_kinematic_build(context, &def, chain, &model, &error), PL_ERROR_INVALID_DATA);
  assert_null(model);
  pl_mesh_destroy(chain);
  pl_world_destroy(world);
  pl_model_destroy(ball);
  drop_kinematic(&it);
  drop_context(context);
}

// --- what it carries

static double slide_start;
static pl_vec3 slide_at_2(pl_vec3 rest, double time) {
  return (pl_vec3){rest.x + 2 * (time - slide_start), rest.y, rest.z};
}

// On a surface that slides away under it a body is accelerated by μ g; without friction not at all. (Soft solids
// tremble on a surface of bodies, rigid ones too, and are slowed down more than that.)
static void friction_takes_bodies_along(void **state) {
  (void)state;
  for (int method = RIGID; method < OTHER_COUNT; ++method)
    for (int smooth = 0; smooth < 2; ++smooth) {
      pl_context *context = make_context(1);
      double friction = smooth ? 0 : 0.3, h = 1.0 / 240;
      pl_world *world = make_world(context, h, -9.81);
      test_kinematic it = make_kinematic_box(context, (pl_vec3){4, 0.2, 4}, method == RIGID ? 1 : 4, friction);
      it.body = add_body(world, it.model, (pl_vec3){0, 0, 0});
      pl_model *model = make_other(context, (other_method)method, friction);
      pl_body_id body = add_body(world, model, (pl_vec3){0, 0.2, 0});
      run_steps(world, 60);
      double begin = pl_body_get_report(world, body).center.x;
      slide_start = pl_world_get_time(world);
      for (int step = 0; step < 72; ++step) {
        aim_kinematic(world, &it, slide_at_2);
        run_steps(world, 1);
      }
      pl_body_report report = pl_body_get_report(world, body);
      double speed = report.mass > 0 ? report.momentum.x / report.mass : 0, wanted = friction * 9.81 * 72 * h;
      print_message("%s on a surface at 2 m/s: %.4f m/s after 0.3 s, μ g t is %.4f; moved %.4f m\n",
                    OTHER_NAMES[method], speed, wanted, report.center.x - begin);
      check_near(speed, wanted, 0.03 * wanted + 1e-3);
      pl_world_destroy(world);
      pl_model_destroy(model);
      drop_kinematic(&it);
      drop_context(context);
    }
}

static pl_vec3 rush_up(pl_vec3 rest, double time) {
  return (pl_vec3){rest.x, rest.y + 5 * time, rest.z};
}

// A plate of 1 cm that moves 2 cm in a step does not pass through what it meets.
static void nothing_passes_a_fast_thin_plate(void **state) {
  (void)state;
  for (int method = 0; method < OTHER_COUNT; ++method) {
    pl_context *context = make_context(1);
    pl_world *world = make_world(context, 1.0 / 240, 0);
    test_kinematic it = make_kinematic_box(context, (pl_vec3){1, 0.01, 1}, 4, 0.5);
    it.body = add_body(world, it.model, (pl_vec3){0, 0, 0});
    pl_model *model = make_other(context, (other_method)method, 0.5);
    pl_body_id body = add_body(world, model, (pl_vec3){0.03, 0.4, 0.02});
    double lowest = HUGE_VAL;
    for (int step = 0; step < 40; ++step) {
      aim_kinematic(world, &it, rush_up);
      run_steps(world, 1);
      double top = rush_up((pl_vec3){0, 0.005, 0}, pl_world_get_time(world)).y;
      lowest = fmin(lowest, pl_body_get_report(world, body).box.min.y - top);
    }
    print_message("%s hit at 5 m/s: lowest point %.4f m above the plate\n", OTHER_NAMES[method], lowest);
    check_at_most(-lowest, 1e-3);
    check_at_most(4, pl_body_get_report(world, body).momentum.y / pl_body_get_report(world, body).mass);
    pl_world_destroy(world);
    pl_model_destroy(model);
    drop_kinematic(&it);
    drop_context(context);
  }
}

// A ball that grows pushes a hanging chain aside, and one that turns takes it along.
static double grow_rate, spin_rate;
static pl_vec3 grow_and_spin(pl_vec3 rest, double time) {
  double size = 1 + grow_rate * fmin(time, 1);
  pl_quat turn = pl_quat_from_rotation_vector((pl_vec3){0, spin_rate * fmax(0, time - 1), 0});
  return pl_quat_rotate(turn, pl_vec3_scale(rest, 0.2 * size));
}

// The chain was added first: normals are towards it, out of the ball. Returns the number of events.
static int check_ball_events(const pl_world *world, pl_body_id hair, pl_body_id ball) {
  pl_contact_event_view view = pl_world_get_contact_events(world);
  for (int32_t i = 0; i < view.event_count; ++i) {
    const pl_contact_event *e = &view.events[i];
    assert_int_equal(e->body.slot, hair.slot);
    assert_int_equal(e->other_body.slot, ball.slot);
    assert_int_equal(e->collider.slot, 0);
    if (e->kind == PL_CONTACT_END) continue;
    assert_true(e->impulse > 0);
    check_at_most(0.9, pl_vec3_dot(e->normal, pl_vec3_normalize_or(e->position, (pl_vec3){0, 0, 0})));
  }
  return view.event_count;
}

static void chains_touch_what_deforms(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  double ends[2] = {0, 0};
  for (int spins = 0; spins < 2; ++spins) {
    pl_error error = {0};
    pl_world_def def = pl_default_world_def();
    def.contact_events = true;
    pl_world *world = NULL;
    check_ok(pl_world_create(context, &def, &world, &error), &error);
    test_kinematic it = build_kinematic(context, sample_sphere(context, 24), 1);
    // The chain is added first: the surface still moves before it.
    test_rod rod;
    begin_rod(&rod, 12, 0.05, (pl_vec3){0, 0, 0});
    for (int32_t i = 0; i < rod.def.joint_count; ++i) {
      rod.joints[i].rest.position = (pl_vec3){0.22, 0.3 - rod.joints[i].rest.position.y, 0};
      rod.joints[i].radius = 0.005;
    }
    rod.def.friction = 1;
    pl_model *chain = build_rod(context, &rod);
    pl_body_id hair = add_body(world, chain, (pl_vec3){0, 0, 0});
    it.body = add_body(world, it.model, (pl_vec3){0, 0, 0});
    grow_rate = 0.4, spin_rate = spins ? 1.5 : 0;
    double deepest = 0;
    int event_count = 0;
    pl_vec3 joints[MAX_ROD_JOINTS];
    for (int step = 0; step < 360; ++step) {
      aim_kinematic(world, &it, grow_and_spin);
      run_steps(world, 1);
      event_count += check_ball_events(world, hair, it.body);
      assert_int_equal(pl_body_get_positions(world, hair, joints), PL_OK);
      // Corners of the triangles are on the ball, their middles up to 0.6 mm inside.
      double radius = pl_vec3_length(grow_and_spin((pl_vec3){1, 0, 0}, pl_world_get_time(world)));
      for (int32_t i = 2; i < rod.def.joint_count; ++i)
        deepest = fmax(deepest, 0.98 * radius - pl_vec3_length(joints[i]));
    }
    ends[spins] = joints[7].z;
    print_message("chain on a ball that grows%s: deepest %.5f m, joint 7 at (%.4f, %.4f, %.4f)\n",
                  spins ? " and turns" : "", deepest, joints[7].x, joints[7].y, joints[7].z);
    check_at_most(deepest, 0.002);
    check_at_most(length_error(&rod, joints), 0.02);
    print_message("%d events\n", event_count);
    assert_true(event_count > 100);
    pl_world_destroy(world);
    pl_model_destroy(chain);
    drop_kinematic(&it);
  }
  // Turning to -z from +x, by friction.
  check_at_most(ends[1], ends[0] - 0.02);
  drop_context(context);
}

// --- what is tied to it

// 5 m/s to and fro, smooth, and a dead stop after half a second.
static pl_vec3 dash(pl_vec3 rest, double time) {
  double t = fmin(time, 0.5);
  return (pl_vec3){rest.x + 5 * t, rest.y, rest.z};
}

static void goals_at_5_metres_per_second_are_reached(void **state) {
  (void)state;
  for (int method = 0; method < OTHER_COUNT; ++method) {
    pl_context *context = make_context(1);
    pl_world *world = make_world(context, 1.0 / 240, -9.81);
    test_kinematic it = make_kinematic_box(context, (pl_vec3){0.4, 0.02, 0.4}, 4, 0.5);
    it.body = add_body(world, it.model, (pl_vec3){0, 0, 0});
    pl_model *model = make_other(context, (other_method)method, 0.5);
    pl_body_id body = add_body(world, model, (pl_vec3){0, -0.11, 0});
    int32_t count = pl_model_get_report(model).particle_count, particles[100], tied = 0;
    pl_vec3 starts[100], now[100];
    pl_error error = {0};
    assert_int_equal(pl_body_get_positions(world, body, starts), PL_OK);
    for (int32_t i = 0; i < count; ++i)
      if (starts[i].y > -0.0101) particles[tied++] = i;
    pl_attachment_def def = pl_default_attachment_def();
    def.body_a = body;
    def.body_b = it.body;
    def.particles = particles;
    def.particle_count = tied;
    check_ok(pl_world_add_attachment(world, &def, NULL, &error), &error);
    // In motion from the start on, so that what is tied to it is not jerked.
    pl_vec3 velocities[100];
    for (int32_t i = 0; i < count; ++i) velocities[i] = (pl_vec3){5, 0, 0};
    check_ok(pl_body_set_state(world, body, NULL, velocities, &error), &error);
    double worst = 0, before = 0, after = 0, last = 0;
    for (int step = 0; step < 480; ++step) {
      aim_kinematic(world, &it, dash);
      run_steps(world, 1);
      assert_int_equal(pl_body_get_positions(world, body, now), PL_OK);
      for (int32_t k = 0; k < tied; ++k)
        worst = fmax(worst, pl_vec3_distance(now[particles[k]], dash(starts[particles[k]], pl_world_get_time(world))));
      last = pl_body_get_report(world, body).kinetic_energy;
      if (step < 120)
        before = fmax(before, last);
      else
        after = fmax(after, last);
    }
    print_message(
        "%s tied to a goal at 5 m/s: error at most %.6f m; energy %.4f J before the stop, at most %.4f J "
        "after it, %.4f J 1.5 s later\n",
        OTHER_NAMES[method], worst, before, after, last);
    check_at_most(worst, 1e-3);
    check_at_most(after, before);
    check_at_most(last, 0.5 * before);
    pl_world_destroy(world);
    pl_model_destroy(model);
    drop_kinematic(&it);
    drop_context(context);
  }
}

// --- goals with a range

// A body is held loosely below a plate that dashes: each particle stays within its range, those of weight 1 on their
// goals, and in front of the backstop.
static double range_speed;
static pl_vec3 dash_later(pl_vec3 rest, double time) {
  return (pl_vec3){rest.x + range_speed * fmin(fmax(time - 0.5, 0), 0.5), rest.y, rest.z};
}

static void particles_stay_within_the_range_of_their_goals(void **state) {
  (void)state;
  const double range = 0.05, backstop = 0.01;
  for (int method = 0; method < OTHER_COUNT; ++method) {
    if (method == RIGID) continue;
    pl_context *context = make_context(1);
    pl_world *world = make_world(context, 1.0 / 240, -9.81);
    test_kinematic it = make_kinematic_box(context, (pl_vec3){0.4, 0.02, 0.4}, 4, 0.5);
    it.body = add_body(world, it.model, (pl_vec3){0, 0, 0});
    pl_model *model = make_other(context, (other_method)method, 0.5);
    // Above the plate, so that gravity pushes it against the backstop; and it does not touch the plate.
    pl_body_id body = add_body(world, model, (pl_vec3){0, 0.2, 0});
    int32_t count = pl_model_get_report(model).particle_count, particles[100];
    float weights[100];
    pl_vec3 starts[100], now[100];
    pl_error error = {0};
    assert_int_equal(pl_body_get_positions(world, body, starts), PL_OK);
    for (int32_t i = 0; i < count; ++i) {
      particles[i] = i;
      weights[i] = i % 2 == 0 ? 0.0f : 0.5f;
    }
    weights[3] = 1;
    pl_attachment_def def = pl_default_attachment_def();
    def.body_a = body;
    def.body_b = it.body;
    def.particles = particles;
    def.particle_count = count;
    def.weights = weights;
    def.max_distance = range;
    def.backstop = backstop;
    check_ok(pl_world_add_attachment(world, &def, NULL, &error), &error);
    range_speed = 5;
    double beyond = 0, behind = 0, held = 0, used = 0, max_energy = 0, last = 0;
    for (int step = 0; step < 480; ++step) {
      aim_kinematic(world, &it, dash_later);
      run_steps(world, 1);
      assert_int_equal(pl_body_get_positions(world, body, now), PL_OK);
      last = pl_body_get_report(world, body).kinetic_energy;
      max_energy = fmax(max_energy, last);
      for (int32_t i = 0; i < count; ++i) {
        pl_vec3 goal = dash_later(starts[i], pl_world_get_time(world));
        double distance = pl_vec3_distance(now[i], goal);
        if (i == 3)
          held = fmax(held, distance);
        else
          beyond = fmax(beyond, distance - range * (1 - (double)weights[i]));
        behind = fmax(behind, goal.y - now[i].y - backstop);
        used = fmax(used, distance);
      }
    }
    print_message(
        "%s in a range of %g m: at most %.6f m beyond it and %.6f m behind its backstop; held %.1e m; used "
        "%.4f m; energy %.3f J, %.3f J 1 s after the stop\n",
        OTHER_NAMES[method], range, beyond, behind, held, used, max_energy, last);
    check_at_most(beyond, 1e-3);
    check_at_most(behind, 1e-3);
    check_at_most(held, 1e-6);
    check_at_most(last, 0.05 * max_energy);
    // The range is not just a hold.
    check_at_most(0.02, used);
    pl_world_destroy(world);
    pl_model_destroy(model);
    drop_kinematic(&it);
    drop_context(context);
  }
}

static void ranges_need_what_animation_moves(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_world *world = make_world(context, 1.0 / 240, 0);
  pl_model *soft = make_other(context, SOLID, 0.5), *hard = make_other(context, RIGID, 0.5);
  pl_attachment_def def = pl_default_attachment_def();
  const int32_t particle = 0;
  def.body_a = add_body(world, soft, (pl_vec3){0, 0, 0});
  def.body_b = add_body(world, hard, (pl_vec3){1, 0, 0});
  def.particles = &particle;
  def.particle_count = 1;
  def.max_distance = 0.1;
  pl_error error = {0};
  assert_int_equal(pl_world_add_attachment(world, &def, NULL, &error), PL_ERROR_UNSUPPORTED);
  assert_string_equal(error.field, "max_distance");
  def.body_b = (pl_body_id){0, 0};
  check_ok(pl_world_add_attachment(world, &def, NULL, &error), &error);
  pl_world_destroy(world);
  pl_model_destroy(soft);
  pl_model_destroy(hard);
  drop_context(context);
}

// --- state

static void snapshots_hold_targets(void **state) {
  (void)state;
  pl_context *context = make_context(2);
  pl_world *world = make_world(context, 1.0 / 240, -9.81);
  test_kinematic it = make_kinematic_box(context, (pl_vec3){1, 0.2, 1}, 4, 0.5);
  it.body = add_body(world, it.model, (pl_vec3){0, 0, 0});
  pl_model *model = make_other(context, SOLID, 0.5);
  add_body(world, model, (pl_vec3){0, 0.3, 0});
  pl_vec3 targets[200];
  pl_mesh_view view = pl_mesh_get_view(it.mesh);
  for (int32_t i = 0; i < it.count; ++i)
    targets[i] = (pl_vec3){view.points[i].x, view.points[i].y + 0.5, view.points[i].z};
  pl_error error = {0};
  check_ok(pl_kinematic_set_target(world, it.body, targets, 0.5, &error), &error);
  run_steps(world, 40);
  size_t size = pl_world_snapshot_size(world);
  void *snapshot = malloc(size);
  pl_world_snapshot(world, snapshot);
  run_steps(world, 90);
  uint64_t first = pl_world_get_hash(world);
  check_ok(pl_world_restore(world, snapshot, size, &error), &error);
  run_steps(world, 90);
  assert_true(pl_world_get_hash(world) == first);
  free(snapshot);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_kinematic(&it);
  drop_context(context);
}

// Bodies at rest on a surface that stays sleep, and wake when it moves.
static void bodies_sleep_on_what_stays(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_world *world = make_world(context, 1.0 / 240, -9.81);
  test_kinematic it = make_kinematic_box(context, (pl_vec3){1, 0.2, 1}, 4, 0.5);
  it.body = add_body(world, it.model, (pl_vec3){0, 0, 0});
  pl_model *model = make_rigid_box(context, (pl_vec3){0.1, 0.1, 0.1});
  pl_body_id body = add_body(world, model, (pl_vec3){0, 0.2, 0});
  pl_vec3 points[200];
  pl_error error = {0};
  run_steps(world, 480);
  assert_true(pl_body_is_asleep(world, body));
  assert_int_equal(pl_body_get_positions(world, it.body, points), PL_OK);
  // A target that is where the body is already changes nothing.
  check_ok(pl_kinematic_set_target(world, it.body, points, 0, &error), &error);
  assert_true(pl_body_is_asleep(world, body));
  for (int32_t i = 0; i < it.count; ++i) points[i].y += 0.1;
  check_ok(pl_kinematic_set_target(world, it.body, points, 0.2, &error), &error);
  assert_false(pl_body_is_asleep(world, body));
  run_steps(world, 96);
  check_near(pl_body_get_report(world, body).center.y, 0.3, 5e-3);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_kinematic(&it);
  drop_context(context);
}

typedef struct parts {
  pl_model *model;
  pl_world *world;
} parts;

static pl_status build_and_step(pl_context *context, const pl_mesh *surface, parts *made) {
  pl_kinematic_def def = pl_default_kinematic_def();
  pl_world_def world_def = pl_default_world_def();
  pl_body_def body = pl_default_body_def();
  pl_body_id id;
  pl_status status = pl_world_create(context, &world_def, &made->world, NULL);
  if (status >= 0) status = pl_kinematic_build(context, &def, surface, &made->model, NULL);
  body.model = made->model;
  for (int i = 0; status >= 0 && i < 2; ++i) status = pl_world_add_body(made->world, &body, &id, NULL);
  return status < 0 ? status : pl_world_step(made->world, NULL, NULL);
}

static void every_failing_allocation_is_survived(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  test_kinematic it = make_kinematic_box(context, (pl_vec3){1, 1, 1}, 2, 0.5);
  int64_t n = 1;
  for (pl_status status = PL_ERROR_OUT_OF_MEMORY; status < 0; ++n) {
    int64_t live = allocator.live_count;
    parts made = {0};
    allocator.call_count = 0;
    allocator.fail_at = n;
    status = build_and_step(context, it.mesh, &made);
    if (status < 0) assert_int_equal(status, PL_ERROR_OUT_OF_MEMORY);
    allocator.fail_at = 0;
    pl_world_destroy(made.world);
    pl_model_destroy(made.model);
    assert_int_equal(allocator.live_count, live);
  }
  print_message("survived %d failing allocations\n", (int)n - 2);
  assert_true(n > 20);
  drop_kinematic(&it);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_move_evenly_and_arrive),
      cmocka_unit_test(wrong_calls_are_refused),
      cmocka_unit_test(friction_takes_bodies_along),
      cmocka_unit_test(nothing_passes_a_fast_thin_plate),
      cmocka_unit_test(chains_touch_what_deforms),
      cmocka_unit_test(goals_at_5_metres_per_second_are_reached),
      cmocka_unit_test(particles_stay_within_the_range_of_their_goals),
      cmocka_unit_test(ranges_need_what_animation_moves),
      cmocka_unit_test(snapshots_hold_targets),
      cmocka_unit_test(bodies_sleep_on_what_stays),
      cmocka_unit_test(every_failing_allocation_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
