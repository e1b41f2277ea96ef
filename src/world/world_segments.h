// Bodies of lines among other bodies (world_segments.c).
#ifndef PL_WORLD_WORLD_SEGMENTS_H
#define PL_WORLD_WORLD_SEGMENTS_H

#include "world/world_state.h"

// Whether a body of lines may touch another body, or itself.
bool pl_world_has_obstacles(const pl_world *world);

// The move of a body of lines.
typedef struct pl_line_move {
  int32_t index;  // of the body in the world
  pl_body_move move;
  bool damped;
  pl_status status;
  pl_error error;
} pl_line_move;

// Moves that wait: nothing depends on them in this step, so that they may run at the same time as
// others.
typedef struct pl_waiting_lines {
  pl_line_move *moves;
  int32_t count;
} pl_waiting_lines;

// Find the obstacles of all bodies of lines, move these among them, and add forces to the bodies
// behind. Before any other body moves. With `waiting`, small ones that push no body and hold none
// are left in it instead, in memory of the world's scratch stack, which the caller pops.
pl_status pl_world_move_lines(pl_world *world, pl_waiting_lines *waiting, pl_step_report *report,
                              pl_error *error);

// Run a move; it touches nothing but its own body and memory. Then, one after the other, report
// what came of it.
void pl_world_run_line(const pl_world *world, pl_line_move *move);
pl_status pl_world_finish_line(pl_world *world, pl_line_move *move, pl_step_report *report,
                               pl_error *error);

// Whether a body has been moved by the above in this step.
bool pl_world_has_moved(const pl_world *world, int32_t index);

#endif
