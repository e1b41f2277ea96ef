// A capture run from the inside: what its files share. The run and its result are one object; the
// part about running is only used while pl_capture_run() is under way.
#ifndef PL_CAPTURE_RUN_PARTS_H
#define PL_CAPTURE_RUN_PARTS_H

#include "base/vector.h"
#include "pliant/capture.h"

// A recording, and the motion that was tracked in it in the last round.
typedef struct pl_run_clip {
  pl_capture_view view;
  int32_t motion_frames;  // from the release frame on
  pl_vec3 *positions;     // tracked: motion_frames times the points of the mesh
  pl_vec3 *simulated;  // the same with the parameters of the last fit: what the next round expects
  double *weights;     // per point: mean over all frames of how much of it was measured
} pl_run_clip;

// A round with the memory of its arrays.
typedef struct pl_run_round {
  pl_capture_round report;
  pl_fit_estimate *estimates;
  pl_vector iterations;  // pl_fit_progress
  pl_vector values;      // parameter_count doubles per iteration
} pl_run_round;

struct pl_capture_result {
  pl_context *context;
  pl_capture_run_def def;
  int32_t point_count;  // of the mesh
  double size;          // longest edge of the box of the mesh, m
  pl_run_clip *clips;
  pl_fit_sequence *motions;
  pl_vector rounds;         // pl_run_round, the one under way included
  pl_capture_round *views;  // of the finished rounds, for the view
  int32_t round_count;      // finished
  bool settled;
  pl_fit *fit;
  bool warm_started;
  pl_warm_start_report warm_start;
  // Of the run alone:
  uint64_t hash;  // of the data and settings, and of what earlier rounds found: what decides the
                  // records of this round
  pl_fit_progress iteration;  // that the fit did last
  bool has_iterated;          // since it was last started
};

// --- capture_run_def.c

// What is wrong with a def; PL_OK if nothing is.
pl_status pl_run_check(const pl_capture_run_def *def, pl_error *error);
// A hash of everything that decides what comes out.
uint64_t pl_run_hash(const pl_capture_run_def *def);

// --- capture_run_store.c

// A record of the store: room for a head, then the payload.
typedef struct pl_run_record {
  pl_context *context;
  unsigned char *bytes;
  unsigned char *payload;  // NULL: there is no such record
  size_t size;             // of the payload
} pl_run_record;

enum { PL_RUN_NAME_SIZE = 80 };  // bytes of a record's name

// Room for a payload to be saved; false when out of memory.
bool pl_run_record_make(pl_context *context, size_t size, pl_run_record *record);
void pl_run_record_free(pl_run_record *record);
pl_status pl_run_save(const pl_capture_result *run, const char *name, const pl_run_record *record,
                      pl_error *error);
// Load a record; without a store, and where it is missing or damaged, its payload is NULL. Refuses
// one of another hash.
pl_status pl_run_load(const pl_capture_result *run, const char *name, pl_run_record *record,
                      pl_error *error);

// --- the phases of a round; each returns PL_REMARK_CANCELLED when the callback wants to stop

// Report to the callback: the event's own fields are in `progress`.
pl_status pl_run_report_progress(const pl_capture_result *run, pl_capture_progress progress);
pl_run_round *pl_run_current(const pl_capture_result *run);
// Values that a finished round ended with.
double pl_run_value(const pl_capture_result *run, int32_t round, int32_t parameter);

// capture_run_track.c: all recordings, into the motions.
pl_status pl_run_track(pl_capture_result *run, pl_error *error);
// capture_run_fit.c: the material of these motions. PL_REMARK_NOT_CONVERGED at the maximum of
// iterations.
pl_status pl_run_fit(pl_capture_result *run, pl_error *error);
// capture_run_model.c: the body as it is known: from the last fit, or of the static shape before
// the first.
pl_status pl_run_build_model(pl_capture_result *run, pl_model **model, pl_error *error);

#endif
