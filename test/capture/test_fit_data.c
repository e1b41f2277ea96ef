// ctest: unit
// Data of a fit other than motions of all points: markers with gaps and unknown starts, static experiments, vibrations.
// Derivatives are compared with differences, and known truths come back.
#include "fixtures/cantilever_bars.h"
#include "pliant/math.h"
#include "pliant/modes.h"
#include "pliant/rollout.h"
#include "solvers/eigen_modes.h"

static const int32_t CELLS[3] = {6, 1, 1};
enum { FRAMES = 40, MARKERS = 3 };

// Three markers at the tip, some millimetres off the surface.
static pl_embedding *bind_markers(const fit_bar *bar) {
  static const pl_vec3 at[MARKERS] = {{0.505, 0.07, 0.02}, {0.42, 0.105, -0.03}, {0.47, -0.06, 0.108}};
  pl_error error = {0};
  pl_embedding *markers = NULL;
  check_ok(
      pl_embedding_build(bar->context, bar->mesh, &(pl_embedding_input){at, MARKERS, 0.02}, &markers, NULL, &error),
      &error);
  return markers;
}

static pl_fit *make_data_fit(const fit_bar *bar, const pl_fit_sequences *data) {
  pl_error error = {0};
  pl_fit *fit = NULL;
  check_ok(pl_fit_create(bar->context, &bar->def, bar->mesh, data, &fit, &error), &error);
  return fit;
}

static double cost_at(pl_fit *fit, const double *values, bool derive) {
  pl_error error = {0};
  check_ok(
      pl_fit_evaluate(fit, values, fit->trial_rest, fit->longest > 0 ? fit->longest : 1, derive, &fit->trial, &error),
      &error);
  assert_false(fit->trial.failed);
  return fit->trial.cost;
}

// The gradient of the cost by every column against central differences.
static void check_gradient(pl_fit *fit, double tolerance) {
  double values[PL_FIT_MAX_VALUES], gradient[PL_FIT_MAX_VALUES], scale = 0;
  size_t bytes = 3 * (size_t)fit->body.model->head.particle_count * sizeof(double);
  memcpy(values, fit->values, sizeof values);
  memcpy(fit->trial_rest, fit->rest, bytes);
  cost_at(fit, values, true);
  memcpy(gradient, fit->trial.gradient, (size_t)fit->column_count * sizeof(double));
  for (int32_t k = 0; k < fit->column_count; ++k) {
    double total = 0;
    for (int32_t i = 0; i < fit->score_count; ++i) total += fit->trial.scores[(ptrdiff_t)i * fit->column_count + k];
    check_near(total, gradient[k], 1e-9 * fabs(gradient[k]) + 1e-18);
    scale = fmax(scale, fabs(gradient[k]));
  }
  for (int32_t k = 0; k < fit->column_count; ++k) {
    double step = 1e-4, costs[2], at = pl_fit_coordinate(fit, fit->columns[k], fit->values[fit->columns[k]]);
    for (int side = 0; side < 2; ++side) {
      values[fit->columns[k]] = pl_fit_physical(fit, fit->columns[k], at + (side == 0 ? -step : step));
      costs[side] = cost_at(fit, values, false);
    }
    values[fit->columns[k]] = fit->values[fit->columns[k]];
    double slope = 0.5 * (costs[1] - costs[0]) / (2 * step);
    print_message("column %d: %.8g by sensitivities, %.8g by differences\n", k, gradient[k], slope);
    check_near(gradient[k], slope, tolerance * scale);
  }
}

static double shake(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return ((double)(*state >> 11) / 9007199254740992.0 - 0.5) * 3.4641016151377544;  // variance 1
}

