/// @file fit.h
/// Material of a soft object estimated from its motion (part of the lab): the gravity-free
/// reference shape, Young's modulus as a field, Poisson's ratio and Rayleigh damping, and how well
/// the motion determines each.
///
/// The input is a tracked motion: a tet mesh in the static shape, that is in equilibrium under
/// gravity, and sequences of positions of its points. The object consists of corotated or stable
/// neo-Hookean tets of known density, is held at some of its points, and moves freely after it is
/// released, or as known loads over time drive it.
#ifndef PLIANT_FIT_H
#define PLIANT_FIT_H

#include "pliant/base.h"
#include "pliant/fem.h"
#include "pliant/field.h"
#include "pliant/math.h"
#include "pliant/mesh.h"
#include "pliant/model.h"
#include "pliant/reference.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How parameters are found.
typedef enum pl_fitter {
  PL_FITTER_GAUSS_NEWTON =
      0,  ///< forward sensitivities, growing time horizon, Levenberg damping; the default
  PL_FITTER_NELDER_MEAD,  ///< downhill simplex, as paper 002; needs a build with NLopt
} pl_fitter;

/// One parameter as it enters a fit.
typedef struct pl_fit_range {
  double start;     ///< where to begin, or the value if it is not fitted
  double min, max;  ///< bounds
  bool fitted;
} pl_fit_range;

/// How a motion starts.
typedef enum pl_fit_start {
  PL_FIT_START_GIVEN = 0,  ///< at start_positions (or frame 0) with start_velocities (or at rest);
                           ///< the default
  PL_FIT_START_PULLED,     ///< at rest in the equilibrium under a force on the observed points that
                           ///< is not known, and fitted; released at frame 0. Needs held points
  PL_FIT_START_MOVING,     ///< with a velocity that is not known and fitted, in the shapes that
                           ///< forces along x, y and z on the observed points give the body; where
                           ///< markers are observed the position is that of PL_FIT_START_PULLED
  PL_FIT_START_BALANCED,   ///< at rest in the equilibrium under gravity and the known loads as they
                           ///< are at frame 0, which are part of what is fitted; for motions that
                           ///< known loads cause. Needs held points
} pl_fit_start;

/// What is known of the shape of the mesh.
typedef enum pl_fit_shape {
  PL_FIT_SHAPE_STATIC = 0,  ///< in equilibrium under gravity, such as a plant that was scanned as
                            ///< it stands; the default
  PL_FIT_SHAPE_UNSTRESSED,  ///< the rest shape, such as a specimen as it was moulded
  PL_FIT_SHAPE_UNKNOWN,     ///< neither: scanned in another position, or partly supported. It is in
                            ///< equilibrium under a uniform acceleration that is fitted
} pl_fit_shape;

/// A known load over time: a force, such as that of a shaker or a hammer with a load cell, or a
/// pressure, such as that in a chamber. Between two times it is linear, before the first and after
/// the last it stays; a step has its mean, so that no blow between two steps is lost. Arrays are
/// borrowed.
typedef struct pl_fit_load {
  const int32_t *loaded;  ///< points of the mesh; those that a force acts on are not held
  int32_t loaded_count;
  int32_t time_count;     ///< at least 1
  const double *times;    ///< s, from frame 0 of the motion, rising
  const pl_vec3 *forces;  ///< N at these times, in total, spread evenly over the points; NULL: none
  const double *pressures;  ///< Pa at these times, against the triangles of the surface whose
                            ///< points are all loaded, as they move; negative: suction. NULL: none
} pl_fit_load;

