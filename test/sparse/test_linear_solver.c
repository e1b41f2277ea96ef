// The linear-solver interface: back ends agree, shifts, choices with their reasons, memory.
// ctest: unit
#include "sparse/linear_solver.h"

#include "fixtures/block_box.h"

static pl_linear_solver *make_solver(pl_context *context, const block_box *box, pl_linear_choice choice) {
  pl_error error = {0};
  pl_linear_solver *solver = NULL;
  pl_linear_def def = pl_default_linear_def();
  def.choice = choice;
  def.positions = box->positions;
  def.limits.tolerance = 1e-12;
  check_ok(pl_linear_solver_create(context, &box->pattern, &def, &solver, &error), &error);
  return solver;
}

static void fill_right(double *rhs, size_t count) {
  for (size_t i = 0; i < count; ++i) rhs[i] = sin(1.7 * (double)i);
}

// Random element matrices G Gᵀ: positive definite with the diagonal, and no elasticity.
static void make_random(block_box *box, pl_context *context, uint64_t seed) {
  make_box(box, context, 3, 3, 3, 1e5, 0.3);
  pl_random random = pl_random_of_seed(seed);
  for (int32_t e = 0; e < box->tet_count; ++e) {
    double g[36];
    for (int i = 0; i < 36; ++i) g[i] = pl_random_between(&random, -1, 1);
    for (int i = 0; i < 12; ++i)
      for (int j = 0; j < 12; ++j)
        box->stiffness[144 * e + 12 * i + j] =
            g[3 * i] * g[3 * j] + g[3 * i + 1] * g[3 * j + 1] + g[3 * i + 2] * g[3 * j + 2];
  }
  for (int32_t i = 0; i < box->row_count; ++i) box->masses[i] = 0.1;
  pl_block_matrix_clear(context, &box->matrix);
  pl_block_matrix_add_elements(context, &box->matrix, 0, box->stiffness);
}

static void cg_and_dense_agree_for_many_right_hand_sides(void **state) {
  (void)state;
  enum { RHS_COUNT = 3 };
  pl_context *context = make_context(1);
  for (uint64_t seed = 0; seed < 5; ++seed) {
    block_box box;
    pl_error error = {0};
    if (seed == 0)
      make_box(&box, context, 4, 4, 5, 1e6, 0.45);
    else
      make_random(&box, context, seed);
    pl_block_matrix_add_diagonal(context, &box.matrix, seed == 0 ? 3600 : 1, box.masses);
    size_t size = 3 * (size_t)box.row_count;
    double *rhs = malloc(3 * RHS_COUNT * size * sizeof *rhs), *one = rhs + RHS_COUNT * size,
           *two = one + RHS_COUNT * size;
    fill_right(rhs, RHS_COUNT * size);
    memset(one, 0, RHS_COUNT * size * sizeof *one);
    memset(two, 0, RHS_COUNT * size * sizeof *two);
    pl_linear_solver *cg = make_solver(context, &box, PL_LINEAR_CG),
                     *dense = make_solver(context, &box, PL_LINEAR_DENSE);
    check_ok(pl_linear_solver_factor(cg, &box.matrix, &error), &error);
    check_ok(pl_linear_solver_factor(dense, &box.matrix, &error), &error);
    check_ok(pl_linear_solver_solve(cg, rhs, RHS_COUNT, one, &error), &error);
    check_ok(pl_linear_solver_solve(dense, rhs, RHS_COUNT, two, &error), &error);
    check_at_most(vector_distance(one, two, RHS_COUNT * size), 1e-8);
    const pl_linear_report *report = pl_linear_solver_report(cg), *other = pl_linear_solver_report(dense);
    assert_string_equal(report->name, "cg");
    assert_string_equal(other->name, "dense");
    assert_true(report->iteration_count > 3 && other->iteration_count == 0);
    check_at_most(report->residual, 1e-12);
    check_at_most(other->residual, 1e-11);
    assert_true(report->shift == 0 && other->shift == 0 && report->try_count == 1);
    assert_true(report->analysis_seconds >= 0 && report->factor_seconds >= 0 && report->solve_seconds > 0);
    pl_linear_solver_destroy(cg);
    pl_linear_solver_destroy(dense);
    free(rhs);
    drop_box(&box);
  }
  drop_context(context);
}

