// Waddle: how a body in a plane walks on two feet that cannot pass each other. The one behind is brought up, then the
// one in front is set ahead.
//
//   shift   both feet on the ground: the centre of mass goes over the foot that will stay, and the body leans over it
//   swing   the other one is lifted, and goes in an arc to its place as soon as it is off the ground: one that still
//           carries weight would push the body back instead, or drag over the ground
//
// The centre of mass need not come as far as the middle of the foot that stays. From its near half it would topple to
// the side it came from, which is where the swinging foot comes down. Landing positions are relative to the foot that
// stays: the mean distance of the feet, half a stride more for the foot in front and half a stride less for the one
// behind, and as much more as the body is toppling beyond the foot that carries it (the capture point of a pendulum
// upside down; Pratt and others 2006).
#include <math.h>

#include "actor/behaviour_list.h"
#include "actor/behaviour_stand.h"
#include "actor/behaviour_swing.h"
#include "pliant/math.h"

enum {
  MAX_SPEED,
  SWING_TIME,
  SHIFT_TIME,
  MAX_SHIFT_TIME,
  LIFT,
  STEP_HEIGHT,
  MAX_STEP_LENGTH,
  MARGIN,
  SWAY,
  LEAN,
  CLOSENESS,
  FEEDBACK,
  HEIGHT,
  GAIN,
  FOOT_GAIN,
  WEIGHT,
  FOOT_WEIGHT,
  HOLD_WEIGHT,
  SETTING_COUNT
};

static const pl_behaviour_setting settings_of_waddle[SETTING_COUNT] = {
    [MAX_SPEED] = {"max_speed", "paces", 0.25, 0, 1, "Maximum speed; a pace is √(height · gravity)."},
    [SWING_TIME] = {"swing_time", "beats", 0.9, 0.2, 10, "Time of a foot in the air; a beat is √(height / gravity)."},
    [SHIFT_TIME] = {"shift_time", "beats", 1.2, 0, 10, "Time in which the weight goes over the foot that stays."},
    [MAX_SHIFT_TIME] = {"max_shift_time", "beats", 2, 0, 50,
                        "Time after which the other foot lifts even if it does not stand over this one."},
    [LIFT] = {"lift", "fraction", 1, 0, 2,
              "Part of the swing time that a foot may take to leave the ground before it moves along it; 0: it moves "
              "along it at once, which is faster and less steady."},
    [STEP_HEIGHT] = {"step_height", "fraction", 0.06, 0, 0.5,
                     "How high a foot is lifted, as a fraction of the body's height."},
    [MAX_STEP_LENGTH] = {"max_step_length", "fraction", 0.4, 0, 2, "Longest stride, as a fraction of the height."},
    [MARGIN] = {"margin", "fraction", 0.12, 0, 0.5,
                "Half the length of a foot, as a fraction of the height: how exactly it must stand over it."},
    [SWAY] = {"sway", "", 0.75, 0, 1.5,
              "How far it goes over the foot that stays: 0.5 to its near end, 1 to its middle."},
    [LEAN] = {"lean", "rad", 0.08, 0, 1, "How far it leans over the foot that stays."},
    [CLOSENESS] = {"closeness", "fraction", 0.82, 0.2, 2,
                   "Distance of the feet on average, as a fraction of that in the shape as built."},
    [FEEDBACK] = {"feedback", "", 0.5, 0, 3, "How much longer a step is for toppling over, against the capture point."},
    [HEIGHT] = {"height", "fraction", 0.98, 0.3, 1.5,
                "Height of the centre of mass, as a fraction of that in the shape as built."},
    [GAIN] = {"gain", "1/beat", 1.8, 0.01, 20, "How fast errors of the centre of mass and of the lean are corrected."},
    [FOOT_GAIN] = {"foot_gain", "1/beat", 3.8, 0.01, 50, "How fast errors of a swinging foot are corrected."},
    [WEIGHT] = {"weight", "", 1, 0, 1000, "Importance of the centre of mass."},
    [FOOT_WEIGHT] = {"foot_weight", "", 0.5, 0, 1000, "Importance of the feet."},
    [HOLD_WEIGHT] = {"hold_weight", "", 0.9, 0, 1000, "Importance of the lean."},
};

static const double DOWN_GAP = 0.01;       // heights: a foot this close to the ground is on it
static const double TOPPLE_MARGINS = 1.5;  // margins beyond the outer foot at which only a step with it helps

typedef enum waddle_phase { STANDING = 0, SHIFTING, SWINGING } waddle_phase;

