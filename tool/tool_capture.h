// pliant capture: shared declarations.
#ifndef TOOL_CAPTURE_H
#define TOOL_CAPTURE_H

#include "tool_fit.h"

// A recording, and the truth of it.
typedef struct capture_clip {
  const char *name;  // as given
  pl_capture *recording;
  pl_capture_view view;
  pl_vec3 *truth;  // its surface as it was, frame after frame; NULL: not known
  int32_t truth_frame_count, truth_point_count;
} capture_clip;

// Numbers over the frames of a recording, until its summary is printed.
typedef struct capture_tally {
  int32_t loaded_count;     // frames that were there already
  int32_t matched_count;    // frames in which some point belongs to the body
  int32_t state_counts[4];  // frames of each pl_track_state
  double begin;             // seconds
  double residual, explained, seen, hidden, worst_seen, worst_hidden;
} capture_tally;

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
  int32_t release;  // frame in which the object is released
  int32_t max_rounds;
  pl_field *field;
  // While it runs:
  tool_progress progress;
  capture_tally tally;
  pl_error trouble;  // of writing a table
  // When it has run:
  pl_capture_result *result;
  pl_capture_result_view found;
  fit_job fit;  // of the last round, as the parts that write a fit want it
  bool remarks;
} capture_job;

// Rounds of tracking and fitting until they settle, resumed from what the folder has
// (capture_job.c). An exit code.
int capture_run(capture_job *job);

// report.html and rounds.csv.
pl_status capture_report(capture_job *job, pl_error *error);

// A store in a folder for one process or several: the first one reads and writes, and all see the
// same (capture_store.c).
typedef struct capture_store {
  pl_store files;
} capture_store;

pl_status capture_store_open(pl_context *context, const char *folder, capture_store *own,
                             pl_store *store, pl_error *error);
void capture_store_close(capture_store *own);

#endif
