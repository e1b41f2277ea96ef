// What is written is read back the same, in every format; and the content, not the name, decides how a file is read.
// ctest: unit
#define _XOPEN_SOURCE 700
#include <dirent.h>
#include <unistd.h>

#include "fixtures/mesh_file.h"

static char folder[] = "/tmp/pliant-mesh-XXXXXX";

static int make_folder(void **state) {
  (void)state;
  strcpy(folder, "/tmp/pliant-mesh-XXXXXX");
  return mkdtemp(folder) == NULL ? -1 : 0;
}

static int drop_folder(void **state) {
  (void)state;
  DIR *listing = opendir(folder);
  char path[512];
  for (struct dirent *entry; listing != NULL && (entry = readdir(listing)) != NULL;) {
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    if (entry->d_name[0] != '.') unlink(path);
  }
  if (listing != NULL) closedir(listing);
  return rmdir(folder);
}

static const pl_vec3 points[5] = {{0, 0, 0.1}, {1.0 / 3, 0, 0}, {0, 1e-7, 0.7}, {0, 123456.789, 1}, {-1, -1, -1.5e10}};
static const int32_t segments[4] = {0, 1, 3, 4}, triangles[6] = {0, 2, 1, 1, 2, 3}, tets[8] = {0, 1, 2, 3, 1, 2, 3, 4},
                     tags[2] = {5, -7};

static pl_mesh *make_mesh(pl_context *context, bool with_tets) {
  pl_mesh_view view = {.point_count = 5,
                       .points = points,
                       .segment_count = 2,
                       .segments = segments,
                       .triangle_count = 2,
                       .triangles = triangles};
  if (with_tets) {
    view.tet_count = 2;
    view.tets = tets;
    view.tet_tags = tags;
  }
  pl_mesh *mesh = NULL;
  pl_error error = {0};
  check_ok(pl_mesh_create(context, &view, &mesh, &error), &error);
  return mesh;
}

static void check_same_indices(const int32_t *a, const int32_t *b, int32_t count) {
  for (int32_t i = 0; i < count; ++i) assert_int_equal(a[i], b[i]);
}

static void every_format_gives_back_what_it_can_hold(void **state) {
  (void)state;
  static const struct {
    const char *name;
    pl_mesh_format format;
    bool has_tets, has_tags;
  } cases[] = {{"a.obj", PL_MESH_FORMAT_OBJ, false, false},   {"a.PLY", PL_MESH_FORMAT_PLY, false, false},
               {"a.msh", PL_MESH_FORMAT_GMSH, true, true},    {"a.vtk", PL_MESH_FORMAT_VTK, true, false},
               {"a.vtu", PL_MESH_FORMAT_VTU, true, false},    {"a.mesh", PL_MESH_FORMAT_MEDIT, true, true},
               {"a.node", PL_MESH_FORMAT_TETGEN, true, true}, {"a.inp", PL_MESH_FORMAT_ABAQUS, true, false}};
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *mesh = make_mesh(context, true);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, cases[i].name);
    check_ok(pl_mesh_save(context, path, mesh, &error), &error);
    pl_mesh *back = NULL;
    check_ok(pl_mesh_load(context, path, &back, NULL, &error), &error);
    pl_mesh_view view = pl_mesh_get_view(back);
    assert_int_equal(view.point_count, 5);
    assert_memory_equal(view.points, points, sizeof points);  // to the last bit
    assert_int_equal(view.segment_count, 2);
    check_same_indices(view.segments, segments, 4);
    assert_int_equal(view.triangle_count, 2);
    check_same_indices(view.triangles, triangles, 6);
    assert_int_equal(view.tet_count, cases[i].has_tets ? 2 : 0);
    if (cases[i].has_tets) check_same_indices(view.tets, tets, 8);
    if (cases[i].has_tags) check_same_indices(view.tet_tags, tags, 2);
    pl_mesh_destroy(back);
  }
  pl_mesh_destroy(mesh);
  drop_context(context);
}

