// Contact events: which pairs began to touch, still touch, and no longer do.
//
// A step gathers its contacts by pair, in the order in which the pairs first come up, so the list is the same for any
// number of threads. When the step has succeeded the pairs are compared with those of the step before.
//
// A pair begins when some contact of it pushes or overlaps. It ends when no contact of it is left, not even one with a
// gap that the step only watched: a body at rest does not flicker.
#include "base/context.h"
#include "base/error.h"
#include "contact/surface_tree.h"
#include "pliant/contact.h"
#include "pliant/math.h"
#include "world/world_state.h"

// Memory: pairs per body on average, and changes of pairs that a call of many steps may report, in pairs.
enum { PAIRS_PER_BODY = 32, MIN_PAIRS = 64, CHANGES_PER_PAIR = 4 };

// The kind of a pair that touches and sleeps; no event has it.
static const pl_contact_event_kind ASLEEP = (pl_contact_event_kind)0;

// The pairs of one step. `slots` is a table of open addresses: number of a pair + 1, 0 for free.
typedef struct pair_list {
  pl_contact_event *items;
  double *weights;  // of `position` and `normal`, which are sums until the step ends
  bool *is_touching;
  int32_t count;
  int32_t *slots;
} pair_list;

struct pl_world_events {
  pl_arena arena;
  int32_t capacity;    // pairs
  uint32_t slot_mask;  // slots of a table - 1
  pair_list now, next;
  pl_contact_event *events;  // changes of the caller's present call, then what persists
  int32_t change_count, event_count, missed_count;
  int32_t *body_of_contact;  // numbers in the world of the contact solver's bodies
  int32_t body_capacity;
};

// --- memory

static void take_list(pl_arena *arena, pair_list *list, int32_t capacity, uint32_t slot_count) {
  list->items = PL_TAKE(arena, pl_contact_event, capacity);
  list->weights = PL_TAKE(arena, double, capacity);
  list->is_touching = PL_TAKE(arena, bool, capacity);
  list->slots = PL_TAKE(arena, int32_t, slot_count);
}

static uint32_t hash_of(const pl_contact_event *pair) {
  uint32_t other = pair->other_body.slot != 0 ? pair->other_body.slot : ~pair->collider.slot;
  uint32_t hash = pair->body.slot * UINT32_C(0x9E3779B1) ^ other * UINT32_C(0x85EBCA77);
  hash ^= hash >> 15;
  hash *= UINT32_C(0x2C1B3C6D);
  return hash ^ hash >> 13;
}

static bool is_same(const pl_contact_event *a, const pl_contact_event *b) {
  return a->body.slot == b->body.slot && a->body.generation == b->body.generation &&
         a->other_body.slot == b->other_body.slot && a->other_body.generation == b->other_body.generation &&
         a->collider.slot == b->collider.slot && a->collider.generation == b->collider.generation;
}

// The number of a pair in the list, or -1; `slot` receives where it stands or would.
static int32_t find_pair(const pl_world_events *events, const pair_list *list, const pl_contact_event *pair,
                         uint32_t *slot) {
  for (*slot = hash_of(pair) & events->slot_mask; list->slots[*slot] != 0; *slot = (*slot + 1) & events->slot_mask)
    if (is_same(&list->items[list->slots[*slot] - 1], pair)) return list->slots[*slot] - 1;
  return -1;
}

// Add a pair that is not in the list; -1 when it is full.
static int32_t add_pair(const pl_world_events *events, pair_list *list, const pl_contact_event *pair, uint32_t slot) {
  if (list->count == events->capacity) return -1;
  int32_t number = list->count++;
  list->items[number] = *pair;
  list->weights[number] = 0;
  list->is_touching[number] = false;
  list->slots[slot] = number + 1;
  return number;
}

