// How often intervals contain the truth, and how wide they are.
//
// A bar that is held at one end is pulled aside at its tip and released. The truth is simulated with tets of a quarter
// of the edges and steps of a quarter of the length of the fits, so that every fit has an error of discretisation as
// well as noise. Half of the fits see three markers at the tip, with gaps, and fit the pull; the others see all points
// of their mesh, and start from the mean of frames in which the bar is held. Every fit begins with another wrong
// modulus and is refined (pl_fit_refine()). A row counts how many of the 95 % intervals contain the truth; half of the
// width of the interval and the distance of the value from the truth are medians, relative to the truth.
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_suite.h"
#include "tool_open.h"

enum { FRAMES = 20, MARKERS = 3, TRUTHS = 2, NOISES = 3, TRIALS = 17, QUICK_TRIALS = 2, HELD_FRAMES = 16 };
enum { FIT_STEPS = 2, TRUTH_STEPS = 8, ALONG = 8, HIGH = 2, WIDE = 1, FINER = 4 };
static const double SIZE[3] = {0.2, 0.04, 0.02}, RATE = 60, PULL = 0.02;
static const double YOUNGS[TRUTHS] = {6e5, 1.5e6}, ALPHA = 0.5, BETA = 2e-3, POISSON = 0.3, DENSITY = 1000;
static const double NOISE[NOISES] = {1e-4, 5e-4, 2e-3};
static const pl_vec3 MARKER_POINTS[MARKERS] = {{0.102, 0.015, 0.004}, {0.09, 0.022, -0.005}, {0.095, -0.01, 0.012}};

typedef struct bar {
  pl_mesh *mesh;
  int32_t *held, held_count, point_count;
} bar;

typedef struct coverage_suite {
  bench_session *bench;
  pl_context *context;
  bar coarse, fine;
  pl_embedding *markers, *fine_markers, *fine_points;  // of the coarse bar; in the fine one: markers, coarse points
  pl_vec3 *marker_truth[TRUTHS], *point_truth[TRUTHS];
} coverage_suite;

// A box cut into five tets a cell, mirrored from cell to cell.
static pl_status build_bar(pl_context *context, int32_t nx, int32_t ny, int32_t nz, bar *made, pl_error *error) {
  static const int cuts[2][5][4] = {{{0, 1, 3, 5}, {0, 3, 2, 6}, {0, 5, 6, 4}, {3, 6, 5, 7}, {0, 3, 6, 5}},
                                    {{1, 0, 4, 2}, {1, 2, 7, 3}, {1, 4, 5, 7}, {2, 6, 7, 4}, {1, 2, 4, 7}}};
  int32_t count = (nx + 1) * (ny + 1) * (nz + 1), tet = 0;
  pl_vec3 *points = tool_allocate((size_t)count, sizeof *points);
  int32_t *tets = tool_allocate(20 * (size_t)(nx * ny * nz), sizeof *tets);
  made->held = tool_allocate((size_t)count, sizeof *made->held);
  made->point_count = count;
  for (int32_t k = 0, p = 0; k <= nz; ++k)
    for (int32_t j = 0; j <= ny; ++j)
      for (int32_t i = 0; i <= nx; ++i, ++p) {
        points[p] = (pl_vec3){SIZE[0] * ((double)i / nx - 0.5), SIZE[1] * ((double)j / ny - 0.5),
                              SIZE[2] * ((double)k / nz - 0.5)};
        if (i == 0) made->held[made->held_count++] = p;
      }
  for (int32_t k = 0; k < nz; ++k)
    for (int32_t j = 0; j < ny; ++j)
      for (int32_t i = 0; i < nx; ++i)
        for (int t = 0; t < 5; ++t, ++tet) {
          int32_t *c = tets + 4 * (size_t)tet;
          for (int a = 0; a < 4; ++a) {
            int corner = cuts[(i + j + k) % 2][t][a];
            c[a] = (i + corner % 2) + (nx + 1) * ((j + corner / 2 % 2) + (ny + 1) * (k + corner / 4));
          }
          pl_vec3 o = points[c[0]], x = points[c[1]], y = points[c[2]], z = points[c[3]];
          double volume = (x.x - o.x) * ((y.y - o.y) * (z.z - o.z) - (y.z - o.z) * (z.y - o.y)) -
                          (x.y - o.y) * ((y.x - o.x) * (z.z - o.z) - (y.z - o.z) * (z.x - o.x)) +
                          (x.z - o.z) * ((y.x - o.x) * (z.y - o.y) - (y.y - o.y) * (z.x - o.x));
          if (volume < 0) {
            int32_t swap = c[2];
            c[2] = c[3];
            c[3] = swap;
          }
        }
  pl_mesh_view view = {.point_count = count, .points = points, .tet_count = tet, .tets = tets};
  pl_status status = pl_mesh_create(context, &view, &made->mesh, error);
  free(points);
  free(tets);
  return status;
}

