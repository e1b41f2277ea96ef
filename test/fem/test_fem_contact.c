// Contact with colliders as springs: rest, friction, moving ground, embedded surfaces.
// ctest: physics
#include "fixtures/fem_bodies.h"

static pl_fem_def jelly(void) {
  pl_fem_def def = pl_default_fem_def(PL_FEM_NEO_HOOKEAN);
  def.young = 5e4;
  def.stiffness_damping = 0.01;
  return def;
}

static pl_world *make_slope(pl_context *context, double angle, double friction) {
  pl_error error = {0};
  pl_world *world = make_world(context, 1.0 / 100, -9.81);
  pl_collider_def ground = pl_default_collider_def(PL_COLLIDER_HALF_SPACE);
  ground.placement.rotation = (pl_quat){0, 0, sin(0.5 * angle), cos(0.5 * angle)};
  ground.friction = friction;
  check_ok(pl_world_add_collider(world, &ground, NULL, &error), &error);
  return world;
}

static pl_body_id add_on_slope(pl_world *world, const pl_model *model, double angle, double height) {
  pl_error error = {0};
  pl_body_def def = pl_default_body_def();
  def.model = model;
  def.placement.rotation = (pl_quat){0, 0, sin(0.5 * angle), cos(0.5 * angle)};
  def.placement.position = (pl_vec3){-height * sin(angle), height * cos(angle), 0};
  pl_body_id body;
  check_ok(pl_world_add_body(world, &def, &body, &error), &error);
  return body;
}

static void a_body_comes_to_rest_on_the_ground(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){0.2, 0.1, 0.2}, 4, 2, 4);
  for (int k = 0; k < 2; ++k) {
    pl_fem_def def = jelly();
    def.scheme = k == 0 ? PL_FEM_SECOND_ORDER : PL_FEM_IMPLICIT_EULER;
    pl_model *model = make_fem_model(context, &def, mesh);
    pl_world *world = make_slope(context, 0, 0.5);
    pl_body_id body = add_on_slope(world, model, 0, 0.15);
    run_steps(world, 300);
    pl_body_report report = pl_body_get_report(world, body);
    print_message("dropped by 0.1 m, scheme %d: after 3 s fastest point %.2g m/s, deepest %.3g mm\n", k,
                  report.max_speed, -1e3 * report.box.min.y);
    check_at_most(report.max_speed, 1e-3);
    // Pressure ρ g H = 981 Pa against ten times E over the size of an element.
    double depth = pl_model_get_report(model).contact_radius - report.box.min.y;
    assert_true(depth > 0);
    check_at_most(depth, 0.1 * 0.05);
    pl_world_destroy(world);
    pl_model_destroy(model);
  }
  pl_mesh_destroy(mesh);
  drop_context(context);
}

static double depth_at_rest(pl_context *context, const pl_fem_def *def, const pl_mesh *mesh) {
  pl_model *model = make_fem_model(context, def, mesh);
  pl_world *world = make_slope(context, 0, 0.5);
  pl_body_id body = add_on_slope(world, model, 0, 0.05);
  run_steps(world, 200);
  pl_body_report report = pl_body_get_report(world, body);
  check_at_most(report.max_speed, 1e-5);
  pl_world_destroy(world);
  pl_model_destroy(model);
  return -report.box.min.y;
}

