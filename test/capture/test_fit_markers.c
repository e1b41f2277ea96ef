// ctest: physics once long
// Three markers at the tip of a beam with four cells across, at 100 Hz with 0.2 mm of noise and gaps: the whole end is
// drawn aside and released, and the truth has steps of a sixteenth of a frame. Prints the modulus and the time that the
// fit takes on one thread.
#include <time.h>

#include "base/random.h"
#include "capture/fit_parts.h"
#include "fixtures/fem_bodies.h"
#include "pliant/math.h"
#include "pliant/solver.h"

enum { FRAMES = 60, MARKERS = 3, TRUTH_STEPS = 16 };
static const pl_vec3 SIZE = {0.3, 0.06, 0.06}, DRAWN = {0, -0.015, 0.006};
static const double YOUNG = 3e5, POISSON = 0.3, DENSITY = 1000, ALPHA = 0.3, BETA = 2e-3, NOISE = 2e-4;
static const pl_vec3 MARKER_POINTS[MARKERS] = {{0.152, 0.02, 0.01}, {0.14, 0.033, -0.015}, {0.135, -0.01, 0.034}};

typedef struct beam {
  pl_context *context;
  pl_mesh *mesh;
  int32_t *pinned, pinned_count;
  size_t point_count;
  pl_embedding *markers;
} beam;

static pl_fit_def def_of(const beam *b) {
  pl_fit_def def = pl_default_fit_def();
  def.density = DENSITY;
  def.poisson.start = POISSON;
  def.gravity = (pl_vec3){0, 0, 0};
  def.pinned = b->pinned;
  def.pinned_count = b->pinned_count;
  def.noise = NOISE;
  def.direct = pl_cholmod_backend();
  return def;
}

// Where the body is with its end drawn aside.
static void draw_aside(const beam *b, pl_vec3 *x) {
  pl_error error = {0};
  pl_model *model = NULL;
  pl_fem_def def = pl_default_fem_def(PL_FEM_COROTATED);
  def.young = YOUNG, def.poisson = POISSON, def.density = DENSITY;
  check_ok(pl_fem_build(b->context, &def, b->mesh, &model, &error), &error);
  int32_t *held = calloc(b->point_count, sizeof *held), count = 0;
  for (size_t i = 0; i < b->point_count; ++i) {
    x[i] = pl_mesh_get_view(b->mesh).points[i];
    bool end = x[i].x > 0.499 * SIZE.x;
    if (end || x[i].x < -0.499 * SIZE.x) held[count++] = (int32_t)i;
    double t = x[i].x / SIZE.x + 0.5;
    x[i] = pl_vec3_add_scaled(x[i], DRAWN, 0.5 * t * t * (3 - t));
  }
  pl_fem_equilibrium_def equilibrium = pl_default_fem_equilibrium_def();
  equilibrium.pinned = held, equilibrium.pinned_count = count;
  check_ok(pl_fem_equilibrium(b->context, model, &equilibrium, x, NULL, &error), &error);
  free(held);
  pl_model_destroy(model);
}

static void film(const beam *b, pl_vec3 *seen) {
  pl_error error = {0};
  const double truth[4] = {YOUNG, POISSON, ALPHA, BETA};
  pl_vec3 *start = calloc(b->point_count, sizeof *start),
          *positions = calloc(b->point_count * FRAMES, sizeof *positions);
  draw_aside(b, start);
  pl_fit_def def = def_of(b);
  def.steps_per_frame = TRUTH_STEPS;
  pl_fit_sequence motion = {
      .frame_count = FRAMES, .frame_seconds = 0.01, .positions = positions, .start_positions = start};
  pl_fit *fit = NULL;
  check_ok(pl_fit_create(b->context, &def, b->mesh, &(pl_fit_sequences){.items = &motion, .count = 1}, &fit, &error),
           &error);
  check_ok(pl_fit_set_values(fit, truth, &error), &error);
  check_ok(pl_fit_predict(fit, &motion, positions, NULL, &error), &error);
  pl_fit_destroy(fit);
  pl_random random = pl_random_of_seed(11);
  for (size_t f = 0; f < FRAMES; ++f) {
    pl_embedding_apply(b->markers, positions + f * b->point_count, seen + f * MARKERS);
    for (size_t i = 0; i < MARKERS; ++i) {
      pl_vec3 *at = &seen[f * MARKERS + i];
      *at = pl_vec3_add_scaled(
          *at, (pl_vec3){pl_random_normal(&random), pl_random_normal(&random), pl_random_normal(&random)}, NOISE);
      // A tenth of the samples, and one marker for a while.
      if (f > 0 && (pl_random_unit(&random) < 0.1 || (i == 1 && f >= 20 && f < 26))) at->x = (double)NAN;
    }
  }
  free(start);
  free(positions);
}

static void three_markers_give_the_modulus(void **state) {
  (void)state;
  pl_error error = {0};
  beam b = {.context = make_context(1)};
  b.mesh = make_fem_box(b.context, SIZE, 20, 4, 4);
  b.point_count = (size_t)pl_mesh_get_view(b.mesh).point_count;
  b.pinned = list_left_points(b.mesh, -0.499 * SIZE.x, &b.pinned_count);
  check_ok(pl_embedding_build(b.context, b.mesh, &(pl_embedding_input){MARKER_POINTS, MARKERS, 0.02}, &b.markers, NULL,
                              &error),
           &error);
  pl_vec3 seen[FRAMES * MARKERS];
  film(&b, seen);
  pl_fit_def def = def_of(&b);
  def.young.start = 1e5;
  def.max_steps = 32;
  pl_fit_sequence motion = {.frame_count = FRAMES,
                            .frame_seconds = 0.01,
                            .positions = seen,
                            .markers = b.markers,
                            .start = PL_FIT_START_PULLED};
  pl_fit *fit = NULL;
  pl_fit_report report;
  clock_t begin = clock();
  check_ok(pl_fit_create(b.context, &def, b.mesh, &(pl_fit_sequences){.items = &motion, .count = 1}, &fit, &error),
           &error);
  check_ok(pl_fit_run(fit, &error), &error);
  check_ok(pl_fit_get_report(fit, &report, &error), &error);
  const pl_fit_estimate *young = &report.estimates[0];
  print_message("%g Pa of %g (%+.2f %%) in %g … %g, %s; rms %g mm, %d iterations, %.1f s of one core\n", young->value,
                YOUNG, 100 * (young->value / YOUNG - 1), young->min, young->max, pl_fit_verdict_name(young->verdict),
                1e3 * report.rms, report.iteration_count, (double)(clock() - begin) / CLOCKS_PER_SEC);
  check_near(young->value, YOUNG, 0.03 * YOUNG);
  assert_int_equal(young->verdict, PL_FIT_DETERMINED);
  pl_fit_destroy(fit);
  pl_embedding_destroy(b.markers);
  free(b.pinned);
  pl_mesh_destroy(b.mesh);
  drop_context(b.context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(three_markers_give_the_modulus)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
