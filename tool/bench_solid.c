// Shape-matching solids: nanoseconds per particle and step, beside the paper's figures and what memory alone would allow.
#include <stdio.h>
#include <stdlib.h>

#include "bench_suite.h"

typedef struct solid_case {
  const char *name;
  int32_t cells[3];
  bool resting;         // on a plane
  double paper_ms;      // paper 000, table 1, t_sm in milliseconds per step …
  int32_t paper_count;  // … for so many particles, one core of a Core i7 M620
  bool slow;            // left out of a quick look
} solid_case;

static const solid_case CASES[] = {
    {.name = "cuboid 225", .cells = {4, 4, 8}, .paper_ms = 0.21, .paper_count = 225},
    {.name = "cylinder-sized 2025", .cells = {8, 8, 24}, .paper_ms = 2.0, .paper_count = 2025},
    {.name = "box 20k", .cells = {26, 26, 26}},
    {.name = "box 20k on a plane", .cells = {26, 26, 26}, .resting = true},
    {.name = "box 100k", .cells = {45, 45, 45}, .slow = true},
};

typedef struct bench_stage {
  pl_context *context;
  pl_mesh *mesh;
  pl_model *model;
  pl_world *world;
  int32_t particle_count;
} bench_stage;

static void close_stage(bench_stage *stage) {
  pl_world_destroy(stage->world);
  pl_model_destroy(stage->model);
  pl_mesh_destroy(stage->mesh);
  pl_context_destroy(stage->context);
}

static pl_status open_stage(const solid_case *about, int threads, bench_stage *stage, pl_error *error) {
  pl_context_def context_def = pl_default_context_def();
  context_def.thread_count = threads;
  double cell = 1.0 / about->cells[0];
  pl_vec3 size = {1, cell * about->cells[1], cell * about->cells[2]};
  pl_status status = pl_context_create(&context_def, &stage->context, error);
  if (status >= 0) status = pl_mesh_create_box(stage->context, size, about->cells, &stage->mesh, error);
  pl_solid_def solid = pl_default_solid_def();
  if (status >= 0) status = pl_solid_build(stage->context, &solid, stage->mesh, &stage->model, error);
  pl_world_def world_def = pl_default_world_def();
  if (!about->resting) world_def.gravity = (pl_vec3){0, 0, 0};
  if (status >= 0) status = pl_world_create(stage->context, &world_def, &stage->world, error);
  pl_body_def body = pl_default_body_def();
  body.model = stage->model;
  body.collides = about->resting;
  body.placement.position.y = size.y / 2;
  // Something must move, or nothing would be measured: a slow turn keeps every rotation at work.
  if (!about->resting) body.angular_velocity = (pl_vec3){0.3, 1, 0.2};
  if (status >= 0) status = pl_world_add_body(stage->world, &body, NULL, error);
  pl_collider_def plane = pl_default_collider_def(PL_COLLIDER_HALF_SPACE);
  if (status >= 0 && about->resting) status = pl_world_add_collider(stage->world, &plane, NULL, error);
  if (status >= 0) stage->particle_count = pl_model_describe(stage->model).particle_count;
  return status;
}

// Every number of model and state has to come through once per step, and the state has to go back.
static double memory_limit(const bench_stage *stage, int threads) {
  double bytes = (double)pl_model_describe(stage->model).byte_count + 2 * (double)pl_world_snapshot_size(stage->world);
  double rate = bench_bandwidth((size_t)bytes, threads);
  return 1e9 * bytes / rate / stage->particle_count;
}

static pl_status measure(bench_session *bench, const solid_case *about, int threads, bench_stage *stage, pl_error *error) {
  bench_samples samples = {0};
  pl_status status = PL_OK;
  // About a tenth of a second per repetition.
  int steps = 1 + (int)((bench->quick ? 2e5 : 1e6) / stage->particle_count);
  for (int i = 0; i < steps && status >= 0; ++i) status = pl_world_step(stage->world, NULL, error);
  for (int repeat = 0; repeat < bench_repeats(bench) && status >= 0; ++repeat) {
    double begin = tool_seconds();
    for (int i = 0; i < steps && status >= 0; ++i) status = pl_world_step(stage->world, NULL, error);
    bench_add(&samples, 1e9 * (tool_seconds() - begin) / ((double)steps * stage->particle_count));
  }
  if (status < 0) return status;
  bench_row row = {
      .suite = "solid", .name = about->name, .threads = threads, .unit = "ns/particle/step", .size = stage->particle_count};
  if (about->paper_ms > 0 && threads == 1) row.paper = 1e6 * about->paper_ms / about->paper_count;
  row.limit = memory_limit(stage, threads);
  bench_print(bench, &row, &samples);
  return PL_OK;
}

int bench_solid(bench_session *bench) {
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; ++i)
    for (int threads = 1; threads <= 2; ++threads) {
      if (CASES[i].slow && bench->quick) continue;
      bench_stage stage = {.context = NULL};
      pl_error error = {0};
      pl_status status = open_stage(&CASES[i], threads, &stage, &error);
      if (status >= 0) status = measure(bench, &CASES[i], threads, &stage, &error);
      close_stage(&stage);
      if (status < 0) return tool_report_error(&bench->tool->voice, &error);
    }
  return TOOL_DONE;
}
