// Files in and out, and numbers as text.
// ctest: unit
#define _XOPEN_SOURCE 700
#include <dirent.h>
#include <locale.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/context.h"
#include "base/random.h"
#include "check.h"
#include "io/file_bytes.h"

static char folder[] = "/tmp/pliant-file-XXXXXX";
static char path[128];

static int make_folder(void **state) {
  (void)state;
  strcpy(folder, "/tmp/pliant-file-XXXXXX");
  if (mkdtemp(folder) == NULL) return -1;
  snprintf(path, sizeof path, "%s/file.bin", folder);
  return 0;
}

static int count_files(void) {
  DIR *listing = opendir(folder);
  assert_non_null(listing);
  int count = 0;
  for (struct dirent *entry; (entry = readdir(listing)) != NULL;) count += entry->d_name[0] != '.';
  closedir(listing);
  return count;
}

static int drop_folder(void **state) {
  (void)state;
  unlink(path);
  return rmdir(folder);
}

static void what_is_written_is_read(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_file_writer *writer = NULL;
  check_ok(pl_file_writer_open(context, path, &writer, &error), &error);
  pl_file_writer_print(writer, "size:    \n");
  static unsigned char large[200000];
  for (size_t i = 0; i < sizeof large; ++i) large[i] = (unsigned char)(i * 7);
  pl_file_writer_write(writer, large, 10);
  pl_file_writer_write(writer, large, sizeof large);
  pl_file_writer_number(writer, -0.1);
  pl_file_writer_little(writer, 0x1234, 2);
  pl_file_writer_float32(writer, 1.5f);
  pl_file_writer_float64(writer, -2.25);
  uint64_t size = pl_file_writer_offset(writer);
  pl_file_writer_seek(writer, 6);
  pl_file_writer_print(writer, "abc");
  pl_file_writer_seek(writer, size);
  pl_file_writer_print(writer, "end");
  assert_int_equal(access(path, F_OK), -1);  // nothing under the final name before the commit
  check_ok(pl_file_writer_commit(writer, &error), &error);
  assert_int_equal(count_files(), 1);
  pl_bytes bytes;
  check_ok(pl_bytes_read(context, path, &bytes, &error), &error);
  assert_int_equal(bytes.size, 10 + 10 + sizeof large + 4 + 2 + 4 + 8 + 3);
  assert_memory_equal(bytes.data, "size: abc\n", 10);
  assert_memory_equal(bytes.data + 20, large, sizeof large);
  assert_memory_equal(bytes.data + 20 + sizeof large, "-0.1\x34\x12\0\0\xC0\x3F", 10);
  assert_memory_equal(bytes.data + bytes.size - 3, "end", 4);  // with the zero behind it
  pl_bytes_free(&bytes);
  drop_context(context);
}

static void an_abandoned_or_failed_write_leaves_the_old_file(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  for (int round = 0; round < 3; ++round) {
    pl_file_writer *writer = NULL;
    check_ok(pl_file_writer_open(context, path, &writer, &error), &error);
    pl_file_writer_print(writer, "round %d", round);
    if (round == 0) {
      check_ok(pl_file_writer_commit(writer, &error), &error);
      assert_int_equal(chmod(path, 0640), 0);
    }
    if (round == 1) pl_file_writer_abandon(writer);
    if (round == 2) {
      pl_file_writer_print(writer, "%2000d", 1);  // too long for one call: an error that sticks
      pl_file_writer_print(writer, "more");
      assert_int_equal(pl_file_writer_commit(writer, &error), PL_ERROR_FILE);
      assert_string_equal(error.file, path);
    }
    assert_int_equal(count_files(), 1);
  }
  pl_bytes bytes;
  check_ok(pl_bytes_read(context, path, &bytes, &error), &error);
  assert_string_equal((const char *)bytes.data, "round 0");
  pl_bytes_free(&bytes);
  // A file that replaces another keeps its permissions.
  pl_file_writer *writer = NULL;
  check_ok(pl_file_writer_open(context, path, &writer, &error), &error);
  check_ok(pl_file_writer_commit(writer, &error), &error);
  struct stat info;
  assert_int_equal(stat(path, &info), 0);
  assert_int_equal(info.st_mode & 0777, 0640);
  drop_context(context);
}

