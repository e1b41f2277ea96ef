// ctest: unit threads
// Fits of small bars to motions that are known exactly: what comes out, what is flagged, and that it does not depend on
// threads or interruptions.
#include "fem/fem_model.h"
#include "fixtures/cantilever_bars.h"
#include "pliant/math.h"
#include "solvers/eigen_modes.h"
#include "solvers/nlopt_simplex.h"

static const int32_t CELLS[3] = {6, 1, 1};
static const double TRUTH[5] = {3e5, 9e4, 0.3, 0.2, 3e-3};

static void open_known(fit_bar *bar, int32_t threads) {
  open_bar(bar, threads, 2, CELLS);
  bar->def.young.start = 1e5;
  bar->def.mass_damping.start = 1;
  make_motions(bar, TRUTH, 40, 1.0 / 30);
}

static void moduli_and_damping_of_an_exact_motion_are_found(void **state) {
  (void)state;
  pl_error error = {0};
  fit_bar bar;
  open_known(&bar, 1);
  pl_fit *fit = make_fit(&bar, 2);
  pl_fit_report report;
  check_ok(pl_fit_run(fit, &error), &error);
  check_ok(pl_fit_get_report(fit, &report, &error), &error);
  assert_int_equal(report.parameter_count, 5);
  assert_true(report.converged);
  for (int k = 0; k < 5; ++k) {
    const pl_fit_estimate *e = &report.estimates[k];
    print_message("%s: %.6g in %.4g … %.4g, truth %.6g\n", e->name, e->value, e->min, e->max, TRUTH[k]);
    check_near(e->value, TRUTH[k], 0.01 * TRUTH[k]);
    assert_int_equal(e->verdict, k == 2 ? PL_FIT_HELD : PL_FIT_DETERMINED);
    if (k != 2) assert_true(e->min < TRUTH[k] && TRUTH[k] < e->max);
    check_near(report.correlations[6 * k], k == 2 ? 0 : 1, 1e-12);
  }
  // A held-out motion: the same body released with a velocity.
  pl_fit_prediction prediction;
  check_ok(pl_fit_predict(fit, &bar.sequences[1], NULL, &prediction, &error), &error);
  check_at_most(prediction.rms, 1e-3 * prediction.amplitude);
  pl_model *model = NULL;
  check_ok(pl_fit_build_model(fit, NULL, &model, &error), &error);
  check_near(model->mass, fit->model->mass, 1e-9 * model->mass);
  // Tracking goes by the smallest modulus: the contrast is that of the body, whatever unit moduli come in.
  check_at_most(((const pl_fem_model *)model)->linear.hint.young_contrast, 1.01 * TRUTH[0] / TRUTH[1]);
  pl_model_destroy(model);
  pl_fit_destroy(fit);
  close_bar(&bar);
}

static void what_the_motion_does_not_show_is_flagged(void **state) {
  (void)state;
  pl_error error = {0};
  fit_bar bar;
  open_known(&bar, 1);
  // Only points near the wall are seen, and noise is as large as they move: nothing can be told of the far end.
  double *weights = calloc((size_t)bar.point_count, sizeof(double));
  for (int32_t i = 0; i < bar.point_count; ++i) weights[i] = pl_mesh_get_view(bar.mesh).points[i].x < -0.3;
  for (int s = 0; s < 2; ++s) bar.sequences[s].point_weights = weights, bar.sequences[s].frame_count = 6;
  bar.def.noise = 0.005;
  pl_fit *fit = make_fit(&bar, 2);
  pl_fit_report report;
  assert_true(pl_fit_run(fit, &error) >= 0);
  check_ok(pl_fit_get_report(fit, &report, &error), &error);
  assert_int_equal(report.estimates[1].verdict, PL_FIT_NOT_DETERMINED);
  assert_int_equal(report.estimates[3].verdict, PL_FIT_NOT_DETERMINED);
  assert_true(report.estimates[1].max > 1.5 * report.estimates[1].value);
  pl_fit_destroy(fit);
  free(weights);
  close_bar(&bar);
}

// A fit that was stopped early says so, whatever its numbers are.
static void a_fit_at_its_maximum_of_iterations_determines_nothing(void **state) {
  (void)state;
  pl_error error = {0};
  fit_bar bar;
  open_known(&bar, 1);
  bar.def.max_iterations = 2;
  pl_fit *fit = make_fit(&bar, 2);
  pl_fit_report report;
  assert_int_equal(pl_fit_run(fit, &error), PL_REMARK_NOT_CONVERGED);
  check_ok(pl_fit_get_report(fit, &report, &error), &error);
  assert_false(report.converged);
  for (int k = 0; k < 5; ++k)
    assert_int_equal(report.estimates[k].verdict, k == 2 ? PL_FIT_HELD : PL_FIT_NOT_CONVERGED);
  pl_fit_destroy(fit);
  close_bar(&bar);
}

