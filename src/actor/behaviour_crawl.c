// Crawl: by a wave that runs along the body from rear to front, like a caterpillar.
//
// Where the wave is, the body is lifted a little and goes forward; everywhere else it holds on to the ground. Each part
// so takes a step in every cycle, one after the other. Parts get positions relative to each other; slipping shifts all
// of them, instead of being fought.
//
// Of two parts the front goes ahead while the rear holds, then the rear follows while the front holds, like a
// caterpillar of the geometer moths. What holds is pressed to the ground, so that friction acts on one more than on the
// other. A body without parts rocks instead: its centre of mass surges forward while it presses on the ground and waits
// while it sinks.
#include <math.h>

#include "actor/behaviour_list.h"
#include "actor/behaviour_stand.h"
#include "pliant/math.h"

enum { MAX_SPEED, STROKE, LIFT, PRESS, SWING, MIN_BEAT, GAIN, WEIGHT, PART_WEIGHT, SETTING_COUNT };
enum { MAX_PARTS = 24 };
static const double HIGH_PART = 0.4;  // heights: parts built higher cannot hold on to the ground
// of the larger of width and height: parts closer together make no front and rear
static const double MIN_LENGTH = 0.15;
static const double MIN_COUNTED_STROKE = 0.25;  // of a stroke, to count as a step
// of a stroke that the front reaches beyond its distance as built; the rear does the rest
static const double FRONT_REACH = 0.75;
static const double MAX_HALF = 20;  // beats: however slow the command, it keeps moving

static const pl_behaviour_setting settings_of_crawl[SETTING_COUNT] = {
    [MAX_SPEED] = {"max_speed", "paces", 0.2, 0, 1, "Maximum speed; a pace is √(height · gravity)."},
    [STROKE] = {"stroke", "fraction", 0.2, 0.01, 1,
                "Way of a part in one cycle, as a fraction of the way from rear to front."},
    [LIFT] = {"lift", "fraction", 0.06, 0, 0.5, "How far the end that moves is lifted, as a fraction of the height."},
    [PRESS] = {"press", "fraction", 0.02, 0, 0.2,
               "How far below the ground the end that holds aims, as a fraction of the height."},
    [SWING] = {"swing", "fraction", 0.4, 0.1, 0.9, "Fraction of a cycle that a part is lifted for, in a wave."},
    [MIN_BEAT] = {"half_time", "beats", 1.2, 0.3, 20, "Minimum time of half a cycle; a beat is √(height / gravity)."},
    [GAIN] = {"gain", "1/beat", 2, 0.01, 20, "How fast errors are corrected."},
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
  // Of a wave:
  int32_t wave_steps[MAX_PARTS];  // that each part has begun
  double cycles;                  // since it began
  pl_vec3 positions[MAX_PARTS];   // of the parts when it began
} crawl_state;

// The parts farthest ahead and behind; false without two that lie apart.
static bool find_ends(const pl_actor_view *view, const pl_motion_frame *frame, int32_t *front, int32_t *rear,
                      double *length) {
  pl_vec3 direction = view->planar ? frame->forward : pl_quat_rotate(pl_quat_conjugate(view->turn), frame->forward);
  double max = -HUGE_VAL, min = HUGE_VAL;
  for (int32_t i = 0; i < view->part_count; ++i) {
    // Only what is near the ground can hold on to it.
    if (view->parts[i].rest_lowest > HIGH_PART * frame->height) continue;
    double along = pl_vec3_dot(view->parts[i].rest, direction);
    if (along > max) {
      max = along;
      *front = i;
    }
    if (along < min) {
      min = along;
      *rear = i;
    }
  }
  *length = max - min;
  return *length > MIN_LENGTH * fmax(view->width, frame->height) && *front != *rear;
}

static double sole_of(const pl_actor_view *view, const pl_motion_frame *frame, int32_t part) {
  return pl_motion_sole(view, frame, &view->parts[part]);
}

