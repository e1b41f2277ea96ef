// Poses that are useless or harmful are reported by name, for tets and for surfaces.
// ctest: unit
#include "check.h"
#include "pliant/math.h"
#include "pliant/pose.h"

enum { POSES = 5 };
static const char *const NAMES[POSES] = {"still", "bent", "mirrored", "bent again", "fine"};

static pl_vec3 place(int pose, pl_vec3 p) {
  switch (pose) {
    case 0: return pl_vec3_add(p, pl_vec3_of(2, 0, 0));
    case 1:
    case 3: return pl_vec3_of(p.x + 0.3 * p.z * p.z, p.y, p.z);
    case 2: return pl_vec3_of(-p.x, p.y, p.z);
    default: return pl_vec3_of(1.2 * p.x, 0.9 * p.y, p.z);
  }
}

static void check_poses(pl_context *context, const pl_mesh *mesh) {
  pl_mesh_view view = pl_mesh_get_view(mesh);
  pl_mesh_pose poses[POSES];
  for (int k = 0; k < POSES; ++k) {
    pl_vec3 *points = malloc((size_t)view.point_count * sizeof *points);
    for (int32_t i = 0; i < view.point_count; ++i) points[i] = place(k, view.points[i]);
    poses[k] = (pl_mesh_pose){NAMES[k], points};
  }
  view.pose_count = POSES;
  view.poses = poses;
  pl_mesh *posed = NULL;
  pl_findings *findings = NULL;
  pl_error error = {0};
  check_ok(pl_mesh_create(context, &view, &posed, &error), &error);
  check_ok(pl_findings_create(context, &findings, &error), &error);
  assert_int_equal(pl_poses_check(context, posed, findings, &error), PL_REMARK_FINDINGS);
  static const struct {
    const char *kind, *name;
  } expected[] = {{"pose-equals-rest", "'still'"}, {"pose-mirrored", "'mirrored'"}, {"pose-repeated", "'bent again'"}};
  // A mirror image of a box is also the box again, point by point another one, so nothing else may be found.
  assert_int_equal(pl_findings_count(findings, PL_SEVERITY_NOTE), 3);
  for (int i = 0; i < 3; ++i) {
    const pl_finding *finding = pl_findings_get(findings, i);
    assert_string_equal(finding->kind, expected[i].kind);
    assert_non_null(strstr(finding->you_see, expected[i].name));
  }
  pl_findings_destroy(findings);
  pl_mesh_destroy(posed);
  for (int k = 0; k < POSES; ++k) free((void *)poses[k].points);
}

static void each_kind_of_bad_pose_is_reported_by_name(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_mesh *tets = NULL, *surface = NULL;
  pl_error error = {0};
  check_ok(pl_mesh_create_box(context, pl_vec3_of(1, 1, 2), (int32_t[3]){2, 2, 4}, &tets, &error), &error);
  check_ok(pl_mesh_build_boundary(context, tets, &surface, NULL, &error), &error);
  check_poses(context, tets);
  check_poses(context, surface);
  assert_int_equal(pl_poses_check(context, tets, NULL, &error), PL_OK);
  pl_mesh_destroy(tets);
  pl_mesh_destroy(surface);
  drop_context(context);
}

// What a sheet would enclose with some point changes its sign when the sheet bends to the other side, which is not a
// mirroring.
static void a_sheet_may_bend_to_either_side(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  const pl_vec3 points[6] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0.2}, {1, 1, 0.2}, {0, 2, 0}, {1, 2, 0}};
  const int32_t triangles[12] = {0, 1, 2, 1, 3, 2, 2, 3, 4, 3, 5, 4};
  pl_vec3 bent[6];
  for (int i = 0; i < 6; ++i) bent[i] = pl_vec3_of(points[i].x, points[i].y, -points[i].z);
  const pl_mesh_pose pose = {"other side", bent};
  pl_mesh_view view = {
      .point_count = 6, .points = points, .triangle_count = 4, .triangles = triangles, .pose_count = 1, .poses = &pose};
  pl_mesh *sheet = NULL;
  pl_error error = {0};
  check_ok(pl_mesh_create(context, &view, &sheet, &error), &error);
  pl_findings *findings = NULL;
  check_ok(pl_findings_create(context, &findings, &error), &error);
  check_ok(pl_poses_check(context, sheet, findings, &error), &error);
  assert_int_equal(pl_findings_count(findings, PL_SEVERITY_NOTE), 0);
  pl_findings_destroy(findings);
  pl_mesh_destroy(sheet);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_kind_of_bad_pose_is_reported_by_name),
                                     cmocka_unit_test(a_sheet_may_bend_to_either_side)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
