// The kernel of fit_changes.h, four columns at a time; included once per instruction set with KERNEL_NAME the function
// to define.
#include "fem/fem_lanes.h"

typedef struct change_tet {
  const int32_t *points;
  double F[3][3], B[4][3];
} change_tet;

PL_SIMD_INLINE void read_tet(const pl_fit_changes *c, int32_t element, change_tet *t) {
  const double *b = c->constants[element].gradients, *x = c->positions;
  t->points = c->corners + 4 * (ptrdiff_t)element;
  for (int j = 0; j < 3; ++j) {
    for (int a = 0; a < 3; ++a) t->B[a + 1][j] = b[3 * a + j];
    t->B[0][j] = -(b[j] + b[3 + j] + b[6 + j]);
  }
  const double *x0 = x + 3 * (ptrdiff_t)t->points[0];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      double sum = 0;
      for (int a = 1; a < 4; ++a) sum += (x[3 * (ptrdiff_t)t->points[a] + i] - x0[i]) * t->B[a][j];
      t->F[i][j] = sum;
    }
}

PL_SIMD_INLINE void add_columns(const pl_fit_changes *c, const change_tet *t, int32_t first, pl_lanes fraction,
                                const double *g, const double *h) {
  pl_lanes change[4][3], moved[12], dots[4][4], trace = fraction;
  for (int b = 0; b < 4; ++b) {
    const double *from = c->rest_change + 3 * (ptrdiff_t)t->points[b] * c->padded + first;
    for (int j = 0; j < 3; ++j) change[b][j] = pl_lanes_load(from + (ptrdiff_t)j * c->padded);
    for (int i = 0; i < 3; ++i)
      moved[3 * b + i] = t->F[i][0] * change[b][0] + t->F[i][1] * change[b][1] + t->F[i][2] * change[b][2];
    for (int a = 0; a < 4; ++a)
      dots[a][b] = t->B[a][0] * change[b][0] + t->B[a][1] * change[b][1] + t->B[a][2] * change[b][2];
    trace += dots[b][b];
  }
  for (int a = 0; a < 4; ++a)
    for (int i = 0; i < 3; ++i) {
      pl_lanes sum = g[3 * a + i] * trace;
      for (int b = 0; b < 4; ++b) sum -= g[3 * b + i] * dots[a][b];
      const double *row = h + 12 * (3 * a + i);
      for (int j = 0; j < 12; ++j) sum -= row[j] * moved[j];
      double *to = c->rhs + (3 * (ptrdiff_t)t->points[a] + i) * c->padded + first;
      pl_lanes_store(to, pl_lanes_load(to) - sum);
    }
}

void KERNEL_NAME(const pl_fit_changes *changes, const int32_t *elements, int32_t count, const double *gradients,
                 const double *matrices) {
  for (int32_t e = 0; e < count; ++e) {
    change_tet tet;
    read_tet(changes, elements[e], &tet);
    for (int32_t first = 0; first < changes->padded; first += 4)
      add_columns(changes, &tet, first,
                  pl_lanes_load(changes->fractions + (ptrdiff_t)elements[e] * changes->padded + first),
                  gradients + 12 * e, matrices + 144 * e);
  }
}
