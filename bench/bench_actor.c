// Actors: every row of table 1 of Coros and others 2012, with the scene of the gallery that stands for it.
//
// A scene runs on one thread for the time it simulates, or its first part with --quick, several times from the same
// state: every repetition does the same work to the last bit, so the fastest measures the work, and the others what
// else the machine did. The value is wall-clock time of whole steps of the world (contact, optimisation, Newton's
// method) per simulated second; next to it is the processor time of the thread, which other processes disturb less.
//
// Limit: the same steps of the same motion without the time spent in the optimisation, which is what a body costs whose
// rest shape chose itself for nothing. Newton's method finds its equations nearly solved by the optimisation, so a
// passive body takes rather more.
//
// Where several actors share a scene, each has the time of its own optimisation and a share of the rest that goes by
// its number of points. Where the paper gives a range for a row, the lower end is compared with.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_actor_fixture.h"
#include "bench_suite.h"
#include "tool_gallery.h"

enum { ANY_REST = -1, REPEATS = 5 };

static const double QUICK_SECONDS = 0.4;
static const char *const REST_NAMES[] = {"free", "cage", "examples", "modes"};

// A row of the paper and who stands for it. A rest space other than ANY_REST looks for the actor that has it, in
// `scene` or in `scene`-cage and the like.
typedef struct paper_row {
  const char *row, *scene;
  int rest;
  int dimensions;
  int32_t min_dof, max_dof, min_parameters, max_parameters;
  const char *space, *model;
  double min_seconds, max_seconds;
} paper_row;

static const paper_row TABLE[] = {
    {"Sphere", "actor-sphere", ANY_REST, 3, 246, 246, 24, 24, "cage", "3D solid", 2.6, 2.6},
    {"Ace 1", "actor-ace", PL_REST_EXAMPLES, 3, 231, 231, 3, 3, "examples", "3D shell", 9.2, 9.2},
    {"Ace 2", "actor-ace", PL_REST_CAGE, 3, 231, 231, 42, 42, "cage", "3D shell", 14.1, 14.1},
    {"Castle 1", "actor-castle", ANY_REST, 2, 142, 142, 22, 22, "cage", "2D solid", 1.1, 1.1},
    {"Castle 2", "actor-castle-curve", ANY_REST, 2, 64, 64, 22, 22, "cage", "2D rod", 0.57, 0.57},
    {"Tea Cups", "actor-cups", ANY_REST, 3, 228, 375, 24, 24, "cage", "3D solid", 5.64, 16.5},
    {"S and G", "actor-s", ANY_REST, 2, 100, 130, 8, 36, "cage", "2D solid", 0.8, 2.1},
    {"S and G", "actor-g", ANY_REST, 2, 100, 130, 8, 36, "cage", "2D solid", 0.8, 2.1},
    {"I and P", "actor-i", ANY_REST, 2, 54, 64, 3, 3, "examples", "2D solid", 0.8, 0.9},
    {"I and P", "actor-p", ANY_REST, 2, 54, 64, 3, 3, "examples", "2D solid", 0.8, 0.9},
    {"A, R, H", "actor-a", ANY_REST, 2, 66, 104, 20, 28, "cage", "2D solid", 0.8, 1.9},
    {"A, R, H", "actor-r", ANY_REST, 2, 66, 104, 20, 28, "cage", "2D solid", 0.8, 1.9},
    {"A, R, H", "actor-h", ANY_REST, 2, 66, 104, 20, 28, "cage", "2D solid", 0.8, 1.9},
    {"3D Cross", "actor-cross", ANY_REST, 3, 1128, 1128, 6, 6, "examples", "3D solid", 21.7, 21.7},
    {"Pirate", "actor-pirate", ANY_REST, 2, 188, 188, 12, 12, "examples", "2D solid", 3.16, 3.16},
    {"Cheesy", "actor-cheesy", ANY_REST, 3, 243, 243, 150, 150, "cage", "3D solid", 8.6, 8.6},
    {"Crusty 1", "actor-crusty", PL_REST_EXAMPLES, 3, 114, 114, 12, 12, "examples", "3D solid", 7.8, 7.8},
    {"Crusty 2", "actor-crusty", PL_REST_CAGE, 3, 114, 114, 57, 57, "cage", "3D solid", 9.8, 9.8},
};
enum { TABLE_COUNT = sizeof TABLE / sizeof TABLE[0] };

