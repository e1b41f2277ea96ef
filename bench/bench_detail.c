// Detail: microseconds to compare a contact with all examples and to compute their weights, to lay a stamp onto a
// surface, and milliseconds of a whole frame of a pillow.
//
// The name of a row states what was measured:
//   compare N    similarities (eq. 15) of a key to N examples. The paper: 0.2 ms for 1,000 and "in the order of" 10 us
//   for 5 to 10, on one core of 3 GHz with SIMD weights N    interpolating weights from those: the second pass over the
//   keys with the narrow widths, means, and columns of those that are near; not for 10,000,
//                which have plain weights
//   both N       both together. Keys are those of presses that are not among the examples, one after another
//   stamp 10k    a blended stamp onto 10,000 surface points, all of them under it
//   frame        a whole step of the pillow under a finger that wanders over it, with its parts; the paper has 14 ms.
//   Of detail: `find` contacts and the connected
//                surface around them, `describe`, `weights`, `blend` and `stamp`
// Times are the quickest of all repetitions, which do the same work to the last bit. Limits are the bytes that have to
// be read, and for stamps written, at the bandwidth this machine has for that many.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_detail_fixture.h"
#include "bench_suite.h"

enum { QUERY_COUNT = 64 };

// --- weights ----------------------------------------------------------------------------------------------------

typedef struct query_race {
  const pl_detail_set *set;
  int32_t count, similar_count;  // similar: of all queries together
  float *keys, *scratch, *found;
  bench_samples compare, both, weights;  // microseconds a query
} query_race;

// Scratch must be aligned to 32 bytes.
static float *take_aligned(size_t count) {
  void *memory = NULL;
  return posix_memalign(&memory, 64, (count > 0 ? count : 1) * sizeof(float)) == 0 ? memory : NULL;
}

static double time_queries(query_race *race, bool with_weights, int rounds) {
  size_t key_size = (size_t)pl_detail_set_get_view(race->set).key_size;
  double begin = tool_seconds();
  for (int round = 0; round < rounds; ++round)
    for (size_t q = 0; q < QUERY_COUNT; ++q) {
      if (with_weights)
        pl_detail_set_compute_weights(race->set, race->keys + q * key_size, race->scratch, race->found);
      else
        pl_detail_set_compare(race->set, race->keys + q * key_size, race->scratch, race->found);
    }
  return 1e6 * (tool_seconds() - begin) / rounds / QUERY_COUNT;
}

static double min_of(const bench_samples *samples) {
  double min = samples->values[0];
  for (int i = 1; i < samples->count; ++i) min = samples->values[i] < min ? samples->values[i] : min;
  return min;
}

static void print_queries(bench_session *bench, const query_race *race) {
  pl_detail_set_view view = pl_detail_set_get_view(race->set);
  double key_bytes = (double)race->count * view.key_size * sizeof(float);
  double similar = (double)race->similar_count / QUERY_COUNT, paper = race->count <= 10     ? 10
                                                                      : race->count == 1000 ? 200
                                                                                            : 0;
  const struct {
    const char *name;
    const bench_samples *samples;
    double bytes, paper;
  } rows[] = {{"compare", &race->compare, key_bytes, paper},
              {"weights", &race->weights, key_bytes, 0},
              {"both", &race->both, 2 * key_bytes, 0}};
  for (size_t i = 0; i < (view.def.plain_weights ? 1 : 3); ++i) {
    char name[40], note[80];
    snprintf(name, sizeof name, "%s %d", rows[i].name, race->count);
    snprintf(note, sizeof note, "limit: keys read %s; %.1f examples are similar", i == 2 ? "twice" : "once", similar);
    bench_row row = {.suite = "detail",
                     .name = name,
                     .threads = 1,
                     .unit = "us",
                     .paper = rows[i].paper,
                     .limit = 1e6 * rows[i].bytes / bench_bandwidth((size_t)rows[i].bytes, 1),
                     .size = race->count,
                     .note = note,
                     .takes_best = true};
    bench_print(bench, &row, rows[i].samples);
  }
}

static pl_status measure_queries(bench_session *bench, pl_context *context, const pl_detail_set *other, int32_t count,
                                 pl_error *error) {
  pl_detail_set *set = NULL;
  pl_status status = detail_database_open(context, count, &set, error);
  if (status < 0) return status;
  pl_detail_set_view view = pl_detail_set_get_view(set), apart = pl_detail_set_get_view(other);
  query_race race = {.set = set, .count = count};
  race.keys = take_aligned((size_t)QUERY_COUNT * (size_t)view.key_size);
  race.scratch = take_aligned(pl_detail_set_scratch_size(set));
  race.found = take_aligned((size_t)count);
  if (race.keys != NULL && race.scratch != NULL && race.found != NULL) {
    memcpy(race.keys, apart.keys, (size_t)QUERY_COUNT * (size_t)view.key_size * sizeof(float));
    for (size_t q = 0; q < QUERY_COUNT; ++q)
      race.similar_count +=
          pl_detail_set_compute_weights(set, race.keys + q * (size_t)view.key_size, race.scratch, race.found);
    int rounds = 1 + (int)((bench->quick ? 2e4 : 2e5) / (count + 10) / QUERY_COUNT);
    for (int repeat = -1; repeat < bench_repeats(bench); ++repeat) {
      double compare = time_queries(&race, false, rounds), both = time_queries(&race, true, rounds);
      if (repeat < 0) continue;
      bench_add(&race.compare, compare);
      bench_add(&race.both, both);
    }
    bench_add(&race.weights, min_of(&race.both) - min_of(&race.compare));
    print_queries(bench, &race);
  } else {
    status = PL_ERROR_OUT_OF_MEMORY;
  }
  free(race.keys);
  free(race.scratch);
  free(race.found);
  pl_detail_set_destroy(set);
  return status;
}

