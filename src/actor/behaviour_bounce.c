// Bounce: hop after hop without a stop between them, as a ball or a kangaroo does (after Raibert 1986).
//
//   stand -> crouch -> stance -> fly -> stance -> fly …
//
// On the ground the centre of mass goes down and up again on a cubic curve that begins with the place and speed at
// which it came and ends, a stance later, at the height of the shape as built with the speed of take-off; along the
// ground it continues at the wanted speed. In the air it follows its parabola whatever the body does. The feet are
// brought as far ahead as the centre of mass will go in half the stance, farther if it is too fast: so what the ground
// does in the first half of the stance is undone in the second, and the weight stays above the feet. Many low hops ask
// for little at a time: that is what makes it safe.
#include <math.h>

#include "actor/behaviour_list.h"
#include "actor/behaviour_stand.h"
#include "pliant/math.h"

enum {
  HEIGHT,
  STANCE_TIME,
  MAX_SPEED,
  RELEASE,
  STRIDE,
  PLACEMENT,
  POISE,
  ACCELERATION,
  LEAN,
  LANDING,
  CATCH,
  PLANT,
  DESCENT,
  TWIST,
  FEEDBACK,
  GAIN,
  FOOT_GAIN,
  WEIGHT,
  LEVEL_WEIGHT,
  FOOT_WEIGHT,
  HOLD_WEIGHT,
  SETTING_COUNT
};

static const pl_behaviour_setting settings_of_bounce[SETTING_COUNT] = {
    [HEIGHT] = {"height", "fraction", 0.08, 0.002, 1,
                "How far the centre of mass rises in the air, as a fraction of the body's height."},
    [STANCE_TIME] = {"stance_time", "beats", 0.8, 0.2, 10,
                     "Time on the ground between hops; a beat is √(height / gravity)."},
    [MAX_SPEED] = {"max_speed", "paces", 0.5, 0, 2, "Maximum speed; a pace is √(height · gravity)."},
    [RELEASE] = {"release", "fraction", 1, 0.7, 1.3,
                 "Height of the centre of mass at take-off, as a fraction of that in the shape as built."},
    [STRIDE] =
        {"stride", "", 0.5, 0, 2,
         "How far ahead the feet land, as a fraction of the way in a stance: 0.5 neither speeds up nor slows down."},
    [PLACEMENT] = {"placement", "beats", 0.2, 0, 3,
                   "How much farther ahead the feet land: the way in this time at the speed that is too much."},
    [POISE] = {"poise", "1/beat", 0.5, 0, 20, "How fast it corrects where the centre of mass is over the feet."},
    [ACCELERATION] = {"acceleration", "g", 0.8, 0.01, 10, "Maximum acceleration along the ground."},
    [LEAN] = {"lean", "", 0, 0, 2,
              "How far it turns with the line from the feet to the centre of mass: 0 stays upright."},
    [LANDING] =
        {"landing", "fraction", 1, 0, 1,
         "Fraction of a stance after which it turns so that it lands level, as it keeps its spin in the air; 1: "
         "not at all."},
    [CATCH] = {"catch", "", 0, 0, 2,
               "How much farther ahead the feet land for the pitch it will land with: 1 below the tilted body."},
    [PLANT] = {"plant", "fraction", 0.7, 0, 2,
               "Fraction of a stance until which feet that lose the ground are brought back to it; later they are left "
               "to push off."},
    [DESCENT] =
        {"descent", "fraction", 0, 0, 2,
         "Speed at which feet that do not touch come down in a stance, as a fraction of the body's own; 0: they "
         "slow down before the ground and may hover above it."},
    [TWIST] = {"twist", "rad", 0, -6.3, 6.3, "How far it turns about the vertical in the air, in each hop."},
    [FEEDBACK] = {"feedback", "", 0.3, 0, 1, "Fraction of the error of a hop that the next one corrects."},
    [GAIN] = {"gain", "1/beat", 2, 0.01, 20, "How fast errors of the centre of mass and of the upright are corrected."},
    [FOOT_GAIN] = {"foot_gain", "1/beat", 4, 0.01, 50, "How fast errors of the feet in the air are corrected."},
    [WEIGHT] = {"weight", "", 1, 0, 1000, "Importance of the height of the centre of mass."},
    [LEVEL_WEIGHT] = {"level_weight", "", 1, 0, 1000, "Importance of its speed along the ground."},
    [FOOT_WEIGHT] = {"foot_weight", "", 0.5, 0, 1000, "Importance of the feet."},
    [HOLD_WEIGHT] = {"hold_weight", "", 1, 0, 1000, "Importance of being upright."},
};

