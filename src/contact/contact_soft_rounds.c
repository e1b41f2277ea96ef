// Rounds of rows of two soft bodies (contact_soft_rows.h): which rows are swept side by side.
//
// Rows of pairs that share no body may be swept in any order, with the same result to the last bit. So each pair, in
// the order of sweeps, gets a lane of as many rounds as it has rows, behind all rounds of its bodies. That is done once
// in a step; each sweep does the rounds one by one.
#include <string.h>

#include "contact/contact_soft.h"
#include "contact/contact_soft_rows.h"
#include "contact/contact_solver.h"

void pl_soft_begin_rounds(const pl_contact_memory *memory) {
  if (memory->soft_pair_count == 0) return;
  memset(memory->body_rounds, 0, (size_t)memory->body_count * sizeof *memory->body_rounds);
}

// Rounds are numbered as rows are: those of other pairs have other numbers.
typedef struct lane_ends {
  int32_t ends[PL_SOFT_LANES];  // the round after the last one that has a row there
  int32_t end;                  // of all
} lane_ends;

// The lane with the fewest rounds lost for a pair that has to wait until `ready`.
static int find_lane(const lane_ends *l, int32_t ready) {
  int best = 0;
  int32_t best_cost = INT32_MAX;
  for (int k = 0; k < PL_SOFT_LANES; ++k) {
    int32_t late = l->ends[k] - ready, cost = late > 0 ? late + INT32_MAX / 2 : -late;
    best = cost < best_cost ? k : best;
    best_cost = cost < best_cost ? cost : best_cost;
  }
  return best;
}

static void extend(const pl_contact_memory *memory, lane_ends *l, int32_t end) {
  for (; l->end < end; ++l->end)
    for (int k = 0; k < PL_SOFT_LANES; ++k) memory->soft_rounds[l->end].lanes[k] = (pl_soft_lane){-1, -1};
}

static void add_pair(const pl_soft_solution *s, const pl_contact_pair *pair, lane_ends *l) {
  const pl_contact_memory *memory = s->memory;
  int32_t count = pair->side_rows[0] + pair->side_rows[1], number = (int32_t)(pair - memory->plan.pairs);
  int32_t *bodies[2] = {&memory->body_rounds[pair->a], &memory->body_rounds[pair->b]};
  int32_t ready = 0;
  for (int k = 0; k < 2; ++k)
    // What is behind the end is of other pairs, which are visited at another time.
    if (*bodies[k] > ready && *bodies[k] <= l->end) ready = *bodies[k];
  int lane = find_lane(l, ready);
  int32_t to = ready > l->ends[lane] ? ready : l->ends[lane];
  l->ends[lane] = *bodies[0] = *bodies[1] = to + count;
  extend(memory, l, to + count);
  for (int k = 0; k < 2; ++k) {
    pl_soft_side side = pl_soft_side_of(pair, k);
    const pl_contact_body *own = &s->bodies[side.own], *other = &s->bodies[side.other];
    memory->soft_sides[2 * number + k] =
        (pl_soft_velocities){own->velocities, other->velocities, own->inverse_masses, other->inverse_masses};
    for (int32_t i = side.first; i < side.end; ++i, ++to) {
      __builtin_prefetch(&memory->soft_rows[i], 1);
      memory->soft_rounds[to].lanes[lane] = (pl_soft_lane){i, 2 * number + k};
    }
  }
}

enum { HALF = PL_SOFT_LANES / 2 };

// The first lane of a half that has a row; NULL if none has.
static const pl_soft_lane *find_row(const pl_soft_lane half[HALF]) {
  for (int l = 0; l < HALF; ++l)
    if (half[l].row >= 0) return &half[l];
  return NULL;
}

static void fill_half(pl_soft_lane half[HALF], pl_soft_lane filler) {
  for (int l = 0; l < HALF; ++l)
    if (half[l].row < 0) half[l] = filler;
}

// Lanes without a row, which few rounds have.
static void fill_up(pl_soft_round *round) {
  pl_soft_lane *low = round->lanes, *high = low + HALF;
  int32_t signs = 0;
  for (int l = 0; l < PL_SOFT_LANES; ++l) signs |= low[l].row;
  if (signs >= 0) return;
  const pl_soft_lane *first = find_row(low), *second = find_row(high);
  if (first == NULL) {
    fill_half(high, *second);
    memcpy(low, high, HALF * sizeof *low);
    for (int l = 0; l < HALF; ++l) high[l] = *low;
  } else {
    fill_half(low, *first);
    fill_half(high, second != NULL ? *second : *low);
  }
}

static pl_soft_run run_of(const pl_soft_solution *s, const pl_contact_pair *pair) {
  const pl_contact_memory *memory = s->memory;
  return (pl_soft_run){memory->soft_sides, memory->soft_rows, memory->soft_notes, &memory->soft_rounds[pair->first_row],
                       memory->soft_round_counts[pair - memory->plan.pairs]};
}

void pl_soft_start(const pl_soft_solution *s, const pl_contact_pair *pairs, int32_t count) {
  int32_t first = pairs->first_row;
  lane_ends l = {.end = first};
  for (int k = 0; k < PL_SOFT_LANES; ++k) l.ends[k] = first;
  for (const pl_contact_pair *pair = pairs; pair < pairs + count; ++pair) add_pair(s, pair, &l);
  for (int32_t i = first; i < l.end; ++i) fill_up(&s->memory->soft_rounds[i]);
  s->memory->soft_round_counts[pairs - s->memory->plan.pairs] = l.end - first;
  pl_soft_run run = run_of(s, pairs);
  s->kernels->start(&run);
}

void pl_soft_sweep(const pl_soft_solution *s, const pl_contact_pair *pair, bool corrects, bool notes) {
  pl_soft_run run = run_of(s, pair);
  s->kernels->sweep(&run, corrects ? PL_SOFT_ARRIVES : notes ? PL_SOFT_NOTES_AND_LEAVES : PL_SOFT_LEAVES);
}
