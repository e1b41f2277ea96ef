// Tables of numbers from CSV: names in the first line, then rows of as many numbers.
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/vector.h"
#include "io/file_bytes.h"
#include "pliant/table.h"
#include "text/text_cursor.h"

struct pl_table {
  pl_context *context;
  pl_vector names;    // of char: the names one after the other, each terminated
  pl_vector columns;  // of const char *
  pl_vector cells;    // of double
};

void pl_table_destroy(pl_table *table) {
  if (table == NULL) return;
  pl_vector_free(&table->names);
  pl_vector_free(&table->columns);
  pl_vector_free(&table->cells);
  pl_release(table->context, table);
}

pl_table_view pl_table_get_view(const pl_table *table) {
  int32_t count = (int32_t)table->columns.count;
  return (pl_table_view){count, table->columns.items, count > 0 ? (int64_t)table->cells.count / count : 0,
                         table->cells.items};
}

int32_t pl_table_find_column(const pl_table *table, const char *name) {
  for (size_t i = 0; i < table->columns.count; ++i)
    if (strcmp(PL_ITEM(&table->columns, const char *, i), name) == 0) return (int32_t)i;
  return -1;
}

// The next cell of a line, without the blanks around it; `at` goes behind its comma. False behind the last one.
static bool take_cell(pl_word line, size_t *at, pl_word *cell) {
  if (*at > line.length) return false;
  size_t begin = *at, end = begin;
  while (end < line.length && line.text[end] != ',') ++end;
  *at = end + 1;
  while (begin < end && (line.text[begin] == ' ' || line.text[begin] == '\t')) ++begin;
  while (end > begin && (line.text[end - 1] == ' ' || line.text[end - 1] == '\t')) --end;
  *cell = (pl_word){line.text + begin, end - begin};
  return true;
}

static pl_status read_names(pl_table *table, const pl_mesh_source *source, pl_word line) {
  pl_word cell;
  for (size_t at = 0; take_cell(line, &at, &cell);) {
    double number;
    size_t offset = (size_t)(cell.text - (const char *)source->bytes);
    if (cell.length == 0) return pl_source_fail(source, offset, "a column without a name");
    if (pl_word_number(cell, &number))
      return pl_source_fail(source, offset, "the first line must hold the names of the columns");
    char *name = pl_vector_grow(&table->names, cell.length + 1);
    const char **column = pl_vector_grow(&table->columns, 1);
    if (name == NULL || column == NULL) return pl_source_fail_memory(source);
    memcpy(name, cell.text, cell.length);
  }
  // Only now, because names move while they grow.
  const char *name = table->names.items;
  for (size_t i = 0; i < table->columns.count; ++i, name += strlen(name) + 1)
    PL_ITEM(&table->columns, const char *, i) = name;
  return PL_OK;
}

static pl_status read_row(pl_table *table, const pl_mesh_source *source, pl_word line) {
  size_t count = 0;
  pl_word cell;
  for (size_t at = 0; take_cell(line, &at, &cell); ++count) {
    double number;
    size_t offset = (size_t)(cell.text - (const char *)source->bytes);
    if (!pl_word_number(cell, &number)) return pl_source_fail(source, offset, "a number is needed here");
    if (count < table->columns.count && !pl_vector_push(&table->cells, &number)) return pl_source_fail_memory(source);
  }
  if (count != table->columns.count)
    return pl_source_fail(source, (size_t)(line.text - (const char *)source->bytes),
                          "this row has %zu numbers, the table %zu columns", count, table->columns.count);
  return PL_OK;
}

static pl_status read_all(pl_table *table, const pl_mesh_source *source) {
  pl_text_cursor text = pl_text_cursor_at(source, 0, '\0');
  pl_status status = PL_OK;
  while (text.at < text.end && status >= 0) {
    pl_word line = pl_text_take_line(&text);
    bool is_blank = true;
    for (size_t i = 0; i < line.length; ++i) is_blank = is_blank && (line.text[i] == ' ' || line.text[i] == '\t');
    if (!is_blank) status = table->columns.count == 0 ? read_names(table, source, line) : read_row(table, source, line);
  }
  if (status >= 0 && table->columns.count == 0) return pl_source_fail(source, 0, "there is no table in the file");
  return status;
}

pl_status pl_table_load(pl_context *context, const char *path, pl_table **table, pl_error *error) {
  *table = NULL;
  pl_bytes bytes;
  pl_status status = pl_bytes_read(context, path, &bytes, error);
  if (status < 0) return status;
  pl_table *self = pl_allocate(context, sizeof *self);
  if (self == NULL) {
    pl_bytes_free(&bytes);
    return pl_fail_memory(error);
  }
  *self = (pl_table){context, pl_vector_of(context, 1), pl_vector_of(context, sizeof(const char *)),
                     pl_vector_of(context, sizeof(double))};
  pl_mesh_source source = {
      .context = context, .bytes = bytes.data, .size = bytes.size, .name = path, .path = path, .error = error};
  status = read_all(self, &source);
  pl_bytes_free(&bytes);
  if (status < 0)
    pl_table_destroy(self);
  else
    *table = self;
  return status;
}