/// A motion of the object as tracking gives it: of all points of the mesh, or of markers. Arrays
/// and markers are borrowed and must stay until the fit is destroyed.
typedef struct pl_fit_sequence {
  int32_t frame_count;          ///< at least 2
  double frame_seconds;         ///< between frames
  const pl_vec3 *positions;     ///< frame_count times the points of the mesh, or times the markers,
                                ///< metres. Missing samples of markers are not finite
  const double *point_weights;  ///< weight of each point, or NULL for 1 everywhere; 0: ignored
  const double *frame_weights;  ///< the same per frame, or NULL; one that is 0 leaves a frame out,
                                ///< such as a lost one
  const pl_vec3 *start_positions;   ///< at frame 0, or NULL: `positions` of it
  const pl_vec3 *start_velocities;  ///< m/s at frame 0, or NULL: at rest
  bool pins_move;  ///< pinned points follow `positions`; otherwise they stay in the static shape
  /// Markers that are observed in place of the points of the mesh, embedded in its static shape
  /// (pl_embedding_build()), also at a distance from its surface; NULL: the points of the mesh.
  /// They need start_positions, or a start that is fitted.
  const pl_embedding *markers;
  pl_fit_start start;  ///< default PL_FIT_START_GIVEN
  double deviation;    ///< metres, standard deviation of a coordinate, for fits to several kinds of
                       ///< data; 0: the fit's `noise`
  const pl_fit_load *loads;  ///< known loads that drive the motion, besides gravity
  int32_t load_count;
} pl_fit_sequence;

/// A static experiment: the object at rest under a known load, or with some points moved by a known
/// way. What is measured are positions, the force, or both. Arrays and markers are borrowed and
/// must stay until the fit is destroyed.
typedef struct pl_fit_load_case {
  const int32_t *loaded;  ///< points of the mesh that the load acts on, or that are moved; not held
  int32_t loaded_count;
  pl_vec3 force;         ///< N, in total, spread evenly over the loaded points
  bool moved;            ///< the loaded points are moved instead, together and without turning
  pl_vec3 displacement;  ///< metres from the static shape, where they are moved
  double reaction;  ///< N along the displacement that moves them, as measured; NaN: not measured
  double reaction_deviation;    ///< N, its standard deviation, positive
  const pl_embedding *markers;  ///< whose positions are measured; NULL: the points of the mesh
  const pl_vec3 *positions;     ///< metres, one each; not finite: not measured. NULL: none are
  double deviation;  ///< metres, standard deviation of a coordinate; 0: the fit's `noise`
} pl_fit_load_case;

/// A vibration that was measured: frequency and damping of a mode around the static shape.
typedef struct pl_fit_vibration {
  int32_t mode;                ///< from 0, by rising frequency; at most 15
  double frequency;            ///< Hz, of the damped vibration; NaN: not measured
  double frequency_deviation;  ///< as a fraction of the frequency, positive
  double damping_ratio;        ///< of critical damping; NaN: not measured
  double damping_deviation;    ///< standard deviation of the ratio, positive
} pl_fit_vibration;

/// Independent jobs of a fit: simulations of sequences, samples of a warm start. `evaluate` fills
/// output_size numbers for one job, may be called from several threads at once for different jobs,
/// and does not depend on the others.
typedef struct pl_fit_jobs {
  int32_t count;
  size_t output_size;  ///< numbers per job
  double *outputs;     ///< count times output_size
  void (*evaluate)(void *data, int32_t job, double *output);
  void *data;
} pl_fit_jobs;

/// Who runs them. `run` must leave outputs of all jobs, from wherever they were computed. Where
/// several processes run the same fit, each calls `evaluate` for its own share and receives the
/// rest: all then continue with the same numbers, and end with the same result, for any number of
/// them.
typedef struct pl_fit_batch {
  void (*run)(void *user, const pl_fit_jobs *jobs);
  void *user;
} pl_fit_batch;

/// A fit of material parameters to motions of a body, and the state of the search. One thread at a
/// time.
typedef struct pl_fit pl_fit;

/// State of a fit after an iteration.
typedef struct pl_fit_progress {
  int32_t iteration;    ///< from 1
  int32_t frame_count;  ///< of the window now fitted
  int32_t steps;        ///< time steps between two frames now
  int32_t evaluations;  ///< simulations of all sequences so far
  double rms;      ///< metres, root of the weighted mean square distance of points in the window
  double change;   ///< largest change of a parameter in the iteration (of its logarithm where the
                   ///< logarithm is fitted)
  double damping;  ///< Levenberg's
  bool accepted;   ///< the iteration made the distance smaller
} pl_fit_progress;

/// Called after every iteration (Nelder-Mead: after every evaluation). pl_fit_snapshot() may be
/// called in it. Returns whether to continue.
typedef bool pl_fit_callback(void *user, const pl_fit *fit, const pl_fit_progress *progress);

