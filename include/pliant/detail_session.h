/// @file detail_session.h
/// Detail examples recorded by simulation (part of the lab): a fine and a coarse body of one scene
/// are touched in the same way, and the difference of their surfaces becomes recordings for
/// pl_detail_set_build().
#ifndef PLIANT_DETAIL_SESSION_H
#define PLIANT_DETAIL_SESSION_H

#include "pliant/base.h"
#include "pliant/detail.h"
#include "pliant/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Simulated touches of a scene with a `recording`, with all arrays that its recordings borrow.
typedef struct pl_detail_session pl_detail_session;

/// Input of pl_detail_session_record().
typedef struct pl_detail_session_def {
  /// Called before touch number `done` of `total` is simulated, and at the end; false stops with
  /// PL_REMARK_CANCELLED. NULL: no callback.
  bool (*progress)(void *user, int32_t done, int32_t total);
  void *user;      ///< of `progress`
  uint32_t magic;  ///< set by pl_default_detail_session_def()
} pl_detail_session_def;

/// No callback.
PL_API pl_detail_session_def pl_default_detail_session_def(void);

/// Build the scene, touch its fine and its coarse body as its `recording` describes, one touch
/// after the other from the same start, and keep both surfaces when they have come to rest. The
/// caller owns the session; the scene must outlive it. Fails with PL_ERROR_INVALID_DATA, and a
/// finding with its position in the document, when the scene has no recording, when its two bodies
/// have different surfaces, or when a tool does not touch. A touch that did not come to rest is a
/// warning. Returns PL_REMARK_CANCELLED when the callback stopped it.
PL_API pl_status pl_detail_session_record(pl_context *context, const pl_detail_session_def *def,
                                          const pl_scene *scene, pl_detail_session **session,
                                          pl_findings *findings, pl_error *error);

/// Destroy a session. NULL is allowed.
PL_API void pl_detail_session_destroy(pl_detail_session *session);

/// Result of one touch.
typedef struct pl_detail_touch_report {
  int32_t site;        ///< number of the site; touches at one position have the same
  bool held_out;       ///< it is held out to evaluate examples, not one of them
  int32_t step_count;  ///< steps it took
  int64_t
      unconverged_count;  ///< steps of a body whose equations were not solved to their tolerance
  double rest_motion;     ///< metres: largest motion of a surface point in the last step
  double depth;           ///< metres that the tool went beyond the first touch
} pl_detail_touch_report;

/// Borrowed arrays of a session; valid as long as the session.
typedef struct pl_detail_session_view {
  pl_detail_def def;               ///< as the recipe says, for pl_detail_set_build()
  const pl_detail_object *object;  ///< the coarse body at rest
  int32_t recording_count;
  const pl_detail_recording *recordings;  ///< all in the frame of the mesh
  const pl_detail_touch_report *reports;  ///< one for each recording
  int32_t example_count;  ///< recordings that are not held out; these come first, in the order of
                          ///< the document
} pl_detail_session_view;

/// The arrays of a session. Never fails.
PL_API pl_detail_session_view pl_detail_session_get_view(const pl_detail_session *session);

/// Distances of surfaces from the true one, metres: root mean squares over all points of a surface.
typedef struct pl_detail_evaluation {
  double displacement;  ///< true surface from the surface at rest
  double coarse;        ///< coarse surface from the true one
  double enriched;      ///< enriched surface from the true one
} pl_detail_evaluation;

/// Add detail to the coarse surface of each recording and compare it with the true one.
/// `evaluations` holds one per recording. Fails as pl_detail_filter_create() does.
PL_API pl_status pl_detail_set_evaluate(pl_context *context, const pl_detail_set *set,
                                        const pl_detail_recordings *recordings,
                                        pl_detail_evaluation *evaluations, pl_error *error);

/// Evaluate each recording with a set that is built from the recordings of all other sites.
/// `evaluations` holds one per recording. Fails as pl_detail_set_build() does, and with
/// PL_ERROR_INVALID_ARGUMENT without `sites` or with fewer than two sites.
PL_API pl_status pl_detail_cross_validate(pl_context *context, const pl_detail_def *def,
                                          const pl_detail_recordings *recordings,
                                          pl_detail_evaluation *evaluations, pl_error *error);

#ifdef __cplusplus
}
#endif
#endif