// What the markers do after the bar was pulled aside by a force at them, and has a velocity if `moving`.
static void film_markers(fit_bar *bar, const double *truth, const pl_embedding *markers, bool moving, pl_vec3 *seen) {
  pl_error error = {0};
  size_t n = (size_t)bar->point_count;
  pl_vec3 *positions = calloc(n * FRAMES, sizeof *positions), *velocities = calloc(n, sizeof *velocities);
  pl_vec3 first[MARKERS];
  // Any pull will do to begin with: where it brings the bar is found by the start of a fit.
  pl_embedding_apply(markers, pl_mesh_get_view(bar->mesh).points, first);
  for (int i = 0; i < MARKERS; ++i) first[i].y -= 0.05, first[i].z += 0.03;
  for (int i = 0; i < FRAMES * MARKERS; ++i) seen[i] = first[i % MARKERS];
  pl_fit_sequence start = {.frame_count = FRAMES,
                           .frame_seconds = 1.0 / 50,
                           .positions = seen,
                           .markers = markers,
                           .start = PL_FIT_START_PULLED};
  pl_fit *fit = make_data_fit(bar, &(pl_fit_sequences){.items = &start, .count = 1});
  check_ok(pl_fit_set_values(fit, truth, &error), &error);
  check_ok(pl_fit_predict(fit, &start, positions, NULL, &error), &error);
  pl_fit_destroy(fit);
  for (size_t i = 0; i < n; ++i) {
    double t = pl_mesh_get_view(bar->mesh).points[i].x + 0.5;
    velocities[i].y = moving ? 0.5 * t * t * (3 - t) : 0;
  }
  pl_fit_sequence whole = {.frame_count = FRAMES,
                           .frame_seconds = 1.0 / 50,
                           .positions = positions,
                           .start_positions = positions,
                           .start_velocities = velocities};
  fit = make_data_fit(bar, &(pl_fit_sequences){.items = &whole, .count = 1});
  check_ok(pl_fit_set_values(fit, truth, &error), &error);
  check_ok(pl_fit_predict(fit, &whole, positions, NULL, &error), &error);
  pl_fit_destroy(fit);
  for (size_t f = 0; f < FRAMES; ++f) pl_embedding_apply(markers, positions + f * n, seen + f * MARKERS);
  free(positions);
  free(velocities);
}

static void markers_with_gaps_and_an_unknown_start_give_the_modulus(void **state) {
  (void)state;
  static const double truth[4] = {3e5, 0.3, 0.3, 2e-3};
  for (int moving = 0; moving < 2; ++moving) {
    pl_error error = {0};
    pl_vec3 seen[FRAMES * MARKERS];
    fit_bar bar;
    open_bar(&bar, 1, 1, CELLS);
    pl_embedding *markers = bind_markers(&bar);
    film_markers(&bar, truth, markers, moving != 0, seen);
    uint64_t random = 7;
    for (int i = 0; i < FRAMES * MARKERS; ++i) {
      seen[i].x += 2e-4 * shake(&random), seen[i].y += 2e-4 * shake(&random), seen[i].z += 2e-4 * shake(&random);
      if (i % 7 == 5 || (i / MARKERS > 12 && i / MARKERS < 16)) seen[i] = (pl_vec3){(double)NAN, 0, 0};
    }
    bar.def.young.start = 1.5e5;
    bar.def.noise = 2e-4;
    pl_fit_sequence motion = {.frame_count = FRAMES,
                              .frame_seconds = 1.0 / 50,
                              .positions = seen,
                              .markers = markers,
                              .start = moving ? PL_FIT_START_MOVING : PL_FIT_START_PULLED};
    pl_fit *fit = make_data_fit(&bar, &(pl_fit_sequences){.items = &motion, .count = 1});
    check_ok(pl_fit_find_starts(fit, &error), &error);
    check_gradient(fit, 1e-4);
    check_ok(pl_fit_run(fit, &error), &error);
    pl_fit_report report;
    check_ok(pl_fit_get_report(fit, &report, &error), &error);
    const pl_fit_estimate *young = &report.estimates[0];
    print_message("%s: %g Pa in %g … %g, %s; rms %g m after %d iterations\n", moving ? "moving" : "pulled",
                  young->value, young->min, young->max, pl_fit_verdict_name(young->verdict), report.rms,
                  report.iteration_count);
    assert_int_equal(report.parameter_count, 4);
    check_near(young->value, truth[0], 0.01 * truth[0]);
    assert_true(young->min < truth[0] && truth[0] < young->max);
    check_near(report.rms, sqrt(3) * 2e-4, 0.3e-4);
    pl_fit_destroy(fit);
    pl_embedding_destroy(markers);
    close_bar(&bar);
  }
}