static void clear_list(const pl_world_events *events, pair_list *list) {
  // Few pairs in a large table are quicker taken out one by one.
  for (int32_t i = 0; i < list->count; ++i)
    for (uint32_t slot = hash_of(&list->items[i]) & events->slot_mask; list->slots[slot] != 0;
         slot = (slot + 1) & events->slot_mask)
      list->slots[slot] = 0;
  list->count = 0;
}

static pl_status grow(pl_world *world, int32_t capacity, int32_t body_capacity, pl_error *error) {
  pl_arena arena;
  pl_arena_init(&arena, world->context, 0);
  pl_world_events *made = PL_TAKE(&arena, pl_world_events, 1);
  if (made == NULL) {
    pl_arena_destroy(&arena);
    return pl_fail_memory(error);
  }
  uint32_t slot_count = 1;
  while (slot_count < 2 * (uint32_t)capacity) slot_count *= 2;
  made->capacity = capacity;
  made->slot_mask = slot_count - 1;
  made->body_capacity = body_capacity;
  take_list(&arena, &made->now, capacity, slot_count);
  take_list(&arena, &made->next, capacity, slot_count);
  made->events = PL_TAKE(&arena, pl_contact_event, (CHANGES_PER_PAIR + 1) * (size_t)capacity);
  made->body_of_contact = PL_TAKE(&arena, int32_t, body_capacity);
  if (arena.failed) {
    pl_arena_destroy(&arena);
    return pl_fail_memory(error);
  }
  made->arena = arena;
  // Bodies added by a controller must not make the others begin again, nor lose what the call has reported.
  const pl_world_events *old = world->events;
  for (int32_t i = 0; old != NULL && i < old->now.count; ++i) {
    uint32_t slot;
    if (find_pair(made, &made->now, &old->now.items[i], &slot) < 0)
      add_pair(made, &made->now, &old->now.items[i], slot);
  }
  for (int32_t i = 0; old != NULL && i < old->change_count; ++i) made->events[i] = old->events[i];
  made->change_count = made->event_count = old != NULL ? old->change_count : 0;
  made->missed_count = old != NULL ? old->missed_count : 0;
  pl_world_destroy_events(world);
  world->events = made;
  return PL_OK;
}

pl_status pl_world_prepare_events(pl_world *world, pl_error *error) {
  if (!world->def.contact_events) return PL_OK;
  int64_t count = pl_slots_count(&world->bodies), colliders = pl_slots_count(&world->colliders);
  int64_t all = count * (count - 1) / 2 + count * colliders, some = PAIRS_PER_BODY * count;
  int64_t capacity = (all < some ? all : some) + MIN_PAIRS;
  if (capacity > INT32_MAX / 8) capacity = INT32_MAX / 8;
  const pl_world_events *events = world->events;
  if (events == NULL || events->capacity < capacity || events->body_capacity < count) {
    // Half as many again, so that bodies added one by one do not each copy the lists.
    pl_status status = grow(world, (int32_t)(events == NULL ? capacity : capacity + capacity / 2),
                            (int32_t)(count + count / 2), error);
    if (status < 0) return status;
  }
  int32_t number = 0;
  for (int32_t i = 0; i < count; ++i)
    if (pl_body_meets_others(pl_slots_at(&world->bodies, i))) world->events->body_of_contact[number++] = i;
  return PL_OK;
}

void pl_world_destroy_events(pl_world *world) {
  if (world->events == NULL) return;
  pl_arena arena = world->events->arena;
  pl_arena_destroy(&arena);
  world->events = NULL;
}

// --- gathering

void pl_world_clear_events(pl_world *world) {
  if (world->events == NULL) return;
  world->events->change_count = world->events->event_count = world->events->missed_count = 0;
}

void pl_world_begin_events(pl_world *world) {
  if (world->events != NULL) clear_list(world->events, &world->events->next);
}

void pl_world_forget_touching(pl_world *world) {
  if (world->events != NULL) clear_list(world->events, &world->events->now);
}

