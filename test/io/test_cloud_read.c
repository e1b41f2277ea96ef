// Clouds as PLY and as rows of numbers.
// ctest: unit
#include "fixtures/cloud_file.h"

static const char ply_text[] =
    "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nproperty float "
    "nx\nproperty "
    "float "
    "ny\nproperty float nz\nproperty uchar red\nproperty uchar green\nproperty uchar blue\nelement face 1\nproperty "
    "list uchar int "
    "vertex_indices\nend_header\n0 0 0 0 0 1 255 0 51\nnan 0 0 0 0 1 0 0 0\n1 2 3 nan 0 1 0 102 0\n3 0 1 2\n";

static void ply_with_normals_colours_and_faces_is_read_as_points(void **state) {
  (void)state;
  cloud_file file = open_cloud_text(ply_text);
  assert_int_equal(file.view.point_count, 2);
  assert_int_equal(file.view.dropped_count, 1);
  check_vector(file.view.points[1], 1, 2, 3);
  check_vector(file.view.normals[0], 0, 0, 1);
  check_vector(file.view.normals[1], 0, 0, 0);
  check_color(file.view.colors[0], 255, 0, 51);
  check_color(file.view.colors[1], 0, 102, 0);
  close_cloud(&file);
}

static byte_buffer make_ply(bool big_endian) {
  byte_buffer b = {.big_endian = big_endian};
  put_text(&b, big_endian ? "ply\nformat binary_big_endian 1.0\n" : "ply\r\nformat binary_little_endian 1.0\r\n");
  put_text(&b,
           "element vertex 2\nproperty float red\nproperty double x\nproperty float green\nproperty double y\nproperty "
           "double z\n"
           "property float blue\nend_header\n");
  for (int i = 0; i < 2; ++i) {
    put_float(&b, 0.2f);
    put_double(&b, 1 + i);
    put_float(&b, 7.0f);
    put_double(&b, 2 + i);
    put_double(&b, 3 + i);
    put_float(&b, NAN);
  }
  return b;
}

static void binary_ply_of_both_byte_orders_is_read_and_colours_stay_in_range(void **state) {
  (void)state;
  for (int k = 0; k < 2; ++k) {
    byte_buffer b = make_ply(k == 1);
    cloud_file file = open_cloud(b.bytes, b.size);
    assert_int_equal(file.view.point_count, 2);
    check_vector(file.view.points[1], 2, 3, 4);
    check_color(file.view.colors[0], 51, 255, 0);
    assert_null(file.view.normals);
    close_cloud(&file);
  }
}

static void rows_parted_by_blanks_commas_and_semicolons_are_read(void **state) {
  (void)state;
  static const char *const texts[] = {"1 2 3\n4 5 6\n", "# made by hand\r\n1,2,3\r\n4,5,6",
                                      "//X Y Z\n2\n1;2;3\n\n4;5;6 # last\n",
                                      "x y z intensity\n1\t2 3 0.5\n4 5\t6 0.25\n"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
    cloud_file file = open_cloud_text(texts[i]);
    assert_int_equal(file.view.point_count, 2);
    check_vector(file.view.points[0], 1, 2, 3);
    check_vector(file.view.points[1], 4, 5, 6);
    assert_null(file.view.colors);
    close_cloud(&file);
  }
}

static void further_columns_are_colours_or_normals_by_their_numbers(void **state) {
  (void)state;
  cloud_file file = open_cloud_text("0 0 0 255 128 0 0 0 1\n1 1 1 0 0 0 0.6 0.8 0\nnan 0 0 0 0 0 0 0 0\n");
  assert_int_equal(file.view.dropped_count, 1);
  check_color(file.view.colors[0], 255, 128, 0);
  check_vector(file.view.normals[1], 0.6, 0.8, 0);
  close_cloud(&file);
  file = open_cloud_text("0 0 0 1 0 0\n1 1 1 0 1 0\n");
  check_vector(file.view.normals[1], 0, 1, 0);
  assert_null(file.view.colors);
  close_cloud(&file);
  file = open_cloud_text("0 0 0 0.5 0.1 0\n1 1 1 0 1 0\n");
  assert_null(file.view.normals);
  assert_null(file.view.colors);
  close_cloud(&file);
}

static void mistakes_are_reported_with_their_positions(void **state) {
  (void)state;
  check_text_refused("0 0 0\n1 2\n", 2, 1, "x, y and z");
  check_text_refused("0 0 0\n1 2 3 4\n", 2, 1, "the first has 3");
  check_text_refused("0 0 0\n1 two 3\n", 2, 3, "number");
  check_text_refused("x y z\nx y z\n", 2, 1, "number");
  check_text_refused("# nothing\n", 2, 1, "no row");
  check_text_refused("", 0, 0, "empty");
  check_cloud_refused("\x89PNG\0\0\0", 8, PL_ERROR_UNSUPPORTED, 0, 0, "PLY, PCD");
  check_text_refused("ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nend_header\n0 0\n",
                     3, 16, "x, y or z");
  check_text_refused(
      "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n0 a "
      "0\n",
      8, 3, "number");
}

static void a_file_that_is_not_there_is_not_found(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_cloud *cloud = NULL;
  assert_int_equal(pl_cloud_load(context, "/nowhere/at/all.ply", &cloud, NULL, NULL), PL_ERROR_NOT_FOUND);
  assert_null(cloud);
  pl_cloud_destroy(NULL);
  drop_context(context);
}

static void damaged_files_and_failing_memory_are_survived(void **state) {
  (void)state;
  check_cloud_survives(ply_text, strlen(ply_text));
  byte_buffer b = make_ply(true);
  check_cloud_survives(b.bytes, b.size);
  const char rows[] = "x y z\n0 0 0 255 128 0 0 0 1\n1 1 1 0 0 0 0.6 0.8 0\n";
  check_cloud_survives(rows, strlen(rows));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ply_with_normals_colours_and_faces_is_read_as_points),
      cmocka_unit_test(binary_ply_of_both_byte_orders_is_read_and_colours_stay_in_range),
      cmocka_unit_test(rows_parted_by_blanks_commas_and_semicolons_are_read),
      cmocka_unit_test(further_columns_are_colours_or_normals_by_their_numbers),
      cmocka_unit_test(mistakes_are_reported_with_their_positions),
      cmocka_unit_test(a_file_that_is_not_there_is_not_found),
      cmocka_unit_test(damaged_files_and_failing_memory_are_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
