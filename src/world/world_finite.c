// The checks of a step: every position and velocity is finite and in range. If not, the report names the body, the
// particle and the likely cause.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/parallel.h"
#include "contact/surface_motion.h"
#include "pliant/math.h"
#include "world/world_state.h"

// Beyond these a cause is named. They are far above anything a scene means and far below the overflow of single
// precision (3e38), which a body reaches within a few steps once it is past them.
static const double MAX_ACCELERATION = 1e10;  // m/s², by the forces on one particle
static const double MAX_TRAVEL = 1e6;         // way of a particle in one step, in diagonals of its body (plus a metre)
// A body that is stretched to more than this many times its size has burst. That is as good as not finite, but costs
// far more: the path of every triangle crosses every other, and contact would compare all pairs.
static const double MAX_STRETCH = 1e6;

// Distance from the origin in metres beyond which too few digits are left to tell the points of a body from each other.
// Positions are doubles, or floats relative to an origin that follows the body and is kept in double precision.
static double max_distance_of(const pl_body *body) {
  double size = pl_box_diagonal(body->model->box);
  return size > 0 ? 0.25 * size / DBL_EPSILON : HUGE_VAL;
}

// The particle that is not finite is often not the one that started it: one bad number spreads through a whole body
// within a step. The particle with the largest force per mass, or else the largest speed before the step, is named
// instead. Returns it, with the likely cause in words.
static int32_t find_cause(const pl_world *world, const pl_body *body, int32_t particle, char *cause, size_t size) {
  const pl_model *model = body->model;
  int32_t pushed = particle, fastest = particle;
  double max_push = 0, max_speed = 0, max_distance = 0;
  for (int32_t i = 0; i < model->particle_count; ++i) {
    pl_vec3 velocity;
    pl_vec3 position = model->method->get_particle(model, body->saved, i, &velocity);
    double push = pl_vec3_length(pl_vec3_of_f4(body->forces[i])) * model->inverse_masses[i];
    double speed = pl_vec3_length(velocity);
    max_distance = fmax(max_distance, pl_vec3_length(position));
    // Written so that a value that is not a number wins.
    if (!(push <= max_push)) {
      max_push = push;
      pushed = i;
    }
    if (!(speed <= max_speed)) {
      max_speed = speed;
      fastest = i;
    }
  }
  if (!pl_vec3_is_finite(world->def.gravity) || !pl_vec3_is_finite(world->def.wind)) {
    snprintf(cause, size, "gravity or wind is not a finite number");
  } else if (max_speed * world->def.step > MAX_TRAVEL * (1 + pl_box_diagonal(model->box))) {
    // Before the forces: drag at such a speed is out of range too, and is not the cause.
    snprintf(cause, size, "it already moved at %.3g m/s before the step; look for what threw it", max_speed);
    return fastest;
  } else if (!(max_push <= MAX_ACCELERATION)) {
    snprintf(cause, size, "a force of %.3g N acts on it, which has %.3g kg; use a smaller force",
             pl_vec3_length(pl_vec3_of_f4(body->forces[pushed])), model->masses[pushed]);
    return pushed;
  } else if (!(max_distance <= max_distance_of(body))) {
    snprintf(cause, size, "the body is %.3g m from the origin, beyond what can be computed", max_distance);
  } else {
    snprintf(cause, size, "a pin, collider or written position near it is out of range");
  }
  return particle;
}

// Fail for body number `i`, whose state is `what` at `particle`.
static pl_status fail_body(const pl_world *world, int32_t i, int32_t particle, const char *what, pl_step_report *report,
                           pl_error *error) {
  const pl_body *body = pl_slots_at(&world->bodies, i);
  pl_slot_id id = pl_slots_id_at(&world->bodies, i);
  report->failed_body = (pl_body_id){id.slot, id.generation};
  report->failed_particle = find_cause(world, body, particle, report->cause, sizeof report->cause);
  return pl_fail(error, PL_ERROR_NOT_FINITE, "body %d, particle %d: %s after step %lld: %s", i, report->failed_particle,
                 what, (long long)world->step_count + 1, report->cause);
}