typedef enum bounce_phase { BOUNCE_STAND = 0, BOUNCE_CROUCH, BOUNCE_STANCE, BOUNCE_FLY } bounce_phase;

typedef struct bounce_state {
  int32_t phase;
  int32_t hops, tumbles;
  int32_t begun, fallen, airborne;
  double clock;           // s in this phase
  double span;            // s that the stance is to take
  double start_height;    // m, of the centre of mass above the ground, where the phase began
  double start_rise;      // m/s, upward
  double rise_trim;       // m/s
  double speed_trim;      // m/s
  double twist_trim;      // rad/s
  double start_yawing;    // rad/s about the vertical, where the phase began
  double cycle_clock;     // s since the last take-off
  pl_vec3 last_position;  // of the centre of mass at the last take-off
  pl_vec3 facing;
} bounce_state;

// What follows from settings and command for the hops under way.
typedef struct bounce_plan {
  double rise;    // m/s upward at take-off
  double flight;  // s
  double stance;  // s
  double speed;   // m/s along the ground
  double top;     // m: height of the centre of mass at take-off
  double ground;  // m
  double height;  // m: of the centre of mass above the ground now
  double yawing;  // rad/s about the vertical at take-off
} bounce_plan;

static bounce_plan plan_bounce(const double *settings, const bounce_state *state, const pl_actor_view *view,
                               const pl_motion_frame *frame) {
  bounce_plan plan;
  plan.rise = sqrt(2 * frame->gravity * settings[HEIGHT] * frame->height);
  plan.flight = 2 * plan.rise / frame->gravity;
  plan.stance = settings[STANCE_TIME] * frame->beat;
  plan.speed = pl_motion_speed(frame, view, settings[MAX_SPEED]);
  if (plan.speed > 0) plan.speed = fmax(plan.speed + state->speed_trim, 0);
  plan.top = settings[RELEASE] * view->rest_height;
  plan.ground = pl_motion_ground(view, view->center);
  plan.height = pl_vec3_dot(view->center, frame->up) - plan.ground;
  plan.yawing = settings[TWIST] / plan.flight;
  return plan;
}

// Cubic curve from (from, from_rate) at t = 0 to (to, to_rate) at t = span: its value and rate at t; beyond the end it
// continues straight.
static double curve(double from, double from_rate, double to, double to_rate, double span, double t, double *rate) {
  if (t >= span) {
    *rate = to_rate;
    return to + (t - span) * to_rate;
  }
  double a = 3 * (to - from) / (span * span) - (2 * from_rate + to_rate) / span;
  double b = -2 * (to - from) / (span * span * span) + (from_rate + to_rate) / (span * span);
  *rate = from_rate + t * (2 * a + t * 3 * b);
  return from + t * (from_rate + t * (a + t * b));
}

static void enter(bounce_state *state, bounce_phase phase, double height, double rise, double span) {
  state->phase = (int32_t)phase;
  state->clock = 0;
  state->start_height = height;
  state->start_rise = rise;
  state->span = span;
}

// Thresholds of the phases, and bounds of the corrections from hop to hop. The bounds keep a body that
// cannot do what is asked from being driven ever harder.
// rad: a fallen body that leans less is up again; well below PL_MOTION_FALLEN_LEAN
static const double UPRIGHT_LEAN = 0.6;
static const double CROUCH_STANCES = 1.5;  // duration of the first crouch, in stances: it starts from rest
static const double MIN_TAKE_OFF = 0.2, FULL_TAKE_OFF = 0.95;  // fractions of the rising speed: flying off early, done
static const double LATE_STANCES = 1.5;  // a stance that lasts longer than this has not got off the ground
static const double MAX_RISE_LESS = 0.3, MAX_RISE_MORE = 0.5;  // correction of the rising speed, as fractions of it
static const double MAX_SPEED_TRIM = 0.5;                      // correction of the forward speed, as a fraction of it
static const double MAX_TWIST_TRIM = 0.5;                      // the same of its turning about the vertical
static const double MAX_POISE_SPEED = 0.3;                     // paces, of the centre of mass back over the feet
static const double MAX_PITCHING = 1;                          // rad/beat, at take-off
static const double TWIST_ACCELERATION = 8;                    // rad/beat² for each rad of twist
static const double MIN_ARM = 0.3;         // heights: a body pressed flat must not lean without bound
static const double MAX_PLACEMENT = 0.25;  // heights: how far ahead or back feet are set in flight

