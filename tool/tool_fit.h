// A fit from the command line: its input, the fit, and its results. Shared by the verbs `fit` and
// `capture`.
#ifndef TOOL_FIT_H
#define TOOL_FIT_H

#include "pliant/fit.h"
#include "pliant/pliant.h"
#include "report/report.h"
#include "tool_options.h"

// Known loads of a motion: a force and a pressure.
enum { FIT_MAX_LOADS = 2 };

// A motion of the points of the mesh, or of markers.
typedef struct fit_motion {
  char *name;  // of its file
  int32_t frame_count;
  double rate;            // frames per second
  pl_embedding *markers;  // NULL: the points of the mesh
  int32_t point_count;    // markers or points
  pl_fit_start start;
  bool start_chosen;  // by --start
  const pl_vec3 *positions;
  const double *weights;             // what a point counts for, NULL: all the same
  bool borrowed;                     // both belong to somebody else
  pl_fit_load loads[FIT_MAX_LOADS];  // known ones; their arrays are the motion's
  int32_t load_count;
} fit_motion;

// The object: a mesh of tets in its static shape, its held points, its motions.
typedef struct fit_object {
  pl_mesh *mesh;
  int32_t *held, held_count;
  fit_motion *motions, *others;  // fitted; held out for prediction
  int32_t motion_count, other_count;
  // Static experiments and vibrations (fit_data.c).
  pl_fit_load_case *cases;
  int32_t case_count;
  pl_embedding **embeddings;  // of the cases
  pl_vec3 **positions;        // of the cases
  int32_t *gripped, gripped_count;
  double *masses;  // kg by point, that the object carries, or NULL
  pl_fit_vibration *vibrations;
  int32_t vibration_count;
} fit_object;

// Settings of the fit, from the options.
typedef struct fit_settings {
  pl_fit_def def;
  pl_field_def field;
  pl_vec3 *points;  // control points given by hand
  bool warm_start;
  bool json;      // print the result as JSON
  uint64_t hash;  // of all of it but how the result is printed, for checkpoints
} fit_settings;

// A running fit.
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

// The options that both verbs have: entries of an option table. Defaults are those of
// pl_default_fit_def() (fit_defaults.c).
// clang-format off
#define FIT_OPTIONS \
  {"density", .kind = TOOL_NUMBER, .value = "DENSITY", .min = 1e-6, .max = 1e9, .default_number = fit_default_density, .about = "density in kg/m^3"}, \
  {"material", .kind = TOOL_TEXT, .value = "NAME", .choices = "corotated neo-hookean", .default_text = "corotated", \
   .about = "material model: corotated or neo-hookean"}, \
  {"element", .kind = TOOL_TEXT, .value = "NAME", .choices = "linear quadratic", .default_text = "linear", \
   .about = "tets: linear, or quadratic, which do not lock"}, \
  {"controls", .kind = TOOL_COUNT, .value = "N", .min = 1, .max = 64, .default_number = fit_default_controls, \
   .about = "number of control points of Young's modulus; 1 makes it uniform"}, \
  {"placement", .kind = TOOL_TEXT, .value = "NAME|FILE", .choices = "axis farthest", .default_text = "axis", \
   .about = "positions of the control points: axis, farthest, or a CSV table with the columns x, y and z", \
   .more = "`axis` spaces them evenly along the longest edge of the bounding box; `farthest` places each as far as possible from the others."}, \
  {"blend", .kind = TOOL_TEXT, .value = "NAME", .choices = "linear harmonic", .default_note = "linear for axis, otherwise harmonic", \
   .about = "interpolation between control points: linear along the axis, or harmonic in the body"}, \
  {"young", .kind = TOOL_NUMBER, .value = "PA", .min = 1, .max = 1e13, .default_number = fit_default_young, \
   .about = "initial Young's modulus in pascals, where there is no warm start"}, \
  {"poisson", .kind = TOOL_NUMBER, .value = "RATIO", .min = -0.99, .max = 0.499, .default_number = fit_default_poisson, \
   .about = "Poisson's ratio; with --fit-poisson its initial value"}, \
  {"fit-poisson", .kind = TOOL_FLAG, .about = "fit Poisson's ratio too"}, \
  {"prony", .kind = TOOL_TEXT, .value = "RATIO:TIME,...", .about = "fit one or two Prony terms of a viscoelastic material from these starts, such as 0.3:0.05", \
   .more = "Ratios are fractions of Young's modulus, which is then that at rest; times are in seconds."}, \
  {"loss-factor", .kind = TOOL_NUMBER, .value = "FACTOR", .min = 1e-5, .max = 1, .about = "fit the loss factor of structural damping from this start"}, \
  {"fitter", .kind = TOOL_TEXT, .value = "NAME", .choices = "gauss-newton nelder-mead", .default_text = "gauss-newton", \
   .about = "optimiser: gauss-newton, or nelder-mead, which needs a build with NLopt"}, \
  {"steps", .kind = TOOL_COUNT, .value = "N", .min = 1, .max = 1000, .default_note = "chosen by convergence", .about = "time steps per frame", \
   .more = "By default fits with twice as many steps follow each other, up to " TOOL_TEXT_OF(MAX_FIT_STEPS) ", until no modulus changes by more than 1 %; nelder-mead keeps to the fewest."}, \
  {"noise", .kind = TOOL_NUMBER, .value = "LENGTH", .min = 0, .max = 1e3, .default_note = "that of the track, otherwise 1e-4 of the size", \
   .about = "minimum error of a tracked point in metres, for the intervals and verdicts"}, \
  {"max-iterations", .kind = TOOL_COUNT, .value = "N", .min = 1, .max = 1e6, .default_number = fit_default_max_iterations, \
   .about = "maximum iterations", .more = "More may be given with --resume."}, \
  {"fix", .kind = TOOL_TEXT, .value = "NAME=VALUE,...", .about = "parameters to hold at a value, such as mass-damping=0.1,poisson=0.45", \
   .more = "Names are young, poisson, mass-damping, stiffness-damping, prony-ratio, prony-time, second-prony-ratio, second-prony-time and loss-factor."}, \
  {"bound", .kind = TOOL_TEXT, .value = "NAME=MIN:MAX,...", .about = "bounds of parameters, such as young=1e4:1e6"}, \
  {"no-warm-start", .kind = TOOL_FLAG, .about = "start from --young instead of a modulus estimated from frequencies"}, \
  {"shape", .kind = TOOL_TEXT, .value = "NAME", .choices = "static unstressed unknown", .default_text = "static", \
   .about = "what the mesh is: static (at rest under gravity), unstressed (as moulded) or unknown", \
   .more = "An unknown shape was scanned in another position or partly supported: the acceleration under which it is at rest is fitted with the material."}, \
  {"no-reference", .kind = TOOL_FLAG, .about = "the same as --shape unstressed"}, \
  {"json", .kind = TOOL_FLAG, .about = "print the result as one JSON object instead of a table: parameters with intervals, correlations, error"}, \
  TOOL_THREADS_OPTION
