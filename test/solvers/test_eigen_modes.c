// Eigenmodes against closed forms: a chain of masses that is held at one end, the six rigid motions of a free body. In
// builds without ARPACK it says so.
// ctest: unit threads
#include "solvers/eigen_modes.h"

#include <pthread.h>

#include "fixtures/block_box.h"
#include "pliant/math.h"
#include "solvers/cholmod_solver.h"

enum { MASSES = 40 };

typedef struct chain {
  pl_arena arena;
  pl_block_pattern pattern;
  pl_block_matrix matrix;
  double masses[MASSES + 1];
  uint8_t fixed[MASSES + 1];
} chain;

// Row 0 is the wall. Equal springs of 50 N/m along x, equal masses of 2 kg; y and z are held, so that x alone vibrates.
static void make_chain(chain *c, pl_context *context) {
  pl_error error = {0};
  int32_t links[2 * MASSES];
  double elements[36 * MASSES] = {0};
  pl_arena_init(&c->arena, context, 0);
  for (int32_t i = 0; i < MASSES; ++i) {
    links[2 * i] = i;
    links[2 * i + 1] = i + 1;
    double *k = elements + 36 * i;
    k[0] = k[21] = 50;
    k[3] = k[18] = -50;
  }
  for (int32_t i = 0; i <= MASSES; ++i) {
    c->masses[i] = 2;
    c->fixed[i] = i == 0 ? PL_BLOCK_FIX_ALL : PL_BLOCK_FIX_Y | PL_BLOCK_FIX_Z;
  }
  check_ok(
      pl_block_pattern_build(&c->arena, MASSES + 1, &(pl_block_elements){links, MASSES, 2}, 1, &c->pattern, &error),
      &error);
  assert_true(pl_block_matrix_take(&c->arena, &c->pattern, &c->matrix));
  pl_block_matrix_add_elements(context, &c->matrix, 0, elements);
  pl_block_matrix_fix(context, &c->matrix, c->fixed);
}

static void a_chain_held_at_one_end_vibrates_as_the_formula_says(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  chain c;
  make_chain(&c, context);
  enum { MODES = 8, SIZE = 3 * (MASSES + 1) };
  double values[MODES], modes[MODES * SIZE];
  pl_error error = {0};
  pl_eigen_report report = {0};
  pl_eigen_def def = pl_default_eigen_def();
  def.mode_count = MODES;
  if (!pl_eigen_is_available()) {
    assert_int_equal(pl_eigen_modes_compute(context, &c.matrix, c.masses, &def, values, modes, &report, &error),
                     PL_ERROR_UNSUPPORTED);
  } else {
    for (int choice = PL_LINEAR_CG; choice <= PL_LINEAR_DENSE; ++choice) {
      def.solver.choice = (pl_linear_choice)choice;
      check_ok(pl_eigen_modes_compute(context, &c.matrix, c.masses, &def, values, modes, &report, &error), &error);
      print_message("%s: %d restarts, %d solves, residual %.3g\n", report.solver, report.iteration_count,
                    report.solve_count, report.residual);
      assert_int_equal(report.converged_count, MODES);
      check_at_most(report.residual, 1e-8);
      for (int k = 0; k < MODES; ++k) {
        // All masses equal, the last one with a spring on one side only: half an angle more than a whole number at the
        // free end.
        double angle = (2 * k + 1) * PL_PI / (2 * MASSES + 1), expected = 4 * 50 / 2.0 * pow(sin(angle / 2), 2);
        check_near(values[k], expected, 1e-9 * expected);
        double norm = 0, sign = modes[k * SIZE + 3] > 0 ? 1 : -1, amplitude = sqrt(2 / ((2 * MASSES + 1) * 0.5 * 2));
        for (int i = 0; i < SIZE; ++i) norm += 2 * modes[k * SIZE + i] * modes[k * SIZE + i];
        check_near(norm, 1, 1e-10);
        for (int i = 0; i <= MASSES; ++i) {
          check_near(sign * modes[k * SIZE + 3 * i], amplitude * sin(i * angle), 1e-7);
          assert_true(modes[k * SIZE + 3 * i + 1] == 0 && modes[k * SIZE + 3 * i + 2] == 0);
        }
      }
    }
  }
  pl_arena_destroy(&c.arena);
  drop_context(context);
}

static void a_free_body_has_six_rigid_modes(void **state) {
  (void)state;
  if (!pl_eigen_is_available()) skip();
  pl_context *context = make_context(1);
  block_box box;
  enum { MODES = 9 };
  pl_error error = {0};
  pl_eigen_report report = {0};
  make_box(&box, context, 5, 3, 3, 1e6, 0.3);
  size_t size = 3 * (size_t)box.row_count;
  double values[MODES], *modes = calloc(MODES * size, sizeof *modes);
  pl_eigen_def def = pl_default_eigen_def();
  def.mode_count = MODES;
  def.solver.direct = pl_cholmod_backend();
  def.solver.positions = box.positions;
  check_ok(pl_eigen_modes_compute(context, &box.matrix, box.masses, &def, values, modes, &report, &error), &error);
  print_message("%s: %d solves, shift %g, values %g … %g | %g\n", report.solver, report.solve_count, report.shift,
                values[0], values[5], values[6]);
  check_at_most(report.residual, 1e-7);
  for (int k = 0; k < 6; ++k) check_at_most(fabs(values[k]), 1e-6 * values[6]);
  assert_true(values[6] > 100 && values[7] >= values[6] && values[8] >= values[7]);
  // Rigid modes leave every edge as long as it is, to first order.
  for (int k = 0; k < 6; ++k)
    for (int32_t e = 0; e < box.tet_count; ++e)
      for (int a = 0; a < 3; ++a) {
        int32_t i = box.tets[4 * e + a], j = box.tets[4 * e + a + 1];
        double change = 0;
        for (int c = 0; c < 3; ++c)
          change += (box.positions[3 * i + c] - box.positions[3 * j + c]) *
                    (modes[(size_t)k * size + (size_t)(3 * i + c)] - modes[(size_t)k * size + (size_t)(3 * j + c)]);
        check_near(change, 0, 1e-7);
      }
  for (int k = 0; k < MODES; ++k)
    for (int l = 0; l < MODES; ++l) {
      double product = 0;
      for (size_t i = 0; i < size; ++i)
        product += box.masses[i / 3] * modes[(size_t)k * size + i] * modes[(size_t)l * size + i];
      check_near(product, k == l, 1e-8);
    }
  free(modes);
  drop_box(&box);
  drop_context(context);
}

