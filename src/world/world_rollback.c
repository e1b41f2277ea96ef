// Saving the state of a world at the start of a step, and putting it back when the step fails.
//
// What is saved: the state of each body that moves, its forces, the impulses of its contacts and how long it has
// rested, the states of its layers and of the controllers, and what a controller may set: targets of pins, states of
// joints and attachments, gravity and wind. Anything else that a step writes is scratch of the next one.
#include <string.h>

#include "base/parallel.h"
#include "world/world_joints.h"
#include "world/world_state.h"

static void copy_unless_empty(void *to, const void *from, size_t size) {
  if (size > 0) memcpy(to, from, size);
}

void pl_body_clear_forces(pl_body *body) {
  if (body->has_forces) memset(body->forces, 0, (size_t)body->model->particle_count * sizeof(pl_f4));
  body->has_forces = body->only_rods_push = false;
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

static size_t impulse_size(const pl_body *body) {
  return (size_t)body->model->surface.point_count * PL_IMPULSES_PER_POINT * sizeof(pl_contact_impulse);
}

// All but the flat state.
static void save_rest(pl_body *body, bool swaps_impulses) {
  body->has_previous = true;
  body->saved_rest = body->rest;
  body->saved_has_forces = body->has_forces;
  if (body->has_forces) memcpy(body->saved_forces, body->forces, (size_t)body->model->particle_count * sizeof(pl_f4));
  body->saved_has_impulses = body->has_impulses;
  body->has_swapped = false;
  body->has_copied = body->has_impulses && !swaps_impulses;
  if (body->has_copied) memcpy(body->saved_impulses, body->impulses, impulse_size(body));
  if (body->has_copied) body->saved_impulse_mask = body->impulse_mask;
  for (size_t k = 0; k < body->layers.count; ++k) {
    pl_world_layer *l = &PL_ITEM(&body->layers, pl_world_layer, k);
    copy_unless_empty(l->saved, l->layer.state, l->layer.state_size);
  }
}

void pl_body_save_state(pl_body *body) {
  memcpy(body->saved, body->state, body->state_size);
  body->is_saved = true;
}

void pl_body_exchange_states(pl_body *body) {
  void *state = body->state;
  body->state = body->saved;
  body->saved = state;
  body->is_saved = true;
}

void pl_body_save(pl_body *body) {
  pl_body_save_state(body);
  save_rest(body, false);
}

// Does nothing but contact write the impulses of a body in this step? Its state is saved in its move then, too.
static bool swaps_impulses(const pl_world *world, const pl_body *body) {
  return world->saves_in_move && body->is_noted;
}

static void exchange_impulses(pl_body *body) {
  pl_contact_impulse *impulses = body->impulses;
  body->impulses = body->saved_impulses;
  body->saved_impulses = impulses;
  pl_contact_mask mask = body->impulse_mask;
  body->impulse_mask = body->saved_impulse_mask;
  body->saved_impulse_mask = mask;
  body->has_swapped = !body->has_swapped;
}

const pl_contact_impulse *pl_world_swap_impulses(const pl_world *world, pl_body *body) {
  if (pl_body_sleeps(body) || !body->has_impulses || !swaps_impulses(world, body)) return body->impulses;
  if (!body->has_swapped) exchange_impulses(body);
  return body->saved_impulses;
}

// Small states are copied by many threads, a few bodies each.
enum { SAVE_GRAIN = 16 };

static void save_bodies(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const pl_world *world = data;
  for (int32_t k = begin; k < end; ++k) {
    pl_body *body = pl_slots_at(&world->bodies, PL_ITEM(&world->awake, int32_t, k));
    // What is saved in its move is read only once so; until then it does not change.
    body->is_saved = !(world->saves_in_move && body->is_noted);
    if (body->is_saved && body->state_size <= COPY_BYTES) memcpy(body->saved, body->state, body->state_size);
    body->has_ends = body->has_ends && world->notes_in_move && body->is_noted;
    save_rest(body, swaps_impulses(world, body));
  }
}

void pl_world_save_state(pl_world *world) {
  pl_parallel_for(world->context, world->awake_count, SAVE_GRAIN, save_bodies, world);
  bool all_in_move = world->saves_in_move && world->all_noted;
  for (int32_t k = 0; k < world->awake_count && !all_in_move; ++k) {
    pl_body *body = pl_slots_at(&world->bodies, PL_ITEM(&world->awake, int32_t, k));
    if (body->is_saved && body->state_size > COPY_BYTES)
      pl_parallel_for(world->context, (int32_t)((body->state_size - 1) / COPY_BYTES + 1), 1, copy_part, body);
  }
  world->saved_group_count = world->sleep_group_count;
  for (size_t i = 0; i < world->controllers.count; ++i) {
    pl_world_controller *c = &PL_ITEM(&world->controllers, pl_world_controller, i);
    copy_unless_empty(c->saved, c->controller.state, c->controller.state_size);
  }
  for (int32_t i = 0; i < pl_slots_count(&world->pins); ++i) {
    pl_world_pin *pin = pl_slots_at(&world->pins, i);
    pin->saved = pin->target;
  }
  pl_world_save_couplings(world);
  world->saved_gravity = world->def.gravity;
  world->saved_wind = world->def.wind;
}

static void restore_impulses(pl_body *body) {
  if (body->has_swapped) {
    exchange_impulses(body);
  } else if (body->has_copied) {
    memcpy(body->impulses, body->saved_impulses, impulse_size(body));
    body->impulse_mask = body->saved_impulse_mask;
  } else if (!body->saved_has_impulses) {
    memset(body->impulses, 0, impulse_size(body));
    body->impulse_mask = 0;
  }
}

void pl_world_roll_back(pl_world *world) {
  for (int32_t i = 0; i < pl_slots_count(&world->bodies); ++i) {
    pl_body *body = pl_slots_at(&world->bodies, i);
    if (body->is_saved) memcpy(body->state, body->saved, body->state_size);
    body->has_previous = body->has_ends = false;
    pl_world_note_surface(world, body);
    pl_body_clear_forces(body);
    if (body->saved_has_forces)
      memcpy(body->forces, body->saved_forces, (size_t)body->model->particle_count * sizeof(pl_f4));
    body->has_forces = body->saved_has_forces;
    body->rest = body->saved_rest;
    restore_impulses(body);
    body->has_impulses = body->saved_has_impulses;
    for (size_t k = 0; k < body->layers.count; ++k) {
      pl_world_layer *l = &PL_ITEM(&body->layers, pl_world_layer, k);
      copy_unless_empty(l->layer.state, l->saved, l->layer.state_size);
    }
  }
  for (size_t i = 0; i < world->controllers.count; ++i) {
    pl_world_controller *c = &PL_ITEM(&world->controllers, pl_world_controller, i);
    copy_unless_empty(c->controller.state, c->saved, c->controller.state_size);
  }
  for (int32_t i = 0; i < pl_slots_count(&world->pins); ++i) {
    pl_world_pin *pin = pl_slots_at(&world->pins, i);
    pin->target = pin->saved;
  }
  world->sleep_group_count = world->saved_group_count;
  pl_world_restore_couplings(world);
  world->def.gravity = world->saved_gravity;
  world->def.wind = world->saved_wind;
}
