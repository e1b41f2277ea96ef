// Rest: what falls asleep, what wakes it, and that sleep is state like any other.
// ctest: physics threads
#include "fixtures/solid_bodies.h"

static const double STEP = 1.0 / 240;

typedef struct stack {
  pl_context *context;
  pl_model *model;
  pl_world *world;
  pl_body_id bodies[8];
  int32_t count;
} stack;

// Default boxes of 0.2 m, a millimetre above each other.
static void make_stack(stack *s, int32_t count, int32_t threads) {
  pl_solid_def def = pl_default_solid_def();
  s->context = make_context(threads);
  s->model = make_box_model(s->context, pl_vec3_of(0.2, 0.2, 0.2), 3, 3, 3, &def);
  s->world = make_world(s->context, STEP, -9.81);
  s->count = count;
  add_ground(s->world);
  for (int32_t i = 0; i < count; ++i) s->bodies[i] = add_body(s->world, s->model, pl_vec3_of(0, 0.101 + 0.201 * i, 0));
}

static void drop_stack(stack *s) {
  pl_world_destroy(s->world);
  pl_model_destroy(s->model);
  drop_context(s->context);
}

static int32_t asleep_count(const stack *s) {
  int32_t count = 0;
  for (int32_t i = 0; i < s->count; ++i) count += pl_body_is_asleep(s->world, s->bodies[i]);
  return count;
}

static void two_default_boxes_stand_and_sleep(void **state) {
  (void)state;
  stack s;
  make_stack(&s, 2, 1);
  run_steps(s.world, 10 * 240);
  assert_int_equal(asleep_count(&s), 2);
  pl_vec3 centers[2];
  for (int i = 0; i < 2; ++i) centers[i] = pl_body_get_report(s.world, s.bodies[i]).center;
  print_message("centres at %.4f and %.4f m\n", centers[0].y, centers[1].y);
  assert_true(fabs(centers[1].x) < 0.01 && fabs(centers[1].z) < 0.01);
  assert_true(centers[1].y - centers[0].y > 0.15);
  pl_step_report report;
  for (int i = 0; i < 50 * 240; ++i) check_ok(pl_world_step(s.world, &report, NULL), NULL);
  assert_int_equal(report.awake_count, 0);
  for (int i = 0; i < 2; ++i) {
    pl_body_report body = pl_body_get_report(s.world, s.bodies[i]);
    assert_true(body.max_speed < 1e-3);
    check_near(pl_vec3_distance(body.center, centers[i]), 0, 0);
  }
  drop_stack(&s);
}

// Each way to wake a body wakes those that sleep with it.
static void what_is_touched_or_changed_wakes(void **state) {
  (void)state;
  stack s;
  pl_error error = {0};
  make_stack(&s, 2, 1);
  run_steps(s.world, 5 * 240);
  size_t size = pl_world_snapshot_size(s.world);
  void *asleep = malloc(size);
  pl_world_snapshot(s.world, asleep);
  for (int way = 0; way < 9; ++way) {
    check_ok(pl_world_restore(s.world, asleep, size, &error), &error);
    assert_int_equal(asleep_count(&s), 2);
    pl_body_id id = s.bodies[0], thrown = {0, 0};
    pl_pin_def pin = pl_default_pin_def();
    pl_pin_id pin_id = {0, 0};
    pl_vec3 velocities[64] = {{0}};
    pin.body = id;
    pin.stiffness = 1;
    switch (way) {
      case 0: check_ok(pl_world_add_force(s.world, id, 0, pl_vec3_of(0, 1, 0), &error), &error); break;
      case 1: check_ok(pl_world_add_pin(s.world, &pin, &pin_id, &error), &error); break;
      case 2: check_ok(pl_body_set_state(s.world, id, NULL, velocities, &error), &error); break;
      case 3: pl_world_set_gravity(s.world, pl_vec3_of(0, -5, 0)); break;
      case 4: check_ok(pl_body_wake(s.world, id, &error), &error); break;
      case 5: check_ok(pl_body_teleport(s.world, id, pl_transform_identity(), &error), &error); break;
      case 6: pl_world_set_wind(s.world, pl_vec3_of(1, 0, 0)); break;
      case 7: {
        pl_collider_def def = pl_default_collider_def(PL_COLLIDER_SPHERE);
        def.placement.position = pl_vec3_of(3, 0, 0);
        pl_collider_id collider;
        check_ok(pl_world_add_collider(s.world, &def, &collider, &error), &error);
        check_ok(pl_world_remove_collider(s.world, collider, &error), &error);
        break;
      }
      default:
        thrown = add_body(s.world, s.model, pl_vec3_of(0.02, 0.75, 0));
        assert_int_equal(asleep_count(&s), 2);
        run_steps(s.world, 80);
    }
    if (asleep_count(&s) != 0) print_message("way %d\n", way);
    assert_int_equal(asleep_count(&s), 0);
    if (pin_id.slot != 0) check_ok(pl_world_remove_pin(s.world, pin_id, &error), &error);
    if (thrown.slot != 0) check_ok(pl_world_remove_body(s.world, thrown, &error), &error);
  }
  free(asleep);
  drop_stack(&s);
}

