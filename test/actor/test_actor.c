// Actors come into a world, leave it, begin again; what is asked of them is refused where it makes no sense.
// ctest: unit
#include <string.h>

#include "actor/actor.h"
#include "check.h"
#include "pliant/fem.h"

typedef struct life {
  pl_context *context;
  pl_mesh *mesh;
  pl_model *model;
  pl_world *world;
  pl_body_id body;
  pl_actor *actor;
} life;

// Ask the centre of mass to rise at a constant rate.
static void rise(const double *settings, void *state, const pl_actor_view *view, pl_goals *goals) {
  (void)settings;
  (void)view;
  ++*(int32_t *)state;
  pl_goal goal = {
      .subject = PL_GOAL_CENTER, .axes = PL_GOAL_Y, .velocity_gain = 1, .velocity = {0, 0.2, 0}, .weight = 1};
  assert_true(pl_goals_add(goals, &goal));
}

static const pl_behaviour RISE = {.name = "rise", .state_size = sizeof(int32_t), .choose = rise};

static pl_status make_actor(life *s, pl_actor **actor, pl_error *error) {
  pl_actor_def def = pl_default_actor_def();
  def.rest = PL_REST_FREE;
  def.behaviour = &RISE;
  return pl_actor_create(s->context, &def, s->model, s->mesh, actor, error);
}

static void open_life(life *s) {
  pl_error error = {0};
  *s = (life){.context = NULL};
  pl_context_def context_def = pl_default_context_def();
  assert_int_equal(pl_context_create(&context_def, &s->context, &error), PL_OK);
  assert_int_equal(
      pl_mesh_create_box(s->context, (pl_vec3){0.2, 0.4, 0.2}, (const int32_t[3]){1, 2, 1}, &s->mesh, &error), PL_OK);
  pl_fem_def fem_def = pl_default_fem_def(PL_FEM_EDGES);
  fem_def.density = 300;
  fem_def.stiffness_damping = 0.01;
  fem_def.adapts = true;
  assert_int_equal(pl_fem_build(s->context, &fem_def, s->mesh, &s->model, &error), PL_OK);
  pl_world_def world_def = pl_default_world_def();
  world_def.step = 0.01;
  pl_collider_def ground = pl_default_collider_def(PL_COLLIDER_HALF_SPACE);
  pl_collider_id ground_id;
  pl_body_def body_def = pl_default_body_def();
  body_def.model = s->model;
  body_def.placement.position.y = 0.2;
  assert_int_equal(pl_world_create(s->context, &world_def, &s->world, &error), PL_OK);
  assert_int_equal(pl_world_add_collider(s->world, &ground, &ground_id, &error), PL_OK);
  assert_int_equal(pl_world_add_body(s->world, &body_def, &s->body, &error), PL_OK);
  assert_int_equal(make_actor(s, &s->actor, &error), PL_OK);
  assert_int_equal(pl_actor_attach(s->actor, s->world, s->body, &error), PL_OK);
}

static void close_life(life *s) {
  pl_world_destroy(s->world);
  pl_actor_destroy(s->actor);
  pl_model_destroy(s->model);
  pl_mesh_destroy(s->mesh);
  pl_context_destroy(s->context);
}

static void step_times(life *s, int count) {
  pl_error error = {0};
  for (int i = 0; i < count; ++i) assert_true(pl_world_step(s->world, NULL, &error) >= 0);
}

static double max_parameter(const pl_actor *actor) {
  int32_t count;
  double max = 0;
  const double *p = pl_actor_get_parameters(actor, &count);
  for (int32_t i = 0; i < count; ++i) max = fmax(max, fabs(p[i]));
  return max;
}

static void test_an_actor_that_left_wants_nothing_and_can_be_destroyed_before_its_world(void **state) {
  (void)state;
  life s;
  open_life(&s);
  size_t with = pl_world_snapshot_size(s.world);
  step_times(&s, 5);
  assert_true(max_parameter(s.actor) > 1e-4);
  pl_actor_detach(s.actor);
  pl_actor_detach(s.actor);  // once more does nothing
  assert_true(pl_world_snapshot_size(s.world) < with);
  int64_t steps = pl_actor_get_report(s.actor).step_count;
  step_times(&s, 5);
  assert_int_equal(pl_actor_get_report(s.actor).step_count, steps);
  pl_actor_destroy(s.actor);
  s.actor = NULL;
  step_times(&s, 5);
  close_life(&s);
}