// Middle of all feet less where it is in the shape as built: the point on the ground that the centre of mass is above
// when the body stands as built.
static pl_vec3 base_of(const pl_actor_view *view, const pl_motion_frame *frame, pl_quat yaw) {
  pl_vec3 position = {0, 0, 0}, built = {0, 0, 0};
  int32_t foot_count = 0;
  for (int32_t i = 0; i < view->part_count; ++i) {
    if (!view->parts[i].is_foot) continue;
    position = pl_vec3_add(position, view->parts[i].position);
    built = pl_vec3_add(built, view->parts[i].rest);
    foot_count++;
  }
  if (foot_count == 0) return pl_motion_support(view, frame);
  pl_vec3 poise = pl_motion_level(frame, pl_quat_rotate(yaw, pl_vec3_scale(built, 1.0 / foot_count)));
  return pl_vec3_sub(pl_vec3_scale(position, 1.0 / foot_count), poise);
}

// Forward pitch of the body, rad.
static double pitch_of(const pl_actor_view *view, const pl_motion_frame *frame) {
  pl_vec3 own = pl_quat_rotate(view->turn, frame->up);
  return atan2(pl_vec3_dot(own, frame->forward), pl_vec3_dot(own, frame->up));
}

// Hop by hop: the speed of take-off against the wanted one, and the mean speed.
static void correct(const double *settings, bounce_state *state, const pl_actor_view *view,
                    const pl_motion_frame *frame, const bounce_plan *plan) {
  double lack = plan->rise - pl_vec3_dot(view->velocity, frame->up);
  state->rise_trim = pl_motion_clamp(state->rise_trim + settings[FEEDBACK] * lack, -MAX_RISE_LESS * plan->rise,
                                     MAX_RISE_MORE * plan->rise);
  if (state->hops > 0 && state->cycle_clock > 0) {
    double wanted = pl_motion_speed(frame, view, settings[MAX_SPEED]);
    double went = pl_vec3_dot(pl_vec3_sub(view->center, state->last_position), frame->forward) / state->cycle_clock;
    state->speed_trim = pl_motion_clamp(state->speed_trim + settings[FEEDBACK] * (wanted - went),
                                        -MAX_SPEED_TRIM * wanted, MAX_SPEED_TRIM * wanted);
  }
  state->twist_trim += pl_motion_clamp(settings[FEEDBACK] * (plan->yawing - pl_vec3_dot(view->spin, frame->up)),
                                       -MAX_TWIST_TRIM * fabs(plan->yawing) - state->twist_trim,
                                       MAX_TWIST_TRIM * fabs(plan->yawing) - state->twist_trim);
  state->last_position = view->center;
  state->cycle_clock = 0;
}

static void count_falls(bounce_state *state, const pl_actor_view *view, const pl_motion_frame *frame) {
  bool down = pl_motion_is_down(view, frame);
  if (down && state->fallen == 0) {
    state->fallen = 1;
    state->tumbles++;
  }
  if (!down && view->touch_count > 0 && pl_motion_lean(view) < UPRIGHT_LEAN) state->fallen = 0;
}

// With a twist it faces where it has landed, and turns on from there.
static void land(const double *settings, bounce_state *state, const pl_actor_view *view, const pl_motion_frame *frame) {
  state->start_yawing = pl_vec3_dot(view->spin, frame->up);
  if (settings[TWIST] != 0) state->facing = pl_quat_rotate(view->turn, pl_vec3_of(1, 0, 0));
}

