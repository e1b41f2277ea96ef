// The back ends of the runtime: conjugate gradients, and dense Cholesky for small systems and as reference for the
// others in tests.
#include <string.h>

#include "base/error.h"
#include "sparse/dense_factor.h"
#include "sparse/linear_solver.h"

typedef struct cg_solver {
  pl_arena arena;
  pl_block_conjugate *conjugate;
  pl_block_limits limits;
} cg_solver;

static void cg_destroy(void *self) {
  cg_solver *s = self;
  pl_block_conjugate_destroy(s->conjugate);
  pl_arena arena = s->arena;
  pl_arena_destroy(&arena);
}

static pl_status cg_create(pl_context *context, const pl_block_pattern *pattern, const pl_linear_def *def, void **self,
                           pl_error *error) {
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  cg_solver *s = PL_TAKE(&arena, cg_solver, 1);
  if (s == NULL) return pl_fail_memory(error);
  s->arena = arena;
  s->limits = def->limits;
  pl_status status =
      pl_block_conjugate_create(context, pattern, def->preconditioner, def->positions, &s->conjugate, error);
  if (status < 0) {
    cg_destroy(s);
    return status;
  }
  *self = s;
  return status;
}

// Whether the matrix is positive definite shows while solving.
static pl_status cg_factor(void *self, const pl_block_matrix *matrix, double shift, const double *weights,
                           bool *indefinite, pl_error *error) {
  (void)indefinite, (void)error;
  cg_solver *s = self;
  pl_block_conjugate_prepare(s->conjugate, matrix, shift, weights);
  return PL_OK;
}

static pl_status cg_solve(void *self, const double *rhs, int32_t count, double *x, pl_linear_outcome *outcome,
                          pl_error *error) {
  cg_solver *s = self;
  pl_block_conjugate_report report;
  pl_status status = pl_block_conjugate_solve(s->conjugate, rhs, count, &s->limits, x, &report);
  *outcome = (pl_linear_outcome){report.iteration_count, report.residual, report.negative_curvature};
  if (status < 0) return pl_fail(error, status, "conjugate gradients met numbers that are not finite");
  return status;
}

static void cg_aim(void *self, double tolerance) {
  ((cg_solver *)self)->limits.tolerance = tolerance;
}

const pl_linear_backend pl_linear_cg = {
    .name = "cg", .create = cg_create, .factor = cg_factor, .solve = cg_solve, .aim = cg_aim, .destroy = cg_destroy};

typedef struct dense_solver {
  pl_arena arena;
  pl_dense_factor factor;
} dense_solver;

static void dense_destroy(void *self) {
  pl_arena arena = ((dense_solver *)self)->arena;
  pl_arena_destroy(&arena);
}

static pl_status dense_create(pl_context *context, const pl_block_pattern *pattern, const pl_linear_def *def,
                              void **self, pl_error *error) {
  (void)def;
  if (3 * (int64_t)pattern->row_count > PL_LINEAR_MAX_DENSE)
    return pl_fail(error, PL_ERROR_UNSUPPORTED, "%lld unknowns are too many for a dense matrix, which takes %d",
                   3 * (long long)pattern->row_count, PL_LINEAR_MAX_DENSE);
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  dense_solver *s = PL_TAKE(&arena, dense_solver, 1);
  if (s == NULL || !pl_dense_factor_take(&arena, 3 * pattern->row_count, &s->factor)) {
    pl_arena_destroy(&arena);
    return pl_fail_memory(error);
  }
  s->arena = arena;
  *self = s;
  return PL_OK;
}

static pl_status dense_run(void *self, const pl_block_matrix *matrix, double shift, const double *weights,
                           bool *indefinite, pl_error *error) {
  (void)error;
  dense_solver *s = self;
  const pl_block_pattern *pattern = matrix->pattern;
  size_t size = (size_t)s->factor.size;
  memset(s->factor.values, 0, size * size * sizeof(double));
  for (int32_t row = 0; row < pattern->row_count; ++row)
    for (int32_t i = pattern->start[row]; i <= pattern->diagonal[row]; ++i)
      for (size_t r = 0; r < 3; ++r)
        memcpy(s->factor.values + (3 * (size_t)row + r) * size + 3 * (size_t)pattern->columns[i],
               matrix->values + 9 * (size_t)i + 3 * r, 3 * sizeof(double));
  if (shift != 0)
    for (size_t i = 0; i < size; ++i) s->factor.values[i * size + i] += shift * weights[i];
  *indefinite = pl_dense_factor_run(&s->factor, false) != 0;
  return PL_OK;
}

static pl_status dense_solve(void *self, const double *rhs, int32_t count, double *x, pl_linear_outcome *outcome,
                             pl_error *error) {
  (void)outcome, (void)error;
  const dense_solver *s = self;
  size_t size = (size_t)s->factor.size;
  for (int32_t k = 0; k < count; ++k) {
    memcpy(x + (size_t)k * size, rhs + (size_t)k * size, size * sizeof(double));
    pl_dense_factor_solve(&s->factor, x + (size_t)k * size);
  }
  return PL_OK;
}

const pl_linear_backend pl_linear_dense = {
    .name = "dense", .create = dense_create, .factor = dense_run, .solve = dense_solve, .destroy = dense_destroy};
