// Hop: crouch, push off, fly, land on the feet, again (after Raibert 1986: height, forward speed and attitude are
// corrected from hop to hop).
//
//   stand -> crouch -> push -> fly -> land -> stand
//
// Height H of a hop gives the speed of take-off √(2 g H) and with it the time of flight; the wanted mean speed gives
// how fast to go forward. In the air the centre of mass follows its parabola whatever the body does, so all of this is
// decided in the push. For the body not to be turned by the push, the force of the ground has to pass through the
// centre of mass: it leans forward before it pushes as far as the force will lean, and lands with its feet as far
// ahead.
#include <math.h>

#include "actor/behaviour_list.h"
#include "actor/behaviour_stand.h"
#include "pliant/math.h"

enum {
  HEIGHT,
  DEPTH,
  REST_TIME,
  CROUCH_TIME,
  MAX_SPEED,
  LEAP,
  LEAD,
  FEEDBACK,
  GAIN,
  WEIGHT,
  HOLD_WEIGHT,
  SETTING_COUNT
};

static const pl_behaviour_setting settings_of_hop[SETTING_COUNT] = {
    [HEIGHT] = {"height", "fraction", 0.2, 0.005, 2,
                "How far the centre of mass rises in the air, as a fraction of the body's height."},
    [DEPTH] = {"depth", "fraction", 0.2, 0.02, 0.6,
               "How deep it crouches, as a fraction of the height of the centre of mass."},
    [REST_TIME] = {"rest_time", "beats", 0.5, 0, 100, "Pause between hops; a beat is √(height / gravity)."},
    [CROUCH_TIME] = {"crouch_time", "beats", 1.5, 0.2, 20, "Time to crouch."},
    [MAX_SPEED] = {"max_speed", "paces", 0.5, 0, 2, "Maximum mean speed; a pace is √(height · gravity)."},
    [LEAP] = {"leap", "", 0.7, 0, 3, "Maximum forward speed at take-off, as a fraction of the upward one."},
    [LEAD] = {"lead", "", 0.4, 0, 3,
              "How far it leans into the push and lands with its feet ahead, against what keeps it from turning."},
    [FEEDBACK] = {"feedback", "", 0.3, 0, 1, "Fraction of the error of a hop that the next one corrects."},
    [GAIN] = {"gain", "1/beat", 1.5, 0.01, 20, "How fast errors are corrected on the ground."},
    [WEIGHT] = {"weight", "", 1, 0, 1000, "Importance of the centre of mass."},
    [HOLD_WEIGHT] = {"hold_weight", "", 1, 0, 1000, "Importance of being upright and of the feet."},
};

typedef enum hop_phase { HOP_STAND = 0, HOP_CROUCH, HOP_PUSH, HOP_FLY, HOP_LAND } hop_phase;

typedef struct hop_state {
  int32_t phase;
  int32_t hops, tumbles;
  int32_t begun, fallen;
  int32_t airborne;     // steps off the ground in the push; whether it has left the ground in flight
  double clock;         // s in this phase
  double cycle_clock;   // s since the last take-off
  double start_height;  // m, of the centre of mass above the ground, where a phase began
  double start_target;  // m, of the centre of mass ahead of the feet, where the crouch began
  double brake;         // m/s², of landing
  double level_brake;   // m/s², of landing, along the ground
  double speed_trim;    // m/s
  double lead_trim;     // fraction of the height
  double push_trim;     // factor on the upward push, less 1
  pl_vec3 facing;
  pl_vec3 last_position;  // of the centre of mass at the last take-off
} hop_state;

