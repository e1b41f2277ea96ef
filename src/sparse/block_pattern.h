// Which 3x3 blocks of a symmetric matrix may differ from zero, and where the matrix of every
// element goes. Found once per mesh; the values (sparse/block_matrix.h) change as often as wanted.
//
// Elements come in groups of equal corner count: tets, triangles, hinges, springs, pairs in
// contact. The scatter map of a group says for element e and corners a, b which block is (a, b):
// places[(e * k + a) * k + b], k corners.
#ifndef PL_SPARSE_BLOCK_PATTERN_H
#define PL_SPARSE_BLOCK_PATTERN_H

#include "base/arena.h"

enum {
  // four for tets and hinges; eight for a pair of points that are each embedded in a tet; ten for
  // tets with nodes on their edges
  PL_BLOCK_MAX_CORNERS = 10,
  PL_BLOCK_BATCH = 8,  // most elements handed to a pl_block_visit at a time
};

// Input: `element_count` elements of `corner_count` rows each.
typedef struct pl_block_elements {
  const int32_t *corners;
  int32_t element_count, corner_count;
} pl_block_elements;

typedef struct pl_block_group {
  int32_t element_count, corner_count, chunk_count, colour_count;
  int32_t *slots;         // corner_count² per element: the scatter map
  int32_t *order;         // elements in the order in which they are visited
  int32_t *chunk_start;   // chunk_count + 1, in `order`
  int32_t *colour_start;  // colour_count + 1, in the chunks: those of one colour have no corner in
                          // common
} pl_block_group;

typedef struct pl_block_pattern {
  int32_t row_count, block_count, group_count;
  int32_t *start;     // row_count + 1
  int32_t *columns;   // rising in each row; the diagonal is always there
  int32_t *diagonal;  // index of each row's diagonal block
  pl_block_group *groups;
} pl_block_pattern;

// Work on elements `elements[0 .. count)` of a group, count <= PL_BLOCK_BATCH, and write the matrix
// of each, 3k x 3k row-major, one after the other, to `matrices` (NULL when only visiting). No
// other element that has a corner in common is worked on at the same time, and the order of those
// that do is fixed: so the function may also add to arrays by row (forces), with the same bits for
// any number of threads.
typedef void pl_block_visit(void *data, const int32_t *elements, int32_t count, double *matrices);

// Build the pattern in `arena`. Corners are copied into what is built. Fails when out of memory,
// when a corner is not a row, and when there are more couplings than 31 bits count. Groups without
// elements are allowed.
pl_status pl_block_pattern_build(pl_arena *arena, int32_t row_count,
                                 const pl_block_elements *groups, int32_t group_count,
                                 pl_block_pattern *pattern, pl_error *error);

// Index of block (row, column), -1 if the pattern does not have it.
int32_t pl_block_pattern_find(const pl_block_pattern *pattern, int32_t row, int32_t column);

// Visit every element of a group without a matrix, in parallel.
void pl_block_pattern_visit(pl_context *context, const pl_block_pattern *pattern, int32_t group,
                            pl_block_visit *visit, void *data);

#endif