// clang-format on

// Defaults of the library (fit_defaults.c).
double fit_default_density(void);
double fit_default_controls(void);
double fit_default_young(void);
double fit_default_poisson(void);
double fit_default_max_iterations(void);

// Maximum steps per frame, where the fit chooses them.
#define MAX_FIT_STEPS 32

// Parameters of a fit behind the moduli, as keys of scenes: poisson, both dampings and those of
// viscosity that it has. Returns their number, at most FIT_MAX_OTHERS.
enum { FIT_MAX_OTHERS = 8 };
int32_t fit_list_others(const pl_fit_def *def, const char *names[FIT_MAX_OTHERS]);

// Columns of the history.
enum {
  FIT_ROW_ITERATION,
  FIT_ROW_FRAMES,
  FIT_ROW_STEPS,
  FIT_ROW_RMS,
  FIT_ROW_CHANGE,
  FIT_ROW_PARAMETERS
};

// A hash with more bytes.
uint64_t fit_mix(uint64_t hash, const void *bytes, size_t size);

// Read the options; prints what is wrong. To be freed also after a failure.
bool fit_settings_read(const tool_session *tool, pl_context *context,
                       const tool_arguments *arguments, fit_settings *settings);
void fit_settings_free(fit_settings *settings);

// Whether enough points are held for the rest shape to be found; prints what is missing. To be
// asked before anything that takes time.
bool fit_check_held(const tool_session *tool, const fit_settings *settings, int32_t held_count);

// Read a motion of `point_count` points; prints what is wrong.
bool fit_motion_read(const tool_session *tool, pl_context *context, const char *path, double rate,
                     int32_t point_count, fit_motion *motion);
void fit_motion_free(fit_motion *motion);

// Without --noise: that of the tracks, where all motions are `track_points` of `track` with their
// `residuals.csv`; printed.
void fit_take_noise(const tool_session *tool, pl_context *context, const fit_object *object,
                    fit_settings *settings);
void fit_load_free(pl_fit_load *load);

// A motion as input of pl_fit; borrowed.
pl_fit_sequence fit_sequence_of(const fit_motion *motion);

void fit_object_free(fit_object *object);

// fit_data.c: data other than motions of all points. Each prints what is wrong.
bool fit_data_is_markers(const char *path);
bool fit_data_read_markers(const tool_session *tool, pl_context *context,
                           const tool_arguments *arguments, const char *path, const pl_mesh *mesh,
                           fit_motion *motion);
bool fit_data_read_tables(const tool_session *tool, pl_context *context,
                          const tool_arguments *arguments, fit_object *object);
// Known loads over time of the motions, which must have been read; those without --start then start
// in equilibrium with them.
bool fit_data_read_loads(const tool_session *tool, pl_context *context,
                         const tool_arguments *arguments, fit_object *object);
void fit_data_free(fit_object *object);

// Add an iteration with its `count` parameters to the history.
void fit_add_iteration(fit_job *job, const pl_fit_progress *progress, const double *values,
                       int32_t count);

// Set up: `job` has tool, context, object, settings and folder. To be closed also after a failure.
pl_status fit_open(fit_job *job, pl_error *error);
void fit_close(fit_job *job);

// Fit, from the checkpoint in the folder if `resume`. PL_REMARK_CANCELLED when the user asked to
// stop; the checkpoint is then there.
pl_status fit_run(fit_job *job, bool resume, pl_error *error);

// The history as history.csv in `folder`.
pl_status fit_write_history(const fit_job *job, const char *folder, pl_error *error);

// Tables, meshes, a scene with the fitted body, and the report.
pl_status fit_write(fit_job *job, pl_error *error);

// Remove the checkpoint; the fit is complete.
void fit_forget(const fit_job *job);

// Unit of a parameter; static storage.
const char *fit_unit_of(const pl_fit_estimate *estimate);

// Print the parameters on standard output, as a table or as JSON, and messages about them on
// standard error. True if all are determined.
bool fit_print(fit_job *job, pl_error *error);

// The parts of a report that are about a fit (fit_page.c).
pl_status fit_report(fit_job *job, const pl_fit_report *found, pl_report *report, pl_error *error);

#endif
