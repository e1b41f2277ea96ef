// A fast corotated solid that something turns.
//
// With rotations that are those of the predicted positions y, elasticity resists the turning of the
// whole body like a stretch: what a contact turns would be held as if it were E h² / (density
// size²) times as heavy, and turn a step later, against the contacts. So a move d is split into the
// turning of the body, W d = ω × r with the angular momentum of d, and the remainder Q d, and
// elasticity acts on the remainder alone:
//
//   A = inertia + Qᵀ (stretch + volumes) Q        r = y - centre of mass
#ifndef PL_FEM_FEM_FAST_TURNING_H
#define PL_FEM_FEM_FAST_TURNING_H

#include "fem/fem_fast_solve.h"

// Of particles at `positions`, around `center`.
pl_mat3 pl_fem_fast_inertia(const pl_fem_fast_model *model, const pl_f4 *positions, pl_vec3 center);

// The centre and the inertia of the predicted positions.
void pl_fem_fast_find_turning(pl_fem_fast_solver *solver);

// product = A direction, with what pins and colliders add.
void pl_fem_fast_multiply_turning(pl_fem_fast_solver *solver);

// Add the turning that `forces` cause: what the factor of A without the split lacks as its
// preconditioner.
void pl_fem_fast_add_turn(const pl_fem_fast_solver *solver, const pl_f4 *forces, pl_f4 *moves);

#endif
