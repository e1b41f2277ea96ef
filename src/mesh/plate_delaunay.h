// Delaunay triangulation of points in a plane, one point after the other.
//
// Coordinates are whole numbers of a grid (plate_build.c lays it over the plate): then every
// question asked of them has an exact answer, and points on one line or one circle, which outlines
// are full of, need no care.
#ifndef PL_MESH_PLATE_DELAUNAY_H
#define PL_MESH_PLATE_DELAUNAY_H

#include "base/vector.h"

typedef struct pl_grid_point {
  int64_t x, y;
} pl_grid_point;

// Corners counter-clockwise; neighbours[k] lies across the side opposite to corners[k], -1 for
// none.
typedef struct pl_plane_triangle {
  int32_t corners[3], neighbours[3];
  int32_t mark;  // number of the insertion that made it or takes it out
} pl_plane_triangle;

// The first points are the corners of a triangle around all others.
enum { PL_DELAUNAY_FRAME = 3 };

// Coordinates must be from 0 to this.
#define PL_DELAUNAY_GRID ((int64_t)1 << 26)

typedef struct pl_delaunay {
  pl_vector points;             // of pl_grid_point, the frame first
  pl_vector triangles;          // of pl_plane_triangle
  pl_vector triangle_of_point;  // of int32_t: one of those around it
  pl_vector cavity, rim;        // scratch of an insertion
  int32_t last;                 // where the search for the next place begins
  int32_t insertion;
} pl_delaunay;

// Begin with the frame alone; false when out of memory. Close in either case.
bool pl_delaunay_open(pl_delaunay *d, pl_context *context);
void pl_delaunay_close(pl_delaunay *d);

// Number of the point put there, that of the point already there, or -1 when out of memory.
int32_t pl_delaunay_insert(pl_delaunay *d, pl_grid_point p);

// The triangle that has the side from a to b, in this order, or -1.
int32_t pl_delaunay_find_side(const pl_delaunay *d, int32_t a, int32_t b);

#endif