// The scenes of the table, each once.
const char *const bench_actor_cases[] = {"actor-sphere",
                                         "actor-ace",
                                         "actor-castle",
                                         "actor-castle-curve",
                                         "actor-cups",
                                         "actor-s",
                                         "actor-g",
                                         "actor-i",
                                         "actor-p",
                                         "actor-a",
                                         "actor-r",
                                         "actor-h",
                                         "actor-cross",
                                         "actor-pirate",
                                         "actor-cheesy",
                                         "actor-crusty",
                                         NULL};

// What became of one actor, for the second table.
typedef struct actor_result {
  char name[64];
  pl_actor_report report;
  double cpu;        // seconds at work per simulated second
  const char *unit;  // that `lengths` counts
  double lengths;
  int expected;  // 1: all that the scene expects is met, 0: not, -1: nothing is expected, or only a part of the scene
                 // was run
} actor_result;

typedef struct actor_suite {
  bench_session *bench;
  tool_gallery gallery;
  actor_result results[64];
  int result_count;
  bool remarks;
} actor_suite;

enum { MAX_RESULTS = sizeof((actor_suite *)0)->results / sizeof(actor_result) };

// --- one actor
// --------------------------------------------------------------------------------------------------------

typedef struct actor_times {
  bench_samples seconds, cpu_seconds;  // per simulated second
  double limit;
} actor_times;

// Numbers of each repetition, for one of the actors.
static void add_times(const actor_fixture *fixture, int32_t index, double simulated, const actor_run *run,
                      actor_times *times) {
  double fraction = (double)actor_fixture_particles(fixture, index) / (double)fixture->particle_count, others = 0;
  for (int32_t i = 0; i < fixture->actor_count; ++i) others += run->choice_seconds[i];
  double rest = fraction * (run->seconds - others), own = run->choice_seconds[index] + rest;
  bench_add(&times->seconds, own / simulated);
  bench_add(&times->cpu_seconds, own / run->seconds * run->cpu_seconds / simulated);
  times->limit = times->limit > 0 ? fmin(times->limit, rest / simulated) : rest / simulated;
}

static double best_of(const bench_samples *samples) {
  double best = samples->values[0];
  for (int i = 1; i < samples->count; ++i) best = fmin(best, samples->values[i]);
  return best;
}

// A number of the paper, or its range.
static void range_text(double min, double max, char *text, size_t size) {
  if (min < max)
    snprintf(text, size, "%.3g-%.3g", min, max);
  else
    snprintf(text, size, "%.4g", min);
}

static actor_result find_result(const actor_suite *suite, const paper_row *row, const actor_fixture *fixture,
                                int32_t index) {
  pl_scene_instance_actor actor = pl_scene_instance_get_actor(fixture->set, index);
  pl_box box = actor_fixture_box(fixture, index);
  bool rolls = strcmp(actor.behaviour, "roll") == 0;
  double length = rolls ? PL_PI * (box.max.y - box.min.y) : box.max.x - box.min.x;
  actor_result result = {
      .report = pl_actor_get_report(actor.actor), .unit = rolls ? "circumferences" : "widths", .expected = -1};
  int32_t expected_count;
  bool met = actor_fixture_meets(fixture, index, &expected_count);
  if (expected_count > 0 && !suite->bench->quick) result.expected = met;
  result.lengths = length > 0 ? result.report.advance / length : 0;
  snprintf(result.name, sizeof result.name, "%s: %s", row->row, actor.name);
  return result;
}

static double per_step(const pl_actor_report *report, int64_t count) {
  return report->step_count > 0 ? (double)count / (double)report->step_count : 0;
}

