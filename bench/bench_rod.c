// Rods: the three models of paper 001's table 1, then heads of thousands of chains, while the camera goes around once
// in four seconds, so that the weights of every chain change in every step. Each with fixed weights (no view
// dependence), and with the three ways to treat the momentum that changing weights bring:
//   none    the chain is pulled to its new rest pose and comes alive
//   paper   a second solve gives the velocities (section 4)
//   transport   the chain moves along with its rest pose
// The paper measured frames of its whole system only, at "60+ FPS" on a laptop: 16.7 ms are an upper bound of its
// figure. Chains move eight at a time, so a chain of a small model costs more than one of thousands. The limit is the
// time to bring the state through memory of that size once and back.
//
// The variants of a case take turns, a repetition each, so that whatever else the machine does meets all of them, and
// ratios are those of neighbours in time.
#include <math.h>
#include <stdio.h>

#include "bench_rod_fixture.h"
#include "bench_suite.h"

typedef enum rod_variant { ROD_FIXED, ROD_NONE, ROD_PAPER, ROD_TRANSPORT, ROD_VARIANT_COUNT } rod_variant;

static const char *const VARIANT_NAMES[ROD_VARIANT_COUNT] = {"fixed", "none", "paper", "transport"};

typedef struct rod_model_case {
  const char *name;
  rod_kind kinds[ROD_MAX_KINDS];
} rod_model_case;

// Chains that have no examples in the paper are there all the same, as long as their neighbours.
static const rod_model_case TABLE[] = {
    {"bunny", {{2, 8, 5}}},
    {"front hair", {{1, 7, 3}, {1, 5, 5}, {1, 7, 1}, {3, 7, 0}}},
    {"top of head", {{1, 3, 5}, {3, 3, 0}}},
};

static const double FRAME = 1.0 / 60, PAPER_FRAME = 16.7;
static const char *const MAX_MEMORY = "limit: the state through memory once and back";

// A case with all its variants at work.
typedef struct rod_race {
  rod_fixture fixtures[ROD_VARIANT_COUNT];
  bench_samples seconds[ROD_VARIANT_COUNT];  // per step
  int threads;
  double step;
} rod_race;

static void close_race(rod_race *race) {
  for (int v = 0; v < ROD_VARIANT_COUNT; ++v) rod_fixture_close(&race->fixtures[v]);
}

static pl_status open_fixture(const rod_kind *kinds, rod_variant variant, double step, int threads,
                              rod_fixture *fixture, pl_error *error) {
  static const pl_rod_ghost_momentum modes[] = {PL_ROD_GHOST_MOMENTUM_KEEP, PL_ROD_GHOST_MOMENTUM_KEEP,
                                                PL_ROD_GHOST_MOMENTUM_PAPER, PL_ROD_GHOST_MOMENTUM_TRANSPORT};
  rod_fixture_def def = {.kinds = kinds,
                         .ghost_momentum = modes[variant],
                         .step = step,
                         .fixed = variant == ROD_FIXED,
                         .threads = threads};
  return rod_fixture_open(&def, fixture, error);
}

// Seconds of a step, of each variant that is asked for (bit v of `variants`).
static pl_status run_race(bench_session *bench, const rod_kind *kinds, unsigned variants, rod_race *race,
                          pl_error *error) {
  pl_status status = PL_OK;
  for (int v = 0; v < ROD_VARIANT_COUNT && status >= 0; ++v)
    if ((variants >> v & 1) != 0)
      status = open_fixture(kinds, (rod_variant)v, race->step, race->threads, &race->fixtures[v], error);
  // About a tenth of a second per repetition; the first one warms up. A quarter of a second of simulated time and more,
  // so that chains move as they will.
  for (int repeat = -1; repeat < bench_repeats(bench) && status >= 0; ++repeat)
    for (int v = 0; v < ROD_VARIANT_COUNT && status >= 0; ++v) {
      if ((variants >> v & 1) == 0) continue;
      int steps = 4 + (int)((bench->quick ? 4e4 : 3e5) / (race->fixtures[v].joint_count + 16));
      double begin = tool_seconds();
      for (int i = 0; i < steps && status >= 0; ++i) status = rod_fixture_step(&race->fixtures[v], error);
      if (repeat >= 0) bench_add(&race->seconds[v], (tool_seconds() - begin) / steps);
    }
  return status;
}

static bench_samples scaled(const bench_samples *samples, double factor) {
  bench_samples made = {.count = samples->count};
  for (int i = 0; i < samples->count; ++i) made.values[i] = factor * samples->values[i];
  return made;
}

