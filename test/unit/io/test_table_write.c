// Tables of numbers as CSV.
#define _XOPEN_SOURCE 700
#include <unistd.h>

#include "base/context.h"
#include "check.h"
#include "io/file_bytes.h"
#include "pliant/file.h"

static char folder[] = "/tmp/pliant-table-XXXXXX";
static char path[128];

static int make_folder(void **state) {
  (void)state;
  if (mkdtemp(folder) == NULL) return -1;
  snprintf(path, sizeof path, "%s/table.csv", folder);
  return 0;
}

static int drop_folder(void **state) {
  (void)state;
  unlink(path);
  return rmdir(folder);
}

static const char *const COLUMNS[] = {"frame", "height", "p0"};
static const double CELLS[] = {0, 0.1, -3, 1, 1e-300, 0.30000000000000004};

static void a_table_is_a_line_of_names_and_lines_of_numbers(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  check_ok(pl_table_write(context, path, COLUMNS, 3, 2, CELLS, &error), &error);
  pl_bytes bytes;
  check_ok(pl_bytes_read(context, path, &bytes, &error), &error);
  const char *wanted = "frame,height,p0\n0,0.1,-3\n1,1e-300,0.30000000000000004\n";
  print_message("%.*s", (int)bytes.size, (const char *)bytes.data);
  assert_int_equal(bytes.size, strlen(wanted));
  assert_memory_equal(bytes.data, wanted, bytes.size);
  pl_bytes_free(&bytes);
  drop_context(context);
}

static void a_table_without_columns_or_place_is_refused(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  assert_int_equal(pl_table_write(context, path, COLUMNS, 0, 2, CELLS, &error), PL_ERROR_INVALID_ARGUMENT);
  assert_int_equal(pl_table_write(context, path, COLUMNS, 3, -1, CELLS, &error), PL_ERROR_INVALID_ARGUMENT);
  assert_true(pl_table_write(context, "/nowhere/at/all.csv", COLUMNS, 3, 2, CELLS, &error) < 0);
  assert_true(error.text[0] != '\0');
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_table_is_a_line_of_names_and_lines_of_numbers),
      cmocka_unit_test(a_table_without_columns_or_place_is_refused),
  };
  return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
