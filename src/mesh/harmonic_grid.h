// The Laplace equation inside a cage on a regular grid, and points inside as means of its nodes.
#ifndef PL_MESH_HARMONIC_GRID_H
#define PL_MESH_HARMONIC_GRID_H

#include "base/vector.h"
#include "mesh/harmonic_cage.h"
#include "sparse/sparse_matrix.h"

// The weight of a node or of a cage vertex.
typedef struct pl_harmonic_term {
  int32_t row;     // of the matrix; -1: a cage vertex
  int32_t vertex;  // where row is -1
  double weight;
} pl_harmonic_term;

// The cage pulls at a node: coefficient times the value at the vertex belongs to the right-hand
// side.
typedef struct pl_harmonic_pull {
  int32_t row, vertex;
  double coefficient;
} pl_harmonic_pull;

typedef struct pl_harmonic_grid {
  const pl_harmonic_cage *cage;
  double origin[3], spacing;
  int32_t counts[3];  // nodes per axis; 1 along z in a plane
  int32_t *rows;      // of each node, x fastest; -1 outside the cage
  int32_t row_count;
  pl_vector pulls;   // pl_harmonic_pull
  pl_sparse matrix;  // not made when there are no rows
} pl_harmonic_grid;

// Lay the grid and make the matrix; arrays from `arena`. pl_vector_free() `pulls` whatever the
// outcome.
pl_status pl_harmonic_grid_build(pl_harmonic_grid *grid, pl_arena *arena,
                                 const pl_harmonic_cage *cage, int32_t node_count, pl_error *error);

// Append to `terms` (pl_harmonic_term) what a point inside the cage is a mean of; false when out of
// memory.
bool pl_harmonic_grid_gather(const pl_harmonic_grid *grid, pl_vec3 point, pl_vector *terms);

#endif
