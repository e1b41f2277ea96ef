// pliant tune: numbers of a scene with which its actors do what the scene expects of them.
#ifndef TOOL_TUNE_H
#define TOOL_TUNE_H

#include "pliant/pliant.h"
#include "tool_arguments.h"

// A number of the scene that is varied.
typedef struct tune_range {
  char *path;  // such as bodies[0].actor.settings.gain
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

// Load the scene with the numbers at x, times `factor`. NULL x: as it is.
pl_status tune_load(pl_context *context, const char *path, const tune_ranges *ranges,
                    const double *x, double factor, pl_scene **scene, pl_error *error);

// What expectations a run of the scene misses, summed: 0 when all are met. A run ends early when an
// actor has fallen more often than expected.
typedef struct tune_result {
  double missed;
  int32_t expected;  // number of expectations of the scene
  char text[512];    // the expectations that were missed, or "all expectations met"
} tune_result;

pl_status tune_run(pl_context *context, const pl_scene *scene, tune_result *result,
                   pl_error *error);

#endif
