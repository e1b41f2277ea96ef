/// @file table.h
/// Tables of numbers with named columns, as CSV files (part of the lab).
#ifndef PLIANT_TABLE_H
#define PLIANT_TABLE_H

#include "pliant/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A table loaded from a file. Immutable.
typedef struct pl_table pl_table;

/// Borrowed arrays of a table: those of a loaded table, valid as long as it is, or those to save.
typedef struct pl_table_view {
  int32_t column_count;
  const char *const *columns;  ///< names of the columns; they must not contain commas
  int64_t row_count;
  const double *cells;  ///< row by row: row_count * column_count numbers
} pl_table_view;

/// Save a table as a CSV file: a line with the names of the columns, then one line per row. Numbers
/// are written so that they load with the same bits. A path that ends with .npz gets a file of
/// NumPy arrays instead, one per column. The file is written under a temporary name and renamed at
/// the end. Fails with PL_ERROR_INVALID_ARGUMENT for a table without columns or with a
/// negative number of rows, PL_ERROR_UNSUPPORTED for more than 65,535 columns of an .npz file,
/// PL_ERROR_FILE when it cannot be written.
PL_API pl_status pl_table_save(pl_context *context, const char *path, const pl_table_view *table,
                               pl_error *error);

/// Load a CSV file: a line of names, separated by commas, then rows of as many numbers; `nan` and
/// `inf` are numbers. The caller owns the table. Fails with PL_ERROR_NOT_FOUND or PL_ERROR_FILE
/// when the file cannot be read, PL_ERROR_INVALID_DATA with line and column when its content is
/// wrong; `*table` is then NULL.
PL_API pl_status pl_table_load(pl_context *context, const char *path, pl_table **table,
                               pl_error *error);

/// The arrays of a table. Never fails; may be called from several threads at once.
PL_API pl_table_view pl_table_get_view(const pl_table *table);

/// Index of the column called `name`, -1 if there is none.
PL_API int32_t pl_table_find_column(const pl_table *table, const char *name);

/// Destroy a table. NULL is allowed.
PL_API void pl_table_destroy(pl_table *table);

#ifdef __cplusplus
}
#endif
#endif
