// Tables of numbers as CSV, or as NumPy arrays, one per column.
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/context.h"
#include "base/error.h"
#include "io/file_bytes.h"
#include "io/npz_write.h"
#include "pliant/table.h"

static void write_csv(pl_file_writer *writer, const pl_table_view *table) {
  int32_t count = table->column_count;
  for (int32_t k = 0; k < count; ++k) pl_file_writer_print(writer, "%s%s", k > 0 ? "," : "", table->columns[k]);
  pl_file_writer_print(writer, "\n");
  for (int64_t row = 0; row < table->row_count; ++row) {
    const double *numbers = table->cells + row * count;
    for (int32_t k = 0; k < count; ++k) {
      if (k > 0) pl_file_writer_print(writer, ",");
      pl_file_writer_number(writer, numbers[k]);
    }
    pl_file_writer_print(writer, "\n");
  }
}

static pl_status write_npz(pl_context *context, pl_file_writer *writer, const pl_table_view *table, pl_error *error) {
  size_t rows = (size_t)table->row_count, names = 0;
  int32_t count = table->column_count;
  for (int32_t k = 0; k < count; ++k) names += strlen(table->columns[k]) + sizeof ".npy";
  double *column = pl_allocate_array(context, rows, sizeof *column);
  pl_npz_entry *entries = pl_allocate_array(context, (size_t)count, sizeof *entries);
  char *text = pl_allocate_array(context, names, 1), *name = text;
  pl_status status = column != NULL && entries != NULL && text != NULL ? PL_OK : pl_fail_memory(error);
  for (int32_t k = 0; k < count && status >= 0; ++k) {
    for (size_t row = 0; row < rows; ++row) column[row] = table->cells[row * (size_t)count + (size_t)k];
    size_t length = strlen(table->columns[k]) + sizeof ".npy";
    snprintf(name, length, "%s.npy", table->columns[k]);
    entries[k] =
        pl_npz_put_array(writer, name, "<f8", (const int64_t[3]){table->row_count}, 1, column, rows * sizeof *column);
    name += length;
  }
  if (status >= 0) pl_npz_put_directory(writer, entries, count);
  pl_release(context, text);
  pl_release(context, entries);
  pl_release(context, column);
  return status;
}

pl_status pl_table_save(pl_context *context, const char *path, const pl_table_view *table, pl_error *error) {
  if (table->column_count < 1 || table->row_count < 0)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "a table has one column or more, and no negative number of rows");
  const char *ending = strrchr(path, '.');
  bool arrays = ending != NULL && strcasecmp(ending, ".npz") == 0;
  // The end of a zip file counts its entries by 16 bits.
  if (arrays && table->column_count > UINT16_MAX)
    return pl_fail(error, PL_ERROR_UNSUPPORTED, "%d columns are too many for an .npz file; write a .csv file",
                   table->column_count);
  pl_file_writer *writer = NULL;
  pl_status status = pl_file_writer_open(context, path, &writer, error);
  if (status < 0) return status;
  if (arrays)
    status = write_npz(context, writer, table, error);
  else
    write_csv(writer, table);
  if (status >= 0) return pl_file_writer_commit(writer, error);
  pl_file_writer_abandon(writer);
  return status;
}
