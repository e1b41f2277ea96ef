// Held points from the command line: `--hold BOX` or `--hold TABLE`, which may be repeated.
#ifndef TOOL_HOLD_H
#define TOOL_HOLD_H

#include "pliant/pliant.h"
#include "tool_options.h"

// Indices of all held points, ascending and without duplicates, to be freed. False on failure
// (printed).
bool tool_hold_read(const tool_session *tool, pl_context *context, const tool_arguments *arguments,
                    const pl_mesh *mesh, int32_t **held, int32_t *held_count);

#endif
