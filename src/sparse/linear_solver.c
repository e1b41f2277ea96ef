// The part of a linear solver that all back ends share: shifts for matrices that are not positive definite, clocks,
// residuals.
//
// The shift: A + s D with D = |diag A|, s from a thousandth and four times larger with every try. D makes the shift the
// same in any unit and for any contrast of moduli. It ends: the entries of D^-1/2 A D^-1/2 are at most of the size of a
// few units in elastic matrices, and once s is above the sum of a row of them the matrix is positive definite
// (Gershgorin).
#include "sparse/linear_solver.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/parallel.h"

enum { MAX_TRIES = 14, GRAIN = 1024 };
static const double FIRST_SHIFT = 1e-3, SHIFT_GROWTH = 4;

struct pl_linear_solver {
  pl_arena arena;
  const pl_linear_backend *backend;
  void *self;
  const pl_block_pattern *pattern;
  const pl_block_matrix *matrix;
  double *weights;  // |diag A|, filled when a shift is needed
  double *image;    // A x, for residuals
  double *sums;     // 2 per block of rows
  const double *rhs, *x;
  pl_linear_report report;
};

pl_linear_def pl_default_linear_def(void) {
  return (pl_linear_def){.choice = PL_LINEAR_AUTO,
                         .choose_preconditioner = true,
                         .limits = {.tolerance = 1e-4, .max_iterations = 2000},
                         .hint = {.young = 1e5,
                                  .young_contrast = 1,
                                  .poisson = 0.3,
                                  .density = 1000,
                                  .step = 1.0 / 60,
                                  .solves_per_factor = 1}};
}

pl_status pl_linear_solver_create(pl_context *context, const pl_block_pattern *pattern, const pl_linear_def *def,
                                  pl_linear_solver **solver, pl_error *error) {
  *solver = NULL;
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_linear_solver *made = PL_TAKE(&arena, pl_linear_solver, 1);
  if (made == NULL) return pl_fail_memory(error);
  size_t count = 3 * (size_t)pattern->row_count;
  pl_linear_def chosen = *def;
  made->pattern = pattern;
  made->weights = PL_TAKE(&arena, double, count);
  made->image = PL_TAKE(&arena, double, count);
  made->sums = PL_TAKE(&arena, double, 2 * (size_t)pl_block_count(pattern->row_count, GRAIN));
  made->backend = pl_linear_choose(pattern, &chosen, made->report.reason, sizeof made->report.reason);
  pl_status status = PL_OK;
  if (arena.failed) {
    status = pl_fail_memory(error);
  } else if (made->backend == NULL) {
    status = pl_fail(error, PL_ERROR_UNSUPPORTED, "no such linear solver: %s", made->report.reason);
  } else {
    double start = pl_clock_seconds();
    status = made->backend->create(context, pattern, &chosen, &made->self, error);
    made->report.name = made->backend->name;
    made->report.analysis_seconds = pl_clock_seconds() - start;
  }
  if (status < 0) {
    pl_arena_destroy(&arena);
    return status;
  }
  made->arena = arena;
  *solver = made;
  return status;
}

void pl_linear_solver_destroy(pl_linear_solver *solver) {
  if (solver == NULL) return;
  solver->backend->destroy(solver->self);
  pl_arena arena = solver->arena;
  pl_arena_destroy(&arena);
}

void pl_linear_solver_aim(pl_linear_solver *solver, double tolerance) {
  if (solver->backend->aim != NULL) solver->backend->aim(solver->self, tolerance);
}

const pl_linear_report *pl_linear_solver_report(const pl_linear_solver *solver) {
  return &solver->report;
}

// |diag A|; where that is 0, the mean of all.
static void measure_diagonal(pl_linear_solver *s) {
  double sum = 0;
  size_t count = 3 * (size_t)s->pattern->row_count;
  for (size_t i = 0; i < count; ++i) {
    s->weights[i] = fabs(s->matrix->values[9 * (size_t)s->pattern->diagonal[i / 3] + 4 * (i % 3)]);
    sum += s->weights[i];
  }
  for (size_t i = 0; i < count; ++i)
    if (s->weights[i] == 0) s->weights[i] = sum > 0 ? sum / (double)count : 1;
}