/// Input of pl_fit_create().
typedef struct pl_fit_def {
  // parameters of src/capture/fit_parameters.c by `make generate`: begin
  /// Material of the tets: PL_FEM_COROTATED or PL_FEM_NEO_HOOKEAN.
  pl_fem_material material;  ///< default PL_FEM_COROTATED
  /// Linear tets, or quadratic ones with a node on every edge of the mesh, which do not lock. Where
  /// points of the mesh are given, the nodes start in equilibrium with them.
  pl_fem_element_order element;  ///< default PL_FEM_LINEAR
  /// Density of the static shape: mass by volume.
  double density;  ///< kg/m³, above 0 up to 1e6, default 1000
  /// Gravity during the capture.
  pl_vec3 gravity;  ///< m/s², default (0, -9.81, 0)
  /// Young's modulus of every control point.
  pl_fit_range young;  ///< Pa, 1e-3 … 1e15, default start 1e5 between 1e3 and 1e9, fitted
  /// Poisson's ratio.
  pl_fit_range poisson;  ///< -0.99 … 0.4999, default start 0.3 between 0.0 and 0.49, not fitted
  /// Alpha of Rayleigh damping.
  pl_fit_range mass_damping;  ///< 1/s, 1e-12 … 1e6, default start 0.1 between 1e-4 and 100, fitted
  /// Beta of Rayleigh damping.
  /// S, 1e-12 … 1e3, default start 1e-3 between 1e-6 and 0.1, fitted.
  pl_fit_range stiffness_damping;
  /// Stiffness of a Maxwell branch as a fraction of Young's modulus (`fem`); 0: none. Branches
  /// begin without stress.
  pl_fit_range prony_ratio;  ///< 0 … 1e3, default start 0 between 1e-4 and 100, not fitted
  /// Relaxation time of that branch.
  pl_fit_range prony_time;  ///< s, 1e-9 … 1e9, default start 0.1 between 1e-4 and 1e3, not fitted
  /// The same of a second branch; 0: none.
  pl_fit_range second_prony_ratio;  ///< 0 … 1e3, default start 0 between 1e-4 and 100, not fitted
  /// Relaxation time of the second branch.
  /// S, 1e-9 … 1e9, default start 1 between 1e-4 and 1e3, not fitted.
  pl_fit_range second_prony_time;
  /// Loss factor of structural damping; 0: none.
  pl_fit_range loss_factor;  ///< 0 … 1, default start 0 between 1e-5 and 1, not fitted
  /// Lowest frequency at which structural damping acts in full.
  double loss_frequency;  ///< Hz, above 0 up to 1e9, default 0.5
  /// What the shape of the mesh is: in equilibrium under gravity, unstressed, or unknown, which is
  /// to be found from motions or sags.
  pl_fit_shape shape;  ///< default PL_FIT_SHAPE_STATIC
  /// How reference shapes are found.
  pl_reference_solver reference;  ///< default PL_REFERENCE_NEWTON
  /// Minimisation method.
  pl_fitter fitter;  ///< default PL_FITTER_GAUSS_NEWTON
  /// Time steps between two frames.
  int32_t steps_per_frame;  ///< 1 … 1000, default 2
  /// Gauss-Newton only: fit again with twice the number of steps, from the last result, until no
  /// modulus changes by more than 1 % or a frame would have more than max_steps; 0: steps_per_frame
  /// only.
  int32_t max_steps;  ///< 0 … 1000, default 0
  /// Maximum iterations in total.
  int32_t max_iterations;  ///< 0 … 1e9, default 200
  /// Change of parameters at which the last window has converged.
  double tolerance;  ///< above 0 up to 1, default 1e-4
  /// Expected error of a tracked point, for the intervals of the parameters; 0: 1e-4 of the
  /// object's size.
  double noise;  ///< m, 0 … 1e6, default 0
  /// Half width of the 95 % interval, as a fraction of the value, from which a parameter counts as
  /// not determined.
  double doubt;  ///< above 0 up to 1e6, default 0.25
  // parameters: end

  const int32_t *pinned;  ///< points that are held; copied
  int32_t pinned_count;
  const double *added_masses;  ///< kg per point of the mesh, from 0 up, that the object carries in
                               ///< all data, such as a weight on its tip; or NULL. Copied
  const pl_field *field;       ///< control points of Young's modulus; NULL: uniform. Borrowed
  const double
      *young_starts;  ///< Pa, one per control point, or NULL: all start at young.start; copied
  const int32_t
      *windows;  ///< frames of the growing horizon, rising; all of a sequence at the end. Copied
  int32_t window_count;  ///< 0: 10, 25, 60, 125, 250, …; 1 with window 0: the whole at once
  pl_fit_batch batch;    ///< zero: the context's threads
  const struct pl_linear_backend
      *direct;  ///< pl_cholmod_backend(), or NULL: conjugate gradients, several times slower
  pl_fit_callback *after_iteration;  ///< or NULL
  /// Asked before every sample of a warm start and in every frame of a simulation, from any thread;
  /// true: that is left out as if there were no such motion, so that a fit that nobody waits for
  /// any more ends soon. What it finds then means nothing. NULL: never.
  bool (*give_up)(void *user);
  void *user;      ///< of the two
  uint32_t magic;  ///< set by pl_default_fit_def()
} pl_fit_def;

