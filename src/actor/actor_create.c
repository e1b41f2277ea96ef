// Making an actor: its def checked, its space, solver and memory.
#include <math.h>
#include <string.h>

#include "actor/actor.h"
#include "actor/actor_parameters.h"
#include "base/context.h"
#include "base/error.h"
#include "pliant/math.h"

pl_actor_def pl_default_actor_def(void) {
  pl_actor_def def = {0};
  pl_parameters_set_defaults(&pl_actor_def_parameters, &def);
  pl_parameters_set_defaults(&pl_actor_command_parameters, &def.command);
  return def;
}

// --- judging --------------------------------------------------------------------------------------------------------

static pl_status check_settings(const pl_actor_def *def, pl_error *error) {
  const pl_behaviour *behaviour = def->behaviour;
  pl_status status = PL_OK;
  for (int32_t i = 0; status >= 0 && behaviour != NULL && def->settings != NULL && i < behaviour->setting_count; ++i) {
    const pl_behaviour_setting *it = &behaviour->settings[i];
    status = pl_check_range(it->name, def->settings[i], it->min, it->max, true, error);
  }
  return status;
}

static pl_status check_parts(const pl_actor_def *def, int32_t particle_count, pl_error *error) {
  if (def->part_count < 0 || def->part_count > PL_ACTOR_MAX_PARTS)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "part_count", "%d parts; use 0 … %d", def->part_count,
                         PL_ACTOR_MAX_PARTS);
  for (int32_t k = 0; k < def->part_count; ++k) {
    const pl_actor_part *part = &def->parts[k];
    const char *name = part->name != NULL ? part->name : "";
    if (part->point_count < 1) return pl_fail(error, PL_ERROR_INVALID_DATA, "part \"%s\" has no points", name);
    if (part->point_count > particle_count)
      return pl_fail(error, PL_ERROR_INVALID_DATA, "part \"%s\" has %d points; the body has %d", name,
                     part->point_count, particle_count);
    for (int32_t i = 0; i < part->point_count; ++i)
      if (part->points[i] < 0 || part->points[i] >= particle_count)
        return pl_fail(error, PL_ERROR_INVALID_DATA, "part \"%s\" has point %d; the body has points 0 … %d", name,
                       part->points[i], particle_count - 1);
  }
  return PL_OK;
}

static pl_status check_path(const pl_actor_def *def, pl_error *error) {
  for (int32_t i = 0; i < def->path_count; ++i)
    if (!pl_vec3_is_finite(def->path[i]))
      return pl_fail(error, PL_ERROR_INVALID_DATA, "place %d of the path is not finite", i);
  if (!(pl_vec3_length(def->command.heading) > PL_ACTOR_MIN_HEADING) || !pl_vec3_is_finite(def->command.heading) ||
      !isfinite(def->command.speed))
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "command",
                         "give a finite speed and a heading that is not zero");
  return PL_OK;
}

static pl_status check_def(const pl_actor_def *def, const pl_model *model, pl_error *error) {
  pl_status status = pl_parameters_check(&pl_actor_def_parameters, def, error);
  if (status < 0) return status;
  if (!pl_fem_is_model(model))
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "actors move finite-element bodies; this body is of method \"%s\"",
                   model->method->name);
  if (!((const pl_fem_model *)model)->adapts)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT,
                   "this body cannot change its rest shape; build its model with `adapts` set");
  status = check_settings(def, error);
  if (status >= 0) status = check_parts(def, model->particle_count, error);
  return status < 0 ? status : check_path(def, error);
}

// --- copies ---------------------------------------------------------------------------------------------------------

static bool copy_parts(pl_actor *actor, const pl_actor_def *def) {
  pl_arena *arena = &actor->arena;
  pl_actor_body_part *parts = PL_TAKE(arena, pl_actor_body_part, def->part_count);
  uint64_t *bits = PL_TAKE(arena, uint64_t, actor->model->head.particle_count);
  int32_t surface_count = actor->model->head.surface.point_count;
  uint64_t *surface = PL_TAKE(arena, uint64_t, surface_count);
  actor->part_views = PL_TAKE(arena, pl_part_view, def->part_count);
  if (arena->failed) return false;
  for (int32_t k = 0; k < def->part_count; ++k) {
    const pl_actor_part *from = &def->parts[k];
    parts[k] =
        (pl_actor_body_part){.name = pl_arena_copy_text(arena, from->name != NULL ? from->name : ""),
                             .is_foot = from->is_foot,
                             .point_count = from->point_count,
                             .points = pl_arena_copy(arena, from->points, (size_t)from->point_count, sizeof(int32_t))};
    for (int32_t i = 0; i < from->point_count; ++i) bits[from->points[i]] |= (uint64_t)1 << k;
  }
  // A surface point is of the parts of the particle that moves it most.
  for (int32_t i = 0; i < surface_count; ++i) {
    const double *weights = actor->model->touch.weights + 4 * (ptrdiff_t)i;
    int max = 0;
    for (int k = 1; k < 4; ++k)
      if (weights[k] > weights[max]) max = k;
    surface[i] = bits[actor->model->head.surface.parents[4 * (ptrdiff_t)i + max]];
  }
  actor->parts = parts;
  actor->part_count = def->part_count;
  actor->parts_of_surface = surface;
  return !arena->failed;
}

