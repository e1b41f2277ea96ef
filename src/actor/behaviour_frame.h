// Units of all behaviours: directions of the motion, and units that grow with the body.
//
// A body of any size is to move by the same numbers. Two bodies of the same shape move alike when
// lengths are fractions of the height l, times are counted in beats √(l/g) and speeds in paces √(l
// g) (a speed in paces squared is Froude's number; Alexander 1984). Settings of behaviours are such
// numbers.
#ifndef PL_BEHAVIOUR_FRAME_H
#define PL_BEHAVIOUR_FRAME_H

#include "pliant/actor.h"

// Lean beyond which a body is down, rad: 60 degrees.
#define PL_MOTION_FALLEN_LEAN 1.05

// Fraction of a height or pace that stands for zero in a divisor: far below what any body moves by.
#define PL_MOTION_TINY 1e-6

// Steepest ground that a body is held along, rad.
#define PL_MOTION_MAX_SLOPE 0.35

// Rate at which hops turn to a new heading, rad/beat. Walking has a setting for it.
#define PL_MOTION_TURN_RATE 0.5

typedef struct pl_motion_frame {
  pl_vec3 up, forward, side;  // of length 1; side = forward x up, nothing moves along it in a plane
  uint32_t height_axis;       // the coordinate nearest to up
  uint32_t level_axes;        // the others that it can move in
  double step;                // s
  double height;              // m
  double gravity;             // m/s²
  double beat;                // s
  double pace;                // m/s
} pl_motion_frame;

pl_motion_frame pl_motion_frame_of(const pl_actor_view *view);

// Wanted speed in m/s: that of the command, at most `limit` paces.
double pl_motion_speed(const pl_motion_frame *frame, const pl_actor_view *view, double limit);

// Angle between the body's own up and up, rad.
double pl_motion_lean(const pl_actor_view *view);

// Height of the ground along up below a position; where nothing is known of it, that of the lowest
// touch, foot or rest.
double pl_motion_ground(const pl_actor_view *view, pl_vec3 position);

// Height of the middle of a part above its lowest point, in the shape as built.
double pl_motion_sole(const pl_actor_view *view, const pl_motion_frame *frame,
                      const pl_part_view *part);

// Whether it leans too far, or touches with something that is neither a foot nor near one.
bool pl_motion_is_down(const pl_actor_view *view, const pl_motion_frame *frame);

// The position with its height along up replaced.
pl_vec3 pl_motion_at_height(const pl_motion_frame *frame, pl_vec3 position, double height);

// Part of a vector along the ground.
pl_vec3 pl_motion_level(const pl_motion_frame *frame, pl_vec3 v);

// From 0 at t = 0 to 1 at t = 1, at rest and without acceleration at both; and its derivative.
double pl_motion_ease(double t);
double pl_motion_ease_rate(double t);

// From 0 up to 1 in the middle and back to 0, at rest at both ends; and its derivative.
double pl_motion_arch(double t);
double pl_motion_arch_rate(double t);

double pl_motion_clamp(double value, double min, double max);

// Turn a direction on the ground toward another by at most `angle`; in a plane it stays.
pl_vec3 pl_motion_turn_toward(const pl_motion_frame *frame, pl_vec3 facing, pl_vec3 wanted,
                              double angle);

// Rotation about up that takes the direction the body was built facing (x) to `facing`; none in a
// plane.
pl_quat pl_motion_yaw(const pl_actor_view *view, const pl_motion_frame *frame, pl_vec3 facing);

// Normal of the ground below the feet, their mean; up without feet or ground. At most
// PL_MOTION_MAX_SLOPE from up.
pl_vec3 pl_motion_normal(const pl_actor_view *view, const pl_motion_frame *frame);

// Rotation of up to that normal. Bodies stand with their soles flat on the ground: upright ones
// would touch a slope with their toes alone, which push them back down, or with their heels.
pl_quat pl_motion_slope(const pl_actor_view *view, const pl_motion_frame *frame);

// Where the body stands: the middle of the feet that touch, of all feet if none does, of the
// touches without feet, else the point below the centre of mass.
pl_vec3 pl_motion_support(const pl_actor_view *view, const pl_motion_frame *frame);

// How far the centre of mass of the shape as built is from the middle of its feet, along the
// ground: where it stands without effort. 0 while some feet touch and others do not, and without
// feet.
pl_vec3 pl_motion_poise(const pl_actor_view *view, const pl_motion_frame *frame);

// Indices of the feet among the parts, at most `limit`; how many there are.
int32_t pl_motion_feet(const pl_actor_view *view, int32_t limit, int32_t *feet);

#endif
