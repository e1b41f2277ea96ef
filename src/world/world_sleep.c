// Rest: islands of bodies that have been slow for a while fall asleep. A sleeping body is not moved, not searched for
// contacts and costs nothing until something wakes it.
//
// An island is what touches or is joined (contact/contact_islands.h). It sleeps as a whole: every body of it has moved
// and turned slower than sleep_speed for sleep_seconds, and may sleep by its method. What falls asleep together has a
// number in common and wakes together.
//
// What wakes: touch by a body that is awake; a collider that moves within its box; a pin, force, state, weights or
// teleport given to it; another gravity or wind; a collider or a body of its island that comes or goes; the caller.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/parallel.h"
#include "pliant/math.h"
#include "world/world_state.h"

// Metres around a sleeper in which a moving collider wakes it.
static const double BOX_MARGIN = 0.01;

bool pl_body_sleeps(const pl_body *body) {
  return body->rest.group > 0;
}

// Arrays for contact while it sleeps.
static void still_arrays(pl_body *body) {
  size_t bytes = (size_t)body->model->particle_count * sizeof(pl_vec3);
  body->has_ends = false;
  // From the state, which may have fewer digits than what contact computed: so a restored sleeper has the same.
  body->model->method->get_positions(body->model, body->state, body->positions);
  memset(body->velocities, 0, bytes);
  memset(body->start_velocities, 0, bytes);
  memcpy(body->starts, body->positions, bytes);
  body->sleep_box = pl_box_empty();
  for (int32_t i = 0; i < body->model->particle_count; ++i)
    body->sleep_box = pl_box_add_point(body->sleep_box, body->positions[i]);
  if (body->model->method->get_rigid != NULL) body->model->method->get_rigid(body->model, body->state, &body->rigid);
}

static void fall_asleep(pl_body *body, int64_t group) {
  body->rest.group = group;
  // The velocities are below the threshold, and gone.
  memset(body->velocities, 0, (size_t)body->model->particle_count * sizeof(pl_vec3));
  body->model->method->set_state(body->model, body->state, NULL, body->velocities);
  still_arrays(body);
  // A step that fails puts back what was saved, of sleepers too, so what is saved of them is what they are.
  pl_body_save(body);
}

void pl_world_refresh_sleepers(pl_world *world) {
  for (int32_t i = 0; i < pl_slots_count(&world->bodies); ++i) {
    pl_body *body = pl_slots_at(&world->bodies, i);
    if (!pl_body_sleeps(body)) continue;
    still_arrays(body);
    pl_body_save(body);
  }
  pl_contact_solver_forget_sleepers(world->contact_solver);
}

void pl_world_wake_body(pl_world *world, pl_body *body) {
  body->rest.still_seconds = body->rest.steady_seconds = 0;
  body->has_ends = false;
  int64_t group = body->rest.group;
  if (group == 0) return;
  for (int32_t i = 0; i < pl_slots_count(&world->bodies); ++i) {
    pl_body *other = pl_slots_at(&world->bodies, i);
    if (other->rest.group != group) continue;
    other->rest = (pl_body_rest){0};
    // Woken inside a step it may have been moved.
    pl_world_note_surface(world, other);
  }
}

void pl_world_wake_all(pl_world *world) {
  for (int32_t i = 0; i < pl_slots_count(&world->bodies); ++i)
    ((pl_body *)pl_slots_at(&world->bodies, i))->rest = (pl_body_rest){0};
}

// --- waking inside a step

static bool is_same(pl_transform a, pl_transform b) {
  return pl_vec3_distance(a.position, b.position) == 0 && a.rotation.x == b.rotation.x &&
         a.rotation.y == b.rotation.y && a.rotation.z == b.rotation.z && a.rotation.w == b.rotation.w;
}

// What rests on a collider that starts to move, or is in its way.
static void wake_by_colliders(pl_world *world) {
  for (size_t c = 0; c < world->collider_list.count; ++c) {
    const pl_collider *collider = PL_ITEM(&world->collider_list, const pl_collider *, c);
    pl_transform start, end;
    pl_collider_motion(collider, pl_world_get_time(world), world->def.step, &start, &end);
    if (is_same(start, end)) continue;
    pl_box path = pl_box_add_point(pl_box_empty(), pl_transform_apply(start, collider->center));
    path = pl_box_add_point(path, pl_transform_apply(end, collider->center));
    path = pl_box_expand(path, collider->reach);
    for (int32_t i = 0; i < pl_slots_count(&world->bodies); ++i) {
      pl_body *body = pl_slots_at(&world->bodies, i);
      double radius = body->model->contact_radius + BOX_MARGIN;
      if (pl_body_sleeps(body) && pl_box_overlaps(pl_box_expand(body->sleep_box, radius), path))
        pl_world_wake_body(world, body);
    }
  }
}

