// Joints between rigid bodies: adding, removing, motors and reports. contact/contact_joint.c solves them.
#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "math/rotation.h"
#include "pliant/math.h"
#include "world/joint_parameters.h"
#include "world/world_joints.h"

pl_joint_def pl_default_joint_def(void) {
  pl_joint_def def = {0};
  pl_parameters_set_defaults(&pl_joint_def_parameters, &def);
  return def;
}

static pl_status find_rigid(const pl_world *world, pl_body_id id, const char *field, pl_contact_rigid *rigid,
                            pl_error *error) {
  const pl_body *body = pl_world_find_body(world, id);
  if (body == NULL) return pl_fail_field(error, PL_ERROR_NOT_FOUND, field, "there is no such body in this world");
  if (body->model->method->get_rigid == NULL)
    return pl_fail_field(error, PL_ERROR_UNSUPPORTED, field,
                         "joints are for rigid bodies and this one is of the method %s; tie its particles by an "
                         "attachment",
                         body->model->method->name);
  body->model->method->get_rigid(body->model, body->state, rigid);
  return PL_OK;
}

static pl_status check_def(const pl_joint_def *def, pl_error *error) {
  pl_status status = pl_parameters_check(&pl_joint_def_parameters, def, error);
  if (status < 0) return status;
  bool has_axis = def->kind == PL_JOINT_HINGE || def->kind == PL_JOINT_SLIDER;
  if (has_axis && !(pl_vec3_length(def->axis) > 1e-12))
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "axis", "the axis must not be zero");
  if (!has_axis && (def->motor != PL_JOINT_MOTOR_OFF || def->limited))
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, def->limited ? "limited" : "motor",
                         "only hinges and sliders have limits and motors");
  if (def->limited && !(def->lower <= def->upper))
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "lower", "%g is above the upper limit %g", def->lower,
                         def->upper);
  if (def->limited && def->kind == PL_JOINT_HINGE && !(def->lower > -PL_PI && def->upper < PL_PI))
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "lower", "limits of a hinge are between -pi and pi");
  if (pl_body_id_is(def->body_a, def->body_b))
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "body_b", "a body cannot be joined to itself");
  return PL_OK;
}

static pl_joint_frame frame_in(const pl_contact_rigid *rigid, pl_vec3 anchor, pl_quat axes) {
  if (rigid == NULL) return (pl_joint_frame){-1, anchor, axes};
  pl_quat back = pl_quat_conjugate(rigid->rotation);
  return (pl_joint_frame){-1, pl_quat_rotate(back, pl_vec3_sub(anchor, rigid->center)), pl_quat_multiply(back, axes)};
}

// Axes of which z is the joint's.
static pl_quat axes_of(pl_vec3 axis) {
  pl_vec3 z = pl_vec3_normalize_or(axis, (pl_vec3){0, 0, 1}), x = pl_vec3_perpendicular(z);
  return pl_rotation_of_mat3(pl_mat3_from_columns(x, pl_vec3_cross(z, x), z), pl_quat_identity());
}

pl_status pl_world_add_joint(pl_world *world, const pl_joint_def *def, pl_joint_id *id, pl_error *error) {
  if (id != NULL) *id = (pl_joint_id){0, 0};
  if (pl_world_check_open(world, "pl_world_add_joint", error) < 0) return PL_ERROR_INVALID_ARGUMENT;
  pl_contact_rigid a, b;
  bool to_world = def->body_b.slot == 0;
  pl_status status = check_def(def, error);
  if (status >= 0) status = find_rigid(world, def->body_a, "body_a", &a, error);
  if (status >= 0 && !to_world) status = find_rigid(world, def->body_b, "body_b", &b, error);
  if (status < 0) return status;
  pl_world_joint *joint = pl_allocate_array(world->context, 1, sizeof(pl_world_joint));
  if (joint == NULL) return pl_fail_memory(error);
  pl_quat axes = axes_of(def->axis);
  joint->def = *def;
  joint->rows = (pl_joint_rows){
      .kind = (pl_joint_rows_kind)def->kind,
      .a = frame_in(&a, def->anchor, axes),
      .b = frame_in(to_world ? NULL : &b, def->anchor, axes),
      .is_limited = def->limited,
      .low = def->lower,
      .high = def->upper,
      .max_torque = def->max_torque,
      .break_force = def->break_force,
      .break_torque = def->break_torque,
      .state = &joint->state,
  };
  joint->state =
      (pl_joint_state){.motor = def->motor, .motor_speed = def->motor_speed, .motor_target = def->motor_target};
  joint->saved = joint->state;
  pl_slot_id slot = pl_slots_add(&world->joints, joint);
  if (slot.slot == 0) {
    pl_release(world->context, joint);
    return pl_fail_memory(error);
  }
  world->prepared = false;
  pl_world_wake_coupled(world, def->body_a, def->body_b);
  if (id != NULL) *id = (pl_joint_id){slot.slot, slot.generation};
  return PL_OK;
}