// A recording that was cut too early: the bar is still drawn aside in its first `pull` frames, from `from` of the way
// on, by a hand that the fit does not know of.
typedef struct early_cut {
  double from;
  int32_t pull;
} early_cut;

static void check_early_cut(early_cut cut) {
  enum { FRAMES = 40 };
  pl_error error = {0};
  fit_bar bar;
  static const double truth[4] = {3e5, 0.3, 0.2, 3e-3};
  open_bar(&bar, 1, 1, CELLS);
  bar.def.young.start = 1e5;
  make_motions(&bar, truth, FRAMES, 1.0 / 30);
  size_t n = (size_t)bar.point_count;
  const pl_vec3 *rest = pl_mesh_get_view(bar.mesh).points;
  pl_vec3 *longer = calloc(n * (size_t)(FRAMES + cut.pull), sizeof *longer);
  memcpy(longer + (size_t)cut.pull * n, bar.positions[0], n * FRAMES * sizeof *longer);
  for (int32_t f = 0; f < cut.pull; ++f)
    for (size_t i = 0; i < n; ++i) {
      pl_vec3 way = pl_vec3_sub(bar.positions[0][i], rest[i]);
      longer[(size_t)f * n + i] = pl_vec3_add_scaled(rest[i], way, cut.from + (1 - cut.from) * f / cut.pull);
    }
  bar.sequences[0].frame_count = FRAMES + cut.pull;
  bar.sequences[0].positions = longer;
  bar.sequences[0].start_positions = NULL;
  pl_fit *fit = make_fit(&bar, 1);
  pl_fit_report report;
  assert_true(pl_fit_run(fit, &error) >= 0);
  check_ok(pl_fit_get_report(fit, &report, &error), &error);
  print_message("%d frames from %g of the way: %g Pa in place of %g, %g of %g m: %s\n", cut.pull, cut.from,
                report.estimates[0].value, truth[0], report.rms, report.amplitude,
                pl_fit_verdict_name(report.estimates[0].verdict));
  for (int k = 0; k < 4; ++k) assert_int_equal(report.estimates[k].verdict, k == 1 ? PL_FIT_HELD : PL_FIT_MISFIT);
  pl_fit_destroy(fit);
  free(longer);
  close_bar(&bar);
}

static void a_motion_that_begins_before_the_release_is_not_met(void **state) {
  (void)state;
  // By the interval of its residuals alone, the first would be 50 times too low and the second 29 %, both determined.
  static const early_cut cuts[] = {{0.7, 12}, {0.3, 4}, {0.5, 8}};
  for (size_t i = 0; i < sizeof cuts / sizeof *cuts; ++i) check_early_cut(cuts[i]);
}

// --- interruptions and threads ------------------------------------------------------------------------------------

typedef struct interruption {
  int32_t after;
  void *state;
  size_t size;
} interruption;

static bool interrupt(void *user, const pl_fit *fit, const pl_fit_progress *progress) {
  interruption *i = user;
  if (progress->iteration != i->after) return true;
  i->size = pl_fit_snapshot_size(fit);
  i->state = malloc(i->size);
  pl_fit_snapshot(fit, i->state);
  return false;
}

static void run_whole(int32_t threads, pl_fitter fitter, double *values) {
  pl_error error = {0};
  fit_bar bar;
  open_known(&bar, threads);
  bar.def.fitter = fitter;
  if (fitter == PL_FITTER_NELDER_MEAD) bar.def.max_iterations = 25;
  pl_fit *fit = make_fit(&bar, 2);
  assert_true(pl_fit_run(fit, &error) >= 0);
  memcpy(values, fit->values, 5 * sizeof(double));
  pl_fit_destroy(fit);
  close_bar(&bar);
}

static void run_interrupted(pl_fitter fitter, int32_t after, double *values) {
  pl_error error = {0};
  fit_bar bar;
  interruption i = {.after = after};
  open_known(&bar, 1);
  bar.def.fitter = fitter;
  if (fitter == PL_FITTER_NELDER_MEAD) bar.def.max_iterations = 25;
  bar.def.after_iteration = interrupt;
  bar.def.user = &i;
  pl_fit *fit = make_fit(&bar, 2);
  assert_int_equal(pl_fit_run(fit, &error), PL_REMARK_CANCELLED);
  pl_fit_destroy(fit);
  bar.def.after_iteration = NULL;
  fit = make_fit(&bar, 2);
  assert_int_equal(pl_fit_restore(fit, i.state, i.size - 1, &error), PL_ERROR_INVALID_DATA);
  check_ok(pl_fit_restore(fit, i.state, i.size, &error), &error);
  assert_true(pl_fit_run(fit, &error) >= 0);
  memcpy(values, fit->values, 5 * sizeof(double));
  free(i.state);
  pl_fit_destroy(fit);
  close_bar(&bar);
}

