// How an actor uses its feet, measured from the motion alone: steps, how high they are lifted, and how far feet slide.
//
// A foot is in the air while all of it is more than CLEAR above the ground. A step is an arc through the air that ends
// ahead of where it began. On the ground a foot slides by what the points next to the ground move along it: from
// landing to lifting, so that a foot which rolls from heel to toe, or trembles, does not slide.
#include <math.h>

#include "actor/actor.h"
#include "pliant/math.h"

// Heights of the body. A foot that is lifted less drags over the ground.
static const double CLEAR = 0.005;
static const double MIN_STEP = 0.02;  // a foot set down closer has not made a step

typedef struct foot_look {
  double gap;        // of its lowest point, m
  pl_vec3 position;  // mean of its points
  pl_vec3 slip;      // mean velocity along the ground of the points next to it
} foot_look;

static double gap_at(const pl_actor *actor, pl_vec3 point) {
  double height = 0;
  pl_vec3 normal;
  // From half a body above: the ground may have risen under the foot.
  if (!pl_ground_height(&actor->ground, point, 0.5 * actor->view.height, &height, &normal)) return HUGE_VAL;
  return pl_vec3_dot(point, actor->view.up) - height;
}

static foot_look look_at_foot(const pl_actor *actor, const pl_fem_state *state, const pl_actor_body_part *part) {
  foot_look look = {.gap = HUGE_VAL};
  double near = CLEAR * actor->view.height;
  int32_t count = 0;
  for (int32_t i = 0; i < part->point_count; ++i) {
    pl_vec3 at = pl_fem_vector(state->positions, part->points[i]);
    double gap = gap_at(actor, at);
    look.gap = fmin(look.gap, gap);
    look.position = pl_vec3_add_scaled(look.position, at, 1.0 / part->point_count);
    if (gap > near) continue;
    look.slip = pl_vec3_add(look.slip, pl_fem_vector(state->velocities, part->points[i]));
    ++count;
  }
  pl_vec3 up = actor->view.up;
  look.slip = pl_vec3_add_scaled(look.slip, up, -pl_vec3_dot(look.slip, up));
  if (count > 0) look.slip = pl_vec3_scale(look.slip, 1.0 / count);
  return look;
}

static void end_flight(pl_actor *actor, pl_actor_foot *foot, const foot_look *look) {
  pl_actor_report *report = &actor->state->report;
  pl_vec3 way = pl_vec3_sub(look->position, foot->lift);
  foot->airborne = 0;
  if (!(pl_vec3_dot(way, actor->view.command.heading) > MIN_STEP * actor->view.height)) return;
  report->clearance = (report->clearance * report->tally.steps + foot->peak) / (report->tally.steps + 1);
  report->tally.steps++;
}

static void begin_flight(pl_actor_foot *foot, const foot_look *look) {
  foot->airborne = 1;
  foot->peak = 0;
  foot->lift = look->position;
  foot->slid += pl_vec3_length(foot->slide);
  foot->slide = (pl_vec3){0, 0, 0};
}

void pl_actor_measure_feet(pl_actor *actor, const pl_fem_state *state) {
  pl_actor_report *report = &actor->state->report;
  double clear = CLEAR * actor->view.height;
  report->foot_slide = 0;
  for (int32_t k = 0; k < actor->part_count; ++k) {
    if (!actor->parts[k].is_foot) continue;
    pl_actor_foot *foot = &actor->state->feet[k];
    foot_look look = look_at_foot(actor, state, &actor->parts[k]);
    bool flies = look.gap > clear;
    if (flies && !foot->airborne) begin_flight(foot, &look);
    if (!flies && foot->airborne) end_flight(actor, foot, &look);
    if (flies)
      foot->peak = fmax(foot->peak, look.gap);
    else
      foot->slide = pl_vec3_add_scaled(foot->slide, look.slip, actor->view.step);
    report->foot_slide = fmax(report->foot_slide, foot->slid + pl_vec3_length(foot->slide));
  }
}
