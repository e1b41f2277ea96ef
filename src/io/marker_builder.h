// Markers being read: names first, then frames.
#ifndef PL_IO_MARKER_BUILDER_H
#define PL_IO_MARKER_BUILDER_H

#include "base/arena.h"
#include "base/vector.h"
#include "pliant/markers.h"
#include "text/text_cursor.h"

struct pl_markers {
  pl_arena arena;    // holds the names, this struct too
  pl_vector names;   // of const char *
  pl_vector points;  // of pl_vec3, frame after frame
  double rate;
};

// Append a marker; blanks around its name are left out, a name that is there already gets a number.
// False when out of memory.
bool pl_markers_add_name(pl_markers *markers, pl_word name);

// Metres of a unit's name; 0 if it is not known. A word of no length is millimetres.
double pl_markers_unit(pl_word unit);

// The next cell of a line, up to `separator`, without blanks and quotes around it; false after the
// last.
bool pl_markers_take_cell(pl_word line, size_t *at, char separator, pl_word *cell);
bool pl_markers_is_blank(pl_word line);
// Where a word stands in the file.
size_t pl_markers_offset(const pl_mesh_source *source, pl_word word);

// Readers of one format each.
pl_status pl_markers_c3d_read(pl_mesh_source *source, pl_markers *markers);
pl_status pl_markers_trc_read(pl_mesh_source *source, pl_markers *markers);
pl_status pl_markers_table_read(pl_mesh_source *source, pl_markers *markers);

#endif
