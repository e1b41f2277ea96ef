// The server of the studio (`pliant view`): one thread simulates a world, web pages show it and
// send requests. PROTOCOL.md defines the messages, README.md is an overview.
#ifndef STUDIO_H
#define STUDIO_H

#include "pliant/pliant.h"

typedef struct studio_options {
  const char *scene_path;  // scene to open at start; NULL: none
  const char *host;        // address to listen on, usually "127.0.0.1"
  int port;                // 0: any free port
  int32_t thread_count;    // threads of the simulation; 0: one per processor
  const char *program;     // path of the tool itself, run for exports and virtual depth cameras
  const char *folder;      // absolute path of the folder where viewers open scenes by path and save
                           // them; NULL: none
  const char *gallery;     // folder of the gallery; NULL: none
  const char *const *names;  // scenes of the gallery
  int name_count;
  void (*log)(
      void *user, pl_severity severity,
      const char *line);  // a line for the terminal; called from any thread, one call at a time
  void (*ready)(void *user, const char *address);  // called once, when the server listens
  bool (*stop)(void *user);  // polled several times a second; true ends the server
  void *user;
} studio_options;

// Serve until `stop` returns true. Fails if the port is not available or the scene to open at start
// cannot be loaded (its findings were logged).
pl_status studio_run(const studio_options *options, pl_error *error);

#endif
