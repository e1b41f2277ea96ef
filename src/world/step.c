// One step of the world: the page to read first.
//
//   controllers choose  ->  forces are gathered  ->  each body moves by its own method  ->  pins hold, contacts push apart
//                       ->  a state that is not finite is rolled back  ->  layers act on the surfaces
//
// A body's method (solid/, rod/, fem/) is a table of functions (body/body_method.h); controllers and layers are tables too
// (pliant/step.h). So nothing here changes when a method is added. What a stage may read and write:
//
//   stage      reads                          writes
//   control    everything                     forces, pins, bodies, through the public functions
//   forces     positions, velocities          forces of each body
//   move       own state, own forces          own state
//   contact    all bodies, colliders          positions and velocities of bodies that touch
//   layers     everything                     the surface points of one body
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/context.h"
#include "base/error.h"
#include "base/parallel.h"
#include "pliant/math.h"
#include "world/world_state.h"

const char *pl_step_phase_name(pl_step_phase stage) {
  static const char *const names[PL_STEP_PHASE_COUNT] = {"control", "forces", "move", "contact", "layers"};
  return stage >= 0 && stage < PL_STEP_PHASE_COUNT ? names[stage] : "unknown";
}

static void copy_unless_empty(void *to, const void *from, size_t size) {
  if (size > 0) memcpy(to, from, size);
}

static void clear_forces(pl_body *body) {
  if (body->has_forces) memset(body->forces, 0, (size_t)body->model->particle_count * sizeof(pl_f4));
  body->has_forces = false;
}

// Large states are copied by all threads: one alone would take a tenth of the step.
enum { COPY_BYTES = 1 << 18 };

static void copy_part(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const pl_body *body = data;
  for (int32_t part = begin; part < end; ++part) {
    size_t first = (size_t)part * COPY_BYTES, left = body->state_size - first;
    memcpy((char *)body->saved + first, (const char *)body->state + first, left < COPY_BYTES ? left : COPY_BYTES);
  }
}

static void save_state(pl_world *world) {
  for (int32_t i = 0; i < pl_slots_count(&world->bodies); ++i) {
    pl_body *body = pl_slots_at(&world->bodies, i);
    pl_parallel_for(world->context, (int32_t)((body->state_size - 1) / COPY_BYTES + 1), 1, copy_part, body);
    body->saved_has_forces = body->has_forces;
    if (body->has_forces) memcpy(body->saved_forces, body->forces, (size_t)body->model->particle_count * sizeof(pl_f4));
    for (size_t k = 0; k < body->layers.count; ++k) {
      pl_world_layer *l = &PL_ITEM(&body->layers, pl_world_layer, k);
      copy_unless_empty(l->saved, l->layer.state, l->layer.state_size);
    }
  }
  for (size_t i = 0; i < world->controllers.count; ++i) {
    pl_world_controller *c = &PL_ITEM(&world->controllers, pl_world_controller, i);
    copy_unless_empty(c->saved, c->controller.state, c->controller.state_size);
  }
}

static void roll_back(pl_world *world) {
  for (int32_t i = 0; i < pl_slots_count(&world->bodies); ++i) {
    pl_body *body = pl_slots_at(&world->bodies, i);
    memcpy(body->state, body->saved, body->state_size);
    clear_forces(body);
    if (body->saved_has_forces) memcpy(body->forces, body->saved_forces, (size_t)body->model->particle_count * sizeof(pl_f4));
    body->has_forces = body->saved_has_forces;
    for (size_t k = 0; k < body->layers.count; ++k) {
      pl_world_layer *l = &PL_ITEM(&body->layers, pl_world_layer, k);
      copy_unless_empty(l->layer.state, l->saved, l->layer.state_size);
    }
  }
  for (size_t i = 0; i < world->controllers.count; ++i) {
    pl_world_controller *c = &PL_ITEM(&world->controllers, pl_world_controller, i);
    copy_unless_empty(c->controller.state, c->saved, c->controller.state_size);
  }
}

static pl_status run_controllers(pl_world *world, pl_error *error) {
  for (size_t i = 0; i < world->controllers.count; ++i) {
    const pl_controller *c = &PL_ITEM(&world->controllers, pl_world_controller, i).controller;
    pl_status status = c->before_step(c->user, world, error);
    if (status < 0) return status;
  }
  return PL_OK;
}

