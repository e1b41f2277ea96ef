// Tables of numbers as CSV, out and in.
// ctest: unit
#define _GNU_SOURCE
#include <math.h>
#include <unistd.h>

#include "base/context.h"
#include "check.h"
#include "io/file_bytes.h"
#include "pliant/table.h"

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
  check_ok(pl_table_save(context, path, &(pl_table_view){3, COLUMNS, 2, CELLS}, &error), &error);
  pl_bytes bytes;
  check_ok(pl_bytes_read(context, path, &bytes, &error), &error);
  const char *wanted = "frame,height,p0\n0,0.1,-3\n1,1e-300,0.30000000000000004\n";
  print_message("%.*s", (int)bytes.size, (const char *)bytes.data);
  assert_int_equal(bytes.size, strlen(wanted));
  assert_memory_equal(bytes.data, wanted, bytes.size);
  pl_bytes_free(&bytes);
  drop_context(context);
}

static void a_table_reads_back_the_same(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  check_ok(pl_table_save(context, path, &(pl_table_view){3, COLUMNS, 2, CELLS}, &error), &error);
  pl_table *table = NULL;
  check_ok(pl_table_load(context, path, &table, &error), &error);
  pl_table_view view = pl_table_get_view(table);
  assert_int_equal(view.column_count, 3);
  assert_int_equal(view.row_count, 2);
  assert_memory_equal(view.cells, CELLS, sizeof CELLS);
  for (int k = 0; k < 3; ++k) assert_int_equal(pl_table_find_column(table, COLUMNS[k]), k);
  assert_int_equal(pl_table_find_column(table, "width"), -1);
  pl_table_destroy(table);
  drop_context(context);
}

// Python's tests load such a file with NumPy; here the bytes of every array stand after its name.
static void a_table_is_saved_as_arrays(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  char arrays[sizeof path + 8];
  snprintf(arrays, sizeof arrays, "%s.npz", path);
  check_ok(pl_table_save(context, arrays, &(pl_table_view){3, COLUMNS, 2, CELLS}, &error), &error);
  pl_bytes bytes;
  check_ok(pl_bytes_read(context, arrays, &bytes, &error), &error);
  for (int k = 0; k < 3; ++k) {
    char name[64];
    double column[2];
    snprintf(name, sizeof name, "%s.npy", COLUMNS[k]);
    const char *found = memmem(bytes.data, bytes.size, name, strlen(name));
    assert_non_null(found);
    const char *head = found + strlen(name) + 20;  // after the zip64 sizes
    assert_memory_equal(head, "\x93NUMPY", 6);
    assert_non_null(memmem(head, 128, "'shape': (2,)", 13));
    memcpy(column, head + 128, sizeof column);
    for (int row = 0; row < 2; ++row) assert_memory_equal(&column[row], &CELLS[3 * row + k], sizeof(double));
  }
  pl_bytes_free(&bytes);
  unlink(arrays);
  drop_context(context);
}

static void write_text(const char *text) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static void wrong_tables_are_refused_with_their_place(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int line, column;
  } cases[] = {{"a,b\n1,2\n3,x\n", 3, 3}, {"a,b\n1\n", 2, 1},   {"a,b\n1,2,3\n", 2, 1},
               {"a,,c\n", 1, 3},          {"1,2\n3,4\n", 1, 1}, {"", 1, 1}};
  pl_context *context = make_context(1);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    pl_error error = {0};
    pl_table *table = NULL;
    write_text(cases[i].text);
    assert_int_equal(pl_table_load(context, path, &table, &error), PL_ERROR_INVALID_DATA);
    assert_null(table);
    assert_int_equal(error.line, cases[i].line);
    assert_int_equal(error.column, cases[i].column);
  }
  pl_error error = {0};
  pl_table *table = NULL;
  assert_int_equal(pl_table_load(context, "/nowhere/at/all.csv", &table, &error), PL_ERROR_NOT_FOUND);
  drop_context(context);
}

static void blanks_and_line_ends_of_other_systems_are_taken(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  pl_table *table = NULL;
  write_text(" a , b\r\n\r\n 1 ,2e3\r\nnan,-inf");
  check_ok(pl_table_load(context, path, &table, &error), &error);
  pl_table_view view = pl_table_get_view(table);
  assert_int_equal(view.row_count, 2);
  assert_true(view.cells[1] == 2000 && isnan(view.cells[2]) && isinf(view.cells[3]));
  assert_int_equal(pl_table_find_column(table, "b"), 1);
  pl_table_destroy(table);
  drop_context(context);
}

static void every_failed_allocation_of_reading_is_reported(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  int64_t live = allocator.live_count;
  write_text("a,b\n1,2\n");
  int failures = 0;
  for (int64_t n = 1;; ++n, ++failures) {
    pl_error error = {0};
    pl_table *table = NULL;
    allocator.fail_at = allocator.call_count + n;
    pl_status status = pl_table_load(context, path, &table, &error);
    allocator.fail_at = 0;
    pl_table_destroy(table);
    assert_int_equal(allocator.live_count, live);
    if (status == PL_OK) break;
    assert_int_equal(status, PL_ERROR_OUT_OF_MEMORY);
  }
  assert_true(failures >= 4);
  pl_context_destroy(context);
}

static void a_table_without_columns_or_place_is_refused(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_error error = {0};
  assert_int_equal(pl_table_save(context, path, &(pl_table_view){0, COLUMNS, 2, CELLS}, &error),
                   PL_ERROR_INVALID_ARGUMENT);
  assert_int_equal(pl_table_save(context, path, &(pl_table_view){3, COLUMNS, -1, CELLS}, &error),
                   PL_ERROR_INVALID_ARGUMENT);
  assert_true(pl_table_save(context, "/nowhere/at/all.csv", &(pl_table_view){3, COLUMNS, 2, CELLS}, &error) < 0);
  assert_true(error.text[0] != '\0');
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_table_is_a_line_of_names_and_lines_of_numbers),
      cmocka_unit_test(a_table_reads_back_the_same),
      cmocka_unit_test(a_table_is_saved_as_arrays),
      cmocka_unit_test(wrong_tables_are_refused_with_their_place),
      cmocka_unit_test(blanks_and_line_ends_of_other_systems_are_taken),
      cmocka_unit_test(every_failed_allocation_of_reading_is_reported),
      cmocka_unit_test(a_table_without_columns_or_place_is_refused),
  };
  return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
