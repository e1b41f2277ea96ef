// pliant tune: search for numbers of a scene with which its actors do what the scene expects of them.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/evolution.h"
#include "tool_folder.h"
#include "tool_interrupt.h"
#include "tool_items.h"
#include "tool_open.h"
#include "tool_options.h"
#include "tool_ranks.h"
#include "tool_tune.h"
#include "tool_verbs.h"

// clang-format off
static const tool_option OPTIONS[] = {
    {"output", 'o', TOOL_TEXT, .value = "FILE", .required = true, .about = "scene to write: SCENE with the best numbers"},
    {"vary", .kind = TOOL_TEXT, .value = "PATH=MIN[:START]:MAX", .repeats = true,
     .about = "a number of the scene and its range, such as bodies[0].actor.settings.gain=0.5:4",
     .more = "The search begins at START and looks near it first, or without it in the middle. Ranges whose ends are above 0 and at least 4 times apart are searched by powers. PATH,PATH is one number in several positions, up to 4."},
    {"under", .kind = TOOL_TEXT, .value = "PATH=VALUE[&PATH=VALUE][;...]",
     .about = "conditions, separated by ';', under each of which every trial is run as well",
     .more = "Numbers are then found that work under all of them, such as 'colliders[0].friction=0.5; bodies[0].fem.young=1e6 & bodies[0].fem.friction=0.5'. Up to 32 conditions of up to 8 values."},
    {"robust", .kind = TOOL_FLAG, .about = "run every trial under the seventeen changes of 'bench robust' as well",
     .more = "Slopes, pushes, other friction, stiffness and mesh. Numbers that are varied keep their values under them."},
    {"perturb", .kind = TOOL_COUNT, .value = "N", .min = 0, .max = 64, .default_text = "0", .about = "run every trial N times more with other bits: densities multiplied by 1 + 1e-9, 1 + 2e-9 and so on"},
    {"margin", .kind = TOOL_NUMBER, .value = "X", .min = 0, .max = 1, .default_text = "0", .about = "fraction of each expectation that has to be to spare"},
    {"trials", .kind = TOOL_COUNT, .value = "N", .min = 1, .max = 1e7, .default_text = "400", .about = "number of trials at most"},
    {"population", .kind = TOOL_COUNT, .value = "N", .min = 4, .max = 1024, .default_text = "16", .about = "trials that are run at a time; the result depends on it"},
    TOOL_SEED_OPTION(.default_text = "1", .about = "seed of the search"),
    TOOL_THREADS_OPTION,
};
// clang-format on

enum { FACTOR_COUNT = 3 };
// Numbers that work only to the last digit are worth nothing: every trial is run as it is, with all its numbers
// changed a little, and under the given conditions. The value is the mean of what the runs miss.
static const double FACTORS[FACTOR_COUNT] = {1, 1.015, 0.985};

typedef struct tune_job {
  const tool_session *tool;
  const char *path;
  pl_context *context;  // for trials that are shared with other processes
  tune_ranges ranges;
  tune_conditions conditions;
  double margin;
  pl_evolution evolution;
  double *values;        // of the trials of a generation
  tune_result *results;  // of their worst runs
} tune_job;

// Numbers with which a scene cannot be built or a step fails are worse than any that run.
static const double FAILED = 1e3;

static void run_trial(void *user, pl_context *context, int32_t index) {
  tune_job *job = user;
  const double *x = job->evolution.trials + (ptrdiff_t)index * job->ranges.count;
  int32_t count = FACTOR_COUNT + job->conditions.count;
  double sum = 0;
  for (int32_t k = 0; k < count; ++k) {
    tune_trial trial = {&job->ranges, x, k < FACTOR_COUNT ? FACTORS[k] : 1, NULL};
    if (k >= FACTOR_COUNT) trial.condition = &job->conditions.items[k - FACTOR_COUNT];
    pl_scene *scene = NULL;
    pl_error error = {0};
    tune_result result;
    pl_status status = tune_load(context, job->path, &trial, &scene, &error);
    if (status >= 0) status = tune_run(context, scene, job->margin, &result, &error);
    pl_scene_destroy(scene);
    if (status < 0) {
      result.missed = FAILED;
      snprintf(result.text, sizeof result.text, "%s", error.text);
    }
    if (k == 0 || result.missed > job->results[index].missed) job->results[index] = result;
    sum += result.missed;
    // A fall of the scene itself decides: the other runs would not help, and count as falls too.
    if (k < FACTOR_COUNT && result.missed > 2) {
      sum = result.missed * count;
      break;
    }
  }
  job->values[index] = sum / count;
}