static void an_interrupted_fit_ends_with_the_same_bits(void **state) {
  (void)state;
  double whole[5], resumed[5];
  run_whole(1, PL_FITTER_GAUSS_NEWTON, whole);
  for (int32_t after = 1; after <= 7; after += 3) {
    run_interrupted(PL_FITTER_GAUSS_NEWTON, after, resumed);
    assert_memory_equal(whole, resumed, sizeof whole);
  }
}

typedef struct patience {
  int32_t asked, max, reported;
} patience;

static bool lose_patience(void *user) {
  patience *p = user;
  return ++p->asked > p->max;
}

static bool go_on_with_patience(void *user, const pl_fit *fit, const pl_fit_progress *progress) {
  patience *p = user;
  (void)fit;
  (void)progress;
  p->reported++;
  return p->asked <= p->max;
}

// In the frame at hand, whether that is of a warm start, of the first simulation or of a later one.
static void a_fit_that_is_given_up_ends_soon(void **state) {
  (void)state;
  pl_error error = {0};
  for (int32_t max = 0; max <= 300; max += 100) {
    fit_bar bar;
    patience p = {.max = max};
    open_known(&bar, 1);
    bar.def.give_up = lose_patience;
    bar.def.after_iteration = go_on_with_patience;
    bar.def.user = &p;
    pl_fit *fit = make_fit(&bar, 2);
    pl_status status = pl_fit_run(fit, &error);
    // Where it was to begin with a simulation, or with one of a longer window, there is no motion to begin with.
    assert_true(status == PL_ERROR_INVALID_DATA || (max > 0 && status == PL_REMARK_CANCELLED));
    // Once in each of the two sequences that were to be simulated yet, and in a step that is tried once more.
    assert_in_range(p.asked, max + 1, max + 4);
    assert_int_equal(pl_fit_predict(fit, &bar.sequences[0], NULL, NULL, &error), PL_ERROR_INVALID_DATA);
    pl_fit_destroy(fit);
    close_bar(&bar);
  }
}

static void so_does_an_interrupted_simplex(void **state) {
  (void)state;
  if (!pl_simplex_is_available()) skip();
  double whole[5], resumed[5];
  run_whole(1, PL_FITTER_NELDER_MEAD, whole);
  run_interrupted(PL_FITTER_NELDER_MEAD, 11, resumed);
  assert_memory_equal(whole, resumed, sizeof whole);
}

static void the_number_of_threads_changes_nothing(void **state) {
  (void)state;
  double one[5], two[5];
  run_whole(1, PL_FITTER_GAUSS_NEWTON, one);
  run_whole(2, PL_FITTER_GAUSS_NEWTON, two);
  assert_memory_equal(one, two, sizeof one);
}

// Jobs in reverse order, one by one: as good as any other way to run them.
static void run_backwards(void *user, const pl_fit_jobs *jobs) {
  ++*(int *)user;
  for (int32_t i = jobs->count - 1; i >= 0; --i)
    jobs->evaluate(jobs->data, i, jobs->outputs + (size_t)i * jobs->output_size);
}

static void jobs_may_be_run_by_the_caller(void **state) {
  (void)state;
  pl_error error = {0};
  double whole[5];
  run_whole(1, PL_FITTER_GAUSS_NEWTON, whole);
  fit_bar bar;
  int count = 0;
  open_known(&bar, 1);
  bar.def.batch = (pl_fit_batch){run_backwards, &count};
  pl_fit *fit = make_fit(&bar, 2);
  check_ok(pl_fit_run(fit, &error), &error);
  assert_memory_equal(whole, fit->values, sizeof whole);
  assert_true(count > 3);
  pl_fit_destroy(fit);
  close_bar(&bar);
}

static void a_warm_start_finds_the_modulus_from_the_frequency(void **state) {
  (void)state;
  if (!pl_eigen_is_available()) skip();
  pl_error error = {0};
  fit_bar bar;
  open_bar(&bar, 1, 1, CELLS);
  double truth[4] = {2e5, 0.3, 0.1, 2e-3};
  make_motions(&bar, truth, 60, 1.0 / 30);
  bar.def.young.start = 3e6;
  pl_fit *fit = make_fit(&bar, 2);
  pl_warm_start_def def = pl_default_warm_start_def();
  def.sample_count = 8;
  def.mode_count = 4;
  pl_warm_start_report report;
  check_ok(pl_fit_warm_start(fit, &def, &report, &error), &error);
  print_message("%.4g Hz, natural %.4g Hz, damping ratio %.3f: %.4g Pa, beta %.3g\n", report.frequency, report.natural,
                report.damping_ratio, fit->values[0], fit->values[3]);
  // The steps are long for the frequency, which the midpoint rule lowers: hence not closer.
  check_near(log(fit->values[0] / truth[0]), 0, 0.35);
  check_near(log(fit->values[3] / truth[3]), 0, 0.7);
  assert_true(report.solved_count >= 4);
  pl_fit_destroy(fit);
  close_bar(&bar);
}

