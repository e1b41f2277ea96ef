// CHOLMOD behind the linear-solver interface: agrees with dense elimination and conjugate gradients, factors again,
// shifts, and fails cleanly when out of memory. In builds without it these tests are skipped.
// ctest: unit threads
#define _GNU_SOURCE  // dlsym(RTLD_DEFAULT)
#include "solvers/cholmod_solver.h"

#include <dlfcn.h>

#include "fixtures/block_box.h"

static pl_linear_solver *make_solver(pl_context *context, const block_box *box, pl_linear_choice choice) {
  pl_error error = {0};
  pl_linear_solver *solver = NULL;
  pl_linear_def def = pl_default_linear_def();
  def.choice = choice;
  def.direct = pl_cholmod_backend();
  def.positions = box->positions;
  def.limits.tolerance = 1e-12;
  check_ok(pl_linear_solver_create(context, &box->pattern, &def, &solver, &error), &error);
  return solver;
}

static void cholmod_cg_and_dense_agree(void **state) {
  (void)state;
  if (pl_cholmod_backend() == NULL) skip();
  enum { RHS_COUNT = 5 };
  pl_context *context = make_context(1);
  block_box box;
  pl_error error = {0};
  make_box(&box, context, 5, 4, 6, 1e6, 0.4);
  uint8_t *fixed = PL_TAKE(&box.arena, uint8_t, box.row_count);
  for (int32_t i = 0; i < box.row_count; i += 6) fixed[i] = PL_BLOCK_FIX_ALL;
  fixed[2] = PL_BLOCK_FIX_Z;
  size_t size = 3 * (size_t)box.row_count;
  double *rhs = calloc(4 * RHS_COUNT * size, sizeof *rhs);
  for (size_t i = 0; i < RHS_COUNT * size; ++i)
    rhs[i] = (fixed[i % size / 3] >> i % 3 & 1) != 0 ? 0 : sin(1.7 * (double)i);
  pl_linear_solver *solvers[3];
  for (int k = 0; k < 3; ++k)
    solvers[k] = make_solver(context, &box, (pl_linear_choice[3]){PL_LINEAR_DIRECT, PL_LINEAR_DENSE, PL_LINEAR_CG}[k]);
  // The second round has other values on the same pattern: only the numbers are factored again.
  for (int round = 0; round < 2; ++round) {
    pl_block_matrix_clear(context, &box.matrix);
    pl_block_matrix_add_elements(context, &box.matrix, 0, box.stiffness);
    pl_block_matrix_add_diagonal(context, &box.matrix, round == 0 ? 3600 : 100, box.masses);
    pl_block_matrix_fix(context, &box.matrix, fixed);
    for (int k = 0; k < 3; ++k) {
      check_ok(pl_linear_solver_factor(solvers[k], &box.matrix, &error), &error);
      check_ok(pl_linear_solver_solve(solvers[k], rhs, RHS_COUNT, rhs + (size_t)(k + 1) * RHS_COUNT * size, &error),
               &error);
      check_at_most(pl_linear_solver_report(solvers[k])->residual, 1e-11);
    }
    check_at_most(vector_distance(rhs + RHS_COUNT * size, rhs + 2 * RHS_COUNT * size, RHS_COUNT * size), 1e-10);
    check_at_most(vector_distance(rhs + RHS_COUNT * size, rhs + 3 * RHS_COUNT * size, RHS_COUNT * size), 1e-8);
  }
  assert_string_equal(pl_linear_solver_report(solvers[0])->name, "cholmod");
  for (int k = 0; k < 3; ++k) pl_linear_solver_destroy(solvers[k]);
  free(rhs);
  drop_box(&box);
  drop_context(context);
}

static void indefinite_matrices_are_shifted_as_dense_ones_are(void **state) {
  (void)state;
  if (pl_cholmod_backend() == NULL) skip();
  pl_context *context = make_context(1);
  block_box box;
  pl_error error = {0};
  make_box(&box, context, 4, 3, 3, 1e6, 0.3);
  pl_block_matrix_add_diagonal(context, &box.matrix, -20000, box.masses);
  size_t size = 3 * (size_t)box.row_count;
  double *rhs = calloc(3 * size, sizeof *rhs);
  for (size_t i = 0; i < size; ++i) rhs[i] = cos((double)i);
  pl_linear_solver *sparse = make_solver(context, &box, PL_LINEAR_DIRECT),
                   *dense = make_solver(context, &box, PL_LINEAR_DENSE);
  check_ok(pl_linear_solver_factor(sparse, &box.matrix, &error), &error);
  check_ok(pl_linear_solver_factor(dense, &box.matrix, &error), &error);
  check_ok(pl_linear_solver_solve(sparse, rhs, 1, rhs + size, &error), &error);
  check_ok(pl_linear_solver_solve(dense, rhs, 1, rhs + 2 * size, &error), &error);
  assert_true(pl_linear_solver_report(sparse)->shift > 0);
  assert_true(pl_linear_solver_report(sparse)->shift == pl_linear_solver_report(dense)->shift);
  check_at_most(vector_distance(rhs + size, rhs + 2 * size, size), 1e-9);
  box.matrix.values[9 * box.pattern.diagonal[3]] = nan("");
  // BLAS does not look for it; the residual does.
  pl_status status = pl_linear_solver_factor(sparse, &box.matrix, &error);
  if (status >= 0) status = pl_linear_solver_solve(sparse, rhs, 1, rhs + size, &error);
  assert_int_equal(status, PL_ERROR_NOT_FINITE);
  pl_linear_solver_destroy(sparse);
  pl_linear_solver_destroy(dense);
  free(rhs);
  drop_box(&box);
  drop_context(context);
}

