// The same bits whatever the thread count, after going back to a snapshot, and whichever chains a chain happens to
// share its batch with.
// ctest: equivalence threads
#include "base/random.h"
#include "fixtures/rod_chains.h"

enum { CHAINS = 100, JOINTS = 1 + CHAINS * 9, EXAMPLES = CHAINS * 3 };

typedef struct crowd {
  pl_rod_joint joints[JOINTS];
  pl_rod_example examples[EXAMPLES];
  pl_vec3 poses[3][JOINTS];
  pl_rod_collider colliders[2];
  pl_rod_def def;
} crowd;

// One chain of 4 to 9 joints, straight, bent or with a side branch, at a random place around the head.
static void add_chain(crowd *c, pl_random *random, int32_t joint_count, bool branches) {
  int32_t first = c->def.joint_count;
  pl_vec3 at = {pl_random_between(random, -0.1, 0.1), 0.1, pl_random_between(random, -0.1, 0.1)};
  pl_vec3 d = {pl_random_normal(random) * 0.3, 1, pl_random_normal(random) * 0.3};
  for (int32_t i = 0; i < joint_count; ++i) {
    int32_t joint = first + i, parent = i == 0 ? 0 : branches && i == joint_count - 1 ? first + 1 : joint - 1;
    c->joints[joint] = pl_default_rod_joint(parent);
    if (i > 0) {
      pl_vec3 bend = {pl_random_normal(random) * 0.2, 0, pl_random_normal(random) * 0.2};
      d = pl_quat_rotate(pl_quat_from_rotation_vector(bend), d);
      at = pl_vec3_add_scaled(c->joints[parent].rest.position, d, pl_random_between(random, 0.02, 0.06));
    }
    c->joints[joint].rest.position = at;
    c->joints[joint].radius = pl_random_between(random, 0.002, 0.01);
    c->joints[joint].max_angle = joint_count == 5 ? 0.6 : 0;
    c->joints[joint].pull = (pl_vec3){0, -0.3, 0};
  }
  c->def.joint_count += joint_count;
  static const char *const names[] = {"front", "side", "back"};
  int32_t count = (int32_t)(pl_random_unit(random) * 4);
  for (int32_t k = 0; k < count; ++k) {
    pl_quat turn = pl_quat_from_axis_angle((pl_vec3){1, 0, 0}, pl_random_between(random, -1, 1));
    for (int32_t i = first; i < first + joint_count; ++i)
      c->poses[k][i] =
          pl_vec3_add(c->joints[first].rest.position,
                      pl_quat_rotate(turn, pl_vec3_sub(c->joints[i].rest.position, c->joints[first].rest.position)));
    c->examples[c->def.example_count++] = (pl_rod_example){.name = names[k],
                                                           .root = first,
                                                           .positions = c->poses[k],
                                                           .direction = {sin(2.1 * k), 0.2, cos(2.1 * k)},
                                                           .extent = 0.8};
  }
}

static void begin_crowd(crowd *c, pl_rod_solver solver, pl_rod_ghost_momentum ghost_momentum) {
  pl_random random = pl_random_of_seed(11);
  *c = (crowd){.def = pl_default_rod_def()};
  c->joints[0] = pl_default_rod_joint(-1);
  c->joints[0].kinematic = true;
  c->def.joint_count = 1;
  for (int k = 0; k < CHAINS; ++k) add_chain(c, &random, 4 + (k * 7) % 6, k % 3 == 0);
  c->colliders[0] = (pl_rod_collider){.joint = 0, .shape = pl_default_collider_def(PL_COLLIDER_SPHERE)};
  c->colliders[0].shape.radius = 0.11;
  c->colliders[1] = (pl_rod_collider){.joint = 0, .shape = pl_default_collider_def(PL_COLLIDER_CAPSULE)};
  c->colliders[1].shape.radius = 0.04;
  c->colliders[1].shape.half_length = 0.2;
  c->colliders[1].shape.placement = (pl_transform){{0, 0.2, 0.1}, pl_quat_from_axis_angle((pl_vec3){0, 0, 1}, 1.5)};
  c->def.joints = c->joints;
  c->def.examples = c->examples;
  c->def.colliders = c->colliders;
  c->def.collider_count = 2;
  c->def.solver = solver;
  c->def.ghost_momentum = ghost_momentum;
  c->def.stiffness = 0.005;
  c->def.tube_sides = 0;
}

