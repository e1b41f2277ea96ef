// Cutting a box into tets.
#ifndef PL_MESH_BOX_H
#define PL_MESH_BOX_H

#include "pliant/base.h"

// Five tets, all of positive volume, of a cell whose corner c is at (c & 1, c >> 1 & 1, c >> 2).
// `kind` is the parity of the cell's place i + j + k in its grid: neighbours of different kinds
// have the same diagonal in the face they share.
void pl_mesh_cut_cell(const int32_t corners[8], int32_t kind, int32_t *tets);

#endif