static void indefinite_matrices_are_shifted_until_they_are_not(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  block_box box;
  pl_error error = {0};
  make_box(&box, context, 4, 3, 3, 1e6, 0.3);
  pl_block_matrix_add_diagonal(context, &box.matrix, -20000, box.masses);
  size_t size = 3 * (size_t)box.row_count;
  double *rhs = malloc(4 * size * sizeof *rhs), *one = rhs + size, *two = one + size, *diagonal = two + size;
  fill_right(rhs, size);
  memset(one, 0, 2 * size * sizeof *one);
  pl_linear_solver *cg = make_solver(context, &box, PL_LINEAR_CG), *dense = make_solver(context, &box, PL_LINEAR_DENSE);
  check_ok(pl_linear_solver_factor(cg, &box.matrix, &error), &error);
  check_ok(pl_linear_solver_factor(dense, &box.matrix, &error), &error);
  check_ok(pl_linear_solver_solve(cg, rhs, 1, one, &error), &error);
  check_ok(pl_linear_solver_solve(dense, rhs, 1, two, &error), &error);
  const pl_linear_report *report = pl_linear_solver_report(dense);
  print_message("shift %g, %g\n", report->shift, pl_linear_solver_report(cg)->shift);
  assert_true(report->shift > 0 && report->try_count > 1);
  // Elimination sees every negative direction, conjugate gradients those that the right-hand side leads to: here the
  // same.
  assert_true(pl_linear_solver_report(cg)->shift == report->shift);
  check_at_most(vector_distance(one, two, size), 1e-8);
  // What was solved is what the report says.
  for (size_t i = 0; i < size; ++i)
    diagonal[i] = fabs(box.matrix.values[9 * (size_t)box.pattern.diagonal[i / 3] + 4 * (i % 3)]);
  pl_block_matrix_multiply(context, &box.matrix, two, one);
  for (size_t i = 0; i < size; ++i) one[i] += report->shift * diagonal[i] * two[i];
  check_at_most(vector_distance(one, rhs, size), 1e-9);
  // The next, definite, matrix needs none.
  pl_block_matrix_add_diagonal(context, &box.matrix, 40000, box.masses);
  check_ok(pl_linear_solver_factor(dense, &box.matrix, &error), &error);
  assert_true(report->shift == 0);
  // Nothing helps against values that are not numbers.
  box.matrix.values[9 * box.pattern.diagonal[7] + 4] = nan("");
  assert_int_equal(pl_linear_solver_factor(dense, &box.matrix, &error), PL_ERROR_NOT_FINITE);
  pl_linear_solver_destroy(cg);
  pl_linear_solver_destroy(dense);
  free(rhs);
  drop_box(&box);
  drop_context(context);
}

static const char *choose(const block_box *box, pl_linear_def def, pl_block_preconditioner *preconditioner) {
  char reason[320];
  const pl_linear_backend *backend = pl_linear_choose(&box->pattern, &def, reason, sizeof reason);
  print_message("%s: %s\n", backend->name, reason);
  *preconditioner = def.preconditioner;
  return backend->name;
}