static void next_phase(const double *settings, bounce_state *state, const pl_actor_view *view,
                       const pl_motion_frame *frame, const bounce_plan *plan) {
  double rising = pl_vec3_dot(view->velocity, frame->up);
  bool touches = view->touch_count > 0;
  switch ((bounce_phase)state->phase) {
    case BOUNCE_STAND:
      if (view->command.speed > 0 && touches && state->clock >= 0.5 * frame->beat) {
        enter(state, BOUNCE_CROUCH, plan->height, 0, CROUCH_STANCES * plan->stance);
      }
      break;
    case BOUNCE_CROUCH:
      if (state->clock < state->span) break;
      land(settings, state, view, frame);
      enter(state, BOUNCE_STANCE, plan->height, rising, 0.5 * plan->stance);
      break;
    case BOUNCE_STANCE:
      // As tall as it was built the feet are about to leave the ground one way or the other, and what they push last
      // only turns it.
      if (rising > MIN_TAKE_OFF * plan->rise &&
          (!touches || rising >= FULL_TAKE_OFF * plan->rise || plan->height > plan->top)) {
        correct(settings, state, view, frame, plan);
        state->airborne = 0;
        enter(state, BOUNCE_FLY, plan->height, rising, plan->flight);
      } else if (state->clock > LATE_STANCES * state->span + 0.5 * frame->beat) {
        // It did not get off the ground: once more from here, or enough of it.
        if (view->command.speed > 0) {
          enter(state, BOUNCE_STANCE, plan->height, rising, plan->stance);
        } else {
          enter(state, BOUNCE_STAND, plan->height, rising, 0);
        }
      }
      break;
    case BOUNCE_FLY:
      state->airborne += !touches;
      if (touches && rising < 0.1 * plan->rise && (state->airborne > 0 || state->clock > 0.5 * plan->flight)) {
        if (state->airborne > 0 && pl_motion_lean(view) < UPRIGHT_LEAN && !pl_motion_is_down(view, frame))
          state->hops++;
        land(settings, state, view, frame);
        if (view->command.speed > 0) {
          enter(state, BOUNCE_STANCE, plan->height, rising, plan->stance);
        } else {
          enter(state, BOUNCE_STAND, plan->height, rising, 0);
        }
      }
      break;
  }
  count_falls(state, view, frame);
}

// How the body is to be turned: pitched forward, and about the vertical against where it faces, rad; and how fast,
// rad/s.
typedef struct bounce_turn {
  double pitch, pitching, yaw, yawing;
} bounce_turn;

static void hold_body(const double *settings, const pl_actor_view *view, const pl_motion_frame *frame, pl_quat yaw,
                      const bounce_turn *turn, pl_goals *goals) {
  pl_quat back = pl_quat_from_axis_angle(frame->side, -turn->pitch);
  pl_quat about = pl_quat_multiply(pl_quat_from_axis_angle(frame->up, turn->yaw), pl_motion_slope(view, frame));
  // A twist turns round in a stance; without one it stays as calm as ever.
  double twist = fabs(settings[TWIST]);
  pl_hold hold = {.turn = pl_quat_multiply(about, pl_quat_multiply(back, yaw)),
                  .gain = settings[GAIN],
                  .rate = 1,
                  .acceleration = 4 + TWIST_ACCELERATION * twist,
                  .weight = settings[HOLD_WEIGHT]};
  hold.spin = pl_vec3_add_scaled(pl_vec3_scale(frame->side, -turn->pitching), frame->up, turn->yawing);
  pl_aim_hold(view, frame, &hold, goals);
}

// Along the way it leans with the line from its feet; at the end of a stance it turns so that it lands level, since
// nothing changes its spin in the air. About the vertical it swings back and forth on a cubic curve, from the spin it
// came with to that of the twist.
static bounce_turn turn_in_stance(const double *settings, const bounce_state *state, const pl_actor_view *view,
                                  const pl_motion_frame *frame, const bounce_plan *plan, double ahead) {
  double arm = fmax(plan->height, MIN_ARM * frame->height), lean = settings[LEAN];
  double speed = state->phase == BOUNCE_STANCE ? plan->speed : 0;
  bounce_turn turn = {.pitch = lean * atan2(ahead, arm), .pitching = lean * speed / arm};
  if (state->phase != BOUNCE_STANCE) return turn;
  if (settings[TWIST] != 0)
    turn.yaw =
        curve(0, state->start_yawing, 0, plan->yawing + state->twist_trim, state->span, state->clock, &turn.yawing);
  if (settings[LANDING] < 1 && state->clock > settings[LANDING] * state->span) {
    double landing = -lean * atan2(settings[STRIDE] * speed * plan->stance, arm), now = pitch_of(view, frame);
    double left = plan->flight + fmax(state->span - state->clock, 0);
    turn.pitch = now;
    turn.pitching = pl_motion_clamp((landing - now) / left, -MAX_PITCHING / frame->beat, MAX_PITCHING / frame->beat);
  }
  return turn;
}

