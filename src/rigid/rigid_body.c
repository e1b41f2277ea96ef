// Rigid bodies in a world: mass properties, placement and velocities, impulses.
#include "base/error.h"
#include "math/mat3.h"
#include "rigid/rigid_model.h"
#include "world/world_state.h"

pl_status pl_rigid_get_report(const pl_model *model, pl_rigid_report *report) {
  *report = (pl_rigid_report){0};
  if (model->method != &pl_rigid_method) return PL_ERROR_UNSUPPORTED;
  const pl_rigid_model *rigid = (const pl_rigid_model *)model;
  pl_mat3 r = pl_mat3_from_quat(rigid->principal);
  pl_mat3 moments = pl_mat3_diagonal(rigid->moments.x, rigid->moments.y, rigid->moments.z);
  report->mass = model->mass;
  report->center = rigid->center;
  report->inertia = pl_mat3_multiply(pl_mat3_multiply(r, moments), pl_mat3_transpose(r));
  return PL_OK;
}

static pl_status find(const pl_world *world, pl_body_id id, pl_body **body, pl_error *error) {
  *body = pl_world_find_body(world, id);
  if (*body == NULL) return pl_fail(error, PL_ERROR_NOT_FOUND, "there is no such body in this world");
  if ((*body)->model->method != &pl_rigid_method)
    return pl_fail(error, PL_ERROR_UNSUPPORTED, "the body is not rigid but of the method %s",
                   (*body)->model->method->name);
  return PL_OK;
}

pl_status pl_rigid_get_motion(const pl_world *world, pl_body_id id, pl_rigid_motion *motion) {
  pl_body *body;
  pl_status status = find(world, id, &body, NULL);
  if (status < 0) return status;
  const pl_rigid_model *model = (const pl_rigid_model *)body->model;
  const pl_rigid_state *s = body->state;
  *motion = (pl_rigid_motion){
      .placement = {pl_vec3_sub(s->center, pl_quat_rotate(s->rotation, model->center)), s->rotation},
      .velocity = s->velocity,
      .angular_velocity = s->angular_velocity,
  };
  return PL_OK;
}

pl_status pl_rigid_set_motion(pl_world *world, pl_body_id id, const pl_rigid_motion *motion, pl_error *error) {
  if (pl_world_check_open(world, "pl_rigid_set_motion", error) < 0) return PL_ERROR_INVALID_ARGUMENT;
  pl_body *body;
  pl_status status = find(world, id, &body, error);
  if (status < 0) return status;
  if (!pl_transform_is_valid(motion->placement) || !pl_vec3_is_finite(motion->velocity) ||
      !pl_vec3_is_finite(motion->angular_velocity))
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "the motion is not finite; placement and velocities must be");
  const pl_rigid_model *model = (const pl_rigid_model *)body->model;
  pl_world_wake_body(world, body);
  pl_rigid_state *s = body->state;
  s->rotation = pl_quat_normalize(motion->placement.rotation);
  s->center = pl_vec3_add(motion->placement.position, pl_quat_rotate(s->rotation, model->center));
  s->velocity = motion->velocity;
  s->angular_velocity = motion->angular_velocity;
  return PL_OK;
}

pl_status pl_rigid_add_impulse(pl_world *world, pl_body_id id, pl_vec3 impulse, pl_vec3 point, pl_error *error) {
  if (pl_world_check_open(world, "pl_rigid_add_impulse", error) < 0) return PL_ERROR_INVALID_ARGUMENT;
  pl_body *body;
  pl_status status = find(world, id, &body, error);
  if (status < 0) return status;
  if (!pl_vec3_is_finite(impulse) || !pl_vec3_is_finite(point))
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "the impulse or its point is not finite");
  const pl_rigid_model *model = (const pl_rigid_model *)body->model;
  pl_world_wake_body(world, body);
  pl_rigid_state *s = body->state;
  pl_vec3 torque = pl_vec3_cross(pl_vec3_sub(point, s->center), impulse);
  s->velocity = pl_vec3_add_scaled(s->velocity, impulse, 1 / body->model->mass);
  s->angular_velocity = pl_vec3_add(s->angular_velocity, pl_rigid_velocity_of(model, s->rotation, torque));
  return PL_OK;
}
