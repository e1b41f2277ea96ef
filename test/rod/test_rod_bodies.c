// Rods among other bodies: what lies on a body is carried by it, crossed rods stay crossed, thin and fast ones do not
// pass, and momentum goes from one to the other.
// ctest: physics once
#include <string.h>

#include "contact/edge_touch.h"
#include "fixtures/fem_bodies.h"
#include "fixtures/rigid_bodies.h"
#include "fixtures/rod_chains.h"

static const double STEP = 1.0 / 240, RADIUS = 0.01;

// A limp chain of segments of 5 cm that starts at the origin along a direction.
static pl_model *make_chain(pl_context *context, int32_t joint_count, pl_vec3 direction, bool self_contact) {
  test_rod rod;
  begin_rod(&rod, joint_count, 0.05, (pl_vec3){0, 0, 0});
  for (int32_t i = 1; i < rod.def.joint_count; ++i) {
    rod.joints[i].rest.position = pl_vec3_scale(direction, 0.05 * (i - 1));
    rod.joints[i].radius = RADIUS;
  }
  rod.def.stiffness = 1e-5;
  rod.def.damping = 2;
  rod.def.friction = 0.5;
  rod.def.self_contact = self_contact;
  return build_rod(context, &rod);
}

static double lowest_of(const pl_world *world, pl_body_id body, pl_vec3 *x, int32_t count, double min_x, double max_x) {
  double low = HUGE_VAL;
  pl_body_get_positions(world, body, x);
  for (int32_t i = 1; i < count; ++i)
    if (x[i].x > min_x && x[i].x < max_x) low = fmin(low, x[i].y);
  return low;
}

// Whether two segments pass through each other between two times.
static bool pass(const pl_vec3 a[2], const pl_vec3 next_a[2], const pl_vec3 b[2], const pl_vec3 next_b[2]) {
  pl_edge_path path = {{a[0], a[1]}, {next_a[0], next_a[1]}, {b[0], b[1]}, {next_b[0], next_b[1]}};
  pl_edge_crossing crossing;
  return pl_edge_touch_crossing(&path, &crossing);
}

// By sampling both.
static double distance_of(const pl_vec3 a[2], const pl_vec3 b[2]) {
  double min = HUGE_VAL;
  for (int i = 0; i <= 20; ++i)
    for (int k = 0; k <= 20; ++k)
      min = fmin(min, pl_vec3_distance(pl_vec3_lerp(a[0], a[1], i / 20.0), pl_vec3_lerp(b[0], b[1], k / 20.0)));
  return min;
}

// A chain lies on a box from root to end. At rest the ground carries the box and the chain, but for half a segment at
// the root.
static void a_chain_on_a_body_is_carried_by_it(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  enum { JOINTS = 17 };
  pl_error error = {0};
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){1, 0.2, 0.4}, 10, 2, 4);
  pl_fem_def fem = pl_default_fem_def(PL_FEM_FAST);
  fem.young = 1e6;
  fem.fast_step = STEP;
  pl_solid_def solid = pl_default_solid_def();
  pl_model *models[3] = {make_rigid_box(context, (pl_vec3){0.5, 0.1, 0.2}), make_fem_model(context, &fem, mesh),
                         make_box_model(context, (pl_vec3){1, 0.2, 0.4}, 10, 2, 4, &solid)};
  static const char *const names[3] = {"rigid", "fast", "solid"};
  pl_model *chain = make_chain(context, JOINTS, (pl_vec3){1, 0, 0}, false);
  for (int m = 0; m < 3; ++m) {
    pl_world_def def = pl_default_world_def();
    def.sleeping = false;
    pl_world *world = NULL;
    check_ok(pl_world_create(context, &def, &world, &error), &error);
    pl_collider_def half_space = pl_default_collider_def(PL_COLLIDER_HALF_SPACE);
    pl_collider_id ground;
    check_ok(pl_world_add_collider(world, &half_space, &ground, &error), &error);
    pl_body_id box = add_body(world, models[m], (pl_vec3){0, 0.1, 0});
    run_steps(world, 480);
    pl_body_id rod =
        add_body(world, chain, (pl_vec3){-0.4, pl_body_get_report(world, box).box.max.y + RADIUS + 0.005, 0});
    pl_vec3 x[MAX_ROD_JOINTS], sum = {0, 0, 0};
    run_steps(world, 960);
    for (int i = 0; i < 240; ++i) {
      pl_vec3 impulse, moment;
      run_steps(world, 1);
      pl_world_get_collider_impulse(world, ground, &impulse, &moment);
      sum = pl_vec3_add(sum, impulse);
    }
    pl_body_report report = pl_body_get_report(world, rod), below = pl_body_get_report(world, box);
    double low = lowest_of(world, rod, x, JOINTS, -0.35, 0.35), weight = 9.81 * report.mass;
    double carried = (fabs(sum.y) - 9.81 * below.mass) / weight;
    print_message("%s: chain %.5f m above the top of the box at %.2g m/s\n", names[m], low - below.box.max.y,
                  report.max_speed);
    print_message("the ground carries %.3f of its weight\n", carried);
    assert_true(low - below.box.max.y > 0.9 * RADIUS && low - below.box.max.y < 1.1 * RADIUS);
    check_at_most(report.max_speed, 1e-3);
    check_near(carried, 1, 0.05);
    pl_world_destroy(world);
    pl_model_destroy(models[m]);
  }
  pl_model_destroy(chain);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