// Nodes on edges: kept by what has a place for them, left out with their points by the others.
static void quadratic_tets_come_back(void **state) {
  (void)state;
  static const struct {
    const char *name;
    bool keeps;
  } cases[] = {{"q.msh", true}, {"q.vtk", true},   {"q.vtu", true},
               {"q.inp", true}, {"q.mesh", false}, {"q.node", false}};
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *box = NULL, *mesh = NULL;
  check_ok(pl_mesh_create_box(context, (pl_vec3){1, 2, 3}, (const int32_t[3]){2, 1, 1}, &box, &error), &error);
  check_ok(pl_mesh_build_quadratic(context, box, &mesh, &error), &error);
  pl_mesh_view few = pl_mesh_get_view(box), all = pl_mesh_get_view(mesh);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, cases[i].name);
    check_ok(pl_mesh_save(context, path, mesh, &error), &error);
    pl_mesh *back = NULL;
    check_ok(pl_mesh_load(context, path, &back, NULL, &error), &error);
    pl_mesh_view view = pl_mesh_get_view(back), wanted = cases[i].keeps ? all : few;
    assert_int_equal(view.point_count, wanted.point_count);
    assert_memory_equal(view.points, wanted.points, (size_t)wanted.point_count * sizeof(pl_vec3));
    check_same_indices(view.tets, wanted.tets, 4 * wanted.tet_count);
    assert_true((view.tet_mids != NULL) == cases[i].keeps);
    if (cases[i].keeps) check_same_indices(view.tet_mids, all.tet_mids, 6 * all.tet_count);
    pl_mesh_destroy(back);
  }
  pl_mesh_destroy(mesh);
  pl_mesh_destroy(box);
  drop_context(context);
}

