// pliant track: shared declarations.
#ifndef TOOL_TRACK_H
#define TOOL_TRACK_H

#include "pliant/pliant.h"
#include "tool_arguments.h"

enum { TRACK_NUMBERS = 22 };  // of a report

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
  bool aligned;  // the mesh was moved to the first cloud
  pl_tracker *tracker;
  int32_t point_count, surface_count;
  int32_t frame_count;  // to be tracked
  // The track so far.
  pl_frame_log *log;
  char *log_path, *resume_path;
  uint64_t hash;  // of everything that decides the result
  bool resume;    // continue the track in the folder
  double *table;  // one row of TRACK_NUMBERS a frame
  int32_t done_count, lost_count, doubtful_count, empty_count;
  bool remarks;
  // The truth, if it is known.
  pl_frame_file *truth;
  pl_track_errors *errors;  // per frame
} track_job;

// track_body.c: everything up to a tracker that is ready; returns an exit code.
int track_prepare(track_job *job);

// track_loop.c: all frames, into log and table. An exit code. What it opened and made is closed by
// the second, also after a failure.
int track_frames(track_job *job);
void track_close_frames(track_job *job);
// track_write.c
pl_status track_compare(track_job *job, pl_error *error);
pl_status track_write(track_job *job, pl_error *error);
void track_print_json(const track_job *job);

// A report as numbers, and back.
void track_pack(const pl_track_report *report, double numbers[TRACK_NUMBERS]);
pl_track_report track_unpack(const double numbers[TRACK_NUMBERS]);

#endif
