// Points that are held, from the command line: `--hold BOX` or `--hold TABLE`, as often as wanted.
#ifndef TOOL_HOLD_H
#define TOOL_HOLD_H

#include "pliant/pliant.h"
#include "tool_options.h"

// Numbers of all points that are held, each once and rising, to be freed. False when something is wrong (printed).
bool tool_hold_read(const tool_session *tool, pl_context *context, const tool_arguments *arguments, const pl_mesh *mesh,
                    int32_t **held, int32_t *held_count);

#endif
