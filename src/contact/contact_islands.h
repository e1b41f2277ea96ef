// Islands: bodies that touch or are joined, directly or through others. And the order in which
// their contacts are swept.
//
// Contacts of the same two bodies form a pair; so does each joint. Pairs without a common body may
// be swept at the same time, so pairs get colours such that no two of one colour share a body. A
// small island is swept by one thread from the first colour to the last, large ones colour by
// colour by all threads. Where they have very many pairs, these are swept tile by tile
// (contact_tiles.h), and within a tile in the order of the colours; colour by colour come those
// that are in no tile, and contacts with colliders. The order depends on the pairs alone, so the
// result does not depend on the number of threads.
#ifndef PL_CONTACT_ISLANDS_H
#define PL_CONTACT_ISLANDS_H

#include "base/arena.h"
#include "contact/contact.h"
#include "contact/contact_tiles.h"

// Colours of pairs; the last is for contacts with colliders and of bodies with themselves, which
// share no body with each other, the one before it for what found no colour and is swept alone.
enum { PL_PAIR_COLORS = 64, PL_SERIAL_COLOR = 62, PL_COLLIDER_COLOR = 63 };

// Pairs of large islands are swept in at most this many phases.
enum { PL_PLAN_PHASES = PL_TILE_PHASES + PL_PAIR_COLORS };

// Contacts between the same two bodies, or one joint.
typedef struct pl_contact_pair {
  int32_t a, b;              // bodies, a < b; b -1: a collider, the world, or a itself
  int32_t joint;             // its number; -1: contacts
  int32_t axis;              // of contacts of two soft bodies (contact_soft.h); -1: others
  int32_t first_row, count;  // rows of the contacts; of soft bodies: their hits
  uint16_t side_rows[2];     // of soft bodies: rows that the hits of either have become
  int32_t island;
  int16_t color;
  bool is_lone;  // of a body that was resolved at once (contact_lone.h): its contacts are elsewhere
} pl_contact_pair;

// A range of pairs of the plan.
typedef struct pl_pair_range {
  int32_t first, count;
} pl_pair_range;

typedef struct pl_contact_plan {
  int32_t body_capacity, contact_capacity, pair_capacity;
  int32_t pair_count;
  pl_contact_pair *pairs;  // in the order of sweeps: large islands by phase, then small islands
  int32_t large_count;     // pairs of the large islands
  // Tasks, whose pairs follow each other, one phase after the other. Tasks of a phase share no
  // body.
  pl_pair_range *tasks;
  pl_pair_range phases[PL_PLAN_PHASES];
  int32_t phase_count;
  int32_t small_count;
  pl_pair_range *small_islands;
  // Bodies in the order of their islands: those of large islands, of each small one, and those that
  // touch nothing.
  int32_t *bodies;
  int32_t *small_body_start;  // small_count + 1: offsets into `bodies`
  int32_t island_count;
  int32_t *island_of;     // per body: its island, -1 for one that touches nothing that moves or not
  int32_t *row_contacts;  // the contact of each row; ~number of one of a lone body
  // scratch
  pl_contact_pair *unsorted;
  int32_t *by_color;           // numbers of unsorted pairs in the order of their colours
  int32_t *groups;             // per unsorted pair: its tile, or PL_TILES and its colour
  pl_pair_range *group_pairs;  // per group
  int32_t *group_rows;
  pl_tile_place *places;  // per body
  bool *is_large;         // per body: of a large island
  int32_t *pair_of;       // per contact
  int32_t *table;         // hash table of pairs
  int32_t table_size;
  int32_t *parents;       // per body: union-find
  uint64_t *used_colors;  // per body
  int32_t *island_rows;   // per island: contacts, then the offset of its pairs, then of its bodies
} pl_contact_plan;

// A body that was resolved at once (contact_lone.h).
typedef struct pl_lone_body {
  int32_t body;
  int32_t first, count;  // its contacts
} pl_lone_body;

// What a plan is formed of.
typedef struct pl_soft_pair pl_soft_pair;
typedef struct pl_contact_plan_def {
  int32_t body_count;
  const pl_contact *contacts;
  int32_t contact_count;
  const pl_contact_joint *joints;
  int32_t joint_count;
  const pl_soft_pair *soft_pairs;
  int32_t soft_count;
  const pl_lone_body *lone;  // in the order of their numbers
  int32_t lone_count;
  const pl_box *boxes;  // around bodies; NULL: no tiles
} pl_contact_plan_def;

// Take memory for up to as many bodies, contacts, joints and pairs of soft bodies as `def` counts;
// false when out of memory.
bool pl_contact_plan_take(pl_arena *arena, pl_contact_plan *plan, const pl_contact_plan_def *def);

// Call `visit` for all pairs, in parallel where they share no body, in the order of sweeps for each
// body: what it adds up per body does not depend on the number of threads.
typedef void pl_pair_visit(void *data, const pl_contact_pair *pairs, int32_t count);
void pl_contact_plan_visit(pl_context *context, const pl_contact_plan *plan, pl_pair_visit *visit,
                           void *data);

// The same for the pairs of large islands alone.
void pl_contact_plan_visit_large(pl_context *context, const pl_contact_plan *plan,
                                 pl_pair_visit *visit, void *data);

// Form pairs and islands. Allocates nothing.
void pl_contact_plan_form(pl_contact_plan *plan, const pl_contact_plan_def *def);

#endif
