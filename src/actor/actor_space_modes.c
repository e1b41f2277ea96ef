// The map of modes: the body's softest vibrations about its rest shape, rigid motions left out.
//
// Modes come with uᵀ M u = 1, and λ = uᵀ K u is twice the energy of the amplitude 1. They are scaled such that p = 1
// strains the body by 0.1 in root mean square: K-energy of ½ E V 0.1², with E Young's modulus and V the volume. So
// parameters of stiff and soft modes compare, and those of bodies of any size.
#include <math.h>

#include "actor/actor_space_parts.h"
#include "base/error.h"
#include "pliant/math.h"
#include "solvers/eigen_modes.h"

#define MODE_STRAIN 0.1

// (rad/s)² below which a mode strains nothing: a thousandth of a thousandth of a thousandth of the body's own, which
// leaves room for the bending of the thinnest shells.
#define RIGID 1e-9

typedef struct modes {
  pl_block_matrix stiffness;
  uint8_t *fixed;
  double *values, *vectors;
  int32_t rigid_count, count;
} modes;

static pl_status find_modes(pl_rest_space *space, pl_arena *arena, modes *m, pl_error *error) {
  const pl_fem_model *model = space->model;
  size_t n = (size_t)space->particle_count;
  pl_fem_system system;
  m->values = PL_TAKE(arena, double, m->count);
  m->vectors = PL_TAKE(arena, double, 3 * n * (size_t)m->count);
  m->fixed = PL_TAKE(arena, uint8_t, n);
  if (arena->failed || !pl_block_matrix_take(arena, &model->pattern, &m->stiffness) ||
      !pl_fem_system_take(arena, space->context, model, &system))
    return pl_fail_memory(error);
  pl_fem_system_evaluate(&system, model->rest_points, NULL, &m->stiffness, false);
  if (model->planar) {
    for (size_t i = 0; i < n; ++i) m->fixed[i] = PL_BLOCK_FIX_Z;
    pl_block_matrix_fix(space->context, &m->stiffness, m->fixed);
  }
  pl_eigen_def eigen = pl_default_eigen_def();
  eigen.mode_count = m->count;
  pl_eigen_report report;
  return pl_eigen_modes_compute(space->context, &m->stiffness, model->head.masses, &eigen, m->values, m->vectors,
                                &report, error);
}

static pl_status use_modes(pl_rest_space *space, const modes *m, pl_error *error) {
  const pl_fem_model *model = space->model;
  ptrdiff_t n = 3 * (ptrdiff_t)space->particle_count, size = space->size;
  double *map = PL_TAKE(&space->arena, double, (size_t)n *(size_t)size), reach = pl_box_diagonal(model->head.box);
  if (map == NULL) return pl_fail_memory(error);
  double unit = model->linear.hint.young / (model->linear.hint.density * reach * reach);
  for (ptrdiff_t k = 0; k < size; ++k) {
    double value = m->values[m->rigid_count + k];
    if (!(value > RIGID * unit))
      return pl_fail_field(error, PL_ERROR_INVALID_DATA, "rest",
                           "mode %d strains nothing: the mesh falls into pieces, or its elements do not hold it",
                           (int)k);
    double scale = MODE_STRAIN / sqrt(value * space->strain_scale);
    for (ptrdiff_t r = 0; r < n; ++r) map[size * r + k] = scale * m->vectors[n * (m->rigid_count + k) + r];
  }
  space->modes = map;
  return PL_OK;
}

pl_status pl_rest_modes_build(pl_rest_space *space, const pl_actor_def *def, pl_error *error) {
  if (!pl_eigen_is_available())
    return pl_fail_field(error, PL_ERROR_UNSUPPORTED, "rest",
                         "rest shapes made of modes need ARPACK, which this build does not have; use a cage");
  modes m = {.rigid_count = space->axes == 2 ? 3 : 6};
  int32_t max = space->axes * space->particle_count - m.rigid_count - 2;
  if (def->mode_count > max)
    return pl_fail_field(error, PL_ERROR_INVALID_ARGUMENT, "mode_count",
                         "%d modes are more than this body has; use 1 to %d", def->mode_count, max);
  space->size = def->mode_count;
  m.count = m.rigid_count + def->mode_count;
  pl_arena arena;
  pl_arena_init(&arena, space->context, 0);
  pl_status status = find_modes(space, &arena, &m, error);
  if (status == PL_REMARK_NOT_CONVERGED)
    status = pl_fail_field(error, PL_ERROR_UNSUPPORTED, "mode_count",
                           "%d modes were not found to precision; ask for fewer", def->mode_count);
  if (status >= 0) status = use_modes(space, &m, error);
  pl_arena_destroy(&arena);
  return status;
}
