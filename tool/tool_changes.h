// Changes of a scene under which its actors should still do what they are expected to do: other
// ground, pushes, other material, another mesh, other bits. `bench robust` and `tune --robust` run
// scenes under them.
#ifndef TOOL_CHANGES_H
#define TOOL_CHANGES_H

#include "pliant/pliant.h"

typedef enum tool_change_kind {
  TOOL_CHANGE_SLOPE,  // the ground is tilted by this many degrees: downhill below 0, uphill above
  TOOL_CHANGE_PUSH,   // 0.2 s long from 3 s on, by this many m/s altogether, forces on the whole
                      // body
  TOOL_CHANGE_FRICTION,   // of body and ground
  TOOL_CHANGE_STIFFNESS,  // factor on Young's modulus
  TOOL_CHANGE_MESH,  // factor on the triangles; of bodies that a given mesh of tets carries, of
                     // their surface
  TOOL_CHANGE_BITS,  // factor on densities, less 1: with 1e-9 nobody would notice, but all bits
                     // differ
} tool_change_kind;

typedef struct tool_change {
  tool_change_kind kind;
  double amount;
  const char *name;  // short, for the head of a column
  bool is_quick;     // of a quick run too: one of each kind
} tool_change;

// The seventeen changes of `bench robust`.
enum { TOOL_CHANGE_COUNT = 17 };
extern const tool_change tool_changes[TOOL_CHANGE_COUNT];

enum { TOOL_CHANGE_MAX_OVERRIDES = 16, TOOL_CHANGE_PATH_SIZE = 160, TOOL_CHANGE_VALUE_SIZE = 8192 };

// Values of a scene that a change replaces.
typedef struct tool_change_list {
  int32_t count;
  pl_scene_override items[TOOL_CHANGE_MAX_OVERRIDES];
  char paths[TOOL_CHANGE_MAX_OVERRIDES][TOOL_CHANGE_PATH_SIZE];
  char values[TOOL_CHANGE_MAX_OVERRIDES][TOOL_CHANGE_VALUE_SIZE];
} tool_change_list;

// What a change replaces in the scene at `path`. The list refers to itself: it must not be copied.
pl_status tool_change_find(pl_context *context, const char *path, const tool_change *change,
                           tool_change_list *list, pl_error *error);

#endif
