// Attachments: what they hold, how springs stretch, what breaks, and that they keep momentum.
// ctest: physics threads
#include "fixtures/fem_bodies.h"
#include "fixtures/rigid_bodies.h"

static pl_attachment_id attach(pl_world *world, const pl_attachment_def *def) {
  pl_error error = {0};
  pl_attachment_id id;
  check_ok(pl_world_add_attachment(world, def, &id, &error), &error);
  return id;
}

// Without damping and sleep of what is in contact, so that only the attachments act.
static pl_world *make_plain_world(pl_context *context, double gravity) {
  pl_error error = {0};
  pl_world_def def = pl_default_world_def();
  def.gravity = (pl_vec3){0, gravity, 0};
  def.sleeping = false;
  def.contact_damping = 0;
  pl_world *world = NULL;
  check_ok(pl_world_create(context, &def, &world, &error), &error);
  return world;
}

static pl_model *make_soft(pl_context *context) {
  pl_solid_def def = pl_default_solid_def();
  def.restitution = 0;
  return make_box_model(context, (pl_vec3){0.4, 0.4, 0.4}, 2, 2, 2, &def);
}

// Particles of a box of 3 x 3 x 3 points, x fastest, of its top (y) layer.
static int32_t list_top(int32_t particles[9]) {
  for (int32_t k = 0; k < 9; ++k) particles[k] = k % 3 + 6 + 9 * (k / 3);
  return 9;
}

static pl_vec3 position_of(const pl_world *world, pl_body_id body, int32_t particle) {
  static pl_vec3 positions[2000];
  assert_int_equal(pl_body_get_positions(world, body, positions), PL_OK);
  return positions[particle];
}

// A ball on a spring to the world sags by m g / k; when that is more than the spring bears it falls.
static void springs_sag_by_weight_over_stiffness_and_break(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_rigid_def ball = pl_default_rigid_def();
  ball.shape = PL_RIGID_SPHERE;
  ball.radius = 0.1;
  ball.mass = 2;
  pl_model *model = make_rigid(context, &ball, NULL);
  for (int breaks = 0; breaks < 2; ++breaks) {
    pl_world *world = make_plain_world(context, -9.81);
    pl_body_id body = add_body(world, model, (pl_vec3){0, 1, 0});
    pl_attachment_def def = pl_default_attachment_def();
    int32_t top = 0;
    for (int32_t i = 1; i < pl_model_get_report(model).particle_count; ++i)
      if (position_of(world, body, i).y > position_of(world, body, top).y) top = i;
    pl_vec3 start = position_of(world, body, top);
    def.body_a = body;
    def.particles = &top;
    def.particle_count = 1;
    def.stiffness = 500;
    def.damping = 30;
    if (breaks) def.break_force = 19;  // less than its weight of 19.62 N
    pl_attachment_id id = attach(world, &def);
    run_steps(world, 2400);
    pl_attachment_report report = pl_attachment_get_report(world, id);
    if (breaks) {
      assert_int_equal(report.broken_count, 1);
      check_at_most(position_of(world, body, top).y, -10);
    } else {
      check_near(start.y - position_of(world, body, top).y, 2 * 9.81 / 500, 1e-4);
      check_near(report.force.y, 2 * 9.81, 1e-3);
    }
    pl_world_destroy(world);
  }
  pl_model_destroy(model);
  drop_context(context);
}

