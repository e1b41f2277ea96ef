// From a shape to a surface mesh: checks, the choice of the cell size, and the result as a mesh.
#include "base/context.h"
#include "base/error.h"
#include "mesh/shape_surface.h"

// The number of triangles grows with the inverse square of the cell size, apart from thin parts that appear or vanish:
// a few corrections from a coarse count are enough.
enum { FIRST_CELLS = 40, SIZING_ROUNDS = 12, MIN_TARGET = 12, MAX_EMPTY_CELLS = 240 };

pl_shape_def pl_default_shape_def(void) {
  return (pl_shape_def){.target_triangle_count = 8000, .magic = PL_DEF_MAGIC};
}

static pl_status fail_empty(pl_error *error) {
  return pl_fail_field(error, PL_ERROR_INVALID_DATA, "nodes", "the shape is empty, or too thin for cells of this size");
}

static double max_extent(const pl_shape *shape) {
  pl_box box = pl_shape_node_placed_box(shape, shape->node_count - 1);
  return fmax(box.max.x - box.min.x, fmax(box.max.y - box.min.y, box.max.z - box.min.z));
}

static pl_status sample_and_repair(pl_shape_grid *grid, pl_context *context, const pl_shape *shape, double cell_size,
                                   pl_error *error) {
  pl_status status = pl_shape_grid_sample(grid, context, shape, cell_size, error);
  return status == PL_OK && !pl_shape_grid_repair(grid) ? pl_fail_memory(error) : status;
}

// Sample with ever better cell sizes until the count of cut edges (half the triangles) is close to the target.
static pl_status sample_for_target(pl_shape_grid *grid, pl_context *context, const pl_shape *shape, int32_t target,
                                   pl_error *error) {
  double extent = max_extent(shape), cell_size = extent / FIRST_CELLS;
  double best_size = 0, best_error = HUGE_VAL;
  // Sizes known to give too many and too few triangles: a guess beyond them is replaced by their mean.
  double too_small = 0, too_large = HUGE_VAL;
  for (int round = 0; round < SIZING_ROUNDS; ++round) {
    pl_status status = sample_and_repair(grid, context, shape, cell_size, error);
    if (status != PL_OK) return status;
    double ratio = 2.0 * pl_shape_grid_count_cuts(grid) / target;
    double off = ratio > 0 ? fabs(log(ratio)) : HUGE_VAL;
    if (off < 0.05 || (round > 3 && off < 0.15)) return PL_OK;
    if (off < best_error) {
      best_error = off;
      best_size = cell_size;
    }
    // Nothing seen yet: the shape is thinner than a cell, or not there at all.
    if (!(ratio > 0) && cell_size < extent / MAX_EMPTY_CELLS) return fail_empty(error);
    if (ratio > 1)
      too_small = fmax(too_small, cell_size);
    else
      too_large = fmin(too_large, cell_size);
    cell_size = fmin(ratio > 0 ? cell_size * sqrt(ratio) : 0.4 * cell_size, 0.5 * extent);
    if (too_small > 0 && too_large < extent && !(cell_size > too_small && cell_size < too_large))
      cell_size = sqrt(too_small * too_large);
    pl_shape_grid_free(grid);
  }
  if (!(best_size > 0)) return fail_empty(error);
  return sample_and_repair(grid, context, shape, best_size, error);
}

static pl_status build(pl_context *context, const pl_shape_def *def, const pl_shape *shape, pl_arena *arena,
                       pl_mesh **mesh, pl_error *error) {
  pl_shape_grid grid = {.context = context, .blocks = pl_vector_of(context, sizeof(pl_shape_block))};
  pl_status status;
  if (def->cell_size > 0)
    status = sample_and_repair(&grid, context, shape, def->cell_size, error);
  else
    status = sample_for_target(&grid, context, shape, def->target_triangle_count, error);
  pl_shape_surface surface;
  if (status == PL_OK && !pl_shape_surface_make(&surface, arena, &grid)) status = pl_fail_memory(error);
  if (status == PL_OK && surface.quad_count == 0) status = fail_empty(error);
  pl_shape_grid_free(&grid);
  if (status != PL_OK) return status;
  pl_mesh_view view = {.point_count = surface.point_count,
                       .points = surface.points,
                       .triangle_count = 2 * surface.quad_count,
                       .triangles = surface.triangles};
  return pl_mesh_create(context, &view, mesh, error);
}

pl_status pl_shape_build_surface(pl_context *context, const pl_shape_def *def, const pl_shape_node *nodes,
                                 int32_t node_count, pl_mesh **surface, pl_error *error) {
  *surface = NULL;
  pl_status status = pl_check_def(def->magic, "pl_shape_def", error);
  if (status != PL_OK) return status;
  if (!(isfinite(def->cell_size) && def->cell_size >= 0))
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "cell_size",
                         "must be greater than 0, or 0 to aim at target_triangle_count");
  if (def->cell_size == 0 && (def->target_triangle_count < MIN_TARGET || def->target_triangle_count > 50000000))
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "target_triangle_count",
                         "must be at least %d and at most 50 million", MIN_TARGET);
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_shape shape;
  status = pl_shape_prepare(&shape, &arena, nodes, node_count, error);
  if (status == PL_OK && !(max_extent(&shape) > 0)) status = fail_empty(error);
  if (status == PL_OK) status = build(context, def, &shape, &arena, surface, error);
  pl_arena_destroy(&arena);
  return status;
}
