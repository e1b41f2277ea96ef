// Rod bodies in a world: kinematic joints, the camera, the skeleton, morph targets.
#include <math.h>

#include "base/error.h"
#include "pliant/math.h"
#include "pliant/rod.h"
#include "world/world_state.h"

static pl_status find(const pl_world *world, pl_body_id id, pl_body **body, pl_error *error) {
  *body = pl_world_find_body(world, id);
  return *body != NULL ? PL_OK : pl_fail(error, PL_ERROR_NOT_FOUND, "there is no such body in this world");
}

pl_status pl_rod_set_joint_target(pl_world *world, pl_body_id id, int32_t joint, pl_transform target, double seconds,
                                  pl_error *error) {
  if (pl_world_check_open(world, "pl_rod_set_joint_target", error) < 0) return PL_ERROR_INVALID_ARGUMENT;
  pl_body *body;
  pl_status status = find(world, id, &body, error);
  if (status < 0) return status;
  if (!pl_transform_is_valid(target) || !isfinite(seconds) || seconds < 0)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT,
                   "the target of joint %d is not finite; position, rotation and time must be", joint);
  const pl_body_method *method = body->model->method;
  target.rotation = pl_quat_normalize(target.rotation);
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
  pl_world_note_surface(world, body);
  return PL_OK;
}

pl_status pl_rod_get_morph_weights(const pl_world *world, pl_body_id id, double *weights) {
  pl_body *body;
  pl_status status = find(world, id, &body, NULL);
  if (status < 0) return status;
  if (body->model->method->get_morph_weights == NULL) return PL_ERROR_UNSUPPORTED;
  body->model->method->get_morph_weights(body->model, body->state, weights);
  return PL_OK;
}