// All points of a bar that is released while it still swings, in two modes of bending and one of twist; the truth has
// shorter steps, and the points errors of 0.5 mm.
static void film_swinging(fit_bar *bar, const double *truth, pl_vec3 *seen) {
  pl_error error = {0};
  size_t n = (size_t)bar->point_count;
  pl_vec3 *velocities = calloc(n, sizeof *velocities), *start = calloc(n, sizeof *start);
  for (size_t i = 0; i < n; ++i) {
    pl_vec3 at = pl_mesh_get_view(bar->mesh).points[i];
    double t = at.x + 0.5, bend = t * t * (3 - t), second = t * t * (t - 0.8);
    velocities[i] = (pl_vec3){0, -0.6 * bend - 2 * t * at.z, 2.5 * second + 2 * t * at.y};
    start[i] = (pl_vec3){at.x, at.y - 0.02 * bend, at.z + 0.01 * bend};
  }
  pl_fit_sequence whole = {.frame_count = FRAMES,
                           .frame_seconds = 1.0 / 50,
                           .positions = seen,
                           .start_positions = start,
                           .start_velocities = velocities};
  int32_t steps = bar->def.steps_per_frame;
  bar->def.steps_per_frame = 4 * steps;
  pl_fit *fit = make_data_fit(bar, &(pl_fit_sequences){.items = &whole, .count = 1});
  bar->def.steps_per_frame = steps;
  check_ok(pl_fit_set_values(fit, truth, &error), &error);
  check_ok(pl_fit_predict(fit, &whole, seen, NULL, &error), &error);
  pl_fit_destroy(fit);
  uint64_t random = 5;
  for (size_t i = 0; i < n * FRAMES; ++i)
    seen[i] = pl_vec3_add_scaled(seen[i], (pl_vec3){shake(&random), shake(&random), shake(&random)}, i < n ? 0 : 5e-4);
  free(start);
  free(velocities);
}

static void a_body_that_swings_when_it_is_released_starts_with_its_velocity(void **state) {
  (void)state;
  static const double truth[4] = {3e5, 0.3, 0.3, 2e-3};
  if (!pl_eigen_is_available()) skip();
  fit_bar bar;
  open_bar(&bar, 1, 1, (const int32_t[3]){6, 2, 2});
  bar.def.steps_per_frame = 2;
  pl_vec3 *seen = calloc((size_t)bar.point_count * FRAMES, sizeof *seen);
  film_swinging(&bar, truth, seen);
  bar.def.young.start = 1.5e5;
  bar.def.noise = 5e-4;
  bar.def.max_steps = 8;
  double errors[2], residuals[2];
  for (int moving = 0; moving < 2; ++moving) {
    pl_error error = {0};
    pl_fit_sequence motion = {.frame_count = FRAMES,
                              .frame_seconds = 1.0 / 50,
                              .positions = seen,
                              .start = moving ? PL_FIT_START_MOVING : PL_FIT_START_GIVEN};
    pl_fit *fit = make_data_fit(&bar, &(pl_fit_sequences){.items = &motion, .count = 1});
    check_ok(pl_fit_find_starts(fit, &error), &error);
    if (moving) check_gradient(fit, 1e-4);
    check_ok(pl_fit_run(fit, &error), &error);
    pl_fit_report report;
    check_ok(pl_fit_get_report(fit, &report, &error), &error);
    const pl_fit_estimate *young = &report.estimates[0];
    print_message("%s: %g Pa in %g … %g, %s; rms %g m after %d iterations\n", moving ? "moving" : "from rest",
                  young->value, young->min, young->max, pl_fit_verdict_name(young->verdict), report.rms,
                  report.iteration_count);
    assert_int_equal(report.parameter_count, 4);
    errors[moving] = fabs(young->value / truth[0] - 1);
    residuals[moving] = report.rms;
    if (moving) assert_true(young->min < truth[0] && truth[0] < young->max);
    pl_fit_destroy(fit);
  }
  free(seen);
  close_bar(&bar);
  assert_true(errors[1] < 0.03);
  assert_true(errors[0] > 0.03);
  // The noise of a point is 0.87 mm; three shapes leave 1.15.
  assert_true(residuals[1] < 1.05e-3 && residuals[0] > 5e-3);
}

