// What the dampers of contact share: contact_damping.c has those of single bodies, contact_rest.c
// those of pairs.
#ifndef PL_CONTACT_DAMPING_H
#define PL_CONTACT_DAMPING_H

#include "contact/contact_solver.h"
#include "pliant/math.h"

// Near rest are bodies slower than some times this, m/s; what sways there is damped at this rate,
// 1/s.
#define PL_REST_SPEED 0.1
#define PL_REST_RATE 60.0

// Where the particles of a body are: those of the start before the sweeps, of the end after them.
static inline const pl_vec3 *pl_damping_positions(const pl_contact_damping *d, int32_t body) {
  return d->is_after ? d->bodies[body].positions : d->bodies[body].starts;
}

// The point of an arm of particles.
static inline pl_vec3 pl_arm_point(const pl_contact_arm *arm, const pl_vec3 *positions) {
  pl_vec3 point = {0, 0, 0};
  for (int32_t i = 0; i < arm->count; ++i)
    point = pl_vec3_add_scaled(point, positions[arm->terms[i].particle], arm->terms[i].weight);
  return point;
}

// Damp some pairs as wholes: near rest before the sweeps; after them what parts, with the angular
// momentum that impulses brought in taken back (contact_rest.c). A pl_pair_visit.
void pl_contact_rest_pairs(void *damping, const pl_contact_pair *pairs, int32_t count);

#endif
