// Clouds as PLY and as rows of numbers.
// ctest: unit
#include <zlib.h>

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

// --- NumPy --------------------------------------------------------------------------------------------------------

// Three points, the last one not finite, of floats in rows of four, or of doubles by columns.
static byte_buffer make_npy(bool columns) {
  static const double rows[3][4] = {{0, 1, 2, 9}, {3, 4, 5, 9}, {6, (double)NAN, 8, 9}};
  byte_buffer b = {0};
  put_text(&b, "\x93NUMPY");
  put_integer(&b, 1, 2);
  const char *head = columns ? "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 3), }          \n"
                             : "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }         \n";
  put_integer(&b, strlen(head), 2);
  put_text(&b, head);
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < (columns ? 3 : 4); ++k)
      if (columns)
        put_double(&b, rows[k][i]);
      else
        put_float(&b, (float)rows[i][k]);
  return b;
}

static void check_npy(const byte_buffer *b) {
  cloud_file file = open_cloud(b->bytes, b->size);
  assert_int_equal(file.view.point_count, 2);
  assert_int_equal(file.view.dropped_count, 1);
  check_vector(file.view.points[1], 3, 4, 5);
  close_cloud(&file);
  check_cloud_survives(b->bytes, b->size);
}

static void arrays_of_numpy_are_read_by_rows_and_by_columns(void **state) {
  (void)state;
  for (int columns = 0; columns < 2; ++columns) {
    byte_buffer b = make_npy(columns != 0);
    check_npy(&b);
  }
  byte_buffer flat = {0};
  static const char head[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }      \n";
  put_text(&flat, "\x93NUMPY");
  put_integer(&flat, 1, 2);
  put_integer(&flat, sizeof head - 1, 2);
  put_text(&flat, head);
  check_cloud_refused(flat.bytes, flat.size, PL_ERROR_INVALID_DATA, 0, 0, "not one of points");
}

static void put_entry(byte_buffer *b, bool directory, const char *name, size_t packed, size_t size, int method,
                      size_t offset) {
  put_text(b, directory ? "PK\x01\x02" : "PK\x03\x04");
  if (directory) put_integer(b, 20, 2);
  put_integer(b, 20, 2);
  put_integer(b, 0, 2);
  put_integer(b, (uint64_t)method, 2);
  for (int i = 0; i < 2; ++i) put_integer(b, 0, 4);  // time, checksum
  put_integer(b, packed, 4);
  put_integer(b, size, 4);
  put_integer(b, strlen(name), 2);
  put_integer(b, 0, 2);
  if (directory) {
    put_integer(b, 0, 8);
    put_integer(b, 0, 2);
    put_integer(b, offset, 4);
  }
  put_text(b, name);
}

// An array of something else goes first in the file; the points are packed or not.
static void the_points_of_an_npz_are_found(void **state) {
  (void)state;
  for (int method = 0; method <= 8; method += 8) {
    byte_buffer array = make_npy(false), b = {0};
    unsigned char packed[1000];
    size_t size = array.size;
    memcpy(packed, array.bytes, array.size);
    if (method == 8) {
      z_stream stream = {
          .next_in = array.bytes, .avail_in = (uInt)array.size, .next_out = packed, .avail_out = sizeof packed};
      assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
      assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
      size = stream.total_out;
      deflateEnd(&stream);
    }
    put_entry(&b, false, "note.npy", 3, 3, 0, 0);
    put_text(&b, "abc");
    size_t second = b.size;
    put_entry(&b, false, "points.npy", size, array.size, method, 0);
    for (size_t i = 0; i < size; ++i) put_integer(&b, packed[i], 1);
    size_t directory = b.size;
    put_entry(&b, true, "note.npy", 3, 3, 0, 0);
    put_entry(&b, true, "points.npy", size, array.size, method, second);
    size_t end = b.size;
    put_text(&b, "PK\x05\x06");
    put_integer(&b, 0, 4);
    put_integer(&b, 2, 2);
    put_integer(&b, 2, 2);
    put_integer(&b, end - directory, 4);
    put_integer(&b, directory, 4);
    put_integer(&b, 0, 2);
    check_npy(&b);
  }
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
      cmocka_unit_test(arrays_of_numpy_are_read_by_rows_and_by_columns),
      cmocka_unit_test(the_points_of_an_npz_are_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
