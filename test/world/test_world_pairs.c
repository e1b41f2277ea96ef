// Collision layers and rules for pairs: who touches whom, and with what friction, for every method.
// ctest: physics
#include "fixtures/rod_chains.h"
#include "fixtures/solid_bodies.h"
#include "pliant/math.h"

enum { KINDS = 3 };  // solid, corotated, fast

static pl_model *make_model(pl_context *context, int kind) {
  pl_error error = {0};
  pl_mesh *mesh = NULL;
  pl_model *model = NULL;
  check_ok(pl_mesh_create_box(context, (pl_vec3){0.2, 0.2, 0.2}, (const int32_t[3]){2, 2, 2}, &mesh, &error), &error);
  if (kind == 0) {
    pl_solid_def def = pl_default_solid_def();
    def.damping = 5;
    check_ok(pl_solid_build(context, &def, mesh, &model, &error), &error);
  } else {
    pl_fem_def def = pl_default_fem_def(kind == 2 ? PL_FEM_FAST : PL_FEM_COROTATED);
    def.young = 2e5;
    def.fast_step = 1.0 / 240;
    check_ok(pl_fem_build(context, &def, mesh, &model, &error), &error);
  }
  pl_mesh_destroy(mesh);
  return model;
}

static pl_body_id add_filtered(pl_world *world, const pl_model *model, pl_vec3 position, uint32_t layers,
                               uint32_t mask) {
  pl_error error = {0};
  pl_body_def def = pl_default_body_def();
  def.model = model;
  def.placement.position = position;
  def.collision_layers = layers;
  def.collision_mask = mask;
  pl_body_id id;
  check_ok(pl_world_add_body(world, &def, &id, &error), &error);
  return id;
}

static double height(const pl_world *world, pl_body_id body) {
  return pl_body_get_report(world, body).center.y;
}

static void bodies_fall_through_ground_that_is_not_in_their_mask(void **state) {
  (void)state;
  for (int kind = 0; kind < KINDS; ++kind) {
    pl_context *context = make_context(1);
    pl_error error = {0};
    pl_model *model = make_model(context, kind);
    pl_world *world = make_world(context, 1.0 / 240, -9.81);
    pl_collider_def ground = pl_default_collider_def(PL_COLLIDER_HALF_SPACE);
    ground.collision_layers = 2;
    pl_collider_id collider;
    check_ok(pl_world_add_collider(world, &ground, &collider, &error), &error);
    pl_body_id lands = add_filtered(world, model, pl_vec3_of(0, 0.12, 0), 1, 3);
    pl_body_id falls = add_filtered(world, model, pl_vec3_of(1, 0.12, 0), 1, 1);
    // The ground touches everything, so what is in no layer is in none of its mask.
    pl_body_id nowhere = add_filtered(world, model, pl_vec3_of(2, 0.12, 0), 0, UINT32_MAX);
    run_steps(world, 120);
    assert_true(height(world, lands) > 0.05);
    assert_true(height(world, falls) < -1);
    assert_true(height(world, nowhere) < -1);
    // A filter that is set later counts from the next step on.
    check_ok(pl_body_set_collision_filter(world, lands, 1, 1, &error), &error);
    run_steps(world, 120);
    assert_true(height(world, lands) < -1);
    check_ok(pl_body_reset(world, lands, &error), &error);
    check_ok(pl_world_set_collider_filter(world, collider, 1, UINT32_MAX, &error), &error);
    run_steps(world, 120);
    assert_true(height(world, lands) > 0.05);
    assert_int_equal(pl_body_set_collision_filter(world, (pl_body_id){0, 0}, 1, 1, &error), PL_ERROR_NOT_FOUND);
    pl_world_destroy(world);
    pl_model_destroy(model);
    drop_context(context);
  }
}

static void bodies_pass_each_other_by_layer_and_by_rule(void **state) {
  (void)state;
  for (int kind = 0; kind < KINDS; ++kind)
    for (int how = 0; how < 3; ++how) {
      pl_context *context = make_context(1);
      pl_error error = {0};
      pl_model *model = make_model(context, kind);
      pl_world *world = make_world(context, 1.0 / 240, -9.81);
      add_ground(world);
      pl_body_id below = add_filtered(world, model, pl_vec3_of(0, 0.1, 0), 2, how == 1 ? 1 : UINT32_MAX);
      pl_body_id above = add_filtered(world, model, pl_vec3_of(0, 0.35, 0), 2, UINT32_MAX);
      if (how == 2) {
        pl_contact_pair_def pair = pl_default_contact_pair_def();
        pair.body = above;
        pair.other_body = below;
        pair.collides = false;
        check_ok(pl_world_set_contact_pair(world, &pair, &error), &error);
      }
      run_steps(world, 60);
      bool passes = how > 0;
      assert_true(passes ? height(world, above) < 0.15 : height(world, above) > 0.22);
      pl_world_destroy(world);
      pl_model_destroy(model);
      drop_context(context);
    }
}

