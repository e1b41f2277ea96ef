// pliant capture: shared declarations.
#ifndef TOOL_CAPTURE_H
#define TOOL_CAPTURE_H

#include "tool_fit.h"
#include "tool_track.h"

// A sequence of clouds.
typedef struct capture_clip {
  const char *name;  // as given
  pl_capture *capture;
  pl_capture_view view;
  char *truth;         // file of its surface as it was, or NULL
  pl_vec3 *simulated;  // by the last fit, frame after frame from the release on; NULL before the first
} capture_clip;

// Result of one round of tracking and fitting.
typedef struct capture_round {
  double residual;   // metres: root mean square distance of explained points from the surface
  double explained;  // share of the points
  double rms;        // metres: simulated from tracked points
  double off_seen,
      off_hidden;  // metres: tracked from true surface points, where cameras see and where they do not; 0 without a truth
  double track_seconds, fit_seconds;
} capture_round;

enum { CAPTURE_MAX_ROUNDS = 20 };

typedef struct capture_job {
  const tool_session *tool;
  const tool_arguments *arguments;
  const char *folder;
  pl_context *context;
  pl_findings *findings;
  fit_settings settings;
  fit_object object;  // its motions are those of the last round, from the release on
  pl_mesh *surface;   // what cameras see, in the static shape; NULL: the boundary of the tets
  capture_clip *clips;
  int32_t clip_count;
  int32_t release;  // frame in which the object is let go
  bool has_truth;
  int32_t max_rounds, round_count;
  capture_round rounds[CAPTURE_MAX_ROUNDS];
  int32_t steps;  // in a frame that the last fit took
  int32_t value_count;
  double *values;  // of the parameters, round by round
  fit_job *fit;    // of the last round; NULL before the first
  bool remarks;
} capture_job;

// Rounds of tracking and fitting until they settle. An exit code.
int capture_rounds(capture_job *job);

// The model of the last round, or one of the static shape before the first, with the surface that cameras see.
pl_status capture_model(capture_job *job, pl_model **model, pl_error *error);

// report.html and rounds.csv.
pl_status capture_report(capture_job *job, pl_error *error);

#endif
