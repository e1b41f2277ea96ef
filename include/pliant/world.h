/// @file world.h
/// A world: bodies made from models, colliders, pins and forces, and the state that moves.
#ifndef PLIANT_WORLD_H
#define PLIANT_WORLD_H

#include "pliant/base.h"
#include "pliant/collider.h"
#include "pliant/math.h"
#include "pliant/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Bodies and everything that happens to them.
typedef struct pl_world pl_world;

/// Handles of things inside a world; zero is null. A removed thing's handle never becomes valid again.
typedef struct pl_body_id {
  uint32_t slot, generation;
} pl_body_id;
/// Handle of a collider.
typedef struct pl_collider_id {
  uint32_t slot, generation;
} pl_collider_id;
/// Handle of a pin.
typedef struct pl_pin_id {
  uint32_t slot, generation;
} pl_pin_id;

/// Input of pl_world_create().
typedef struct pl_world_def {
  double step;             ///< seconds of one inner step; fixed for the life of the world
  pl_vec3 gravity;         ///< m/s²
  pl_vec3 wind;            ///< velocity of the air, m/s
  double air_density;      ///< kg/m³; 0 switches drag off
  double drag;             ///< drag coefficient of a surface triangle
  int32_t contact_rounds;  ///< sweeps over the contacts per step
  uint32_t magic;          ///< set by pl_default_world_def()
} pl_world_def;

/// Step 1/240 s, gravity (0, -9.81, 0), still air without drag, 8 contact rounds.
PL_API pl_world_def pl_default_world_def(void);

/// Create an empty world.
PL_API pl_status pl_world_create(pl_context *context, const pl_world_def *def, pl_world **world, pl_error *error);

/// Destroy a world with all that is in it; models stay. NULL is allowed.
PL_API void pl_world_destroy(pl_world *world);

/// Input of pl_world_add_body().
typedef struct pl_body_def {
  const pl_model *model;     ///< must outlive the world
  pl_transform placement;    ///< of the model's mesh frame
  pl_vec3 velocity;          ///< m/s
  pl_vec3 angular_velocity;  ///< rad/s around the centre of mass
  double gravity_scale;      ///< 1: falls as usual
  bool collides;             ///< takes part in contact
  uint32_t magic;            ///< set by pl_default_body_def()
} pl_body_def;

/// Identity placement, at rest, gravity scale 1, collides; the model is to be filled in.
PL_API pl_body_def pl_default_body_def(void);

/// Add a body. Bodies step in the order they were added.
PL_API pl_status pl_world_add_body(pl_world *world, const pl_body_def *def, pl_body_id *id, pl_error *error);

/// Remove a body with its pins. Fails with PL_ERROR_NOT_FOUND for a stale handle.
PL_API pl_status pl_world_remove_body(pl_world *world, pl_body_id id, pl_error *error);

/// Add a collider.
PL_API pl_status pl_world_add_collider(pl_world *world, const pl_collider_def *def, pl_collider_id *id, pl_error *error);

/// Take a collider that was added without keys elsewhere: it moves there evenly over the next step, so that bodies are pushed with the velocity of the move, and then stays. Snapshots do not hold where it is. Fails with
/// PL_ERROR_NOT_FOUND for a stale handle, PL_ERROR_INVALID_ARGUMENT for one with keys or numbers that are not finite.
PL_API pl_status pl_world_move_collider(pl_world *world, pl_collider_id id, pl_transform placement, pl_error *error);

/// Remove a collider. Fails with PL_ERROR_NOT_FOUND for a stale handle.
PL_API pl_status pl_world_remove_collider(pl_world *world, pl_collider_id id, pl_error *error);

/// Input of pl_world_add_pin(): ties one particle to a place.
typedef struct pl_pin_def {
  pl_body_id body;
  int32_t particle;  ///< point index of the mesh the model was built from
  pl_vec3 target;    ///< metres, in the world
  double stiffness;  ///< N/m; 0: a hard pin that puts the particle exactly on its target
  double damping;    ///< N s/m, springs only
  double until;      ///< world time in seconds at which it lets go; 0 for never
  uint32_t magic;    ///< set by pl_default_pin_def()
} pl_pin_def;

/// A hard pin at the origin; body and particle are to be filled in.
PL_API pl_pin_def pl_default_pin_def(void);

/// Add a pin.
PL_API pl_status pl_world_add_pin(pl_world *world, const pl_pin_def *def, pl_pin_id *id, pl_error *error);

/// Move a pin's target. A hard pin takes its particle along over the next step, so that it has the velocity of the move.
PL_API pl_status pl_world_move_pin(pl_world *world, pl_pin_id id, pl_vec3 target, pl_error *error);

/// Remove a pin. Fails with PL_ERROR_NOT_FOUND for a stale handle.
PL_API pl_status pl_world_remove_pin(pl_world *world, pl_pin_id id, pl_error *error);

/// Push one particle with `force` newtons during the next step only. Forces on one particle add up.
PL_API pl_status pl_world_add_force(pl_world *world, pl_body_id body, int32_t particle, pl_vec3 force, pl_error *error);