// The mesh is the unstressed shape: the bar swings around where gravity bends it to, which is not the mesh.
static void a_warm_start_of_an_unstressed_mesh_is_not_misled_by_the_sag(void **state) {
  (void)state;
  if (!pl_eigen_is_available()) skip();
  pl_error error = {0};
  fit_bar bar;
  open_bar(&bar, 1, 1, CELLS);
  bar.def.shape = PL_FIT_SHAPE_UNSTRESSED;
  bar.def.steps_per_frame = 4;
  // Hardly any damping would let it swing on: this brings it to its sag, 0.1 m, where a pull of 15 mm is released.
  double truth[4] = {3e5, 0.3, 0.1, 2e-3}, still[4] = {3e5, 0.3, 20, 2e-3};
  make_motions(&bar, still, 60, 1.0 / 30);
  memcpy(bar.starts[0], bar.positions[0] + (ptrdiff_t)59 * bar.point_count, (size_t)bar.point_count * sizeof(pl_vec3));
  for (int32_t i = 0; i < bar.point_count; ++i) {
    double t = pl_mesh_get_view(bar.mesh).points[i].x + 0.5;
    bar.starts[0][i].y -= 0.0075 * t * t * (3 - t);
  }
  pl_fit *fit = make_fit(&bar, 1);
  check_ok(pl_fit_set_values(fit, truth, &error), &error);
  check_ok(pl_fit_predict(fit, &bar.sequences[0], bar.positions[0], NULL, &error), &error);
  pl_fit_destroy(fit);
  bar.def.young.start = 3e6;
  fit = make_fit(&bar, 1);
  pl_warm_start_def def = pl_default_warm_start_def();
  pl_warm_start_report report;
  check_ok(pl_fit_warm_start(fit, &def, &report, &error), &error);
  print_message("%.4g Hz: %.4g Pa in place of %.4g\n", report.frequency, fit->values[0], truth[0]);
  check_near(log(fit->values[0] / truth[0]), 0, 0.2);
  pl_fit_destroy(fit);
  close_bar(&bar);
}

static void wrong_data_is_refused_with_its_place(void **state) {
  (void)state;
  pl_error error = {0};
  fit_bar bar;
  open_known(&bar, 1);
  pl_fit *fit = NULL;
  bar.positions[1][3 * bar.point_count + 5].y = (double)NAN;
  assert_int_equal(pl_fit_create(bar.context, &bar.def, bar.mesh,
                                 &(pl_fit_sequences){.items = bar.sequences, .count = 2}, &fit, &error),
                   PL_ERROR_INVALID_DATA);
  assert_non_null(strstr(error.text, "frame 3"));
  assert_null(fit);
  double *frames = calloc(40, sizeof(double));
  for (int i = 0; i < 40; ++i) frames[i] = i != 3;
  bar.sequences[1].frame_weights = frames;
  check_ok(pl_fit_create(bar.context, &bar.def, bar.mesh, &(pl_fit_sequences){.items = bar.sequences, .count = 2}, &fit,
                         &error),
           &error);
  pl_fit_destroy(fit);
  bar.def.young.min = 1e9;
  assert_int_equal(pl_fit_create(bar.context, &bar.def, bar.mesh,
                                 &(pl_fit_sequences){.items = bar.sequences, .count = 2}, &fit, &error),
                   PL_ERROR_INVALID_ARGUMENT);
  free(frames);
  close_bar(&bar);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(moduli_and_damping_of_an_exact_motion_are_found),
      cmocka_unit_test(what_the_motion_does_not_show_is_flagged),
      cmocka_unit_test(a_fit_at_its_maximum_of_iterations_determines_nothing),
      cmocka_unit_test(a_motion_that_begins_before_the_release_is_not_met),
      cmocka_unit_test(an_interrupted_fit_ends_with_the_same_bits),
      cmocka_unit_test(so_does_an_interrupted_simplex),
      cmocka_unit_test(a_fit_that_is_given_up_ends_soon),
      cmocka_unit_test(the_number_of_threads_changes_nothing),
      cmocka_unit_test(jobs_may_be_run_by_the_caller),
      cmocka_unit_test(a_warm_start_finds_the_modulus_from_the_frequency),
      cmocka_unit_test(a_warm_start_of_an_unstressed_mesh_is_not_misled_by_the_sag),
      cmocka_unit_test(wrong_data_is_refused_with_its_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
