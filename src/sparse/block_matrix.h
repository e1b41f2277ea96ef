// Symmetric matrices of 3x3 blocks: values on a pattern, assembly from elements, fixed degrees of
// freedom, products. Vectors hold three doubles per row: x0 y0 z0 x1 y1 z1 …
#ifndef PL_SPARSE_BLOCK_MATRIX_H
#define PL_SPARSE_BLOCK_MATRIX_H

#include "sparse/block_pattern.h"

typedef struct pl_block_matrix {
  const pl_block_pattern *pattern;
  double *values;        // 9 per block, row-major; a few zeros after the last, for 4-wide reading
  const uint8_t *fixed;  // as given to pl_block_matrix_fix() since the matrix was cleared; NULL:
                         // nothing is fixed
} pl_block_matrix;

// Bits of a degree of freedom in the masks of pl_block_matrix_fix().
enum { PL_BLOCK_FIX_X = 1, PL_BLOCK_FIX_Y = 2, PL_BLOCK_FIX_Z = 4, PL_BLOCK_FIX_ALL = 7 };

// A matrix of zeros; the pattern must outlive it. False when out of memory.
bool pl_block_matrix_take(pl_arena *arena, const pl_block_pattern *pattern,
                          pl_block_matrix *matrix);

void pl_block_matrix_clear(pl_context *context, pl_block_matrix *matrix);
// The same of blocks on and below the diagonal; others stay as they are.
void pl_block_matrix_clear_lower(pl_context *context, pl_block_matrix *matrix);

// Add the matrices of all elements of a group as `visit` computes them, in parallel; see
// pl_block_visit for what else it may do. Same bits for any number of threads. Element matrices
// need not be symmetric for this function, but everything that solves takes the matrix to be so.
void pl_block_matrix_assemble(pl_context *context, pl_block_matrix *matrix, int32_t group,
                              pl_block_visit *visit, void *data);

// The same for element matrices that are there already, 3k x 3k each.
void pl_block_matrix_add_elements(pl_context *context, pl_block_matrix *matrix, int32_t group,
                                  const double *matrices);

// Add factor * row_values[i] to the three diagonal entries of every row i: lumped masses.
void pl_block_matrix_add_diagonal(pl_context *context, pl_block_matrix *matrix, double factor,
                                  const double *row_values);

// Make rows and columns of fixed degrees of freedom those of the identity. `fixed` holds
// PL_BLOCK_FIX bits per row and must stay while the matrix is in use. The caller puts what a fixed
// unknown is to be into the right-hand side, and takes its column times it from the others' if it
// is not zero.
void pl_block_matrix_fix(pl_context *context, pl_block_matrix *matrix, const uint8_t *fixed);

// y = matrix x, in parallel.
void pl_block_matrix_multiply(pl_context *context, const pl_block_matrix *matrix, const double *x,
                              double *y);

#endif
