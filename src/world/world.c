// Contents of a world: bodies, colliders, pins, controllers and layers are added and removed here. All memory of a step
// is allocated here too.
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "contact/collider_surface.h"
#include "pliant/math.h"
#include "world/world_joints.h"
#include "world/world_parameters.h"
#include "world/world_shown.h"
#include "world/world_state.h"

pl_world_def pl_default_world_def(void) {
  pl_world_def def = {0};
  pl_parameters_set_defaults(&pl_world_def_parameters, &def);
  return def;
}

pl_status pl_world_create(pl_context *context, const pl_world_def *def, pl_world **world, pl_error *error) {
  *world = NULL;
  pl_status status = pl_parameters_check(&pl_world_def_parameters, def, error);
  if (status < 0) return status;
  pl_world *made = pl_allocate_array(context, 1, sizeof(pl_world));
  if (made == NULL) return pl_fail_memory(error);
  made->context = context;
  made->def = *def;
  pl_slab_init(&made->body_memory, context);
  pl_slots_init(&made->bodies, context);
  pl_slots_init(&made->colliders, context);
  pl_slots_init(&made->pins, context);
  pl_slots_init(&made->joints, context);
  pl_slots_init(&made->attachments, context);
  made->controllers = pl_vector_of(context, sizeof(pl_world_controller));
  made->contact_bodies = pl_vector_of(context, sizeof(pl_contact_body));
  made->contact_numbers = pl_vector_of(context, sizeof(int32_t));
  made->collider_list = pl_vector_of(context, sizeof(const pl_collider *));
  made->pair_rules = pl_vector_of(context, sizeof(pl_world_pair_rule));
  made->contact_pairs = pl_vector_of(context, sizeof(pl_contact_rule));
  made->body_colliders = pl_vector_of(context, sizeof(const pl_collider *));
  made->collider_frictions = pl_vector_of(context, sizeof(double));
  made->collider_numbers = pl_vector_of(context, sizeof(int32_t));
  made->touches = pl_vector_of(context, sizeof(pl_body_touch));
  made->awake = pl_vector_of(context, sizeof(int32_t));
  made->island_seconds = pl_vector_of(context, sizeof(double));
  made->island_groups = pl_vector_of(context, sizeof(int64_t));
  made->collider_impulses = pl_vector_of(context, sizeof(pl_collider_impulse));
  made->step_impulses = pl_vector_of(context, sizeof(pl_collider_impulse));
  made->own_impulses = pl_vector_of(context, sizeof(pl_collider_impulse));
  made->put_backs = pl_vector_of(context, sizeof(pl_put_back));
  made->contact_joints = pl_vector_of(context, sizeof(pl_contact_joint));
  made->spared_pairs = pl_vector_of(context, sizeof(pl_contact_spared_pair));
  pl_scratch_init(&made->scratch, context);
  for (int i = 0; i < PL_MOVE_BLOCKS; ++i) pl_scratch_init(&made->move_scratches[i], context);
  status = pl_world_shown_create(context, &made->shown, error);
  if (status >= 0) status = pl_contact_solver_create(context, &made->contact_solver, error);
  if (status < 0) {
    pl_world_destroy(made);
    return status;
  }
  *world = made;
  return PL_OK;
}

static void destroy_body(pl_world *world, pl_body *body) {
  for (size_t i = 0; i < body->layers.count; ++i)
    pl_release(world->context, PL_ITEM(&body->layers, pl_world_layer, i).saved);
  pl_vector_free(&body->layers);
  if (body->work != NULL) body->model->method->destroy_work(body->work);
  pl_slab_give(&world->body_memory, body);
}

