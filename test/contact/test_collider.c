// Colliders: distances against brute force and closed forms, normals against finite differences, key frames, refusals.
// ctest: unit
#include "contact/collider.h"

#include "base/random.h"
#include "check.h"
#include "pliant/math.h"

static pl_collider *make(pl_context *context, pl_collider_def def) {
  pl_collider *collider = NULL;
  pl_error error = {0};
  check_ok(pl_collider_create(context, &def, &collider, &error), &error);
  return collider;
}

static pl_vec3 random_point(pl_random *random, double size) {
  double x = pl_random_between(random, -size, size), y = pl_random_between(random, -size, size);
  return pl_vec3_of(x, y, pl_random_between(random, -size, size));
}

// A closed box of 12 triangles.
static pl_mesh *box_mesh(pl_context *context, pl_vec3 half) {
  pl_vec3 points[8];
  for (int i = 0; i < 8; ++i)
    points[i] = pl_vec3_of(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
  const int32_t triangles[36] = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                 2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};
  pl_mesh_view view = {.point_count = 8, .points = points, .triangle_count = 12, .triangles = triangles};
  pl_mesh *mesh = NULL;
  pl_error error = {0};
  check_ok(pl_mesh_create(context, &view, &mesh, &error), &error);
  return mesh;
}

// The distance of a box by looking at many points of its surface.
static double sampled_box_distance(pl_vec3 half, pl_vec3 p) {
  enum { COUNT = 60 };
  double best = HUGE_VAL;
  for (int face = 0; face < 6; ++face)
    for (int i = 0; i <= COUNT; ++i)
      for (int j = 0; j <= COUNT; ++j) {
        double u = 2.0 * i / COUNT - 1, v = 2.0 * j / COUNT - 1, w = face % 2 ? 1 : -1;
        pl_vec3 q = face < 2 ? pl_vec3_of(w, u, v) : face < 4 ? pl_vec3_of(u, w, v) : pl_vec3_of(u, v, w);
        best = fmin(best, pl_vec3_distance(p, pl_vec3_of(q.x * half.x, q.y * half.y, q.z * half.z)));
      }
  bool inside = fabs(p.x) < half.x && fabs(p.y) < half.y && fabs(p.z) < half.z;
  return inside ? -best : best;
}

static void distances_of_simple_forms_are_those_of_their_surface_points(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(1);
  pl_collider_def def = pl_default_collider_def(PL_COLLIDER_SPHERE);
  def.radius = 0.7;
  pl_collider *sphere = make(context, def);
  def = pl_default_collider_def(PL_COLLIDER_BOX);
  def.half_size = pl_vec3_of(0.3, 0.5, 0.8);
  pl_collider *box = make(context, def);
  def = pl_default_collider_def(PL_COLLIDER_CAPSULE);
  def.radius = 0.2, def.half_length = 0.6;
  pl_collider *capsule = make(context, def);
  pl_collider *half_space = make(context, pl_default_collider_def(PL_COLLIDER_HALF_SPACE));
  for (int i = 0; i < 60; ++i) {
    pl_vec3 p = random_point(&random, 1.2);
    check_near(pl_collider_local_distance(sphere, p, NULL), pl_vec3_length(p) - 0.7, 1e-14);
    check_near(pl_collider_local_distance(half_space, p, NULL), p.y, 0);
    check_near(pl_collider_local_distance(box, p, NULL), sampled_box_distance(pl_vec3_of(0.3, 0.5, 0.8), p), 0.02);
    double best = HUGE_VAL;  // the capsule as many balls
    for (int k = 0; k <= 2000; ++k)
      best = fmin(best, pl_vec3_distance(p, pl_vec3_of(0, -0.6 + 1.2 * k / 2000, 0)) - 0.2);
    check_near(pl_collider_local_distance(capsule, p, NULL), best, 1e-5);
  }
  pl_collider_destroy(context, sphere);
  pl_collider_destroy(context, box);
  pl_collider_destroy(context, capsule);
  pl_collider_destroy(context, half_space);
  drop_context(context);
}

static void a_box_as_a_mesh_has_the_distance_of_the_box(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(2);
  pl_collider_def def = pl_default_collider_def(PL_COLLIDER_BOX);
  def.half_size = pl_vec3_of(0.3, 0.5, 0.8);
  pl_collider *box = make(context, def);
  pl_mesh *mesh = box_mesh(context, def.half_size);
  def = pl_default_collider_def(PL_COLLIDER_MESH);
  def.mesh = mesh;
  pl_collider *same = make(context, def);
  pl_mesh_destroy(mesh);  // copied
  for (int i = 0; i < 2000; ++i) {
    pl_vec3 p = random_point(&random, 1.2), n, m;
    check_near(pl_collider_local_distance(box, p, &n), pl_collider_local_distance(same, p, &m), 1e-12);
    check_near(pl_vec3_dot(n, m), 1, 1e-9);
  }
  pl_collider_destroy(context, box);
  pl_collider_destroy(context, same);
  drop_context(context);
}

