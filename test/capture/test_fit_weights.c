// Weights on the tip that no fit has seen: a beam whose truth has quadratic tets of a quarter of the edges and relaxes
// is fitted to three markers after a release, with noise and gaps, and to its sag under one load. Sag, frequency and
// damping ratio with other weights are then predicted.
// ctest: physics once long
#include <complex.h>

#include "base/random.h"
#include "capture/fit_parts.h"
#include "fixtures/fem_bodies.h"
#include "pliant/math.h"
#include "pliant/modes.h"
#include "pliant/solver.h"

enum { FRAMES = 60, MARKERS = 3, FINER = 4, CELLS = 6, VALUES = 6 };
static const pl_vec3 SIZE = {0.24, 0.04, 0.05};
static const double YOUNG = 2e6, POISSON = 0.4, DENSITY = 1000, RATIO = 0.5, TIME = 0.03, GRAVITY = 9.81;
static const double PULL = 0.015, NOISE = 1e-4, SEEN = 0.05, UNSEEN[2] = {0.1, 0.2};
static const pl_vec3 MARKER_POINTS[MARKERS] = {{0.12, 0.02, 0.0125}, {0.12, 0.02, -0.0125}, {0.09, 0.02, 0}};

typedef struct beam {
  pl_context *context;
  pl_mesh *mesh, *nodes;  // corners, and with the nodes on edges
  int32_t *pinned, pinned_count, *held, held_count, point_count, node_count;
  pl_embedding *markers;
  double *tip;  // fraction of a weight on the tip by point
} beam;

static beam make_beam(pl_context *context, int32_t finer) {
  pl_error error = {0};
  beam b = {.context = context, .mesh = make_fem_box(context, SIZE, CELLS * finer, finer, finer)};
  check_ok(pl_mesh_build_quadratic(context, b.mesh, &b.nodes, &error), &error);
  b.pinned = list_left_points(b.mesh, -0.499 * SIZE.x, &b.pinned_count);
  b.held = list_left_points(b.nodes, -0.499 * SIZE.x, &b.held_count);
  pl_mesh_view view = pl_mesh_get_view(b.mesh);
  b.point_count = view.point_count;
  b.node_count = pl_mesh_get_view(b.nodes).point_count;
  check_ok(pl_embedding_build(context, b.mesh, &(pl_embedding_input){MARKER_POINTS, MARKERS, 1e-6}, &b.markers, NULL,
                              &error),
           &error);
  b.tip = calloc((size_t)b.point_count, sizeof *b.tip);
  int32_t count = 0;
  for (int32_t i = 0; i < b.point_count; ++i) count += view.points[i].x > 0.499 * SIZE.x;
  for (int32_t i = 0; i < b.point_count; ++i) b.tip[i] = view.points[i].x > 0.499 * SIZE.x ? 1.0 / count : 0;
  return b;
}

static void drop_beam(beam *b) {
  pl_embedding_destroy(b->markers);
  pl_mesh_destroy(b->mesh);
  pl_mesh_destroy(b->nodes);
  free(b->pinned);
  free(b->held);
  free(b->tip);
}

static pl_fit_def def_of(const beam *b) {
  pl_fit_def def = pl_default_fit_def();
  def.element = PL_FEM_QUADRATIC;
  def.density = DENSITY;
  def.gravity = (pl_vec3){0, -GRAVITY, 0};
  def.shape = PL_FIT_SHAPE_UNSTRESSED;
  def.poisson.start = POISSON;
  def.mass_damping = (pl_fit_range){0, 1e-9, 1, false};
  def.stiffness_damping = (pl_fit_range){0, 1e-9, 1, false};
  def.prony_ratio = (pl_fit_range){0.2, 1e-3, 10, true};
  def.prony_time = (pl_fit_range){0.1, 1e-3, 10, true};
  def.noise = NOISE;
  def.pinned = b->pinned;
  def.pinned_count = b->pinned_count;
  def.direct = pl_cholmod_backend();
  return def;
}

static double *spread_weight(const beam *b, double mass) {
  double *masses = calloc((size_t)b->point_count, sizeof *masses);
  for (int32_t i = 0; i < b->point_count; ++i) masses[i] = mass * b->tip[i];
  return masses;
}

