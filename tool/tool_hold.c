// Held points: those inside a box, or those listed in a table.
#include "tool_hold.h"

#include <math.h>
#include <stdlib.h>

#include "tool_box.h"

static void hold_box(uint8_t *held, const pl_mesh_view *mesh, const double box[6]) {
  for (int32_t i = 0; i < mesh->point_count; ++i)
    if (tool_box_contains(box, mesh->points[i])) held[i] = 1;
}

// The column `point` of a table.
static bool hold_table(const tool_session *tool, pl_context *context, const char *path, uint8_t *held, int32_t count) {
  pl_table *table = NULL;
  pl_error error = {0};
  if (pl_table_load(context, path, &table, &error) < 0) {
    if (error.status == PL_ERROR_NOT_FOUND)
      tool_print_error(&tool->console,
                       "'%s' is neither a box nor a file; --hold takes six numbers x,y,z,x,y,z or a CSV table", path);
    else
      tool_report_error(&tool->console, &error);
    return false;
  }
  pl_table_view view = pl_table_get_view(table);
  int32_t column = pl_table_find_column(table, "point");
  bool good = column >= 0;
  if (!good)
    tool_print_error(&tool->console, "'%s' has no column `point`; it must list indices of points, counted from 0",
                     path);
  for (int64_t i = 0; i < view.row_count && good; ++i) {
    double point = view.cells[i * view.column_count + column];
    good = point >= 0 && point < count && point == floor(point);
    if (good)
      held[(int32_t)point] = 1;
    else
      tool_print_error(&tool->console,
                       "'%s', row %lld: %g is not the index of a point; there are %d points, counted from 0", path,
                       (long long)i + 1, point, count);
  }
  pl_table_destroy(table);
  return good;
}

// A node on an edge is held where both ends are: a table lists the points of the mesh without such nodes.
static void hold_middles(uint8_t *held, const pl_mesh_view *mesh) {
  static const int ends[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
  for (ptrdiff_t t = 0; mesh->tet_mids != NULL && t < mesh->tet_count; ++t)
    for (int e = 0; e < 6; ++e)
      if (held[mesh->tets[4 * t + ends[e][0]]] && held[mesh->tets[4 * t + ends[e][1]]])
        held[mesh->tet_mids[6 * t + e]] = 1;
}

bool tool_hold_read(const tool_session *tool, pl_context *context, const tool_arguments *arguments, const pl_mesh *mesh,
                    int32_t **held, int32_t *held_count) {
  pl_mesh_view view = pl_mesh_get_view(mesh);
  uint8_t *marks = tool_allocate((size_t)view.point_count, 1);
  bool good = true;
  for (int i = 0; i < arguments->repeated_count && good; ++i) {
    double box[6];
    if (tool_box_read(arguments->repeated[i], box))
      hold_box(marks, &view, box);
    else
      good = hold_table(tool, context, arguments->repeated[i], marks, view.point_count);
  }
  hold_middles(marks, &view);
  *held = tool_allocate((size_t)view.point_count, sizeof **held);
  *held_count = 0;
  for (int32_t i = 0; i < view.point_count; ++i)
    if (marks[i]) (*held)[(*held_count)++] = i;
  free(marks);
  return good;
}
