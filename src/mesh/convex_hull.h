// Convex hull of points in space.
#ifndef PL_MESH_CONVEX_HULL_H
#define PL_MESH_CONVEX_HULL_H

#include "base/arena.h"
#include "pliant/mesh.h"

// Triangles of a convex hull, outward; corners are indices of the points.
typedef struct pl_convex_hull {
  int32_t triangle_count;
  int32_t *triangles;  // 3 each
} pl_convex_hull;

// Build the hull of `point_count` points; the triangles are taken from `arena`, which also serves
// as workspace. Points less than a billionth of the size outside the hull are left out. Fails with
// PL_ERROR_INVALID_DATA when all points lie in a plane, and when out of memory.
pl_status pl_convex_hull_build(pl_arena *arena, const pl_vec3 *points, int32_t point_count,
                               pl_convex_hull *hull, pl_error *error);

#endif
