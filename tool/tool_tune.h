// pliant tune: numbers of a scene with which its actors do what the scene expects of them.
#ifndef TOOL_TUNE_H
#define TOOL_TUNE_H

#include "pliant/pliant.h"
#include "tool_arguments.h"
#include "tool_changes.h"

enum { TUNE_MAX_PATHS = 4, TUNE_MAX_PAIRS = 8, TUNE_MAX_UNDER = 32, TUNE_MAX_PERTURBED = 64 };
enum { TUNE_MAX_CONDITIONS = TUNE_MAX_UNDER + TUNE_MAX_PERTURBED + TOOL_CHANGE_COUNT };

// A number of the scene that is varied, or one number in several positions.
typedef struct tune_range {
  char *text;                   // the paths
  char *paths[TUNE_MAX_PATHS];  // such as bodies[0].actor.settings.gain
  int32_t path_count;
  double min, max;
  double start;  // where the search begins, from 0 to 1 of the range
  bool has_start;
  bool is_log;  // drawn evenly from its powers
} tune_range;

typedef struct tune_ranges {
  int32_t count;
  tune_range items[TOOL_MAX_REPEATS];
} tune_ranges;

// The values of --vary. False if one is not PATH=MIN:MAX or PATH=MIN:START:MAX
// (printed).
bool tune_ranges_read(const tool_session *tool, const tool_arguments *arguments,
                      tune_ranges *ranges);
void tune_ranges_free(tune_ranges *ranges);

// The number at x from 0 to 1 of a range, with the digits that are written into the scene.
double tune_number_at(const tune_range *range, double x);

// Other values of the scene under which a trial has to work as well.
typedef struct tune_conditions {
  char *text;               // paths and values of --under
  tool_change_list *lists;  // of --robust and --perturb
  int32_t count;
  pl_scene_override pairs[TUNE_MAX_UNDER][TUNE_MAX_PAIRS];  // of --under
  pl_scene_overrides items[TUNE_MAX_CONDITIONS];
} tune_conditions;

// The value of --under, or NULL. False if it cannot be read (printed).
bool tune_conditions_read(const tool_session *tool, const char *text, tune_conditions *conditions);
// The seventeen changes of `bench robust`, and `perturbed` changes of bits, as conditions. False if
// the scene cannot be read (printed).
bool tune_conditions_add_changes(const tool_session *tool, pl_context *context, const char *path,
                                 int32_t perturbed, bool robust, tune_conditions *conditions);
void tune_conditions_free(tune_conditions *conditions);

typedef struct tune_trial {
  const tune_ranges *ranges;
  const double *x;                      // from 0 to 1 of the ranges; NULL: the scene as it is
  double factor;                        // on all numbers
  const pl_scene_overrides *condition;  // or NULL
} tune_trial;

// Load the scene with the numbers of a trial.
pl_status tune_load(pl_context *context, const char *path, const tune_trial *trial,
                    pl_scene **scene, pl_error *error);

// What expectations a run of the scene misses, summed: 0 when all are met with the fraction
// `margin` of each to spare. A run ends early when an actor has fallen more often than expected.
typedef struct tune_result {
  double missed;
  int32_t expected;  // number of expectations of the scene
  char text[512];    // the expectations that were missed, or "all expectations met"
} tune_result;

pl_status tune_run(pl_context *context, const pl_scene *scene, double margin, tune_result *result,
                   pl_error *error);

#endif
