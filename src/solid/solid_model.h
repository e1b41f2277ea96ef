// The immutable part of a shape-matching solid and the layout of its state (paper 000, §3).
//
// Region r is centred at particle r and made of the particles around it. Both passes of a step are sums over the incidence of regions and
// particles, stored once from each side:
//   regions:   which particles make up region r, each with (w q, w): share w of the region's effective mass, rest offset q from its centre
//   particles: which regions particle i belongs to, each with (q, 1 / number of regions of i)
#ifndef PL_SOLID_MODEL_H
#define PL_SOLID_MODEL_H

#include "body/body_method.h"

// Rotations are extracted eight regions at a time.
#define PL_SOLID_GROUP 8

typedef struct pl_solid_model {
  pl_model head;
  double frequency_squared;     // stiffness / stiffness_step², 1/s²: alpha = frequency_squared * step²
  double damping;               // 1/s
  const int32_t *region_start;  // particle_count + 1
  const int32_t *region_particles;
  const pl_f4 *region_moments;    // (w q, w)
  const int32_t *particle_start;  // particle_count + 1
  const int32_t *particle_regions;
  const pl_f4 *particle_offsets;  // (q, 1 / count)
  const pl_f4 *rest;              // rest positions relative to the centre of mass
  pl_vec3 rest_center;            // centre of mass of the rest shape in the mesh frame
  double origin_grid;             // metres; see solid_state
} pl_solid_model;

// Views into a body's flat state. Positions are single precision relative to `origin`, which follows the body in steps of the model's
// origin_grid: precision does not depend on where in the world the body is.
typedef struct pl_solid_state {
  double *origin;     // 3, in a block of 64 bytes
  pl_f4 *positions;   // metres
  pl_f4 *velocities;  // m/s
  float *rotations;   // where the last step's rotation search ended: [4][8] per group of eight regions
} pl_solid_state;

size_t pl_solid_state_size(const pl_model *model);
pl_solid_state pl_solid_state_of(const pl_model *model, const void *state);

// One step (solid_step.c).
pl_status pl_solid_move(const pl_model *model, void *state, const pl_body_move *move, pl_error *error);

// Reading and writing (solid_surface.c).
void pl_solid_start(const pl_model *model, void *state, const pl_body_start *start);
void pl_solid_read_positions(const pl_model *model, const void *state, pl_vec3 *positions);
void pl_solid_read_velocities(const pl_model *model, const void *state, pl_vec3 *velocities);
void pl_solid_read_surface(const pl_model *model, const void *state, pl_vec3 *points);
void pl_solid_write(const pl_model *model, void *state, const pl_vec3 *positions, const pl_vec3 *velocities);
pl_vec3 pl_solid_read_particle(const pl_model *model, const void *state, int32_t particle, pl_vec3 *velocity);
void pl_solid_write_particle(const pl_model *model, void *state, int32_t particle, pl_vec3 position, pl_vec3 velocity);
int32_t pl_solid_find_not_finite(const pl_model *model, const void *state);

#endif
