// Outlines of a plate: whether they make sense, and the points that a mesh of a given spacing has
// on them (plate_outline.c).
#ifndef PL_MESH_PLATE_OUTLINE_H
#define PL_MESH_PLATE_OUTLINE_H

#include "base/vector.h"
#include "pliant/modeller.h"

typedef struct pl_plate_point {
  double x, y;
} pl_plate_point;

// Refuse what is not a plate: loops that are too short, cross themselves or each other, holes that
// lie outside.
pl_status pl_plate_check(const pl_plate_def *def, pl_error *error);

// Append the points of all loops, the outline first, counter-clockwise, the holes clockwise, so
// that the plate is always on the left; `next` gets the number of the point that follows each.
// False when out of memory.
bool pl_plate_resample(const pl_plate_def *def, pl_vector *points, pl_vector *next);

// Whether the sides from a to b and from c to d have a point in common.
bool pl_plate_sides_meet(pl_plate_point a, pl_plate_point b, pl_plate_point c, pl_plate_point d);

// Whether a point is in the plate.
bool pl_plate_holds(const pl_plate_def *def, pl_plate_point p);

#endif
