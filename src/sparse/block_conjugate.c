// Preconditioned conjugate gradients (Hestenes and Stiefel 1952), one right-hand side after the other.
//
//   r      residual b - A x
//   p, q   direction, A p
//   z      M⁻¹ r, the local part of the preconditioner
//   y      motion of the pieces
//
// An iteration is three loops over slabs of rows: product and p.q; steps of x and r with the local preconditioner and
// its sums; the next direction. The coarse part adds a short one (sparse/block_coarse.h) and is put into the direction
// while that is made. Slabs have a fixed size and their sums are added in order, so the number of threads changes no
// bit.
#include "sparse/block_conjugate.h"

#include <math.h>

#include "base/error.h"
#include "base/parallel.h"
#include "sparse/block_coarse.h"
#include "sparse/block_incomplete.h"

enum { GRAIN = 256, MAX_RESTARTS = 4 };

struct pl_block_conjugate {
  pl_arena arena;
  const pl_block_pattern *pattern;
  const pl_block_kernels *kernels;
  pl_block_preconditioner kind;
  int32_t grain;  // rows of a slab
  double *r, *p, *q, *z;
  double *inverses;  // 9 per row: diagonal blocks (not for the incomplete factor)
  double *sums;      // 2 per slab
  pl_block_incomplete incomplete;
  pl_block_coarse coarse;
  const pl_block_matrix *matrix;
  double shift;
  const double *weights;
  // Of the loop that is running:
  const double *rhs;
  double *x, alpha, beta;
};

static bool take_arrays(pl_block_conjugate *s, const double *positions) {
  size_t count = 3 * (size_t)s->pattern->row_count;
  s->r = PL_TAKE(&s->arena, double, count);
  s->p = PL_TAKE(&s->arena, double, count);
  s->q = PL_TAKE(&s->arena, double, count);
  s->z = PL_TAKE(&s->arena, double, count);
  s->sums = PL_TAKE(&s->arena, double, 2 * (size_t)pl_block_count(s->pattern->row_count, s->grain));
  if (s->arena.failed) return false;
  if (s->kind == PL_PRECONDITION_INCOMPLETE) {
    if (!pl_block_incomplete_take(&s->arena, s->pattern, &s->incomplete)) return false;
  } else {
    s->inverses = PL_TAKE(&s->arena, double, 3 * count);
    if (s->arena.failed) return false;
  }
  return s->kind == PL_PRECONDITION_JACOBI || pl_block_coarse_take(&s->arena, s->pattern, positions, &s->coarse);
}

pl_status pl_block_conjugate_create(pl_context *context, const pl_block_pattern *pattern, pl_block_preconditioner kind,
                                    const double *positions, pl_block_conjugate **solver, pl_error *error) {
  *solver = NULL;
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_block_conjugate *made = PL_TAKE(&arena, pl_block_conjugate, 1);
  if (made == NULL) return pl_fail_memory(error);
  made->arena = arena;
  made->pattern = pattern;
  made->kernels = pl_block_kernels_choose();
  made->kind = kind;
  made->grain = kind == PL_PRECONDITION_INCOMPLETE ? pl_block_slab(pattern->row_count) : GRAIN;
  if (!take_arrays(made, positions)) {
    pl_block_conjugate_destroy(made);
    return pl_fail_memory(error);
  }
  *solver = made;
  return PL_OK;
}

void pl_block_conjugate_destroy(pl_block_conjugate *solver) {
  if (solver == NULL) return;
  pl_arena arena = solver->arena;
  pl_arena_destroy(&arena);
}

static void loop(pl_block_conjugate *s, pl_range_function *work) {
  pl_parallel_for(s->arena.context, s->pattern->row_count, s->grain, work, s);
}

static void invert_rows(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const pl_block_conjugate *s = data;
  for (int32_t row = begin; row < end; ++row)
    pl_block_invert_diagonal(s->matrix, s->shift, s->weights, row, s->inverses + 9 * (size_t)row);
}