void pl_world_destroy(pl_world *world) {
  if (world == NULL) return;
  if (world->phase != PL_WORLD_IDLE) {
    world->destroy_refused = true;
    return;
  }
  pl_context *context = world->context;
  for (int32_t i = 0; i < pl_slots_count(&world->bodies); ++i) {
    pl_body *body = pl_slots_at(&world->bodies, i);
    pl_world_forget_body(world, body);
    destroy_body(world, body);
  }
  for (int32_t i = 0; i < pl_slots_count(&world->colliders); ++i)
    pl_collider_destroy(context, pl_slots_at(&world->colliders, i));
  for (int32_t i = 0; i < pl_slots_count(&world->pins); ++i) pl_release(context, pl_slots_at(&world->pins, i));
  for (size_t i = 0; i < world->controllers.count; ++i)
    pl_release(context, PL_ITEM(&world->controllers, pl_world_controller, i).saved);
  pl_world_free_couplings(world);
  pl_slots_free(&world->bodies);
  pl_slots_free(&world->colliders);
  pl_slots_free(&world->pins);
  pl_vector_free(&world->controllers);
  pl_vector_free(&world->contact_bodies);
  pl_vector_free(&world->contact_numbers);
  pl_vector_free(&world->collider_list);
  pl_vector_free(&world->pair_rules);
  pl_vector_free(&world->contact_pairs);
  pl_vector_free(&world->body_colliders);
  pl_vector_free(&world->collider_frictions);
  pl_vector_free(&world->collider_numbers);
  pl_vector_free(&world->touches);
  pl_world_destroy_events(world);
  pl_vector_free(&world->collider_impulses);
  pl_vector_free(&world->step_impulses);
  pl_vector_free(&world->own_impulses);
  pl_vector_free(&world->put_backs);
  pl_vector_free(&world->awake);
  pl_vector_free(&world->island_seconds);
  pl_vector_free(&world->island_groups);
  pl_contact_solver_destroy(world->contact_solver);
  pl_world_shown_destroy(world->shown);
  pl_scratch_destroy(&world->scratch);
  for (int i = 0; i < PL_MOVE_BLOCKS; ++i) pl_scratch_destroy(&world->move_scratches[i]);
  pl_release(context, world);
}

pl_body_def pl_default_body_def(void) {
  pl_body_def def = {0};
  pl_parameters_set_defaults(&pl_body_def_parameters, &def);
  def.placement = pl_transform_identity();
  return def;
}

static pl_status check_body_def(const pl_body_def *def, pl_error *error) {
  pl_status status = pl_parameters_check(&pl_body_def_parameters, def, error);
  if (status < 0) return status;
  if (def->model == NULL) return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "model", "a body needs a model");
  if (!pl_transform_is_valid(def->placement))
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "placement",
                         "the position must be finite and the rotation not zero");
  return PL_OK;
}

// A body and all its arrays lie side by side, each from a line of the cache on. Without a block they are only counted.
typedef struct body_layout {
  char *block;
  size_t size;
} body_layout;

static void *lay_out(body_layout *layout, size_t count, size_t item_size) {
  void *place = layout->block != NULL ? layout->block + layout->size : NULL;
  layout->size += (count * item_size + 63) / 64 * 64;
  return place;
}

// What a step uses together is together.
static void lay_out_body(body_layout *layout, pl_body *body) {
  size_t n = (size_t)body->model->particle_count, surface = (size_t)body->model->surface.point_count;
  (void)lay_out(layout, 1, sizeof *body);
  body->state = lay_out(layout, 1, body->state_size);
  body->saved = lay_out(layout, 1, body->state_size);
  body->starts = lay_out(layout, n, sizeof(pl_vec3));
  body->start_velocities = lay_out(layout, n, sizeof(pl_vec3));
  body->positions = lay_out(layout, n, sizeof(pl_vec3));
  body->velocities = lay_out(layout, n, sizeof(pl_vec3));
  body->impulses = lay_out(layout, surface * PL_IMPULSES_PER_POINT, sizeof(pl_contact_impulse));
  body->saved_impulses = lay_out(layout, surface * PL_IMPULSES_PER_POINT, sizeof(pl_contact_impulse));
  body->presses = lay_out(layout, surface, sizeof(pl_vec3));
  body->next_presses = lay_out(layout, surface, sizeof(pl_vec3));
  body->inverse_masses = lay_out(layout, n, sizeof(double));
  body->forces = lay_out(layout, n, sizeof(pl_f4));
  body->saved_forces = lay_out(layout, n, sizeof(pl_f4));
  body->surface = lay_out(layout, surface, sizeof(pl_vec3));
  body->next_surface = lay_out(layout, surface, sizeof(pl_vec3));
}

// A body of a model with all its arrays; NULL when out of memory.
static pl_body *allocate_body(pl_world *world, const pl_model *model) {
  pl_body counted = {.model = model, .state_size = model->method->state_size(model)};
  body_layout layout = {NULL, 0};
  lay_out_body(&layout, &counted);
  pl_body *body = pl_slab_take(&world->body_memory, layout.size);
  if (body == NULL) return NULL;
  body->model = model;
  body->state_size = counted.state_size;
  layout = (body_layout){(char *)body, 0};
  lay_out_body(&layout, body);
  return body;
}

