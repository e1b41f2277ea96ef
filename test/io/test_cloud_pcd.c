// PCD in its three kinds of data, with the fields sensors write.
// ctest: unit
#include "fixtures/cloud_file.h"
#include "io/cloud_lzf.h"

#define HEAD(fields, size, type, count, points, data)                                                     \
  "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\nFIELDS " fields "\nSIZE " size "\nTYPE " type \
  "\nCOUNT " count "\nWIDTH " points "\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS " points "\nDATA " data "\n"

static const char plain[] = HEAD("x y z", "4 4 4", "F F F", "1 1 1", "3", "ascii") "0 0 0\n1 2 3\n-0.5 1e-3 nan\n";

static void plain_text_is_read_and_points_that_are_not_finite_are_counted(void **state) {
  (void)state;
  cloud_file file = open_cloud_text(plain);
  assert_int_equal(file.view.point_count, 2);
  assert_int_equal(file.view.dropped_count, 1);
  assert_true(says(file.findings, "points-dropped"));
  check_vector(file.view.points[1], 1, 2, 3);
  assert_null(file.view.normals);
  assert_null(file.view.colors);
  assert_null(file.view.cameras);
  close_cloud(&file);
}

static void text_colours_packed_as_float_and_as_integer_are_unpacked(void **state) {
  (void)state;
  // 4.2108e+06 is near the float whose bits are 0x4A808080; the integer 0x00FF8001 is 16744449.
  cloud_file file =
      open_cloud_text(HEAD("x y z rgb", "4 4 4 4", "F F F U", "1 1 1 1", "1", "ascii") "0 0 0 16744449\n");
  check_color(file.view.colors[0], 255, 128, 1);
  close_cloud(&file);
  uint32_t bits = 0x000A141E;
  float packed;
  memcpy(&packed, &bits, 4);
  char text[512];
  snprintf(text, sizeof text, "%s0 0 0 %.9g\n", HEAD("x y z rgb", "4 4 4 4", "F F F F", "1 1 1 1", "1", "ascii"),
           (double)packed);
  file = open_cloud_text(text);
  check_color(file.view.colors[0], 10, 20, 30);
  close_cloud(&file);
}

// A colour, a histogram of 3 values to pass over, double coordinates and normals.
static byte_buffer make_binary(void) {
  byte_buffer b = {0};
  put_text(&b, HEAD("rgba hist x y z normal_x normal_y normal_z", "4 2 8 8 8 4 4 4", "U U F F F F F F",
                    "1 3 1 1 1 1 1 1", "2", "binary"));
  for (int i = 0; i < 2; ++i) {
    put_integer(&b, 0xFF000000u | (uint32_t)i << 16 | 0x4020, 4);
    for (int k = 0; k < 3; ++k) put_integer(&b, 777, 2);
    for (int k = 0; k < 3; ++k) put_double(&b, 0.1 * k + i);
    put_float(&b, 0);
    put_float(&b, i == 0 ? 1.0f : NAN);
    put_float(&b, 0);
  }
  return b;
}

static void binary_rows_with_other_fields_between_are_read(void **state) {
  (void)state;
  byte_buffer b = make_binary();
  cloud_file file = open_cloud(b.bytes, b.size);
  assert_int_equal(file.view.point_count, 2);
  check_vector(file.view.points[1], 1, 1.1, 1.2);
  check_vector(file.view.normals[0], 0, 1, 0);
  check_vector(file.view.normals[1], 0, 0, 0);
  check_color(file.view.colors[1], 1, 64, 32);
  close_cloud(&file);
}

// x of all points, then y, then z: x by literals, y as a repetition of x, z as one long repetition of zeros.
static byte_buffer make_packed(void) {
  byte_buffer b = {0}, packed = {0};
  put_text(&b, HEAD("x y z", "4 4 4", "F F F", "1 1 1", "6", "binary_compressed"));
  put_integer(&packed, 23, 1);  // 24 literals
  for (int i = 0; i < 6; ++i) put_float(&packed, (float)i + 0.5f);
  put_integer(&packed, 7 << 5, 1);  // 2 + 7 + 15 = 24 bytes from 24 back
  put_integer(&packed, 15, 1);
  put_integer(&packed, 23, 1);
  put_integer(&packed, 0, 1);  // one literal zero, repeated 2 + 7 + 14 = 23 times
  put_integer(&packed, 0, 1);
  put_integer(&packed, 7 << 5, 1);
  put_integer(&packed, 14, 1);
  put_integer(&packed, 0, 1);
  put_integer(&b, packed.size, 4);
  put_integer(&b, 72, 4);
  put_bytes(&b, packed.bytes, packed.size);
  return b;
}