static pl_body_id body_id_at(const pl_world *world, int32_t index) {
  pl_slot_id id = pl_slots_id_at(&world->bodies, index);
  return (pl_body_id){id.slot, id.generation};
}

static pl_collider_id collider_id_at(const pl_world *world, int32_t index) {
  pl_slot_id id = pl_slots_id_at(&world->colliders, index);
  return (pl_collider_id){id.slot, id.generation};
}

// Add what a touch sums up to a pair of this step.
static void add_touch(pl_world_events *events, const pl_contact_event *pair, const pl_body_touch *touch) {
  uint32_t slot;
  int32_t number = find_pair(events, &events->next, pair, &slot);
  if (number < 0) number = add_pair(events, &events->next, pair, slot);
  if (number < 0) {
    events->missed_count++;
    return;
  }
  pl_contact_event *it = &events->next.items[number];
  it->contact_count += touch->count;
  it->impulse += touch->impulse;
  it->depth = touch->depth > it->depth ? touch->depth : it->depth;
  it->position = pl_vec3_add(it->position, touch->position);
  it->normal = pl_vec3_add(it->normal, touch->normal);
  events->next.weights[number] += touch->weight;
  if (touch->impulse > 0 || touch->depth > 0) events->next.is_touching[number] = true;
}

void pl_world_collect_body_touch(pl_world *world, int32_t body, int32_t other, const pl_body_touch *touch) {
  if (world->events == NULL || touch->count == 0) return;
  bool is_later = other < body;
  pl_contact_event pair = {.body = body_id_at(world, is_later ? other : body),
                           .other_body = body_id_at(world, is_later ? body : other)};
  pl_body_touch towards_first = *touch;
  if (is_later) towards_first.normal = pl_vec3_scale(touch->normal, -1);
  add_touch(world->events, &pair, &towards_first);
}

void pl_world_collect_touches(pl_world *world, int32_t body, const pl_body_move *move) {
  if (world->events == NULL || move->touches == NULL) return;
  for (int32_t k = 0; k < move->collider_count; ++k) {
    int32_t number = move->collider_numbers[k];
    if (move->touches[k].count == 0) continue;
    if (number < 0) {
      pl_world_collect_body_touch(world, body, ~number, &move->touches[k]);
      continue;
    }
    pl_contact_event pair = {.body = body_id_at(world, body), .collider = collider_id_at(world, number)};
    add_touch(world->events, &pair, &move->touches[k]);
  }
}

static pl_vec3 position_of(const pl_contact_side *side, const pl_contact_body *body) {
  pl_vec3 sum = {0, 0, 0};
  for (int32_t k = 0; k < side->count; ++k)
    sum = pl_vec3_add_scaled(sum, pl_contact_surface_point(body->surface, side->points[k], body->positions),
                             side->weights[k]);
  return sum;
}

void pl_world_collect_contacts(pl_world *world) {
  pl_world_events *events = world->events;
  if (events == NULL) return;
  pl_contact_walk walk = pl_contact_solver_walk(world->contact_solver);
  double impulse;
  for (pl_contact contact; pl_contact_walk_next(&walk, &contact, &impulse);) {
    if (contact.collider < 0 && contact.a.body == contact.b.body) continue;
    int32_t a = events->body_of_contact[contact.a.body];
    int32_t b = contact.collider < 0 ? events->body_of_contact[contact.b.body] : -1;
    pl_contact_event pair = {.body = body_id_at(world, b >= 0 && b < a ? b : a)};
    if (b >= 0)
      pair.other_body = body_id_at(world, b < a ? a : b);
    else
      pair.collider = collider_id_at(world, contact.collider);
    pl_vec3 position = position_of(&contact.a, &PL_ITEM(&world->contact_bodies, pl_contact_body, contact.a.body));
    pl_vec3 normal = b >= 0 && b < a ? pl_vec3_scale(contact.normal, -1) : contact.normal;
    pl_body_touch touch = {0};
    pl_body_touch_add(&touch, position, normal, impulse, contact.depth);
    add_touch(events, &pair, &touch);
  }
}

