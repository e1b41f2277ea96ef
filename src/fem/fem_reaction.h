// What colliders got from a finite-element body in its own step, in balance with its momentum.
//
// Springs of colliders say what each got (fem_contact.h), but not all of it: points on hard ground
// lose what the midpoint rule would mirror, solvers stop at a tolerance, and implicit Euler turns a
// body too slowly. What changes the momentum of a body that touches colliders, and is neither
// gravity nor a force from outside, they got:
//
//   sum = P_0 + h F - h α P - P_1
//
// and so for the moments around the world's origin, where forces from outside act at the start of a
// step that takes positions along with its last velocities, and at the mean of both ends in one of
// the midpoint rule.
#ifndef PL_FEM_FEM_REACTION_H
#define PL_FEM_FEM_REACTION_H

#include "fem/fem_work.h"

typedef struct pl_fem_reaction {
  bool is_wanted;             // not of a body with pins: what those push with is not all known
  pl_collider_impulse start;  // momentum
  pl_collider_impulse loads;  // of all but colliders, in the step
} pl_fem_reaction;

// At the start of a step, whose positions and velocities are in the state.
pl_fem_reaction pl_fem_reaction_begin(const pl_fem_model *model, pl_fem_state state,
                                      const pl_body_move *move);

// Of a coupled step, with the state as above: forces of contact with other bodies at the ends.
void pl_fem_reaction_add_forces(pl_fem_reaction *reaction, const pl_fem_model *model,
                                pl_fem_state state, const double *ends, double step,
                                const pl_body_coupled_result *result);

// At the end of the step, after pl_fem_contacts_report(): make the touches of the move add up.
// `is_midpoint`: its scheme was the midpoint rule.
void pl_fem_reaction_end(pl_fem_reaction *reaction, const pl_fem_work *work, pl_fem_state state,
                         const pl_body_move *move, bool is_midpoint);

#endif
