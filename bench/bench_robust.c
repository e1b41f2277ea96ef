// Robustness of actors: thirteen characters of the gallery, each under the seventeen changes of
// tool_changes.h.
//
// A run falls if an actor tumbles or leans farther than FALL_LEAN; crawlers count no tumbles. It is met if everything
// is that the scene expects, on flat ground and unpushed. Runs are shared out to all processors; each computes on one
// thread, so the table does not depend on their number.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_suite.h"
#include "tool_changes.h"
#include "tool_gallery.h"
#include "tool_items.h"

const char *const bench_robust_cases[] = {"actor-a",
                                          "actor-r",
                                          "actor-h",
                                          "actor-castle",
                                          "actor-castle-curve",
                                          "actor-pirate",
                                          "actor-cheesy",
                                          "actor-crusty",
                                          "actor-i",
                                          "actor-p",
                                          "actor-s",
                                          "actor-g",
                                          "actor-worm",
                                          NULL};
enum { SCENE_COUNT = sizeof bench_robust_cases / sizeof bench_robust_cases[0] - 1, QUICK_SCENES = 2, TEXT_SIZE = 160 };

static const double FALL_LEAN = 60;       // degrees
static const double QUICK_SECONDS = 0.5;  // of every run with --quick

typedef enum run_outcome { FAILED, FELL, MISSED, MET } run_outcome;
static const char *const OUTCOMES[] = {"error", "fall", "miss", "."};

typedef struct robust_job {
  const tool_gallery *gallery;
  bool quick;
  int scene_count, change_count;
  int scenes[SCENE_COUNT];  // of the cases, those that are run
  tool_change changes[TOOL_CHANGE_COUNT];
  run_outcome outcomes[SCENE_COUNT][TOOL_CHANGE_COUNT];
  char missed[SCENE_COUNT][TOOL_CHANGE_COUNT][TEXT_SIZE];  // names of the expectations that a run misses
  char errors[SCENE_COUNT][TOOL_CHANGE_COUNT][TEXT_SIZE];
} robust_job;

// --- runs -----------------------------------------------------------------------------------------------------------

static bool has_fallen(const pl_scene_instance *set) {
  for (int32_t i = 0; i < pl_scene_instance_actor_count(set); ++i) {
    pl_scene_instance_actor actor = pl_scene_instance_get_actor(set, i);
    pl_actor_report report = pl_actor_get_report(actor.actor);
    if (report.tally.tumbles > 0 || report.max_lean > FALL_LEAN) return true;
  }
  return false;
}

// What is expected of the whole run says nothing about its first second.
static run_outcome rate(const pl_scene_instance *set, bool quick, char missed[TEXT_SIZE]) {
  if (has_fallen(set)) return FELL;
  size_t used = 0;
  for (int32_t i = 0; !quick && i < pl_scene_instance_expectation_count(set); ++i) {
    pl_scene_instance_expectation it = pl_scene_instance_get_expectation(set, i);
    if (it.met || used >= TEXT_SIZE) continue;
    used += (size_t)snprintf(missed + used, TEXT_SIZE - used, "%s%s %.3g", used > 0 ? ", " : "", it.name, it.found);
  }
  return used > 0 ? MISSED : MET;
}

typedef struct run_result {
  run_outcome outcome;
  char *missed;  // TEXT_SIZE
} run_result;

static pl_status run_changed(pl_context *context, const char *path, const tool_change *it, bool quick,
                             run_result *result, pl_error *error) {
  pl_scene_build_def def = pl_default_scene_build_def();
  tool_change_list *list = tool_allocate(1, sizeof *list);
  pl_scene *scene = NULL;
  pl_scene_instance *set = NULL;
  pl_status status = tool_change_find(context, path, it, list, error);
  if (status >= 0)
    status = pl_scene_load_with(context, path, &(pl_scene_overrides){list->items, list->count}, &scene, NULL, error);
  if (status >= 0) status = pl_scene_build(context, &def, scene, &set, NULL, error);
  pl_scene_report facts = status >= 0 ? pl_scene_get_report(scene) : (pl_scene_report){0};
  int64_t frames = facts.frame_count - 1, max = llround(QUICK_SECONDS * facts.frame_rate);
  if (quick && frames > max) frames = max;
  for (int64_t frame = 0; status >= 0 && frame < frames && !has_fallen(set); ++frame)
    status = pl_world_advance(pl_scene_instance_get_world(set), 1 / facts.frame_rate, 0, NULL, error);
  if (status >= 0) result->outcome = rate(set, quick, result->missed);
  pl_scene_instance_destroy(set);
  pl_scene_destroy(scene);
  free(list);
  return status;
}

