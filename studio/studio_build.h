// Builds scenes in a background thread. The current world keeps running; between two steps the new
// one replaces it and takes over its state. One build runs at a time: requests that read or change
// the document are deferred until it ends.
#ifndef STUDIO_BUILD_H
#define STUDIO_BUILD_H

#include "studio_world.h"

// Result of a build.
typedef struct studio_build_result {
  pl_status status;             // < 0: the world was not replaced, and `error` says why
  const pl_error *error;        //
  const pl_findings *findings;  // of a failed build; NULL after success
  bool carried;                 // the state of all bodies was transferred
  uint32_t viewer;              // that sent the request
  const pl_json *id;            // NULL: none
  void *user;                   //
} studio_build_result;

typedef void studio_build_end(studio_world *world, const studio_build_result *result);

typedef struct studio_build_def {
  studio_document document;  // ownership passes to the build
  pl_findings *findings;  // of loading the document, ownership passes to the build; NULL: none yet
  bool carry;             // transfer the state of the current world where both have the same bodies
  uint32_t viewer;        // that sent the request
  const pl_json *id;      // copied; may be NULL
  studio_build_end
      *end;  // called once, in the world's thread; immediately if the build cannot start
  void *user;
} studio_build_def;

// Start a build. No other may be running.
void studio_build_begin(studio_world *world, const studio_build_def *def);

// Install a finished build. Call between steps.
void studio_build_poll(studio_world *world);

// Wait for the thread and discard the result; no answer is sent. Also discards deferred requests.
void studio_build_stop(studio_world *world);

// Defer a command if it must wait for the running build. True: the command was deferred or refused,
// and its message is no longer the caller's.
bool studio_build_defer(studio_world *world, const studio_command *command);
// Remove the first deferred command that can run now; false if there is none.
bool studio_build_next_deferred(studio_world *world, studio_command *command);

#endif
