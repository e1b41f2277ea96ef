// The nodes on the edges of quadratic tets; the functions are in pliant/mesh.h.
#ifndef PL_MESH_QUADRATIC_H
#define PL_MESH_QUADRATIC_H

// Corners of a tet between which each of its six mids lies.
extern const int pl_mid_ends[6][2];

#endif