// Factor with the first shift from `shift` on that makes the matrix positive definite.
static pl_status factor_shifted(pl_linear_solver *s, double shift, pl_error *error) {
  double start = pl_clock_seconds();
  bool indefinite = true;
  pl_status status = PL_OK;
  while (indefinite && status >= 0 && s->report.try_count < MAX_TRIES) {
    if (shift > 0 && s->report.shift == 0) measure_diagonal(s);
    s->report.shift = shift;
    s->report.try_count++;
    indefinite = false;
    status = s->backend->factor(s->self, s->matrix, shift, s->weights, &indefinite, error);
    shift = shift > 0 ? shift * SHIFT_GROWTH : FIRST_SHIFT;
  }
  s->report.factor_seconds += pl_clock_seconds() - start;
  if (status < 0) return status;
  if (indefinite)
    return pl_fail(error, PL_ERROR_NOT_FINITE,
                   "the matrix is not positive definite, and no multiple of its diagonal up to %g makes it so",
                   s->report.shift);
  return status;
}

pl_status pl_linear_solver_factor(pl_linear_solver *s, const pl_block_matrix *matrix, pl_error *error) {
  s->matrix = matrix;
  s->report.shift = 0;
  s->report.try_count = 0;
  s->report.factor_seconds = 0;
  return factor_shifted(s, 0, error);
}

static void compare_rows(void *data, int32_t begin, int32_t end, int32_t block) {
  const pl_linear_solver *s = data;
  double difference = 0, whole = 0;
  for (size_t i = 3 * (size_t)begin; i < 3 * (size_t)end; ++i) {
    double value = s->image[i] + (s->report.shift > 0 ? s->report.shift * s->weights[i] * s->x[i] : 0),
           left = s->rhs[i] - value;
    difference += left * left;
    whole += s->rhs[i] * s->rhs[i];
  }
  s->sums[2 * block] = difference;
  s->sums[2 * block + 1] = whole;
}

// |b - A x| / |b|, 0 for b = 0.
static double measure_residual(pl_linear_solver *s, const double *rhs, const double *x) {
  s->rhs = rhs;
  s->x = x;
  pl_block_matrix_multiply(s->arena.context, s->matrix, x, s->image);
  pl_parallel_for(s->arena.context, s->pattern->row_count, GRAIN, compare_rows, s);
  double difference = 0, whole = 0;
  for (int32_t block = 0; block < pl_block_count(s->pattern->row_count, GRAIN); ++block) {
    difference += s->sums[2 * block];
    whole += s->sums[2 * block + 1];
  }
  return whole > 0 ? sqrt(difference / whole) : sqrt(difference);
}

pl_status pl_linear_solver_solve(pl_linear_solver *s, const double *rhs, int32_t count, double *x, pl_error *error) {
  double start = pl_clock_seconds(), factor_seconds = s->report.factor_seconds;
  pl_linear_outcome outcome = {.residual = -1};
  pl_status status = s->backend->solve(s->self, rhs, count, x, &outcome, error);
  while (status >= 0 && outcome.indefinite) {
    status = factor_shifted(s, s->report.shift > 0 ? s->report.shift * SHIFT_GROWTH : FIRST_SHIFT, error);
    if (status < 0) break;
    // The next try starts from what the last one found, unless that is worse than zero: where entries differ by 20
    // powers of ten, as at triangles of no height, conjugate gradients run off before they meet negative curvature.
    if (!(outcome.residual <= 1)) memset(x, 0, 3 * (size_t)s->pattern->row_count * (size_t)count * sizeof *x);
    outcome = (pl_linear_outcome){.residual = -1};
    status = s->backend->solve(s->self, rhs, count, x, &outcome, error);
  }
  s->report.iteration_count = outcome.iteration_count;
  s->report.residual = outcome.residual;
  if (status < 0) return status;
  size_t length = 3 * (size_t)s->pattern->row_count;
  if (outcome.residual < 0)
    for (int32_t k = 0; k < count; ++k) {
      double residual = measure_residual(s, rhs + (size_t)k * length, x + (size_t)k * length);
      if (!(residual <= s->report.residual)) s->report.residual = residual;
    }
  s->report.solve_seconds = pl_clock_seconds() - start - (s->report.factor_seconds - factor_seconds);
  if (!isfinite(s->report.residual))
    return pl_fail(error, PL_ERROR_NOT_FINITE, "the solution of a linear system is not finite");
  return status;
}
