// A hierarchy of boxes over triangles whose points move: the tree is built once for the rest shape,
// its boxes are fitted to the points whenever they have moved. Many bodies share one shape.
#ifndef PL_MESH_MOVING_TREE_H
#define PL_MESH_MOVING_TREE_H

#include "mesh/box_tree.h"
#include "pliant/mesh.h"

// What does not change when points move.
typedef struct pl_moving_shape {
  pl_box_tree boxes;  // of the rest shape; only its structure is used afterwards
  int32_t point_count, triangle_count;
  const int32_t *triangles;  // 3 points each; borrowed
} pl_moving_shape;

// The points as they are now.
typedef struct pl_moving_tree {
  const pl_moving_shape *shape;
  const pl_vec3 *points;
  pl_box *boxes;  // one per node
} pl_moving_tree;

// Build the structure from the points of the rest shape; `triangles` must live as long. Memory
// comes from `arena`; false when out of memory.
bool pl_moving_shape_build(pl_arena *arena, const pl_vec3 *points, int32_t point_count,
                           const int32_t *triangles, int32_t triangle_count,
                           pl_moving_shape *shape);

// Fit the boxes to the points. O(triangles).
void pl_moving_tree_refit(pl_moving_tree *tree);

// Corners of a triangle as they are now.
static inline void pl_moving_tree_corners(const pl_moving_tree *tree, int32_t triangle,
                                          pl_vec3 corners[3]) {
  for (int k = 0; k < 3; ++k) corners[k] = tree->points[tree->shape->triangles[3 * triangle + k]];
}

// First triangle that the ray meets within `limit` metres. `unit` has length 1. Among equal
// distances the lowest triangle wins.
pl_hit pl_moving_tree_ray(const pl_moving_tree *tree, pl_vec3 origin, pl_vec3 unit, double limit);

// Nearest point within `limit` metres. Among equal distances the lowest triangle wins.
pl_hit pl_moving_tree_nearest(const pl_moving_tree *tree, pl_vec3 point, double limit);

// Called with triangles; returns false to stop.
typedef bool pl_triangle_visit(void *data, int32_t triangle);

// Visit at least the triangles whose own boxes meet `box`, in the order of the tree.
void pl_moving_tree_visit_box(const pl_moving_tree *tree, pl_box box, pl_triangle_visit *visit,
                              void *data);

// Visit at least the triangles that the ray meets within `limit`, in the order of the tree.
void pl_moving_tree_visit_ray(const pl_moving_tree *tree, pl_vec3 origin, pl_vec3 unit,
                              double limit, pl_triangle_visit *visit, void *data);

// Is the point inside the surface? Surfaces with a rim have hardly any inside: see the source.
bool pl_moving_tree_is_inside(const pl_moving_tree *tree, pl_vec3 point);

#endif
