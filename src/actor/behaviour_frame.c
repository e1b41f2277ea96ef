#include "actor/behaviour_frame.h"

#include <math.h>

#include "pliant/math.h"

static const pl_vec3 built_front = {1, 0, 0};
static const double MIN_RATIO = 1e-3;    // height over width, of a body that is flat
static const double MIN_WIDTH = 1e-3;    // m
static const double MIN_GRAVITY = 1e-3;  // m/s²
// A part that is built this high, as a fraction of the height, does not touch the ground while the body is on its feet.
static const double HIGH_PART = 0.25;

pl_motion_frame pl_motion_frame_of(const pl_actor_view *view) {
  pl_motion_frame frame = {.up = pl_vec3_normalize_or(view->up, pl_vec3_of(0, 1, 0)), .step = view->step};
  // A flat body has no height and space no gravity: lengths and times must stay positive all the same.
  frame.height = fmax(view->height, MIN_RATIO * fmax(view->width, MIN_WIDTH));
  frame.gravity = fmax(view->gravity, MIN_GRAVITY);
  frame.beat = sqrt(frame.height / frame.gravity);
  frame.pace = sqrt(frame.height * frame.gravity);
  pl_vec3 heading = pl_vec3_add_scaled(view->command.heading, frame.up, -pl_vec3_dot(view->command.heading, frame.up));
  if (view->planar) heading.z = 0;
  pl_vec3 across = pl_vec3_add_scaled(built_front, frame.up, -pl_vec3_dot(built_front, frame.up));
  frame.forward = pl_vec3_normalize_or(heading, pl_vec3_normalize_or(across, pl_vec3_perpendicular(frame.up)));
  frame.side = pl_vec3_cross(frame.forward, frame.up);
  double x = fabs(frame.up.x), y = fabs(frame.up.y), z = fabs(frame.up.z);
  frame.height_axis = y >= x && y >= z ? PL_GOAL_Y : (x >= z ? PL_GOAL_X : PL_GOAL_Z);
  uint32_t free_axes = view->planar ? PL_GOAL_X | PL_GOAL_Y : PL_GOAL_XYZ;
  frame.level_axes = free_axes & ~frame.height_axis;
  return frame;
}

double pl_motion_speed(const pl_motion_frame *frame, const pl_actor_view *view, double limit) {
  return pl_motion_clamp(view->command.speed, 0, limit * frame->pace);
}

double pl_motion_lean(const pl_actor_view *view) {
  double cosine = pl_vec3_dot(pl_quat_rotate(view->turn, view->up), view->up);
  return acos(pl_motion_clamp(cosine, -1, 1));
}

double pl_motion_ground(const pl_actor_view *view, pl_vec3 position) {
  double height;
  pl_vec3 normal;
  if (view->ground != NULL && pl_ground_height(view->ground, position, 0.5 * view->height, &height, &normal))
    return height;
  if (view->touch_count > 0) return pl_vec3_dot(view->touch, view->up);
  double lowest = HUGE_VAL;
  for (int32_t i = 0; i < view->part_count; ++i)
    if (view->parts[i].is_foot) lowest = fmin(lowest, pl_vec3_dot(view->parts[i].lowest, view->up));
  return isfinite(lowest) ? lowest : pl_vec3_dot(view->center, view->up) - view->rest_height;
}

double pl_motion_sole(const pl_actor_view *view, const pl_motion_frame *frame, const pl_part_view *part) {
  return view->rest_height + pl_vec3_dot(part->rest, frame->up) - part->rest_lowest;
}

bool pl_motion_is_down(const pl_actor_view *view, const pl_motion_frame *frame) {
  bool down = pl_motion_lean(view) > PL_MOTION_FALLEN_LEAN;
  for (int32_t i = 0; i < view->part_count; ++i) {
    const pl_part_view *part = &view->parts[i];
    down = down || (!part->is_foot && part->touch_count > 0 && part->rest_lowest > HIGH_PART * frame->height);
  }
  return down;
}

pl_vec3 pl_motion_at_height(const pl_motion_frame *frame, pl_vec3 position, double height) {
  return pl_vec3_add_scaled(position, frame->up, height - pl_vec3_dot(position, frame->up));
}

pl_vec3 pl_motion_level(const pl_motion_frame *frame, pl_vec3 v) {
  return pl_vec3_add_scaled(v, frame->up, -pl_vec3_dot(v, frame->up));
}

double pl_motion_clamp(double value, double min, double max) {
  return value < min ? min : (value > max ? max : value);
}

double pl_motion_ease(double t) {
  t = pl_motion_clamp(t, 0, 1);
  return t * t * t * (10 + t * (6 * t - 15));
}

double pl_motion_ease_rate(double t) {
  t = pl_motion_clamp(t, 0, 1);
  return 30 * t * t * (1 - t) * (1 - t);
}

double pl_motion_arch(double t) {
  t = pl_motion_clamp(t, 0, 1);
  return 16 * t * t * (1 - t) * (1 - t);
}

double pl_motion_arch_rate(double t) {
  t = pl_motion_clamp(t, 0, 1);
  return 32 * t * (1 - t) * (1 - 2 * t);
}

