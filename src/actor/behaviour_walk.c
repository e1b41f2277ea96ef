// Walk: feet step one after the other, or some at a time; the others carry the body (after Raibert and Hodgins 1991,
// Coros, Beaudoin and van de Panne 2010).
//
//   shift   all feet on the ground: the centre of mass moves until the feet that stay will carry it
//   swing   the feet of the group move in an arc to where they must land; ends when they touch, or after half as long
//           again
//   stand   at speed 0, after a swing has ended: all feet are held where they came to stand
//
// Where to land. A foot whose middle of stance is below its hip speeds the body neither up nor down: T v / 2 ahead of
// the hip, T the time of a stance (the neutral point). Added to that is what the velocity of the centre of mass lacks
// or has in excess, as far as a pendulum upside down of its height would be carried by it: √(z/g) (v - v_wanted) (the
// capture point). The hip is where the shape as built has the foot, relative to the centre of mass, turned to where the
// body faces.
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
  STEP_HEIGHT,
  MAX_STEP_LENGTH,
  AT_ONCE,
  FEEDBACK,
  SIDE_FEEDBACK,
  SWAY,
  CLOSENESS,
  MARGIN,
  AHEAD,
  HEIGHT,
  TILT,
  TURN_RATE,
  GAIN,
  FOOT_GAIN,
  WEIGHT,
  FOOT_WEIGHT,
  STANCE_WEIGHT,
  PIVOT_WEIGHT,
  HOLD_WEIGHT,
  SETTING_COUNT
};

static const pl_behaviour_setting settings_of_walk[SETTING_COUNT] = {
    [MAX_SPEED] = {"max_speed", "paces", 0.25, 0, 1, "Maximum speed; a pace is √(height · gravity)."},
    [SWING_TIME] = {"swing_time", "beats", 0.7, 0.2, 10, "Time of a foot in the air; a beat is √(height / gravity)."},
    [SHIFT_TIME] = {"shift_time", "beats", 0.3, 0, 10,
                    "Minimum time with all feet on the ground before the next one lifts."},
    [MAX_SHIFT_TIME] = {"max_shift_time", "beats", 5, 0, 50,
                        "Time after which it lifts a foot even if it is not over the others."},
    [STEP_HEIGHT] = {"step_height", "fraction", 0.02, 0, 0.5,
                     "How high a foot is lifted, as a fraction of the body's height."},
    [MAX_STEP_LENGTH] = {"max_step_length", "fraction", 0.4, 0, 2,
                         "Farthest that a foot is set from below its hip, as a fraction of the height."},
    [AT_ONCE] = {"at_once", "", 0, 0, 8,
                 "Feet that swing together, in their order; 0: one of two or three, half of four and more."},
    [FEEDBACK] = {"feedback", "", 0.9, 0, 3,
                  "How far a foot is set ahead for going too fast, against the capture point."},
    [SIDE_FEEDBACK] = {"side_feedback", "", 0.6, 0, 3, "The same sideways."},
    [SWAY] = {"sway", "", 0.8, 0, 1.5,
              "How far sideways it goes over the feet that stay: 0 not at all, 1 to their middle."},
    [CLOSENESS] = {"closeness", "fraction", 1, 0.2, 2,
                   "Distance of the feet sideways, as a fraction of that in the shape as built."},
    [MARGIN] = {"margin", "fraction", 0.06, 0, 0.5,
                "How far behind or next to the middle of the feet that carry it the centre of mass may be, as a "
                "fraction of the height."},
    [AHEAD] = {"ahead", "fraction", 0.2, 0, 0.5, "The same ahead of them: then it falls into the next step."},
    [HEIGHT] = {"height", "fraction", 0.97, 0.3, 1.5,
                "Height of the centre of mass, as a fraction of that in the shape as built."},
    [TILT] = {"tilt", "", 1, 0, 1, "How far it turns with the ground on a slope: 0 stays upright, 1 keeps soles flat."},
    [TURN_RATE] = {"turn_rate", "rad/beat", 0.2, 0, 10, "How fast it turns to a new heading."},
    [GAIN] = {"gain", "1/beat", 1.5, 0.01, 20,
              "How fast errors of the centre of mass and of the upright are corrected."},
    [FOOT_GAIN] = {"foot_gain", "1/beat", 4, 0.01, 50, "How fast errors of a swinging foot are corrected."},
    [WEIGHT] = {"weight", "", 2, 0, 1000, "Importance of the centre of mass."},
    [FOOT_WEIGHT] = {"foot_weight", "", 0.5, 0, 1000, "Importance of the feet."},
    [STANCE_WEIGHT] = {"stance_weight", "", 0.3, 0, 1000,
                       "That of feet on the ground staying where they are, relative to feet that swing."},
    [PIVOT_WEIGHT] = {"pivot_weight", "", 0, 0, 1000,
                      "Importance of feet on the ground not turning about the vertical."},
    [HOLD_WEIGHT] = {"hold_weight", "", 2, 0, 1000, "Importance of being upright and of facing the heading."},
};