static void test_a_body_has_one_actor_and_an_actor_one_world(void **state) {
  (void)state;
  life s;
  pl_error error = {0};
  open_life(&s);
  pl_actor *second;
  assert_int_equal(make_actor(&s, &second, &error), PL_OK);
  assert_int_equal(pl_actor_attach(second, s.world, s.body, &error), PL_ERROR_INVALID_ARGUMENT);
  assert_non_null(strstr(error.text, "already"));
  assert_int_equal(pl_actor_attach(s.actor, s.world, s.body, &error), PL_ERROR_INVALID_ARGUMENT);
  pl_actor_detach(s.actor);
  assert_int_equal(pl_actor_attach(second, s.world, s.body, &error), PL_OK);
  step_times(&s, 2);
  assert_int_equal(pl_actor_get_report(second).step_count, 2);
  pl_actor_detach(second);
  pl_actor_destroy(second);
  close_life(&s);
}

static void test_a_world_continues_when_the_body_of_an_actor_is_removed(void **state) {
  (void)state;
  life s;
  pl_error error = {0};
  open_life(&s);
  step_times(&s, 2);
  assert_int_equal(pl_world_remove_body(s.world, s.body, &error), PL_OK);
  step_times(&s, 2);
  assert_int_equal(pl_actor_get_report(s.actor).step_count, 2);
  close_life(&s);
}

static void test_reset_actor_and_body_repeat_the_run_bit_for_bit(void **state) {
  (void)state;
  life s;
  pl_error error = {0};
  open_life(&s);
  pl_vec3 first[64], again[64];
  assert_true(pl_mesh_get_view(s.mesh).point_count <= 64);
  step_times(&s, 8);
  assert_int_equal(pl_body_get_positions(s.world, s.body, first), PL_OK);
  assert_int_equal(pl_body_reset(s.world, s.body, &error), PL_OK);
  pl_actor_reset(s.actor);
  assert_true(max_parameter(s.actor) == 0);
  assert_int_equal(pl_actor_get_report(s.actor).step_count, 0);
  step_times(&s, 8);
  assert_int_equal(pl_body_get_positions(s.world, s.body, again), PL_OK);
  assert_memory_equal(first, again, (size_t)pl_mesh_get_view(s.mesh).point_count * sizeof(pl_vec3));
  close_life(&s);
}

// Ask for what nothing can do.
static void burst(const double *settings, void *state, const pl_actor_view *view, pl_goals *goals) {
  (void)settings;
  (void)state;
  (void)view;
  pl_goal goal = {
      .subject = PL_GOAL_CENTER, .axes = PL_GOAL_Y, .velocity_gain = 1, .velocity = {0, 50, 0}, .weight = 1};
  assert_true(pl_goals_add(goals, &goal));
}

static void test_rest_shapes_keep_within_bounds_whatever_is_asked(void **state) {
  (void)state;
  life s;
  pl_error error = {0};
  static const pl_behaviour BURST = {.name = "burst", .choose = burst};
  open_life(&s);
  pl_actor_detach(s.actor);
  pl_actor_destroy(s.actor);
  pl_actor_def def = pl_default_actor_def();
  def.behaviour = &BURST;
  def.rest = PL_REST_FREE;
  def.regularisation = def.rate_regularisation = 1e-4;
  def.max_strain = 0;
  assert_int_equal(pl_actor_create(s.context, &def, s.model, s.mesh, &s.actor, &error), PL_OK);
  assert_int_equal(pl_actor_attach(s.actor, s.world, s.body, &error), PL_OK);
  double max = 0;
  for (int i = 0; i < 40; ++i) {
    step_times(&s, 1);
    pl_actor_report report = pl_actor_get_report(s.actor);
    assert_true(report.rest_strain <= PL_ACTOR_MAX_STRAIN * (1 + 1e-9));
    max = fmax(max, report.rest_strain);
  }
  assert_true(max > 0.9 * PL_ACTOR_MAX_STRAIN);  // or nothing was shown
  assert_true(pl_actor_get_report(s.actor).max_rest_rate <= PL_ACTOR_MAX_RATE * (1 + 1e-9));
  close_life(&s);
}

