/// @file track.h
/// Tracking of a soft object, of linear tets or a shell, through a sequence of noisy, partial point
/// clouds (part of the lab).
#ifndef PLIANT_TRACK_H
#define PLIANT_TRACK_H

#include "pliant/base.h"
#include "pliant/capture_file.h"
#include "pliant/cloud.h"
#include "pliant/math.h"
#include "pliant/mesh.h"
#include "pliant/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Input of pl_tracker_create().
typedef struct pl_track_def {
  // parameters of src/capture/track_parameters.c by `make generate`: begin
  /// Standard deviation of measured points from the surface; a larger value is estimated from the
  /// data.
  double noise;  ///< m, above 0 up to 1e6, default 0.002
  /// Initial fraction of outliers; it is then estimated from the data.
  double outliers;  ///< 0 … 0.95, default 0.1
  /// Search distance in the first frame, as a fraction of the body's size.
  double first_reach;  ///< above 0 up to 10, default 0.12
  /// Search distance around the prediction in later frames, as a fraction of the body's size.
  double reach;  ///< above 0 up to 10, default 0.05
  /// Factor on the width of the search from one iteration to the next.
  double anneal;  ///< 0.05 … 0.99, default 0.7
  /// Maximum iterations at the smallest width.
  int32_t settle_count;  ///< 1 … 1000, default 6
  /// Size of features: much smaller ones count as noise, larger ones as shape; 0: a twentieth of
  /// the body's size.
  double detail;  ///< m, 0 … 1e6, default 0
  /// Motion of parts that are not seen: 0 follows the other parts as if at rest, 1 as if moved on
  /// by inertia.
  double inertia;  ///< 0 … 1, default 0
  /// Gravity, for a model whose rest shape has gravity removed; 0 where the rest shape is the
  /// static shape.
  pl_vec3 acceleration;  ///< m/s², default (0, 0, 0)
  /// Maximum points of a cloud that are used; larger clouds are sampled evenly.
  int32_t max_points;  ///< 100 … 1e7, default 20000
  /// A measured point pulls only one part of the body, even where other parts touch it.
  bool gating;  ///< default true
  // parameters: end

  const int32_t *held;  ///< points of the mesh that stay at their start; copied
  int32_t held_count;
  const pl_capture_camera *cameras;  ///< from which points are seen; copied. Without cameras every
                                     ///< surface point may be seen
  int32_t camera_count;              ///< 0 … 64
  uint32_t magic;                    ///< set by pl_default_track_def()
} pl_track_def;

/// Every parameter at its default; nothing held, no cameras.
PL_API pl_track_def pl_default_track_def(void);

/// Quality of a tracked frame.
typedef enum pl_track_state {
  PL_TRACK_GOOD = 0,
  PL_TRACK_DOUBTFUL,  ///< clearly fewer points are explained than in the frames before, or they lie
                      ///< farther away; or, whatever the frames before were, the body hardly fits
                      ///< the points: see pl_track_cause
  PL_TRACK_LOST,      ///< most are not, even after another search with a wider reach: later frames
                      ///< cannot be trusted
  PL_TRACK_EMPTY,     ///< the cloud had (almost) no points near the body: it was carried on as it
                      ///< moved, ever slower
} pl_track_state;

/// Name of a state, such as "lost"; static storage.
PL_API const char *pl_track_state_name(pl_track_state state);

/// Why a frame is not good. The first three compare it with the frames before; the others are
/// absolute, so that a body that is not the filmed one is noticed although all frames are alike.
typedef enum pl_track_cause {
  PL_TRACK_CAUSE_NONE = 0,
  PL_TRACK_CAUSE_FEWER_EXPLAINED,  ///< fewer points are explained than in the frames before
  PL_TRACK_CAUSE_FARTHER,          ///< points lie farther from the surface than before
  PL_TRACK_CAUSE_LESS_SEEN,        ///< less of the surface has points than before
  PL_TRACK_CAUSE_UNEXPLAINED,      ///< many points do not belong to this body
  PL_TRACK_CAUSE_UNSEEN,           ///< much of the surface that cameras see has no points
  PL_TRACK_CAUSE_STRAIN,           ///< the body is strained more than soft objects stand
  PL_TRACK_CAUSE_FEW_POINTS,       ///< fewer points near the body than a frame needs
} pl_track_cause;

