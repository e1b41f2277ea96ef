// Rigid motions of pieces as a coarse space (Nicolaides 1987; rigid modes for elasticity as in smoothed aggregation,
// Vaněk, Mandel and Brezina 1996, without the smoothing).
//
//   P     column (piece, k): the k-th rigid motion of the piece, 0 elsewhere:
//         P y at row i = t + w x d_i, zero where i is fixed
//   A_c   Pᵀ A P, dense, 6 unknowns per piece
//
// What makes stiff bodies slow for a local preconditioner are motions that are smooth over many elements. A few dozen
// pieces take away all of them longer than a piece, whatever the size of the mesh. Smoothing P would catch more, but
// makes A_c denser and costs a sparse product per update; here an update is one pass over the blocks.
#include "sparse/block_coarse.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"

// A piece of 128 rows is about five nodes wide. More and smaller ones save iterations, but the dense factor grows with
// the cube of their number and is made again with every matrix: 96 cost three milliseconds.
enum { MAX_PIECES = 96, ROWS_PER_PIECE = 128 };

int32_t pl_block_coarse_pieces(int32_t row_count) {
  int32_t piece_count = row_count / ROWS_PER_PIECE;
  return piece_count < 1 ? 1 : piece_count > MAX_PIECES ? MAX_PIECES : piece_count;
}

typedef struct cutting {
  const double *positions;
  int32_t *rows, *start;
} cutting;

// Whether row a comes before row b along an axis; equal positions by index, so that the order is the same everywhere.
static bool is_before(const double *positions, int axis, int32_t a, int32_t b) {
  double at_a = positions[3 * (size_t)a + (size_t)axis], at_b = positions[3 * (size_t)b + (size_t)axis];
  return at_a < at_b || (!(at_b < at_a) && a < b);
}

// Put the `wanted` first rows along the axis in front (Hoare's selection).
static void select_rows(const double *positions, int axis, int32_t *rows, int32_t count, int32_t wanted) {
  int32_t left = 0, rhs = count - 1;
  while (left < rhs) {
    int32_t middle = rows[left + (rhs - left) / 2], i = left, j = rhs;
    while (i <= j) {
      while (is_before(positions, axis, rows[i], middle)) ++i;
      while (is_before(positions, axis, middle, rows[j])) --j;
      if (i <= j) {
        int32_t row = rows[i];
        rows[i++] = rows[j];
        rows[j--] = row;
      }
    }
    if (wanted <= j)
      rhs = j;
    else if (wanted >= i)
      left = i;
    else
      return;
  }
}

static int longest_axis(const double *positions, const int32_t *rows, int32_t count) {
  double extent[3] = {0};
  for (size_t axis = 0; axis < 3; ++axis) {
    double min = HUGE_VAL, max = -HUGE_VAL;
    for (int32_t i = 0; i < count; ++i) {
      double at = positions[3 * (size_t)rows[i] + axis];
      min = at < min ? at : min;
      max = at > max ? at : max;
    }
    extent[axis] = max - min;
  }
  int axis = extent[1] > extent[0] ? 1 : 0;
  return extent[2] > extent[axis] ? 2 : axis;
}

// Halve across the longest side until there are `piece_count` pieces. At most seven levels deep.
static void cut_rows(const cutting *c, int32_t first_piece, int32_t piece_count) {
  if (piece_count < 2) return;
  int32_t half = piece_count / 2, *rows = c->rows + c->start[first_piece];
  int32_t count = c->start[first_piece + piece_count] - c->start[first_piece];
  int32_t wanted = c->start[first_piece + half] - c->start[first_piece];
  select_rows(c->positions, longest_axis(c->positions, rows, count), rows, count, wanted);
  cut_rows(c, first_piece, half);
  cut_rows(c, first_piece + half, piece_count - half);
}

