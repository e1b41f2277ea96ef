// Scenes with actors, opened and run for the clock.
#include "bench_actor_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "tool_print.h"

void actor_fixture_close(actor_fixture *fixture) {
  free(fixture->start);
  pl_scene_instance_destroy(fixture->set);
  pl_scene_destroy(fixture->scene);
  pl_context_destroy(fixture->context);
  *fixture = (actor_fixture){.context = NULL};
}

static pl_model_report model_of(const actor_fixture *fixture, int32_t index) {
  pl_scene_instance_body body =
      pl_scene_instance_get_body(fixture->set, pl_scene_instance_get_actor(fixture->set, index).body);
  return pl_model_get_report(pl_body_get_model(fixture->world, body.id));
}

int32_t actor_fixture_particles(const actor_fixture *fixture, int32_t index) {
  return model_of(fixture, index).particle_count;
}

pl_box actor_fixture_box(const actor_fixture *fixture, int32_t index) {
  return model_of(fixture, index).box;
}

pl_status actor_fixture_open(const char *path, actor_fixture *fixture, pl_error *error) {
  pl_context_def context = pl_default_context_def();
  pl_scene_build_def build = pl_default_scene_build_def();
  context.thread_count = 1;
  pl_status status = pl_context_create(&context, &fixture->context, error);
  if (status >= 0) status = pl_scene_load(fixture->context, path, &fixture->scene, NULL, error);
  if (status >= 0) status = pl_scene_build(fixture->context, &build, fixture->scene, &fixture->set, NULL, error);
  if (status < 0) return status;
  fixture->world = pl_scene_instance_get_world(fixture->set);
  fixture->facts = pl_scene_get_report(fixture->scene);
  fixture->actor_count = pl_scene_instance_actor_count(fixture->set);
  fixture->step_count = llround((fixture->facts.frame_count - 1) / fixture->facts.frame_rate / fixture->facts.step);
  for (int32_t i = 0; i < fixture->actor_count; ++i) fixture->particle_count += actor_fixture_particles(fixture, i);
  fixture->start_size = pl_world_snapshot_size(fixture->world);
  fixture->start = tool_allocate(fixture->start_size, 1);
  pl_world_snapshot(fixture->world, fixture->start);
  return PL_OK;
}

// Seconds that this thread was at work; with one thread in the context it does everything.
static double thread_seconds(void) {
  struct timespec now = {0};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Clocks of actors continue when a snapshot is restored: `sign` -1 before a run and 1 after it.
static void count_choices(const actor_fixture *fixture, double sign, double *seconds) {
  for (int32_t i = 0; i < fixture->actor_count; ++i)
    seconds[i] += sign * pl_actor_get_report(pl_scene_instance_get_actor(fixture->set, i).actor).seconds_in_all;
}

pl_status actor_fixture_run(actor_fixture *fixture, int64_t step_count, actor_run *run, pl_error *error) {
  pl_status status = pl_world_restore(fixture->world, fixture->start, fixture->start_size, error);
  for (int32_t i = 0; i < fixture->actor_count; ++i) run->choice_seconds[i] = 0;
  count_choices(fixture, -1, run->choice_seconds);
  double begin = tool_seconds(), cpu_begin = thread_seconds();
  for (int64_t i = 0; i < step_count && status >= 0; ++i) status = pl_world_step(fixture->world, NULL, error);
  run->cpu_seconds = thread_seconds() - cpu_begin;
  run->seconds = tool_seconds() - begin;
  count_choices(fixture, 1, run->choice_seconds);
  return status;
}

bool actor_fixture_meets(const actor_fixture *fixture, int32_t index, int32_t *count) {
  bool met = true;
  *count = 0;
  for (int32_t i = 0; i < pl_scene_instance_expectation_count(fixture->set); ++i) {
    pl_scene_instance_expectation it = pl_scene_instance_get_expectation(fixture->set, i);
    if (it.actor != index) continue;
    *count += 1;
    met = met && it.met;
  }
  return met;
}
