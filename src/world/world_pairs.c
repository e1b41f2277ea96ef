// Who may touch whom: collision layers, rules for pairs, and the colliders that a body meets in its own step.
#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "pliant/contact.h"
#include "world/world_parameters.h"
#include "world/world_state.h"

pl_status pl_body_set_collision_filter(pl_world *world, pl_body_id id, uint32_t layers, uint32_t mask,
                                       pl_error *error) {
  if (pl_world_check_open(world, "pl_body_set_collision_filter", error) < 0) return PL_ERROR_INVALID_ARGUMENT;
  pl_body *body = pl_world_find_body(world, id);
  if (body == NULL) return pl_fail(error, PL_ERROR_NOT_FOUND, "there is no such body in this world");
  body->filter = pl_contact_filter_of(layers, mask);
  world->prepared = false;
  return PL_OK;
}

pl_status pl_world_set_collider_filter(pl_world *world, pl_collider_id id, uint32_t layers, uint32_t mask,
                                       pl_error *error) {
  if (pl_world_check_open(world, "pl_world_set_collider_filter", error) < 0) return PL_ERROR_INVALID_ARGUMENT;
  pl_collider *collider = pl_slots_get(&world->colliders, pl_slot_of_collider(id));
  if (collider == NULL) return pl_fail(error, PL_ERROR_NOT_FOUND, "there is no such collider in this world");
  collider->filter = pl_contact_filter_of(layers, mask);
  world->prepared = false;  // bodies may bounce off it now
  return PL_OK;
}

// --- rules, by handle

static bool is_body(pl_body_id a, pl_body_id b) {
  return a.slot == b.slot && a.generation == b.generation;
}

static bool is_collider(pl_collider_id a, pl_collider_id b) {
  return a.slot == b.slot && a.generation == b.generation;
}

static bool is_of(const pl_world_pair_rule *rule, pl_body_id body, pl_body_id other, pl_collider_id collider) {
  if (!is_collider(rule->collider, collider)) return false;
  return (is_body(rule->body, body) && is_body(rule->other_body, other)) ||
         (other.slot != 0 && is_body(rule->body, other) && is_body(rule->other_body, body));
}

static pl_world_pair_rule *find_rule(const pl_world *world, pl_body_id body, pl_body_id other,
                                     pl_collider_id collider) {
  for (size_t i = 0; i < world->pair_rules.count; ++i) {
    pl_world_pair_rule *rule = &PL_ITEM(&world->pair_rules, pl_world_pair_rule, i);
    if (is_of(rule, body, other, collider)) return rule;
  }
  return NULL;
}

pl_contact_pair_def pl_default_contact_pair_def(void) {
  pl_contact_pair_def def = {0};
  pl_parameters_set_defaults(&pl_contact_pair_def_parameters, &def);
  return def;
}

static pl_status check_pair(const pl_world *world, const pl_contact_pair_def *def, pl_error *error) {
  pl_status status = pl_parameters_check(&pl_contact_pair_def_parameters, def, error);
  if (status < 0) return status;
  if ((def->other_body.slot != 0) == (def->collider.slot != 0))
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "give either other_body or collider");
  if (is_body(def->body, def->other_body))
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "other_body", "a body and itself are not a pair");
  if (pl_world_find_body(world, def->body) == NULL ||
      (def->other_body.slot != 0 && pl_world_find_body(world, def->other_body) == NULL))
    return pl_fail(error, PL_ERROR_NOT_FOUND, "there is no such body in this world");
  if (def->collider.slot != 0 && pl_slots_get(&world->colliders, pl_slot_of_collider(def->collider)) == NULL)
    return pl_fail_field(error, PL_ERROR_NOT_FOUND, "collider", "there is no such collider in this world");
  return PL_OK;
}

pl_status pl_world_set_contact_pair(pl_world *world, const pl_contact_pair_def *def, pl_error *error) {
  if (pl_world_check_open(world, "pl_world_set_contact_pair", error) < 0) return PL_ERROR_INVALID_ARGUMENT;
  pl_status status = check_pair(world, def, error);
  if (status < 0) return status;
  pl_world_pair_rule *rule = find_rule(world, def->body, def->other_body, def->collider);
  if (rule == NULL) rule = pl_vector_grow(&world->pair_rules, 1);
  if (rule == NULL) return pl_fail_memory(error);
  *rule =
      (pl_world_pair_rule){def->body, def->other_body, def->collider, def->collides, def->friction, def->restitution};
  world->prepared = false;
  return PL_OK;
}

