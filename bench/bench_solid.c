// Shape-matching solids: the five rows of paper 000's table 1 next to its figures, then larger bodies, next to the
// limit by memory bandwidth.
//
// Bodies are boxes of exactly the paper's particle counts, with examples like those of its figures: a twist and an S
// for cuboids, two for the teddy and the cylinder (the paper does not say how many), one for each car. The table's
// columns:
//   tot   a whole step of the world with one body, projection included
//   proj  what finding the weights takes, as the paper counts it: with its own goal rotation, for which every region is
//   decomposed anyway, the step
//         with projection less the step with the weights given from outside
//   sm    the rest
//
// Rows of one size have what the memory alone would take as their limit: bytes that a step has to move, over the
// bandwidth of this machine for as many bytes.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench_suite.h"

enum { MAX_EXAMPLE_COUNT = 4, LARGEST = 99 };

typedef struct solid_case {
  const char *name;
  int32_t cells[3];
  int32_t example_count;
  pl_solid_grouping grouping;
  bool resting;         // on a plane
  bool paper_rotation;  // goals turn as the paper prints it
  double paper_sm, paper_proj,
      paper_tot;  // table 1, milliseconds per step, one core of a Core i7 M620; 0: a case of our own
  double asked;   // the aim in nanoseconds; 0: none
  bool slow;      // left out of a quick look
} solid_case;

static const solid_case CASES[] = {
    {.name = "cuboid (global) 225",
     .cells = {4, 4, 8},
     .example_count = 2,
     .paper_sm = 0.21,
     .paper_proj = 0.091,
     .paper_tot = 0.33},
    {.name = "cuboid (local) 225",
     .cells = {4, 4, 8},
     .example_count = 2,
     .grouping = PL_SOLID_BY_REGION,
     .paper_sm = 0.21,
     .paper_proj = 0.17,
     .paper_tot = 0.40},
    {.name = "cylinder 2025",
     .cells = {8, 8, 24},
     .example_count = 2,
     .paper_sm = 2.0,
     .paper_proj = 0.86,
     .paper_tot = 3.1},
    {.name = "teddy 1280",
     .cells = {7, 9, 15},
     .example_count = 2,
     .paper_sm = 1.3,
     .paper_proj = 0.72,
     .paper_tot = 2.2},
    {.name = "car 192",
     .cells = {3, 5, 7},
     .example_count = 1,
     .paper_sm = 0.17,
     .paper_proj = 0.078,
     .paper_tot = 0.27},
    {.name = "plain 2025", .cells = {8, 8, 24}, .asked = 40},
    {.name = "4 examples 225", .cells = {4, 4, 8}, .example_count = 4},
    {.name = "4 examples 2025", .cells = {8, 8, 24}, .example_count = 4, .asked = 60},
    {.name = "2 examples 2025", .cells = {8, 8, 24}, .example_count = 2},
    {.name = "2 examples 20k", .cells = {26, 26, 26}, .example_count = 2},
    {.name = "plain 20k on a plane", .cells = {26, 26, 26}, .resting = true},
    {.name = "plain 100k", .cells = {45, 45, 45}},
    {.name = "2 examples 100k", .cells = {45, 45, 45}, .example_count = 2, .slow = true},
    {.name = "plain 1M", .cells = {LARGEST, LARGEST, LARGEST}},
    {.name = "2 examples 1M", .cells = {LARGEST, LARGEST, LARGEST}, .example_count = 2, .slow = true},
};

enum { CASE_COUNT = sizeof CASES / sizeof CASES[0], MAX_THREADS = 2 };

// What a particle costs in each case, with one thread and with two; 0: not measured.
typedef struct case_costs {
  double nanoseconds[CASE_COUNT][MAX_THREADS];
  double limits[CASE_COUNT][MAX_THREADS];  // by memory
} case_costs;

