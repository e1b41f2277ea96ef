// A few slots per surface point, searched one after the other.
#include "contact/contact_cache.h"

#include <string.h>

#include "pliant/math.h"

static uint32_t mix(uint32_t hash, uint32_t value) {
  hash = (hash ^ value) * 0x9E3779B1u;
  return hash ^ hash >> 15;
}

// What a contact's first point touches. A point that slides from triangle to triangle of a body keeps its impulse, so
// triangles do not count; edges touch in single places, so theirs do.
static uint32_t partner_of(const pl_contact_body *bodies, const pl_contact *contact) {
  uint32_t hash = contact->collider >= 0 ? mix(1, (uint32_t)contact->collider) : mix(2, bodies[contact->b.body].id);
  if (contact->a.count > 1) {
    hash = mix(hash, (uint32_t)contact->a.points[1]);
    // Of a collider the first two tell which point or edge of it touches (contact_faces.c).
    int32_t count = contact->collider >= 0 ? 2 : contact->b.count;
    for (int32_t k = 0; k < count; ++k) hash = mix(hash, (uint32_t)contact->b.points[k]);
  }
  return hash != 0 ? hash : 1;
}

uint32_t pl_contact_cache_partner(const pl_contact_body *other) {
  uint32_t hash = mix(2, other->id);
  return hash != 0 ? hash : 1;
}

const pl_contact_impulse *pl_contact_cache_last(const pl_contact_body *body) {
  return body->last_impulses != NULL ? body->last_impulses : body->impulses;
}

// How many contacts before this one have the same point and partner: the n-th of them takes the n-th slot.
static int32_t count_before(const pl_contact_body *bodies, const pl_contact *contacts, int32_t index,
                            uint32_t partner) {
  const pl_contact *contact = &contacts[index];
  int32_t count = 0;
  for (int32_t i = index - 1; i >= 0; --i) {
    if (contacts[i].a.body != contact->a.body || contacts[i].a.points[0] != contact->a.points[0]) break;
    count += partner_of(bodies, &contacts[i]) == partner;
  }
  return count;
}

pl_vec3 pl_contact_cache_find(const pl_contact_body *bodies, const pl_contact *contacts, int32_t index) {
  const pl_contact *contact = &contacts[index];
  const pl_contact_impulse *last = pl_contact_cache_last(&bodies[contact->a.body]);
  if (last == NULL) return pl_vec3_of(0, 0, 0);
  const pl_contact_impulse *slots = &last[(size_t)contact->a.points[0] * PL_IMPULSES_PER_POINT];
  if (slots[0].partner == 0) return pl_vec3_of(0, 0, 0);
  uint32_t partner = partner_of(bodies, contact);
  int32_t skipped = count_before(bodies, contacts, index, partner);
  for (int32_t k = 0; k < PL_IMPULSES_PER_POINT; ++k) {
    if (slots[k].partner != partner || skipped-- > 0) continue;
    return pl_vec3_of((double)slots[k].impulse[0], (double)slots[k].impulse[1], (double)slots[k].impulse[2]);
  }
  return pl_vec3_of(0, 0, 0);
}

// Neighbouring entries together: what touches is a patch of a surface.
void pl_contact_mask_clear(pl_contact_mask *mask, void *entries, size_t size, int32_t point_count) {
  int32_t width = 1 << pl_contact_mask_shift(point_count);
  int32_t bits = (point_count + width - 1) / width;
  for (int32_t bit = 0; bit < bits && *mask >> bit != 0;) {
    bit += __builtin_ctzll(*mask >> bit);
    int32_t begin = bit * width;
    while (bit < bits && (*mask >> bit & 1) != 0) ++bit;
    int32_t end = bit * width < point_count ? bit * width : point_count;
    if (begin < end) memset((char *)entries + (size_t)begin * size, 0, (size_t)(end - begin) * size);
  }
  *mask = 0;
}

static void add_to_mask(const pl_contact_body *body, int32_t point) {
  if (body->impulse_mask != NULL) pl_contact_mask_add(body->impulse_mask, point, body->surface->point_count);
}

void pl_contact_cache_clear(const pl_contact_body *body) {
  // Most bodies of a world touch nothing: theirs need not be looked at.
  if (body->impulses == NULL || (body->has_impulses != NULL && !*body->has_impulses)) return;
  pl_contact_mask all = ~(pl_contact_mask)0;
  pl_contact_mask_clear(body->impulse_mask != NULL ? body->impulse_mask : &all, body->impulses,
                        PL_IMPULSES_PER_POINT * sizeof(pl_contact_impulse), body->surface->point_count);
  if (body->has_impulses != NULL) *body->has_impulses = false;
}

void pl_contact_cache_forget_spots(pl_contact_impulse *impulses, int32_t point_count) {
  for (int32_t i = 0; i < point_count * PL_IMPULSES_PER_POINT; ++i) impulses[i].spot = 0;
}

static double square_of(const pl_contact_impulse *slot) {
  double x = (double)slot->impulse[0], y = (double)slot->impulse[1], z = (double)slot->impulse[2];
  return x * x + y * y + z * z;
}

static void keep(pl_contact_impulse *slots, pl_contact_impulse kept) {
  int32_t to = 0;
  for (int32_t k = 0; k < PL_IMPULSES_PER_POINT; ++k) {
    if (slots[k].partner == 0) {
      slots[k] = kept;
      return;
    }
    if (square_of(&slots[k]) < square_of(&slots[to])) to = k;
  }
  if (square_of(&kept) > square_of(&slots[to])) slots[to] = kept;
}

void pl_contact_cache_store(const pl_contact_body *bodies, const pl_contact *contact, pl_vec3 impulse) {
  const pl_contact_body *body = &bodies[contact->a.body];
  if (body->impulses == NULL) return;
  if (body->has_impulses != NULL) *body->has_impulses = true;
  add_to_mask(body, contact->a.points[0]);
  keep(&body->impulses[(size_t)contact->a.points[0] * PL_IMPULSES_PER_POINT],
       (pl_contact_impulse){partner_of(bodies, contact), 0, {(float)impulse.x, (float)impulse.y, (float)impulse.z}});
}

void pl_contact_cache_store_point(const pl_contact_body *body, int32_t point, const pl_contact_impulse *kept) {
  add_to_mask(body, point);
  keep(&body->impulses[(size_t)point * PL_IMPULSES_PER_POINT], *kept);
}
