/// @file step.h
/// Time: one fixed inner step after another, whatever the display's frame rate.
#ifndef PLIANT_STEP_H
#define PLIANT_STEP_H

#include "pliant/base.h"
#include "pliant/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Stages of a step, in their order.
typedef enum pl_step_phase {
  PL_STEP_PHASE_CONTROL = 0,  ///< controllers choose
  PL_STEP_PHASE_FORCES,       ///< wind, springs and point forces
  PL_STEP_PHASE_MOVE,         ///< each body's own method
  PL_STEP_PHASE_CONTACT,      ///< find and resolve contacts
  PL_STEP_PHASE_LAYERS,       ///< surface layers
  PL_STEP_PHASE_COUNT
} pl_step_phase;

/// Name of a stage, such as "contact"; static storage.
PL_API const char *pl_step_phase_name(pl_step_phase stage);

/// What a step, or a run of steps, did.
typedef struct pl_step_report {
  int64_t step_count;                    ///< steps done by this call
  double phase_seconds[PL_STEP_PHASE_COUNT];  ///< wall-clock time per stage, summed over the steps
  int64_t unconverged_count;             ///< steps of single bodies that ended at their limit of iterations (pl_fem_get_report())
  int32_t contact_count;                 ///< contacts of the last step
  double deepest_contact;                ///< metres a contact of the last step was overlapping before it was resolved
  pl_body_id failed_body;                ///< with PL_ERROR_NOT_FINITE: which body …
  int32_t failed_particle;               ///< … and which particle, -1 otherwise
  char cause[160];                       ///< … and the likely cause
} pl_step_report;

/// Do one inner step. If it fails, the world is as it was before the step. Inside a step (from a controller, a layer, a behaviour of an actor) it fails
/// with PL_ERROR_INVALID_ARGUMENT, and so do pl_world_advance() and pl_world_settle(). Allocates nothing once every body, collider and
/// pin has been stepped at least once.
PL_API pl_status pl_world_step(pl_world *world, pl_step_report *report, pl_error *error);

/// Let `seconds` pass: as many inner steps as fit, the rest is kept for the next call. At most `max_steps` steps are done (0: no limit);
/// the time of the others is dropped, so that a slow machine slows down instead of stalling.
PL_API pl_status pl_world_advance(pl_world *world, double seconds, int64_t max_steps, pl_step_report *report, pl_error *error);

/// Let bodies come to rest before the clock starts: `seconds` of inner steps in which time stands still, so key frames, curves and controllers
/// stay where they are. Fails as pl_world_step() does, after the steps that succeeded.
PL_API pl_status pl_world_settle(pl_world *world, double seconds, pl_step_report *report, pl_error *error);

/// Inner steps done since the world was created.
PL_API int64_t pl_world_step_count(const pl_world *world);

/// Simulated time in seconds: step count times step.
PL_API double pl_world_get_time(const pl_world *world);

/// The fixed inner step in seconds.
PL_API double pl_world_get_step_length(const pl_world *world);

/// Acts before every step: may read the world and add forces, move pins, write bodies. Called in the order of adding.
///
/// It may also add and remove bodies, colliders and pins, and add controllers (which are called in the same step) and layers; these stay added or removed when
/// the step fails. What starts a step or replaces the state (pl_world_step(), pl_world_advance(), pl_world_settle(), pl_world_restore(), pl_world_transfer_state(),
/// pl_world_remove_controller()) fails with PL_ERROR_INVALID_ARGUMENT and changes nothing.
typedef struct pl_controller {
  pl_status (*before_step)(void *user, pl_world *world, pl_error *error);  ///< a failure aborts the step before anything moved
  size_t state_size;                                                       ///< bytes of `state` that snapshots must carry
  void *state;                                                             ///< owned by the caller
  void *user;
} pl_controller;

/// Add a controller; what it points to must outlive the world.
PL_API pl_status pl_world_add_controller(pl_world *world, const pl_controller *controller, pl_error *error);

/// Remove the controllers with this `user`. PL_ERROR_NOT_FOUND if there is none. Snapshots taken before no longer fit the world. PL_ERROR_INVALID_ARGUMENT inside a step.
PL_API pl_status pl_world_remove_controller(pl_world *world, const void *user);

/// Acts on one body's surface after every step. It may read the world; all functions that change it fail with PL_ERROR_INVALID_ARGUMENT while a layer runs.
typedef struct pl_layer {
  /// Change `points` (the body's surface, point_count of them) in place.
  pl_status (*after_step)(void *user, const pl_world *world, pl_body_id body, pl_vec3 *points, int32_t point_count,
                          pl_error *error);
  size_t state_size;  ///< bytes of `state` that snapshots must carry
  void *state;        ///< owned by the caller
  void *user;
} pl_layer;

/// Add a layer to a body; what it points to must outlive the world.
PL_API pl_status pl_world_add_layer(pl_world *world, pl_body_id body, const pl_layer *layer, pl_error *error);

#ifdef __cplusplus
}
#endif
#endif