enum { MAX_FEET = 8 };

static const double TOPPLE_MARGINS = 1.2;  // margins beyond the feet at which only a step helps
static const double START = 0.02;          // paces per beat by which the speed grows
static const double SAME_SPOT = 1e-3;      // heights: feet built closer along the way than this have no order
static const double MIN_APART = 0.5, MAX_APART = 1.5;  // of the distance as built, of feet one behind the other
// Fractions of the margins within which the centre of mass is left alone: less while the weight shifts, so that the
// next foot may lift soon.
static const double SHIFT_MARGIN = 0.6, SWING_MARGIN = 0.9;

typedef enum walk_phase { WALK_STAND = 0, WALK_SHIFT, WALK_SWING } walk_phase;

typedef struct walk_foot {
  pl_vec3 hold;  // where it stands, or stood when it lifted
  pl_vec3 aim;   // where it is to land
  int32_t down;  // has landed in this swing
} walk_foot;

typedef struct walk_state {
  int32_t begun, phase, group;
  int32_t tumbles, fallen;
  double clock;  // s in this phase
  double speed;  // m/s, wanted: it grows to that of the command step by step
  pl_vec3 facing;
  walk_foot feet[MAX_FEET];
} walk_state;

// The step under way, as all the functions below need it.
typedef struct walk {
  const double *settings;
  walk_state *state;
  const pl_actor_view *view;
  pl_motion_frame frame;
  pl_quat yaw;
  int32_t foot_count, parts[MAX_FEET];
  int32_t at_once, group_count;
  double speed;     // m/s, wanted
  double swing;     // s
  double pendulum;  // s: √(height of the centre of mass / gravity)
} walk;

static bool is_swinging(const walk *w, int32_t foot) {
  return foot / w->at_once == w->state->group;
}

static const pl_part_view *part_of(const walk *w, int32_t foot) {
  return &w->view->parts[w->parts[foot]];
}

static double sole_of(const walk *w, int32_t foot) {
  return pl_motion_sole(w->view, &w->frame, part_of(w, foot));
}

// Middle of the feet that stay on the ground.
static pl_vec3 stance_of(const walk *w) {
  pl_vec3 sum = {0, 0, 0};
  int32_t count = 0;
  for (int32_t i = 0; i < w->foot_count; ++i) {
    if (w->state->phase != WALK_STAND && is_swinging(w, i)) continue;
    sum = pl_vec3_add(sum, part_of(w, i)->position);
    count++;
  }
  return count > 0 ? pl_vec3_scale(sum, 1.0 / count) : w->view->center;
}

// Where the centre of mass is going, relative to the stance: carried on as a pendulum upside down.
static pl_vec3 capture_of(const walk *w) {
  pl_vec3 point = pl_vec3_add_scaled(w->view->center, w->view->velocity, w->pendulum);
  return pl_vec3_sub(point, stance_of(w));
}

// How far the centre of mass may be from the middle of the stance along the way.
static double margin_of(const walk *w) {
  return w->settings[MARGIN] * w->frame.height;
}