// A block that is hardly compressed sinks in evenly, so that its weight over stiffness and area is d - e/2 of a linear
// spring, and (d - e/2) + 10 (d - s)²/s of one that hardens at s: the first is the right side of the second.
static void a_contact_that_hardens_sinks_less(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){0.2, 0.1, 0.2}, 3, 2, 3);
  pl_fem_def def = jelly();
  def.young = 1e8;
  def.adapts = true;
  def.scheme = PL_FEM_IMPLICIT_EULER;
  def.contact_stiffness = 1e6;
  def.contact_hardening = 0;
  double linear = depth_at_rest(context, &def, mesh), s = 1e-4;
  def.contact_hardening = s;
  double hard = depth_at_rest(context, &def, mesh), low = s, high = linear;
  for (int k = 0; k < 60; ++k) {
    double d = 0.5 * (low + high);
    *(d + 10 * (d - s) * (d - s) / s < linear ? &low : &high) = d;
  }
  print_message("at rest %.4f mm deep, hardening %.4f mm (by the law %.4f)\n", 1e3 * linear, 1e3 * hard, 1e3 * low);
  check_near(hard, low, 0.01 * low);
  def.adapts = false;  // only of bodies that adapt
  double with = depth_at_rest(context, &def, mesh);
  def.contact_hardening = 0;
  assert_true(with == depth_at_rest(context, &def, mesh));
  pl_mesh_destroy(mesh);
  drop_context(context);
}

// The contact of a body that adapts follows its weight W: with K and the area A of its n points, the contact thickness
// t and the area B of the points of its sole, a block that is hardly compressed rests at a depth d with
//
//   K B ((d - e/2) + c (d - t)²/t) = W     c = 0.3 W n / (K A t) - 2
//
// where W / K B is d - e/2 of a linear spring,
// which is the same for every weight where K is small. Where K is not given, soles are at most t/3 deep.
static void contact_of_a_body_that_adapts_follows_its_weight(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){0.2, 0.1, 0.2}, 3, 2, 3);
  pl_fem_def def = jelly();
  pl_model *passive = make_fem_model(context, &def, mesh);
  pl_model_report report = pl_model_get_report(passive);
  double t = report.contact_radius, n = report.surface_point_count, whole = 0.16;
  pl_model_destroy(passive);
  def.adapts = true;
  def.scheme = PL_FEM_IMPLICIT_EULER;
  for (int k = 0; k < 2; ++k) {
    def.young = 1e8;
    def.density = k == 0 ? 1000 : 500;
    def.contact_stiffness = 1e5;
    def.contact_hardening = 0;
    double weight = 9.81 * 0.004 * def.density, linear = depth_at_rest(context, &def, mesh);
    def.contact_hardening = -1;
    double c = 0.3 * weight * n / (def.contact_stiffness * whole * t) - 2, low = t, high = linear;
    for (int i = 0; i < 60; ++i) {
      double d = 0.5 * (low + high);
      *(d + c * (d - t) * (d - t) / t < linear ? &low : &high) = d;
    }
    double depth = depth_at_rest(context, &def, mesh);
    print_message("%g N at rest %.4f mm deep (by the law %.4f), linear %.3f\n", weight, 1e3 * depth, 1e3 * low,
                  1e3 * linear);
    check_near(depth, low, 0.01 * low);
    def.contact_stiffness = 0;
    def.young = 4e5;
    depth = depth_at_rest(context, &def, mesh);
    print_message("%g N of a soft body %.4f mm deep; contact thickness %.4f mm\n", weight, 1e3 * depth, 1e3 * t);
    check_at_most(depth, t / 3);
  }
  pl_mesh_destroy(mesh);
  drop_context(context);
}

// Way along the slope from one time to another.
static double slide(pl_context *context, const pl_model *model, double angle, double friction, int32_t from,
                    int32_t to) {
  pl_world *world = make_slope(context, angle, friction);
  pl_body_id body = add_on_slope(world, model, angle, 0.05);
  run_steps(world, from);
  pl_vec3 a = pl_body_get_report(world, body).center;
  run_steps(world, to - from);
  pl_vec3 b = pl_body_get_report(world, body).center;
  pl_world_destroy(world);
  return -(b.x - a.x) * cos(angle) - (b.y - a.y) * sin(angle);
}