// Thresholds of the phases. Leans in rad, speeds in paces, times in beats, rising speeds as fractions of that at
// take-off. at rest and upright; pitching in rad/beat
static const double READY_SPEED = 0.15, READY_LEAN = 0.1, READY_PITCHING = 0.15;
static const double MAX_WAIT = 4;         // for that; then it hops as it is
static const double FULL_TAKE_OFF = 0.9;  // the rest is added while the feet leave the ground
static const double MIN_TAKE_OFF = 0.3;   // off the ground with less it has only stumbled
static const double MIN_FALL = 0.2;       // slower, the time to brake would grow without bound
static const double LANDED_SPEED = 0.05, MAX_LANDING = 3;
static const double GOOD_LANDING_LEAN = 0.8, UPRIGHT_LEAN = 0.6;  // to count a hop; to count as up again after a fall
static const double CROUCH_MOVING = 0.8;  // fraction of the crouch in which it moves; then it waits at the bottom
static const double FLIGHT_MOVING = 0.7;  // fraction of the flight in which feet move: they are there before it lands

// Bounds of the plan and of the corrections from hop to hop: they keep a body that cannot do what is asked from being
// driven ever harder.
static const double MAX_PUSH = 3;         // gravities
static const double MAX_LEAD = 0.3;       // heights
static const double LANDING_PITCH = 0.3;  // of the angle of the lead
static const double MAX_SPEED_TRIM = 0.5;
static const double MAX_TURN_ERROR = 0.5;                      // rad in one flight
static const double LEAD_PER_TURN = 0.1, MAX_LEAD_TRIM = 0.1;  // heights per rad, heights
static const double MAX_PUSH_LESS = 0.3, MAX_PUSH_MORE = 1;    // fractions of the push

// What follows from settings and command for the hops under way.
typedef struct hop_plan {
  double rise;     // m/s upward at take-off
  double flight;   // s
  double stroke;   // m that the push goes through
  double push;     // m/s², upward
  double forward;  // m/s at take-off
  double lead;     // m that the centre of mass is ahead of the feet when the push begins, and behind them when it lands
} hop_plan;

static hop_plan plan_hop(const double *settings, const hop_state *state, const pl_motion_frame *frame,
                         const pl_actor_view *view) {
  hop_plan plan;
  plan.rise = sqrt(2 * frame->gravity * settings[HEIGHT] * frame->height);
  plan.flight = 2 * plan.rise / frame->gravity;
  plan.stroke = settings[DEPTH] * view->rest_height;
  double push = plan.rise * plan.rise / (2 * fmax(plan.stroke, PL_MOTION_TINY * frame->height));
  // Trimmed up beyond some gravities the feet only leave the ground sooner, and anyhow.
  plan.push = fmin((1 + state->push_trim) * push, fmax(push, MAX_PUSH * frame->gravity));
  double push_time = plan.rise / plan.push;
  // While it pushes and lands it goes at half the speed on average.
  double cycle = plan.flight + 2 * push_time + (settings[REST_TIME] + settings[CROUCH_TIME]) * frame->beat;
  double speed = pl_motion_speed(frame, view, settings[MAX_SPEED]);
  plan.forward =
      pl_motion_clamp(speed * cycle / (plan.flight + push_time) + state->speed_trim, 0, settings[LEAP] * plan.rise);
  double slope = plan.forward / push_time / (plan.push + frame->gravity);
  plan.lead =
      settings[LEAD] * (slope * view->rest_height - plan.forward * push_time / 6) + state->lead_trim * frame->height;
  plan.lead = pl_motion_clamp(plan.lead, -MAX_LEAD * frame->height, MAX_LEAD * frame->height);
  return plan;
}

static void enter(hop_state *state, hop_phase phase, double height) {
  state->phase = (int32_t)phase;
  state->clock = 0;
  state->start_height = height;
}

// Forward pitch of the body, rad, and how fast it grows.
static double pitch_of(const pl_actor_view *view, const pl_motion_frame *frame) {
  pl_vec3 own = pl_quat_rotate(view->turn, frame->up);
  return atan2(pl_vec3_dot(own, frame->forward), pl_vec3_dot(own, frame->up));
}

static double pitching_of(const pl_actor_view *view, const pl_motion_frame *frame) {
  return -pl_vec3_dot(view->spin, frame->side);
}