static const pl_vec3 TWIST = {0.1, -0.2, 0.3};  // rad/s

// Ask the first part to turn, and remember how it does.
static void twist(const double *settings, void *state, const pl_actor_view *view, pl_goals *goals) {
  (void)settings;
  *(pl_part_view *)state = view->parts[0];
  pl_goal goal = {
      .subject = PL_GOAL_PART_SPIN, .part = 0, .axes = PL_GOAL_XYZ, .velocity_gain = 1, .velocity = TWIST, .weight = 1};
  assert_true(pl_goals_add(goals, &goal));
}

static void test_a_part_turns_as_it_is_asked(void **state) {
  (void)state;
  life s;
  pl_error error = {0};
  static const pl_behaviour ACT = {.name = "twist", .state_size = sizeof(pl_part_view), .choose = twist};
  // The four corners and the middle points of the upper face.
  int32_t top[16], count = 0;
  open_life(&s);
  pl_actor_detach(s.actor);
  pl_actor_destroy(s.actor);
  pl_mesh_view mesh = pl_mesh_get_view(s.mesh);
  for (int32_t i = 0; i < mesh.point_count && count < 16; ++i)
    if (mesh.points[i].y > 0.199) top[count++] = i;
  pl_actor_part part = {.name = "top", .points = top, .point_count = count};
  pl_actor_def def = pl_default_actor_def();
  def.behaviour = &ACT;
  def.rest = PL_REST_FREE;
  def.parts = &part;
  def.part_count = 1;
  def.regularisation = def.rate_regularisation = 1e-6;
  assert_int_equal(pl_actor_create(s.context, &def, s.model, s.mesh, &s.actor, &error), PL_OK);
  assert_int_equal(pl_actor_attach(s.actor, s.world, s.body, &error), PL_OK);
  step_times(&s, 5);
  const pl_part_view *seen = (const pl_part_view *)s.actor->behaviour_state;
  check_at_most(pl_vec3_distance(seen->spin, TWIST), 0.01 * pl_vec3_length(TWIST));
  close_life(&s);
}

static void test_goals_beyond_the_limit_or_without_sense_are_refused(void **state) {
  (void)state;
  pl_goals goals = {.part_count = 2, .particle_count = 10};
  pl_goal goal = {.subject = PL_GOAL_CENTER, .axes = PL_GOAL_XYZ, .velocity_gain = 1, .weight = 1};
  pl_goal broken = goal;
  broken.velocity.x = (double)NAN;
  assert_false(pl_goals_add(&goals, &broken));
  broken = goal;
  broken.subject = PL_GOAL_PART, broken.part = 2;
  assert_false(pl_goals_add(&goals, &broken));
  broken.subject = PL_GOAL_PART_SPIN;
  assert_false(pl_goals_add(&goals, &broken));
  broken.subject = PL_GOAL_DIFFERENCE, broken.part = broken.other = 1;
  assert_false(pl_goals_add(&goals, &broken));
  for (int i = 0; i < PL_MAX_GOALS; ++i) assert_true(pl_goals_add(&goals, &goal));
  assert_false(pl_goals_add(&goals, &goal));
  // Rows of a spin take three times the room: refused, not cut short.
  goals.count = goals.workspace = 0;
  goal.subject = PL_GOAL_SPIN;
  int32_t added = 0;
  while (pl_goals_add(&goals, &goal)) ++added;
  assert_int_equal(added, PL_MAX_GOALS / 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_an_actor_that_left_wants_nothing_and_can_be_destroyed_before_its_world),
      cmocka_unit_test(test_a_body_has_one_actor_and_an_actor_one_world),
      cmocka_unit_test(test_a_world_continues_when_the_body_of_an_actor_is_removed),
      cmocka_unit_test(test_reset_actor_and_body_repeat_the_run_bit_for_bit),
      cmocka_unit_test(test_rest_shapes_keep_within_bounds_whatever_is_asked),
      cmocka_unit_test(test_a_part_turns_as_it_is_asked),
      cmocka_unit_test(test_goals_beyond_the_limit_or_without_sense_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
