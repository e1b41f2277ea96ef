// Friction between a solid and a plane or another body: rests below the friction angle, slides above it with the
// acceleration that Coulomb's law gives, and two bodies that collide keep their momentum.
// ctest: physics
#include "fixtures/solid_bodies.h"

static const double STEP = 1.0 / 240, FRICTION = 0.5;

typedef struct slope {
  pl_context *context;
  pl_model *model;
  pl_world *world;
  pl_body_id body;
} slope;

// A flat box on a half-space; gravity is tilted instead of the plane.
static void make_slope(slope *s, double degrees) {
  pl_error error = {0};
  double angle = degrees * acos(-1.0) / 180;
  pl_solid_def def = pl_default_solid_def();
  def.friction = FRICTION;
  s->context = make_context(1);
  s->model = make_box_model(s->context, pl_vec3_of(0.4, 0.1, 0.4), 4, 1, 4, &def);
  pl_world_def world = pl_default_world_def();
  world.step = STEP;
  world.gravity = pl_vec3_of(9.81 * sin(angle), -9.81 * cos(angle), 0);
  check_ok(pl_world_create(s->context, &world, &s->world, &error), &error);
  pl_collider_def ground = pl_default_collider_def(PL_COLLIDER_HALF_SPACE);
  ground.friction = FRICTION;
  check_ok(pl_world_add_collider(s->world, &ground, NULL, &error), &error);
  s->body = add_body(s->world, s->model, pl_vec3_of(0, 0.05, 0));
}

static void drop_slope(slope *s) {
  pl_world_destroy(s->world);
  pl_model_destroy(s->model);
  drop_context(s->context);
}

static void below_the_friction_angle_it_rests(void **state) {
  (void)state;
  const double degrees[3] = {5, 15, 24};  // the limit is 26.6
  for (int i = 0; i < 3; ++i) {
    slope s;
    make_slope(&s, degrees[i]);
    run_steps(s.world, 240);
    double start = pl_body_get_report(s.world, s.body).center.x;
    run_steps(s.world, 3 * 240);
    double crept = pl_body_get_report(s.world, s.body).center.x - start;
    print_message("%.0f degrees: crept %.2e m in 3 s\n", degrees[i], crept);
    assert_true(fabs(crept) < 1e-3);
    assert_true(pl_body_is_asleep(s.world, s.body));
    drop_slope(&s);
  }
}

static void above_it_slides_as_coulomb_says(void **state) {
  (void)state;
  const double degrees[3] = {29, 35, 45};
  for (int i = 0; i < 3; ++i) {
    slope s;
    make_slope(&s, degrees[i]);
    double angle = degrees[i] * acos(-1.0) / 180, expected = 9.81 * (sin(angle) - FRICTION * cos(angle));
    run_steps(s.world, 120);
    pl_body_report from = pl_body_get_report(s.world, s.body);
    run_steps(s.world, 240);
    pl_body_report to = pl_body_get_report(s.world, s.body);
    double acceleration = (to.momentum.x - from.momentum.x) / to.mass;
    print_message("%.0f degrees: %.4f m/s^2, expected %.4f\n", degrees[i], acceleration, expected);
    check_near(acceleration, expected, 0.02 * expected);
    drop_slope(&s);
  }
}

// Off centre, so that both turn.
static void two_solids_that_collide_keep_their_momentum(void **state) {
  (void)state;
  pl_error error = {0};
  pl_context *context = make_context(1);
  pl_solid_def def = pl_default_solid_def();
  pl_model *model = make_box_model(context, pl_vec3_of(0.2, 0.2, 0.2), 3, 3, 3, &def);
  pl_world *world = make_world(context, STEP, 0);
  pl_body_id ids[2];
  for (int b = 0; b < 2; ++b) {
    pl_body_def body = pl_default_body_def();
    body.model = model;
    body.placement.position = pl_vec3_of(b ? 0.3 : 0, b ? 0.07 : 0, b ? 0.03 : 0);
    body.velocity = pl_vec3_of(b ? -1 : 1, 0, 0);
    check_ok(pl_world_add_body(world, &body, &ids[b], &error), &error);
  }
  pl_vec3 linear[2] = {{0}}, angular[2] = {{0}};
  for (int k = 0; k < 2; ++k) {
    for (int b = 0; b < 2; ++b) {
      pl_body_report r = pl_body_get_report(world, ids[b]);
      linear[k] = pl_vec3_add(linear[k], r.momentum);
      angular[k] = pl_vec3_add(angular[k], pl_vec3_add(r.angular_momentum, pl_vec3_cross(r.center, r.momentum)));
    }
    if (k == 0) run_steps(world, 120);
  }
  double momentum = 8, moment = 8 * 0.07;  // of one body of 8 kg
  double lost = pl_vec3_distance(linear[0], linear[1]) / momentum;
  double turned = pl_vec3_distance(angular[0], angular[1]) / moment;
  pl_body_report after = pl_body_get_report(world, ids[0]);
  print_message("linear %.2e, angular %.2e of one body's\n", lost, turned);
  assert_true(after.momentum.x < 0.9 * momentum);  // they met
  assert_true(lost < 1e-6);
  assert_true(turned < 1e-6);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(below_the_friction_angle_it_rests),
      cmocka_unit_test(above_it_slides_as_coulomb_says),
      cmocka_unit_test(two_solids_that_collide_keep_their_momentum),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
