#include "capture/fit_worker.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"

static void *allocate_from_parent(void *user, size_t size, size_t alignment) {
  (void)alignment;  // blocks of a context are aligned to 64, the most that is ever asked for
  return pl_allocate(user, size);
}

static void release_to_parent(void *user, void *block, size_t size) {
  (void)size;
  pl_release(user, block);
}

pl_status pl_fit_context_create(pl_context *parent, pl_context **context, pl_error *error) {
  pl_context_def def = pl_default_context_def();
  def.thread_count = 1;
  def.allocator = (pl_allocator){allocate_from_parent, release_to_parent, parent};
  return pl_context_create(&def, context, error);
}

static pl_status take_parts(pl_fit_worker *w, const pl_fit_body *body, double step, pl_error *error) {
  const pl_fem_model *model = body->model;
  size_t tets = (size_t)model->groups[0].element_count;
  w->body = body;
  size_t values = 3 * (size_t)model->groups[0].corner_count;
  w->rest = PL_TAKE(&w->arena, double, values *tets);
  w->moduli = PL_TAKE(&w->arena, double, 2 * tets);
  if (w->arena.failed || !pl_fem_system_take(&w->arena, w->context, model, &w->system) ||
      !pl_block_matrix_take(&w->arena, &model->pattern, &w->matrix))
    return pl_fail_memory(error);
  memcpy(w->moduli, model->groups[0].parameters, 2 * tets * sizeof(double));
  memcpy(w->rest, model->groups[0].starts, values * tets * sizeof(double));
  pl_linear_def linear = model->linear;
  linear.direct = body->direct;
  linear.choice = body->direct != NULL ? PL_LINEAR_DIRECT : PL_LINEAR_CG;
  linear.choose_preconditioner = true;
  linear.positions = model->rest_points;
  linear.hint.step = step;
  // As exact as the steps of a motion are solved (pl_fit.step_tolerance); the limit only ends what does not converge.
  linear.limits = (pl_block_limits){.tolerance = 1e-10, .max_iterations = 20000};
  return pl_linear_solver_create(w->context, &model->pattern, &linear, &w->solver, error);
}

static void use_parts(pl_fit_worker *w) {
  const double *rest[PL_FEM_MAX_GROUPS] = {w->rest}, *parameters[PL_FEM_MAX_GROUPS] = {w->moduli};
  pl_fem_system_use(&w->system, rest, parameters);
}

pl_status pl_fit_worker_create(pl_context *parent, const pl_fit_body *body, double step, pl_fit_worker **worker,
                               pl_error *error) {
  *worker = NULL;
  pl_context *context = NULL;
  pl_status status = pl_fit_context_create(parent, &context, error);
  if (status < 0) return status;
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_fit_worker *made = PL_TAKE(&arena, pl_fit_worker, 1);
  if (made == NULL) {
    pl_context_destroy(context);
    return pl_fail_memory(error);
  }
  made->arena = arena;
  made->context = context;
  status = take_parts(made, body, step, error);
  if (status < 0) {
    pl_fit_worker_destroy(made);
    return status;
  }
  use_parts(made);
  *worker = made;
  return PL_OK;
}

void pl_fit_worker_destroy(pl_fit_worker *worker) {
  if (worker == NULL) return;
  pl_context *context = worker->context;
  pl_linear_solver_destroy(worker->solver);
  pl_arena arena = worker->arena;
  pl_arena_destroy(&arena);
  pl_context_destroy(context);
}

void pl_fit_worker_set_moduli(pl_fit_worker *w, const double *young, double poisson) {
  const pl_fit_body *body = w->body;
  for (int32_t t = 0; t < body->model->groups[0].element_count; ++t) {
    double sum = 0;
    for (int32_t k = 0; k < body->control_count; ++k)
      sum += body->weights[(ptrdiff_t)t * body->control_count + k] * young[k];
    w->moduli[2 * (ptrdiff_t)t] = sum;
    w->moduli[2 * (ptrdiff_t)t + 1] = poisson;
  }
  use_parts(w);
}

void pl_fit_worker_set_rest(pl_fit_worker *w, const double *points) {
  double *rest[PL_FEM_MAX_GROUPS] = {w->rest};
  pl_fem_system_gather_rest(w->body->model, points, rest);
  use_parts(w);
}
