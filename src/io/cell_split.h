// Cutting polygons into triangles and hexahedra, prisms and pyramids into tets.
#ifndef PL_IO_CELL_SPLIT_H
#define PL_IO_CELL_SPLIT_H

#include "base/vector.h"
#include "pliant/mesh.h"

typedef enum pl_cell_kind {
  PL_CELL_SEGMENT,
  PL_CELL_TRIANGLE,
  PL_CELL_QUAD,     // of a mesh of elements: cut to match its neighbours
  PL_CELL_POLYGON,  // of a drawn surface: cut by shape
  PL_CELL_TET,
  PL_CELL_PYRAMID,  // base 0 1 2 3 counter-clockwise seen from the apex 4
  PL_CELL_PRISM,    // triangles 0 1 2 and 3 4 5; 0 1 2 counter-clockwise seen from the other
  PL_CELL_HEX,      // quads 0 1 2 3 and 4 5 6 7, 0 under 4; 0 1 2 3 counter-clockwise seen from the
                    // other
  PL_CELL_KIND_COUNT,
} pl_cell_kind;

// Corners of a kind; 0 for a polygon.
int32_t pl_cell_corner_count(pl_cell_kind kind);

// Append the tets of a cell to `tets` (int32_t, 4 each); false when out of memory. Each quad face
// is cut along the diagonal from its lowest point index, so that two cells that share the face cut
// it alike.
bool pl_cell_split_tets(pl_cell_kind kind, const int32_t *corners, pl_vector *tets);

// Append the two triangles of a quad to `triangles` (int32_t, 3 each), cut along the diagonal from
// its lowest point index.
bool pl_quad_split(const int32_t *corners, pl_vector *triangles);

// Append the corner_count - 2 triangles of a polygon: a fan where it is convex, ears cut off
// elsewhere. `scratch` is a vector of int32_t for its use.
bool pl_polygon_split(const pl_vec3 *points, const int32_t *corners, int32_t corner_count,
                      pl_vector *scratch, pl_vector *triangles);

#endif
