// Contacts of two soft bodies in compact rows: most contacts of a heap.
//
// A point of a body that is found in a tet of another (contact_tets.c) touches a place on one of
// its triangles. Both surfaces are made of particles, so such a contact is four particles and three
// weights. It goes from the search to the sweeps as a hit, eight bytes, and a row of one line of
// the cache; the list of contacts, its slots and the general rows are not touched. What a row
// means, and how it is solved, is the same (contact_resolve.c).
//
// Contacts are wanted as a list where a method solves them itself (pl_contact_solver_detect()):
// then there are no rows of this kind.
#ifndef PL_CONTACT_SOFT_H
#define PL_CONTACT_SOFT_H

#include "contact/contact.h"
#include "contact/contact_islands.h"
#include "pliant/math.h"

// A point that touches a place on the other body of its pair. The upper bits of the place say how
// many of the next steps may use it again (contact_keep.c).
typedef struct pl_soft_hit {
  int32_t point;  // surface point of its own body
  uint32_t spot;  // triangle and weights
} pl_soft_hit;

// Hits are kept in the order of bodies, at most this many for each surface point of one.
enum { PL_SOFT_HITS_PER_POINT = 4 };

// Two soft bodies that touch: hits of points of the one, then of points of the other.
struct pl_soft_pair {
  int32_t a, b;  // bodies, a < b
  int32_t axis;  // of the pair
  int32_t count;
};

// What sweeps read and write: one line of the cache.
typedef struct pl_soft_row {
  float normal[3];  // unit, from the touched body to the point
  float mass;       // kg: impulse per velocity of the gap, in every direction; 0: nothing moves
  float sliding_impulse[3], normal_impulse;  // N s
  float arrive, leave;                       // m/s: least velocity of the gap in the two halves
  float friction, restitution;
  float weights[2];       // of the first two corners; the third has the remainder
  uint16_t particles[4];  // the point's, then those of the corners
} pl_soft_row;

// What is used before and after them.
typedef struct pl_soft_note {
  float arrive_impulse[3];  // N s: all of it after the first half
  float rest_impulse;       // as of pl_contact_row
  float depth;              // metres of overlap before resolution; negative: a gap
  int32_t point;
  uint32_t spot;
} pl_soft_note;

static inline pl_vec3 pl_vec3_of_floats(const float a[3]) {
  return (pl_vec3){(double)a[0], (double)a[1], (double)a[2]};
}

static inline pl_vec3 pl_soft_impulse(const pl_soft_row *row) {
  return pl_vec3_add_scaled(pl_vec3_of_floats(row->sliding_impulse), pl_vec3_of_floats(row->normal),
                            (double)row->normal_impulse);
}

// The point minus the place that it touches, with particles at `own` and `other`; of velocities,
// that of the gap.
static inline pl_vec3 pl_soft_gap(const pl_soft_row *row, const pl_vec3 *own,
                                  const pl_vec3 *other) {
  double first = (double)row->weights[0], second = (double)row->weights[1];
  pl_vec3 gap = pl_vec3_add_scaled(own[row->particles[0]], other[row->particles[1]], -first);
  gap = pl_vec3_add_scaled(gap, other[row->particles[2]], -second);
  return pl_vec3_add_scaled(gap, other[row->particles[3]], first + second - 1);
}

typedef struct pl_contact_memory pl_contact_memory;
typedef struct pl_contact_detection pl_contact_detection;
typedef struct pl_soft_kernels pl_soft_kernels;
typedef struct pl_soft_round pl_soft_round;
typedef struct pl_soft_velocities pl_soft_velocities;

// What rows of a pair share whose points are of the same body.
typedef struct pl_soft_side {
  int32_t own, other;  // bodies
  int32_t first, end;  // rows
} pl_soft_side;

// The rows of a pair whose points are of its first body (side 0), or of its second.
static inline pl_soft_side pl_soft_side_of(const pl_contact_pair *pair, int side) {
  int32_t middle = pair->first_row + pair->side_rows[0];
  return side == 0 ? (pl_soft_side){pair->a, pair->b, pair->first_row, middle}
                   : (pl_soft_side){pair->b, pair->a, middle, middle + pair->side_rows[1]};
}

// --- search

// May the contacts of two bodies be of this kind?
bool pl_soft_is_pair(const pl_contact_detection *d, int32_t a, int32_t b);

// Begin a search: no body has hits.
void pl_soft_begin(pl_contact_memory *memory);

// The hits that one body's points, or the points in one body, have; filled neighbour by neighbour.
typedef struct pl_soft_list {
  pl_soft_hit *hits;
  int32_t count, capacity;
} pl_soft_list;
pl_soft_list pl_soft_list_of(const pl_contact_memory *memory, int32_t body);

// Add a hit; nothing when the list is full.
static inline void pl_soft_list_add(pl_soft_list *list, int32_t point, uint32_t spot) {
  if (list->count < list->capacity) list->hits[list->count++] = (pl_soft_hit){point, spot};
}

// The hits from `first` on are those of an axis; `own`: body of the points.
void pl_soft_list_commit(pl_contact_memory *memory, int32_t body, const pl_soft_list *list,
                         int32_t first, int32_t axis, int32_t own);

// Pairs of bodies that have hits, in the order of their axes. Returns their number.
int32_t pl_soft_list_pairs(pl_contact_memory *memory, pl_context *context);

// --- resolution

typedef struct pl_soft_solution {
  pl_contact_memory *memory;
  pl_contact_body *bodies;
  const pl_contact_rules *rules;
  const pl_contact_step *step;
  const pl_soft_kernels *kernels;
} pl_soft_solution;

// Fetch the hits of a pair into the cache, ahead of their use.
void pl_soft_fetch_hits(const pl_contact_memory *memory, const pl_contact_pair *pair);
// Fetch what building the rows of a pair of the plan reads into the cache, ahead of its use.
void pl_soft_fetch(const pl_soft_solution *s, int32_t number);
// Pair number `number` of the plan gets its rows.
void pl_soft_build(const pl_soft_solution *s, int32_t number);
// Begin a resolution: no rows are in rounds.
void pl_soft_begin_rounds(const pl_contact_memory *memory);
// Put the rows of these pairs, all of soft bodies, into rounds that are swept in the order of the
// pairs, and apply the impulses of the last step.
void pl_soft_start(const pl_soft_solution *s, const pl_contact_pair *pairs, int32_t count);
// Sweep what pl_soft_start() has put together; `pair`: the first of the pairs.
void pl_soft_sweep(const pl_soft_solution *s, const pl_contact_pair *pair, bool corrects,
                   bool notes);
// Keep the impulses for the next step.
void pl_soft_store(const pl_soft_solution *s, const pl_contact_pair *pair);

// Fetch into the cache what the rows of a pair act on, while another pair is still worked on: a
// step of a large heap waits for memory most of its time. Positions at both ends of the step for
// dampers, and slots of impulses.
void pl_soft_fetch_ends(const pl_contact_memory *memory, const pl_contact_body *bodies,
                        const pl_contact_pair *pair);
void pl_soft_fetch_slots(const pl_soft_solution *s, const pl_contact_pair *pair);

// A row of a side as a contact, and the sum of its impulses along the normal, for reports.
pl_contact pl_soft_contact(const pl_contact_memory *memory, const pl_soft_side *side,
                           int32_t number, double *impulse);

#endif
