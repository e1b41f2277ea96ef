// Eigenvalues of a symmetric matrix: cyclic Jacobi rotations (Golub and Van Loan, Matrix Computations, §8.5).
//
// Each rotation in the plane (p, q) makes a[p][q] zero. The sum of squares off the diagonal falls with every rotation,
// and quadratically near the end: 4x4 matrices need about 5 sweeps. Unlike closed formulas it keeps full accuracy when
// eigenvalues coincide, which is just where the callers need it.
#include "math/jacobi.h"

#include <math.h>
#include <stdbool.h>

// Enough for any 4x4 matrix in double; only input that is not finite gets that far.
enum { MAX_SWEEPS = 16 };

// Cosine and sine of the smaller of the two angles that make a[p][q] zero.
static void choose_rotation(double app, double aqq, double apq, double *c, double *s) {
  double theta = (aqq - app) / (2 * apq);
  double t = copysign(1.0, theta) / (fabs(theta) + sqrt(theta * theta + 1));
  *c = 1 / sqrt(t * t + 1);
  *s = t * *c;
}

static void rotate(int n, double a[PL_JACOBI_SIZE][PL_JACOBI_SIZE], double vectors[PL_JACOBI_SIZE][PL_JACOBI_SIZE],
                   int p, int q) {
  double c, s;
  choose_rotation(a[p][p], a[q][q], a[p][q], &c, &s);
  for (int k = 0; k < n; ++k) {
    double akp = a[k][p], akq = a[k][q];
    a[k][p] = c * akp - s * akq;
    a[k][q] = s * akp + c * akq;
  }
  for (int k = 0; k < n; ++k) {
    double apk = a[p][k], aqk = a[q][k];
    a[p][k] = c * apk - s * aqk;
    a[q][k] = s * apk + c * aqk;
  }
  a[p][q] = a[q][p] = 0;
  for (int k = 0; k < n; ++k) {
    double vkp = vectors[k][p], vkq = vectors[k][q];
    vectors[k][p] = c * vkp - s * vkq;
    vectors[k][q] = s * vkp + c * vkq;
  }
}

void pl_jacobi_eigen(int n, double a[PL_JACOBI_SIZE][PL_JACOBI_SIZE], double vectors[PL_JACOBI_SIZE][PL_JACOBI_SIZE]) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) vectors[i][j] = i == j;
  for (int sweep = 0; sweep < MAX_SWEEPS; ++sweep) {
    bool done = true;
    for (int p = 0; p < n; ++p)
      for (int q = p + 1; q < n; ++q) {
        // What no longer changes either diagonal element is zero to rounding.
        double size = 0.01 * fabs(a[p][q]);
        if (fabs(a[p][p]) + size == fabs(a[p][p]) && fabs(a[q][q]) + size == fabs(a[q][q])) {
          a[p][q] = a[q][p] = 0;
          continue;
        }
        rotate(n, a, vectors, p, q);
        done = false;
      }
    if (done) return;
  }
}