typedef struct scene {
  pl_context *context;
  pl_model *model;
  pl_world *world;
  pl_body_id body;
} scene;

static scene make_scene(const crowd *c, int32_t threads) {
  pl_error error = {0};
  scene s = {.context = make_context(threads)};
  check_ok(pl_rod_build(s.context, &c->def, &s.model, &error), &error);
  pl_world_def def = pl_default_world_def();
  def.air_density = 1.2;
  def.drag = 1;
  def.wind = (pl_vec3){1, 0, 2};
  check_ok(pl_world_create(s.context, &def, &s.world, &error), &error);
  s.body = add_body(s.world, s.model, (pl_vec3){0, 1, 0});
  return s;
}

static void drop_scene(scene *s) {
  pl_world_destroy(s->world);
  pl_model_destroy(s->model);
  drop_context(s->context);
}

static void move_scene(const scene *s, int begin, int end) {
  for (int n = begin; n < end; ++n) {
    double t = n / 240.0;
    pl_transform head = {{0.1 * sin(9 * t), 1 + 0.05 * sin(14 * t), 0},
                         pl_quat_from_rotation_vector((pl_vec3){sin(7 * t), 0.8 * sin(11 * t), 0})};
    check_ok(pl_rod_set_joint_target(s->world, s->body, 0, head, 0, NULL), NULL);
    check_ok(pl_rod_set_camera(s->world, s->body, (pl_vec3){2 * sin(3 * t), 1.2, 2 * cos(3 * t)}, NULL), NULL);
    run_steps(s->world, 1);
  }
}

static void the_thread_count_does_not_matter(void **state) {
  (void)state;
  static crowd c;
  for (int solver = 0; solver < 2; ++solver)
    for (int ghost_momentum = 0; ghost_momentum < 3; ++ghost_momentum) {
      begin_crowd(&c, (pl_rod_solver)solver, (pl_rod_ghost_momentum)ghost_momentum);
      uint64_t hashes[3], first = 0;
      int32_t batches = 0;
      for (int threads = 1; threads <= 3; ++threads) {
        scene s = make_scene(&c, threads);
        batches = pl_rod_get_report(s.model).batch_count;
        assert_int_equal(pl_rod_get_report(s.model).chain_count, CHAINS);
        if (threads == 1) first = pl_world_get_hash(s.world);
        move_scene(&s, 0, 60);
        hashes[threads - 1] = pl_world_get_hash(s.world);
        drop_scene(&s);
      }
      if (solver == 0 && ghost_momentum == 0) printf("%d chains in %d batches\n", CHAINS, batches);
      assert_true(batches > 12);        // several blocks
      assert_true(hashes[0] != first);  // it moved
      assert_true(hashes[0] == hashes[1] && hashes[0] == hashes[2]);
    }
}

static void a_snapshot_continues_as_the_original_did(void **state) {
  (void)state;
  static crowd c;
  for (int solver = 0; solver < 2; ++solver)
    for (int ghost_momentum = 0; ghost_momentum < 3; ++ghost_momentum) {
      begin_crowd(&c, (pl_rod_solver)solver, (pl_rod_ghost_momentum)ghost_momentum);
      c.def.view_time = 0.1;
      scene s = make_scene(&c, 2);
      move_scene(&s, 0, 30);
      size_t size = pl_world_snapshot_size(s.world);
      char *buffer = malloc(size);
      pl_world_snapshot(s.world, buffer);
      uint64_t middle = pl_world_get_hash(s.world);
      move_scene(&s, 30, 60);
      uint64_t end = pl_world_get_hash(s.world);
      check_ok(pl_world_restore(s.world, buffer, size, NULL), NULL);
      assert_true(pl_world_get_hash(s.world) == middle && end != middle);
      move_scene(&s, 30, 60);
      assert_true(pl_world_get_hash(s.world) == end);
      // In another world built in the same way too.
      scene other = make_scene(&c, 1);
      check_ok(pl_world_restore(other.world, buffer, size, NULL), NULL);
      move_scene(&other, 30, 60);
      assert_true(pl_world_get_hash(other.world) == end);
      drop_scene(&other);
      free(buffer);
      drop_scene(&s);
    }
}