// Rows of a piece in rising order: neighbours in memory, and the order of its sums does not depend on how it was cut.
static void sort_pieces(pl_block_coarse *coarse, int32_t *cursor) {
  for (int32_t piece = 0; piece < coarse->piece_count; ++piece) {
    cursor[piece] = coarse->start[piece];
    for (int32_t i = coarse->start[piece]; i < coarse->start[piece + 1]; ++i)
      coarse->piece_of_row[coarse->rows[i]] = piece;
  }
  for (int32_t row = 0; row < coarse->row_count; ++row) coarse->rows[cursor[coarse->piece_of_row[row]]++] = row;
}

static void measure_arms(const double *positions, pl_block_coarse *coarse) {
  for (int32_t piece = 0; piece < coarse->piece_count; ++piece) {
    int32_t begin = coarse->start[piece], end = coarse->start[piece + 1];
    for (size_t axis = 0; axis < 3; ++axis) {
      double sum = 0;
      for (int32_t i = begin; i < end; ++i) sum += positions[3 * (size_t)coarse->rows[i] + axis];
      double middle = end > begin ? sum / (end - begin) : 0;
      for (int32_t i = begin; i < end; ++i)
        coarse->arms[3 * (size_t)coarse->rows[i] + axis] = positions[3 * (size_t)coarse->rows[i] + axis] - middle;
    }
  }
}

bool pl_block_coarse_take(pl_arena *arena, const pl_block_pattern *pattern, const double *positions,
                          pl_block_coarse *coarse) {
  int32_t row_count = pattern->row_count, piece_count = pl_block_coarse_pieces(row_count);
  *coarse = (pl_block_coarse){.row_count = row_count, .piece_count = piece_count};
  coarse->start = PL_TAKE(arena, int32_t, piece_count + 1);
  coarse->rows = PL_TAKE(arena, int32_t, row_count);
  coarse->piece_of_row = PL_TAKE(arena, int32_t, row_count);
  coarse->arms = PL_TAKE(arena, double, 3 * (size_t)row_count);
  coarse->rhs = PL_TAKE(arena, double, 6 * piece_count);
  coarse->motion = PL_TAKE(arena, double, 6 * piece_count);
  if (arena->failed || !pl_dense_factor_take(arena, 6 * piece_count, &coarse->factor)) return false;
  for (int32_t piece = 0; piece <= piece_count; ++piece)
    coarse->start[piece] = (int32_t)((int64_t)row_count * piece / piece_count);
  for (int32_t row = 0; row < row_count; ++row) coarse->rows[row] = row;
  if (positions != NULL) {
    cut_rows(&(cutting){positions, coarse->rows, coarse->start}, 0, piece_count);
  }
  int32_t cursor[MAX_PIECES];
  sort_pieces(coarse, cursor);
  if (positions != NULL) measure_arms(positions, coarse);
  return true;
}

typedef struct coarse_work {
  const pl_block_matrix *matrix;
  double shift;
  const double *weights;
  pl_block_coarse *coarse;
  const double *r;
} coarse_work;

// to (3x6) += A [1 | d x], the image of the rigid motions at an arm d under a block A.
static void add_image(double *to, const double *block, const double *d) {
  for (int r = 0; r < 3; ++r) {
    double a = block[3 * r], b = block[3 * r + 1], c = block[3 * r + 2];
    to[6 * r] += a;
    to[6 * r + 1] += b;
    to[6 * r + 2] += c;
    to[6 * r + 3] += c * d[1] - b * d[2];
    to[6 * r + 4] += a * d[2] - c * d[0];
    to[6 * r + 5] += b * d[0] - a * d[1];
  }
}

// Add [1 | d x]ᵀ image to the 6x6 block at `to`, without fixed components, and clear the image.
static void flush_image(double *to, size_t stride, double *image, const double *d, int fixed) {
  for (size_t column = 0; column < 6; ++column) {
    double x = (fixed & PL_BLOCK_FIX_X) != 0 ? 0 : image[column],
           y = (fixed & PL_BLOCK_FIX_Y) != 0 ? 0 : image[6 + column],
           z = (fixed & PL_BLOCK_FIX_Z) != 0 ? 0 : image[12 + column];
    to[column] += x;
    to[stride + column] += y;
    to[2 * stride + column] += z;
    to[3 * stride + column] += z * d[1] - y * d[2];
    to[4 * stride + column] += x * d[2] - z * d[0];
    to[5 * stride + column] += y * d[0] - x * d[1];
  }
  memset(image, 0, 18 * sizeof(double));
}

