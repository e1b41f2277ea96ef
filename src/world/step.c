// One step of the world. Start reading here.
//
//   phase     does                                         reads                   may write
//   control   controllers act                              everything              forces, pins, bodies
//   forces    wind and point forces are gathered           positions, velocities   forces of each body
//   move      each body moves by its own method, implicit  own state and forces    own state
//             ones together with what they touch; pins;
//             rods before all others, or at the same
//             time where these do not depend on them
//             (world_segments.c)
//   contact   contacts are found, islands formed and       all bodies, colliders   positions, velocities
//             each solved as a whole; all numbers finite?
//   layers    layers displace the visible surface          everything              surface points of one body
//
// Bodies that sleep take part in nothing but being touched; islands that have come to rest fall asleep at the end of
// the step (world_sleep.c).
//
// A step that fails has not happened: the state is saved before the first phase and restored when any of them fails.
// Controllers may change the world, but not step or restore it; what is called later may only read it (world_phase.c).
//
// Methods (solid/, rod/, fem/) are tables of functions, see body/body_method.h; so are controllers and layers, see
// pliant/step.h. Nothing here changes when one is added.
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/parallel.h"
#include "pliant/math.h"
#include "world/world_coupled.h"
#include "world/world_joints.h"
#include "world/world_segments.h"

const char *pl_step_phase_name(pl_step_phase phase) {
  static const char *const names[PL_STEP_PHASE_COUNT] = {"control", "forces", "move", "contact", "layers"};
  return phase >= 0 && phase < PL_STEP_PHASE_COUNT ? names[phase] : "unknown";
}

// --- phases, in their order

// A caller that destroys the world from inside its step gets no status there: the step that continues fails instead.
static pl_status check_not_destroyed(const pl_world *world, pl_error *error) {
  if (!world->destroy_refused) return PL_OK;
  return pl_fail(error, PL_ERROR_INVALID_ARGUMENT,
                 "pl_world_destroy() was called inside a step of the same world; the world is still there: destroy it "
                 "after the step");
}

static pl_status run_controllers(pl_world *world, pl_error *error) {
  world->phase = PL_WORLD_CONTROLLED;
  for (size_t i = 0; i < world->controllers.count; ++i) {
    const pl_controller *c = &PL_ITEM(&world->controllers, pl_world_controller, i).controller;
    pl_status status = c->before_step(c->user, world, error);
    if (status >= 0) status = check_not_destroyed(world, error);
    if (status < 0) return status;
  }
  world->phase = PL_WORLD_LOCKED;
  // A controller may have added or removed bodies and colliders, and woken bodies.
  pl_status status = pl_world_prepare_contact(world, error);
  if (status < 0 || world->controllers.count == 0) return status;
  pl_world_list_awake(world);
  pl_world_plan_notes(world);
  return PL_OK;
}

static pl_status gather_forces(pl_world *world, pl_error *error) {
  pl_status status = pl_world_add_wind(world, error);
  if (status < 0) return status;
  pl_world_compute_pin_masses(world);
  pl_world_note_starts(world);
  return PL_OK;
}

pl_status pl_world_begin_move(pl_world *world, int32_t index, pl_body_move *move, pl_error *error) {
  pl_body *body = pl_slots_at(&world->bodies, index);
  *move = (pl_body_move){
      .context = world->context,
      .scratch = &world->scratch,
      .step = world->def.step,
      .acceleration = pl_vec3_scale(world->def.gravity, body->gravity_scale),
      .forces = body->has_forces ? body->forces : NULL,
      .time = pl_world_get_time(world),
      .wind = world->def.wind,
      .air_density = world->def.air_density,
      .drag = world->def.drag,
      .work = body->work,
      .presses = body->next_presses,
  };
  // A body that moved by itself and then moves again together with what it touches begins again.
  body->next_press_mask = 0;
  if (!pl_world_moves_in_parallel(world, index)) {
    // It may meet colliders as it moves, and adds to all of them.
    memset(body->next_presses, 0, (size_t)body->model->surface.point_count * sizeof(pl_vec3));
    body->next_press_mask = ~(pl_contact_mask)0;
  }
  pl_world_list_colliders(world, index, move);
  return pl_world_list_pins(world, index, move, error);
}

