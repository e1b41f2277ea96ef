// Random numbers and rotations for the tests of curves, shells and plane solids.
#ifndef PL_TEST_ELEMENT_STATES_H
#define PL_TEST_ELEMENT_STATES_H

#include "base/random.h"
#include "check_energy.h"

static inline void fill_random(pl_random *random, double size, double *values, int count) {
  for (int i = 0; i < count; ++i) values[i] = size * pl_random_between(random, -1, 1);
}

static inline pl_mat3 turn_about_z(double angle) {
  return (pl_mat3){{{cos(angle), -sin(angle), 0}, {sin(angle), cos(angle), 0}, {0, 0, 1}}};
}

// A rotation with no axis of its own.
static inline pl_mat3 random_rotation(pl_random *random) {
  double tilt = pl_random_between(random, 0.2, 2.9);
  pl_mat3 about_x = {{{1, 0, 0}, {0, cos(tilt), -sin(tilt)}, {0, sin(tilt), cos(tilt)}}};
  return pl_mat3_multiply(turn_about_z(pl_random_between(random, -3, 3)),
                          pl_mat3_multiply(about_x, turn_about_z(pl_random_between(random, -3, 3))));
}

// x_k = rotation x_k + shift
static inline void place(pl_mat3 rotation, pl_vec3 shift, double *x, int corner_count) {
  for (int k = 0; k < corner_count; ++k) {
    pl_vec3 y = pl_vec3_add(pl_mat3_apply(rotation, pl_vec3_of(x[3 * k], x[3 * k + 1], x[3 * k + 2])), shift);
    x[3 * k] = y.x, x[3 * k + 1] = y.y, x[3 * k + 2] = y.z;
  }
}

// Order of convergence from the errors at h and h/2.
static inline double order_of(double coarse, double fine) {
  return log2(fabs(coarse) / fabs(fine));
}

#endif
