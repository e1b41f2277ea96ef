// A capture (pl_capture_run) of a body in a thread with a context of its own: the world that is shown continues. Whoever began it looks at how far it is.
#ifndef STUDIO_FIT_H
#define STUDIO_FIT_H

#include "pliant/fit.h"
#include "pliant/pliant.h"

// Limits of what can be asked for here, and room for what is found; `pliant capture` has no such limits.
enum { STUDIO_ROUNDS_MAX = 8, STUDIO_MODULI_MAX = 8, STUDIO_PARAMETERS_MAX = STUDIO_MODULI_MAX + 3 };
enum { STUDIO_HISTORY_MAX = 256, STUDIO_FIT_TEXT = 512 };

typedef struct studio_fit studio_fit;

// What is fitted, to what; all of it is copied.
typedef struct studio_fit_def {
  const char *capture, *tets, *surface;  // files; surface NULL: the boundary of the tets is what cameras see
  const int32_t *held;                   // points of the tets that stay
  int32_t held_count;
  pl_fem_material material;
  double density, poisson;  // known, not found: kg/m³
  int32_t max_steps;        // time steps between two frames, to which they are shortened as far as the modulus changes by that
  int32_t modulus_count;    // Young's moduli, evenly along the longest edge of the body
  int32_t max_rounds;       // of tracking and fitting
  int32_t thread_count;     // 0: one per processor
  studio_fit *before;       // one that has ended; with the same input its frames and iterations are resumed. NULL: none
} studio_fit_def;

// How far a fit is.
typedef struct studio_fit_view {
  const char *phase;           // "track", "warm start", "fit", and at the end "fitted", "stopped" or "failed"; static storage
  double fraction;             // of the stage that is done, 0 … 1
  char text[STUDIO_FIT_TEXT];  // what is to be said about the end, "" before
  bool has_error;
  double
      error;  // metres: while tracking the root mean square distance of explained points from the surface, then that of simulated from tracked points
  int32_t frame_count, point_count;
  int32_t tracked_count;   // frames whose points are known; those of a later round replace them one by one
  uint32_t shape_version;  // grows with them, and with every new simulation
  bool simulated;          // there is a motion simulated with the parameters as they stand
  int32_t parameter_count;
  bool has_intervals;
  pl_fit_estimate parameters[STUDIO_PARAMETERS_MAX];
  int32_t round;                      // from 0
  int32_t iteration_count;            // of all rounds; errors[i] belongs to iteration i + 1
  double errors[STUDIO_HISTORY_MAX];  // metres
} studio_fit_view;

// Begin. NULL, with `error`, when out of memory or threads.
studio_fit *studio_fit_begin(pl_context *context, const studio_fit_def *def, pl_error *error);

// Grows whenever something in the view changes.
uint32_t studio_fit_version(const studio_fit *fit);
void studio_fit_get_view(studio_fit *fit, studio_fit_view *view);

// Points of the tets in a frame as they were tracked, or as they are simulated; false if they are not known (yet).
bool studio_fit_get_points(studio_fit *fit, int32_t frame, bool simulated, pl_vec3 *points);

// Stop after the frame or iteration at hand; what was found so far stays.
void studio_fit_stop(studio_fit *fit);
bool studio_fit_has_ended(const studio_fit *fit);

// Give up as soon as may be, without waiting for it.
void studio_fit_abandon(studio_fit *fit);
// Give up, wait, and give all memory back. NULL is allowed.
void studio_fit_destroy(studio_fit *fit);

#endif