// What suppression costs: the time with it over the time without, repetition by repetition.
static void print_ratio(bench_session *bench, const rod_race *race, const char *name, rod_variant variant) {
  char title[80];
  bench_samples ratio = {0};
  snprintf(title, sizeof title, "%s %s/none", name, VARIANT_NAMES[variant]);
  for (int i = 0; i < race->seconds[variant].count; ++i)
    bench_add(&ratio, race->seconds[variant].values[i] / race->seconds[ROD_NONE].values[i]);
  bench_row row = {.suite = "rod",
                   .name = title,
                   .threads = race->threads,
                   .unit = "x",
                   .size = race->fixtures[variant].chain_count};
  if (variant == ROD_PAPER) {
    row.paper = 2;
    row.note = "paper: 'it doubles the computational cost'";
  }
  bench_print(bench, &row, &ratio);
}

// Microseconds per chain and step, all variants, and the ratios.
static void print_chain_rows(bench_session *bench, const rod_race *race, const char *name) {
  for (int v = 0; v < ROD_VARIANT_COUNT; ++v) {
    const rod_fixture *fixture = &race->fixtures[v];
    if (fixture->chain_count == 0) continue;
    char title[80];
    snprintf(title, sizeof title, "%s %s", name, VARIANT_NAMES[v]);
    bench_samples samples = scaled(&race->seconds[v], 1e6 / fixture->chain_count);
    bench_row row = {
        .suite = "rod",
        .name = title,
        .threads = race->threads,
        .unit = "us/chain/step",
        .limit = 1e6 * fixture->bytes / bench_bandwidth((size_t)fixture->bytes, race->threads) / fixture->chain_count,
        .size = fixture->chain_count,
        .note = MAX_MEMORY};
    bench_print(bench, &row, &samples);
  }
  for (int v = ROD_PAPER; v < ROD_VARIANT_COUNT; ++v)
    if (race->seconds[v].count > 0 && race->seconds[ROD_NONE].count > 0) print_ratio(bench, race, name, (rod_variant)v);
}

// Milliseconds of a frame of 1/60 s, next to the paper's if it has a figure (it always suppresses ghost momenta); with
// `factor` also how many times faster than real time that is.
static void print_frame_rows(bench_session *bench, const rod_race *race, const char *name, double paper, bool factor) {
  double steps = FRAME / race->step;
  for (int v = 0; v < ROD_VARIANT_COUNT; ++v) {
    const rod_fixture *fixture = &race->fixtures[v];
    if (race->seconds[v].count == 0 || (paper > 0 && v < ROD_PAPER)) continue;
    char title[80];
    snprintf(title, sizeof title, "%s frame %s", name, VARIANT_NAMES[v]);
    bench_samples samples = scaled(&race->seconds[v], 1e3 * steps), times = {0};
    bench_row row = {.suite = "rod",
                     .name = title,
                     .threads = race->threads,
                     .unit = "ms/frame",
                     .paper = paper,
                     .limit = 1e3 * steps * fixture->bytes / bench_bandwidth((size_t)fixture->bytes, race->threads),
                     .size = fixture->chain_count,
                     .note = paper > 0 ? "paper: 60+ FPS of the whole system, an upper bound" : MAX_MEMORY};
    bench_print(bench, &row, &samples);
    if (!factor) continue;
    snprintf(title, sizeof title, "%s speed %s", name, VARIANT_NAMES[v]);
    for (int i = 0; i < samples.count; ++i) bench_add(&times, 1e3 * FRAME / samples.values[i]);
    bench_row speed = {.suite = "rod",
                       .name = title,
                       .threads = race->threads,
                       .unit = "x real time",
                       .higher_is_better = true,
                       .size = fixture->chain_count};
    bench_print(bench, &speed, &times);
  }
}

static pl_status measure_table(bench_session *bench, pl_error *error) {
  pl_status status = PL_OK;
  for (size_t i = 0; i < sizeof TABLE / sizeof TABLE[0] && status >= 0; ++i) {
    rod_race race = {.threads = 1, .step = 1.0 / 240};
    status = run_race(bench, TABLE[i].kinds, 1 << ROD_FIXED | 1 << ROD_NONE | 1 << ROD_PAPER | 1 << ROD_TRANSPORT,
                      &race, error);
    if (status >= 0) {
      print_chain_rows(bench, &race, TABLE[i].name);
      print_frame_rows(bench, &race, TABLE[i].name, PAPER_FRAME, false);
    }
    close_race(&race);
  }
  return status;
}

