// Markers as a table of text, as programs of motion capture export them:
//
//   plain     `time` and NAME_x, NAME_y, NAME_z of every marker, each perhaps with its unit: `tip_x (mm)`, `time [ms]`
//   Motive    pairs of keys and values, `Length Units` among them; rows of types, names and quantities of the columns;
//             a row of axes: Frame, Time (Seconds), X, Y, Z, X, Y, Z …
//   Nexus     `Trajectories`; the rate; names over three columns each; a row of axes; a row of units
//   QTM       FREQUENCY and MARKER_NAMES, each with its values; perhaps a row as of a plain table; millimetres
//
// Cells are separated by commas, semicolons or tabs; with the last two a decimal comma is understood. Rows that a
// recorder left out are samples of all markers that are missing.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/marker_builder.h"

// A column is the time, one coordinate of a marker, or something that does not count.
typedef struct table_column {
  int32_t marker;  // -1: none
  int axis;        // 0 to 2, -1: the time, -2: not used
  double scale;    // to metres or seconds
} table_column;

typedef struct table_reader {
  pl_mesh_source *source;
  pl_markers *markers;
  pl_vector columns, times;
  char separator;
  double unit;                // of coordinates without one of their own, m
  double rate;                // that the head gives, 0: none
  pl_word names, kinds;       // rows of the head that tell what columns are; kinds: of Motive
  pl_word quantities, first;  // the row before that of axes, and the first of the file
  bool sections;              // Nexus: a blank line ends the table
  bool zero_is_missing;       // QTM
  bool named;                 // QTM: markers have their names, in the order of columns
} table_reader;

enum { MAX_NUMBER = 64, HEAD_ROWS = 20 };
// How far times may be from even ones, as a fraction of the step.
static const double UNEVEN = 0.3;

static pl_status fail_at_word(const table_reader *r, pl_word word, const char *text) {
  return pl_source_fail(r->source, pl_markers_offset(r->source, word), "%s", text);
}

static pl_word cell_at(const table_reader *r, pl_word line, int32_t column) {
  pl_word cell = {"", 0};
  size_t at = 0;
  for (int32_t i = 0; i <= column; ++i)
    if (!pl_markers_take_cell(line, &at, r->separator, &cell)) return (pl_word){"", 0};
  return cell;
}

// A number, empty where a sample is missing.
static pl_status take_number(const table_reader *r, pl_word cell, double *value) {
  char text[MAX_NUMBER];
  *value = (double)NAN;
  if (cell.length == 0 || pl_word_is_any_case(cell, "null") || pl_word_is(cell, "-")) return PL_OK;
  if (pl_word_number(cell, value)) return PL_OK;
  if (r->separator != ',' && cell.length < sizeof text) {
    memcpy(text, cell.text, cell.length);
    char *comma = memchr(text, ',', cell.length);
    if (comma != NULL) *comma = '.';
    if (comma != NULL && pl_word_number((pl_word){text, cell.length}, value)) return PL_OK;
  }
  return fail_at_word(r, cell, "a number is needed here");
}

// --- the head -----------------------------------------------------------------------------------------------------

// Split `NAME (UNIT)` or `NAME [UNIT]`; the unit is empty where there is none.
static pl_word take_unit(pl_word *name) {
  static const char *const brackets[] = {"()", "[]"};
  for (int i = 0; i < 2; ++i) {
    const char *open = name->length > 0 && name->text[name->length - 1] == brackets[i][1]
                           ? memchr(name->text, brackets[i][0], name->length)
                           : NULL;
    if (open == NULL) continue;
    pl_word unit = {open + 1, (size_t)(name->text + name->length - 1 - (open + 1))};
    name->length = (size_t)(open - name->text);
    while (name->length > 0 && name->text[name->length - 1] == ' ') --name->length;
    return unit;
  }
  return (pl_word){"", 0};
}

// Seconds of a column of times, 0 if it is none.
static double time_unit(pl_word cell) {
  pl_word name = cell, unit = take_unit(&name);
  if (!pl_word_is_any_case(name, "time") && !pl_word_is_any_case(name, "t") && !pl_word_is_any_case(name, "timestamp"))
    return 0;
  return pl_word_is_any_case(unit, "ms") || pl_word_is_any_case(unit, "milliseconds") ? 1e-3 : 1;
}

