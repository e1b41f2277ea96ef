// pliant track: shared declarations.
#ifndef TOOL_TRACK_H
#define TOOL_TRACK_H

#include "pliant/pliant.h"
#include "tool_arguments.h"

enum { TRACK_NUMBERS = 19 };  // of a report

typedef struct track_job {
  const tool_session *tool;
  const tool_arguments *arguments;
  char *folder;
  pl_context *context;
  pl_findings *findings;
  pl_capture *capture;
  pl_capture_view view;
  // The body.
  pl_mesh *mesh;     // tets in the shape they start in
  pl_mesh *surface;  // what is seen of them, NULL: their boundary
  pl_mesh *rest;     // the same tets without gravity, NULL: as they start
  pl_model *model;
  int32_t *held, held_count;
  pl_track_def def;
  pl_tracker *tracker;
  int32_t point_count, surface_count;
  int32_t frame_count;      // to be tracked
  const pl_vec3 *foreseen;  // where points are expected, frame after frame from `foreseen_from` on; or NULL. Borrowed
  int32_t foreseen_from;
  // The track so far.
  pl_frame_log *log;
  char *log_path, *resume_path;
  uint64_t hash;     // of everything that decides the result
  bool resume;       // go on with the track in the folder
  double *table;     // one row of TRACK_NUMBERS a frame
  double *supports;  // per point: sum over the frames of how much of it was measured
  int32_t done_count, lost_count, doubtful_count, empty_count;
  bool remarks;
  // The truth, if it is known.
  pl_frame_file *truth;
  double *errors;  // per frame: rms error of what cameras see and of what they do not, metres, and the share that they see
} track_job;

// track_body.c: everything up to a tracker that is ready; returns an exit code.
int track_prepare(track_job *job);
// Open the truth, which must be of the surface and have a frame for each that is tracked; prints what is wrong. Closed with the job.
bool track_open_truth(track_job *job, const char *path);
// A surface given in the shape of `mesh`, as it sits in the same tets with other points.
pl_status track_carry_surface(pl_context *context, const pl_mesh *mesh, const pl_vec3 *points, const pl_mesh *surface,
                              double tolerance, pl_mesh **carried, pl_error *error);

// track_loop.c: all frames, into log and table. An exit code. What it opened and made is closed by the second, also after a failure.
int track_frames(track_job *job);
void track_close_frames(track_job *job);
// Whether the folder has a track that can be resumed.
bool track_is_unfinished(const track_job *job);
// track_write.c
pl_status track_compare(track_job *job, pl_error *error);
pl_status track_write(track_job *job, pl_error *error);

// A report as numbers, and back.
void track_pack(const pl_track_report *report, double numbers[TRACK_NUMBERS]);
pl_track_report track_unpack(const double numbers[TRACK_NUMBERS]);

#endif
