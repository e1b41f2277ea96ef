// ctest: unit
// Markers from C3D of three processors, TRC and CSV; gaps, units, names; and files that are cut off or damaged.
#include "fixtures/cloud_file.h"
#include "pliant/markers.h"

typedef struct marker_file {
  pl_context *context;
  pl_markers *markers;
  pl_markers_view view;
} marker_file;

static marker_file open_markers(const void *bytes, size_t size) {
  marker_file file = {.context = make_context(1)};
  pl_error error = {0};
  check_ok(
      pl_markers_load_memory(file.context, &(pl_memory_source){bytes, size, "memory", NULL}, &file.markers, &error),
      &error);
  file.view = pl_markers_get_view(file.markers);
  return file;
}

static void close_markers(marker_file *file) {
  pl_markers_destroy(file->markers);
  drop_context(file->context);
}

static void check_markers_refused(const void *bytes, size_t size, pl_status expected, int32_t line, const char *word) {
  pl_context *context = make_context(1);
  pl_markers *markers = NULL;
  pl_error error = {0};
  pl_status status =
      pl_markers_load_memory(context, &(pl_memory_source){bytes, size, "memory", NULL}, &markers, &error);
  if (status != expected || markers != NULL) fail_msg("status %d instead of %d: %s", status, expected, error.text);
  if (line != 0 && error.line != line) fail_msg("line %d instead of %d: %s", error.line, line, error.text);
  if (strstr(error.text, word) == NULL) fail_msg("\"%s\" does not say \"%s\"", error.text, word);
  drop_context(context);
}

// --- C3D ----------------------------------------------------------------------------------------------------------

enum { BLOCK = 512, PARAMETERS = BLOCK, DATA = 3 * BLOCK, SIZE = 4 * BLOCK, INTEL = 84, DEC = 85, MIPS = 86 };

static void put_word(unsigned char *at, int processor, int value) {
  at[processor == MIPS ? 1 : 0] = (unsigned char)(value & 0xff);
  at[processor == MIPS ? 0 : 1] = (unsigned char)(value >> 8 & 0xff);
}

static void put_real(unsigned char *at, int processor, float value) {
  unsigned char bytes[4];
  if (processor == DEC) value *= 4;
  memcpy(bytes, &value, 4);  // of a machine with the low byte first
  for (int i = 0; i < 4; ++i)
    at[i] = processor == MIPS ? bytes[3 - i] : processor == DEC ? bytes[(i + 2) % 4] : bytes[i];
}

static unsigned char *put_record(unsigned char *at, int processor, const char *name, int id, const void *body,
                                 int size) {
  int length = (int)strlen(name);
  at[0] = (unsigned char)length;
  at[1] = (unsigned char)id;
  memcpy(at + 2, name, (size_t)length);
  put_word(at + 2 + length, processor, 2 + size);
  memcpy(at + 4 + length, body, (size_t)size);
  return at + 4 + length + size;
}

// Two markers, three frames, one analog sample; marker 2 is not seen in frame 1. Coordinates are 100 f + 10 i + k mm.
static void make_c3d(unsigned char bytes[SIZE], int processor, bool floats) {
  memset(bytes, 0, SIZE);
  bytes[0] = 2, bytes[1] = 0x50;
  put_word(bytes + 2, processor, 2);
  put_word(bytes + 4, processor, 1);
  put_word(bytes + 6, processor, 11);
  put_word(bytes + 8, processor, 13);
  put_real(bytes + 12, processor, floats ? -0.1f : 0.1f);
  put_word(bytes + 16, processor, DATA / BLOCK + 1);
  put_real(bytes + 20, processor, 99);
  unsigned char *at = bytes + PARAMETERS;
  at[2] = 2, at[3] = (unsigned char)processor;
  at += 4;
  static const unsigned char labels[] = "\xff\x02\x06\x02TIP   BASE  \0", units[] = "\xff\x01\x02mm\0", none[] = "\0";
  unsigned char rate[] = {4, 0, 0, 0, 0, 0, 0};
  put_real(rate + 2, processor, 100);
  // The group comes after one of its parameters, as the format allows.
  at = put_record(at, processor, "LABELS", 3, labels, 17);
  at = put_record(at, processor, "POINT", -3, none, 1);
  at = put_record(at, processor, "UNITS", 3, units, 6);
  at = put_record(at, processor, "RATE", 3, rate, 7);
  put_word(at - 7 - 2, processor, 0);
  at = bytes + DATA;
  for (int f = 0; f < 3; ++f) {
    for (int i = 0; i < 2; ++i)
      for (int k = 0; k < 4; ++k) {
        int value = 100 * f + 10 * i + k;
        if (k == 3) value = f == 1 && i == 1 ? -1 : 0;
        if (floats)
          put_real(at, processor, (float)value), at += 4;
        else
          put_word(at, processor, k == 3 ? value : 10 * value), at += 2;
      }
    at += floats ? 4 : 2;
  }
}