// On a slope of 20 degrees, tan = 0.364, with frictions of 0.5.
static double slide(int kind, double pair_friction) {
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_model *model = make_model(context, kind);
  pl_world *world = make_world(context, 1.0 / 240, -9.81);
  double angle = 20 * acos(-1.0) / 180;
  pl_quat tilt = pl_quat_from_axis_angle(pl_vec3_of(0, 0, 1), -angle);
  pl_collider_def ground = pl_default_collider_def(PL_COLLIDER_HALF_SPACE);
  ground.placement.rotation = tilt;
  pl_collider_id collider;
  check_ok(pl_world_add_collider(world, &ground, &collider, &error), &error);
  pl_body_def def = pl_default_body_def();
  def.model = model;
  def.placement.rotation = tilt;
  def.placement.position = pl_quat_rotate(tilt, pl_vec3_of(0, 0.1, 0));
  pl_body_id body;
  check_ok(pl_world_add_body(world, &def, &body, &error), &error);
  pl_contact_pair_def pair = pl_default_contact_pair_def();
  pair.body = body;
  pair.collider = collider;
  pair.friction = pair_friction;
  check_ok(pl_world_set_contact_pair(world, &pair, &error), &error);
  run_steps(world, 60);
  double before = pl_body_get_report(world, body).center.x;
  run_steps(world, 60);
  double way = pl_body_get_report(world, body).center.x - before;
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
  return way;
}

static void a_rule_sets_the_friction_of_a_pair(void **state) {
  (void)state;
  for (int kind = 0; kind < KINDS; ++kind) {
    double held = slide(kind, -1), slips = slide(kind, 0.05), sticky = slide(kind, 2);
    printf("kind %d: %.4f m by default, %.4f m with friction 0.05, %.4f m with 2\n", kind, held, slips, sticky);
    check_at_most(fabs(held), 0.02);
    check_at_most(fabs(sticky), 0.02);
    // x of g (sin - 0.05 cos) t^2 / 2 from 0.25 to 0.5 s.
    check_near(slips, 0.2549, 0.005);
  }
}

// Two bodies that come down at 1 m/s without weight, the second with a rule for it and the collider: how fast they
// leave.
static void let_bounce(pl_context *context, const pl_model *model, double restitution, double left[2]) {
  pl_error error = {0};
  pl_world *world = make_world(context, 1.0 / 240, 0);
  pl_collider_def plane = pl_default_collider_def(PL_COLLIDER_HALF_SPACE);
  plane.placement.position.y = -0.2;
  pl_contact_pair_def pair = pl_default_contact_pair_def();
  check_ok(pl_world_add_collider(world, &plane, &pair.collider, &error), &error);
  pl_body_id bodies[2];
  for (int i = 0; i < 2; ++i) {
    pl_body_def def = pl_default_body_def();
    def.model = model;
    def.placement.position.z = i;
    def.velocity = pl_vec3_of(0, -1, 0);
    check_ok(pl_world_add_body(world, &def, &bodies[i], &error), &error);
  }
  pair.body = bodies[1];
  pair.restitution = restitution;
  check_ok(pl_world_set_contact_pair(world, &pair, &error), &error);
  run_steps(world, 120);
  for (int i = 0; i < 2; ++i) {
    pl_body_report report = pl_body_get_report(world, bodies[i]);
    left[i] = report.momentum.y / report.mass;
  }
  // Without the rule both are alike again.
  check_ok(pl_world_remove_contact_pair(world, &pair, &error), &error);
  assert_int_equal(pl_world_remove_contact_pair(world, &pair, &error), PL_ERROR_NOT_FOUND);
  pl_world_destroy(world);
}

