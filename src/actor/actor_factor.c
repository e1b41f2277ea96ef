// The factor of D: dense where that is fastest, otherwise sparse.
#include "actor/actor_factor.h"

#include <string.h>

#include "base/error.h"
#include "solvers/cholmod_solver.h"

enum { DENSE_MOST = 700 };

struct pl_actor_factor {
  pl_arena arena;
  pl_linear_solver *solver;
};

pl_status pl_actor_factor_create(pl_context *context, const pl_fem_model *model, pl_actor_factor **factor, pl_error *error) {
  *factor = NULL;
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_actor_factor *made = PL_TAKE(&arena, pl_actor_factor, 1);
  if (made == NULL) return pl_fail_memory(error);
  pl_linear_def def = pl_default_linear_def();
  def.choice = 3 * model->head.particle_count <= DENSE_MOST ? PL_LINEAR_DENSE : PL_LINEAR_DIRECT;
  def.direct = pl_cholmod_backend();
  def.positions = model->rest_points;
  if (def.choice == PL_LINEAR_DIRECT && def.direct == NULL) def.choice = PL_LINEAR_AUTO;
  def.limits.tolerance = 1e-10;
  pl_status status = pl_linear_solver_create(context, &model->pattern, &def, &made->solver, error);
  if (status < 0) {
    pl_arena_destroy(&arena);
    return status;
  }
  made->arena = arena;
  *factor = made;
  return PL_OK;
}

void pl_actor_factor_destroy(pl_actor_factor *factor) {
  if (factor == NULL) return;
  pl_linear_solver_destroy(factor->solver);
  pl_arena arena = factor->arena;
  pl_arena_destroy(&arena);
}

pl_status pl_actor_factor_run(pl_actor_factor *factor, const pl_block_matrix *matrix, double *shift, pl_error *error) {
  pl_status status = pl_linear_solver_factor(factor->solver, matrix, error);
  *shift = pl_linear_solver_report(factor->solver)->shift;
  return status;
}

pl_status pl_actor_factor_solve(pl_actor_factor *factor, const double *right, int32_t count, double *x, pl_error *error) {
  pl_status status = pl_linear_solver_solve(factor->solver, right, count, x, error);
  return status < 0 ? status : PL_OK;
}