pl_status pl_world_check_finite(const pl_world *world, pl_step_report *report, pl_error *error) {
  if (pl_world_notes_all(world) && !world->noted_not_finite) return PL_OK;
  for (int32_t k = 0; k < world->awake_count; ++k) {
    int32_t i = PL_ITEM(&world->awake, int32_t, k);
    const pl_body *body = pl_slots_at(&world->bodies, i);
    bool is_noted = world->notes_in_move && body->is_noted;
    int32_t particle =
        is_noted ? body->note.not_finite : body->model->method->find_not_finite(body->model, body->state);
    if (particle >= 0) return fail_body(world, i, particle, "the state is not finite", report, error);
  }
  return PL_OK;
}

static double farthest_of(pl_box box) {
  pl_vec3 far = pl_vec3_max(pl_vec3_scale(box.min, -1), box.max);
  return fmax(far.x, fmax(far.y, far.z));
}

// The particle that is farthest from the origin.
static int32_t find_farthest(const pl_body *body) {
  int32_t particle = 0;
  double farthest = 0;
  for (int32_t k = 0; k < body->model->particle_count; ++k) {
    pl_vec3 x = body->positions[k];
    double distance = fmax(fmax(fabs(x.x), fabs(x.y)), fabs(x.z));
    if (distance <= farthest) continue;
    farthest = distance;
    particle = k;
  }
  return particle;
}

pl_body_range pl_body_range_of(const pl_body *body, const pl_box *box) {
  if (farthest_of(*box) > max_distance_of(body)) return PL_BODY_TOO_FAR;
  double size = pl_box_diagonal(body->model->box);
  return size > 0 && pl_box_diagonal(*box) > MAX_STRETCH * size ? PL_BODY_BURST : PL_BODY_IN_RANGE;
}

enum { RANGE_GRAIN = 16 };

static void find_ranges(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const pl_world *world = data;
  for (int32_t k = begin; k < end; ++k) {
    pl_body *body = pl_slots_at(&world->bodies, PL_ITEM(&world->awake, int32_t, k));
    if (world->notes_in_move && body->is_noted) continue;
    pl_box box = pl_box_of_points(body->positions, body->model->particle_count);
    body->range = pl_body_range_of(body, &box);
  }
}

pl_status pl_world_check_range(pl_world *world, pl_step_report *report, pl_error *error) {
  if (pl_world_notes_all(world) && !world->noted_out_of_range) return PL_OK;
  pl_parallel_for(world->context, world->awake_count, RANGE_GRAIN, find_ranges, world);
  for (int32_t k = 0; k < world->awake_count; ++k) {
    int32_t i = PL_ITEM(&world->awake, int32_t, k);
    pl_body *body = pl_slots_at(&world->bodies, i);
    if (body->range == PL_BODY_IN_RANGE) continue;
    if (world->notes_in_move && body->is_noted) pl_body_write_points(body);
    const char *what = body->range == PL_BODY_BURST ? "the body has burst" : "the state is out of range";
    return fail_body(world, i, find_farthest(body), what, report, error);
  }
  return PL_OK;
}

pl_status pl_world_name_body(const pl_world *world, int32_t i, pl_status status, pl_step_report *report,
                             pl_error *error) {
  pl_slot_id id = pl_slots_id_at(&world->bodies, i);
  report->failed_body = (pl_body_id){id.slot, id.generation};
  if (status == PL_ERROR_OUT_OF_MEMORY || error == NULL) return status;
  char text[sizeof error->text];
  memcpy(text, error->text, sizeof text);
  if (status == PL_ERROR_NOT_FINITE) {
    const pl_body *body = pl_slots_at(&world->bodies, i);
    report->failed_particle = find_cause(world, body, 0, report->cause, sizeof report->cause);
    snprintf(error->text, sizeof error->text, "body %d, particle %d: %.300s; %s", i, report->failed_particle, text,
             report->cause);
  } else {
    snprintf(error->text, sizeof error->text, "body %d: %.480s", i, text);
  }
  return status;
}