pl_status pl_world_add_body(pl_world *world, const pl_body_def *def, pl_body_id *id, pl_error *error) {
  if (id != NULL) *id = (pl_body_id){0, 0};
  if (pl_world_check_open(world, "pl_world_add_body", error) < 0) return PL_ERROR_INVALID_ARGUMENT;
  pl_status status = check_body_def(def, error);
  if (status < 0) return status;
  const pl_body_method *method = def->model->method;
  pl_body *body = allocate_body(world, def->model);
  if (body == NULL) return pl_fail_memory(error);
  body->gravity_scale = def->gravity_scale;
  body->collides = def->collides;
  body->filter = pl_contact_filter_of(def->collision_layers, def->collision_mask);
  body->layers = pl_vector_of(world->context, sizeof(pl_world_layer));
  if (method->create_work != NULL) {
    status = method->create_work(def->model, world->context, world->def.step, &body->work, error);
    if (status < 0) {
      destroy_body(world, body);
      return status;
    }
  }
  pl_slot_id slot = pl_slots_add(&world->bodies, body);
  if (slot.slot == 0) {
    destroy_body(world, body);
    return pl_fail_memory(error);
  }
  body->start = (pl_body_start){def->placement, def->velocity, def->angular_velocity};
  body->start.placement.rotation = pl_quat_normalize(def->placement.rotation);
  method->start(def->model, body->state, &body->start);
  memcpy(body->saved, body->state, body->state_size);
  memcpy(body->inverse_masses, def->model->inverse_masses, (size_t)def->model->particle_count * sizeof(double));
  world->prepared = false;
  ++world->version;
  if (id != NULL) *id = (pl_body_id){slot.slot, slot.generation};
  return PL_OK;
}

pl_status pl_world_remove_body(pl_world *world, pl_body_id id, pl_error *error) {
  if (pl_world_check_open(world, "pl_world_remove_body", error) < 0) return PL_ERROR_INVALID_ARGUMENT;
  // Bodies get other numbers.
  pl_world_gather_presses(world, false);
  world->resolved = 0;
  pl_body *body = pl_slots_remove(&world->bodies, pl_slot_of_body(id));
  if (body == NULL) return pl_fail(error, PL_ERROR_NOT_FOUND, "there is no such body in this world");
  for (int32_t i = pl_slots_count(&world->pins) - 1; i >= 0; --i) {
    const pl_world_pin *pin = pl_slots_at(&world->pins, i);
    if (pin->def.body.slot == id.slot && pin->def.body.generation == id.generation)
      pl_release(world->context, pl_slots_remove(&world->pins, pl_slots_id_at(&world->pins, i)));
  }
  pl_world_wake_body(world, body);
  pl_world_forget_body(world, body);
  pl_world_uncouple_body(world, id);
  destroy_body(world, body);
  world->prepared = false;
  ++world->version;
  return PL_OK;
}

pl_status pl_world_add_collider(pl_world *world, const pl_collider_def *def, pl_collider_id *id, pl_error *error) {
  if (id != NULL) *id = (pl_collider_id){0, 0};
  if (pl_world_check_open(world, "pl_world_add_collider", error) < 0) return PL_ERROR_INVALID_ARGUMENT;
  pl_collider *collider = NULL;
  pl_status status = pl_collider_create(world->context, def, &collider, error);
  if (status < 0) return status;
  if (collider->shape != PL_COLLIDER_HALF_SPACE) status = pl_collider_surface_build(collider, error);
  pl_slot_id slot = status >= 0 ? pl_slots_add(&world->colliders, collider) : (pl_slot_id){0, 0};
  if (slot.slot == 0) {
    pl_collider_destroy(world->context, collider);
    return status < 0 ? status : pl_fail_memory(error);
  }
  world->prepared = false;
  pl_world_wake_all(world);
  if (id != NULL) *id = (pl_collider_id){slot.slot, slot.generation};
  return PL_OK;
}

pl_status pl_world_move_collider(pl_world *world, pl_collider_id id, pl_transform placement, pl_error *error) {
  if (pl_world_check_open(world, "pl_world_move_collider", error) < 0) return PL_ERROR_INVALID_ARGUMENT;
  pl_collider *collider = pl_slots_get(&world->colliders, pl_slot_of_collider(id));
  const pl_quat q = placement.rotation;
  if (collider == NULL) return pl_fail(error, PL_ERROR_NOT_FOUND, "there is no such collider in this world");
  double size = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
  if (!pl_vec3_is_finite(placement.position) || !(size > 1e-12 && size < 1e12))
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "a collider's position must be finite and its rotation not zero");
  if (!pl_collider_move(collider, placement, pl_world_get_time(world), world->def.step))
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "a collider with keys moves by them alone");
  return PL_OK;
}

