// Calls into a world from inside its own step: what a controller may do, what nobody may do, and that a refusal leaves
// the world as it was.
// ctest: unit
#include "fixtures/solid_bodies.h"
#include "pliant/math.h"

static pl_model *small_model(pl_context *context) {
  pl_solid_def def = pl_default_solid_def();
  return make_box_model(context, (pl_vec3){0.4, 0.4, 0.4}, 2, 2, 2, &def);
}

// Everything that calls back into the world, with what a callback needs for it.
typedef struct caller {
  pl_world *world, *other;
  const pl_model *model;
  pl_body_id body;
  pl_collider_id collider;
  pl_pin_id pin;
  void *snapshot;
  size_t snapshot_size;
  pl_status (*call)(struct caller *caller, pl_error *error);
  int32_t run_count;
} caller;

static pl_status call_step(caller *c, pl_error *error) {
  return pl_world_step(c->world, NULL, error);
}
static pl_status call_advance(caller *c, pl_error *error) {
  return pl_world_advance(c->world, 0.1, 0, NULL, error);
}
static pl_status call_settle(caller *c, pl_error *error) {
  return pl_world_settle(c->world, 0.1, NULL, error);
}
static pl_status call_restore(caller *c, pl_error *error) {
  return pl_world_restore(c->world, c->snapshot, c->snapshot_size, error);
}
static pl_status call_transfer(caller *c, pl_error *error) {
  return pl_world_transfer_state(c->world, c->other, NULL, error);
}
static pl_status call_remove_controller(caller *c, pl_error *error) {
  (void)error;
  return pl_world_remove_controller(c->world, c);
}
static pl_status call_remove_body(caller *c, pl_error *error) {
  return pl_world_remove_body(c->world, c->body, error);
}
static pl_status call_add_body(caller *c, pl_error *error) {
  pl_body_def def = pl_default_body_def();
  def.model = c->model;
  return pl_world_add_body(c->world, &def, NULL, error);
}
static pl_status call_remove_collider(caller *c, pl_error *error) {
  return pl_world_remove_collider(c->world, c->collider, error);
}
static pl_status call_move_collider(caller *c, pl_error *error) {
  return pl_world_move_collider(c->world, c->collider, (pl_transform){{0, -9, 0}, {0, 0, 0, 1}}, error);
}
static pl_status call_add_collider(caller *c, pl_error *error) {
  pl_collider_def def = pl_default_collider_def(PL_COLLIDER_SPHERE);
  return pl_world_add_collider(c->world, &def, NULL, error);
}
static pl_status call_add_pin(caller *c, pl_error *error) {
  pl_pin_def def = pl_default_pin_def();
  def.body = c->body;
  return pl_world_add_pin(c->world, &def, NULL, error);
}
static pl_status call_move_pin(caller *c, pl_error *error) {
  return pl_world_move_pin(c->world, c->pin, (pl_vec3){0, 3, 0}, error);
}
static pl_status call_remove_pin(caller *c, pl_error *error) {
  return pl_world_remove_pin(c->world, c->pin, error);
}
static pl_status call_add_force(caller *c, pl_error *error) {
  return pl_world_add_force(c->world, c->body, 0, (pl_vec3){0, 1, 0}, error);
}
static pl_status call_write(caller *c, pl_error *error) {
  pl_vec3 velocities[27] = {{0, 0, 0}};
  return pl_body_set_state(c->world, c->body, NULL, velocities, error);
}
static pl_status call_carry(caller *c, pl_error *error) {
  return pl_body_teleport(c->world, c->body, (pl_transform){{1, 0, 0}, {0, 0, 0, 1}}, error);
}
static pl_status call_reset(caller *c, pl_error *error) {
  return pl_body_reset(c->world, c->body, error);
}
static pl_status call_set_camera(caller *c, pl_error *error) {
  return pl_rod_set_camera(c->world, c->body, (pl_vec3){0, 0, 5}, error);
}

static pl_status do_nothing(void *user, pl_world *world, pl_error *error) {
  (void)user, (void)world, (void)error;
  return PL_OK;
}
static pl_status call_add_controller(caller *c, pl_error *error) {
  return pl_world_add_controller(c->world, &(pl_controller){.before_step = do_nothing}, error);
}

