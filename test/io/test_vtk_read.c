// Legacy VTK files as several tools write them.
// ctest: unit
#include "fixtures/mesh_file.h"

static void old_text_grids_are_read(void **state) {
  (void)state;
  mesh_file file = open_text(
      "# vtk DataFile Version 2.0\ncube example, Created by Gmsh\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n0 "
      "0 0\n1 0 "
      "0\n0 1 0\n0 0 1\n1 1 1\n\n"
      "CELLS 4 17\n2 0 1\n3 0 2 1\n4 0 1 2 3\n4 1 2 3 4\n\nCELL_TYPES 4\n3\n5\n10\n10\n\nCELL_DATA 4\nSCALARS "
      "CellEntityIds int "
      "1\nLOOKUP_TABLE default\n1\n1\n1\n1\n");
  assert_int_equal(file.view.point_count, 5);
  assert_int_equal(file.view.segment_count, 1);
  assert_int_equal(file.view.triangle_count, 1);
  assert_int_equal(file.view.tet_count, 2);
  check_near(total_volume(&file.view), 0.5, 1e-12);
  close_mesh(&file);
}

static void paraview_5_1_text_with_metadata_is_read(void **state) {
  (void)state;
  mesh_file file = open_text(
      "# vtk DataFile Version 5.1\r\nvtk output\r\nASCII\r\nDATASET UNSTRUCTURED_GRID\r\nFIELD FieldData 1\r\nTIME 1 1 "
      "double\r\n0.5\r\nMETADATA\r\nINFORMATION 0\r\n\r\n"
      "POINTS 4 float\r\n0 0 0 1 0 0 0 1 0 \r\n0 0 1 \r\nMETADATA\r\nINFORMATION 2\r\nNAME L2_NORM_RANGE LOCATION "
      "vtkDataArray\r\nDATA 2 0 1 \r\n\r\n"
      "CELLS 2 4\r\nOFFSETS vtktypeint64\r\n0 4 \r\nCONNECTIVITY vtktypeint64\r\n0 1 2 3 \r\nCELL_TYPES 1\r\n10\r\n");
  assert_int_equal(file.view.tet_count, 1);
  check_near(total_volume(&file.view), 1.0 / 6, 1e-12);
  close_mesh(&file);
}

static byte_buffer make_binary(bool is_new) {
  byte_buffer b = {.big_endian = true};
  put_text(&b, is_new ? "# vtk DataFile Version 5.1\nx\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 6 double\n"
                      : "# vtk DataFile Version 4.2\nx\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 6 double\n");
  // A wedge in VTK's own orientation: the first triangle faces outward.
  static const double x[6][3] = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0, 0, 1}, {0, 1, 1}, {1, 0, 1}};
  for (int i = 0; i < 6; ++i)
    for (int k = 0; k < 3; ++k) put_double(&b, x[i][k]);
  if (is_new) {
    put_text(&b, "\nCELLS 2 6\nOFFSETS vtktypeint64\n");
    put_integer(&b, 0, 8);
    put_integer(&b, 6, 8);
    put_text(&b, "\nCONNECTIVITY vtktypeint64\n");
    for (uint64_t i = 0; i < 6; ++i) put_integer(&b, i, 8);
  } else {
    put_text(&b, "\nCELLS 1 7\n");
    put_integer(&b, 6, 4);
    for (uint64_t i = 0; i < 6; ++i) put_integer(&b, i, 4);
  }
  put_text(&b, "\nCELL_TYPES 1\n");
  put_integer(&b, 13, 4);
  put_text(&b, "\nPOINT_DATA 6\n");
  return b;
}

static void binary_grids_of_both_layouts_are_read_and_wedges_turned(void **state) {
  (void)state;
  for (int is_new = 0; is_new < 2; ++is_new) {
    byte_buffer b = make_binary(is_new == 1);
    mesh_file file = open_bytes(b.bytes, b.size);
    assert_int_equal(file.view.point_count, 6);
    assert_int_equal(file.view.tet_count, 3);
    check_near(total_volume(&file.view), 0.5, 1e-12);
    assert_true(has_finding(&file, "turned-tets"));
    close_mesh(&file);
  }
}

static void polydata_with_strips_polygons_and_lines_is_read(void **state) {
  (void)state;
  mesh_file file = open_text(
      "# vtk DataFile Version 3.0\npyvista\nASCII\nDATASET POLYDATA\nPOINTS 6 float\n0 0 0 1 0 0 1 1 0 0 1 0 2 0 0 2 1 "
      "0\nVERTICES "
      "1 2\n1 0\n"
      "LINES 1 4\n3 0 1 2\nPOLYGONS 1 5\n4 0 1 2 3\nTRIANGLE_STRIPS 1 5\n4 2 1 5 4\nPOINT_DATA 6\nNORMALS n float\n");
  assert_int_equal(file.view.segment_count, 2);
  assert_int_equal(file.view.triangle_count, 4);
  check_near(flat_area(&file.view), 2, 1e-12);
  close_mesh(&file);
}