// A chain falls on a free box in space: momentum of both together stays what it was, but for what the root takes.
static void a_chain_pushes_what_it_hits(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_model *chain = make_chain(context, 11, (pl_vec3){1, 0, 0}, false);
  pl_model *ball = make_rigid_sphere(context, 0.05);
  pl_world *world = make_world(context, STEP, -9.81);
  pl_error error = {0};
  add_body(world, chain, (pl_vec3){0, 0, 0});
  pl_body_def def = pl_default_body_def();
  def.model = ball;
  def.placement.position = (pl_vec3){0.45, -0.15, 0};
  def.gravity_scale = 0;
  pl_body_id body;
  check_ok(pl_world_add_body(world, &def, &body, &error), &error);
  double min = 0;
  for (int i = 0; i < 120; ++i) {
    run_steps(world, 1);
    min = fmin(min, pl_body_get_report(world, body).momentum.y);
  }
  double mass = pl_body_get_report(world, body).mass;
  print_message("the ball of %.3f kg was pushed to %.3f m/s\n", mass, min / mass);
  // The last joint of 12 g arrives at 1.7 m/s, and what is behind it presses on.
  assert_true(min / mass < -0.03);
  assert_true(min / mass > -1.7);
  pl_world_destroy(world);
  pl_model_destroy(chain);
  pl_model_destroy(ball);
  drop_context(context);
}

// Hold the last joint of a chain, so that it is a rope between two points.
static void hold_end(pl_world *world, pl_body_id body, int32_t joint, pl_vec3 target) {
  pl_error error = {0};
  pl_pin_def pin = pl_default_pin_def();
  pin.body = body;
  pin.particle = joint;
  pin.target = target;
  pin.stiffness = 2000;
  pin.damping = 1;
  check_ok(pl_world_add_pin(world, &pin, NULL, &error), &error);
}