static pl_world_joint *find_joint(const pl_world *world, pl_joint_id id) {
  return pl_slots_get(&world->joints, (pl_slot_id){id.slot, id.generation});
}

pl_status pl_world_remove_joint(pl_world *world, pl_joint_id id, pl_error *error) {
  if (pl_world_check_open(world, "pl_world_remove_joint", error) < 0) return PL_ERROR_INVALID_ARGUMENT;
  pl_world_joint *joint = pl_slots_remove(&world->joints, (pl_slot_id){id.slot, id.generation});
  if (joint == NULL) return pl_fail(error, PL_ERROR_NOT_FOUND, "there is no such joint in this world");
  pl_world_wake_coupled(world, joint->def.body_a, joint->def.body_b);
  pl_release(world->context, joint);
  world->prepared = false;
  return PL_OK;
}

int32_t pl_world_joint_count(const pl_world *world) {
  return pl_slots_count(&world->joints);
}

pl_joint_id pl_world_get_joint(const pl_world *world, int32_t index) {
  if (index < 0 || index >= pl_slots_count(&world->joints)) return (pl_joint_id){0, 0};
  pl_slot_id id = pl_slots_id_at(&world->joints, index);
  return (pl_joint_id){id.slot, id.generation};
}

pl_status pl_joint_set_motor(pl_world *world, pl_joint_id id, pl_joint_motor motor, double speed, double target,
                             pl_error *error) {
  if (pl_world_check_open(world, "pl_joint_set_motor", error) < 0) return PL_ERROR_INVALID_ARGUMENT;
  pl_world_joint *joint = find_joint(world, id);
  if (joint == NULL) return pl_fail(error, PL_ERROR_NOT_FOUND, "there is no such joint in this world");
  if (joint->def.kind != PL_JOINT_HINGE && joint->def.kind != PL_JOINT_SLIDER)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "only hinges and sliders have motors");
  if (motor < PL_JOINT_MOTOR_OFF || motor > PL_JOINT_MOTOR_TARGET)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "motor", "%d is not a kind of motor", (int)motor);
  if (!isfinite(speed) || !isfinite(target))
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "speed and target of a motor must be finite");
  pl_world_wake_coupled(world, joint->def.body_a, joint->def.body_b);
  joint->state.motor = motor;
  joint->state.motor_speed = speed;
  joint->state.motor_target = target;
  return PL_OK;
}

pl_joint_report pl_joint_get_report(const pl_world *world, pl_joint_id id) {
  const pl_world_joint *joint = find_joint(world, id);
  if (joint == NULL) return (pl_joint_report){0};
  const pl_joint_state *s = &joint->state;
  double rate = s->broken != 0 ? 0 : 1 / world->def.step;
  return (pl_joint_report){
      .force = pl_vec3_scale(s->impulse, rate),
      .torque = pl_vec3_scale(s->angular_impulse, rate),
      .motor_torque = (s->motor_impulse + s->low_impulse - s->high_impulse) * rate,
      .position = s->position,
      .is_broken = s->broken != 0,
  };
}
