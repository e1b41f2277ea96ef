// The studio's server: a world that moves in one thread, and pages in browsers that watch and touch it. PROTOCOL.md says what they say to each other.
#ifndef STUDIO_H
#define STUDIO_H

#include "pliant/pliant.h"

typedef struct studio_options {
  const char *scene_path;    // NULL: none is open at first
  const char *host;          // address to listen at, "127.0.0.1" unless asked otherwise
  int port;                  // 0: any that is free
  int32_t thread_count;      // of the simulation; 0: one per processor
  const char *program;       // to be run for exports: this very program
  const char *folder;        // that viewers open scenes from by path and save them into, absolute; NULL: none
  const char *gallery;       // folder of the gallery, NULL for none
  const char *const *names;  // its scenes
  int name_count;
  void (*log)(void *user, pl_severity severity,
              const char *line);                   // what a person at the terminal should know; from any thread, one at a time
  void (*ready)(void *user, const char *address);  // the server listens; once
  bool (*stop)(void *user);                        // asked several times a second
  void *user;
} studio_options;

// Serve until `stop` says so. Fails when the port cannot be had, or the scene at the start cannot be read (its findings were said).
pl_status studio_run(const studio_options *options, pl_error *error);

#endif
