// Meshes without volume that a scene describes in a line: curves of segments, flat sheets of triangles, and plane
// figures.
//
// A sheet is made of rows of points, every other row shifted by half a spacing, so that its triangles are nearly
// equilateral: bending measured at hinges knows its mesh, and only on such triangles it is the same for all directions.
// The shifted rows have a point on either border, where half a triangle is left over.
#include <math.h>

#include "base/arena.h"
#include "base/error.h"
#include "pliant/math.h"
#include "pliant/modeller.h"
#include "scene/scene_fem.h"

enum { MAX_POINTS = 2000000 };

pl_status pl_scene_make_curve(pl_context *context, const pl_scene_curve *def, pl_mesh **mesh, pl_error *error) {
  const pl_vec3 ends[2] = {def->from, def->to}, *corners = def->points.count > 0 ? def->points.items : ends;
  int32_t corner_count = def->points.count > 0 ? def->points.count : 2;
  int64_t pieces = def->segments > 0 ? def->segments : def->points.count > 0 ? 1 : 20;
  int64_t spans = def->closed ? corner_count : corner_count - 1, count = spans * pieces;
  if (count > MAX_POINTS) return pl_fail(error, PL_ERROR_INVALID_DATA, "%lld segments are too many", (long long)count);
  int32_t point_count = (int32_t)count + (def->closed ? 0 : 1);
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_vec3 *points = PL_TAKE(&arena, pl_vec3, point_count);
  int32_t *segments = PL_TAKE(&arena, int32_t, 2 * count);
  pl_status status = arena.failed ? pl_fail_memory(error) : PL_OK;
  for (int32_t i = 0; status >= 0 && i < point_count; ++i) {
    int64_t span = i / pieces;
    points[i] = pl_vec3_lerp(corners[span], corners[(span + 1) % corner_count], (double)(i % pieces) / (double)pieces);
  }
  for (int32_t i = 0; status >= 0 && i < count; ++i) {
    segments[2 * i] = i;
    segments[2 * i + 1] = (i + 1) % point_count;
  }
  pl_mesh_view view = {
      .point_count = point_count, .points = points, .segment_count = (int32_t)count, .segments = segments};
  if (status >= 0) status = pl_mesh_create(context, &view, mesh, error);
  pl_arena_destroy(&arena);
  return status;
}

// A sheet while it is made: `columns` triangles along a row, rows numbered from 0, odd ones shifted.
typedef struct sheet {
  int32_t columns, rows;
  double width, height;
  bool level;
  pl_vec3 *points;
  int32_t *triangles;
  int32_t point_count, triangle_count;
} sheet;

static void add_row(sheet *s, int32_t row) {
  int32_t last = row % 2 == 0 ? s->columns : s->columns + 1;
  double v = s->height * ((double)row / s->rows - 0.5);
  for (int32_t i = 0; i <= last; ++i) {
    double position = row % 2 == 0 ? i : fmin(fmax(i - 0.5, 0), s->columns);
    double u = s->width * (position / s->columns - 0.5);
    s->points[s->point_count++] = s->level ? (pl_vec3){u, 0, -v} : (pl_vec3){u, v, 0};
  }
}

static void add_triangle(sheet *s, int32_t a, int32_t b, int32_t c) {
  int32_t *corners = s->triangles + 3 * (ptrdiff_t)s->triangle_count++;
  corners[0] = a;
  corners[1] = b;
  corners[2] = c;
}

// Triangles between a row that starts at point `low` and the next one, which starts at `high`.
static void join_rows(sheet *s, int32_t row, int32_t low, int32_t high) {
  int32_t n = s->columns;
  if (row % 2 == 0) {
    for (int32_t i = 0; i < n; ++i) add_triangle(s, low + i, low + i + 1, high + i + 1);
    for (int32_t i = 0; i <= n; ++i) add_triangle(s, low + i, high + i + 1, high + i);
  } else {
    for (int32_t i = 0; i <= n; ++i) add_triangle(s, low + i, low + i + 1, high + i);
    for (int32_t i = 0; i < n; ++i) add_triangle(s, low + i + 1, high + i + 1, high + i);
  }
}

pl_status pl_scene_make_sheet(pl_context *context, const pl_scene_sheet *def, pl_mesh **mesh, pl_error *error) {
  if (def->size.count != 2) return pl_fail(error, PL_ERROR_INVALID_DATA, "the size of a sheet is two numbers");
  const double *size = def->size.items;
  double columns = fmax(round(size[0] / def->spacing), 1),
         rows = fmax(round(size[1] / (0.8660254037844386 * def->spacing)), 1);
  if (!((columns + 2) * (rows + 1) <= MAX_POINTS))
    return pl_fail(error, PL_ERROR_INVALID_DATA, "%.3g triangles are too many; use a wider spacing",
                   2 * columns * rows);
  sheet s = {.columns = (int32_t)columns,
             .rows = (int32_t)rows,
             .width = size[0],
             .height = size[1],
             .level = def->plane == PL_SCENE_SHEET_XZ};
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  s.points = PL_TAKE(&arena, pl_vec3, (s.columns + 2) * (s.rows + 1));
  s.triangles = PL_TAKE(&arena, int32_t, 3 * (2 * s.columns + 1) * s.rows);
  pl_status status = arena.failed ? pl_fail_memory(error) : PL_OK;
  for (int32_t row = 0, low = 0; status >= 0 && row <= s.rows; ++row) {
    int32_t high = s.point_count;
    add_row(&s, row);
    if (row > 0) join_rows(&s, row - 1, low, high);
    low = high;
  }
  pl_mesh_view view = {
      .point_count = s.point_count, .points = s.points, .triangle_count = s.triangle_count, .triangles = s.triangles};
  if (status >= 0) status = pl_mesh_create(context, &view, mesh, error);
  pl_arena_destroy(&arena);
  return status;
}

static pl_status make_figure(pl_context *context, const pl_scene_list *outline, const pl_scene_list *rims,
                             double spacing, pl_mesh **mesh, pl_error *error) {
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_plate_loop *holes = PL_TAKE(&arena, pl_plate_loop, rims->count);
  pl_status status = holes == NULL ? pl_fail_memory(error) : PL_OK;
  for (int32_t i = 0; status >= 0 && i < rims->count; ++i) {
    const pl_scene_list *rim = &((const pl_scene_hole *)rims->items)[i].outline;
    holes[i] = (pl_plate_loop){rim->items, rim->count};
  }
  pl_plate_def plate = pl_default_plate_def();
  plate.outline = (pl_plate_loop){outline->items, outline->count};
  plate.holes = holes;
  plate.hole_count = rims->count;
  plate.spacing = spacing;
  if (status >= 0) status = pl_plate_build(context, &plate, mesh, NULL, error);
  pl_arena_destroy(&arena);
  return status;
}

pl_status pl_scene_make_plate(pl_context *context, const pl_scene_plate *def, pl_mesh **mesh, pl_error *error) {
  return make_figure(context, &def->outline, &def->holes, def->spacing, mesh, error);
}

pl_status pl_scene_make_drawn(pl_context *context, const pl_scene_plate *def, pl_mesh **mesh, pl_error *error) {
  const pl_scene_figure *drawn = &def->drawn;
  double spacing = drawn->spacing > 0 ? drawn->spacing : def->spacing / 3;
  return drawn->json != NULL ? make_figure(context, &drawn->outline, &drawn->holes, spacing, mesh, error)
                             : make_figure(context, &def->outline, &def->holes, spacing, mesh, error);
}