// On the ground: the centre of mass along its curve and on at the wanted speed; feet that lift come down again.
static void stance(const double *settings, const bounce_state *state, const pl_actor_view *view,
                   const pl_motion_frame *frame, const bounce_plan *plan, double height, double rate, double speed,
                   pl_goals *goals) {
  pl_quat yaw = pl_motion_yaw(view, frame, state->facing);
  // Twice what the curve needs when all goes well.
  double max = fmax(4 * plan->rise / (plan->stance * frame->gravity), 0.5);
  pl_aim aim = {.gain = settings[GAIN], .rate = 0.5, .acceleration = max, .weight = settings[WEIGHT]};
  aim.target = pl_motion_at_height(frame, view->center, plan->ground + height);
  aim.target_speed = pl_vec3_scale(frame->up, rate);
  aim.axes = frame->height_axis;
  pl_aim_center(view, frame, &aim, goals);
  double ahead = pl_vec3_dot(pl_vec3_sub(view->center, base_of(view, frame, yaw)), frame->forward);
  double due = speed * (state->clock - 0.5 * plan->stance);
  if (state->span < plan->stance) due += 0.5 * speed * plan->stance;
  double wanted = speed + pl_motion_clamp(settings[POISE] / frame->beat * (due - ahead), -MAX_POISE_SPEED * frame->pace,
                                          MAX_POISE_SPEED * frame->pace);
  pl_aim level = {.target = view->center,
                  .target_speed = pl_vec3_scale(frame->forward, wanted),
                  .acceleration = settings[ACCELERATION]};
  level.axes = frame->level_axes;
  level.weight = settings[LEVEL_WEIGHT];
  pl_aim_center(view, frame, &level, goals);
  bounce_turn turn = turn_in_stance(settings, state, view, frame, plan, ahead);
  hold_body(settings, view, frame, yaw, &turn, goals);
  if (state->phase == BOUNCE_STANCE && state->clock > settings[PLANT] * state->span) return;
  double falling = pl_vec3_dot(view->velocity, frame->up);
  for (int32_t i = 0; i < view->part_count; ++i) {
    const pl_part_view *part = &view->parts[i];
    if (!part->is_foot || part->touch_count > 0) continue;
    pl_aim lower = {.axes = frame->height_axis,
                    .gain = settings[FOOT_GAIN],
                    .rate = 0.5,
                    .acceleration = 2,
                    .weight = settings[FOOT_WEIGHT]};
    lower.target = pl_motion_at_height(frame, part->position,
                                       pl_motion_ground(view, part->position) + pl_motion_sole(view, frame, part));
    lower.target_speed = pl_vec3_scale(frame->up, settings[DESCENT] * fmin(falling, 0));
    pl_aim_part(view, frame, i, &lower, goals);
  }
}

// In the air: the feet to where they shall land, seen from the centre of mass, and level.
static void fly(const double *settings, const bounce_state *state, const pl_actor_view *view,
                const pl_motion_frame *frame, const bounce_plan *plan, pl_goals *goals) {
  bool twists = settings[TWIST] != 0;
  pl_vec3 facing = twists ? pl_quat_rotate(view->turn, pl_vec3_of(1, 0, 0)) : state->facing;
  pl_quat yaw = pl_motion_yaw(view, frame, facing);
  pl_vec3 normal = pl_motion_normal(view, frame);
  pl_vec3 falling = pl_vec3_add_scaled(view->velocity, frame->up, -frame->gravity * frame->step);
  double speed = pl_vec3_dot(view->velocity, frame->forward);
  double ahead = settings[STRIDE] * speed * plan->stance + settings[PLACEMENT] * frame->beat * (speed - plan->speed);
  double left = fmax(plan->flight - state->clock, 0);
  double pitch = pitch_of(view, frame) - left * pl_vec3_dot(view->spin, frame->side);
  ahead += settings[CATCH] * pitch * view->rest_height;
  ahead = pl_motion_clamp(ahead, -MAX_PLACEMENT * frame->height, MAX_PLACEMENT * frame->height);
  pl_vec3 about = pl_vec3_scale(frame->up, pl_vec3_dot(view->spin, frame->up));
  // A goal that is met whatever it does: the rest shape is then free to go back to the one as built.
  pl_aim ballistic = {.axes = frame->level_axes | frame->height_axis,
                      .target = view->center,
                      .target_speed = falling,
                      .acceleration = 10,
                      .weight = settings[WEIGHT]};
  pl_aim_center(view, frame, &ballistic, goals);
  for (int32_t i = 0; i < view->part_count; ++i) {
    const pl_part_view *part = &view->parts[i];
    if (!part->is_foot) continue;
    pl_vec3 arm = pl_vec3_add_scaled(pl_quat_rotate(yaw, part->rest), frame->forward, ahead);
    // The soles along the ground that they come down on.
    double rises = -pl_vec3_dot(normal, pl_motion_level(frame, arm)) / pl_vec3_dot(normal, frame->up);
    arm = pl_vec3_add_scaled(arm, frame->up, rises);
    pl_aim aim = {.axes = frame->level_axes | frame->height_axis,
                  .target = pl_vec3_add(view->center, arm),
                  .target_speed = falling,
                  .gain = settings[FOOT_GAIN],
                  .rate = 0.5,
                  .acceleration = 3,
                  .weight = settings[FOOT_WEIGHT]};
    if (twists) aim.target_speed = pl_vec3_add(falling, pl_vec3_cross(about, arm));
    pl_aim_part(view, frame, i, &aim, goals);
  }
}