static void what_loses_its_support_falls(void **state) {
  (void)state;
  stack s;
  pl_error error = {0};
  make_stack(&s, 2, 1);
  run_steps(s.world, 5 * 240);
  assert_int_equal(asleep_count(&s), 2);
  double height = pl_body_get_report(s.world, s.bodies[1]).center.y;
  check_ok(pl_world_remove_body(s.world, s.bodies[0], &error), &error);
  run_steps(s.world, 120);
  assert_true(pl_body_get_report(s.world, s.bodies[1]).center.y < height - 0.1);
  drop_stack(&s);
}

// A plate under the stack that moves away, and a plate that moves into it.
static void moving_colliders_wake(void **state) {
  (void)state;
  pl_error error = {0};
  for (int into = 0; into < 2; ++into) {
    stack s;
    make_stack(&s, 1, 1);
    pl_collider_def def = pl_default_collider_def(PL_COLLIDER_BOX);
    def.half_size = pl_vec3_of(0.3, 0.05, 0.3);
    def.placement.position = into ? pl_vec3_of(1, 0.1, 0) : pl_vec3_of(0, 0.05, 0);
    pl_collider_id plate;
    check_ok(pl_world_add_collider(s.world, &def, &plate, &error), &error);
    if (!into)
      check_ok(pl_body_teleport(s.world, s.bodies[0], (pl_transform){{0, 0.1, 0}, {0, 0, 0, 1}}, &error), &error);
    run_steps(s.world, 5 * 240);
    assert_int_equal(asleep_count(&s), 1);
    pl_transform to = {into ? pl_vec3_of(0.35, 0.1, 0) : pl_vec3_of(0, -0.2, 0), {0, 0, 0, 1}};
    check_ok(pl_world_move_collider(s.world, plate, to, &error), &error);
    run_steps(s.world, 1);
    assert_int_equal(asleep_count(&s), 0);
    drop_stack(&s);
  }
}

static void a_world_without_sleeping_stays_awake(void **state) {
  (void)state;
  pl_error error = {0};
  pl_context *context = make_context(1);
  pl_solid_def solid = pl_default_solid_def();
  pl_model *model = make_box_model(context, pl_vec3_of(0.2, 0.2, 0.2), 3, 3, 3, &solid);
  pl_world_def def = pl_default_world_def();
  def.sleeping = false;
  pl_world *world = NULL;
  check_ok(pl_world_create(context, &def, &world, &error), &error);
  add_ground(world);
  pl_body_id id = add_body(world, model, pl_vec3_of(0, 0.1, 0));
  run_steps(world, 5 * 240);
  assert_false(pl_body_is_asleep(world, id));
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

// Snapshots taken while some sleep and some do not continue with the same bits, and so does any number of threads.
static void sleep_is_part_of_the_state_for_any_number_of_threads(void **state) {
  (void)state;
  uint64_t hashes[3][2];
  for (int threads = 1; threads <= 3; ++threads) {
    stack s;
    pl_error error = {0};
    make_stack(&s, 2, threads);
    run_steps(s.world, 4 * 240);
    add_body(s.world, s.model, pl_vec3_of(0.03, 0.8, 0.02));
    add_body(s.world, s.model, pl_vec3_of(2, 0.3, 0));
    run_steps(s.world, 40);
    size_t size = pl_world_snapshot_size(s.world);
    void *snapshot = malloc(size);
    pl_world_snapshot(s.world, snapshot);
    for (int pass = 0; pass < 2; ++pass) {
      run_steps(s.world, 600);
      hashes[threads - 1][pass] = pl_world_get_hash(s.world);
      check_ok(pl_world_restore(s.world, snapshot, size, &error), &error);
    }
    assert_true(hashes[threads - 1][0] == hashes[threads - 1][1]);
    assert_true(hashes[threads - 1][0] == hashes[0][0]);
    free(snapshot);
    drop_stack(&s);
  }
}

// A step that fails after it woke a sleeper has not woken it.
static pl_status fail_after_waking(void *user, pl_world *world, pl_error *error) {
  const pl_body_id *id = user;
  (void)error;
  check_ok(pl_world_add_force(world, *id, 0, pl_vec3_of(0, 5, 0), NULL), NULL);
  return PL_ERROR_INVALID_DATA;
}

static void a_failed_step_wakes_nobody(void **state) {
  (void)state;
  stack s;
  pl_error error = {0};
  make_stack(&s, 2, 1);
  run_steps(s.world, 5 * 240);
  assert_int_equal(asleep_count(&s), 2);
  uint64_t hash = pl_world_get_hash(s.world);
  pl_controller controller = {.before_step = fail_after_waking, .user = &s.bodies[0]};
  check_ok(pl_world_add_controller(s.world, &controller, &error), &error);
  assert_true(pl_world_step(s.world, NULL, NULL) < 0);
  assert_int_equal(asleep_count(&s), 2);
  assert_true(pl_world_get_hash(s.world) == hash);
  drop_stack(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_default_boxes_stand_and_sleep),
      cmocka_unit_test(what_is_touched_or_changed_wakes),
      cmocka_unit_test(what_loses_its_support_falls),
      cmocka_unit_test(moving_colliders_wake),
      cmocka_unit_test(a_world_without_sleeping_stays_awake),
      cmocka_unit_test(sleep_is_part_of_the_state_for_any_number_of_threads),
      cmocka_unit_test(a_failed_step_wakes_nobody),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
