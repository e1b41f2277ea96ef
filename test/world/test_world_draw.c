// What a world draws of itself is where it is.
// ctest: unit
#include "fixtures/solid_bodies.h"
#include "pliant/math.h"

enum { MAX_LINES = 20000 };

typedef struct canvas {
  int point_count, line_count, triangle_count, text_count;
  pl_vec3 lines[MAX_LINES][2], points[MAX_LINES], triangles[MAX_LINES][3];
  char text[64];
} canvas;

static canvas drawn;

static void take_point(void *user, pl_vec3 position, double size, pl_draw_color color) {
  canvas *c = user;
  assert_true(size > 0 && color <= 0xFFFFFF && c->point_count < MAX_LINES);
  c->points[c->point_count++] = position;
}

static void take_line(void *user, pl_vec3 a, pl_vec3 b, pl_draw_color color) {
  canvas *c = user;
  assert_true(color <= 0xFFFFFF && c->line_count < MAX_LINES);
  c->lines[c->line_count][0] = a;
  c->lines[c->line_count++][1] = b;
}

static void take_triangle(void *user, const pl_vec3 corners[3], pl_draw_color color) {
  canvas *c = user;
  assert_true(color <= 0xFFFFFF && c->triangle_count < MAX_LINES);
  memcpy(c->triangles[c->triangle_count++], corners, 3 * sizeof(pl_vec3));
}

static void take_text(void *user, pl_vec3 position, const char *text, pl_draw_color color) {
  canvas *c = user;
  (void)position, (void)color;
  c->text_count++;
  snprintf(c->text, sizeof c->text, "%s", text);
}

static const pl_draw_functions FUNCTIONS = {take_point, take_line, take_triangle, take_text, &drawn};

static void draw(const pl_world *world, uint32_t flags) {
  pl_error error = {0};
  drawn = (canvas){0};
  check_ok(pl_world_draw(world, &FUNCTIONS, flags, &error), &error);
}

static pl_collider_id add(pl_world *world, pl_collider_def *def) {
  pl_error error = {0};
  pl_collider_id id;
  check_ok(pl_world_add_collider(world, def, &id, &error), &error);
  return id;
}

static void bodies_are_drawn_where_they_are(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_solid_def solid = pl_default_solid_def();
  pl_model *model = make_box_model(context, (pl_vec3){0.4, 0.4, 0.4}, 3, 3, 3, &solid);
  pl_world *world = make_world(context, 1.0 / 240, -9.81);
  add_ground(world);
  pl_body_id body = add_body(world, model, pl_vec3_of(0, 0.2, 0));
  pl_pin_def pin = pl_default_pin_def();
  pin.body = body;
  pin.particle = 5;
  pin.target = pl_vec3_of(1, 2, 3);
  pin.stiffness = 1;
  check_ok(pl_world_add_pin(world, &pin, NULL, &error), &error);
  run_steps(world, 30);
  pl_model_report report = pl_model_get_report(model);
  pl_vec3 points[128], positions[64];
  pl_body_get_surface(world, body, points);
  pl_body_get_positions(world, body, positions);

  draw(world, PL_DRAW_SURFACES);
  assert_int_equal(drawn.triangle_count, report.surface_triangle_count);
  assert_int_equal(drawn.line_count + drawn.point_count + drawn.text_count, 0);
  const int32_t *triangles = pl_model_get_surface_triangles(model);
  for (int t = 0; t < drawn.triangle_count; ++t)
    for (int k = 0; k < 3; ++k) check_at_most(pl_vec3_distance(drawn.triangles[t][k], points[triangles[3 * t + k]]), 0);
  draw(world, PL_DRAW_EDGES);
  assert_int_equal(drawn.line_count, 3 * report.surface_triangle_count);
  draw(world, PL_DRAW_NORMALS);
  assert_int_equal(drawn.line_count, report.surface_triangle_count);
  // Outward: away from the middle of a convex body.
  pl_vec3 center = pl_body_get_report(world, body).center;
  for (int i = 0; i < drawn.line_count; ++i)
    assert_true(pl_vec3_distance(drawn.lines[i][1], center) > pl_vec3_distance(drawn.lines[i][0], center));
  draw(world, PL_DRAW_PARTICLES);
  assert_int_equal(drawn.point_count, 64);
  draw(world, PL_DRAW_PINS);
  assert_int_equal(drawn.line_count, 1);
  check_at_most(pl_vec3_distance(drawn.lines[0][0], positions[5]), 1e-9);
  check_at_most(pl_vec3_distance(drawn.lines[0][1], pin.target), 0);
  draw(world, PL_DRAW_BOXES);
  assert_int_equal(drawn.line_count, 12);
  draw(world, PL_DRAW_NAMES);
  assert_string_equal(drawn.text, "0 solid");
  // The lowest face lies on the ground: its contacts are there, and point up.
  draw(world, PL_DRAW_CONTACTS);
  assert_true(drawn.point_count >= 4 && drawn.point_count == drawn.line_count);
  for (int i = 0; i < drawn.line_count; ++i) {
    check_at_most(fabs(drawn.points[i].y), 1e-3);
    assert_true(drawn.lines[i][1].y > drawn.lines[i][0].y + 0.01);
  }
  // Functions that are missing are not called.
  pl_draw_functions none = {0};
  check_ok(pl_world_draw(world, &none, PL_DRAW_ALL, &error), &error);
  pl_world_destroy(world);
  pl_model_destroy(model);
  drop_context(context);
}

// Distance of a point from a capsule's surface or, with no length, a sphere's.
static double off_capsule(pl_vec3 p, double r, double h) {
  double y = fmax(-h, fmin(h, p.y));
  return fabs(pl_vec3_length(pl_vec3_of(p.x, p.y - y, p.z)) - r);
}

static void outlines_lie_on_their_colliders(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  for (pl_collider_shape shape = PL_COLLIDER_HALF_SPACE; shape <= PL_COLLIDER_MESH; ++shape) {
    pl_world *world = make_world(context, 1.0 / 240, -9.81);
    pl_collider_def def = pl_default_collider_def(shape);
    def.placement = (pl_transform){pl_vec3_of(3, 1, 2), pl_quat_from_rotation_vector(pl_vec3_of(0.4, 0.3, 0.2))};
    pl_mesh *mesh = NULL, *surface = NULL;
    if (shape == PL_COLLIDER_MESH) {
      check_ok(pl_mesh_create_box(context, pl_vec3_of(1, 1, 1), (const int32_t[3]){1, 1, 1}, &mesh, &error), &error);
      check_ok(pl_mesh_build_boundary(context, mesh, &surface, NULL, &error), &error);
      def.mesh = surface;
    }
    add(world, &def);
    draw(world, PL_DRAW_COLLIDERS);
    assert_true(drawn.line_count >= 12);
    for (int i = 0; i < 2 * drawn.line_count; ++i) {
      pl_vec3 p = pl_transform_apply_inverse(def.placement, drawn.lines[i / 2][i % 2]);
      double off = shape == PL_COLLIDER_HALF_SPACE ? fabs(p.y)
                   : shape == PL_COLLIDER_SPHERE   ? off_capsule(p, 0.5, 0)
                   : shape == PL_COLLIDER_CAPSULE  ? off_capsule(p, 0.5, 0.5)
                                                   : fabs(fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))) - 0.5);
      check_at_most(off, 1e-9);
    }
    pl_world_destroy(world);
    pl_mesh_destroy(mesh);
    pl_mesh_destroy(surface);
  }
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bodies_are_drawn_where_they_are),
      cmocka_unit_test(outlines_lie_on_their_colliders),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
