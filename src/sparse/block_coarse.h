// The coarse half of the two-level preconditioner of sparse/block_conjugate.h: the body cut into a
// few dozen pieces that move rigidly.
#ifndef PL_SPARSE_BLOCK_COARSE_H
#define PL_SPARSE_BLOCK_COARSE_H

#include "sparse/block_matrix.h"
#include "sparse/dense_factor.h"

typedef struct pl_block_coarse {
  int32_t row_count, piece_count;
  int32_t *start, *rows;  // piece_count + 1; the rows of each piece
  int32_t *piece_of_row;
  double *arms;            // 3 per row: from the middle of the piece, metres
  pl_dense_factor factor;  // 6 unknowns per piece: translation, rotation
  double *rhs;             // restricted residual
  double *motion;          // the solution: how every piece moves
  const uint8_t *fixed;    // as of the matrix last factored
} pl_block_coarse;

// Into how many pieces a body of this many rows is cut.
int32_t pl_block_coarse_pieces(int32_t row_count);

// `positions`, 3 per row, decide the pieces and are copied as far as needed; with NULL pieces are
// runs of rows that only translate.
bool pl_block_coarse_take(pl_arena *arena, const pl_block_pattern *pattern, const double *positions,
                          pl_block_coarse *coarse);

// Factor Pᵀ (matrix + shift diag(weights)) P.
void pl_block_coarse_run(pl_context *context, const pl_block_matrix *matrix, double shift,
                         const double *weights, pl_block_coarse *coarse);

// motion = (Pᵀ A P)⁻¹ Pᵀ r; returns r . P motion.
double pl_block_coarse_solve(pl_context *context, pl_block_coarse *coarse, const double *r);

// Row `row` of P motion.
static inline void pl_block_coarse_move(const pl_block_coarse *coarse, int32_t row, double *to) {
  const double *m = coarse->motion + 6 * (size_t)coarse->piece_of_row[row],
               *d = coarse->arms + 3 * (size_t)row;
  int fixed = coarse->fixed == NULL ? 0 : coarse->fixed[row];
  to[0] = (fixed & PL_BLOCK_FIX_X) != 0 ? 0 : m[0] + m[4] * d[2] - m[5] * d[1];
  to[1] = (fixed & PL_BLOCK_FIX_Y) != 0 ? 0 : m[1] + m[5] * d[0] - m[3] * d[2];
  to[2] = (fixed & PL_BLOCK_FIX_Z) != 0 ? 0 : m[2] + m[3] * d[1] - m[4] * d[0];
}

#endif
