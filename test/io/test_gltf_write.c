// Meshes written as GLB come back with the same points, poses, names and elements.
// ctest: unit
#define _GNU_SOURCE
#include "check.h"

#include <unistd.h>

#include "io/gltf.h"

static const pl_vec3 points[5] = {{0, 0, 0}, {1, 0, 0}, {0.1, 1, 0}, {0, 0, 1}, {-1e-3, 2, 3e5}};
static const pl_vec3 smile[5] = {{0, 0, 1}, {1, 0.25, 0}, {0.1, 1.7, 0}, {0, 0, 1}, {-1e-3, 2, 3e5}};
static const pl_vec3 frown[5] = {{0, 0, 0}, {1, 0, 0}, {0.1, 1, 0}, {0.3, 0, 1}, {4, 5, 6}};
static const int32_t triangles[6] = {0, 1, 2, 0, 2, 3};
static const int32_t segments[4] = {3, 4, 4, 0};

static pl_mesh *make_mesh(pl_context *context, int32_t pose_count) {
  static const pl_mesh_pose poses[2] = {{"smile \"wide\"", smile}, {"grün\n", frown}};
  pl_mesh_view view = {.point_count = 5,
                       .points = points,
                       .triangle_count = 2,
                       .triangles = triangles,
                       .segment_count = 2,
                       .segments = segments,
                       .pose_count = pose_count,
                       .poses = pose_count > 0 ? poses : NULL};
  pl_mesh *mesh = NULL;
  pl_error error = {0};
  check_ok(pl_mesh_create(context, &view, &mesh, &error), &error);
  return mesh;
}

static void check_points(const pl_vec3 *a, const pl_vec3 *b) {
  for (int i = 0; i < 5; ++i) {
    check_near(a[i].x, b[i].x, 6e-8 * fabs(b[i].x) + 1e-9);
    check_near(a[i].y, b[i].y, 6e-8 * fabs(b[i].y) + 1e-9);
    check_near(a[i].z, b[i].z, 6e-8 * fabs(b[i].z) + 1e-9);
  }
}

static void a_written_mesh_reads_back_the_same(void **state) {
  (void)state;
  char folder[] = "/tmp/pliant_glb_XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/m.glb", folder);
  pl_context *context = make_context(1);
  for (int32_t pose_count = 0; pose_count <= 2; ++pose_count) {
    pl_mesh *mesh = make_mesh(context, pose_count), *back = NULL;
    pl_error error = {0};
    check_ok(pl_gltf_write_mesh(context, path, mesh, &error), &error);
    static unsigned char bytes[65536];
    FILE *file = fopen(path, "rb");
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    check_ok(pl_gltf_read(context, bytes, size, path, NULL, &back, NULL, &error), &error);
    pl_mesh_view view = pl_mesh_get_view(back);
    assert_int_equal(view.point_count, 5);
    check_points(view.points, points);
    assert_int_equal(view.triangle_count, 2);
    assert_memory_equal(view.triangles, triangles, sizeof triangles);
    assert_int_equal(view.segment_count, 2);
    assert_memory_equal(view.segments, segments, sizeof segments);
    assert_int_equal(view.pose_count, pose_count);
    if (pose_count > 0) check_points(view.poses[0].points, smile);
    if (pose_count > 0) assert_string_equal(view.poses[0].name, "smile \"wide\"");
    if (pose_count > 1) check_points(view.poses[1].points, frown);
    if (pose_count > 1) assert_string_equal(view.poses[1].name, "grün\n");
    pl_mesh_destroy(mesh);
    pl_mesh_destroy(back);
  }
  drop_context(context);
  unlink(path);
  assert_int_equal(rmdir(folder), 0);  // and no temporary file was left
}

static void a_mesh_without_a_surface_is_refused(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_mesh *mesh = NULL;
  pl_error error = {0};
  check_ok(pl_mesh_create(context, &(pl_mesh_view){.point_count = 5, .points = points}, &mesh, &error), &error);
  assert_int_equal(pl_gltf_write_mesh(context, "/tmp/pliant_never.glb", mesh, &error), PL_ERROR_UNSUPPORTED);
  assert_int_not_equal(access("/tmp/pliant_never.glb", F_OK), 0);
  pl_mesh_destroy(mesh);
  pl_vec3 far[5] = {{1e39, 0, 0}};
  check_ok(pl_mesh_create(context,
                          &(pl_mesh_view){.point_count = 5, .points = far, .triangle_count = 2, .triangles = triangles},
                          &mesh, &error),
           &error);
  assert_int_equal(pl_gltf_write_mesh(context, "/tmp/pliant_never.glb", mesh, &error), PL_ERROR_INVALID_DATA);
  assert_int_not_equal(access("/tmp/pliant_never.glb", F_OK), 0);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

static void every_failed_allocation_leaves_nothing(void **state) {
  (void)state;
  char folder[] = "/tmp/pliant_glb_XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/m.glb", folder);
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  pl_mesh *mesh = make_mesh(context, 2);
  int64_t before = pl_context_get_memory_report(context).block_count;
  for (int64_t n = 1;; ++n) {
    pl_error error = {0};
    allocator.fail_at = allocator.call_count + n;
    pl_status status = pl_gltf_write_mesh(context, path, mesh, &error);
    bool failed = allocator.call_count >= allocator.fail_at;
    allocator.fail_at = 0;
    assert_int_equal(status, failed ? PL_ERROR_OUT_OF_MEMORY : PL_OK);
    assert_int_equal(pl_context_get_memory_report(context).block_count, before);
    if (!failed) break;
    assert_int_equal(rmdir(folder), 0);  // empty: no file, not even a temporary one
    assert_int_equal(access(folder, F_OK), -1);
    char again[] = "/tmp/pliant_glb_XXXXXX";
    assert_non_null(mkdtemp(again));
    memcpy(folder, again, sizeof again);
    snprintf(path, sizeof path, "%s/m.glb", folder);
  }
  pl_mesh_destroy(mesh);
  drop_context(context);
  unlink(path);
  rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_written_mesh_reads_back_the_same),
      cmocka_unit_test(a_mesh_without_a_surface_is_refused),
      cmocka_unit_test(every_failed_allocation_leaves_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
