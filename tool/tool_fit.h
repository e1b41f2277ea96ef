// A fit from the command line: what is given, the fit, and what is written of it. Shared by the verbs `fit` and `capture`.
#ifndef TOOL_FIT_H
#define TOOL_FIT_H

#include "pliant/fit.h"
#include "pliant/pliant.h"
#include "report/report.h"
#include "tool_arguments.h"

// A motion of the points of the mesh.
typedef struct fit_motion {
  char *name;  // of its file
  int32_t frame_count;
  double rate;  // frames per second
  pl_vec3 *positions;
  double *weights;  // what a point counts for, NULL: all the same
} fit_motion;

// What is fitted: a mesh of tets in its static shape, where it is held, how it moves.
typedef struct fit_object {
  pl_mesh *mesh;
  int32_t *held, held_count;
  fit_motion *motions, *others;  // fitted; kept apart to be predicted
  int32_t motion_count, other_count;
} fit_object;

// How it is fitted, from the options.
typedef struct fit_settings {
  pl_fit_def def;
  pl_field_def field;
  pl_vec3 *points;  // control points given by hand
  bool warm_start;
  uint64_t hash;  // of all of it, for checkpoints
} fit_settings;

// A fit under way.
typedef struct fit_job {
  const tool_session *tool;
  pl_context *context;
  const fit_object *object;
  const fit_settings *settings;
  const char *folder;
  pl_field *field;
  pl_fit *fit;
  pl_fit_sequence *sequences;
  uint64_t hash;         // of everything given
  int32_t column_count;  // of the history
  double *history;
  int32_t row_count, max_rows;
  pl_warm_start_report warm;
  bool warmed;
  pl_error trouble;  // of writing a checkpoint
} fit_job;

// The options that both verbs have; each is an entry of an option table.
#define FIT_OPTIONS                                                                                                               \
  {.name = "density",                                                                                                             \
   .kind = TOOL_NUMBER,                                                                                                           \
   .value = "KG/M3",                                                                                                              \
   .about = "mass by volume; 1000 if not given",                                                                                  \
   .min = 1e-6,                                                                                                                   \
   .max = 1e9},                                                                                                                   \
      {.name = "gravity", .kind = TOOL_TEXT, .value = "X,Y,Z", .about = "m/s²; 0,-9.81,0 if not given"},                          \
      {.name = "material", .kind = TOOL_TEXT, .value = "NAME", .about = "corotated, which is the default, or neo-hookean"},       \
      {.name = "controls",                                                                                                        \
       .kind = TOOL_COUNT,                                                                                                        \
       .value = "N",                                                                                                              \
       .about = "control points of the modulus; 1 if not given",                                                                  \
       .min = 1,                                                                                                                  \
       .max = 64},                                                                                                                \
      {.name = "place", .kind = TOOL_TEXT, .value = "WHERE", .about = "control points: axis, farthest, or a table with x, y, z"}, \
      {.name = "blend", .kind = TOOL_TEXT, .value = "HOW", .about = "between them: linear or harmonic"},                          \
      {.name = "young",                                                                                                           \
       .kind = TOOL_NUMBER,                                                                                                       \
       .value = "PA",                                                                                                             \
       .about = "where the modulus begins; 1e5 if not given",                                                                     \
       .min = 1,                                                                                                                  \
       .max = 1e13},                                                                                                              \
      {.name = "poisson",                                                                                                         \
       .kind = TOOL_NUMBER,                                                                                                       \
       .value = "RATIO",                                                                                                          \
       .about = "Poisson's ratio; 0.3 if not given",                                                                              \
       .min = -0.99,                                                                                                              \
       .max = 0.499},                                                                                                             \
      {.name = "fit-poisson", .kind = TOOL_FLAG, .about = "find Poisson's ratio too"},                                            \
      {.name = "fitter", .kind = TOOL_TEXT, .value = "NAME", .about = "gauss-newton, which is the default, or nelder-mead"},      \
      {.name = "steps",                                                                                                           \
       .kind = TOOL_COUNT,                                                                                                        \
       .value = "N",                                                                                                              \
       .about = "time steps in a frame; as many as the modulus needs if not given",                                               \
       .min = 1,                                                                                                                  \
       .max = 1000},                                                                                                              \
      {.name = "noise",                                                                                                           \
       .kind = TOOL_NUMBER,                                                                                                       \
       .value = "LENGTH",                                                                                                         \
       .about = "metres a tracked point is off by; 1e-4 of the size",                                                             \
       .min = 0,                                                                                                                  \
       .max = 1e3},                                                                                                               \
      {.name = "limit", .kind = TOOL_COUNT, .value = "N", .about = "most iterations; 200 if not given", .min = 1, .max = 1e6},    \
      {.name = "no-warm-start", .kind = TOOL_FLAG, .about = "begin with --young instead of a modulus found from frequencies"},    \
      {.name = "no-reference", .kind = TOOL_FLAG, .about = "take the static shape for the one without gravity"}, {                \
    .name = "threads", .kind = TOOL_COUNT, .value = "N", .about = "threads; the results are the same for any number", .min = 1,   \
    .max = 1024                                                                                                                   \
  }

// Steps that a fit takes in a frame at most, where it chooses them.
enum { MAX_FIT_STEPS = 32 };

// Columns of the history.
enum { FIT_ROW_ITERATION, FIT_ROW_FRAMES, FIT_ROW_STEPS, FIT_ROW_RMS, FIT_ROW_CHANGE, FIT_ROW_PARAMETERS };

// A hash with more bytes.
uint64_t fit_mix(uint64_t hash, const void *bytes, size_t size);

// Read the options; prints what is wrong. To be freed also after a failure.
bool fit_settings_read(const tool_session *tool, pl_context *context, const tool_arguments *arguments, fit_settings *settings);
void fit_settings_free(fit_settings *settings);

// Read a motion of `point_count` points; prints what is wrong.
bool fit_motion_read(const tool_session *tool, pl_context *context, const char *path, double rate, int32_t point_count,
                     fit_motion *motion);
void fit_motion_free(fit_motion *motion);

// A motion as a fit takes it; borrowed.
pl_fit_sequence fit_sequence_of(const fit_motion *motion);

void fit_object_free(fit_object *object);

// Set up: `job` has tool, context, object, settings and folder. To be closed also after a failure.
pl_status fit_open(fit_job *job, pl_error *error);
void fit_close(fit_job *job);

// Fit, from the checkpoint in the folder if `resume`. PL_REMARK_CANCELLED when the user asked to stop; the checkpoint is then there.
pl_status fit_run(fit_job *job, bool resume, pl_error *error);

// Whether the folder has a checkpoint to go on from.
bool fit_is_unfinished(const fit_job *job);

// Tables, meshes, a scene with the fitted body, and the report.
pl_status fit_write(fit_job *job, pl_error *error);

// Remove the checkpoint: what it was for is done.
void fit_forget(const fit_job *job);

// Unit of a parameter; static storage.
const char *fit_unit_of(const pl_fit_estimate *estimate);

// The table of parameters on standard output and what is to be said about them on standard error. True if all are determined.
bool fit_say(fit_job *job, pl_error *error);

// The parts of a report that are about a fit (fit_page.c).
pl_status fit_report(fit_job *job, const pl_fit_report *found, pl_report *report, pl_error *error);

#endif