/// Result of tracking one frame. Plain numbers, so that it can be saved and the track resumed from
/// it.
typedef struct pl_track_report {
  double time;  ///< seconds, of the cloud
  pl_track_state state;
  int32_t point_count;  ///< in the cloud
  int32_t used_count;   ///< of those used
  double residual;  ///< metres: root mean square distance of explained points to the surface, along
                    ///< its normal
  double explained_fraction;  ///< of the points that were used, 0 … 1
  double seen_fraction;       ///< fraction (by area) of the visible surface where there are points
  double width;               ///< metres: the width at the end, an estimate of the noise
  double outlier_fraction;    ///< as estimated
  double prediction_error;    ///< metres: root mean square distance of the result from where it was
                              ///< predicted
  double motion;              ///< metres: root mean square distance from the frame before
  double
      usual_fraction;  ///< explained_fraction of the frames before, which this one is compared with
  double usual_seen;   ///< seen_fraction of the frames before
  double usual_residual;    ///< residual of the frames before
  int32_t iteration_count;  ///< of expectation and maximisation
  int32_t newton_count;     ///< of the equilibria in them
  int32_t try_count;        ///< 1, more where it had to be looked for farther away
  double seconds;           ///< wall-clock time
  double coverage;          ///< seen_fraction relative to what as many points would cover if they
                            ///< were spread over all of the visible surface, 0 … 1
  double strain;            ///< root mean square over the body of its strain against its rest shape
  pl_track_cause cause;     ///< why the state is not good
  double point_error;  ///< metres: what random errors of the measured points leave of a point of
                       ///< the mesh; 0 without any. The `noise` of a fit to the track
} pl_track_report;

/// Minimum number of points near the body for a frame to be tracked; one with fewer is
/// PL_TRACK_EMPTY.
PL_API int32_t pl_track_min_points(void);

/// Write one sentence about the state of a frame into `text` of `size` bytes, such as "the track is
/// doubtful: 44 % of the points are explained". `size` of 200 holds every sentence.
PL_API void pl_track_report_describe(const pl_track_report *report, char *text, size_t size);

/// Find where a body is in its first cloud: the rigid placement that takes the triangles of
/// `surface` to the points of `cloud`, wherever both are. `residual` receives the root mean square
/// distance of the nearest four fifths of the points, metres; it may be NULL. The cloud should show
/// the body from all around; a body that looks the same after a turn may be found turned. Apply the
/// placement to the points that pl_tracker_create() starts from. Fails with PL_ERROR_INVALID_DATA
/// for a surface without triangles or a cloud with too few points, and when out of memory. May be
/// called from several threads at once.
PL_API pl_status pl_track_align(pl_context *context, const pl_mesh *surface,
                                const pl_cloud_view *cloud, pl_transform *placement,
                                double *residual, pl_error *error);

/// A cloud of one frame and the cameras that saw it: input of pl_track_build_surface(). Borrowed
/// for the call.
typedef struct pl_track_surface_input {
  const pl_cloud_view *cloud;        ///< with the camera of every point
  const pl_capture_camera *cameras;  ///< as the capture has them
  int32_t camera_count;
  double cell_size;  ///< metres: smaller features are lost; 0: 1/48 of the size
} pl_track_surface_input;

/// Make a surface of the first cloud, where there is no mesh. A bulky body becomes a closed surface
/// around it, to be filled with tets (pl_lattice_build()); parts that no camera saw are closed
/// smoothly. What is thinner than about three cells, or seen from one side only, becomes an open
/// sheet of triangles over the plane that fits it best, for a shell; `is_sheet` receives which and
/// may be NULL. Outliers are dropped. The caller owns the mesh. Fails with PL_ERROR_INVALID_DATA
/// for too few points, PL_ERROR_UNSUPPORTED for a cloud without cameras, PL_ERROR_INVALID_ARGUMENT
/// for cells that are too small, and when out of memory.
PL_API pl_status pl_track_build_surface(pl_context *context, const pl_track_surface_input *input,
                                        pl_mesh **surface, bool *is_sheet, pl_error *error);

/// A body on its way through a sequence.
typedef struct pl_tracker pl_tracker;

/// Begin to track a body. `model` is one of linear tets or a shell (pl_fem_build()) and must
/// outlive the tracker; its surface is what is compared with clouds. `start` has its points before
/// the first frame, NULL for its rest shape. Fails with PL_ERROR_INVALID_ARGUMENT for a def that is
/// wrong, a camera without pixels, a placement that is not a rotation or a held point that does not
/// exist, PL_ERROR_UNSUPPORTED for another model. The caller owns the tracker.
PL_API pl_status pl_tracker_create(pl_context *context, const pl_track_def *def,
                                   const pl_model *model, const pl_vec3 *start,
                                   pl_tracker **tracker, pl_error *error);

