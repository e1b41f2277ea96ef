// STL as several tools write it, text and binary.
// ctest: unit
#include "fixtures/mesh_file.h"

static byte_buffer make_binary(const char *head, bool closed) {
  // The four faces of a tet, each corner written out.
  static const float corner[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  static const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  byte_buffer b = {0};
  char padded[80] = {0};
  memcpy(padded, head, strlen(head));
  put_bytes(&b, padded, 80);
  put_integer(&b, closed ? 4 : 1, 4);
  for (int f = 0; f < (closed ? 4 : 1); ++f) {
    for (int k = 0; k < 3; ++k) put_float(&b, k == 2 ? -1.0f : 0.0f);
    for (int c = 0; c < 3; ++c)
      for (int k = 0; k < 3; ++k)
        put_float(&b, corner[faces[f][c]][k] == 0 && f % 2 == 1 ? -0.0f : corner[faces[f][c]][k]);
    put_integer(&b, 0xABCD, 2);
  }
  return b;
}

static void corners_are_joined_and_their_order_is_reported(void **state) {
  (void)state;
  byte_buffer b = make_binary("MW 1.0 PLACEHOLDER", true);
  mesh_file file = open_bytes(b.bytes, b.size);
  assert_int_equal(file.view.point_count, 4);
  assert_int_equal(file.view.triangle_count, 4);
  assert_int_equal(file.view.source_count, 12);
  for (int i = 0; i < 12; ++i) assert_int_equal(file.view.point_of_source[i], file.view.triangles[i]);
  check_near(flat_area(&file.view), 0, 1e-7);  // closed: the normals cancel
  assert_true(has_finding(&file, "stl-order"));
  close_mesh(&file);
}

static void a_binary_file_that_begins_with_solid_is_binary(void **state) {
  (void)state;
  byte_buffer b = make_binary("solid SolidWorks export", true);
  assert_int_equal(pl_mesh_format_detect(b.bytes, b.size), PL_MESH_FORMAT_STL);
  mesh_file file = open_bytes(b.bytes, b.size);
  assert_int_equal(file.view.triangle_count, 4);
  close_mesh(&file);
}

static void materialise_colours_in_the_head_are_passed_over(void **state) {
  (void)state;
  byte_buffer b = make_binary("COLOR=\x10\x20\x30\xFF,MATERIAL=", true);
  mesh_file file = open_bytes(b.bytes, b.size);
  assert_int_equal(file.view.triangle_count, 4);
  close_mesh(&file);
}

static void openscad_text_is_read(void **state) {
  (void)state;
  mesh_file file = open_text(
      "solid OpenSCAD_Model\n  facet normal 0 0 1\n    outer loop\n      vertex 0 0 1\n      vertex 1 0 1\n      "
      "vertex 1 1 1\n    "
      "endloop\n"
      "  endfacet\n  facet normal 0 0 1\n    outer loop\n      vertex 0 0 1\n      vertex 1 1 1\n      vertex 0 1 1\n  "
      "  endloop\n "
      " endfacet\n"
      "endsolid OpenSCAD_Model\n");
  assert_int_equal(file.view.point_count, 4);
  check_near(flat_area(&file.view), 1, 1e-12);
  close_mesh(&file);
}

static void several_solids_capitals_and_bad_normals_are_read(void **state) {
  (void)state;
  mesh_file file = open_text(
      "SOLID ascii by ProE\r\n FACET NORMAL -1.#IND nan 0\r\n  OUTER LOOP\r\n   VERTEX 0.0e+000 0 0\r\n   VERTEX 1D0 0 "
      "0\r\n   "
      "VERTEX 0 1 0\r\n"
      "  ENDLOOP\r\n ENDFACET\r\nENDSOLID\r\nsolid vertex name\r\nfacet normal 0 0 1 outer loop vertex 5 0 0 vertex 6 "
      "0 0 vertex 5 "
      "1 0 endloop endfacet\r\n"
      "endsolid vertex name");
  assert_int_equal(file.view.point_count, 6);
  assert_int_equal(file.view.triangle_count, 2);
  check_point(&file, 1, 1, 0, 0);
  close_mesh(&file);
}

static void mistakes_are_reported_with_their_place(void **state) {
  (void)state;
  check_refused("solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nendloop\nendfacet\nendsolid\n",
                PL_ERROR_INVALID_DATA, 6, 1, "2 vertices");
  check_refused("solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 x\n", PL_ERROR_INVALID_DATA, 4, 12, "\"x\"");
  check_refused("solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 nan\n", PL_ERROR_INVALID_DATA, 4, 1,
                "not a number");
  check_refused("solid a\nfoo\n", PL_ERROR_INVALID_DATA, 2, 1, "\"foo\"");
  check_refused("solid a\n", PL_ERROR_INVALID_DATA, 2, 1, "cut off");
  byte_buffer b = make_binary("x", true);
  check_refused_bytes(b.bytes, b.size - 1, PL_ERROR_INVALID_DATA, 0, 0, "byte 84");
  b.bytes[84 + 12 + 3] = 0x7F;
  b.bytes[84 + 12 + 2] = 0xC0;
  check_refused_bytes(b.bytes, b.size, PL_ERROR_INVALID_DATA, 0, 0, "byte 96");
}

static void a_damaged_file_never_crashes(void **state) {
  (void)state;
  byte_buffer b = make_binary("x", true);
  assert_int_equal(check_truncations(b.bytes, b.size), 0);
  check_survives(b.bytes, b.size);
  const char *text =
      "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 "
      "0\nendloop\nendfacet\nendsolid\n";
  check_survives(text, strlen(text));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(corners_are_joined_and_their_order_is_reported),
      cmocka_unit_test(a_binary_file_that_begins_with_solid_is_binary),
      cmocka_unit_test(materialise_colours_in_the_head_are_passed_over),
      cmocka_unit_test(openscad_text_is_read),
      cmocka_unit_test(several_solids_capitals_and_bad_normals_are_read),
      cmocka_unit_test(mistakes_are_reported_with_their_place),
      cmocka_unit_test(a_damaged_file_never_crashes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
