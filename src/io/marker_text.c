// Markers as text.
//
// TRC (Motion Analysis): PathFileType; a line of keys and one of their values; a line of names, each over three
// columns; a line of column names; rows of frame number, time and coordinates, separated by tabs, empty where a sample
// is missing. CSV: a line of names, `time` and NAME_x, NAME_y, NAME_z, then rows.
#include <math.h>
#include <string.h>

#include "io/marker_builder.h"

// The next cell of a line, up to `separator`, without blanks around it; false after the last.
static bool take_cell(pl_word line, size_t *at, char separator, pl_word *cell) {
  if (*at > line.length) return false;
  size_t begin = *at, end = begin;
  while (end < line.length && line.text[end] != separator) ++end;
  *at = end + 1;
  while (begin < end && (line.text[begin] == ' ' || line.text[begin] == '\t')) ++begin;
  while (end > begin && (line.text[end - 1] == ' ' || line.text[end - 1] == '\t')) --end;
  *cell = (pl_word){line.text + begin, end - begin};
  return true;
}

static size_t offset_of(const pl_mesh_source *source, pl_word word) {
  return (size_t)(word.text - (const char *)source->bytes);
}

static bool is_blank(pl_word line) {
  for (size_t i = 0; i < line.length; ++i)
    if ((unsigned char)line.text[i] > ' ') return false;
  return true;
}

// A coordinate; a cell that is empty is a sample that is missing.
static pl_status take_coordinate(const pl_mesh_source *source, pl_word cell, double *value) {
  *value = (double)NAN;
  if (cell.length == 0) return PL_OK;
  if (!pl_word_number(cell, value)) return pl_source_fail(source, offset_of(source, cell), "a number is needed here");
  return PL_OK;
}

// --- TRC ----------------------------------------------------------------------------------------------------------

typedef struct trc_head {
  double rate, unit;
} trc_head;

static pl_status read_trc_head(const pl_mesh_source *source, pl_word keys, pl_word values, trc_head *head) {
  pl_word key, value;
  *head = (trc_head){.unit = pl_markers_unit((pl_word){"", 0})};
  for (size_t at = 0, of = 0; take_cell(keys, &at, '\t', &key) && take_cell(values, &of, '\t', &value);) {
    if (pl_word_is_any_case(key, "DataRate") && !pl_word_number(value, &head->rate))
      return pl_source_fail(source, offset_of(source, value), "the rate of the data is not a number");
    if (pl_word_is_any_case(key, "Units") && !((head->unit = pl_markers_unit(value)) > 0)) {
      char shown[PL_SHOWN_SIZE];
      return pl_source_refuse(source, offset_of(source, value), "the unit '%s' is not known; use mm, cm, m or in",
                              pl_word_show(value, shown));
    }
  }
  return PL_OK;
}

static pl_status read_trc_row(const pl_mesh_source *source, pl_word line, double unit, pl_markers *markers) {
  pl_word cell;
  size_t at = 0;
  for (int i = 0; i < 2; ++i)
    if (!take_cell(line, &at, '\t', &cell))
      return pl_source_fail(source, offset_of(source, line), "this row has no time");
  for (size_t i = 0; i < markers->names.count; ++i) {
    double p[3] = {(double)NAN, (double)NAN, (double)NAN};
    // Rows may end early where the last markers are missing.
    for (int k = 0; k < 3; ++k)
      if (take_cell(line, &at, '\t', &cell)) {
        pl_status status = take_coordinate(source, cell, &p[k]);
        if (status < 0) return status;
      }
    pl_vec3 point = {unit * p[0], unit * p[1], unit * p[2]};
    if (!pl_vector_push(&markers->points, &point)) return pl_source_fail_memory(source);
  }
  return PL_OK;
}

pl_status pl_markers_trc_read(pl_mesh_source *source, pl_markers *markers) {
  pl_text_cursor text = pl_text_cursor_at(source, 0, '\0');
  pl_text_take_line(&text);
  pl_word keys = pl_text_take_line(&text), values = pl_text_take_line(&text), names = pl_text_take_line(&text), cell;
  trc_head head;
  pl_status status = read_trc_head(source, keys, values, &head);
  if (status < 0) return status;
  markers->rate = head.rate;
  int column = 0;
  for (size_t at = 0; take_cell(names, &at, '\t', &cell); ++column)
    if (column >= 2 && cell.length > 0 && !pl_markers_add_name(markers, cell)) return pl_source_fail_memory(source);
  if (markers->names.count == 0)
    return pl_source_fail(source, offset_of(source, names), "the fourth line has no names of markers");
  pl_text_take_line(&text);
  while (text.at < text.end && status >= 0) {
    pl_word line = pl_text_take_line(&text);
    if (!is_blank(line)) status = read_trc_row(source, line, head.unit, markers);
  }
  return status;
}

// --- CSV ----------------------------------------------------------------------------------------------------------