typedef struct waddle_state {
  int32_t phase;
  int32_t foot;  // that swings, or will next
  int32_t tumbles, fallen;
  double clock;   // s in this phase
  pl_vec3 from;   // centre of mass when the phase began
  double lean;    // rad, of the body then
  double left;    // s in this phase when the swinging foot began to move along the ground; below 0: not yet
  pl_vec3 lift;   // where the swinging foot left the ground
  pl_vec3 aim;    // position on the ground where it is to land
  pl_vec3 stand;  // where the other stands
} waddle_state;

// The step under way. Lengths in metres along the heading, times in seconds.
typedef struct waddle {
  const double *settings;
  waddle_state *state;
  const pl_actor_view *view;
  pl_motion_frame frame;
  int32_t feet[2];
  const pl_part_view *moving, *staying;
  double speed, swing, shift;
  double margin;   // half the length of a foot
  double built;    // from the foot that stays to the other one, in the shape as built
  double capture;  // where the centre of mass is going, from the foot that stays
} waddle;

static double along(const waddle *w, pl_vec3 v) {
  return pl_vec3_dot(v, w->frame.forward);
}

// Of the body's own up against up, positive toward the heading.
static double lean_of(const waddle *w) {
  pl_vec3 up = pl_quat_rotate(w->view->turn, w->frame.up);
  return atan2(along(w, up), pl_vec3_dot(up, w->frame.up));
}

// Pressure comes and goes: what is next to the ground is on it.
static bool is_down(const waddle *w, const pl_part_view *foot) {
  double gap = pl_vec3_dot(foot->lowest, w->frame.up) - pl_motion_ground(w->view, foot->lowest);
  return foot->touch_count > 0 || gap < DOWN_GAP * w->frame.height;
}

static void update_feet(waddle *w) {
  w->moving = &w->view->parts[w->feet[w->state->foot]];
  w->staying = &w->view->parts[w->feet[1 - w->state->foot]];
  w->built = along(w, pl_vec3_sub(w->moving->rest, w->staying->rest));
  double pendulum = sqrt(fmax(w->view->rest_height, MIN_PENDULUM * w->frame.height) / w->frame.gravity);
  pl_vec3 going = pl_vec3_add_scaled(w->view->center, w->view->velocity, pendulum);
  w->capture = along(w, pl_vec3_sub(going, w->staying->position));
}

static pl_vec3 landing_position(const waddle *w) {
  double max = w->settings[MAX_STEP_LENGTH] * w->frame.height, stride = fmin(2 * (w->swing + w->shift) * w->speed, max);
  double topple = w->built > 0 ? fmax(0, w->capture - w->margin) : fmin(0, w->capture + w->margin);
  double ahead = w->settings[CLOSENESS] * w->built + 0.5 * stride + w->settings[FEEDBACK] * topple;
  // Feet stay on their sides of each other, and do not tread on each other.
  double min = 2 * w->margin, apart = w->built > 0 ? ahead : -ahead;
  apart = pl_motion_clamp(apart, min, fmax(fabs(w->built) + max, min));
  pl_vec3 position = pl_vec3_add_scaled(w->staying->position, w->frame.forward, copysign(apart, w->built));
  return pl_motion_at_height(&w->frame, position, pl_motion_ground(w->view, position));
}

// A foot with its sole above a position.
static pl_vec3 sole_at(const waddle *w, const pl_part_view *foot, pl_vec3 position, double height) {
  double sole = pl_motion_sole(w->view, &w->frame, foot);
  return pl_motion_at_height(&w->frame, position, pl_motion_ground(w->view, position) + sole + height);
}

// --- the machine
// ------------------------------------------------------------------------------------------------------

static void enter(waddle *w, waddle_phase phase) {
  waddle_state *state = w->state;
  state->phase = (int32_t)phase;
  state->clock = 0;
  update_feet(w);
  state->from = w->view->center;
  state->lean = lean_of(w);
  state->left = -1;
  state->lift = w->moving->position;
  state->stand = w->staying->position;
  state->aim = landing_position(w);
}

static bool may_lift(const waddle *w) {
  if (w->state->clock < w->shift) return false;
  return w->state->clock > w->settings[MAX_SHIFT_TIME] * w->frame.beat || fabs(w->capture) < w->margin;
}

// The foot beyond which the body is toppling, so that only a step with it helps; -1 if it is not.
static int32_t toppling_foot(const waddle *w) {
  double beyond = TOPPLE_MARGINS * w->margin,
         other = w->capture - along(w, pl_vec3_sub(w->moving->position, w->staying->position));
  double toward = w->built > 0 ? 1 : -1;  // side of the moving foot
  if (toward * other > beyond) return w->state->foot;
  if (-toward * w->capture > beyond) return 1 - w->state->foot;
  return -1;
}