static void friction_holds_below_its_angle_and_lets_go_above(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){0.2, 0.1, 0.2}, 3, 2, 3);
  pl_fem_def def = jelly();
  def.friction = 0.5;
  pl_model *model = make_fem_model(context, &def, mesh);
  double limit = atan(0.5);
  double below = slide(context, model, limit - 0.05, 0.5, 150, 250),
         above = slide(context, model, limit + 0.1, 0.5, 50, 150);
  // From rest a body slides ½ a t² with a = g (sin - μ cos); between 0.5 and 1.5 s it makes a.
  double a = 9.81 * (sin(limit + 0.1) - 0.5 * cos(limit + 0.1));
  print_message("slope: %.2g m in 1 s just below the angle of friction, %.3f m above it (a point mass: %.3f)\n", below,
                above, a);
  check_at_most(fabs(below), 1e-5);
  check_near(above, a, 0.1 * a);
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

static void moving_ground_takes_a_body_along(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){0.2, 0.1, 0.2}, 3, 2, 3);
  pl_fem_def def = jelly();
  pl_model *model = make_fem_model(context, &def, mesh);
  pl_world *world = make_world(context, 1.0 / 100, -9.81);
  pl_collider_def belt = pl_default_collider_def(PL_COLLIDER_BOX);
  belt.half_size = (pl_vec3){1, 0.1, 1};
  belt.friction = 0.8;
  const pl_collider_key keys[2] = {{0, {{0, -0.1, 0}, {0, 0, 0, 1}}}, {10, {{5, -0.1, 0}, {0, 0, 0, 1}}}};
  belt.keys = keys;
  belt.key_count = 2;
  check_ok(pl_world_add_collider(world, &belt, NULL, &error), &error);
  pl_body_id body = add_body(world, model, (pl_vec3){0, 0.05, 0});
  run_steps(world, 200);
  double speed = pl_body_get_report(world, body).momentum.x / pl_body_get_report(world, body).mass;
  print_message("on a belt of 0.5 m/s: %.4f m/s after 2 s\n", speed);
  check_near(speed, 0.5, 0.005);
  pl_world_destroy(world);
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

static void an_embedded_surface_is_what_touches(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *cage = make_fem_box(context, (pl_vec3){0.3, 0.3, 0.3}, 3, 3, 3),
          *inner = make_fem_box(context, (pl_vec3){0.2, 0.2, 0.2}, 5, 5, 5);
  pl_mesh *surface = NULL;
  check_ok(pl_mesh_build_boundary(context, inner, &surface, NULL, &error), &error);
  pl_fem_def def = jelly();
  def.surface = surface;
  pl_model *model = make_fem_model(context, &def, cage);
  pl_world *world = make_slope(context, 0, 0.5);
  pl_body_id body = add_on_slope(world, model, 0, 0.12);
  run_steps(world, 200);
  pl_model_report report = pl_model_get_report(model);
  pl_vec3 *points = calloc((size_t)report.surface_point_count, sizeof *points);
  pl_body_get_surface(world, body, points);
  double min = 1;
  for (int32_t i = 0; i < report.surface_point_count; ++i) min = fmin(min, points[i].y);
  print_message("surface in a cage: its lowest point is at %.3g mm, the cage's at %.3g mm\n", 1e3 * min,
                1e3 * pl_body_get_report(world, body).box.min.y);
  assert_true(min > -0.01 && min < 1e-6);
  assert_true(pl_body_get_report(world, body).box.min.y < -0.02);
  free(points);
  pl_world_destroy(world);
  pl_model_destroy(model);
  pl_mesh_destroy(cage);
  pl_mesh_destroy(inner);
  pl_mesh_destroy(surface);
  drop_context(context);
}