// Leaning back a little it meets the ground with its feet ahead.
static double landing_pitch(const pl_actor_view *view, const pl_motion_frame *frame, const hop_plan *plan) {
  return -LANDING_PITCH * plan->lead / fmax(view->rest_height, PL_MOTION_TINY * frame->height);
}

// Hop by hop: mean speed against the wanted one, and turning in the air against none.
static void correct(const double *settings, hop_state *state, const pl_actor_view *view, const pl_motion_frame *frame,
                    const hop_plan *plan) {
  double speed = pl_motion_speed(frame, view, settings[MAX_SPEED]);
  if (state->hops > 0 && state->cycle_clock > 0) {
    double went = pl_vec3_dot(pl_vec3_sub(view->center, state->last_position), frame->forward) / state->cycle_clock;
    state->speed_trim += settings[FEEDBACK] * (speed - went);
    state->speed_trim = pl_motion_clamp(state->speed_trim, -MAX_SPEED_TRIM * plan->rise, MAX_SPEED_TRIM * plan->rise);
  }
  double wanted = (landing_pitch(view, frame, plan) - pitch_of(view, frame)) / plan->flight;
  double excess = pl_motion_clamp((pitching_of(view, frame) - wanted) * plan->flight, -MAX_TURN_ERROR, MAX_TURN_ERROR);
  state->lead_trim =
      pl_motion_clamp(state->lead_trim - settings[FEEDBACK] * LEAD_PER_TURN * excess, -MAX_LEAD_TRIM, MAX_LEAD_TRIM);
  double lack = 1 - pl_vec3_dot(view->velocity, frame->up) / plan->rise;
  state->push_trim = pl_motion_clamp(state->push_trim + settings[FEEDBACK] * lack, -MAX_PUSH_LESS, MAX_PUSH_MORE);
  state->last_position = view->center;
  state->cycle_clock = 0;
}

// Point on the ground that the centre of mass is above when the body stands as it was built.
static pl_vec3 stand_of(const pl_actor_view *view, const pl_motion_frame *frame) {
  // All feet count, whether they touch or not: a heel that lifts must not move the point.
  pl_vec3 position = {0, 0, 0}, built = {0, 0, 0};
  int32_t foot_count = 0;
  for (int32_t i = 0; i < view->part_count; ++i) {
    if (!view->parts[i].is_foot) continue;
    position = pl_vec3_add(position, view->parts[i].position);
    built = pl_vec3_add(built, view->parts[i].rest);
    foot_count++;
  }
  if (foot_count == 0) return pl_motion_support(view, frame);
  pl_quat yaw = pl_motion_yaw(view, frame, pl_quat_rotate(view->turn, pl_vec3_of(1, 0, 0)));
  pl_vec3 poise = pl_motion_level(frame, pl_quat_rotate(yaw, pl_vec3_scale(built, 1.0 / foot_count)));
  position = pl_vec3_sub(pl_vec3_scale(position, 1.0 / foot_count), poise);
  return pl_motion_at_height(frame, position, pl_motion_ground(view, position));
}

// How far the centre of mass is ahead of there, m.
static double lead_of(const pl_actor_view *view, const pl_motion_frame *frame) {
  return pl_vec3_dot(pl_vec3_sub(view->center, stand_of(view, frame)), frame->forward);
}

static bool is_ready(const pl_actor_view *view, const pl_motion_frame *frame) {
  return pl_vec3_length(view->velocity) < READY_SPEED * frame->pace && pl_motion_lean(view) < READY_LEAN &&
         fabs(pitching_of(view, frame)) * frame->beat < READY_PITCHING;
}

