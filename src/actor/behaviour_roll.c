// Roll: the centre of mass goes along the heading at the wanted speed while the body turns about the axis across it as
// a wheel of its height would.
//
// A body that touches the ground below its centre of mass cannot push itself along without being turned the wrong way;
// it has to bring its centre of mass in front of where it touches, and its weight does the rest. The goal on the centre
// of mass asks for that where the contact lags; the spin goals carry the shape round.
//
// A body with legs has no such place below it. It tumbles: it turns about the edge between two of the legs that it
// stands on, the one that lies best on its way, is lifted over it, and falls on the next leg. With the way r from the
// edge to the centre of mass and the wanted turning ω its centre of mass is to go at ω x r: up as long as it is behind
// the edge, down after that. Legs are the parts; without them the foremost touch is the edge.
#include <math.h>

#include "actor/behaviour_list.h"
#include "actor/behaviour_stand.h"
#include "pliant/math.h"

enum { MAX_SPEED, ACCELERATION, LEAD, PIVOT, HEIGHT_WEIGHT, SPIN_WEIGHT, WEIGHT, SETTING_COUNT };

static const pl_behaviour_setting settings_of_roll[SETTING_COUNT] = {
    [MAX_SPEED] = {"max_speed", "paces", 0.7, 0, 3, "Maximum speed; a pace is √(height · gravity)."},
    [ACCELERATION] = {"acceleration", "g", 0.15, 0.001, 5, "Maximum acceleration that is asked for."},
    [LEAD] = {"lead", "fraction", 0.06, 0, 0.5,
              "How far the centre of mass is to be ahead of the middle of the touches while it speeds up, as a "
              "fraction of the height."},
    [PIVOT] = {"pivot", "fraction", 0, 0, 1,
               "What it turns about: 0 rolls over the middle of the touches, 1 tumbles over the foremost, between them "
               "mixtures."},
    [HEIGHT_WEIGHT] = {"height_weight", "", 0.3, 0, 1000, "Importance of the height of the centre of mass."},
    [SPIN_WEIGHT] = {"spin_weight", "", 0.3, 0, 1000, "Importance of turning as a wheel."},
    [WEIGHT] = {"weight", "", 1, 0, 1000, "Importance of the speed of the centre of mass."},
};

typedef struct roll_state {
  pl_vec3 toward;  // of length 1: which way it tumbles, 0 before it has begun
  double speed;    // m/s, what is asked for now: it follows the command no faster than the acceleration allows
} roll_state;

static const double FULL_LEAD = 0.1;       // paces: error of the speed at which the whole lead is used
static const double MAX_LEAD_SPEED = 0.1;  // paces
static const double MAX_LAG = 0.2;         // paces that the body may differ from the speed asked for
static const double MIN_RADIUS = 0.05;     // heights: a body pressed flat must not spin without bound
static const double MIN_EDGE = 0.1;        // heights: shorter edges have no direction
static const double EDGE_SLACK = 0.05;     // heights that another touch may be in front of an edge
static const double MIN_SCORE = 0.2;       // cosine: an edge that lies more along the way is none

// Where the centre of mass is to be relative to the touches, as a velocity that is added to the wanted one.
static double lead_speed(const double *settings, const pl_actor_view *view, const pl_motion_frame *frame,
                         double wanted) {
  if (view->touch_count == 0) return 0;
  double error =
      pl_motion_clamp((wanted - pl_vec3_dot(view->velocity, frame->forward)) / (FULL_LEAD * frame->pace), -1, 1);
  double ahead = -0.5 * (view->min_touch + view->max_touch);
  return (settings[LEAD] * frame->height * error - ahead * fabs(error)) / frame->beat;
}

// The body turns as a wheel of its height would: about the axis across the way, the top going forward.
static void spin(const double *settings, const pl_actor_view *view, const pl_motion_frame *frame, double speed,
                 pl_goals *goals) {
  double radius = fmax(view->rest_height, MIN_RADIUS * frame->height);
  pl_hold hold = {.turn = view->turn,
                  .spin = pl_vec3_scale(frame->side, -speed / radius),
                  .acceleration = 2 * settings[ACCELERATION],
                  .weight = settings[SPIN_WEIGHT]};
  pl_aim_hold(view, frame, &hold, goals);
}

// An edge to tumble over.
typedef struct edge {
  pl_vec3 toward;  // across it, on the ground
  double ahead;    // m from the centre of mass to it
  double score;    // how well it lies on the way
} edge;

