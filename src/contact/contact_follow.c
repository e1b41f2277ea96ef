// Positions follow velocities: after the first half of the sweeps, as if these had been so all step.
#include "contact/contact_particles.h"
#include "contact/contact_solver.h"

static bool differs(pl_vec3 a, pl_vec3 b) {
  return a.x != b.x || a.y != b.y || a.z != b.z;
}

static bool differs_rigid(const pl_contact_rigid *rigid, const pl_contact_rigid *was) {
  return differs(rigid->velocity, was->velocity) || differs(rigid->angular_velocity, was->angular_velocity);
}

static void follow_rigid(pl_contact_rigid *rigid, const pl_contact_rigid *was, double step) {
  pl_vec3 change = pl_vec3_sub(rigid->velocity, was->velocity);
  pl_vec3 turn = pl_vec3_sub(rigid->angular_velocity, was->angular_velocity);
  rigid->center = pl_vec3_add_scaled(rigid->center, change, step);
  rigid->rotation = pl_contact_turn(rigid->rotation, pl_vec3_scale(turn, step));
}

void pl_contact_follow(const pl_contact_memory *memory, pl_contact_body *bodies, double step, int32_t k) {
  pl_contact_body *body = &bodies[k];
  if (body->rigid != NULL) {
    body->moved = differs_rigid(body->rigid, &memory->move_rigids[k]);
    follow_rigid(body->rigid, &memory->move_rigids[k], step);
    return;
  }
  const pl_vec3 *was = &memory->move_velocities[memory->particle_start[k]];
  pl_particles particles = {body->surface->particle_count, body->positions, body->velocities, body->inverse_masses};
  if (pl_particle_kernels_get()->follow(&particles, was, step, body->positions)) body->moved = true;
}

void pl_contact_note_moved(const pl_contact_memory *memory, pl_contact_body *bodies, int32_t k) {
  pl_contact_body *body = &bodies[k];
  if (body->rigid != NULL) {
    body->moved = body->moved || differs_rigid(body->rigid, &memory->move_rigids[k]);
    return;
  }
  const pl_vec3 *was = &memory->move_velocities[memory->particle_start[k]];
  for (int32_t i = 0; i < body->surface->particle_count && !body->moved; ++i)
    body->moved = differs(body->velocities[i], was[i]);
}
