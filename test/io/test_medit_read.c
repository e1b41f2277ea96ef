// Medit files as several tools write them.
// ctest: unit
#include "fixtures/mesh_file.h"

static void mmg_files_with_required_entities_are_read(void **state) {
  (void)state;
  mesh_file file = open_text(
      "MeshVersionFormatted 2\n\n\nDimension 3\n\n\nVertices\n4\n0 0 0 0 \n1 0 0 0 \n0 1 0 0 \n0 0 1 0 "
      "\n\n\nRequiredVertices\n2\n1 \n3 \n\nTriangles\n1\n"
      "1 3 2 10 \n\nRidges\n1\n1\nTetrahedra\n1\n1 2 3 4 5 \n\nNormals\n1\n0 0 1 \n\nNormalAtVertices\n1\n1 1 "
      "\n\nEnd\n");
  assert_int_equal(file.view.point_count, 4);
  assert_int_equal(file.view.triangle_count, 1);
  assert_int_equal(file.view.tet_count, 1);
  assert_int_equal(file.view.tet_tags[0], 5);
  check_near(total_volume(&file.view), 1.0 / 6, 1e-12);
  close_mesh(&file);
}

static void gmsh_exports_with_leading_blanks_are_read(void **state) {
  (void)state;
  mesh_file file = open_text(
      " MeshVersionFormatted 2\n Dimension\n 3\n Vertices\n 4\n 0 0 0 1\n 1 0 0 1\n 0 1 0 1\n 0 0 1 1\n Edges\n 1\n 1 "
      "2 9\n "
      "Tetrahedra\n 1\n 1 2 3 4 1\n End");
  assert_int_equal(file.view.segment_count, 1);
  assert_int_equal(file.view.tet_count, 1);
  close_mesh(&file);
}

static void freefem_comments_capitals_and_fortran_exponents_are_read(void **state) {
  (void)state;
  mesh_file file = open_text(
      "\xEF\xBB\xBFMESHVERSIONFORMATTED1\r\n# written by FreeFem++\r\ndimension 3 # space\r\n\r\nVERTICES\r\n4\r\n0D0 "
      "0 0 "
      "0\r\n1.0d+00 0 0 0\r\n0 1E0 0 0\r\n"
      "0 0 1 0 # last\r\ntetrahedra 1 1 2 3 4 0\r\n");
  assert_int_equal(file.view.tet_count, 1);
  assert_null(file.view.tet_tags);
  check_point(&file, 1, 1, 0, 0);
  close_mesh(&file);
}

static void plane_meshes_get_a_zero_third_coordinate(void **state) {
  (void)state;
  mesh_file file = open_text(
      "MeshVersionFormatted 1\nDimension\n2\nVertices\n4\n0 0 1\n1 0 1\n1 1 1\n0 1 1\nQuadrilaterals\n1\n1 2 3 4 "
      "1\nEnd\n");
  assert_int_equal(file.view.triangle_count, 2);
  check_near(flat_area(&file.view), 1, 1e-12);
  close_mesh(&file);
}

static void hexotic_hexes_and_inria_prisms_are_cut(void **state) {
  (void)state;
  mesh_file file = open_text(
      "MeshVersionFormatted 2\nDimension 3\nVertices 10\n0 0 0 0\n1 0 0 0\n1 1 0 0\n0 1 0 0\n0 0 1 0\n1 0 1 0\n1 1 1 "
      "0\n0 1 1 0\n2 "
      ".5 0 0\n2 .5 1 0\n"
      "Hexahedra 1\n1 2 3 4 5 6 7 8 3\nPrisms 1\n2 9 3 6 10 7 4\nTetrahedraP2 0\nEnd\n");
  assert_int_equal(file.view.tet_count, 9);
  check_near(total_volume(&file.view), 1.5, 1e-12);
  assert_int_equal(file.view.tet_tags[0], 3);
  assert_int_equal(file.view.tet_tags[8], 4);
  close_mesh(&file);
}

static void mistakes_are_reported_with_their_place(void **state) {
  (void)state;
  check_refused_bytes("\1\0\0\0\2\0\0\0", 8, PL_ERROR_UNSUPPORTED, 0, 0, ".meshb");
  check_refused_bytes("\0\0\0\1\0\0\0\2", 8, PL_ERROR_UNSUPPORTED, 0, 0, ".meshb");
  check_refused("MeshVersionFormatted 2\nDimension 4\n", PL_ERROR_INVALID_DATA, 2, 12, "2 or 3");
  check_refused("MeshVersionFormatted 2\nDimension 3\nVertices\n99\n0 0 0 0\n", PL_ERROR_INVALID_DATA, 4, 3,
                "bytes are left");
  check_refused("MeshVersionFormatted 2\nDimension 3\nVertices\n1\n0 0 0 0\nEdges 1\n1 2 0\n", PL_ERROR_INVALID_DATA, 7,
                1, "point 2, but points go from 1 to 1");
  check_refused("MeshVersionFormatted 2\nDimension 3\nVertices\n1\n0 0 a 0\n", PL_ERROR_INVALID_DATA, 5, 5, "\"a\"");
  check_refused("MeshVersionFormatted 2\nDimension 3\nVertices\n1\n0 0 inf 0\n", PL_ERROR_INVALID_DATA, 5, 1,
                "infinite");
}

static void a_damaged_file_never_crashes(void **state) {
  (void)state;
  const char *text =
      "MeshVersionFormatted 2\nDimension 3\nVertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\nCorners 1 "
      "1\nTriangles\n1\n1 3 2 "
      "1\nTetrahedra\n1\n1 2 3 4 5\nEnd\n";
  check_survives(text, strlen(text));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mmg_files_with_required_entities_are_read),
      cmocka_unit_test(gmsh_exports_with_leading_blanks_are_read),
      cmocka_unit_test(freefem_comments_capitals_and_fortran_exponents_are_read),
      cmocka_unit_test(plane_meshes_get_a_zero_third_coordinate),
      cmocka_unit_test(hexotic_hexes_and_inria_prisms_are_cut),
      cmocka_unit_test(mistakes_are_reported_with_their_place),
      cmocka_unit_test(a_damaged_file_never_crashes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