static pl_status leave_surface(void *user, const pl_world *world, pl_body_id body, pl_vec3 *points, int32_t point_count,
                               pl_error *error) {
  (void)user, (void)world, (void)body, (void)points, (void)point_count, (void)error;
  return PL_OK;
}
static pl_status call_add_layer(caller *c, pl_error *error) {
  return pl_world_add_layer(c->world, c->body, &(pl_layer){.after_step = leave_surface}, error);
}

static const struct {
  const char *name;
  pl_status (*call)(caller *caller, pl_error *error);
  bool may_controller;  // a controller may do it
} calls[] = {
    {"pl_world_step", call_step, false},
    {"pl_world_advance", call_advance, false},
    {"pl_world_settle", call_settle, false},
    {"pl_world_restore", call_restore, false},
    {"pl_world_transfer_state", call_transfer, false},
    {"pl_world_remove_controller", call_remove_controller, false},
    {"pl_world_remove_body", call_remove_body, true},
    {"pl_world_add_body", call_add_body, true},
    {"pl_world_remove_collider", call_remove_collider, true},
    {"pl_world_move_collider", call_move_collider, true},
    {"pl_world_add_collider", call_add_collider, true},
    {"pl_world_add_pin", call_add_pin, true},
    {"pl_world_move_pin", call_move_pin, true},
    {"pl_world_remove_pin", call_remove_pin, true},
    {"pl_world_add_force", call_add_force, true},
    {"pl_body_set_state", call_write, true},
    {"pl_body_teleport", call_carry, true},
    {"pl_body_reset", call_reset, true},
    {"pl_rod_set_camera", call_set_camera, true},
    {"pl_world_add_controller", call_add_controller, true},
    {"pl_world_add_layer", call_add_layer, true},
};
enum { CALL_COUNT = sizeof calls / sizeof calls[0] };

static pl_status call_before(void *user, pl_world *world, pl_error *error) {
  caller *c = user;
  c->run_count++;
  assert_ptr_equal(world, c->world);
  return c->call(c, error);
}

static pl_status call_after(void *user, const pl_world *world, pl_body_id body, pl_vec3 *points, int32_t point_count,
                            pl_error *error) {
  caller *c = user;
  (void)body, (void)points, (void)point_count;
  c->run_count++;
  assert_ptr_equal(world, c->world);
  return c->call(c, error);
}

// A world in which everything can be called: a body with a pin over the ground, stepped once, with a snapshot of it and
// a second world.
static void begin_caller(caller *c, pl_context *context, const pl_model *model) {
  pl_error error = {0};
  *c = (caller){.model = model, .world = make_world(context, 0.01, -9.81), .other = make_world(context, 0.01, -9.81)};
  c->body = add_body(c->world, model, (pl_vec3){0, 1, 0});
  add_body(c->other, model, (pl_vec3){0, 2, 0});
  pl_collider_def ground = pl_default_collider_def(PL_COLLIDER_HALF_SPACE);
  check_ok(pl_world_add_collider(c->world, &ground, &c->collider, &error), &error);
  pl_pin_def pin = pl_default_pin_def();
  pin.body = c->body;
  pin.target = (pl_vec3){0, 1, 0};
  pin.stiffness = 10;
  check_ok(pl_world_add_pin(c->world, &pin, &c->pin, &error), &error);
  run_steps(c->world, 1);
}

static void take_snapshot(caller *c) {
  c->snapshot_size = pl_world_snapshot_size(c->world);
  c->snapshot = malloc(c->snapshot_size);
  assert_non_null(c->snapshot);
  pl_world_snapshot(c->world, c->snapshot);
}

static void end_caller(caller *c) {
  free(c->snapshot);
  pl_world_destroy(c->world);
  pl_world_destroy(c->other);
}

static void check_refused(caller *c, const char *name) {
  pl_error error = {0};
  uint64_t before = pl_world_get_hash(c->world);
  int64_t steps = pl_world_step_count(c->world);
  assert_int_equal(pl_world_step(c->world, NULL, &error), PL_ERROR_INVALID_ARGUMENT);
  // Functions without an error say it by their status alone.
  if (error.text[0] != 0 && strstr(error.text, name) == NULL) fail_msg("%s: %s", name, error.text);
  assert_int_equal(c->run_count, 1);
  assert_true(pl_world_get_hash(c->world) == before);
  assert_int_equal(pl_world_step_count(c->world), steps);
  // What was refused inside is possible outside, and the world continues.
  check_ok(c->call(c, &error), &error);
}