// The edge between two parts that touch: all others that touch must lie behind it.
static bool evaluate_edge(const pl_actor_view *view, const pl_motion_frame *frame, int32_t i, int32_t j, edge *it) {
  pl_vec3 from = view->parts[i].touch, along = pl_motion_level(frame, pl_vec3_sub(view->parts[j].touch, from));
  if (pl_vec3_length(along) < MIN_EDGE * frame->height) return false;
  it->toward = pl_vec3_normalize_or(pl_vec3_cross(along, frame->up), frame->forward);
  if (pl_vec3_dot(it->toward, frame->forward) < 0) it->toward = pl_vec3_scale(it->toward, -1);
  it->score = pl_vec3_dot(it->toward, frame->forward);
  it->ahead = pl_vec3_dot(pl_vec3_sub(from, view->center), it->toward);
  for (int32_t k = 0; k < view->part_count; ++k) {
    if (k == i || k == j || view->parts[k].touch_count == 0) continue;
    if (pl_vec3_dot(pl_vec3_sub(view->parts[k].touch, from), it->toward) > EDGE_SLACK * frame->height) return false;
  }
  return true;
}

static edge find_edge(const roll_state *state, const pl_actor_view *view, const pl_motion_frame *frame) {
  edge best = {.toward = pl_vec3_normalize_or(state->toward, frame->forward), .score = MIN_SCORE};
  best.ahead = view->max_touch * pl_vec3_dot(best.toward, frame->forward);
  for (int32_t i = 0; i < view->part_count; ++i) {
    if (view->parts[i].touch_count == 0) continue;
    for (int32_t j = i + 1; j < view->part_count; ++j) {
      edge it;
      if (view->parts[j].touch_count > 0 && evaluate_edge(view, frame, i, j, &it) && it.score > best.score) best = it;
    }
  }
  return best;
}

static void tumble(const double *settings, roll_state *state, const pl_actor_view *view, const pl_motion_frame *frame,
                   pl_goals *goals) {
  double turning = state->speed / fmax(view->rest_height, MIN_RADIUS * frame->height);
  edge over = find_edge(state, view, frame);
  if (view->touch_count > 0) state->toward = over.toward;
  pl_hold hold = {.turn = view->turn,
                  .spin = pl_vec3_scale(pl_vec3_cross(frame->up, over.toward), turning),
                  .acceleration = 2 * settings[ACCELERATION],
                  .weight = settings[SPIN_WEIGHT]};
  pl_aim_hold(view, frame, &hold, goals);
  if (view->touch_count == 0) return;
  double middle = pl_vec3_dot(pl_vec3_sub(view->touch, view->center), over.toward);
  double ahead = middle + settings[PIVOT] * (over.ahead - middle);
  double height = pl_vec3_dot(pl_vec3_sub(view->center, view->touch), frame->up);
  pl_aim aim = {.target = view->center, .acceleration = 2 * settings[ACCELERATION]};
  aim.axes = frame->level_axes;
  aim.target_speed = pl_vec3_scale(over.toward, turning * fmax(height, 0));
  aim.weight = settings[WEIGHT];
  pl_aim_center(view, frame, &aim, goals);
  aim.axes = frame->height_axis;
  aim.target_speed = pl_vec3_scale(frame->up, turning * ahead);
  aim.weight = settings[HEIGHT_WEIGHT];
  pl_aim_center(view, frame, &aim, goals);
}

static void roll_choose(const double *settings, void *memory, const pl_actor_view *view, pl_goals *goals) {
  roll_state *state = memory;
  pl_motion_frame frame = pl_motion_frame_of(view);
  double change = settings[ACCELERATION] * frame.gravity * frame.step;
  double wanted = pl_motion_speed(&frame, view, settings[MAX_SPEED]);
  state->speed += pl_motion_clamp(wanted - state->speed, -change, change);
  if (settings[PIVOT] > 0) {
    tumble(settings, state, view, &frame, goals);
    return;
  }
  // Far behind what was asked for it starts again from the speed it has.
  double now = pl_vec3_dot(view->velocity, frame.forward);
  state->speed =
      pl_motion_clamp(state->speed, fmin(now - MAX_LAG * frame.pace, wanted), fmax(now + MAX_LAG * frame.pace, 0));
  double lead = pl_motion_clamp(lead_speed(settings, view, &frame, state->speed), -MAX_LEAD_SPEED * frame.pace,
                                MAX_LEAD_SPEED * frame.pace);
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
