#include "actor/behaviour_aim.h"

#include <math.h>

#include "math/quat.h"
#include "math/vec3.h"

// Pace of the body that weights are given for: 1 m high, on Earth. Goals are speeds; taken in paces they weigh the same against the cost of a strain for every size.
static const double usual_pace = 3.132;

static pl_vec3 at_most(pl_vec3 v, double length) {
  double size = pl_vec3_length(v);
  return size > length && size > 0 ? pl_vec3_scale(v, length / size) : v;
}

// Only what lies in the axes counts for the limits.
static pl_vec3 within(pl_vec3 v, uint32_t axes) {
  return pl_vec3_of((axes & PL_GOAL_X) != 0 ? v.x : 0, (axes & PL_GOAL_Y) != 0 ? v.y : 0, (axes & PL_GOAL_Z) != 0 ? v.z : 0);
}

static void add(const pl_motion_frame *frame, pl_goal goal, pl_vec3 place, pl_vec3 speed, const pl_aim *aim, pl_goals *goals) {
  double gain = aim->gain / frame->beat;
  pl_vec3 error = within(pl_vec3_sub(aim->target, place), aim->axes);
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

void pl_aim_part(const pl_actor_view *view, const pl_motion_frame *frame, int32_t part, const pl_aim *aim, pl_goals *goals) {
  const pl_part_view *it = &view->parts[part];
  add(frame, (pl_goal){.subject = PL_GOAL_PART, .part = part}, it->position, it->velocity, aim, goals);
}

void pl_aim_difference(const pl_actor_view *view, const pl_motion_frame *frame, int32_t part, int32_t other, const pl_aim *aim,
                       pl_goals *goals) {
  const pl_part_view *a = &view->parts[part], *b = &view->parts[other];
  add(frame, (pl_goal){.subject = PL_GOAL_DIFFERENCE, .part = part, .other = other}, pl_vec3_sub(a->position, b->position),
      pl_vec3_sub(a->velocity, b->velocity), aim, goals);
}

static int32_t farthest(const pl_actor_view *view, bool feet_too, int32_t part) {
  int32_t best = -1;
  double most = 0;
  for (int32_t i = 0; i < view->part_count; ++i) {
    if (view->parts[i].is_foot && !feet_too) continue;
    double distance = pl_vec3_distance(view->parts[i].rest, view->parts[part].rest);
    if (distance <= most) continue;
    most = distance;
    best = i;
  }
  return best;
}

void pl_aim_hold(const pl_actor_view *view, const pl_motion_frame *frame, const pl_hold *hold, pl_goals *goals) {
  enum { PAIRS_MOST = 8 };
  int32_t pair_count = 0;
  pl_aim aim = {.axes = frame->height_axis | frame->level_axes,
                .gain = hold->gain,
                .rate = hold->rate,
                .acceleration = hold->acceleration,
                .weight = hold->weight};
  for (int32_t i = 0; i < view->part_count && pair_count < PAIRS_MOST; ++i) {
    const pl_part_view *part = &view->parts[i];
    if (part->is_foot && !hold->level_too) continue;
    int32_t other = farthest(view, hold->level_too, i);
    if (other < 0) {
      if (pl_vec3_length(part->rest) < 0.05 * frame->height) continue;
      pl_vec3 arm = pl_quat_apply(hold->turn, part->rest);
      aim.target = pl_vec3_add(view->center, arm);
      aim.target_speed = pl_vec3_add(view->velocity, pl_vec3_cross(hold->spin, arm));
      pl_aim_part(view, frame, i, &aim, goals);
      pair_count++;
      continue;
    }
    // Of two that are each other's farthest, the first has added their difference.
    if (other < i && farthest(view, hold->level_too, other) == i) continue;
    aim.target = pl_quat_apply(hold->turn, pl_vec3_sub(part->rest, view->parts[other].rest));
    aim.target_speed = pl_vec3_cross(hold->spin, aim.target);
    pl_aim_difference(view, frame, i, other, &aim, goals);
    pair_count++;
  }
}