static bool has_landed(const waddle *w) {
  double t = w->state->clock / w->swing;
  return (t > MIN_SWING && is_down(w, w->moving)) || t > MAX_SWING;
}

static void next_phase(waddle *w) {
  waddle_state *state = w->state;
  bool goes = w->speed > 0;
  int32_t toppling = toppling_foot(w);
  if (state->phase == STANDING && goes) {
    enter(w, SHIFTING);
  } else if (state->phase == SHIFTING && !goes) {
    enter(w, STANDING);
  } else if (state->phase == SHIFTING && !is_down(w, w->staying)) {
    // Weight waits for the foot that is to carry it.
    enter(w, SHIFTING);
  } else if (toppling >= 0 && (state->phase == SHIFTING || (state->phase == SWINGING && toppling != state->foot))) {
    state->foot = toppling;
    enter(w, SWINGING);
  } else if (state->phase == SHIFTING && may_lift(w)) {
    enter(w, SWINGING);
  } else if (state->phase == SWINGING && has_landed(w)) {
    state->foot = 1 - state->foot;
    enter(w, SHIFTING);
  }
}

static void check_fall(waddle *w) {
  bool down = pl_motion_is_down(w->view, &w->frame);
  if (down && w->state->fallen == 0) w->state->tumbles++;
  if (down) w->state->fallen = 1;
  if (!down && pl_motion_lean(w->view) < UPRIGHT_LEAN && w->state->fallen != 0) {
    w->state->fallen = 0;
    w->state->phase = STANDING;
  }
}

// --- goals
// ------------------------------------------------------------------------------------------------------------

// How far the shift of weight is done.
static double shifted(const waddle *w, double *rate) {
  double time = fmax(w->shift, w->frame.step), t = w->state->clock / time;
  *rate = w->state->phase == SHIFTING ? pl_motion_ease_rate(t) / time : 0;
  return w->state->phase == SHIFTING ? pl_motion_ease(t) : 1;
}

static void aim_center(const waddle *w, pl_goals *goals) {
  const pl_motion_frame *frame = &w->frame;
  double rate, fraction = shifted(w, &rate), near = 2 * (1 - w->settings[SWAY]) * w->margin;
  double from = along(w, w->state->from), goal = along(w, w->staying->position) + (w->built < 0 ? -near : near);
  pl_aim aim = {.axes = frame->level_axes,
                .gain = w->settings[GAIN],
                .rate = 0.3,
                .acceleration = 0.5,
                .weight = w->settings[WEIGHT]};
  double wanted = from + fraction * (goal - from) - along(w, w->view->center);
  aim.target = pl_vec3_add_scaled(w->view->center, frame->forward, wanted);
  aim.target_speed = pl_vec3_scale(frame->forward, (goal - from) * rate);
  pl_aim_center(w->view, frame, &aim, goals);
  aim.axes = frame->height_axis;
  aim.target_speed = pl_vec3_of(0, 0, 0);
  double ground =
      0.5 * (pl_motion_ground(w->view, w->staying->position) + pl_motion_ground(w->view, w->moving->position));
  aim.target = pl_motion_at_height(frame, w->view->center, ground + w->settings[HEIGHT] * w->view->rest_height);
  pl_aim_center(w->view, frame, &aim, goals);
}

static void aim_lean(const waddle *w, pl_goals *goals) {
  double rate, fraction = shifted(w, &rate), lean = w->settings[LEAN],
               change = (w->built < 0 ? lean : -lean) - w->state->lean;
  pl_vec3 axis = pl_vec3_cross(w->frame.up, w->frame.forward);
  pl_hold hold = {.gain = w->settings[GAIN], .rate = 0.3, .acceleration = 1, .weight = w->settings[HOLD_WEIGHT]};
  hold.turn = pl_quat_from_axis_angle(axis, w->state->lean + fraction * change);
  hold.spin = pl_vec3_scale(axis, rate * change);
  pl_aim_hold(w->view, &w->frame, &hold, goals);
}

// How far the swinging foot is along the ground, and how fast that grows: from leaving the ground, or from when it may
// no longer wait for that, to a little before it is down.
static double swung(waddle *w, double *rate) {
  waddle_state *state = w->state;
  if (state->left < 0 && (w->moving->touch_count == 0 || state->clock > w->settings[LIFT] * w->swing))
    state->left = fmin(fmax(state->clock - w->frame.step, 0), MAX_LIFT * w->swing);
  *rate = 0;
  if (state->left < 0) return 0;
  double span = LEVEL_SWING * w->swing - state->left, s = (state->clock - state->left) / span;
  *rate = pl_motion_ease_rate(s) / span;
  return pl_motion_ease(s);
}

