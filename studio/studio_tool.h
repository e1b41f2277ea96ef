// What touches bodies: a viewer's ball, and points of contact.
#ifndef STUDIO_TOOL_H
#define STUDIO_TOOL_H

#include "studio_message.h"

// A ball that pushes, at a place from the next step on; false for numbers that make none.
bool studio_tool_move(studio_world *world, pl_vec3 at, double radius);
void studio_tool_remove(studio_world *world);

// Places where a body's surface lies on colliders, three numbers each: at most `max`, their number is returned.
int32_t studio_contacts_find(studio_world *world, int32_t body, float *positions, int32_t max);

#endif
