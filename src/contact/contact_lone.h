// Bodies that lie near colliders alone, as most do that are scattered on a ground: each is an
// island of its own, which is known as soon as it is known what is near what.
//
// Such a body goes from the search for its contacts to its new state in one task. Its points,
// contacts, rows and velocities are in a workspace of the task, which the next body uses again:
// they stay in the cache, and what a world of many bodies reads and writes in a step is little more
// than their states. The workspace is a contact memory of one body, number 0, so that search, rows,
// dampers and sweeps are the same functions as for all others, and the same bits come out.
//
// Which bodies: small ones of tets that are awake, not rigid and do not touch themselves, whose
// boxes no other body's box meets. None in a step in which surfaces are checked after resolution
// (contact_zones.c), since that looks at all bodies together; and none with joints.
#ifndef PL_CONTACT_LONE_H
#define PL_CONTACT_LONE_H

#include "contact/contact_solver.h"

// What is kept of a contact after its body was resolved: for events and for display.
struct pl_lone_contact {
  int32_t point, collider;
  pl_vec3 normal;
  double depth;    // as of pl_contact
  double impulse;  // N s along the normal
};

// Memory for one task at a time.
struct pl_lone_workspace {
  atomic_flag is_used;
  pl_contact_memory memory;  // of one body; collider steps are those of all
  pl_contact_body body;
  pl_contact_points points;
  const pl_contact_exchange *exchange;
  int32_t number;  // of the body among all
  bool has_start_velocities;
};

// Are bodies of this shape of the kind that may be resolved at once?
bool pl_lone_is_kind(const pl_contact_shape *shape, bool is_rigid);

// Take the memory, by the size that the other memory has; false when out of memory. Then make
// workspaces available if any of these bodies is of that kind.
bool pl_lone_take(pl_contact_memory *memory);
void pl_lone_begin(pl_contact_memory *memory, const pl_contact_body *bodies);

// May there be such bodies in this step?
bool pl_lone_is_allowed(const pl_contact_solver *solver, const pl_contact_body *bodies,
                        const pl_contact_step *step);

// A workspace that no other task has, until it is released.
pl_lone_workspace *pl_lone_acquire(pl_contact_memory *memory);
void pl_lone_release(pl_lone_workspace *workspace);

// Find the contacts of body number `body` in the workspace, and plan their resolution there.
// Returns how many there are.
int32_t pl_lone_find(pl_contact_solver *solver, const pl_contact_body *bodies,
                     const pl_contact_step *step, int32_t body, pl_lone_workspace *workspace);

// They are resolved: keep what is reported of them, and hand the particles to the step's exchange.
void pl_lone_finish(pl_contact_memory *memory, const pl_contact_step *step,
                    const pl_lone_body *lone, const pl_lone_workspace *workspace);

// One of them for reports, with its impulse.
pl_contact pl_lone_contact_of(const pl_contact_memory *memory, int32_t number, double *impulse);

// Add what a body that touches several colliders gave to each.
void pl_lone_add_pushes(const pl_contact_memory *memory, const pl_contact_pair *pair,
                        pl_collider_impulse *impulses);

#endif
