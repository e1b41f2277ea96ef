// Conjugate gradients against elimination, for any number of threads; patterns against brute force.
// ctest: unit threads
#include "base/random.h"
#include "check.h"
#include "pliant/math.h"
#include "sparse/sparse_conjugate.h"

enum { ROWS = 60, ELEMENTS = 90, WIDTH = 4 };

typedef struct problem {
  pl_arena arena;
  pl_sparse matrix;
  pl_conjugate_work work;
  int32_t corners[ELEMENTS * WIDTH];
  double dense[ROWS][ROWS];
  pl_vec3 rhs[ROWS], x[ROWS];
} problem;

// Sums of g gᵀ over random elements plus a little on the diagonal: positive definite, as stiffness matrices are.
static void make_problem(problem *p, pl_context *context, uint64_t seed) {
  pl_random random = pl_random_of_seed(seed);
  memset(p, 0, sizeof *p);
  pl_arena_init(&p->arena, context, 0);
  for (int32_t i = 0; i < ELEMENTS * WIDTH; ++i) p->corners[i] = (int32_t)(pl_random_u32(&random) % ROWS);
  assert_true(pl_sparse_create(&p->arena, p->corners, ELEMENTS, WIDTH, ROWS, &p->matrix));
  assert_true(pl_conjugate_work_take(&p->arena, ROWS, &p->work));
  for (int32_t e = 0; e < ELEMENTS; ++e) {
    double g[WIDTH];
    for (int i = 0; i < WIDTH; ++i) g[i] = pl_random_between(&random, -1, 1);
    for (int i = 0; i < WIDTH; ++i)
      for (int j = 0; j < WIDTH; ++j) {
        int32_t row = p->corners[e * WIDTH + i], column = p->corners[e * WIDTH + j];
        p->matrix.values[pl_sparse_find(&p->matrix, row, column)] += g[i] * g[j];
        p->dense[row][column] += g[i] * g[j];
      }
  }
  for (int32_t i = 0; i < ROWS; ++i) {
    p->matrix.values[p->matrix.diagonal[i]] += 0.01;
    p->dense[i][i] += 0.01;
    p->rhs[i] = pl_vec3_of(pl_random_between(&random, -1, 1), pl_random_between(&random, -1e3, 1e3), 0);
  }
}

static void eliminate(problem *p, pl_vec3 *x) {
  for (int i = 0; i < ROWS; ++i) x[i] = p->rhs[i];
  for (int k = 0; k < ROWS; ++k)
    for (int i = k + 1; i < ROWS; ++i) {
      double factor = p->dense[i][k] / p->dense[k][k];
      for (int j = k; j < ROWS; ++j) p->dense[i][j] -= factor * p->dense[k][j];
      x[i] = pl_vec3_add_scaled(x[i], x[k], -factor);
    }
  for (int i = ROWS - 1; i >= 0; --i) {
    for (int j = i + 1; j < ROWS; ++j) x[i] = pl_vec3_add_scaled(x[i], x[j], -p->dense[i][j]);
    x[i] = pl_vec3_scale(x[i], 1 / p->dense[i][i]);
  }
}

static void the_solution_is_that_of_elimination(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  static problem p;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    pl_vec3 expected[ROWS];
    make_problem(&p, context, seed);
    pl_conjugate_limits limits = {.tolerance = 1e-13, .max_iterations = 1000};
    pl_conjugate_report report = pl_conjugate_solve(context, &p.matrix, p.rhs, &limits, &p.work, p.x);
    assert_true(report.converged);
    check_at_most(report.residual, 1e-13);
    eliminate(&p, expected);
    for (int i = 0; i < ROWS; ++i) {
      check_near(p.x[i].x, expected[i].x, 1e-8);
      check_near(p.x[i].y, expected[i].y, 1e-5);
      assert_true(p.x[i].z == 0);
    }
    // From the solution nothing is left to do, and a hundredth of the way costs less than the whole.
    assert_int_equal(pl_conjugate_solve(context, &p.matrix, p.rhs, &(pl_conjugate_limits){1e-12, 0, 9}, &p.work, p.x)
                         .iteration_count,
                     0);
    memset(p.x, 0, sizeof p.x);
    limits = (pl_conjugate_limits){.tolerance = 1e-13, .gain = 0.01, .max_iterations = 1000};
    assert_true(pl_conjugate_solve(context, &p.matrix, p.rhs, &limits, &p.work, p.x).iteration_count <
                report.iteration_count);
    pl_arena_destroy(&p.arena);
  }
  drop_context(context);
}

static void every_iteration_brings_the_solution_nearer(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  static problem p;
  make_problem(&p, context, 7);
  double before = HUGE_VAL;
  for (int32_t count = 0; count < 40; ++count) {
    memset(p.x, 0, sizeof p.x);
    pl_conjugate_solve(context, &p.matrix, p.rhs, &(pl_conjugate_limits){.tolerance = 0, .max_iterations = count},
                       &p.work, p.x);
    double energy = 0;  // x.Ax / 2 - b.x, column y
    for (int32_t i = 0; i < ROWS; ++i)
      energy += p.x[i].y * (0.5 * pl_sparse_multiply_row(&p.matrix, i, p.x).y - p.rhs[i].y);
    check_at_most(energy, before + 1e-9 * fabs(energy));
    before = energy;
  }
  pl_arena_destroy(&p.arena);
  drop_context(context);
}

