// The world's side of contact: bodies and colliders are laid out for the solver, and what it changed goes back into the
// bodies.
#include "base/error.h"
#include "world/world_state.h"

bool pl_world_is_free_of_contact(const pl_world *world) {
  if (world->contact_bodies.count == 0) return true;
  if (world->collider_list.count > 0 || world->contact_bodies.count > 1) return false;
  return !PL_ITEM(&world->contact_bodies, pl_contact_body, 0).self_contact;
}

// Whether the world resolves the contacts of a body.
bool pl_world_meets_others(const pl_body *body) {
  return body->collides && !body->model->method->handles_bodies;
}

static bool list_bodies(pl_world *world) {
  world->contact_bodies.count = 0;
  for (int32_t i = 0; i < pl_slots_count(&world->bodies); ++i) {
    pl_body *body = pl_slots_at(&world->bodies, i);
    if (!pl_world_meets_others(body)) continue;
    pl_contact_body entry = {
        .surface = &body->model->surface,
        .starts = body->starts,
        .positions = body->positions,
        .velocities = body->velocities,
        .start_velocities = body->start_velocities,
        .inverse_masses = body->inverse_masses,
        .friction = body->model->friction,
        .restitution = body->model->restitution,
        .radius = body->model->contact_radius,
        .filter = body->filter,
        .self_contact = body->model->self_contact,
        .spares_colliders = body->model->method->handles_colliders,
    };
    if (!pl_vector_push(&world->contact_bodies, &entry)) return false;
  }
  return true;
}

static bool list_colliders(pl_world *world) {
  world->collider_list.count = 0;
  for (int32_t i = 0; i < pl_slots_count(&world->colliders); ++i) {
    const pl_collider *collider = pl_slots_at(&world->colliders, i);
    if (!pl_vector_push(&world->collider_list, &collider)) return false;
  }
  return true;
}

pl_status pl_world_prepare_contact(pl_world *world, pl_error *error) {
  if (world->prepared) return PL_OK;
  if (!list_bodies(world) || !list_colliders(world) || !pl_world_list_pairs(world)) return pl_fail_memory(error);
  pl_status ready = pl_world_prepare_events(world, error);
  if (ready < 0) return ready;
  if (!pl_world_is_free_of_contact(world)) {
    pl_status status = pl_contact_solver_prepare(world->contact_solver, world->contact_bodies.items,
                                                 (int32_t)world->contact_bodies.count, world->collider_list.items,
                                                 (int32_t)world->collider_list.count, error);
    if (status < 0) return status;
  }
  world->prepared = true;
  return PL_OK;
}

void pl_world_note_starts(pl_world *world) {
  if (pl_world_is_free_of_contact(world)) return;
  for (int32_t i = 0; i < pl_slots_count(&world->bodies); ++i) {
    pl_body *body = pl_slots_at(&world->bodies, i);
    if (!pl_world_meets_others(body)) continue;
    body->model->method->get_positions(body->model, body->state, body->starts);
    body->model->method->get_velocities(body->model, body->state, body->start_velocities);
  }
}

void pl_world_note_ends(pl_world *world) {
  for (int32_t i = 0; i < pl_slots_count(&world->bodies); ++i) {
    pl_body *body = pl_slots_at(&world->bodies, i);
    body->model->method->get_positions(body->model, body->state, body->positions);
    if (pl_world_meets_others(body)) body->model->method->get_velocities(body->model, body->state, body->velocities);
  }
}

pl_status pl_world_resolve_contact(pl_world *world, pl_contact_report *report, pl_error *error) {
  pl_status status =
      pl_contact_solver_solve(world->contact_solver, world->contact_bodies.items, (int32_t)world->contact_bodies.count,
                              world->collider_list.items, (int32_t)world->collider_list.count, pl_world_get_time(world),
                              world->def.step, world->def.contact_rounds, world->def.gravity, report, error);
  if (status < 0) return status;
  pl_world_collect_contacts(world);
  size_t next = 0;
  for (int32_t i = 0; i < pl_slots_count(&world->bodies); ++i) {
    pl_body *body = pl_slots_at(&world->bodies, i);
    if (!pl_world_meets_others(body)) continue;
    if (PL_ITEM(&world->contact_bodies, pl_contact_body, next++).moved)
      body->model->method->set_state(body->model, body->state, body->positions, body->velocities);
  }
  return PL_OK;
}