typedef struct bench_fixture {
  pl_context *context;
  pl_mesh *mesh;
  pl_model *model;
  pl_world *world;
  pl_body_id body;
  int32_t particle_count;
  int threads;
  pl_vec3 *poses[MAX_EXAMPLE_COUNT];
} bench_fixture;

static void close_fixture(bench_fixture *fixture) {
  pl_world_destroy(fixture->world);
  pl_model_destroy(fixture->model);
  pl_mesh_destroy(fixture->mesh);
  pl_context_destroy(fixture->context);
  for (int k = 0; k < MAX_EXAMPLE_COUNT; ++k) free(fixture->poses[k]);
}

// The poses of the paper's figures, of a box `length` long.
static pl_vec3 pose_point(int example, pl_vec3 p, double length) {
  double angle = 0.5 * PL_PI * p.z / length, wave = sin(2 * PL_PI * p.z / length);
  switch (example) {
    case 0: return (pl_vec3){p.x * cos(angle) - p.y * sin(angle), p.x * sin(angle) + p.y * cos(angle), p.z};
    case 1: return (pl_vec3){p.x + 0.12 * length * wave, p.y, p.z};
    case 2: return (pl_vec3){1.2 * p.x, 1.2 * p.y, 0.7 * p.z};
    default: return (pl_vec3){p.x + 0.4 * p.z * p.z / length, p.y, p.z};
  }
}

static pl_status build_model(const solid_case *about, bench_fixture *fixture, double length, pl_error *error) {
  static const char *const names[MAX_EXAMPLE_COUNT] = {"twist", "s", "squash", "bend"};
  pl_mesh_view view = pl_mesh_get_view(fixture->mesh);
  pl_mesh_pose examples[MAX_EXAMPLE_COUNT];
  for (int k = 0; k < about->example_count; ++k) {
    fixture->poses[k] = malloc((size_t)view.point_count * sizeof(pl_vec3));
    if (fixture->poses[k] == NULL) return PL_ERROR_OUT_OF_MEMORY;
    for (int32_t i = 0; i < view.point_count; ++i) fixture->poses[k][i] = pose_point(k, view.points[i], length);
    examples[k] = (pl_mesh_pose){names[k], fixture->poses[k]};
  }
  pl_solid_def solid = pl_default_solid_def();
  solid.examples = examples;
  solid.example_count = about->example_count;
  solid.grouping = about->grouping;
  if (about->paper_rotation) solid.goal_rotation = PL_SOLID_ROTATION_PAPER;
  return pl_solid_build(fixture->context, &solid, fixture->mesh, &fixture->model, error);
}

static pl_status open_fixture(const solid_case *about, int threads, bench_fixture *fixture, pl_error *error) {
  pl_context_def context_def = pl_default_context_def();
  context_def.thread_count = fixture->threads = threads;
  double cell = 1.0 / about->cells[0];
  pl_vec3 size = {1, cell * about->cells[1], cell * about->cells[2]};
  pl_status status = pl_context_create(&context_def, &fixture->context, error);
  if (status >= 0) status = pl_mesh_create_box(fixture->context, size, about->cells, &fixture->mesh, error);
  if (status >= 0) status = build_model(about, fixture, size.z, error);
  pl_world_def world_def = pl_default_world_def();
  if (!about->resting) world_def.gravity = (pl_vec3){0, 0, 0};
  if (status >= 0) status = pl_world_create(fixture->context, &world_def, &fixture->world, error);
  pl_body_def body = pl_default_body_def();
  body.model = fixture->model;
  body.collides = about->resting;
  body.placement.position.y = size.y / 2;
  // Something must move, or nothing would be measured: a slow turn keeps every rotation at work, and the body starts in
  // its first example.
  if (!about->resting) body.angular_velocity = (pl_vec3){0.3, 1, 0.2};
  if (status >= 0) status = pl_world_add_body(fixture->world, &body, &fixture->body, error);
  if (status >= 0 && about->example_count > 0)
    status = pl_body_set_state(fixture->world, fixture->body, fixture->poses[0], NULL, error);
  pl_collider_def plane = pl_default_collider_def(PL_COLLIDER_HALF_SPACE);
  if (status >= 0 && about->resting) status = pl_world_add_collider(fixture->world, &plane, NULL, error);
  if (status >= 0) fixture->particle_count = pl_model_get_report(fixture->model).particle_count;
  return status;
}

