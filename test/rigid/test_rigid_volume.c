// Mass, centre of mass and inertia of rigid shapes: closed forms against triangles, convex hulls against their
// definition.
// ctest: unit
#include "base/random.h"
#include "fixtures/rigid_bodies.h"
#include "math/mat3.h"
#include "mesh/convex_hull.h"
#include "rigid/rigid_model.h"

static double matrix_distance(pl_mat3 a, pl_mat3 b) {
  return pl_mat3_norm(pl_mat3_add(a, pl_mat3_scale(b, -1)));
}

static pl_rigid_volume volume_of_mesh(const pl_mesh *mesh, pl_vec3 origin) {
  pl_mesh_view view = pl_mesh_get_view(mesh);
  return pl_rigid_volume_of_triangles(view.points, view.triangles, view.triangle_count, origin);
}

// Distance of the inertia of a shape's triangles from its closed form, relative.
static double triangle_error(pl_context *context, pl_rigid_def *def, int32_t subdivisions) {
  pl_error error = {0};
  pl_mesh *mesh = NULL;
  def->subdivisions = subdivisions;
  check_ok(pl_rigid_shape_build(context, def, &mesh, &error), &error);
  pl_rigid_volume exact = pl_rigid_volume_of_shape(def), made = volume_of_mesh(mesh, (pl_vec3){0, 0, 0});
  pl_findings *findings = NULL;
  pl_mesh_check_report report;
  assert_int_equal(pl_mesh_check(context, mesh, findings, &report, &error), PL_OK);
  assert_int_equal(report.open_edge_count + report.non_manifold_edge_count + report.flipped_edge_count, 0);
  pl_mesh_destroy(mesh);
  assert_true(made.volume > 0);
  check_near(pl_vec3_length(made.center), 0, 1e-12);
  return fmax(matrix_distance(made.inertia, exact.inertia) / pl_mat3_norm(exact.inertia),
              fabs(made.volume / exact.volume - 1));
}

static void triangles_approach_the_closed_forms_at_second_order(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_rigid_def def = pl_default_rigid_def();
  def.radius = 0.3;
  def.half_length = 0.7;
  for (def.shape = PL_RIGID_SPHERE; def.shape <= PL_RIGID_CAPSULE; ++def.shape) {
    double coarse = triangle_error(context, &def, 3), fine = triangle_error(context, &def, 4);
    print_message("shape %d: relative error %.3g, %.3g\n", (int)def.shape, coarse, fine);
    check_near(coarse / fine, 4, 0.15);
  }
  def.shape = PL_RIGID_BOX;
  def.half_size = (pl_vec3){0.1, 0.5, 0.3};
  check_at_most(triangle_error(context, &def, 0), 1e-14);
  drop_context(context);
}

// A turned box far from the origin has the turned inertia of the box, and its centre there.
static void inertia_is_exact_far_from_the_origin(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_vec3 size = {0.2, 0.6, 1.0};
  double distances[] = {0, 5, 1000};
  for (int k = 0; k < 3; ++k) {
    pl_transform placement = {{distances[k], -distances[k], 2}, pl_quat_from_axis_angle((pl_vec3){1, 2, 3}, 0.7)};
    pl_mesh *box = NULL;
    check_ok(pl_mesh_create_box(context, size, (const int32_t[3]){2, 3, 4}, &box, &error), &error);
    pl_mesh_view view = pl_mesh_get_view(box);
    pl_vec3 points[60];
    for (int32_t i = 0; i < view.point_count; ++i) points[i] = pl_transform_apply(placement, view.points[i]);
    view.points = points;
    pl_mesh *placed = NULL;
    check_ok(pl_mesh_create(context, &view, &placed, &error), &error);
    for (int shape = PL_RIGID_MESH; shape <= PL_RIGID_HULL; ++shape) {
      pl_rigid_def def = pl_default_rigid_def();
      def.shape = (pl_rigid_shape)shape;
      def.mass = 12;
      pl_model *model = make_rigid(context, &def, placed);
      pl_rigid_report report;
      assert_int_equal(pl_rigid_get_report(model, &report), PL_OK);
      pl_mat3 r = pl_mat3_from_quat(placement.rotation);
      pl_mat3 own = pl_mat3_diagonal(0.36 + 1.0, 0.04 + 1.0, 0.04 + 0.36);
      pl_mat3 expected = pl_mat3_multiply(pl_mat3_multiply(r, own), pl_mat3_transpose(r));
      check_near(report.mass, 12, 1e-12);
      check_at_most(pl_vec3_distance(report.center, placement.position), 1e-12 * (1 + distances[k]));
      check_at_most(matrix_distance(report.inertia, expected), 1e-11 * (1 + distances[k]));
      pl_model_destroy(model);
    }
    pl_mesh_destroy(placed);
    pl_mesh_destroy(box);
  }
  drop_context(context);
}

