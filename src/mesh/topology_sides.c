// Neighbours across the sides of triangles (edges) and tets (faces), the boundary they leave, and points at the same
// position.
#include <string.h>

#include "base/error.h"
#include "mesh/topology.h"
#include "pliant/math.h"

// Corners of the side opposite to each corner, so that the side of a positive tet is seen counter-clockwise from
// outside.
static const int32_t TET_SIDES[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
static const int32_t TRIANGLE_SIDES[3][2] = {{1, 2}, {2, 0}, {0, 1}};

static int32_t side_corner(pl_elements elements, int32_t element, int32_t side, int32_t i) {
  int32_t corner = elements.width == 4 ? TET_SIDES[side][i] : TRIANGLE_SIDES[side][i];
  return elements.corners[elements.width * element + corner];
}

static void sort_key(int32_t *key, int32_t width) {
  for (int32_t i = 1; i < width; ++i)
    for (int32_t j = i; j > 0 && key[j] < key[j - 1]; --j) {
      int32_t swap = key[j];
      key[j] = key[j - 1];
      key[j - 1] = swap;
    }
}

bool pl_neighbours_find(pl_arena *arena, pl_elements elements, int32_t point_count, int32_t **neighbours) {
  int32_t width = elements.width - 1, side_count = elements.width * elements.count;
  *neighbours = PL_TAKE(arena, int32_t, side_count);
  if (*neighbours == NULL) return false;
  pl_arena temporary;
  pl_arena_init(&temporary, arena->context, 0);
  int32_t *keys = PL_TAKE(&temporary, int32_t, (size_t)width * (size_t)side_count), *order = NULL;
  bool done = false;
  if (keys == NULL) goto out;
  for (int32_t s = 0; s < side_count; ++s) {
    int32_t *key = &keys[(size_t)width * (size_t)s];
    for (int32_t i = 0; i < width; ++i) key[i] = side_corner(elements, s / elements.width, s % elements.width, i);
    sort_key(key, width);
  }
  if (!pl_tuples_sort(&temporary, keys, side_count, width, point_count, &order)) goto out;
  size_t key_size = (size_t)width * sizeof *keys;
  for (int32_t i = 0, end; i < side_count; i = end) {
    const int32_t *key = &keys[(size_t)width * (size_t)order[i]];
    for (end = i + 1; end < side_count && memcmp(key, &keys[(size_t)width * (size_t)order[end]], key_size) == 0;) end++;
    for (int32_t j = i; j < end; ++j) (*neighbours)[order[j]] = -1;
    if (end - i != 2) continue;
    (*neighbours)[order[i]] = order[i + 1] / elements.width;
    (*neighbours)[order[i + 1]] = order[i] / elements.width;
  }
  done = true;
out:
  pl_arena_destroy(&temporary);
  return done;
}

bool pl_tets_boundary(pl_arena *arena, const int32_t *tets, int32_t tet_count, int32_t point_count, int32_t **triangles,
                      int32_t *triangle_count, int32_t **tet_of_triangle) {
  // Sides with three and more tets have no neighbour either; being inside something, they are not boundary, and a count
  // tells them apart.
  pl_arena temporary;
  pl_arena_init(&temporary, arena->context, 0);
  int32_t side_count = 4 * tet_count;
  int32_t *keys = PL_TAKE(&temporary, int32_t, 3 * (size_t)side_count), *order = NULL;
  bool *is_single = PL_TAKE(&temporary, bool, side_count), done = false;
  pl_elements elements = {tets, tet_count, 4};
  if (temporary.failed) goto out;
  for (int32_t s = 0; s < side_count; ++s) {
    for (int32_t i = 0; i < 3; ++i) keys[3 * (size_t)s + (size_t)i] = side_corner(elements, s / 4, s % 4, i);
    sort_key(&keys[3 * (size_t)s], 3);
  }
  if (!pl_tuples_sort(&temporary, keys, side_count, 3, point_count, &order)) goto out;
  int32_t count = 0;
  for (int32_t i = 0, end; i < side_count; i = end) {
    const int32_t *key = &keys[3 * (size_t)order[i]];
    for (end = i + 1; end < side_count && memcmp(key, &keys[3 * (size_t)order[end]], 3 * sizeof *key) == 0;) end++;
    is_single[order[i]] = end == i + 1;
    count += end == i + 1;
  }
  *triangles = PL_TAKE(arena, int32_t, 3 * (size_t)count);
  int32_t *owners = PL_TAKE(arena, int32_t, count);
  if (arena->failed) goto out;
  *triangle_count = 0;
  for (int32_t s = 0; s < side_count; ++s) {
    if (!is_single[s]) continue;
    for (int32_t i = 0; i < 3; ++i) (*triangles)[3 * *triangle_count + i] = side_corner(elements, s / 4, s % 4, i);
    owners[(*triangle_count)++] = s / 4;
  }
  if (tet_of_triangle != NULL) *tet_of_triangle = owners;
  done = true;
out:
  pl_arena_destroy(&temporary);
  return done;
}

static bool is_before(pl_vec3 a, pl_vec3 b) {
  if (a.x != b.x) return a.x < b.x;
  if (a.y != b.y) return a.y < b.y;
  return a.z < b.z;
}

bool pl_points_weld(pl_arena *arena, const pl_vec3 *points, int32_t point_count, int32_t **first_of_point) {
  *first_of_point = PL_TAKE(arena, int32_t, point_count);
  int32_t *from = PL_TAKE(arena, int32_t, point_count), *to = PL_TAKE(arena, int32_t, point_count);
  if (arena->failed) return false;
  // Merge sort by position, bottom up; stable, so the lowest index comes first among equals.
  for (int32_t i = 0; i < point_count; ++i) from[i] = i;
  for (int64_t run = 1; run < point_count; run *= 2) {
    for (int64_t begin = 0; begin < point_count; begin += 2 * run) {
      int64_t middle = begin + run < point_count ? begin + run : point_count;
      int64_t end = begin + 2 * run < point_count ? begin + 2 * run : point_count;
      for (int64_t i = begin, j = middle, k = begin; k < end; ++k)
        to[k] = i < middle && (j >= end || !is_before(points[from[j]], points[from[i]])) ? from[i++] : from[j++];
    }
    int32_t *swap = from;
    from = to;
    to = swap;
  }
  for (int32_t i = 0, first = 0; i < point_count; ++i) {
    if (i == 0 || is_before(points[first], points[from[i]])) first = from[i];
    (*first_of_point)[from[i]] = first;
  }
  return true;
}

pl_status pl_mesh_build_boundary(pl_context *context, const pl_mesh *mesh, pl_mesh **surface, int32_t *point_of_surface,
                                 pl_error *error) {
  if (surface != NULL) *surface = NULL;
  pl_mesh_view view = pl_mesh_get_view(mesh);
  if (view.tet_count == 0) return pl_fail(error, PL_ERROR_INVALID_DATA, "the mesh has no tets, so it has no boundary");
  if (view.tet_mids != NULL) {
    pl_mesh *split = NULL;
    pl_status made = pl_mesh_build_split(context, mesh, &split, error);
    if (made >= 0) made = pl_mesh_build_boundary(context, split, surface, point_of_surface, error);
    pl_mesh_destroy(split);
    return made;
  }
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_mesh_view made = {0};
  int32_t *triangles = NULL, *number = PL_TAKE(&arena, int32_t, view.point_count),
          *origin = PL_TAKE(&arena, int32_t, view.point_count);
  pl_vec3 *points = PL_TAKE(&arena, pl_vec3, view.point_count);
  pl_status status;
  if (arena.failed ||
      !pl_tets_boundary(&arena, view.tets, view.tet_count, view.point_count, &triangles, &made.triangle_count, NULL)) {
    status = pl_fail_memory(error);
  } else {
    for (int32_t i = 0; i < 3 * made.triangle_count; ++i) number[triangles[i]] = 1;
    for (int32_t i = 0; i < view.point_count; ++i) {
      if (number[i] == 0) continue;
      points[made.point_count] = view.points[i];
      origin[made.point_count] = i;
      number[i] = made.point_count++;
    }
    for (int32_t i = 0; i < 3 * made.triangle_count; ++i) triangles[i] = number[triangles[i]];
    made.points = points;
    made.triangles = triangles;
    status = pl_mesh_create(context, &made, surface, error);
    if (status == PL_OK && point_of_surface != NULL && made.point_count > 0)
      memcpy(point_of_surface, origin, (size_t)made.point_count * sizeof *origin);
  }
  pl_arena_destroy(&arena);
  return status;
}