// What a step moves, in bytes: the model once, and per particle 256 of the state and 128 of poses. Positions,
// velocities and rotations have 16 bytes each. Roll-back reads and writes all three (96), the first pass over the rings
// reads positions and rotations and writes these (48), the second reads positions and velocities and writes these (48),
// eq. 5 reads and writes both (64). A pose has 64 bytes, written and read. What exact shapes hand to particles instead
// comes on top, 16 bytes per ring entry, and their second pass over the shapes.
static double bytes_per_step(const bench_fixture *fixture) {
  return (double)pl_model_get_report(fixture->model).byte_count + (256 + 128) * (double)fixture->particle_count;
}

static double max_memory(const bench_fixture *fixture, int threads) {
  double bytes = bytes_per_step(fixture);
  return 1e9 * bytes / bench_bandwidth((size_t)bytes, threads) / fixture->particle_count;
}

// One thread is timed by its own clock, which other programs on the machine hardly change; two by that on the wall.
static double seconds_of(int threads) {
  if (threads > 1) return tool_seconds();
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Nanoseconds of a step, in samples.
static pl_status time_steps(bench_session *bench, bench_fixture *fixture, bench_samples *samples, pl_error *error) {
  pl_status status = PL_OK;
  // About a tenth of a second per repetition.
  int steps = 1 + (int)((bench->quick ? 2e5 : 1e6) / fixture->particle_count);
  for (int i = 0; i < steps && status >= 0; ++i) status = pl_world_step(fixture->world, NULL, error);
  for (int repeat = 0; repeat < bench_repeats(bench) && status >= 0; ++repeat) {
    double begin = seconds_of(fixture->threads);
    for (int i = 0; i < steps && status >= 0; ++i) status = pl_world_step(fixture->world, NULL, error);
    bench_add(samples, 1e9 * (seconds_of(fixture->threads) - begin) / steps);
  }
  return status;
}

static void print_column(bench_session *bench, const bench_fixture *fixture, const solid_case *about,
                         const char *column, double paper, double limit, const bench_samples *nanoseconds) {
  char name[80];
  snprintf(name, sizeof name, "%s %s", about->name, column);
  bench_samples milliseconds = {.count = nanoseconds->count};
  for (int i = 0; i < nanoseconds->count; ++i) milliseconds.values[i] = 1e-6 * nanoseconds->values[i];
  bench_row row = {.suite = "solid",
                   .name = name,
                   .threads = 1,
                   .unit = "ms/step",
                   .paper = paper,
                   .limit = limit,
                   .size = fixture->particle_count};
  bench_print(bench, &row, &milliseconds);
}

// Nanoseconds that projection adds to a step, with the paper's goal rotation.
static pl_status time_projection(bench_session *bench, const solid_case *about, bench_samples *projection,
                                 pl_error *error) {
  solid_case as_printed = *about;
  as_printed.paper_rotation = true;
  bench_fixture fixture = {.context = NULL};
  bench_samples with = {0}, without = {0};
  const double weights[MAX_EXAMPLE_COUNT] = {0.5};
  pl_status status = open_fixture(&as_printed, 1, &fixture, error);
  if (status >= 0) status = time_steps(bench, &fixture, &with, error);
  for (int32_t m = 0; status >= 0 && m < pl_model_get_examples(fixture.model).given_count; ++m)
    status = pl_body_set_weights(fixture.world, fixture.body, m, weights, error);
  if (status >= 0) status = time_steps(bench, &fixture, &without, error);
  for (int i = 0; status >= 0 && i < with.count; ++i)
    bench_add(projection, fmax(0, with.values[i] - bench_median(&without)));
  close_fixture(&fixture);
  return status;
}

static pl_status measure_table_row(bench_session *bench, const solid_case *about, bench_fixture *fixture,
                                   pl_error *error) {
  bench_samples total = {0}, matching = {0}, projection = {0};
  pl_status status = time_steps(bench, fixture, &total, error);
  if (status >= 0) status = time_projection(bench, about, &projection, error);
  if (status < 0) return status;
  for (int i = 0; i < total.count; ++i) bench_add(&matching, fmax(0, total.values[i] - bench_median(&projection)));
  double limit = 1e-6 * max_memory(fixture, 1) * fixture->particle_count;
  print_column(bench, fixture, about, "sm", about->paper_sm, 0, &matching);
  print_column(bench, fixture, about, "proj", about->paper_proj, 0, &projection);
  print_column(bench, fixture, about, "tot", about->paper_tot, limit, &total);
  return PL_OK;
}

static pl_status measure_size(bench_session *bench, int index, int threads, bench_fixture *fixture, case_costs *costs,
                              pl_error *error) {
  const solid_case *about = &CASES[index];
  bench_samples samples = {0};
  pl_status status = time_steps(bench, fixture, &samples, error);
  if (status < 0) return status;
  for (int i = 0; i < samples.count; ++i) samples.values[i] /= fixture->particle_count;
  bench_row row = {.suite = "solid",
                   .name = about->name,
                   .threads = threads,
                   .unit = "ns/particle/step",
                   .takes_best = true,
                   .size = fixture->particle_count};
  char note[80];
  row.limit = max_memory(fixture, threads);
  double bytes = bytes_per_step(fixture) / fixture->particle_count;
  int length = snprintf(note, sizeof note, "limit: %.0f B a particle and step", bytes);
  if (about->asked > 0 && threads == 1)
    snprintf(note + length, sizeof note - (size_t)length, "; asked: %g", about->asked);
  row.note = note;
  bench_print(bench, &row, &samples);
  double best = samples.values[0];
  for (int i = 1; i < samples.count; ++i) best = fmin(best, samples.values[i]);
  costs->nanoseconds[index][threads - 1] = best;
  costs->limits[index][threads - 1] = row.limit;
  return PL_OK;
}

static int find_case(const char *name) {
  for (int i = 0; i < CASE_COUNT; ++i)
    if (strcmp(CASES[i].name, name) == 0) return i;
  return 0;
}

// A ratio of two costs, next to the aim and to the same ratio of their limits by memory.
typedef struct cost_ratio {
  char name[80];
  double numerator, denominator, limit;
  const char *note;
  bool higher_is_better;
} cost_ratio;

static void print_ratio(bench_session *bench, const cost_ratio *it) {
  if (!(it->numerator > 0 && it->denominator > 0)) return;
  bench_samples ratio = {0};
  bench_add(&ratio, it->numerator / it->denominator);
  bench_row row = {.suite = "solid",
                   .name = it->name,
                   .threads = it->higher_is_better ? 2 : 1,
                   .unit = "x",
                   .higher_is_better = it->higher_is_better,
                   .limit = it->limit,
                   .note = it->note};
  bench_print(bench, &row, &ratio);
}

// How the cost of a particle grows with the body (there are 1.13 times the neighbours in the largest box), and what a
// second thread gains.
static void print_ratios(bench_session *bench, const case_costs *costs) {
  static const char *const kinds[] = {"plain", "2 examples"};
  for (int k = 0; k < 2; ++k) {
    cost_ratio size = {.note = "asked: 1.2; limit: memory of 1M alone"};
    cost_ratio threads = {.note = "asked: 1.8; limit: memory, or 2", .higher_is_better = true};
    char name[80];
    snprintf(name, sizeof name, "%s 2025", kinds[k]);
    size.denominator = costs->nanoseconds[find_case(name)][0];
    snprintf(name, sizeof name, "%s 1M", kinds[k]);
    size.numerator = costs->nanoseconds[find_case(name)][0];
    if (size.denominator > 0) size.limit = costs->limits[find_case(name)][0] / size.denominator;
    snprintf(name, sizeof name, "%s 100k", kinds[k]);
    const double *middle = costs->nanoseconds[find_case(name)], *limits = costs->limits[find_case(name)];
    threads.numerator = middle[0];
    threads.denominator = middle[1];
    // Two threads take half the arithmetic, or what memory takes.
    if (middle[0] > 0) threads.limit = fmin(2, middle[0] / fmax(middle[0] / 2, limits[1]));
    snprintf(size.name, sizeof size.name, "%s 1M / 2025, a particle", kinds[k]);
    snprintf(threads.name, sizeof threads.name, "%s 100k, two threads", kinds[k]);
    print_ratio(bench, &size);
    print_ratio(bench, &threads);
  }
}

// The exact weights by themselves: what projection costs beyond the sums over the regions. Random sets of examples of
// one region's size.
static pl_status measure_weights(bench_session *bench, pl_error *error) {
  enum { COUNT = 4, ROWS = 6, SETS = 512 };
  static double grams[SETS][COUNT * COUNT], pulls[SETS][COUNT];
  uint32_t seed = 1;
  for (int s = 0; s < SETS; ++s) {
    double columns[COUNT + 1][ROWS];
    for (int k = 0; k <= COUNT; ++k)
      for (int i = 0; i < ROWS; ++i)
        columns[k][i] = (double)(seed = seed * 1664525u + 1013904223u) / 4294967296.0 - 0.5;
    for (int k = 0; k < COUNT; ++k) {
      pulls[s][k] = 0;
      for (int i = 0; i < ROWS; ++i) pulls[s][k] += columns[k][i] * columns[COUNT][i];
      for (int l = 0; l < COUNT; ++l) {
        grams[s][COUNT * k + l] = 0;
        for (int i = 0; i < ROWS; ++i) grams[s][COUNT * k + l] += columns[k][i] * columns[l][i];
      }
    }
  }
  bench_samples samples = {0};
  double weights[COUNT];
  for (int repeat = 0; repeat < bench_repeats(bench); ++repeat) {
    const int rounds = bench->quick ? 40 : 400;
    double begin = tool_seconds();
    for (int i = 0; i < rounds * SETS; ++i) {
      if (pl_weights_nearest(COUNT, grams[i % SETS], pulls[i % SETS], weights) < 0)
        return error->status = PL_ERROR_INVALID_ARGUMENT;
    }
    bench_add(&samples, 1e9 * (tool_seconds() - begin) / (rounds * SETS));
  }
  bench_row row = {
      .suite = "solid", .name = "exact weights of 4 examples", .threads = 1, .unit = "ns/solve", .size = COUNT};
  bench_print(bench, &row, &samples);
  return PL_OK;
}

int bench_solid(bench_session *bench) {
  pl_error weights_error = {0};
  case_costs costs = {.nanoseconds = {{0}}};
  if (measure_weights(bench, &weights_error) < 0) return tool_report_error(&bench->tool->console, &weights_error);
  for (int i = 0; i < CASE_COUNT; ++i)
    for (int threads = 1; threads <= MAX_THREADS; ++threads) {
      bool is_row = CASES[i].paper_tot > 0;
      if ((CASES[i].slow && bench->quick) || (is_row && threads > 1)) continue;
      if (bench->quick && CASES[i].cells[0] == LARGEST && threads > 1) continue;
      bench_fixture fixture = {.context = NULL};
      pl_error error = {0};
      pl_status status = open_fixture(&CASES[i], threads, &fixture, &error);
      if (status >= 0 && is_row) status = measure_table_row(bench, &CASES[i], &fixture, &error);
      if (status >= 0 && !is_row) status = measure_size(bench, i, threads, &fixture, &costs, &error);
      close_fixture(&fixture);
      if (status < 0) return tool_report_error(&bench->tool->console, &error);
    }
  print_ratios(bench, &costs);
  return TOOL_DONE;
}
