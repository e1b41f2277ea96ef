// A fit (pl_capture_run) in a background thread with its own context. The world keeps running, and
// polls the progress.
#ifndef STUDIO_FIT_H
#define STUDIO_FIT_H

#include "pliant/fit.h"
#include "pliant/pliant.h"

// Limits of a fit in the studio; `pliant capture` has no such limits.
enum {
  STUDIO_ROUNDS_MAX = 8,
  STUDIO_MODULI_MAX = 8,
  STUDIO_PARAMETERS_MAX = STUDIO_MODULI_MAX + 3
};
enum { STUDIO_HISTORY_MAX = 256, STUDIO_FIT_TEXT = 512 };

typedef struct studio_fit studio_fit;

// Input of a fit; everything is copied.
typedef struct studio_fit_def {
  const char *capture, *tets, *surface;  // files; surface NULL: the boundary of the tets
  const int32_t *held;                   // fixed points of the tets
  int32_t held_count;
  pl_fem_material material;
  double density, poisson;  // known, not fitted: kg/m³, and Poisson's ratio
  int32_t max_steps;  // time steps between two frames, to which they are shortened as far as the
                      // modulus changes by that
  int32_t modulus_count;  // Young's moduli, evenly along the longest edge of the body
  int32_t max_rounds;     // of tracking and fitting
  int32_t thread_count;   // 0: one per processor
  studio_fit *
      before;  // an ended fit; with the same input its frames and iterations are reused. NULL: none
} studio_fit_def;

// Progress and result of a fit.
typedef struct studio_fit_view {
  const char *phase;  // "track", "warm start", "fit", and at the end "fitted", "stopped" or
                      // "failed"; static storage
  double fraction;    // of the phase, 0 … 1
  char text[STUDIO_FIT_TEXT];  // remark about the end, such as the error; "" before
  bool has_error;
  double error;  // metres: while tracking the root mean square distance of explained points from
                 // the surface, then that of simulated from tracked points
  int32_t frame_count, point_count;
  int32_t tracked_count;   // frames that are tracked; a later round replaces them one by one
  uint32_t shape_version;  // incremented when a tracked frame or the simulation changes
  bool simulated;          // a simulation with the current parameters exists
  int32_t parameter_count;
  bool has_intervals;
  pl_fit_estimate parameters[STUDIO_PARAMETERS_MAX];
  int32_t round;                      // from 0
  int32_t iteration_count;            // of all rounds; errors[i] belongs to iteration i + 1
  double errors[STUDIO_HISTORY_MAX];  // metres
} studio_fit_view;

// Start a fit. NULL, with `error`, if memory or threads run out.
studio_fit *studio_fit_begin(pl_context *context, const studio_fit_def *def, pl_error *error);

// Incremented whenever the view changes.
uint32_t studio_fit_version(const studio_fit *fit);
void studio_fit_get_view(studio_fit *fit, studio_fit_view *view);

// Tracked or simulated points of the tets in a frame; false if they are not available.
bool studio_fit_get_points(studio_fit *fit, int32_t frame, bool simulated, pl_vec3 *points);

// Stop after the current frame or iteration; the results so far stay available.
void studio_fit_stop(studio_fit *fit);
bool studio_fit_has_ended(const studio_fit *fit);

// Cancel as soon as possible, without waiting.
void studio_fit_abandon(studio_fit *fit);
// Cancel, wait, and free all memory. NULL is allowed.
void studio_fit_destroy(studio_fit *fit);

#endif