static void the_pattern_is_that_of_the_elements(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  static problem p;
  make_problem(&p, context, 3);
  static bool coupled[ROWS][ROWS];
  memset(coupled, 0, sizeof coupled);
  for (int i = 0; i < ROWS; ++i) coupled[i][i] = true;
  for (int e = 0; e < ELEMENTS; ++e)
    for (int i = 0; i < WIDTH * WIDTH; ++i)
      coupled[p.corners[e * WIDTH + i / WIDTH]][p.corners[e * WIDTH + i % WIDTH]] = true;
  int32_t count = 0;
  for (int32_t i = 0; i < ROWS; ++i)
    for (int32_t j = 0; j < ROWS; ++j) {
      assert_int_equal(pl_sparse_find(&p.matrix, i, j) >= 0, coupled[i][j]);
      count += coupled[i][j];
    }
  assert_int_equal(count, p.matrix.value_count);
  for (int32_t i = 0; i < ROWS; ++i) {
    assert_int_equal(p.matrix.columns[p.matrix.diagonal[i]], i);
    for (int32_t k = p.matrix.start[i] + 1; k < p.matrix.start[i + 1]; ++k)
      assert_true(p.matrix.columns[k - 1] < p.matrix.columns[k]);
  }
  pl_arena_destroy(&p.arena);
  drop_context(context);
}

// A chain long enough for many blocks.
static void solve_chain(int32_t thread_count, int32_t count, pl_vec3 *x) {
  pl_context *context = make_context(thread_count);
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  int32_t *links = malloc((size_t)count * 2 * sizeof *links);
  for (int32_t i = 0; i + 1 < count; ++i) links[2 * i] = i, links[2 * i + 1] = i + 1;
  pl_sparse matrix;
  pl_conjugate_work work;
  assert_true(pl_sparse_create(&arena, links, count - 1, 2, count, &matrix));
  assert_true(pl_conjugate_work_take(&arena, count, &work));
  pl_vec3 *rhs = malloc((size_t)count * sizeof *rhs);
  for (int32_t i = 0; i < count; ++i) {
    for (int32_t k = matrix.start[i]; k < matrix.start[i + 1]; ++k)
      matrix.values[k] = k == matrix.diagonal[i] ? 2.1 : -1;
    rhs[i] = pl_vec3_of(sin(i), cos(3.0 * i), 1);
    x[i] = pl_vec3_of(0, 0, 0);
  }
  pl_conjugate_solve(context, &matrix, rhs, &(pl_conjugate_limits){.tolerance = 1e-9, .max_iterations = 500}, &work, x);
  free(links);
  free(rhs);
  pl_arena_destroy(&arena);
  drop_context(context);
}

static void the_number_of_threads_changes_no_bit(void **state) {
  (void)state;
  enum { COUNT = 9000 };
  static pl_vec3 one[COUNT], four[COUNT];
  solve_chain(1, COUNT, one);
  solve_chain(4, COUNT, four);
  assert_memory_equal(one, four, sizeof one);
}

static void rows_of_zeros_and_overflow_end(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  static problem p;
  make_problem(&p, context, 5);
  // A row that nothing touches keeps its x.
  for (int32_t k = p.matrix.start[4]; k < p.matrix.start[5]; ++k) {
    p.matrix.values[pl_sparse_find(&p.matrix, p.matrix.columns[k], 4)] = 0;
    p.matrix.values[k] = 0;
  }
  p.rhs[4] = pl_vec3_of(0, 0, 0);
  p.x[4] = pl_vec3_of(5, 6, 7);
  pl_conjugate_limits limits = {.tolerance = 1e-10, .max_iterations = 1000};
  assert_true(pl_conjugate_solve(context, &p.matrix, p.rhs, &limits, &p.work, p.x).converged);
  assert_true(p.x[4].x == 5 && p.x[4].y == 6 && p.x[4].z == 7);
  p.rhs[0].x = 1e300;
  pl_conjugate_report report = pl_conjugate_solve(context, &p.matrix, p.rhs, &limits, &p.work, p.x);
  assert_false(report.converged);
  check_at_most(report.iteration_count, 2);
  pl_arena_destroy(&p.arena);
  drop_context(context);
}

static void running_out_of_memory_is_reported(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  int64_t live = allocator.live_count;
  const int32_t corners[8] = {0, 1, 2, 3, 2, 3, 4, 5};
  bool done = false;
  int64_t n = 0;
  while (!done) {
    pl_arena arena;
    pl_sparse matrix;
    pl_arena_init(&arena, context, 0);
    allocator.fail_at = allocator.call_count + ++n;
    done = pl_sparse_create(&arena, corners, 2, 4, 6, &matrix);
    allocator.fail_at = 0;
    pl_arena_destroy(&arena);
    assert_int_equal(allocator.live_count, live);
  }
  assert_true(n > 2);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_solution_is_that_of_elimination),
      cmocka_unit_test(every_iteration_brings_the_solution_nearer),
      cmocka_unit_test(the_pattern_is_that_of_the_elements),
      cmocka_unit_test(the_number_of_threads_changes_no_bit),
      cmocka_unit_test(rows_of_zeros_and_overflow_end),
      cmocka_unit_test(running_out_of_memory_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
