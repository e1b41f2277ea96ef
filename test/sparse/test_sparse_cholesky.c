// The sparse Cholesky factor: its order, its numbers and its solves, against dense elimination and residuals.
// ctest: unit
#include "base/random.h"
#include "check.h"
#include "sparse/dense_factor.h"
#include "sparse/sparse_cholesky.h"
#include "sparse/sparse_cholesky_kernels.h"
#include "sparse/sparse_order.h"

// A lattice of nodes whose cells of eight corners are coupled, with random weights: a Laplacian plus a little of the
// identity.
typedef struct lattice {
  pl_arena arena;
  pl_sparse matrix;
  pl_vec3 *positions;
} lattice;

static bool make_lattice(pl_context *context, int32_t nx, int32_t ny, int32_t nz, uint64_t seed, lattice *made) {
  pl_arena_init(&made->arena, context, 0);
  int32_t n = nx * ny * nz, count = 0, cells = (nx - 1) * (ny - 1) * (nz - 1);
  int32_t *corners = PL_TAKE(&made->arena, int32_t, 8 * (size_t)cells);
  made->positions = PL_TAKE(&made->arena, pl_vec3, n);
  if (made->arena.failed) return false;
  for (int32_t i = 0; i < n; ++i) made->positions[i] = (pl_vec3){i % nx, i / nx % ny, i / (nx * ny)};
  for (int32_t z = 0; z + 1 < nz; ++z)
    for (int32_t y = 0; y + 1 < ny; ++y)
      for (int32_t x = 0; x + 1 < nx; ++x, ++count)
        for (int32_t k = 0; k < 8; ++k)
          corners[8 * count + k] = x + (k & 1) + nx * (y + (k >> 1 & 1) + ny * (z + (k >> 2)));
  if (!pl_sparse_create(&made->arena, corners, count, 8, n, &made->matrix)) return false;
  pl_random random = pl_random_of_seed(seed);
  for (int32_t c = 0; c < count; ++c)
    for (int32_t a = 0; a < 8; ++a)
      for (int32_t b = 0; b < a; ++b) {
        int32_t i = corners[8 * c + a], j = corners[8 * c + b];
        double weight = 0.1 + pl_random_unit(&random);
        made->matrix.values[pl_sparse_find(&made->matrix, i, j)] -= weight;
        made->matrix.values[pl_sparse_find(&made->matrix, j, i)] -= weight;
        made->matrix.values[made->matrix.diagonal[i]] += weight;
        made->matrix.values[made->matrix.diagonal[j]] += weight;
      }
  for (int32_t i = 0; i < n; ++i) made->matrix.values[made->matrix.diagonal[i]] += 0.05;
  return true;
}

// Solve for a random right-hand side with every kernel: the same bits, and right to single precision.
static double solve_error(const lattice *l, const pl_sparse_cholesky *factor, pl_context *context) {
  int32_t n = factor->row_count;
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_f4 *x = PL_TAKE(&arena, pl_f4, n + 4), *y = PL_TAKE(&arena, pl_f4, n + 4);
  pl_vec3 *wanted = PL_TAKE(&arena, pl_vec3, n);
  float *workspace = PL_TAKE(&arena, float, pl_sparse_cholesky_workspace(factor) + 16);
  pl_random random = pl_random_of_seed(3);
  for (int32_t i = 0; i < n; ++i)
    wanted[i] = (pl_vec3){pl_random_normal(&random), pl_random_normal(&random), pl_random_normal(&random)};
  for (int32_t k = 0; k < n; ++k) {
    pl_vec3 rhs = pl_sparse_multiply_row(&l->matrix, factor->row_of[k], wanted);
    x[k] = y[k] = pl_f4_of_vec3(rhs);
    x[k][3] = 5;
  }
  pl_sparse_cholesky_solve(factor, x, workspace);
  pl_sparse_cholesky_kernels_plain.solve(factor, y, workspace);
  double worst = 0;
  for (int32_t k = 0; k < n; ++k) {
    pl_vec3 w = wanted[factor->row_of[k]];
    double d[3] = {(double)x[k][0] - w.x, (double)x[k][1] - w.y, (double)x[k][2] - w.z};
    for (int axis = 0; axis < 3; ++axis) {
      worst = fmax(worst, fabs(d[axis]));
      assert_true(x[k][axis] == y[k][axis]);
    }
    assert_true(x[k][3] == 0);
  }
  pl_arena_destroy(&arena);
  return worst;
}