static void threads_of_the_context_change_no_bit(void **state) {
  (void)state;
  if (pl_cholmod_backend() == NULL) skip();
  double *first = NULL;
  for (int32_t thread_count = 1; thread_count <= 3; ++thread_count) {
    pl_context *context = make_context(thread_count);
    block_box box;
    pl_error error = {0};
    make_box(&box, context, 7, 7, 7, 1e6, 0.3);
    pl_block_matrix_add_diagonal(context, &box.matrix, 3600, box.masses);
    size_t size = 3 * (size_t)box.row_count;
    double *rhs = calloc(size, sizeof *rhs), *x = calloc(size, sizeof *x);
    for (size_t i = 0; i < size; ++i) rhs[i] = cos((double)i);
    pl_linear_solver *solver = make_solver(context, &box, PL_LINEAR_DIRECT);
    check_ok(pl_linear_solver_factor(solver, &box.matrix, &error), &error);
    check_ok(pl_linear_solver_solve(solver, rhs, 1, x, &error), &error);
    pl_linear_solver_destroy(solver);
    if (first == NULL)
      first = x;
    else {
      assert_memory_equal(first, x, size * sizeof *x);
      free(x);
    }
    free(rhs);
    drop_box(&box);
    drop_context(context);
  }
  free(first);
}

static void running_out_of_memory_is_reported(void **state) {
  (void)state;
  if (pl_cholmod_backend() == NULL) skip();
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  block_box box;
  make_box(&box, context, 3, 3, 3, 1e5, 0.3);
  int64_t live = allocator.live_count, n = 0;
  for (pl_status status = PL_ERROR_OUT_OF_MEMORY; status != PL_OK;) {
    pl_linear_solver *solver = NULL;
    pl_linear_def def = pl_default_linear_def();
    def.choice = PL_LINEAR_DIRECT;
    def.direct = pl_cholmod_backend();
    allocator.fail_at = allocator.call_count + ++n;
    status = pl_linear_solver_create(context, &box.pattern, &def, &solver, NULL);
    assert_true(status == PL_OK ? solver != NULL : status == PL_ERROR_OUT_OF_MEMORY && solver == NULL);
    allocator.fail_at = 0;
    pl_linear_solver_destroy(solver);
    assert_int_equal(allocator.live_count, live);
  }
  assert_true(n > 2);
  drop_box(&box);
  drop_context(context);
}

// The memory functions of SuiteSparse before version 7: one set per process, the first three of a variable that it
// exports.
typedef struct suitesparse_functions {
  void *(*allocate)(size_t);
  void *(*allocate_zeroed)(size_t, size_t);
  void *(*reallocate)(void *, size_t);
} suitesparse_functions;

static int64_t call_count, fail_at;

static void *failing_malloc(size_t size) {
  return ++call_count == fail_at ? NULL : malloc(size);
}
static void *failing_calloc(size_t count, size_t size) {
  return ++call_count == fail_at ? NULL : calloc(count, size);
}
static void *failing_realloc(void *block, size_t size) {
  return ++call_count == fail_at ? NULL : realloc(block, size);
}

static void cholmod_running_out_of_memory_is_reported(void **state) {
  (void)state;
  suitesparse_functions *functions = dlsym(RTLD_DEFAULT, "SuiteSparse_config");
  if (pl_cholmod_backend() == NULL || functions == NULL) skip();
  pl_context *context = make_context(1);
  block_box box;
  make_box(&box, context, 2, 2, 2, 1e5, 0.3);
  pl_block_matrix_add_diagonal(context, &box.matrix, 3600, box.masses);
  size_t size = 3 * (size_t)box.row_count;
  double *rhs = calloc(2 * size, sizeof *rhs);
  for (size_t i = 0; i < size; ++i) rhs[i] = 1;
  suitesparse_functions before = *functions;
  *functions = (suitesparse_functions){failing_malloc, failing_calloc, failing_realloc};
  int64_t n = 0;
  for (pl_status status = PL_ERROR_OUT_OF_MEMORY; status != PL_OK;) {
    pl_linear_solver *solver = NULL;
    pl_linear_def def = pl_default_linear_def();
    def.choice = PL_LINEAR_DIRECT;
    def.direct = pl_cholmod_backend();
    fail_at = call_count + ++n;
    status = pl_linear_solver_create(context, &box.pattern, &def, &solver, NULL);
    assert_true((status < 0) == (solver == NULL));
    if (status == PL_OK) status = pl_linear_solver_factor(solver, &box.matrix, NULL);
    if (status == PL_OK) status = pl_linear_solver_solve(solver, rhs, 1, rhs + size, NULL);
    // CHOLMOD does without some of what it asks for, so success may come before the last allocation.
    if (call_count >= fail_at && status == PL_OK) status = PL_REMARK_FINDINGS;
    assert_true(status >= 0 || status == PL_ERROR_OUT_OF_MEMORY);
    pl_linear_solver_destroy(solver);
  }
  *functions = before;
  print_message("%d allocations of CHOLMOD\n", (int)n - 1);
  assert_true(n > 10);
  free(rhs);
  drop_box(&box);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cholmod_cg_and_dense_agree),
      cmocka_unit_test(indefinite_matrices_are_shifted_as_dense_ones_are),
      cmocka_unit_test(threads_of_the_context_change_no_bit),
      cmocka_unit_test(running_out_of_memory_is_reported),
      cmocka_unit_test(cholmod_running_out_of_memory_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
