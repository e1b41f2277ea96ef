// Many worlds stepped together end as if each had been stepped alone, for any number of threads.
// ctest: equivalence threads
#include "fixtures/solid_bodies.h"
#include "pliant/math.h"

enum { WORLDS = 12, STEPS = 40 };

// Worlds that differ by the height their body falls from.
static void make_worlds(pl_context *context, const pl_model *model, pl_world **worlds) {
  for (int i = 0; i < WORLDS; ++i) {
    worlds[i] = make_world(context, 1.0 / 240, -9.81);
    add_ground(worlds[i]);
    add_body(worlds[i], model, (pl_vec3){0, 0.25 + 0.02 * i, 0});
  }
}

static pl_model *small_model(pl_context *context) {
  pl_solid_def def = pl_default_solid_def();
  return make_box_model(context, (pl_vec3){0.4, 0.4, 0.4}, 3, 3, 3, &def);
}

static void a_batch_is_as_if_each_world_were_stepped_alone(void **state) {
  (void)state;
  uint64_t alone[WORLDS];
  for (int threads = 0; threads <= 3; ++threads) {
    pl_context *context = make_context(threads == 0 ? 1 : threads);
    pl_model *model = small_model(context);
    pl_world *worlds[WORLDS];
    make_worlds(context, model, worlds);
    pl_error error = {0};
    pl_status statuses[WORLDS];
    if (threads == 0) {
      for (int i = 0; i < WORLDS; ++i) run_steps(worlds[i], STEPS);
    } else {
      check_ok(pl_worlds_step(context, &(pl_worlds){worlds, WORLDS}, STEPS - 1, NULL, &error), &error);
      check_ok(pl_worlds_step(context, &(pl_worlds){worlds, WORLDS}, 1, statuses, &error), &error);
    }
    for (int i = 0; i < WORLDS; ++i) {
      uint64_t hash = pl_world_get_hash(worlds[i]);
      if (threads == 0) alone[i] = hash;
      assert_true(hash == alone[i]);
      assert_int_equal(pl_world_step_count(worlds[i]), STEPS);
      assert_true(i == 0 || hash != alone[i - 1]);
      assert_true(threads == 0 || statuses[i] == PL_OK);
      pl_world_destroy(worlds[i]);
    }
    pl_model_destroy(model);
    drop_context(context);
  }
}

static void a_world_that_fails_does_not_disturb_the_others(void **state) {
  (void)state;
  pl_context *context = make_context(2);
  pl_model *model = small_model(context);
  pl_world *worlds[WORLDS];
  make_worlds(context, model, worlds);
  pl_error error = {0};
  pl_status statuses[WORLDS];
  pl_body_id body = pl_world_get_body(worlds[5], 0);
  for (int i = 0; i < 2; ++i) check_ok(pl_world_add_force(worlds[5], body, 3, (pl_vec3){0, 3e38, 0}, &error), &error);
  pl_status status = pl_worlds_step(context, &(pl_worlds){worlds, WORLDS}, 3, statuses, &error);
  assert_int_equal(status, PL_ERROR_NOT_FINITE);
  assert_ptr_equal(strstr(error.text, "world 5: "), error.text);
  for (int i = 0; i < WORLDS; ++i) {
    assert_int_equal(statuses[i], i == 5 ? PL_ERROR_NOT_FINITE : PL_OK);
    assert_int_equal(pl_world_step_count(worlds[i]), i == 5 ? 0 : 3);
  }
  pl_world *harmed = worlds[5];
  // A list that is wrong changes nothing, and the worlds can be used again afterwards.
  worlds[5] = worlds[4];
  assert_int_equal(pl_worlds_step(context, &(pl_worlds){worlds, WORLDS}, 1, NULL, &error), PL_ERROR_INVALID_ARGUMENT);
  assert_non_null(strstr(error.text, "twice"));
  assert_int_equal(pl_worlds_step(context, &(pl_worlds){worlds, 2}, -1, NULL, &error), PL_ERROR_INVALID_ARGUMENT);
  assert_int_equal(pl_world_step_count(worlds[0]), 3);
  check_ok(pl_worlds_step(context, &(pl_worlds){worlds, 5}, 1, NULL, &error), &error);
  assert_int_equal(pl_world_step_count(worlds[4]), 4);
  worlds[5] = harmed;
  for (int i = 0; i < WORLDS; ++i) pl_world_destroy(worlds[i]);
  pl_model_destroy(model);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_batch_is_as_if_each_world_were_stepped_alone),
      cmocka_unit_test(a_world_that_fails_does_not_disturb_the_others),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
