// What decides how much of each example a chain is drawn to: the camera (Algorithm 1 of paper 001 and its interpolating
// twin), or the host.
//
// The camera's direction is that from the chain's root, in the frame of the kinematic joint above it. The characters
// here are moved and turned, and their led joint is turned at rest too, so that mixing up two frames shows.
// ctest: physics
#include "base/random.h"
#include "fixtures/rod_chains.h"

static pl_vec3 random_direction(pl_random *random) {
  for (;;) {
    pl_vec3 d = {pl_random_normal(random), pl_random_normal(random), pl_random_normal(random)};
    if (pl_vec3_length(d) > 1e-3) return pl_vec3_normalize_or(d, d);
  }
}

static pl_quat random_turn(pl_random *random) {
  return pl_quat_from_axis_angle(random_direction(random), pl_random_between(random, 0, PL_PI));
}

// Algorithm 1 as printed, w_0 in `rest`.
static void algorithm_1(int count, const pl_rod_example *examples, pl_vec3 d, double *w, double *rest) {
  double sum = 0;
  for (int j = 0; j < count; ++j) {
    double cosine = pl_vec3_dot(d, examples[j].direction) / (pl_vec3_length(d) * pl_vec3_length(examples[j].direction));
    double angle = acos(fmax(-1, fmin(1, cosine)));
    w[j] = exp(-(angle / examples[j].extent) * (angle / examples[j].extent));
    sum += w[j];
  }
  *rest = sum < 1.0 ? 1.0 - sum : 0.0;
  for (int j = 0; sum >= 1.0 && j < count; ++j) w[j] /= sum;
}

// A chain on a head that is turned and away from the origin, with its root away from the head.
static void begin_turned_rod(test_rod *rod, pl_random *random) {
  begin_rod(rod, 6, 0.05, (pl_vec3){0.1, 0.2, 0});
  rod->joints[0].rest = (pl_transform){{0.02, -0.03, 0.05}, random_turn(random)};
}

// Where the camera is when it is seen from the root in direction `d` of the kinematic joint, which is at `head`.
static pl_vec3 eye_at(const test_rod *rod, pl_transform head, pl_vec3 d, double distance) {
  pl_vec3 root =
      pl_transform_apply(head, pl_transform_apply_inverse(rod->joints[0].rest, rod->joints[1].rest.position));
  return pl_vec3_add_scaled(root, pl_quat_rotate(head.rotation, d), distance);
}

static void get_weights(pl_world *world, pl_body_id id, int32_t chain, double *weights) {
  check_ok(pl_body_get_weights(world, id, chain, weights), NULL);
}

static void set_camera_and_step(pl_world *world, pl_body_id id, pl_vec3 eye, double *weights) {
  check_ok(pl_rod_set_camera(world, id, eye, NULL), NULL);
  run_steps(world, 1);
  get_weights(world, id, 0, weights);
}