pl_status pl_world_remove_contact_pair(pl_world *world, const pl_contact_pair_def *def, pl_error *error) {
  if (pl_world_check_open(world, "pl_world_remove_contact_pair", error) < 0) return PL_ERROR_INVALID_ARGUMENT;
  pl_world_pair_rule *rule = find_rule(world, def->body, def->other_body, def->collider);
  if (rule == NULL) return pl_fail(error, PL_ERROR_NOT_FOUND, "there is no rule for these two");
  *rule = PL_ITEM(&world->pair_rules, pl_world_pair_rule, world->pair_rules.count - 1);
  world->pair_rules.count--;
  world->prepared = false;
  return PL_OK;
}

// --- rules, by the numbers of the contact solver

// The number of a slot in its order, or -1.
static int32_t number_of(const pl_slots *slots, pl_slot_id id) {
  for (int32_t i = 0; i < pl_slots_count(slots); ++i) {
    pl_slot_id it = pl_slots_id_at(slots, i);
    if (it.slot == id.slot && it.generation == id.generation) return i;
  }
  return -1;
}

// Among the bodies whose contacts the world resolves; -1 for any other.
static int32_t contact_number_of(const pl_world *world, pl_body_id id) {
  int32_t number = 0;
  const pl_body *wanted = pl_world_find_body(world, id);
  for (int32_t i = 0; i < pl_slots_count(&world->bodies); ++i) {
    const pl_body *body = pl_slots_at(&world->bodies, i);
    if (!pl_body_meets_others(body)) continue;
    if (body == wanted) return number;
    ++number;
  }
  return -1;
}

static bool is_alive(const pl_world *world, const pl_world_pair_rule *rule) {
  return pl_world_find_body(world, rule->body) != NULL &&
         (rule->other_body.slot == 0 || pl_world_find_body(world, rule->other_body) != NULL) &&
         (rule->collider.slot == 0 || pl_slots_get(&world->colliders, pl_slot_of_collider(rule->collider)) != NULL);
}

static void insert_sorted(pl_vector *pairs, pl_contact_rule pair) {
  size_t at = pairs->count++;
  for (; at > 0; --at) {
    const pl_contact_rule *before = &PL_ITEM(pairs, pl_contact_rule, at - 1);
    if (before->a < pair.a || (before->a == pair.a && before->b < pair.b)) break;
    PL_ITEM(pairs, pl_contact_rule, at) = *before;
  }
  PL_ITEM(pairs, pl_contact_rule, at) = pair;
}

// Memory for `count` items, none of them in use.
static bool reserve(pl_vector *vector, size_t count) {
  vector->count = 0;
  if (count > 0 && pl_vector_grow(vector, count) == NULL) return false;
  vector->count = 0;
  return true;
}

bool pl_world_list_pairs(pl_world *world) {
  size_t kept = 0, collider_count = (size_t)pl_slots_count(&world->colliders) + (size_t)pl_slots_count(&world->bodies);
  for (size_t i = 0; i < world->pair_rules.count; ++i)
    if (is_alive(world, &PL_ITEM(&world->pair_rules, pl_world_pair_rule, i)))
      PL_ITEM(&world->pair_rules, pl_world_pair_rule, kept++) = PL_ITEM(&world->pair_rules, pl_world_pair_rule, i);
  world->pair_rules.count = kept;
  if (!reserve(&world->contact_pairs, kept) || !reserve(&world->body_colliders, collider_count) ||
      !reserve(&world->collider_frictions, collider_count) || !reserve(&world->collider_numbers, collider_count) ||
      !reserve(&world->touches, collider_count))
    return false;
  for (size_t i = 0; i < kept; ++i) {
    const pl_world_pair_rule *rule = &PL_ITEM(&world->pair_rules, pl_world_pair_rule, i);
    int32_t a = contact_number_of(world, rule->body);
    int32_t b = rule->collider.slot != 0 ? ~number_of(&world->colliders, pl_slot_of_collider(rule->collider))
                                         : contact_number_of(world, rule->other_body);
    if (a < 0 || (rule->collider.slot == 0 && b < 0)) continue;
    insert_sorted(&world->contact_pairs,
                  (pl_contact_rule){a < b ? a : b, a < b ? b : a, rule->collides, rule->friction, rule->restitution});
  }
  pl_contact_rules pairs = {world->contact_pairs.items, (int32_t)world->contact_pairs.count};
  pl_contact_solver_set_pairs(world->contact_solver, pairs);
  return true;
}