static void aim_moving(waddle *w, pl_goals *goals) {
  const pl_motion_frame *frame = &w->frame;
  waddle_state *state = w->state;
  double rate, fraction = swung(w, &rate), t = state->clock / w->swing, lift = w->settings[STEP_HEIGHT] * frame->height;
  // The landing position follows what the body does, ever less as the foot comes down.
  double follow = pl_motion_clamp((1 - t) * FOLLOW_RATE * frame->step / w->swing, 0, 1);
  state->aim = pl_vec3_lerp(state->aim, landing_position(w), follow);
  pl_vec3 way = pl_motion_level(frame, pl_vec3_sub(state->aim, state->lift));
  double late = fmax(0, t - 1) * w->swing;  // s: then it continues down until it finds the ground
  pl_aim aim = {.gain = w->settings[FOOT_GAIN], .rate = 0.5, .acceleration = 2, .weight = w->settings[FOOT_WEIGHT]};
  aim.axes = frame->level_axes | frame->height_axis;
  pl_vec3 position = pl_vec3_add_scaled(state->lift, way, fraction);
  aim.target = sole_at(w, w->moving, position, lift * pl_motion_arch(t) - SEARCH_SPEED * frame->pace * late);
  aim.target_speed = pl_vec3_add_scaled(pl_vec3_scale(way, rate), frame->up, lift * pl_motion_arch_rate(t) / w->swing);
  pl_aim_part(w->view, frame, w->feet[state->foot], &aim, goals);
}

static void aim_standing(const waddle *w, int32_t foot, pl_vec3 position, pl_goals *goals) {
  const pl_motion_frame *frame = &w->frame;
  const pl_part_view *part = &w->view->parts[w->feet[foot]];
  pl_aim aim = {.axes = frame->level_axes, .gain = w->settings[GAIN], .rate = 0.1, .acceleration = 1};
  aim.weight = STANDING_WEIGHT * w->settings[FOOT_WEIGHT];
  aim.target = sole_at(w, part, position, 0);
  pl_aim_part(w->view, frame, w->feet[foot], &aim, goals);
  // One that has lost the ground looks for it again, as fast as one that swings: the weight waits for it.
  if (part->touch_count > 0) return;
  aim.axes = frame->height_axis;
  aim.gain = w->settings[FOOT_GAIN];
  aim.rate = 0.3;
  pl_aim_part(w->view, frame, w->feet[foot], &aim, goals);
}

static void aim_stand(const waddle *w, pl_goals *goals) {
  pl_stand stand = pl_stand_usual(w->view, &w->frame);
  stand.turn = pl_quat_identity();
  stand.height = w->settings[HEIGHT];
  stand.gain = w->settings[GAIN];
  stand.weight = w->settings[WEIGHT];
  stand.hold_weight = w->settings[HOLD_WEIGHT];
  pl_stand_goals(w->view, &w->frame, &stand, goals);
}

static void waddle_choose(const double *settings, void *memory, const pl_actor_view *view, pl_goals *goals) {
  waddle_state *state = memory;
  waddle w = {.settings = settings, .state = state, .view = view, .frame = pl_motion_frame_of(view)};
  w.speed = pl_motion_speed(&w.frame, view, settings[MAX_SPEED]);
  w.swing = settings[SWING_TIME] * w.frame.beat;
  w.shift = settings[SHIFT_TIME] * w.frame.beat;
  w.margin = settings[MARGIN] * w.frame.height;
  check_fall(&w);
  bool can = pl_motion_feet(view, 2, w.feet) == 2 && view->planar && state->fallen == 0;
  if (can) {
    update_feet(&w);
    next_phase(&w);
    update_feet(&w);
  }
  state->clock += w.frame.step;
  if (state->fallen != 0) {
    pl_stand_lie(view, &w.frame, goals);
    return;
  }
  if (!can || state->phase == STANDING) {
    aim_stand(&w, goals);
    return;
  }
  aim_center(&w, goals);
  aim_standing(&w, 1 - state->foot, state->stand, goals);
  if (state->phase == SWINGING)
    aim_moving(&w, goals);
  else
    aim_standing(&w, state->foot, state->lift, goals);
  aim_lean(&w, goals);
}

static void waddle_count(const double *settings, const void *memory, pl_actor_tally *tally) {
  (void)settings;
  const waddle_state *state = memory;
  tally->tumbles = state->tumbles;
}

const pl_behaviour pl_behaviour_waddle = {.name = "waddle",
                                          .about =
                                              "Walks in a plane on two feet that cannot pass each other, and rocks "
                                              "from one to the other. In space it stands.",
                                          .settings = settings_of_waddle,
                                          .setting_count = SETTING_COUNT,
                                          .state_size = sizeof(waddle_state),
                                          .choose = waddle_choose,
                                          .count = waddle_count};
