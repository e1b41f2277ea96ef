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

// What a point of a term is made of: particles with weights, and particles that turn rigid bodies,
// by the levers that they act with.
typedef struct pl_potential_parts {
  int32_t count;
  const int32_t *particles;
  const double *weights;
  int32_t turn_count;
  const int32_t *turns;
  const pl_vec3 *levers;
} pl_potential_parts;

// sum w_i z_i + sum z_t x l_t
static inline pl_vec3 pl_potential_mix(pl_potential_parts parts, const double *z) {
  pl_vec3 sum = {0, 0, 0};
  for (int32_t i = 0; i < parts.count; ++i)
    sum = pl_vec3_add_scaled(sum, pl_potential_vector_at(z, parts.particles[i]), parts.weights[i]);
  for (int32_t i = 0; i < parts.turn_count; ++i)
    sum =
        pl_vec3_add(sum, pl_vec3_cross(pl_potential_vector_at(z, parts.turns[i]), parts.levers[i]));
  return sum;
}

// Add what a force on that point does to its particles, times `factor`.
static inline void pl_potential_spread(pl_potential_parts parts, pl_vec3 force, double factor,
                                       double *to) {
  for (int32_t i = 0; i < parts.count; ++i)
    pl_potential_add_at(to, parts.particles[i], force, factor * parts.weights[i]);
  for (int32_t i = 0; i < parts.turn_count; ++i)
    pl_potential_add_at(to, parts.turns[i], pl_vec3_cross(parts.levers[i], force), factor);
}

#endif
