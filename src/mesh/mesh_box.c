// A box of tets. Each cell is cut into five: one tet in the middle and one at each of the four corners it leaves out.
// Of the two ways to do so neighbours take different ones, in a checkerboard: then every face diagonal joins points
// whose i + j + k is even, so the cuts of neighbours match and no direction is preferred (six tets around a cell
// diagonal would all lean the same way and bend a falling box sideways).
#include "mesh/mesh_box.h"

#include "base/arena.h"
#include "base/error.h"
#include "pliant/math.h"
#include "pliant/mesh.h"

// Corner c of a cell is at (c & 1, c >> 1 & 1, c >> 2); corners are named here as in an even cell. In the cell of the
// other kind the middle tet takes the other four corners.
static const int32_t MIDDLE_CORNERS[2][4] = {{0, 5, 3, 6}, {1, 2, 4, 7}};
static const int32_t CUT_CORNERS[2][4] = {{1, 2, 4, 7}, {0, 3, 5, 6}};

static bool is_even_corner(int32_t corner) {
  return ((corner ^ corner >> 1 ^ corner >> 2) & 1) == 0;
}

void pl_mesh_cut_cell(const int32_t corners[8], int32_t kind, int32_t *tets) {
  for (int32_t i = 0; i < 4; ++i) *tets++ = corners[MIDDLE_CORNERS[kind][i]];
  for (int32_t i = 0; i < 4; ++i) {
    // The three edges at a corner are a right-handed frame when an even number of them points backwards.
    int32_t c = CUT_CORNERS[kind][i];
    bool right_handed = is_even_corner(c);
    *tets++ = corners[c];
    *tets++ = corners[right_handed ? c ^ 1 : c ^ 2];
    *tets++ = corners[right_handed ? c ^ 2 : c ^ 1];
    *tets++ = corners[c ^ 4];
  }
}

static void fill_box(pl_vec3 size, const int32_t cells[3], pl_vec3 *points, int32_t *tets) {
  int32_t across = cells[0] + 1, layer = across * (cells[1] + 1);
  for (int32_t k = 0; k <= cells[2]; ++k)
    for (int32_t j = 0; j <= cells[1]; ++j)
      for (int32_t i = 0; i <= cells[0]; ++i)
        *points++ = pl_vec3_of(size.x * ((double)i / cells[0] - 0.5), size.y * ((double)j / cells[1] - 0.5),
                               size.z * ((double)k / cells[2] - 0.5));
  for (int32_t k = 0; k < cells[2]; ++k)
    for (int32_t j = 0; j < cells[1]; ++j)
      for (int32_t i = 0; i < cells[0]; ++i, tets += 20) {
        int32_t corners[8];
        for (int32_t c = 0; c < 8; ++c)
          corners[c] = (i + (c & 1)) + across * (j + (c >> 1 & 1)) + layer * (k + (c >> 2));
        pl_mesh_cut_cell(corners, (i + j + k) & 1, tets);
      }
}

pl_status pl_mesh_create_box(pl_context *context, pl_vec3 size, const int32_t cells[3], pl_mesh **mesh,
                             pl_error *error) {
  if (mesh != NULL) *mesh = NULL;
  if (!pl_vec3_is_finite(size) || !(size.x > 0 && size.y > 0 && size.z > 0))
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "a box of %g x %g x %g metres has no inside", size.x, size.y,
                   size.z);
  double cell_count = 1, point_count = 1;
  for (int axis = 0; axis < 3; ++axis) {
    if (cells[axis] < 1)
      return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "a box needs at least one cell along each axis, not %d",
                     cells[axis]);
    cell_count *= cells[axis];
    point_count *= cells[axis] + 1.0;
  }
  if (cell_count > INT32_MAX / 20 || point_count > INT32_MAX / 3)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "a box of %d x %d x %d cells is too large", cells[0], cells[1],
                   cells[2]);

  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_mesh_view view = {.point_count = (int32_t)point_count, .tet_count = 5 * (int32_t)cell_count};
  pl_vec3 *points = PL_TAKE(&arena, pl_vec3, view.point_count);
  int32_t *tets = PL_TAKE(&arena, int32_t, 4 * view.tet_count);
  pl_status status;
  if (arena.failed) {
    status = pl_fail_memory(error);
  } else {
    fill_box(size, cells, points, tets);
    view.points = points;
    view.tets = tets;
    status = pl_mesh_create(context, &view, mesh, error);
  }
  pl_arena_destroy(&arena);
  return status;
}