// Two chains across each other, one pulled over the other by its weight.
static void crossed_chains_stay_crossed(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  enum { JOINTS = 13 };
  pl_model *along = make_chain(context, JOINTS, (pl_vec3){1, 0, 0}, false);
  pl_model *across = make_chain(context, JOINTS, (pl_vec3){0, 0, 1}, false);
  for (int fast = 0; fast < 2; ++fast) {
    pl_world *world = make_world(context, STEP, -9.81);
    pl_error error = {0};
    pl_body_id lower = add_body(world, along, (pl_vec3){-0.3, 0, 0}), upper;
    hold_end(world, lower, JOINTS, (pl_vec3){0.29, 0, 0});
    pl_body_def def = pl_default_body_def();
    def.model = across;
    def.placement.position = (pl_vec3){0.02, 0.06, -0.3};
    check_ok(pl_world_add_body(world, &def, &upper, &error), &error);
    if (fast) {
      pl_vec3 v[JOINTS + 1] = {{0, 0, 0}};
      for (int i = 2; i <= JOINTS; ++i) v[i].y = -10;
      check_ok(pl_body_set_state(world, upper, NULL, v, &error), &error);
    }
    pl_vec3 x[MAX_ROD_JOINTS], y[MAX_ROD_JOINTS], last_x[MAX_ROD_JOINTS], last_y[MAX_ROD_JOINTS];
    double min = HUGE_VAL;
    int passes = 0;
    pl_body_get_positions(world, lower, last_x);
    pl_body_get_positions(world, upper, last_y);
    for (int i = 0; i < 480; ++i) {
      run_steps(world, 1);
      pl_body_get_positions(world, lower, x);
      pl_body_get_positions(world, upper, y);
      for (int k = 1; k < JOINTS; ++k)
        for (int n = 1; n < JOINTS; ++n) {
          passes += pass(last_x + k, x + k, last_y + n, y + n);
          min = fmin(min, distance_of(x + k, y + n));
        }
      memcpy(last_x, x, sizeof x);
      memcpy(last_y, y, sizeof y);
    }
    print_message("%s: %d segments passed, axes at least %.4f m apart\n", fast ? "10 m/s" : "dropped", passes, min);
    assert_int_equal(passes, 0);
    assert_true(min > RADIUS);
    pl_world_destroy(world);
  }
  pl_model_destroy(along);
  pl_model_destroy(across);
  drop_context(context);
}

// A chain whose end falls on its own beginning.
static void a_chain_touches_itself(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  double reached[2];
  for (int k = 0; k < 2; ++k) {
    test_rod rod;
    // Up, over and down again: a hairpin whose legs are 6 cm apart.
    enum { JOINTS = 15 };
    begin_rod(&rod, JOINTS, 0.05, (pl_vec3){0, 0, 0});
    for (int i = 1; i <= JOINTS; ++i) {
      double side = i <= 7   ? 0
                    : i == 8 ? 0.03
                             : 0.06,
             height = i <= 7   ? 0.05 * (i - 1)
                      : i == 8 ? 0.34
                               : 0.05 * (15 - i);
      rod.joints[i].rest.position = (pl_vec3){side, height, 0};
      rod.joints[i].radius = RADIUS;
    }
    rod.def.stiffness = 0.02;
    rod.def.self_contact = k == 1;
    pl_model *model = build_rod(context, &rod);
    pl_world *world = make_world(context, STEP, 0);
    pl_error error = {0};
    pl_body_id body = add_body(world, model, (pl_vec3){0, 0, 0});
    pl_vec3 v[JOINTS + 1] = {{0, 0, 0}}, x[JOINTS + 1];
    for (int i = 9; i <= JOINTS; ++i) v[i].x = -3;
    check_ok(pl_body_set_state(world, body, NULL, v, &error), &error);
    reached[k] = HUGE_VAL;
    for (int i = 0; i < 60; ++i) {
      run_steps(world, 1);
      pl_body_get_positions(world, body, x);
      for (int a = 1; a < 6; ++a)
        for (int b = 10; b < JOINTS; ++b) reached[k] = fmin(reached[k], distance_of(x + a, x + b));
    }
    pl_world_destroy(world);
    pl_model_destroy(model);
  }
  print_message("the leg comes to %.4f m of the other, with self contact to %.4f m\n", reached[0], reached[1]);
  assert_true(reached[0] < 0.5 * RADIUS);
  assert_true(reached[1] > 1.5 * RADIUS);
  drop_context(context);
}

