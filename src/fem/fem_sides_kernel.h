// What kernels of elements share whose shape is that of the sides d_k = x_k - x_0, k >= 1, four elements at a time:
// sides of corners, and from sides to the corners of the body, where corner 0 gets minus the sum of the others (shells,
// curves: fem_shell_kernel.h; tets by their edges: fem_edge_tet_kernel.h). For files that are compiled once for each
// instruction set (math/simd.h).
#ifndef PL_FEM_SIDES_KERNEL_H
#define PL_FEM_SIDES_KERNEL_H

#include <stddef.h>
#include <string.h>

#include "fem/fem_lanes.h"

enum { SIDES_MAX = 3, SIDES_MAX_BLOCKS = 16 };

PL_SIMD_INLINE pl_lanes sides_gather(const double *from, const int32_t four[4]) {
  return (pl_lanes){from[four[0]], from[four[1]], from[four[2]], from[four[3]]};
}

// Coordinate `a` of a point of each of four elements. Lanes are made of single numbers in registers: by way of memory a
// load of all four would wait for the stores of each.
PL_SIMD_INLINE pl_lanes sides_coordinate(const double *const at[4], int a) {
  return (pl_lanes){at[0][a], at[1][a], at[2][a], at[3][a]};
}

PL_SIMD_INLINE void sides_load(const int32_t *corners, const double *positions, int32_t corner_count,
                               const int32_t four[4], pl_lanes d[SIDES_MAX][3]) {
  pl_lanes origin[3];
  for (int i = 0; i < corner_count; ++i) {
    const double *at[4];
    for (int k = 0; k < 4; ++k) at[k] = positions + 3 * (ptrdiff_t)corners[corner_count * (ptrdiff_t)four[k] + i];
    for (int a = 0; a < 3; ++a)
      if (i == 0)
        origin[a] = sides_coordinate(at, a);
      else
        d[i - 1][a] = sides_coordinate(at, a) - origin[a];
  }
}

// The same of corners that every element has by itself, one after the other.
PL_SIMD_INLINE void sides_load_own(const double *own, int32_t corner_count, const int32_t four[4],
                                   pl_lanes d[SIDES_MAX][3]) {
  pl_lanes origin[3];
  for (int i = 0; i < corner_count; ++i) {
    const double *at[4];
    for (int k = 0; k < 4; ++k) at[k] = own + 3 * (corner_count * (ptrdiff_t)four[k] + i);
    for (int a = 0; a < 3; ++a)
      if (i == 0)
        origin[a] = sides_coordinate(at, a);
      else
        d[i - 1][a] = sides_coordinate(at, a) - origin[a];
  }
}

// Of elements in a plane: x and y of the sides.
PL_SIMD_INLINE void sides_load_plane(const int32_t *corners, const double *positions, int32_t corner_count,
                                     const int32_t four[4], pl_lanes d[SIDES_MAX][3]) {
  pl_lanes origin[2];
  for (int i = 0; i < corner_count; ++i) {
    const double *at[4];
    for (int k = 0; k < 4; ++k) at[k] = positions + 3 * (ptrdiff_t)corners[corner_count * (ptrdiff_t)four[k] + i];
    for (int a = 0; a < 2; ++a)
      if (i == 0)
        origin[a] = sides_coordinate(at, a);
      else
        d[i - 1][a] = sides_coordinate(at, a) - origin[a];
  }
}

// Two numbers at a time, as x and y of a point, or of a row of a block, which has three.
typedef double sides_pair __attribute__((vector_size(16), may_alias, aligned(8)));

// x and y of the forces of elements in a plane, of two or three corners.
PL_SIMD_INLINE void sides_scatter_plane_vector(const int32_t *corners, int32_t corner_count, const int32_t *four,
                                               int32_t count, pl_lanes g[SIDES_MAX][3], double *to) {
  pl_lanes none = pl_lanes_of(0), own[4] = {g[0][0], g[0][1], none, none};
  if (corner_count == 3) own[2] = g[1][0], own[3] = g[1][1];
  pl_lanes_transpose(own);
  for (int32_t k = 0; k < count; ++k) {
    const int32_t *points = corners + corner_count * (ptrdiff_t)four[k];
    sides_pair first = {own[k][0], own[k][1]}, second = {own[k][2], own[k][3]};
    *(sides_pair *)(void *)(to + 3 * (ptrdiff_t)points[1]) += first;
    if (corner_count == 3) {
      *(sides_pair *)(void *)(to + 3 * (ptrdiff_t)points[2]) += second;
      first += second;
    }
    *(sides_pair *)(void *)(to + 3 * (ptrdiff_t)points[0]) -= first;
  }
}