static void solutions_are_right_to_single_precision(void **state) {
  (void)state;
  const int32_t sizes[][3] = {{2, 2, 2}, {3, 2, 4}, {5, 5, 5}, {9, 8, 7}, {2, 2, 60}, {12, 12, 23}};
  pl_context *context = make_context(1);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
    for (int with_positions = 0; with_positions < 2; ++with_positions) {
      lattice l;
      pl_error error = {0};
      pl_sparse_cholesky factor;
      assert_true(make_lattice(context, sizes[i][0], sizes[i][1], sizes[i][2], i + 1, &l));
      check_ok(
          pl_sparse_cholesky_build(context, &l.arena, &l.matrix, with_positions ? l.positions : NULL, &factor, &error),
          &error);
      double worst = solve_error(&l, &factor, context);
      print_message(
          "%5d rows, positions %s: %7lld entries (%.1f a row), %7zu floats in panels, %4d supernodes, error %.2g\n",
          l.matrix.row_count, with_positions ? "known  " : "unknown", (long long)factor.entry_count,
          (double)factor.entry_count / l.matrix.row_count, factor.panel_start[factor.supernode_count],
          factor.supernode_count, worst);
      check_at_most(worst, 2e-4);
      pl_arena_destroy(&l.arena);
    }
  drop_context(context);
}

// Everything is undone: the panels are multiplied out to the factor, in the order of elimination, and compared with the
// dense one.
static void panels_are_the_dense_factor(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  lattice l;
  pl_error error = {0};
  pl_sparse_cholesky f;
  assert_true(make_lattice(context, 7, 5, 6, 11, &l));
  check_ok(pl_sparse_cholesky_build(context, &l.arena, &l.matrix, l.positions, &f, &error), &error);
  int32_t n = f.row_count;
  pl_dense_factor dense;
  assert_true(pl_dense_factor_take(&l.arena, n, &dense));
  int32_t *index_of = PL_TAKE(&l.arena, int32_t, n);
  for (int32_t k = 0; k < n; ++k) index_of[f.row_of[k]] = k;
  for (int32_t row = 0; row < n; ++row)
    for (int32_t e = l.matrix.start[row]; e < l.matrix.start[row + 1]; ++e)
      dense.values[(size_t)index_of[row] * (size_t)n + (size_t)index_of[l.matrix.columns[e]]] = l.matrix.values[e];
  assert_int_equal(pl_dense_factor_run(&dense, false), 0);
  // Column c of the panel says what a unit right-hand side at c becomes: own rows L11⁻¹ e, rows below L21 L11⁻¹ e. So
  // panel * L11 = (1; L21).
  double worst = 0;
  for (int32_t s = 0; s < f.supernode_count; ++s) {
    int32_t first = f.first[s], width = f.first[s + 1] - first, below = f.below_start[s + 1] - f.below_start[s];
    int32_t rows = pl_panel_padded(width + below, PL_PANEL_ROWS);
    for (int32_t i = 0; i < width + below; ++i)
      for (int32_t c = 0; c < width; ++c) {
        double sum = 0;
        for (int32_t k = c; k < width; ++k) {
          // Tile of (i, k).
          const float *tiles = f.panels + f.panel_start[s];
          for (int32_t before = 0; before < k / 4 * 4; before += 4) tiles += 4 * (rows - pl_panel_begin(before));
          int32_t begin = pl_panel_begin(k / 4 * 4);
          double value = i < begin ? 0 : (double)tiles[(i - begin) / 8 * 32 + k % 4 * 8 + (i - begin) % 8];
          sum += value * dense.values[(size_t)(first + k) * (size_t)n + (size_t)(first + c)];
        }
        int32_t row = i < width ? first + i : f.below[f.below_start[s] + i - width];
        double wanted = i < width ? i == c : dense.values[(size_t)row * (size_t)n + (size_t)(first + c)];
        worst = fmax(worst, fabs(sum - wanted));
      }
  }
  print_message("largest difference to the dense factor: %.3g\n", worst);
  check_at_most(worst, 1e-5);
  pl_arena_destroy(&l.arena);
  drop_context(context);
}

static void every_row_is_eliminated_once(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  lattice l;
  assert_true(make_lattice(context, 9, 6, 7, 5, &l));
  int32_t n = l.matrix.row_count, *order = PL_TAKE(&l.arena, int32_t, n), *seen = PL_TAKE(&l.arena, int32_t, n);
  for (int with_positions = 0; with_positions < 2; ++with_positions) {
    assert_true(pl_sparse_order_find(context, &l.matrix, with_positions ? l.positions : NULL, order));
    for (int32_t k = 0; k < n; ++k) assert_int_equal(seen[order[k]]++, with_positions);
  }
  pl_arena_destroy(&l.arena);
  drop_context(context);
}

