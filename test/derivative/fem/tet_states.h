// Tets in every kind of deformation, for the tests of their energies.
#ifndef PL_TEST_TET_STATES_H
#define PL_TEST_TET_STATES_H

#include "base/random.h"
#include "check.h"
#include "fem/fem_energy.h"
#include "math/mat3.h"
#include "pliant/math.h"

// Kinds of deformation by their signed principal stretches.
typedef struct tet_kind {
  const char *name;
  double stretch[3];  // mean
  double spread;      // of each, relative
} tet_kind;

static const tet_kind tet_kinds[] = {
    {"random", {1, 1, 1}, 0.5},
    {"barely deformed", {1, 1, 1}, 1e-3},
    {"at rest", {1, 1, 1}, 0},
    {"near-flat", {1.3, 0.9, 1e-4}, 0.1},
    {"flat", {1.2, 0.8, 0}, 0.1},
    {"inverted", {1.2, 0.9, -0.4}, 0.1},
    {"inverted, nearly at the crease", {1.1, 0.8, -0.79}, 0},
    {"strongly compressed", {0.05, 0.04, 0.03}, 0.1},
    {"crushed and inverted", {0.3, 0.05, -0.02}, 0.1},
    {"strongly stretched", {6, 3, 0.2}, 0.1},
};
enum { TET_KINDS = sizeof tet_kinds / sizeof tet_kinds[0] };

typedef struct tet_state {
  double x[12], X[12], U[12], lambda[12];
  double gap;  // least sum of two principal stretches: how far away the crease of the corotated energy is
} tet_state;

static inline pl_mat3 tet_rotation(pl_random *random) {
  pl_vec3 axis = {pl_random_normal(random), pl_random_normal(random), pl_random_normal(random)};
  return pl_mat3_from_quat(pl_quat_from_axis_angle(axis, pl_random_between(random, -PL_PI, PL_PI)));
}

// A tet of about `size`, not too flat, with noise of its own.
static inline void tet_shape(pl_random *random, double size, double *X) {
  static const double regular[12] = {0, 0, 0, 1, 0, 0, 0.2, 1, 0, 0.3, 0.2, 0.9};
  pl_mat3 turn = tet_rotation(random);
  pl_vec3 position = {pl_random_normal(random), pl_random_normal(random), pl_random_normal(random)};
  for (int a = 0; a < 4; ++a) {
    double p[3];
    for (int i = 0; i < 3; ++i) p[i] = size * (regular[3 * a + i] + pl_random_between(random, -0.15, 0.15));
    pl_vec3 q = pl_vec3_add_scaled(pl_mat3_apply(turn, pl_vec3_of(p[0], p[1], p[2])), position, size);
    X[3 * a] = q.x, X[3 * a + 1] = q.y, X[3 * a + 2] = q.z;
  }
}

// x = F X + place
static inline void tet_deform(const double *X, pl_mat3 F, pl_vec3 position, double *x) {
  for (int a = 0; a < 4; ++a) {
    pl_vec3 p = pl_vec3_add(pl_mat3_apply(F, pl_vec3_of(X[3 * a], X[3 * a + 1], X[3 * a + 2])), position);
    x[3 * a] = p.x, x[3 * a + 1] = p.y, x[3 * a + 2] = p.z;
  }
}

static inline pl_mat3 tet_gradient(pl_random *random, const tet_kind *kind, double *gap) {
  double s[3];
  for (int i = 0; i < 3; ++i) s[i] = kind->stretch[i] * (1 + kind->spread * pl_random_between(random, -1, 1));
  if (gap != NULL) *gap = fmin(s[0] + s[1], fmin(s[1] + s[2], s[0] + s[2]));
  pl_mat3 stretch = pl_mat3_multiply(tet_rotation(random), pl_mat3_diagonal(s[0], s[1], s[2]));
  return pl_mat3_multiply(stretch, tet_rotation(random));
}

static inline tet_state make_tet_state(pl_random *random, const tet_kind *kind, double size) {
  tet_state state;
  tet_shape(random, size, state.X);
  tet_shape(random, size, state.U);
  pl_mat3 F = tet_gradient(random, kind, &state.gap);
  pl_vec3 position = {size * pl_random_normal(random), size * pl_random_normal(random), size * pl_random_normal(random)};
  tet_deform(state.X, F, position, state.x);
  for (int i = 0; i < 12; ++i) state.lambda[i] = pl_random_normal(random);
  return state;
}

#endif
