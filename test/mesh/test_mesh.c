// A mesh is a faithful copy that refuses bad data by name; the box of tets fills its box; normals are what geometry
// says.
// ctest: unit
#include "check.h"
#include "pliant/math.h"
#include "pliant/mesh.h"

static const pl_vec3 CORNERS[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {2, 2, 2}};
static const pl_vec3 MOVED[5] = {{0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {0, 0, 2}, {2, 2, 3}};
static const int32_t SEGMENTS[2] = {0, 4};
static const int32_t TRIANGLES[6] = {0, 2, 1, 0, 1, 3};
static const int32_t TETS[4] = {0, 1, 2, 3};
static const int32_t TAGS[1] = {7};
static const float WEIGHTS[5] = {0, 0.25f, 0.5f, 0.75f, 1};
static const int32_t SOURCES[6] = {0, 1, 1, 2, 3, 4};

static pl_mesh_view whole_view(pl_mesh_group groups[1], pl_mesh_pose poses[1]) {
  groups[0] = (pl_mesh_group){"soft", WEIGHTS};
  poses[0] = (pl_mesh_pose){"raised", MOVED};
  return (pl_mesh_view){.point_count = 5,
                        .points = CORNERS,
                        .segment_count = 1,
                        .segments = SEGMENTS,
                        .triangle_count = 2,
                        .triangles = TRIANGLES,
                        .tet_count = 1,
                        .tets = TETS,
                        .tet_tags = TAGS,
                        .group_count = 1,
                        .groups = groups,
                        .pose_count = 1,
                        .poses = poses,
                        .source_count = 6,
                        .point_of_source = SOURCES};
}

static void a_mesh_is_a_copy_of_its_view(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_mesh_group groups[1];
  pl_mesh_pose poses[1];
  pl_mesh_view view = whole_view(groups, poses);
  pl_error error = {0};
  pl_mesh *mesh = NULL;
  check_ok(pl_mesh_create(context, &view, &mesh, &error), &error);
  assert_int_equal(pl_context_get_memory_report(context).block_count, 1);
  pl_mesh_view copy = pl_mesh_get_view(mesh);
  assert_ptr_not_equal(copy.points, view.points);
  assert_memory_equal(copy.points, CORNERS, sizeof CORNERS);
  assert_memory_equal(copy.segments, SEGMENTS, sizeof SEGMENTS);
  assert_memory_equal(copy.triangles, TRIANGLES, sizeof TRIANGLES);
  assert_memory_equal(copy.tets, TETS, sizeof TETS);
  assert_memory_equal(copy.tet_tags, TAGS, sizeof TAGS);
  assert_memory_equal(copy.groups[0].weights, WEIGHTS, sizeof WEIGHTS);
  assert_memory_equal(copy.poses[0].points, MOVED, sizeof MOVED);
  assert_memory_equal(copy.point_of_source, SOURCES, sizeof SOURCES);
  assert_int_equal(pl_mesh_find_pose(mesh, "raised"), 0);
  assert_int_equal(pl_mesh_find_pose(mesh, "soft"), -1);
  assert_int_equal(pl_mesh_find_group(mesh, "soft"), 0);
  assert_int_equal(pl_mesh_find_group(mesh, ""), -1);
  pl_mesh_destroy(mesh);
  pl_mesh_destroy(NULL);
  drop_context(context);
}

static void an_empty_mesh_is_a_mesh(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *mesh = NULL;
  check_ok(pl_mesh_create(context, &(pl_mesh_view){0}, &mesh, &error), &error);
  pl_mesh_view view = pl_mesh_get_view(mesh);
  assert_int_equal(view.point_count, 0);
  assert_null(view.points);
  assert_null(view.tets);
  assert_int_equal(pl_mesh_find_pose(mesh, "any"), -1);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

// Creating fails with `status` and its sentence holds `words`.
static void check_refused(pl_context *context, const pl_mesh_view *view, pl_status status, const char *words) {
  pl_error error = {0};
  pl_mesh *mesh = (pl_mesh *)&error;
  assert_int_equal(pl_mesh_create(context, view, &mesh, &error), status);
  assert_null(mesh);
  if (strstr(error.text, words) == NULL) fail_msg("'%s' is not in '%s'", words, error.text);
  assert_int_equal(pl_mesh_create(context, view, NULL, NULL), status);
}

static void bad_data_is_refused_by_name(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_mesh_group groups[1];
  pl_mesh_pose poses[1];
  const pl_mesh_view good = whole_view(groups, poses);
  pl_mesh_view view = good;
  int32_t indices[6] = {0, 2, 1, 0, 5, 3};
  view.triangles = indices;
  check_refused(context, &view, PL_ERROR_INVALID_DATA, "triangle 1 names point 5");
  view = good;
  indices[1] = -1;
  view.segments = indices;
  check_refused(context, &view, PL_ERROR_INVALID_DATA, "segment 0 names point -1");
  view = good;
  indices[1] = 2;
  indices[2] = 99;
  view.tets = indices;
  check_refused(context, &view, PL_ERROR_INVALID_DATA, "tet 0 names point 99");
  view = good;
  view.point_of_source = indices;
  check_refused(context, &view, PL_ERROR_INVALID_DATA, "source vertex 2");
  pl_vec3 points[5];
  memcpy(points, CORNERS, sizeof points);
  points[3].y = (double)NAN;
  view = good;
  view.points = points;
  check_refused(context, &view, PL_ERROR_INVALID_DATA, "point 3");
  view = good;
  poses[0].points = points;
  check_refused(context, &view, PL_ERROR_INVALID_DATA, "pose 'raised'");
  view = whole_view(groups, poses);
  float weights[5] = {0, 0, 0, 0, 1.5f};
  groups[0].weights = weights;
  check_refused(context, &view, PL_ERROR_INVALID_DATA, "group 'soft'");
  view = whole_view(groups, poses);
  view.tet_count = INT32_MAX / 4 + 1;
  check_refused(context, &view, PL_ERROR_INVALID_ARGUMENT, "too many");
  view.tet_count = -1;
  check_refused(context, &view, PL_ERROR_INVALID_ARGUMENT, "negative");
  view.tet_count = 1;
  view.tets = NULL;
  check_refused(context, &view, PL_ERROR_INVALID_ARGUMENT, "NULL");
  view = whole_view(groups, poses);
  poses[0].name = NULL;
  check_refused(context, &view, PL_ERROR_INVALID_ARGUMENT, "pose 0");
  drop_context(context);
}

static double tet_volume(const pl_mesh_view *view, int32_t t) {
  const pl_vec3 *p = view->points;
  const int32_t *i = &view->tets[4 * t];
  return pl_vec3_dot(pl_vec3_cross(pl_vec3_sub(p[i[1]], p[i[0]]), pl_vec3_sub(p[i[2]], p[i[0]])),
                     pl_vec3_sub(p[i[3]], p[i[0]])) /
         6;
}

static void tets_of_a_box_are_positive_and_fill_it(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *mesh = NULL;
  check_ok(pl_mesh_create_box(context, pl_vec3_of(1, 2, 3), (int32_t[3]){3, 2, 5}, &mesh, &error), &error);
  pl_mesh_view view = pl_mesh_get_view(mesh);
  assert_int_equal(view.point_count, 4 * 3 * 6);
  assert_int_equal(view.tet_count, 5 * 30);
  double volume = 0, min = HUGE_VAL;
  for (int32_t t = 0; t < view.tet_count; ++t) {
    volume += tet_volume(&view, t);
    min = fmin(min, tet_volume(&view, t));
  }
  check_near(volume, 6, 1e-13);
  check_near(min, 6.0 / 30 / 6, 1e-14);
  pl_box box = pl_box_from_points(view.points, view.point_count);
  check_near(box.min.x, -0.5, 0);
  check_near(box.max.y, 1, 0);
  check_near(box.max.z, 1.5, 0);
  check_near(view.points[1].x - view.points[0].x, 1.0 / 3, 1e-15);  // x runs fastest
  check_near(view.points[4].y - view.points[0].y, 1.0, 1e-15);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

static void a_box_of_nothing_is_refused(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *mesh = NULL;
  assert_int_equal(pl_mesh_create_box(context, pl_vec3_of(1, 0, 1), (int32_t[3]){1, 1, 1}, &mesh, &error),
                   PL_ERROR_INVALID_ARGUMENT);
  assert_int_equal(pl_mesh_create_box(context, pl_vec3_of(1, (double)NAN, 1), (int32_t[3]){1, 1, 1}, &mesh, &error),
                   PL_ERROR_INVALID_ARGUMENT);
  assert_int_equal(pl_mesh_create_box(context, pl_vec3_of(1, 1, 1), (int32_t[3]){1, 0, 1}, &mesh, &error),
                   PL_ERROR_INVALID_ARGUMENT);
  assert_int_equal(pl_mesh_create_box(context, pl_vec3_of(1, 1, 1), (int32_t[3]){9999, 9999, 9999}, &mesh, &error),
                   PL_ERROR_INVALID_ARGUMENT);
  assert_null(mesh);
  drop_context(context);
}

static void normals_at_a_cube_corner_do_not_depend_on_the_cut(void **state) {
  (void)state;
  // Three unit squares that meet at the origin; the one in the xy plane is cut through the origin, the others are not.
  const pl_vec3 points[7] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 1, 1}, {0, 0, 1}, {1, 0, 1}};
  const int32_t triangles[18] = {0, 1, 2, 0, 2, 3, 0, 3, 5, 3, 4, 5, 0, 5, 1, 1, 5, 6};
  pl_vec3 normals[7];
  pl_normals_compute(points, 7, triangles, 6, normals);
  check_near(normals[0].x, 1 / sqrt(3), 1e-15);
  check_near(normals[0].y, 1 / sqrt(3), 1e-15);
  check_near(normals[0].z, 1 / sqrt(3), 1e-15);
  check_near(normals[2].z, 1, 1e-15);
}

static void normals_of_nothing_are_zero(void **state) {
  (void)state;
  const pl_vec3 points[4] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 1, 0}};
  const int32_t flat[3] = {0, 1, 2}, folded[6] = {0, 1, 3, 1, 0, 3};
  pl_vec3 normals[4];
  pl_normals_compute(points, 4, flat, 1, normals);
  for (int i = 0; i < 4; ++i) assert_true(pl_vec3_length(normals[i]) == 0);
  pl_normals_compute(points, 4, folded, 2, normals);
  for (int i = 0; i < 4; ++i) assert_true(pl_vec3_length(normals[i]) == 0);
  pl_box box = pl_box_from_points(NULL, 0);
  assert_true(box.min.x > box.max.x);
}

