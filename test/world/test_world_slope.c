// Friction between a solid and a plane or another body: rests below the friction angle, slides above it with the
// acceleration that Coulomb's law gives, tips over where finite elements do, and two bodies that collide keep their
// momentum.
// ctest: physics
#include "fixtures/fem_bodies.h"

static const double STEP = 1.0 / 240;

// A box on a slope.
typedef struct slope_case {
  pl_vec3 size;
  int32_t cells[3];
  double friction;
  double young;     // Pa; 0: default
  double step;      // s
  bool is_far;      // 5 m from the origin on a plane that is tilted; else gravity is tilted
  bool rests_only;  // so soft for its friction that it tips, or chatters, where it slides
} slope_case;

static const slope_case CASES[] = {
    {{0.4, 0.1, 0.4}, {4, 1, 4}, 0.5, 0, 1.0 / 240, false, false},
    {{0.4, 0.1, 0.4}, {4, 1, 4}, 0.5, 0, 1.0 / 240, true, false},
    {{0.4, 0.1, 0.4}, {8, 2, 8}, 1.0, 0, 1.0 / 240, true, true},
    {{0.2, 0.1, 0.2}, {6, 3, 6}, 0.5, 0, 1.0 / 240, false, false},
    {{0.2, 0.1, 0.2}, {6, 3, 6}, 0.5, 1e5, 1.0 / 960, true, false},
    {{0.2, 0.2, 0.2}, {2, 2, 2}, 0.5, 0, 1.0 / 240, false, false},
    {{0.2, 0.2, 0.2}, {3, 3, 3}, 0.5, 0, 1.0 / 240, true, false},
    {{0.2, 0.2, 0.2}, {3, 3, 3}, 0.7, 0, 1.0 / 240, false, true},
    {{0.2, 0.2, 0.2}, {3, 3, 3}, 0.7, 0, 1.0 / 480, true, true},
    {{0.2, 0.2, 0.2}, {4, 4, 4}, 0.7, 1e5, 1.0 / 480, false, true},
    {{0.4, 0.4, 0.4}, {3, 3, 3}, 0.5, 0, 1.0 / 240, true, false},
    {{0.1, 0.05, 0.1}, {3, 2, 3}, 0.5, 0, 1.0 / 240, true, false},
};
enum { CASE_COUNT = sizeof CASES / sizeof *CASES };

typedef struct slope {
  pl_context *context;
  pl_model *model;
  pl_world *world;
  pl_body_id body;
  pl_vec3 down;  // the slope
} slope;

static void make_slope(slope *s, const slope_case *c, double degrees) {
  pl_error error = {0};
  double angle = degrees * PL_PI / 180;
  pl_solid_def def = pl_default_solid_def();
  def.friction = c->friction;
  def.young = c->young;
  s->context = make_context(1);
  s->model = make_box_model(s->context, c->size, c->cells[0], c->cells[1], c->cells[2], &def);
  pl_world_def world = pl_default_world_def();
  world.step = c->step;
  if (!c->is_far) world.gravity = pl_vec3_of(9.81 * sin(angle), -9.81 * cos(angle), 0);
  check_ok(pl_world_create(s->context, &world, &s->world, &error), &error);
  pl_collider_def ground = pl_default_collider_def(PL_COLLIDER_HALF_SPACE);
  ground.friction = c->friction;
  if (c->is_far) ground.placement.position = pl_vec3_of(5, 5, 5);
  if (c->is_far) ground.placement.rotation = pl_quat_from_axis_angle(pl_vec3_of(0, 0, 1), -angle);
  check_ok(pl_world_add_collider(s->world, &ground, NULL, &error), &error);
  pl_body_def body = pl_default_body_def();
  body.model = s->model;
  body.placement = ground.placement;
  body.placement.position = pl_transform_apply(ground.placement, pl_vec3_of(0, 0.5 * c->size.y, 0));
  check_ok(pl_world_add_body(s->world, &body, &s->body, &error), &error);
  s->down = pl_quat_rotate(ground.placement.rotation, pl_vec3_of(1, 0, 0));
}

static void drop_slope(slope *s) {
  pl_world_destroy(s->world);
  pl_model_destroy(s->model);
  drop_context(s->context);
}

static double way_of(const slope *s) {
  return pl_vec3_dot(pl_body_get_report(s->world, s->body).center, s->down);
}

static double friction_angle(const slope_case *c) {
  return atan(c->friction) * 180 / PL_PI;
}

static void below_the_friction_angle_it_rests(void **state) {
  (void)state;
  for (int i = 0; i < 3 * CASE_COUNT; ++i) {
    const slope_case *c = &CASES[i / 3];
    const double degrees[3] = {5, 15, friction_angle(c) - (i / 3 == 0 ? 2.6 : 5)};
    slope s;
    make_slope(&s, c, degrees[i % 3]);
    double placed = way_of(&s);
    run_steps(s.world, (int32_t)(3 / c->step));
    double start = way_of(&s);
    run_steps(s.world, (int32_t)(3 / c->step));
    double crept = way_of(&s) - start;
    print_message("case %d, %.1f of %.1f degrees: leaned by %.1f mm, then crept by %.2e m in 3 s\n", i / 3,
                  degrees[i % 3], friction_angle(c), 1e3 * (start - placed), crept);
    assert_true(fabs(crept) < 1e-3);
    assert_true(start - placed < 0.15 * c->size.y);
    assert_true(pl_body_is_asleep(s.world, s.body));
    drop_slope(&s);
  }
}