// It is toppling over all its feet, along the way or back: no shift will help, only a step.
static bool must_step(const walk *w) {
  double min = HUGE_VAL, max = -HUGE_VAL;
  for (int32_t i = 0; i < w->foot_count; ++i) {
    double along = pl_vec3_dot(part_of(w, i)->position, w->frame.forward);
    min = fmin(min, along);
    max = fmax(max, along);
  }
  double going = pl_vec3_dot(pl_vec3_add_scaled(w->view->center, w->view->velocity, w->pendulum), w->frame.forward);
  return going < min - TOPPLE_MARGINS * margin_of(w) || going > max + TOPPLE_MARGINS * margin_of(w);
}

static bool may_lift(const walk *w) {
  if (w->state->clock > w->settings[MAX_SHIFT_TIME] * w->frame.beat || must_step(w)) return true;
  if (w->state->clock < w->settings[SHIFT_TIME] * w->frame.beat) return false;
  pl_vec3 capture = capture_of(w);
  double along = pl_vec3_dot(capture, w->frame.forward);
  if (along < -margin_of(w) || along > w->settings[AHEAD] * w->frame.height) return false;
  double wide = margin_of(w) + (1 - pl_motion_clamp(w->settings[SWAY], 0, 1)) * w->frame.height;
  return w->view->planar || fabs(pl_vec3_dot(capture, w->frame.side)) <= wide;
}

// Arm from the centre of mass to a foot along the ground, in the shape as built, turned to where the body faces.
static pl_vec3 arm_of(const walk *w, int32_t foot) {
  return pl_motion_level(&w->frame, pl_quat_rotate(w->yaw, part_of(w, foot)->rest));
}

// Feet that stand one behind the other must not pass nor tread on each other: between half and one and a half times as
// far apart as built.
static double keep_order(const walk *w, int32_t foot, double position) {
  const pl_motion_frame *frame = &w->frame;
  for (int32_t i = 0; i < w->foot_count; ++i) {
    pl_vec3 apart = pl_vec3_sub(arm_of(w, foot), arm_of(w, i));
    double along = pl_vec3_dot(apart, frame->forward), across = fabs(pl_vec3_dot(apart, frame->side));
    if (i == foot || fabs(along) < 2 * across || fabs(along) < SAME_SPOT * frame->height) continue;
    double there = pl_vec3_dot(part_of(w, i)->position, frame->forward);
    double near = there + MIN_APART * along, far = there + MAX_APART * along;
    position = pl_motion_clamp(position, fmin(near, far), fmax(near, far));
  }
  return position;
}

static pl_vec3 landing_position(const walk *w, int32_t foot) {
  const pl_motion_frame *frame = &w->frame;
  double cycle = w->group_count * (w->swing + w->settings[SHIFT_TIME] * frame->beat);
  pl_vec3 excess = pl_vec3_add_scaled(w->view->velocity, frame->forward, -w->speed);
  double stance = cycle - w->swing, along = 0.5 * stance * pl_vec3_dot(w->view->velocity, frame->forward);
  along =
      fmax(along, 0.5 * stance * w->speed) + w->settings[FEEDBACK] * w->pendulum * pl_vec3_dot(excess, frame->forward);
  double across = w->view->planar ? 0 : w->settings[SIDE_FEEDBACK] * w->pendulum * pl_vec3_dot(excess, frame->side);
  double max = w->settings[MAX_STEP_LENGTH] * frame->height;
  pl_vec3 arm = arm_of(w, foot), position = pl_vec3_add(w->view->center, arm);
  if (!w->view->planar) across += (w->settings[CLOSENESS] - 1) * pl_vec3_dot(arm, frame->side);
  position = pl_vec3_add_scaled(position, frame->forward, pl_motion_clamp(along, -max, max));
  position = pl_vec3_add_scaled(position, frame->side, pl_motion_clamp(across, -0.5 * max, 0.5 * max));
  double now = pl_vec3_dot(position, frame->forward);
  position = pl_vec3_add_scaled(position, frame->forward, keep_order(w, foot, now) - now);
  return pl_motion_at_height(frame, position, pl_motion_ground(w->view, position) + sole_of(w, foot));
}

// --- the machine
// ------------------------------------------------------------------------------------------------------

