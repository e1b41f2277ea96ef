// Samples of a shape on a cubic grid, kept only near its surface.
//
// Nodes of the grid belong to blocks of 4x4x4. A block whose surroundings hold no surface (the
// value at its centre says so) is not sampled: it is inside or outside as a whole.
#ifndef PL_MESH_SHAPE_GRID_H
#define PL_MESH_SHAPE_GRID_H

#include "base/vector.h"
#include "mesh/shape_distance.h"

enum { PL_SHAPE_BLOCK_EDGE = 4, PL_SHAPE_BLOCK_SIZE = 64 };

typedef struct pl_shape_block {
  int32_t corner[3];                      // in blocks
  float values[PL_SHAPE_BLOCK_SIZE];      // of its nodes, x fastest; inside is < 0
  int32_t vertices[PL_SHAPE_BLOCK_SIZE];  // surface vertex of the cell above each node, -1 for none
  // number of the cut edge from each node along each axis, -1 for none
  int32_t edges[PL_SHAPE_BLOCK_SIZE][3];
} pl_shape_block;

typedef struct pl_shape_grid {
  pl_context *context;
  const pl_shape *shape;
  double cell_size;
  pl_vec3 origin;           // of node 0 0 0
  int32_t block_counts[3];  // per axis
  int32_t *block_of;        // index of the sampled block at each position, or one of the two below
  pl_vector blocks;         // pl_shape_block
} pl_shape_grid;

enum { PL_SHAPE_OUTSIDE = -1, PL_SHAPE_INSIDE = -2 };

// Sample the shape with the given cell size. `grid` is freed by the caller, also after a failure.
pl_status pl_shape_grid_sample(pl_shape_grid *grid, pl_context *context, const pl_shape *shape,
                               double cell_size, pl_error *error);
void pl_shape_grid_free(pl_shape_grid *grid);

// Number of grid edges that the surface cuts: half the number of triangles to come.
int32_t pl_shape_grid_count_cuts(const pl_shape_grid *grid);

// Turn single nodes from outside to inside until the surface is a manifold; false when out of
// memory.
bool pl_shape_grid_repair(pl_shape_grid *grid);

// Value of a node; -1 or 1 where the grid was not sampled.
float pl_shape_grid_value(const pl_shape_grid *grid, int32_t x, int32_t y, int32_t z);

// Which corners of the cell above node x y z are inside: bit 0 is the node itself, +1 in x is bit
// 1, in y bit 2, in z bit 4.
int pl_shape_grid_corners(const pl_shape_grid *grid, int32_t x, int32_t y, int32_t z);

// The block of node x y z, or NULL where it was not sampled; `slot` receives the node's index in
// it.
pl_shape_block *pl_shape_grid_find(const pl_shape_grid *grid, int32_t x, int32_t y, int32_t z,
                                   int *slot);

static inline pl_vec3 pl_shape_grid_position(const pl_shape_grid *grid, int32_t x, int32_t y,
                                             int32_t z) {
  return pl_vec3_add_scaled(grid->origin, pl_vec3_of(x, y, z), grid->cell_size);
}

#endif