// Begin the other half: what moved holds from now on, where it is.
static void switch_half(const double *settings, crawl_state *state, const pl_actor_view *view,
                        const pl_motion_frame *frame, int32_t front, int32_t rear, double length) {
  double went = 0;
  if (state->begun != 0)
    went =
        pl_vec3_dot(pl_vec3_sub(view->parts[state->front_moves ? front : rear].position, state->start), frame->forward);
  if (went > MIN_COUNTED_STROKE * settings[STROKE] * length) state->steps++;
  state->front_moves = state->begun == 0 ? 1 : !state->front_moves;
  state->begun = 1;
  state->clock = 0;
  double stroke = settings[STROKE] * length, speed = pl_motion_speed(frame, view, settings[MAX_SPEED]);
  state->half = fmax(0.5 * stroke / fmax(speed, PL_MOTION_TINY * frame->pace), settings[MIN_BEAT] * frame->beat);
  state->half = fmin(state->half, MAX_HALF * frame->beat);
  state->start = view->parts[state->front_moves ? front : rear].position;
  state->held = view->parts[state->front_moves ? rear : front].position;
  double span = state->front_moves ? length + FRONT_REACH * stroke : -(length - (1 - FRONT_REACH) * stroke);
  state->target = pl_vec3_add_scaled(state->held, frame->forward, span);
}

static void aim_ends(const double *settings, const crawl_state *state, const pl_actor_view *view,
                     const pl_motion_frame *frame, int32_t front, int32_t rear, pl_goals *goals) {
  int32_t moving = state->front_moves ? front : rear, holding = state->front_moves ? rear : front;
  double t = state->clock / state->half;
  pl_vec3 way = pl_motion_level(frame, pl_vec3_sub(state->target, state->start));
  pl_vec3 position = pl_vec3_add_scaled(state->start, way, pl_motion_ease(t));
  double lift = settings[LIFT] * frame->height;
  pl_aim aim = {.axes = frame->level_axes | frame->height_axis,
                .gain = settings[GAIN],
                .rate = 0.5,
                .acceleration = 1,
                .weight = settings[PART_WEIGHT]};
  aim.target = pl_motion_at_height(
      frame, position, pl_motion_ground(view, position) + sole_of(view, frame, moving) + lift * pl_motion_arch(t));
  aim.target_speed = pl_vec3_add(pl_vec3_scale(way, pl_motion_ease_rate(t) / state->half),
                                 pl_vec3_scale(frame->up, lift * pl_motion_arch_rate(t) / state->half));
  pl_aim_part(view, frame, moving, &aim, goals);
  position = state->held;
  aim.target = pl_motion_at_height(
      frame, position,
      pl_motion_ground(view, position) + sole_of(view, frame, holding) - settings[PRESS] * frame->height);
  aim.target_speed = pl_vec3_of(0, 0, 0);
  pl_aim_part(view, frame, holding, &aim, goals);
}

// Parts near the ground in the order of the wave, from rear to front; their number, 0 if they are too many or all at
// one position.
static int32_t order_parts(const pl_actor_view *view, const pl_motion_frame *frame, int32_t *order, double *length) {
  pl_vec3 direction = view->planar ? frame->forward : pl_quat_rotate(pl_quat_conjugate(view->turn), frame->forward);
  double along[MAX_PARTS];
  int32_t count = 0;
  if (view->part_count > MAX_PARTS) return 0;
  for (int32_t i = 0; i < view->part_count; ++i) {
    // Only what is near the ground can hold on to it.
    if (view->parts[i].rest_lowest > HIGH_PART * frame->height) continue;
    int32_t k = count++;
    along[i] = pl_vec3_dot(view->parts[i].rest, direction);
    for (; k > 0 && along[order[k - 1]] > along[i]; --k) order[k] = order[k - 1];
    order[k] = i;
  }
  *length = count > 0 ? along[order[count - 1]] - along[order[0]] : 0;
  return *length > MIN_LENGTH * fmax(view->width, frame->height) ? count : 0;
}

// How far a part has come after a number of cycles, in strokes, and how high it is; of both the rates per cycle.
typedef struct wave_position {
  double way, way_rate, lift, lift_rate;
} wave_position;

static wave_position wave_at(double cycles, double swing) {
  if (cycles < 0) return (wave_position){0};
  double whole = floor(cycles), t = (cycles - whole) / swing;
  return (wave_position){.way = whole + pl_motion_ease(t),
                         .way_rate = t < 1 ? pl_motion_ease_rate(t) / swing : 0,
                         .lift = t < 1 ? pl_motion_arch(t) : 0,
                         .lift_rate = t < 1 ? pl_motion_arch_rate(t) / swing : 0};
}

