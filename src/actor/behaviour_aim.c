#include "actor/behaviour_aim.h"

#include <math.h>

#include "pliant/math.h"

// Pace of the body that weights are given for: 1 m high, on Earth. Goals are speeds; measured in paces they have the
// same weight against the cost of a strain for every size.
static const double usual_pace = 3.132;  // m/s, √(1 m · 9.81 m/s²)

static pl_vec3 at_most(pl_vec3 v, double length) {
  double size = pl_vec3_length(v);
  return size > length && size > 0 ? pl_vec3_scale(v, length / size) : v;
}

// Only what lies in the axes counts for the limits.
static pl_vec3 within(pl_vec3 v, uint32_t axes) {
  return pl_vec3_of((axes & PL_GOAL_X) != 0 ? v.x : 0, (axes & PL_GOAL_Y) != 0 ? v.y : 0,
                    (axes & PL_GOAL_Z) != 0 ? v.z : 0);
}

static void add(const pl_motion_frame *frame, pl_goal goal, pl_vec3 position, pl_vec3 speed, const pl_aim *aim,
                pl_goals *goals) {
  double gain = aim->gain / frame->beat;
  pl_vec3 error = within(pl_vec3_sub(aim->target, position), aim->axes);
  pl_vec3 wanted = pl_vec3_add(aim->target_speed, at_most(pl_vec3_scale(error, gain), aim->rate * frame->pace));
  pl_vec3 change = within(pl_vec3_sub(wanted, speed), aim->axes);
  wanted = pl_vec3_add(speed, at_most(change, aim->acceleration * frame->gravity * frame->step));
  goal.axes = aim->axes;
  goal.position = aim->target;
  goal.position_gain = gain;
  goal.velocity_gain = 1;
  // gain (q + step v - position) + v - velocity vanishes for v = wanted.
  goal.velocity = pl_vec3_add_scaled(pl_vec3_scale(wanted, 1 + gain * frame->step), error, -gain);
  goal.weight = aim->weight * usual_pace / (frame->pace * (1 + gain * frame->step));
  pl_goals_add(goals, &goal);
}

void pl_aim_center(const pl_actor_view *view, const pl_motion_frame *frame, const pl_aim *aim, pl_goals *goals) {
  add(frame, (pl_goal){.subject = PL_GOAL_CENTER}, view->center, view->velocity, aim, goals);
}

void pl_aim_part(const pl_actor_view *view, const pl_motion_frame *frame, int32_t part, const pl_aim *aim,
                 pl_goals *goals) {
  const pl_part_view *it = &view->parts[part];
  add(frame, (pl_goal){.subject = PL_GOAL_PART, .part = part}, it->position, it->velocity, aim, goals);
}

// The rotation vector of a turn by at most half a round.
static pl_vec3 rotation_vector(pl_quat q) {
  if (q.w < 0) q = pl_quat_scale(q, -1);
  pl_vec3 axis = pl_vec3_of(q.x, q.y, q.z);
  double sine = pl_vec3_length(axis);
  return sine > 1e-12 ? pl_vec3_scale(axis, 2 * atan2(sine, q.w) / sine) : pl_vec3_scale(axis, 2);
}

// Spins are weighted as the speed of a point half a body away from the centre of mass.
static double spin_weight(const pl_motion_frame *frame, double weight) {
  return weight * 0.5 * frame->height * usual_pace / frame->pace;
}

void pl_aim_hold(const pl_actor_view *view, const pl_motion_frame *frame, const pl_hold *hold, pl_goals *goals) {
  uint32_t axes = view->planar ? PL_GOAL_Z : PL_GOAL_XYZ;
  pl_vec3 error = within(rotation_vector(pl_quat_multiply(hold->turn, pl_quat_conjugate(view->turn))), axes);
  double beat = frame->beat;
  pl_vec3 wanted = pl_vec3_add(hold->spin, at_most(pl_vec3_scale(error, hold->gain / beat), hold->rate / beat));
  pl_vec3 change =
      at_most(within(pl_vec3_sub(wanted, view->spin), axes), hold->acceleration * frame->step / (beat * beat));
  pl_goal goal = {
      .subject = PL_GOAL_SPIN, .axes = axes, .velocity_gain = 1, .velocity = pl_vec3_add(view->spin, change)};
  goal.weight = spin_weight(frame, hold->weight);
  pl_goals_add(goals, &goal);
}

void pl_aim_part_still(const pl_actor_view *view, const pl_motion_frame *frame, int32_t part, const pl_aim *aim,
                       pl_goals *goals) {
  pl_vec3 spin = view->parts[part].spin;
  pl_vec3 change = at_most(within(pl_vec3_scale(spin, -1), aim->axes),
                           aim->acceleration * frame->step / (frame->beat * frame->beat));
  pl_goal goal = {.subject = PL_GOAL_PART_SPIN,
                  .part = part,
                  .axes = aim->axes,
                  .velocity_gain = 1,
                  .velocity = pl_vec3_add(spin, change),
                  .weight = spin_weight(frame, aim->weight)};
  pl_goals_add(goals, &goal);
}