static void run_item(void *user, pl_context *context, int32_t item) {
  robust_job *job = user;
  // Characters take turns, so that the slow ones do not come last.
  int scene = item % job->scene_count, at = item / job->scene_count;
  pl_error error = {0};
  char *path = tool_gallery_scene(job->gallery, bench_robust_cases[job->scenes[scene]]);
  run_result result = {.missed = job->missed[scene][at]};
  pl_status status = run_changed(context, path, &job->changes[at], job->quick, &result, &error);
  job->outcomes[scene][at] = result.outcome;
  if (status < 0) snprintf(job->errors[scene][at], TEXT_SIZE, "%s: %.120s", job->changes[at].name, error.text);
  free(path);
}

// --- the table ------------------------------------------------------------------------------------------------------

static void print_row(const bench_session *bench, const robust_job *job, int scene, const int counts[4]) {
  const run_outcome *row = job->outcomes[scene];
  if (bench->json) {
    printf("{\"suite\": \"robust\", \"case\": \"%s\", \"runs\": %d, \"standing\": %d, \"met\": %d, \"outcomes\": {",
           bench_robust_cases[job->scenes[scene]], job->change_count, counts[MISSED] + counts[MET], counts[MET]);
    for (int k = 0; k < job->change_count; ++k)
      printf("%s\"%s\": \"%s\"", k > 0 ? ", " : "", job->changes[k].name, row[k] == MET ? "met" : OUTCOMES[row[k]]);
    printf("}, \"missed\": {");
    for (int k = 0, count = 0; k < job->change_count; ++k)
      if (row[k] == MISSED)
        printf("%s\"%s\": \"%s\"", count++ > 0 ? ", " : "", job->changes[k].name, job->missed[scene][k]);
    printf("}}\n");
  } else {
    printf("%-19s", bench_robust_cases[job->scenes[scene]]);
    for (int k = 0; k < job->change_count; ++k) printf(" %5s", OUTCOMES[row[k]]);
    printf("  %2d %2d\n", counts[MISSED] + counts[MET], counts[MET]);
  }
}

static bool print_table(const bench_session *bench, const robust_job *job) {
  int all[4] = {0, 0, 0, 0}, runs = job->scene_count * job->change_count;
  if (!bench->json) {
    printf("%-19s", "");
    for (int k = 0; k < job->change_count; ++k) printf(" %5s", job->changes[k].name);
    printf("  standing, met\n");
  }
  for (int scene = 0; scene < job->scene_count; ++scene) {
    int counts[4] = {0, 0, 0, 0};
    for (int k = 0; k < job->change_count; ++k) ++counts[job->outcomes[scene][k]];
    print_row(bench, job, scene, counts);
    for (int k = 0; k < 4; ++k) all[k] += counts[k];
    for (int k = 0; k < job->change_count; ++k)
      if (job->errors[scene][k][0] != '\0')
        tool_print_warning(&bench->tool->console, "%s, %s", bench_robust_cases[job->scenes[scene]],
                           job->errors[scene][k]);
  }
  double standing = (double)(all[MISSED] + all[MET]) / runs, met = (double)all[MET] / runs;
  if (bench->json)
    printf(
        "{\"suite\": \"robust\", \"case\": \"all\", \"runs\": %d, \"standing_fraction\": %.4g, \"met_fraction\": "
        "%.4g}\n",
        runs, standing, met);
  else if (bench->quick)
    printf("%d runs of %g s: %.1f %% without a fall\n", runs, QUICK_SECONDS, 100 * standing);
  else
    printf("%d runs: %.1f %% without a fall, %.1f %% meet all expectations\n", runs, 100 * standing, 100 * met);
  return all[FAILED] == 0;
}

int bench_robust(bench_session *bench) {
  tool_gallery gallery = tool_gallery_find();
  if (gallery.folder == NULL) {
    tool_print_error(&bench->tool->console,
                     "the gallery was not found; set PLIANT_SCENES to the folder 'scenes' of Pliant");
    return TOOL_FAILED;
  }
  robust_job *job = tool_allocate(1, sizeof *job);
  job->gallery = &gallery;
  job->quick = bench->quick;
  for (int i = 0; i < SCENE_COUNT && !(bench->quick && job->scene_count == QUICK_SCENES); ++i)
    if (bench_wants(bench, bench_robust_cases[i])) job->scenes[job->scene_count++] = i;
  for (int i = 0; i < TOOL_CHANGE_COUNT; ++i)
    if (!bench->quick || tool_changes[i].is_quick) job->changes[job->change_count++] = tool_changes[i];
  tool_run_items(job->scene_count * job->change_count, 0, run_item, job);
  bool good = print_table(bench, job);
  free(job);
  tool_gallery_free(&gallery);
  return good ? TOOL_DONE : TOOL_REMARKS;
}