// Markers on quadratic tets, whose reference shape changes with the material, of a viscoelastic body; a pull is found
// for where the markers are said to begin.
static void quadratic_tets_have_the_same_derivatives(void **state) {
  (void)state;
  pl_error error = {0};
  pl_vec3 seen[FRAMES * MARKERS];
  fit_bar bar;
  open_bar(&bar, 1, 1, (const int32_t[3]){3, 1, 1});
  pl_embedding *markers = bind_markers(&bar);
  pl_embedding_apply(markers, pl_mesh_get_view(bar.mesh).points, seen);
  for (int i = 0; i < MARKERS; ++i) seen[i].y -= 0.03, seen[i].z += 0.02;
  for (int i = MARKERS; i < FRAMES * MARKERS; ++i) seen[i] = seen[i % MARKERS];
  bar.def.element = PL_FEM_QUADRATIC;
  bar.def.young.start = 1.5e5;
  bar.def.poisson.fitted = true;
  bar.def.prony_ratio.start = 0.3;
  bar.def.prony_ratio.fitted = true;
  bar.def.prony_time.fitted = true;
  pl_fit_sequence motion = {.frame_count = 6, .frame_seconds = 1.0 / 50, .positions = seen, .markers = markers};
  pl_fit *fit = NULL;
  motion.start = PL_FIT_START_PULLED;
  fit = make_data_fit(&bar, &(pl_fit_sequences){.items = &motion, .count = 1});
  assert_true(fit->body.model->head.particle_count > bar.point_count);
  fit->step_tolerance = 1e-12;
  check_ok(pl_fit_find_starts(fit, &error), &error);
  check_gradient(fit, 1e-4);
  pl_fit_destroy(fit);
  pl_embedding_destroy(markers);
  close_bar(&bar);
}

// A warm start hears the frequency from markers too.
static void a_warm_start_hears_markers(void **state) {
  (void)state;
  if (!pl_eigen_is_available()) skip();
  static const double truth[4] = {3e5, 0.3, 0.3, 2e-3};
  pl_error error = {0};
  pl_vec3 seen[FRAMES * MARKERS];
  fit_bar bar;
  open_bar(&bar, 1, 1, CELLS);
  bar.def.steps_per_frame = 4;
  pl_embedding *markers = bind_markers(&bar);
  film_markers(&bar, truth, markers, false, seen);
  seen[17].x = (double)NAN;
  bar.def.young.start = 5e6;
  pl_fit_sequence motion = {.frame_count = FRAMES,
                            .frame_seconds = 1.0 / 50,
                            .positions = seen,
                            .markers = markers,
                            .start = PL_FIT_START_PULLED};
  pl_fit *fit = make_data_fit(&bar, &(pl_fit_sequences){.items = &motion, .count = 1});
  pl_warm_start_def def = pl_default_warm_start_def();
  check_ok(pl_fit_warm_start(fit, &def, NULL, &error), &error);
  print_message("%g Pa from the frequency of markers\n", fit->values[0]);
  check_near(log(fit->values[0] / truth[0]), 0, 0.2);
  pl_fit_destroy(fit);
  pl_embedding_destroy(markers);
  close_bar(&bar);
}

// Points of the free end.
static int32_t *tip_of(const fit_bar *bar, int32_t *count) {
  int32_t *tip = calloc((size_t)bar->point_count, sizeof *tip);
  *count = 0;
  for (int32_t i = 0; i < bar->point_count; ++i)
    if (pl_mesh_get_view(bar->mesh).points[i].x > 0.499) tip[(*count)++] = i;
  return tip;
}

// Positions of all points under a load, with the truth, by the equilibria of rollouts.
static void sag(fit_bar *bar, const double *truth, pl_fit_load_case *load, pl_vec3 *to) {
  pl_error error = {0};
  pl_fit *fit = make_data_fit(bar, &(pl_fit_sequences){0});
  check_ok(pl_fit_set_values(fit, truth, &error), &error);
  pl_model *model = NULL;
  check_ok(pl_fit_build_model(fit, NULL, &model, &error), &error);
  pl_rollout_def def = pl_default_rollout_def();
  def.model = model;
  def.equilibrium = true;
  def.step_count = 1;
  def.gravity = bar->def.gravity;
  def.pinned = bar->pinned;
  def.pinned_count = bar->pinned_count;
  def.direct = pl_cholmod_backend();
  pl_rollout *rollout = NULL;
  check_ok(pl_rollout_create(bar->context, &def, &rollout, &error), &error);
  pl_vec3 *forces = calloc((size_t)bar->point_count, sizeof *forces),
          *both = calloc(2 * (size_t)bar->point_count, sizeof *both);
  for (int32_t i = 0; i < load->loaded_count; ++i)
    forces[load->loaded[i]] = pl_vec3_scale(load->force, 1.0 / load->loaded_count);
  check_ok(pl_rollout_run(rollout, &(pl_rollout_inputs){.forces = forces}, both, NULL, &error), &error);
  memcpy(to, both + bar->point_count, (size_t)bar->point_count * sizeof *to);
  free(forces);
  free(both);
  pl_rollout_destroy(rollout);
  pl_model_destroy(model);
  pl_fit_destroy(fit);
}

