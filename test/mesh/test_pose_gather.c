// Meshes with named poses from a posed surface and from other files; what does not fit is reported by name.
// ctest: unit
#include "fixtures/posed_bars.h"

static pl_vec3 squeeze(pl_vec3 p, double amount) {
  return pl_vec3_of(p.x * amount, p.y, p.z);
}

static void poses_of_a_surface_become_poses_of_the_tets(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  bar b = bar_make(context, pl_vec3_of(1, 1, 4), 2, 2, 8);
  pl_vec3 *twisted = malloc((size_t)b.skin.point_count * sizeof *twisted);
  for (int32_t i = 0; i < b.skin.point_count; ++i) twisted[i] = bar_twist(b.skin.points[i], 1);
  bar_pose(&b, squeeze, 0.8);
  const pl_mesh_pose poses[2] = {{"twist", twisted}, {"squeeze", b.posed}};
  pl_mesh_view view = b.skin;
  view.pose_count = 2;
  view.poses = poses;
  pl_mesh *surface = sample_of_view(context, view), *made = NULL;
  pl_pose_def def = pl_default_pose_def();
  pl_pose_report reports[2], alone;
  pl_error error = {0};
  check_ok(pl_poses_from_surface(context, &def, &(pl_pose_target){b.tets, surface, NULL}, &made, reports, &error),
           &error);
  pl_mesh_view found = pl_mesh_get_view(made);
  assert_int_equal(found.pose_count, 2);
  assert_int_equal(found.tet_count, b.volume.tet_count);
  assert_int_equal(pl_mesh_find_pose(made, "twist"), 0);
  assert_int_equal(pl_mesh_find_pose(made, "squeeze"), 1);
  // The second is what it would have been alone: nothing of the first is left over.
  check_ok(pl_pose_fit(context, &def, &(pl_pose_target){b.tets, b.surface, b.posed}, b.points, &alone, &error), &error);
  assert_memory_equal(found.poses[1].points, b.points, (size_t)found.point_count * sizeof *b.points);
  assert_true(alone.residual_max == reports[1].residual_max && alone.iteration_count == reports[1].iteration_count);
  assert_true(reports[0].residual_max < 1e-3 && reports[0].inverted_count == 0);
  pl_mesh_destroy(made);
  pl_mesh_destroy(surface);
  free(twisted);
  bar_free(&b);
  drop_context(context);
}

static void poses_from_other_files_are_added_in_the_order_of_the_rest(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  const pl_vec3 rest[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, own[3] = {{0, 0, 1}, {1, 0, 1}, {0, 1, 1}};
  const int32_t triangle[3] = {0, 1, 2}, point_of_source[5] = {2, 0, 1, 1, 2};
  const pl_mesh_pose pose = {"own", own};
  pl_mesh *mesh = sample_of_view(context, (pl_mesh_view){.point_count = 3,
                                                         .points = rest,
                                                         .triangle_count = 1,
                                                         .triangles = triangle,
                                                         .pose_count = 1,
                                                         .poses = &pose,
                                                         .source_count = 5,
                                                         .point_of_source = point_of_source});
  const pl_vec3 by_point[3] = {{5, 0, 0}, {6, 0, 0}, {7, 0, 0}};
  const pl_vec3 by_source[5] = {{12, 0, 0}, {10, 0, 0}, {11, 0, 0}, {11, 0, 0}, {12, 0, 0}};
  const pl_pose_source sources[2] = {{"by point", 3, by_point}, {"by vertex", 5, by_source}};
  pl_mesh *made = NULL;
  pl_error error = {0};
  check_ok(pl_poses_from_points(context, mesh, sources, 2, &made, &error), &error);
  pl_mesh_view view = pl_mesh_get_view(made);
  assert_int_equal(view.pose_count, 3);
  assert_string_equal(view.poses[0].name, "own");
  for (int i = 0; i < 3; ++i) {
    assert_true(view.poses[1].points[i].x == 5 + i);
    assert_true(view.poses[2].points[i].x == 10 + i);
  }
  pl_mesh_destroy(made);
  const pl_pose_source wrong = {"too long", 4, by_source}, nameless = {"", 3, by_point};
  assert_int_equal(pl_poses_from_points(context, mesh, &wrong, 1, &made, &error), PL_ERROR_INVALID_DATA);
  assert_null(made);
  assert_non_null(strstr(error.text, "'too long' has 4 points"));
  assert_int_equal(pl_poses_from_points(context, mesh, &nameless, 1, &made, &error), PL_ERROR_INVALID_DATA);
  assert_non_null(strstr(error.text, "no name"));
  pl_mesh_destroy(mesh);
  drop_context(context);
}

static void running_out_of_memory_leaves_nothing_behind(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  bar b = bar_make(context, pl_vec3_of(1, 1, 1), 1, 1, 2);
  bar_pose(&b, squeeze, 0.7);
  const pl_mesh_pose pose = {"squeeze", b.posed};
  pl_mesh_view view = b.skin;
  view.pose_count = 1;
  view.poses = &pose;
  pl_mesh *surface = sample_of_view(context, view);
  const pl_pose_source source = {"squeeze", b.skin.point_count, b.posed};
  int64_t live = allocator.live_count;
  for (int kind = 0; kind < 2; ++kind) {
    pl_status status = PL_ERROR_OUT_OF_MEMORY;
    int64_t n = 0;
    while (status < 0) {
      pl_mesh *made = NULL;
      pl_pose_def def = pl_default_pose_def();
      pl_error error = {0};
      allocator.fail_at = allocator.call_count + ++n;
      status = kind == 0
                   ? pl_poses_from_surface(context, &def, &(pl_pose_target){b.tets, surface, NULL}, &made, NULL, &error)
                   : pl_poses_from_points(context, b.surface, &source, 1, &made, &error);
      allocator.fail_at = 0;
      if (status < 0) {
        assert_int_equal(status, PL_ERROR_OUT_OF_MEMORY);
        assert_null(made);
      }
      pl_mesh_destroy(made);
      assert_int_equal(allocator.live_count, live);
    }
    assert_true(n > 2);
  }
  pl_mesh_destroy(surface);
  bar_free(&b);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(poses_of_a_surface_become_poses_of_the_tets),
      cmocka_unit_test(poses_from_other_files_are_added_in_the_order_of_the_rest),
      cmocka_unit_test(running_out_of_memory_leaves_nothing_behind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
