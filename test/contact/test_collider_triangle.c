// The deepest place of a triangle in a collider, against samples all over the triangle.
// ctest: unit
#include "contact/collider_triangle.h"

#include "base/random.h"
#include "check.h"
#include "pliant/math.h"

enum { SAMPLES = 60, TRIANGLES = 600 };

static pl_vec3 random_vec(pl_random *random, double size) {
  double x = pl_random_between(random, -size, size), y = pl_random_between(random, -size, size);
  return pl_vec3_of(x, y, pl_random_between(random, -size, size));
}

static pl_collider *make(pl_context *context, pl_collider_shape shape) {
  pl_error error = {0};
  pl_collider_def def = pl_default_collider_def(shape);
  def.radius = 0.2;
  def.half_length = 0.5;
  def.half_size = pl_vec3_of(0.05, 0.4, 0.6);
  def.placement.position = pl_vec3_of(0.2, -0.1, 0.3);
  def.placement.rotation = pl_quat_from_rotation_vector(pl_vec3_of(0.5, 1.1, -0.4));
  pl_mesh *box = NULL, *surface = NULL;
  if (shape == PL_COLLIDER_MESH) {
    check_ok(pl_mesh_create_box(context, pl_vec3_of(0.1, 0.8, 1.2), (const int32_t[3]){1, 3, 4}, &box, &error), &error);
    check_ok(pl_mesh_build_boundary(context, box, &surface, NULL, &error), &error);
    def.mesh = surface;
  }
  pl_collider *collider = NULL;
  check_ok(pl_collider_create(context, &def, &collider, &error), &error);
  pl_mesh_destroy(box);
  pl_mesh_destroy(surface);
  return collider;
}

static double sampled_depth(const pl_collider *collider, const pl_vec3 c[3]) {
  double deepest = -HUGE_VAL;
  for (int i = 0; i <= SAMPLES; ++i)
    for (int j = 0; i + j <= SAMPLES; ++j) {
      double u = (double)i / SAMPLES, v = (double)j / SAMPLES;
      pl_vec3 p = pl_vec3_add_scaled(pl_vec3_add_scaled(pl_vec3_scale(c[0], 1 - u - v), c[1], u), c[2], v);
      deepest = fmax(deepest, -pl_collider_distance(collider, collider->placement, p, NULL));
    }
  return deepest;
}

// Convex forms are exact; a mesh is a box here, of which the distance is as convex.
static void the_deepest_place_is_found(void **state) {
  (void)state;
  static const char *const NAMES[] = {"", "half-space", "sphere", "capsule", "box", "mesh"};
  for (int shape = PL_COLLIDER_HALF_SPACE; shape <= PL_COLLIDER_MESH; ++shape) {
    pl_context *context = make_context(1);
    pl_collider *collider = make(context, (pl_collider_shape)shape);
    pl_random random = pl_random_of_seed(5);
    double missed = 0;
    int found = 0;
    for (int n = 0; n < TRIANGLES; ++n) {
      pl_vec3 c[3], normal;
      double weights[3], size = n % 3 == 0 ? 0.05 : 0.6;
      pl_vec3 at = pl_vec3_add(collider->placement.position, random_vec(&random, 0.6));
      for (int k = 0; k < 3; ++k) c[k] = pl_vec3_add(at, random_vec(&random, size));
      double expected = sampled_depth(collider, c);
      double depth = pl_collider_triangle_depth(collider, collider->placement, c, -0.1, weights, &normal);
      if (depth == -HUGE_VAL) {
        // It said that it is no deeper than -0.1.
        check_at_most(expected, -0.1 + 1e-9);
        continue;
      }
      ++found;
      missed = fmax(missed, (expected - depth) / size);
      // The place that it names is as deep, and the normal is that of the distance there.
      pl_vec3 p = pl_vec3_scale(c[0], weights[0]), along;
      p = pl_vec3_add_scaled(pl_vec3_add_scaled(p, c[1], weights[1]), c[2], weights[2]);
      check_near(-pl_collider_distance(collider, collider->placement, p, &along), depth, 1e-12);
      check_near(pl_vec3_distance(along, normal), 0, 1e-9);
      check_near(weights[0] + weights[1] + weights[2], 1, 1e-12);
    }
    print_message("%s: %d of %d triangles near, at most %.2g of their size less deep than samples\n", NAMES[shape],
                  found, TRIANGLES, missed);
    assert_true(found > TRIANGLES / 10);
    check_at_most(missed, 1e-4);
    pl_collider_destroy(context, collider);
    drop_context(context);
  }
}

static void triangles_without_area_do_no_harm(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_collider *collider = make(context, PL_COLLIDER_SPHERE);
  pl_vec3 at = collider->placement.position, normal;
  const pl_vec3 point[3] = {at, at, at}, line[3] = {at, pl_vec3_add(at, pl_vec3_of(1, 0, 0)), at};
  double weights[3];
  check_near(pl_collider_triangle_depth(collider, collider->placement, point, 0, weights, &normal), 0.2, 1e-12);
  double depth = pl_collider_triangle_depth(collider, collider->placement, line, 0, weights, &normal);
  assert_true(depth <= 0.2 && depth > 0.19);
  pl_collider_destroy(context, collider);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_deepest_place_is_found),
      cmocka_unit_test(triangles_without_area_do_no_harm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
