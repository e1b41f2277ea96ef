// Goals that ask for no more than a body can do in a step.
//
// A goal of eq. 8 that is far from being met asks for the whole way at once; the optimisation then
// tears at the body. An aim lets the wanted velocity follow the error, v = target_speed + gain
// (target - position), but no faster than the acceleration limit allows from the velocity now.
#ifndef PL_BEHAVIOUR_AIM_H
#define PL_BEHAVIOUR_AIM_H

#include "actor/behaviour_frame.h"

// `rate` and `acceleration` only bound how hard a goal pulls while it is far from met, so
// behaviours have them as constants and not as settings: small for what carries the body, larger
// for what is in the air.
typedef struct pl_aim {
  uint32_t axes;
  pl_vec3 target;        // m
  pl_vec3 target_speed;  // m/s
  double gain;           // 1/beat: how fast an error of the position is corrected
  double rate;           // paces: maximum of that correction
  double acceleration;   // gravities: maximum change of velocity
  double weight;         // importance, for a body a metre high on Earth
} pl_aim;

void pl_aim_center(const pl_actor_view *view, const pl_motion_frame *frame, const pl_aim *aim,
                   pl_goals *goals);
void pl_aim_part(const pl_actor_view *view, const pl_motion_frame *frame, int32_t part,
                 const pl_aim *aim, pl_goals *goals);

// How the body is to be turned as a whole.
typedef struct pl_hold {
  pl_quat turn;         // wanted rotation of the shape as built
  pl_vec3 spin;         // rad/s, at which that turns
  double gain;          // 1/beat
  double rate;          // rad/beat: maximum of the correction
  double acceleration;  // rad/beat²
  double weight;
} pl_hold;

// A goal of the angular momentum. Goals on a few points here and there can be met by pulling at
// them alone; this one cannot.
void pl_aim_hold(const pl_actor_view *view, const pl_motion_frame *frame, const pl_hold *hold,
                 pl_goals *goals);

// The points of a part stop turning about the axes; `acceleration` in rad/beat².
void pl_aim_part_still(const pl_actor_view *view, const pl_motion_frame *frame, int32_t part,
                       const pl_aim *aim, pl_goals *goals);

#endif
