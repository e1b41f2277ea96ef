// The world's own promises: handles, pins, forces, wind, controllers, layers, roll-back, snapshot, and the same bits
// for any thread count.
#include "fixtures/solid_bodies.h"
#include "pliant/math.h"

// ctest: unit threads

static pl_model *small_model(pl_context *context) {
  pl_solid_def def = pl_default_solid_def();
  def.damping = 2;
  return make_box_model(context, (pl_vec3){0.4, 0.4, 0.4}, 3, 3, 3, &def);
}

static void a_removed_body_leaves_a_stale_handle(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_model *model = small_model(context);
  pl_world *world = make_world(context, 0.01, -9.81);
  pl_body_id first = add_body(world, model, (pl_vec3){0, 0, 0}), second = add_body(world, model, (pl_vec3){2, 0, 0});
  check_ok(pl_world_remove_body(world, first, &error), &error);
  assert_int_equal(pl_world_remove_body(world, first, &error), PL_ERROR_NOT_FOUND);
  assert_null(pl_body_get_model(world, first));
  pl_body_id third = add_body(world, model, (pl_vec3){4, 0, 0});
  assert_int_equal(third.slot, first.slot);
  assert_null(pl_body_get_model(world, first));
  assert_non_null(pl_body_get_model(world, third));
  assert_int_equal(pl_world_body_count(world), 2);
  assert_int_equal(pl_world_get_body(world, 0).slot, second.slot);
  run_steps(world, 2);
  assert_int_equal(pl_world_get_body(world, 7).slot, 0);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

// Pin the top face (particles 48 to 63 of a 4x4x4 box are those with the largest z; the box is turned so that z points
// up).
static pl_body_id hang_box(pl_world *world, const pl_model *model, double stiffness, double damping,
                           pl_pin_id pins[16]) {
  pl_error error = {0};
  pl_body_def def = pl_default_body_def();
  def.model = model;
  def.placement.rotation = (pl_quat){-0.7071067811865476, 0, 0, 0.7071067811865476};
  pl_body_id body;
  check_ok(pl_world_add_body(world, &def, &body, &error), &error);
  pl_vec3 x[64];
  pl_body_get_positions(world, body, x);
  for (int32_t i = 0; i < 16; ++i) {
    check_near(x[48 + i].y, 0.2, 1e-6);
    pl_pin_def pin = pl_default_pin_def();
    pin.body = body;
    pin.particle = 48 + i;
    pin.target = x[48 + i];
    pin.stiffness = stiffness;
    pin.damping = damping;
    check_ok(pl_world_add_pin(world, &pin, &pins[i], &error), &error);
  }
  return body;
}

static void a_hard_pin_holds_exactly_and_moves_its_particle(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_model *model = small_model(context);
  pl_world *world = make_world(context, 1.0 / 240, -9.81);
  pl_pin_id pins[16];
  pl_body_id body = hang_box(world, model, 0, 0, pins);
  pl_vec3 before[64], x[64], v[64];
  pl_body_get_positions(world, body, before);
  run_steps(world, 480);
  pl_body_get_positions(world, body, x);
  for (int32_t i = 48; i < 64; ++i) check_at_most(pl_vec3_distance(x[i], before[i]), 1e-6);
  check_at_most(pl_body_get_report(world, body).center.y, -1e-4);
  // A moved pin gives its particle the velocity of the way.
  pl_vec3 target = pl_vec3_add(x[48], (pl_vec3){0.01, 0, 0});
  check_ok(pl_world_move_pin(world, pins[0], target, &error), &error);
  run_steps(world, 1);
  pl_body_get_positions(world, body, x);
  pl_body_get_velocities(world, body, v);
  check_at_most(pl_vec3_distance(x[48], target), 1e-6);
  check_near(v[48].x, 0.01 * 240, 1e-3);
  // Pins that are released or removed let the body fall.
  for (int32_t i = 0; i < 16; ++i) check_ok(pl_world_remove_pin(world, pins[i], &error), &error);
  assert_int_equal(pl_world_remove_pin(world, pins[0], &error), PL_ERROR_NOT_FOUND);
  run_steps(world, 240);
  check_at_most(pl_body_get_report(world, body).center.y, -3);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

static void a_spring_pin_sags_by_weight_over_stiffness(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_model *model = small_model(context);
  pl_world *world = make_world(context, 1.0 / 240, -9.81);
  pl_pin_id pins[16];
  double stiffness = 5000;
  pl_body_id body = hang_box(world, model, stiffness, 200, pins);
  run_steps(world, 4800);
  pl_vec3 x[64];
  pl_body_get_positions(world, body, x);
  double mean = 0;
  for (int32_t i = 48; i < 64; ++i) mean += x[i].y / 16;
  check_near(mean, 0.2 - pl_body_get_report(world, body).mass * 9.81 / (16 * stiffness), 1e-4);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

static void a_pin_lets_go_when_its_time_has_come(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_model *model = small_model(context);
  pl_world *world = make_world(context, 0.01, -9.81);
  pl_body_id body = add_body(world, model, (pl_vec3){0, 0, 0});
  pl_vec3 x[64];
  pl_body_get_positions(world, body, x);
  for (int32_t i = 0; i < 64; ++i) {
    pl_pin_def pin = pl_default_pin_def();
    pin.body = body;
    pin.particle = i;
    pin.target = x[i];
    pin.until = 0.5;
    check_ok(pl_world_add_pin(world, &pin, NULL, &error), &error);
  }
  run_steps(world, 50);
  check_near(pl_body_get_report(world, body).center.y, 0, 1e-6);
  run_steps(world, 50);
  check_near(pl_body_get_report(world, body).center.y, -9.81 * 0.01 * 0.01 * 50 * 51 / 2, 1e-4);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

static void pins_that_make_no_sense_are_refused(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_model *model = small_model(context);
  pl_world *world = make_world(context, 0.01, -9.81);
  pl_pin_def pin = pl_default_pin_def();
  assert_int_equal(pl_world_add_pin(world, &pin, NULL, &error), PL_ERROR_NOT_FOUND);
  pin.body = add_body(world, model, (pl_vec3){0, 0, 0});
  pin.particle = 64;
  assert_int_equal(pl_world_add_pin(world, &pin, NULL, &error), PL_ERROR_INVALID_ARGUMENT);
  assert_string_equal(error.field, "particle");
  pin.particle = 0;
  pin.target.x = (double)NAN;
  assert_int_equal(pl_world_add_pin(world, &pin, NULL, &error), PL_ERROR_INVALID_ARGUMENT);
  pin.magic = 0;
  assert_int_equal(pl_world_add_pin(world, &pin, NULL, &error), PL_ERROR_INVALID_ARGUMENT);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

static void a_force_acts_for_one_step(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_model *model = small_model(context);
  pl_world *world = make_world(context, 0.01, 0);
  pl_body_id body = add_body(world, model, (pl_vec3){0, 0, 0});
  for (int32_t i = 0; i < 64; ++i) check_ok(pl_world_add_force(world, body, i, (pl_vec3){1, 0, 0}, &error), &error);
  run_steps(world, 1);
  check_near(pl_body_get_report(world, body).momentum.x, 64 * 0.01, 1e-6);
  run_steps(world, 5);
  check_near(pl_body_get_report(world, body).momentum.x, 64 * 0.01, 1e-6);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

// A box in still wind: drag on its two faces across the wind, 0.5 rho C A u² each.
static void wind_pushes_as_on_flat_plates(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_model *model = small_model(context);
  pl_world_def def = pl_default_world_def();
  def.gravity = (pl_vec3){0, 0, 0};
  def.wind = (pl_vec3){10, 0, 0};
  def.air_density = 1.2;
  def.drag = 1.1;
  pl_world *world = NULL;
  check_ok(pl_world_create(context, &def, &world, &error), &error);
  pl_body_id body = add_body(world, model, (pl_vec3){0, 0, 0});
  run_steps(world, 1);
  double expected = 2 * 0.5 * 1.2 * 1.1 * 0.16 * 100 * def.step;
  check_near(pl_body_get_report(world, body).momentum.x, expected, 1e-5 * expected);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

static void a_broken_state_is_rolled_back_and_explained(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_model *model = small_model(context);
  pl_world *world = make_world(context, 0.01, -9.81);
  pl_body_id body = add_body(world, model, (pl_vec3){0, 5, 0});
  add_ground(world);
  run_steps(world, 3);
  uint64_t before = pl_world_get_hash(world);
  assert_int_equal(pl_world_add_force(world, body, 5, (pl_vec3){0, HUGE_VAL, 0}, &error), PL_ERROR_INVALID_ARGUMENT);
  check_ok(pl_world_add_force(world, body, 5, (pl_vec3){0, 3e38, 0}, &error), &error);
  check_ok(pl_world_add_force(world, body, 5, (pl_vec3){0, 3e38, 0}, &error), &error);
  pl_step_report report;
  pl_status status = pl_world_step(world, &report, &error);
  assert_int_equal(status, PL_ERROR_NOT_FINITE);
  assert_int_equal(report.failed_body.slot, body.slot);
  assert_int_equal(report.failed_particle, 5);
  assert_non_null(strstr(error.text, "force"));
  assert_int_equal(pl_world_step_count(world), 3);
  // The force is still pending: take it out again and the world is as before.
  assert_int_equal(pl_world_step(world, &report, &error), PL_ERROR_NOT_FINITE);
  pl_vec3 x[64], v[64];
  pl_body_get_positions(world, body, x);
  pl_body_get_velocities(world, body, v);
  for (int32_t i = 0; i < 64; ++i) assert_true(pl_vec3_is_finite(x[i]) && pl_vec3_is_finite(v[i]));
  check_ok(pl_world_remove_body(world, body, &error), &error);
  assert_true(pl_world_get_hash(world) != before);
  run_steps(world, 1);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

static uint64_t run_pile(int32_t thread_count, int32_t steps, bool restore_half_way) {
  pl_context *context = make_context(thread_count);
  pl_error error = {0};
  pl_solid_def def = pl_default_solid_def();
  pl_model *model = make_box_model(context, (pl_vec3){0.4, 0.3, 0.5}, 10, 8, 12, &def);
  pl_world *world = make_world(context, 1.0 / 240, -9.81);
  add_ground(world);
  for (int32_t i = 0; i < 3; ++i) add_body(world, model, (pl_vec3){0.1 * i, 0.2 + 0.35 * i, 0.05 * i});
  if (restore_half_way) {
    run_steps(world, steps / 2);
    size_t size = pl_world_snapshot_size(world);
    void *buffer = malloc(size);
    pl_world_snapshot(world, buffer);
    run_steps(world, 17);
    check_ok(pl_world_restore(world, buffer, size, &error), &error);
    free(buffer);
    run_steps(world, steps - steps / 2);
  } else {
    run_steps(world, steps);
  }
  uint64_t hash = pl_world_get_hash(world);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
  return hash;
}

static void the_same_bits_for_any_thread_count_and_after_restore(void **state) {
  (void)state;
  uint64_t one = run_pile(1, 60, false);
  assert_true(run_pile(2, 60, false) == one);
  assert_true(run_pile(3, 60, false) == one);
  assert_true(run_pile(2, 60, true) == one);
}

static void a_snapshot_of_another_world_is_refused(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_model *model = small_model(context);
  pl_solid_def def = pl_default_solid_def();
  def.stiffness = 0.7;
  pl_model *other = make_box_model(context, (pl_vec3){0.4, 0.4, 0.4}, 3, 3, 3, &def);
  pl_world *a = make_world(context, 0.01, 0), *b = make_world(context, 0.01, 0);
  add_body(a, model, (pl_vec3){0, 0, 0});
  add_body(b, other, (pl_vec3){0, 0, 0});
  size_t size = pl_world_snapshot_size(a);
  char *buffer = malloc(size);
  pl_world_snapshot(a, buffer);
  uint64_t before = pl_world_get_hash(b);
  assert_int_equal(pl_world_restore(b, buffer, size, &error), PL_ERROR_INVALID_DATA);
  assert_int_equal(pl_world_restore(b, buffer, size - 1, &error), PL_ERROR_INVALID_DATA);
  assert_true(pl_world_get_hash(b) == before);
  buffer[0] ^= 1;
  assert_int_equal(pl_world_restore(a, buffer, size, &error), PL_ERROR_INVALID_DATA);
  free(buffer);
  pl_world_destroy(a);
  pl_world_destroy(b);
  pl_model_destroy(model);
  pl_model_destroy(other);
  drop_context(context);
}

static void time_advances_in_whole_steps_at_any_frame_rate(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_model *model = small_model(context);
  uint64_t hashes[3];
  const double rates[3] = {30, 60, 144};
  for (int k = 0; k < 3; ++k) {
    pl_world *world = make_world(context, 1.0 / 240, -9.81);
    add_body(world, model, (pl_vec3){0, 0, 0});
    for (int i = 0; i < 2 * (int)rates[k]; ++i)
      check_ok(pl_world_advance(world, 1 / rates[k], 0, NULL, &error), &error);
    assert_int_equal(pl_world_step_count(world), 480);
    hashes[k] = pl_world_get_hash(world);
    // A stall of a second, with at most 10 steps to be made up, drops the rest.
    pl_step_report report;
    check_ok(pl_world_advance(world, 1, 10, &report, &error), &error);
    assert_int_equal(report.step_count, 10);
    check_ok(pl_world_advance(world, 1.0 / 240, 10, &report, &error), &error);
    assert_int_equal(report.step_count, 1);
    assert_int_equal(pl_world_advance(world, -1, 0, NULL, &error), PL_ERROR_INVALID_ARGUMENT);
    pl_world_destroy(world);
  }
  assert_true(hashes[0] == hashes[1] && hashes[1] == hashes[2]);
  pl_model_destroy(model);
  drop_context(context);
}

typedef struct lift {
  pl_body_id body;
  int32_t call_count;
  bool refuse;
} lift;

static pl_status lift_body(void *user, pl_world *world, pl_error *error) {
  lift *l = user;
  l->call_count++;
  if (l->refuse) return PL_ERROR_INVALID_DATA;
  for (int32_t i = 0; i < 64; ++i) {
    pl_status status = pl_world_add_force(world, l->body, i, (pl_vec3){0, 10, 0}, error);
    if (status < 0) return status;
  }
  return PL_OK;
}

static pl_status raise_surface(void *user, const pl_world *world, pl_body_id body, pl_vec3 *points, int32_t point_count,
                               pl_error *error) {
  (void)world;
  (void)body;
  (void)error;
  for (int32_t i = 0; i < point_count; ++i) points[i].y += *(double *)user;
  return *(double *)user > 100 ? PL_ERROR_INVALID_DATA : PL_OK;
}

static void controllers_act_before_and_layers_after_the_step(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_model *model = small_model(context);
  pl_world *world = make_world(context, 0.01, 0);
  lift l = {.body = add_body(world, model, (pl_vec3){0, 0, 0})};
  check_ok(pl_world_add_controller(world, &(pl_controller){lift_body, sizeof l.call_count, &l.call_count, &l}, &error),
           &error);
  double height = 5;
  check_ok(pl_world_add_layer(world, l.body, &(pl_layer){raise_surface, 0, NULL, &height}, &error), &error);
  run_steps(world, 2);
  check_near(pl_body_get_report(world, l.body).momentum.y, 64 * 10 * 0.02, 1e-5);
  pl_vec3 surface[64], positions[64];
  pl_body_get_surface(world, l.body, surface);
  pl_body_get_positions(world, l.body, positions);
  check_near(surface[0].y, positions[0].y + 5, 1e-9);
  // A controller that refuses, or a layer that fails, leaves everything as it was.
  uint64_t before = pl_world_get_hash(world);
  l.refuse = true;
  assert_int_equal(pl_world_step(world, NULL, &error), PL_ERROR_INVALID_DATA);
  assert_true(pl_world_get_hash(world) == before);
  l.refuse = false;
  height = 1000;
  assert_int_equal(pl_world_step(world, NULL, &error), PL_ERROR_INVALID_DATA);
  assert_true(pl_world_get_hash(world) == before);
  pl_body_get_surface(world, l.body, surface);
  check_near(surface[0].y, positions[0].y + 5, 1e-9);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

static void defs_that_make_no_sense_are_refused_by_name(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_world *world = NULL;
  pl_world_def def = pl_default_world_def();
  def.step = 0;
  assert_int_equal(pl_world_create(context, &def, &world, &error), PL_ERROR_INVALID_ARGUMENT);
  assert_string_equal(error.field, "step");
  assert_null(world);
  pl_solid_def solid = pl_default_solid_def();
  solid.stiffness = 1.5;
  pl_mesh *mesh = NULL;
  pl_model *model = NULL;
  check_ok(pl_mesh_create_box(context, (pl_vec3){1, 1, 1}, (const int32_t[3]){1, 1, 1}, &mesh, &error), &error);
  assert_int_equal(pl_solid_build(context, &solid, mesh, &model, &error), PL_ERROR_INVALID_ARGUMENT);
  assert_string_equal(error.field, "stiffness");
  assert_int_equal(pl_solid_build(context, &(pl_solid_def){0}, mesh, &model, &error), PL_ERROR_INVALID_ARGUMENT);
  pl_mesh *surface = NULL;
  check_ok(pl_mesh_build_boundary(context, mesh, &surface, NULL, &error), &error);
  solid.stiffness = 0.5;
  assert_int_equal(pl_solid_build(context, &solid, surface, &model, &error), PL_ERROR_INVALID_DATA);
  assert_non_null(strstr(error.text, "pliant mesh"));
  pl_mesh_destroy(surface);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_removed_body_leaves_a_stale_handle),
      cmocka_unit_test(a_hard_pin_holds_exactly_and_moves_its_particle),
      cmocka_unit_test(a_spring_pin_sags_by_weight_over_stiffness),
      cmocka_unit_test(a_pin_lets_go_when_its_time_has_come),
      cmocka_unit_test(pins_that_make_no_sense_are_refused),
      cmocka_unit_test(a_force_acts_for_one_step),
      cmocka_unit_test(wind_pushes_as_on_flat_plates),
      cmocka_unit_test(a_broken_state_is_rolled_back_and_explained),
      cmocka_unit_test(the_same_bits_for_any_thread_count_and_after_restore),
      cmocka_unit_test(a_snapshot_of_another_world_is_refused),
      cmocka_unit_test(time_advances_in_whole_steps_at_any_frame_rate),
      cmocka_unit_test(controllers_act_before_and_layers_after_the_step),
      cmocka_unit_test(defs_that_make_no_sense_are_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
