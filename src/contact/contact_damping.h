// What the dampers of contact share: contact_damping.c has those of single bodies, contact_rest.c
// those of pairs, contact_rest_soft.c those of pairs of two soft bodies.
#ifndef PL_CONTACT_DAMPING_H
#define PL_CONTACT_DAMPING_H

#include <math.h>

#include "contact/contact_solver.h"
#include "pliant/math.h"

// Near rest are bodies slower than some times this, m/s; what sways there is damped at this rate,
// 1/s.
#define PL_REST_SPEED 0.1
#define PL_REST_RATE 60.0
// Rate at which two bodies that part are damped, 1/s.
#define PL_REBOUND_RATE 100.0
// Friction above this fraction of its limit counts as sliding.
#define PL_STICKING 0.95

// Where the particles of a body are: those of the start before the sweeps, of the end after them.
static inline const pl_vec3 *pl_damping_positions(const pl_contact_damping *d, int32_t body) {
  return d->is_after ? d->bodies[body].positions : d->bodies[body].starts;
}

// A body as if it were rigid, with its particles at `positions`. False for one that has no inertia
// or cannot move.
bool pl_contact_find_whole(const pl_contact_body *body, const pl_vec3 *positions,
                           pl_contact_whole *whole);

// The point of an arm of particles.
static inline pl_vec3 pl_arm_point(const pl_contact_arm *arm, const pl_vec3 *positions) {
  pl_vec3 point = {0, 0, 0};
  for (int32_t i = 0; i < arm->count; ++i)
    point = pl_vec3_add_scaled(point, positions[arm->terms[i].particle], arm->terms[i].weight);
  return point;
}

// The fraction that is lost in a step at some rate: mostly that of the row before.
typedef struct pl_rest_loss {
  double rate, lost;
} pl_rest_loss;

static inline double pl_lost_at(pl_rest_loss *loss, double rate, double step) {
  if (loss->rate != rate) *loss = (pl_rest_loss){rate, 1 - exp(-rate * step)};
  return loss->lost;
}

// The same for a pair of two soft bodies (contact_rest_soft.c).
void pl_contact_rest_soft(const pl_contact_damping *damping, const pl_contact_pair *pair,
                          pl_rest_loss *loss);

#endif