static void auto_chooses_by_size_and_stiffness(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  block_box small, large;
  pl_block_preconditioner with;
  make_box(&small, context, 2, 2, 2, 1e5, 0.3);
  make_box(&large, context, 12, 11, 23, 1e5, 0.3);
  pl_linear_def def = pl_default_linear_def();
  const pl_linear_backend sparse = {.name = "sparse"};
  // Soft: a handful of cheap iterations. Stiff: rigid pieces. Stiff, nearly incompressible and uneven: the incomplete
  // factor.
  def.hint.element_size = 0.1;
  assert_string_equal(choose(&large, def, &with), "cg");
  assert_int_equal(with, PL_PRECONDITION_JACOBI);
  def.hint.young = 1e8;
  assert_string_equal(choose(&large, def, &with), "cg");
  assert_int_equal(with, PL_PRECONDITION_COARSE);
  def.hint.poisson = 0.49;
  def.hint.young_contrast = 100;
  assert_string_equal(choose(&large, def, &with), "cg");
  assert_int_equal(with, PL_PRECONDITION_INCOMPLETE);
  // A small stiff body, and one matrix for many right-hand sides.
  def.hint.step = 0;
  assert_string_equal(choose(&small, def, &with), "dense");
  def.direct = &sparse;
  assert_string_equal(choose(&large, def, &with), "cg");
  def.hint.solves_per_factor = 100;
  assert_string_equal(choose(&large, def, &with), "sparse");
  drop_box(&small);
  drop_box(&large);
  drop_context(context);
}

static void back_ends_that_are_not_there_are_refused(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  block_box box;
  pl_error error = {0};
  pl_linear_solver *solver = NULL;
  pl_linear_def def = pl_default_linear_def();
  make_box(&box, context, 10, 10, 10, 1e5, 0.3);
  def.choice = PL_LINEAR_DIRECT;
  assert_int_equal(pl_linear_solver_create(context, &box.pattern, &def, &solver, &error), PL_ERROR_UNSUPPORTED);
  assert_null(solver);
  def.choice = PL_LINEAR_DENSE;
  assert_int_equal(pl_linear_solver_create(context, &box.pattern, &def, &solver, &error), PL_ERROR_UNSUPPORTED);
  assert_null(solver);
  pl_linear_solver_destroy(NULL);
  drop_box(&box);
  drop_context(context);
}

static void running_out_of_memory_is_reported_and_solving_takes_none(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  block_box box;
  make_box(&box, context, 3, 3, 3, 1e5, 0.3);
  pl_block_matrix_add_diagonal(context, &box.matrix, 3600, box.masses);
  size_t size = 3 * (size_t)box.row_count;
  double *rhs = malloc(2 * size * sizeof *rhs), *x = rhs + size;
  fill_right(rhs, size);
  memset(x, 0, size * sizeof *x);
  int64_t live = allocator.live_count;
  for (int choice = PL_LINEAR_CG; choice <= PL_LINEAR_DENSE; ++choice) {
    int64_t n = 0;
    for (pl_status status = PL_ERROR_OUT_OF_MEMORY; status != PL_OK;) {
      pl_linear_solver *solver = NULL;
      pl_linear_def def = pl_default_linear_def();
      def.choice = (pl_linear_choice)choice;
      allocator.fail_at = allocator.call_count + ++n;
      status = pl_linear_solver_create(context, &box.pattern, &def, &solver, NULL);
      assert_true(status == PL_OK ? solver != NULL : status == PL_ERROR_OUT_OF_MEMORY && solver == NULL);
      allocator.fail_at = 0;
      if (status == PL_OK) {
        int64_t calls = allocator.call_count;
        assert_int_equal(pl_linear_solver_factor(solver, &box.matrix, NULL), PL_OK);
        assert_int_equal(pl_linear_solver_solve(solver, rhs, 1, x, NULL), PL_OK);
        assert_int_equal(allocator.call_count, calls);
      }
      pl_linear_solver_destroy(solver);
      assert_int_equal(allocator.live_count, live);
    }
    assert_true(n > 3);
  }
  free(rhs);
  drop_box(&box);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cg_and_dense_agree_for_many_right_hand_sides),
      cmocka_unit_test(indefinite_matrices_are_shifted_until_they_are_not),
      cmocka_unit_test(auto_chooses_by_size_and_stiffness),
      cmocka_unit_test(back_ends_that_are_not_there_are_refused),
      cmocka_unit_test(running_out_of_memory_is_reported_and_solving_takes_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
