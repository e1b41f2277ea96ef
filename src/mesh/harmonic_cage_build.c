// Cages made by themselves: the boundary of a coarse lattice in space, the outline of coarse squares in a plane.
//
// Both keep every cell that comes within a tenth of a cell of the body, so that no point of the body lies on the cage,
// where a single face would hold it. In the plane the number of cells along the longer side goes up until the outline
// has the number of points that asked for; the nearer of the last two is taken. Squares that meet in a corner only give
// an outline that touches itself there, which does no harm: the corner is one vertex.
#include <math.h>

#include "base/arena.h"
#include "base/error.h"
#include "mesh/harmonic_weights.h"
#include "pliant/math.h"

enum { MAX_CELLS = 128, LINES = MAX_CELLS + 3 };  // along a side; lines of points, with a ring of empty cells around

static const double MARGIN = 0.1;  // of a cell

typedef struct outline {
  pl_mesh_view body;
  pl_box box;
  double cell_size;
  double origin[2];
  bool *kept;        // LINES x LINES cells
  int32_t *numbers;  // of the points, LINES x LINES, -1 for none
  pl_vec3 *points;
  int32_t *segments;
  int32_t point_count, segment_count;
} outline;

// Whether a triangle meets a square: no line along a side of either separates them.
static bool meets_square(const pl_vec3 corners[3], const double center[2], double half) {
  for (int32_t side = 0; side < 5; ++side) {
    pl_vec3 a = corners[side % 3], b = corners[(side + 1) % 3];
    double nx = side < 3 ? a.y - b.y : side == 3, ny = side < 3 ? b.x - a.x : side == 4, min = HUGE_VAL,
           max = -HUGE_VAL;
    for (int32_t k = 0; k < 3; ++k) {
      double along = nx * (corners[k].x - center[0]) + ny * (corners[k].y - center[1]);
      min = fmin(min, along);
      max = fmax(max, along);
    }
    double reach = half * (fabs(nx) + fabs(ny));
    if (min > reach || max < -reach) return false;
  }
  return true;
}

static int32_t cell_along(const outline *o, int32_t axis, double position) {
  double cell = floor((position - o->origin[axis]) / o->cell_size);
  return (int32_t)fmin(fmax(cell, 1), LINES - 2);
}

static void keep_squares(outline *o, int32_t cell_count) {
  pl_vec3 extent = pl_vec3_sub(o->box.max, o->box.min), center = pl_box_center(o->box);
  // The cells of the longer side hold it and its margin; one empty cell before and one after.
  o->cell_size = fmax(extent.x, extent.y) / (cell_count - 2.02 * MARGIN);
  const double extents[2] = {extent.x, extent.y}, centers[2] = {center.x, center.y};
  for (int32_t axis = 0; axis < 2; ++axis) {
    double cells = ceil(extents[axis] / o->cell_size + 2.02 * MARGIN - 1e-9);
    o->origin[axis] = centers[axis] - (0.5 * cells + 1) * o->cell_size;
  }
  for (int32_t i = 0; i < LINES * LINES; ++i) o->kept[i] = false;
  double margin = MARGIN * o->cell_size;
  for (int32_t t = 0; t < o->body.triangle_count; ++t) {
    const int32_t *at = &o->body.triangles[3 * t];
    const pl_vec3 corners[3] = {o->body.points[at[0]], o->body.points[at[1]], o->body.points[at[2]]};
    pl_box box = pl_box_expand(pl_box_from_points(corners, 3), margin);
    for (int32_t y = cell_along(o, 1, box.min.y); y <= cell_along(o, 1, box.max.y); ++y)
      for (int32_t x = cell_along(o, 0, box.min.x); x <= cell_along(o, 0, box.max.x); ++x) {
        const double middle[2] = {o->origin[0] + (x + 0.5) * o->cell_size, o->origin[1] + (y + 0.5) * o->cell_size};
        if (meets_square(corners, middle, 0.5 * o->cell_size + margin)) o->kept[y * LINES + x] = true;
      }
  }
}

static int32_t number_of(outline *o, int32_t x, int32_t y) {
  int32_t *number = &o->numbers[y * LINES + x];
  if (*number >= 0) return *number;
  o->points[o->point_count] =
      pl_vec3_of(o->origin[0] + x * o->cell_size, o->origin[1] + y * o->cell_size, o->box.min.z);
  return *number = o->point_count++;
}

