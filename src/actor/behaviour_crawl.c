// Crawl: the front goes ahead while the rear holds, then the rear follows while the front holds, like a caterpillar of the geometer moths.
//
// What holds is pressed to the ground and what moves is lifted a little, so that friction acts on one more than on the other. Front and rear are the parts that lie farthest
// ahead and behind. A body without parts rocks instead: its centre of mass surges forward while it presses on the ground and waits while it sinks.
#include <math.h>

#include "actor/behaviour_list.h"
#include "actor/behaviour_stand.h"
#include "math/quat.h"
#include "math/vec3.h"

enum { SPEED_LIMIT, STROKE, LIFT, PRESS, BEAT_LEAST, GAIN, WEIGHT, PART_WEIGHT, SETTING_COUNT };

static const pl_behaviour_setting settings_of_crawl[SETTING_COUNT] = {
    [SPEED_LIMIT] = {"speed_limit", "paces", 0.2, 0, 1, "Most speed; a pace is √(height · gravity)."},
    [STROKE] = {"stroke", "share", 0.2, 0.01, 1, "How much longer it gets than it was, as a share of the way from rear to front."},
    [LIFT] = {"lift", "share", 0.06, 0, 0.5, "How far the end that moves is lifted, as a share of the height."},
    [PRESS] = {"press", "share", 0.02, 0, 0.2, "How far below the ground the end that holds aims, as a share of the height."},
    [BEAT_LEAST] = {"half_time", "beats", 1.2, 0.3, 20, "Least time of half a cycle; a beat is √(height / gravity)."},
    [GAIN] = {"gain", "1/beat", 2, 0.01, 20, "How fast errors are worked off."},
    [WEIGHT] = {"weight", "", 0.3, 0, 1000, "Importance of the centre of mass."},
    [PART_WEIGHT] = {"part_weight", "", 1, 0, 1000, "Importance of front and rear."},
};

typedef struct crawl_state {
  int32_t begun, front_moves, steps;
  double clock;    // s in this half
  double half;     // s it takes
  pl_vec3 start;   // where the end that moves was
  pl_vec3 held;    // where the other is
  pl_vec3 target;  // where the end that moves goes to
} crawl_state;

// The parts farthest ahead and behind; false without two that lie apart.
static bool find_ends(const pl_actor_view *view, const pl_motion_frame *frame, int32_t *front, int32_t *rear, double *length) {
  pl_vec3 direction = view->planar ? frame->forward : pl_quat_apply(pl_quat_conjugate(view->turn), frame->forward);
  double most = -HUGE_VAL, least = HUGE_VAL;
  for (int32_t i = 0; i < view->part_count; ++i) {
    // Only what is near the ground can hold on to it.
    if (view->parts[i].rest_lowest > 0.4 * frame->height) continue;
    double along = pl_vec3_dot(view->parts[i].rest, direction);
    if (along > most) {
      most = along;
      *front = i;
    }
    if (along < least) {
      least = along;
      *rear = i;
    }
  }
  *length = most - least;
  return *length > 0.15 * fmax(view->width, frame->height) && *front != *rear;
}

static double sole_of(const pl_actor_view *view, const pl_motion_frame *frame, int32_t part) {
  return view->rest_height + pl_vec3_dot(view->parts[part].rest, frame->up) - view->parts[part].rest_lowest;
}

// Begin the other half: what moved holds from now on, where it is.
static void switch_half(const double *settings, crawl_state *state, const pl_actor_view *view, const pl_motion_frame *frame,
                        int32_t front, int32_t rear, double length) {
  state->front_moves = state->begun == 0 ? 1 : !state->front_moves;
  state->begun = 1;
  state->clock = 0;
  double stroke = settings[STROKE] * length, speed = pl_motion_speed(frame, view, settings[SPEED_LIMIT]);
  state->half = fmax(0.5 * stroke / fmax(speed, 1e-6 * frame->pace), settings[BEAT_LEAST] * frame->beat);
  state->half = fmin(state->half, 20 * frame->beat);
  state->start = view->parts[state->front_moves ? front : rear].position;
  state->held = view->parts[state->front_moves ? rear : front].position;
  double span = state->front_moves ? length + 0.75 * stroke : -(length - 0.25 * stroke);
  state->target = pl_vec3_add_scaled(state->held, frame->forward, span);
  if (pl_vec3_dot(pl_vec3_sub(state->target, state->start), frame->forward) > 0.25 * stroke) state->steps++;
}

