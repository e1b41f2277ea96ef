// Layout of the arrays that kernels read eight at a time (math/simd.h).
//
// Lane k of a row of LANES numbers belongs to the k-th of eight things: chains, regions, tets,
// points. A vector of each of the eight is one row per component, so component c of lane k is at
// [LANES * c + k], and an array of such vectors has the stride VEC3_LANES. Comments write this as
// [i][3][8].
#ifndef PL_MATH_LANES_H
#define PL_MATH_LANES_H

enum {
  LANES = 8,
  VEC3_LANES = 3 * LANES,  // x, y, z
  QUAT_LANES = 4 * LANES,  // x, y, z, w
  SYM3_LANES = 6 * LANES,  // symmetric 3 x 3 matrix: xx, yy, zz, yz, xz, xy
  MAT3_LANES = 9 * LANES,  // 3 x 3 matrix, row-major
};

#endif