static void weights_are_those_of_algorithm_1(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(1);
  test_rod rod;
  begin_turned_rod(&rod, &random);
  for (int k = 0; k < 6; ++k)
    add_example(&rod, pl_vec3_scale(random_direction(&random), 1),
                pl_vec3_scale(random_direction(&random), pl_random_between(&random, 0.1, 9)),
                pl_random_between(&random, 0.3, 1.3));
  pl_model *model = build_rod(context, &rod);
  pl_world *world = make_world(context, 1.0 / 240, -9.81);
  pl_body_id id = add_body(world, model, (pl_vec3){3, -1, 2});
  int full = 0, partial = 0;
  double worst = 0, worst_sum = 0;
  for (int n = 0; n < 1000; ++n) {
    pl_transform head = {{3 + 0.1 * sin(0.1 * n), -1, 2}, random_turn(&random)};
    pl_vec3 d = random_direction(&random);
    double got[8], want[8], rest, sum = 0;
    check_ok(pl_rod_set_joint_target(world, id, 0, head, 0, NULL), NULL);
    set_camera_and_step(world, id, eye_at(&rod, head, d, pl_random_between(&random, 0.5, 20)), got);
    algorithm_1(6, rod.examples, d, want, &rest);
    for (int k = 0; k < 6; ++k) {
      worst = fmax(worst, fabs(got[k] - want[k]));
      sum += got[k];
    }
    worst_sum = fmax(worst_sum, fabs(1 - sum - rest));
    assert_true(sum <= 1 + 1e-6);
    if (rest > 0) ++partial;
    if (rest == 0) ++full;
  }
  printf("1000 directions: weights within %.1e, remainder for the rest shape within %.1e; %d sums were divided out\n",
         worst, worst_sum, full);
  assert_true(worst < 1e-6 && worst_sum < 1e-6);
  assert_true(full > 50 && partial > 50);  // both branches
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

static void check_chain_at(pl_world *world, pl_body_id id, const pl_vec3 *want, pl_vec3 offset, int32_t count,
                           double tolerance) {
  pl_vec3 now[MAX_ROD_JOINTS];
  check_ok(pl_body_get_positions(world, id, now), NULL);
  for (int32_t i = 1; i < count; ++i) check_near(pl_vec3_distance(now[i], pl_vec3_add(want[i], offset)), 0, tolerance);
}

static void a_lone_example_is_met_at_its_direction_and_the_rest_opposite(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  test_rod rod;
  begin_rod(&rod, 7, 0.05, (pl_vec3){0, 0, 0.3});
  add_example(&rod, (pl_vec3){1.5, 0.2, -0.4}, (pl_vec3){0, 3, 4}, 0.5);
  pl_vec3 rest[MAX_ROD_JOINTS], position = {-2, 1, 5};
  for (int32_t i = 0; i < rod.def.joint_count; ++i) rest[i] = rod.joints[i].rest.position;
  for (int rule = 0; rule < 2; ++rule) {
    rod.def.view_rule = rule == 0 ? PL_ROD_VIEW_PAPER : PL_ROD_VIEW_INTERPOLATING;
    pl_model *model = build_rod(context, &rod);
    pl_world *world = make_world(context, 1.0 / 240, 0);
    pl_body_id id = add_body(world, model, position);
    double w;
    set_camera_and_step(world, id, pl_vec3_add(position, (pl_vec3){0, 6, 8}), &w);
    assert_true(w == 1);
    check_chain_at(world, id, rod.example_positions[0], position, 8, 1e-6);
    // The other way the Gaussian is exp(-(pi / 0.5)²), 7e-18.
    set_camera_and_step(world, id, pl_vec3_add(position, (pl_vec3){0, -6, -8}), &w);
    assert_true(w < 1e-15);
    check_chain_at(world, id, rest, position, 8, 1e-6);
    // A camera at the root itself has no direction: the rest.
    set_camera_and_step(world, id, position, &w);
    assert_true(w == 0);
    pl_world_destroy(world);
    pl_model_destroy(model);
  }
  drop_context(context);
}

// Five directions 0.6 rad apart with extents of 1: the Gaussians of neighbours are exp(-0.36) = 0.70 at each other's
// directions.
static void only_the_interpolating_rule_meets_overlapping_examples(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_vec3 position = {0.5, 0.25, -4};
  for (int rule = 0; rule < 2; ++rule) {
    test_rod rod;
    begin_rod(&rod, 7, 0.05, (pl_vec3){0, 0, 0});
    for (int k = 0; k < 5; ++k)
      add_example(&rod, (pl_vec3){cos(1.7 * k), 0, sin(1.7 * k)}, (pl_vec3){sin(0.6 * k), 0.2 * k, cos(0.6 * k)}, 1);
    rod.def.view_rule = rule == 0 ? PL_ROD_VIEW_PAPER : PL_ROD_VIEW_INTERPOLATING;
    pl_model *model = build_rod(context, &rod);
    pl_world *world = make_world(context, 1.0 / 240, 0);
    pl_body_id id = add_body(world, model, position);
    double worst = 0, best = 1, min_own = 1, pose = 0;
    for (int j = 0; j < 5; ++j) {
      double w[8], off = 0;
      set_camera_and_step(world, id, pl_vec3_add_scaled(position, rod.examples[j].direction, 3), w);
      for (int k = 0; k < 5; ++k) off = fmax(off, fabs(w[k] - (k == j)));
      worst = fmax(worst, off);
      best = fmin(best, off);
      min_own = fmin(min_own, w[j]);
      pl_vec3 now[MAX_ROD_JOINTS];
      check_ok(pl_body_get_positions(world, id, now), NULL);
      pose = fmax(pose, pl_vec3_distance(now[7], pl_vec3_add(rod.example_positions[j][7], position)));
    }
    printf("%s: weights at the examples' directions off e_j by %.1e to %.1e, the tip misses P^j by up to %.1e m\n",
           rule == 0 ? "Algorithm 1" : "interpolating", best, worst, pose);
    if (rule == 0)
      assert_true(best > 0.3 && min_own < 0.6 && pose > 0.01);
    else
      assert_true(worst < 1e-6 && pose < 1e-5);
    pl_world_destroy(world);
    pl_model_destroy(model);
  }
  drop_context(context);
}

static void the_direction_is_seen_from_the_led_joint(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(3);
  test_rod rod;
  begin_turned_rod(&rod, &random);
  add_five_examples(&rod);
  pl_model *model = build_rod(context, &rod);
  pl_world *world = make_world(context, 1.0 / 240, 0);
  pl_body_id id = add_body(world, model, (pl_vec3){0, 0, 0});
  pl_transform head = rod.joints[0].rest;
  pl_vec3 eye = {0.7, 0.3, 2.5};
  double first[8], together[8], alone[8], moved[8];
  set_camera_and_step(world, id, eye, first);
  double max_change = 0, min_turned = HUGE_VAL;
  for (int n = 0; n < 20; ++n) {
    pl_transform motion = {pl_vec3_scale(random_direction(&random), 4), random_turn(&random)};
    // Character and camera together.
    check_ok(pl_rod_set_joint_target(world, id, 0, pl_transform_multiply(motion, head), 0, NULL), NULL);
    set_camera_and_step(world, id, pl_transform_apply(motion, eye), together);
    for (int k = 0; k < 5; ++k) max_change = fmax(max_change, fabs(together[k] - first[k]));
    // The character alone turns by a radian or more on the spot: the camera's direction changes by as much around an
    // axis across it.
    pl_vec3 seen = pl_quat_rotate(pl_quat_conjugate(head.rotation), pl_vec3_sub(eye, rod.joints[1].rest.position));
    pl_vec3 axis = pl_vec3_normalize_or(pl_vec3_cross(seen, random_direction(&random)), (pl_vec3){1, 0, 0});
    pl_quat turn = pl_quat_from_axis_angle(axis, pl_random_between(&random, 1.0, 2.0));
    check_ok(pl_rod_set_joint_target(world, id, 0, (pl_transform){head.position, pl_quat_multiply(head.rotation, turn)},
                                     0, NULL),
             NULL);
    set_camera_and_step(world, id, eye, alone);
    double change = 0;
    for (int k = 0; k < 5; ++k) change = fmax(change, fabs(alone[k] - first[k]));
    min_turned = fmin(min_turned, change);
  }
  // Moving without turning, away from the line of sight, changes them too.
  check_ok(pl_rod_set_joint_target(world, id, 0, (pl_transform){{-6, 0, 0}, head.rotation}, 0, NULL), NULL);
  set_camera_and_step(world, id, eye, moved);
  double change = 0;
  for (int k = 0; k < 5; ++k) change = fmax(change, fabs(moved[k] - first[k]));
  printf("character and camera together: weights change by %.1e; the character alone: by %.2f at least\n", max_change,
         min_turned);
  assert_true(max_change < 1e-6);
  assert_true(min_turned > 0.05 && change > 0.05);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

static void weights_follow_the_camera_over_time_and_arrive(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  const double times[] = {0.25, 4};
  for (int k = 0; k < 2; ++k) {
    test_rod rod;
    begin_rod(&rod, 5, 0.05, (pl_vec3){0, 0, 0});
    add_example(&rod, (pl_vec3){1, 0, 0}, (pl_vec3){0, 0, 1}, 0.5);
    add_example(&rod, (pl_vec3){-1, 0, 0}, (pl_vec3){1, 0, 0}, 0.5);
    rod.def.view_time = times[k];
    pl_model *model = build_rod(context, &rod);
    pl_world *world = make_world(context, 1.0 / 240, 0);
    pl_body_id id = add_body(world, model, (pl_vec3){0, 0, 0});
    double w[8], first[2], want[2], rest, worst = 0;
    // The first step takes them over at once.
    set_camera_and_step(world, id, (pl_vec3){0.5, 0, 3}, w);
    algorithm_1(2, rod.examples, (pl_vec3){0.5, 0, 3}, first, &rest);
    for (int j = 0; j < 2; ++j) check_near(w[j], first[j], 1e-6);
    algorithm_1(2, rod.examples, (pl_vec3){2, 0, 0}, want, &rest);
    for (int s = 1; s <= (int)(16 * 240 * times[k]); ++s) {
      set_camera_and_step(world, id, (pl_vec3){2, 0, 0}, w);
      double left = exp(-s / 240.0 / times[k]);
      for (int j = 0; j < 2; ++j) worst = fmax(worst, fabs(w[j] - (want[j] + (first[j] - want[j]) * left)));
    }
    printf("view_time %g s: weights within %.1e of the exponential\n", times[k], worst);
    assert_true(worst < 1e-4);
    // They arrive, and do not creep up for ever: a chain whose camera stands still has a rest pose that stands still.
    for (int j = 0; j < 2; ++j) check_near(w[j], want[j], 1e-7);
    pl_world_destroy(world);
    pl_model_destroy(model);
  }
  drop_context(context);
}

// Three chains of equal build: one has two examples, one a single one that shares a name with the first's, one has
// none.
typedef struct three_chains {
  pl_rod_joint joints[16];
  pl_vec3 poses[3][16];
  pl_rod_example examples[3];
  pl_rod_chain chains[1];
  pl_rod_def def;
} three_chains;

static void bend_chain(const three_chains *c, int32_t root, double angle, pl_vec3 *to) {
  pl_quat turn = pl_quat_from_axis_angle((pl_vec3){0, 0, 1}, angle);
  for (int32_t i = root; i < root + 5; ++i)
    to[i] = pl_vec3_add(c->joints[root].rest.position,
                        pl_quat_rotate(turn, pl_vec3_sub(c->joints[i].rest.position, c->joints[root].rest.position)));
}

static void begin_three_chains(three_chains *c) {
  *c = (three_chains){.def = pl_default_rod_def()};
  c->joints[0] = pl_default_rod_joint(-1);
  c->joints[0].kinematic = true;
  static const char *const names[] = {"left ear", "right ear", "tail"};
  for (int32_t k = 0; k < 3; ++k)
    for (int32_t i = 0; i < 5; ++i) {
      pl_rod_joint *joint = &c->joints[1 + 5 * k + i];
      *joint = pl_default_rod_joint(i == 0 ? 0 : 5 * k + i);
      joint->name = i == 0 ? names[k] : "bone";
      joint->rest.position = (pl_vec3){0.2 * k, (0.04 + 0.01 * k) * i, 0};
    }
  bend_chain(c, 1, 0.8, c->poses[0]);
  bend_chain(c, 1, -0.6, c->poses[1]);
  bend_chain(c, 6, 1.1, c->poses[2]);
  c->examples[0] =
      (pl_rod_example){.name = "up", .root = 1, .positions = c->poses[0], .direction = {0, 0, 1}, .extent = 0.7};
  c->examples[1] =
      (pl_rod_example){.name = "side", .root = 1, .positions = c->poses[1], .direction = {1, 0, 0}, .extent = 0.7};
  c->examples[2] =
      (pl_rod_example){.name = "side", .root = 6, .positions = c->poses[2], .direction = {0, 1, 0}, .extent = 1.1};
  c->chains[0] = (pl_rod_chain){.name = "swish", .root = 11, .center = -1, .collider_count = -1};
  c->def.joints = c->joints;
  c->def.joint_count = 16;
  c->def.examples = c->examples;
  c->def.example_count = 3;
  c->def.chains = c->chains;
  c->def.chain_count = 1;
}

static void chains_of_one_body_may_have_different_examples(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  three_chains c;
  begin_three_chains(&c);
  pl_model *model = NULL;
  check_ok(pl_rod_build(context, &c.def, &model, &error), &error);
  pl_rod_report report = pl_rod_get_report(model);
  assert_int_equal(report.chain_count, 3);
  assert_int_equal(report.batch_count, 1);
  pl_example_view view = pl_model_get_examples(model);
  assert_int_equal(view.example_count, 2);  // one name in two chains is one example
  assert_string_equal(view.names[0], "up");
  assert_string_equal(view.names[1], "side");
  assert_int_equal(view.manifold_count, 3);
  assert_string_equal(view.manifold_names[0], "left ear");
  assert_string_equal(view.manifold_names[1], "right ear");
  assert_string_equal(view.manifold_names[2], "swish");
  pl_world *world = make_world(context, 1.0 / 240, 0);
  pl_body_id id = add_body(world, model, (pl_vec3){0, 0, 0});
  pl_vec3 eye = {0.8, 1.1, 0.9};
  check_ok(pl_rod_set_camera(world, id, eye, NULL), NULL);
  run_steps(world, 1);
  double w[2], want[2], rest;
  get_weights(world, id, 0, w);
  algorithm_1(2, c.examples, eye, want, &rest);
  for (int k = 0; k < 2; ++k) check_near(w[k], want[k], 1e-6);
  get_weights(world, id, 1, w);
  algorithm_1(1, c.examples + 2, pl_vec3_sub(eye, c.joints[6].rest.position), want, &rest);
  check_near(w[1], want[0], 1e-6);
  assert_true(w[0] == 0 && want[0] > 0.1);
  get_weights(world, id, 2, w);
  assert_true(w[0] == 0 && w[1] == 0);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

static void weights_given_from_outside_hold_until_taken_back(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  three_chains c;
  begin_three_chains(&c);
  c.examples[1].extent = 0;  // no view: only the host can call for it
  pl_model *model = NULL;
  check_ok(pl_rod_build(context, &c.def, &model, &error), &error);
  pl_world *world = make_world(context, 1.0 / 240, 0);
  pl_body_id id = add_body(world, model, (pl_vec3){0, 0, 0});
  pl_vec3 eye = {0.1, 0.2, 3};
  check_ok(pl_rod_set_camera(world, id, eye, NULL), NULL);
  check_ok(pl_body_set_weights(world, id, 0, (const double[2]){0.25, 0.5}, &error), &error);
  run_steps(world, 1);
  double w[2], seen[2];
  get_weights(world, id, 0, w);
  assert_true(w[0] == 0.25 && w[1] == 0.5);
  get_weights(world, id, 1, seen);
  assert_true(seen[0] == 0 && seen[1] > 0);  // the others still see the camera
  // The chain is there: P(w).
  pl_transform rest[8];
  pl_vec3 now[16];
  assert_int_equal(pl_rod_blend(model, 0, (const double[2]){0.25, 0.5}, rest), 5);
  check_ok(pl_body_get_positions(world, id, now), NULL);
  for (int i = 0; i < 5; ++i) check_near(pl_vec3_distance(now[1 + i], rest[i].position), 0, 1e-6);
  // They hold, whatever the camera does, and can be given to another chain too.
  check_ok(pl_rod_set_camera(world, id, (pl_vec3){-3, 0, 0}, NULL), NULL);
  check_ok(pl_body_set_weights(world, id, 1, (const double[2]){0.5, 1}, &error), &error);
  run_steps(world, 3);
  get_weights(world, id, 0, w);
  assert_true(w[0] == 0.25 && w[1] == 0.5);
  get_weights(world, id, 1, w);
  // The sum is above 1 and divided out over both names; the chain has only the second.
  assert_true(w[0] == 0);
  check_near(w[1], 1 / 1.5, 1e-7);
  // Back to the camera, all of them.
  check_ok(pl_rod_set_camera(world, id, eye, NULL), NULL);
  check_ok(pl_body_set_weights(world, id, 0, NULL, &error), &error);
  run_steps(world, 1);
  double want[2], left;
  get_weights(world, id, 0, w);
  algorithm_1(1, c.examples, eye, want, &left);
  check_near(w[0], want[0], 1e-6);
  assert_true(w[1] == 0);
  get_weights(world, id, 1, w);
  check_near(w[1], seen[1], 1e-7);
  assert_int_equal(pl_body_set_weights(world, id, 3, (const double[2]){0, 0}, &error), PL_ERROR_INVALID_ARGUMENT);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(weights_are_those_of_algorithm_1),
      cmocka_unit_test(a_lone_example_is_met_at_its_direction_and_the_rest_opposite),
      cmocka_unit_test(only_the_interpolating_rule_meets_overlapping_examples),
      cmocka_unit_test(the_direction_is_seen_from_the_led_joint),
      cmocka_unit_test(weights_follow_the_camera_over_time_and_arrive),
      cmocka_unit_test(chains_of_one_body_may_have_different_examples),
      cmocka_unit_test(weights_given_from_outside_hold_until_taken_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
