// Conjugate gradients with every preconditioner against dense elimination: accuracy, threads, warm start, fixed
// components, negative curvature, memory.
// ctest: unit threads
#include "fixtures/block_box.h"
#include "sparse/block_coarse.h"
#include "sparse/block_conjugate.h"
#include "sparse/block_incomplete.h"

static const pl_block_preconditioner KINDS[3] = {PL_PRECONDITION_JACOBI, PL_PRECONDITION_COARSE,
                                                 PL_PRECONDITION_INCOMPLETE};

// Implicit step of a box that is held at x = 0; a force on everything else.
static void make_problem(block_box *box, pl_context *context, double young, double poisson, uint8_t **fixed,
                         double **rhs) {
  make_box(box, context, 6, 4, 5, young, poisson);
  *fixed = PL_TAKE(&box->arena, uint8_t, box->row_count);
  *rhs = PL_TAKE(&box->arena, double, 3 * box->row_count);
  for (int32_t i = 0; i < box->row_count; ++i) {
    (*fixed)[i] = i % 7 == 0 ? PL_BLOCK_FIX_ALL : i == 9 ? PL_BLOCK_FIX_Y : 0;
    for (int c = 0; c < 3; ++c) (*rhs)[3 * i + c] = ((*fixed)[i] >> c & 1) != 0 ? 0 : sin(3.0 * i + c);
  }
  pl_block_matrix_add_diagonal(context, &box->matrix, 3600, box->masses);
  pl_block_matrix_fix(context, &box->matrix, *fixed);
}

// The solution by elimination, written here.
static double *eliminate(const block_box *box, const double *rhs) {
  size_t size = 3 * (size_t)box->row_count;
  double *a = calloc(size * size, sizeof *a), *x = malloc(size * sizeof *x);
  memcpy(x, rhs, size * sizeof *x);
  for (int32_t row = 0; row < box->row_count; ++row)
    for (int32_t i = box->pattern.start[row]; i < box->pattern.start[row + 1]; ++i)
      for (size_t k = 0; k < 9; ++k)
        a[(3 * (size_t)row + k / 3) * size + 3 * (size_t)box->pattern.columns[i] + k % 3] =
            box->matrix.values[9 * (size_t)i + k];
  for (size_t k = 0; k < size; ++k)
    for (size_t i = k + 1; i < size; ++i) {
      double factor = a[i * size + k] / a[k * size + k];
      if (factor == 0) continue;
      for (size_t j = k; j < size; ++j) a[i * size + j] -= factor * a[k * size + j];
      x[i] -= factor * x[k];
    }
  for (size_t i = size; i-- > 0;) {
    for (size_t j = i + 1; j < size; ++j) x[i] -= a[i * size + j] * x[j];
    x[i] /= a[i * size + i];
  }
  free(a);
  return x;
}

static void every_preconditioner_finds_the_solution_of_elimination(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  for (int hard = 0; hard < 2; ++hard) {
    block_box box;
    uint8_t *fixed;
    double *rhs;
    make_problem(&box, context, hard ? 1e8 : 1e5, hard ? 0.49 : 0.3, &fixed, &rhs);
    size_t size = 3 * (size_t)box.row_count;
    double *expected = eliminate(&box, rhs), *x = malloc(size * sizeof *x);
    int32_t counts[3];
    for (int k = 0; k < 3; ++k) {
      pl_error error = {0};
      pl_block_conjugate *solver;
      pl_block_conjugate_report report;
      memset(x, 0, size * sizeof *x);
      check_ok(pl_block_conjugate_create(context, &box.pattern, KINDS[k], box.positions, &solver, &error), &error);
      pl_block_conjugate_prepare(solver, &box.matrix, 0, NULL);
      assert_int_equal(pl_block_conjugate_solve(solver, rhs, 1, &(pl_block_limits){1e-11, 5000}, x, &report), PL_OK);
      counts[k] = report.iteration_count;
      check_at_most(report.residual, 1e-11);
      check_at_most(vector_distance(x, expected, size), 1e-8);
      for (size_t i = 0; i < size; ++i)
        if ((fixed[i / 3] >> i % 3 & 1) != 0) assert_true(x[i] == 0);
      // From the solution there is nothing left to do.
      assert_int_equal(pl_block_conjugate_solve(solver, rhs, 1, &(pl_block_limits){1e-9, 5000}, x, &report), PL_OK);
      assert_int_equal(report.iteration_count, 0);
      pl_block_conjugate_destroy(solver);
    }
    print_message("iterations %d %d %d\n", counts[0], counts[1], counts[2]);
    if (hard) {
      check_at_most(counts[1], 0.8 * counts[0]);
      check_at_most(counts[2], 0.5 * counts[1]);
    }
    free(expected);
    free(x);
    drop_box(&box);
  }
  drop_context(context);
}