static void project_pieces(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const coarse_work *w = data;
  const pl_block_coarse *coarse = w->coarse;
  const pl_block_pattern *pattern = w->matrix->pattern;
  size_t stride = (size_t)coarse->factor.size;
  for (int32_t piece = begin; piece < end; ++piece) {
    double *to = coarse->factor.values + 6 * (size_t)piece * stride;
    memset(to, 0, 6 * stride * sizeof(double));
    for (int32_t k = coarse->start[piece]; k < coarse->start[piece + 1]; ++k) {
      int32_t row = coarse->rows[k], other = -1;
      int fixed = coarse->fixed == NULL ? 0 : coarse->fixed[row];
      const double *arm = coarse->arms + 3 * (size_t)row;
      double image[18] = {0};
      for (int32_t i = pattern->start[row]; i < pattern->start[row + 1]; ++i) {
        int32_t column = pattern->columns[i], piece_there = coarse->piece_of_row[column];
        if (piece_there > piece) continue;  // the lower triangle is enough
        if (piece_there != other && other >= 0) flush_image(to + 6 * other, stride, image, arm, fixed);
        other = piece_there;
        add_image(image, w->matrix->values + 9 * (size_t)i, coarse->arms + 3 * (size_t)column);
        if (column != row || w->shift == 0) continue;
        double diagonal[9] = {0};
        for (size_t c = 0; c < 3; ++c) diagonal[4 * c] = w->shift * w->weights[3 * (size_t)row + c];
        add_image(image, diagonal, arm);
      }
      if (other >= 0) flush_image(to + 6 * other, stride, image, arm, fixed);
    }
  }
}

void pl_block_coarse_run(pl_context *context, const pl_block_matrix *matrix, double shift, const double *weights,
                         pl_block_coarse *coarse) {
  coarse_work w = {.matrix = matrix, .shift = shift, .weights = weights, .coarse = coarse};
  coarse->fixed = matrix->fixed;
  pl_parallel_for(context, coarse->piece_count, 1, project_pieces, &w);
  // Fixed rows, pieces of one row and missing positions leave motions without effect; they are left out.
  pl_dense_factor_run(&coarse->factor, true);
}

static void restrict_pieces(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const coarse_work *w = data;
  const pl_block_coarse *coarse = w->coarse;
  for (int32_t piece = begin; piece < end; ++piece) {
    double sum[6] = {0};
    for (int32_t k = coarse->start[piece]; k < coarse->start[piece + 1]; ++k) {
      int32_t row = coarse->rows[k];
      int fixed = coarse->fixed == NULL ? 0 : coarse->fixed[row];
      const double *d = coarse->arms + 3 * (size_t)row, *r = w->r + 3 * (size_t)row;
      double x = (fixed & PL_BLOCK_FIX_X) != 0 ? 0 : r[0], y = (fixed & PL_BLOCK_FIX_Y) != 0 ? 0 : r[1],
             z = (fixed & PL_BLOCK_FIX_Z) != 0 ? 0 : r[2];
      sum[0] += x;
      sum[1] += y;
      sum[2] += z;
      sum[3] += z * d[1] - y * d[2];
      sum[4] += x * d[2] - z * d[0];
      sum[5] += y * d[0] - x * d[1];
    }
    memcpy(coarse->rhs + 6 * (size_t)piece, sum, sizeof sum);
  }
}

double pl_block_coarse_solve(pl_context *context, pl_block_coarse *coarse, const double *r) {
  coarse_work w = {.coarse = coarse, .r = r};
  pl_parallel_for(context, coarse->piece_count, 8, restrict_pieces, &w);
  memcpy(coarse->motion, coarse->rhs, (size_t)coarse->factor.size * sizeof(double));
  pl_dense_factor_solve(&coarse->factor, coarse->motion);
  double sum = 0;
  for (int32_t i = 0; i < coarse->factor.size; ++i) sum += coarse->rhs[i] * coarse->motion[i];
  return sum;
}
