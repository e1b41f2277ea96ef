// Detecting the kind of a file and opening it, for the verbs that take several kinds.
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
  TOOL_FILE_CLOUD,    // points that are not a mesh: PCD, or rows of numbers
  TOOL_FILE_CAPTURE,  // a capture.json
} tool_file_kind;

// What kind of file `path` is, by its first bytes.
tool_file_kind tool_file_detect(const tool_session *tool, const char *path);

// A context with one thread per processor, or NULL (printed).
pl_context *tool_open_context(const tool_session *tool, int32_t thread_count);

// How a verb builds scenes: fitted poses are kept in the user's cache folder and progress is shown.
// $PLIANT_CACHE names another folder; none are kept where it is empty.
typedef struct tool_building {
  pl_scene_build_def def;
  tool_progress progress;
  double last;  // when a body was shown, or the build began
} tool_building;

// Fill in `building`, which must stay where it is until tool_building_end(). Without a folder
// nothing is kept.
void tool_building_start(const tool_session *tool, pl_context *context, tool_building *building);
void tool_building_end(tool_building *building);

// Load a mesh, print its findings and scale it. NULL on failure (printed). `remarks` is set if
// there was a warning.
pl_mesh *tool_open_mesh(const tool_session *tool, pl_context *context, const char *path,
                        double scale, bool *remarks);

#endif
