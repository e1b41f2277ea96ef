// Attached points as terms of an incremental potential, next to contacts (contact_potential.h) and
// joints (joint_potential.h).
//
//   C = sum w_i z_i + fixed        where the sides are, relative to each other; of a rigid side
//                                  p = z_c + r + z_τ × r / L, as of pl_potential_rigid
//   hard     f = λ + k (C - goal)                          energy |f|² / 2k
//   spring   f = s C + d / h (C - start)                   energy ½ s |C|² + ½ d / h |C - start|²
//
// λ is the force of the last step, as in contact_potential.h.
#ifndef PL_CONTACT_TIE_POTENTIAL_H
#define PL_CONTACT_TIE_POTENTIAL_H

#include "contact/contact_terms.h"

typedef struct pl_tie_potential {
  int32_t count;
  int32_t particles[2 * PL_MAX_TERMS];
  double weights[2 * PL_MAX_TERMS];  // negative on side b
  int32_t turn_count;
  int32_t turns[2];
  pl_vec3 levers[2];  // r / L, negative on side b
  pl_vec3 fixed;
  pl_vec3 goal;          // of a hard one: C to end with; zero unless it was put down far apart
  pl_vec3 start;         // of a spring: C when the step began
  double spring, drag;   // N/m: s and d / h; both 0: hard
  double stiffness;      // N/m: k, or s + d / h
  pl_vec3 multiplier;    // N
  pl_vec3 apart, force;  // of the last evaluation: C, f
} pl_tie_potential;

static inline bool pl_tie_potential_is_hard(const pl_tie_potential *tie) {
  return !(tie->spring > 0 || tie->drag > 0);
}

// k as `factor` times what the stiffer side answers with; springs keep their own.
void pl_tie_potential_set_stiffness(pl_tie_potential *tie, const double *blocks, double factor);

// C at z.
pl_vec3 pl_tie_potential_apart(const pl_tie_potential *tie, const double *z);
double pl_tie_potential_evaluate(pl_tie_potential *tie, const double *z);
void pl_tie_potential_add_gradient(const pl_tie_potential *tie, double *gradient);
void pl_tie_potential_add_product(const pl_tie_potential *tie, const double *d, double *product);
void pl_tie_potential_add_blocks(const pl_tie_potential *tie, double *blocks);

#endif