// A column is the time, one coordinate of a marker, or something that does not count.
typedef struct csv_column {
  int32_t marker;  // -1: none
  int axis;        // 0 to 2, -1: the time, -2: not used
} csv_column;

// NAME_x, NAME.x, NAME:x or NAME x, in any case.
static int axis_of(pl_word name, pl_word *marker) {
  if (name.length < 3 || memchr("_.: ", name.text[name.length - 2], 4) == NULL) return -2;
  char last = (char)(name.text[name.length - 1] | 0x20);
  *marker = (pl_word){name.text, name.length - 2};
  return last >= 'x' && last <= 'z' ? last - 'x' : -2;
}

static int32_t find_marker(const pl_markers *markers, pl_word name) {
  for (size_t i = 0; i < markers->names.count; ++i)
    if (pl_word_is(name, PL_ITEM(&markers->names, const char *, i))) return (int32_t)i;
  return -1;
}

static pl_status read_csv_names(const pl_mesh_source *source, pl_word line, pl_markers *markers, pl_vector *columns) {
  pl_word cell, name = {"", 0};
  bool timed = false;
  for (size_t at = 0; take_cell(line, &at, ',', &cell);) {
    csv_column column = {-1, -2};
    if (cell.length >= 2 && cell.text[0] == '"' && cell.text[cell.length - 1] == '"')
      cell = (pl_word){cell.text + 1, cell.length - 2};
    int axis = axis_of(cell, &name);
    if (!timed && (pl_word_is_any_case(cell, "time") || pl_word_is_any_case(cell, "t"))) {
      column.axis = -1;
      timed = true;
    } else if (axis >= 0) {
      column = (csv_column){find_marker(markers, name), axis};
      if (column.marker < 0) {
        column.marker = (int32_t)markers->names.count;
        if (!pl_markers_add_name(markers, name)) return pl_source_fail_memory(source);
      }
    }
    if (!pl_vector_push(columns, &column)) return pl_source_fail_memory(source);
  }
  if (!timed || markers->names.count == 0)
    return pl_source_fail(source, offset_of(source, line),
                          "the first line must name the columns time and NAME_x, NAME_y, NAME_z of every marker");
  return PL_OK;
}

static pl_status read_csv_row(const pl_mesh_source *source, pl_word line, const pl_vector *columns, pl_markers *markers,
                              double *time) {
  size_t first = markers->points.count, at = 0, index = 0;
  pl_vec3 *points = pl_vector_grow(&markers->points, markers->names.count);
  if (points == NULL) return pl_source_fail_memory(source);
  for (size_t i = 0; i < markers->names.count; ++i) points[i] = (pl_vec3){(double)NAN, (double)NAN, (double)NAN};
  pl_word cell;
  for (; take_cell(line, &at, ',', &cell); ++index) {
    double value;
    if (index >= columns->count)
      return pl_source_fail(source, offset_of(source, cell), "this row has more cells than there are columns, %zu",
                            columns->count);
    csv_column column = PL_ITEM(columns, csv_column, index);
    if (column.axis == -2) continue;
    pl_status status = take_coordinate(source, cell, &value);
    if (status < 0) return status;
    if (column.axis == -1)
      *time = value;
    else
      (&PL_ITEM(&markers->points, pl_vec3, first + (size_t)column.marker).x)[column.axis] = value;
  }
  return isfinite(*time) ? PL_OK : pl_source_fail(source, offset_of(source, line), "this row has no time");
}

static pl_status read_csv(const pl_mesh_source *source, pl_vector *columns, pl_markers *markers) {
  pl_text_cursor text = pl_text_cursor_at(source, 0, '\0');
  double first = 0, last = 0;
  int64_t row_count = 0;
  pl_status status = PL_OK;
  while (text.at < text.end && status >= 0) {
    pl_word line = pl_text_take_line(&text);
    if (is_blank(line) || line.text[0] == '#') continue;
    if (columns->count == 0) {
      status = read_csv_names(source, line, markers, columns);
      continue;
    }
    double time = (double)NAN;
    status = read_csv_row(source, line, columns, markers, &time);
    if (status < 0) break;
    if (row_count == 0) first = time;
    if (row_count > 0 && !(time > last))
      return pl_source_fail(source, offset_of(source, line), "the time %g s is not after that of the row before, %g s",
                            time, last);
    last = time;
    ++row_count;
  }
  if (status >= 0 && row_count < 2)
    return pl_source_fail(source, 0, "%lld rows are not a motion", (long long)row_count);
  if (status >= 0) markers->rate = (double)(row_count - 1) / (last - first);
  return status;
}

pl_status pl_markers_csv_read(pl_mesh_source *source, pl_markers *markers) {
  pl_vector columns = pl_vector_of(source->context, sizeof(csv_column));
  pl_status status = read_csv(source, &columns, markers);
  pl_vector_free(&columns);
  return status;
}
