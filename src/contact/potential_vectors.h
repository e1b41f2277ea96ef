// Vectors of a coupled solve: three doubles for each particle.
#ifndef PL_CONTACT_POTENTIAL_VECTORS_H
#define PL_CONTACT_POTENTIAL_VECTORS_H

#include <stddef.h>

#include "pliant/math.h"

static inline pl_vec3 pl_potential_vector_at(const double *from, int32_t particle) {
  const double *at = from + 3 * (ptrdiff_t)particle;
  return (pl_vec3){at[0], at[1], at[2]};
}

static inline void pl_potential_add_at(double *to, int32_t particle, pl_vec3 v, double factor) {
  double *at = to + 3 * (ptrdiff_t)particle;
  at[0] += factor * v.x;
  at[1] += factor * v.y;
  at[2] += factor * v.z;
}

#endif