// --- colliders of a body that treats them in its own step

// Append a collider to the lists; `number` is that among the world's, or ~number of the body that it is.
static void add_collider(pl_world *world, const pl_collider *collider, int32_t number, const pl_world_pair_rule *rule) {
  size_t at = world->body_colliders.count++;
  PL_ITEM(&world->body_colliders, const pl_collider *, at) = collider;
  PL_ITEM(&world->collider_frictions, double, at) = rule != NULL ? rule->friction : -1;
  PL_ITEM(&world->collider_numbers, int32_t, at) = number;
}

// Kinematic meshes, for a body that meets others in its own step.
static void add_kinematic(pl_world *world, int32_t index, bool *has_frictions) {
  const pl_body *body = pl_slots_at(&world->bodies, index);
  pl_slot_id slot = pl_slots_id_at(&world->bodies, index);
  for (int32_t i = 0; i < pl_slots_count(&world->bodies); ++i) {
    const pl_body *other = pl_slots_at(&world->bodies, i);
    const pl_body_method *method = other->model->method;
    if (method->get_collider == NULL || !other->collides || !pl_contact_filter_meets(body->filter, other->filter))
      continue;
    const pl_world_pair_rule *rule = NULL;
    if (world->pair_rules.count > 0) {
      pl_slot_id it = pl_slots_id_at(&world->bodies, i);
      rule = find_rule(world, (pl_body_id){slot.slot, slot.generation}, (pl_body_id){it.slot, it.generation},
                       (pl_collider_id){0, 0});
    }
    if (rule != NULL && !rule->collides) continue;
    add_collider(world, method->get_collider(other->model, other->state, other->work), ~i, rule);
    *has_frictions = *has_frictions || (rule != NULL && rule->friction >= 0);
  }
}

bool pl_world_pair_may_meet(const pl_world *world, int32_t a, int32_t b, double *friction) {
  if (world->pair_rules.count == 0) return true;
  pl_slot_id p = pl_slots_id_at(&world->bodies, a), q = pl_slots_id_at(&world->bodies, b);
  const pl_world_pair_rule *rule =
      find_rule(world, (pl_body_id){p.slot, p.generation}, (pl_body_id){q.slot, q.generation}, (pl_collider_id){0, 0});
  if (rule != NULL && rule->friction >= 0) *friction = rule->friction;
  return rule == NULL || rule->collides;
}

// The rule for a body and a collider by their numbers, NULL: none.
static const pl_world_pair_rule *collider_rule(const pl_world *world, int32_t index, int32_t collider) {
  if (world->pair_rules.count == 0) return NULL;
  pl_slot_id slot = pl_slots_id_at(&world->bodies, index), it = pl_slots_id_at(&world->colliders, collider);
  return find_rule(world, (pl_body_id){slot.slot, slot.generation}, (pl_body_id){0, 0},
                   (pl_collider_id){it.slot, it.generation});
}

bool pl_world_meets_collider(const pl_world *world, int32_t index, int32_t collider) {
  const pl_body *body = pl_slots_at(&world->bodies, index);
  const pl_collider *it = PL_ITEM(&world->collider_list, const pl_collider *, collider);
  const pl_world_pair_rule *rule = collider_rule(world, index, collider);
  return body->collides && pl_contact_filter_meets(body->filter, it->filter) && (rule == NULL || rule->collides);
}

static bool bounces(const pl_world *world, int32_t index) {
  const pl_body *body = pl_slots_at(&world->bodies, index);
  const pl_model *model = body->model;
  if (!pl_body_meets_others(body) || model->method->coupled == NULL || model->keeps_springs) return false;
  for (int32_t i = 0; i < (int32_t)world->collider_list.count; ++i) {
    if (!pl_world_meets_collider(world, index, i)) continue;
    const pl_world_pair_rule *rule = collider_rule(world, index, i);
    double theirs = fmax(model->restitution, PL_ITEM(&world->collider_list, const pl_collider *, i)->restitution);
    if ((rule != NULL && rule->restitution >= 0 ? rule->restitution : theirs) > 0) return true;
  }
  return false;
}