static void draw_outline(outline *o) {
  static const int32_t STEPS[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};  // corners of a cell, counter-clockwise
  static const int32_t NEIGHBOURS[4][2] = {{0, -1}, {1, 0}, {0, 1}, {-1, 0}};
  o->point_count = o->segment_count = 0;
  for (int32_t i = 0; i < LINES * LINES; ++i) o->numbers[i] = -1;
  for (int32_t y = 1; y < LINES - 1; ++y)
    for (int32_t x = 1; x < LINES - 1; ++x)
      for (int32_t side = 0; o->kept[y * LINES + x] && side < 4; ++side) {
        if (o->kept[(y + NEIGHBOURS[side][1]) * LINES + x + NEIGHBOURS[side][0]]) continue;
        const int32_t *from = STEPS[side], *to = STEPS[(side + 1) % 4];
        o->segments[2 * o->segment_count] = number_of(o, x + from[0], y + from[1]);
        o->segments[2 * o->segment_count++ + 1] = number_of(o, x + to[0], y + to[1]);
      }
}

static void outline_of(outline *o, int32_t cell_count) {
  keep_squares(o, cell_count);
  draw_outline(o);
}

static pl_status build_in_plane(pl_context *context, const pl_mesh_view *body, pl_box box, int32_t target,
                                pl_mesh **cage, pl_error *error) {
  outline o = {.body = *body, .box = box};
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  o.kept = PL_TAKE(&arena, bool, LINES *LINES);
  o.numbers = PL_TAKE(&arena, int32_t, LINES * LINES);
  o.points = PL_TAKE(&arena, pl_vec3, LINES * LINES);
  o.segments = PL_TAKE(&arena, int32_t, 8 * LINES * LINES);
  if (arena.failed) {
    pl_arena_destroy(&arena);
    return pl_fail_memory(error);
  }
  int32_t cell_count = 1, before = 0;
  for (outline_of(&o, 1); o.point_count < target && cell_count < MAX_CELLS; outline_of(&o, ++cell_count))
    before = o.point_count;
  if (before > 0 && target - before < o.point_count - target) outline_of(&o, cell_count - 1);
  const pl_mesh_view view = {
      .point_count = o.point_count, .points = o.points, .segment_count = o.segment_count, .segments = o.segments};
  pl_status status = pl_mesh_create(context, &view, cage, error);
  pl_arena_destroy(&arena);
  return status;
}

static pl_status build_in_space(pl_context *context, const pl_mesh *body, int32_t target, pl_mesh **cage,
                                pl_error *error) {
  pl_mesh *surface = NULL, *tets = NULL;
  pl_status status = PL_OK;
  if (pl_mesh_get_view(body).triangle_count == 0) status = pl_mesh_build_boundary(context, body, &surface, NULL, error);
  pl_lattice_def def = pl_default_lattice_def();
  def.target_point_count = target;
  def.margin = MARGIN;
  if (status >= 0) status = pl_lattice_build(context, &def, surface != NULL ? surface : body, &tets, NULL, error);
  if (status >= 0) status = pl_mesh_build_boundary(context, tets, cage, NULL, error);
  pl_mesh_destroy(surface);
  pl_mesh_destroy(tets);
  return status;
}

pl_status pl_cage_build(pl_context *context, const pl_mesh *body, int32_t target_point_count, pl_mesh **cage,
                        pl_error *error) {
  *cage = NULL;
  pl_mesh_view view = pl_mesh_get_view(body);
  if (target_point_count < 4) return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "a cage needs at least 4 points");
  if (view.triangle_count == 0 && view.tet_count == 0)
    return pl_fail(error, PL_ERROR_INVALID_DATA, "a cage needs a body of triangles or tets");
  pl_box box = pl_box_from_points(view.points, view.point_count);
  double size = pl_box_diagonal(box);
  if (!(size > 0) || !isfinite(size))
    return pl_fail(error, PL_ERROR_INVALID_DATA, "the body has no extent: no cage can enclose it");
  bool is_flat = box.max.z - box.min.z <= 1e-12 * size;
  return is_flat && view.tet_count == 0 ? build_in_plane(context, &view, box, target_point_count, cage, error)
                                        : build_in_space(context, body, target_point_count, cage, error);
}
