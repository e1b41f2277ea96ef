// Transfer of the state of another world: for a host that changed a parameter of a model, which is immutable, and built
// its world again.
//
// States are flat and their layout is decided by the model's method, its counts and its switches, not by its numbers.
// So a state of the same size, of the same method and for the same number of particles, is taken as it is: rotations,
// weights and rest shapes with it. Where the layout differs, because there is one more example for instance, positions
// and velocities are transferred and the method initializes the rest.
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "world/world_state.h"

static bool is_alike(const pl_body *body, const pl_body *other) {
  return body->model->method == other->model->method && body->model->particle_count == other->model->particle_count;
}

// Impulses of contacts and rest, where the surfaces are alike.
static void take_rest(pl_body *body, const pl_body *other) {
  if (body->model->surface.point_count != other->model->surface.point_count) return;
  size_t count = (size_t)body->model->surface.point_count * PL_IMPULSES_PER_POINT;
  memcpy(body->impulses, other->impulses, count * sizeof(pl_contact_impulse));
  body->has_impulses = other->has_impulses;
  body->impulse_mask = other->impulse_mask;
  body->rest = other->rest;
}

static pl_status take_motion(pl_world *world, pl_body *body, const pl_body *other, pl_error *error) {
  size_t count = (size_t)body->model->particle_count;
  pl_vec3 *positions = pl_allocate_array(world->context, count, sizeof *positions);
  pl_vec3 *velocities = pl_allocate_array(world->context, count, sizeof *velocities);
  pl_status status = positions != NULL && velocities != NULL ? PL_OK : pl_fail_memory(error);
  if (status >= 0) {
    other->model->method->get_positions(other->model, other->state, positions);
    other->model->method->get_velocities(other->model, other->state, velocities);
    body->model->method->set_state(body->model, body->state, positions, velocities);
  }
  pl_release(world->context, positions);
  pl_release(world->context, velocities);
  return status;
}

static void take_controllers(pl_world *world, const pl_world *from) {
  for (size_t i = 0; i < world->controllers.count && i < from->controllers.count; ++i) {
    const pl_controller *to = &PL_ITEM(&world->controllers, pl_world_controller, i).controller;
    const pl_controller *other = &PL_ITEM(&from->controllers, pl_world_controller, i).controller;
    if (to->state_size > 0 && to->state_size == other->state_size && to->before_step == other->before_step)
      memcpy(to->state, other->state, to->state_size);
  }
}

pl_status pl_world_transfer_state(pl_world *world, const pl_world *from, int32_t *transferred_count, pl_error *error) {
  int32_t count = pl_slots_count(&world->bodies), adopted = 0;
  if (transferred_count != NULL) *transferred_count = 0;
  if (pl_world_check_idle(world, "pl_world_transfer_state", error) < 0) return PL_ERROR_INVALID_ARGUMENT;
  if (world->def.step != from->def.step)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "the two worlds have steps of different length");
  for (int32_t i = 0; i < count && i < pl_slots_count(&from->bodies); ++i) {
    pl_body *body = pl_slots_at(&world->bodies, i);
    const pl_body *other = pl_slots_at(&from->bodies, i);
    if (!is_alike(body, other)) continue;
    pl_status status = PL_OK;
    body->rest = (pl_body_rest){0};
    body->has_ends = false;
    if (body->state_size == other->state_size) {
      memcpy(body->state, other->state, body->state_size);
      take_rest(body, other);
    } else {
      status = take_motion(world, body, other, error);
    }
    if (status < 0) return status;
    pl_world_note_jump(world, body);
    ++adopted;
  }
  world->sleep_group_count = from->sleep_group_count;
  pl_world_refresh_sleepers(world);
  take_controllers(world, from);
  world->step_count = from->step_count;
  world->pending = from->pending;
  if (transferred_count != NULL) *transferred_count = adopted;
  return PL_OK;
}