static pl_status measure_heads(bench_session *bench, pl_error *error) {
  static const struct {
    rod_kind kinds[ROD_MAX_KINDS];
    const char *name;
    double step;
    int threads;
    unsigned variants;
    bool frames, slow;
  } cases[] = {
      {{{5000, 8, 5}}, "5000 chains 1/60 s", 1.0 / 60, 1, 15, true, false},
      {{{5000, 8, 5}}, "5000 chains 1/60 s", 1.0 / 60, 2, 1 << ROD_PAPER | 1 << ROD_TRANSPORT, true, false},
      {{{5000, 8, 5}}, "5000 chains 1/120 s", 1.0 / 120, 1, 15, true, true},
      {{{5000, 8, 5}}, "5000 chains 1/240 s", 1.0 / 240, 1, 15, true, true},
      {{{5000, 8, 5}}, "5000 chains 1/240 s", 1.0 / 240, 2, 1 << ROD_PAPER | 1 << ROD_TRANSPORT, true, true},
      {{{10000, 8, 0}}, "10000 plain chains", 1.0 / 240, 1, 1 << ROD_FIXED, false, true},
      {{{10000, 8, 0}}, "10000 plain chains", 1.0 / 240, 2, 1 << ROD_FIXED, false, true},
      {{{10000, 8, 5}}, "10000 chains", 1.0 / 240, 1, 15, false, true},
      {{{10000, 8, 5}}, "10000 chains", 1.0 / 240, 2, 1 << ROD_PAPER | 1 << ROD_TRANSPORT, false, true},
  };
  pl_status status = PL_OK;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0] && status >= 0; ++i) {
    if (cases[i].slow && bench->quick) continue;
    rod_race race = {.threads = cases[i].threads, .step = cases[i].step};
    status = run_race(bench, cases[i].kinds, cases[i].variants, &race, error);
    if (status >= 0 && cases[i].frames) {
      print_frame_rows(bench, &race, cases[i].name, 0, true);
      if (cases[i].threads == 1) print_ratio(bench, &race, cases[i].name, ROD_PAPER);
      if (cases[i].threads == 1) print_ratio(bench, &race, cases[i].name, ROD_TRANSPORT);
    } else if (status >= 0) {
      print_chain_rows(bench, &race, cases[i].name);
    }
    close_race(&race);
  }
  return status;
}

// --- what chains lie on -----------------------------------------------------------------------------------------

static double best_of(const bench_samples *samples) {
  double best = HUGE_VAL;
  for (int i = 0; i < samples->count; ++i) best = fmin(best, samples->values[i]);
  return best;
}

// Hair that hangs over a head of many triangles, and over a sphere.
static pl_status measure_meshes(bench_session *bench, pl_error *error) {
  static const char *const names[] = {"", "sphere", "mesh", "kinematic mesh"};
  static const rod_kind kinds[ROD_MAX_KINDS] = {{100, 8, 0}};
  rod_fixture fixtures[ROD_HEAD_KINEMATIC + 1] = {0};
  bench_samples seconds[ROD_HEAD_KINEMATIC + 1] = {0}, ratio = {0};
  pl_status status = PL_OK;
  for (int head = ROD_HEAD_SPHERE; head <= ROD_HEAD_KINEMATIC && status >= 0; ++head) {
    rod_fixture_def def = {.kinds = kinds, .step = 1.0 / 240, .fixed = true, .threads = 1, .head = (rod_head)head};
    status = rod_fixture_open(&def, &fixtures[head], error);
    // Until they lie.
    for (int i = 0; i < 240 && status >= 0; ++i) status = rod_fixture_step(&fixtures[head], error);
  }
  int steps = bench->quick ? 20 : 100;
  for (int repeat = 0; repeat < bench_repeats(bench); ++repeat)
    for (int head = ROD_HEAD_SPHERE; head <= ROD_HEAD_KINEMATIC && status >= 0; ++head) {
      double begin = tool_seconds();
      for (int i = 0; i < steps && status >= 0; ++i) status = rod_fixture_step(&fixtures[head], error);
      bench_add(&seconds[head], (tool_seconds() - begin) / steps);
    }
  for (int head = ROD_HEAD_SPHERE; head <= ROD_HEAD_KINEMATIC && status >= 0; ++head) {
    char title[80], note[80];
    const rod_fixture *it = &fixtures[head];
    bench_samples samples = scaled(&seconds[head], 1e6 / it->chain_count);
    snprintf(title, sizeof title, "100 chains on a %s", names[head]);
    bench_row row = {.suite = "rod",
                     .name = title,
                     .threads = 1,
                     .unit = "us/chain/step",
                     .size = it->chain_count,
                     .takes_best = true};
    bench_print(bench, &row, &samples);
    if (head == ROD_HEAD_SPHERE) continue;
    ratio = (bench_samples){0};
    bench_add(&ratio, best_of(&seconds[head]) / best_of(&seconds[ROD_HEAD_SPHERE]));
    snprintf(title, sizeof title, "100 chains %s/sphere", names[head]);
    snprintf(note, sizeof note, "%d triangles%s; of the best times", it->head_triangle_count,
             head == ROD_HEAD_MESH ? ", wanted: at most 3" : "");
    bench_row times = {.suite = "rod", .name = title, .threads = 1, .unit = "x", .size = it->chain_count, .note = note};
    bench_print(bench, &times, &ratio);
  }
  for (int head = ROD_HEAD_SPHERE; head <= ROD_HEAD_KINEMATIC; ++head) rod_fixture_close(&fixtures[head]);
  return status;
}

