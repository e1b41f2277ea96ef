// Poses survive being written with their tets and read back; broken ones are reported by name.
// ctest: unit
#define _XOPEN_SOURCE 700
#include <unistd.h>

#include "fixtures/mesh_file.h"
#include "pliant/math.h"

static const char *const NAMES[3] = {"bend", "50% \"up\" <& left>", "\xC3\xA4rger 2"};

static pl_mesh *make_posed(pl_context *context) {
  pl_mesh *box = NULL, *mesh = NULL;
  pl_error error = {0};
  check_ok(pl_mesh_create_box(context, pl_vec3_of(1, 2, 3), (int32_t[3]){1, 2, 2}, &box, &error), &error);
  pl_mesh_view view = pl_mesh_get_view(box);
  static pl_vec3 points[3][18];
  pl_mesh_pose poses[3];
  assert_int_equal(view.point_count, 18);
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i < 18; ++i) points[k][i] = pl_vec3_add(view.points[i], pl_vec3_of(0.1 * k, sin(i), i * i / 7.0));
    poses[k] = (pl_mesh_pose){NAMES[k], points[k]};
  }
  static int32_t tags[64];
  for (int i = 0; i < 64; ++i) tags[i] = i % 3 + 1;
  view.tet_tags = tags;
  view.pose_count = 3;
  view.poses = poses;
  check_ok(pl_mesh_create(context, &view, &mesh, &error), &error);
  pl_mesh_destroy(box);
  return mesh;
}

static void poses_come_back_with_their_names(void **state) {
  (void)state;
  static const char *const endings[] = {"vtu", "vtk"};
  for (int e = 0; e < 2; ++e) {
    char folder[] = "/tmp/pliant-pose-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/posed.%s", folder, endings[e]);
    pl_context *context = make_context(1);
    pl_mesh *mesh = make_posed(context), *back = NULL;
    pl_error error = {0};
    check_ok(pl_mesh_save(context, path, mesh, &error), &error);
    check_ok(pl_mesh_load(context, path, &back, NULL, &error), &error);
    unlink(path);
    rmdir(folder);
    pl_mesh_view a = pl_mesh_get_view(mesh), b = pl_mesh_get_view(back);
    assert_int_equal(b.pose_count, 3);
    assert_int_equal(b.tet_count, a.tet_count);
    assert_memory_equal(b.points, a.points, (size_t)a.point_count * sizeof *a.points);
    for (int k = 0; k < 3; ++k) {
      assert_string_equal(b.poses[k].name, NAMES[k]);
      for (int32_t i = 0; i < a.point_count; ++i)
        check_near(pl_vec3_distance(a.poses[k].points[i], b.poses[k].points[i]), 0, 1e-14 * 60);
    }
    pl_mesh_destroy(back);
    pl_mesh_destroy(mesh);
    drop_context(context);
  }
}

#define VTK_HEAD                                                                                                    \
  "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 3 float\n0 0 0 1 0 0 0 1 0\nCELLS 1 4\n" \
  "3 0 1 2\nCELL_TYPES 1\n5\n"

static void legacy_files_of_others_bring_poses_among_other_data(void **state) {
  (void)state;
  mesh_file file = open_text(VTK_HEAD
                             "POINT_DATA 3\nVECTORS speed float\n1 2 3 4 5 6 7 8 nan\nFIELD FieldData 2\n"
                             "heat 1 3 double\n1 2 3\npose:up%20now 3 3 double\n0 0 1 0 0 2 0 0 3\n");
  assert_int_equal(file.view.pose_count, 1);
  assert_string_equal(file.view.poses[0].name, "up now");
  assert_true(file.view.poses[0].points[1].x == 1 && file.view.poses[0].points[2].z == 3);
  close_mesh(&file);
  // What a mesh has no use for may look like anything.
  static const char *const odd[] = {
      "POINT_DATA three\n",           "POINT_DATA 3\nSCALARS s bit\n1 0 1\n", "POINT_DATA 3\nVECTORS v",
      "POINT_DATA 3\nFIELD f 9\na 1", "POINT_DATA 3\nVECTORS v float\n1 2",   "POINT_DATA 4\nVECTORS pose:a float\n1"};
  for (size_t i = 0; i < sizeof odd / sizeof odd[0]; ++i) {
    char text[600];
    snprintf(text, sizeof text, VTK_HEAD "%s", odd[i]);
    file = open_text(text);
    assert_int_equal(file.view.pose_count, 0);
    close_mesh(&file);
  }
  check_refused(VTK_HEAD "POINT_DATA 3\nVECTORS pose:a float\n1 2 3\n", PL_ERROR_INVALID_DATA, 0, 0, "");
  check_refused(VTK_HEAD "POINT_DATA 3\nVECTORS pose:a float\n1 2 3 4 5 6 7 8 x\n", PL_ERROR_INVALID_DATA, 13, 17, "");
  check_refused(VTK_HEAD
                "POINT_DATA 3\nVECTORS pose:a float\n1 2 3 4 5 6 7 8 9\nVECTORS pose:a float\n1 2 3 4 5 6 7 8 9\n",
                PL_ERROR_INVALID_DATA, 0, 0, "'a' is given twice");
}

