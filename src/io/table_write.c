// Tables of numbers as CSV.
#include "base/error.h"
#include "io/file_bytes.h"
#include "pliant/file.h"

pl_status pl_table_save(pl_context *context, const char *path, const char *const *columns, int32_t column_count, int64_t row_count,
                        const double *cells, pl_error *error) {
  if (column_count < 1 || row_count < 0)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "a table has one column or more, and no negative number of rows");
  pl_file_writer *writer = NULL;
  pl_status status = pl_file_writer_open(context, path, &writer, error);
  if (status < 0) return status;
  for (int32_t k = 0; k < column_count; ++k) pl_file_writer_print(writer, "%s%s", k > 0 ? "," : "", columns[k]);
  pl_file_writer_print(writer, "\n");
  for (int64_t row = 0; row < row_count; ++row) {
    const double *numbers = cells + row * column_count;
    for (int32_t k = 0; k < column_count; ++k) {
      if (k > 0) pl_file_writer_print(writer, ",");
      pl_file_writer_number(writer, numbers[k]);
    }
    pl_file_writer_print(writer, "\n");
  }
  return pl_file_writer_commit(writer, error);
}
