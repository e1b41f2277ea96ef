// Scene documents from files and from standard input.
#ifndef TOOL_SCENE_H
#define TOOL_SCENE_H

#include "pliant/pliant.h"
#include "tool_overrides.h"

// What messages call standard input.
#define TOOL_STANDARD_INPUT_NAME "stdin"

// Whether a path on the command line means standard input: `-`.
bool tool_is_standard_input(const char *path);

// Load a scene with values replaced. That of standard input is read to its end; its relative paths
// start from the current folder. `hash` receives the hash of the document, or is NULL.
pl_status tool_load_scene(pl_context *context, const char *path, const tool_overrides *overrides,
                          uint64_t *hash, pl_scene **scene, pl_findings *findings, pl_error *error);

#endif
