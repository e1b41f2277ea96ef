// The tool of the viewers, a ball that pushes bodies; and contact points for display.
#ifndef STUDIO_TOOL_H
#define STUDIO_TOOL_H

#include "studio_message.h"

// Move the ball, from the next step on; false if position or radius is not valid.
bool studio_tool_move(studio_world *world, pl_vec3 at, double radius);
void studio_tool_remove(studio_world *world);

// Surface points of a body that touch colliders, three numbers each. Returns their number, at most
// `max`.
int32_t studio_contacts_find(studio_world *world, int32_t body, float *positions, int32_t max);

#endif
