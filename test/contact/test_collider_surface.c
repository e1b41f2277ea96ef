// The points and edges of colliders, and how deep a triangle may be in one while its corners are outside.
// ctest: unit failure
#include "contact/collider_surface.h"

#include "base/random.h"
#include "check.h"
#include "contact/collider_triangle.h"
#include "pliant/math.h"

static pl_collider *make(pl_context *context, const pl_collider_def *def) {
  pl_error error = {0};
  pl_collider *collider = NULL;
  check_ok(pl_collider_create(context, def, &collider, &error), &error);
  check_ok(pl_collider_surface_build(collider, &error), &error);
  return collider;
}

// All points are `radius` below the surface, also where the collider is in the course of a step.
static void points_lie_on_the_collider(void **state) {
  (void)state;
  for (int shape = PL_COLLIDER_SPHERE; shape <= PL_COLLIDER_MESH; ++shape) {
    pl_context *context = make_context(1);
    pl_error error = {0};
    pl_collider_def def = pl_default_collider_def((pl_collider_shape)shape);
    pl_mesh *box = NULL, *boundary = NULL;
    check_ok(pl_mesh_create_box(context, pl_vec3_of(0.6, 1, 1.4), (const int32_t[3]){2, 3, 3}, &box, &error), &error);
    check_ok(pl_mesh_build_boundary(context, box, &boundary, NULL, &error), &error);
    if (shape == PL_COLLIDER_MESH) def.mesh = boundary;
    pl_collider *collider = make(context, &def);
    pl_collider_surface *surface = collider->surface;
    pl_transform start = {{1, 2, 3}, pl_quat_from_rotation_vector(pl_vec3_of(0.5, 1.1, -0.4))};
    pl_transform end = {{1.1, 2, 3}, pl_quat_from_rotation_vector(pl_vec3_of(0.4, 1.1, -0.4))};
    pl_collider_surface_place(surface, start, end);
    for (int32_t i = 0; i < surface->form.point_count; ++i) {
      check_near(pl_collider_distance(collider, start, surface->motion.starts[i], NULL), -surface->radius, 1e-12);
      check_near(pl_collider_distance(collider, end, surface->motion.ends[i], NULL), -surface->radius, 1e-12);
    }
    assert_int_equal(surface->radius > 0, shape == PL_COLLIDER_SPHERE || shape == PL_COLLIDER_CAPSULE);
    if (shape == PL_COLLIDER_BOX) assert_int_equal(surface->tree.edge_count, 18);
    if (shape == PL_COLLIDER_BOX || shape == PL_COLLIDER_MESH) assert_true(surface->tree.is_closed);
    pl_collider_destroy(context, collider);
    pl_mesh_destroy(box);
    pl_mesh_destroy(boundary);
    drop_context(context);
  }
}

// No triangle whose corners are outside is deeper than the estimate, which is not far too large either.
static void sag_bounds_what_triangles_reach(void **state) {
  (void)state;
  static const pl_collider_shape SHAPES[] = {PL_COLLIDER_SPHERE, PL_COLLIDER_CAPSULE, PL_COLLIDER_BOX};
  for (int s = 0; s < 3; ++s)
    for (double size = 0.02; size < 0.5; size *= 3) {
      pl_context *context = make_context(1);
      pl_collider_def def = pl_default_collider_def(SHAPES[s]);
      def.radius = 0.5;
      pl_collider *collider = make(context, &def);
      double sag = pl_collider_surface_max_sag(collider->surface, size), deepest = 0;
      pl_random random = pl_random_of_seed(3);
      for (int n = 0; n < 20000; ++n) {
        // An equilateral triangle somewhere at the surface, with its corners pushed out.
        pl_vec3 p = {pl_random_between(&random, -1, 1), pl_random_between(&random, -1, 1),
                     pl_random_between(&random, -1, 1)};
        pl_vec3 c[3], normal, axis = pl_vec3_normalize_or(p, pl_vec3_of(0, 1, 0));
        pl_quat turn = pl_quat_from_axis_angle(axis, pl_random_between(&random, 0, 6.3));
        for (int k = 0; k < 3; ++k) {
          double angle = 2 * PL_PI * k / 3;
          pl_vec3 corner = pl_vec3_scale(pl_vec3_of(cos(angle), 0, sin(angle)), size / sqrt(3));
          c[k] = pl_vec3_add(p, pl_quat_rotate(turn, corner));
          double distance = pl_collider_distance(collider, collider->placement, c[k], &normal);
          if (distance < 0 || n % 2 == 0) c[k] = pl_vec3_add_scaled(c[k], normal, -distance);
        }
        double weights[3], longest = 0;
        for (int k = 0; k < 3; ++k) longest = fmax(longest, pl_vec3_distance(c[k], c[(k + 1) % 3]));
        if (longest > size) continue;
        deepest = fmax(deepest, pl_collider_triangle_depth(collider, collider->placement, c, 0, weights, &normal));
      }
      print_message("shape %d, triangles of %.2f m: at most %.5f m deep, estimated %.5f\n", SHAPES[s], size, deepest,
                    sag);
      check_at_most(deepest, 1.03 * sag);
      assert_true(deepest > 0.2 * sag);
      pl_collider_destroy(context, collider);
      drop_context(context);
    }
}

static void flat_and_hollow_points_have_no_sag(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *box = NULL, *boundary = NULL;
  check_ok(pl_mesh_create_box(context, pl_vec3_of(1, 1, 1), (const int32_t[3]){4, 4, 4}, &box, &error), &error);
  check_ok(pl_mesh_build_boundary(context, box, &boundary, NULL, &error), &error);
  pl_collider_def def = pl_default_collider_def(PL_COLLIDER_MESH);
  def.mesh = boundary;
  pl_collider *collider = make(context, &def);
  for (int32_t i = 0; i < collider->surface->form.point_count; ++i) {
    pl_vec3 p = collider->surface->form.rest_points[i];
    int sides = (fabs(p.x) > 0.49) + (fabs(p.y) > 0.49) + (fabs(p.z) > 0.49);
    double sag = pl_collider_surface_sag(collider->surface, i, 0.1);
    if (sides == 1)
      check_near(sag, 0, 1e-12);
    else
      assert_true(sag > 0.02);
  }
  pl_collider_destroy(context, collider);
  pl_mesh_destroy(box);
  pl_mesh_destroy(boundary);
  drop_context(context);
}

// The n-th allocation fails, for every n.
static void memory_may_run_out(void **state) {
  (void)state;
  pl_status status = PL_ERROR_OUT_OF_MEMORY;
  for (int64_t n = 1; status != PL_OK; ++n) {
    assert_true(n < 1000);
    failing_allocator allocator = {0};
    pl_context *context = make_failing_context(&allocator);
    pl_error error = {0};
    pl_collider_def def = pl_default_collider_def(PL_COLLIDER_BOX);
    pl_collider *collider = NULL;
    check_ok(pl_collider_create(context, &def, &collider, &error), &error);
    allocator.call_count = 0;
    allocator.fail_at = n;
    status = pl_collider_surface_build(collider, &error);
    if (status != PL_OK) assert_int_equal(status, PL_ERROR_OUT_OF_MEMORY);
    allocator.fail_at = 0;
    pl_collider_destroy(context, collider);
    drop_context(context);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_lie_on_the_collider),
      cmocka_unit_test(sag_bounds_what_triangles_reach),
      cmocka_unit_test(flat_and_hollow_points_have_no_sag),
      cmocka_unit_test(memory_may_run_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