static void stand(const double *settings, const bounce_state *state, const pl_actor_view *view,
                  const pl_motion_frame *frame, pl_goals *goals) {
  pl_stand still = pl_stand_usual(view, frame);
  still.turn = pl_motion_yaw(view, frame, state->facing);
  still.over = base_of(view, frame, still.turn);
  still.over = pl_motion_at_height(frame, still.over, pl_motion_ground(view, still.over));
  still.gain = settings[GAIN];
  still.weight = settings[WEIGHT];
  still.hold_weight = settings[HOLD_WEIGHT];
  pl_stand_goals(view, frame, &still, goals);
}

static void bounce_choose(const double *settings, void *memory, const pl_actor_view *view, pl_goals *goals) {
  bounce_state *state = memory;
  pl_motion_frame frame = pl_motion_frame_of(view);
  if (state->begun == 0) {
    state->begun = 1;
    state->facing = pl_quat_rotate(view->turn, pl_vec3_of(1, 0, 0));
  }
  if (settings[TWIST] == 0)
    state->facing =
        pl_motion_turn_toward(&frame, state->facing, frame.forward, PL_MOTION_TURN_RATE * frame.step / frame.beat);
  bounce_plan plan = plan_bounce(settings, state, view, &frame);
  next_phase(settings, state, view, &frame, &plan);
  state->clock += frame.step;
  state->cycle_clock += frame.step;
  if (state->fallen != 0) {
    enter(state, BOUNCE_STAND, plan.top, 0, 0);
    pl_stand_lie(view, &frame, goals);
    return;
  }
  double height, rate;
  switch ((bounce_phase)state->phase) {
    case BOUNCE_STAND: stand(settings, state, view, &frame, goals); break;
    case BOUNCE_CROUCH: {
      // As deep as a stance goes that begins and ends with the speed of take-off.
      double deep = plan.top - 0.25 * plan.rise * plan.stance;
      height = curve(state->start_height, 0, deep, 0, state->span, state->clock, &rate);
      stance(settings, state, view, &frame, &plan, height, rate, 0, goals);
      break;
    }
    case BOUNCE_STANCE:
      height = curve(state->start_height, state->start_rise, plan.top, plan.rise + state->rise_trim, state->span,
                     state->clock, &rate);
      stance(settings, state, view, &frame, &plan, height, rate, plan.speed, goals);
      break;
    case BOUNCE_FLY: fly(settings, state, view, &frame, &plan, goals); break;
  }
}

static void bounce_count(const double *settings, const void *memory, pl_actor_tally *tally) {
  (void)settings;
  const bounce_state *state = memory;
  tally->hops = state->hops;
  tally->tumbles = state->tumbles;
}

const pl_behaviour pl_behaviour_bounce = {.name = "bounce",
                                          .about = "Hops along without a stop between the hops.",
                                          .settings = settings_of_bounce,
                                          .setting_count = SETTING_COUNT,
                                          .state_size = sizeof(bounce_state),
                                          .choose = bounce_choose,
                                          .count = bounce_count};