static int axis_of_letter(char letter) {
  char lower = (char)(letter | 0x20);
  return lower >= 'x' && lower <= 'z' ? lower - 'x' : -2;
}

// NAME_x, NAME.x, NAME:x or NAME x, in any case.
static int axis_of(pl_word name, pl_word *marker) {
  if (name.length < 3 || memchr("_.: ", name.text[name.length - 2], 4) == NULL) return -2;
  *marker = (pl_word){name.text, name.length - 2};
  return axis_of_letter(name.text[name.length - 1]);
}

static int32_t find_marker(const pl_markers *markers, pl_word name) {
  for (size_t i = 0; i < markers->names.count; ++i)
    if (pl_word_is(name, PL_ITEM(&markers->names, const char *, i))) return (int32_t)i;
  return -1;
}

// A column of a marker, which is added if it is new. False when out of memory.
static bool add_coordinate(table_reader *r, pl_word name, int axis, double scale) {
  table_column column = {find_marker(r->markers, name), axis, scale};
  if (column.marker < 0) {
    column.marker = (int32_t)r->markers->names.count;
    if (!pl_markers_add_name(r->markers, name)) return false;
  }
  return pl_vector_push(&r->columns, &column);
}

static bool add_other(table_reader *r, double seconds) {
  table_column column = {-1, seconds > 0 ? -1 : -2, seconds};
  return pl_vector_push(&r->columns, &column);
}

// Whether a row names times and coordinates, as in a plain table.
static bool is_plain_head(const table_reader *r, pl_word line) {
  bool timed = r->named && r->rate > 0, marked = false;
  if (r->sections || r->kinds.length > 0) return false;
  pl_word cell, name;
  for (size_t at = 0; pl_markers_take_cell(line, &at, r->separator, &cell);) {
    timed = timed || time_unit(cell) > 0;
    (void)take_unit(&cell);
    marked = marked || axis_of(cell, &name) >= 0;
  }
  return timed && marked;
}

static pl_status read_plain_head(table_reader *r, pl_word line) {
  pl_word cell, name = {"", 0};
  bool timed = false;
  for (size_t at = 0; pl_markers_take_cell(line, &at, r->separator, &cell);) {
    double seconds = timed ? 0 : time_unit(cell);
    pl_word unit = take_unit(&cell);
    int axis = axis_of(cell, &name);
    double scale = unit.length > 0 ? pl_markers_unit(unit) : r->unit;
    timed = timed || seconds > 0;
    if (seconds == 0 && axis >= 0 && !(scale > 0))
      return fail_at_word(r, unit, "this unit is not known; use mm, cm, m or in");
    if (seconds == 0 && axis >= 0 ? !add_coordinate(r, name, axis, scale) : !add_other(r, seconds))
      return pl_source_fail_memory(r->source);
  }
  return PL_OK;
}

// Whether a row has X, Y and Z side by side.
static bool is_axes_row(const table_reader *r, pl_word line) {
  pl_word cell;
  int next = 0;
  for (size_t at = 0; pl_markers_take_cell(line, &at, r->separator, &cell) && next < 3;)
    next = cell.length == 1 && axis_of_letter(cell.text[0]) == next ? next + 1 : 0;
  return next == 3;
}

// Columns of a row of axes, under names that stand over all three or over the first of them.
static pl_status read_axes_head(table_reader *r, pl_word line) {
  pl_word cell, name = {"", 0};
  int32_t index = 0;
  for (size_t at = 0; pl_markers_take_cell(line, &at, r->separator, &cell); ++index) {
    pl_word over = cell_at(r, r->names, index), kind = cell_at(r, r->kinds, index),
            quantity = cell_at(r, r->quantities, index);
    int axis = cell.length == 1 ? axis_of_letter(cell.text[0]) : -2;
    if (over.length > 0) name = over;
    // Of Motive: rigid bodies, bones, and where their solver puts markers are no measured points.
    bool counts =
        r->kinds.length == 0 || (pl_word_is_any_case(kind, "Marker") && pl_word_is_any_case(quantity, "Position"));
    bool marked = axis >= 0 && counts && name.length > 0;
    if (marked ? !add_coordinate(r, name, axis, r->unit) : !add_other(r, time_unit(cell)))
      return pl_source_fail_memory(r->source);
  }
  return PL_OK;
}

