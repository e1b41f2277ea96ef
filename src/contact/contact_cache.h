// Impulses kept between steps. Resting contacts need nearly the same impulse in every step; sweeps
// that start from it converge within a few rounds, and stacks of any height come to rest.
//
// They are kept per surface point, so the memory does not depend on the number of contacts and is
// state of a body as any other: snapshots, hashes and roll-back carry it.
#ifndef PL_CONTACT_CACHE_H
#define PL_CONTACT_CACHE_H

#include "contact/contact.h"

// The impulses of the last step; NULL if none are kept.
const pl_contact_impulse *pl_contact_cache_last(const pl_contact_body *body);

// Which of them may be other than zero.
static inline pl_contact_mask pl_contact_cache_last_mask(const pl_contact_body *body) {
  return body->last_impulses != NULL ? body->last_mask : ~(pl_contact_mask)0;
}

// Impulse that contact `index` of the list had in the last step; zero if it is new.
pl_vec3 pl_contact_cache_find(const pl_contact_body *bodies, const pl_contact *contacts,
                              int32_t index);

// What the slots of a point that touches another body, other than with an edge, say of that body.
uint32_t pl_contact_cache_partner(const pl_contact_body *other);

// Of the slots of a point, those of a contact with another body, a bit each: the lowest one is that
// of the only such contact. All slots are looked at: where to stop differs from point to point, and
// a branch would be guessed wrong.
static inline unsigned pl_contact_cache_match(const pl_contact_impulse *slots, uint32_t partner) {
  unsigned matches = 0, is_used = 1;
  for (int32_t k = 0; k < PL_IMPULSES_PER_POINT; ++k) {
    matches |= (is_used & (unsigned)(slots[k].partner == partner)) << k;
    is_used &= slots[k].partner != 0;
  }
  return matches;
}

// That slot; NULL if there is none.
static inline const pl_contact_impulse *pl_contact_cache_find_in(const pl_contact_impulse *slots,
                                                                 uint32_t partner) {
  unsigned matches = pl_contact_cache_match(slots, partner);
  return matches != 0 ? &slots[__builtin_ctz(matches)] : NULL;
}

// What is kept of such a contact for the next step. `has_impulses` of the body is for the caller to
// set.
void pl_contact_cache_store_point(const pl_contact_body *body, int32_t point,
                                  const pl_contact_impulse *kept);

// Forget all impulses of a body.
void pl_contact_cache_clear(const pl_contact_body *body);

// Forget where a body's points touched others: it has been moved otherwise than by a step. All its
// pairs are then searched.
void pl_contact_cache_forget_spots(pl_contact_impulse *impulses, int32_t point_count);

// Keep the impulse of a contact for the next step.
void pl_contact_cache_store(const pl_contact_body *bodies, const pl_contact *contact,
                            pl_vec3 impulse);

#endif