void pl_world_list_awake(pl_world *world) {
  int32_t count = pl_slots_count(&world->bodies);
  if (world->awake_count < count) wake_by_colliders(world);
  world->awake_count = 0;
  int32_t *awake = world->awake.items;
  for (int32_t i = 0; i < count; ++i) {
    pl_body *body = pl_slots_at(&world->bodies, i);
    body->slept = pl_body_sleeps(body);
    if (!body->slept) awake[world->awake_count++] = i;
  }
}

// Body number `k` of those that contact knows.
static pl_body *contact_body(const pl_world *world, int32_t k) {
  return pl_slots_at(&world->bodies, PL_ITEM(&world->contact_numbers, int32_t, k));
}

void pl_world_wake_touched(pl_world *world) {
  if (world->awake_count == pl_slots_count(&world->bodies)) return;
  for (int32_t k = 0; k < (int32_t)world->contact_numbers.count; ++k) {
    pl_body *body = contact_body(world, k);
    if (pl_body_sleeps(body) && PL_ITEM(&world->contact_bodies, pl_contact_body, k).moved)
      pl_world_wake_body(world, body);
  }
}

// --- falling asleep

// A body is still when it neither moves nor turns as a whole, and its particles hardly move relative to it. These may
// be some times faster: single particles between two contacts can tremble for ever, and nobody sees it.
static const double TREMBLE = 20;

static bool are_points_still(const pl_body *body, const pl_vec3 *velocities, double speed) {
  for (int32_t i = 0; i < body->model->particle_count; ++i)
    if (!(pl_vec3_length(velocities[i]) < speed)) return false;
  return true;
}

bool pl_body_is_still(const pl_body *body, const pl_vec3 *positions, const pl_vec3 *velocities, double speed) {
  const double *masses = body->model->masses;
  double mass = 0, square = 0, spread = 0;
  pl_vec3 center = {0, 0, 0}, momentum = {0, 0, 0}, spin = {0, 0, 0};
  for (int32_t i = 0; i < body->model->particle_count; ++i) {
    mass += masses[i];
    square += masses[i] * pl_vec3_dot(velocities[i], velocities[i]);
  }
  // Of a kinematic mesh every point must be still.
  if (mass == 0) return are_points_still(body, velocities, speed);
  // For most bodies that move this is enough.
  if (!(square < TREMBLE * TREMBLE * speed * speed * mass)) return false;
  for (int32_t i = 0; i < body->model->particle_count; ++i) {
    center = pl_vec3_add_scaled(center, positions[i], masses[i]);
    momentum = pl_vec3_add_scaled(momentum, velocities[i], masses[i]);
  }
  if (!(pl_vec3_length(momentum) < speed * mass)) return false;
  center = pl_vec3_scale(center, 1 / mass);
  for (int32_t i = 0; i < body->model->particle_count; ++i) {
    pl_vec3 x = pl_vec3_sub(positions[i], center);
    spin = pl_vec3_add_scaled(spin, pl_vec3_cross(x, velocities[i]), masses[i]);
    spread += masses[i] * pl_vec3_dot(x, x);
  }
  return pl_vec3_length(spin) < speed * sqrt(mass * spread);
}

// A pin that will be released is a thing to come, which sleepers would miss.
static void disturb_by_pins(pl_world *world) {
  for (int32_t i = 0; i < pl_slots_count(&world->pins); ++i) {
    const pl_world_pin *pin = pl_slots_at(&world->pins, i);
    pl_body *body = pl_world_find_body(world, pin->def.body);
    if (pin->def.until > 0 && pl_pin_holds(world, pin)) body->rest.still_seconds = body->rest.steady_seconds = 0;
  }
}

// Single particles jammed between contacts may tremble for ever and shake their body. What has not gone anywhere for
// STEADY times as long sleeps too: the means of thirds of its particles stayed where they were.
static const double STEADY = 4;