// A soft box hangs from a frame that the host moves, by its top; then a rigid box hangs from the soft one.
static void regions_follow_frames_and_carry_loads(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_model *soft = make_soft(context), *box = make_rigid_box(context, (pl_vec3){0.1, 0.1, 0.1});
  pl_world *world = make_plain_world(context, -9.81);
  pl_body_id upper = add_body(world, soft, (pl_vec3){0, 2, 0}), lower = add_body(world, box, (pl_vec3){0, 1.7, 0});
  int32_t top[9], bottom[9];
  pl_attachment_def def = pl_default_attachment_def();
  def.body_a = upper;
  def.particle_count = list_top(top);
  def.particles = top;
  pl_attachment_id hook = attach(world, &def);
  for (int k = 0; k < 9; ++k) bottom[k] = top[k] - 6;
  def.body_b = lower;
  def.particles = bottom;
  pl_attachment_id weld = attach(world, &def);
  pl_vec3 start = position_of(world, upper, top[0]);
  // Up by 0.5 m in one second, and then still. The soft box still swings up and down then, so forces are means.
  double held = 0, welded = 0;
  enum { STEPS = 3000, MEAN = 1200 };
  for (int32_t i = 1; i <= STEPS; ++i) {
    pl_transform frame = {{0, 0.5 * fmin(1, i / 240.0), 0}, pl_quat_identity()};
    check_ok(pl_world_move_attachment(world, hook, frame, &error), &error);
    run_steps(world, 1);
    if (i <= STEPS - MEAN) continue;
    held += pl_attachment_get_report(world, hook).force.y / MEAN;
    welded += pl_attachment_get_report(world, weld).force.y / MEAN;
  }
  double weight = 9.81 * (pl_model_get_report(soft).mass + pl_model_get_report(box).mass);
  print_message("hook at %.6f m, holds %.2f N of %.2f; weld holds %.2f of %.2f\n",
                position_of(world, upper, top[0]).y - start.y, held, weight, welded,
                -9.81 * pl_model_get_report(box).mass);
  check_near(position_of(world, upper, top[0]).y - start.y, 0.5, 1e-3);
  check_near(held, weight, 0.02 * weight);
  check_near(welded, -9.81 * pl_model_get_report(box).mass, 0.02 * weight);
  check_near(motion_of(world, lower).placement.position.x, 0, 1e-3);
  check_ok(pl_world_remove_attachment(world, weld, &error), &error);
  run_steps(world, 240);
  check_at_most(motion_of(world, lower).placement.position.y, -2);
  pl_world_destroy(world);
  pl_model_destroy(soft);
  pl_model_destroy(box);
  drop_context(context);
}

// Two soft boxes welded face to face and a rigid one welded to them, in free flight.
static void welds_keep_momentum_and_bits(void **state) {
  (void)state;
  uint64_t hashes[3];
  for (int threads = 1; threads <= 3; ++threads) {
    pl_context *context = make_context(threads);
    pl_error error = {0};
    pl_model *soft = make_soft(context), *box = make_rigid_box(context, (pl_vec3){0.2, 0.2, 0.2});
    pl_world *world = make_plain_world(context, 0);
    pl_body_id bodies[3];
    for (int i = 0; i < 3; ++i) {
      pl_body_def body = pl_default_body_def();
      body.model = i < 2 ? soft : box;
      body.placement.position = (pl_vec3){0, -0.4 * i, 0};
      body.velocity = (pl_vec3){i, 0.2, 1 - i};
      body.angular_velocity = (pl_vec3){1, i, 2};
      body.collides = false;
      check_ok(pl_world_add_body(world, &body, &bodies[i], &error), &error);
    }
    int32_t top[9];
    pl_attachment_def def = pl_default_attachment_def();
    def.particle_count = list_top(top);
    def.particles = top;
    def.body_a = bodies[1];
    def.body_b = bodies[0];
    attach(world, &def);
    for (int k = 0; k < 9; ++k) top[k] -= 6;
    def.body_b = bodies[2];
    attach(world, &def);
    pl_vec3 linear[2] = {{0, 0, 0}, {0, 0, 0}}, spin[2] = {{0, 0, 0}, {0, 0, 0}};
    for (int when = 0; when < 2; ++when) {
      for (int i = 0; i < 3; ++i) {
        pl_body_report report = pl_body_get_report(world, bodies[i]);
        linear[when] = pl_vec3_add(linear[when], report.momentum);
        spin[when] = pl_vec3_add(spin[when], report.angular_momentum);
        spin[when] = pl_vec3_add(spin[when], pl_vec3_cross(report.center, report.momentum));
      }
      if (when == 0) run_steps(world, 240);
    }
    hashes[threads - 1] = pl_world_get_hash(world);
    if (threads == 1) {
      print_message("momentum changed by %.2g, angular by %.2g\n",
                    pl_vec3_distance(linear[0], linear[1]) / pl_vec3_length(linear[0]),
                    pl_vec3_distance(spin[0], spin[1]) / pl_vec3_length(spin[0]));
      check_at_most(pl_vec3_distance(linear[0], linear[1]), 1e-6 * pl_vec3_length(linear[0]));
      check_at_most(pl_vec3_distance(spin[0], spin[1]), 1e-6 * pl_vec3_length(spin[0]));
    }
    pl_world_destroy(world);
    pl_model_destroy(soft);
    pl_model_destroy(box);
    drop_context(context);
  }
  assert_true(hashes[0] == hashes[1] && hashes[0] == hashes[2]);
}

