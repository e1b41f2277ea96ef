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
// Several small bodies of one model are damped at a time, or two edges of one that share no
// particle, in single precision; linear and angular momentum stay as far as that goes. A body gets
// the same bits either way.
#ifndef PL_CONTACT_SHOCK_H
#define PL_CONTACT_SHOCK_H

#include "contact/contact.h"
#include "contact/surface_tree.h"
#include "math/f4.h"
#include "math/lanes.h"

enum { PL_SHOCK_PASSES = 4 };

// Bodies with at most this many particles, and blocks of links, are damped together.
enum { PL_SHOCK_SMALL = 128, PL_SHOCK_SMALL_BLOCKS = 32 };

// Particles of a body: one more than it has, which belongs to lanes that are not used.
typedef struct pl_shock_particles {
  pl_f4 *positions;   // metres from the first; the fourth number is the inverse mass, 1/kg
  pl_f4 *velocities;  // m/s relative to the first
} pl_shock_particles;

// Bodies with the same surface.
typedef struct pl_shock_group {
  const pl_surface_tree *tree;
  int32_t count;
  const pl_contact_body *bodies[LANES];
} pl_shock_group;

// Damp velocities of these bodies, with their particles at `starts`. `rate`: k h; `particles`: room
// for those of one of them.
void pl_contact_damp_shocks(const pl_shock_group *group, double rate,
                            const pl_shock_particles *particles);

// Reading particles, the passes over all links, and writing back (contact_shock_kernel.h).
typedef void pl_shock_kernel(const pl_contact_body *body, const pl_surface_tree *tree,
                             const pl_shock_particles *particles, float rate);
pl_shock_kernel pl_shock_run_plain, pl_shock_run_avx2;
// The same for all bodies of a group of small ones.
typedef void pl_shock_group_kernel(const pl_shock_group *group, float rate);
pl_shock_group_kernel pl_shock_run_group_plain, pl_shock_run_group_avx2;

#endif