pl_vec3 pl_motion_turn_toward(const pl_motion_frame *frame, pl_vec3 facing, pl_vec3 wanted, double angle) {
  pl_vec3 from = pl_vec3_normalize_or(pl_motion_level(frame, facing), frame->forward);
  pl_vec3 to = pl_vec3_normalize_or(pl_motion_level(frame, wanted), from);
  double whole = atan2(pl_vec3_dot(pl_vec3_cross(from, to), frame->up), pl_vec3_dot(from, to));
  return pl_quat_rotate(pl_quat_from_axis_angle(frame->up, pl_motion_clamp(whole, -angle, angle)), from);
}

pl_quat pl_motion_yaw(const pl_actor_view *view, const pl_motion_frame *frame, pl_vec3 facing) {
  if (view->planar) return pl_quat_identity();
  pl_vec3 from = pl_vec3_normalize_or(pl_motion_level(frame, built_front), frame->forward);
  pl_vec3 to = pl_vec3_normalize_or(pl_motion_level(frame, facing), from);
  double angle = atan2(pl_vec3_dot(pl_vec3_cross(from, to), frame->up), pl_vec3_dot(from, to));
  return pl_quat_from_axis_angle(frame->up, angle);
}

pl_vec3 pl_motion_normal(const pl_actor_view *view, const pl_motion_frame *frame) {
  pl_vec3 sum = {0, 0, 0};
  for (int32_t i = 0; i < view->part_count; ++i) {
    double height;
    pl_vec3 normal;
    if (!view->parts[i].is_foot || view->ground == NULL) continue;
    if (pl_ground_height(view->ground, view->parts[i].position, 0.5 * view->height, &height, &normal))
      sum = pl_vec3_add(sum, normal);
  }
  if (view->planar) sum.z = 0;
  pl_vec3 normal = pl_vec3_normalize_or(sum, frame->up), level = pl_motion_level(frame, normal);
  double along = pl_vec3_length(level), max = tan(PL_MOTION_MAX_SLOPE) * fmax(pl_vec3_dot(normal, frame->up), 0);
  if (!(along > PL_MOTION_TINY)) return frame->up;
  if (along <= max) return normal;
  return pl_vec3_normalize_or(pl_vec3_add_scaled(frame->up, level, tan(PL_MOTION_MAX_SLOPE) / along), frame->up);
}

pl_quat pl_motion_slope(const pl_actor_view *view, const pl_motion_frame *frame) {
  pl_vec3 normal = pl_motion_normal(view, frame), axis = pl_vec3_cross(frame->up, normal);
  double sine = pl_vec3_length(axis);
  if (!(sine > 0)) return pl_quat_identity();
  return pl_quat_from_axis_angle(pl_vec3_scale(axis, 1 / sine), atan2(sine, pl_vec3_dot(frame->up, normal)));
}

pl_vec3 pl_motion_support(const pl_actor_view *view, const pl_motion_frame *frame) {
  pl_vec3 touching = {0, 0, 0}, all = {0, 0, 0};
  int32_t touching_count = 0, foot_count = 0;
  for (int32_t i = 0; i < view->part_count; ++i) {
    const pl_part_view *part = &view->parts[i];
    if (!part->is_foot) continue;
    all = pl_vec3_add(all, part->position);
    foot_count++;
    if (part->touch_count == 0) continue;
    touching = pl_vec3_add(touching, part->position);
    touching_count++;
  }
  pl_vec3 position = view->center;
  if (touching_count > 0) {
    position = pl_vec3_scale(touching, 1.0 / touching_count);
  } else if (foot_count > 0) {
    position = pl_vec3_scale(all, 1.0 / foot_count);
  } else if (view->touch_count > 0) {
    // Touches may lie closer together at one end than at the other: along the way the middle of their extent counts.
    double along = pl_vec3_dot(pl_vec3_sub(view->touch, view->center), frame->forward);
    position = pl_vec3_add_scaled(view->touch, frame->forward, 0.5 * (view->min_touch + view->max_touch) - along);
  }
  return pl_motion_at_height(frame, position, pl_motion_ground(view, position));
}

pl_vec3 pl_motion_poise(const pl_actor_view *view, const pl_motion_frame *frame) {
  pl_vec3 sum = {0, 0, 0};
  int32_t foot_count = 0, touching_count = 0;
  for (int32_t i = 0; i < view->part_count; ++i) {
    if (!view->parts[i].is_foot) continue;
    sum = pl_vec3_add(sum, view->parts[i].rest);
    touching_count += view->parts[i].touch_count > 0;
    foot_count++;
  }
  if (foot_count == 0 || (touching_count > 0 && touching_count < foot_count)) return pl_vec3_of(0, 0, 0);
  pl_quat yaw = pl_motion_yaw(view, frame, pl_quat_rotate(view->turn, built_front));
  return pl_motion_level(frame, pl_quat_rotate(yaw, pl_vec3_scale(sum, -1.0 / foot_count)));
}

int32_t pl_motion_feet(const pl_actor_view *view, int32_t limit, int32_t *feet) {
  int32_t count = 0;
  for (int32_t i = 0; i < view->part_count && count < limit; ++i)
    if (view->parts[i].is_foot) feet[count++] = i;
  return count;
}
