// What `pliant info` prints: names and values, as a table or as one JSON object.
#ifndef INFO_SHEET_H
#define INFO_SHEET_H

#include "pliant/pliant.h"
#include "tool_arguments.h"

typedef struct info_sheet {
  bool json;
  bool nodes;  // list those of a character
  int row_count;
} info_sheet;

// A row by itself: what is printed between begin and end is its value.
void info_begin_row(info_sheet *sheet, const char *name);
void info_end_row(const info_sheet *sheet);
void info_end_sheet(const info_sheet *sheet);
void info_row_text(info_sheet *sheet, const char *name, const char *text);
void info_row_count(info_sheet *sheet, const char *name, int64_t count);
void info_row_number(info_sheet *sheet, const char *name, double number, const char *unit);
void info_row_hash(info_sheet *sheet, const char *name, uint64_t hash);
void info_row_vector(info_sheet *sheet, const char *name, pl_vec3 v);

// A count followed by names, such as those of poses.
void info_row_names(info_sheet *sheet, const char *title, int32_t count,
                    const char *(*name)(const pl_mesh_view *, int32_t), const pl_mesh_view *mesh);
const char *info_pose_name(const pl_mesh_view *mesh, int32_t index);

// A row that lists things, each with a name and further values: in the table its count, and a line
// for each.
void info_begin_list(info_sheet *sheet, const char *title, int32_t count);
void info_begin_item(info_sheet *sheet, const char *name, int32_t index);
void info_end_item(const info_sheet *sheet);
void info_end_list(const info_sheet *sheet);

// Rows of a character (info_character.c): true if the file is one. A file that cannot be read as
// one is not; `remarks` is set when something is doubtful.
bool info_show_character(const tool_session *tool, pl_context *context, const char *path,
                         const char *format, info_sheet *sheet, bool *remarks);

#endif