// Every point inside, every edge twice and in both directions, and Euler's formula.
static void check_hull(pl_context *context, const pl_vec3 *points, int32_t count, double slack) {
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_error error = {0};
  pl_convex_hull hull;
  check_ok(pl_convex_hull_build(&arena, points, count, &hull, &error), &error);
  bool *used = PL_TAKE(&arena, bool, count);
  int32_t used_count = 0;
  for (int32_t t = 0; t < hull.triangle_count; ++t) {
    const int32_t *c = &hull.triangles[3 * t];
    pl_vec3 normal = pl_vec3_cross(pl_vec3_sub(points[c[1]], points[c[0]]), pl_vec3_sub(points[c[2]], points[c[0]]));
    normal = pl_vec3_normalize_or(normal, (pl_vec3){0, 0, 0});
    for (int32_t i = 0; i < count; ++i) check_at_most(pl_vec3_dot(normal, pl_vec3_sub(points[i], points[c[0]])), slack);
    for (int k = 0; k < 3; ++k) {
      used_count += !used[c[k]];
      used[c[k]] = true;
      int32_t twins = 0;
      for (int32_t o = 0; o < 3 * hull.triangle_count; ++o) {
        int32_t next = o % 3 == 2 ? o - 2 : o + 1;
        twins += hull.triangles[o] == c[(k + 1) % 3] && hull.triangles[next] == c[k];
      }
      assert_int_equal(twins, 1);
    }
  }
  assert_int_equal(hull.triangle_count, 2 * used_count - 4);
  pl_arena_destroy(&arena);
}

static void hulls_are_closed_and_contain_their_points(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(3);
  static pl_vec3 points[400];
  for (int round = 0; round < 30; ++round) {
    int32_t count = 4 + (int32_t)(350 * pl_random_unit(&random));
    for (int32_t i = 0; i < count; ++i) {
      pl_vec3 p = {pl_random_normal(&random), pl_random_normal(&random), pl_random_normal(&random)};
      if (round % 3 == 1) p = pl_vec3_normalize_or(p, p);                                 // all on the hull
      if (round % 3 == 2) p = (pl_vec3){floor(2 * p.x), floor(2 * p.y), floor(2 * p.z)};  // many in a plane, some twice
      points[i] = pl_vec3_add(pl_vec3_scale(p, 0.1), (pl_vec3){round, 0, 0});
    }
    check_hull(context, points, count, 3e-9);
  }
  // Nearly flat and nearly a line.
  for (int32_t i = 0; i < 200; ++i)
    points[i] =
        (pl_vec3){pl_random_normal(&random), 1e-5 * pl_random_normal(&random), 1e-3 * pl_random_normal(&random)};
  check_hull(context, points, 200, 1e-8);
  drop_context(context);
}

static void meshes_without_an_inside_are_refused(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_vec3 points[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  int32_t triangles[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
  pl_mesh_view view = {.point_count = 4, .points = points, .triangle_count = 3, .triangles = triangles};
  pl_rigid_def def = pl_default_rigid_def();
  pl_mesh *mesh = NULL;
  pl_model *model = NULL;
  check_ok(pl_mesh_create(context, &view, &mesh, &error), &error);
  assert_int_equal(pl_rigid_build(context, &def, mesh, &model, &error), PL_ERROR_INVALID_DATA);
  assert_non_null(strstr(error.text, "open"));
  def.shape = PL_RIGID_HULL;
  check_ok(pl_rigid_build(context, &def, mesh, &model, &error), &error);
  check_near(pl_model_get_report(model).mass, 1000.0 / 6, 1e-9);
  pl_model_destroy(model);
  pl_mesh_destroy(mesh);
  assert_int_equal(pl_rigid_build(context, &def, NULL, &model, &error), PL_ERROR_INVALID_ARGUMENT);
  for (int32_t i = 0; i < 12; i += 3) {
    int32_t swapped = triangles[i];
    triangles[i] = triangles[i + 1];
    triangles[i + 1] = swapped;
  }
  view.triangle_count = 4;
  def.shape = PL_RIGID_MESH;
  check_ok(pl_mesh_create(context, &view, &mesh, &error), &error);
  assert_int_equal(pl_rigid_build(context, &def, mesh, &model, &error), PL_ERROR_INVALID_DATA);
  assert_non_null(strstr(error.text, "inwards"));
  pl_mesh_destroy(mesh);
  points[3].z = 0;
  check_ok(pl_mesh_create(context, &view, &mesh, &error), &error);
  def.shape = PL_RIGID_HULL;
  assert_int_equal(pl_rigid_build(context, &def, mesh, &model, &error), PL_ERROR_INVALID_DATA);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

static void the_nth_allocation_may_fail(void **state) {
  (void)state;
  pl_error error = {0};
  for (int64_t n = 1; n < 200; ++n) {
    failing_allocator allocator = {0};
    pl_context *context = make_failing_context(&allocator);
    pl_mesh *mesh = NULL;
    check_ok(pl_mesh_create_box(context, (pl_vec3){1, 1, 1}, (const int32_t[3]){2, 2, 2}, &mesh, &error), &error);
    pl_rigid_def def = pl_default_rigid_def();
    def.shape = n % 2 ? PL_RIGID_HULL : PL_RIGID_SPHERE;
    allocator.fail_at = allocator.call_count + (n + 1) / 2;
    pl_model *model = NULL;
    pl_status status = pl_rigid_build(context, &def, mesh, &model, &error);
    assert_true(status == PL_OK || (status == PL_ERROR_OUT_OF_MEMORY && model == NULL));
    pl_model_destroy(model);
    pl_mesh_destroy(mesh);
    drop_context(context);
    assert_int_equal(allocator.live_count, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(triangles_approach_the_closed_forms_at_second_order),
      cmocka_unit_test(inertia_is_exact_far_from_the_origin),
      cmocka_unit_test(hulls_are_closed_and_contain_their_points),
      cmocka_unit_test(meshes_without_an_inside_are_refused),
      cmocka_unit_test(the_nth_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