static void next_phase(const double *settings, hop_state *state, const pl_actor_view *view,
                       const pl_motion_frame *frame, const hop_plan *plan) {
  double rising = pl_vec3_dot(view->velocity, frame->up), beat = frame->beat, lean = pl_motion_lean(view);
  double height = pl_vec3_dot(view->center, frame->up) - pl_motion_ground(view, view->center);
  bool touches = view->touch_count > 0;
  switch ((hop_phase)state->phase) {
    case HOP_STAND:
      // It crouches from both feet, upright: what is askew before the push is more so after it.
      if (view->command.speed > 0 && touches && state->clock >= settings[REST_TIME] * beat &&
          (is_ready(view, frame) || state->clock > MAX_WAIT * beat)) {
        state->start_target = lead_of(view, frame);
        enter(state, HOP_CROUCH, height);
      }
      break;
    case HOP_CROUCH:
      if (state->clock >= settings[CROUCH_TIME] * beat) {
        state->airborne = 0;
        enter(state, HOP_PUSH, height);
      }
      break;
    case HOP_PUSH:
      // As tall as it was built the feet are about to leave the ground one way or the other, and what they push last
      // only turns it.
      state->airborne = touches ? 0 : state->airborne + 1;
      if (rising >= FULL_TAKE_OFF * plan->rise || (!touches && rising > MIN_TAKE_OFF * plan->rise) ||
          state->airborne > 1 || height > view->rest_height || state->clock > 4 * plan->rise / plan->push) {
        correct(settings, state, view, frame, plan);
        state->airborne = 0;
        enter(state, HOP_FLY, height);
      }
      break;
    case HOP_FLY:
      if (!touches) state->airborne = 1;
      if (touches && (state->airborne != 0 || state->clock > 0.5 * plan->flight) &&
          rising < MIN_TAKE_OFF * plan->rise) {
        double fall = fmax(-rising, MIN_FALL * plan->rise),
               time = 2 * fmax(plan->stroke, PL_MOTION_TINY * frame->height) / fall;
        state->brake = fall / time;
        state->level_brake = pl_vec3_length(pl_motion_level(frame, view->velocity)) / time;
        enter(state, HOP_LAND, height);
      }
      break;
    case HOP_LAND:
      if (rising > -LANDED_SPEED * frame->pace || state->clock > MAX_LANDING * beat) {
        if (state->airborne != 0 && lean < GOOD_LANDING_LEAN) state->hops++;
        enter(state, HOP_STAND, height);
      }
      break;
  }
  // Once down it counts as fallen until it stands again.
  if (view->touch_count > 0 && state->fallen == 0 && lean > PL_MOTION_FALLEN_LEAN) {
    state->fallen = 1;
    state->tumbles++;
  }
  if (state->fallen != 0) enter(state, HOP_STAND, height);
  if (lean < UPRIGHT_LEAN) state->fallen = 0;
}

static void hold_body(const double *settings, const hop_state *state, const pl_actor_view *view,
                      const pl_motion_frame *frame, double pitch, double gain, pl_goals *goals) {
  pl_quat back = pl_quat_from_axis_angle(frame->side, -pitch);
  pl_hold hold = {.turn = pl_quat_multiply(back, pl_motion_yaw(view, frame, state->facing)),
                  .gain = gain,
                  .rate = 0.5,
                  .acceleration = 2,
                  .weight = settings[HOLD_WEIGHT]};
  pl_aim_hold(view, frame, &hold, goals);
}

// Feet off the ground come down to it, or nothing brings them back: what does not touch cannot push.
static void lower_feet(const double *settings, const hop_state *state, const pl_actor_view *view,
                       const pl_motion_frame *frame, pl_goals *goals) {
  pl_quat yaw = pl_motion_yaw(view, frame, state->facing);
  for (int32_t i = 0; i < view->part_count; ++i) {
    const pl_part_view *part = &view->parts[i];
    if (!part->is_foot || part->touch_count > 0) continue;
    pl_vec3 position = pl_vec3_add(view->center, pl_quat_rotate(yaw, part->rest));
    double sole = view->rest_height + pl_vec3_dot(part->rest, frame->up) - part->rest_lowest;
    pl_aim aim = {.axes = frame->height_axis, .gain = settings[GAIN], .rate = 0.3, .acceleration = 1, .weight = 0.5};
    aim.target = pl_motion_at_height(frame, position, pl_motion_ground(view, position) + sole);
    pl_aim_part(view, frame, i, &aim, goals);
  }
}