// The body with a weight, of the truth where there is no fit.
static pl_model *build_weighted(const beam *b, pl_fit *fit, double mass) {
  pl_error error = {0};
  pl_model *model = NULL;
  double *masses = spread_weight(b, mass);
  pl_fem_def def = pl_default_fem_def(PL_FEM_COROTATED);
  def.element = PL_FEM_QUADRATIC;
  def.young = YOUNG, def.poisson = POISSON, def.density = DENSITY;
  def.prony_ratio = RATIO, def.prony_time = TIME;
  def.added_masses = masses;
  def.direct = pl_cholmod_backend();
  if (fit != NULL)
    check_ok(pl_fit_build_model(fit, &def, &model, &error), &error);
  else
    check_ok(pl_fem_build(b->context, &def, b->mesh, &model, &error), &error);
  free(masses);
  return model;
}

// Under its own weight and that which it carries.
static void find_equilibrium(const beam *b, const pl_model *model, pl_vec3 *x) {
  pl_error error = {0};
  pl_fem_equilibrium_def def = pl_default_fem_equilibrium_def();
  def.acceleration = (pl_vec3){0, -GRAVITY, 0};
  def.pinned = b->held, def.pinned_count = b->held_count;
  memcpy(x, pl_mesh_get_view(b->nodes).points, (size_t)b->node_count * sizeof *x);
  check_ok(pl_fem_equilibrium(b->context, model, &def, x, NULL, &error), &error);
}

typedef struct behaviour {
  double sag, frequency, ratio;  // m, Hz, of critical damping
} behaviour;

// Frequency and damping ratio around the equilibrium: all of the body has one E(s), so the mode is that without
// branches, and its motion exp(s t) has s² + ω² E(s) / E = 0.
static behaviour measure(const beam *b, pl_fit *fit, double mass) {
  pl_error error = {0};
  pl_model *model = build_weighted(b, fit, mass);
  const pl_fem_branches *branches = &((const pl_fem_model *)model)->branches;
  pl_vec3 *x = calloc((size_t)b->node_count, sizeof *x), tips[MARKERS];
  find_equilibrium(b, model, x);
  pl_embedding_apply(b->markers, x, tips);
  pl_modes_def modes = pl_default_modes_def();
  modes.mode_count = 1;
  modes.positions = x;
  modes.pinned = b->held, modes.pinned_count = b->held_count;
  modes.direct = pl_cholmod_backend();
  double frequency;
  check_ok(pl_modes_find(b->context, model, &modes, &frequency, NULL, &error), &error);
  double omega = 2 * PL_PI * frequency;
  double complex s = omega * (double complex)I;
  for (int k = 0; k < 200; ++k) {
    double complex modulus = 1;
    for (int32_t i = 0; i < branches->count; ++i)
      modulus += branches->ratios[i] * s * branches->times[i] / (1 + s * branches->times[i]);
    s = omega * (double complex)I * csqrt(modulus);
  }
  pl_model_destroy(model);
  free(x);
  return (behaviour){MARKER_POINTS[0].y - 0.5 * (tips[0].y + tips[1].y), cimag(s) / (2 * PL_PI), -creal(s) / cabs(s)};
}

// Released from a pull of the markers.
static pl_fit_sequence release(const beam *b, const pl_vec3 *positions) {
  return (pl_fit_sequence){.frame_count = FRAMES,
                           .frame_seconds = 0.01,
                           .positions = positions,
                           .markers = b->markers,
                           .start = PL_FIT_START_PULLED};
}

// What markers of the truth do, with noise and a tenth of the samples missing.
static void record(const beam *fine, pl_vec3 *seen) {
  pl_error error = {0};
  pl_random random = pl_random_of_seed(5);
  const double values[VALUES] = {YOUNG, POISSON, 0, 0, RATIO, TIME};
  pl_fit_def def = def_of(fine);
  def.steps_per_frame = 4;
  for (int i = 0; i < FRAMES * MARKERS; ++i) {
    seen[i] = MARKER_POINTS[i % MARKERS];
    seen[i].y -= (i % MARKERS == 2 ? 0.7 : 1) * 2 * PULL;
  }
  pl_fit_sequence motion = release(fine, seen);
  pl_vec3 *positions = calloc((size_t)fine->point_count * FRAMES, sizeof *positions);
  pl_fit *fit = NULL;
  check_ok(
      pl_fit_create(fine->context, &def, fine->mesh, &(pl_fit_sequences){.items = &motion, .count = 1}, &fit, &error),
      &error);
  check_ok(pl_fit_set_values(fit, values, &error), &error);
  check_ok(pl_fit_predict(fit, &motion, positions, NULL, &error), &error);
  pl_fit_destroy(fit);
  for (int f = 0; f < FRAMES; ++f) {
    pl_embedding_apply(fine->markers, positions + (size_t)f * (size_t)fine->point_count, seen + f * MARKERS);
    for (int i = f * MARKERS; i < (f + 1) * MARKERS; ++i) {
      seen[i].x += NOISE * pl_random_between(&random, -1.7, 1.7);
      seen[i].y += NOISE * pl_random_between(&random, -1.7, 1.7);
      seen[i].z += NOISE * pl_random_between(&random, -1.7, 1.7);
      if (f > 0 && pl_random_between(&random, 0, 1) < 0.1) seen[i] = (pl_vec3){(double)NAN, (double)NAN, (double)NAN};
    }
  }
  free(positions);
}

