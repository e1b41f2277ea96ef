// Values of block matrices. Both triangles are stored: a row can then be multiplied without touching another's result,
// so the product is parallel without sums to be combined, and its bits depend on the row alone. Blocks are 9 doubles
// without gaps; padding rows to four, for aligned access, would make a product that is bound by reading the matrix a
// third slower.
#include "sparse/block_matrix.h"

#include <string.h>

#include "base/parallel.h"
#include "sparse/block_kernels.h"

enum { GRAIN = 256, PADDING = 4 };

bool pl_block_matrix_take(pl_arena *arena, const pl_block_pattern *pattern, pl_block_matrix *matrix) {
  *matrix = (pl_block_matrix){.pattern = pattern};
  matrix->values = PL_TAKE(arena, double, (size_t)pattern->block_count * 9 + PADDING);
  return matrix->values != NULL;
}

static void clear_rows(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  pl_block_matrix *m = data;
  size_t first = (size_t)m->pattern->start[begin], last = (size_t)m->pattern->start[end];
  memset(m->values + 9 * first, 0, (last - first) * 9 * sizeof(double));
}

void pl_block_matrix_clear(pl_context *context, pl_block_matrix *matrix) {
  matrix->fixed = NULL;
  pl_parallel_for(context, matrix->pattern->row_count, GRAIN, clear_rows, matrix);
}

static void clear_lower_rows(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  pl_block_matrix *m = data;
  for (int32_t row = begin; row < end; ++row) {
    size_t first = (size_t)m->pattern->start[row], last = (size_t)m->pattern->diagonal[row] + 1;
    memset(m->values + 9 * first, 0, (last - first) * 9 * sizeof(double));
  }
}

void pl_block_matrix_clear_lower(pl_context *context, pl_block_matrix *matrix) {
  matrix->fixed = NULL;
  pl_parallel_for(context, matrix->pattern->row_count, GRAIN, clear_lower_rows, matrix);
}

typedef struct assembly {
  double *values;
  const pl_block_group *group;
  const pl_block_kernels *kernels;
  pl_block_visit *visit;
  void *data;
} assembly;

static void assemble_batch(void *data, const int32_t *elements, int32_t count, double *matrices) {
  (void)matrices;
  const assembly *a = data;
  double workspace[PL_BLOCK_BATCH * 9 * PL_BLOCK_MAX_CORNERS * PL_BLOCK_MAX_CORNERS];
  int32_t width = a->group->corner_count;
  size_t area = (size_t)(width * width);
  a->visit(a->data, elements, count, workspace);
  for (int32_t i = 0; i < count; ++i) {
    const int32_t *slots = a->group->slots + (size_t)elements[i] * area;
    a->kernels->scatter(a->values, slots, workspace + (size_t)i * 9 * area, width);
  }
}

void pl_block_matrix_assemble(pl_context *context, pl_block_matrix *matrix, int32_t group, pl_block_visit *visit,
                              void *data) {
  assembly a = {.values = matrix->values, .group = &matrix->pattern->groups[group], .visit = visit, .data = data};
  a.kernels = pl_block_kernels_choose();
  pl_block_pattern_visit(context, matrix->pattern, group, assemble_batch, &a);
}

typedef struct stored_elements {
  const double *matrices;
  double *values;
  const pl_block_group *group;
  const pl_block_kernels *kernels;
} stored_elements;

static void add_batch(void *data, const int32_t *elements, int32_t count, double *matrices) {
  (void)matrices;
  const stored_elements *s = data;
  size_t area = (size_t)(s->group->corner_count * s->group->corner_count);
  for (int32_t i = 0; i < count; ++i)
    s->kernels->scatter(s->values, s->group->slots + (size_t)elements[i] * area,
                        s->matrices + (size_t)elements[i] * 9 * area, s->group->corner_count);
}

void pl_block_matrix_add_elements(pl_context *context, pl_block_matrix *matrix, int32_t group, const double *matrices) {
  stored_elements s = {.matrices = matrices, .values = matrix->values, .group = &matrix->pattern->groups[group]};
  s.kernels = pl_block_kernels_choose();
  pl_block_pattern_visit(context, matrix->pattern, group, add_batch, &s);
}

typedef struct row_work {
  const pl_block_matrix *matrix;
  double *values;
  double factor;
  const double *row_values;
  const uint8_t *fixed;
  const pl_block_kernels *kernels;
  const double *x;
  double *y;
} row_work;

static void add_rows(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const row_work *w = data;
  for (int32_t row = begin; row < end; ++row) {
    double *to = w->values + 9 * (size_t)w->matrix->pattern->diagonal[row], value = w->factor * w->row_values[row];
    to[0] += value;
    to[4] += value;
    to[8] += value;
  }
}

void pl_block_matrix_add_diagonal(pl_context *context, pl_block_matrix *matrix, double factor,
                                  const double *row_values) {
  row_work w = {.matrix = matrix, .values = matrix->values, .factor = factor, .row_values = row_values};
  pl_parallel_for(context, matrix->pattern->row_count, GRAIN, add_rows, &w);
}

// All of a body in a plane.
static void fix_plane_rows(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const row_work *w = data;
  const pl_block_pattern *pattern = w->matrix->pattern;
  for (int32_t i = pattern->start[begin]; i < pattern->start[end]; ++i) {
    double *to = w->values + 9 * (size_t)i;
    to[2] = to[5] = to[6] = to[7] = to[8] = 0;
  }
  for (int32_t row = begin; row < end; ++row) w->values[9 * (size_t)pattern->diagonal[row] + 8] = 1;
}

static void fix_rows(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const row_work *w = data;
  const pl_block_pattern *pattern = w->matrix->pattern;
  for (int32_t row = begin; row < end; ++row)
    for (int32_t i = pattern->start[row]; i < pattern->start[row + 1]; ++i) {
      int of_row = w->fixed[row], of_column = w->fixed[pattern->columns[i]];
      if ((of_row | of_column) == 0) continue;
      double *to = w->values + 9 * (size_t)i;
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
          if ((of_row >> r & 1) != 0 || (of_column >> c & 1) != 0)
            to[3 * r + c] = pattern->columns[i] == row && r == c ? 1 : 0;
    }
}

void pl_block_matrix_fix(pl_context *context, pl_block_matrix *matrix, const uint8_t *fixed) {
  row_work w = {.matrix = matrix, .values = matrix->values, .fixed = fixed};
  matrix->fixed = fixed;
  bool is_plane = true;
  for (int32_t row = 0; is_plane && row < matrix->pattern->row_count; ++row) is_plane = fixed[row] == PL_BLOCK_FIX_Z;
  pl_parallel_for(context, matrix->pattern->row_count, GRAIN, is_plane ? fix_plane_rows : fix_rows, &w);
}

static void multiply_rows(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const row_work *w = data;
  w->kernels->multiply(w->matrix, begin, end, w->x, w->y);
}

void pl_block_matrix_multiply(pl_context *context, const pl_block_matrix *matrix, const double *x, double *y) {
  row_work w = {.matrix = matrix, .kernels = pl_block_kernels_choose(), .x = x, .y = y};
  pl_parallel_for(context, matrix->pattern->row_count, GRAIN, multiply_rows, &w);
}