static void sags_under_known_weights_give_modulus_and_nothing_of_damping(void **state) {
  (void)state;
  static const double truth[4] = {3e5, 0.3, 0.1, 1e-3};
  pl_error error = {0};
  fit_bar bar;
  int32_t tip_count;
  open_bar(&bar, 1, 1, CELLS);
  int32_t *tip = tip_of(&bar, &tip_count);
  size_t n = (size_t)bar.point_count;
  pl_vec3 *positions = calloc(2 * n, sizeof *positions);
  pl_fit_load_case cases[2];
  for (int i = 0; i < 2; ++i) {
    cases[i] = (pl_fit_load_case){.loaded = tip,
                                  .loaded_count = tip_count,
                                  .force = {0, -1.0 - i, 0.5},
                                  .reaction = (double)NAN,
                                  .positions = positions + (size_t)i * n};
    sag(&bar, truth, &cases[i], positions + (size_t)i * n);
    print_message("tip at %g m with %g N\n", positions[(size_t)i * n + (size_t)tip[0]].y, cases[i].force.y);
    for (size_t k = 0; k < n; k += 2) positions[(size_t)i * n + k].x = (double)NAN;
  }
  bar.def.young.start = 1e5;
  pl_fit *fit = make_data_fit(&bar, &(pl_fit_sequences){.cases = cases, .case_count = 2});
  check_gradient(fit, 1e-4);
  check_ok(pl_fit_run(fit, &error), &error);
  pl_fit_report report;
  check_ok(pl_fit_get_report(fit, &report, &error), &error);
  print_message("%g Pa from sags, rms %g m\n", report.estimates[0].value, report.rms);
  check_near(report.estimates[0].value, truth[0], 1e-3 * truth[0]);
  assert_int_equal(report.estimates[0].verdict, PL_FIT_DETERMINED);
  assert_int_equal(report.estimates[2].verdict, PL_FIT_NOT_DETERMINED);
  assert_int_equal(report.estimates[3].verdict, PL_FIT_NOT_DETERMINED);
  pl_fit_destroy(fit);
  free(positions);
  free(tip);
  close_bar(&bar);
}

// A bar that is drawn along its axis by a small way, held at both ends: F = E A u / L, up to the grips. Without gravity
// and with a Poisson's ratio of 0 that is exact for small strains.
static void a_tensile_curve_gives_the_modulus_by_the_closed_formula(void **state) {
  (void)state;
  pl_error error = {0};
  fit_bar bar;
  int32_t tip_count;
  open_bar(&bar, 1, 1, CELLS);
  bar.def.gravity = (pl_vec3){0, 0, 0};
  bar.def.poisson.start = 0;
  bar.def.young.start = 3e5;
  int32_t *tip = tip_of(&bar, &tip_count);
  pl_fit_load_case cases[3];
  for (int i = 0; i < 3; ++i) {
    double way = 0.001 * (i + 1);
    cases[i] = (pl_fit_load_case){.loaded = tip,
                                  .loaded_count = tip_count,
                                  .moved = true,
                                  .displacement = {way, 0, 0},
                                  .reaction = 2e5 * 0.2 * 0.2 * way / 1,
                                  .reaction_deviation = 0.02};
  }
  pl_fit *fit = make_data_fit(&bar, &(pl_fit_sequences){.cases = cases, .case_count = 3});
  check_gradient(fit, 1e-4);
  check_ok(pl_fit_run(fit, &error), &error);
  print_message("%g Pa from a tensile curve\n", fit->values[0]);
  check_near(fit->values[0], 2e5, 1e-3 * 2e5);
  pl_fit_destroy(fit);
  free(tip);
  close_bar(&bar);
}

