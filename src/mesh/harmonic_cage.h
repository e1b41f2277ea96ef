// Queries of a cage: what is inside, and where lines along the axes meet it. The same for polygons
// in a plane and for surfaces.
#ifndef PL_MESH_HARMONIC_CAGE_H
#define PL_MESH_HARMONIC_CAGE_H

#include "pliant/mesh.h"

typedef struct pl_harmonic_cage {
  pl_mesh_view view;
  pl_triangle_tree *tree;  // NULL in a plane
  pl_box box;
  int32_t dimension;  // 2 or 3
  double size;        // diagonal of the box
} pl_harmonic_cage;

// A position on the cage, as a mean of up to three of its vertices.
typedef struct pl_cage_position {
  bool found;
  double distance;      // metres
  int32_t vertices[3];  // those without weight are 0
  double weights[3];
} pl_cage_position;

// Lengths below this fraction of the cage's size are rounding.
#define PL_CAGE_ROUNDING 1e-12

// Check the mesh and prepare the cage; it borrows from `mesh`.
pl_status pl_harmonic_cage_open(pl_context *context, const pl_mesh *mesh, pl_harmonic_cage *cage,
                                pl_error *error);

void pl_harmonic_cage_close(pl_harmonic_cage *cage);

bool pl_harmonic_cage_holds(const pl_harmonic_cage *cage, pl_vec3 point);

pl_cage_position pl_harmonic_cage_nearest(const pl_harmonic_cage *cage, pl_vec3 point);

// First place on the way from `point` along `axis`, forward (sign 1) or backward (-1), no farther
// than `limit`.
pl_cage_position pl_harmonic_cage_cross(const pl_harmonic_cage *cage, pl_vec3 point, int32_t axis,
                                        double sign, double limit);

#endif