static void running_out_of_memory_is_a_status(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  int64_t live = allocator.live_count;
  pl_mesh_group groups[1];
  pl_mesh_pose poses[1];
  pl_mesh_view view = whole_view(groups, poses);
  for (int kind = 0; kind < 2; ++kind)
    for (int64_t n = 1;; ++n) {
      allocator.fail_at = allocator.call_count + n;
      pl_error error = {0};
      pl_mesh *mesh = NULL;
      pl_status status = kind == 0
                             ? pl_mesh_create(context, &view, &mesh, &error)
                             : pl_mesh_create_box(context, pl_vec3_of(1, 1, 1), (int32_t[3]){9, 9, 9}, &mesh, &error);
      if (status == PL_OK) {
        assert_true(n > 1);
        pl_mesh_destroy(mesh);
        assert_int_equal(allocator.live_count, live);
        break;
      }
      assert_int_equal(status, PL_ERROR_OUT_OF_MEMORY);
      assert_null(mesh);
      assert_int_equal(allocator.live_count, live);
    }
  allocator.fail_at = 0;
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_mesh_is_a_copy_of_its_view),
      cmocka_unit_test(an_empty_mesh_is_a_mesh),
      cmocka_unit_test(bad_data_is_refused_by_name),
      cmocka_unit_test(tets_of_a_box_are_positive_and_fill_it),
      cmocka_unit_test(a_box_of_nothing_is_refused),
      cmocka_unit_test(normals_at_a_cube_corner_do_not_depend_on_the_cut),
      cmocka_unit_test(normals_of_nothing_are_zero),
      cmocka_unit_test(running_out_of_memory_is_a_status),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