// Names of QTM, which stand for three columns each.
static pl_status read_qualisys_names(table_reader *r, pl_word line) {
  pl_word cell;
  size_t at = 0;
  pl_markers_take_cell(line, &at, r->separator, &cell);
  while (pl_markers_take_cell(line, &at, r->separator, &cell))
    if (cell.length > 0 && !pl_markers_add_name(r->markers, cell)) return pl_source_fail_memory(r->source);
  r->named = r->zero_is_missing = true;
  r->unit = 1e-3;
  return PL_OK;
}

// Columns of QTM rows without a head: frame and time may come first.
static pl_status count_qualisys_columns(table_reader *r, pl_word line) {
  pl_word cell;
  int32_t count = 0, of_markers = 3 * (int32_t)r->markers->names.count;
  for (size_t at = 0; pl_markers_take_cell(line, &at, r->separator, &cell);) ++count;
  // A separator at the end of the row makes an empty cell.
  int32_t before = count - of_markers >= 2 ? 2 : 0;
  if (count < of_markers)
    return fail_at_word(r, line, "this row has fewer than three numbers for each of MARKER_NAMES");
  for (int32_t i = 0; i < count; ++i) {
    int32_t k = i - before;
    table_column column = {-1, -2, 0};
    if (k >= 0 && k < of_markers) column = (table_column){k / 3, k % 3, r->unit};
    if (!pl_vector_push(&r->columns, &column)) return pl_source_fail_memory(r->source);
  }
  return PL_OK;
}

// Keys and values of Motive in one row.
static pl_status read_motive_keys(table_reader *r, pl_word line) {
  pl_word key, value;
  for (size_t at = 0;
       pl_markers_take_cell(line, &at, r->separator, &key) && pl_markers_take_cell(line, &at, r->separator, &value);) {
    if (pl_word_is_any_case(key, "Length Units") && !((r->unit = pl_markers_unit(value)) > 0))
      return fail_at_word(r, value, "this unit is not known; use mm, cm, m or in");
    if (pl_word_is_any_case(key, "Export Frame Rate")) (void)pl_word_number(value, &r->rate);
  }
  return PL_OK;
}

static pl_status take_rate(table_reader *r, pl_word cell) {
  return pl_word_number(cell, &r->rate) ? PL_OK : fail_at_word(r, cell, "the rate of the data is not a number");
}

// A row before those of numbers.
static pl_status read_head(table_reader *r, pl_text_cursor *text, pl_word line) {
  pl_word first = cell_at(r, line, 0), second = cell_at(r, line, 1);
  double number;
  if (r->first.length == 0) r->first = line;
  if (is_axes_row(r, line)) {
    if (r->names.length == 0) r->names = r->quantities;
    return read_axes_head(r, line);
  }
  if (is_plain_head(r, line)) return read_plain_head(r, line);
  if (pl_word_is_any_case(first, "Format Version")) return read_motive_keys(r, line);
  if (pl_word_is_any_case(first, "FREQUENCY")) return take_rate(r, second);
  if (pl_word_is_any_case(first, "MARKER_NAMES")) return read_qualisys_names(r, line);
  if (pl_word_is_any_case(first, "Trajectories")) {
    r->sections = true;
    r->unit = 1e-3;
    return take_rate(r, cell_at(r, pl_text_take_line(text), 0));
  }
  if (pl_word_is_any_case(second, "Type")) r->kinds = line;
  if (pl_word_is_any_case(second, "Name")) r->names = line;
  if (r->named && pl_word_number(first, &number)) return count_qualisys_columns(r, line);
  r->quantities = line;
  return PL_OK;
}

// Nexus: the row of units under that of axes.
static bool is_units_row(const table_reader *r, pl_word line) {
  pl_word cell;
  double scale = 0;
  for (size_t at = 0; pl_markers_take_cell(line, &at, r->separator, &cell);) {
    if (cell.length > 0 && !(pl_markers_unit(cell) > 0)) return false;
    if (cell.length > 0) scale = pl_markers_unit(cell);
  }
  for (size_t i = 0; i < r->columns.count && scale > 0; ++i) {
    table_column *column = &PL_ITEM(&r->columns, table_column, i);
    if (column->axis >= 0) column->scale = scale;
  }
  return scale > 0;
}

