// Bodies that touch implicit ones, moved together with them.
#ifndef PL_WORLD_WORLD_COUPLED_H
#define PL_WORLD_WORLD_COUPLED_H

#include "world/world_segments.h"

// Whether some body of the world has a method that solves contact together with its step.
bool pl_world_has_coupled(const pl_world *world);

// Whether such a body may touch another one, or itself.
bool pl_world_moves_together(const pl_world *world);

// Move all bodies by one step, those that implicit ones touch together with them, and those that
// wait. Contacts that were solved are marked: pl_contact_body.solved.
pl_status pl_world_move_together(pl_world *world, pl_waiting_lines *waiting, pl_step_report *report,
                                 pl_error *error);

#endif