/// Every parameter at its default; nothing pinned, a uniform field.
PL_API pl_fit_def pl_default_fit_def(void);

/// The data of a fit: motions, static experiments and vibrations, alone or together. Each residual
/// counts by its standard deviation. Borrowed.
typedef struct pl_fit_sequences {
  const pl_fit_sequence *items;
  int32_t count;
  const pl_fit_load_case *cases;
  int32_t case_count;
  const pl_fit_vibration *vibrations;  ///< need a build with ARPACK
  int32_t vibration_count;
} pl_fit_sequences;

/// Create a fit of the mesh's tets to sequences. Nothing is simulated yet. The mesh is copied; the
/// field, the arrays of the sequences, batch and backend are borrowed and must outlive the fit. The
/// caller owns the fit. Fails with PL_ERROR_INVALID_ARGUMENT or PL_ERROR_INVALID_DATA, naming field
/// or frame, when something is wrong (positions that are not finite are allowed where their weight
/// is 0); PL_ERROR_UNSUPPORTED for Nelder-Mead in a build without NLopt. `*fit` is then NULL.
PL_API pl_status pl_fit_create(pl_context *context, const pl_fit_def *def, const pl_mesh *mesh,
                               const pl_fit_sequences *sequences, pl_fit **fit, pl_error *error);

/// Destroy a fit. NULL is allowed.
PL_API void pl_fit_destroy(pl_fit *fit);

/// Input of pl_fit_warm_start().
typedef struct pl_warm_start_def {
  // parameters of src/capture/fit_parameters.c by `make generate`: begin
  /// Moduli tried around the estimate from the stiffest one, on a logarithmic scale.
  int32_t sample_count;  ///< 1 … 1000, default 16
  /// Number of lowest modes used.
  int32_t mode_count;  ///< 1 … 16, default 6
  /// Rounds of coordinate descent over the control points; all stay equal with 0, and where there
  /// are more of them than modes.
  int32_t rounds;  ///< 0 … 1e6, default 2
  /// Smallest modulus tried.
  double min;  ///< Pa, above 0 up to 1e15, default 1e3
  /// Largest modulus tried.
  double max;  ///< Pa, above 0 up to 1e15, default 1e9
  // parameters: end

  uint32_t magic;  ///< set by pl_default_warm_start_def()
} pl_warm_start_def;

/// Result of a warm start.
typedef struct pl_warm_start_report {
  double frequency;      ///< Hz, of the captured (damped) motion along its dominant mode
  double natural;        ///< Hz, the same without damping
  double damping_ratio;  ///< of that motion
  double young;          ///< Pa, uniform, whose mode has that frequency
  int32_t mode;          ///< which of the modes, from 0
  int32_t solved_count;  ///< samples that have a reference shape
  double mismatch;       ///< root mean square of relative differences of frequencies, without their
                         ///< common factor, at the end
  double seconds;
} pl_warm_start_report;

/// Every parameter at its default.
PL_API pl_warm_start_def pl_default_warm_start_def(void);