static void wave(const double *settings, crawl_state *state, const pl_actor_view *view, const pl_motion_frame *frame,
                 const int32_t *order, int32_t count, double length, pl_goals *goals) {
  double stroke = settings[STROKE] * length, speed = pl_motion_speed(frame, view, settings[MAX_SPEED]);
  double period = fmax(stroke / fmax(speed, PL_MOTION_TINY * frame->pace), 2 * settings[MIN_BEAT] * frame->beat);
  if (state->begun == 0)
    for (int32_t k = 0; k < count; ++k) state->positions[k] = view->parts[order[k]].position;
  state->begun = 1;
  state->cycles += frame->step / period;
  // By how much it has slipped as a whole.
  pl_vec3 slip = {0, 0, 0};
  for (int32_t k = 0; k < count; ++k) {
    wave_position at = wave_at(state->cycles - (double)k / count, settings[SWING]);
    pl_vec3 ideal = pl_vec3_add_scaled(state->positions[k], frame->forward, stroke * at.way);
    slip = pl_vec3_add_scaled(slip, pl_vec3_sub(view->parts[order[k]].position, ideal), 1.0 / count);
  }
  double lift = settings[LIFT] * frame->height;
  for (int32_t k = 0; k < count; ++k) {
    double cycles = state->cycles - (double)k / count;
    wave_position at = wave_at(cycles, settings[SWING]);
    pl_vec3 position = pl_vec3_add(pl_vec3_add_scaled(state->positions[k], frame->forward, stroke * at.way),
                                   pl_motion_level(frame, slip));
    pl_aim aim = {.axes = frame->level_axes | frame->height_axis,
                  .gain = settings[GAIN],
                  .rate = 0.5,
                  .acceleration = 1,
                  .weight = settings[PART_WEIGHT]};
    aim.target = pl_motion_at_height(
        frame, position, pl_motion_ground(view, position) + sole_of(view, frame, order[k]) + lift * at.lift);
    aim.target_speed = pl_vec3_add(pl_vec3_scale(frame->forward, stroke * at.way_rate / period),
                                   pl_vec3_scale(frame->up, lift * at.lift_rate / period));
    pl_aim_part(view, frame, order[k], &aim, goals);
    if (cycles >= state->wave_steps[k]) {
      state->wave_steps[k]++;
      state->steps++;
    }
  }
  pl_hold hold = {.turn = pl_motion_yaw(view, frame, frame->forward),
                  .gain = 0.5 * settings[GAIN],
                  .rate = 0.5,
                  .acceleration = 1,
                  .weight = settings[WEIGHT]};
  pl_aim_hold(view, frame, &hold, goals);
}

// Without parts: forward while it rises and presses, waiting while it sinks and is light.
static void rock(const double *settings, crawl_state *state, const pl_actor_view *view, const pl_motion_frame *frame,
                 pl_goals *goals) {
  double period = 2 * settings[MIN_BEAT] * frame->beat, angle = 2 * PL_PI * state->clock / period;
  double speed = pl_motion_speed(frame, view, settings[MAX_SPEED]), lift = settings[LIFT] * frame->height;
  pl_vec3 support = pl_motion_support(view, frame);
  pl_aim aim = {.axes = frame->level_axes, .target = view->center, .acceleration = 1, .weight = settings[PART_WEIGHT]};
  aim.target_speed = pl_vec3_scale(frame->forward, speed * (1 + cos(angle)));
  pl_aim_center(view, frame, &aim, goals);
  aim.axes = frame->height_axis;
  aim.gain = settings[GAIN];
  aim.rate = 0.3;
  aim.target = pl_motion_at_height(frame, view->center,
                                   pl_vec3_dot(support, frame->up) + view->rest_height - lift * (1 - sin(angle)));
  aim.target_speed = pl_vec3_scale(frame->up, 2 * PL_PI / period * lift * cos(angle));
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
  int32_t order[MAX_PARTS], count = order_parts(view, &frame, order, &length);
  if (count > 2) {
    wave(settings, state, view, &frame, order, count, length, goals);
    return;
  }
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

const pl_behaviour pl_behaviour_crawl = {
    .name = "crawl",
    .about =
        "Moves by a wave that runs along it, or front and rear in turn; what does not move holds on to the ground.",
    .settings = settings_of_crawl,
    .setting_count = SETTING_COUNT,
    .state_size = sizeof(crawl_state),
    .choose = crawl_choose,
    .count = crawl_count};
