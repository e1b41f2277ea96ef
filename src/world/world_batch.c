// Many worlds stepped together. Worlds share nothing that a step writes, so each is a task of its own; the loops inside
// a step find the workers busy and run on the thread that steps their world (base/pool.c).
#include "base/error.h"
#include "base/pool.h"
#include "pliant/step.h"
#include "world/world_state.h"

typedef struct batch {
  pl_world *const *worlds;
  int64_t step_count;
  pl_status *statuses;
  pl_error *errors;
} batch;

static void step_world(void *data, int32_t index) {
  const batch *b = data;
  pl_status status = PL_OK;
  for (int64_t i = 0; i < b->step_count && status >= 0; ++i)
    status = pl_world_step(b->worlds[index], NULL, &b->errors[index]);
  b->statuses[index] = status;
}

// Marks the worlds, so that one that is there twice is found before two threads step it.
static pl_status mark_worlds(const pl_worlds *worlds, int32_t *marked, pl_error *error) {
  for (*marked = 0; *marked < worlds->count; ++*marked) {
    pl_world *world = worlds->items[*marked];
    if (world->batched) return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "world %d is in the list twice", *marked);
    if (pl_world_check_idle(world, "pl_worlds_step", error) < 0) return PL_ERROR_INVALID_ARGUMENT;
    world->batched = true;
  }
  return PL_OK;
}

static pl_status first_failure(const batch *b, int32_t count, pl_error *error) {
  for (int32_t i = 0; i < count; ++i)
    if (b->statuses[i] < 0) return pl_fail(error, b->statuses[i], "world %d: %s", i, b->errors[i].text);
  return PL_OK;
}

static pl_status run_batch(pl_context *context, const pl_worlds *worlds, batch *b, pl_error *error) {
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_status *own = PL_TAKE(&arena, pl_status, (size_t)worlds->count);
  b->errors = PL_TAKE(&arena, pl_error, (size_t)worlds->count);
  if (b->statuses == NULL) b->statuses = own;
  pl_status status = arena.failed ? pl_fail_memory(error) : PL_OK;
  if (status >= 0) {
    pl_run_tasks(context, worlds->count, step_world, b);
    status = first_failure(b, worlds->count, error);
  }
  pl_arena_destroy(&arena);
  return status;
}

pl_status pl_worlds_step(pl_context *context, const pl_worlds *worlds, int64_t step_count, pl_status *statuses,
                         pl_error *error) {
  if (step_count < 0 || worlds->count < 0)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "%d worlds cannot do %lld steps; give 0 or more of both",
                   worlds->count, (long long)step_count);
  int32_t marked;
  pl_status status = mark_worlds(worlds, &marked, error);
  batch b = {worlds->items, step_count, statuses, NULL};
  if (status >= 0) status = run_batch(context, worlds, &b, error);
  for (int32_t i = 0; i < marked; ++i) worlds->items[i]->batched = false;
  return status;
}
