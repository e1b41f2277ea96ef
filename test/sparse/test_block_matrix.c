// Patterns and scatter maps against brute force; assembly and products with the same bits for any number of threads and
// instruction set.
// ctest: unit threads
#include "fixtures/block_box.h"
#include "math/simd.h"
#include "sparse/block_kernels.h"

enum { ROWS = 50, TETS = 70, PAIRS = 30, WIDE = 5 };

typedef struct random_groups {
  int32_t tets[4 * TETS], pairs[2 * PAIRS], wide[8 * WIDE];
  pl_block_elements groups[4];
} random_groups;

static void make_groups(random_groups *g, uint64_t seed) {
  pl_random random = pl_random_of_seed(seed);
  for (int i = 0; i < 4 * TETS; ++i) g->tets[i] = (int32_t)(pl_random_u32(&random) % ROWS);
  for (int i = 0; i < 2 * PAIRS; ++i) g->pairs[i] = (int32_t)(pl_random_u32(&random) % ROWS);
  for (int i = 0; i < 8 * WIDE; ++i) g->wide[i] = (int32_t)(pl_random_u32(&random) % ROWS);
  g->groups[0] = (pl_block_elements){g->tets, TETS, 4};
  g->groups[1] = (pl_block_elements){g->pairs, PAIRS, 2};
  g->groups[2] = (pl_block_elements){g->wide, WIDE, 8};
  g->groups[3] = (pl_block_elements){NULL, 0, 3};
}

static void the_scatter_map_is_that_of_brute_force(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    random_groups g;
    make_groups(&g, seed);
    pl_arena arena;
    pl_arena_init(&arena, context, 0);
    pl_block_pattern pattern;
    pl_error error = {0};
    check_ok(pl_block_pattern_build(&arena, ROWS, g.groups, 4, &pattern, &error), &error);
    bool coupled[ROWS][ROWS] = {{false}};
    for (int i = 0; i < ROWS; ++i) coupled[i][i] = true;
    for (int k = 0; k < 4; ++k) {
      int32_t width = g.groups[k].corner_count;
      for (int32_t e = 0; e < g.groups[k].element_count; ++e)
        for (int32_t a = 0; a < width; ++a)
          for (int32_t b = 0; b < width; ++b) {
            int32_t row = g.groups[k].corners[e * width + a], column = g.groups[k].corners[e * width + b];
            int32_t slot = pattern.groups[k].slots[(e * width + a) * width + b];
            coupled[row][column] = true;
            assert_in_range(slot, pattern.start[row], pattern.start[row + 1] - 1);
            assert_int_equal(pattern.columns[slot], column);
          }
    }
    int32_t count = 0;
    for (int32_t row = 0; row < ROWS; ++row) {
      assert_int_equal(pattern.columns[pattern.diagonal[row]], row);
      for (int32_t column = 0; column < ROWS; ++column) {
        assert_int_equal(pl_block_pattern_find(&pattern, row, column) >= 0, coupled[row][column]);
        count += coupled[row][column];
      }
      for (int32_t i = pattern.start[row] + 1; i < pattern.start[row + 1]; ++i)
        assert_true(pattern.columns[i - 1] < pattern.columns[i]);
    }
    assert_int_equal(count, pattern.block_count);
    pl_arena_destroy(&arena);
  }
  drop_context(context);
}

// Every element once; chunks of one colour without a corner in common.
static void chunks_of_one_colour_never_meet(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  block_box box;
  make_box(&box, context, 8, 8, 8, 1e5, 0.3);
  const pl_block_group *group = &box.pattern.groups[0];
  int32_t *seen = calloc((size_t)box.tet_count, sizeof *seen), *user = calloc((size_t)box.row_count, sizeof *user);
  for (int32_t i = 0; i < box.tet_count; ++i) assert_int_equal(seen[group->order[i]]++, 0);
  assert_int_equal(group->colour_start[group->colour_count], group->chunk_count);
  assert_int_equal(group->chunk_start[group->chunk_count], box.tet_count);
  check_at_most(group->colour_count, group->chunk_count / 3);
  for (int32_t colour = 0; colour < group->colour_count; ++colour) {
    for (int32_t i = 0; i < box.row_count; ++i) user[i] = -1;
    for (int32_t chunk = group->colour_start[colour]; chunk < group->colour_start[colour + 1]; ++chunk)
      for (int32_t i = group->chunk_start[chunk]; i < group->chunk_start[chunk + 1]; ++i)
        for (int a = 0; a < 4; ++a) {
          int32_t *at = &user[box.tets[4 * group->order[i] + a]];
          assert_true(*at == -1 || *at == chunk);
          *at = chunk;
        }
  }
  free(seen);
  free(user);
  drop_box(&box);
  drop_context(context);
}

