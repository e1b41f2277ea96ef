// A plate while its mesh is made: points of its outlines and inside, and their triangulation.
#ifndef PL_MESH_PLATE_REFINE_H
#define PL_MESH_PLATE_REFINE_H

#include "mesh/plate_delaunay.h"
#include "mesh/plate_outline.h"

typedef struct pl_plate {
  const pl_plate_def *def;
  pl_context *context;
  pl_vector points;  // of pl_plate_point
  // of int32_t: the point that follows on the outline or the rim of a hole, -1 inside
  pl_vector next;
  pl_delaunay delaunay;  // point i of the plate is its point i + PL_DELAUNAY_FRAME
  pl_vector inside;      // of bool: whether each triangle belongs to the plate
  pl_vector given_up;  // of int32_t: for each triangle, `mark` of the one that was there before and
                       // cannot be improved
  pl_plate_point origin;  // of the grid
  double scale;           // grid cells per metre
  bool crowded;           // two points came to share a cell of the grid
} pl_plate;

typedef struct pl_plate_quality {
  double min_angle;   // radians
  pl_plate_point at;  // there
} pl_plate_quality;

// These return false when out of memory, or, with `crowded` set, when points come to lie at the
// same position.

// Triangulate all points again.
bool pl_plate_triangulate(pl_plate *plate);

// Split sides of the outlines until all are sides of triangles, and find the triangles that belong
// to the plate.
bool pl_plate_conform(pl_plate *plate);

// Add points until the triangles are small enough and well shaped, as far as that is possible.
bool pl_plate_refine(pl_plate *plate);

// Move the points inside to the middle of their triangles as long as that improves the smallest
// angle.
bool pl_plate_smooth(pl_plate *plate);

pl_plate_quality pl_plate_evaluate(const pl_plate *plate);

#endif