// The same chain alone, and as one of eight in a batch with chains of other lengths, weights and examples.
enum { LANES = 8, LANE_JOINTS = 7 };

typedef struct lane_rig {
  pl_rod_joint joints[1 + LANES * LANE_JOINTS];
  pl_vec3 poses[LANES * 2][1 + LANES * LANE_JOINTS];
  pl_rod_example examples[LANES * 2];
  pl_rod_collider collider;
  pl_rod_def def;
} lane_rig;

// Chain `which` of eight different ones, as the next in the rig.
static void add_lane(lane_rig *rig, int which) {
  pl_random random = pl_random_of_seed(100 + (uint64_t)which);
  int32_t first = rig->def.joint_count;
  pl_vec3 at = {0.02 * which, 0.05, 0.01 * which};
  for (int32_t i = 0; i < LANE_JOINTS; ++i) {
    pl_rod_joint *joint = &rig->joints[first + i];
    *joint = pl_default_rod_joint(i == 0 ? 0 : first + i - 1);
    joint->rest.position = at;
    joint->radius = pl_random_between(&random, 0.002, 0.012);
    joint->stiffness = pl_random_between(&random, 0.1, 2);
    at = pl_vec3_add(at, (pl_vec3){pl_random_between(&random, -0.02, 0.02), pl_random_between(&random, 0.02, 0.08), 0});
  }
  rig->def.joint_count += LANE_JOINTS;
  static const char *const names[] = {"a", "b"};
  for (int k = 0; k < 1 + which % 2; ++k) {
    int32_t e = rig->def.example_count++;
    pl_quat turn = pl_quat_from_axis_angle((pl_vec3){1, 0, 0}, k == 0 ? 1 : -1);
    for (int32_t i = first; i < first + LANE_JOINTS; ++i)
      rig->poses[e][i] = pl_vec3_add(
          rig->joints[first].rest.position,
          pl_quat_rotate(turn, pl_vec3_sub(rig->joints[i].rest.position, rig->joints[first].rest.position)));
    rig->examples[e] = (pl_rod_example){.name = names[k],
                                        .root = first,
                                        .positions = rig->poses[e],
                                        .direction = {k, 0, 1 - k},
                                        .extent = 0.4 + 0.1 * which};
  }
}

enum { LANE_STEPS = 120 };

// What happens to a chain: nothing but gravity and a shaken head, wind, a collider, a camera.
typedef enum weather { SHAKEN, WINDY, TOUCHING, WATCHED, WATCHED_AND_TOUCHING, GIVEN_TO_OTHERS, WEATHERS } weather;

static void run_lanes(pl_context *context, lane_rig *rig, weather how, int32_t chain, pl_vec3 *tips) {
  pl_error error = {0};
  pl_model *model = NULL;
  check_ok(pl_rod_build(context, &rig->def, &model, &error), &error);
  assert_int_equal(pl_rod_get_report(model).batch_count, 1);
  pl_world_def def = pl_default_world_def();
  if (how == WINDY) {
    def.air_density = 1.2;
    def.drag = 1;
    def.wind = (pl_vec3){3, 0, 2};
  }
  pl_world *world = NULL;
  check_ok(pl_world_create(context, &def, &world, &error), &error);
  pl_body_id id = add_body(world, model, (pl_vec3){0, 0, 0});
  int32_t root = pl_rod_get_root(model, chain);
  // Weights given to all chains but this one, which has zero weights in both bodies.
  for (int32_t k = 0; how == GIVEN_TO_OTHERS && k < pl_rod_get_report(model).chain_count; ++k)
    check_ok(pl_body_set_weights(world, id, k, (const double[2]){0, 0}, &error), &error);
  for (int n = 0; n < LANE_STEPS; ++n) {
    double t = n / 240.0;
    pl_transform head = {{0.1 * sin(12 * t), 0.05 * sin(17 * t), 0},
                         pl_quat_from_rotation_vector((pl_vec3){sin(9 * t), 0, sin(6 * t)})};
    check_ok(pl_rod_set_joint_target(world, id, 0, head, 0, NULL), NULL);
    if (how == WATCHED || how == WATCHED_AND_TOUCHING)
      check_ok(pl_rod_set_camera(world, id, (pl_vec3){2 * sin(2 * PL_PI * t), 0, 2 * cos(2 * PL_PI * t)}, NULL), NULL);
    for (int32_t k = 0; how == GIVEN_TO_OTHERS && k < pl_rod_get_report(model).chain_count; ++k)
      if (k != chain)
        check_ok(pl_body_set_weights(world, id, k, (const double[2]){0.5 + 0.5 * sin(5 * t + k), 0}, &error), &error);
    run_steps(world, 1);
    pl_vec3 x[1 + LANES * LANE_JOINTS];
    check_ok(pl_body_get_positions(world, id, x), NULL);
    for (int i = 0; i < LANE_JOINTS; ++i) tips[LANE_JOINTS * n + i] = x[root + i];
  }
  pl_world_destroy(world);
  pl_model_destroy(model);
}