static void above_it_slides_as_coulomb_says(void **state) {
  (void)state;
  for (int i = 0; i < 3 * CASE_COUNT; ++i) {
    const slope_case *c = &CASES[i / 3];
    const double degrees[3] = {friction_angle(c) + 2.4, friction_angle(c) + 5, 45};
    if (c->rests_only || degrees[i % 3] < friction_angle(c) + 1) continue;
    slope s;
    make_slope(&s, c, degrees[i % 3]);
    double angle = degrees[i % 3] * PL_PI / 180, expected = 9.81 * (sin(angle) - c->friction * cos(angle));
    run_steps(s.world, (int32_t)(0.5 / c->step));
    pl_body_report from = pl_body_get_report(s.world, s.body);
    run_steps(s.world, (int32_t)(1 / c->step));
    pl_body_report to = pl_body_get_report(s.world, s.body);
    double acceleration = pl_vec3_dot(pl_vec3_sub(to.momentum, from.momentum), s.down) / to.mass;
    print_message("case %d, %.1f of %.1f degrees: %.4f m/s^2, expected %.4f\n", i / 3, degrees[i % 3],
                  friction_angle(c), acceleration, expected);
    check_near(acceleration, expected, 0.02 * expected);
    drop_slope(&s);
  }
}

// The angle at which a cube of 20 cm that cannot slide tips over, while the slope gets steeper by 5 degrees a second:
// 45 for a rigid one, less for what its weight presses together on the lower side.
static double tipping_angle(bool is_solid, double young, int32_t cells, double step) {
  const double size = 0.2, friction = 5;
  pl_error error = {0};
  pl_context *context = make_context(1);
  pl_model *model = NULL;
  if (is_solid) {
    pl_solid_def def = pl_default_solid_def();
    def.young = young, def.friction = friction;
    model = make_box_model(context, pl_vec3_of(size, size, size), cells, cells, cells, &def);
  } else {
    pl_mesh *mesh = make_fem_box(context, pl_vec3_of(size, size, size), cells, cells, cells);
    pl_fem_def def = pl_default_fem_def(PL_FEM_COROTATED);
    def.young = young, def.friction = friction;
    def.poisson = 0;  // as a solid
    model = make_fem_model(context, &def, mesh);
    pl_mesh_destroy(mesh);
  }
  pl_world *world = make_world(context, step, -9.81);
  pl_collider_def ground = pl_default_collider_def(PL_COLLIDER_HALF_SPACE);
  ground.friction = friction;
  check_ok(pl_world_add_collider(world, &ground, NULL, &error), &error);
  pl_body_id body = add_body(world, model, pl_vec3_of(0, 0.5 * size, 0));
  run_steps(world, (int32_t)(2 / step));
  double degrees = 0;
  while (degrees < 60 && pl_body_get_report(world, body).center.x < 0.6 * size) {
    degrees += 5 * step;
    double angle = degrees * PL_PI / 180;
    pl_world_set_gravity(world, pl_vec3_of(9.81 * sin(angle), -9.81 * cos(angle), 0));
    run_steps(world, 1);
  }
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
  return degrees;
}

// Nothing that damps carries weight or takes stiffness away: the angle does not depend on the step, as long as a step
// can follow the stiffness. A solid is softer at its corners than finite elements on the same mesh.
static void a_soft_cube_tips_where_finite_elements_do(void **state) {
  (void)state;
  static const struct {
    double young;
    int32_t cells;
  } cubes[] = {{43e3, 2}, {43e3, 3}, {8e4, 3}, {2e4, 4}, {4e4, 4}, {1e4, 6}};
  for (size_t i = 0; i < sizeof cubes / sizeof *cubes; ++i) {
    double long_steps = tipping_angle(true, cubes[i].young, cubes[i].cells, 1.0 / 240);
    double short_steps = tipping_angle(true, cubes[i].young, cubes[i].cells, 1.0 / 960);
    double reference = tipping_angle(false, cubes[i].young, cubes[i].cells, 1.0 / 240);
    print_message("%.0f Pa, %d cells: tips at %.1f degrees at 1/240 s, %.1f at 1/960 s, finite elements %.1f\n",
                  cubes[i].young, cubes[i].cells, long_steps, short_steps, reference);
    check_near(long_steps, short_steps, 0.6);
    check_near(long_steps, reference, 4);
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
      cmocka_unit_test(a_soft_cube_tips_where_finite_elements_do),
      cmocka_unit_test(two_solids_that_collide_keep_their_momentum),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