static void wrong_defs_are_refused(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_model *soft = make_soft(context);
  pl_world *world = make_plain_world(context, 0);
  pl_body_id body = add_body(world, soft, (pl_vec3){0, 0, 0});
  int32_t particle = 0, outside = 99;
  float weight = 2;
  pl_attachment_def def = pl_default_attachment_def();
  def.body_a = body;
  def.particle_count = 1;
  assert_int_equal(pl_world_add_attachment(world, &def, NULL, &error), PL_ERROR_INVALID_ARGUMENT);
  def.particles = &outside;
  assert_int_equal(pl_world_add_attachment(world, &def, NULL, &error), PL_ERROR_INVALID_ARGUMENT);
  def.particles = &particle;
  def.weights = &weight;
  assert_int_equal(pl_world_add_attachment(world, &def, NULL, &error), PL_ERROR_INVALID_ARGUMENT);
  def.weights = NULL;
  def.joint = 3;
  def.body_b = (pl_body_id){0, 0};
  assert_int_equal(pl_world_add_attachment(world, &def, NULL, &error), PL_ERROR_INVALID_ARGUMENT);
  def.joint = -1;
  def.body_b = body;
  assert_int_equal(pl_world_add_attachment(world, &def, NULL, &error), PL_ERROR_INVALID_ARGUMENT);
  def.partners = &particle;
  attach(world, &def);
  assert_int_equal(pl_world_attachment_count(world), 1);
  check_ok(pl_world_remove_body(world, body, &error), &error);
  assert_int_equal(pl_world_attachment_count(world), 0);
  pl_world_destroy(world);
  pl_model_destroy(soft);
  drop_context(context);
}

// A box of finite elements hangs by its top: the forces sum to its weight. Thrown 0.1 m aside within a step it stays
// whole, and hangs as before; where the forces are more than the attachment bears it falls. Hard, and by springs.
static void finite_elements_hang_are_thrown_and_break(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_fem_def material = pl_default_fem_def(PL_FEM_COROTATED);
  material.young = 3e5;
  material.mass_damping = 6;
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){0.2, 0.2, 0.2}, 2, 2, 2);
  pl_model *model = make_fem_model(context, &material, mesh);
  pl_mesh_destroy(mesh);
  for (int kind = 0; kind < 4; ++kind) {
    bool breaks = kind % 2 == 1;
    pl_world *world = make_plain_world(context, -9.81);
    pl_body_id body = add_body(world, model, (pl_vec3){0, 1, 0});
    pl_vec3 positions[27];
    int32_t top[27], count = 0;
    assert_int_equal(pl_body_get_positions(world, body, positions), PL_OK);
    for (int32_t i = 0; i < 27; ++i)
      if (positions[i].y > 1.09) top[count++] = i;
    assert_int_equal(count, 9);
    pl_attachment_def def = pl_default_attachment_def();
    def.body_a = body;
    def.particles = top;
    def.particle_count = count;
    def.stiffness = kind < 2 ? 0 : 5e3;
    def.damping = kind < 2 ? 0 : 50;
    def.break_force = breaks ? 0.5 : 1e6;
    pl_attachment_id id = attach(world, &def);
    run_steps(world, 480);
    double weight = 1000 * 0.008 * 9.81, farthest = 0;
    pl_attachment_report report = pl_attachment_get_report(world, id);
    if (breaks) {
      assert_int_equal(report.broken_count, 9);
      check_at_most(position_of(world, body, 0).y, 0);
    } else {
      check_near(report.force.y / weight, 1, 0.01);
      pl_transform aside = {{0.1, 0, 0}, pl_quat_identity()};
      check_ok(pl_world_move_attachment(world, id, aside, &error), &error);
      for (int step = 0; step < 1200; ++step) {
        run_steps(world, 1);
        assert_int_equal(pl_body_get_positions(world, body, positions), PL_OK);
        for (int32_t i = 0; i < 27; ++i)
          farthest = fmax(farthest, pl_vec3_distance(positions[i], (pl_vec3){0.1, 1, 0}));
      }
      report = pl_attachment_get_report(world, id);
      print_message("kind %d: at most %.3f m from the middle; holds %.4f of the weight\n", kind, farthest,
                    report.force.y / weight);
      assert_int_equal(report.broken_count, 0);
      // Half a diagonal is 0.17 m.
      check_at_most(farthest, 0.4);
      check_near(report.force.y / weight, 1, 0.02);
    }
    pl_world_destroy(world);
  }
  pl_model_destroy(model);
  drop_context(context);
}

