// What several tests of `detail` look at: a cube of material points with the deformations of the paper's table 1.
#ifndef PL_TEST_DETAIL_SAMPLES_H
#define PL_TEST_DETAIL_SAMPLES_H

#include "base/random.h"
#include "check.h"
#include "detail/detail_descriptor.h"
#include "pliant/math.h"

enum { CUBE_SIDE = 12, CUBE_COUNT = CUBE_SIDE * CUBE_SIDE * CUBE_SIDE, DEFORMATION_COUNT = 8 };

// Edge length 2, around the origin, as in section 6.2.
static inline void make_cube(pl_vec3 points[CUBE_COUNT], double fractions[CUBE_COUNT]) {
  double step = 2.0 / CUBE_SIDE;
  for (int32_t m = 0; m < CUBE_COUNT; ++m) {
    int32_t i = m % CUBE_SIDE, j = m / CUBE_SIDE % CUBE_SIDE, k = m / CUBE_SIDE / CUBE_SIDE;
    points[m] = pl_vec3_of(step * (i + 0.5) - 1, step * (j + 0.5) - 1, step * (k + 0.5) - 1);
    fractions[m] = step * step * step;
  }
}

static inline const char *deformation_name(int32_t kind) {
  static const char *const names[DEFORMATION_COUNT] = {"rest state", "bent up",   "bent down", "twisted",
                                                       "tapered",    "stretched", "dented",    "rotated 7"};
  return names[kind];
}

// Where deformation `kind` takes a point of the cube; z is up and the contact point is (0, 0, 1).
static inline pl_vec3 deform(int32_t kind, pl_vec3 p) {
  double dent = -0.3 * exp(-2 * (p.x * p.x + p.y * p.y)) * (0.5 + 0.5 * p.z);
  switch (kind) {
    case 1: return pl_vec3_of(p.x - 0.2 * p.x * p.z, p.y, p.z + 0.1 * p.x * p.x);
    case 2: return pl_vec3_of(p.x + 0.2 * p.x * p.z, p.y, p.z - 0.1 * p.x * p.x);
    case 3: return pl_quat_rotate(pl_quat_from_rotation_vector(pl_vec3_of(0, 0, 0.4 * p.z)), p);
    case 4: return pl_vec3_of(p.x * (1 - 0.2 * p.z), p.y * (1 - 0.2 * p.z), p.z);
    case 5: return pl_vec3_of(1.3 * p.x, p.y, p.z);
    case 6: return pl_vec3_of(p.x, p.y, p.z + dent);
    case 7: {
      pl_vec3 dented = pl_vec3_of(p.x, p.y, p.z + dent);
      return pl_vec3_add(pl_quat_rotate(pl_quat_from_rotation_vector(pl_vec3_of(0.9, -0.5, 1.7)), dented), pl_vec3_of(3, -1, 2));
    }
    default: return p;
  }
}

static inline pl_vec3 sample_vector(pl_random *random, double reach) {
  double x = pl_random_between(random, -reach, reach), y = pl_random_between(random, -reach, reach);
  return pl_vec3_of(x, y, pl_random_between(random, -reach, reach));
}

static inline pl_mat3 sample_rotation(pl_random *random) {
  return pl_mat3_from_quat(pl_quat_from_rotation_vector(sample_vector(random, 2.5)));
}

#endif