static void what_starts_a_step_or_replaces_the_state_is_refused_in_a_controller(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_model *model = small_model(context);
  for (size_t i = 0; i < CALL_COUNT; ++i) {
    if (calls[i].may_controller) continue;
    pl_error error = {0};
    caller c;
    begin_caller(&c, context, model);
    c.call = calls[i].call;
    check_ok(pl_world_add_controller(c.world, &(pl_controller){.before_step = call_before, .user = &c}, &error),
             &error);
    take_snapshot(&c);
    uint64_t before = pl_world_get_hash(c.world);
    assert_int_equal(pl_world_step(c.world, NULL, &error), PL_ERROR_INVALID_ARGUMENT);
    if (error.text[0] != 0 && strstr(error.text, calls[i].name) == NULL) fail_msg("%s: %s", calls[i].name, error.text);
    assert_int_equal(c.run_count, 1);
    assert_true(pl_world_get_hash(c.world) == before);
    check_ok(pl_world_remove_controller(c.world, &c), &error);
    run_steps(c.world, 2);
    end_caller(&c);
  }
  pl_model_destroy(model);
  drop_context(context);
}

static void a_controller_may_change_everything_else(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_model *model = small_model(context);
  for (size_t i = 0; i < CALL_COUNT; ++i) {
    if (!calls[i].may_controller) continue;
    pl_error error = {0};
    caller c;
    begin_caller(&c, context, model);
    c.call = calls[i].call;
    check_ok(pl_world_add_controller(c.world, &(pl_controller){.before_step = call_before, .user = &c}, &error),
             &error);
    check_ok(pl_world_step(c.world, NULL, &error), &error);
    check_ok(pl_world_remove_controller(c.world, &c), &error);
    run_steps(c.world, 3);
    end_caller(&c);
  }
  pl_model_destroy(model);
  drop_context(context);
}

static void a_layer_may_change_nothing(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_model *model = small_model(context);
  for (size_t i = 0; i < CALL_COUNT; ++i) {
    if (calls[i].call == call_step || calls[i].call == call_advance || calls[i].call == call_settle) continue;  // below
    pl_error error = {0};
    caller c;
    begin_caller(&c, context, model);
    c.call = calls[i].call;
    check_ok(pl_world_add_controller(c.world, &(pl_controller){.before_step = do_nothing, .user = &c}, &error), &error);
    check_ok(pl_world_add_layer(c.world, c.body, &(pl_layer){.after_step = call_after, .user = &c}, &error), &error);
    take_snapshot(&c);
    check_refused(&c, calls[i].name);
    end_caller(&c);
  }
  pl_model_destroy(model);
  drop_context(context);
}

static void a_layer_cannot_step(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_model *model = small_model(context);
  for (size_t i = 0; i < 3; ++i) {
    pl_error error = {0};
    caller c;
    begin_caller(&c, context, model);
    c.call = calls[i].call;
    check_ok(pl_world_add_layer(c.world, c.body, &(pl_layer){.after_step = call_after, .user = &c}, &error), &error);
    uint64_t before = pl_world_get_hash(c.world);
    assert_int_equal(pl_world_step(c.world, NULL, &error), PL_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(error.text, calls[i].name));
    assert_int_equal(c.run_count, 1);
    assert_true(pl_world_get_hash(c.world) == before);
    end_caller(&c);
  }
  pl_model_destroy(model);
  drop_context(context);
}

static pl_status call_destroy(caller *c, pl_error *error) {
  (void)error;
  pl_world_destroy(c->world);
  return PL_OK;
}