/// Track the body into the next cloud, captured at `time` seconds, which must increase. Points are
/// in world axes and metres; those that are not finite, and those with a camera that does not
/// exist, are dropped. An empty cloud is not an error: see PL_TRACK_EMPTY. `report` may be NULL.
/// Fails with PL_ERROR_INVALID_ARGUMENT for a time that does not increase, and when out of memory;
/// nothing has changed then. The result does not depend on the number of threads. One thread at a
/// time.
PL_API pl_status pl_tracker_advance(pl_tracker *tracker, double time, const pl_cloud_view *cloud,
                                    pl_track_report *report, pl_error *error);

/// Set the expected positions of the mesh points in the next frame, such as from a simulation with
/// the material that a fit found. The next pl_tracker_advance() starts its search there instead of
/// extrapolating the last frames, and treats the elastic forces of that pose as balanced by
/// gravity, inertia and damping: points that are not measured stay there. Held points do not move.
/// Used for one frame. Fails with PL_ERROR_INVALID_ARGUMENT for points that are not finite.
PL_API pl_status pl_tracker_set_prediction(pl_tracker *tracker, const pl_vec3 *points,
                                           pl_error *error);

/// State of a tracker; borrowed memory, valid until the next advance.
typedef struct pl_tracker_view {
  int32_t point_count;
  const pl_vec3 *points;   ///< of the model's mesh, metres
  const double *supports;  ///< per point 0 … 1: how much of it was measured in this frame rather
                           ///< than filled in
  int32_t surface_count;
  const pl_vec3 *surface;  ///< points of the model's surface
  const uint8_t
      *visible;  ///< per surface point: whether some camera sees it now (1 without cameras)
  int32_t triangle_count;
  const int32_t *triangles;  ///< 3 surface points each
  int32_t frame_count;       ///< frames so far
} pl_tracker_view;

/// The state of a tracker. Never fails.
PL_API pl_tracker_view pl_tracker_get_view(const pl_tracker *tracker);

/// A tracked frame to resume from. Borrowed for the call.
typedef struct pl_track_frame {
  const pl_track_report *report;  ///< of that frame
  const pl_vec3 *points;          ///< of that frame, one per mesh point, metres
  const pl_vec3 *before;          ///< points of the frame before it; NULL: it was the first
  double time_before;             ///< seconds: time of the frame before it
  int32_t frame_count;            ///< frames tracked so far, this one included
} pl_track_frame;

/// Resume tracking after a frame that was tracked earlier. The next pl_tracker_advance() gives the
/// same bits as if the tracker had never stopped. Fails with PL_ERROR_INVALID_DATA for numbers that
/// are not finite; nothing has changed then.
PL_API pl_status pl_tracker_resume(pl_tracker *tracker, const pl_track_frame *frame,
                                   pl_error *error);

/// How far a tracked surface is from the true one: root mean squares over surface points.
typedef struct pl_track_errors {
  double seen;           ///< metres, of the points that some camera sees; 0 if there are none
  double hidden;         ///< metres, of those that no camera sees; 0 if there are none
  double seen_fraction;  ///< fraction of the surface points that some camera sees, 0 … 1
} pl_track_errors;

/// Compare the tracked surface, as pl_tracker_get_view() has it, with `truth`: the true positions
/// of its points, metres, one per surface point. What the cameras see is computed from the truth at
/// their full resolution; without cameras all of it counts as seen. The tracker stays as it is.
/// Fails with PL_ERROR_INVALID_ARGUMENT for a camera without pixels, and when out of memory.
PL_API pl_status pl_tracker_compare(const pl_tracker *tracker, const pl_capture_camera *cameras,
                                    int32_t camera_count, const pl_vec3 *truth,
                                    pl_track_errors *errors, pl_error *error);

/// Destroy a tracker. NULL is allowed.
PL_API void pl_tracker_destroy(pl_tracker *tracker);

/// Called after every frame of pl_track_capture(). Returns whether to continue.
typedef bool pl_track_callback(void *user, int32_t frame, const pl_track_report *report,
                               const pl_tracker_view *view);

/// Frames to track and whom to call. Input of pl_track_capture().
typedef struct pl_track_range {
  int32_t first, last;  ///< frames, from 0, both included; those that do not exist are skipped
  pl_track_callback *callback;  ///< called after every frame; NULL: no callback
  void *user;                   ///< of the callback
} pl_track_range;

/// Track frames of a capture, loading each when it is needed. Findings of clouds go to `findings`,
/// which may be NULL. Returns PL_REMARK_FINDINGS when the track was lost in some frame,
/// PL_REMARK_CANCELLED when the callback stopped it. Fails as pl_capture_load_frame() and
/// pl_tracker_advance() do; the tracker keeps what was tracked so far.
PL_API pl_status pl_track_capture(pl_tracker *tracker, const pl_capture *capture,
                                  const pl_track_range *range, pl_findings *findings,
                                  pl_error *error);

#ifdef __cplusplus
}
#endif
#endif
