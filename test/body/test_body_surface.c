// The surface of a body: the boundary of its tets with one parent a point, or a finer surface that its tets carry;
// refusals and memory.
// ctest: unit
#include "body/body_surface.h"
#include "check.h"
#include "pliant/math.h"
#include "pliant/mesh.h"

// A box of 2 x 3 x 2 cells of tets, and a smaller box inside it.
typedef struct boxes {
  pl_mesh *mesh, *inner, *skin;
} boxes;

static boxes make_boxes(pl_context *context) {
  pl_error error = {0};
  boxes b = {0};
  check_ok(pl_mesh_create_box(context, pl_vec3_of(1, 1.5, 1), (const int32_t[3]){2, 3, 2}, &b.mesh, &error), &error);
  check_ok(pl_mesh_create_box(context, pl_vec3_of(0.7, 0.9, 0.8), (const int32_t[3]){4, 4, 4}, &b.inner, &error),
           &error);
  check_ok(pl_mesh_build_boundary(context, b.inner, &b.skin, NULL, &error), &error);
  return b;
}

static void drop_boxes(boxes *b) {
  pl_mesh_destroy(b->mesh);
  pl_mesh_destroy(b->inner);
  pl_mesh_destroy(b->skin);
}

// Every point of the surface is its parents' points weighted, also when they are moved affinely; the triangles refer to
// its points.
static void check_surface(const pl_mesh *mesh, const pl_contact_surface *surface, double tolerance) {
  pl_mesh_view view = pl_mesh_get_view(mesh);
  assert_int_equal(surface->particle_count, view.point_count);
  for (int32_t i = 0; i < 3 * surface->triangle_count; ++i)
    assert_in_range(surface->triangles[i], 0, surface->point_count - 1);
  for (int32_t i = 0; i < surface->point_count; ++i) {
    pl_vec3 found = {0, 0, 0};
    double sum = 0;
    for (int k = 0; k < 4; ++k) {
      assert_in_range(surface->parents[4 * i + k], 0, view.point_count - 1);
      double weight = (double)surface->weights[4 * i + k];
      found = pl_vec3_add(found, pl_vec3_scale(view.points[surface->parents[4 * i + k]], weight));
      sum += weight;
    }
    check_near(sum, 1, 1e-6);
    check_near(pl_vec3_distance(found, surface->rest_points[i]), 0, tolerance);
  }
}

static void points_of_the_boundary_are_particles(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  boxes b = make_boxes(context);
  pl_error error = {0};
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_contact_surface surface;
  check_ok(pl_body_surface_build(context, b.mesh, NULL, 0, &arena, &surface, &error), &error);
  assert_int_equal(surface.point_count, 3 * 4 * 3 - 2);  // all points of the box but the two inside
  assert_int_equal(surface.triangle_count, 2 * 2 * (2 * 3 + 3 * 2 + 2 * 2));  // two a cell of its six sides
  check_surface(b.mesh, &surface, 0);
  for (int32_t i = 0; i < surface.point_count; ++i) {
    assert_true(surface.weights[4 * i] == 1 && surface.weights[4 * i + 1] == 0);
    for (int k = 1; k < 4; ++k) assert_int_equal(surface.parents[4 * i + k], surface.parents[4 * i]);
  }
  pl_arena_destroy(&arena);
  drop_boxes(&b);
  drop_context(context);
}

static void a_finer_surface_is_carried_by_the_tets(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  boxes b = make_boxes(context);
  pl_error error = {0};
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_contact_surface surface;
  check_ok(pl_body_surface_build(context, b.mesh, b.skin, 0, &arena, &surface, &error), &error);
  pl_mesh_view skin = pl_mesh_get_view(b.skin);
  assert_int_equal(surface.point_count, skin.point_count);
  assert_int_equal(surface.triangle_count, skin.triangle_count);
  assert_memory_equal(surface.triangles, skin.triangles, 3 * (size_t)skin.triangle_count * sizeof(int32_t));
  check_surface(b.mesh, &surface, 1e-6);
  pl_arena_destroy(&arena);
  drop_boxes(&b);
  drop_context(context);
}

static void what_cannot_be_a_surface_is_refused(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  boxes b = make_boxes(context);
  pl_error error = {0};
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_contact_surface surface;
  // Points without triangles; and a surface that leaves the tets.
  pl_mesh *points = NULL;
  check_ok(
      pl_mesh_create(context, &(pl_mesh_view){.points = (const pl_vec3[]){{0, 0, 0}, {0.1, 0, 0}}, .point_count = 2},
                     &points, &error),
      &error);
  assert_int_equal(pl_body_surface_build(context, b.mesh, points, 0, &arena, &surface, &error), PL_ERROR_INVALID_DATA);
  assert_non_null(strstr(error.text, "no triangles"));
  assert_true(pl_body_surface_build(context, b.inner, b.mesh, 0, &arena, &surface, &error) < 0);
  pl_mesh_destroy(points);
  pl_arena_destroy(&arena);
  drop_boxes(&b);
  drop_context(context);
}

static void running_out_of_memory_leaves_nothing_behind(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  boxes b = make_boxes(context);
  for (int with_skin = 0; with_skin < 2; ++with_skin) {
    int64_t live = allocator.live_count;
    int failures = 0;
    for (pl_status status = PL_ERROR_OUT_OF_MEMORY; status != PL_OK; ++failures) {
      pl_error error = {0};
      pl_arena arena;
      pl_arena_init(&arena, context, 0);
      pl_contact_surface surface;
      allocator.call_count = 0;
      allocator.fail_at = failures + 1;
      status = pl_body_surface_build(context, b.mesh, with_skin ? b.skin : NULL, 0, &arena, &surface, &error);
      allocator.fail_at = 0;
      assert_true(status == PL_OK || status == PL_ERROR_OUT_OF_MEMORY);
      pl_arena_destroy(&arena);
      assert_int_equal(allocator.live_count, live);
    }
    assert_true(failures > 3);
  }
  drop_boxes(&b);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_of_the_boundary_are_particles),
      cmocka_unit_test(a_finer_surface_is_carried_by_the_tets),
      cmocka_unit_test(what_cannot_be_a_surface_is_refused),
      cmocka_unit_test(running_out_of_memory_leaves_nothing_behind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
