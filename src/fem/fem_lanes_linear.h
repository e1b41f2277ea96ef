// Part of the kernels of linear tets: forces and stiffness of four tets at a time, from corners 1,
// 2, 3 to all four, and to arrays.
#ifndef PL_FEM_LANES_LINEAR_H
#define PL_FEM_LANES_LINEAR_H

#include "fem/fem_lanes.h"

typedef struct linear_lanes {
  pl_lanes energy;
  pl_lanes gradient[4][3];
  pl_lanes matrix[12][12];
} linear_lanes;

// Element (i, j) of the block of corners a + 1 and b + 1, a <= b, and its mirror image.
PL_SIMD_INLINE void set_linear_element(linear_lanes *r, int a, int b, int i, int j,
                                       pl_lanes value) {
  r->matrix[3 * a + 3 + i][3 * b + 3 + j] = value;
  r->matrix[3 * b + 3 + j][3 * a + 3 + i] = value;
}

// Of a block on the diagonal only the upper triangle is used, so that the matrix is symmetric to
// the last bit.
PL_SIMD_INLINE void set_linear_block(linear_lanes *r, int a, int b, pl_lanes block[3][3]) {
  for (int i = 0; i < 3; ++i)
    for (int j = a == b ? i : 0; j < 3; ++j) set_linear_element(r, a, b, i, j, block[i][j]);
}

PL_SIMD_INLINE void complete_linear_gradient(linear_lanes *r) {
  for (int i = 0; i < 3; ++i)
    r->gradient[0][i] = -(r->gradient[1][i] + r->gradient[2][i] + r->gradient[3][i]);
}

PL_SIMD_INLINE void complete_linear_matrix(linear_lanes *r) {
  for (int i = 0; i < 3; ++i)
    for (int j = 3; j < 12; ++j) {
      pl_lanes value = -(r->matrix[3 + i][j] + r->matrix[6 + i][j] + r->matrix[9 + i][j]);
      r->matrix[i][j] = value;
      r->matrix[j][i] = value;
    }
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j) {
      pl_lanes value = -(r->matrix[i][3 + j] + r->matrix[i][6 + j] + r->matrix[i][9 + j]);
      r->matrix[i][j] = value;
      r->matrix[j][i] = value;
    }
}

// `count` numbers (a multiple of 4) of each lane to rows of `to`.
PL_SIMD_INLINE void write_rows(const pl_lanes *from, int count, int lane_count, double *to) {
  for (int part = 0; part < count; part += 4) {
    pl_lanes four[4] = {from[part], from[part + 1], from[part + 2], from[part + 3]};
    pl_lanes_transpose(four);
    for (int lane = 0; lane < lane_count; ++lane)
      pl_lanes_store(to + count * lane + part, four[lane]);
  }
}

#endif