pl_status pl_world_remove_collider(pl_world *world, pl_collider_id id, pl_error *error) {
  if (pl_world_check_open(world, "pl_world_remove_collider", error) < 0) return PL_ERROR_INVALID_ARGUMENT;
  pl_collider *collider = pl_slots_remove(&world->colliders, pl_slot_of_collider(id));
  if (collider == NULL) return pl_fail(error, PL_ERROR_NOT_FOUND, "there is no such collider in this world");
  pl_collider_destroy(world->context, collider);
  world->prepared = false;
  pl_world_wake_all(world);
  return PL_OK;
}

static bool is_same(pl_vec3 a, pl_vec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

void pl_world_set_gravity(pl_world *world, pl_vec3 gravity) {
  if (!is_same(world->def.gravity, gravity)) pl_world_wake_all(world);
  world->def.gravity = gravity;
}

void pl_world_set_wind(pl_world *world, pl_vec3 wind) {
  if (!is_same(world->def.wind, wind)) pl_world_wake_all(world);
  world->def.wind = wind;
}

// Memory for `size` bytes of the state of a controller or layer at the start of a step; `*saved` stays NULL for 0.
// False when out of memory. It holds the current state, to which a failing step returns when a controller of that step
// added the new one.
static bool allocate_saved(pl_context *context, const void *state, size_t size, void **saved) {
  *saved = NULL;
  if (size == 0) return true;
  *saved = pl_allocate_array(context, 1, size);
  if (*saved != NULL) memcpy(*saved, state, size);
  return *saved != NULL;
}

pl_status pl_world_add_controller(pl_world *world, const pl_controller *controller, pl_error *error) {
  if (pl_world_check_open(world, "pl_world_add_controller", error) < 0) return PL_ERROR_INVALID_ARGUMENT;
  if (controller->before_step == NULL)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "a controller needs before_step");
  pl_world_controller entry = {.controller = *controller};
  if (!allocate_saved(world->context, controller->state, controller->state_size, &entry.saved))
    return pl_fail_memory(error);
  if (pl_vector_push(&world->controllers, &entry)) return PL_OK;
  pl_release(world->context, entry.saved);
  return pl_fail_memory(error);
}

pl_status pl_world_remove_controller(pl_world *world, const void *user) {
  if (pl_world_check_idle(world, "pl_world_remove_controller", NULL) < 0) return PL_ERROR_INVALID_ARGUMENT;
  size_t kept = 0, count = world->controllers.count;
  for (size_t i = 0; i < count; ++i) {
    pl_world_controller *it = &PL_ITEM(&world->controllers, pl_world_controller, i);
    if (it->controller.user == user)
      pl_release(world->context, it->saved);
    else
      PL_ITEM(&world->controllers, pl_world_controller, kept++) = *it;
  }
  world->controllers.count = kept;
  return kept < count ? PL_OK : PL_ERROR_NOT_FOUND;
}

pl_status pl_world_add_layer(pl_world *world, pl_body_id id, const pl_layer *layer, pl_error *error) {
  if (pl_world_check_open(world, "pl_world_add_layer", error) < 0) return PL_ERROR_INVALID_ARGUMENT;
  pl_body *body = pl_world_find_body(world, id);
  if (body == NULL) return pl_fail(error, PL_ERROR_NOT_FOUND, "there is no such body in this world");
  if (layer->after_step == NULL) return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "a layer needs after_step");
  pl_world_layer entry = {.layer = *layer};
  if (!allocate_saved(world->context, layer->state, layer->state_size, &entry.saved)) return pl_fail_memory(error);
  if (!pl_vector_push(&body->layers, &entry)) {
    pl_release(world->context, entry.saved);
    return pl_fail_memory(error);
  }
  world->had_layers = true;
  pl_world_wake_body(world, body);
  // Until the first step the surface is what the body shows without layers.
  if (body->layers.count == 1) body->model->method->get_surface(body->model, body->state, body->surface);
  if (body->layers.count == 1) body->has_previous = false;
  pl_world_note_surface(world, body);
  return PL_OK;
}