// Two soft cubes on each other, solved together, and a chain over a ball next to them; later the chain is put on the
// cubes. Returns the hash of all.
static uint64_t run_next_to_a_solve(int32_t thread_count, bool events, double *speed) {
  pl_context *context = make_context(thread_count);
  pl_error error = {0};
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){0.2, 0.2, 0.2}, 2, 2, 2);
  pl_fem_def fem = pl_default_fem_def(PL_FEM_COROTATED);
  fem.young = 1e5;
  pl_model *cube = make_fem_model(context, &fem, mesh), *chain = make_chain(context, 11, (pl_vec3){1, 0, 0}, false);
  pl_world_def def = pl_default_world_def();
  def.sleeping = false;
  def.contact_events = events;
  pl_world *world = NULL;
  check_ok(pl_world_create(context, &def, &world, &error), &error);
  pl_collider_def half_space = pl_default_collider_def(PL_COLLIDER_HALF_SPACE);
  pl_collider_def sphere = pl_default_collider_def(PL_COLLIDER_SPHERE);
  sphere.radius = 0.2;
  sphere.placement.position = (pl_vec3){1.2, 0.3, 0};
  pl_collider_id id;
  check_ok(pl_world_add_collider(world, &half_space, &id, &error), &error);
  check_ok(pl_world_add_collider(world, &sphere, &id, &error), &error);
  add_body(world, cube, (pl_vec3){0, 0.1, 0});
  add_body(world, cube, (pl_vec3){0.03, 0.302, 0.01});
  pl_body_id rod = add_body(world, chain, (pl_vec3){1, 0.7, 0});
  run_steps(world, 40);
  *speed = pl_body_get_report(world, rod).max_speed;
  pl_transform motion = pl_transform_identity();
  motion.position = (pl_vec3){-1.1, -0.24, 0};
  check_ok(pl_body_teleport(world, rod, motion, &error), &error);
  run_steps(world, 40);
  uint64_t hash = pl_world_get_hash(world);
  pl_world_destroy(world);
  pl_model_destroy(cube);
  pl_model_destroy(chain);
  pl_mesh_destroy(mesh);
  drop_context(context);
  return hash;
}

// A world with contact events moves chains before the solve, one without at the same time.
static void a_chain_moves_the_same_before_a_solve_and_next_to_it(void **state) {
  (void)state;
  double speed;
  uint64_t before = run_next_to_a_solve(1, true, &speed);
  assert_true(speed > 0.2);
  for (int32_t threads = 1; threads <= 3; ++threads) assert_true(run_next_to_a_solve(threads, false, &speed) == before);
}

// What a chain that lies on something gives to it in a second at rest, and where.
typedef struct lying_events {
  int begin_count, changes_at_rest, contact_count;
  double force, height;  // means of the second
  pl_contact_event last;
} lying_events;

static lying_events watch_chain(pl_world *world) {
  lying_events seen = {0};
  int steps = 0;
  for (int i = 0; i < 5 * 240; ++i) {
    run_steps(world, 1);
    pl_contact_event_view view = pl_world_get_contact_events(world);
    for (int32_t k = 0; k < view.event_count; ++k) {
      const pl_contact_event *e = &view.events[k];
      // A box that lies on the ground is another pair.
      if (e->other_body.slot == 0 && pl_world_body_count(world) > 1) continue;
      seen.begin_count += e->kind == PL_CONTACT_BEGIN;
      if (i < 4 * 240) continue;
      seen.changes_at_rest += e->kind != PL_CONTACT_PERSIST;
      seen.force += e->impulse / STEP / 240;
      seen.height += e->position.y / 240;
      seen.contact_count = e->contact_count;
      seen.last = *e;
      ++steps;
    }
  }
  assert_int_equal(steps, 240);
  return seen;
}