pl_status pl_world_move_body(pl_world *world, int32_t index, pl_step_report *report, pl_error *error) {
  pl_body *body = pl_slots_at(&world->bodies, index);
  pl_body_move move;
  bool damped = false;
  pl_scratch_mark mark = pl_scratch_push(&world->scratch);
  pl_status status = pl_world_begin_move(world, index, &move, error);
  move.damped = &damped;
  if (status >= 0) status = body->model->method->move(body->model, body->state, &move, error);
  if (status >= 0) pl_world_keep_given(world, index, &move);
  if (status >= 0) pl_world_collect_touches(world, index, &move);
  if (status >= 0) pl_world_note_attached_forces(world, body, &move);
  if (status >= 0 && world->destroy_refused) status = check_not_destroyed(world, error);
  pl_scratch_pop(&world->scratch, mark);
  report->unconverged_count += status == PL_REMARK_NOT_CONVERGED;
  report->damped_count += damped;
  return status;
}

int pl_body_get_move_round(const pl_body *body) {
  const pl_body_method *method = body->model->method;
  return method->get_collider != NULL ? PL_MOVE_KINEMATIC
         : method->get_joints != NULL ? PL_MOVE_SKELETONS
                                      : PL_MOVE_OTHERS;
}

// The bodies of a round that have not moved yet: those that need nothing but themselves at the same time, then the
// others one by one.
static pl_status move_round(pl_world *world, int round, pl_step_report *report, pl_error *error) {
  pl_status first = round == PL_MOVE_OTHERS ? pl_world_move_in_parallel(world, report, error) : PL_OK;
  if (first < 0 || world->all_noted) return first;
  for (int32_t k = 0; k < world->awake_count; ++k) {
    int32_t i = PL_ITEM(&world->awake, int32_t, k);
    if (pl_body_get_move_round(pl_slots_at(&world->bodies, i)) != round || pl_world_has_moved(world, i)) continue;
    if (pl_world_moves_in_parallel(world, i)) continue;
    pl_status status = pl_world_move_body(world, i, report, error);
    if (status < 0) return pl_world_name_body(world, i, status, report, error);
  }
  return PL_OK;
}

// Rods first, then all others; with implicit bodies some rods wait, to move at the same time as these are solved.
static pl_status move_all(pl_world *world, pl_step_report *report, pl_error *error) {
  pl_status status = move_round(world, PL_MOVE_KINEMATIC, report, error);
  bool together = pl_world_moves_together(world);
  pl_waiting_lines waiting = {NULL, 0};
  if (status >= 0 && world->has_obstacles) {
    status = pl_world_move_lines(world, together ? &waiting : NULL, report, error);
    world->lines_moved = true;
  }
  if (status >= 0 && together) status = pl_world_move_together(world, &waiting, report, error);
  for (int round = PL_MOVE_KINEMATIC + 1; !together && round < PL_MOVE_ROUNDS && status >= 0; ++round)
    status = move_round(world, round, report, error);
  if (status >= 0 && !together) pl_world_hold_pins(world);
  return status;
}

static pl_status move_bodies(pl_world *world, pl_step_report *report, pl_error *error) {
  world->lines_moved = world->contacts_found = false;
  // Layers may ask for pressures of the last step when the contacts are those of this one.
  if (world->had_layers) pl_world_gather_presses(world, false);
  world->resolved = 0;
  pl_world_begin_impulses(world);
  pl_scratch_mark mark = pl_scratch_push(&world->scratch);
  pl_status status = move_all(world, report, error);
  pl_scratch_pop(&world->scratch, mark);
  if (status < 0) return status;
  pl_world_follow_ranges(world);
  return PL_OK;
}

