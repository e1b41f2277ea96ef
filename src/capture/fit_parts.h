// A fit from the inside: what its files share.
//
// Values are what is physical: Young's modulus per control point, Poisson's ratio, α, β, and those
// of viscosity that are used. What is fitted of them are "columns" in coordinates θ: the logarithm
// of moduli and damping, Poisson's ratio itself. Behind them come the coefficients of starts that
// are not known, and the acceleration of a shape that is not, which are fitted but are not results.
#ifndef PL_CAPTURE_FIT_PARTS_H
#define PL_CAPTURE_FIT_PARTS_H

#include "base/vector.h"
#include "capture/fit_motion.h"
#include "capture/fit_reference.h"

// Levenberg's damping when a window begins, at most: steps from a good start are hardly shortened
// by it.
#define PL_FIT_FIRST_DAMPING 1e-2

enum {
  PL_FIT_MAX_CONTROLS = 64,
  PL_FIT_MAX_STARTS = 16,  // sequences whose start is not known
  PL_FIT_START_VALUES = 3 + PL_MOTION_MAX_SHAPES,
  PL_FIT_MAX_VALUES =
      PL_FIT_MAX_CONTROLS + 3 + PL_FIT_VISCOUS_KINDS + PL_FIT_MAX_STARTS * PL_FIT_START_VALUES + 3,
  PL_FIT_MAX_WINDOWS = 16
};

// Distance from the tracked motion at some values, with derivatives by the columns.
typedef struct pl_fit_evaluation {
  bool failed;  // no reference shape, or no motion
  double cost, weight, amplitude, worst;
  double *gradient, *normal;  // as pl_motion_result, of all data
  double *normals;            // the normal matrix by sequence, by case and by vibration
  double *scores;  // the gradient by frame, sequence after sequence, by case and by vibration:
                   // [score_count][column_count]
} pl_fit_evaluation;

// Where the search stands: all that is saved besides values, reference shape and log.
typedef struct pl_fit_cursor {
  int32_t window, iteration, window_iteration, evaluations;
  int32_t rejected;  // one after the other
  int32_t steps;     // in a frame, as simulated now
  int32_t finished, converged;
  int32_t started;  // the scales of unknown starts and their coefficients are found
  double damping;
  double force_scales[PL_FIT_MAX_STARTS], velocity_scales[PL_FIT_MAX_STARTS];
  double coarser[PL_FIT_MAX_VALUES];  // values that half as many steps ended with
} pl_fit_cursor;

struct pl_fit {
  pl_arena arena;
  pl_context *context;
  pl_fit_def def;
  pl_mesh *mesh;
  pl_model *model;
  pl_fit_body body;
  pl_fit_sequence *sequences;
  int32_t sequence_count, longest;  // frames of the longest sequence
  pl_fit_load_case *cases;
  pl_fit_vibration *vibrations;
  int32_t case_count, vibration_count;
  int32_t score_count;      // frames of all sequences, cases and vibrations
  pl_motion_start *starts;  // of every sequence
  int32_t start_count;      // of those that are not known
  bool has_starts;          // their patterns and shapes are there
  int32_t shape_value;      // first of the three values of a shape that is not known, in units of
                            // gravity's size; -1: none
  int32_t window_count, windows[PL_FIT_MAX_WINDOWS];
  int32_t value_count, column_count, padded;
  int32_t result_count;  // of the values, the first: what is reported
  pl_fit_range ranges[PL_FIT_MAX_VALUES];
  int32_t columns[PL_FIT_MAX_VALUES];  // value of each column
  double values[PL_FIT_MAX_VALUES];
  double start[PL_FIT_MAX_VALUES];  // coordinates of the columns when the first iteration began
  double size;                      // of the static shape, m
  double step_tolerance;            // of pl_motion_job
  double *rest, *trial_rest, *rest_change, *fractions, *outputs, *shape_load;
  size_t output_size;  // numbers per sequence
  pl_fit_worker *worker;
  pl_reference reference;
  pl_reference_report reference_report;
  pl_fit_cursor cursor;
  bool moves_rest;       // the reference shape changes with the columns
  bool noise_is_stated;  // by the def, not taken from the size
  bool evaluated;        // `now` belongs to the values, the reference shape and the window
  pl_fit_evaluation now, trial;
  pl_vector log;  // of Nelder-Mead: column_count coordinates and the cost of every evaluation
  double seconds;
  // Of pl_fit_refine(), by value: extrapolated, and what tets and steps leave uncertain, in
  // coordinates; deviations and lack of fit with finer tets, in coordinates.
  bool refined, refined_converged;
  double refined_values[PL_FIT_MAX_VALUES], uncertainties[PL_FIT_MAX_VALUES],
      refined_deviations[PL_FIT_MAX_VALUES], refined_lacks[PL_FIT_MAX_VALUES];
  // Of pl_fit_get_report().
  pl_fit_estimate estimates[PL_FIT_MAX_VALUES];
  double deviations[PL_FIT_MAX_VALUES];  // of the values, in coordinates, by random errors alone
  double *correlations;
};