// Further keys of the line.
static char *keys_text(const paper_row *row, const actor_result *result, pl_scene_instance_actor actor,
                       const actor_times *times, int32_t dof, int32_t parameter_count) {
  const pl_actor_report *report = &result->report;
  char *numbers = tool_text(
      "\"cpu\": %.4g, \"ratio\": %.4g, \"paper_most\": %.4g, \"dof\": %d, \"paper_dof\": [%d, %d], \"parameters\": %d, "
      "\"paper_parameters\": [%d, %d], \"rest\": \"%s\", \"paper_rest\": \"%s\", \"paper_model\": \"%s\", "
      "\"behaviour\": \"%s\"",
      result->cpu, row->min_seconds / best_of(&times->seconds), row->max_seconds, dof, row->min_dof, row->max_dof,
      parameter_count, row->min_parameters, row->max_parameters, REST_NAMES[actor.rest], row->space, row->model,
      actor.behaviour);
  char *text = tool_text(
      "%s, \"advance\": %.4g, \"%s\": %.4g, \"steps\": %d, \"hops\": %d, \"turns\": %.4g, \"tumbles\": %d, "
      "\"iterations\": %.4g, "
      "\"unfinished_fraction\": %.4g, \"worst_residual\": %.3g, \"unconverged_fraction\": %.4g, \"max_acceleration\": "
      "%.4g, \"max_rest_rate\": %.4g, "
      "\"max_lean\": %.4g, \"expected\": %s",
      numbers, report->advance, result->unit, result->lengths, report->tally.steps, report->tally.hops,
      report->turned / (2 * PL_PI), report->tally.tumbles, per_step(report, report->iterations_in_all),
      per_step(report, report->unfinished_count), report->worst_residual, per_step(report, report->unconverged_count),
      report->max_acceleration, report->max_rest_rate, report->max_lean,
      result->expected < 0   ? "null"
      : result->expected > 0 ? "true"
                             : "false");
  free(numbers);
  return text;
}

static void print_actor(actor_suite *suite, const paper_row *row, const actor_fixture *fixture, int32_t index,
                        const actor_times *times) {
  pl_scene_instance_actor actor = pl_scene_instance_get_actor(fixture->set, index);
  actor_result result = find_result(suite, row, fixture, index);
  result.cpu = best_of(&times->cpu_seconds);
  int32_t parameter_count, dof = row->dimensions * actor_fixture_particles(fixture, index);
  pl_actor_get_parameters(actor.actor, &parameter_count);
  char dof_text[32], parameter_text[32], note[200];
  range_text(row->min_dof, row->max_dof, dof_text, sizeof dof_text);
  range_text(row->min_parameters, row->max_parameters, parameter_text, sizeof parameter_text);
  snprintf(note, sizeof note, "%.3g x; %d DOF (%s), %d P (%s), %s (%s); limit: without the optimisation",
           row->min_seconds / best_of(&times->seconds), dof, dof_text, parameter_count, parameter_text,
           REST_NAMES[actor.rest], row->space);
  char *more = keys_text(row, &result, actor, times, dof, parameter_count);
  bench_row line = {.suite = "actor",
                    .name = result.name,
                    .threads = 1,
                    .unit = "s/s",
                    .paper = row->min_seconds,
                    .limit = times->limit,
                    .size = actor_fixture_particles(fixture, index),
                    .note = note,
                    .takes_best = true,
                    .more = more};
  bench_print(suite->bench, &line, &times->seconds);
  free(more);
  if (suite->result_count < MAX_RESULTS) suite->results[suite->result_count++] = result;
}

// --- scenes
// -----------------------------------------------------------------------------------------------------------

static bool stands_for(const paper_row *row, const actor_fixture *fixture, int32_t index) {
  return row->rest == ANY_REST || row->rest == (int)pl_scene_instance_get_actor(fixture->set, index).rest;
}

static pl_status measure_scene(actor_suite *suite, const paper_row *row, actor_fixture *fixture, pl_error *error) {
  int64_t steps = fixture->step_count, quick = llround(QUICK_SECONDS / fixture->facts.step);
  if (suite->bench->quick && quick < steps) steps = quick;
  double simulated = (double)steps * fixture->facts.step;
  actor_times *times = tool_allocate((size_t)fixture->actor_count, sizeof *times);
  actor_run run = {.choice_seconds = tool_allocate((size_t)fixture->actor_count, sizeof(double))};
  pl_status status = PL_OK;
  for (int repeat = 0; repeat < REPEATS && status >= 0; ++repeat) {
    status = actor_fixture_run(fixture, steps, &run, error);
    for (int32_t i = 0; i < fixture->actor_count; ++i) add_times(fixture, i, simulated, &run, &times[i]);
  }
  for (int32_t i = 0; i < fixture->actor_count && status >= 0; ++i)
    if (stands_for(row, fixture, i)) print_actor(suite, row, fixture, i, &times[i]);
  free(run.choice_seconds);
  free(times);
  return status;
}