static void enter(walk *w, walk_phase phase) {
  w->state->phase = (int32_t)phase;
  w->state->clock = 0;
  for (int32_t i = 0; i < w->foot_count; ++i) {
    walk_foot *foot = &w->state->feet[i];
    foot->hold = part_of(w, i)->position;
    foot->aim = foot->hold;
    foot->down = 0;
  }
}

// A foot of the group has come down: for a while it still touches where it lifts from.
static void land_feet(walk *w, bool *all_down) {
  double t = w->state->clock / w->swing;
  *all_down = true;
  for (int32_t i = 0; i < w->foot_count; ++i) {
    walk_foot *foot = &w->state->feet[i];
    if (!is_swinging(w, i) || foot->down != 0) continue;
    const pl_part_view *part = part_of(w, i);
    if (t > MIN_SWING && part->touch_count > 0) {
      foot->down = 1;
      foot->hold = part->position;
    } else {
      *all_down = false;
    }
  }
}

static void next_phase(walk *w) {
  walk_state *state = w->state;
  bool all_down;
  switch ((walk_phase)state->phase) {
    case WALK_STAND:
      if (w->speed > 0) {
        state->group = 0;
        enter(w, WALK_SHIFT);
      }
      break;
    case WALK_SHIFT:
      if (!(w->speed > 0))
        enter(w, WALK_STAND);
      else if (may_lift(w))
        enter(w, WALK_SWING);
      break;
    case WALK_SWING:
      land_feet(w, &all_down);
      if (all_down || state->clock > MAX_SWING * w->swing) {
        state->group = (state->group + 1) % w->group_count;
        enter(w, WALK_SHIFT);
      }
      break;
  }
}

// A foot that stands holds its place. One that was pushed farther away than the margin is not drawn back all the way:
// the place comes along.
static void follow_feet(walk *w) {
  double slack = margin_of(w);
  for (int32_t i = 0; i < w->foot_count; ++i) {
    walk_foot *foot = &w->state->feet[i];
    pl_vec3 way = pl_vec3_sub(foot->hold, part_of(w, i)->position);
    double distance = pl_vec3_length(way);
    if (distance > slack) foot->hold = pl_vec3_add_scaled(part_of(w, i)->position, way, slack / distance);
  }
}

static void check_fall(walk *w) {
  bool down = pl_motion_is_down(w->view, &w->frame);
  if (down && w->state->fallen == 0) w->state->tumbles++;
  if (down) w->state->fallen = 1;
  if (!down && pl_motion_lean(w->view) < UPRIGHT_LEAN && w->state->fallen != 0) {
    w->state->fallen = 0;
    enter(w, WALK_STAND);
  }
}

// --- goals
// ------------------------------------------------------------------------------------------------------------

static void aim_center(const walk *w, pl_goals *goals) {
  const pl_motion_frame *frame = &w->frame;
  pl_vec3 stance = stance_of(w), center = w->view->center;
  double ahead = pl_vec3_dot(pl_vec3_sub(center, stance), frame->forward);
  double aside = w->settings[SWAY] * pl_vec3_dot(pl_vec3_sub(stance, center), frame->side);
  pl_aim aim = {.gain = w->settings[GAIN], .rate = 0.05, .acceleration = 0.2, .weight = w->settings[WEIGHT]};
  aim.axes = frame->level_axes;
  // Over the stance, give or take the margins; within them it continues at its speed, slower as it comes to the end.
  static const double TIGHT[] = {[WALK_STAND] = 0, [WALK_SHIFT] = SHIFT_MARGIN, [WALK_SWING] = SWING_MARGIN};
  double tight = TIGHT[w->state->phase];
  double behind = -tight * margin_of(w), beyond = tight * w->settings[AHEAD] * frame->height;
  double error = pl_motion_clamp(ahead, behind, beyond) - ahead;
  double fraction = pl_motion_clamp((beyond - ahead) / fmax(beyond - behind, PL_MOTION_TINY * frame->height), 0, 1);
  aim.target = pl_vec3_add_scaled(center, frame->forward, error);
  if (!w->view->planar) aim.target = pl_vec3_add_scaled(aim.target, frame->side, aside);
  aim.target_speed = pl_vec3_scale(frame->forward, w->speed * fraction);
  pl_aim_center(w->view, frame, &aim, goals);
  aim.axes = frame->height_axis;
  aim.acceleration = 1, aim.rate = 0.2;
  aim.target_speed = pl_vec3_of(0, 0, 0);
  double ground = 0.5 * (pl_motion_ground(w->view, stance) + pl_motion_ground(w->view, center));
  aim.target = pl_motion_at_height(frame, center, ground + w->settings[HEIGHT] * w->view->rest_height);
  pl_aim_center(w->view, frame, &aim, goals);
}

