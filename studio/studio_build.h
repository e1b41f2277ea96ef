// Scenes that are built beside the world that is shown, in a thread of their own. The old world goes on meanwhile; the new one takes its place between two steps, at the time where the
// old one is then. One is built at a time: what asks for the document, to read or to change it, waits until that is done.
#ifndef STUDIO_BUILD_H
#define STUDIO_BUILD_H

#include "studio_world.h"

// How it ended.
typedef struct studio_build_result {
  pl_status status;             // < 0: the world is the one it was, and `error` says why
  const pl_error *error;        //
  const pl_findings *findings;  // of the scene that could not be built; NULL where it was
  bool carried;                 // everything went on where it stood
  uint32_t viewer;              // who asked
  const pl_json *id;            // NULL: none
  void *user;                   //
} studio_build_result;

typedef void studio_build_end(studio_world *world, const studio_build_result *result);

typedef struct studio_build_def {
  studio_document document;  // taken over
  pl_findings *findings;     // of reading it, taken over; NULL: none yet
  bool carry;                // go on where the world stands, as far as the two are alike
  uint32_t viewer;           // who asks
  const pl_json *id;         // copied; may be NULL
  studio_build_end *end;     // called once, in the thread of the world; at once where it cannot begin
  void *user;
} studio_build_def;

// Begin. None may be under way.
void studio_build_begin(studio_world *world, const studio_build_def *def);

// Take over what has been built; to be called between steps.
void studio_build_poll(studio_world *world);

// Wait for the thread and forget what it built, without a word to whoever asked.
void studio_build_stop(studio_world *world);

// Whether a command must wait for what is under way. It then has been taken, with its message, or refused.
bool studio_build_defer(studio_world *world, const studio_command *command);
// The first command that waited, when its turn has come; false if there is none.
bool studio_build_next_deferred(studio_world *world, studio_command *command);

#endif
