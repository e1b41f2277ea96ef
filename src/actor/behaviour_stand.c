// Stand: the centre of mass above the place between the feet that it was built above, as high as in the shape as built,
// upright, everything at rest.
#include "actor/behaviour_stand.h"

#include "actor/behaviour_list.h"
#include "pliant/math.h"

enum { HEIGHT, GAIN, ACCELERATION, WEIGHT, HOLD_WEIGHT, SETTING_COUNT };

static const pl_behaviour_setting settings_of_stand[SETTING_COUNT] = {
    [HEIGHT] = {"height", "fraction", 1, 0.3, 1.5,
                "Height of the centre of mass, as a fraction of that in the shape as built."},
    [GAIN] = {"gain", "1/beat", 1, 0.01, 20, "How fast errors are corrected; a beat is √(height / gravity)."},
    [ACCELERATION] = {"acceleration", "g", 0.5, 0.01, 10, "Maximum acceleration that is asked for."},
    [WEIGHT] = {"weight", "", 1, 0, 1000, "Importance of the centre of mass."},
    [HOLD_WEIGHT] = {"hold_weight", "", 0.5, 0, 1000, "Importance of being upright."},
};

// Of one that lies: gravities, and importance.
static const double LIE_ACCELERATION = 0.1, LIE_WEIGHT = 0.1;

pl_stand pl_stand_usual(const pl_actor_view *view, const pl_motion_frame *frame) {
  // Facing as it does: the rotation about up that the body's front has taken.
  pl_vec3 front = pl_quat_rotate(view->turn, pl_vec3_of(1, 0, 0));
  return (pl_stand){.over = pl_vec3_add(pl_motion_support(view, frame), pl_motion_poise(view, frame)),
                    .height = settings_of_stand[HEIGHT].preset,
                    .turn = pl_motion_yaw(view, frame, front),
                    .gain = settings_of_stand[GAIN].preset,
                    .acceleration = settings_of_stand[ACCELERATION].preset,
                    .weight = settings_of_stand[WEIGHT].preset,
                    .hold_weight = settings_of_stand[HOLD_WEIGHT].preset};
}

void pl_stand_goals(const pl_actor_view *view, const pl_motion_frame *frame, const pl_stand *stand, pl_goals *goals) {
  double ground = pl_vec3_dot(stand->over, frame->up);
  pl_aim aim = {.gain = stand->gain, .rate = 0.3, .acceleration = stand->acceleration, .weight = stand->weight};
  aim.target = pl_motion_at_height(frame, stand->over, ground + stand->height * view->rest_height);
  // In the air nothing moves the centre of mass.
  if (view->touch_count > 0) {
    aim.axes = frame->level_axes;
    pl_aim_center(view, frame, &aim, goals);
    aim.axes = frame->height_axis;
    pl_aim_center(view, frame, &aim, goals);
  }
  pl_hold hold = {.turn = stand->turn,
                  .gain = stand->gain,
                  .rate = 0.5,
                  .acceleration = 2 * stand->acceleration,
                  .weight = stand->hold_weight};
  pl_aim_hold(view, frame, &hold, goals);
  for (int32_t i = 0; i < view->part_count; ++i) {
    const pl_part_view *part = &view->parts[i];
    if (!part->is_foot) continue;
    // Feet that touch stay; others come down to where the shape as built has them.
    pl_vec3 position = pl_vec3_add(view->center, pl_quat_rotate(stand->turn, part->rest));
    double sole = pl_motion_sole(view, frame, part);
    aim.target = part->touch_count > 0 ? part->position
                                       : pl_motion_at_height(frame, position, pl_motion_ground(view, position) + sole);
    aim.axes = frame->level_axes | (part->touch_count > 0 ? 0 : frame->height_axis);
    aim.weight = stand->hold_weight;
    pl_aim_part(view, frame, i, &aim, goals);
  }
}

void pl_stand_lie(const pl_actor_view *view, const pl_motion_frame *frame, pl_goals *goals) {
  pl_aim still = {
      .axes = PL_GOAL_XYZ, .target = view->center, .rate = 1, .acceleration = LIE_ACCELERATION, .weight = LIE_WEIGHT};
  if (view->touch_count > 0) pl_aim_center(view, frame, &still, goals);
}

static void stand_choose(const double *settings, void *state, const pl_actor_view *view, pl_goals *goals) {
  (void)state;
  pl_motion_frame frame = pl_motion_frame_of(view);
  if (pl_motion_is_down(view, &frame)) {
    pl_stand_lie(view, &frame, goals);
    return;
  }
  pl_stand stand = pl_stand_usual(view, &frame);
  stand.height = settings[HEIGHT];
  stand.gain = settings[GAIN];
  stand.acceleration = settings[ACCELERATION];
  stand.weight = settings[WEIGHT];
  stand.hold_weight = settings[HOLD_WEIGHT];
  pl_stand_goals(view, &frame, &stand, goals);
}

const pl_behaviour pl_behaviour_stand = {.name = "stand",
                                         .about = "Stays where it is, upright.",
                                         .settings = settings_of_stand,
                                         .setting_count = SETTING_COUNT,
                                         .choose = stand_choose};
