// Why a first frame was not found: what its points and the mesh look like next to each other.
#ifndef TOOL_CLOUDS_H
#define TOOL_CLOUDS_H

#include "pliant/pliant.h"
#include "tool_print.h"

// Warn where the points of a cloud are much larger or smaller than a mesh, or lie elsewhere.
// `remedy` is the option that moves the mesh, or NULL.
void tool_doubt_cloud(const tool_console *console, const pl_cloud *cloud, const pl_mesh *mesh,
                      const char *remedy);

#endif