// A hub that every element shares: no two chunks may run together, however many there are.
static void elements_around_a_hub_are_visited_one_chunk_after_the_other(void **state) {
  (void)state;
  enum { SPOKES = 66 * 2048 };
  pl_context *context = make_context(2);
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  int32_t *pairs = malloc(2 * SPOKES * sizeof *pairs);
  double *matrices = calloc((size_t)36 * SPOKES, sizeof *matrices);
  for (int32_t i = 0; i < SPOKES; ++i) {
    pairs[2 * i] = 0;
    pairs[2 * i + 1] = i + 1;
    for (int k = 0; k < 36; ++k) matrices[36 * i + k] = 1;
  }
  pl_block_pattern pattern;
  pl_block_matrix matrix;
  pl_error error = {0};
  check_ok(pl_block_pattern_build(&arena, SPOKES + 1, &(pl_block_elements){pairs, SPOKES, 2}, 1, &pattern, &error),
           &error);
  assert_true(pattern.groups[0].chunk_count > 64);
  assert_true(pl_block_matrix_take(&arena, &pattern, &matrix));
  pl_block_matrix_add_elements(context, &matrix, 0, matrices);
  for (int k = 0; k < 9; ++k) assert_true(matrix.values[9 * pattern.diagonal[0] + k] == SPOKES);
  for (int32_t i = 1; i <= SPOKES; ++i) assert_true(matrix.values[9 * pattern.diagonal[i]] == 1);
  free(pairs);
  free(matrices);
  pl_arena_destroy(&arena);
  drop_context(context);
}

typedef struct visit_data {
  const block_box *box;
  double *forces;
} visit_data;

// Hands over the matrices and adds something to arrays by node meanwhile.
static void compute(void *data, const int32_t *elements, int32_t count, double *matrices) {
  const visit_data *v = data;
  for (int32_t i = 0; i < count; ++i) {
    const double *from = v->box->stiffness + 144 * elements[i];
    if (matrices != NULL) memcpy(matrices + 144 * i, from, 144 * sizeof(double));
    for (int a = 0; a < 12; ++a) v->forces[3 * v->box->tets[4 * elements[i] + a / 3] + a % 3] += from[13 * a];
  }
}

static void assembled_values_are_the_sums_of_elements(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  block_box box;
  make_box(&box, context, 3, 2, 4, 1e5, 0.3);
  size_t size = 3 * (size_t)box.row_count;
  double *dense = calloc(size * size, sizeof *dense), *x = calloc(size, sizeof *x), *y = calloc(size, sizeof *y);
  for (int32_t e = 0; e < box.tet_count; ++e)
    for (size_t i = 0; i < 12; ++i)
      for (size_t j = 0; j < 12; ++j)
        dense[(3 * (size_t)box.tets[4 * e + (int)i / 3] + i % 3) * size + 3 * (size_t)box.tets[4 * e + (int)j / 3] +
              j % 3] += box.stiffness[144 * (size_t)e + 12 * i + j];
  pl_block_matrix_add_diagonal(context, &box.matrix, 2, box.masses);
  for (size_t i = 0; i < size; ++i) dense[i * size + i] += 2 * box.masses[i / 3];
  for (int32_t row = 0; row < box.row_count; ++row)
    for (int32_t i = box.pattern.start[row]; i < box.pattern.start[row + 1]; ++i)
      for (size_t k = 0; k < 9; ++k)
        check_near(box.matrix.values[9 * (size_t)i + k],
                   dense[(3 * (size_t)row + k / 3) * size + 3 * (size_t)box.pattern.columns[i] + k % 3], 1e-9);
  for (size_t i = 0; i < size; ++i) x[i] = sin((double)i);
  pl_block_matrix_multiply(context, &box.matrix, x, y);
  for (size_t i = 0; i < size; ++i) {
    double sum = 0;
    for (size_t j = 0; j < size; ++j) sum += dense[i * size + j] * x[j];
    check_near(y[i], sum, 1e-8);
  }
  free(dense);
  free(x);
  free(y);
  drop_box(&box);
  drop_context(context);
}

static void threads_and_instruction_sets_change_no_bit(void **state) {
  (void)state;
  double *first = NULL;
  size_t total = 0;
  for (int32_t thread_count = 1; thread_count <= 3; ++thread_count) {
    pl_context *context = make_context(thread_count);
    block_box box;
    make_box(&box, context, 10, 9, 11, 1e5, 0.3);
    size_t size = 3 * (size_t)box.row_count, values = 9 * (size_t)box.pattern.block_count;
    total = values + 4 * size;
    double *all = calloc(total, sizeof *all), *x = calloc(size, sizeof *x);
    double *forces = all + values, *product = forces + size, *plain = product + size, *visited = plain + size;
    pl_block_matrix_clear(context, &box.matrix);
    pl_block_matrix_assemble(context, &box.matrix, 0, compute, &(visit_data){&box, forces});
    pl_block_pattern_visit(context, &box.pattern, 0, compute, &(visit_data){&box, visited});
    memcpy(all, box.matrix.values, values * sizeof *all);
    for (size_t i = 0; i < size; ++i) x[i] = cos(7.0 * (double)i);
    pl_block_matrix_multiply(context, &box.matrix, x, product);
    double sum = pl_block_kernels_plain.multiply(&box.matrix, 0, box.row_count, x, plain);
    assert_memory_equal(product, plain, size * sizeof *plain);
    assert_memory_equal(forces, visited, size * sizeof *plain);
    assert_true(sum == pl_block_kernels_choose()->multiply(&box.matrix, 0, box.row_count, x, plain));
    if (first == NULL)
      first = all;
    else {
      assert_memory_equal(first, all, total * sizeof *all);
      free(all);
    }
    free(x);
    drop_box(&box);
    drop_context(context);
  }
  free(first);
}