static void normals_are_the_gradient_of_the_distance(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(3);
  pl_mesh *mesh = box_mesh(context, pl_vec3_of(0.4, 0.6, 0.5));
  for (int shape = PL_COLLIDER_HALF_SPACE; shape <= PL_COLLIDER_MESH; ++shape) {
    pl_collider_def def = pl_default_collider_def((pl_collider_shape)shape);
    def.half_size = pl_vec3_of(0.4, 0.6, 0.5);
    def.mesh = mesh;
    pl_collider *collider = make(context, def);
    pl_transform placement = {{0.1, -0.2, 0.3}, pl_quat_from_rotation_vector(pl_vec3_of(0.4, 1, -0.3))};
    int smooth = 0;
    for (int i = 0; i < 300; ++i) {
      const double h = 1e-6;
      pl_vec3 p = random_point(&random, 1.3), n;
      double here = pl_collider_distance(collider, placement, p, &n);
      check_near(pl_vec3_length(n), 1, 1e-12);
      pl_vec3 gradient;
      double *g = &gradient.x;
      for (int k = 0; k < 3; ++k) {
        pl_vec3 q = p;
        (&q.x)[k] += h;
        double ahead = pl_collider_distance(collider, placement, q, NULL);
        (&q.x)[k] -= 2 * h;
        g[k] = (ahead - pl_collider_distance(collider, placement, q, NULL)) / (2 * h);
      }
      // Where two directions out are equally short there is no gradient.
      if (fabs(pl_vec3_length(gradient) - 1) > 1e-4) continue;
      smooth++;
      check_near(pl_vec3_distance(n, gradient), 0, 1e-4);
      // Going the distance along the normal ends on the surface.
      check_near(pl_collider_distance(collider, placement, pl_vec3_add_scaled(p, n, -here), NULL), 0, 1e-9);
    }
    assert_true(smooth > 280);
    pl_collider_destroy(context, collider);
  }
  pl_mesh_destroy(mesh);
  drop_context(context);
}

static void keys_move_a_collider_and_loops_start_over(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_quat quarter = pl_quat_from_axis_angle(pl_vec3_of(0, 1, 0), acos(0.0));
  pl_collider_key keys[3] = {{1, {{0, 0, 0}, {0, 0, 0, 1}}}, {2, {{2, 0, 0}, {0, 0, 0, 2}}}, {4, {{2, 4, 0}, quarter}}};
  pl_collider_def def = pl_default_collider_def(PL_COLLIDER_SPHERE);
  def.keys = keys, def.key_count = 3;
  pl_collider *collider = make(context, def);
  memset(keys, 0, sizeof keys);  // copied
  check_near(pl_collider_placement(collider, 0).position.x, 0, 0);
  check_near(pl_collider_placement(collider, 1.25).position.x, 0.5, 1e-15);
  check_near(pl_collider_placement(collider, 3).position.y, 2, 1e-15);
  pl_vec3 turned = pl_quat_rotate(pl_collider_placement(collider, 3).rotation, pl_vec3_of(1, 0, 0));
  check_near(turned.x, sqrt(0.5), 1e-12);
  check_near(turned.z, -sqrt(0.5), 1e-12);
  check_near(pl_collider_placement(collider, 100).position.y, 4, 0);
  collider->loop = true;
  check_near(pl_collider_placement(collider, 4).position.y, 4, 0);
  check_near(pl_collider_placement(collider, 1.25 + 30).position.x, 0.5, 1e-12);
  // Starting over is a jump, not a motion.
  pl_transform start, end;
  pl_collider_motion(collider, 3.9, 0.2, &start, &end);
  check_near(pl_vec3_distance(start.position, end.position), 0, 0);
  pl_collider_motion(collider, 3.8, 0.2, &start, &end);
  check_near(end.position.y - start.position.y, 0.4, 1e-12);
  pl_collider_destroy(context, collider);
  drop_context(context);
}

static void numbers_that_make_no_sense_are_refused(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_collider_key keys[2] = {{1, {{0, 0, 0}, {0, 0, 0, 1}}}, {1, {{0, 0, 0}, {0, 0, 0, 1}}}};
  pl_collider_def defs[9];
  for (int i = 0; i < 9; ++i) defs[i] = pl_default_collider_def(PL_COLLIDER_CAPSULE);
  defs[0].magic = 0;
  defs[1].radius = 0;
  defs[2].half_length = (double)NAN;
  defs[3].shape = PL_COLLIDER_BOX, defs[3].half_size.y = -1;
  defs[4].shape = PL_COLLIDER_MESH;
  defs[5].friction = -0.1;
  defs[6].restitution = 1.5;
  defs[7].keys = keys, defs[7].key_count = 2;
  defs[8].placement.rotation.w = 0;
  for (int i = 0; i < 9; ++i) {
    pl_collider *collider = (pl_collider *)context;
    pl_error error = {0};
    assert_int_equal(pl_collider_create(context, &defs[i], &collider, &error), PL_ERROR_INVALID_ARGUMENT);
    assert_null(collider);
    assert_true(error.text[0] != 0);
  }
  drop_context(context);
}

static void running_out_of_memory_leaves_nothing_behind(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  pl_mesh *mesh = box_mesh(context, pl_vec3_of(1, 1, 1));
  pl_collider_def def = pl_default_collider_def(PL_COLLIDER_MESH);
  def.mesh = mesh;
  int64_t live = allocator.live_count;
  pl_collider *collider = NULL;
  for (int n = 1; collider == NULL; ++n) {
    allocator.call_count = 0, allocator.fail_at = n;
    pl_status status = pl_collider_create(context, &def, &collider, NULL);
    if (status == PL_OK) break;
    assert_int_equal(status, PL_ERROR_OUT_OF_MEMORY);
    assert_null(collider);
    assert_int_equal(allocator.live_count, live);
    assert_true(n < 1000);
  }
  pl_collider_destroy(context, collider);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(distances_of_simple_forms_are_those_of_their_surface_points),
      cmocka_unit_test(a_box_as_a_mesh_has_the_distance_of_the_box),
      cmocka_unit_test(normals_are_the_gradient_of_the_distance),
      cmocka_unit_test(keys_move_a_collider_and_loops_start_over),
      cmocka_unit_test(numbers_that_make_no_sense_are_refused),
      cmocka_unit_test(running_out_of_memory_leaves_nothing_behind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
