#include "tool_box.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

bool tool_box_read(const char *text, double box[6]) {
  char extra;
  return sscanf(text, "%lf,%lf,%lf,%lf,%lf,%lf%c", &box[0], &box[1], &box[2], &box[3], &box[4], &box[5], &extra) == 6;
}

bool tool_box_contains(const double box[6], pl_vec3 point) {
  const double p[3] = {point.x, point.y, point.z};
  bool inside = true;
  for (int a = 0; a < 3; ++a) inside = inside && p[a] >= fmin(box[a], box[a + 3]) && p[a] <= fmax(box[a], box[a + 3]);
  return inside;
}

bool tool_box_read_weight(const tool_session *tool, const char *text, const pl_mesh *mesh, double **masses) {
  pl_mesh_view view = pl_mesh_get_view(mesh);
  char *end = NULL;
  double box[6], mass = strtod(text, &end);
  if (end == text || *end != ':' || !(mass > 0) || !isfinite(mass) || !tool_box_read(end + 1, box)) {
    tool_print_error(&tool->console, "--weight takes kilograms and a box, such as 0.05:0.19,-1,-1,0.21,1,1, not '%s'",
                     text);
    return false;
  }
  int32_t count = 0;
  for (int32_t i = 0; i < view.point_count; ++i) count += tool_box_contains(box, view.points[i]);
  if (count == 0) {
    tool_print_error(&tool->console, "no point of the mesh is in the box of --weight");
    return false;
  }
  *masses = tool_allocate((size_t)view.point_count, sizeof **masses);
  for (int32_t i = 0; i < view.point_count; ++i)
    if (tool_box_contains(box, view.points[i])) (*masses)[i] = mass / count;
  return true;
}
