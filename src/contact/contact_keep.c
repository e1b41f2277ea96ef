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

// The points of a body that may have touched something in the last step: about half of those of a body in a heap. To
// know that of the others their slots need not be read.
typedef struct last_points {
  pl_contact_mask mask;  // of those that come
  int shift;
  int32_t count;
} last_points;

static last_points last_points_of(const pl_contact_body *body) {
  int32_t count = body->surface->point_count;
  return (last_points){pl_contact_cache_last_mask(body), pl_contact_mask_shift(count), count};
}

// The next of them, from `first` up to `end`; false if there are none.
static bool take_points(last_points *points, int32_t *first, int32_t *end) {
  if (points->mask == 0) return false;
  *first = __builtin_ctzll(points->mask) << points->shift;
  *end = *first + (1 << points->shift);
  if (*end > points->count) *end = points->count;
  points->mask &= points->mask - 1;
  return *first < *end;
}

static bool is_among_others(const pl_contact_body *body) {
  const pl_contact_impulse *slots = pl_contact_cache_last(body);
  last_points points = last_points_of(body);
  int32_t count = 0;
  for (int32_t first, end; count < MIN_KEPT && take_points(&points, &first, &end);)
    for (int32_t k = first * PL_IMPULSES_PER_POINT; k < end * PL_IMPULSES_PER_POINT; ++k)
      count += pl_contact_spot_get_uses(slots[k].spot) > 0;
  return count >= MIN_KEPT;
}

void pl_contact_count_kept(void *data, int32_t begin, int32_t end, int32_t part) {
  (void)part;
  const pl_contact_detection *d = data;
  for (int32_t i = begin; i < end; ++i) {
    int32_t body = d->memory->listed_bodies[i];
    d->memory->presences[body].is_among_others = may_keep(d, body) && is_among_others(&d->bodies[body]);
  }
}

bool pl_contact_is_kept(const pl_contact_detection *d, int32_t a, int32_t b, double way) {
  const pl_contact_presence *presences = d->memory->presences;
  return d->phase > 0 && d->phase * way < 1 && presences[a].is_among_others && presences[b].is_among_others;
}

// --- using them

// A neighbour of a pair that is kept.
typedef struct kept_neighbour {
  int32_t axis;
  int32_t count;  // places on it
  int32_t next;   // where the next of them goes in the list of hits
} kept_neighbour;

// A pair has an axis at one of its bodies: a body may have more neighbours than axes, but not in a heap. What is more
// is found again by the next search.
enum { KEPT_NEIGHBOURS = 2 * PL_PAIR_AXES };

// What slots call them. As many are compared at a time: how many it takes to find one cannot be foreseen.
enum { PARTNERS = 16 };
typedef struct kept_neighbours {
  int32_t count;
  kept_neighbour items[KEPT_NEIGHBOURS];
  uint32_t partners[KEPT_NEIGHBOURS];  // up to a multiple of PARTNERS; 0, which is none, after the last
} kept_neighbours;
_Static_assert((int)KEPT_NEIGHBOURS % (int)PARTNERS == 0, "partners are compared in whole groups");

// Neighbour that a slot's partner, which is not 0, is; -1: none of these.
static int32_t find_neighbour(const kept_neighbours *neighbours, uint32_t partner) {
  for (int32_t first = 0; first < neighbours->count; first += PARTNERS) {
    uint32_t matches = 0;
    for (int32_t k = 0; k < PARTNERS; ++k) matches |= neighbours->partners[first + k] == partner ? UINT32_C(1) << k : 0;
    if (matches != 0) return first + __builtin_ctz(matches);
  }
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
static int32_t list_places(const pl_contact_body *body, kept_neighbours *neighbours, kept_place *places) {
  int32_t found = 0;
  last_points points = last_points_of(body);
  for (int32_t point, end; take_points(&points, &point, &end);) {
    for (; point < end; ++point) {
      const pl_contact_impulse *slots = &pl_contact_cache_last(body)[(size_t)point * PL_IMPULSES_PER_POINT];
      for (int32_t k = 0; k < PL_IMPULSES_PER_POINT && slots[k].partner != 0; ++k) {
        uint32_t spot = slots[k].spot;
        // The slots of another world may have what no step has stored.
        if (pl_contact_spot_get_uses(spot) == 0) continue;
        int32_t neighbour = find_neighbour(neighbours, slots[k].partner);
        if (neighbour < 0) continue;
        places[found++] = (kept_place){neighbour, {point, pl_contact_spot_use(spot)}};
        ++neighbours->items[neighbour].count;
      }
    }
  }
  return found;
}

static void list_neighbours(const pl_contact_memory *memory, int32_t body, kept_neighbours *neighbours) {
  int32_t count = 0, end = memory->neighbour_start[body + 1];
  for (int32_t k = memory->neighbour_start[body]; k < end && count < KEPT_NEIGHBOURS; ++k) {
    const pl_contact_neighbour *neighbour = &memory->neighbours[k];
    if (!neighbour->is_kept) continue;
    neighbours->items[count] = (kept_neighbour){.axis = neighbour->axis};
    neighbours->partners[count++] = memory->presences[neighbour->body].partner;
  }
  neighbours->count = count;
  for (; count % PARTNERS != 0; ++count) neighbours->partners[count] = 0;
}

void pl_contact_fetch_kept(const pl_contact_detection *d, int32_t body) {
  if (!d->memory->presences[body].is_among_others) return;
  const pl_contact_impulse *slots = pl_contact_cache_last(&d->bodies[body]);
  last_points points = last_points_of(&d->bodies[body]);
  for (int32_t first, end; take_points(&points, &first, &end);) {
    __builtin_prefetch(&slots[first * PL_IMPULSES_PER_POINT]);
    __builtin_prefetch(&slots[end * PL_IMPULSES_PER_POINT - 1].impulse[2]);
  }
}

void pl_contact_find_kept(const pl_contact_detection *d, int32_t body) {
  pl_contact_memory *memory = d->memory;
  kept_neighbours neighbours;
  kept_place places[PL_SURFACE_LANE_POINTS * PL_IMPULSES_PER_POINT];
  list_neighbours(memory, body, &neighbours);
  if (neighbours.count == 0) return;
  int32_t place_count = list_places(&d->bodies[body], &neighbours, places);
  // Neighbour by neighbour, each in the order of points. Nothing else is in the list yet.
  pl_soft_list hits = pl_soft_list_of(memory, body);
  for (kept_neighbour *n = neighbours.items; n < neighbours.items + neighbours.count; ++n) {
    n->next = hits.count;
    hits.count += n->count;
    pl_soft_list_commit(memory, body, &hits, n->next, n->axis, body);
  }
  for (const kept_place *place = places; place < places + place_count; ++place)
    hits.hits[neighbours.items[place->neighbour].next++] = place->hit;
}