// Open the scene of that name and measure it if somebody in it stands for the row: 1, or 0 if nobody does, or a
// negative status.
static int try_scene(actor_suite *suite, const paper_row *row, const char *name, pl_error *error) {
  bool known = false, found = false;
  for (int i = 0; i < suite->gallery.count; ++i) known = known || strcmp(suite->gallery.names[i], name) == 0;
  if (!known) return 0;
  actor_fixture fixture = {.context = NULL};
  char *path = tool_gallery_scene(&suite->gallery, name);
  pl_status status = actor_fixture_open(path, &fixture, error);
  for (int32_t i = 0; i < fixture.actor_count && status >= 0; ++i) found = found || stands_for(row, &fixture, i);
  if (status >= 0 && found && fixture.step_count > 0) status = measure_scene(suite, row, &fixture, error);
  actor_fixture_close(&fixture);
  free(path);
  return status < 0 ? (int)status : found;
}

static void measure_row(actor_suite *suite, const paper_row *row) {
  const tool_console *console = &suite->bench->tool->console;
  pl_error error = {0};
  if (!bench_wants(suite->bench, row->scene)) return;
  int done = try_scene(suite, row, row->scene, &error);
  if (done == 0 && row->rest != ANY_REST) {
    char *name = tool_text("%s-%s", row->scene, REST_NAMES[row->rest]);
    done = try_scene(suite, row, name, &error);
    free(name);
  }
  if (done == 0) tool_print(console, "%s: skipped; the gallery has no actor for it (%s)", row->row, row->scene);
  if (done >= 0) return;
  tool_print_warning(console, "%s: %s", row->scene, error.text);
  suite->remarks = true;
}

static void print_motions(const actor_suite *suite) {
  printf("\n%-24s %8s %-22s %5s %5s %6s %7s %5s %10s %9s %8s %7s %7s %7s %s\n", "motion", "ahead", "", "steps", "hops",
         "turns", "tumbles", "iter.", "unfinished", "residual", "unsolved", "m/s^2", "rest/s", "cpu s/s", "expected");
  for (int i = 0; i < suite->result_count; ++i) {
    const actor_result *it = &suite->results[i];
    const pl_actor_report *report = &it->report;
    printf("%-24s %6.2f m %6.2f %-15s %5d %5d %6.2f %7d %5.1f %8.2f %% %9.1e %6.2f %% %7.1f %7.2f %7.3f %s\n", it->name,
           report->advance, it->lengths, it->unit, report->tally.steps, report->tally.hops,
           report->turned / (2 * PL_PI), report->tally.tumbles, per_step(report, report->iterations_in_all),
           100 * per_step(report, report->unfinished_count), report->worst_residual,
           100 * per_step(report, report->unconverged_count), report->max_acceleration, report->max_rest_rate, it->cpu,
           it->expected < 0   ? "-"
           : it->expected > 0 ? "met"
                              : "not met");
  }
}

int bench_actor(bench_session *bench) {
  actor_suite suite = {.bench = bench, .gallery = tool_gallery_find()};
  if (suite.gallery.folder == NULL) {
    tool_print_error(&bench->tool->console,
                     "the gallery was not found; set PLIANT_SCENES to the folder 'scenes' of Pliant");
    return TOOL_FAILED;
  }
  for (int i = 0; i < TABLE_COUNT; ++i) measure_row(&suite, &TABLE[i]);
  if (!bench->json && suite.result_count > 0) print_motions(&suite);
  tool_gallery_free(&suite.gallery);
  return suite.remarks ? TOOL_REMARKS : TOOL_DONE;
}
