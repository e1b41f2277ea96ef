// Scenes with actors, opened and run for the clock.
#include "bench_actor_stage.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "tool_say.h"

void actor_stage_close(actor_stage *stage) {
  free(stage->start);
  pl_stage_set_destroy(stage->set);
  pl_scene_destroy(stage->scene);
  pl_context_destroy(stage->context);
  *stage = (actor_stage){.context = NULL};
}

static pl_model_report model_of(const actor_stage *stage, int32_t index) {
  pl_stage_body body = pl_stage_set_body(stage->set, pl_stage_set_actor(stage->set, index).body);
  return pl_model_describe(pl_body_model(stage->world, body.id));
}

int32_t actor_stage_particles(const actor_stage *stage, int32_t index) {
  return model_of(stage, index).particle_count;
}

pl_box actor_stage_box(const actor_stage *stage, int32_t index) {
  return model_of(stage, index).box;
}

pl_status actor_stage_open(const char *path, actor_stage *stage, pl_error *error) {
  pl_context_def context = pl_default_context_def();
  pl_scene_build_def build = pl_default_scene_build_def();
  context.thread_count = 1;
  pl_status status = pl_context_create(&context, &stage->context, error);
  if (status >= 0) status = pl_scene_read(stage->context, path, &stage->scene, NULL, error);
  if (status >= 0) status = pl_scene_build(stage->context, &build, stage->scene, &stage->set, NULL, error);
  if (status < 0) return status;
  stage->world = pl_stage_set_world(stage->set);
  stage->facts = pl_scene_describe(stage->scene);
  stage->actor_count = pl_stage_set_actor_count(stage->set);
  stage->step_count = llround((stage->facts.frame_count - 1) / stage->facts.frame_rate / stage->facts.step);
  for (int32_t i = 0; i < stage->actor_count; ++i) stage->particle_count += actor_stage_particles(stage, i);
  stage->start_size = pl_world_snapshot_size(stage->world);
  stage->start = tool_allocate(stage->start_size, 1);
  pl_world_snapshot(stage->world, stage->start);
  return PL_OK;
}

// Seconds that this thread was at work; with one thread in the context it does everything.
static double thread_seconds(void) {
  struct timespec now = {0};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Clocks of actors go on counting when a snapshot is restored: `sign` -1 before a run and 1 after it.
static void count_choices(const actor_stage *stage, double sign, double *seconds) {
  for (int32_t i = 0; i < stage->actor_count; ++i)
    seconds[i] += sign * pl_actor_look(pl_stage_set_actor(stage->set, i).actor).seconds_in_all;
}

pl_status actor_stage_run(actor_stage *stage, int64_t step_count, actor_run *run, pl_error *error) {
  pl_status status = pl_world_restore(stage->world, stage->start, stage->start_size, error);
  for (int32_t i = 0; i < stage->actor_count; ++i) run->choice_seconds[i] = 0;
  count_choices(stage, -1, run->choice_seconds);
  double begin = tool_seconds(), cpu_begin = thread_seconds();
  for (int64_t i = 0; i < step_count && status >= 0; ++i) status = pl_world_step(stage->world, NULL, error);
  run->cpu_seconds = thread_seconds() - cpu_begin;
  run->seconds = tool_seconds() - begin;
  count_choices(stage, 1, run->choice_seconds);
  return status;
}

bool actor_stage_meets(const actor_stage *stage, int32_t index, int32_t *count) {
  bool met = true;
  *count = 0;
  for (int32_t i = 0; i < pl_stage_set_expectation_count(stage->set); ++i) {
    pl_stage_expectation it = pl_stage_set_expectation(stage->set, i);
    if (it.actor != index) continue;
    *count += 1;
    met = met && it.met;
  }
  return met;
}