static pl_status measure_weights(bench_session *bench, pl_context *context, pl_error *error) {
  static const int32_t counts[] = {5, 10, 100, 1000, 10000};
  detail_pillow pillow = {.mesh = NULL};
  pl_detail_set *other = NULL;
  pl_detail_def def = detail_pillow_def(8);
  def.plain_weights = true;
  def.site_width = def.load_width = 0.1;
  pl_status status = detail_pillow_open(context, 10, 0, &pillow, error);
  if (status >= 0) status = detail_set_record(context, &pillow, &def, 20000, QUERY_COUNT, &other, error);
  for (size_t i = 0; i < sizeof counts / sizeof counts[0] && status >= 0; ++i)
    status = measure_queries(bench, context, other, counts[i], error);
  pl_detail_set_destroy(other);
  detail_pillow_close(&pillow);
  return status;
}

// --- stamps -----------------------------------------------------------------------------------------------------

// Microseconds per 10,000 points, of the quickest frame of each repetition.
static pl_status time_stamp(bench_session *bench, detail_pillow *pillow, pl_detail_filter *filter,
                            bench_samples *samples, pl_error *error) {
  pl_status status = PL_OK;
  for (int repeat = -1; repeat < bench_repeats(bench) && status >= 0; ++repeat) {
    double min = HUGE_VAL;
    for (int round = 0; round < 20 && status >= 0; ++round) {
      detail_press press = {0.01, 0, {0, -0.02, 0}};
      detail_pillow_press(pillow, &press);
      pl_detail_contact contact = detail_pillow_contact(&press);
      pl_detail_frame frame = {pillow->displacements, pillow->coarse, 1, &contact};
      status = pl_detail_filter_apply(filter, &frame, pillow->coarse, NULL, error);
      min = fmin(min, pl_detail_filter_get_report(filter).stamp_seconds);
    }
    if (repeat >= 0) bench_add(samples, 1e10 * min / pillow->object.surface_count);
  }
  return status;
}

static pl_status measure_stamp(bench_session *bench, pl_context *context, pl_error *error) {
  detail_pillow pillow = {.mesh = NULL};
  pl_detail_set *set = NULL;
  pl_detail_filter *filter = NULL;
  // A stamp that covers all of the pillow, both its sides.
  pl_detail_def def = detail_pillow_def(64);
  def.stamp_radius = 0.5;
  pl_status status = detail_pillow_open(context, 10, 60, &pillow, error);
  if (status >= 0) status = detail_set_record(context, &pillow, &def, 0, 1, &set, error);
  pl_detail_filter_def filter_def = pl_default_detail_filter_def();
  filter_def.set = set;
  filter_def.object = &pillow.object;
  if (status >= 0) status = pl_detail_filter_create(context, &filter_def, &filter, error);
  bench_samples samples = {0};
  if (status >= 0) status = time_stamp(bench, &pillow, filter, &samples, error);
  if (status >= 0) {
    // Places and shares in, samples, points in and out.
    double bytes = 1e4 * (6 * sizeof(float) + 2 * 3 * sizeof(float) + 8 + 4 * 16 + 2 * sizeof(pl_vec3));
    bench_row row = {.suite = "detail",
                     .name = "stamp 10k",
                     .threads = 1,
                     .unit = "us",
                     .limit = 1e6 * bytes / bench_bandwidth((size_t)bytes, 1),
                     .size = pillow.object.surface_count,
                     .note = "limit: places, samples and points through memory",
                     .takes_best = true};
    bench_print(bench, &row, &samples);
  }
  pl_detail_filter_destroy(filter);
  pl_detail_set_destroy(set);
  detail_pillow_close(&pillow);
  return status;
}

int bench_detail(bench_session *bench) {
  pl_error error = {0};
  pl_context *context = NULL;
  pl_context_def def = pl_default_context_def();
  def.thread_count = 1;
  pl_status status = pl_context_create(&def, &context, &error);
  if (status >= 0) status = measure_weights(bench, context, &error);
  if (status >= 0) status = measure_stamp(bench, context, &error);
  if (status >= 0) status = bench_detail_frames(bench, context, &error);
  if (status >= 0 && !bench->quick) status = bench_detail_errors(bench, context, &error);
  pl_context_destroy(context);
  return status < 0 ? tool_report_error(&bench->tool->console, &error) : TOOL_DONE;
}