#define PIECE(data)                                                                                               \
  "<Piece NumberOfPoints=\"2\" NumberOfCells=\"1\"><Points><DataArray type=\"Float32\" NumberOfComponents=\"3\">" \
  "0 0 0 1 0 0</DataArray></Points><Cells><DataArray type=\"Int32\" Name=\"connectivity\">0 1</DataArray>"        \
  "<DataArray type=\"Int32\" Name=\"offsets\">2</DataArray><DataArray type=\"UInt8\" "                            \
  "Name=\"types\">3</DataArray></Cells>"                                                                          \
  "<PointData><DataArray type=\"String\" Name=\"odd\">x</DataArray>" data "</PointData></Piece>"
#define VTU(pieces) "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid>" pieces "</UnstructuredGrid></VTKFile>"
#define POSE(name, values) \
  "<DataArray type=\"Float64\" Name=\"pose:" name "\" NumberOfComponents=\"3\">" values "</DataArray>"

static void pieces_without_a_pose_stay_at_rest(void **state) {
  (void)state;
  mesh_file file = open_text(VTU(PIECE("") PIECE(POSE("a", "0 1 0 0 2 0")) PIECE("")));
  assert_int_equal(file.view.point_count, 6);
  assert_int_equal(file.view.pose_count, 1);
  static const double heights[6] = {0, 0, 1, 2, 0, 0};
  for (int i = 0; i < 6; ++i) {
    assert_true(file.view.poses[0].points[i].y == heights[i]);
    assert_true(file.view.poses[0].points[i].x == i % 2);
  }
  close_mesh(&file);
  check_refused(VTU(PIECE(POSE("a", "0 1 0 0 2"))), PL_ERROR_INVALID_DATA, 0, 0, "");
  check_refused(VTU(PIECE(POSE("a", "0 1 0 0 2 nan"))), PL_ERROR_INVALID_DATA, 0, 0, "");
  check_refused(VTU(PIECE(POSE("a", "0 1 0 0 2 0") POSE("a", "0 1 0 0 2 0"))), PL_ERROR_INVALID_DATA, 0, 0,
                "given twice");
}

static void too_many_poses_are_left_out(void **state) {
  (void)state;
  char *text = malloc(100000), *at = text + sprintf(text, VTK_HEAD "POINT_DATA 3\n");
  for (int i = 0; i < 70; ++i) at += sprintf(at, "VECTORS pose:p%d float\n0 0 0 0 0 0 0 0 1\n", i);
  mesh_file file = open_text(text);
  assert_int_equal(file.view.pose_count, 64);
  assert_true(has_finding(&file, "too-many-poses"));
  close_mesh(&file);
  free(text);
}

static void running_out_of_memory_leaves_nothing_behind(void **state) {
  (void)state;
  static const char *const texts[] = {VTU(PIECE("") PIECE(POSE("a", "0 1 0 0 2 0")) PIECE("")),
                                      VTK_HEAD "POINT_DATA 3\nVECTORS pose:a float\n1 2 3 4 5 6 7 8 9\n"};
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  int64_t live = allocator.live_count;
  for (int t = 0; t < 2; ++t) {
    pl_status status = PL_ERROR_OUT_OF_MEMORY;
    for (int64_t n = 1; status < 0; ++n) {
      pl_mesh *mesh = NULL;
      pl_error error = {0};
      allocator.fail_at = allocator.call_count + n;
      status = pl_mesh_load_memory(context, &(pl_memory_source){texts[t], strlen(texts[t]), "memory", NULL}, &mesh,
                                   NULL, &error);
      allocator.fail_at = 0;
      if (status < 0) assert_int_equal(status, PL_ERROR_OUT_OF_MEMORY);
      pl_mesh_destroy(mesh);
      assert_int_equal(allocator.live_count, live);
    }
  }
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(poses_come_back_with_their_names),
      cmocka_unit_test(legacy_files_of_others_bring_poses_among_other_data),
      cmocka_unit_test(pieces_without_a_pose_stay_at_rest),
      cmocka_unit_test(too_many_poses_are_left_out),
      cmocka_unit_test(running_out_of_memory_leaves_nothing_behind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
