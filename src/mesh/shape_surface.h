// From a sampled grid to the points and quads of a surface.
#ifndef PL_MESH_SHAPE_SURFACE_H
#define PL_MESH_SHAPE_SURFACE_H

#include "base/arena.h"
#include "mesh/shape_grid.h"

typedef struct pl_shape_surface {
  int32_t point_count, quad_count;
  pl_vec3 *points;
  int32_t *quads;      // 4 points each, counter-clockwise seen from outside
  int32_t *triangles;  // 2 of 3 points per quad
} pl_shape_surface;

// Arrays come from `arena`. The grid's vertex and edge tables are filled on the way. False when out
// of memory.
bool pl_shape_surface_make(pl_shape_surface *surface, pl_arena *arena, pl_shape_grid *grid);

#endif
