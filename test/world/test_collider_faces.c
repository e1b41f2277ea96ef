// Colliders that are smaller than the faces of a body do not go through these: balls, posts, beams, edges and spikes,
// for all methods, of one cell and of several. How deep they are is measured by samples all over the triangles against
// closed forms of the distance.
// ctest: physics once
#include "contact/collider.h"
#include "fixtures/collider_tools.h"

enum { SAMPLES = 24 };

// Deepest place of a body's surface in the collider, metres; negative: a gap.
static double depth_of(const pl_world *world, pl_body_id body, const pl_model *model, const pl_collider *collider,
                       pl_transform placement) {
  static pl_vec3 points[MAX_POINTS];
  pl_model_report report = pl_model_get_report(model);
  const int32_t *triangles = pl_model_get_surface_triangles(model);
  assert_true(report.surface_point_count <= MAX_POINTS);
  pl_body_get_surface(world, body, points);
  double deepest = -HUGE_VAL;
  for (int32_t t = 0; t < report.surface_triangle_count; ++t) {
    const int32_t *c = &triangles[3 * t];
    // What is farther from a corner than the longest side is outside.
    double longest = 0;
    for (int k = 0; k < 3; ++k) longest = fmax(longest, pl_vec3_distance(points[c[k]], points[c[(k + 1) % 3]]));
    if (pl_collider_distance(collider, placement, points[c[0]], NULL) > longest) continue;
    for (int i = 0; i <= SAMPLES; ++i)
      for (int j = 0; i + j <= SAMPLES; ++j) {
        double u = (double)i / SAMPLES, v = (double)j / SAMPLES;
        pl_vec3 p = pl_vec3_scale(points[c[0]], 1 - u - v);
        p = pl_vec3_add_scaled(pl_vec3_add_scaled(p, points[c[1]], u), points[c[2]], v);
        deepest = fmax(deepest, -pl_collider_distance(collider, placement, p, NULL));
      }
  }
  return deepest;
}

typedef struct drop {
  kind kind;
  tool tool;
  double young;  // 0: default
  int32_t cells;
  double height, speed, step;
  pl_vec3 origin;
} drop;

typedef struct outcome {
  double deepest, thickness, last_speed;
  double center;  // of the body, above the top of the tool in the end
} outcome;

static outcome run_drop(const drop *d, int threads, double seconds) {
  pl_context *context = make_context(threads);
  pl_error error = {0};
  pl_mesh *mesh;
  pl_model *model = make_body(context, d->kind, d->young, d->cells, d->step);
  pl_world *world = make_world(context, d->step, -9.81);
  pl_collider_def def = make_tool(context, d->tool, &mesh);
  def.placement.position = pl_vec3_add(def.placement.position, d->origin);
  check_ok(pl_world_add_collider(world, &def, NULL, &error), &error);
  pl_collider *collider = NULL;
  check_ok(pl_collider_create(context, &def, &collider, &error), &error);
  pl_body_def body_def = pl_default_body_def();
  body_def.model = model;
  body_def.placement.position = pl_vec3_add(d->origin, (pl_vec3){0.002, 0.5 * BOX_SIZE + d->height, -0.003});
  body_def.velocity = (pl_vec3){0, -d->speed, 0};
  pl_body_id body;
  check_ok(pl_world_add_body(world, &body_def, &body, &error), &error);
  outcome o = {.deepest = -HUGE_VAL, .thickness = pl_model_get_report(model).contact_radius};
  for (int i = 0; i < seconds / d->step; ++i) {
    run_steps(world, 1);
    o.deepest = fmax(o.deepest, depth_of(world, body, model, collider, def.placement));
  }
  o.last_speed = pl_body_get_report(world, body).max_speed;
  o.center = pl_body_get_report(world, body).center.y - d->origin.y;
  pl_world_destroy(world);
  pl_collider_destroy(context, collider);
  pl_mesh_destroy(mesh);
  pl_model_destroy(model);
  drop_context(context);
  return o;
}