static void a_rule_sets_the_restitution_of_a_pair(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_model *solid = make_model(context, 0), *rigid = NULL;
  pl_error error = {0};
  pl_rigid_def def = pl_default_rigid_def();
  def.shape = PL_RIGID_BOX;
  def.half_size = pl_vec3_of(0.1, 0.1, 0.1);
  def.restitution = 0;
  check_ok(pl_rigid_build(context, &def, NULL, &rigid, &error), &error);
  double left[2], dull[2];
  let_bounce(context, rigid, 1, left);
  printf("came with 1, rigid left with %.4f and by the rule %.4f m/s\n", left[0], left[1]);
  check_near(left[0], 0, 1e-3);
  check_near(left[1], 1, 1e-3);
  // A solid leaves by its elasticity, of which its restitution says how much it keeps.
  let_bounce(context, solid, 1, left);
  let_bounce(context, solid, 0, dull);
  printf("a solid left with %.4f, by rules %.4f and %.4f m/s\n", left[0], dull[1], left[1]);
  check_near(left[0], dull[0], 0);
  check_at_most(dull[1], 0.99 * left[0]);
  check_at_most(left[0], 0.95 * left[1]);
  pl_model_destroy(solid);
  pl_model_destroy(rigid);
  drop_context(context);
}

static void wrong_pairs_are_refused(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_model *model = make_model(context, 0);
  pl_world *world = make_world(context, 1.0 / 240, -9.81);
  pl_body_id a = add_body(world, model, pl_vec3_of(0, 1, 0)), b = add_body(world, model, pl_vec3_of(0, 2, 0));
  pl_contact_pair_def pair = pl_default_contact_pair_def();
  pair.body = a;
  assert_int_equal(pl_world_set_contact_pair(world, &pair, &error), PL_ERROR_INVALID_ARGUMENT);
  pair.other_body = a;
  assert_int_equal(pl_world_set_contact_pair(world, &pair, &error), PL_ERROR_INVALID_ARGUMENT);
  pair.other_body = b;
  pair.friction = (double)NAN;
  assert_int_equal(pl_world_set_contact_pair(world, &pair, &error), PL_ERROR_INVALID_ARGUMENT);
  pair.friction = 0.2;
  check_ok(pl_world_set_contact_pair(world, &pair, &error), &error);
  // The rule goes with its body.
  check_ok(pl_world_remove_body(world, b, &error), &error);
  run_steps(world, 2);
  assert_int_equal(pl_world_set_contact_pair(world, &pair, &error), PL_ERROR_NOT_FOUND);
  assert_int_equal(pl_world_remove_contact_pair(world, &pair, &error), PL_ERROR_NOT_FOUND);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

// A ball that overlaps a straight chain pushes it aside, unless layers or a rule let it pass.
static void chains_pass_colliders_by_layer_and_by_rule(void **state) {
  (void)state;
  double aside[3];
  for (int how = 0; how < 3; ++how) {
    pl_context *context = make_context(1);
    pl_error error = {0};
    test_rod rod;
    begin_rod(&rod, 8, 0.1, pl_vec3_of(0, 0, 0));
    pl_model *model = NULL;
    check_ok(pl_rod_build(context, &rod.def, &model, &error), &error);
    pl_world *world = make_world(context, 1.0 / 240, 0);
    pl_collider_def ball = pl_default_collider_def(PL_COLLIDER_SPHERE);
    ball.radius = 0.1;
    ball.placement.position = pl_vec3_of(0.08, 0.45, 0);
    if (how == 1) ball.collision_layers = 2;
    pl_collider_id collider;
    check_ok(pl_world_add_collider(world, &ball, &collider, &error), &error);
    pl_body_id body = add_filtered(world, model, pl_vec3_of(0, 0, 0), 1, 1);
    if (how == 2) {
      pl_contact_pair_def pair = pl_default_contact_pair_def();
      pair.body = body;
      pair.collider = collider;
      pair.collides = false;
      check_ok(pl_world_set_contact_pair(world, &pair, &error), &error);
    }
    run_steps(world, 60);
    pl_vec3 x[16];
    pl_body_get_positions(world, body, x);
    aside[how] = 0;
    for (int i = 0; i < 9; ++i) aside[how] = fmax(aside[how], fabs(x[i].x));
    pl_world_destroy(world);
    pl_model_destroy(model);
    drop_context(context);
  }
  printf("pushed aside by %.4f m, by layer %.6f, by rule %.6f\n", aside[0], aside[1], aside[2]);
  assert_true(aside[0] > 0.02);
  check_at_most(aside[1], 1e-4);
  check_at_most(aside[2], 1e-4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bodies_fall_through_ground_that_is_not_in_their_mask),
      cmocka_unit_test(bodies_pass_each_other_by_layer_and_by_rule),
      cmocka_unit_test(a_rule_sets_the_friction_of_a_pair),
      cmocka_unit_test(a_rule_sets_the_restitution_of_a_pair),
      cmocka_unit_test(chains_pass_colliders_by_layer_and_by_rule),
      cmocka_unit_test(wrong_pairs_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