// A trial as other processes receive it: its value, then the text of its worst run.
enum { TEXT_NUMBERS = sizeof((tune_result *)NULL)->text / sizeof(double), OUTPUT_SIZE = 1 + TEXT_NUMBERS };

static void evaluate_trial(void *user, int32_t index, double *output) {
  tune_job *job = user;
  run_trial(job, job->context, index);
  output[0] = job->values[index];
  memcpy(output + 1, job->results[index].text, TEXT_NUMBERS * sizeof *output);
}

// Each process takes the next trial that is not started yet, one at a time.
static void run_shared(tune_job *job, const pl_fit_batch *batch) {
  int32_t count = job->evolution.population;
  pl_fit_jobs jobs = {.count = count, .output_size = OUTPUT_SIZE, .evaluate = evaluate_trial, .data = job};
  jobs.outputs = tool_allocate((size_t)count * OUTPUT_SIZE, sizeof *jobs.outputs);
  batch->run(batch->user, &jobs);
  for (int32_t i = 0; i < count; ++i) {
    const double *output = jobs.outputs + (ptrdiff_t)i * OUTPUT_SIZE;
    job->values[i] = output[0];
    memcpy(job->results[i].text, output + 1, TEXT_NUMBERS * sizeof *output);
  }
  free(jobs.outputs);
}

// All trials of a generation; the values do not depend on the number of threads and processes.
static void run_generation(tune_job *job, int32_t thread_count) {
  pl_fit_batch batch = tool_ranks_batch();
  for (int32_t i = 0; i < job->evolution.population; ++i) job->values[i] = FAILED;
  if (batch.run != NULL)
    run_shared(job, &batch);
  else
    tool_run_items(job->evolution.population, thread_count, run_trial, job);
}

static pl_status save_best(tune_job *job, pl_context *context, const double *x, const char *output, pl_error *error) {
  pl_scene *scene = NULL;
  pl_status status = PL_OK;
  if (tool_rank() == 0) {
    tune_trial trial = {&job->ranges, x, 1, NULL};
    status = tune_load(context, job->path, &trial, &scene, error);
    if (status >= 0) status = pl_scene_save(context, output, scene, error);
    pl_scene_destroy(scene);
  }
  return (pl_status)tool_ranks_agree(status);
}

static void print_numbers(const tune_job *job, const double *x) {
  for (int32_t i = 0; i < job->ranges.count; ++i)
    for (int32_t k = 0; k < job->ranges.items[i].path_count; ++k)
      printf("%s=%.9g\n", job->ranges.items[i].paths[k], tune_number_at(&job->ranges.items[i], x[i]));
}

// The scene as it is: what it misses. False where it cannot be run or expects nothing, which is printed.
static bool try_scene(tune_job *job, pl_context *context) {
  pl_error error = {0};
  pl_scene *scene = NULL;
  tune_result result = {0};
  tune_trial trial = {&job->ranges, NULL, 1, NULL};
  pl_status status = tune_load(context, job->path, &trial, &scene, &error);
  if (status >= 0) status = tune_run(context, scene, job->margin, &result, &error);
  pl_scene_destroy(scene);
  if (status < 0) {
    tool_report_error(&job->tool->console, &error);
    return false;
  }
  if (result.expected == 0) {
    tool_print_error(&job->tool->console,
                     "%s expects nothing of its actors; state the goal of the search under `expect` of an actor",
                     job->path);
    return false;
  }
  tool_print(&job->tool->console, "as it is: %s", result.text);
  return true;
}