static void check_drops(double young, double height, double speed, double step, pl_vec3 origin) {
  int failures = 0;
  for (int k = 0; k < KIND_COUNT; ++k)
    for (int cells = 1; cells <= (k == RIGID ? 1 : 4); cells += 2)
      for (int t = 0; t < TOOL_COUNT; ++t) {
        drop d = {(kind)k, (tool)t, young, cells, height, speed, step, origin};
        outcome o = run_drop(&d, 1, speed > 0 ? 0.1 : 0.5);
        bool is_good = o.deepest <= o.thickness;
        if (!is_good)
          print_message("%s, %d cells, on a %s: %.3f mm deep, %.3f allowed; center %.4f, %.3f m/s\n", KINDS[k], cells,
                        TOOLS[t], 1e3 * o.deepest, 1e3 * o.thickness, o.center, o.last_speed);
        failures += !is_good;
      }
  assert_int_equal(failures, 0);
}

static void faces_stay_out_of_small_colliders(void **state) {
  (void)state;
  check_drops(1e6, 0.05, 0, BOX_STEP, (pl_vec3){0, 0, 0});
}

static void softer_and_stiffer(void **state) {
  (void)state;
  check_drops(4e4, 0.05, 0, BOX_STEP, (pl_vec3){0, 0, 0});
  check_drops(1e7, 0.05, 0, BOX_STEP, (pl_vec3){0, 0, 0});
}

static void from_higher(void **state) {
  (void)state;
  check_drops(1e6, 0.5, 0, BOX_STEP, (pl_vec3){0, 0, 0});
}

static void at_long_steps(void **state) {
  (void)state;
  check_drops(1e6, 0.05, 0, 1.0 / 60, (pl_vec3){0, 0, 0});
}

static void far_from_the_origin(void **state) {
  (void)state;
  check_drops(1e6, 0.05, 0, BOX_STEP, (pl_vec3){5, -3, 1000});
}

static void at_high_speeds(void **state) {
  (void)state;
  check_drops(1e6, 0.2, 5, BOX_STEP, (pl_vec3){0, 0, 0});
  check_drops(1e6, 0.2, 20, BOX_STEP, (pl_vec3){0, 0, 0});
}

// --- at rest, and sliding

// Two rails that run downhill by `angle`, 8 cm apart: a box lies on them with its face alone.
static void add_rails(pl_world *world, double angle, double friction, pl_collider_id rails[2]) {
  pl_error error = {0};
  pl_quat lying = pl_quat_from_axis_angle((pl_vec3){0, 0, 1}, 0.5 * PL_PI - angle);
  for (int k = 0; k < 2; ++k) {
    pl_collider_def def = pl_default_collider_def(PL_COLLIDER_CAPSULE);
    def.radius = 0.01, def.half_length = 2, def.friction = friction;
    def.placement = (pl_transform){{0, 0, k == 0 ? -0.04 : 0.04}, lying};
    check_ok(pl_world_add_collider(world, &def, &rails[k], &error), &error);
  }
}

typedef struct ride {
  double acceleration, speed, weight;  // along the rails, m/s², m/s; force on them over that of the box
} ride;

static pl_vec3 velocity_of(const pl_world *world, pl_body_id body) {
  pl_body_report report = pl_body_get_report(world, body);
  return pl_vec3_scale(report.momentum, 1 / report.mass);
}

static ride run_on_rails(kind k, int32_t cells, double angle, double friction, int32_t count) {
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_model *model = make_body(context, k, 1e6, cells, BOX_STEP);
  pl_world_def world_def = pl_default_world_def();
  world_def.step = BOX_STEP;
  world_def.sleeping = false;
  pl_world *world = NULL;
  check_ok(pl_world_create(context, &world_def, &world, &error), &error);
  pl_collider_id rails[2];
  add_rails(world, angle, friction * friction / 0.5, rails);
  pl_vec3 down = {cos(angle), -sin(angle), 0}, up = {sin(angle), cos(angle), 0};
  pl_body_def def = pl_default_body_def();
  def.model = model;
  def.placement.position = pl_vec3_add_scaled(pl_vec3_scale(down, -0.8), up, 0.5 * BOX_SIZE + 0.0103);
  def.placement.rotation = pl_quat_from_axis_angle((pl_vec3){0, 0, 1}, -angle);
  pl_body_id body;
  check_ok(pl_world_add_body(world, &def, &body, &error), &error);
  ride r = {0, 0, 0};
  pl_vec3 velocity = {0, 0, 0}, force = {0, 0, 0};
  run_steps(world, count / 2);
  pl_vec3 before = velocity_of(world, body);
  for (int32_t i = 0; i < count - count / 2; ++i) {
    run_steps(world, 1);
    for (int rail = 0; rail < 2; ++rail) {
      pl_vec3 linear, angular;
      check_ok(pl_world_get_collider_impulse(world, rails[rail], &linear, &angular), &error);
      force = pl_vec3_add_scaled(force, linear, 1 / (BOX_STEP * (count - count / 2)));
    }
  }
  velocity = velocity_of(world, body);
  r.acceleration = pl_vec3_dot(pl_vec3_sub(velocity, before), down) / (BOX_STEP * (count - count / 2));
  r.speed = pl_vec3_dot(velocity, down);
  r.weight = -pl_vec3_dot(force, up) / (9.81 * pl_body_get_report(world, body).mass * cos(angle));
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
  return r;
}

