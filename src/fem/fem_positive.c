// Element Hessians without their negative eigenvalues: by Jacobi's rotations, for elements that have no formula of
// their own for it.
#include <math.h>
#include <string.h>

#include "fem/fem_system.h"

enum { SIZE = 9 * PL_FEM_MAX_CORNERS * PL_FEM_MAX_CORNERS };

// One rotation in the plane of axes p, q that makes a_pq zero (Golub and Van Loan, section 8.5).
static void rotate_pair(int n, double *a, double *vectors, int p, int q) {
  double off = a[n * p + q];
  if (off == 0) return;
  double ratio = (a[n * q + q] - a[n * p + p]) / (2 * off);
  double t = copysign(1.0, ratio) / (fabs(ratio) + sqrt(1 + ratio * ratio)), c = 1 / sqrt(1 + t * t), s = t * c;
  for (int k = 0; k < n; ++k) {
    double x = a[n * k + p], y = a[n * k + q];
    a[n * k + p] = c * x - s * y;
    a[n * k + q] = s * x + c * y;
  }
  for (int k = 0; k < n; ++k) {
    double x = a[n * p + k], y = a[n * q + k];
    a[n * p + k] = c * x - s * y;
    a[n * q + k] = s * x + c * y;
    x = vectors[n * k + p], y = vectors[n * k + q];
    vectors[n * k + p] = c * x - s * y;
    vectors[n * k + q] = s * x + c * y;
  }
}

void pl_fem_project_positive(int n, double *matrix) {
  double a[SIZE], vectors[SIZE], size = 0;
  memcpy(a, matrix, (size_t)(n * n) * sizeof(double));
  memset(vectors, 0, (size_t)(n * n) * sizeof(double));
  for (int i = 0; i < n; ++i) vectors[n * i + i] = 1;
  for (int i = 0; i < n * n; ++i) size += a[i] * a[i];
  if (!isfinite(size)) return;
  for (int sweep = 0; sweep < 30; ++sweep) {
    double off = 0;
    for (int p = 0; p < n; ++p)
      for (int q = p + 1; q < n; ++q) off += a[n * p + q] * a[n * p + q];
    if (off <= 1e-28 * size) break;
    for (int p = 0; p < n; ++p)
      for (int q = p + 1; q < n; ++q) rotate_pair(n, a, vectors, p, q);
  }
  // What is negative is added with the opposite sign: a matrix that is positive already stays as it is, to the bit.
  for (int k = 0; k < n; ++k) {
    double value = a[n * k + k];
    if (!(value < 0)) continue;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) matrix[n * i + j] -= value * vectors[n * i + k] * vectors[n * j + k];
  }
}