// May a collider touch the faces or edges of an implicit body?
static bool may_touch_faces(const pl_world *world, int32_t number) {
  int32_t index = PL_ITEM(&world->contact_numbers, int32_t, number);
  const pl_body *body = pl_slots_at(&world->bodies, index);
  if (body->model->method->coupled == NULL) return false;
  if (PL_ITEM(&world->contact_bodies, pl_contact_body, number).spares_faces) return false;
  for (int32_t i = 0; i < (int32_t)world->collider_list.count; ++i)
    if (PL_ITEM(&world->collider_list, const pl_collider *, i)->surface != NULL &&
        pl_world_meets_collider(world, index, i))
      return true;
  return false;
}

void pl_world_mark_bouncing(pl_world *world) {
  world->has_bouncing = world->has_touched_faces = false;
  for (int32_t k = 0; k < (int32_t)world->contact_bodies.count; ++k) {
    int32_t index = PL_ITEM(&world->contact_numbers, int32_t, k);
    pl_body *body = pl_slots_at(&world->bodies, index);
    body->bounces = bounces(world, index);
    world->has_touched_faces = world->has_touched_faces || may_touch_faces(world, k);
    if (!body->bounces) continue;
    PL_ITEM(&world->contact_bodies, pl_contact_body, k).spares_colliders = false;
    world->has_bouncing = true;
  }
}

void pl_world_list_colliders(pl_world *world, int32_t index, pl_body_move *move) {
  const pl_body *body = pl_slots_at(&world->bodies, index);
  move->collider_count = 0;
  if (!body->collides || !body->model->method->handles_colliders || body->bounces) return;
  pl_vector *colliders = &world->body_colliders;
  bool has_frictions = false;
  colliders->count = 0;
  for (int32_t i = 0; i < (int32_t)world->collider_list.count; ++i) {
    const pl_collider *collider = PL_ITEM(&world->collider_list, const pl_collider *, i);
    if (!pl_contact_filter_meets(body->filter, collider->filter)) continue;
    const pl_world_pair_rule *rule = collider_rule(world, index, i);
    if (rule != NULL && !rule->collides) continue;
    add_collider(world, collider, i, rule);
    has_frictions = has_frictions || (rule != NULL && rule->friction >= 0);
  }
  if (body->model->method->handles_bodies) add_kinematic(world, index, &has_frictions);
  move->colliders = colliders->items;
  move->collider_count = (int32_t)colliders->count;
  move->collider_frictions = has_frictions ? world->collider_frictions.items : NULL;
  move->collider_numbers = world->collider_numbers.items;
  move->touches = world->touches.items;
  move->wants_depths = world->events != NULL;
  for (int32_t i = 0; i < move->collider_count; ++i) move->touches[i] = (pl_body_touch){0};
}

bool pl_world_keep_colliders(pl_world *world, pl_body_move *move) {
  const pl_collider **colliders = PL_SCRATCH(&world->scratch, const pl_collider *, move->collider_count);
  double *frictions = PL_SCRATCH(&world->scratch, double, move->collider_count);
  int32_t *numbers = PL_SCRATCH(&world->scratch, int32_t, move->collider_count);
  pl_body_touch *touches = PL_SCRATCH(&world->scratch, pl_body_touch, move->collider_count);
  if (colliders == NULL || frictions == NULL || numbers == NULL || touches == NULL) return false;
  for (int32_t i = 0; i < move->collider_count; ++i) {
    colliders[i] = move->colliders[i];
    numbers[i] = move->collider_numbers[i];
    touches[i] = (pl_body_touch){0};
  }
  for (int32_t i = 0; move->collider_frictions != NULL && i < move->collider_count; ++i)
    frictions[i] = move->collider_frictions[i];
  move->colliders = colliders;
  move->collider_numbers = numbers;
  move->touches = touches;
  if (move->collider_frictions != NULL) move->collider_frictions = frictions;
  return true;
}
