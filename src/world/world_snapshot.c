// Snapshot, restore and hash. States are flat, so all three walk the same list of memory blocks.
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "world/world_joints.h"
#include "world/world_state.h"

#define SNAPSHOT_MAGIC UINT64_C(0x33304E5350414C50)        // "PLAPSN03"
#define SNAPSHOT_INSIDE_STEP UINT64_C(0x58304E5350414C50)  // "PLAPSN0X": of a step that was not over, good for nothing

typedef struct snapshot_head {
  uint64_t magic;
  uint64_t layout;  // hash of what the world consists of: models, sizes, pins, controllers
  int64_t step_count;
  double pending;
  pl_vec3 gravity, wind;
  int64_t sleep_group_count;
} snapshot_head;

// Called with every block of memory that moves, in a fixed order.
typedef void block_visitor(void *visitor, void *block, size_t size);

static void visit_blocks(const pl_world *world, block_visitor *visit, void *visitor) {
  for (int32_t i = 0; i < pl_slots_count(&world->bodies); ++i) {
    pl_body *body = pl_slots_at(&world->bodies, i);
    visit(visitor, body->state, body->state_size);
    visit(visitor, body->forces, (size_t)body->model->particle_count * sizeof(pl_f4));
    visit(visitor, body->impulses,
          (size_t)body->model->surface.point_count * PL_IMPULSES_PER_POINT * sizeof(pl_contact_impulse));
    visit(visitor, &body->rest, sizeof body->rest);
    for (size_t k = 0; k < body->layers.count; ++k) {
      const pl_layer *layer = &PL_ITEM(&body->layers, pl_world_layer, k).layer;
      if (layer->state_size > 0) visit(visitor, layer->state, layer->state_size);
    }
    if (body->layers.count > 0)
      visit(visitor, body->surface, (size_t)body->model->surface.point_count * sizeof(pl_vec3));
  }
  for (int32_t i = 0; i < pl_slots_count(&world->pins); ++i) {
    pl_world_pin *pin = pl_slots_at(&world->pins, i);
    visit(visitor, &pin->target, sizeof pin->target);
  }
  pl_world_visit_couplings(world, visit, visitor);
  for (size_t i = 0; i < world->controllers.count; ++i) {
    const pl_controller *c = &PL_ITEM(&world->controllers, pl_world_controller, i).controller;
    if (c->state_size > 0) visit(visitor, c->state, c->state_size);
  }
}

static void add_size(void *visitor, void *block, size_t size) {
  (void)block;
  *(size_t *)visitor += size;
}

static void hash_size(void *visitor, void *block, size_t size) {
  (void)block;
  uint64_t *hash = visitor, size64 = size;
  *hash = pl_hash_bytes(*hash, &size64, sizeof size64);
}

static void hash_block(void *visitor, void *block, size_t size) {
  uint64_t *hash = visitor;
  *hash = pl_hash_bytes(*hash, block, size);
}

static void copy_out(void *visitor, void *block, size_t size) {
  char **to = visitor;
  memcpy(*to, block, size);
  *to += size;
}

static void copy_in(void *visitor, void *block, size_t size) {
  const char **from = visitor;
  memcpy(block, *from, size);
  *from += size;
}

static uint64_t layout_hash(const pl_world *world) {
  uint64_t hash = PL_HASH_START;
  for (int32_t i = 0; i < pl_slots_count(&world->bodies); ++i) {
    const pl_body *body = pl_slots_at(&world->bodies, i);
    hash = pl_hash_bytes(hash, &body->model->hash, sizeof body->model->hash);
  }
  hash = pl_hash_bytes(hash, &world->def.step, sizeof world->def.step);
  visit_blocks(world, hash_size, &hash);
  return hash;
}

size_t pl_world_snapshot_size(const pl_world *world) {
  size_t size = sizeof(snapshot_head);
  visit_blocks(world, add_size, &size);
  return size;
}

void pl_world_snapshot(const pl_world *world, void *buffer) {
  // Half of a step is not a state to go back to, and there is nobody to tell here: pl_world_restore() refuses it.
  uint64_t magic = world->phase == PL_WORLD_IDLE ? SNAPSHOT_MAGIC : SNAPSHOT_INSIDE_STEP;
  snapshot_head head = {magic,           layout_hash(world),      world->step_count, world->pending, world->def.gravity,
                        world->def.wind, world->sleep_group_count};
  memcpy(buffer, &head, sizeof head);
  char *to = (char *)buffer + sizeof head;
  visit_blocks(world, copy_out, &to);
}

static bool forces_are_set(const pl_body *body) {
  const char *bytes = (const char *)body->forces;
  for (size_t i = 0; i < (size_t)body->model->particle_count * sizeof(pl_f4); ++i)
    if (bytes[i] != 0) return true;
  return false;
}

pl_status pl_world_restore(pl_world *world, const void *buffer, size_t size, pl_error *error) {
  if (pl_world_check_idle(world, "pl_world_restore", error) < 0) return PL_ERROR_INVALID_ARGUMENT;
  snapshot_head head;
  if (size != pl_world_snapshot_size(world))
    return pl_fail(error, PL_ERROR_INVALID_DATA,
                   "the snapshot has %zu bytes where this world needs %zu: it is of another world", size,
                   pl_world_snapshot_size(world));
  memcpy(&head, buffer, sizeof head);
  if (head.magic == SNAPSHOT_INSIDE_STEP)
    return pl_fail(error, PL_ERROR_INVALID_DATA,
                   "the snapshot was taken inside a step, half-way; take snapshots between steps");
  if (head.magic != SNAPSHOT_MAGIC) return pl_fail(error, PL_ERROR_INVALID_DATA, "this is not a snapshot of a world");
  if (head.layout != layout_hash(world))
    return pl_fail(error, PL_ERROR_INVALID_DATA,
                   "the snapshot is of a world with other models or pins; build the world as it was then");
  const char *from = (const char *)buffer + sizeof head;
  visit_blocks(world, copy_in, &from);
  for (int32_t i = 0; i < pl_slots_count(&world->bodies); ++i) {
    pl_body *body = pl_slots_at(&world->bodies, i);
    body->has_impulses = true;
    body->has_ends = false;
    body->impulse_mask = ~(pl_contact_mask)0;
  }
  world->step_count = head.step_count;
  world->pending = head.pending;
  world->def.gravity = head.gravity;
  world->def.wind = head.wind;
  pl_world_forget_touching(world);
  world->sleep_group_count = head.sleep_group_count;
  pl_world_refresh_sleepers(world);
  for (int32_t i = 0; i < pl_slots_count(&world->bodies); ++i) {
    pl_body *body = pl_slots_at(&world->bodies, i);
    body->has_forces = forces_are_set(body);
    body->has_previous = false;
    pl_world_note_surface(world, body);
  }
  return PL_OK;
}

uint64_t pl_world_get_hash(const pl_world *world) {
  uint64_t hash = pl_hash_bytes(PL_HASH_START, &world->step_count, sizeof world->step_count);
  visit_blocks(world, hash_block, &hash);
  return hash;
}