static void faces_rest_and_slide_on_rails(void **state) {
  (void)state;
  bool is_good = true;
  const double friction = 0.5, steep = 35 * PL_PI / 180, flat = 20 * PL_PI / 180;
  for (int k = 0; k < KIND_COUNT; ++k)
    // Of a solid of more cells few particles carry the load, and stick while the others slide.
    for (int cells = 1; cells <= (k == RIGID ? 1 : k == SOLID ? 2 : 4); cells += k == SOLID ? 1 : 2) {
      ride rest = run_on_rails((kind)k, cells, flat, friction, 480);
      ride slide = run_on_rails((kind)k, cells, steep, friction, 240);
      double expected = 9.81 * (sin(steep) - friction * cos(steep));
      print_message("%s, %d cells: at rest %.2e m/s, the rails carry %.4f of its weight; sliding %.4f of %.4f m/s2\n",
                    KINDS[k], cells, rest.speed, rest.weight, slide.acceleration, expected);
      is_good = is_good && fabs(rest.speed) <= 1e-3 && fabs(rest.weight - 1) <= 0.001 &&
                fabs(slide.acceleration / expected - 1) <= 0.02;
    }
  assert_true(is_good);
}

// --- colliders that move

// Four pegs rise below the face of a box, lift it, and carry it aside.
static void pegs_that_move_lift_and_carry(void **state) {
  (void)state;
  for (int k = 0; k < KIND_COUNT; ++k) {
    pl_context *context = make_context(1);
    pl_error error = {0};
    pl_model *model = make_body(context, (kind)k, 1e6, 1, BOX_STEP);
    pl_world *world = make_world(context, BOX_STEP, -9.81);
    for (int i = 0; i < 4; ++i) {
      double x = i % 2 == 0 ? -0.05 : 0.05, z = i / 2 == 0 ? -0.05 : 0.05;
      pl_collider_key keys[3] = {
          {0, {{x, -0.1, z}, {0, 0, 0, 1}}}, {0.5, {{x, 0, z}, {0, 0, 0, 1}}}, {1, {{x + 0.2, 0, z}, {0, 0, 0, 1}}}};
      pl_collider_def def = pl_default_collider_def(i < 2 ? PL_COLLIDER_BOX : PL_COLLIDER_CAPSULE);
      def.half_size = (pl_vec3){0.01, 0.1, 0.01};
      def.radius = 0.01, def.half_length = 0.09;
      def.friction = 2;
      def.keys = keys, def.key_count = 3;
      check_ok(pl_world_add_collider(world, &def, NULL, &error), &error);
    }
    pl_body_id body = add_body(world, model, (pl_vec3){0, 0.5 * BOX_SIZE + 0.001, 0});
    run_steps(world, 300);
    pl_vec3 center = pl_body_get_report(world, body).center;
    print_message("%s: on four pegs that rose by 0.1 m and moved 0.2 m aside: %.4f m up, %.4f m aside\n", KINDS[k],
                  center.y - 0.5 * BOX_SIZE, center.x);
    check_near(center.y, 0.5 * BOX_SIZE + 0.1, 0.01);
    // They start at 0.4 m/s, and slip until the box is as fast: v² / 2 μ g.
    check_near(center.x, 0.2 - 0.16 / (2 * 9.81), 0.01);
    pl_world_destroy(world);
    pl_model_destroy(model);
    drop_context(context);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(faces_stay_out_of_small_colliders),
      cmocka_unit_test(softer_and_stiffer),
      cmocka_unit_test(from_higher),
      cmocka_unit_test(at_long_steps),
      cmocka_unit_test(far_from_the_origin),
      cmocka_unit_test(at_high_speeds),
      cmocka_unit_test(faces_rest_and_slide_on_rails),
      cmocka_unit_test(pegs_that_move_lift_and_carry),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