// On the ground before the push: down, and ahead of the feet by the lead.
static void crouch(const double *settings, const hop_state *state, const pl_actor_view *view,
                   const pl_motion_frame *frame, const hop_plan *plan, pl_goals *goals) {
  double time = settings[CROUCH_TIME] * frame->beat, t = state->clock / (CROUCH_MOVING * time);
  pl_vec3 support = stand_of(view, frame);
  double deep = (1 - settings[DEPTH]) * view->rest_height, span = deep - state->start_height,
         way = plan->lead - state->start_target;
  double done = pl_motion_ease(t), rate = pl_motion_ease_rate(t) / (CROUCH_MOVING * time);
  pl_aim aim = {.gain = settings[GAIN], .rate = 0.4, .acceleration = 1, .weight = settings[WEIGHT]};
  aim.target = pl_motion_at_height(frame, pl_vec3_add_scaled(support, frame->forward, state->start_target + way * done),
                                   pl_vec3_dot(support, frame->up) + state->start_height + span * done);
  aim.target_speed = pl_vec3_add_scaled(pl_vec3_scale(frame->up, span * rate), frame->forward, way * rate);
  aim.axes = frame->height_axis;
  pl_aim_center(view, frame, &aim, goals);
  aim.axes = frame->level_axes;
  pl_aim_center(view, frame, &aim, goals);
  hold_body(settings, state, view, frame, 0, settings[GAIN], goals);
  lower_feet(settings, state, view, frame, goals);
}

// Gravities: what comes down faster than it went up is not caught at once.
static const double max_acceleration = 10;

// Velocities alone: wherever the centre of mass is, it continues from there. Gain 0 leaves positions out.
static void accelerate(const double *settings, const pl_actor_view *view, const pl_motion_frame *frame, pl_vec3 speed,
                       double upward, double along, pl_goals *goals) {
  pl_aim aim = {.target = view->center, .target_speed = speed, .weight = settings[WEIGHT]};
  aim.axes = frame->height_axis;
  aim.acceleration = fmin(upward / frame->gravity, max_acceleration);
  pl_aim_center(view, frame, &aim, goals);
  aim.axes = frame->level_axes;
  aim.acceleration = fmin(along / frame->gravity, max_acceleration);
  pl_aim_center(view, frame, &aim, goals);
}

static void push(const double *settings, const hop_state *state, const pl_actor_view *view,
                 const pl_motion_frame *frame, const hop_plan *plan, pl_goals *goals) {
  pl_vec3 speed = pl_vec3_add_scaled(pl_vec3_scale(frame->up, plan->rise), frame->forward, plan->forward);
  double time = plan->rise / plan->push;
  double along = fmax(plan->forward, pl_vec3_length(pl_motion_level(frame, view->velocity))) / time;
  accelerate(settings, view, frame, speed, plan->push, along, goals);
  // What it turns by when it takes off it turns by until it lands.
  hold_body(settings, state, view, frame, landing_pitch(view, frame, plan), frame->beat / plan->flight, goals);
}

