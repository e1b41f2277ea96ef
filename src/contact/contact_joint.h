// Joints and attachments as rows of the contact solver (pl_contact_joint of contact.h).
//
// Each row holds an error C at 0, with C' = J v. Bodies have moved to their predicted positions
// with velocities v*; the solver moves positions by h (v - v*). As SHAKE and RATTLE do, the first
// sweeps look for velocities that end on the constraint, with arms of the start of the step,
//
//   C_predicted + h J (v - v*) = 0
//
// and the second, after positions have moved, for velocities along it: J v = 0, with arms of the
// end. With these arms neither changes the angular momentum: the first kind of impulse acts where
// the bodies were, the second where they are. Springs of stiffness k and damping c are the same
// rows, softened: P = -h (k C + c J v) at the end of the step, which is stable for any k.
#ifndef PL_CONTACT_JOINT_H
#define PL_CONTACT_JOINT_H

#include "contact/contact_terms.h"

// --- joints between rigid bodies, or of one with the world

typedef enum pl_joint_rows_kind {
  PL_JOINT_ROWS_FIXED = 0,
  PL_JOINT_ROWS_BALL,
  PL_JOINT_ROWS_HINGE,
  PL_JOINT_ROWS_SLIDER
} pl_joint_rows_kind;

// Where a joint sits in a body: a point from its centre of mass and axes in its own frame; in the
// world for body -1. The joint's axis is z of these axes.
typedef struct pl_joint_frame {
  int32_t body;
  pl_vec3 point;
  pl_quat axes;
} pl_joint_frame;

// What a joint keeps from step to step. All doubles: no padding, so that it can be hashed.
typedef struct pl_joint_state {
  pl_vec3 impulse, angular_impulse;                 // N s and N m s on body a in the last step
  double motor_impulse, low_impulse, high_impulse;  // along the axis
  double position;                                  // angle or way along the axis, rad or m
  double broken;                                    // 1: it no longer acts
  double motor, motor_speed, motor_target;  // pl_joint_motor as a number; rad/s or m/s; rad or m
} pl_joint_state;

// How the point and the angular rows of a joint answer, solved as one: the arms, the inverse of the
// points' answer, the points' answer to torques, and the inverse of the angular answer when the
// points are held. Directions that are free have a zero inverse.
typedef struct pl_joint_block {
  pl_contact_arm a, b;
  pl_mat3 mass, cross, angular_mass;
} pl_joint_block;

// A joint and its workspace of one step.
typedef struct pl_joint_rows {
  pl_joint_rows_kind kind;
  pl_joint_frame a, b;
  bool is_limited;
  double low, high, max_torque;      // rad or m; N m or N
  double break_force, break_torque;  // 0: never
  pl_joint_state *state;
  // of this step
  pl_joint_block start, end;
  pl_vec3 axis;                    // unit, in the world
  pl_vec3 arrive, angular_arrive;  // velocities of C that end on the constraint
  double axis_mass, low_arrive, high_arrive, motor_arrive;
  bool is_relaxing;
  bool is_solved;  // its bodies were, together with what they touch: nothing is left for the sweeps
} pl_joint_rows;

// Before the solver, while velocities are those that bodies moved with.
void pl_joint_rows_prepare(pl_joint_rows *rows, const pl_contact_body *bodies, double step);

// What is still to be done about the rows where the bodies have moved to, after
// pl_joint_rows_prepare(): metres and radians, in the world and along the axis. Zero or less at
// `low`, zero or more at `high`, is beyond a limit.
typedef struct pl_joint_errors {
  pl_vec3 points[2];  // where the joint is in both bodies
  pl_vec3 point, turn;
  double motor, low, high;
} pl_joint_errors;
pl_joint_errors pl_joint_rows_get_errors(const pl_joint_rows *rows, const pl_contact_body *bodies,
                                         double step);
// Whether bodies turn or slide along the joint's axis.
bool pl_joint_rows_has_axis(const pl_joint_rows *rows);

// Impulses and turns of one joint.
typedef struct pl_joint_vector {
  pl_vec3 point, turn;
} pl_joint_vector;

// Workspace of pl_joint_rows_solve(), per joint.
typedef struct pl_joint_work {
  pl_joint_vector residual, direction, answer, scaled;
  pl_vec3 velocities[2], angular_velocities[2];  // of both bodies
} pl_joint_work;

// Solve all joints together, as if there were no contacts: the sweeps start from these impulses.
// Velocities are used, and are as before when it returns. `work` has an item per joint.
void pl_joint_rows_solve(pl_joint_rows *const *rows, int32_t count, pl_contact_body *bodies,
                         pl_joint_work *work);

// As pl_contact_joint wants them; `data` is a pl_joint_rows.
void pl_joint_rows_begin(void *data, pl_contact_body *bodies, const pl_contact_step *step);
void pl_joint_rows_sweep(void *data, pl_contact_body *bodies, const pl_contact_step *step,
                         bool corrects);
// After the solver: notes what it took, and breaks the joint when that was too much.
void pl_joint_rows_finish(pl_joint_rows *rows, const pl_contact_body *bodies, double step);

// --- attachments: points of one body tied to points of another, or to given positions

// What an attached point keeps from step to step. All doubles.
typedef struct pl_attached_state {
  pl_vec3 impulse;  // N s on body a in the last step
  double broken;    // 1: it no longer acts
} pl_attached_state;

typedef struct pl_attached_point {
  int32_t term_counts[2];
  pl_contact_term terms[2][PL_MAX_TERMS];  // of particles; none for a rigid body or the world
  pl_vec3 points[2];  // of a rigid body: from its centre, in its frame; of the world: in its frame
  double stiffness, damping, break_force;  // N/m, N s/m, N; stiffness 0: hard, break 0: never
  pl_attached_state *state;
  // of this step
  pl_contact_arm start[2], end[2];
  pl_mat3 start_mass, end_mass;
  pl_vec3 arrive, target_velocity;
  double softness;
} pl_attached_point;

typedef struct pl_attachment_rows {
  int32_t a, b;  // numbers of the bodies; b is -1 for given positions
  int32_t count;
  pl_attached_point *points;
  pl_transform start_frame, end_frame;  // of given positions at either end of the step
  bool is_relaxing;
  bool is_solved;  // as of joints
} pl_attachment_rows;

void pl_attachment_rows_prepare(pl_attachment_rows *rows, const pl_contact_body *bodies,
                                double step);
void pl_attachment_rows_begin(void *data, pl_contact_body *bodies, const pl_contact_step *step);
void pl_attachment_rows_sweep(void *data, pl_contact_body *bodies, const pl_contact_step *step,
                              bool corrects);
void pl_attachment_rows_finish(pl_attachment_rows *rows, double step);

#endif
