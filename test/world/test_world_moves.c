// Small bodies move at the same time: the same bits for any number of threads, nothing allocated once every block has
// moved, and the first body that fails is named.
// ctest: unit threads
#include "fixtures/solid_bodies.h"

enum { COUNT = 150, KINDS = 3 };

// Bodies of several sizes, so that blocks differ; the largest divides its own work. They touch in places.
static pl_world *make_crowd(pl_context *context, pl_model *models[KINDS], pl_body_id ids[COUNT]) {
  const int32_t cells[KINDS] = {1, 2, 10};
  pl_solid_def def = pl_default_solid_def();
  for (int k = 0; k < KINDS; ++k)
    models[k] = make_box_model(context, pl_vec3_of(0.1, 0.1, 0.1), cells[k], cells[k], cells[k], &def);
  pl_world *world = make_world(context, 1.0 / 240, -9.81);
  add_ground(world);
  for (int32_t i = 0; i < COUNT; ++i) {
    int kind = i == 70 ? 2 : i % 2;
    ids[i] = add_body(world, models[kind], pl_vec3_of(0.11 * (i % 12), 0.06 + 0.105 * (i / 72), 0.11 * (i / 12 % 6)));
  }
  return world;
}

static void drop_crowd(pl_world *world, pl_model *models[KINDS]) {
  pl_world_destroy(world);
  for (int k = 0; k < KINDS; ++k) pl_model_destroy(models[k]);
}

static void any_number_of_threads_gives_the_same(void **state) {
  (void)state;
  const int threads[4] = {1, 2, 3, 8};
  uint64_t hashes[4];
  for (int i = 0; i < 4; ++i) {
    pl_context *context = make_context(threads[i]);
    pl_model *models[KINDS];
    pl_body_id ids[COUNT];
    pl_world *world = make_crowd(context, models, ids);
    run_steps(world, 20);
    int64_t before = pl_context_get_memory_report(context).allocation_count;
    run_steps(world, 10);
    assert_int_equal(pl_context_get_memory_report(context).allocation_count, before);
    hashes[i] = pl_world_get_hash(world);
    drop_crowd(world, models);
    drop_context(context);
  }
  for (int i = 1; i < 4; ++i) assert_true(hashes[i] == hashes[0]);
}

static void the_first_body_that_fails_is_named(void **state) {
  (void)state;
  pl_context *context = make_context(3);
  pl_error error = {0};
  pl_model *models[KINDS];
  pl_body_id ids[COUNT];
  pl_world *world = make_crowd(context, models, ids);
  run_steps(world, 2);
  pl_step_report report;
  check_ok(pl_world_add_force(world, ids[120], 3, pl_vec3_of(1e38, 0, 0), &error), &error);
  check_ok(pl_world_add_force(world, ids[40], 5, pl_vec3_of(1e38, 0, 0), &error), &error);
  uint64_t before = pl_world_get_hash(world);
  assert_int_equal(pl_world_step(world, &report, &error), PL_ERROR_NOT_FINITE);
  assert_int_equal(report.failed_body.slot, ids[40].slot);
  assert_int_equal(report.failed_particle, 5);
  assert_true(pl_world_get_hash(world) == before);
  drop_crowd(world, models);
  drop_context(context);
}

// Positions of all particles of the crowd after some steps. `aside`: far away there is one more body with a pin, or a
// controller that does nothing, so that bodies are saved and noted before and after their moves, not in them.
static pl_status do_nothing(void *user, pl_world *world, pl_error *error) {
  (void)user, (void)world, (void)error;
  return PL_OK;
}

// What callers do between steps to bodies that touch: a step then begins elsewhere than the last one ended.
static void change_states(pl_world *world, const pl_body_id *ids) {
  pl_error error = {0};
  static pl_vec3 velocities[2000];
  for (int i = 0; i < 27; ++i) velocities[i] = pl_vec3_of(0.1 * i, 0.5, 0);
  check_ok(pl_body_set_state(world, ids[3], NULL, velocities, &error), &error);
  pl_transform motion = pl_transform_identity();
  motion.position.y = 0.01;
  check_ok(pl_body_teleport(world, ids[4], motion, &error), &error);
  check_ok(pl_body_reset(world, ids[7], &error), &error);
  size_t size = pl_world_snapshot_size(world);
  void *snapshot = malloc(size);
  pl_world_snapshot(world, snapshot);
  run_steps(world, 2);
  check_ok(pl_world_restore(world, snapshot, size, &error), &error);
  free(snapshot);
}

static int32_t run_crowd(int aside, pl_vec3 *positions) {
  pl_context *context = make_context(2);
  pl_error error = {0};
  pl_model *models[KINDS];
  pl_body_id ids[COUNT];
  int32_t count = 0;
  pl_world *world = make_crowd(context, models, ids);
  if (aside == 1) {
    pl_body_id body = add_body(world, models[1], pl_vec3_of(50, 5, 0));
    pl_pin_def pin = pl_default_pin_def();
    pin.body = body;
    pin.target = pl_vec3_of(50, 5, 0);
    check_ok(pl_world_add_pin(world, &pin, NULL, &error), &error);
  }
  if (aside == 2) {
    pl_controller controller = {.before_step = do_nothing};
    check_ok(pl_world_add_controller(world, &controller, &error), &error);
  }
  run_steps(world, 15);
  change_states(world, ids);
  run_steps(world, 10);
  for (int32_t i = 0; i < COUNT; ++i) {
    assert_int_equal(pl_body_get_positions(world, ids[i], positions + count), PL_OK);
    count += pl_model_get_report(models[i == 70 ? 2 : i % 2]).particle_count;
  }
  drop_crowd(world, models);
  drop_context(context);
  return count;
}

static void noting_in_the_move_changes_nothing(void **state) {
  (void)state;
  static pl_vec3 alone[COUNT * 30 + 1400], other[COUNT * 30 + 1400];
  int32_t count = run_crowd(0, alone);
  assert_true(count > 1331 && count < COUNT * 30 + 1400);
  for (int aside = 1; aside <= 2; ++aside) {
    assert_int_equal(run_crowd(aside, other), count);
    assert_memory_equal(alone, other, (size_t)count * sizeof(pl_vec3));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(noting_in_the_move_changes_nothing),
                                     cmocka_unit_test(any_number_of_threads_gives_the_same),
                                     cmocka_unit_test(the_first_body_that_fails_is_named)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