/// Change gravity (m/s²) from the next step on.
PL_API void pl_world_set_gravity(pl_world *world, pl_vec3 gravity);

/// Change the velocity of the air (m/s) from the next step on.
PL_API void pl_world_set_wind(pl_world *world, pl_vec3 wind);

/// Number of bodies; walk them with pl_world_get_body().
PL_API int32_t pl_world_body_count(const pl_world *world);

/// Handle of body number `index` in the order of adding, null if out of range.
PL_API pl_body_id pl_world_get_body(const pl_world *world, int32_t index);

/// Model of a body, NULL for a stale handle.
PL_API const pl_model *pl_body_get_model(const pl_world *world, pl_body_id body);

/// Particle positions (metres, in the world) in the point order of the mesh the model was built from. `positions` holds the model's
/// particle_count. Fails with PL_ERROR_NOT_FOUND for a stale handle.
PL_API pl_status pl_body_get_positions(const pl_world *world, pl_body_id body, pl_vec3 *positions);

/// Particle velocities (m/s), as above.
PL_API pl_status pl_body_get_velocities(const pl_world *world, pl_body_id body, pl_vec3 *velocities);

/// Put the particles of a body at new positions and velocities, both in mesh point order; NULL keeps what is there. Non-finite numbers
/// are refused with PL_ERROR_INVALID_DATA.
PL_API pl_status pl_body_set_state(pl_world *world, pl_body_id body, const pl_vec3 *positions, const pl_vec3 *velocities,
                               pl_error *error);

/// Sums over the particles of a body.
typedef struct pl_body_report {
  double mass;               ///< kg
  pl_vec3 center;            ///< centre of mass, metres
  pl_vec3 momentum;          ///< kg m/s
  pl_vec3 angular_momentum;  ///< around the centre of mass, kg m²/s
  double kinetic_energy;     ///< joules
  pl_box box;                ///< of the particles
  double max_speed;      ///< m/s
} pl_body_report;

/// Where a body is and how it moves. All zero for a stale handle.
PL_API pl_body_report pl_body_get_report(const pl_world *world, pl_body_id body);

/// Points of a body's surface in the world, in surface point order. `points` holds the model's surface_point_count. Surface layers
/// have already acted on them.
PL_API pl_status pl_body_get_surface(const pl_world *world, pl_body_id body, pl_vec3 *points);

/// Weights of the examples in the last step: how much of each the body was drawn to. `manifold` counts from 0 (pl_model_get_examples()); `weights`
/// holds example_count numbers, each 0 … 1, and the rest shape has what they leave to 1. Fails with PL_ERROR_NOT_FOUND for a stale handle or a manifold that does
/// not exist.
PL_API pl_status pl_body_get_weights(const pl_world *world, pl_body_id body, int32_t manifold, double *weights);

/// Give the weights of one manifold from outside, instead of by projection of the current shape: a slider, a curve, a view direction. They hold until given
/// again; NULL goes back to projection for all manifolds. Negative numbers count as 0 and a sum above 1 is divided out. Fails with
/// PL_ERROR_NOT_FOUND for a stale handle, PL_ERROR_INVALID_ARGUMENT for a manifold that cannot be given.
PL_API pl_status pl_body_set_weights(pl_world *world, pl_body_id body, int32_t manifold, const double *weights, pl_error *error);

/// Take a body elsewhere as one rigid piece, momentum and all, as if it had always been there: a teleport without a whip. Pins are not moved.
PL_API pl_status pl_body_teleport(pl_world *world, pl_body_id body, pl_transform motion, pl_error *error);

/// Put a body back to how it was when it was added.
PL_API pl_status pl_body_reset(pl_world *world, pl_body_id body, pl_error *error);

/// Bytes a snapshot of this world takes.
PL_API size_t pl_world_snapshot_size(const pl_world *world);

/// Copy all that moves into `buffer` of pl_world_snapshot_size() bytes.
PL_API void pl_world_snapshot(const pl_world *world, void *buffer);

/// Go back to a snapshot of this world, or of one built in the same way. Fails with PL_ERROR_INVALID_DATA when sizes or models differ.
PL_API pl_status pl_world_restore(pl_world *world, const void *buffer, size_t size, pl_error *error);

/// Go on where another world stands that was built from the same description with some numbers changed: its time, and the motion of every body that is of the same method and has as many particles as the
/// one at the same place in `from`. Where also the layout of the state is the same, all of the state is taken, and so is that of controllers; otherwise positions and velocities. Meshes must be the
/// same ones. `*transferred_count` receives the number of bodies that go on. Fails with PL_ERROR_INVALID_ARGUMENT for steps of different length.
PL_API pl_status pl_world_transfer_state(pl_world *world, const pl_world *from, int32_t *transferred_count, pl_error *error);

/// 64-bit hash of all that moves: equal for equal states, the same on every machine with IEEE arithmetic, whatever the thread count.
PL_API uint64_t pl_world_get_hash(const pl_world *world);

#ifdef __cplusplus
}
#endif
#endif