static void begin_lanes(lane_rig *rig, weather how, pl_rod_solver solver, pl_rod_ghost_momentum ghost_momentum) {
  *rig = (lane_rig){.def = pl_default_rod_def()};
  rig->joints[0] = pl_default_rod_joint(-1);
  rig->joints[0].kinematic = true;
  rig->def.joint_count = 1;
  rig->def.joints = rig->joints;
  rig->def.examples = rig->examples;
  rig->def.solver = solver;
  rig->def.ghost_momentum = ghost_momentum;
  rig->def.stiffness = 0.01;
  rig->def.tube_sides = 0;
  rig->collider = (pl_rod_collider){.joint = 0, .shape = pl_default_collider_def(PL_COLLIDER_SPHERE)};
  rig->collider.shape.radius = 0.08;
  rig->collider.shape.placement.position = (pl_vec3){0.1, 0.1, 0.12};
  rig->def.colliders = &rig->collider;
  rig->def.collider_count = how == TOUCHING || how == WATCHED_AND_TOUCHING;
}

static void a_chain_does_not_feel_its_neighbours_in_the_batch(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  static lane_rig rig;
  static pl_vec3 alone[LANE_STEPS * LANE_JOINTS], among[LANE_STEPS * LANE_JOINTS];
  static const char *const names[] = {"shaken",        "windy", "touching", "watched", "watched and touching",
                                      "others watched"};
  int different = 0;
  for (int solver = 0; solver < 2; ++solver)
    for (int ghost_momentum = 0; ghost_momentum < 3; ++ghost_momentum)
      for (int how = 0; how < WEATHERS; ++how) {
        begin_lanes(&rig, (weather)how, (pl_rod_solver)solver, (pl_rod_ghost_momentum)ghost_momentum);
        add_lane(&rig, 5);
        run_lanes(context, &rig, (weather)how, 0, alone);
        begin_lanes(&rig, (weather)how, (pl_rod_solver)solver, (pl_rod_ghost_momentum)ghost_momentum);
        for (int k = 0; k < LANES; ++k) add_lane(&rig, k);
        run_lanes(context, &rig, (weather)how, 5, among);
        if (memcmp(alone, among, sizeof alone) == 0) continue;
        ++different;
        int first = 0;
        double max = 0;
        for (int k = LANE_STEPS * LANE_JOINTS - 1; k >= 0; --k) {
          double apart = pl_vec3_distance(alone[k], among[k]);
          if (apart > 0) first = k;
          max = fmax(max, apart);
        }
        printf("%s, suppression %d, %s: differs from step %d on, by up to %.1e m\n",
               solver == 0 ? "matched" : "spring bones", ghost_momentum, names[how], first / LANE_JOINTS, max);
      }
  assert_int_equal(different, 0);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_thread_count_does_not_matter),
      cmocka_unit_test(a_snapshot_continues_as_the_original_did),
      cmocka_unit_test(a_chain_does_not_feel_its_neighbours_in_the_batch),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
