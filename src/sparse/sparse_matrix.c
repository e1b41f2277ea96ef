// The pattern of a matrix that is assembled from elements.
//
// Elements are first listed by row (a counting sort), then each row gathers the corners of its elements, leaving out
// those it has already, which a mark per column shows. Rows are short, so putting them in order by insertion costs less
// than anything cleverer.
#include "sparse/sparse_matrix.h"

typedef struct pattern {
  const int32_t *corners;
  int32_t element_count, width, row_count;
  int32_t *element_start, *elements;  // those of each row
  int32_t *mark;                      // per column: the row that has it, plus one
} pattern;

int32_t pl_sparse_max_elements(int32_t row_count, int32_t width) {
  return (INT32_MAX - row_count) / (width * width);
}

static void list_elements(pattern *p) {
  int32_t corner_count = p->element_count * p->width;
  for (int32_t i = 0; i < corner_count; ++i) p->element_start[p->corners[i] + 1]++;
  for (int32_t row = 0; row < p->row_count; ++row) p->element_start[row + 1] += p->element_start[row];
  // Filling moves each start to the next row's; moving all by one afterwards puts them back.
  for (int32_t i = 0; i < corner_count; ++i) p->elements[p->element_start[p->corners[i]]++] = i / p->width;
  for (int32_t row = p->row_count; row > 0; --row) p->element_start[row] = p->element_start[row - 1];
  p->element_start[0] = 0;
}

// Columns of a row into `columns` in rising order; returns their number. With NULL they are only counted.
static int32_t gather_row(pattern *p, int32_t row, int32_t stamp, int32_t *columns) {
  int32_t count = 1;
  p->mark[row] = stamp;
  if (columns != NULL) columns[0] = row;
  for (int32_t i = p->element_start[row]; i < p->element_start[row + 1]; ++i)
    for (int32_t k = 0; k < p->width; ++k) {
      int32_t column = p->corners[p->elements[i] * p->width + k];
      if (p->mark[column] == stamp) continue;
      p->mark[column] = stamp;
      int32_t at = count++;
      for (; columns != NULL && at > 0 && columns[at - 1] > column; --at) columns[at] = columns[at - 1];
      if (columns != NULL) columns[at] = column;
    }
  return count;
}

bool pl_sparse_create(pl_arena *arena, const int32_t *corners, int32_t element_count, int32_t width, int32_t row_count,
                      pl_sparse *matrix) {
  pl_arena temporary;
  pl_arena_init(&temporary, arena->context, 0);
  pattern p = {.corners = corners, .element_count = element_count, .width = width, .row_count = row_count};
  p.element_start = PL_TAKE(&temporary, int32_t, (size_t)row_count + 1);
  p.elements = PL_TAKE(&temporary, int32_t, (size_t)element_count * (size_t)width);
  p.mark = PL_TAKE(&temporary, int32_t, row_count);
  *matrix = (pl_sparse){.row_count = row_count};
  matrix->start = PL_TAKE(arena, int32_t, (size_t)row_count + 1);
  matrix->diagonal = PL_TAKE(arena, int32_t, row_count);
  bool good = !temporary.failed && !arena->failed;
  if (good) {
    list_elements(&p);
    for (int32_t row = 0; row < row_count; ++row)
      matrix->start[row + 1] = matrix->start[row] + gather_row(&p, row, row + 1, NULL);
    matrix->value_count = matrix->start[row_count];
    matrix->columns = PL_TAKE(arena, int32_t, matrix->value_count);
    matrix->values = PL_TAKE(arena, double, matrix->value_count);
    good = !arena->failed;
  }
  for (int32_t row = 0; good && row < row_count; ++row) {
    // Marks of the first pass are positive.
    gather_row(&p, row, -row - 1, matrix->columns + matrix->start[row]);
    matrix->diagonal[row] = pl_sparse_find(matrix, row, row);
  }
  pl_arena_destroy(&temporary);
  return good;
}

int32_t pl_sparse_find(const pl_sparse *matrix, int32_t row, int32_t column) {
  int32_t min = matrix->start[row], max = matrix->start[row + 1] - 1;
  while (min <= max) {
    int32_t middle = min + (max - min) / 2, found = matrix->columns[middle];
    if (found == column) return middle;
    if (found < column)
      min = middle + 1;
    else
      max = middle - 1;
  }
  return -1;
}