static pl_status resolve_contact(pl_world *world, pl_step_report *report, pl_error *error) {
  pl_status status = pl_world_check_finite(world, report, error);
  if (status < 0 || pl_world_is_alone(world)) return status;
  // Checked before contact: a body that is out of range would make it compare all pairs of triangles.
  pl_world_note_ends(world);
  status = pl_world_check_range(world, report, error);
  if (status < 0) return status;
  pl_contact_report contact = {0};
  status = pl_world_resolve_contact(world, &contact, error);
  report->contact_count = contact.contact_count;
  report->deepest_contact = contact.deepest;
  report->awake_count = world->awake_count;
  return status < 0 ? status : pl_world_check_finite(world, report, error);
}

static pl_status end_contact(pl_world *world, pl_status status) {
  if (status >= 0) pl_world_part_from_colliders(world);
  return status;
}

// Layers work on `next_surface`, which is shown only when the whole step has succeeded.
static pl_status run_layers(pl_world *world, pl_error *error) {
  for (int32_t n = 0; n < world->awake_count && world->had_layers; ++n) {
    int32_t i = PL_ITEM(&world->awake, int32_t, n);
    pl_body *body = pl_slots_at(&world->bodies, i);
    if (body->layers.count == 0) continue;
    pl_slot_id id = pl_slots_id_at(&world->bodies, i);
    body->model->method->get_surface(body->model, body->state, body->next_surface);
    for (size_t k = 0; k < body->layers.count; ++k) {
      const pl_layer *layer = &PL_ITEM(&body->layers, pl_world_layer, k).layer;
      pl_status status = layer->after_step(layer->user, world, (pl_body_id){id.slot, id.generation}, body->next_surface,
                                           body->model->surface.point_count, error);
      if (status >= 0) status = check_not_destroyed(world, error);
      if (status < 0) return status;
    }
  }
  return PL_OK;
}

// --- the step

static pl_status run_phase(pl_world *world, pl_step_phase phase, pl_step_report *report, pl_error *error) {
  switch (phase) {
    case PL_STEP_PHASE_CONTROL: return run_controllers(world, error);
    case PL_STEP_PHASE_FORCES: return gather_forces(world, error);
    case PL_STEP_PHASE_MOVE: return move_bodies(world, report, error);
    case PL_STEP_PHASE_CONTACT: return end_contact(world, resolve_contact(world, report, error));
    case PL_STEP_PHASE_LAYERS: return run_layers(world, error);
    case PL_STEP_PHASE_COUNT: break;
  }
  return PL_OK;
}

// Runs all phases and adds their times to the report. On failure the state is that of the middle of the step.
static pl_status run_phases(pl_world *world, pl_step_report *report, pl_error *error) {
  int64_t step_count = world->step_count;
  double start = pl_clock_seconds();
  for (pl_step_phase phase = 0; phase < PL_STEP_PHASE_COUNT; ++phase) {
    // Layers see the time that their surface belongs to. While settling, time stands still.
    if (phase == PL_STEP_PHASE_LAYERS && !world->settling) world->step_count = step_count + 1;
    pl_status status = run_phase(world, phase, report, error);
    double end = pl_clock_seconds();
    report->phase_seconds[phase] += end - start;
    start = end;
    if (status < 0) {
      world->step_count = step_count;
      return status;
    }
  }
  return PL_OK;
}

enum { FINISH_GRAIN = 16 };

// Forces are used up and new surfaces are shown.
static void finish_body(const pl_world *world, pl_body *body) {
  pl_body_clear_forces(body);
  ++body->version;
  pl_vec3 *shown = body->surface;
  body->surface = body->next_surface;
  body->next_surface = shown;
  pl_vec3 *presses = body->presses;
  body->presses = body->next_presses;
  body->next_presses = presses;
  pl_contact_mask press_mask = body->press_mask;
  body->press_mask = body->next_press_mask;
  body->next_press_mask = press_mask;
  body->resolved = body->contact_number >= 0 ? world->resolved : 0;
}

static void finish_bodies(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const pl_world *world = data;
  for (int32_t k = begin; k < end; ++k) {
    pl_body *body = pl_slots_at(&world->bodies, PL_ITEM(&world->awake, int32_t, k));
    pl_body_count_rest(world, body);
    finish_body(world, body);
  }
}

