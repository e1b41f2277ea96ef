// Principal stretches of 3x3 matrices: symmetric eigenproblem and signed singular values.
//
// The singular values come from one-sided Jacobi (Hestenes 1958): the columns of A are turned among themselves, A V,
// until they are at right angles; their lengths are then the singular values. Going through the eigenvalues of A^T A
// instead would square the condition and lose half of the digits of small singular values, which is what flat and
// nearly inverted elements live on.
#include "math/jacobi.h"
#include "math/mat3.h"
#include "math/rotation.h"

enum { MAX_SWEEPS = 16 };

// Positions 0, 1, 2 in the order of falling keys; equal keys keep their order.
static void sort_falling(const double key[3], int order[3]) {
  for (int i = 0; i < 3; ++i) {
    int j = i;
    for (; j > 0 && key[order[j - 1]] < key[i]; --j) order[j] = order[j - 1];
    order[j] = i;
  }
}

void pl_symmetric_eigen(pl_mat3 a, pl_vec3 *values, pl_mat3 *vectors) {
  *values = (pl_vec3){0, 0, 0};
  *vectors = pl_mat3_identity();
  double scale = pl_mat3_normalizer(a);
  if (scale == 0) return;
  double m[PL_JACOBI_SIZE][PL_JACOBI_SIZE] = {{0}}, v[PL_JACOBI_SIZE][PL_JACOBI_SIZE];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) m[i][j] = 0.5 * scale * a.m[i][j] + 0.5 * scale * a.m[j][i];
  pl_jacobi_eigen(3, m, v);

  int order[3];
  sort_falling((double[3]){m[0][0], m[1][1], m[2][2]}, order);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) vectors->m[i][j] = v[i][order[j]];
  if (pl_mat3_determinant(*vectors) < 0)
    for (int i = 0; i < 3; ++i) vectors->m[i][2] = -vectors->m[i][2];
  *values = pl_vec3_scale((pl_vec3){m[order[0]][order[0]], m[order[1]][order[1]], m[order[2]][order[2]]}, 1 / scale);
}

// Turn columns p and q of w, and of v alike, so that those of w are at right angles. False when they already were.
static bool turn_columns(pl_vec3 w[3], pl_vec3 v[3], int p, int q) {
  double alpha = pl_vec3_dot(w[p], w[p]), beta = pl_vec3_dot(w[q], w[q]), gamma = pl_vec3_dot(w[p], w[q]);
  if (fabs(gamma) <= 1e-16 * sqrt(alpha * beta)) return false;
  double zeta = (beta - alpha) / (2 * gamma);
  double t = copysign(1.0, zeta) / (fabs(zeta) + sqrt(1 + zeta * zeta));
  double c = 1 / sqrt(1 + t * t), s = t * c;
  pl_vec3 wp = w[p], vp = v[p];
  w[p] = pl_vec3_add_scaled(pl_vec3_scale(wp, c), w[q], -s);
  w[q] = pl_vec3_add_scaled(pl_vec3_scale(w[q], c), wp, s);
  v[p] = pl_vec3_add_scaled(pl_vec3_scale(vp, c), v[q], -s);
  v[q] = pl_vec3_add_scaled(pl_vec3_scale(v[q], c), vp, s);
  return true;
}

// Unit vectors along the first two columns, completed to a rotation; where a column is too small to have a direction,
// any will do.
static pl_mat3 left_frame(const pl_vec3 w[3]) {
  pl_vec3 u0 = pl_vec3_normalize_or(w[0], (pl_vec3){1, 0, 0});
  pl_vec3 u1 = pl_vec3_normalize_or(w[1], (pl_vec3){0, 0, 0});
  u1 = pl_vec3_add_scaled(u1, u0, -pl_vec3_dot(u0, u1));
  u1 = pl_vec3_length(u1) > 0.5 ? pl_vec3_normalize_or(u1, u1) : pl_vec3_perpendicular(u0);
  return pl_mat3_from_columns(u0, u1, pl_vec3_cross(u0, u1));
}

void pl_signed_svd(pl_mat3 a, pl_mat3 *u, pl_vec3 *s, pl_mat3 *v) {
  *u = *v = pl_mat3_identity();
  *s = (pl_vec3){0, 0, 0};
  double scale = pl_mat3_normalizer(a);
  if (scale == 0) return;
  pl_mat3 scaled = pl_mat3_scale(a, scale);
  pl_vec3 w[3], turned[3];
  for (int j = 0; j < 3; ++j) {
    w[j] = pl_mat3_column(scaled, j);
    turned[j] = pl_mat3_column(*v, j);
  }
  for (int sweep = 0; sweep < MAX_SWEEPS; ++sweep) {
    bool changed = turn_columns(w, turned, 0, 1);
    changed |= turn_columns(w, turned, 0, 2);
    changed |= turn_columns(w, turned, 1, 2);
    if (!changed) break;
  }

  int order[3];
  double length[3] = {pl_vec3_length(w[0]), pl_vec3_length(w[1]), pl_vec3_length(w[2])};
  sort_falling(length, order);
  pl_vec3 sorted[3] = {w[order[0]], w[order[1]], w[order[2]]};
  *v = pl_mat3_from_columns(turned[order[0]], turned[order[1]], turned[order[2]]);
  if (pl_mat3_determinant(*v) < 0) {
    for (int i = 0; i < 3; ++i) v->m[i][2] = -v->m[i][2];
    sorted[2] = pl_vec3_scale(sorted[2], -1);
  }
  // u and v are rotations, so the sign of det(a) has nowhere to go but the last value.
  *u = left_frame(sorted);
  double last = pl_vec3_dot(pl_mat3_column(*u, 2), sorted[2]), middle = length[order[1]];
  last = fmin(fmax(last, -middle), middle);
  *s = pl_vec3_scale((pl_vec3){length[order[0]], middle, last}, 1 / scale);
}
