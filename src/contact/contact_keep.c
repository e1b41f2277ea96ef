// Contacts of the last step used again: in a heap of soft bodies the search for contacts takes most of the time, and
// what touches now touches in the next step too.
//
// A point that was found in a tet of another body (contact_tets.c) and is pushed out through a triangle of it stays
// there: the next step knows the triangle and the place on it, and computes gap and normal where both bodies are then.
// All pairs are searched in every KEEP_PERIOD-th step; in the steps between only those that are not kept. A pair is
// kept if
//
// - both bodies are soft, fine, awake and of tets;
// - both lie among others: several points of each touch other such bodies, as the last step knows;
// - what they move relative to each other in this step, times the steps since all pairs were searched, is less than a
//   pair may move that is looked up in tets at all: a quarter of the depth of either.
//
// So what falls on a heap is found at once. Among the bodies of a heap a new contact may be found late, and deeper by
// no more than that. It matters little: a point that is inside is told its way out in the rest shape, however deep.
//
// What is kept is state, in the slots of the impulses (contact_cache.h), and which steps search is told by their
// number: a world that is restored from a snapshot continues with the same bits. A slot holds the place
// (contact_spot.h), and how many more steps may use it: no contact is older than a period, even where the number of the
// step stands still (pl_world_settle()). With no use left the next search is told the face (contact_tets.c).
#include "contact/contact_cache.h"
#include "contact/contact_detect.h"
#include "pliant/math.h"

// All pairs are searched in every step whose number is a multiple of this; at most 4, see above.
enum { KEEP_PERIOD = 4 };
// Points of a body that touch others, for it to lie among these.
enum { MIN_KEPT = 4 };

int32_t pl_contact_phase_of(const pl_contact_step *step) {
  return (int32_t)(step->number % KEEP_PERIOD);
}

uint32_t pl_contact_spot_uses(int32_t phase) {
  return (uint32_t)(KEEP_PERIOD - 1 - phase);
}

// --- which bodies and pairs

static bool may_keep(const pl_contact_detection *d, int32_t body) {
  const pl_contact_presence *presence = &d->memory->presences[body];
  const pl_contact_body *b = &d->bodies[body];
  return presence->is_near_body && presence->is_fine && !b->asleep && b->impulses != NULL &&
         (b->has_impulses == NULL || *b->has_impulses);
}

void pl_contact_count_kept(void *data, int32_t begin, int32_t end, int32_t part) {
  (void)part;
  const pl_contact_detection *d = data;
  for (int32_t i = begin; i < end; ++i) {
    int32_t body = d->memory->listed_bodies[i], count = 0;
    int32_t slot_count = may_keep(d, body) ? d->bodies[body].surface->point_count * PL_IMPULSES_PER_POINT : 0;
    const pl_contact_impulse *slots = pl_contact_cache_last(&d->bodies[body]);
    for (int32_t k = 0; k < slot_count && count < MIN_KEPT; ++k) count += pl_contact_spot_get_uses(slots[k].spot) > 0;
    d->memory->presences[body].is_among_others = count >= MIN_KEPT;
  }
}

bool pl_contact_is_kept(const pl_contact_detection *d, int32_t a, int32_t b, double way) {
  const pl_contact_presence *presences = d->memory->presences;
  return d->phase > 0 && d->phase * way < 1 && presences[a].is_among_others && presences[b].is_among_others;
}

// --- using them

// A neighbour of a pair that is kept, as slots name it.
typedef struct kept_neighbour {
  uint32_t partner;
  int32_t axis;
  int32_t count;  // places on it
  int32_t next;   // where the next of them goes in the list of hits
} kept_neighbour;

// A pair has an axis at one of its bodies: a body may have more neighbours than axes, but not in a heap. What is more
// is found again by the next search.
enum { KEPT_NEIGHBOURS = 2 * PL_PAIR_AXES };

