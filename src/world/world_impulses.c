// What bodies push colliders with in a step, for pl_world_get_collider_impulse().
//
//   sum = contacts that the solver resolved (contact_report.c)
//       + contacts that were solved with the steps of their bodies (world_coupled_rigid.c)
//       + what methods that meet colliders in their own move felt (pl_body_touch.given)
//       + what put bodies back that were too deep in a collider (world_overlap.c)
//
// so that the momentum of all bodies changes by gravity, wind, pins and the like, less this sum.
//
// A body that moved alone and is then solved together with others begins again: what it felt as it moved is kept per
// body, and the last move counts. Bodies are put back by several threads: that is kept per body too, and all is summed
// in the order of the bodies, which gives the same bits for any number of threads. A step that fails leaves the sums of
// the one before.
#include <string.h>

#include "pliant/math.h"
#include "world/world_state.h"

// A body is put back from few colliders in a step; from more of them the last one gets the rest.
enum { MAX_PUT_BACK = 4 };

static int32_t collider_count_of(const pl_world *world) {
  return (int32_t)world->collider_list.count;
}

static bool reserve(pl_vector *vector, size_t count) {
  vector->count = 0;
  if (count > 0 && pl_vector_grow(vector, count) == NULL) return false;
  return true;
}

static void clear(pl_vector *impulses) {
  if (impulses->count > 0) memset(impulses->items, 0, impulses->count * impulses->item_size);
}

bool pl_world_take_impulses(pl_world *world) {
  size_t colliders = world->collider_list.count, bodies = (size_t)pl_slots_count(&world->bodies), own = 0;
  for (size_t i = 0; i < bodies; ++i) {
    pl_body *body = pl_slots_at(&world->bodies, (int32_t)i);
    body->own_impulses = -1;
    body->put_back_count = 0;
    if (!body->model->method->handles_colliders || !body->collides || colliders == 0) continue;
    body->own_impulses = (int64_t)own;
    own += colliders;
  }
  if (!reserve(&world->collider_impulses, colliders) || !reserve(&world->step_impulses, colliders) ||
      !reserve(&world->own_impulses, own) || !reserve(&world->put_backs, colliders > 0 ? bodies * MAX_PUT_BACK : 0))
    return false;
  clear(&world->collider_impulses);
  return true;
}

// Put-backs of a step that failed are forgotten with the next one.
static void forget_put_backs(pl_world *world) {
  for (int32_t i = 0; world->has_put_back && i < pl_slots_count(&world->bodies); ++i)
    ((pl_body *)pl_slots_at(&world->bodies, i))->put_back_count = 0;
  world->has_put_back = false;
}

void pl_world_begin_impulses(pl_world *world) {
  clear(&world->step_impulses);
  clear(&world->own_impulses);
  forget_put_backs(world);
}

void pl_world_keep_given(pl_world *world, int32_t index, const pl_body_move *move) {
  const pl_body *body = pl_slots_at(&world->bodies, index);
  if (body->own_impulses < 0) return;
  pl_collider_impulse *given = &PL_ITEM(&world->own_impulses, pl_collider_impulse, body->own_impulses);
  memset(given, 0, (size_t)collider_count_of(world) * sizeof *given);
  for (int32_t k = 0; move->touches != NULL && k < move->collider_count; ++k) {
    // Those of kinematic meshes have no place on the list.
    int32_t number = move->collider_numbers[k];
    if (number >= 0) given[number] = move->touches[k].given;
  }
}

void pl_world_note_solved(pl_world *world, int32_t collider, pl_vec3 point, pl_vec3 impulse) {
  pl_collider_impulse got = {pl_vec3_scale(impulse, -1), pl_vec3_cross(impulse, point)};
  pl_collider_impulse_add(&PL_ITEM(&world->step_impulses, pl_collider_impulse, collider), &got);
}

void pl_world_note_put_back(pl_world *world, int32_t index, int32_t collider, const pl_collider_impulse *impulse) {
  pl_body *body = pl_slots_at(&world->bodies, index);
  pl_put_back *items = &PL_ITEM(&world->put_backs, pl_put_back, (size_t)index * MAX_PUT_BACK);
  int32_t i = 0;
  while (i < body->put_back_count && items[i].collider != collider) ++i;
  if (i == MAX_PUT_BACK) --i;
  if (i == body->put_back_count) {
    items[i] = (pl_put_back){.collider = collider};
    body->put_back_count = i + 1;
  }
  pl_collider_impulse_add(&items[i].impulse, impulse);
  world->has_put_back = true;
}

// What methods felt, and put-backs, in the order of the bodies.
static void add_bodies(pl_world *world) {
  pl_collider_impulse *sums = world->step_impulses.items;
  for (size_t i = 0; i < world->own_impulses.count; ++i)
    pl_collider_impulse_add(&sums[i % world->collider_list.count],
                            &PL_ITEM(&world->own_impulses, pl_collider_impulse, i));
  for (int32_t i = 0; world->has_put_back && i < pl_slots_count(&world->bodies); ++i) {
    const pl_body *body = pl_slots_at(&world->bodies, i);
    const pl_put_back *items = &PL_ITEM(&world->put_backs, pl_put_back, (size_t)i * MAX_PUT_BACK);
    for (int32_t k = 0; k < body->put_back_count; ++k)
      pl_collider_impulse_add(&sums[items[k].collider], &items[k].impulse);
  }
}

void pl_world_finish_impulses(pl_world *world) {
  if (collider_count_of(world) == 0) return;
  add_bodies(world);
  forget_put_backs(world);
  memcpy(world->collider_impulses.items, world->step_impulses.items,
         world->collider_impulses.count * sizeof(pl_collider_impulse));
}

pl_status pl_world_get_collider_impulse(const pl_world *world, pl_collider_id id, pl_vec3 *linear, pl_vec3 *angular) {
  *linear = *angular = (pl_vec3){0, 0, 0};
  const pl_collider *collider = pl_slots_get(&world->colliders, pl_slot_of_collider(id));
  if (collider == NULL) return PL_ERROR_NOT_FOUND;
  for (size_t i = 0; i < world->collider_impulses.count && i < world->collider_list.count; ++i) {
    if (PL_ITEM(&world->collider_list, const pl_collider *, i) != collider) continue;
    const pl_collider_impulse *sum = &PL_ITEM(&world->collider_impulses, pl_collider_impulse, i);
    pl_vec3 origin = pl_collider_placement(collider, pl_world_get_time(world)).position;
    *linear = sum->linear;
    *angular = pl_vec3_sub(sum->angular, pl_vec3_cross(origin, sum->linear));
  }
  return PL_OK;
}