PL_SIMD_INLINE void sides_scatter_vector(const int32_t *corners, int32_t corner_count, const int32_t *four,
                                         int32_t count, pl_lanes g[SIDES_MAX][3], double *to) {
  // By corner: x, y, z of each element and a number without meaning.
  pl_lanes none = pl_lanes_of(0), values[SIDES_MAX + 1][4] = {{none, none, none, none}};
  for (int i = 1; i < corner_count; ++i) {
    for (int a = 0; a < 3; ++a) {
      values[i][a] = g[i - 1][a];
      values[0][a] += g[i - 1][a];
    }
    values[i][3] = none;
    pl_lanes_transpose(values[i]);
  }
  pl_lanes_transpose(values[0]);
  for (int32_t k = 0; k < count; ++k) {
    const int32_t *points = corners + corner_count * (ptrdiff_t)four[k];
    for (int i = 1; i < corner_count; ++i) {
      double *own = to + 3 * (ptrdiff_t)points[i];
      *(sides_pair *)(void *)own += (sides_pair){values[i][k][0], values[i][k][1]};
      own[2] += values[i][k][2];
    }
    double *first = to + 3 * (ptrdiff_t)points[0];
    *(sides_pair *)(void *)first -= (sides_pair){values[0][k][0], values[0][k][1]};
    first[2] -= values[0][k][2];
  }
}

// All blocks of the corners, entry by entry: rows and columns of corner 0 are minus the sums of the others. Of a
// symmetric matrix K[i][j] with i >= j.
PL_SIMD_INLINE void sides_spread_symmetric(int sides, pl_lanes K[SIDES_MAX][SIDES_MAX][3][3],
                                           pl_lanes blocks[9 * SIDES_MAX_BLOCKS]) {
  int width = sides + 1;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      int at = 3 * a + b;
      pl_lanes all = pl_lanes_of(0);
      for (int i = 0; i < sides; ++i) {
        pl_lanes row = pl_lanes_of(0);
        for (int j = 0; j < sides; ++j) {
          pl_lanes entry = j <= i ? K[i][j][a][b] : K[j][i][b][a];
          blocks[9 * (width * (i + 1) + j + 1) + at] = entry;
          row += entry;
        }
        blocks[9 * (width * (i + 1)) + at] = -row;
        blocks[9 * (i + 1) + 3 * b + a] = -row;
        all += row;
      }
      blocks[at] = all;
    }
}

// The same of any matrix.
PL_SIMD_INLINE void sides_spread_whole(int sides, pl_lanes K[SIDES_MAX][SIDES_MAX][3][3],
                                       pl_lanes blocks[9 * SIDES_MAX_BLOCKS]) {
  int width = sides + 1;
  for (int at = 0; at < 9; ++at) {
    pl_lanes all = pl_lanes_of(0);
    for (int i = 0; i < sides; ++i) {
      pl_lanes row = pl_lanes_of(0), column = pl_lanes_of(0);
      for (int j = 0; j < sides; ++j) {
        blocks[9 * (width * (i + 1) + j + 1) + at] = K[i][j][at / 3][at % 3];
        row += K[i][j][at / 3][at % 3];
        column += K[j][i][at / 3][at % 3];
      }
      blocks[9 * (width * (i + 1)) + at] = -row;
      blocks[9 * (i + 1) + at] = -column;
      all += row;
    }
    blocks[at] = all;
  }
}

