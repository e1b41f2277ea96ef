// --set PATH=VALUE: values of a scene that the command line replaces.
#ifndef TOOL_OVERRIDES_H
#define TOOL_OVERRIDES_H

#include "pliant/pliant.h"
#include "tool_arguments.h"

typedef struct tool_overrides {
  int count;
  pl_scene_override items[TOOL_MAX_REPEATS];
  char *texts[TOOL_MAX_REPEATS];  // PATH and VALUE, each with a zero behind it
} tool_overrides;

// Split the values of --set into paths and values. False if one is not PATH=VALUE (printed).
bool tool_overrides_read(const tool_session *tool, const tool_arguments *arguments,
                         tool_overrides *overrides);
void tool_overrides_free(tool_overrides *overrides);

// Hash of the overrides; 0 for none.
uint64_t tool_overrides_hash(const tool_overrides *overrides);

#endif