// Points all in one place, rows that touch nothing, a matrix that is full: cuts find nothing to go by.
static void odd_matrices_are_solved_too(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  enum { ROWS = 100 };
  for (int kind = 0; kind < 3; ++kind) {
    lattice l = {0};
    pl_arena_init(&l.arena, context, 0);
    int32_t corners[ROWS];
    for (int32_t i = 0; i < ROWS; ++i) corners[i] = i;
    // 0: diagonal, 1: full, 2: pieces of ten.
    int32_t width = kind == 0 ? 1 : kind == 1 ? ROWS : 10;
    assert_true(pl_sparse_create(&l.arena, corners, ROWS / width, width, ROWS, &l.matrix));
    l.positions = PL_TAKE(&l.arena, pl_vec3, ROWS);
    for (int32_t i = 0; i < ROWS; ++i)
      for (int32_t e = l.matrix.start[i]; e < l.matrix.start[i + 1]; ++e)
        l.matrix.values[e] = l.matrix.columns[e] == i ? 3 + 0.01 * i : 1.0 / ROWS;
    for (int with_positions = 0; with_positions < 2; ++with_positions) {
      pl_error error = {0};
      pl_sparse_cholesky factor;
      check_ok(
          pl_sparse_cholesky_build(context, &l.arena, &l.matrix, with_positions ? l.positions : NULL, &factor, &error),
          &error);
      check_at_most(solve_error(&l, &factor, context), 1e-5);
    }
    pl_arena_destroy(&l.arena);
  }
  drop_context(context);
}

static void a_matrix_that_is_not_positive_definite_is_refused(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  lattice l;
  assert_true(make_lattice(context, 5, 4, 4, 2, &l));
  l.matrix.values[l.matrix.diagonal[30]] = -1;
  pl_error error = {0};
  pl_sparse_cholesky factor;
  assert_int_equal(pl_sparse_cholesky_build(context, &l.arena, &l.matrix, l.positions, &factor, &error),
                   PL_ERROR_INVALID_DATA);
  assert_null(factor.panels);
  l.matrix.values[l.matrix.diagonal[30]] = nan("");
  assert_int_equal(pl_sparse_cholesky_build(context, &l.arena, &l.matrix, l.positions, &factor, &error),
                   PL_ERROR_INVALID_DATA);
  pl_arena_destroy(&l.arena);
  drop_context(context);
}

static void both_instruction_sets_factor_to_the_same_bits(void **state) {
  (void)state;
#if PL_SIMD_HAS_AVX2
  if (!PL_SIMD_CAN_AVX2()) skip();
  enum { SIZE = 37, WIDTH = 22 };
  static double a[SIZE * SIZE], b[SIZE * SIZE], column[SIZE];
  pl_random random = pl_random_of_seed(9);
  for (int c = 0; c < SIZE; ++c)
    for (int r = c; r < SIZE; ++r) a[c * SIZE + r] = b[c * SIZE + r] = r == c ? SIZE : pl_random_unit(&random);
  assert_true(pl_sparse_cholesky_kernels_plain.eliminate(a, SIZE, WIDTH));
  assert_true(pl_sparse_cholesky_kernels_avx2.eliminate(b, SIZE, WIDTH));
  pl_sparse_cholesky_kernels_plain.invert(a, SIZE, WIDTH, column);
  pl_sparse_cholesky_kernels_avx2.invert(b, SIZE, WIDTH, column);
  for (int c = 0; c < SIZE; ++c)
    for (int r = c; r < SIZE; ++r) assert_true(a[c * SIZE + r] == b[c * SIZE + r]);
#endif
}

static void any_allocation_may_fail(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  lattice l;
  assert_true(make_lattice(context, 6, 5, 5, 4, &l));
  int64_t live = allocator.live_count;
  for (int64_t n = 1;; ++n) {
    pl_arena arena;
    pl_arena_init(&arena, context, 0);
    pl_sparse_cholesky factor;
    allocator.call_count = 0;
    allocator.fail_at = n;
    pl_status status = pl_sparse_cholesky_build(context, &arena, &l.matrix, l.positions, &factor, NULL);
    bool reached = allocator.call_count >= n;
    allocator.fail_at = 0;
    pl_arena_destroy(&arena);
    assert_int_equal(allocator.live_count, live);
    assert_int_equal(status, reached ? PL_ERROR_OUT_OF_MEMORY : PL_OK);
    if (!reached) break;
    assert_true(n < 1000);
  }
  pl_arena_destroy(&l.arena);
  pl_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_row_is_eliminated_once),
      cmocka_unit_test(solutions_are_right_to_single_precision),
      cmocka_unit_test(panels_are_the_dense_factor),
      cmocka_unit_test(odd_matrices_are_solved_too),
      cmocka_unit_test(a_matrix_that_is_not_positive_definite_is_refused),
      cmocka_unit_test(both_instruction_sets_factor_to_the_same_bits),
      cmocka_unit_test(any_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