// --- rows ---------------------------------------------------------------------------------------------------------

static pl_status add_time(table_reader *r, pl_word line, double time) {
  size_t count = r->times.count;
  if (isnan(time) && r->rate > 0) time = (double)count / r->rate;
  if (!isfinite(time)) return fail_at_word(r, line, "this row has no time");
  if (count > 0 && !(time > PL_ITEM(&r->times, double, count - 1)))
    return pl_source_fail(r->source, pl_markers_offset(r->source, line),
                          "the time %g s is not after that of the row before, %g s", time,
                          PL_ITEM(&r->times, double, count - 1));
  return pl_vector_push(&r->times, &time) ? PL_OK : pl_source_fail_memory(r->source);
}

static pl_status read_row(table_reader *r, pl_word line) {
  pl_markers *markers = r->markers;
  size_t first = markers->points.count, at = 0, index = 0, marker_count = markers->names.count;
  pl_vec3 *points = pl_vector_grow(&markers->points, marker_count);
  if (points == NULL) return pl_source_fail_memory(r->source);
  for (size_t i = 0; i < marker_count; ++i) points[i] = (pl_vec3){(double)NAN, (double)NAN, (double)NAN};
  double time = (double)NAN, value;
  pl_word cell;
  for (; pl_markers_take_cell(line, &at, r->separator, &cell); ++index) {
    if (index >= r->columns.count && cell.length == 0) continue;
    if (index >= r->columns.count)
      return pl_source_fail(r->source, pl_markers_offset(r->source, cell),
                            "this row has more cells than there are columns, %zu", r->columns.count);
    table_column column = PL_ITEM(&r->columns, table_column, index);
    if (column.axis == -2) continue;
    pl_status status = take_number(r, cell, &value);
    if (status < 0) return status;
    if (column.axis == -1)
      time = column.scale * value;
    else
      (&PL_ITEM(&markers->points, pl_vec3, first + (size_t)column.marker).x)[column.axis] = column.scale * value;
  }
  for (size_t i = first; i < markers->points.count && r->zero_is_missing; ++i) {
    pl_vec3 *p = &PL_ITEM(&markers->points, pl_vec3, i);
    if (p->x == 0 && p->y == 0 && p->z == 0) p->x = (double)NAN;
  }
  return add_time(r, line, time);
}

static pl_status read_rows(table_reader *r) {
  pl_text_cursor text = pl_text_cursor_at(r->source, 0, '\0');
  pl_status status = PL_OK;
  bool begun = false;
  while (text.at < text.end && status >= 0) {
    pl_word line = pl_text_take_line(&text);
    if (pl_markers_is_blank(line) && begun && r->sections) break;
    if (pl_markers_is_blank(line) || line.text[0] == '#') continue;
    bool headless = r->columns.count == 0;
    if (headless) status = read_head(r, &text, line);
    // Rows of QTM may follow its names at once: the first of them showed the columns.
    if (status < 0 || (headless && !(r->columns.count > 0 && r->named && !is_plain_head(r, line)))) continue;
    if (!begun && is_units_row(r, line)) continue;
    begun = true;
    status = read_row(r, line);
  }
  if (status >= 0 && r->columns.count == 0)
    return fail_at_word(r, r->first.length > 0 ? r->first : (pl_word){(const char *)r->source->bytes, 0},
                        "the first line must name the columns time and NAME_x, NAME_y, NAME_z of every marker");
  return status;
}

// --- times --------------------------------------------------------------------------------------------------------

