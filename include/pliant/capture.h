/// @file capture.h
/// From recordings of a soft object to its motion, its material and its gravity-free rest shape, in
/// one call (part of the lab): tracking and fitting in turn (paper 002, figure 2). Each round
/// tracks the object through all recordings (track.h) and fits its material to the motions (fit.h);
/// the next round tracks with the material and the rest shape that were found. Recordings
/// themselves, pl_capture_load() and its kin, are in capture_file.h.
#ifndef PLIANT_CAPTURE_H
#define PLIANT_CAPTURE_H

#include "pliant/base.h"
#include "pliant/capture_file.h"
#include "pliant/fit.h"
#include "pliant/math.h"
#include "pliant/mesh.h"
#include "pliant/model.h"
#include "pliant/store.h"
#include "pliant/track.h"

#ifdef __cplusplus
extern "C" {
#endif

/// One recording of the object. Everything is borrowed and must stay until the run has ended.
typedef struct pl_capture_clip {
  const pl_capture *recording;  ///< frames are read when they are needed, once per round
  const pl_vec3
      *truth;  ///< true surface points to compare with, frame after frame, metres; NULL: not known
  int32_t truth_frame_count;  ///< frames in `truth`, at least those of the recording
  int32_t truth_point_count;  ///< points of each; must be those of the surface
} pl_capture_clip;

/// What a round of tracking and fitting came to. Arrays belong to the result (in a callback: to the
/// run).
typedef struct pl_capture_round {
  double track_residual;  ///< metres: rms distance of explained points from the surface, over all
                          ///< frames
  double explained_fraction;  ///< mean fraction of the measured points that the surface explains
  /// Metres: expected random error of a coordinate of a tracked point, from the residual and the
  /// number of measured points for each point of the mesh. A fit without a `noise` of its own takes
  /// it for that: a residual above it widens the intervals.
  double track_error;
  double fit_rms;        ///< metres: rms distance of simulated from tracked points
  bool has_truth;        ///< some recording came with the truth
  double error_seen;     ///< metres: rms distance of tracked from true surface points where cameras
                         ///< see; 0 without truth
  double error_hidden;   ///< the same where they do not see
  double track_seconds;  ///< wall-clock time of tracking; frames that were loaded take next to none
  double fit_seconds;    ///< wall-clock time of fitting
  int32_t lost_count;    ///< frames of the track that are lost,
  int32_t doubtful_count;  ///< doubtful
  int32_t empty_count;     ///< or empty (pl_track_state)
  int32_t steps;           ///< time steps per frame that the fit ended with
  bool converged;          ///< the fit ended by its tolerance, not at its maximum of iterations
  int32_t parameter_count;
  const pl_fit_estimate *estimates;   ///< values, intervals and verdicts at the end of the round
  int32_t iteration_count;            ///< iterations so far, those before an interruption included
  const pl_fit_progress *iterations;  ///< one per iteration
  const double *iteration_values;     ///< parameter_count per iteration: the parameters after it
} pl_capture_round;

/// What has just happened in a run.
typedef enum pl_capture_event {
  PL_CAPTURE_ROUND_BEGIN = 0,   ///< a round begins
  PL_CAPTURE_FRAME,             ///< a frame was tracked, or loaded from the store
  PL_CAPTURE_WARM_START_BEGIN,  ///< a warm start begins; only in the first round
  PL_CAPTURE_WARM_START_END,    ///< it has ended
  PL_CAPTURE_FIT_BEGIN,         ///< the iterations of a fit begin, or resume
  PL_CAPTURE_ITERATION,         ///< an iteration of the fit is done and saved
  PL_CAPTURE_ROUND_END,         ///< a round is done
} pl_capture_event;

/// One report of progress. Pointers are valid during the callback.
typedef struct pl_capture_progress {
  pl_capture_event event;
  int32_t round;  ///< from 0
  const pl_capture_round
      *report;    ///< of the round, as far as it is known; estimates from PL_CAPTURE_ROUND_END on
  int32_t clip;   ///< PL_CAPTURE_FRAME: which recording, from 0
  int32_t frame;  ///< which of its frames, from 0
  int32_t frame_count;             ///< frames of the recording
  bool loaded;                     ///< the frame came from the store, or the fit resumes from it
  const pl_track_report *track;    ///< how tracking of the frame went
  const pl_tracker_view *tracker;  ///< points of the mesh and the surface in the frame
  const pl_track_errors *errors;   ///< the frame against the truth; NULL without one
  pl_status warm_start_status;     ///< PL_CAPTURE_WARM_START_END: as of pl_fit_warm_start()
  const pl_warm_start_report *warm_start;
  /// From PL_CAPTURE_FIT_BEGIN on: the fit, which waits. It may be looked at in every way, with
  /// pl_fit_get_report() and pl_fit_predict() too; it must not be changed.
  pl_fit *fit;
  const pl_fit_sequence *motions;  ///< with `fit`: the motions that it fits, one for each recording
  const pl_fit_progress *iteration;  ///< PL_CAPTURE_ITERATION: how it went
} pl_capture_progress;

/// Called on the thread of pl_capture_run(). False cancels the run; what is saved by then is whole.
typedef bool pl_capture_callback(void *user, const pl_capture_progress *progress);

/// Input of pl_capture_run(). Everything that it points to is borrowed; see there for how long.
typedef struct pl_capture_run_def {
  const pl_mesh *mesh;  ///< tets in the static shape: as the object hangs or stands in gravity
  const pl_mesh
      *surface;  ///< what cameras see of it, in the same shape; NULL: the boundary of the tets
  const pl_capture_clip *clips;  ///< recordings; all are fitted together
  int32_t clip_count;            ///< 1 … 1000
  int32_t release_frame;  ///< frame in which the object is released, of every recording, default 0.
                          ///< Frames before it are tracked; the motion that is fitted begins with
                          ///< it
  /// How the motions start: PL_FIT_START_GIVEN, at rest in the release frame (the default), or
  /// PL_FIT_START_MOVING, with a velocity that is fitted: for objects that were pulled aside and
  /// let go before the rest of them had come to rest.
  pl_fit_start start;
  int32_t max_rounds;  ///< rounds at most, 1 … 1000, default 4
  /// Relative change from one round to the next below which the track residual and all parameters
  /// count as settled, which ends the run before `max_rounds`. Default 0.01: less than tracking and
  /// time steps leave uncertain.
  double settle_tolerance;
  /// Largest ratio between the factors by which a round changed the moduli for which the next one
  /// still trusts the pose of the release frame, default 1.05. A pose that was tracked with moduli
  /// in other proportions is not an equilibrium of the new ones, and soft parts would slip.
  double max_modulus_spread;
  double surface_tolerance;  ///< how far `surface` may lie outside the tets, as a fraction of their
                             ///< size, default 0.05
  /// Settings of every tracker; pl_default_track_def(). Held points, cameras and acceleration are
  /// set by the run.
  pl_track_def track;
  /// Settings of the fit; pl_default_fit_def(). `pinned` are the held points of tracking too,
  /// `gravity` should be that of the recordings, `batch` spreads simulations over processes,
  /// `give_up` is asked as usual. `after_iteration` must be NULL: the run has `progress`. From the
  /// second round on the fit starts with the parameters and time steps of the round before, on all
  /// frames at once.
  pl_fit_def fit;
  bool warm_start;  ///< start the first round from frequencies, default true. A build without
                    ///< ARPACK and a motion without a frequency start from `fit.young`
  pl_warm_start_def warm_start_def;  ///< pl_default_warm_start_def()
  pl_store store;                    ///< for resuming; zeroed (the default): nothing is saved
  pl_capture_callback *progress;     ///< NULL (the default): no reports
  void *user;                        ///< first argument of `progress`
  uint32_t magic;                    ///< set by pl_default_capture_run_def()
} pl_capture_run_def;

/// The defaults stated above; mesh, clips and held points are to be filled in.
PL_API pl_capture_run_def pl_default_capture_run_def(void);

/// What a run found.
typedef struct pl_capture_result pl_capture_result;

/// Borrowed contents of a result, valid as long as it is.
typedef struct pl_capture_result_view {
  int32_t round_count;             ///< finished rounds
  const pl_capture_round *rounds;  ///< in order
  bool settled;                    ///< the last two rounds agree within `settle_tolerance`
  int32_t motion_count;            ///< number of recordings
  const pl_fit_sequence *motions;  ///< tracked motions of the last round, from the release frame
                                   ///< on, weighted by what cameras saw of each point
  pl_fit *fit;        ///< fit of the last round; NULL if the run was cancelled before it had one
  bool warm_started;  ///< a warm start found where to begin
  pl_warm_start_report warm_start;
} pl_capture_result_view;

/// Track and fit in turn until the rounds settle or `max_rounds` are done.
///
/// With a store the run is resumable: every frame that is tracked and every iteration of a fit is
/// saved, and a later run with the same def loads them and continues where they end. It then gives
/// the same bits as a run that was never interrupted. `max_rounds`, `settle_tolerance`,
/// `fit.max_iterations`, truths, batch and the number of threads may differ; records of a run with
/// other data or settings are refused with PL_ERROR_INVALID_DATA. Records are plain bytes of the
/// machine that wrote them. A damaged record counts as missing.
///
/// Returns PL_OK, PL_REMARK_NOT_CONVERGED if the fit of some round stopped at its maximum of
/// iterations, or PL_REMARK_CANCELLED if the callback returned false: `*result` then has the rounds
/// that were finished. Fails with PL_ERROR_INVALID_ARGUMENT, naming the field, for a def that is
/// wrong; PL_ERROR_INVALID_DATA for a truth that is not of the surface or a recording that is too
/// short; and as pl_capture_load_frame(), pl_tracker_advance(), pl_fit_create(), pl_fit_run() and
/// the store's functions do. `*result` is then NULL. Otherwise it belongs to the caller.
///
/// `mesh`, `surface`, `fit.field`, `fit.direct` and `fit.batch` must outlive the result, all other
/// data of the def the call. Runs on the calling thread and those of the context; the result is the
/// same for any number of threads. Several runs may work at once, each with a store of its own.
PL_API pl_status pl_capture_run(pl_context *context, const pl_capture_run_def *def,
                                pl_capture_result **result, pl_error *error);

/// The contents of a result. Never fails.
PL_API pl_capture_result_view pl_capture_result_get_view(const pl_capture_result *result);

/// The captured body as a model for a world: rest shape, moduli, damping and mass as found, with
/// the surface of the def moved along. The model belongs to the caller. Fails with
/// PL_ERROR_INVALID_ARGUMENT when there is no fit, and as pl_fit_build_model() does. One thread at
/// a time.
PL_API pl_status pl_capture_result_build_model(pl_capture_result *result, pl_model **model,
                                               pl_error *error);

/// Destroy a result with its fit and motions. NULL is allowed.
PL_API void pl_capture_result_destroy(pl_capture_result *result);

#ifdef __cplusplus
}
#endif
#endif