static void fixed_components_are_rows_and_columns_of_the_identity(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  block_box box;
  make_box(&box, context, 2, 3, 2, 1e5, 0.3);
  uint8_t *fixed = calloc((size_t)box.row_count, 1);
  for (int32_t i = 0; i < box.row_count; ++i) fixed[i] = (uint8_t)(i % 5 == 0 ? i % 8 : 0);
  size_t count = 9 * (size_t)box.pattern.block_count;
  double *before = malloc(count * sizeof *before);
  memcpy(before, box.matrix.values, count * sizeof *before);
  pl_block_matrix_fix(context, &box.matrix, fixed);
  assert_ptr_equal(box.matrix.fixed, fixed);
  for (int32_t row = 0; row < box.row_count; ++row)
    for (int32_t i = box.pattern.start[row]; i < box.pattern.start[row + 1]; ++i)
      for (int k = 0; k < 9; ++k) {
        int32_t column = box.pattern.columns[i];
        bool masked = (fixed[row] >> k / 3 & 1) != 0 || (fixed[column] >> k % 3 & 1) != 0;
        double expected = !masked ? before[9 * i + k] : row == column && k % 4 == 0 ? 1 : 0;
        assert_true(box.matrix.values[9 * i + k] == expected);
      }
  pl_block_matrix_clear(context, &box.matrix);
  assert_null(box.matrix.fixed);
  free(fixed);
  free(before);
  drop_box(&box);
  drop_context(context);
}

static void corners_that_are_no_rows_are_refused(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  pl_arena arena;
  pl_arena_init(&arena, context, 0);
  pl_block_pattern pattern;
  pl_error error = {0};
  const int32_t corners[4] = {0, 1, 2, 5};
  assert_int_equal(pl_block_pattern_build(&arena, 5, &(pl_block_elements){corners, 1, 4}, 1, &pattern, &error),
                   PL_ERROR_INVALID_ARGUMENT);
  assert_int_equal(pl_block_pattern_build(&arena, 6, &(pl_block_elements){corners, 1, PL_BLOCK_MAX_CORNERS + 1}, 1,
                                          &pattern, &error),
                   PL_ERROR_INVALID_ARGUMENT);
  assert_null(pattern.columns);
  // Nothing at all is a pattern too.
  check_ok(pl_block_pattern_build(&arena, 0, NULL, 0, &pattern, &error), &error);
  assert_int_equal(pattern.block_count, 0);
  pl_arena_destroy(&arena);
  drop_context(context);
}

static void running_out_of_memory_is_reported(void **state) {
  (void)state;
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  int64_t live = allocator.live_count, n = 0;
  random_groups g;
  make_groups(&g, 4);
  for (bool done = false; !done;) {
    pl_arena arena;
    pl_block_pattern pattern;
    pl_block_matrix matrix;
    pl_arena_init(&arena, context, 0);
    allocator.fail_at = allocator.call_count + ++n;
    pl_status status = pl_block_pattern_build(&arena, ROWS, g.groups, 4, &pattern, NULL);
    done = status == PL_OK && pl_block_matrix_take(&arena, &pattern, &matrix);
    assert_true(status == PL_OK || status == PL_ERROR_OUT_OF_MEMORY);
    if (status < 0) assert_null(pattern.columns);
    allocator.fail_at = 0;
    pl_arena_destroy(&arena);
    assert_int_equal(allocator.live_count, live);
  }
  assert_true(n > 3);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_scatter_map_is_that_of_brute_force),
      cmocka_unit_test(chunks_of_one_colour_never_meet),
      cmocka_unit_test(elements_around_a_hub_are_visited_one_chunk_after_the_other),
      cmocka_unit_test(assembled_values_are_the_sums_of_elements),
      cmocka_unit_test(threads_and_instruction_sets_change_no_bit),
      cmocka_unit_test(fixed_components_are_rows_and_columns_of_the_identity),
      cmocka_unit_test(corners_that_are_no_rows_are_refused),
      cmocka_unit_test(running_out_of_memory_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
