// Roll: the centre of mass goes along the heading at the wanted speed while the body turns about the axis across it as a wheel of its height would.
//
// A body that touches the ground below its centre of mass cannot push itself along without being turned the wrong way; it has to bring its centre of mass in front of
// where it touches, and its weight does the rest. The goal on the centre of mass asks for that where the contact lags; the spin goals carry the shape round.
#include <math.h>

#include "actor/behaviour_list.h"
#include "actor/behaviour_stand.h"
#include "math/quat.h"
#include "math/vec3.h"

enum { SPEED_LIMIT, ACCELERATION, LEAD, HEIGHT_WEIGHT, SPIN_WEIGHT, WEIGHT, SETTING_COUNT };

static const pl_behaviour_setting settings_of_roll[SETTING_COUNT] = {
    [SPEED_LIMIT] = {"speed_limit", "paces", 0.7, 0, 3, "Most speed; a pace is √(height · gravity)."},
    [ACCELERATION] = {"acceleration", "g", 0.15, 0.001, 5, "Most acceleration that is asked for."},
    [LEAD] =
        {"lead", "share", 0.06, 0, 0.5,
         "How far the centre of mass is to be ahead of the middle of the touches while it speeds up, as a share of the height."},
    [HEIGHT_WEIGHT] = {"height_weight", "", 0.3, 0, 1000, "Importance of the height of the centre of mass."},
    [SPIN_WEIGHT] = {"spin_weight", "", 0.3, 0, 1000, "Importance of turning as a wheel."},
    [WEIGHT] = {"weight", "", 1, 0, 1000, "Importance of the speed of the centre of mass."},
};

typedef struct roll_state {
  double speed;  // m/s, what is asked for now: it follows the command no faster than the acceleration allows
} roll_state;

// Where the centre of mass is to be relative to the touches, as a velocity that is added to the wanted one.
static double lead_speed(const double *settings, const pl_actor_view *view, const pl_motion_frame *frame, double wanted) {
  if (view->touch_count == 0) return 0;
  double error = pl_motion_clamp((wanted - pl_vec3_dot(view->velocity, frame->forward)) / (0.1 * frame->pace), -1, 1);
  double ahead = -0.5 * (view->touch_least + view->touch_most);
  return (settings[LEAD] * frame->height * error - ahead * fabs(error)) / frame->beat;
}

// The body turns as a wheel of its height would: about the axis across the way, the top going forward.
static void spin(const double *settings, const pl_actor_view *view, const pl_motion_frame *frame, double speed, pl_goals *goals) {
  double radius = fmax(view->rest_height, 0.05 * frame->height);
  pl_hold hold = {.turn = view->turn,
                  .spin = pl_vec3_scale(frame->side, -speed / radius),
                  .acceleration = 2 * settings[ACCELERATION],
                  .weight = settings[SPIN_WEIGHT]};
  pl_aim_hold(view, frame, &hold, goals);
}

static void roll_choose(const double *settings, void *memory, const pl_actor_view *view, pl_goals *goals) {
  roll_state *state = memory;
  pl_motion_frame frame = pl_motion_frame_of(view);
  double change = settings[ACCELERATION] * frame.gravity * frame.step;
  double wanted = pl_motion_speed(&frame, view, settings[SPEED_LIMIT]);
  state->speed += pl_motion_clamp(wanted - state->speed, -change, change);
  // Far behind what was asked for it starts again from the speed it has.
  double now = pl_vec3_dot(view->velocity, frame.forward);
  state->speed = pl_motion_clamp(state->speed, fmin(now - 0.2 * frame.pace, wanted), fmax(now + 0.2 * frame.pace, 0));
  double lead = pl_motion_clamp(lead_speed(settings, view, &frame, state->speed), -0.1 * frame.pace, 0.1 * frame.pace);
  pl_aim aim = {.target = view->center,
                .target_speed = pl_vec3_scale(frame.forward, state->speed + lead),
                .acceleration = 2 * settings[ACCELERATION],
                .weight = settings[WEIGHT]};
  aim.axes = frame.level_axes;
  pl_aim_center(view, &frame, &aim, goals);
  if (view->touch_count > 0) {
    pl_vec3 support = pl_motion_support(view, &frame);
    aim.target = pl_motion_at_height(&frame, view->center, pl_vec3_dot(support, frame.up) + view->rest_height);
    aim.target_speed = pl_vec3_of(0, 0, 0);
    aim.axes = frame.height_axis;
    aim.gain = 1;
    aim.rate = 0.2;
    aim.acceleration = 0.3;
    aim.weight = settings[HEIGHT_WEIGHT];
    pl_aim_center(view, &frame, &aim, goals);
  }
  spin(settings, view, &frame, now, goals);
}

const pl_behaviour pl_behaviour_roll = {.name = "roll",
                                        .about = "Rolls along: its centre of mass stays ahead of where it touches.",
                                        .settings = settings_of_roll,
                                        .setting_count = SETTING_COUNT,
                                        .state_size = sizeof(roll_state),
                                        .choose = roll_choose};
