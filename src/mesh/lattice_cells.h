// The body-centred cubic lattice: its tets by number, and which of them a surface touches or
// encloses.
#ifndef PL_MESH_LATTICE_CELLS_H
#define PL_MESH_LATTICE_CELLS_H

#include "base/arena.h"
#include "pliant/math.h"
#include "pliant/mesh.h"

enum { PL_LATTICE_TETS = 12 };  // per cell

// Tet number t = 12 cell + 4 axis + edge joins the centres of `cell` and of its neighbour along
// `axis` with one edge of the face between them. Point number 2 cell is the cell's lowest corner, 2
// cell + 1 its centre.
typedef struct pl_lattice {
  pl_vec3 origin;     // lowest corner of cell 0
  double cell_size;   // metres
  int32_t counts[3];  // cells per axis; the outermost layer has no tets of its own
  int32_t cell_count;
  bool *kept;     // per tet
  bool *touched;  // per tet
} pl_lattice;

// Lay a lattice of the given cell size around `box`, symmetric to its centre, with `margin` cells
// more. Arrays from `arena`.
pl_status pl_lattice_lay(pl_lattice *lattice, pl_arena *arena, pl_box box, double cell_size,
                         double margin, pl_error *error);

// The cell size, or a larger one for which the whole lattice has no more than `max_cells` (at least
// 1000).
double pl_lattice_fitting_size(pl_box box, double cell_size, double margin, double max_cells);

// Set `touched` for all tets that a triangle meets, or comes within `margin` cells of.
void pl_lattice_touch(pl_lattice *lattice, const pl_mesh_view *surface, double margin);

// The corners of a tet, positive volume; false where the lattice ends.
bool pl_lattice_tet(const pl_lattice *lattice, int32_t tet, int32_t corners[4]);

// Position of a point of the lattice.
pl_vec3 pl_lattice_point(const pl_lattice *lattice, int32_t point);

// The tet that holds a position, -1 where the lattice ends.
int32_t pl_lattice_locate(const pl_lattice *lattice, pl_vec3 position);

#endif
