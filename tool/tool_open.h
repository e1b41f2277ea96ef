// Telling files apart and opening them, for the verbs that take any.
#ifndef TOOL_OPEN_H
#define TOOL_OPEN_H

#include "pliant/pliant.h"
#include "tool_arguments.h"

typedef enum tool_file_kind {
  TOOL_FILE_MISSING = 0,  // cannot be read; printed
  TOOL_FILE_UNKNOWN,
  TOOL_FILE_MESH,
  TOOL_FILE_FRAMES,
  TOOL_FILE_SCENE,
  TOOL_FILE_CHECKPOINT,
  TOOL_FILE_DETAIL,
} tool_file_kind;

// What kind of file `path` is, by its first bytes.
tool_file_kind tool_file_detect(const tool_session *tool, const char *path);

// A context with one thread per processor, or NULL (printed).
pl_context *tool_open_context(const tool_session *tool, int32_t thread_count);

// Read a mesh, print its doubtful parts and scale it. NULL if it fails (printed). `remarks` is set when there was something to remark.
pl_mesh *tool_open_mesh(const tool_session *tool, pl_context *context, const char *path, double scale, bool *remarks);

#endif
