// The dense Cholesky factor against the textbook's, unknowns that are left out, and every instruction set's panels: the
// same bits.
// ctest: unit
#include "base/random.h"
#include "check.h"
#include "math/simd.h"
#include "sparse/block_kernels.h"
#include "sparse/dense_factor.h"

enum { MAX_SIZE = 41 };
static const int32_t SIZES[] = {1, 3, 4, 7, 8, 9, 16, 19, 24, MAX_SIZE};
enum { SIZE_COUNT = sizeof SIZES / sizeof SIZES[0] };

// AᵀA + 1/10 of the identity.
static void fill(int32_t size, double *matrix) {
  pl_random random = pl_random_of_seed((uint64_t)size);
  double a[MAX_SIZE * MAX_SIZE];
  for (int32_t i = 0; i < size * size; ++i) a[i] = pl_random_between(&random, -1, 1);
  for (int32_t i = 0; i < size; ++i)
    for (int32_t j = 0; j < size; ++j) {
      double sum = i == j ? 0.1 : 0;
      for (int32_t k = 0; k < size; ++k) sum += a[size * k + i] * a[size * k + j];
      matrix[size * i + j] = sum;
    }
}

// L_rk = (A_rk - Σ_i<k L_ri L_ki) / L_kk, one entry after the other.
static void factor_plainly(int32_t size, double *matrix) {
  for (int32_t k = 0; k < size; ++k)
    for (int32_t r = k; r < size; ++r) {
      double sum = matrix[size * r + k];
      for (int32_t i = 0; i < k; ++i) sum -= matrix[size * r + i] * matrix[size * k + i];
      matrix[size * r + k] = r == k ? sqrt(sum) : sum / matrix[size * k + k];
    }
}

static void factor_is_that_of_the_textbook(void **state) {
  pl_context *context = *state;
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  for (int n = 0; n < SIZE_COUNT; ++n) {
    int32_t size = SIZES[n];
    double matrix[MAX_SIZE * MAX_SIZE], wanted[MAX_SIZE * MAX_SIZE], x[MAX_SIZE];
    pl_dense_factor factor;
    assert_true(pl_dense_factor_take(&arena, size, &factor));
    fill(size, matrix);
    memcpy(wanted, matrix, sizeof wanted);
    memcpy(factor.values, matrix, (size_t)(size * size) * sizeof(double));
    factor_plainly(size, wanted);
    assert_int_equal(pl_dense_factor_run(&factor, false), 0);
    for (int32_t i = 0; i < size; ++i)
      for (int32_t j = 0; j <= i; ++j)
        assert_true(fabs(factor.values[size * i + j] - wanted[size * i + j]) <= 1e-11 * sqrt(size));
    for (int32_t i = 0; i < size; ++i) x[i] = i + 1;
    pl_dense_factor_solve(&factor, x);
    for (int32_t i = 0; i < size; ++i) {
      double sum = 0;
      for (int32_t j = 0; j < size; ++j) sum += matrix[size * i + j] * x[j];
      assert_true(fabs(sum - (i + 1)) <= 1e-9);
    }
  }
  pl_arena_destroy(&arena);
}

// Unknowns 2 and 11 are one and the same: the second is left out, or ends the factor.
static void dependent_unknowns_are_left_out(void **state) {
  pl_context *context = *state;
  enum { SIZE = 13, FIRST = 2, SECOND = 11 };
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  double matrix[SIZE * SIZE], x[SIZE];
  pl_dense_factor factor;
  assert_true(pl_dense_factor_take(&arena, SIZE, &factor));
  fill(SIZE, matrix);
  for (int i = 0; i < SIZE; ++i) matrix[SIZE * SECOND + i] = matrix[SIZE * FIRST + i];
  for (int i = 0; i < SIZE; ++i) matrix[SIZE * i + SECOND] = matrix[SIZE * i + FIRST];
  memcpy(factor.values, matrix, sizeof matrix);
  assert_int_equal(pl_dense_factor_run(&factor, false), 1);
  memcpy(factor.values, matrix, sizeof matrix);
  assert_int_equal(pl_dense_factor_run(&factor, true), 1);
  for (int i = 0; i < SIZE; ++i) x[i] = matrix[SIZE * i] + 2 * matrix[SIZE * i + SIZE - 1];
  pl_dense_factor_solve(&factor, x);
  for (int i = 0; i < SIZE; ++i) assert_true(fabs(x[i] - (i == 0 ? 1 : i == SIZE - 1 ? 2 : 0)) <= 1e-9);
  pl_arena_destroy(&arena);
}

static void all_instruction_sets_give_the_same_bits(void **state) {
  (void)state;
#if PL_SIMD_HAS_AVX2
  if (!PL_SIMD_CAN_AVX2()) skip();
  const pl_block_kernels *all[] = {&pl_block_kernels_plain, &pl_block_kernels_avx2, &pl_block_kernels_avx512};
  enum { STRIDE = (MAX_SIZE + 7) / 8 * 8 };
  for (int n = 0; n < SIZE_COUNT; ++n) {
    ptrdiff_t size = SIZES[n];
    double results[3][MAX_SIZE * MAX_SIZE];
    for (int set = 0; set < (PL_SIMD_CAN_AVX512() ? 3 : 2); ++set) {
      double columns[PL_DENSE_PANEL * STRIDE] = {0}, dots[PL_DENSE_PANEL * STRIDE] = {0}, diagonal[STRIDE] = {0};
      double *values = results[set];
      pl_dense_panel panel = {values, size, (size + 7) / 8 * 8, columns, dots, diagonal};
      fill((int32_t)size, values);
      for (ptrdiff_t k = 0; k < size; ++k) diagonal[k] = values[size * k + k];
      for (int32_t first = 0; first < size; first += PL_DENSE_PANEL) {
        int32_t width = size - first < PL_DENSE_PANEL ? (int32_t)size - first : PL_DENSE_PANEL;
        all[set]->panel_begin(&panel, first, width);
        for (int32_t k = first; k < first + width; ++k) {
          values[size * k + k] = sqrt(diagonal[k]);
          all[set]->panel_column(&panel, first, k - first, 1 / values[size * k + k]);
        }
        all[set]->panel_end(&panel, first, width);
      }
      for (ptrdiff_t i = 0; i < size; ++i)
        assert_memory_equal(values + size * i, results[0] + size * i, (size_t)(i + 1) * sizeof(double));
    }
  }
#endif
}

static int make(void **state) {
  pl_context_def def = pl_default_context_def();
  pl_context *context = NULL;
  if (pl_context_create(&def, &context, NULL) < 0) return 1;
  *state = context;
  return 0;
}

static int drop(void **state) {
  pl_context_destroy(*state);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(factor_is_that_of_the_textbook, make, drop),
      cmocka_unit_test_setup_teardown(dependent_unknowns_are_left_out, make, drop),
      cmocka_unit_test(all_instruction_sets_give_the_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
