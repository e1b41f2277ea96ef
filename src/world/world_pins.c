// Pins and point forces: the ways a host, a script or a mouse gets hold of single particles.
#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "pliant/math.h"
#include "world/world_joints.h"
#include "world/world_parameters.h"
#include "world/world_state.h"

pl_pin_def pl_default_pin_def(void) {
  pl_pin_def def = {0};
  pl_parameters_set_defaults(&pl_pin_def_parameters, &def);
  return def;
}

static pl_status find_particle(const pl_world *world, pl_body_id id, int32_t particle, pl_body **body,
                               pl_error *error) {
  *body = pl_world_find_body(world, id);
  if (*body == NULL) return pl_fail(error, PL_ERROR_NOT_FOUND, "there is no such body in this world");
  if (particle < 0 || particle >= (*body)->model->particle_count)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "particle",
                         "%d is out of range; the body has particles 0 … %d", particle,
                         (*body)->model->particle_count - 1);
  return PL_OK;
}

// Contact may not move what a hard pin holds; a pin that was released gives its particle back.
void pl_world_compute_pin_masses(pl_world *world) {
  // What has come off is no longer held.
  for (int32_t i = 0; i < pl_slots_count(&world->attachments); ++i)
    pl_attachment_release_pins(world, pl_slots_at(&world->attachments, i));
  for (int pass = 0; pass < 2; ++pass)
    for (int32_t i = 0; i < pl_slots_count(&world->pins); ++i) {
      const pl_world_pin *pin = pl_slots_at(&world->pins, i);
      pl_body *body = pl_world_find_body(world, pin->def.body);
      if (pass == 0)
        body->inverse_masses[pin->def.particle] = body->model->inverse_masses[pin->def.particle];
      else if (pin->def.stiffness == 0 && pl_pin_holds(world, pin))
        body->inverse_masses[pin->def.particle] = 0;
    }
  pl_world_hold_attached_pins(world);
}

bool pl_pin_holds(const pl_world *world, const pl_world_pin *pin) {
  return pin->def.until == 0 || pl_world_get_time(world) < pin->def.until;
}

pl_status pl_world_add_pin(pl_world *world, const pl_pin_def *def, pl_pin_id *id, pl_error *error) {
  if (id != NULL) *id = (pl_pin_id){0, 0};
  if (pl_world_check_open(world, "pl_world_add_pin", error) < 0) return PL_ERROR_INVALID_ARGUMENT;
  pl_status status = pl_parameters_check(&pl_pin_def_parameters, def, error);
  if (status < 0) return status;
  pl_body *body;
  status = find_particle(world, def->body, def->particle, &body, error);
  if (status < 0) return status;
  pl_world_pin *pin = pl_allocate_array(world->context, 1, sizeof(pl_world_pin));
  if (pin == NULL) return pl_fail_memory(error);
  *pin = (pl_world_pin){.def = *def, .target = def->target, .saved = def->target};
  pl_slot_id slot = pl_slots_add(&world->pins, pin);
  if (slot.slot == 0) {
    pl_release(world->context, pin);
    return pl_fail_memory(error);
  }
  pl_world_wake_body(world, body);
  if (id != NULL) *id = (pl_pin_id){slot.slot, slot.generation};
  return PL_OK;
}

pl_status pl_world_move_pin(pl_world *world, pl_pin_id id, pl_vec3 target, pl_error *error) {
  if (pl_world_check_open(world, "pl_world_move_pin", error) < 0) return PL_ERROR_INVALID_ARGUMENT;
  pl_world_pin *pin = pl_slots_get(&world->pins, pl_slot_of_pin(id));
  if (pin == NULL) return pl_fail(error, PL_ERROR_NOT_FOUND, "there is no such pin in this world");
  if (!pl_vec3_is_finite(target)) return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "a pin's target must be finite");
  pl_world_wake_body(world, pl_world_find_body(world, pin->def.body));
  pin->target = target;
  return PL_OK;
}

pl_status pl_world_remove_pin(pl_world *world, pl_pin_id id, pl_error *error) {
  if (pl_world_check_open(world, "pl_world_remove_pin", error) < 0) return PL_ERROR_INVALID_ARGUMENT;
  pl_world_pin *pin = pl_slots_remove(&world->pins, pl_slot_of_pin(id));
  if (pin == NULL) return pl_fail(error, PL_ERROR_NOT_FOUND, "there is no such pin in this world");
  pl_body *body = pl_world_find_body(world, pin->def.body);
  pl_world_wake_body(world, body);
  body->inverse_masses[pin->def.particle] = body->model->inverse_masses[pin->def.particle];
  pl_release(world->context, pin);
  return PL_OK;
}

pl_status pl_world_add_force(pl_world *world, pl_body_id id, int32_t particle, pl_vec3 force, pl_error *error) {
  if (pl_world_check_open(world, "pl_world_add_force", error) < 0) return PL_ERROR_INVALID_ARGUMENT;
  pl_body *body;
  pl_status status = find_particle(world, id, particle, &body, error);
  if (status < 0) return status;
  if (!pl_vec3_is_finite(force)) return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "a force must be finite");
  pl_world_wake_body(world, body);
  body->forces[particle] += pl_f4_of_vec3(force);
  body->has_forces = true;
  return PL_OK;
}

int32_t pl_world_max_pin_count(const pl_world *world) {
  return pl_slots_count(&world->pins) + pl_world_attached_pin_count(world);
}

pl_status pl_world_list_pins(pl_world *world, int32_t index, pl_body_move *move, pl_error *error) {
  const pl_body *body = pl_slots_at(&world->bodies, index);
  int32_t max_count = pl_world_max_pin_count(world);
  if (!body->model->method->handles_pins || max_count == 0) return PL_OK;
  pl_body_pin *pins = PL_SCRATCH(&world->scratch, pl_body_pin, max_count);
  pl_vec3 *forces = PL_SCRATCH(&world->scratch, pl_vec3, max_count);
  if (pins == NULL || forces == NULL) return pl_fail_memory(error);
  for (int32_t i = 0; i < pl_slots_count(&world->pins); ++i) {
    const pl_world_pin *pin = pl_slots_at(&world->pins, i);
    if (pl_world_find_body(world, pin->def.body) != body || !pl_pin_holds(world, pin)) continue;
    pins[move->pin_count++] = (pl_body_pin){.particle = pin->def.particle,
                                            .target = pin->target,
                                            .stiffness = pin->def.stiffness,
                                            .damping = pin->def.damping};
  }
  move->pin_count += pl_world_list_attached_pins(world, body, pins + move->pin_count);
  move->pins = pins;
  move->pin_forces = forces;
  for (int32_t i = 0; i < move->pin_count; ++i) forces[i] = (pl_vec3){0, 0, 0};
  return PL_OK;
}