static void compressed_data_are_expanded_field_by_field(void **state) {
  (void)state;
  byte_buffer b = make_packed();
  cloud_file file = open_cloud(b.bytes, b.size);
  assert_int_equal(file.view.point_count, 6);
  for (int i = 0; i < 6; ++i) check_vector(file.view.points[i], i + 0.5, i + 0.5, 0);
  close_cloud(&file);
}

static void lzf_refuses_what_points_before_the_beginning_or_ends_early(void **state) {
  (void)state;
  unsigned char out[8];
  size_t slot = 99;
  const unsigned char good[] = {1, 'a', 'b', 1 << 5, 1};
  assert_true(pl_lzf_expand(good, sizeof good, out, 5, NULL));
  assert_memory_equal(out, "ababa", 5);
  assert_false(pl_lzf_expand(good, sizeof good, out, 6, &slot));
  assert_false(pl_lzf_expand(good, sizeof good, out, 4, &slot));
  assert_int_equal(slot, 3);
  assert_false(pl_lzf_expand(good, 4, out, 5, &slot));
  const unsigned char before[] = {1, 'a', 'b', 1 << 5, 2};
  assert_false(pl_lzf_expand(before, sizeof before, out, 5, &slot));
  const unsigned char early[] = {3, 'a', 'b'};
  assert_false(pl_lzf_expand(early, sizeof early, out, 4, &slot));
  assert_int_equal(slot, 0);
}

static void an_empty_cloud_is_read_with_a_warning(void **state) {
  (void)state;
  cloud_file file = open_cloud_text(HEAD("x y z", "4 4 4", "F F F", "1 1 1", "0", "ascii"));
  assert_int_equal(file.view.point_count, 0);
  assert_true(says(file.findings, "empty-cloud"));
  close_cloud(&file);
}

static void mistakes_are_reported_with_their_positions(void **state) {
  (void)state;
  check_text_refused("VERSION 0.7\nFIELDS x y z\nSIZE 4 4\n", 3, 9, "missing");
  check_text_refused("VERSION 0.7\nFIELDS x y z\nSIZE 4 9 4\n", 3, 8, "\"9\"");
  check_text_refused("VERSION 0.7\nFIELDS x y z\nTYPE F Q F\n", 3, 8, "I, U and F");
  check_text_refused("VERSION 0.7\nFIELDS x y x\n", 2, 12, "twice");
  check_text_refused("VERSION 0.7\nSIZE 8 8 8\nFIELDS x y z\n", 2, 1, "before FIELDS");
  check_text_refused("VERSION 0.7\nFIELDS x y\nPOINTS 0\nDATA ascii\n", 2, 7, "lack");
  check_text_refused("VERSION 0.7\nFIELDS x y z\nDATA ascii\n0 0 0\n", 4, 1, "number of points");
  check_text_refused("VERSION 0.7\nFIELDS x y z\nPOINTS -1\n", 3, 8, "number of points");
  check_text_refused("VERSION 0.7\nFELDS x y z\n", 2, 1, "FELDS");
  check_text_refused("VERSION 0.7\nFIELDS x y z\nPOINTS 1\nDATA zip\n", 4, 6, "binary_compressed");
  check_text_refused("VERSION 0.7\nFIELDS x y z\nPOINTS 1\nDATA ascii\n0 zero 0\n", 5, 3, "zero");
  check_text_refused("VERSION 0.7\nFIELDS x y z\nPOINTS 1000\nDATA ascii\n0 0 0\n", 5, 1, "points");
  check_text_refused("VERSION 0.7\nFIELDS x y z\nSIZE 2 4 4\nPOINTS 0\nDATA ascii\n", 2, 7, "field 1");
  check_text_refused("VERSION 0.7\nFIELDS x y z\n", 3, 1, "cut off");
  byte_buffer b = make_packed();
  check_cloud_refused(b.bytes, b.size - 1, PL_ERROR_INVALID_DATA, 0, 0, "packed data");
}

static void damaged_files_and_failing_memory_are_survived(void **state) {
  (void)state;
  check_cloud_survives(plain, strlen(plain));
  byte_buffer binary = make_binary(), packed = make_packed();
  check_cloud_survives(binary.bytes, binary.size);
  check_cloud_survives(packed.bytes, packed.size);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plain_text_is_read_and_points_that_are_not_finite_are_counted),
      cmocka_unit_test(text_colours_packed_as_float_and_as_integer_are_unpacked),
      cmocka_unit_test(binary_rows_with_other_fields_between_are_read),
      cmocka_unit_test(compressed_data_are_expanded_field_by_field),
      cmocka_unit_test(lzf_refuses_what_points_before_the_beginning_or_ends_early),
      cmocka_unit_test(an_empty_cloud_is_read_with_a_warning),
      cmocka_unit_test(mistakes_are_reported_with_their_positions),
      cmocka_unit_test(damaged_files_and_failing_memory_are_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
