// Quadratic viscosity along the edges of a surface, as explicit codes use it for impacts (von
// Neumann and Richtmyer 1950).
//
// With u the velocity along an edge of length l, the two particles lose the fraction
//
//   min(k |u| h / l, 1 / n)
//
// of u, n being the largest number of edges at a particle; edges for which 1 / n is too little lose
// it PL_SHOCK_PASSES times in turn. So all edges of a particle together never take more than its
// own motion relative to its neighbours. More would turn it around: a row of particles that is
// stretched to a zigzag would be driven apart by the damping of what pulls it together.
//
// Eight edges that share no particle are damped at a time, in single precision; linear and angular
// momentum stay as far as that goes.
#ifndef PL_CONTACT_SHOCK_H
#define PL_CONTACT_SHOCK_H

#include "contact/contact.h"
#include "contact/surface_tree.h"
#include "math/f4.h"

enum { PL_SHOCK_PASSES = 4 };

// Particles of a body: one more than it has, which belongs to lanes that are not used.
typedef struct pl_shock_particles {
  pl_f4 *positions;   // metres from the first; the fourth number is the inverse mass, 1/kg
  pl_f4 *velocities;  // m/s relative to the first
} pl_shock_particles;

// Damp velocities of a body, with its particles at `starts`. `rate`: k h.
void pl_contact_damp_shocks(const pl_contact_body *body, const pl_surface_tree *tree, double rate,
                            const pl_shock_particles *particles);

// Reading particles, the passes over all blocks of links, and writing back
// (contact_shock_kernel.h).
typedef void pl_shock_kernel(const pl_contact_body *body, const pl_surface_tree *tree,
                             const pl_shock_particles *particles, float rate);
pl_shock_kernel pl_shock_run_plain, pl_shock_run_avx2;

#endif