static void a_world_is_not_destroyed_inside_its_step(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_model *model = small_model(context);
  for (int by_layer = 0; by_layer < 2; ++by_layer) {
    pl_error error = {0};
    caller c;
    begin_caller(&c, context, model);
    c.call = call_destroy;
    if (by_layer)
      check_ok(pl_world_add_layer(c.world, c.body, &(pl_layer){.after_step = call_after, .user = &c}, &error), &error);
    else
      check_ok(pl_world_add_controller(c.world, &(pl_controller){.before_step = call_before, .user = &c}, &error),
               &error);
    uint64_t before = pl_world_get_hash(c.world);
    assert_int_equal(pl_world_step(c.world, NULL, &error), PL_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(error.text, "pl_world_destroy"));
    assert_true(pl_world_get_hash(c.world) == before);
    c.call = call_set_camera;  // allowed in a controller
    if (!by_layer) run_steps(c.world, 1);
    end_caller(&c);
  }
  pl_model_destroy(model);
  drop_context(context);
}

static pl_status call_snapshot(caller *c, pl_error *error) {
  (void)error;
  pl_world_snapshot(c->world, c->snapshot);
  return PL_OK;
}

static void a_snapshot_of_half_a_step_is_refused(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_model *model = small_model(context);
  pl_error error = {0};
  caller c;
  begin_caller(&c, context, model);
  c.call = call_snapshot;
  check_ok(pl_world_add_controller(c.world, &(pl_controller){.before_step = call_before, .user = &c}, &error), &error);
  take_snapshot(&c);
  check_ok(pl_world_restore(c.world, c.snapshot, c.snapshot_size, &error), &error);
  run_steps(c.world, 1);
  uint64_t before = pl_world_get_hash(c.world);
  assert_int_equal(pl_world_restore(c.world, c.snapshot, c.snapshot_size, &error), PL_ERROR_INVALID_DATA);
  assert_non_null(strstr(error.text, "inside a step"));
  assert_true(pl_world_get_hash(c.world) == before);
  end_caller(&c);
  pl_model_destroy(model);
  drop_context(context);
}

// A controller that moves a pin, changes gravity and wind, brings a controller with a state of its own, and then fails.
typedef struct failing {
  caller *c;
  int32_t newcomer;
} failing;

static pl_status change_and_fail(void *user, pl_world *world, pl_error *error) {
  failing *f = user;
  check_ok(pl_world_move_pin(world, f->c->pin, (pl_vec3){5, 5, 5}, error), error);
  pl_world_set_gravity(world, (pl_vec3){1, 2, 3});
  pl_world_set_wind(world, (pl_vec3){4, 5, 6});
  const pl_controller newcomer = {do_nothing, sizeof f->newcomer, &f->newcomer, &f->newcomer};
  check_ok(pl_world_add_controller(world, &newcomer, error), error);
  return PL_ERROR_INVALID_DATA;
}

static void a_failed_step_takes_back_what_controllers_changed(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_model *model = small_model(context);
  pl_error error = {0};
  caller c, twin;
  begin_caller(&c, context, model);
  begin_caller(&twin, context, model);
  failing f = {.c = &c, .newcomer = 1234};
  check_ok(pl_world_add_controller(c.world, &(pl_controller){.before_step = change_and_fail, .user = &f}, &error),
           &error);
  assert_int_equal(pl_world_step(c.world, NULL, &error), PL_ERROR_INVALID_DATA);
  assert_int_equal(f.newcomer, 1234);
  check_ok(pl_world_remove_controller(c.world, &f), &error);
  check_ok(pl_world_remove_controller(c.world, &f.newcomer), &error);
  assert_true(pl_world_get_hash(c.world) == pl_world_get_hash(twin.world));
  run_steps(c.world, 5);
  run_steps(twin.world, 5);
  assert_true(pl_world_get_hash(c.world) == pl_world_get_hash(twin.world));
  end_caller(&c);
  end_caller(&twin);
  pl_model_destroy(model);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_starts_a_step_or_replaces_the_state_is_refused_in_a_controller),
      cmocka_unit_test(a_controller_may_change_everything_else),
      cmocka_unit_test(a_layer_may_change_nothing),
      cmocka_unit_test(a_layer_cannot_step),
      cmocka_unit_test(a_world_is_not_destroyed_inside_its_step),
      cmocka_unit_test(a_snapshot_of_half_a_step_is_refused),
      cmocka_unit_test(a_failed_step_takes_back_what_controllers_changed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
