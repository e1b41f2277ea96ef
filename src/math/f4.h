// Four floats in one SSE2 or NEON register, written with the compiler's vector extensions: + - * /
// work as they stand, also with a scalar on one side. Particles are stored as (x, y, z, 0), so a
// ring can be summed without gathers or transposes.
#ifndef PL_MATH_F4_H
#define PL_MATH_F4_H

#include "pliant/math.h"

typedef float pl_f4 __attribute__((vector_size(16)));

static inline pl_f4 pl_f4_of(double x, double y, double z) {
  return (pl_f4){(float)x, (float)y, (float)z, 0.0f};
}
static inline pl_f4 pl_f4_of_vec3(pl_vec3 v) {
  return pl_f4_of(v.x, v.y, v.z);
}
static inline pl_vec3 pl_vec3_of_f4(pl_f4 v) {
  return (pl_vec3){(double)v[0], (double)v[1], (double)v[2]};
}

#endif