static void aim_swing(const walk *w, int32_t foot, pl_goals *goals) {
  const pl_motion_frame *frame = &w->frame;
  walk_foot *it = &w->state->feet[foot];
  double t = w->state->clock / w->swing, lift = w->settings[STEP_HEIGHT] * frame->height;
  // The landing position follows what the body does, ever less as the foot comes down.
  pl_vec3 wanted = landing_position(w, foot);
  double follow = pl_motion_clamp((1 - t) * FOLLOW_RATE * frame->step / w->swing, 0, 1);
  it->aim = w->state->clock <= frame->step ? wanted : pl_vec3_lerp(it->aim, wanted, follow);
  // Along the ground it arrives a little before it is down.
  double s = t / LEVEL_SWING, fraction = pl_motion_ease(s), rate = pl_motion_ease_rate(s) / (LEVEL_SWING * w->swing);
  pl_vec3 way = pl_vec3_sub(it->aim, it->hold);
  double late = fmax(0, t - 1) * w->swing;  // s: then it continues down until it finds the ground
  pl_aim aim = {.axes = frame->level_axes | frame->height_axis,
                .gain = w->settings[FOOT_GAIN],
                .rate = 0.5,
                .acceleration = 3,
                .weight = w->settings[FOOT_WEIGHT]};
  aim.target = pl_vec3_add_scaled(it->hold, way, fraction);
  aim.target = pl_vec3_add_scaled(aim.target, frame->up, lift * pl_motion_arch(t) - SEARCH_SPEED * frame->pace * late);
  aim.target_speed = pl_vec3_scale(way, rate);
  aim.target_speed = pl_vec3_add_scaled(aim.target_speed, frame->up, lift * pl_motion_arch_rate(t) / w->swing);
  pl_aim_part(w->view, frame, w->parts[foot], &aim, goals);
}

static void aim_stance(const walk *w, int32_t foot, pl_goals *goals) {
  const pl_motion_frame *frame = &w->frame;
  pl_aim aim = {.axes = frame->level_axes,
                .target = w->state->feet[foot].hold,
                .gain = w->settings[GAIN],
                .rate = 0.1,
                .acceleration = 1,
                .weight = w->settings[STANCE_WEIGHT] * w->settings[FOOT_WEIGHT]};
  // One that has lost the ground looks for it again.
  if (part_of(w, foot)->touch_count == 0) {
    pl_vec3 position = part_of(w, foot)->position;
    aim.axes |= frame->height_axis;
    aim.target = pl_motion_at_height(frame, aim.target, pl_motion_ground(w->view, position) + sole_of(w, foot));
  }
  pl_aim_part(w->view, frame, w->parts[foot], &aim, goals);
}

// The part of the ground's slope that the body turns by.
static pl_quat slope_of(const walk *w) {
  pl_quat slope = pl_motion_slope(w->view, &w->frame);
  double tilt = w->settings[TILT];
  return tilt < 1 ? pl_quat_slerp(pl_quat_identity(), slope, tilt) : slope;
}

// The place of a foot says nothing of how it is turned: one that carries little turns about the corner that carries
// most of it, and slides. Its tilt is left alone, or the body falls where the ground is not level.
static void aim_pivot(const walk *w, int32_t foot, pl_goals *goals) {
  pl_aim aim = {.axes = w->frame.height_axis, .acceleration = 3, .weight = w->settings[PIVOT_WEIGHT]};
  if (aim.weight > 0 && !w->view->planar) pl_aim_part_still(w->view, &w->frame, w->parts[foot], &aim, goals);
}

