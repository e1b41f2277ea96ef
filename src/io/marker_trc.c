// Markers as TRC (Motion Analysis): PathFileType; a line of keys and one of their values; a line of names, each over
// three columns; a line of column names; rows of frame number, time and coordinates, separated by tabs, empty where a
// sample is missing.
#include <math.h>

#include "io/marker_builder.h"

// A coordinate; a cell that is empty is a sample that is missing.
static pl_status take_coordinate(const pl_mesh_source *source, pl_word cell, double *value) {
  *value = (double)NAN;
  if (cell.length == 0) return PL_OK;
  if (!pl_word_number(cell, value))
    return pl_source_fail(source, pl_markers_offset(source, cell), "a number is needed here");
  return PL_OK;
}

typedef struct trc_head {
  double rate, unit;
} trc_head;

static pl_status read_trc_head(const pl_mesh_source *source, pl_word keys, pl_word values, trc_head *head) {
  pl_word key, value;
  *head = (trc_head){.unit = pl_markers_unit((pl_word){"", 0})};
  for (size_t at = 0, of = 0;
       pl_markers_take_cell(keys, &at, '\t', &key) && pl_markers_take_cell(values, &of, '\t', &value);) {
    if (pl_word_is_any_case(key, "DataRate") && !pl_word_number(value, &head->rate))
      return pl_source_fail(source, pl_markers_offset(source, value), "the rate of the data is not a number");
    if (pl_word_is_any_case(key, "Units") && !((head->unit = pl_markers_unit(value)) > 0)) {
      char shown[PL_SHOWN_SIZE];
      return pl_source_refuse(source, pl_markers_offset(source, value),
                              "the unit '%s' is not known; use mm, cm, m or in", pl_word_show(value, shown));
    }
  }
  return PL_OK;
}

static pl_status read_trc_row(const pl_mesh_source *source, pl_word line, double unit, pl_markers *markers) {
  pl_word cell;
  size_t at = 0;
  for (int i = 0; i < 2; ++i)
    if (!pl_markers_take_cell(line, &at, '\t', &cell))
      return pl_source_fail(source, pl_markers_offset(source, line), "this row has no time");
  for (size_t i = 0; i < markers->names.count; ++i) {
    double p[3] = {(double)NAN, (double)NAN, (double)NAN};
    // Rows may end early where the last markers are missing.
    for (int k = 0; k < 3; ++k)
      if (pl_markers_take_cell(line, &at, '\t', &cell)) {
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
  for (size_t at = 0; pl_markers_take_cell(names, &at, '\t', &cell); ++column)
    if (column >= 2 && cell.length > 0 && !pl_markers_add_name(markers, cell)) return pl_source_fail_memory(source);
  if (markers->names.count == 0)
    return pl_source_fail(source, pl_markers_offset(source, names), "the fourth line has no names of markers");
  pl_text_take_line(&text);
  while (text.at < text.end && status >= 0) {
    pl_word line = pl_text_take_line(&text);
    if (!pl_markers_is_blank(line)) status = read_trc_row(source, line, head.unit, markers);
  }
  return status;
}