static void voxels_pixels_and_quadratic_cells_are_read(void **state) {
  (void)state;
  mesh_file file = open_text(
      "# vtk DataFile Version 3.0\nmeshio\nascii\ndataset unstructured_grid\npoints 14 double\n0 0 0  1 0 0  0 1 0  1 "
      "1 0  0 0 1  "
      "1 0 1  0 1 1  1 1 1\n"
      "3 0 0  4 0 0  3 1 0  3.5 0 0  3.5 .5 0  3 .5 0\ncells 3 21\n8 0 1 2 3 4 5 6 7\n4 0 1 2 3\n6 8 9 10 11 12 "
      "13\ncell_types "
      "3\n11\n8\n22\n");
  assert_int_equal(file.view.tet_count, 6);
  check_near(total_volume(&file.view), 1, 1e-12);
  assert_int_equal(file.view.triangle_count, 3);
  check_near(flat_area(&file.view), 1.5, 1e-12);
  assert_int_equal(file.view.point_count, 11);
  close_mesh(&file);
}

static void mistakes_are_reported_with_their_place(void **state) {
  (void)state;
  const char *head = "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\n";
  char text[512];
  check_refused("# vtk DataFile Version 3.0\nx\nASCII\nDATASET STRUCTURED_POINTS\n", PL_ERROR_UNSUPPORTED, 4, 9,
                "STRUCTURED_POINTS");
  check_refused("# vtk DataFile Version 3.0\nx\nTEXT\n", PL_ERROR_INVALID_DATA, 3, 1, "ASCII or BINARY");
  snprintf(text, sizeof text, "%sPOINTS 1000000 float\n0 0 0\n", head);
  check_refused(text, PL_ERROR_INVALID_DATA, 5, 21, "bytes are left");
  snprintf(text, sizeof text, "%sPOINTS 1 float\n0 0 nan\n", head);
  check_refused(text, PL_ERROR_INVALID_DATA, 6, 1, "not a number");
  snprintf(text, sizeof text, "%sPOINTS 1 float\n0 0 0\nCELLS 1 5\n4 0 0 0 1\nCELL_TYPES 1\n10\n", head);
  check_refused(text, PL_ERROR_INVALID_DATA, 7, 1, "point 1, but points go from 0 to 0");
  snprintf(text, sizeof text, "%sPOINTS 1 float\n0 0 0\nCELLS 1 5\n9 0 0 0 0\nCELL_TYPES 1\n10\n", head);
  check_refused(text, PL_ERROR_INVALID_DATA, 8, 1, "9 points");
  snprintf(text, sizeof text, "%sPOINTS 1 float\n0 0 0\nCELLS 1 4\n3 0 0 0\nCELL_TYPES 1\n10\n", head);
  check_refused(text, PL_ERROR_INVALID_DATA, 7, 1, "does not fit");
  snprintf(text, sizeof text, "%sPOINTS 1 float\n0 0 0\nCELLS 1 4\n3 0 0 0\n", head);
  check_refused(text, PL_ERROR_INVALID_DATA, 7, 1, "CELL_TYPES");
  snprintf(text, sizeof text, "%sFIELD f 1\na 3333 3333333333333333333 int\n", head);
  check_refused(text, PL_ERROR_INVALID_DATA, 0, 0, "out of range");
  byte_buffer b = make_binary(false);
  check_refused_bytes(b.bytes, 150, PL_ERROR_INVALID_DATA, 0, 0, "byte ");
}

static void a_damaged_file_never_crashes(void **state) {
  (void)state;
  for (int is_new = 0; is_new < 2; ++is_new) {
    byte_buffer b = make_binary(is_new == 1);
    check_survives(b.bytes, b.size);
  }
  const char *text =
      "# vtk DataFile Version 5.1\nx\nASCII\nDATASET POLYDATA\nPOINTS 3 float\n0 0 0 1 0 0 0 1 0\nPOLYGONS 2 "
      "3\nOFFSETS "
      "vtktypeint64\n0 3\nCONNECTIVITY vtktypeint64\n0 1 2\n";
  check_survives(text, strlen(text));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(old_text_grids_are_read),
      cmocka_unit_test(paraview_5_1_text_with_metadata_is_read),
      cmocka_unit_test(binary_grids_of_both_layouts_are_read_and_wedges_turned),
      cmocka_unit_test(polydata_with_strips_polygons_and_lines_is_read),
      cmocka_unit_test(voxels_pixels_and_quadratic_cells_are_read),
      cmocka_unit_test(mistakes_are_reported_with_their_place),
      cmocka_unit_test(a_damaged_file_never_crashes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