// The highest place of the centre after the first touch, as a fraction of the drop.
static double rebound_of(pl_context *context, const pl_model *model, double drop, double rate) {
  const double low = 0.1 * sqrt(2.0);
  pl_world *world = make_world(context, 1 / rate, -9.81);
  add_ground(world);
  pl_error error = {0};
  pl_body_def def = pl_default_body_def();
  def.model = model;
  def.placement = (pl_transform){{0, low + drop, 0}, pl_quat_from_axis_angle((pl_vec3){0, 0, 1}, PL_PI / 4)};
  pl_body_id body;
  check_ok(pl_world_add_body(world, &def, &body, &error), &error);
  double high = 0;
  bool has_hit = false;
  for (int i = 0; i < 30 + (int)(rate * 2.2 * sqrt(2 * drop / 9.81)); ++i) {
    run_steps(world, 1);
    pl_body_report report = pl_body_get_report(world, body);
    has_hit = has_hit || report.box.min.y < 1e-3;
    if (has_hit && report.momentum.y > 0) high = fmax(high, report.center.y - low);
  }
  pl_world_destroy(world);
  return high / drop;
}

// An undamped box on its edge bounces by its elasticity, but the ground does not throw it: hard impacts lose more than
// soft ones, and none returns with what it had.
static void an_impact_on_an_edge_loses_energy(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){0.2, 0.2, 0.2}, 3, 3, 3);
  pl_fem_def def = pl_default_fem_def(PL_FEM_COROTATED);
  def.young = 2e5;
  pl_model *model = make_fem_model(context, &def, mesh);
  double touch = rebound_of(context, model, 0.02, 240), fall = rebound_of(context, model, 1, 240);
  print_message("on an edge: a drop by 2 cm returns to %.2f of it, by 1 m to %.2f\n", touch, fall);
  assert_true(touch > 0.5);
  check_at_most(fall, 0.75);
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

// A stiff body whose material damps all of its vibrations lands on its edge. Its points stop together, so that midpoint
// returns it with much of its speed, and more so the longer the step is; not so where the step of the impact is one of
// implicit Euler. In flight both are the same, to the bit.
static void an_implicit_impact_is_not_thrown_back(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_mesh *mesh = make_fem_box(context, (pl_vec3){0.2, 0.2, 0.2}, 3, 3, 3);
  pl_fem_def def = pl_default_fem_def(PL_FEM_COROTATED);
  def.young = 2e6;
  def.stiffness_damping = 0.015;
  def.adapts = true;
  pl_model *thrown = make_fem_model(context, &def, mesh);
  def.implicit_steps = PL_FEM_IMPLICIT_IMPACTS;
  pl_model *held = make_fem_model(context, &def, mesh);
  double before = rebound_of(context, thrown, 0.1, 50), after = rebound_of(context, held, 0.1, 50);
  print_message("stiff and damped, on an edge: a drop by 10 cm returns to %.2f of it, %.2f with implicit impacts\n",
                before, after);
  assert_true(before > 0.1);
  check_at_most(after, 0.05);
  pl_world *worlds[2] = {make_slope(context, 0, 0.5), make_slope(context, 0, 0.5)};
  pl_body_id bodies[2] = {add_on_slope(worlds[0], thrown, 0, 1), add_on_slope(worlds[1], held, 0, 1)};
  for (int k = 0; k < 2; ++k) run_steps(worlds[k], 20);
  pl_body_report reports[2] = {pl_body_get_report(worlds[0], bodies[0]), pl_body_get_report(worlds[1], bodies[1])};
  assert_memory_equal(&reports[0], &reports[1], sizeof reports[0]);
  for (int k = 0; k < 2; ++k) pl_world_destroy(worlds[k]);
  pl_model_destroy(thrown);
  pl_model_destroy(held);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_body_comes_to_rest_on_the_ground),
      cmocka_unit_test(a_contact_that_hardens_sinks_less),
      cmocka_unit_test(contact_of_a_body_that_adapts_follows_its_weight),
      cmocka_unit_test(friction_holds_below_its_angle_and_lets_go_above),
      cmocka_unit_test(moving_ground_takes_a_body_along),
      cmocka_unit_test(an_embedded_surface_is_what_touches),
      cmocka_unit_test(an_impact_on_an_edge_loses_energy),
      cmocka_unit_test(an_implicit_impact_is_not_thrown_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
