/// @file step.h
/// Stepping a world: fixed inner steps, independent of the frame rate of the display; controllers
/// and surface layers.
#ifndef PLIANT_STEP_H
#define PLIANT_STEP_H

#include "pliant/base.h"
#include "pliant/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Phases of a step, in their order.
typedef enum pl_step_phase {
  PL_STEP_PHASE_CONTROL = 0,  ///< controllers choose
  PL_STEP_PHASE_FORCES,       ///< wind, springs and point forces
  PL_STEP_PHASE_MOVE,         ///< each body's own method
  PL_STEP_PHASE_CONTACT,      ///< find and resolve contacts
  PL_STEP_PHASE_LAYERS,       ///< surface layers
  PL_STEP_PHASE_COUNT
} pl_step_phase;

/// Name of a phase, such as "contact"; static storage.
PL_API const char *pl_step_phase_name(pl_step_phase phase);

/// Result of one or more steps.
typedef struct pl_step_report {
  int64_t step_count;                         ///< steps done by this call
  double phase_seconds[PL_STEP_PHASE_COUNT];  ///< wall-clock time per phase, summed over the steps
  int64_t unconverged_count;  ///< steps of single bodies that ended at their limit of iterations
                              ///< (pl_fem_get_report())
  int64_t damped_count;    ///< steps of single bodies that would have gained energy and were damped
                           ///< (pl_fem_get_report())
  int32_t contact_count;   ///< contacts of the last step
  double deepest_contact;  ///< metres a contact of the last step was overlapping before it was
                           ///< resolved
  pl_body_id failed_body;  ///< with PL_ERROR_NOT_FINITE: which body …
  int32_t failed_particle;  ///< … and which particle, -1 otherwise
  char cause[160];          ///< … and the likely cause
} pl_step_report;

/// Do one inner step. `report` may be NULL. Fails with PL_ERROR_NOT_FINITE when a body became
/// infinite or NaN, and with PL_ERROR_INVALID_ARGUMENT inside a step (from a controller, a layer or
/// a behaviour of an actor); the world is then as it was before the step. Allocates nothing once
/// every body, collider and pin has been stepped at least once.
PL_API pl_status pl_world_step(pl_world *world, pl_step_report *report, pl_error *error);

/// Advance the world by `seconds`: do as many inner steps as fit and keep the remainder for the
/// next call. At most `max_steps` steps are done (0: any number); the time of the others is
/// dropped, so that a slow machine slows down instead of stalling. Fails as pl_world_step() does,
/// after the steps that succeeded.
PL_API pl_status pl_world_advance(pl_world *world, double seconds, int64_t max_steps,
                                  pl_step_report *report, pl_error *error);

/// Let bodies come to rest before the simulation starts: do inner steps for `seconds` while the
/// clock stands still, so that key frames, curves and controllers stay where they are. Fails as
/// pl_world_step() does, after the steps that succeeded.
PL_API pl_status pl_world_settle(pl_world *world, double seconds, pl_step_report *report,
                                 pl_error *error);

/// A list of worlds. Borrowed.
typedef struct pl_worlds {
  pl_world *const *items;
  int32_t count;
} pl_worlds;

/// Do `step_count` inner steps in each of many worlds, all threads of `context` at work on
/// different worlds: for parameter sweeps and learning, where one small world cannot keep several
/// threads busy. Worlds may share models and may belong to other contexts; loops inside a world
/// then run on the thread that steps it. The result of each is that of pl_world_step(), bit for
/// bit, for any number of threads. A world that fails stops where it is and does not disturb the
/// others; `statuses` (one per world, may be NULL) receives the outcome of each. Callbacks of
/// different worlds may run at the same time. Returns the first failure in the order of the list,
/// with `error` naming the world. Fails with PL_ERROR_INVALID_ARGUMENT before any step for a
/// negative number of steps, a world that is there twice, and one that is inside a step.
PL_API pl_status pl_worlds_step(pl_context *context, const pl_worlds *worlds, int64_t step_count,
                                pl_status *statuses, pl_error *error);

/// Number of inner steps since the world was created.
PL_API int64_t pl_world_step_count(const pl_world *world);

/// Simulated time in seconds: step count times step length.
PL_API double pl_world_get_time(const pl_world *world);

/// Length of the fixed inner step in seconds.
PL_API double pl_world_get_step_length(const pl_world *world);

/// Callbacks that act before every step. They may read the world, add forces, move pins and set the
/// state of bodies. Controllers are called in the order of adding.
///
/// A controller may also add and remove bodies, colliders and pins, and add controllers (which are
/// called in the same step) and layers; these stay added or removed when the step fails. Functions
/// that start a step or replace the state (pl_world_step(), pl_world_advance(), pl_world_settle(),
/// pl_world_restore(), pl_world_transfer_state(), pl_world_remove_controller()) fail with
/// PL_ERROR_INVALID_ARGUMENT and change nothing.
typedef struct pl_controller {
  pl_status (*before_step)(void *user, pl_world *world,
                           pl_error *error);  ///< a failure aborts the step before anything moved
  size_t state_size;                          ///< bytes of `state` that snapshots must carry
  void *state;                                ///< owned by the caller
  void *user;
} pl_controller;

/// Add a controller. The struct is copied; what it points to must outlive the world. Snapshots
/// taken before no longer fit the world. Fails with PL_ERROR_INVALID_ARGUMENT without
/// `before_step`, and when out of memory.
PL_API pl_status pl_world_add_controller(pl_world *world, const pl_controller *controller,
                                         pl_error *error);

/// Remove all controllers with this `user`. Snapshots taken before no longer fit the world. Fails
/// with PL_ERROR_NOT_FOUND if there is none, with PL_ERROR_INVALID_ARGUMENT inside a step.
PL_API pl_status pl_world_remove_controller(pl_world *world, const void *user);

/// Callbacks that change the surface of one body after every step. They may read the world;
/// functions that change it fail with PL_ERROR_INVALID_ARGUMENT while a layer runs.
typedef struct pl_layer {
  /// Change `points` (the body's surface, point_count of them) in place.
  pl_status (*after_step)(void *user, const pl_world *world, pl_body_id body, pl_vec3 *points,
                          int32_t point_count, pl_error *error);
  size_t state_size;  ///< bytes of `state` that snapshots must carry
  void *state;        ///< owned by the caller
  void *user;
} pl_layer;

/// Add a layer to a body. The struct is copied; what it points to must outlive the world. Fails
/// with PL_ERROR_NOT_FOUND for a stale handle, PL_ERROR_INVALID_ARGUMENT without `after_step`, and
/// when out of memory.
PL_API pl_status pl_world_add_layer(pl_world *world, pl_body_id body, const pl_layer *layer,
                                    pl_error *error);

#ifdef __cplusplus
}
#endif
#endif