// Standing too: the middle of all feet and the places that they hold do not jump when one of them loses the ground for
// a step, as the middle of those that touch would. A centre of mass that follows such jumps rocks the body off its
// feet.
static void aim_all(walk *w, pl_goals *goals) {
  // In the air nothing moves the centre of mass.
  if (w->state->phase != WALK_STAND || w->view->touch_count > 0) aim_center(w, goals);
  for (int32_t i = 0; i < w->foot_count; ++i) {
    if (w->state->phase == WALK_SWING && is_swinging(w, i) && w->state->feet[i].down == 0) {
      aim_swing(w, i, goals);
    } else {
      aim_stance(w, i, goals);
      aim_pivot(w, i, goals);
    }
  }
  pl_hold hold = {.turn = pl_quat_multiply(slope_of(w), w->yaw),
                  .gain = w->settings[GAIN],
                  .rate = 0.3,
                  .acceleration = 1,
                  .weight = w->settings[HOLD_WEIGHT]};
  pl_aim_hold(w->view, &w->frame, &hold, goals);
}

static walk walk_of(const double *settings, walk_state *state, const pl_actor_view *view) {
  walk w = {.settings = settings, .state = state, .view = view, .frame = pl_motion_frame_of(view)};
  w.foot_count = pl_motion_feet(view, MAX_FEET, w.parts);
  w.at_once = (int32_t)settings[AT_ONCE];
  if (w.at_once == 0) w.at_once = w.foot_count >= 4 ? (w.foot_count + 1) / 2 : 1;
  w.at_once = w.at_once < w.foot_count ? w.at_once : (w.foot_count > 1 ? w.foot_count - 1 : 1);
  w.group_count = w.foot_count > 0 ? (w.foot_count + w.at_once - 1) / w.at_once : 1;
  // From standing it steps in place first, then ever longer: feet that are to push off at once slip.
  double command = pl_motion_speed(&w.frame, view, settings[MAX_SPEED]);
  state->speed = fmin(command, state->speed + START * w.frame.pace * w.frame.step / w.frame.beat);
  w.speed = state->speed;
  w.swing = settings[SWING_TIME] * w.frame.beat;
  w.pendulum = sqrt(fmax(view->rest_height, MIN_PENDULUM * w.frame.height) / w.frame.gravity);
  return w;
}

static void walk_choose(const double *settings, void *memory, const pl_actor_view *view, pl_goals *goals) {
  walk_state *state = memory;
  walk w = walk_of(settings, state, view);
  if (state->begun == 0) {
    state->begun = 1;
    state->facing = pl_quat_rotate(view->turn, pl_vec3_of(1, 0, 0));
    enter(&w, WALK_STAND);
  }
  double turn = settings[TURN_RATE] * w.frame.step / w.frame.beat;
  state->facing = pl_motion_turn_toward(&w.frame, state->facing, w.frame.forward, turn);
  w.yaw = pl_motion_yaw(view, &w.frame, state->facing);
  check_fall(&w);
  if (w.foot_count >= 2 && state->fallen == 0) next_phase(&w);
  state->clock += w.frame.step;
  if (state->fallen != 0) {
    pl_stand_lie(view, &w.frame, goals);
    return;
  }
  if (w.foot_count < 2) {
    pl_stand stand = pl_stand_usual(view, &w.frame);
    stand.turn = pl_quat_multiply(slope_of(&w), w.yaw);
    stand.height = settings[HEIGHT];
    stand.gain = settings[GAIN];
    stand.weight = settings[WEIGHT];
    stand.hold_weight = settings[HOLD_WEIGHT];
    pl_stand_goals(view, &w.frame, &stand, goals);
    return;
  }
  if (state->phase == WALK_STAND) follow_feet(&w);
  aim_all(&w, goals);
}

static void walk_count(const double *settings, const void *memory, pl_actor_tally *tally) {
  (void)settings;
  const walk_state *state = memory;
  tally->tumbles = state->tumbles;
}

const pl_behaviour pl_behaviour_walk = {
    .name = "walk",
    .about = "Sets one foot before the other, where the motion of its centre of mass needs them.",
    .settings = settings_of_walk,
    .setting_count = SETTING_COUNT,
    .state_size = sizeof(walk_state),
    .choose = walk_choose,
    .count = walk_count};