static void what_cannot_be_opened_is_said(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_bytes bytes;
  pl_file_writer *writer = NULL;
  char inside[160];
  snprintf(inside, sizeof inside, "%s/none/x", folder);
  assert_int_equal(pl_bytes_read(context, inside, &bytes, &error), PL_ERROR_NOT_FOUND);
  assert_int_equal(pl_bytes_read(context, folder, &bytes, &error), PL_ERROR_FILE);
  assert_non_null(strstr(error.text, "folder"));
  assert_int_equal(pl_file_writer_open(context, inside, &writer, &error), PL_ERROR_NOT_FOUND);
  assert_int_equal(pl_file_writer_open(context, folder, &writer, &error), PL_ERROR_FILE);
  assert_int_equal(pl_file_writer_open(context, "", &writer, &error), PL_ERROR_INVALID_ARGUMENT);
  check_ok(pl_file_writer_open(context, "/dev/null", &writer, &error), &error);
  pl_file_writer_print(writer, "gone");
  check_ok(pl_file_writer_commit(writer, &error), &error);
  struct stat info;
  assert_int_equal(stat("/dev/null", &info), 0);
  assert_true(S_ISCHR(info.st_mode));
  drop_context(context);
}

static void running_out_of_memory_leaves_nothing(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  for (int64_t n = 1; n <= 4; ++n) {
    allocator.call_count = 0;
    allocator.fail_at = n;
    pl_file_writer *writer = NULL;
    pl_error error = {0};
    pl_status status = pl_file_writer_open(context, path, &writer, &error);
    assert_int_equal(status, n < 4 ? PL_ERROR_OUT_OF_MEMORY : PL_OK);
    if (status < 0) assert_int_equal(count_files(), 0);
    pl_file_writer_abandon(writer);
  }
  assert_int_equal(count_files(), 0);
  drop_context(context);
}

static void check_reads(const char *text, double expected, size_t length) {
  double value = 0;
  const char *end = pl_number_read(text, text + strlen(text), &value);
  if (end != text + length) fail_msg("\"%s\" was read up to %td", text, end == NULL ? -1 : end - text);
  if (memcmp(&value, &expected, sizeof value) != 0 && !(isnan(value) && isnan(expected)))
    fail_msg("\"%s\" gave %.17g", text, value);
}

static void numbers_are_read_as_the_c_library_does(void **state) {
  (void)state;
  check_reads("1.5", 1.5, 3);
  check_reads("-.5x", -0.5, 3);
  check_reads("+7.", 7, 3);
  check_reads("1d3", 1000, 3);
  check_reads("1.0D-02", 0.01, 7);
  check_reads("1e", 1, 1);
  check_reads("1e+", 1, 1);
  check_reads("-0", -0.0, 2);
  check_reads("1e999", (double)INFINITY, 5);
  check_reads("1e-999", 0, 6);
  check_reads("1e99999999999999", (double)INFINITY, 16);
  check_reads("0e99999", 0, 7);
  check_reads("-inf", -(double)INFINITY, 4);
  check_reads("Infinity", (double)INFINITY, 8);
  check_reads("-1.#IND", (double)NAN, 7);
  check_reads("1.#INF00", (double)INFINITY, 8);
  check_reads("NaN", (double)NAN, 3);
  check_reads("0x10", 0, 1);
  check_reads("12345678901234567890123", 12345678901234567890123.0, 23);
  check_reads("0.1000000000000000055511151231257827021181583404541015625", 0.1, 57);
  check_reads("9007199254740993", 9007199254740992.0, 16);
  double value;
  const char *none[] = {"", "-", ".", "e5", "+.e1", "abc"};
  for (size_t i = 0; i < sizeof none / sizeof none[0]; ++i)
    assert_null(pl_number_read(none[i], none[i] + strlen(none[i]), &value));
  int64_t integer;
  const char *large = "9223372036854775808", *fits = "-9223372036854775807";
  assert_null(pl_integer_read(large, large + strlen(large), &integer));
  assert_non_null(pl_integer_read(fits, fits + strlen(fits), &integer));
  assert_true(integer == -INT64_MAX);
}