// Blocks of four elements, which have `slots` of their own.
PL_SIMD_INLINE void sides_add_some(const int32_t *const slots[4], int block_count, int32_t count,
                                   const pl_lanes blocks[9 * SIDES_MAX_BLOCKS], double *to_values) {
  // By element: eight numbers of every block, and the ninth of all. What is stored is loaded again as it was.
  double eights[4][8 * SIDES_MAX_BLOCKS], ninths[4][SIDES_MAX_BLOCKS];
  for (int i = 0; i < 2 * block_count; ++i) {
    const pl_lanes *from = blocks + 9 * (i / 2) + 4 * (i % 2);
    pl_lanes part[4] = {from[0], from[1], from[2], from[3]};
    pl_lanes_transpose(part);
    for (int k = 0; k < 4; ++k) pl_lanes_store(eights[k] + 4 * i, part[k]);
  }
  for (int b = 0; b < block_count; b += 4) {
    const pl_lanes *from = blocks + 9 * b + 8;
    pl_lanes part[4] = {from[0], from[9 * (b + 1 < block_count ? 1 : 0)], from[9 * (b + 2 < block_count ? 2 : 0)],
                        from[9 * (b + 3 < block_count ? 3 : 0)]};
    pl_lanes_transpose(part);
    for (int k = 0; k < 4; ++k) pl_lanes_store(ninths[k] + b, part[k]);
  }
  for (int32_t k = 0; k < count; ++k)
    for (int b = 0; b < block_count; ++b) {
      double *to = to_values + 9 * (ptrdiff_t)slots[k][b];
      const double *from = eights[k] + 8 * b;
      pl_lanes_store(to, pl_lanes_load(to) + pl_lanes_load(from));
      pl_lanes_store(to + 4, pl_lanes_load(to + 4) + pl_lanes_load(from + 4));
      to[8] += ninths[k][b];
    }
}

PL_SIMD_INLINE void sides_add_blocks(const int32_t *all_slots, int32_t corner_count, const int32_t *four, int32_t count,
                                     const pl_lanes blocks[9 * SIDES_MAX_BLOCKS], double *values) {
  int block_count = corner_count * corner_count;
  const int32_t *slots[4];
  for (int k = 0; k < 4; ++k) slots[k] = all_slots + block_count * (ptrdiff_t)four[k];
  sides_add_some(slots, block_count, count, blocks, values);
}

// x and y of a matrix of elements in a plane, of two or three corners; symmetric: K[i][j] with i >= j. What belongs to
// z is 0, or fixed by whoever solves with it.
PL_SIMD_INLINE void sides_scatter_plane(const int32_t *all_slots, int32_t corner_count, const int32_t *four,
                                        int32_t count, bool symmetric, pl_lanes K[SIDES_MAX][SIDES_MAX][3][3],
                                        double *values) {
  enum { MAX_BLOCKS = 9 };
  int width = corner_count, sides = corner_count - 1;
  pl_lanes blocks[MAX_BLOCKS][4];
  for (int a = 0; a < 2; ++a)
    for (int b = 0; b < 2; ++b) {
      pl_lanes all = pl_lanes_of(0);
      for (int i = 0; i < sides; ++i) {
        pl_lanes row = pl_lanes_of(0), column = pl_lanes_of(0);
        for (int j = 0; j < sides; ++j) {
          pl_lanes entry = !symmetric || j <= i ? K[i][j][a][b] : K[j][i][b][a];
          blocks[width * (i + 1) + j + 1][2 * a + b] = entry;
          row += entry;
          if (!symmetric) column += K[j][i][a][b];
        }
        blocks[width * (i + 1)][2 * a + b] = -row;
        blocks[i + 1][symmetric ? 2 * b + a : 2 * a + b] = symmetric ? -row : -column;
        all += row;
      }
      blocks[0][2 * a + b] = all;
    }
  for (int b = 0; b < width * width; ++b) pl_lanes_transpose(blocks[b]);
  for (int32_t k = 0; k < count; ++k) {
    const int32_t *slots = all_slots + width * width * (ptrdiff_t)four[k];
    for (int b = 0; b < width * width; ++b) {
      double *to = values + 9 * (ptrdiff_t)slots[b];
      pl_lanes own = blocks[b][k];
      *(sides_pair *)(void *)to += (sides_pair){own[0], own[1]};
      *(sides_pair *)(void *)(to + 3) += (sides_pair){own[2], own[3]};
    }
  }
}

PL_SIMD_INLINE void sides_scatter_symmetric(const int32_t *slots, int32_t corner_count, const int32_t *four,
                                            int32_t count, pl_lanes K[SIDES_MAX][SIDES_MAX][3][3], double *values) {
  pl_lanes blocks[9 * SIDES_MAX_BLOCKS];
  sides_spread_symmetric(corner_count - 1, K, blocks);
  sides_add_blocks(slots, corner_count, four, count, blocks, values);
}

PL_SIMD_INLINE void sides_scatter_whole(const int32_t *slots, int32_t corner_count, const int32_t *four, int32_t count,
                                        pl_lanes K[SIDES_MAX][SIDES_MAX][3][3], double *values) {
  pl_lanes blocks[9 * SIDES_MAX_BLOCKS];
  sides_spread_whole(corner_count - 1, K, blocks);
  sides_add_blocks(slots, corner_count, four, count, blocks, values);
}

#endif
