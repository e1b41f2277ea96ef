// Bodies moved at once: teleported as a rigid piece, or put back to their start.
#include <string.h>

#include "base/error.h"
#include "pliant/math.h"
#include "world/world_state.h"

static pl_status find(const pl_world *world, pl_body_id id, pl_body **body, pl_error *error) {
  *body = pl_world_find_body(world, id);
  return *body != NULL ? PL_OK : pl_fail(error, PL_ERROR_NOT_FOUND, "there is no such body in this world");
}

// The arrays of the contact phase are free between steps.
static void teleport_particles(pl_body *body, pl_transform motion) {
  const pl_model *model = body->model;
  model->method->get_positions(model, body->state, body->positions);
  model->method->get_velocities(model, body->state, body->velocities);
  for (int32_t i = 0; i < model->particle_count; ++i) {
    body->positions[i] = pl_transform_apply(motion, body->positions[i]);
    body->velocities[i] = pl_quat_rotate(motion.rotation, body->velocities[i]);
  }
  model->method->set_state(model, body->state, body->positions, body->velocities);
}

pl_status pl_body_teleport(pl_world *world, pl_body_id id, pl_transform motion, pl_error *error) {
  if (pl_world_check_open(world, "pl_body_teleport", error) < 0) return PL_ERROR_INVALID_ARGUMENT;
  pl_body *body;
  pl_status status = find(world, id, &body, error);
  if (status < 0) return status;
  if (!pl_transform_is_valid(motion))
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "the motion is not finite; give a finite position and rotation");
  motion.rotation = pl_quat_normalize(motion.rotation);
  pl_world_wake_body(world, body);
  if (body->model->method->teleport != NULL)
    body->model->method->teleport(body->model, body->state, motion);
  else
    teleport_particles(body, motion);
  pl_world_note_jump(world, body);
  return PL_OK;
}

pl_status pl_body_reset(pl_world *world, pl_body_id id, pl_error *error) {
  if (pl_world_check_open(world, "pl_body_reset", error) < 0) return PL_ERROR_INVALID_ARGUMENT;
  pl_body *body;
  pl_status status = find(world, id, &body, error);
  if (status < 0) return status;
  pl_world_wake_body(world, body);
  body->model->method->start(body->model, body->state, &body->start);
  pl_world_note_jump(world, body);
  memset(body->impulses, 0,
         (size_t)body->model->surface.point_count * PL_IMPULSES_PER_POINT * sizeof(pl_contact_impulse));
  body->has_impulses = false;
  body->impulse_mask = 0;
  body->has_forces = body->only_rods_push = false;
  memset(body->forces, 0, (size_t)body->model->particle_count * sizeof(pl_f4));
  return PL_OK;
}