// In the air: back to the shape as built, the feet a little ahead. A single foot is all there is to stand on and stays
// in its place.
static void fly(const double *settings, const hop_state *state, const pl_actor_view *view, const pl_motion_frame *frame,
                const hop_plan *plan, pl_goals *goals) {
  double t = pl_motion_ease(state->clock / (FLIGHT_MOVING * plan->flight));
  pl_quat yaw = pl_motion_yaw(view, frame, state->facing);
  pl_vec3 velocity = pl_vec3_add_scaled(view->velocity, frame->up, -frame->gravity * frame->step);
  // A goal that is met whatever it does: the rest shape is then free to go back to the one as built.
  pl_aim ballistic = {.axes = frame->level_axes | frame->height_axis,
                      .target = view->center,
                      .target_speed = velocity,
                      .acceleration = 10,
                      .weight = settings[WEIGHT]};
  pl_aim_center(view, frame, &ballistic, goals);
  int32_t feet[2];
  if (pl_motion_feet(view, 2, feet) < 2) return;
  for (int32_t i = 0; i < view->part_count; ++i) {
    if (!view->parts[i].is_foot) continue;
    pl_vec3 arm = pl_vec3_add_scaled(pl_quat_rotate(yaw, view->parts[i].rest), frame->forward, t * plan->lead);
    pl_aim aim = {.axes = frame->level_axes | frame->height_axis,
                  .target = pl_vec3_add(view->center, arm),
                  .target_speed = velocity,
                  .gain = settings[GAIN],
                  .rate = 0.5,
                  .acceleration = 2,
                  .weight = 0.5 * settings[HOLD_WEIGHT]};
    pl_aim_part(view, frame, i, &aim, goals);
  }
}

static void hop_choose(const double *settings, void *memory, const pl_actor_view *view, pl_goals *goals) {
  hop_state *state = memory;
  pl_motion_frame frame = pl_motion_frame_of(view);
  if (state->begun == 0) {
    state->begun = 1;
    state->facing = pl_quat_rotate(view->turn, pl_vec3_of(1, 0, 0));
  }
  state->facing =
      pl_motion_turn_toward(&frame, state->facing, frame.forward, PL_MOTION_TURN_RATE * frame.step / frame.beat);
  hop_plan plan = plan_hop(settings, state, &frame, view);
  next_phase(settings, state, view, &frame, &plan);
  state->clock += frame.step;
  state->cycle_clock += frame.step;
  if (state->fallen != 0) {
    pl_stand_lie(view, &frame, goals);
    return;
  }
  switch ((hop_phase)state->phase) {
    case HOP_STAND: {
      pl_stand stand = pl_stand_usual(view, &frame);
      stand.turn = pl_motion_yaw(view, &frame, state->facing);
      stand.over = stand_of(view, &frame);
      // The way that it leans into the next push it need not come back from this landing.
      double lead = pl_motion_clamp(lead_of(view, &frame), fmin(plan.lead, 0), fmax(plan.lead, 0));
      if (view->command.speed > 0) stand.over = pl_vec3_add_scaled(stand.over, frame.forward, lead);
      stand.gain = settings[GAIN];
      stand.weight = settings[WEIGHT];
      stand.hold_weight = settings[HOLD_WEIGHT];
      pl_stand_goals(view, &frame, &stand, goals);
      break;
    }
    case HOP_CROUCH: crouch(settings, state, view, &frame, &plan, goals); break;
    case HOP_PUSH: push(settings, state, view, &frame, &plan, goals); break;
    case HOP_FLY: fly(settings, state, view, &frame, &plan, goals); break;
    case HOP_LAND:
      accelerate(settings, view, &frame, pl_vec3_of(0, 0, 0), state->brake, state->level_brake, goals);
      hold_body(settings, state, view, &frame, 0, settings[GAIN], goals);
      lower_feet(settings, state, view, &frame, goals);
      break;
  }
}

static void hop_count(const double *settings, const void *memory, pl_actor_tally *tally) {
  (void)settings;
  const hop_state *state = memory;
  tally->hops = state->hops;
  tally->tumbles = state->tumbles;
}

const pl_behaviour pl_behaviour_hop = {.name = "hop",
                                       .about = "Crouches, pushes off, flies and lands on its feet, hop after hop.",
                                       .settings = settings_of_hop,
                                       .setting_count = SETTING_COUNT,
                                       .state_size = sizeof(hop_state),
                                       .choose = hop_choose,
                                       .count = hop_count};