static int compare_numbers(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// The median, so that neither rows that were left out nor times that were read off late count.
static pl_status find_step(const table_reader *r, double *step) {
  pl_vector steps = pl_vector_of(r->source->context, sizeof(double));
  double *all = pl_vector_grow(&steps, r->times.count - 1);
  if (all == NULL) return pl_source_fail_memory(r->source);
  for (size_t i = 0; i + 1 < r->times.count; ++i)
    all[i] = PL_ITEM(&r->times, double, i + 1) - PL_ITEM(&r->times, double, i);
  qsort(all, steps.count, sizeof *all, compare_numbers);
  *step = all[(steps.count - 1) / 2];
  pl_vector_free(&steps);
  return PL_OK;
}

// Steps from the first row to each row; false where times are not even. Rounded times make steps unequal, so each row
// is counted from the one before.
static bool count_steps(const table_reader *r, double step, int64_t *all) {
  *all = 0;
  for (size_t i = 1; i < r->times.count; ++i) {
    double steps = (PL_ITEM(&r->times, double, i) - PL_ITEM(&r->times, double, i - 1)) / step;
    if (!(fabs(steps - round(steps)) < UNEVEN * fmax(1, 0.1 * steps)) || steps > 1e6) return false;
    *all += (int64_t)round(steps);
  }
  return true;
}

// Rows that were left out, as samples that are missing.
static pl_status fill_rows(table_reader *r, double step) {
  pl_markers *markers = r->markers;
  pl_vector filled = pl_vector_of(r->source->context, sizeof(pl_vec3));
  size_t marker_count = markers->names.count;
  const pl_vec3 *points = markers->points.items;
  bool good = true;
  for (size_t i = 0; i < r->times.count && good; ++i) {
    double since = i > 0 ? PL_ITEM(&r->times, double, i) - PL_ITEM(&r->times, double, i - 1) : step;
    for (int64_t k = (int64_t)round(since / step); k > 0 && good; --k) {
      pl_vec3 *row = pl_vector_grow(&filled, marker_count);
      good = row != NULL;
      for (size_t m = 0; m < marker_count && good; ++m)
        row[m] = k > 1 ? (pl_vec3){(double)NAN, (double)NAN, (double)NAN} : points[i * marker_count + m];
    }
  }
  if (!good) {
    pl_vector_free(&filled);
    return pl_source_fail_memory(r->source);
  }
  pl_vector_free(&markers->points);
  markers->points = filled;
  return PL_OK;
}

static pl_status set_rate(table_reader *r) {
  size_t count = r->times.count;
  if (count < 2) return pl_source_fail(r->source, 0, "%zu rows are not a motion", count);
  double duration = PL_ITEM(&r->times, double, count - 1) - PL_ITEM(&r->times, double, 0), step = 0;
  int64_t steps = 0;
  pl_status status = find_step(r, &step);
  if (status < 0) return status;
  if (!count_steps(r, step, &steps) || steps > (int64_t)(100 * count))
    return pl_source_fail(r->source, 0,
                          "the times of the rows are not even: the usual step is %g s, the mean %g s; export them at "
                          "one frame rate, with empty cells where samples are missing",
                          step, duration / (double)(count - 1));
  r->markers->rate = (double)steps / duration;
  return steps + 1 > (int64_t)count ? fill_rows(r, step) : PL_OK;
}

// A plain table has three of them in a row at least, for the time and one marker. With commas in numbers there are as
// many of those, so that the others come first.
static char find_separator(const pl_mesh_source *source) {
  static const char separators[] = {'\t', ';'};
  for (size_t k = 0; k < sizeof separators; ++k) {
    pl_text_cursor text = pl_text_cursor_at(source, 0, '\0');
    for (int row = 0; row < HEAD_ROWS && text.at < text.end; ++row) {
      pl_word line = pl_text_take_line(&text);
      int count = 0;
      for (size_t i = 0; i < line.length; ++i) count += line.text[i] == separators[k];
      if (count >= 3) return separators[k];
    }
  }
  return ',';
}

pl_status pl_markers_table_read(pl_mesh_source *source, pl_markers *markers) {
  table_reader reader = {.source = source,
                         .markers = markers,
                         .columns = pl_vector_of(source->context, sizeof(table_column)),
                         .times = pl_vector_of(source->context, sizeof(double)),
                         .separator = find_separator(source),
                         .unit = 1};
  pl_status status = read_rows(&reader);
  if (status >= 0) status = set_rate(&reader);
  pl_vector_free(&reader.columns);
  pl_vector_free(&reader.times);
  return status;
}