void pl_block_conjugate_prepare(pl_block_conjugate *s, const pl_block_matrix *matrix, double shift,
                                const double *weights) {
  s->matrix = matrix;
  s->shift = shift;
  s->weights = weights;
  if (s->kind == PL_PRECONDITION_INCOMPLETE)
    pl_block_incomplete_run(s->arena.context, matrix, shift, weights, &s->incomplete);
  else
    loop(s, invert_rows);
  if (s->kind != PL_PRECONDITION_JACOBI) pl_block_coarse_run(s->arena.context, matrix, shift, weights, &s->coarse);
}

// Sum number `which` of all slabs.
static double add_slabs(const pl_block_conjugate *s, int which) {
  double sum = 0;
  int32_t slab_count = pl_block_count(s->pattern->row_count, s->grain);
  for (int32_t slab = 0; slab < slab_count; ++slab) sum += s->sums[2 * slab + which];
  return sum;
}

// to = A from for rows of a slab, shift included; returns their part of from . to.
static double multiply_slab(const pl_block_conjugate *s, int32_t begin, int32_t end, const double *from, double *to) {
  double sum = s->kernels->multiply(s->matrix, begin, end, from, to);
  if (s->shift == 0) return sum;
  for (size_t i = 3 * (size_t)begin; i < 3 * (size_t)end; ++i) {
    double more = s->shift * s->weights[i] * from[i];
    to[i] += more;
    sum += more * from[i];
  }
  return sum;
}

// z = M⁻¹ r for rows of a slab; sums r.r and r.z.
static void precondition_slab(const pl_block_conjugate *s, int32_t begin, int32_t end, int32_t slab) {
  double square[3] = {0}, product[3] = {0};
  if (s->kind == PL_PRECONDITION_INCOMPLETE)
    s->kernels->sweep(&s->incomplete.lower, begin, end, s->r, s->z, s->incomplete.workspace);
  for (int32_t row = begin; row < end; ++row) {
    const double *r = s->r + 3 * (size_t)row;
    double *z = s->z + 3 * (size_t)row;
    if (s->kind != PL_PRECONDITION_INCOMPLETE) {
      const double *m = s->inverses + 9 * (size_t)row;
      for (int c = 0; c < 3; ++c) z[c] = m[3 * c] * r[0] + m[3 * c + 1] * r[1] + m[3 * c + 2] * r[2];
    }
    for (int c = 0; c < 3; ++c) {
      square[c] += r[c] * r[c];
      product[c] += r[c] * z[c];
    }
  }
  s->sums[2 * slab] = square[0] + square[1] + square[2];
  s->sums[2 * slab + 1] = product[0] + product[1] + product[2];
}

// Square of the right-hand side.
static void measure_rows(void *data, int32_t begin, int32_t end, int32_t slab) {
  const pl_block_conjugate *s = data;
  double sum = 0;
  for (size_t i = 3 * (size_t)begin; i < 3 * (size_t)end; ++i) sum += s->rhs[i] * s->rhs[i];
  s->sums[2 * slab] = sum;
}

// r = b - A x
static void start_rows(void *data, int32_t begin, int32_t end, int32_t slab) {
  const pl_block_conjugate *s = data;
  multiply_slab(s, begin, end, s->x, s->r);
  for (size_t i = 3 * (size_t)begin; i < 3 * (size_t)end; ++i) s->r[i] = s->rhs[i] - s->r[i];
  precondition_slab(s, begin, end, slab);
}

// q = A p; sum of p.q.
static void multiply_rows(void *data, int32_t begin, int32_t end, int32_t slab) {
  const pl_block_conjugate *s = data;
  s->sums[2 * slab] = multiply_slab(s, begin, end, s->p, s->q);
}

// x += alpha p, r -= alpha q
static void advance_rows(void *data, int32_t begin, int32_t end, int32_t slab) {
  const pl_block_conjugate *s = data;
  for (size_t i = 3 * (size_t)begin; i < 3 * (size_t)end; ++i) {
    s->x[i] += s->alpha * s->p[i];
    s->r[i] -= s->alpha * s->q[i];
  }
  precondition_slab(s, begin, end, slab);
}