static void c3d_is_read_with_numbers_of_every_processor(void **state) {
  (void)state;
  for (int kind = 0; kind < 6; ++kind) {
    unsigned char bytes[SIZE];
    make_c3d(bytes, INTEL + kind / 2, kind % 2 == 1);
    marker_file file = open_markers(bytes, SIZE);
    assert_int_equal(file.view.marker_count, 2);
    assert_int_equal(file.view.frame_count, 3);
    assert_string_equal(file.view.names[0], "TIP");
    assert_string_equal(file.view.names[1], "BASE");
    assert_int_equal(pl_markers_find(file.markers, "BASE"), 1);
    check_near(file.view.rate, 100, 1e-12);
    check_vector(file.view.positions[0], 0, 0.001, 0.002);
    check_vector(file.view.positions[5], 0.21, 0.211, 0.212);
    assert_true(isnan(file.view.positions[3].x) && isnan(file.view.positions[3].y));
    assert_int_equal(file.view.missing_count, 1);
    close_markers(&file);
  }
}

// Cut off at every length and damaged at every byte of head and parameters: read, or refused with a sentence.
static void damaged_c3d_is_read_or_refused(void **state) {
  (void)state;
  unsigned char bytes[SIZE];
  pl_context *context = make_context(1);
  make_c3d(bytes, INTEL, true);
  for (int i = 0; i < SIZE + 700; ++i) {
    unsigned char *copy = malloc(SIZE);
    memcpy(copy, bytes, SIZE);
    size_t size = i < SIZE ? (size_t)i : SIZE;
    if (i >= SIZE) copy[i - SIZE] ^= 0xff;
    unsigned char *cut = malloc(size > 0 ? size : 1);
    memcpy(cut, copy, size);
    pl_markers *markers = NULL;
    pl_error error = {0};
    pl_status status =
        pl_markers_load_memory(context, &(pl_memory_source){cut, size, "memory", NULL}, &markers, &error);
    assert_true((status < 0) == (markers == NULL));
    assert_true(status >= 0 || error.text[0] != '\0');
    pl_markers_destroy(markers);
    free(cut);
    free(copy);
  }
  drop_context(context);
}

// --- text ---------------------------------------------------------------------------------------------------------

static const char trc[] =
    "PathFileType\t4\t(X/Y/Z)\tbeam.trc\n"
    "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames\n"
    "120.0\t120.0\t2\t2\tcm\t120.0\t1\t2\n"
    "Frame#\tTime\tTIP\t\t\tBASE\t\t\n"
    "\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n"
    "\n"
    "1\t0.000\t1\t2\t3\t4\t5\t6\n"
    "2\t0.008\t1.5\t2\t3\t\t\t\n";

static void trc_is_read_with_its_unit_and_gaps(void **state) {
  (void)state;
  marker_file file = open_markers(trc, sizeof trc - 1);
  assert_int_equal(file.view.marker_count, 2);
  assert_int_equal(file.view.frame_count, 2);
  assert_string_equal(file.view.names[1], "BASE");
  check_near(file.view.rate, 120, 1e-12);
  check_vector(file.view.positions[1], 0.04, 0.05, 0.06);
  check_vector(file.view.positions[2], 0.015, 0.02, 0.03);
  assert_true(isnan(file.view.positions[3].z));
  close_markers(&file);
  static const char wrong[] = "PathFileType\t4\t(X/Y/Z)\tb\nDataRate\tUnits\n120\tfurlongs\n";
  check_markers_refused(wrong, sizeof wrong - 1, PL_ERROR_UNSUPPORTED, 3, "furlongs");
}