// What has come to rest falls asleep.
static void finish_step(pl_world *world) {
  pl_world_finish_events(world);
  pl_world_finish_impulses(world);
  pl_parallel_for(world->context, world->awake_count, FINISH_GRAIN, finish_bodies, world);
  world->version += world->awake_count;
  if (pl_world_rest(world)) pl_world_gather_presses(world, true);
}

static pl_status step_once(pl_world *world, pl_step_report *report, pl_error *error) {
  pl_status status = pl_world_prepare_contact(world, error);
  if (status < 0) return status;
  pl_world_list_awake(world);
  pl_world_plan_notes(world);
  pl_world_save_state(world);
  pl_world_begin_events(world);
  world->destroy_refused = false;
  status = run_phases(world, report, error);
  world->phase = PL_WORLD_IDLE;
  if (status < 0) {
    pl_world_roll_back(world);
    return status;
  }
  finish_step(world);
  report->step_count++;
  return PL_OK;
}

// --- stepping, as the caller sees it

static pl_step_report empty_report(void) {
  return (pl_step_report){.failed_particle = -1};
}

pl_status pl_world_step(pl_world *world, pl_step_report *report, pl_error *error) {
  pl_step_report mine = empty_report();
  if (report != NULL) *report = mine;
  if (pl_world_check_idle(world, "pl_world_step", error) < 0) return PL_ERROR_INVALID_ARGUMENT;
  pl_world_clear_events(world);
  pl_parallel_begin_burst(world->context);
  pl_status status = step_once(world, &mine, error);
  pl_parallel_end_burst(world->context);
  if (report != NULL) *report = mine;
  return status;
}

// Steps that fit into `seconds`. A frame of 1/60 s is exactly four steps of 1/240 s to a reader, but not in binary
// fractions: a thousandth of a step absorbs the rounding.
static int64_t whole_steps(const pl_world *world, double seconds) {
  return (int64_t)floor(seconds / world->def.step + 1e-3);
}

pl_status pl_world_advance(pl_world *world, double seconds, int64_t max_steps, pl_step_report *report,
                           pl_error *error) {
  pl_step_report mine = empty_report();
  if (report != NULL) *report = mine;
  if (pl_world_check_idle(world, "pl_world_advance", error) < 0) return PL_ERROR_INVALID_ARGUMENT;
  pl_world_clear_events(world);
  if (!isfinite(seconds) || seconds < 0)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "cannot advance by %g seconds; give a finite number, 0 or more",
                   seconds);
  // `pending` may become slightly negative by the slack of whole_steps(), so that it evens out over the frames.
  world->pending += seconds;
  int64_t due = whole_steps(world, world->pending);
  if (due < 0) due = 0;
  int64_t count = max_steps > 0 && due > max_steps ? max_steps : due;
  pl_status status = PL_OK;
  pl_parallel_begin_burst(world->context);
  for (int64_t i = 0; i < count && status >= 0; ++i) {
    status = step_once(world, &mine, error);
    if (status >= 0) world->pending -= world->def.step;
  }
  pl_parallel_end_burst(world->context);
  if (status >= 0) world->pending -= (double)(due - count) * world->def.step;
  if (report != NULL) *report = mine;
  return status;
}

pl_status pl_world_settle(pl_world *world, double seconds, pl_step_report *report, pl_error *error) {
  pl_step_report mine = empty_report();
  if (report != NULL) *report = mine;
  if (pl_world_check_idle(world, "pl_world_settle", error) < 0) return PL_ERROR_INVALID_ARGUMENT;
  pl_world_clear_events(world);
  if (!isfinite(seconds) || seconds < 0)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "cannot settle for %g seconds; give a finite number, 0 or more",
                   seconds);
  int64_t count = whole_steps(world, seconds);
  pl_status status = PL_OK;
  world->settling = true;
  pl_parallel_begin_burst(world->context);
  for (int64_t i = 0; i < count && status >= 0; ++i) status = step_once(world, &mine, error);
  pl_parallel_end_burst(world->context);
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