// p = z + P y + beta p
static void turn_rows(void *data, int32_t begin, int32_t end, int32_t slab) {
  (void)slab;
  const pl_block_conjugate *s = data;
  if (s->kind == PL_PRECONDITION_JACOBI) {
    for (size_t i = 3 * (size_t)begin; i < 3 * (size_t)end; ++i) s->p[i] = s->z[i] + s->beta * s->p[i];
    return;
  }
  for (int32_t row = begin; row < end; ++row) {
    double moved[3];
    pl_block_coarse_move(&s->coarse, row, moved);
    for (size_t c = 0; c < 3; ++c) {
      size_t i = 3 * (size_t)row + c;
      s->p[i] = s->z[i] + moved[c] + s->beta * s->p[i];
    }
  }
}

// r . M⁻¹ r with the coarse part, which is computed here.
static double finish_precondition(pl_block_conjugate *s) {
  double sum = add_slabs(s, 1);
  return s->kind == PL_PRECONDITION_JACOBI ? sum : sum + pl_block_coarse_solve(s->arena.context, &s->coarse, s->r);
}

// Iterate from s->x until the residual that is carried along is below `target` (a square), or something ends it.
// Returns that square.
static double iterate(pl_block_conjugate *s, double target, int32_t max_iterations, pl_block_conjugate_report *report) {
  loop(s, start_rows);
  double square = add_slabs(s, 0), product = 0;
  for (int32_t count = 0; square > target && count < max_iterations; ++count) {
    double before = product;
    product = finish_precondition(s);
    s->beta = count == 0 ? 0 : product / before;
    if (count == 0)
      for (size_t i = 0; i < 3 * (size_t)s->pattern->row_count; ++i) s->p[i] = 0;
    loop(s, turn_rows);
    loop(s, multiply_rows);
    double curvature = add_slabs(s, 0);
    // The preconditioner is positive definite, so where r is not zero only the matrix can be at fault.
    report->negative_curvature = curvature <= 0;
    if (!(curvature > 0) || !isfinite(product)) return curvature <= 0 ? square : HUGE_VAL;
    s->alpha = product / curvature;
    loop(s, advance_rows);
    square = add_slabs(s, 0);
    report->iteration_count++;
  }
  return square;
}

static pl_status solve_one(pl_block_conjugate *s, const pl_block_limits *limits, pl_block_conjugate_report *report) {
  loop(s, measure_rows);
  double whole = add_slabs(s, 0), target = limits->tolerance * limits->tolerance * whole;
  if (whole == 0) {
    for (size_t i = 0; i < 3 * (size_t)s->pattern->row_count; ++i) s->x[i] = 0;
    return PL_OK;
  }
  // The residual that is carried along drifts from the true one by rounding; where that shows, the iteration is begun
  // again from x.
  bool strict = limits->tolerance < 1e-8;
  int32_t first = report->iteration_count;
  double square = HUGE_VAL, last = HUGE_VAL;
  for (int restart = 0; restart < MAX_RESTARTS; ++restart) {
    square = iterate(s, target, limits->max_iterations - (report->iteration_count - first), report);
    if (!strict || square > target || report->negative_curvature) break;
    loop(s, start_rows);
    square = add_slabs(s, 0);
    if (square <= target || !(square < 0.25 * last)) break;
    last = square;
  }
  double residual = sqrt(square / whole);
  if (!(residual <= report->residual)) report->residual = residual;
  if (!isfinite(residual)) return PL_ERROR_NOT_FINITE;
  return square <= target && !report->negative_curvature ? PL_OK : PL_REMARK_NOT_CONVERGED;
}

pl_status pl_block_conjugate_solve(pl_block_conjugate *s, const double *rhs, int32_t count,
                                   const pl_block_limits *limits, double *x, pl_block_conjugate_report *report) {
  pl_block_conjugate_report made = {0};
  pl_status status = PL_OK;
  size_t length = 3 * (size_t)s->pattern->row_count;
  for (int32_t k = 0; k < count && status >= 0 && !made.negative_curvature; ++k) {
    s->rhs = rhs + (size_t)k * length;
    s->x = x + (size_t)k * length;
    pl_status one = solve_one(s, limits, &made);
    status = one < 0 || status == PL_OK ? one : status;
  }
  if (report != NULL) *report = made;
  return status;
}