// Eigenvalues without gravity are proportional to the modulus, so that a frequency gives it at once.
static void a_frequency_and_two_damping_ratios_give_modulus_and_damping(void **state) {
  (void)state;
  if (!pl_eigen_is_available()) skip();
  pl_error error = {0};
  fit_bar bar;
  open_bar(&bar, 1, 1, CELLS);
  bar.def.gravity = (pl_vec3){0, 0, 0};
  // ω of the modes at 1e5 Pa, by the modes of the library.
  pl_fem_def fem = pl_default_fem_def(PL_FEM_COROTATED);
  fem.density = bar.def.density;
  fem.young = 1e5;
  pl_model *model = NULL;
  check_ok(pl_fem_build(bar.context, &fem, bar.mesh, &model, &error), &error);
  pl_modes_def modes = pl_default_modes_def();
  modes.pinned = bar.pinned;
  modes.pinned_count = bar.pinned_count;
  modes.mode_count = 6;
  double frequencies[6];
  pl_vec3 *shapes = calloc(6 * (size_t)bar.point_count, sizeof *shapes);
  check_ok(pl_modes_find(bar.context, model, &modes, frequencies, shapes, &error), &error);
  free(shapes);
  pl_model_destroy(model);
  const double young = 2.5e5, alpha = 0.4, beta = 1.5e-3;
  pl_fit_vibration vibrations[2];
  for (int i = 0; i < 2; ++i) {
    int32_t mode = i == 0 ? 0 : 4;
    double omega = 2 * PL_PI * frequencies[mode] * sqrt(young / 1e5), zeta = 0.5 * (alpha / omega + beta * omega);
    vibrations[i] = (pl_fit_vibration){.mode = mode,
                                       .frequency = omega * sqrt(1 - zeta * zeta) / (2 * PL_PI),
                                       .frequency_deviation = 0.003,
                                       .damping_ratio = zeta,
                                       .damping_deviation = 0.02 * zeta};
    print_message("%g Hz, damping ratio %g\n", vibrations[i].frequency, zeta);
  }
  pl_fit *fit = make_data_fit(&bar, &(pl_fit_sequences){.vibrations = vibrations, .vibration_count = 2});
  check_gradient(fit, 1e-3);
  check_ok(pl_fit_run(fit, &error), &error);
  pl_fit_report report;
  check_ok(pl_fit_get_report(fit, &report, &error), &error);
  for (int k = 0; k < 4; ++k)
    print_message("%s %g in %g … %g, %s\n", report.estimates[k].name, report.estimates[k].value,
                  report.estimates[k].min, report.estimates[k].max, pl_fit_verdict_name(report.estimates[k].verdict));
  check_near(report.estimates[0].value, young, 1e-3 * young);
  check_near(report.estimates[2].value, alpha, 0.01 * alpha);
  check_near(report.estimates[3].value, beta, 0.01 * beta);
  pl_fit_destroy(fit);
  close_bar(&bar);
}