static pl_fit_def def_of(const bar *of) {
  pl_fit_def def = pl_default_fit_def();
  def.density = DENSITY;
  def.poisson.start = POISSON;
  def.mass_damping.start = ALPHA;
  def.mass_damping.fitted = false;
  def.pinned = of->held;
  def.pinned_count = of->held_count;
  def.direct = pl_cholmod_backend();
  return def;
}

static double uniform(uint64_t *random) {
  *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return ((double)(*random >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t *random) {
  double a = uniform(random), b = uniform(random);
  return sqrt(-2 * log(a)) * cos(2 * PL_PI * b);
}

// --- the truth ----------------------------------------------------------------------------------------------------

// The fine bar, pulled so that its markers are where they should be, and released.
static pl_status make_truth(const coverage_suite *suite, int number, pl_error *error) {
  const bar *of = &suite->fine;
  size_t n = (size_t)of->point_count;
  pl_fit_def def = def_of(of);
  def.steps_per_frame = TRUTH_STEPS;
  pl_vec3 *targets = tool_allocate(FRAMES * MARKERS, sizeof *targets);
  pl_vec3 *positions = tool_allocate(n * FRAMES, sizeof *positions);
  for (int i = 0; i < FRAMES * MARKERS; ++i) {
    targets[i] = MARKER_POINTS[i % MARKERS];
    targets[i].y -= PULL;
    targets[i].z += 0.2 * PULL;
  }
  pl_fit_sequence motion = {.frame_count = FRAMES,
                            .frame_seconds = 1 / RATE,
                            .positions = targets,
                            .markers = suite->fine_markers,
                            .start = PL_FIT_START_PULLED};
  const double values[4] = {YOUNGS[number], POISSON, ALPHA, BETA};
  pl_fit *fit = NULL;
  pl_status status =
      pl_fit_create(suite->context, &def, of->mesh, &(pl_fit_sequences){.items = &motion, .count = 1}, &fit, error);
  if (status >= 0) status = pl_fit_set_values(fit, values, error);
  if (status >= 0) status = pl_fit_predict(fit, &motion, positions, NULL, error);
  pl_fit_destroy(fit);
  for (size_t f = 0; f < FRAMES && status >= 0; ++f) {
    pl_embedding_apply(suite->fine_markers, positions + f * n, suite->marker_truth[number] + f * MARKERS);
    pl_embedding_apply(suite->fine_points, positions + f * n,
                       suite->point_truth[number] + f * (size_t)suite->coarse.point_count);
  }
  free(targets);
  free(positions);
  return status;
}

// --- one fit ------------------------------------------------------------------------------------------------------

typedef struct coverage_trial {
  bool contains, determined;
  double half, error, plain_half, plain_error;  // relative to the truth; without refinement
} coverage_trial;

static void add_noise(pl_vec3 *points, size_t count, double noise, uint64_t *random) {
  for (size_t i = 0; i < count; ++i) {
    points[i].x += noise * normal(random);
    points[i].y += noise * normal(random);
    points[i].z += noise * normal(random);
  }
}

static pl_status run_trial(const coverage_suite *suite, bool dense, int truth, double noise, uint64_t seed,
                           coverage_trial *trial, pl_error *error) {
  uint64_t random = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
  size_t n = dense ? (size_t)suite->coarse.point_count : MARKERS;
  const pl_vec3 *exact = dense ? suite->point_truth[truth] : suite->marker_truth[truth];
  pl_vec3 *seen = tool_allocate(n * FRAMES, sizeof *seen), *start = tool_allocate(n, sizeof *start);
  memcpy(seen, exact, n * FRAMES * sizeof *seen);
  memcpy(start, exact, n * sizeof *start);
  add_noise(seen, n * FRAMES, noise, &random);
  add_noise(start, n, noise / sqrt(HELD_FRAMES), &random);
  for (size_t i = MARKERS; !dense && i < n * FRAMES; ++i)
    if (uniform(&random) < 0.1) seen[i].x = (double)NAN;
  pl_fit_def def = def_of(&suite->coarse);
  def.steps_per_frame = FIT_STEPS;
  def.noise = noise;
  def.young.start = YOUNGS[truth] * exp(normal(&random) * 0.5);
  pl_fit_sequence motion = {.frame_count = FRAMES,
                            .frame_seconds = 1 / RATE,
                            .positions = seen,
                            .start_positions = dense ? start : NULL,
                            .markers = dense ? NULL : suite->markers,
                            .start = dense ? PL_FIT_START_GIVEN : PL_FIT_START_PULLED};
  pl_fit *fit = NULL;
  pl_fit_report report;
  pl_status status = pl_fit_create(suite->context, &def, suite->coarse.mesh,
                                   &(pl_fit_sequences){.items = &motion, .count = 1}, &fit, error);
  if (status >= 0) status = pl_fit_run(fit, error);
  if (status >= 0) status = pl_fit_get_report(fit, &report, error);
  double young = YOUNGS[truth];
  if (status >= 0) {
    trial->plain_half = 0.5 * (report.estimates[0].max - report.estimates[0].min) / young;
    trial->plain_error = fabs(report.estimates[0].value / young - 1);
    status = pl_fit_refine(fit, error);
  }
  if (status >= 0) status = pl_fit_get_report(fit, &report, error);
  if (status >= 0) {
    const pl_fit_estimate *e = &report.estimates[0];
    trial->contains = e->min <= young && young <= e->max;
    trial->determined = e->verdict == PL_FIT_DETERMINED;
    trial->half = 0.5 * (e->max - e->min) / young;
    trial->error = fabs(e->value / young - 1);
  }
  pl_fit_destroy(fit);
  free(seen);
  free(start);
  return status < 0 ? status : PL_OK;
}

// --- the table ----------------------------------------------------------------------------------------------------

static int compare_numbers(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median_of(const coverage_trial *trials, int count, size_t offset) {
  double *numbers = tool_allocate((size_t)count, sizeof *numbers);
  for (int i = 0; i < count; ++i) memcpy(&numbers[i], (const char *)&trials[i] + offset, sizeof *numbers);
  qsort(numbers, (size_t)count, sizeof *numbers, compare_numbers);
  double middle = count > 0 ? 0.5 * (numbers[(count - 1) / 2] + numbers[count / 2]) : 0;
  free(numbers);
  return middle;
}

static void print_trials(const coverage_suite *suite, const char *name, const coverage_trial *trials, int count) {
  int contained = 0, determined = 0;
  for (int i = 0; i < count; ++i) contained += trials[i].contains, determined += trials[i].determined;
  double half = median_of(trials, count, offsetof(coverage_trial, half)),
         error = median_of(trials, count, offsetof(coverage_trial, error)),
         plain_half = median_of(trials, count, offsetof(coverage_trial, plain_half)),
         plain_error = median_of(trials, count, offsetof(coverage_trial, plain_error));
  char *note =
      tool_text("half width %.3g %%, error %.3g %%: %.3g times; %d determined; not refined %.2g %% and %.3g %%",
                100 * half, 100 * error, half / fmax(error, 1e-12), determined, 100 * plain_half, 100 * plain_error);
  char *more = tool_text("\"half_width\": %.5g, \"error\": %.5g, \"ratio\": %.4g, \"determined\": %d", half, error,
                         half / fmax(error, 1e-12), determined);
  char *unit = tool_text("of %d", count);
  bench_samples samples = {0};
  bench_add(&samples, contained);
  bench_print(suite->bench,
              &(bench_row){.suite = "coverage",
                           .name = name,
                           .threads = pl_context_thread_count(suite->context),
                           .unit = unit,
                           .higher_is_better = true,
                           .size = suite->coarse.point_count,
                           .note = note,
                           .more = more},
              &samples);
  free(unit);
  free(more);
  free(note);
}

static pl_status open_suite(coverage_suite *suite, pl_error *error) {
  pl_status status = build_bar(suite->context, ALONG, HIGH, WIDE, &suite->coarse, error);
  if (status >= 0) status = build_bar(suite->context, FINER * ALONG, FINER * HIGH, FINER * WIDE, &suite->fine, error);
  if (status < 0) return status;
  pl_mesh_view coarse = pl_mesh_get_view(suite->coarse.mesh);
  const pl_embedding_input markers = {MARKER_POINTS, MARKERS, 0.01}, points = {coarse.points, coarse.point_count, 1e-6};
  status = pl_embedding_build(suite->context, suite->coarse.mesh, &markers, &suite->markers, NULL, error);
  if (status >= 0)
    status = pl_embedding_build(suite->context, suite->fine.mesh, &markers, &suite->fine_markers, NULL, error);
  if (status >= 0)
    status = pl_embedding_build(suite->context, suite->fine.mesh, &points, &suite->fine_points, NULL, error);
  for (int i = 0; i < TRUTHS && status >= 0; ++i) {
    suite->marker_truth[i] = tool_allocate(FRAMES * MARKERS, sizeof(pl_vec3));
    suite->point_truth[i] = tool_allocate(FRAMES * (size_t)coarse.point_count, sizeof(pl_vec3));
    status = make_truth(suite, i, error);
  }
  return status;
}

static void close_suite(coverage_suite *suite) {
  for (int i = 0; i < TRUTHS; ++i) free(suite->marker_truth[i]), free(suite->point_truth[i]);
  pl_embedding_destroy(suite->markers);
  pl_embedding_destroy(suite->fine_markers);
  pl_embedding_destroy(suite->fine_points);
  pl_mesh_destroy(suite->coarse.mesh);
  pl_mesh_destroy(suite->fine.mesh);
  free(suite->coarse.held);
  free(suite->fine.held);
  pl_context_destroy(suite->context);
}

int bench_coverage(bench_session *bench) {
  coverage_suite suite = {.bench = bench, .context = tool_open_context(bench->tool, 0)};
  if (suite.context == NULL) return TOOL_FAILED;
  pl_error error = {0};
  int trials = bench->quick ? QUICK_TRIALS : TRIALS, count = 0;
  coverage_trial *all = tool_allocate((size_t)(2 * NOISES * trials), sizeof *all);
  pl_status status = open_suite(&suite, &error);
  for (int dense = 0; dense < 2; ++dense)
    for (int level = 0; level < NOISES; ++level) {
      for (int i = 0; i < trials && status >= 0; ++i)
        status = run_trial(&suite, dense != 0, i % TRUTHS, NOISE[level], (uint64_t)(1000 * dense + 100 * level + i),
                           &all[count++], &error);
      char *name = tool_text("%s, noise %.2g mm", dense ? "all points" : "3 markers", 1e3 * NOISE[level]);
      if (status >= 0) print_trials(&suite, name, all + count - trials, trials);
      free(name);
    }
  if (status >= 0) print_trials(&suite, "all", all, count);
  free(all);
  close_suite(&suite);
  return status < 0 ? tool_report_error(&bench->tool->console, &error) : TOOL_DONE;
}
