// Symmetric sparse matrices of numbers, by rows. The pattern is found once, from elements whose
// corners are coupled with each other; the values may change as often as wanted.
#ifndef PL_SPARSE_SPARSE_MATRIX_H
#define PL_SPARSE_SPARSE_MATRIX_H

#include "base/arena.h"
#include "pliant/math.h"

typedef struct pl_sparse {
  int32_t row_count, value_count;
  int32_t *start;     // row_count + 1
  int32_t *columns;   // rising in each row, the diagonal always among them
  int32_t *diagonal;  // index of each row's diagonal entry
  double *values;  // both triangles are stored, so that a row can be multiplied without its column
} pl_sparse;

// Most elements of `width` corners for which every index fits, whatever the pattern turns out to
// be.
int32_t pl_sparse_max_elements(int32_t row_count, int32_t width);

// Pattern in which all corners of an element are coupled, with values zero. `corners` holds `width`
// rows per element. False when out of memory.
bool pl_sparse_create(pl_arena *arena, const int32_t *corners, int32_t element_count, int32_t width,
                      int32_t row_count, pl_sparse *matrix);

// Index of an entry in `values`, -1 if the pattern does not have it.
int32_t pl_sparse_find(const pl_sparse *matrix, int32_t row, int32_t column);

// Row `row` of matrix * x, for each of the three columns of x.
static inline pl_vec3 pl_sparse_multiply_row(const pl_sparse *matrix, int32_t row,
                                             const pl_vec3 *x) {
  pl_vec3 sum = {0, 0, 0};
  for (int32_t i = matrix->start[row]; i < matrix->start[row + 1]; ++i) {
    double value = matrix->values[i];
    pl_vec3 at = x[matrix->columns[i]];
    sum.x += value * at.x;
    sum.y += value * at.y;
    sum.z += value * at.z;
  }
  return sum;
}

#endif