static pl_status move_bodies(pl_world *world, pl_step_report *report, pl_error *error) {
  for (int32_t i = 0; i < pl_slots_count(&world->bodies); ++i) {
    pl_body *body = pl_slots_at(&world->bodies, i);
    pl_body_move move = {
        .context = world->context,
        .scratch = &world->scratch,
        .step = world->def.step,
        .acceleration = pl_vec3_scale(world->def.gravity, body->gravity_scale),
        .forces = body->has_forces ? body->forces : NULL,
        .time = pl_world_get_time(world),
        .colliders = world->collider_list.items,
        .collider_count = body->collides ? (int32_t)world->collider_list.count : 0,
        .wind = world->def.wind,
        .air_density = world->def.air_density,
        .drag = world->def.drag,
        .work = body->work,
    };
    pl_scratch_mark mark = pl_scratch_push(&world->scratch);
    pl_status status = pl_world_list_pins(world, i, &move, error);
    if (status >= 0) status = body->model->method->move(body->model, body->state, &move, error);
    pl_scratch_pop(&world->scratch, mark);
    if (status < 0) return status;
    report->unconverged_count += status == PL_REMARK_NOT_CONVERGED;
  }
  pl_world_hold_pins(world);
  return PL_OK;
}

// Forces and new surfaces take effect only when the whole step has succeeded, so that a failed one can be tried again.
static void finish_step(pl_world *world) {
  for (int32_t i = 0; i < pl_slots_count(&world->bodies); ++i) {
    pl_body *body = pl_slots_at(&world->bodies, i);
    clear_forces(body);
    pl_vec3 *shown = body->surface;
    body->surface = body->next_surface;
    body->next_surface = shown;
  }
}

// One bad number spreads through a whole body within a step, so the particle that is not finite is not always the one to blame: the one with the
// largest force, or else the largest speed before the step, is. Returns it, with the likeliest cause in words.
static int32_t find_culprit(const pl_world *world, const pl_body *body, int32_t particle, char *cause, size_t size) {
  const pl_model *model = body->model;
  int32_t pushed = particle, fastest = particle;
  double max_push = 0, max_speed = 0, reach = 0;
  for (int32_t i = 0; i < model->particle_count; ++i) {
    pl_vec3 velocity;
    pl_vec3 position = model->method->get_particle(model, body->saved, i, &velocity);
    double push = pl_vec3_length(pl_vec3_of_f4(body->forces[i])) * model->inverse_masses[i], speed = pl_vec3_length(velocity);
    reach = fmax(reach, pl_vec3_length(position));
    if (!(push <= max_push)) pushed = i;
    if (!(push <= max_push)) max_push = push;
    if (!(speed <= max_speed)) fastest = i;
    if (!(speed <= max_speed)) max_speed = speed;
  }
  if (!pl_vec3_is_finite(world->def.gravity) || !pl_vec3_is_finite(world->def.wind)) {
    snprintf(cause, size, "gravity or wind is not a finite number");
  } else if (!(max_push <= 1e10)) {
    snprintf(cause, size, "a force of %.3g N acts on it, which has %.3g kg; use a smaller force",
             pl_vec3_length(pl_vec3_of_f4(body->forces[pushed])), model->masses[pushed]);
    return pushed;
  } else if (max_speed * world->def.step > 1e6 * (1 + pl_box_diagonal(model->box))) {
    snprintf(cause, size, "it already moved at %.3g m/s before the step; look for what threw it", max_speed);
    return fastest;
  } else if (reach > 1e15) {
    snprintf(cause, size, "the body is %.3g m from the origin, beyond what can be computed", reach);
  } else {
    snprintf(cause, size, "a pin, collider or written position near it is out of range");
  }
  return particle;
}

static pl_status check_finite(const pl_world *world, pl_step_report *report, pl_error *error) {
  for (int32_t i = 0; i < pl_slots_count(&world->bodies); ++i) {
    const pl_body *body = pl_slots_at(&world->bodies, i);
    int32_t particle = body->model->method->find_not_finite(body->model, body->state);
    if (particle < 0) continue;
    pl_slot_id id = pl_slots_id_at(&world->bodies, i);
    report->failed_body = (pl_body_id){id.slot, id.generation};
    report->failed_particle = find_culprit(world, body, particle, report->cause, sizeof report->cause);
    return pl_fail(error, PL_ERROR_NOT_FINITE, "body %d, particle %d: the state is not finite after step %lld: %s", i,
                   report->failed_particle, (long long)world->step_count + 1, report->cause);
  }
  return PL_OK;
}

static pl_status run_layers(pl_world *world, pl_error *error) {
  for (int32_t i = 0; i < pl_slots_count(&world->bodies); ++i) {
    pl_body *body = pl_slots_at(&world->bodies, i);
    if (body->layers.count == 0) continue;
    pl_slot_id id = pl_slots_id_at(&world->bodies, i);
    body->model->method->get_surface(body->model, body->state, body->next_surface);
    for (size_t k = 0; k < body->layers.count; ++k) {
      const pl_layer *layer = &PL_ITEM(&body->layers, pl_world_layer, k).layer;
      pl_status status = layer->after_step(layer->user, world, (pl_body_id){id.slot, id.generation}, body->next_surface,
                                           body->model->surface.point_count, error);
      if (status < 0) return status;
    }
  }
  return PL_OK;
}