static void a_table_is_read_by_its_names(void **state) {
  (void)state;
  static const char text[] =
      "# comment\nTime, tip_x,tip_y,tip_z,note,b.X,b.Y,b.Z\n0,1,2,3,9,4,5,6\n0.01,1,,3,9,nan,5,6\n0.02,1,2,3,9,4,5,6\n";
  marker_file file = open_markers(text, sizeof text - 1);
  assert_int_equal(file.view.marker_count, 2);
  assert_int_equal(file.view.frame_count, 3);
  assert_string_equal(file.view.names[0], "tip");
  assert_string_equal(file.view.names[1], "b");
  check_near(file.view.rate, 100, 1e-9);
  check_vector(file.view.positions[1], 4, 5, 6);
  assert_int_equal(file.view.missing_count, 2);
  close_markers(&file);
  static const char *const wrong[][2] = {{"x,y\n1,2\n", "name the columns"},
                                         {"time,a_x,a_y,a_z\n0,1,2,3\n0,1,2,3\n", "not after"},
                                         {"time,a_x,a_y,a_z\n0,1,2,3\n1,1,two,3\n", "a number"},
                                         {"time,a_x,a_y,a_z\n0,1,2,3\n1,1,2,3,4\n", "more cells"},
                                         {"time,a_x,a_y,a_z\n0,1,2,3\n", "not a motion"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i)
    check_markers_refused(wrong[i][0], strlen(wrong[i][0]), PL_ERROR_INVALID_DATA, 0, wrong[i][1]);
}

// What other programs write. Each has a marker `tip` that goes from (1, 2, 3) to (1.5, 2, 3) cm in 100th of a second
// and one that is missing in the second frame.
static void check_dialect(const char *text, const char *tip, int32_t missing) {
  marker_file file = open_markers(text, strlen(text));
  int32_t at = pl_markers_find(file.markers, tip);
  if (at < 0) fail_msg("there is no '%s', but '%s'", tip, file.view.names[0]);
  assert_int_equal(file.view.marker_count, 2);
  assert_int_equal(file.view.missing_count, missing);
  check_near(file.view.rate, 100, 1e-6);
  check_vector(file.view.positions[at], 0.01, 0.02, 0.03);
  check_vector(file.view.positions[2 * (file.view.frame_count - 1) + at], 0.015, 0.02, 0.03);
  close_markers(&file);
}

static void tables_of_other_programs_are_read(void **state) {
  (void)state;
  // Motive, with a rigid body and the markers that its solver puts where they should be.
  check_dialect(
      "Format Version,1.23,Take Name,Take,Export Frame Rate,100.000000,Rotation Type,Quaternion,Length "
      "Units,Centimeters\n\n"
      ",Type,Rigid Body,Rigid Body,Rigid Body,Rigid Body Marker,Rigid Body Marker,Rigid Body "
      "Marker,Marker,Marker,Marker,Marker,Marker,Marker\n"
      ",Name,Clamp,Clamp,Clamp,Clamp:1,Clamp:1,Clamp:1,Set:tip,Set:tip,Set:tip,Set:x,Set:x,Set:x\n"
      ",ID,1,1,1,2,2,2,3,3,3,4,4,4\n"
      ",,Rotation,Rotation,Rotation,Position,Position,Position,Position,Position,Position,Position,Position,Position\n"
      "Frame,Time (Seconds),X,Y,Z,X,Y,Z,X,Y,Z,X,Y,Z\n"
      "0,0.000000,9,9,9,8,8,8,1,2,3,4,5,6\n1,0.010000,9,9,9,8,8,8,1.5,2,3,,,\n",
      "Set:tip", 1);
  // Nexus, with forces of a plate before and after.
  check_dialect(
      "Devices\r\n1000\r\n,Plate,,\r\nFrame,Sub Frame,Fx,Fy\r\n,,N,N\r\n1,0,5,6\r\n\r\n"
      "Trajectories\r\n100\r\n,,S:tip,,,S:base,,\r\nFrame,Sub Frame,X,Y,Z,X,Y,Z\r\n,,mm,mm,mm,mm,mm,mm\r\n"
      "1,0,10,20,30,40,50,60\r\n2,0,15,20,30,,,\r\n\r\nModel Outputs\r\n100\r\n",
      "S:tip", 1);
  // QTM, without and with a row of names.
  check_dialect(
      "NO_OF_FRAMES\t2\nFREQUENCY\t100\nDATA_INCLUDED\t3D\nMARKER_NAMES\ttip\tbase\n"
      "10.0\t20.0\t30.0\t40.0\t50.0\t60.0\n15.0\t20.0\t30.0\t0.000\t0.000\t0.000\n",
      "tip", 1);
  check_dialect(
      "FREQUENCY\t100\nMARKER_NAMES\ttip\tbase\nFrame\tTime\ttip X\ttip Y\ttip Z\tbase X\tbase Y\tbase Z\n"
      "1\t0.00\t10\t20\t30\t40\t50\t60\n2\t0.01\t15\t20\t30\tnull\tnull\tnull\n",
      "tip", 1);
  // A spreadsheet of a country with decimal commas, units in names and quotes.
  check_dialect(
      "\xef\xbb\xbf\"Time (ms)\";\"tip X [mm]\";\"tip Y [mm]\";\"tip Z [mm]\";\"base X [cm]\";\"base Y [cm]\";\"base Z "
      "[cm]\"\n0;10,0;20,0;30,0;4;5;6\n10;15,0;20,0;30,0;;;\n",
      "tip", 1);
  // A recorder that leaves out rows: four of six are there, at times that are not quite even, the markers miss in the
  // others.
  check_dialect(
      "time,tip_x (cm),tip_y (cm),tip_z (cm),b_x,b_y,b_z\n"
      "5.00,1,2,3,4,5,6\n5.0101,1,2,3,4,5,6\n5.0199,1,2,3,4,5,6\n5.05,1.5,2,3,4,5,6\n",
      "tip", 4);
  static const char *const wrong[][2] = {
      {"time,a_x,a_y,a_z\n0,1,2,3\n0.01,1,2,3\n0.025,1,2,3\n0.035,1,2,3\n", "not even"},
      {"time,a_x (ell),a_y,a_z\n0,1,2,3\n1,1,2,3\n", "unit is not known"},
      {"Trajectories\nfast\n,,A,,\nFrame,Sub Frame,X,Y,Z\n1,0,1,2,3\n2,0,1,2,3\n", "not a number"},
      {"FREQUENCY\t100\nMARKER_NAMES\ta\tb\n1\t2\t3\t4\n1\t2\t3\t4\n", "fewer than three"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i)
    check_markers_refused(wrong[i][0], strlen(wrong[i][0]), PL_ERROR_INVALID_DATA, 0, wrong[i][1]);
}

// The n-th allocation fails, for every n.
static void running_out_of_memory_is_a_status(void **state) {
  (void)state;
  unsigned char bytes[SIZE];
  make_c3d(bytes, MIPS, false);
  static const char gaps[] = "time,a_x,a_y,a_z\n0,1,2,3\n0.1,1,2,3\n0.3,1,2,3\n";
  const struct {
    const void *bytes;
    size_t size;
  } files[] = {{bytes, SIZE}, {trc, sizeof trc - 1}, {gaps, sizeof gaps - 1}};
  for (size_t k = 0; k < sizeof files / sizeof *files; ++k) {
    failing_allocator allocator = {0};
    pl_context *context = make_failing_context(&allocator);
    pl_status status = PL_ERROR_OUT_OF_MEMORY;
    for (int n = 1; n < 200 && status < 0; ++n) {
      allocator.call_count = 0;
      allocator.fail_at = n;
      pl_markers *markers = NULL;
      pl_error error = {0};
      status = pl_markers_load_memory(context, &(pl_memory_source){files[k].bytes, files[k].size, "memory", NULL},
                                      &markers, &error);
      assert_true(status == PL_OK || (status == PL_ERROR_OUT_OF_MEMORY && markers == NULL));
      pl_markers_destroy(markers);
    }
    allocator.fail_at = 0;
    drop_context(context);
    assert_int_equal(status, PL_OK);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(c3d_is_read_with_numbers_of_every_processor),
      cmocka_unit_test(damaged_c3d_is_read_or_refused),
      cmocka_unit_test(trc_is_read_with_its_unit_and_gaps),
      cmocka_unit_test(a_table_is_read_by_its_names),
      cmocka_unit_test(tables_of_other_programs_are_read),
      cmocka_unit_test(running_out_of_memory_is_a_status),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