// A rigid weight held in the middle of a soft cube by the particles around it. In flight, turning, momentum stays;
// dropped on a corner it stays whole, and comes to rest. Solved after the step, stiff cubes burst.
static void stiff_bodies_hold_rigid_ones(void **state) {
  (void)state;
  static const double youngs[] = {1e5, 1e6, 1e7};
  for (int k = 0; k < 12; ++k) {
    bool falls = k >= 6, is_fast = k % 2 == 1;
    pl_context *context = make_context(1);
    pl_error error = {0};
    pl_fem_def material = pl_default_fem_def(is_fast ? PL_FEM_FAST : PL_FEM_COROTATED);
    material.young = youngs[k / 2 % 3];
    material.fast_step = pl_default_world_def().step;
    pl_mesh *mesh = make_fem_box(context, (pl_vec3){0.2, 0.2, 0.2}, 4, 4, 4);
    pl_model *cube = make_fem_model(context, &material, mesh),
             *box = make_rigid_box(context, (pl_vec3){0.04, 0.04, 0.04});
    pl_mesh_view view = pl_mesh_get_view(mesh);
    int32_t inner[27], count = 0;
    for (int32_t i = 0; i < view.point_count; ++i) {
      pl_vec3 p = view.points[i];
      if (fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))) < 0.06) inner[count++] = i;
    }
    pl_world *world = make_world(context, material.fast_step, falls ? -9.81 : 0);
    if (falls) add_ground(world);
    pl_body_id bodies[2];
    for (int i = 0; i < 2; ++i) {
      pl_body_def body = pl_default_body_def();
      body.model = i == 0 ? cube : box;
      body.placement.position = (pl_vec3){0, falls ? 0.5 : 0, 0};
      body.placement.rotation = pl_quat_from_axis_angle((pl_vec3){1, 2, 0.5}, 0.7);
      if (!falls) body.velocity = (pl_vec3){0.5, i == 0 ? 1 : 0, 0}, body.angular_velocity = (pl_vec3){2, 1, -1};
      check_ok(pl_world_add_body(world, &body, &bodies[i], &error), &error);
    }
    pl_attachment_def def = pl_default_attachment_def();
    def.body_a = bodies[0], def.body_b = bodies[1];
    def.particles = inner, def.particle_count = count;
    attach(world, &def);
    pl_vec3 linear[2] = {{0, 0, 0}, {0, 0, 0}}, spin[2] = {{0, 0, 0}, {0, 0, 0}};
    double fastest = 0, off = 0;
    for (int when = 0; when < 2; ++when) {
      for (int i = 0; i < 2; ++i) {
        pl_body_report report = pl_body_get_report(world, bodies[i]);
        linear[when] = pl_vec3_add(linear[when], report.momentum);
        spin[when] = pl_vec3_add(spin[when],
                                 pl_vec3_add(report.angular_momentum, pl_vec3_cross(report.center, report.momentum)));
      }
      for (int i = 0; when == 0 && i < (falls ? 8 * 240 : 240); ++i) {
        run_steps(world, 1);
        pl_vec3 middle = {0, 0, 0};
        for (int32_t p = 0; p < count; ++p)
          middle = pl_vec3_add_scaled(middle, position_of(world, bodies[0], inner[p]), 1.0 / count);
        off = fmax(off, pl_vec3_distance(middle, pl_body_get_report(world, bodies[1]).center));
        fastest = fmax(fastest, pl_body_get_report(world, bodies[0]).max_speed);
      }
    }
    double moved = pl_vec3_distance(linear[0], linear[1]) / pl_vec3_length(linear[0]);
    double turned = pl_vec3_distance(spin[0], spin[1]) / pl_vec3_length(spin[0]);
    bool rests = pl_body_is_asleep(world, bodies[0]) && pl_body_is_asleep(world, bodies[1]);
    print_message("%s, %g Pa, %s: held within %.1e m, fastest %.2f m/s", is_fast ? "fast" : "corotated", material.young,
                  falls ? "dropped" : "in flight", off, fastest);
    if (falls)
      print_message(", %s\n", rests ? "asleep" : "awake");
    else
      print_message(", momentum off by %.1e, angular by %.1e\n", moved, turned);
    check_at_most(off, 1e-5);
    if (falls) assert_true(rests && fastest < 1.3 * sqrt(2 * 9.81 * 0.5));
    if (!falls) assert_true(moved < 1e-6 && turned < (is_fast ? 1e-5 : 1e-6));
    pl_world_destroy(world);
    pl_model_destroy(cube);
    pl_model_destroy(box);
    pl_mesh_destroy(mesh);
    drop_context(context);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(springs_sag_by_weight_over_stiffness_and_break),
      cmocka_unit_test(regions_follow_frames_and_carry_loads),
      cmocka_unit_test(welds_keep_momentum_and_bits),
      cmocka_unit_test(finite_elements_hang_are_thrown_and_break),
      cmocka_unit_test(stiff_bodies_hold_rigid_ones),
      cmocka_unit_test(wrong_defs_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
