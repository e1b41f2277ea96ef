// A scene of the gallery whose actors are measured: from the same state over the same steps again
// and again.
#ifndef BENCH_ACTOR_FIXTURE_H
#define BENCH_ACTOR_FIXTURE_H

#include "pliant/pliant.h"

typedef struct actor_fixture {
  pl_context *context;
  pl_scene *scene;
  pl_scene_instance *set;
  pl_world *world;
  pl_scene_report facts;
  int32_t actor_count;
  int64_t particle_count;  // of the bodies of all actors
  int64_t step_count;      // of the whole scene
  void *start;             // snapshot that every run begins with
  size_t start_size;
} actor_fixture;

// What a run of steps took.
typedef struct actor_run {
  double seconds;          // all of it
  double cpu_seconds;      // of that the thread was at work
  double *choice_seconds;  // in the optimisation of each actor; room for actor_count numbers
} actor_run;

// Read and build a scene for one thread. Close it whether this succeeds or not.
pl_status actor_fixture_open(const char *path, actor_fixture *fixture, pl_error *error);
void actor_fixture_close(actor_fixture *fixture);

// Go back to the start and do `step_count` steps; the same bits every time.
pl_status actor_fixture_run(actor_fixture *fixture, int64_t step_count, actor_run *run,
                            pl_error *error);

// Particles of the body of actor `index`, and the box of its rest shape.
int32_t actor_fixture_particles(const actor_fixture *fixture, int32_t index);
pl_box actor_fixture_box(const actor_fixture *fixture, int32_t index);

// Does actor `index` do all that its scene expects of it? `count` receives the number of things
// expected.
bool actor_fixture_meets(const actor_fixture *fixture, int32_t index, int32_t *count);

#endif
