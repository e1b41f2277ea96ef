#include "capture/fit_gmres.h"

#include <math.h>
#include <string.h>

bool pl_gmres_take(pl_arena *arena, int32_t size, pl_gmres *gmres) {
  // The tolerance is set by each user; the limit is some forty times what a preconditioner that fits needs.
  *gmres = (pl_gmres){.size = size, .tolerance = 1e-8, .limit = 400};
  gmres->basis = PL_TAKE(arena, double, (PL_GMRES_BASIS + 1) * (size_t)size);
  gmres->image = PL_TAKE(arena, double, (size_t)size);
  gmres->change = PL_TAKE(arena, double, (size_t)size);
  return !arena->failed;
}

static double dot(int32_t n, const double *a, const double *b) {
  double sum = 0;
  for (int32_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

// The Hessenberg matrix by columns, made triangular by Givens' rotations as it grows.
typedef struct triangle {
  double columns[PL_GMRES_BASIS][PL_GMRES_BASIS + 1];
  double cosines[PL_GMRES_BASIS], sines[PL_GMRES_BASIS], rhs[PL_GMRES_BASIS + 1];
} triangle;

static void rotate_column(triangle *t, int k) {
  double *h = t->columns[k];
  for (int i = 0; i < k; ++i) {
    double a = h[i], b = h[i + 1];
    h[i] = t->cosines[i] * a + t->sines[i] * b;
    h[i + 1] = t->cosines[i] * b - t->sines[i] * a;
  }
  double length = hypot(h[k], h[k + 1]);
  t->cosines[k] = length > 0 ? h[k] / length : 1;
  t->sines[k] = length > 0 ? h[k + 1] / length : 0;
  h[k] = length;
  t->rhs[k + 1] = -t->sines[k] * t->rhs[k];
  t->rhs[k] = t->cosines[k] * t->rhs[k];
}

// x += P Σ y_i v_i with the triangular solution y of the first k columns.
static pl_status add_solution(pl_gmres *g, triangle *t, int k, double *x, pl_error *error) {
  double y[PL_GMRES_BASIS];
  for (int i = k - 1; i >= 0; --i) {
    double sum = t->rhs[i];
    for (int j = i + 1; j < k; ++j) sum -= t->columns[j][i] * y[j];
    y[i] = t->columns[i][i] != 0 ? sum / t->columns[i][i] : 0;
  }
  memset(g->change, 0, (size_t)g->size * sizeof(double));
  for (int i = 0; i < k; ++i) {
    const double *v = g->basis + (ptrdiff_t)i * g->size;
    for (int32_t j = 0; j < g->size; ++j) g->change[j] += y[i] * v[j];
  }
  pl_status status = g->precondition(g->data, g->change, g->image, error);
  for (int32_t j = 0; status >= 0 && j < g->size; ++j) x[j] += g->image[j];
  return status;
}

// One more vector of the basis; its column of the Hessenberg matrix is made orthogonal twice over.
static pl_status grow_basis(pl_gmres *g, triangle *t, int k, pl_error *error) {
  double *next = g->basis + (ptrdiff_t)(k + 1) * g->size, *h = t->columns[k];
  pl_status status = g->precondition(g->data, g->basis + (ptrdiff_t)k * g->size, g->change, error);
  if (status >= 0) status = g->apply(g->data, g->change, next, error);
  if (status < 0) return status;
  g->product_count++;
  memset(h, 0, sizeof t->columns[k]);
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i <= k; ++i) {
      const double *v = g->basis + (ptrdiff_t)i * g->size;
      double along = dot(g->size, v, next);
      h[i] += along;
      for (int32_t j = 0; j < g->size; ++j) next[j] -= along * v[j];
    }
  h[k + 1] = sqrt(dot(g->size, next, next));
  double scale = h[k + 1] > 0 ? 1 / h[k + 1] : 0;
  for (int32_t j = 0; j < g->size; ++j) next[j] *= scale;
  return status;
}

pl_status pl_gmres_solve(pl_gmres *g, const double *rhs, double *x, pl_error *error) {
  double whole = sqrt(dot(g->size, rhs, rhs));
  g->product_count = 0;
  g->residual = 0;
  if (!(whole > 0)) {
    memset(x, 0, (size_t)g->size * sizeof(double));
    return PL_OK;
  }
  triangle t;
  for (;;) {
    // The residual as it is starts every round: what rounding took from the last one comes back.
    pl_status status = g->apply(g->data, x, g->image, error);
    if (status < 0) return status;
    g->product_count++;
    for (int32_t j = 0; j < g->size; ++j) g->basis[j] = rhs[j] - g->image[j];
    double length = sqrt(dot(g->size, g->basis, g->basis));
    g->residual = length / whole;
    if (g->residual <= g->tolerance) return PL_OK;
    if (!(g->product_count < g->limit)) return PL_REMARK_NOT_CONVERGED;
    for (int32_t j = 0; j < g->size; ++j) g->basis[j] /= length;
    t.rhs[0] = length;
    int k = 0;
    while (k < PL_GMRES_BASIS && g->product_count < g->limit && fabs(t.rhs[k]) > 0.5 * g->tolerance * whole) {
      status = grow_basis(g, &t, k, error);
      if (status < 0) return status;
      rotate_column(&t, k);
      ++k;
    }
    status = add_solution(g, &t, k, x, error);
    if (status < 0) return status;
  }
}