static void aim_ends(const double *settings, const crawl_state *state, const pl_actor_view *view, const pl_motion_frame *frame,
                     int32_t front, int32_t rear, pl_goals *goals) {
  int32_t moving = state->front_moves ? front : rear, holding = state->front_moves ? rear : front;
  double t = state->clock / state->half;
  pl_vec3 way = pl_motion_level(frame, pl_vec3_sub(state->target, state->start));
  pl_vec3 place = pl_vec3_add_scaled(state->start, way, pl_motion_ease(t));
  double lift = settings[LIFT] * frame->height;
  pl_aim aim = {.axes = frame->level_axes | frame->height_axis,
                .gain = settings[GAIN],
                .rate = 0.5,
                .acceleration = 1,
                .weight = settings[PART_WEIGHT]};
  aim.target =
      pl_motion_at_height(frame, place, pl_motion_ground(view, place) + sole_of(view, frame, moving) + lift * pl_motion_arch(t));
  aim.target_speed = pl_vec3_add(pl_vec3_scale(way, pl_motion_ease_rate(t) / state->half),
                                 pl_vec3_scale(frame->up, lift * pl_motion_arch_rate(t) / state->half));
  pl_aim_part(view, frame, moving, &aim, goals);
  place = state->held;
  aim.target = pl_motion_at_height(frame, place,
                                   pl_motion_ground(view, place) + sole_of(view, frame, holding) - settings[PRESS] * frame->height);
  aim.target_speed = pl_vec3_of(0, 0, 0);
  pl_aim_part(view, frame, holding, &aim, goals);
}

// Without parts: forward while it rises and presses, waiting while it sinks and is light.
static void rock(const double *settings, crawl_state *state, const pl_actor_view *view, const pl_motion_frame *frame,
                 pl_goals *goals) {
  const double pi = 3.14159265358979323846;
  double period = 2 * settings[BEAT_LEAST] * frame->beat, angle = 2 * pi * state->clock / period;
  double speed = pl_motion_speed(frame, view, settings[SPEED_LIMIT]), lift = settings[LIFT] * frame->height;
  pl_vec3 support = pl_motion_support(view, frame);
  pl_aim aim = {.axes = frame->level_axes, .target = view->center, .acceleration = 1, .weight = settings[PART_WEIGHT]};
  aim.target_speed = pl_vec3_scale(frame->forward, speed * (1 + cos(angle)));
  pl_aim_center(view, frame, &aim, goals);
  aim.axes = frame->height_axis;
  aim.gain = settings[GAIN];
  aim.rate = 0.3;
  aim.target =
      pl_motion_at_height(frame, view->center, pl_vec3_dot(support, frame->up) + view->rest_height - lift * (1 - sin(angle)));
  aim.target_speed = pl_vec3_scale(frame->up, 2 * pi / period * lift * cos(angle));
  pl_aim_center(view, frame, &aim, goals);
  if (state->clock >= period) state->clock -= period;
}

static void crawl_choose(const double *settings, void *memory, const pl_actor_view *view, pl_goals *goals) {
  crawl_state *state = memory;
  pl_motion_frame frame = pl_motion_frame_of(view);
  if (!(view->command.speed > 0)) {
    *state = (crawl_state){.steps = state->steps};
    pl_stand stand = pl_stand_usual(view, &frame);
    pl_stand_goals(view, &frame, &stand, goals);
    return;
  }
  int32_t front = 0, rear = 0;
  double length;
  state->clock += frame.step;
  if (!find_ends(view, &frame, &front, &rear, &length)) {
    rock(settings, state, view, &frame, goals);
    return;
  }
  if (state->begun == 0 || state->clock >= state->half) switch_half(settings, state, view, &frame, front, rear, length);
  aim_ends(settings, state, view, &frame, front, rear, goals);
  // The rest of it goes along.
  pl_aim aim = {.axes = frame.level_axes, .target = view->center, .acceleration = 0.5, .weight = settings[WEIGHT]};
  aim.target_speed = pl_vec3_scale(frame.forward, 0.5 * settings[STROKE] * length / state->half);
  pl_aim_center(view, &frame, &aim, goals);
  aim.axes = frame.height_axis;
  aim.gain = settings[GAIN];
  aim.rate = 0.3;
  aim.target = pl_motion_at_height(&frame, view->center, pl_motion_ground(view, view->center) + view->rest_height);
  aim.target_speed = pl_vec3_of(0, 0, 0);
  pl_aim_center(view, &frame, &aim, goals);
}

static void crawl_count(const double *settings, const void *memory, pl_actor_tally *tally) {
  (void)settings;
  tally->steps = ((const crawl_state *)memory)->steps;
}

const pl_behaviour pl_behaviour_crawl = {.name = "crawl",
                                         .about = "Moves front and rear in turn, the other end holding on to the ground.",
                                         .settings = settings_of_crawl,
                                         .setting_count = SETTING_COUNT,
                                         .state_size = sizeof(crawl_state),
                                         .choose = crawl_choose,
                                         .count = crawl_count};
