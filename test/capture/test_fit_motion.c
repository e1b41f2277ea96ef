// The simulation that fits are made with: no damping of its own, and the frequency that modal analysis gives.
// ctest: physics
#include "capture/fit_modes.h"
#include "fixtures/cantilever_bars.h"
#include "pliant/math.h"
#include "solvers/eigen_modes.h"

enum { STEPS_A_PERIOD = 48, PERIODS = 20 };

static void an_undamped_bar_keeps_amplitude_and_frequency_of_its_first_mode(void **state) {
  (void)state;
  if (!pl_eigen_is_available()) skip();
  pl_error error = {0};
  fit_bar bar;
  open_bar(&bar, 1, 1, (const int32_t[3]){6, 1, 1});
  bar.def.gravity = (pl_vec3){0, 0, 0};
  bar.def.mass_damping = (pl_fit_range){0, 1e-6, 1, false};
  bar.def.stiffness_damping = (pl_fit_range){0, 1e-9, 1, false};
  const pl_vec3 *rest = pl_mesh_get_view(bar.mesh).points;
  int32_t frames = STEPS_A_PERIOD * PERIODS + STEPS_A_PERIOD, n = bar.point_count;
  bar.positions[0] = calloc((size_t)frames * (size_t)n, sizeof(pl_vec3));
  bar.starts[0] = calloc((size_t)n, sizeof(pl_vec3));
  bar.sequences[0] = (pl_fit_sequence){
      .frame_count = frames, .frame_seconds = 0.01, .positions = bar.positions[0], .start_positions = bar.starts[0]};
  pl_fit *fit = make_fit(&bar, 1);
  double lambda[2], *modes = calloc(6 * (size_t)n, sizeof(double));
  check_ok(pl_fit_modes_find(fit->worker, 2, lambda, modes, &error), &error);
  double omega = sqrt(lambda[0]), max = 0;
  for (int32_t i = 0; i < 3 * n; ++i) max = fmax(max, fabs(modes[i]));
  for (int32_t i = 0; i < n; ++i)
    bar.starts[0][i] = pl_vec3_add(rest[i], pl_vec3_scale(pl_fem_vector(modes, i), 0.005 / max));
  bar.sequences[0].frame_seconds = 2 * PL_PI / omega / STEPS_A_PERIOD;
  check_ok(pl_fit_predict(fit, &bar.sequences[0], bar.positions[0], NULL, &error), &error);

  // Amplitude along the mode in the first and in the last period, and the time of twenty turns between crossings of
  // zero.
  double first = 0, last = 0, q0 = 0, before = 0, crossing[2] = {0, 0};
  int32_t crossings = 0;
  for (int32_t f = 0; f < frames; ++f) {
    double q = 0;
    for (int32_t i = 0; i < n; ++i)
      q += fit->body.model->head.masses[i] *
           pl_vec3_dot(pl_fem_vector(modes, i), pl_vec3_sub(bar.positions[0][(ptrdiff_t)f * n + i], rest[i]));
    if (f == 0) q0 = q;
    if (f < STEPS_A_PERIOD) first = fmax(first, fabs(q));
    if (f >= frames - STEPS_A_PERIOD) last = fmax(last, fabs(q));
    if (f > 0 && before > 0 && q <= 0 && crossings++ <= PERIODS)
      crossing[crossings > 1] = f - 1 + before / (before - q);
    before = q;
  }
  assert_true(q0 > 0 && crossings > PERIODS);
  double period = (crossing[1] - crossing[0]) / PERIODS;
  print_message("amplitude %.5f of the first period's after %d, period %.4f of %d steps\n", last / first, PERIODS,
                period, STEPS_A_PERIOD);
  check_near(last / first, 1, 0.01);
  check_near(period / STEPS_A_PERIOD, 1, 0.005);
  free(modes);
  pl_fit_destroy(fit);
  close_bar(&bar);
}

static void damping_is_that_of_rayleigh(void **state) {
  (void)state;
  if (!pl_eigen_is_available()) skip();
  pl_error error = {0};
  fit_bar bar;
  open_bar(&bar, 1, 1, (const int32_t[3]){6, 1, 1});
  double alpha = 0.4, beta = 2e-3;
  bar.def.mass_damping = (pl_fit_range){alpha, 1e-6, 1, false};
  bar.def.stiffness_damping = (pl_fit_range){beta, 1e-9, 1, false};
  bar.def.gravity = (pl_vec3){0, 0, 0};
  const pl_vec3 *rest = pl_mesh_get_view(bar.mesh).points;
  int32_t frames = 200, n = bar.point_count;
  bar.positions[0] = calloc((size_t)frames * (size_t)n, sizeof(pl_vec3));
  bar.starts[0] = calloc((size_t)n, sizeof(pl_vec3));
  bar.sequences[0] = (pl_fit_sequence){
      .frame_count = frames, .frame_seconds = 0.01, .positions = bar.positions[0], .start_positions = bar.starts[0]};
  pl_fit *fit = make_fit(&bar, 1);
  double lambda[2], *modes = calloc(6 * (size_t)n, sizeof(double)),
                    *signal = calloc(2 * (size_t)frames, sizeof(double));
  check_ok(pl_fit_modes_find(fit->worker, 2, lambda, modes, &error), &error);
  for (int32_t i = 0; i < n; ++i)
    bar.starts[0][i] = pl_vec3_add(rest[i], pl_vec3_scale(pl_fem_vector(modes, i), 0.001));
  check_ok(pl_fit_predict(fit, &bar.sequences[0], bar.positions[0], NULL, &error), &error);
  check_ok(pl_fit_modes_project(fit->worker, &bar.sequences[0], 2, modes, signal, &error), &error);
  pl_vibration found = pl_vibration_find(signal, frames, 0.01);
  double decay = 0.5 * (alpha + beta * lambda[0]);
  print_message("decay %.5f, Rayleigh's %.5f; frequency %.4f, with damping %.4f\n", found.decay, decay, found.frequency,
                sqrt(lambda[0] - decay * decay));
  check_near(found.decay, decay, 0.02 * decay);
  check_near(found.frequency, sqrt(lambda[0] - decay * decay), 0.01 * found.frequency);
  assert_true(found.fraction > 0.99);
  free(signal);
  free(modes);
  pl_fit_destroy(fit);
  close_bar(&bar);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_undamped_bar_keeps_amplitude_and_frequency_of_its_first_mode),
      cmocka_unit_test(damping_is_that_of_rayleigh),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
