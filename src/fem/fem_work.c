// Memory that a body's steps work in: taken when it comes into a world, so that steps allocate nothing.
#include <math.h>

#include "fem/fem_work.h"

#include "base/error.h"

enum { EARLY_COUNT = 5 };
static const double CAP_TOLERANCE = 1e-3;

void pl_fem_destroy_work(void *it) {
  pl_fem_work *w = it;
  pl_linear_solver_destroy(w->solver);
  pl_arena arena = w->arena;
  pl_arena_destroy(&arena);
}

static bool take_arrays(pl_fem_work *w, pl_context *context, const pl_fem_model *model) {
  size_t n = (size_t)model->head.particle_count;
  pl_arena *arena = &w->arena;
  if (!pl_fem_system_take(arena, context, model, &w->system) ||
      !pl_block_matrix_take(arena, &model->pattern, &w->matrix) ||
      !pl_fem_potential_take(arena, &w->system, &w->matrix, &w->potential) ||
      !pl_fem_newton_take(arena, model, &w->newton))
    return false;
  if (pl_fem_is_viscous(model)) {
    if (!pl_fem_maxwell_take(arena, context, model, &w->maxwell)) return false;
    w->potential.maxwell = &w->maxwell;
    w->potential.viscous = PL_TAKE(arena, double, 3 * n);
  } else if (model->stiffness_damping > 0 && model->adapts) {
    w->potential.viscous = PL_TAKE(arena, double, 3 * n);
  } else if (model->stiffness_damping > 0) {
    if (!pl_block_matrix_take(arena, &model->pattern, &w->damping)) return false;
    w->potential.damping = &w->damping;
    w->carried = PL_TAKE(arena, double, 3 * n);
    w->potential.damping_base = w->carried;
  }
  w->fixed = PL_TAKE(arena, uint8_t, n);
  w->goal = PL_TAKE(arena, double, 3 * n);
  w->next = PL_TAKE(arena, double, 3 * n);
  w->middle = PL_TAKE(arena, double, 3 * n);
  w->mean = PL_TAKE(arena, double, 3 * n);
  w->evaluated = PL_TAKE(arena, double, 3 * n);
  w->blocks = PL_TAKE(arena, double, 9 * n);
  w->weights = PL_TAKE(arena, double, model->examples.count);
  w->contacts = (pl_fem_contacts){.context = context,
                                  .model = model,
                                  .points = PL_TAKE(arena, pl_fem_contact_point, model->head.surface.point_count),
                                  .active = PL_TAKE(arena, int32_t, model->head.surface.point_count),
                                  .near = PL_TAKE(arena, int32_t, model->head.surface.point_count),
                                  .clearances = PL_TAKE(arena, double, model->head.surface.point_count)};
  return !arena->failed;
}

static void set_newton(pl_fem_work *w, const pl_fem_model *model) {
  w->newton.potential = &w->potential;
  w->newton.solver = w->solver;
  w->newton.limit = model->max_newton_iterations;
  w->newton.early_count = model->adapts ? EARLY_COUNT : 0;
  w->newton.cap_tolerance = CAP_TOLERANCE;
  w->newton.tolerance = model->newton_tolerance;
  w->newton.min = 1e-12 * model->force_scale;
  w->newton.linear_tolerance = fmax(fmin(model->newton_tolerance, 1e-4), 1e-10);
}

pl_status pl_fem_create_work(const pl_model *model, pl_context *context, double step, void **work, pl_error *error) {
  const pl_fem_model *fem = (const pl_fem_model *)model;
  *work = NULL;
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_fem_work *w = PL_TAKE(&arena, pl_fem_work, 1);
  if (w == NULL) return pl_fail_memory(error);
  w->arena = arena;
  pl_status status = take_arrays(w, context, fem) ? PL_OK : pl_fail_memory(error);
  if (status >= 0) {
    pl_linear_def linear = fem->linear;
    linear.positions = fem->rest_points;
    linear.hint.step = pl_fem_inner_step(fem, step);
    status = pl_linear_solver_create(context, &fem->pattern, &linear, &w->solver, error);
  }
  if (status < 0) {
    pl_fem_destroy_work(w);
    return status;
  }
  set_newton(w, fem);
  w->contacts.stiffness = fmax(fem->touch.stiffness, 10 * fem->touch.layer_mass / (step * step));
  if (fem->touch.layer_mass > 0)
    w->contacts.stiffness = pl_fem_contact_stiffness(model, fem->touch.area, w->contacts.stiffness, 4);
  *work = w;
  return PL_OK;
}

const pl_fem_report *pl_fem_work_report(const void *work) {
  return &((const pl_fem_work *)work)->report;
}
