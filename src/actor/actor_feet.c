// How an actor uses its feet, measured from the motion alone: steps, how high they are lifted, and how far feet slide.
//
// Feet are measured by their points of the surface, which are what touches and what is seen: a coarse mesh that carries
// the surface has corners outside it. A foot is in the air while all of it is more than CLEAR above the ground. A step
// is an arc through the air that ends ahead of where it began. On the ground a foot slides by what the points next to
// the ground move along it: from landing to lifting, so that a foot which rolls from heel to toe, or trembles, does not
// slide.
#include <math.h>

#include "actor/actor.h"
#include "pliant/math.h"

// Heights of the body. A foot that is lifted less drags over the ground.
static const double CLEAR = 0.005;
static const double MIN_STEP = 0.02;  // a foot set down closer has not made a step

typedef struct foot_view {
  double gap;        // of its lowest point, m
  pl_vec3 position;  // mean of its points
  pl_vec3 slip;      // mean velocity along the ground of the points next to it
} foot_view;

static double gap_at(const pl_actor *actor, pl_vec3 point) {
  double height = 0;
  pl_vec3 normal;
  // From half a body above: the ground may have risen under the foot.
  if (!pl_ground_height(&actor->ground, point, 0.5 * actor->view.height, &height, &normal)) return HUGE_VAL;
  return pl_vec3_dot(point, actor->view.up) - height;
}

// By the bit of the part in `parts_of_surface`. Without a surface point a foot is nowhere: in the air, without steps.
static foot_view view_foot(const pl_actor *actor, const pl_fem_state *state, int32_t part) {
  foot_view seen = {.gap = HUGE_VAL};
  double near = CLEAR * actor->view.height;
  int32_t count = 0, near_count = 0;
  for (int32_t i = 0; i < actor->model->head.surface.point_count; ++i) {
    if ((actor->parts_of_surface[i] >> part & 1) == 0) continue;
    pl_vec3 at = pl_actor_surface_vector(actor->model, state->positions, i);
    double gap = gap_at(actor, at);
    seen.gap = fmin(seen.gap, gap);
    seen.position = pl_vec3_add(seen.position, at);
    ++count;
    if (gap > near) continue;
    seen.slip = pl_vec3_add(seen.slip, pl_actor_surface_vector(actor->model, state->velocities, i));
    ++near_count;
  }
  pl_vec3 up = actor->view.up;
  if (count > 0) seen.position = pl_vec3_scale(seen.position, 1.0 / count);
  seen.slip = pl_vec3_add_scaled(seen.slip, up, -pl_vec3_dot(seen.slip, up));
  if (near_count > 0) seen.slip = pl_vec3_scale(seen.slip, 1.0 / near_count);
  return seen;
}

static void end_flight(pl_actor *actor, pl_actor_foot *foot, const foot_view *seen) {
  pl_actor_report *report = &actor->state->report;
  pl_vec3 way = pl_vec3_sub(seen->position, foot->lift);
  foot->airborne = 0;
  if (!(pl_vec3_dot(way, actor->view.command.heading) > MIN_STEP * actor->view.height)) return;
  report->clearance = (report->clearance * report->tally.steps + foot->peak) / (report->tally.steps + 1);
  report->tally.steps++;
}

static void begin_flight(pl_actor_foot *foot, const foot_view *seen) {
  foot->airborne = 1;
  foot->peak = 0;
  foot->lift = seen->position;
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
    foot_view seen = view_foot(actor, state, k);
    bool flies = seen.gap > clear;
    if (flies && !foot->airborne) begin_flight(foot, &seen);
    if (!flies && foot->airborne) end_flight(actor, foot, &seen);
    if (flies)
      foot->peak = fmax(foot->peak, seen.gap);
    else
      foot->slide = pl_vec3_add_scaled(foot->slide, seen.slip, actor->view.step);
    report->foot_slide = fmax(report->foot_slide, foot->slid + pl_vec3_length(foot->slide));
  }
}