// Neighbour that a slot's partner is; -1: none of these. `last` is that of the slot before: neighbouring points touch
// the same body.
static int32_t find_neighbour(const kept_neighbour *neighbours, int32_t count, uint32_t partner, int32_t last) {
  if (last >= 0 && neighbours[last].partner == partner) return last;
  for (int32_t k = 0; k < count; ++k)
    if (neighbours[k].partner == partner) return k;
  return -1;
}

// A place of the last step that is used again.
typedef struct kept_place {
  int32_t neighbour;
  pl_soft_hit hit;
} kept_place;

// All slots of a body are hits at most once.
_Static_assert((int)PL_IMPULSES_PER_POINT <= (int)PL_SOFT_HITS_PER_POINT, "a list of hits holds all that are kept");

// Returns their number; the neighbours get theirs.
static int32_t list_places(const pl_contact_body *body, kept_neighbour *neighbours, int32_t count, kept_place *places) {
  int32_t found = 0, last = -1, point_count = body->surface->point_count;
  const pl_contact_impulse *slots = pl_contact_cache_last(body);
  for (int32_t point = 0; point < point_count; ++point, slots += PL_IMPULSES_PER_POINT) {
    for (int32_t k = 0; k < PL_IMPULSES_PER_POINT && slots[k].partner != 0; ++k) {
      uint32_t spot = slots[k].spot;
      // The slots of another world may have what no step has stored.
      if (pl_contact_spot_get_uses(spot) == 0) continue;
      int32_t neighbour = find_neighbour(neighbours, count, slots[k].partner, last);
      if (neighbour < 0) continue;
      places[found++] = (kept_place){neighbour, {point, pl_contact_spot_use(spot)}};
      ++neighbours[neighbour].count;
      last = neighbour;
    }
  }
  return found;
}

// Returns how many there are.
static int32_t list_neighbours(const pl_contact_detection *d, int32_t body, kept_neighbour *neighbours) {
  const pl_contact_memory *memory = d->memory;
  int32_t count = 0, end = memory->neighbour_start[body + 1];
  for (int32_t k = memory->neighbour_start[body]; k < end && count < KEPT_NEIGHBOURS; ++k) {
    const pl_contact_neighbour *neighbour = &memory->neighbours[k];
    if (memory->axes[neighbour->axis].is_kept)
      neighbours[count++] =
          (kept_neighbour){pl_contact_cache_partner(&d->bodies[neighbour->body]), neighbour->axis, 0, 0};
  }
  return count;
}

// Fetch the slots of a body into the cache, while its neighbours are listed.
static void fetch_slots(const pl_contact_body *body) {
  const char *slots = (const char *)pl_contact_cache_last(body);
  size_t size = (size_t)body->surface->point_count * PL_IMPULSES_PER_POINT * sizeof(pl_contact_impulse);
  for (size_t i = 0; i < size; i += 64) __builtin_prefetch(slots + i);
}

void pl_contact_find_kept(const pl_contact_detection *d, int32_t body) {
  pl_contact_memory *memory = d->memory;
  kept_neighbour neighbours[KEPT_NEIGHBOURS];
  kept_place places[PL_SURFACE_LANE_POINTS * PL_IMPULSES_PER_POINT];
  fetch_slots(&d->bodies[body]);
  int32_t count = list_neighbours(d, body, neighbours);
  if (count == 0) return;
  int32_t place_count = list_places(&d->bodies[body], neighbours, count, places);
  // Neighbour by neighbour, each in the order of points. Nothing else is in the list yet.
  pl_soft_list hits = pl_soft_list_of(memory, body);
  for (kept_neighbour *n = neighbours; n < neighbours + count; ++n) {
    n->next = hits.count;
    hits.count += n->count;
    pl_soft_list_commit(memory, body, &hits, n->next, n->axis, body);
  }
  for (const kept_place *place = places; place < places + place_count; ++place)
    hits.hits[neighbours[place->neighbour].next++] = place->hit;
}
