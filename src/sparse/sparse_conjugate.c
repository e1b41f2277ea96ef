// Conjugate gradients (Hestenes and Stiefel 1952) with the diagonal as preconditioner.
//
// The three columns of x share the products with the matrix, which is what costs, and are otherwise three iterations
// side by side: each has its own step lengths, and one that is done stands still (its step length is zero). Sums run
// over blocks of rows of fixed size and are added in the order of the blocks, so that they do not depend on the number
// of threads.
//
//   r  residual  b - A x      p  direction      q  A p      z  D^-1 r
#include "sparse/sparse_conjugate.h"

#include <math.h>

#include "base/parallel.h"
#include "pliant/math.h"

enum { GRAIN = 1024 };

typedef struct iteration {
  const pl_sparse *matrix;
  const pl_vec3 *rhs;
  pl_vec3 *x;
  pl_conjugate_work work;
  pl_vec3 alpha, beta;
} iteration;

static pl_vec3 times(pl_vec3 a, pl_vec3 b) {
  return (pl_vec3){a.x * b.x, a.y * b.y, a.z * b.z};
}

bool pl_conjugate_work_take(pl_arena *arena, int32_t row_count, pl_conjugate_work *work) {
  work->residual = PL_TAKE(arena, pl_vec3, row_count);
  work->direction = PL_TAKE(arena, pl_vec3, row_count);
  work->image = PL_TAKE(arena, pl_vec3, row_count);
  work->inverse = PL_TAKE(arena, double, row_count);
  work->sums = PL_TAKE(arena, pl_vec3, 2 * (size_t)pl_block_count(row_count, GRAIN));
  return !arena->failed;
}

// Sum number `which` of all blocks.
static pl_vec3 add_blocks(const iteration *it, int which) {
  pl_vec3 sum = {0, 0, 0};
  int32_t block_count = pl_block_count(it->matrix->row_count, GRAIN);
  for (int32_t block = 0; block < block_count; ++block) sum = pl_vec3_add(sum, it->work.sums[2 * block + which]);
  return sum;
}

// Residual and preconditioner; sums of b . D^-1 b and r . z.
static void start_rows(void *data, int32_t begin, int32_t end, int32_t block) {
  const iteration *it = data;
  pl_vec3 whole = {0, 0, 0}, left = {0, 0, 0};
  for (int32_t i = begin; i < end; ++i) {
    double diagonal = it->matrix->values[it->matrix->diagonal[i]], inverse = diagonal > 0 ? 1 / diagonal : 0;
    pl_vec3 r = pl_vec3_sub(it->rhs[i], pl_sparse_multiply_row(it->matrix, i, it->x));
    it->work.inverse[i] = inverse;
    it->work.residual[i] = r;
    it->work.direction[i] = pl_vec3_scale(r, inverse);
    whole = pl_vec3_add_scaled(whole, times(it->rhs[i], it->rhs[i]), inverse);
    left = pl_vec3_add_scaled(left, times(r, r), inverse);
  }
  it->work.sums[2 * block] = whole;
  it->work.sums[2 * block + 1] = left;
}

// q = A p; sum of p . q.
static void multiply_rows(void *data, int32_t begin, int32_t end, int32_t block) {
  const iteration *it = data;
  pl_vec3 sum = {0, 0, 0};
  for (int32_t i = begin; i < end; ++i) {
    it->work.image[i] = pl_sparse_multiply_row(it->matrix, i, it->work.direction);
    sum = pl_vec3_add(sum, times(it->work.direction[i], it->work.image[i]));
  }
  it->work.sums[2 * block] = sum;
}

// x += alpha p, r -= alpha q; sum of r . z.
static void advance_rows(void *data, int32_t begin, int32_t end, int32_t block) {
  const iteration *it = data;
  pl_vec3 sum = {0, 0, 0};
  for (int32_t i = begin; i < end; ++i) {
    pl_vec3 r = pl_vec3_sub(it->work.residual[i], times(it->alpha, it->work.image[i]));
    it->x[i] = pl_vec3_add(it->x[i], times(it->alpha, it->work.direction[i]));
    it->work.residual[i] = r;
    sum = pl_vec3_add_scaled(sum, times(r, r), it->work.inverse[i]);
  }
  it->work.sums[2 * block + 1] = sum;
}

// p = z + beta p
static void turn_rows(void *data, int32_t begin, int32_t end, int32_t block) {
  (void)block;
  const iteration *it = data;
  for (int32_t i = begin; i < end; ++i)
    it->work.direction[i] =
        pl_vec3_add(pl_vec3_scale(it->work.residual[i], it->work.inverse[i]), times(it->beta, it->work.direction[i]));
}

// a / b while the column is still above its limit, else 0.
static double ratio_above(double a, double b, double left, double limit) {
  return left > limit && b > 0 ? a / b : 0;
}

static pl_vec3 ratios_above(pl_vec3 a, pl_vec3 b, pl_vec3 left, pl_vec3 limit) {
  return (pl_vec3){ratio_above(a.x, b.x, left.x, limit.x), ratio_above(a.y, b.y, left.y, limit.y),
                   ratio_above(a.z, b.z, left.z, limit.z)};
}

static double relative(double left, double whole) {
  return left > 0 ? sqrt(left / whole) : 0;
}

pl_conjugate_report pl_conjugate_solve(pl_context *context, const pl_sparse *matrix, const pl_vec3 *rhs,
                                       const pl_conjugate_limits *limits, const pl_conjugate_work *work, pl_vec3 *x) {
  iteration it = {.matrix = matrix, .rhs = rhs, .x = x, .work = *work};
  pl_conjugate_report report = {0};
  int32_t row_count = matrix->row_count;
  pl_parallel_for(context, row_count, GRAIN, start_rows, &it);
  pl_vec3 whole = add_blocks(&it, 0), left = add_blocks(&it, 1);
  double tolerance = limits->tolerance * limits->tolerance, gain = limits->gain * limits->gain;
  pl_vec3 limit = pl_vec3_max(pl_vec3_scale(whole, tolerance), pl_vec3_scale(left, gain));
  for (;;) {
    // Numbers that have overflowed will not come back.
    bool lost = !isfinite(left.x + left.y + left.z) || !isfinite(limit.x + limit.y + limit.z);
    report.converged = !lost && left.x <= limit.x && left.y <= limit.y && left.z <= limit.z;
    if (report.converged || lost || report.iteration_count >= limits->max_iterations) break;
    pl_parallel_for(context, row_count, GRAIN, multiply_rows, &it);
    it.alpha = ratios_above(left, add_blocks(&it, 0), left, limit);
    pl_parallel_for(context, row_count, GRAIN, advance_rows, &it);
    pl_vec3 before = left;
    left = add_blocks(&it, 1);
    it.beta = ratios_above(left, before, left, limit);
    pl_parallel_for(context, row_count, GRAIN, turn_rows, &it);
    report.iteration_count++;
  }
  report.residual = fmax(relative(left.x, whole.x), fmax(relative(left.y, whole.y), relative(left.z, whole.z)));
  return report;
}