static void stl_gives_back_the_triangles_in_single_precision(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *mesh = make_mesh(context, false), *back = NULL;
  char path[128];
  snprintf(path, sizeof path, "%s/a.stl", folder);
  check_ok(pl_mesh_save(context, path, mesh, &error), &error);
  check_ok(pl_mesh_load(context, path, &back, NULL, &error), &error);
  pl_mesh_view view = pl_mesh_get_view(back);
  assert_int_equal(view.triangle_count, 2);
  for (int i = 0; i < 6; ++i) {
    pl_vec3 p = view.points[view.triangles[i]], q = points[triangles[i]];
    check_near(p.x, (double)(float)q.x, 0);
    check_near(p.y, (double)(float)q.y, 0);
    check_near(p.z, (double)(float)q.z, 0);
  }
  pl_mesh_destroy(back);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

static void tets_alone_are_written_as_their_boundary_where_only_surfaces_fit(void **state) {
  (void)state;
  static const pl_vec3 corners[6] = {{9, 9, 9}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
  static const int32_t two_tets[8] = {1, 2, 3, 4, 2, 3, 4, 5};
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *mesh = NULL, *back = NULL;
  check_ok(
      pl_mesh_create(context, &(pl_mesh_view){.point_count = 6, .points = corners, .tet_count = 2, .tets = two_tets},
                     &mesh, &error),
      &error);
  char path[128];
  snprintf(path, sizeof path, "%s/a.obj", folder);
  check_ok(pl_mesh_save(context, path, mesh, &error), &error);
  check_ok(pl_mesh_load(context, path, &back, NULL, &error), &error);
  pl_mesh_view view = pl_mesh_get_view(back);
  assert_int_equal(view.point_count, 6);  // all points, in their order
  assert_memory_equal(view.points, corners, sizeof corners);
  assert_int_equal(view.triangle_count, 6);
  // Divergence theorem: the closed outward surface encloses the tets' volume.
  double volume = 0;
  for (int32_t i = 0; i < 6; ++i) {
    pl_vec3 a = view.points[view.triangles[3 * i]], b = view.points[view.triangles[3 * i + 1]],
            c = view.points[view.triangles[3 * i + 2]];
    volume += (a.x * (b.y * c.z - b.z * c.y) - a.y * (b.x * c.z - b.z * c.x) + a.z * (b.x * c.y - b.y * c.x)) / 6;
  }
  check_near(volume, 0.5, 1e-12);
  pl_mesh_destroy(back);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

static void older_tetgen_files_next_to_it_are_replaced(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  char path[128];
  snprintf(path, sizeof path, "%s/a.node", folder);
  for (int with_tets = 1; with_tets >= 0; --with_tets) {
    pl_mesh *mesh = make_mesh(context, with_tets == 1), *back = NULL;
    check_ok(pl_mesh_save(context, path, mesh, &error), &error);
    check_ok(pl_mesh_load(context, path, &back, NULL, &error), &error);
    assert_int_equal(pl_mesh_get_view(back).tet_count, 2 * with_tets);
    pl_mesh_destroy(back);
    pl_mesh_destroy(mesh);
  }
  drop_context(context);
}

static void an_unknown_ending_or_an_empty_surface_is_refused(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *mesh = NULL;
  check_ok(pl_mesh_create(context, &(pl_mesh_view){.point_count = 1, .points = points}, &mesh, &error), &error);
  assert_int_equal(pl_mesh_save(context, "/tmp/none.xyz", mesh, &error), PL_ERROR_UNSUPPORTED);
  assert_non_null(strstr(error.text, ".ply"));
  assert_int_equal(pl_mesh_save(context, "/tmp/none.stl", mesh, &error), PL_ERROR_INVALID_ARGUMENT);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

static void the_name_does_not_matter_for_reading(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_mesh *mesh = make_mesh(context, false), *back = NULL;
  char ply[128], wrong[128];
  snprintf(ply, sizeof ply, "%s/a.ply", folder);
  snprintf(wrong, sizeof wrong, "%s/a.obj", folder);
  check_ok(pl_mesh_save(context, ply, mesh, &error), &error);
  assert_int_equal(rename(ply, wrong), 0);
  check_ok(pl_mesh_load(context, wrong, &back, NULL, &error), &error);
  assert_int_equal(pl_mesh_get_view(back).triangle_count, 2);
  pl_mesh_destroy(back);
  pl_mesh_destroy(mesh);
  drop_context(context);
}

static void formats_are_recognised_by_their_content(void **state) {
  (void)state;
  static const struct {
    const char *text;
    pl_mesh_format format;
  } cases[] = {
      {"# c\n\n  v 0 0 0\n", PL_MESH_FORMAT_OBJ},
      {"mtllib a.mtl\n", PL_MESH_FORMAT_OBJ},
      {"ply\nformat ascii 1.0\n", PL_MESH_FORMAT_PLY},
      {"solid x\n", PL_MESH_FORMAT_STL},
      {"$MeshFormat\n", PL_MESH_FORMAT_GMSH},
      {"$Comments\n$EndComments\n$MeshFormat\n", PL_MESH_FORMAT_GMSH},
      {"# c\n4 3 0 0\n", PL_MESH_FORMAT_TETGEN},
      {"4  4  1\n", PL_MESH_FORMAT_TETGEN},
      {"# vtk DataFile Version 3.0\n", PL_MESH_FORMAT_VTK},
      {"<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\">", PL_MESH_FORMAT_VTU},
      {"# x\nMeshVersionFormatted 1\n", PL_MESH_FORMAT_MEDIT},
      {"{\"asset\":{\"version\":\"2.0\"}}", PL_MESH_FORMAT_GLTF},
      {"glTF\2", PL_MESH_FORMAT_GLB},
      {"{\"bodies\":[]}", PL_MESH_FORMAT_UNKNOWN},
      {"<html></html>", PL_MESH_FORMAT_UNKNOWN},
      {"\x89PNG\r\n\x1a\n", PL_MESH_FORMAT_UNKNOWN},
      {"0.5 0.5 0.5\n", PL_MESH_FORMAT_UNKNOWN},
      {"plywood", PL_MESH_FORMAT_UNKNOWN},
      {"solidity", PL_MESH_FORMAT_UNKNOWN},
      {"", PL_MESH_FORMAT_UNKNOWN},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    pl_mesh_format format = pl_mesh_format_detect(cases[i].text, strlen(cases[i].text));
    if (format != cases[i].format) fail_msg("\"%s\" was taken for %s", cases[i].text, pl_mesh_format_name(format));
  }
  assert_string_equal(pl_mesh_format_name(PL_MESH_FORMAT_VTU), "vtu");
  assert_string_equal(pl_mesh_format_name((pl_mesh_format)99), "unknown");
}

static void running_out_of_memory_leaves_no_file(void **state) {
  (void)state;
  static const char *const names[] = {"m.obj", "m.vtu", "m.node"};
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  pl_mesh *mesh = make_mesh(context, true);
  int64_t live_before = allocator.live_count;
  for (size_t i = 0; i < 3; ++i) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    for (int64_t n = 1;; ++n) {
      allocator.call_count = 0;
      allocator.fail_at = n;
      pl_error error = {0};
      pl_status status = pl_mesh_save(context, path, mesh, &error);
      assert_int_equal(allocator.live_count, live_before);
      if (status == PL_OK) break;
      assert_int_equal(status, PL_ERROR_OUT_OF_MEMORY);
      assert_int_equal(access(path, F_OK), -1);
    }
  }
  allocator.fail_at = 0;
  pl_mesh_destroy(mesh);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(every_format_gives_back_what_it_can_hold, make_folder, drop_folder),
      cmocka_unit_test_setup_teardown(quadratic_tets_come_back, make_folder, drop_folder),
      cmocka_unit_test_setup_teardown(stl_gives_back_the_triangles_in_single_precision, make_folder, drop_folder),
      cmocka_unit_test_setup_teardown(tets_alone_are_written_as_their_boundary_where_only_surfaces_fit, make_folder,
                                      drop_folder),
      cmocka_unit_test_setup_teardown(older_tetgen_files_next_to_it_are_replaced, make_folder, drop_folder),
      cmocka_unit_test(an_unknown_ending_or_an_empty_surface_is_refused),
      cmocka_unit_test_setup_teardown(the_name_does_not_matter_for_reading, make_folder, drop_folder),
      cmocka_unit_test(formats_are_recognised_by_their_content),
      cmocka_unit_test_setup_teardown(running_out_of_memory_leaves_no_file, make_folder, drop_folder),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