// Coordinates of a value and back.
bool pl_fit_is_logarithmic(const pl_fit *fit, int32_t value);
double pl_fit_coordinate(const pl_fit *fit, int32_t value, double physical);
double pl_fit_physical(const pl_fit *fit, int32_t value, double coordinate);

// Reference shape for values into X (which holds where to start), for `worker`'s moduli set here;
// false in *found if there is none.
pl_status pl_fit_find_rest(pl_fit *fit, const double *values, double *X, bool *found,
                           pl_error *error);

// Everything at once: reference shape (X as above), simulations of the first `frame_count` frames
// of all sequences through the batch, with derivatives if asked for.
pl_status pl_fit_evaluate(pl_fit *fit, const double *values, double *X, int32_t frame_count,
                          bool derive, pl_fit_evaluation *evaluation, pl_error *error);

// Where nodes on edges start when points of the mesh are given, in place of start_positions and
// start_velocities, from the arena's memory: in equilibrium with the points, halfway between their
// velocities. Nothing for linear tets and for starts that are pulled.
pl_status pl_fit_place_nodes(const pl_fit *fit, pl_arena *arena, pl_fit_sequence *sequence,
                             pl_error *error);

// What is wrong with the known loads of a sequence, and whether it can start under them.
pl_status pl_fit_check_loads(const pl_fit *fit, const pl_fit_sequence *sequence, int32_t number,
                             pl_error *error);

// Scales and coefficients of starts that are not known, for the values as they stand; once.
pl_status pl_fit_find_starts(pl_fit *fit, pl_error *error);

// Frequencies and damping ratios against those that were measured, added to the evaluation: the
// rest shape X belongs to the values, and the worker has both.
pl_status pl_fit_add_vibrations(pl_fit *fit, const double *values, const double *X, bool derive,
                                pl_fit_evaluation *evaluation, pl_error *error);

// Whether something of how a sequence starts is a parameter: a force or a velocity.
static inline bool pl_fit_start_is_unknown(const pl_fit_sequence *sequence) {
  return sequence->start == PL_FIT_START_PULLED || sequence->start == PL_FIT_START_MOVING;
}

// Run jobs through the def's batch or the context's threads.
void pl_fit_run_jobs(const pl_fit *fit, const pl_fit_jobs *jobs);

// A field of a mesh whose tets were split into `parts` each, one after the other: parts have the
// weights of the whole.
pl_status pl_field_split(pl_context *context, const pl_field *field, int32_t parts,
                         pl_field **split, pl_error *error);

// The two fitters; both return what pl_fit_run() does.
pl_status pl_fit_run_gauss(pl_fit *fit, pl_error *error);
pl_status pl_fit_run_simplex(pl_fit *fit, pl_error *error);

#define PL_NORMAL_95 1.959963984540054  // 97.5 % quantile of the normal distribution

// fit_deviation.c: what random errors leave uncertain, for the evaluation `now`.
typedef struct pl_fit_covariance {
  double *inverse;     // N⁻¹ scaled to a unit diagonal of N: [column_count][column_count]
  double *scales;      // by which that was done: (N⁻¹)ᵢⱼ = scalesᵢ inverseᵢⱼ scalesⱼ
  double *deviations;  // standard deviations of the columns, in coordinates, with those of errors
                       // that are alike from point to point, frame to frame and motion to motion
  double *lacks;       // the most that a residual beyond the stated error moves them by
  double variance;     // m², that independent errors of coordinates would need for deviations as
                       // these: the variance times what numbers there are for each that counts
} pl_fit_covariance;

// From the arena's memory; `variance` is that of errors that are not alike.
pl_status pl_fit_find_covariance(const pl_fit *fit, double variance, pl_arena *arena,
                                 pl_fit_covariance *found, pl_error *error);

// Of a coordinate of a tracked point, m²: that of the residual; that or the stated one, whichever
// is larger.
double pl_fit_residual_variance(const pl_fit *fit);
double pl_fit_variance(const pl_fit *fit);

// The sum of squares that the stated error does not explain, m².
double pl_fit_unexplained(const pl_fit *fit);

// fit_gauss.c: how far the whole Gauss-Newton step from the evaluation `now` would move each
// column, in coordinates, with what is known of its errors.
pl_status pl_fit_find_way(const pl_fit *fit, const pl_fit_covariance *by_errors, double *way,
                          pl_error *error);

// fit_result.c: whether the simulated motion of the values at hand is nowhere near the data.
bool pl_fit_is_misfit(const pl_fit *fit);

// Whether the callback wants to continue.
bool pl_fit_report_progress(pl_fit *fit, const pl_fit_progress *progress);

#endif
