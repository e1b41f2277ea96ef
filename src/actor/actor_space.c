// Building a space of rest shapes from a def, and which of the two kinds answers.
#include "actor/actor_space.h"

#include <math.h>
#include <string.h>

#include "actor/actor_parameters.h"
#include "actor/actor_space_parts.h"
#include "base/context.h"
#include "base/error.h"

static pl_status check_settings(const pl_actor_def *def, const pl_fem_model *model, const pl_mesh *mesh,
                                pl_error *error) {
  pl_status status = pl_parameters_check(&pl_actor_def_parameters, def, error);
  if (status < 0) return status;
  int32_t points = pl_mesh_get_view(mesh).point_count;
  if (points != model->head.particle_count)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "mesh", "the mesh has %d points, the body has %d", points,
                         model->head.particle_count);
  return PL_OK;
}

static pl_status take_workspace(pl_rest_space *space, pl_error *error) {
  pl_arena *arena = &space->arena;
  size_t n = 3 * (size_t)space->particle_count, size = (size_t)space->size;
  space->points = PL_TAKE(arena, double, n);
  space->points_of = PL_TAKE(arena, double, size + 1);
  space->forces = PL_TAKE(arena, double, n);
  space->changes = PL_TAKE(arena, double, n);
  space->rows = PL_TAKE(arena, double, 3 * PL_REST_BATCH * size);
  space->beside = PL_TAKE(arena, double, 16 * n + 8 * size);
  if (space->weights != NULL) {
    size_t width = (size_t)space->axes * (size_t)space->weight_stride;
    space->lanes = PL_TAKE(arena, double, 3 * (size_t)space->weight_stride);
    space->batch = PL_TAKE(arena, double, PL_CAGE_BATCH *(size_t)space->axes *width);
    space->square = PL_TAKE(arena, double, width *width);
  }
  if (space->modes != NULL) space->square = PL_TAKE(arena, double, size *size);
  if (arena->failed || !pl_block_matrix_take(arena, &space->model->pattern, &space->first) ||
      !pl_block_matrix_take(arena, &space->model->pattern, &space->second) ||
      !pl_block_matrix_take(arena, &space->model->pattern, &space->mixed))
    return pl_fail_memory(error);
  space->points_of[0] = (double)NAN;
  return PL_OK;
}

static pl_status fill_space(pl_rest_space *space, const pl_actor_def *def, const pl_mesh *mesh, pl_error *error) {
  pl_status status = PL_OK;
  switch (def->rest) {
    case PL_REST_FREE:
      space->handle_count = space->particle_count;
      space->handles = space->model->rest_points;
      space->size = space->axes * space->particle_count;
      break;
    case PL_REST_CAGE: status = pl_rest_cage_build(space, def, mesh, error); break;
    case PL_REST_MODES: status = pl_rest_modes_build(space, def, error); break;
    case PL_REST_EXAMPLES: return pl_rest_loose_build(space, def, error);
  }
  if (status >= 0) status = take_workspace(space, error);
  if (status >= 0) status = pl_rest_regulariser_build(space, def, error);
  return status;
}

pl_status pl_rest_space_build(pl_context *context, const pl_actor_def *def, const pl_fem_model *model,
                              const pl_mesh *mesh, pl_rest_space **space, pl_error *error) {
  *space = NULL;
  pl_status status = check_settings(def, model, mesh, error);
  if (status < 0) return status;
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_rest_space *made = PL_TAKE(&arena, pl_rest_space, 1);
  if (made == NULL) return pl_fail_memory(error);
  made->arena = arena;
  made->context = context;
  made->model = model;
  made->kind = def->rest;
  made->cage = pl_cage_kernels_choose();
  made->particle_count = model->head.particle_count;
  made->axes = model->planar ? 2 : 3;
  made->regularisation = def->regularisation;
  made->rate_regularisation = def->rate_regularisation;
  made->hull_penalty = def->hull_penalty;
  made->strain_scale = model->linear.hint.density / (model->linear.hint.young * model->head.mass);
  status = fill_space(made, def, mesh, error);
  if (status < 0) {
    pl_rest_space_destroy(made);
    return status;
  }
  *space = made;
  return PL_OK;
}

void pl_rest_space_destroy(pl_rest_space *space) {
  if (space != NULL) pl_arena_destroy(&space->arena);
}

int32_t pl_rest_space_size(const pl_rest_space *space) {
  return space->size;
}

void pl_rest_space_points(const pl_rest_space *space, const double *p, double *points) {
  if (pl_rest_is_loose(space)) {
    pl_rest_loose_points(space, p, points);
    return;
  }
  pl_rest_whole_move(space, p, points);
  for (ptrdiff_t i = 0; i < 3 * (ptrdiff_t)space->particle_count; ++i) points[i] += space->model->rest_points[i];
}

void pl_rest_points_find(const pl_rest_space *space, const double *p) {
  size_t size = (size_t)space->size * sizeof(double);
  if (!isnan(space->points_of[0]) && memcmp(space->points_of, p, size) == 0) return;
  pl_rest_space_points(space, p, space->points);
  memcpy(space->points_of, p, size);
}

void pl_rest_space_shape(const pl_rest_space *space, const double *p, double *const *rest) {
  if (pl_rest_is_loose(space)) {
    pl_rest_loose_shape(space, p, rest);
    return;
  }
  pl_rest_points_find(space, p);
  pl_fem_system_gather_rest(space->model, space->points, rest);
}

void pl_rest_space_mixed(pl_rest_space *space, const pl_fem_system *system, const double *x, double *E) {
  (pl_rest_is_loose(space) ? pl_rest_loose_mixed : pl_rest_whole_mixed)(space, system, x, E);
}

void pl_rest_space_mixed_get_view(pl_rest_space *space, const pl_fem_system *system, const double *x) {
  if (pl_rest_is_loose(space))
    pl_rest_loose_mixed(space, system, x, space->gradients);
  else
    pl_fem_system_mixed_blocks(system, x, &space->mixed);
}

void pl_rest_space_mixed_apply(pl_rest_space *space, const double *dp, double *product) {
  (pl_rest_is_loose(space) ? pl_rest_loose_mixed_apply : pl_rest_whole_mixed_apply)(space, dp, product);
}

void pl_rest_space_mixed_pull(pl_rest_space *space, const double *v, int32_t count, double *product) {
  (pl_rest_is_loose(space) ? pl_rest_loose_mixed_pull : pl_rest_whole_mixed_pull)(space, v, count, product);
}

void pl_rest_space_third(pl_rest_space *space, const pl_fem_system *system, const double *x, const double *lambda,
                         pl_block_matrix *xx, double *B, double *C) {
  (pl_rest_is_loose(space) ? pl_rest_loose_third : pl_rest_whole_third)(space, system, x, lambda, xx, B, C);
}
