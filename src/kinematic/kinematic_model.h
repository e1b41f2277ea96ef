// Model and state of a kinematic mesh.
#ifndef PL_KINEMATIC_MODEL_H
#define PL_KINEMATIC_MODEL_H

#include "body/body_method.h"
#include "pliant/kinematic.h"

typedef struct pl_kinematic_model {
  pl_model head;
  const pl_vec3 *rest;       // particles in the mesh's frame
  const int32_t *triangles;  // 3 particles each
} pl_kinematic_model;

// Flat: the head, then three arrays of particle_count vectors.
typedef struct pl_kinematic_state {
  double remaining;    // seconds until the targets are reached
  int64_t is_waiting;  // for targets to be reached
} pl_kinematic_state;

// Positions, velocities (m/s) and targets of a state.
static inline pl_vec3 *pl_kinematic_positions(pl_kinematic_state *state) {
  return (pl_vec3 *)(state + 1);
}
static inline pl_vec3 *pl_kinematic_velocities(const pl_model *model, pl_kinematic_state *state) {
  return (pl_vec3 *)(state + 1) + model->particle_count;
}
static inline pl_vec3 *pl_kinematic_targets(const pl_model *model, pl_kinematic_state *state) {
  return (pl_vec3 *)(state + 1) + 2 * (ptrdiff_t)model->particle_count;
}

extern const pl_body_method pl_kinematic_method;

#endif