// All points of the mesh, on quadratic tets: nodes on edges start in equilibrium with them. The truth comes back, with
// the derivatives of differences; a start in the static shape is that shape, and pins cannot follow positions.
static void points_of_the_mesh_tell_where_quadratic_tets_start(void **state) {
  (void)state;
  pl_error error = {0};
  const double truth[4] = {3e5, 0.3, 0.2, 3e-3};
  fit_bar bar;
  open_bar(&bar, 1, 1, (const int32_t[3]){4, 1, 1});
  bar.def.element = PL_FEM_QUADRATIC;
  bar.def.steps_per_frame = 2;
  make_motions(&bar, truth, 20, 1.0 / 30);
  bar.def.young.start = 1.5e5;
  pl_fit *fit = make_fit(&bar, 2);
  fit->step_tolerance = 1e-12;
  // Edges that bend: their nodes are where no force acts on them, not in the middle.
  const pl_fem_model *model = fit->body.model;
  const pl_vec3 *start = fit->sequences[0].start_positions;
  pl_vec3 *forces = calloc((size_t)model->head.particle_count, sizeof *forces);
  double energy, largest[2] = {0, 0};
  check_ok(pl_fem_compute_energy(bar.context, fit->model, start, &energy, forces, &error), &error);
  for (int32_t i = 0; i < model->head.particle_count; ++i)
    if (fit->body.fixed[i] == 0)
      largest[i < bar.point_count] = fmax(largest[i < bar.point_count], pl_vec3_length(forces[i]));
  check_at_most(largest[0], 1e-6 * largest[1]);
  free(forces);
  check_gradient(fit, 1e-4);
  check_ok(pl_fit_run(fit, &error), &error);
  double found = pl_fit_get_values(fit, &(int32_t){0})[0];
  print_message("%.8g Pa of %.8g\n", found, truth[0]);
  check_near(found, truth[0], 1e-4 * truth[0]);
  pl_fit_destroy(fit);
  bar.sequences[0].pins_move = true;
  assert_int_equal(pl_fit_create(bar.context, &bar.def, bar.mesh,
                                 &(pl_fit_sequences){.items = bar.sequences, .count = 1}, &fit, &error),
                   PL_ERROR_UNSUPPORTED);
  assert_non_null(strstr(error.text, "quadratic"));
  close_bar(&bar);
}

// A weight on the tip that the object carries in all data: with it the truth comes back, without it the modulus is that
// of a lighter bar. Finer tets carry the same weight.
static void a_weight_on_the_tip_is_part_of_the_body(void **state) {
  (void)state;
  pl_error error = {0};
  const double truth[4] = {3e5, 0.3, 0.2, 3e-3};
  fit_bar bar;
  open_bar(&bar, 1, 1, CELLS);
  const pl_vec3 *points = pl_mesh_get_view(bar.mesh).points;
  double *masses = calloc((size_t)bar.point_count, sizeof *masses), found[2];
  for (int32_t i = 0; i < bar.point_count; ++i) masses[i] = points[i].x > 0.499 ? 1.5 / 4 : 0;
  bar.def.gravity = (pl_vec3){0, 0, 0};
  bar.def.added_masses = masses;
  make_motions(&bar, truth, 25, 1.0 / 30);
  bar.def.young.start = 2e5;
  for (int k = 0; k < 2; ++k) {
    bar.def.added_masses = k == 0 ? masses : NULL;
    pl_fit *fit = make_fit(&bar, 1);
    check_ok(pl_fit_run(fit, &error), &error);
    found[k] = pl_fit_get_values(fit, &(int32_t){0})[0];
    if (k == 0) {
      check_near(fit->model->mass, 1 * 0.2 * 0.2 * 100 + 1.5, 1e-9);
      check_ok(pl_fit_refine(fit, &error), &error);
    }
    pl_fit_destroy(fit);
  }
  print_message("%.6g Pa with the weight, %.6g without\n", found[0], found[1]);
  check_near(found[0], truth[0], 1e-4 * truth[0]);
  // Of the bar a quarter of its mass moves with the tip.
  check_near(found[1], truth[0] * 0.96 / (0.96 + 1.5), 0.25 * found[1]);
  masses[0] = -1;
  bar.def.added_masses = masses;
  pl_fit *none = NULL;
  assert_int_equal(pl_fit_create(bar.context, &bar.def, bar.mesh,
                                 &(pl_fit_sequences){.items = bar.sequences, .count = 1}, &none, &error),
                   PL_ERROR_INVALID_ARGUMENT);
  assert_string_equal(error.field, "added_masses");
  free(masses);
  close_bar(&bar);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(markers_with_gaps_and_an_unknown_start_give_the_modulus),
      cmocka_unit_test(a_body_that_swings_when_it_is_released_starts_with_its_velocity),
      cmocka_unit_test(quadratic_tets_have_the_same_derivatives),
      cmocka_unit_test(a_warm_start_hears_markers),
      cmocka_unit_test(sags_under_known_weights_give_modulus_and_nothing_of_damping),
      cmocka_unit_test(a_tensile_curve_gives_the_modulus_by_the_closed_formula),
      cmocka_unit_test(a_frequency_and_two_damping_ratios_give_modulus_and_damping),
      cmocka_unit_test(points_of_the_mesh_tell_where_quadratic_tets_start),
      cmocka_unit_test(a_weight_on_the_tip_is_part_of_the_body),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