static void random_numbers_survive_text_in_any_locale(void **state) {
  (void)state;
  // Not every machine has these; where they are missing the loop runs in the plain locale.
  const char *locales[] = {"C", "de_DE.UTF-8", "fr_FR.UTF-8"};
  pl_random random = pl_random_of_seed(7);
  for (size_t k = 0; k < 3; ++k) {
    setlocale(LC_ALL, locales[k]);
    for (int i = 0; i < 4000; ++i) {
      uint64_t bits = (uint64_t)pl_random_u32(&random) << 32 | pl_random_u32(&random);
      double value;
      memcpy(&value, &bits, sizeof value);
      if (i % 2 == 0) value = (double)(int64_t)(pl_random_between(&random, -1e6, 1e6) * 1000) / 1000;
      if (!isfinite(value)) continue;
      char text[PL_NUMBER_SIZE];
      size_t length = pl_number_write(value, text);
      assert_int_equal(strlen(text), length);
      assert_null(strchr(text, ','));
      check_reads(text, value, length);
      if (k == 0) check_near(strtod(text, NULL) == value, 1, 0);
    }
  }
  setlocale(LC_ALL, "C");
  const struct {
    double value;
    const char *text;
  } cases[] = {{0, "0"},
               {-0.0, "-0"},
               {1, "1"},
               {0.1, "0.1"},
               {-1234.5, "-1234.5"},
               {1e17, "1e17"},
               {1e16, "10000000000000000"},
               {1e-5, "0.00001"},
               {1.5e-7, "1.5e-7"},
               {1e300, "1e300"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    char text[PL_NUMBER_SIZE];
    pl_number_write(cases[i].value, text);
    assert_string_equal(text, cases[i].text);
  }
}

static void paths_are_taken_apart(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  const char *const cases[][3] = {{"a/b.c/d.node", "a/b.c", "a/b.c/d.ele"},
                                  {"x", ".", "x.ele"},
                                  {"/x.y", "/", "/x.ele"},
                                  {"a.1.node", ".", "a.1.ele"}};
  for (size_t i = 0; i < 4; ++i) {
    char *parent = pl_path_folder(context, cases[i][0]), *other = pl_path_with_ending(context, cases[i][0], ".ele");
    assert_string_equal(parent, cases[i][1]);
    assert_string_equal(other, cases[i][2]);
    pl_release(context, parent);
    pl_release(context, other);
  }
  char *joined = pl_path_join(context, "a/", "b"), *whole = pl_path_join(context, "a", "/b"),
       *plain = pl_path_join(context, "", "b");
  assert_string_equal(joined, "a/b");
  assert_string_equal(whole, "/b");
  assert_string_equal(plain, "b");
  pl_release(context, joined);
  pl_release(context, whole);
  pl_release(context, plain);
  assert_true(pl_ending_is("a.OBJ", ".obj"));
  assert_false(pl_ending_is("a.obj/x", ".obj"));
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(what_is_written_is_read, make_folder, drop_folder),
      cmocka_unit_test_setup_teardown(an_abandoned_or_failed_write_leaves_the_old_file, make_folder, drop_folder),
      cmocka_unit_test_setup_teardown(what_cannot_be_opened_is_said, make_folder, drop_folder),
      cmocka_unit_test_setup_teardown(running_out_of_memory_leaves_nothing, make_folder, drop_folder),
      cmocka_unit_test(numbers_are_read_as_the_c_library_does),
      cmocka_unit_test(random_numbers_survive_text_in_any_locale),
      cmocka_unit_test(paths_are_taken_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