/// Find start values from frequencies (paper 002, section 6.3). For a range of uniform moduli the
/// reference shape and the lowest modes are computed, the captured motion is projected onto them,
/// and the modulus is chosen whose frequency is the captured one. Poisson's ratio is kept. Damping
/// starts from the decay of the projected motion. With several control points these are then
/// changed one by one until the frequencies of all moving modes agree best, and all together by the
/// remaining common factor. `report` may be NULL. Returns PL_REMARK_NOT_CONVERGED when the motion
/// has no usable frequency; start values are then kept. Fails with PL_ERROR_UNSUPPORTED in a build
/// without ARPACK.
PL_API pl_status pl_fit_warm_start(pl_fit *fit, const pl_warm_start_def *def,
                                   pl_warm_start_report *report, pl_error *error);

/// Fit until the tolerance or the maximum number of iterations is reached, or the callback stops
/// it, or until the rest of the way is below a tenth of a standard deviation of every parameter.
/// Returns PL_REMARK_CANCELLED when it was stopped (calling again continues),
/// PL_REMARK_NOT_CONVERGED at the maximum. Fails with PL_ERROR_INVALID_DATA when the start values
/// have no reference shape or cannot be simulated.
PL_API pl_status pl_fit_run(pl_fit *fit, pl_error *error);

/// How well the data determine a parameter.
typedef enum pl_fit_verdict {
  PL_FIT_DETERMINED = 0,
  PL_FIT_NOT_DETERMINED,  ///< the interval is wider than `doubt`: the number is one of many that
                          ///< fit as well
  PL_FIT_AT_BOUND,        ///< the best value lies at a bound or beyond
  PL_FIT_HELD,            ///< it was not fitted
  PL_FIT_NOT_CONVERGED,   ///< the fit has not ended, or ended at its maximum number of iterations
  PL_FIT_MISFIT,          ///< the data are not met by any value, so the number means nothing: the
                          ///< motion may begin before the release, or the model lacks something
} pl_fit_verdict;

/// Name of a verdict, such as "not determined"; static storage.
PL_API const char *pl_fit_verdict_name(pl_fit_verdict verdict);

/// Estimate of one parameter.
typedef struct pl_fit_estimate {
  char name[24];  ///< "young 3", "poisson", "mass damping", "stiffness damping", "prony ratio",
                  ///< "prony time", "second prony ratio", "second prony time", "loss factor"
  double value;
  double min, max;   ///< 95 % interval; the bounds where it is not determined at all
  double deviation;  ///< standard deviation of its logarithm (of itself for Poisson's ratio)
  pl_fit_verdict verdict;
  double mesh_value;  ///< of the fit's own tets and steps, as pl_fit_get_values() has it; `value`
                      ///< is another one after pl_fit_refine()
  double discretisation;  ///< part of the interval, to either side, that is due to tets and steps;
                          ///< as a fraction of `value` (of itself for Poisson's ratio). Before
                          ///< pl_fit_refine() half of what the last halving of steps changed, 0
                          ///< where steps were not halved
  double lack_of_fit;  ///< the same for what the model lacks: the most that a residual beyond the
                       ///< stated `noise` can move it; 0 where chance explains the residual, and
                       ///< where no noise was stated. The larger of both widens the interval
} pl_fit_estimate;

/// Result of a fit.
typedef struct pl_fit_report {
  int32_t parameter_count;  ///< control points, three, and those of viscosity that start above 0
  const pl_fit_estimate
      *estimates;  ///< Young's moduli, Poisson's ratio, mass damping, stiffness damping, then those
                   ///< Prony terms (ratio, time) and that loss factor that the def starts above 0
  const double *correlations;  ///< parameter_count squared, -1 … 1; 0 for held parameters
  bool converged;
  int32_t iteration_count, evaluation_count;
  double rms;  ///< metres, of the last window
  double
      deviation;  ///< metres: assumed error of each coordinate: the larger of residual and `noise`
  double amplitude;     ///< metres, root of the mean square distance of the tracked points from the
                        ///< static shape
  int32_t frame_count;  ///< of the last window
  int32_t steps;        ///< time steps between two frames that were sufficient, or the maximum
  double seconds;       ///< in pl_fit_run()
  pl_reference_report reference;
  bool has_lack_of_fit;  ///< the residual is beyond the stated `noise`: intervals are wider by what
                         ///< that may be due to
  bool refined;  ///< values are extrapolated to fine tets and short steps by pl_fit_refine()
  double noise;  ///< metres: the stated error of a coordinate, or 1e-4 of the object's size
  pl_vec3 shape_acceleration;  ///< m/s², under which the shape of the mesh is in equilibrium:
                               ///< gravity, zero, or what was found for PL_FIT_SHAPE_UNKNOWN
} pl_fit_report;