typedef struct thread_run {
  pl_context *context;
  double values[4], modes[4 * 3 * (MASSES + 1)];
} thread_run;

static void *run_modes(void *data) {
  thread_run *run = data;
  chain c;
  make_chain(&c, run->context);
  pl_eigen_def def = pl_default_eigen_def();
  def.mode_count = 4;
  def.solver.choice = PL_LINEAR_DENSE;
  pl_status status =
      pl_eigen_modes_compute(run->context, &c.matrix, c.masses, &def, run->values, run->modes, NULL, NULL);
  pl_arena_destroy(&c.arena);
  return status == PL_OK ? data : NULL;
}

static void calls_from_several_threads_take_turns_and_give_equal_bits(void **state) {
  (void)state;
  if (!pl_eigen_is_available()) skip();
  enum { RUNS = 3 };
  static thread_run runs[RUNS];
  pthread_t threads[RUNS];
  pl_context *context = make_context(1);
  for (int i = 0; i < RUNS; ++i) {
    runs[i].context = context;
    assert_int_equal(pthread_create(&threads[i], NULL, run_modes, &runs[i]), 0);
  }
  for (int i = 0; i < RUNS; ++i) {
    void *result = NULL;
    pthread_join(threads[i], &result);
    assert_ptr_equal(result, &runs[i]);
    assert_memory_equal(runs[i].modes, runs[0].modes, sizeof runs[0].modes);
    assert_memory_equal(runs[i].values, runs[0].values, sizeof runs[0].values);
  }
  drop_context(context);
}

static void what_cannot_be_is_refused(void **state) {
  (void)state;
  if (!pl_eigen_is_available()) skip();
  pl_context *context = make_context(1);
  chain c;
  make_chain(&c, context);
  static double values[MASSES], modes[MASSES * 3 * (MASSES + 1)];
  pl_error error = {0};
  pl_eigen_def def = pl_default_eigen_def();
  def.solver.choice = PL_LINEAR_DENSE;
  def.mode_count = MASSES;
  assert_int_equal(pl_eigen_modes_compute(context, &c.matrix, c.masses, &def, values, modes, NULL, &error),
                   PL_ERROR_INVALID_ARGUMENT);
  def.mode_count = MASSES - 1;
  check_ok(pl_eigen_modes_compute(context, &c.matrix, c.masses, &def, values, modes, NULL, &error), &error);
  def.mode_count = 3;
  c.masses[5] = 0;
  assert_int_equal(pl_eigen_modes_compute(context, &c.matrix, c.masses, &def, values, modes, NULL, &error),
                   PL_ERROR_INVALID_ARGUMENT);
  c.masses[5] = 2;
  // Springs that push.
  for (int32_t i = 0; i < 9 * c.pattern.block_count; ++i) c.matrix.values[i] = -c.matrix.values[i];
  assert_int_equal(pl_eigen_modes_compute(context, &c.matrix, c.masses, &def, values, modes, NULL, &error),
                   PL_ERROR_INVALID_DATA);
  pl_arena_destroy(&c.arena);
  drop_context(context);
}

static void running_out_of_memory_is_reported(void **state) {
  (void)state;
  if (!pl_eigen_is_available()) skip();
  failing_allocator allocator = {0};
  pl_context *context = make_failing_context(&allocator);
  chain c;
  make_chain(&c, context);
  int64_t live = allocator.live_count, n = 0;
  double values[2], modes[2 * 3 * (MASSES + 1)];
  pl_eigen_def def = pl_default_eigen_def();
  def.mode_count = 2;
  def.solver.choice = PL_LINEAR_DENSE;
  for (pl_status status = PL_ERROR_OUT_OF_MEMORY; status != PL_OK;) {
    allocator.fail_at = allocator.call_count + ++n;
    status = pl_eigen_modes_compute(context, &c.matrix, c.masses, &def, values, modes, NULL, NULL);
    assert_true(status == PL_OK || status == PL_ERROR_OUT_OF_MEMORY);
    allocator.fail_at = 0;
    assert_int_equal(allocator.live_count, live);
  }
  assert_true(n > 3);
  pl_arena_destroy(&c.arena);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_chain_held_at_one_end_vibrates_as_the_formula_says),
      cmocka_unit_test(a_free_body_has_six_rigid_modes),
      cmocka_unit_test(calls_from_several_threads_take_turns_and_give_equal_bits),
      cmocka_unit_test(what_cannot_be_is_refused),
      cmocka_unit_test(running_out_of_memory_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