// A chain lies on the ground, on a rigid box that was added before it, and on one that was added after it. What its
// root carries, half a segment, is missing.
static void what_a_chain_touches_makes_events(void **state) {
  (void)state;
  enum { JOINTS = 17 };
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_model *chain = make_chain(context, JOINTS, (pl_vec3){1, 0, 0}, false);
  pl_model *box = make_rigid_box(context, (pl_vec3){0.5, 0.1, 0.2});
  for (int kind = 0; kind < 3; ++kind) {
    pl_world_def def = pl_default_world_def();
    def.sleeping = false;
    def.contact_events = true;
    pl_world *world = NULL;
    check_ok(pl_world_create(context, &def, &world, &error), &error);
    add_ground(world);
    double top = kind == 0 ? 0 : 0.2;
    if (kind == 1) add_body(world, box, (pl_vec3){0, 0.1, 0});
    pl_body_id rod = add_body(world, chain, (pl_vec3){-0.4, top + RADIUS + 0.005, 0});
    if (kind == 2) add_body(world, box, (pl_vec3){0, 0.1, 0});
    lying_events seen = watch_chain(world);
    double weight = 9.81 * pl_body_get_report(world, rod).mass;
    print_message("%s: %.3f of its weight in %d contacts at %.4f m, %d begin\n",
                  kind == 0   ? "ground"
                  : kind == 1 ? "box before"
                              : "box after",
                  seen.force / weight, seen.contact_count, seen.height, seen.begin_count);
    assert_in_range(seen.begin_count, 1, 3);
    assert_int_equal(seen.changes_at_rest, 0);
    check_near(seen.force / weight, 1, 0.05);
    assert_true(seen.contact_count >= JOINTS / 2);
    check_near(seen.height, top, 0.1 * RADIUS);
    // From the other thing towards the first body.
    check_near(seen.last.normal.y, kind == 1 ? -1 : 1, 1e-3);
    assert_int_equal(kind == 1 ? seen.last.other_body.slot : seen.last.body.slot, rod.slot);
    pl_world_destroy(world);
  }
  pl_model_destroy(chain);
  pl_model_destroy(box);
  drop_context(context);
}

// Of two chains that cross, one thrown over the other: one pair, named in the order of adding.
static void crossed_chains_make_events(void **state) {
  (void)state;
  enum { JOINTS = 13 };
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_model *along = make_chain(context, JOINTS, (pl_vec3){1, 0, 0}, false);
  pl_model *across = make_chain(context, JOINTS, (pl_vec3){0, 0, 1}, false);
  pl_world_def def = pl_default_world_def();
  def.contact_events = true;
  pl_world *world = NULL;
  check_ok(pl_world_create(context, &def, &world, &error), &error);
  pl_body_id lower = add_body(world, along, (pl_vec3){-0.3, 0, 0});
  pl_body_id upper = add_body(world, across, (pl_vec3){0.02, 0.06, -0.3});
  hold_end(world, lower, JOINTS, (pl_vec3){0.29, 0, 0});
  int begin_count = 0, end_count = 0, steps = 0;
  for (int i = 0; i < 480; ++i) {
    run_steps(world, 1);
    pl_contact_event_view view = pl_world_get_contact_events(world);
    for (int32_t k = 0; k < view.event_count; ++k) {
      const pl_contact_event *e = &view.events[k];
      assert_int_equal(e->body.slot, lower.slot);
      assert_int_equal(e->other_body.slot, upper.slot);
      begin_count += e->kind == PL_CONTACT_BEGIN;
      end_count += e->kind == PL_CONTACT_END;
      if (e->kind == PL_CONTACT_END) continue;
      assert_true(e->impulse > 0);
      assert_true(fabs(e->position.x) < 0.4 && fabs(e->position.z) < 0.4);
      ++steps;
    }
  }
  print_message("%d steps touch, %d begin, %d end\n", steps, begin_count, end_count);
  assert_true(begin_count >= 1 && steps > 5);
  assert_in_range(begin_count - end_count, 0, 1);
  pl_world_destroy(world);
  pl_model_destroy(along);
  pl_model_destroy(across);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_chain_on_a_body_is_carried_by_it),
      cmocka_unit_test(a_chain_pushes_what_it_hits),
      cmocka_unit_test(crossed_chains_stay_crossed),
      cmocka_unit_test(a_chain_touches_itself),
      cmocka_unit_test(what_a_chain_touches_makes_events),
      cmocka_unit_test(crossed_chains_make_events),
      cmocka_unit_test(a_chain_moves_the_same_before_a_solve_and_next_to_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