static bool copy_settings(pl_actor *actor, const pl_actor_def *def) {
  int32_t count = def->behaviour != NULL ? def->behaviour->setting_count : 0;
  double *settings = PL_TAKE(&actor->arena, double, count);
  for (int32_t i = 0; settings != NULL && i < count; ++i)
    settings[i] = def->settings != NULL ? def->settings[i] : def->behaviour->settings[i].preset;
  actor->behaviour = def->behaviour;
  actor->behaviour_settings = settings;
  actor->path = pl_arena_copy(&actor->arena, def->path, (size_t)def->path_count, sizeof(pl_vec3));
  actor->path_count = def->path_count;
  actor->path_loops = def->path_loops;
  actor->stands_while_settling = def->stands_while_settling;
  return !actor->arena.failed;
}

static bool take_state(pl_actor *actor) {
  pl_arena *arena = &actor->arena;
  size_t P = (size_t)pl_rest_space_size(actor->space), n = 3 * (size_t)actor->model->head.particle_count;
  size_t own = actor->behaviour != NULL ? actor->behaviour->state_size : 0;
  size_t head = (sizeof(pl_actor_state) + 15) / 16 * 16, numbers = (2 * P + n + 1) / 2 * 2 * sizeof(double);
  actor->state_size = head + numbers + own;
  char *block = PL_TAKE(arena, char, actor->state_size);
  if (block == NULL) return false;
  actor->state = (pl_actor_state *)block;
  actor->parameters = (double *)(block + head);
  actor->multipliers = actor->parameters + P;
  actor->trend = actor->multipliers + n;
  actor->behaviour_state = block + head + numbers;
  actor->last = PL_TAKE(arena, double, P);
  actor->rest_points = PL_TAKE(arena, double, n);
  enum { MAX_ROWS = 3 * PL_MAX_GOALS };
  size_t entries = PL_ACTOR_WORKSPACE * (size_t)actor->model->head.particle_count;
  actor->row_start = PL_TAKE(arena, int32_t, MAX_ROWS + 1);
  actor->row_targets = PL_TAKE(arena, double, MAX_ROWS);
  actor->row_positions_by = PL_TAKE(arena, double, MAX_ROWS);
  actor->row_speeds_by = PL_TAKE(arena, double, MAX_ROWS);
  actor->row_ends = PL_TAKE(arena, double, MAX_ROWS);
  actor->row_slots = PL_TAKE(arena, int32_t, entries);
  actor->row_weights = PL_TAKE(arena, double, entries);
  return !arena->failed;
}

static pl_status fill(pl_actor *actor, const pl_actor_def *def, const pl_mesh *mesh, pl_error *error) {
  actor->settings =
      (pl_actor_settings){.hessian = def->hessian, .max_iterations = def->max_iterations, .tolerance = def->tolerance};
  pl_status status = pl_rest_space_build(actor->context, def, actor->model, mesh, &actor->space, error);
  if (status < 0) return status;
  status = pl_actor_solver_create(actor->context, actor->model, actor->space, 3 * PL_MAX_GOALS, &actor->solver, error);
  if (status >= 0 && def->horizon > 1)
    status = pl_actor_horizon_create(actor->context, actor->model, actor->space, PL_ACTOR_PLAN_ROWS, def->horizon,
                                     &actor->horizon, error);
  if (status < 0) return status;
  if (!copy_parts(actor, def) || !copy_settings(actor, def) || !take_state(actor)) return pl_fail_memory(error);
  actor->state->turn = (pl_quat){0, 0, 0, 1};
  pl_actor_set_command(actor, def->command);
  return PL_OK;
}

pl_status pl_actor_create(pl_context *context, const pl_actor_def *def, const pl_model *model, const pl_mesh *mesh,
                          pl_actor **actor, pl_error *error) {
  *actor = NULL;
  pl_status status = check_def(def, model, error);
  if (status < 0) return status;
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_actor *made = PL_TAKE(&arena, pl_actor, 1);
  if (made == NULL) return pl_fail_memory(error);
  made->context = context;
  made->arena = arena;
  made->model = (const pl_fem_model *)model;
  status = fill(made, def, mesh, error);
  if (status < 0) {
    pl_actor_destroy(made);
    return status;
  }
  *actor = made;
  return PL_OK;
}

void pl_actor_destroy(pl_actor *actor) {
  if (actor == NULL) return;
  pl_actor_horizon_destroy(actor->horizon);
  pl_actor_solver_destroy(actor->solver);
  pl_rest_space_destroy(actor->space);
  pl_arena arena = actor->arena;
  pl_arena_destroy(&arena);
}
