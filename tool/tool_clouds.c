// Points and mesh of a first frame that was not found.
#include "tool_clouds.h"

#include <math.h>
#include <stdlib.h>

#include "pliant/math.h"
#include "tool_folder.h"

// Points at either end of an axis that do not count: sensors measure some anywhere.
static const double FAR = 0.1;
// How much larger than the mesh the points of an object will not be, and how much smaller those of a part of it.
static const double LARGER = 4, SMALLER = 8;

static int compare_numbers(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Box of nearly all points.
static pl_box find_box(const pl_cloud_view *view) {
  double *values = tool_allocate((size_t)view->point_count, sizeof *values), bounds[2][3];
  for (int axis = 0; axis < 3; ++axis) {
    for (int32_t i = 0; i < view->point_count; ++i) values[i] = (&view->points[i].x)[axis];
    qsort(values, (size_t)view->point_count, sizeof *values, compare_numbers);
    int32_t outside = (int32_t)(FAR * view->point_count);
    bounds[0][axis] = values[outside];
    bounds[1][axis] = values[view->point_count - 1 - outside];
  }
  free(values);
  return (pl_box){{bounds[0][0], bounds[0][1], bounds[0][2]}, {bounds[1][0], bounds[1][1], bounds[1][2]}};
}

static pl_vec3 middle_of(pl_box box) {
  return pl_vec3_scale(pl_vec3_add(box.min, box.max), 0.5);
}

void tool_doubt_cloud(const tool_console *console, const pl_cloud *cloud, const pl_mesh *mesh, const char *remedy) {
  pl_cloud_view view = pl_cloud_get_view(cloud);
  pl_mesh_view shape = pl_mesh_get_view(mesh);
  if (view.point_count == 0 || shape.point_count == 0) return;
  pl_box points = find_box(&view), body = pl_box_from_points(shape.points, shape.point_count);
  double size = pl_box_diagonal(points), own = pl_box_diagonal(body),
         apart = pl_vec3_distance(middle_of(points), middle_of(body));
  if (size > LARGER * own || SMALLER * size < own)
    tool_print_warning(
        console,
        "most points of the first frame extend over %.3g m, the mesh over %.3g m; check the units of both "
        "(`units`, `depth_scale`), and mask what is not the object",
        size, own);
  else if (apart > 0.5 * (size + own))
    tool_print_warning(console, "the points of the first frame lie %.3g m from the mesh; %s%s", apart,
                       remedy != NULL ? "move it there, or give " : "move it there",
                       remedy != NULL ? remedy : ", or align it with: pliant track --align");
}
