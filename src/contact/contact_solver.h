// The inside of the contact solver: what detection and resolution share.
#ifndef PL_CONTACT_SOLVER_H
#define PL_CONTACT_SOLVER_H

#include "base/arena.h"
#include "contact/contact.h"
#include "contact/surface_tree.h"

// Surface points are worked on in blocks that never span two bodies: what a block is far from is ruled out by one comparison.
enum { PL_CONTACT_BLOCK = 64 };

typedef struct pl_contact_block {
  int32_t body, first, count;  // surface points [first, first + count) of a body
} pl_contact_block;

// A collider in the course of one step.
typedef struct pl_collider_step {
  const pl_collider *collider;
  pl_transform start, end;
  pl_box box;  // around all it passes through; everything for a half-space
} pl_collider_step;

// What resolution keeps of a contact from sweep to sweep.
typedef struct pl_contact_row {
  double inverse_mass;    // of the contact: the velocity that a unit impulse gives to the gap, 1/kg
  double target;          // least velocity of the gap, m/s
  double normal_impulse;  // N s, never negative
  double landing;         // metres: a bouncing contact's gap at the end of the step
  bool bounces;
  pl_vec3 tangent_impulse;  // N s, at right angles to the normal
} pl_contact_row;

// Everything sized by the bodies and colliders, in one arena.
typedef struct pl_contact_memory {
  pl_arena arena;
  int32_t body_count, collider_count;
  pl_surface_tree *trees;      // one per body; bodies of one model have the same
  pl_surface_motion *motions;  // one per body
  int32_t *point_start;        // body_count + 1: offsets into the arrays per surface point
  int32_t block_count;
  pl_contact_block *blocks;
  pl_box *block_boxes;
  pl_collider_step *collider_steps;
  int32_t *contact_counts;  // one per surface point
  pl_contact *contacts;     // PL_CONTACTS_PER_POINT per surface point, then moved together
  pl_contact_row *rows;     // as many
} pl_contact_memory;

struct pl_contact_solver {
  pl_context *context;
  pl_contact_memory memory;
  int32_t contact_count;  // found by the last detection
};

// Lengths and speeds below which a contact counts as resting: what gravity does to a body in one step.
typedef struct pl_contact_scale {
  double margin;  // metres: gaps smaller than this are watched, starts no deeper than this count as free
  double slop;    // metres of overlap left alone
  double speed;   // m/s of approach below which nothing bounces
} pl_contact_scale;
pl_contact_scale pl_contact_scale_of(const pl_contact_step *step);

// The contacts of one surface point, filled by the searches below.
typedef struct pl_contact_slots {
  pl_contact *items;  // room for PL_CONTACTS_PER_POINT
  int32_t *count;
} pl_contact_slots;

// Add a contact; when there is no room it replaces the shallowest if it is deeper.
void pl_contact_slots_add(pl_contact_slots slots, const pl_contact *contact);

// One surface point in search of contacts.
typedef struct pl_contact_query {
  int32_t body, point;
  const pl_contact_body *bodies;
  const pl_surface_motion *motions;
  pl_vec3 start, end;  // of the point
  double step;
  pl_contact_scale scale;
} pl_contact_query;

void pl_contact_find_collider(const pl_contact_query *query, const pl_collider_step *step, int32_t collider,
                              pl_contact_slots slots);
void pl_contact_find_body(const pl_contact_query *query, int32_t other, pl_contact_slots slots);
void pl_contact_find_self(const pl_contact_query *query, pl_contact_slots slots);

#endif