/// The current result. The first call after an iteration may simulate once more. The arrays are
/// valid until the next call with this fit. Fails with PL_ERROR_INVALID_DATA when the current
/// values have no reference shape or cannot be simulated.
PL_API pl_status pl_fit_get_report(pl_fit *fit, pl_fit_report *report, pl_error *error);

/// Estimate what the size of tets and steps does to the result. The data are fitted twice more,
/// from the current parameters: with steps of half the length, and with tets of half the edges
/// (each split into eight). Reports then have parameters extrapolated to fine tets and short steps,
/// moduli by their inverse, and intervals that are wider by the uncertainty of that: what an order
/// of 1.3 in place of 2 in the size of tets would change, and a third of what shorter steps
/// changed. The parameters and the reference shape of the fit itself stay; they are those that go
/// with its mesh. Takes about ten times as long as the fit. Call it after pl_fit_run(); changing
/// the parameters afterwards drops its result, which is not part of a snapshot. Returns
/// PL_REMARK_NOT_CONVERGED when one of the fits did not converge; fails as they do. The data must
/// still be there.
PL_API pl_status pl_fit_refine(pl_fit *fit, pl_error *error);

/// Reference shape of the current parameters (one per point, metres) and Young's modulus of each
/// tet (Pa). Either may be NULL.
PL_API pl_status pl_fit_get_fields(const pl_fit *fit, pl_vec3 *reference, double *young);

/// Current parameters in the order of the estimates; `*count` receives their number. Valid until
/// the next call with this fit. May be called in the callback.
PL_API const double *pl_fit_get_values(const pl_fit *fit, int32_t *count);

/// Set the parameters, one number per estimate in the same order. Fails with
/// PL_ERROR_INVALID_ARGUMENT for values outside their bounds.
PL_API pl_status pl_fit_set_values(pl_fit *fit, const double *values, pl_error *error);

/// How well a sequence is predicted.
typedef struct pl_fit_prediction {
  double rms;        ///< metres, root of the weighted mean square distance
  double amplitude;  ///< metres, the same of the tracked points from the static shape
  double worst;      ///< metres, largest distance of a point that counts
} pl_fit_prediction;

/// Simulate a sequence, such as a held-out one, with the current parameters. `positions` receives
/// frame_count times the points of the mesh and may be NULL; so may `prediction`. Fails with
/// PL_ERROR_INVALID_DATA when the sequence is wrong or cannot be simulated.
PL_API pl_status pl_fit_predict(pl_fit *fit, const pl_fit_sequence *sequence, pl_vec3 *positions,
                                pl_fit_prediction *prediction, pl_error *error);

/// Build a model of the fitted body for any world: current rest shape, moduli and damping, and the
/// density that keeps the total mass of its material. `base` gives all other settings (surface,
/// friction, solver …), also the masses it carries, which need not be those of the fit; NULL:
/// defaults, and no such masses. The caller owns the model. Fails as pl_fem_build() does.
PL_API pl_status pl_fit_build_model(pl_fit *fit, const pl_fem_def *base, pl_model **model,
                                    pl_error *error);

/// Size in bytes of a snapshot now.
PL_API size_t pl_fit_snapshot_size(const pl_fit *fit);

/// Copy everything that pl_fit_run() needs to continue into `buffer`: parameters, reference shape,
/// window, damping, and for Nelder-Mead the log of all evaluations. The bytes are valid on machines
/// of the same kind only.
PL_API void pl_fit_snapshot(const pl_fit *fit, void *buffer);

/// Restore a snapshot in a fit of the same def, mesh and sequences. The fit then continues with the
/// same bits. Fails with PL_ERROR_INVALID_DATA if the bytes are not from such a fit; nothing has
/// changed then.
PL_API pl_status pl_fit_restore(pl_fit *fit, const void *buffer, size_t size, pl_error *error);

#ifdef __cplusplus
}
#endif
#endif