// --- comparing

static void report_change(pl_world_events *events, const pl_contact_event *event) {
  if (events->change_count == CHANGES_PER_PAIR * events->capacity) {
    events->missed_count++;
    return;
  }
  events->events[events->change_count++] = *event;
}

// Pairs that only watch each other are dropped; means take the place of sums.
static void close_list(const pl_world *world, pl_world_events *events) {
  pair_list kept = events->next;
  int32_t count = kept.count;
  uint32_t slot;
  // Entries move towards the front only, so one list serves as both.
  for (int32_t i = 0; i < count; ++i) {
    pl_contact_event *it = &kept.items[i];
    bool touched = find_pair(events, &events->now, it, &slot) >= 0;
    it->kind = touched ? PL_CONTACT_PERSIST : PL_CONTACT_BEGIN;
    // A step of the settling clock counts as the one that it repeats.
    it->step = world->step_count;
    double weight = kept.weights[i];
    it->position = weight > 0 ? pl_vec3_scale(it->position, 1 / weight) : it->position;
    it->normal = pl_vec3_normalize_or(it->normal, pl_vec3_of(0, 1, 0));
    kept.is_touching[i] = touched || kept.is_touching[i];
  }
  clear_list(events, &events->next);
  for (int32_t i = 0; i < count; ++i) {
    if (!kept.is_touching[i]) continue;
    pl_contact_event event = kept.items[i];
    if (find_pair(events, &events->next, &event, &slot) < 0) add_pair(events, &events->next, &event, slot);
  }
}

// Nothing of a pair moved in this step: it touches as before, and makes no event.
static bool is_asleep(const pl_world *world, const pl_contact_event *pair) {
  const pl_body *body = pl_world_find_body(world, pair->body), *other = pl_world_find_body(world, pair->other_body);
  if (body == NULL || !body->slept) return false;
  return pair->other_body.slot != 0 ? other != NULL && other->slept
                                    : pl_slots_get(&world->colliders, pl_slot_of_collider(pair->collider)) != NULL;
}

static void keep_sleepers(const pl_world *world, pl_world_events *events) {
  uint32_t slot;
  for (int32_t i = 0; i < events->now.count; ++i) {
    pl_contact_event pair = events->now.items[i];
    if (find_pair(events, &events->next, &pair, &slot) >= 0 || !is_asleep(world, &pair)) continue;
    pair.kind = ASLEEP;
    add_pair(events, &events->next, &pair, slot);
  }
}

void pl_world_finish_events(pl_world *world) {
  pl_world_events *events = world->events;
  if (events == NULL) return;
  close_list(world, events);
  keep_sleepers(world, events);
  uint32_t slot;
  for (int32_t i = 0; i < events->next.count; ++i)
    if (events->next.items[i].kind == PL_CONTACT_BEGIN) report_change(events, &events->next.items[i]);
  for (int32_t i = 0; i < events->now.count; ++i) {
    const pl_contact_event *it = &events->now.items[i];
    if (find_pair(events, &events->next, it, &slot) >= 0) continue;
    pl_contact_event end = {.kind = PL_CONTACT_END,
                            .body = it->body,
                            .other_body = it->other_body,
                            .collider = it->collider,
                            .step = world->step_count};
    report_change(events, &end);
  }
  pair_list before = events->now;
  events->now = events->next;
  events->next = before;
  events->event_count = events->change_count;
  for (int32_t i = 0; i < events->now.count; ++i)
    if (events->now.items[i].kind == PL_CONTACT_PERSIST) events->events[events->event_count++] = events->now.items[i];
}

pl_contact_event_view pl_world_get_contact_events(const pl_world *world) {
  const pl_world_events *events = world->events;
  if (events == NULL) return (pl_contact_event_view){NULL, 0, 0};
  return (pl_contact_event_view){events->events, events->event_count, events->missed_count};
}
