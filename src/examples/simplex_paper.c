// Weights of the nearest mixture as printed: paper 000, section 4.2, eq. 7 and the removal of negative weights below
// it.
//
//   w = (L^T L)^-1 L^T d      w_0 = 1 - sum w_k
//   while a weight is negative: take the smallest, w_s; set it to 0; subtract |w_s| / n from each of the n other
//   weights
//
// L  columns S_k - S_0, one per example      d  S - S_0, the current descriptor
//
// The rest takes part in the loop like any example: there are n + 1 weights, so n others, and their sum stays 1. A pass
// may drive other weights, also those set to 0 before, below zero; the loop then takes them in turn and tends to the
// point of the simplex nearest to w in the plain metric of weights. It reaches it only in the limit (for n > 1), so it
// ends here when the smallest weight is negligible: after some ten passes for n = 2, some hundreds for n = 8. That
// point is not the mixture nearest to d: simplex_weights.c finds this one, in less time.
//
// What differs: the bare inverse does not exist where examples depend on each other, which per-region groups
// (section 4.3) cannot avoid: six numbers a region, and examples that leave it as it is. The pseudo-inverse takes the
// shortest of all solutions there.
//
// Cost: n^2 + passes * n per call; 10 n^3 or so for the pseudo-inverse, once.
#include <float.h>
#include <math.h>

#include "examples/simplex_weights.h"

enum { MAX_PASSES = 20000 };  // random sets of 32 examples take some thousands
static const double MAX_NEGATIVE = 1e-10;

enum { MAX_SWEEPS = 60 };

typedef double square_matrix[PL_MAX_EXAMPLES][PL_MAX_EXAMPLES];

// Turn the plane of axes p and q so that a_pq vanishes (Jacobi); `vectors` collects the turns in its columns.
static void turn_plane(int n, square_matrix a, square_matrix vectors, int p, int q) {
  double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
  double tangent = copysign(1, theta) / (fabs(theta) + hypot(1, theta));
  double cosine = 1 / sqrt(1 + tangent * tangent), sine = tangent * cosine;
  for (int k = 0; k < n; ++k) {
    double x = a[k][p], y = a[k][q];
    a[k][p] = cosine * x - sine * y;
    a[k][q] = sine * x + cosine * y;
  }
  for (int k = 0; k < n; ++k) {
    double x = a[p][k], y = a[q][k];
    a[p][k] = cosine * x - sine * y;
    a[q][k] = sine * x + cosine * y;
    x = vectors[k][p], y = vectors[k][q];
    vectors[k][p] = cosine * x - sine * y;
    vectors[k][q] = sine * x + cosine * y;
  }
}

static void diagonalise(int n, square_matrix a, square_matrix vectors) {
  for (int sweep = 0; sweep < MAX_SWEEPS; ++sweep) {
    bool is_diagonal = true;
    for (int p = 0; p < n; ++p)
      for (int q = p + 1; q < n; ++q) {
        double size = 0.5 * DBL_EPSILON * sqrt(fabs(a[p][p])) * sqrt(fabs(a[q][q]));
        if (!(fabs(a[p][q]) > size + DBL_MIN)) continue;
        turn_plane(n, a, vectors, p, q);
        is_diagonal = false;
      }
    if (is_diagonal) return;
  }
}

void pl_simplex_pseudo_inverse(int32_t n, const double *gram, double cutoff, double *inverse) {
  square_matrix a, vectors;
  double max = 0, finite = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      a[i][j] = gram[i * n + j];
      vectors[i][j] = i == j;
      finite += 0 * gram[i * n + j];
      inverse[i * n + j] = 0;
    }
  if (finite != 0) return;
  diagonalise(n, a, vectors);
  for (int k = 0; k < n; ++k) max = fmax(max, a[k][k]);
  for (int k = 0; k < n; ++k) {
    if (!(a[k][k] > cutoff * max)) continue;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) inverse[i * n + j] += vectors[i][k] * vectors[j][k] / a[k][k];
  }
}

// The printed loop over n + 1 weights, the rest first.
static int32_t remove_negative(int n, double *all) {
  double size = 1;
  for (int k = 0; k <= n; ++k) size = fmax(size, fabs(all[k]));
  int32_t passes = 0;
  while (passes < MAX_PASSES) {
    int min = 0;
    for (int k = 1; k <= n; ++k)
      if (all[k] < all[min]) min = k;
    double negative = all[min];
    if (!(negative < -MAX_NEGATIVE * size)) break;
    for (int k = 0; k <= n; ++k) all[k] -= fabs(negative) / n;
    all[min] = 0;
    passes++;
  }
  return passes;
}

int32_t pl_simplex_project_paper(int32_t n, const double *inverse, const double *pull, double *weights) {
  double all[PL_MAX_EXAMPLES + 1] = {1};
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int j = 0; j < n; ++j) sum += inverse[i * n + j] * pull[j];
    all[i + 1] = sum;
    all[0] -= sum;
  }
  bool is_finite = isfinite(all[0]);
  int32_t passes = is_finite && n > 0 ? remove_negative(n, all) : 0;
  // What rounding left below zero is dropped, and the sum of the rest kept at 1.
  double sum = 0;
  for (int k = 0; k <= n; ++k) sum += fmax(all[k], 0);
  for (int k = 0; k < n; ++k) weights[k] = is_finite && sum > 0 ? fmax(all[k + 1], 0) / sum : 0;
  return passes;
}