// Pieces, slabs and blocks of rows in plenty.
static void threads_and_instruction_sets_change_no_bit(void **state) {
  (void)state;
  for (int k = 0; k < 3; ++k) {
    double *first = NULL;
    for (int32_t thread_count = 1; thread_count <= 3; ++thread_count) {
      pl_context *context = make_context(thread_count);
      block_box box;
      make_box(&box, context, 16, 14, 16, 1e6, 0.4);
      assert_true(box.row_count > 2 * pl_block_slab(box.row_count));
      pl_block_matrix_add_diagonal(context, &box.matrix, 3600, box.masses);
      size_t size = 3 * (size_t)box.row_count;
      double *rhs = calloc(size, sizeof *rhs), *x = calloc(size, sizeof *x);
      for (size_t i = 0; i < size; ++i) rhs[i] = i % 3 == 1 ? -9.81 * box.masses[i / 3] : sin(0.1 * (double)i);
      pl_block_conjugate *solver;
      pl_error error = {0};
      check_ok(pl_block_conjugate_create(context, &box.pattern, KINDS[k], box.positions, &solver, &error), &error);
      pl_block_conjugate_prepare(solver, &box.matrix, 0, NULL);
      assert_int_equal(pl_block_conjugate_solve(solver, rhs, 1, &(pl_block_limits){1e-4, 500}, x, NULL), PL_OK);
      pl_block_conjugate_destroy(solver);
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
}

static void kernels_of_both_instruction_sets_agree(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  const pl_block_kernels *fast = pl_block_kernels_choose(), *plain = &pl_block_kernels_plain;
  block_box box;
  make_box(&box, context, 7, 6, 5, 1e5, 0.45);
  pl_block_matrix_add_diagonal(context, &box.matrix, 3600, box.masses);
  size_t size = 3 * (size_t)box.row_count;
  pl_block_incomplete factor;
  assert_true(pl_block_incomplete_take(&box.arena, &box.pattern, &factor));
  pl_block_incomplete_run(context, &box.matrix, 0, NULL, &factor);
  double *r = calloc(3 * size, sizeof *r), *one = r + size, *two = one + size;
  for (size_t i = 0; i < size; ++i) r[i] = cos((double)i);
  fast->sweep(&factor.lower, 0, box.row_count, r, one, factor.workspace);
  plain->sweep(&factor.lower, 0, box.row_count, r, two, factor.workspace);
  assert_memory_equal(one, two, size * sizeof *one);
  enum { SIZE = 37 };
  // Of a dense factor; what finds it is in test_dense_factor.c.
  double lower[SIZE * SIZE], inverses[SIZE];
  for (int i = 0; i < SIZE * SIZE; ++i) lower[i] = i % (SIZE + 1) == 0 ? 40 : sin(1.0 * (i % SIZE) * (i / SIZE));
  for (int k = 0; k < SIZE; ++k) inverses[k] = 1 / lower[k * SIZE + k];
  fast->substitute(lower, SIZE, inverses, one);
  plain->substitute(lower, SIZE, inverses, two);
  assert_memory_equal(one, two, SIZE * sizeof *one);
  free(r);
  drop_box(&box);
  drop_context(context);
}

// The residual after the coarse correction is at right angles to every motion of the coarse space, and these are rigid.
static void the_coarse_part_solves_for_rigid_motions_exactly(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  for (int shifted = 0; shifted < 2; ++shifted) {
    block_box box;
    uint8_t *fixed;
    double *rhs;
    make_problem(&box, context, 1e6, 0.3, &fixed, &rhs);
    size_t size = 3 * (size_t)box.row_count;
    double *moved = calloc(3 * size, sizeof *moved), *image = moved + size, *weights = image + size,
           shift = shifted ? 0.3 : 0;
    for (size_t i = 0; i < size; ++i) weights[i] = 1e4 * (1 + sin((double)i));
    pl_block_coarse coarse;
    assert_true(pl_block_coarse_take(&box.arena, &box.pattern, box.positions, &coarse));
    pl_block_coarse_run(context, &box.matrix, shift, weights, &coarse);
    double product = pl_block_coarse_solve(context, &coarse, rhs), expected = 0;
    for (int32_t i = 0; i < box.row_count; ++i) pl_block_coarse_move(&coarse, i, moved + 3 * i);
    pl_block_matrix_multiply(context, &box.matrix, moved, image);
    for (size_t i = 0; i < size; ++i) {
      expected += rhs[i] * moved[i];
      image[i] = rhs[i] - image[i] - shift * weights[i] * moved[i];
    }
    check_near(product, expected, 1e-10 * fabs(expected));
    for (int32_t k = 0; k < 6 * coarse.piece_count; ++k) {
      double sum = 0, scale = 0, at[3], translation[3] = {0};
      memset(coarse.motion, 0, 6 * (size_t)coarse.piece_count * sizeof(double));
      coarse.motion[k] = 1;
      for (int32_t i = 0; i < box.row_count; ++i) {
        pl_block_coarse_move(&coarse, i, at);
        for (int c = 0; c < 3; ++c) {
          sum += at[c] * image[3 * i + c];
          scale += fabs(at[c] * rhs[3 * i + c]);
          if (k % 6 < 3 && fixed[i] == 0 && coarse.piece_of_row[i] == k / 6) translation[c] = at[c];
        }
      }
      check_near(sum, 0, 1e-9 * (scale + 1e-3));
      if (k % 6 < 3)
        assert_true(translation[k % 6] == 1 &&
                    translation[(k + 1) % 3] + translation[(k + 2) % 3] + translation[k % 3] == 1);
    }
    free(moved);
    drop_box(&box);
  }
  drop_context(context);
}

// Eliminating a chain fills nothing in, so leaving fill out leaves nothing out but digits: the factor is in single
// precision.
static void the_incomplete_factor_of_a_chain_is_complete(void **state) {
  (void)state;
  enum { COUNT = 30 };
  pl_context *context = make_context(1);
  pl_random random = pl_random_of_seed(5);
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  int32_t pairs[2 * COUNT];
  double elements[36 * COUNT], ones[COUNT + 1], x[3 * COUNT + 3], r[3 * COUNT + 3], z[3 * COUNT + 3];
  for (int32_t e = 0; e < COUNT; ++e) {
    double g[12];
    pairs[2 * e] = e;
    pairs[2 * e + 1] = e + 1;
    for (int i = 0; i < 12; ++i) g[i] = pl_random_between(&random, -1, 1);
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) elements[36 * e + 6 * i + j] = g[i] * g[j] + g[6 + i] * g[6 + j];
  }
  for (int i = 0; i <= COUNT; ++i) ones[i] = 0.5;
  for (int i = 0; i < 3 * COUNT + 3; ++i) x[i] = pl_random_between(&random, -1, 1);
  pl_block_pattern pattern;
  pl_block_matrix matrix;
  pl_block_incomplete factor;
  pl_error error = {0};
  check_ok(pl_block_pattern_build(&arena, COUNT + 1, &(pl_block_elements){pairs, COUNT, 2}, 1, &pattern, &error),
           &error);
  assert_true(pl_block_matrix_take(&arena, &pattern, &matrix) && pl_block_incomplete_take(&arena, &pattern, &factor));
  pl_block_matrix_add_elements(context, &matrix, 0, elements);
  pl_block_matrix_add_diagonal(context, &matrix, 1, ones);
  pl_block_incomplete_run(context, &matrix, 0, NULL, &factor);
  assert_true(factor.shifts[0] == 0);
  pl_block_matrix_multiply(context, &matrix, x, r);
  pl_block_kernels_choose()->sweep(&factor.lower, 0, COUNT + 1, r, z, factor.workspace);
  check_at_most(vector_distance(z, x, 3 * COUNT + 3), 1e-6);
  pl_arena_destroy(&arena);
  drop_context(context);
}

static void a_good_guess_saves_iterations_and_limits_are_kept(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  block_box box;
  uint8_t *fixed;
  double *rhs;
  make_problem(&box, context, 1e6, 0.3, &fixed, &rhs);
  size_t size = 3 * (size_t)box.row_count;
  double *x = calloc(size, sizeof *x);
  pl_block_conjugate *solver;
  pl_block_conjugate_report cold, warm, cut;
  pl_error error = {0};
  check_ok(pl_block_conjugate_create(context, &box.pattern, PL_PRECONDITION_JACOBI, NULL, &solver, &error), &error);
  pl_block_conjugate_prepare(solver, &box.matrix, 0, NULL);
  int64_t calls = pl_context_get_memory_report(context).allocation_count;
  assert_int_equal(pl_block_conjugate_solve(solver, rhs, 1, &(pl_block_limits){1e-6, 500}, x, &cold), PL_OK);
  for (size_t i = 0; i < size; ++i) x[i] *= 1.001;
  assert_int_equal(pl_block_conjugate_solve(solver, rhs, 1, &(pl_block_limits){1e-6, 500}, x, &warm), PL_OK);
  check_at_most(warm.iteration_count, 0.7 * cold.iteration_count);
  memset(x, 0, size * sizeof *x);
  assert_int_equal(pl_block_conjugate_solve(solver, rhs, 1, &(pl_block_limits){1e-6, 7}, x, &cut),
                   PL_REMARK_NOT_CONVERGED);
  assert_int_equal(cut.iteration_count, 7);
  assert_true(cut.residual > 1e-6 && !cut.negative_curvature);
  // Nothing in, nothing out, whatever was there.
  memset(rhs, 0, size * sizeof *rhs);
  assert_int_equal(pl_block_conjugate_solve(solver, rhs, 1, &(pl_block_limits){1e-6, 7}, x, &cut), PL_OK);
  for (size_t i = 0; i < size; ++i) assert_true(x[i] == 0);
  rhs[0] = 1e300;
  rhs[100] = nan("");
  assert_int_equal(pl_block_conjugate_solve(solver, rhs, 1, &(pl_block_limits){1e-6, 7}, x, &cut), PL_ERROR_NOT_FINITE);
  assert_int_equal(pl_context_get_memory_report(context).allocation_count, calls);
  pl_block_conjugate_destroy(solver);
  free(x);
  drop_box(&box);
  drop_context(context);
}

static void negative_curvature_is_reported_and_a_shift_cures_it(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  for (int k = 0; k < 3; ++k) {
    block_box box;
    uint8_t *fixed;
    double *rhs;
    make_problem(&box, context, 1e6, 0.3, &fixed, &rhs);
    size_t size = 3 * (size_t)box.row_count;
    double *x = calloc(size, sizeof *x), *weights = calloc(size, sizeof *weights);
    // The lowest modes are pushed below zero.
    pl_block_matrix_add_diagonal(context, &box.matrix, -40000, box.masses);
    for (size_t i = 0; i < size; ++i) weights[i] = box.masses[i / 3];
    pl_block_conjugate *solver;
    pl_block_conjugate_report report;
    pl_error error = {0};
    check_ok(pl_block_conjugate_create(context, &box.pattern, KINDS[k], box.positions, &solver, &error), &error);
    pl_block_conjugate_prepare(solver, &box.matrix, 0, NULL);
    assert_int_equal(pl_block_conjugate_solve(solver, rhs, 1, &(pl_block_limits){1e-6, 500}, x, &report),
                     PL_REMARK_NOT_CONVERGED);
    assert_true(report.negative_curvature);
    pl_block_conjugate_prepare(solver, &box.matrix, 40000, weights);
    assert_int_equal(pl_block_conjugate_solve(solver, rhs, 1, &(pl_block_limits){1e-10, 500}, x, &report), PL_OK);
    assert_false(report.negative_curvature);
    pl_block_matrix_add_diagonal(context, &box.matrix, 40000, box.masses);
    double *expected = eliminate(&box, rhs);
    check_at_most(vector_distance(x, expected, size), 1e-8);
    pl_block_conjugate_destroy(solver);
    free(expected);
    free(weights);
    free(x);
    drop_box(&box);
  }
  drop_context(context);
}

static void running_out_of_memory_is_reported(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  block_box box;
  make_box(&box, context, 3, 3, 3, 1e5, 0.3);
  int64_t live = allocator.live_count;
  for (int k = 0; k < 3; ++k) {
    int64_t n = 0;
    for (pl_status status = PL_ERROR_OUT_OF_MEMORY; status != PL_OK;) {
      pl_block_conjugate *solver = NULL;
      allocator.fail_at = allocator.call_count + ++n;
      status = pl_block_conjugate_create(context, &box.pattern, KINDS[k], box.positions, &solver, NULL);
      assert_true(status == PL_OK ? solver != NULL : status == PL_ERROR_OUT_OF_MEMORY && solver == NULL);
      allocator.fail_at = 0;
      pl_block_conjugate_destroy(solver);
      assert_int_equal(allocator.live_count, live);
    }
    assert_true(n > 2);
  }
  drop_box(&box);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_preconditioner_finds_the_solution_of_elimination),
      cmocka_unit_test(threads_and_instruction_sets_change_no_bit),
      cmocka_unit_test(kernels_of_both_instruction_sets_agree),
      cmocka_unit_test(the_coarse_part_solves_for_rigid_motions_exactly),
      cmocka_unit_test(the_incomplete_factor_of_a_chain_is_complete),
      cmocka_unit_test(a_good_guess_saves_iterations_and_limits_are_kept),
      cmocka_unit_test(negative_curvature_is_reported_and_a_shift_cures_it),
      cmocka_unit_test(running_out_of_memory_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