// Adds the time since `*last` to a stage and moves `*last` on.
static void clock_stage(pl_step_report *report, pl_step_phase stage, double *last) {
  double now = pl_clock_seconds();
  report->phase_seconds[stage] += now - *last;
  *last = now;
}

// The stages up to where the new state stands; fails with the state half-way.
static pl_status run_stages(pl_world *world, pl_step_report *report, pl_error *error) {
  double last = pl_clock_seconds();
  pl_status status = run_controllers(world, error);
  clock_stage(report, PL_STEP_PHASE_CONTROL, &last);
  // A controller may have added or removed bodies and colliders.
  if (status >= 0) status = pl_world_prepare_contact(world, error);
  if (status < 0) return status;

  status = pl_world_add_wind(world, error);
  if (status < 0) return status;
  pl_world_compute_pin_masses(world);
  pl_world_note_starts(world);
  clock_stage(report, PL_STEP_PHASE_FORCES, &last);

  status = move_bodies(world, report, error);
  clock_stage(report, PL_STEP_PHASE_MOVE, &last);
  if (status < 0) return status;

  pl_contact_report contact = {0};
  status = pl_world_resolve_contact(world, &contact, error);
  report->contact_count = contact.contact_count;
  report->deepest_contact = contact.deepest;
  if (status >= 0) status = check_finite(world, report, error);
  clock_stage(report, PL_STEP_PHASE_CONTACT, &last);
  if (status < 0) return status;

  if (!world->settling) world->step_count++;  // layers see the time their surface belongs to
  status = run_layers(world, error);
  if (status < 0 && !world->settling) world->step_count--;
  clock_stage(report, PL_STEP_PHASE_LAYERS, &last);
  return status;
}

// One step; times are added to `report`.
static pl_status step_once(pl_world *world, pl_step_report *report, pl_error *error) {
  pl_status status = pl_world_prepare_contact(world, error);
  if (status < 0) return status;
  save_state(world);
  status = run_stages(world, report, error);
  if (status < 0) {
    roll_back(world);
    return status;
  }
  finish_step(world);
  report->step_count++;
  return status;
}

static pl_step_report empty_report(void) {
  return (pl_step_report){.failed_particle = -1};
}

pl_status pl_world_step(pl_world *world, pl_step_report *report, pl_error *error) {
  pl_step_report mine = empty_report();
  pl_status status = step_once(world, &mine, error);
  if (report != NULL) *report = mine;
  return status;
}

pl_status pl_world_advance(pl_world *world, double seconds, int64_t max_steps, pl_step_report *report, pl_error *error) {
  pl_step_report mine = empty_report();
  if (report != NULL) *report = mine;
  if (!isfinite(seconds) || seconds < 0)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "cannot advance by %g seconds; give a finite number, 0 or more", seconds);
  world->pending += seconds;
  // A frame of 1/60 s is exactly four steps of 1/240 s to a reader, but not to binary fractions: the slack of a thousandth of a step absorbs the
  // rounding, and what it borrows is paid back because `pending` may become slightly negative.
  int64_t due = (int64_t)floor(world->pending / world->def.step + 1e-3);
  if (due < 0) due = 0;
  int64_t count = max_steps > 0 && due > max_steps ? max_steps : due;
  pl_status status = PL_OK;
  for (int64_t i = 0; i < count && status >= 0; ++i) {
    status = step_once(world, &mine, error);
    if (status >= 0) world->pending -= world->def.step;
  }
  if (status >= 0) world->pending -= (double)(due - count) * world->def.step;
  if (report != NULL) *report = mine;
  return status;
}

pl_status pl_world_settle(pl_world *world, double seconds, pl_step_report *report, pl_error *error) {
  pl_step_report mine = empty_report();
  if (report != NULL) *report = mine;
  if (!isfinite(seconds) || seconds < 0)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "cannot settle for %g seconds; give a finite number, 0 or more", seconds);
  int64_t count = (int64_t)floor(seconds / world->def.step + 1e-3);
  pl_status status = PL_OK;
  world->settling = true;
  for (int64_t i = 0; i < count && status >= 0; ++i) status = step_once(world, &mine, error);
  world->settling = false;
  if (report != NULL) *report = mine;
  return status;
}

int64_t pl_world_step_count(const pl_world *world) {
  return world->step_count;
}

double pl_world_get_time(const pl_world *world) {
  return (double)world->step_count * world->def.step;
}

double pl_world_get_step_length(const pl_world *world) {
  return world->def.step;
}