static int search(tune_job *job, pl_context *context, const tool_arguments *arguments) {
  const tool_console *console = &job->tool->console;
  pl_evolution *e = &job->evolution;
  int32_t trials = (int32_t)tool_get_count(arguments, "trials"), done = 0, threads = pl_context_thread_count(context);
  double best = HUGE_VAL;
  double *x = tool_allocate((size_t)job->ranges.count, sizeof *x);
  pl_error error = {0};
  pl_status status = PL_OK;
  if (!try_scene(job, context)) {
    free(x);
    return TOOL_FAILED;
  }
  while (status >= 0 && done < trials && best > 0 && tool_ranks_agree(tool_interrupt_count()) == 0) {
    pl_evolution_draw(e);
    run_generation(job, threads);
    pl_evolution_learn(e, job->values);
    done += e->population;
    for (int32_t i = 0; i < e->population; ++i) {
      if (!(job->values[i] < best)) continue;
      best = job->values[i];
      memcpy(x, e->trials + (ptrdiff_t)i * job->ranges.count, (size_t)job->ranges.count * sizeof *x);
      tool_print(console, "trial %d: misses %.3g; %s", done - e->population + i + 1, best, job->results[i].text);
      status = save_best(job, context, x, tool_get_text(arguments, "output"), &error);
    }
  }
  if (status < 0) tool_report_error(console, &error);
  if (status >= 0 && best < HUGE_VAL) print_numbers(job, x);
  if (status >= 0 && best > 0)
    tool_print_warning(console, "no numbers found with which all expectations are met in %d trials; %s has the best",
                       done, tool_get_text(arguments, "output"));
  free(x);
  return status < 0 ? TOOL_FAILED : best > 0 ? TOOL_REMARKS : TOOL_DONE;
}

static int run(const tool_session *tool, const tool_arguments *arguments) {
  tune_job job = {.tool = tool, .path = arguments->words[0]};
  int code = TOOL_FAILED;
  pl_context *context = tool_open_context(tool, (int32_t)tool_get_count(arguments, "threads"));
  if (context == NULL) return TOOL_FAILED;
  job.context = context;
  job.margin = tool_get_number(arguments, "margin");
  if (!tune_ranges_read(tool, arguments, &job.ranges) ||
      !tune_conditions_read(tool, tool_get_text(arguments, "under"), &job.conditions) ||
      !tune_conditions_add_changes(tool, context, job.path, (int32_t)tool_get_count(arguments, "perturb"),
                                   tool_find_value(arguments, "robust")->given, &job.conditions)) {
    code = TOOL_USAGE;
  } else if (job.ranges.count == 0) {
    tool_print_error(&tool->console, "nothing to vary; name numbers of the scene by --vary PATH=MIN:MAX");
    code = TOOL_USAGE;
  } else {
    int32_t population = (int32_t)tool_get_count(arguments, "population");
    job.values = tool_allocate((size_t)population, sizeof *job.values);
    job.results = tool_allocate((size_t)population, sizeof *job.results);
    double center[TOOL_MAX_REPEATS], step = 0.25;  // of the ranges
    for (int32_t i = 0; i < job.ranges.count; ++i) {
      center[i] = job.ranges.items[i].start;
      if (job.ranges.items[i].has_start) step = 0.08;
    }
    tool_interrupt_watch();
    if (pl_evolution_begin(context, job.ranges.count, population, (uint64_t)tool_get_count(arguments, "seed"), center,
                           step, &job.evolution))
      code = search(&job, context, arguments);
    else
      tool_print_error(&tool->console, "out of memory");
    pl_evolution_end(&job.evolution);
    tool_interrupt_release();
    free(job.results);
    free(job.values);
  }
  tune_ranges_free(&job.ranges);
  tune_conditions_free(&job.conditions);
  pl_context_destroy(context);
  return code;
}

const tool_verb tool_tune_verb = {
    .name = "tune",
    .words = "SCENE",
    .summary = "search for numbers with which actors meet the expectations of their scene",
    .details =
        "The goal is what the scene states under `expect` of its actors. Every trial is run three times: as it is, and "
        "with all varied numbers 1.5 % larger and smaller; then once under each condition of --under.\n"
        "The search ends when all expectations are met in all runs. FILE always holds the best so far; its numbers "
        "are printed as PATH=VALUE, as --set takes them.\n"
        "The result is the same for any number of threads and, with pliant-mpi, of processes, each of which runs one "
        "trial at a time. The exit status is 3 if some expectation is still missed.",
    .min_words = 1,
    .max_words = 1,
    .options = OPTIONS,
    .option_count = sizeof OPTIONS / sizeof OPTIONS[0],
    .shared = true,
    .run = run,
};
