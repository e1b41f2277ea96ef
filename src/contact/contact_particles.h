// Sums and changes over all particles of a body, four at a time: what the dampers of contact do
// most (contact_damping.c).
#ifndef PL_CONTACT_PARTICLES_H
#define PL_CONTACT_PARTICLES_H

#include "pliant/math.h"

typedef struct pl_particles {
  int32_t count;
  const pl_vec3 *positions;
  pl_vec3 *velocities;
  const double *inverse_masses;  // 1/kg; 0: held
} pl_particles;

// Sums over the particles that are not held, with x and v relative to those of the first particle.
typedef struct pl_particle_sums {
  double mass, energy;  // m, m v . v
  pl_vec3 x, v, spin;   // m x, m v, m x × v
  double moments[6];    // m xx, yy, zz, xy, yz, zx
  bool is_free;         // no particle is held
} pl_particle_sums;

// Velocities of a rigid motion: r(x) = velocity + spin × (x - center).
typedef struct pl_rigid_field {
  pl_vec3 center, velocity, spin;
} pl_rigid_field;

typedef struct pl_particle_kernels {
  void (*sum)(const pl_particles *p, pl_particle_sums *sums);
  // v <- r + kept (v - r) of all that are not held. Returns the largest |v - r|² of these before.
  double (*damp)(const pl_particles *p, const pl_rigid_field *field, double kept);
  // v <- v + r of those that are not held.
  void (*add)(const pl_particles *p, const pl_rigid_field *field);
  // Add `change`, unless it is NULL; then the largest |v - r|² of those that are not held, r being
  // that of `field`.
  double (*find_max)(const pl_particles *p, const pl_rigid_field *change,
                     const pl_rigid_field *field);
  // positions <- positions + step (velocities - was), of those whose velocities differ. Returns
  // whether any does.
  bool (*follow)(const pl_particles *p, const pl_vec3 *was, double step, pl_vec3 *positions);
} pl_particle_kernels;

extern const pl_particle_kernels pl_particle_kernels_plain, pl_particle_kernels_avx2;

// Those for this machine. Results are the same for all.
const pl_particle_kernels *pl_particle_kernels_get(void);

#endif
