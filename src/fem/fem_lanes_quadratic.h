// Part of the kernels of quadratic tets: forces and stiffness of four tets at a time, from points
// of integration to nodes 1 … 9, to all ten, and to arrays. `gradients` are those of the shape
// functions of nodes 1 … 9 at a point, by the coordinates that stress and tangent belong to.
#ifndef PL_FEM_LANES_QUADRATIC_H
#define PL_FEM_LANES_QUADRATIC_H

#include "fem/fem_lanes.h"
#include "fem/fem_quadratic.h"

enum { FREE = PL_FEM_QUADRATIC_NODES - 1, QUADRATIC_VALUES = 3 * PL_FEM_QUADRATIC_NODES };

typedef struct quadratic_lanes {
  pl_lanes energy, gradient[FREE][3];
  pl_lanes blocks[FREE][FREE][3][3];  // a <= b
  pl_lanes mean[FREE][3], factor;     // factor m mᵀ is to be added to them
} quadratic_lanes;

static void clear_quadratic(bool tangent, quadratic_lanes *r) {
  pl_lanes zero = pl_lanes_of(0);
  r->energy = zero;
  for (int a = 0; a < FREE; ++a)
    for (int i = 0; i < 3; ++i) r->gradient[a][i] = r->mean[a][i] = zero;
  for (int a = 0; tangent && a < FREE; ++a)
    for (int b = a; b < FREE; ++b)
      for (int k = 0; k < 9; ++k) r->blocks[a][b][k / 3][k % 3] = zero;
}

// w P B_a to every node.
PL_SIMD_INLINE void add_quadratic_vectors(const pl_lanes *gradients, pl_lanes w,
                                          const pl_lanes P[9], pl_lanes to[FREE][3]) {
  pl_lanes scaled[9];
  for (int i = 0; i < 9; ++i) scaled[i] = w * P[i];
  for (int a = 0; a < FREE; ++a)
    for (int i = 0; i < 3; ++i) to[a][i] += pl_lanes_dot(scaled + 3 * i, gradients + 3 * a);
}

// C contracted with B_a and B_b; of C the upper triangle is given.
static void add_quadratic_blocks(const pl_lanes *gradients, pl_lanes C[9][9], quadratic_lanes *r) {
  for (int i = 0; i < 9; ++i)
    for (int j = i; j < 9; ++j) C[j][i] = C[i][j];
  for (int b = 0; b < FREE; ++b) {
    const pl_lanes *B = gradients + 3 * b;
    pl_lanes image[9][3];
    for (int i = 0; i < 9; ++i)
      for (int k = 0; k < 3; ++k) image[i][k] = pl_lanes_dot(&C[i][3 * k], B);
    for (int a = 0; a <= b; ++a) {
      const pl_lanes *A = gradients + 3 * a;
      for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
          r->blocks[a][b][i][k] +=
              A[0] * image[3 * i][k] + A[1] * image[3 * i + 1][k] + A[2] * image[3 * i + 2][k];
    }
  }
}

static void write_quadratic_gradients(const quadratic_lanes *r, int lane_count, double *to) {
  for (int i = 0; i < 3; ++i) {
    pl_lanes sum = pl_lanes_of(0);
    for (int a = 0; a < FREE; ++a) {
      sum += r->gradient[a][i];
      for (int lane = 0; lane < lane_count; ++lane)
        to[QUADRATIC_VALUES * lane + 3 * a + 3 + i] = r->gradient[a][i][lane];
    }
    for (int lane = 0; lane < lane_count; ++lane) to[QUADRATIC_VALUES * lane + i] = -sum[lane];
  }
}

// The whole matrix from its blocks: factor m mᵀ added, node 0 completed, symmetric to the last bit.
static void complete_quadratic(const quadratic_lanes *r,
                               pl_lanes M[QUADRATIC_VALUES][QUADRATIC_VALUES]) {
  for (int a = 0; a < FREE; ++a)
    for (int b = a; b < FREE; ++b)
      for (int i = 0; i < 3; ++i)
        for (int k = a == b ? i : 0; k < 3; ++k) {
          pl_lanes value = r->blocks[a][b][i][k] + r->factor * (r->mean[a][i] * r->mean[b][k]);
          M[3 * a + 3 + i][3 * b + 3 + k] = value;
          M[3 * b + 3 + k][3 * a + 3 + i] = value;
        }
  for (int i = 0; i < 3; ++i)
    for (int j = 3; j < QUADRATIC_VALUES; ++j) {
      pl_lanes sum = M[3 + i][j];
      for (int a = 2; a <= FREE; ++a) sum += M[3 * a + i][j];
      M[i][j] = -sum;
      M[j][i] = -sum;
    }
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j) {
      pl_lanes sum = M[i][3 + j];
      for (int a = 2; a <= FREE; ++a) sum += M[i][3 * a + j];
      M[i][j] = -sum;
      M[j][i] = -sum;
    }
}

static void write_quadratic_matrices(const quadratic_lanes *r, int lane_count, double *to) {
  enum { SIZE = QUADRATIC_VALUES * QUADRATIC_VALUES };
  pl_lanes M[QUADRATIC_VALUES][QUADRATIC_VALUES];
  complete_quadratic(r, M);
  const pl_lanes *from = &M[0][0];
  for (int part = 0; part < SIZE; part += 4) {
    pl_lanes four[4] = {from[part], from[part + 1], from[part + 2], from[part + 3]};
    pl_lanes_transpose(four);
    for (int lane = 0; lane < lane_count; ++lane)
      pl_lanes_store(to + SIZE * lane + part, four[lane]);
  }
}

#endif
