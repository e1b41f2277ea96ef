// Plane triangles of a system: in fours, with what a rest shape, parameters and damping make of them.
#include "fem/fem_system_planes.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"

enum { PREPARE_GRAIN = 256 };  // fours

// Plane triangles in fours, as they are visited.
bool pl_fem_planes_take(pl_arena *arena, pl_fem_system *system) {
  const pl_fem_group *group = &system->model->groups[0];
  const pl_block_group *blocks = &system->model->pattern.groups[0];
  int32_t count = 0;
  // A chunk may end with a four that is not whole.
  system->planes = PL_TAKE(arena, pl_fem_plane_four, group->element_count / 4 + blocks->chunk_count);
  system->plane_places = PL_TAKE(arena, int32_t, group->element_count);
  system->plane_parameters = PL_TAKE(arena, double, 2 * (size_t)group->element_count);
  system->plane_forces = PL_TAKE(arena, double, 4 * (size_t)system->model->head.particle_count);
  if (arena->failed) return false;
  for (int32_t c = 0; c < blocks->chunk_count; ++c)
    for (int32_t i = blocks->chunk_start[c]; i < blocks->chunk_start[c + 1]; i += 4) {
      pl_fem_plane_four *four = &system->planes[count];
      for (int32_t k = 0; k < 4; ++k) {
        bool used = i + k < blocks->chunk_start[c + 1];
        four->members[k] = blocks->order[used ? i + k : i];
        if (used) system->plane_places[four->members[k]] = count;
        ptrdiff_t e = four->members[k];
        pl_fem_plane_four_start(group->starts + 9 * e, k, four);
        pl_fem_plane_four_blocks(group->corners + 3 * e, blocks->slots + 9 * e, k, four);
      }
      ++count;
    }
  system->plane_count = count;
  for (int32_t i = 0; i < 2 * group->element_count; ++i) system->plane_parameters[i] = (double)NAN;
  return true;
}

static void prepare_planes(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  pl_fem_system *s = data;
  pl_fem_plane_fours_rest(s->rest[0], end - begin, s->planes + begin);
}

// Parameters seldom change, and damping with them.
static void use_plane_parameters(pl_fem_system *s) {
  size_t size = 2 * (size_t)s->model->groups[0].element_count * sizeof(double);
  if (memcmp(s->plane_parameters, s->parameters[0], size) == 0) return;
  memcpy(s->plane_parameters, s->parameters[0], size);
  for (int32_t f = 0; f < s->plane_count; ++f)
    for (int k = 0; k < 4; ++k)
      pl_fem_plane_four_material(s->parameters[0] + 2 * (ptrdiff_t)s->planes[f].members[k], k, &s->planes[f]);
  s->damped_factor = (double)NAN;
}

void pl_fem_planes_use(pl_fem_system *system) {
  use_plane_parameters(system);
  pl_parallel_for(system->context, system->plane_count, PREPARE_GRAIN, prepare_planes, system);
}

void pl_fem_planes_find_before(const pl_fem_system *system) {
  pl_fem_plane_fours_before(system->model->groups[0].corners, system->damped_from, system->damped_factor,
                            system->plane_count, system->planes);
}

static void visit_planes(void *data, const int32_t *elements, int32_t count, double *matrices) {
  (void)matrices;
  pl_fem_assemble_planes(data, elements, count);
}

static pl_fem_planes planes_of(const pl_fem_system *system, const double *x, pl_block_matrix *matrix) {
  const pl_fem_model *model = system->model;
  return (pl_fem_planes){.fours = system->planes,
                         .places = system->plane_places,
                         .corners = model->groups[0].corners,
                         .slots = model->pattern.groups[0].slots,
                         .positions = x,
                         .plain = 1,
                         .energies = system->energies,
                         .values = matrix != NULL ? matrix->values : NULL};
}

// Elastic forces and damping, which triangles add to side by side.
static void part_forces(const pl_fem_system *system, double *gradient, double *viscous) {
  for (ptrdiff_t i = 0; i < system->model->head.particle_count; ++i) {
    const double *both = system->plane_forces + 4 * i;
    gradient[3 * i] = both[0];
    gradient[3 * i + 1] = both[1];
    viscous[3 * i] = both[2];
    viscous[3 * i + 1] = both[3];
  }
}

void pl_fem_planes_evaluate(pl_fem_system *system, const double *x, const pl_fem_damping *damping, double *gradient,
                            pl_block_matrix *matrix, bool positive) {
  pl_fem_planes planes = planes_of(system, x, matrix);
  planes.positive = positive;
  planes.lower = system->lower;
  planes.gradient = gradient;
  if (damping != NULL) {
    planes.damped = true;
    planes.viscous_energies = system->lost;
    planes.viscous = damping->gradient;
    planes.both = gradient != NULL ? system->plane_forces : NULL;
  }
  size_t size = 4 * (size_t)system->model->head.particle_count * sizeof(double);
  if (planes.both != NULL) memset(planes.both, 0, size);
  pl_block_pattern_visit(system->context, &system->model->pattern, 0, visit_planes, &planes);
  if (planes.both != NULL) part_forces(system, planes.gradient, planes.viscous);
}

void pl_fem_planes_limit(const pl_fem_system *system, const double *x, double plain, double scale, const double *limits,
                         double *gradient, pl_block_matrix *matrix) {
  pl_fem_planes planes = planes_of(system, x, matrix);
  planes.positive = true;
  planes.plain = plain;
  planes.scale = scale;
  planes.limits = limits;
  planes.gradient = gradient;
  pl_block_pattern_visit(system->context, &system->model->pattern, 0, visit_planes, &planes);
}

static void visit_planes_mixed(void *data, const int32_t *elements, int32_t count, double *matrices) {
  (void)matrices;
  pl_fem_assemble_planes_mixed(data, elements, count);
}

void pl_fem_planes_mix(const pl_fem_system *system, const double *x, pl_block_matrix *matrix) {
  pl_fem_planes planes = planes_of(system, x, matrix);
  pl_block_pattern_visit(system->context, &system->model->pattern, 0, visit_planes_mixed, &planes);
}