static void weights_that_the_fit_never_saw_are_predicted(void **state) {
  (void)state;
  pl_error error = {0};
  pl_context *context = make_context(1);
  beam fine = make_beam(context, FINER), coarse = make_beam(context, 1);
  pl_vec3 *seen = calloc(FRAMES * MARKERS, sizeof *seen), sagged[MARKERS];
  pl_vec3 *x = calloc((size_t)fine.node_count, sizeof *x);
  record(&fine, seen);
  // Its sag under a weight that was used to fit.
  pl_model *truth = build_weighted(&fine, NULL, SEEN);
  find_equilibrium(&fine, truth, x);
  pl_embedding_apply(fine.markers, x, sagged);
  pl_model_destroy(truth);
  free(x);
  int32_t loaded[64], loaded_count = 0;
  for (int32_t i = 0; i < coarse.point_count; ++i)
    if (coarse.tip[i] > 0) loaded[loaded_count++] = i;
  pl_fit_load_case sag = {.loaded = loaded,
                          .loaded_count = loaded_count,
                          .force = {0, -GRAVITY * SEEN, 0},
                          .reaction = (double)NAN,
                          .markers = coarse.markers,
                          .positions = sagged};
  pl_fit_sequence motion = release(&coarse, seen);
  pl_fit_def def = def_of(&coarse);
  def.young.start = 1e6;
  pl_fit *fit = NULL;
  check_ok(
      pl_fit_create(context, &def, coarse.mesh,
                    &(pl_fit_sequences){.items = &motion, .count = 1, .cases = &sag, .case_count = 1}, &fit, &error),
      &error);
  pl_fit_report report;
  check_ok(pl_fit_run(fit, &error), &error);
  check_ok(pl_fit_get_report(fit, &report, &error), &error);
  for (int32_t i = 0; i < report.parameter_count; ++i)
    print_message("%s: %.6g in %.6g to %.6g\n", report.estimates[i].name, report.estimates[i].value,
                  report.estimates[i].min, report.estimates[i].max);
  print_message("residual %.3g mm of %.3g mm\n", 1e3 * report.rms, 1e3 * report.amplitude);
  for (int k = 0; k < 2; ++k) {
    behaviour expected = measure(&fine, NULL, UNSEEN[k]), found = measure(&coarse, fit, UNSEEN[k]);
    // A cantilever with a mass at its tip, and with the modulus of that frequency.
    double omega = 2 * PL_PI * expected.frequency, st = omega * TIME;
    double modulus = YOUNG * (1 + RATIO * st * st / (1 + st * st));
    double stiffness = 3 * modulus * SIZE.z * pow(SIZE.y, 3) / 12 / pow(SIZE.x, 3);
    double closed = sqrt(stiffness / (UNSEEN[k] + 0.24 * DENSITY * SIZE.x * SIZE.y * SIZE.z)) / (2 * PL_PI);
    print_message(
        "%.0f g: sag %.3f mm, %.3f found; %.4f Hz (closed form %.4f), %.4f found; damping ratio %.4f, %.4f found\n",
        1e3 * UNSEEN[k], 1e3 * expected.sag, 1e3 * found.sag, expected.frequency, closed, found.frequency,
        expected.ratio, found.ratio);
    check_near(expected.frequency, closed, 0.04 * closed);
    check_near(found.sag, expected.sag, 0.03 * expected.sag);
    check_near(found.frequency, expected.frequency, 0.02 * expected.frequency);
    check_near(found.ratio, expected.ratio, 0.15 * expected.ratio);
  }
  pl_fit_destroy(fit);
  free(seen);
  drop_beam(&fine);
  drop_beam(&coarse);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(weights_that_the_fit_never_saw_are_predicted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
