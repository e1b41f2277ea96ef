// Whether a body is stiff enough to be a character: where it comes to rest under its own weight, standing on its lowest
// points.
#include <math.h>
#include <stdio.h>

#include "base/context.h"
#include "base/error.h"
#include "pliant/fem.h"
#include "pliant/math.h"
#include "scene/scene_actor.h"

// Share of its height that a body may lose; below it behaviours make up for what their own weight takes.
static const double MAX_SAG = 0.25;
// What the advice aims at.
static const double SAG_GOOD = 0.08;

typedef struct standing {
  pl_vec3 *points;  // where it comes to rest, in the mesh's frame
  int32_t *pinned;
  int32_t point_count, pinned_count;
  pl_vec3 up;
  double height, sunk;  // metres above the lowest point: as built, and at rest
} standing;

static double highest(const standing *s, double floor) {
  double max = 0;
  for (int32_t i = 0; i < s->point_count; ++i) max = fmax(max, pl_vec3_dot(s->points[i], s->up) - floor);
  return max;
}

// How far the pinned points, or all where `all`, reach along a direction.
static double extent(const standing *s, pl_vec3 along, bool all) {
  double min = HUGE_VAL, max = -HUGE_VAL;
  for (int32_t i = 0; i < (all ? s->point_count : s->pinned_count); ++i) {
    double position = pl_vec3_dot(s->points[all ? i : s->pinned[i]], along);
    min = fmin(min, position);
    max = fmax(max, position);
  }
  return max - min;
}

// A body that is held at one place only would tip over, not sink; it stands on something a sixth as wide as itself.
static bool is_base(const standing *s) {
  pl_vec3 side = pl_vec3_normalize_or(pl_vec3_cross(s->up, (pl_vec3){0, 0, 1}), (pl_vec3){1, 0, 0}),
          front = pl_vec3_cross(s->up, side);
  return extent(s, side, false) >= extent(s, side, true) / 6 && extent(s, front, false) >= extent(s, front, true) / 6;
}

// What stands on the ground is all within a thirtieth of the height; where that is not enough to stand on, as for a
// ball, a larger part is pressed down.
static double choose_pins(standing *s) {
  double min = HUGE_VAL;
  for (int32_t i = 0; i < s->point_count; ++i) min = fmin(min, pl_vec3_dot(s->points[i], s->up));
  s->height = highest(s, min);
  for (double fraction = 1.0 / 30; fraction < 0.3; fraction *= 1.5) {
    s->pinned_count = 0;
    for (int32_t i = 0; i < s->point_count; ++i)
      if (pl_vec3_dot(s->points[i], s->up) - min <= fraction * s->height) s->pinned[s->pinned_count++] = i;
    if (is_base(s)) break;
  }
  return min;
}

static pl_status find_rest(pl_scene_instance *set, const pl_instance_part *part, double gravity, standing *s,
                           pl_error *error) {
  double min = choose_pins(s);
  pl_fem_equilibrium_def def = pl_default_fem_equilibrium_def();
  def.acceleration = pl_vec3_scale(s->up, -gravity);
  def.pinned = s->pinned;
  def.pinned_count = s->pinned_count;
  def.load_steps = 4;
  def.max_newton_iterations = 15;
  def.tolerance = 1e-3;
  pl_status status = pl_fem_equilibrium(set->context, part->model, &def, s->points, NULL, error);
  s->sunk = highest(s, min);
  return status;
}

// Two digits are as much as such a figure can promise.
static double round_to_two(double value) {
  double power = pow(10, floor(log10(value)) - 1);
  return round(value / power) * power;
}

static void report_sag(pl_scene_instance *set, const pl_instance_part *part, const standing *s, pl_findings *findings) {
  const pl_scene_fem *fem = &part->source->fem;
  double sag = 1 - s->sunk / s->height;
  if (!(sag > MAX_SAG)) return;
  const pl_json *json_node = pl_json_find(fem->json, "young");
  char fix[160], text[300];
  snprintf(fix, sizeof fix, "raise `young` from %g to about %g Pa, or make it lighter or its legs thicker",
           fem->def.young, round_to_two(fem->def.young * sag / SAG_GOOD));
  snprintf(text, sizeof text, "body \"%.100s\" is too soft to stand: its weight presses it from %.3g m to %.3g m",
           part->source->name, s->height, fmax(s->sunk, 0));
  const pl_finding about = {.severity = PL_SEVERITY_WARNING,
                            .index = -1,
                            .kind = "too-soft",
                            .why = "an actor moves by its elastic forces alone, and these cannot hold it up",
                            .fix = fix};
  (void)pl_json_add_finding(set->scene->json, json_node != NULL ? json_node : part->source->json, false, findings,
                            &about, "%s", text);
}

pl_status pl_instance_check_standing(pl_scene_instance *set, const pl_instance_part *part, pl_findings *findings,
                                     pl_error *error) {
  const pl_scene_body *body = part->source;
  pl_vec3 pull = pl_vec3_scale(set->scene->document.gravity, body->def.gravity_scale);
  double gravity = pl_vec3_length(pull);
  if (findings == NULL || !(gravity > 0)) return PL_OK;
  pl_mesh_view view = pl_mesh_get_view(part->tets);
  standing s = {
      .points = pl_allocate_array(set->context, (size_t)view.point_count, sizeof(pl_vec3)),
      .pinned = pl_allocate_array(set->context, (size_t)view.point_count, sizeof(int32_t)),
      .point_count = view.point_count,
      .up = pl_quat_rotate(pl_quat_conjugate(body->def.placement.rotation), pl_vec3_scale(pull, -1 / gravity))};
  pl_status status = s.points == NULL || s.pinned == NULL ? pl_fail_memory(error) : PL_OK;
  if (status >= 0) {
    for (int32_t i = 0; i < view.point_count; ++i) s.points[i] = view.points[i];
    status = find_rest(set, part, gravity, &s, error);
    // An equilibrium that was not found to the last digit is one all the same here; one that cannot be had at all is
    // left to the run.
    if (status >= 0) report_sag(set, part, &s, findings);
  }
  pl_release(set->context, s.points);
  pl_release(set->context, s.pinned);
  return status == PL_ERROR_OUT_OF_MEMORY ? status : PL_OK;
}
