// Bodies of lines among other bodies (world_segments.c).
#ifndef PL_WORLD_WORLD_SEGMENTS_H
#define PL_WORLD_WORLD_SEGMENTS_H

#include "world/world_state.h"

// Whether a body of lines may touch another body, or itself.
bool pl_world_has_obstacles(const pl_world *world);

// Find the obstacles of all bodies of lines, move these among them, and add forces to the bodies
// behind. Before any other body moves.
pl_status pl_world_move_lines(pl_world *world, pl_step_report *report, pl_error *error);

// Whether a body has been moved by the above in this step.
bool pl_world_has_moved(const pl_world *world, int32_t index);

#endif