// --- energy -----------------------------------------------------------------------------------------------------

// A way around a still, weightless head.
typedef struct rod_orbit {
  const rod_model_case *model;
  int rate;   // steps per second
  int width;  // of the neighbourhoods: the paper's way works where most of them hold the root, and ours does anyhow
} rod_orbit;

// Largest kinetic energy on the way.
static pl_status find_peak(const rod_orbit *orbit, pl_rod_ghost_momentum ghost_momentum, double *peak,
                           pl_error *error) {
  rod_fixture fixture = {.context = NULL};
  rod_fixture_def def = {.kinds = orbit->model->kinds,
                         .ghost_momentum = ghost_momentum,
                         .step = 1.0 / orbit->rate,
                         .weightless = true,
                         .threads = 1,
                         .width = orbit->width,
                         .stiffness = pl_default_rod_def().stiffness};
  pl_status status = rod_fixture_open(&def, &fixture, error);
  *peak = 0;
  while (status >= 0 && pl_world_get_time(fixture.world) < 4) {
    status = rod_fixture_step(&fixture, error);
    *peak = fmax(*peak, pl_body_get_report(fixture.world, fixture.body).kinetic_energy);
  }
  rod_fixture_close(&fixture);
  return status;
}

static void print_energy(bench_session *bench, const rod_orbit *orbit, const char *variant, const char *unit,
                         double value) {
  char title[80];
  bench_samples samples = {0};
  snprintf(title, sizeof title, "%s 1/%d s width %d peak %s", orbit->model->name, orbit->rate, orbit->width, variant);
  // The same bits in every repetition: one is enough.
  bench_add(&samples, value);
  bench_row row = {.suite = "rod", .name = title, .threads = 1, .unit = unit};
  bench_print(bench, &row, &samples);
}

static pl_status measure_energy(bench_session *bench, pl_error *error) {
  static const int rates[] = {60, 240}, widths[] = {2, 8};
  pl_status status = PL_OK;
  for (int i = 0; i < 4 * (int)(sizeof TABLE / sizeof TABLE[0]); ++i) {
    rod_orbit orbit = {&TABLE[i / 4], rates[i % 2], widths[i / 2 % 2]};
    double none = 0, paper = 0, transport = 0;
    status = find_peak(&orbit, PL_ROD_GHOST_MOMENTUM_KEEP, &none, error);
    if (status >= 0) status = find_peak(&orbit, PL_ROD_GHOST_MOMENTUM_PAPER, &paper, error);
    if (status >= 0) status = find_peak(&orbit, PL_ROD_GHOST_MOMENTUM_TRANSPORT, &transport, error);
    if (status < 0) return status;
    print_energy(bench, &orbit, "none", "uJ", 1e6 * none);
    print_energy(bench, &orbit, "paper", "% of none", 100 * paper / none);
    print_energy(bench, &orbit, "transport", "% of none", 100 * transport / none);
  }
  return status;
}

int bench_rod(bench_session *bench) {
  pl_error error = {0};
  pl_status status = measure_meshes(bench, &error);
  if (status >= 0) status = measure_table(bench, &error);
  if (status >= 0) status = measure_heads(bench, &error);
  if (status >= 0) status = measure_energy(bench, &error);
  return status < 0 ? tool_report_error(&bench->tool->console, &error) : TOOL_DONE;
}
