// Bodies moved by their joints, seen by a camera, and teleported.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "math/quat.h"
#include "world/world_state.h"

static pl_status find(const pl_world *world, pl_body_id id, pl_body **body, pl_error *error) {
  *body = pl_world_find_body(world, id);
  return *body != NULL ? PL_OK : pl_fail(error, PL_ERROR_NOT_FOUND, "there is no such body in this world");
}

pl_status pl_rod_set_joint_target(pl_world *world, pl_body_id id, int32_t joint, pl_transform target, double seconds, pl_error *error) {
  if (pl_world_check_open(world, "pl_rod_set_joint_target", error) < 0) return PL_ERROR_INVALID_ARGUMENT;
  pl_body *body;
  pl_status status = find(world, id, &body, error);
  if (status < 0) return status;
  if (!pl_transform_is_valid(target) || !isfinite(seconds) || seconds < 0)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT,
                   "joint %d cannot be moved there: position, rotation and time must be finite", joint);
  const pl_body_method *method = body->model->method;
  target.rotation = pl_quat_unit(target.rotation);
  if (method->set_target == NULL || !method->set_target(body->model, body->state, joint, target, seconds))
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "joint", "%d is not a kinematic joint of this body", joint);
  return PL_OK;
}

pl_status pl_rod_set_camera(pl_world *world, pl_body_id id, pl_vec3 eye, pl_error *error) {
  if (pl_world_check_open(world, "pl_rod_set_camera", error) < 0) return PL_ERROR_INVALID_ARGUMENT;
  pl_body *body;
  pl_status status = find(world, id, &body, error);
  if (status < 0) return status;
  if (!pl_vec3_is_finite(eye))
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "eye", "the camera's position must be finite");
  if (body->model->method->set_camera != NULL) body->model->method->set_camera(body->model, body->state, eye);
  return PL_OK;
}

pl_status pl_rod_get_joints(const pl_world *world, pl_body_id id, pl_transform *joints) {
  pl_body *body;
  pl_status status = find(world, id, &body, NULL);
  if (status < 0) return status;
  if (body->model->method->get_joints == NULL) return PL_ERROR_UNSUPPORTED;
  body->model->method->get_joints(body->model, body->state, joints);
  return PL_OK;
}

pl_status pl_rod_set_morph_weights(pl_world *world, pl_body_id id, const double *weights, pl_error *error) {
  if (pl_world_check_open(world, "pl_rod_set_morph_weights", error) < 0) return PL_ERROR_INVALID_ARGUMENT;
  pl_body *body;
  pl_status status = find(world, id, &body, error);
  if (status < 0) return status;
  if (body->model->method->set_morph_weights == NULL)
    return pl_fail(error, PL_ERROR_UNSUPPORTED, "this body has no morph targets");
  body->model->method->set_morph_weights(body->model, body->state, weights);
  return PL_OK;
}

// The arrays of the contact phase are free between steps.
static void carry_particles(pl_body *body, pl_transform motion) {
  const pl_model *model = body->model;
  model->method->get_positions(model, body->state, body->positions);
  model->method->get_velocities(model, body->state, body->velocities);
  for (int32_t i = 0; i < model->particle_count; ++i) {
    body->positions[i] = pl_transform_apply(motion, body->positions[i]);
    body->velocities[i] = pl_quat_apply(motion.rotation, body->velocities[i]);
  }
  model->method->set_state(model, body->state, body->positions, body->velocities);
}

pl_status pl_body_teleport(pl_world *world, pl_body_id id, pl_transform motion, pl_error *error) {
  if (pl_world_check_open(world, "pl_body_teleport", error) < 0) return PL_ERROR_INVALID_ARGUMENT;
  pl_body *body;
  pl_status status = find(world, id, &body, error);
  if (status < 0) return status;
  if (!pl_transform_is_valid(motion))
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "a body can only be carried by a finite motion");
  motion.rotation = pl_quat_unit(motion.rotation);
  if (body->model->method->teleport != NULL)
    body->model->method->teleport(body->model, body->state, motion);
  else
    carry_particles(body, motion);
  return PL_OK;
}

pl_status pl_body_reset(pl_world *world, pl_body_id id, pl_error *error) {
  if (pl_world_check_open(world, "pl_body_reset", error) < 0) return PL_ERROR_INVALID_ARGUMENT;
  pl_body *body;
  pl_status status = find(world, id, &body, error);
  if (status < 0) return status;
  body->model->method->start(body->model, body->state, &body->start);
  body->has_forces = false;
  memset(body->forces, 0, (size_t)body->model->particle_count * sizeof(pl_f4));
  return PL_OK;
}