void pl_body_find_poles(const pl_body *body, const pl_vec3 *positions, pl_vec3 poles[3]) {
  int64_t count = body->model->particle_count, begin[4];
  double parts[3];
  pl_vec3 sums[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  for (int64_t k = 0; k < 4; ++k) begin[k] = k * count / 3;
  for (int k = 0; k < 3; ++k) parts[k] = 1.0 / (double)(begin[k + 1] - begin[k]);
  // All at a time, as far as the shortest goes: a sum waits for its last addition.
  for (int64_t i = 0; i < count / 3; ++i)
    for (int k = 0; k < 3; ++k) sums[k] = pl_vec3_add_scaled(sums[k], positions[begin[k] + i], parts[k]);
  for (int k = 0; k < 3; ++k) {
    for (int64_t i = begin[k] + count / 3; i < begin[k + 1]; ++i)
      sums[k] = pl_vec3_add_scaled(sums[k], positions[i], parts[k]);
    poles[k] = sums[k];
  }
}

static void count_steady_seconds(const pl_world *world, pl_body *body, bool is_as_noted) {
  pl_vec3 own[3], *poles = is_as_noted ? body->note.poles : own;
  if (!is_as_noted) pl_body_find_poles(body, body->positions, own);
  double way = world->def.sleep_speed * world->def.sleep_seconds;
  body->rest.steady_seconds += world->def.step;
  for (int k = 0; k < 3; ++k)
    if (!(pl_vec3_distance(poles[k], body->rest.poles[k]) < way)) body->rest.steady_seconds = 0;
  for (int k = 0; k < 3 && body->rest.steady_seconds == 0; ++k) body->rest.poles[k] = poles[k];
}

static bool counts_rest(const pl_world *world) {
  return world->def.sleeping && !pl_world_is_alone(world);
}

void pl_body_count_rest(const pl_world *world, pl_body *body) {
  if (!counts_rest(world)) return;
  const pl_body_method *method = body->model->method;
  bool is_pushed = body->has_forces && !body->only_rods_push;
  bool may_sleep = pl_body_meets_others(body) && body->layers.count == 0 && method->can_sleep != NULL &&
                   method->can_sleep(body->model, body->state) && !is_pushed;
  if (!may_sleep) {
    body->rest.still_seconds = body->rest.steady_seconds = 0;
    return;
  }
  bool is_as_noted = world->notes_in_move && body->is_noted && body->note.is_known;
  count_steady_seconds(world, body, is_as_noted);
  bool is_slow = is_as_noted ? body->note.is_still
                             : pl_body_is_still(body, body->positions, body->velocities, world->def.sleep_speed);
  body->rest.still_seconds = is_slow ? body->rest.still_seconds + world->def.step : 0;
}

bool pl_world_rest(pl_world *world) {
  if (!counts_rest(world) || world->awake_count == 0) return false;
  bool any = false;
  disturb_by_pins(world);
  // An island is ready when its least rested body is.
  pl_contact_islands islands = pl_contact_solver_get_islands(world->contact_solver);
  double *still = world->island_seconds.items;
  int64_t *groups = world->island_groups.items;
  for (int32_t k = 0; k < islands.count; ++k) still[k] = HUGE_VAL, groups[k] = 0;
  for (int32_t k = 0; k < (int32_t)world->contact_numbers.count; ++k) {
    int32_t island = islands.island_of[k];
    const pl_body_rest *rest = &contact_body(world, k)->rest;
    if (island >= 0) still[island] = fmin(still[island], fmax(rest->still_seconds, rest->steady_seconds / STEADY));
  }
  for (int32_t k = 0; k < (int32_t)world->contact_numbers.count; ++k) {
    pl_body *body = contact_body(world, k);
    int32_t island = islands.island_of[k];
    // What meets colliders in its own step and no other body is an island by itself.
    bool is_own = island < 0 && body->model->method->handles_colliders && !body->bounces;
    if (is_own && body->rest.still_seconds >= world->def.sleep_seconds && !pl_body_sleeps(body)) {
      fall_asleep(body, ++world->sleep_group_count);
      any = true;
    }
    if (island < 0 || still[island] < world->def.sleep_seconds || pl_body_sleeps(body)) continue;
    if (groups[island] == 0) groups[island] = ++world->sleep_group_count;
    fall_asleep(body, groups[island]);
    any = true;
  }
  return any;
}

// --- for the caller

bool pl_body_is_asleep(const pl_world *world, pl_body_id id) {
  const pl_body *body = pl_world_find_body(world, id);
  return body != NULL && pl_body_sleeps(body);
}

pl_status pl_body_wake(pl_world *world, pl_body_id id, pl_error *error) {
  if (pl_world_check_open(world, "pl_body_wake", error) < 0) return PL_ERROR_INVALID_ARGUMENT;
  pl_body *body = pl_world_find_body(world, id);
  if (body == NULL) return pl_fail(error, PL_ERROR_NOT_FOUND, "there is no such body in this world");
  pl_world_wake_body(world, body);
  return PL_OK;
}
