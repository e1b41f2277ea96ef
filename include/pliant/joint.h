/// @file joint.h
/// Joints: a rigid body joined to another or to the world, fixed, by a ball, a hinge or a slider,
/// with limits and motors. Joints are solved together with contacts.
#ifndef PLIANT_JOINT_H
#define PLIANT_JOINT_H

#include "pliant/base.h"
#include "pliant/math.h"
#include "pliant/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Handle of a joint; zero is null.
typedef struct pl_joint_id {
  uint32_t slot, generation;
} pl_joint_id;

/// What a joint leaves free.
typedef enum pl_joint_kind {
  PL_JOINT_FIXED = 0,  ///< nothing
  PL_JOINT_BALL,       ///< all rotations around its anchor
  PL_JOINT_HINGE,      ///< rotation around its axis
  PL_JOINT_SLIDER,     ///< motion along its axis
} pl_joint_kind;

/// What the motor of a hinge or slider does.
typedef enum pl_joint_motor {
  PL_JOINT_MOTOR_OFF = 0,  ///< nothing
  PL_JOINT_MOTOR_SPEED,    ///< keeps `motor_speed`
  PL_JOINT_MOTOR_TARGET,  ///< goes to `motor_target`, no faster than `motor_speed`, and stays there
} pl_joint_motor;

/// Input of pl_world_add_joint(). The placements of the bodies when it is added count as angle or
/// position 0. Angle and position are those of body a against body b, around or along the axis.
typedef struct pl_joint_def {
  // parameters of src/world/joint_parameters.c by `make generate`: begin
  /// What it leaves free: nothing, all rotations, rotation around the axis, or motion along the
  /// axis.
  pl_joint_kind kind;  ///< default PL_JOINT_FIXED
  /// Point of both bodies that it holds together, in the world.
  pl_vec3 anchor;  ///< m, default (0, 0, 0)
  /// Of a hinge or slider, any length, in the world.
  pl_vec3 axis;  ///< default (0, 0, 1)
  /// Whether angle or position stay between `lower` and `upper`.
  bool limited;  ///< default false
  /// Lower limit; of a hinge above -pi.
  double lower;  ///< rad or m, -1e9 … 1e9, default 0
  /// Upper limit; of a hinge below pi.
  double upper;  ///< rad or m, -1e9 … 1e9, default 0
  /// Whether it keeps a speed or goes to a target.
  pl_joint_motor motor;  ///< default PL_JOINT_MOTOR_OFF
  /// Speed of the motor; the largest on the way to a target.
  double motor_speed;  ///< rad/s or m/s, -1e9 … 1e9, default 0
  /// Angle or position that the motor goes to.
  double motor_target;  ///< rad or m, -1e9 … 1e9, default 0
  /// Largest torque of the motor of a hinge, or force of that of a slider.
  double max_torque;  ///< N m or N, 0 … 1e12, default 100
  /// Force at which it breaks; 0: never.
  double break_force;  ///< N, 0 … 1e12, default 0
  /// Torque at which it breaks; 0: never.
  double break_torque;  ///< N m, 0 … 1e12, default 0
  /// Whether the two bodies touch each other.
  bool collides;  ///< default false
  // parameters: end

  pl_body_id body_a;  ///< a rigid body
  pl_body_id body_b;  ///< a rigid body, or null for the world
  uint32_t magic;     ///< set by pl_default_joint_def()
} pl_joint_def;

/// Every parameter at its default: fixed at the world's origin; the bodies are to be filled in.
PL_API pl_joint_def pl_default_joint_def(void);

/// Add a joint. Fails with PL_ERROR_NOT_FOUND for a body that does not exist, PL_ERROR_UNSUPPORTED
/// for one that is not rigid (use an attachment), PL_ERROR_INVALID_ARGUMENT, naming the field, for
/// a def that is wrong, and when out of memory.
PL_API pl_status pl_world_add_joint(pl_world *world, const pl_joint_def *def, pl_joint_id *id,
                                    pl_error *error);

/// Remove a joint. Fails with PL_ERROR_NOT_FOUND for a stale handle.
PL_API pl_status pl_world_remove_joint(pl_world *world, pl_joint_id id, pl_error *error);

/// Number of joints, broken ones included. Enumerate them with pl_world_get_joint().
PL_API int32_t pl_world_joint_count(const pl_world *world);

/// Handle of joint `index` in the order of adding; null if out of range.
PL_API pl_joint_id pl_world_get_joint(const pl_world *world, int32_t index);

/// Set what the motor of a hinge or slider does from the next step on: `speed` in rad/s or m/s,
/// `target` in rad or m. It stays until it is set again. Fails with PL_ERROR_NOT_FOUND for a stale
/// handle, PL_ERROR_INVALID_ARGUMENT for a joint without an axis or numbers that are not finite.
PL_API pl_status pl_joint_set_motor(pl_world *world, pl_joint_id id, pl_joint_motor motor,
                                    double speed, double target, pl_error *error);

/// What a joint did in the last step.
typedef struct pl_joint_report {
  pl_vec3 force;        ///< of the joint on body a, newtons
  pl_vec3 torque;       ///< of the joint on body a, without that of motor and limits, N m
  double motor_torque;  ///< of motor and limits along the axis, N m or N
  double position;      ///< angle around (-pi … pi) or position along the axis, rad or m
  bool is_broken;       ///< it took more than its break force or torque, and no longer acts
} pl_joint_report;

/// State of a joint. All zero for a stale handle.
PL_API pl_joint_report pl_joint_get_report(const pl_world *world, pl_joint_id id);

#ifdef __cplusplus
}
#endif
#endif
