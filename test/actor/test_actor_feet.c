// What is measured of feet: a body that is thrown makes one step of the height of its arc; one that is pushed along the
// ground makes none and slides.
// ctest: physics
#include "actor/actor.h"
#include "fixtures/fem_bodies.h"
#include "pliant/math.h"

static const double STEP = 0.005, HEIGHT = 0.2;

typedef struct thrown {
  pl_context *context;
  pl_mesh *mesh;
  pl_model *model;
  pl_world *world;
  pl_body_id body;
  pl_actor *actor;
} thrown;

static void stay_passive(const double *settings, void *state, const pl_actor_view *view, pl_goals *goals) {
  (void)settings, (void)state, (void)view, (void)goals;
}

static const pl_behaviour PASSIVE = {.name = "passive", .choose = stay_passive};

// A stiff block whose lower face is its foot, at rest on the ground, then with a velocity.
static thrown throw_block(double friction, pl_vec3 velocity) {
  thrown t = {.context = make_context(1)};
  pl_error error = {0};
  t.mesh = make_fem_box(t.context, (pl_vec3){HEIGHT, HEIGHT, HEIGHT}, 1, 1, 1);
  pl_fem_def fem = pl_default_fem_def(PL_FEM_COROTATED);
  fem.young = 1e6;
  fem.friction = friction;
  fem.adapts = true;
  t.model = make_fem_model(t.context, &fem, t.mesh);
  t.world = make_world(t.context, STEP, -9.81);
  add_ground(t.world);
  t.body = add_body(t.world, t.model, (pl_vec3){0, 0.5 * HEIGHT, 0});
  int32_t sole[8], count = 0;
  pl_mesh_view view = pl_mesh_get_view(t.mesh);
  for (int32_t i = 0; i < view.point_count; ++i)
    if (view.points[i].y < 0) sole[count++] = i;
  pl_actor_part foot = {.name = "foot", .point_count = count, .points = sole, .is_foot = true};
  pl_actor_def def = pl_default_actor_def();
  def.rest = PL_REST_FREE;
  def.behaviour = &PASSIVE;
  def.parts = &foot;
  def.part_count = 1;
  check_ok(pl_actor_create(t.context, &def, t.model, t.mesh, &t.actor, &error), &error);
  check_ok(pl_actor_attach(t.actor, t.world, t.body, &error), &error);
  for (int k = 0; k < 100; ++k) check_ok(pl_world_step(t.world, NULL, &error), &error);
  pl_vec3 positions[8], velocities[8];
  pl_body_get_positions(t.world, t.body, positions);
  for (int i = 0; i < 8; ++i) velocities[i] = velocity;
  check_ok(pl_body_set_state(t.world, t.body, positions, velocities, &error), &error);
  return t;
}

static pl_actor_report run(thrown *t, double seconds) {
  pl_error error = {0};
  for (int k = 0; k < seconds / STEP; ++k) check_ok(pl_world_step(t->world, NULL, &error), &error);
  return pl_actor_get_report(t->actor);
}

static void drop(thrown *t) {
  pl_context *context = t->context;
  pl_world_destroy(t->world);
  pl_actor_destroy(t->actor);
  pl_model_destroy(t->model);
  pl_mesh_destroy(t->mesh);
  drop_context(context);
}

// v² / 2g high; it lands 2 v_x v_y / g ahead.
static void an_arc_through_the_air_is_a_step(void **state) {
  (void)state;
  thrown t = throw_block(0.9, (pl_vec3){0.5, 1, 0});
  pl_actor_report found = run(&t, 0.25);
  printf("%d steps of %.4f m, slid %.4f m, %.4f m ahead\n", found.tally.steps, found.clearance, found.foot_slide,
         found.advance);
  assert_int_equal(found.tally.steps, 1);
  check_near(found.clearance, 1 / (2 * 9.81), 0.003);
  check_at_most(found.foot_slide, 0.02);
  drop(&t);
}

static void back_and_on_the_spot_is_no_step(void **state) {
  (void)state;
  const pl_vec3 velocities[] = {{-0.5, 1, 0}, {0, 1, 0}};
  for (int k = 0; k < 2; ++k) {
    thrown t = throw_block(0.9, velocities[k]);
    assert_int_equal(run(&t, 0.25).tally.steps, 0);
    drop(&t);
  }
}

static void what_is_pushed_along_slides_and_makes_no_step(void **state) {
  (void)state;
  thrown t = throw_block(0, (pl_vec3){0.5, 0, 0});
  pl_actor_report found = run(&t, 1);
  printf("slid %.4f m of %.4f m\n", found.foot_slide, found.advance);
  assert_int_equal(found.tally.steps, 0);
  check_near(found.foot_slide, 0.5, 0.01);
  check_near(found.advance, 0.5, 0.01);
  drop(&t);
}

static void what_stands_does_neither(void **state) {
  (void)state;
  thrown t = throw_block(0.9, (pl_vec3){0, 0, 0});
  pl_actor_report found = run(&t, 1);
  assert_int_equal(found.tally.steps, 0);
  check_at_most(found.foot_slide, 1e-4);
  drop(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_arc_through_the_air_is_a_step),
      cmocka_unit_test(back_and_on_the_spot_is_no_step),
      cmocka_unit_test(what_is_pushed_along_slides_and_makes_no_step),
      cmocka_unit_test(what_stands_does_neither),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
