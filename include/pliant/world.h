/// @file world.h
/// A world: bodies made from models, colliders, pins and forces, and the state that changes over
/// time.
#ifndef PLIANT_WORLD_H
#define PLIANT_WORLD_H

#include "pliant/base.h"
#include "pliant/collider.h"
#include "pliant/math.h"
#include "pliant/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A simulation: bodies, colliders, pins, and the state that changes over time. One thread at a
/// time.
typedef struct pl_world pl_world;

/// Handles of things inside a world; zero is null. A removed thing's handle never becomes valid
/// again.
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
  // parameters of src/world/world_parameters.c by `make generate`: begin
  /// Length of the fixed inner step.
  double step;  ///< s, above 0 up to 1, default 1/240
  /// Acceleration of free fall.
  pl_vec3 gravity;  ///< m/s², default (0, -9.81, 0)
  /// Velocity of the air.
  pl_vec3 wind;  ///< m/s, default (0, 0, 0)
  /// Of the air; 0 switches drag off.
  double air_density;  ///< kg/m³, 0 … 1e6, default 0
  /// Drag coefficient of a surface triangle.
  double drag;  ///< 0 … 1e6, default 1
  /// Whether bodies that have come to rest sleep: they are not moved until something touches or
  /// changes them.
  bool sleeping;  ///< default true
  /// Speed below which a body must move and turn as a whole to fall asleep.
  double sleep_speed;  ///< m/s, above 0 up to 1e6, default 0.005
  /// For how long.
  double sleep_seconds;  ///< s, 0 … 1e6, default 0.5
  /// Vibration of a solid that touches something dies away as exp(-contact_damping t), on top of
  /// its own damping; rigid motion is spared.
  double contact_damping;  ///< 1/s, 0 … 1e6, default 5
  /// Sweeps over the contacts in each step.
  int32_t contact_rounds;  ///< 1 … 1000, default 8
  /// Whether all edges of soft bodies are tested against each other, not only sharp ones, also
  /// while more than 32 bodies with more than 8192 surface points in all are awake: dented surfaces
  /// then do not pass through each other between their points. Contact takes two to five times as
  /// long.
  bool all_edges;  ///< default false
  /// Whether steps record what begins and ends to touch: pl_world_get_contact_events().
  bool contact_events;  ///< default false
  // parameters: end

  uint32_t magic;  ///< set by pl_default_world_def()
} pl_world_def;

/// Every parameter at its default: gravity downwards, still air without drag.
PL_API pl_world_def pl_default_world_def(void);

/// Create an empty world. The caller owns it. Fails with PL_ERROR_INVALID_ARGUMENT for a def that
/// was not set by pl_default_world_def() or is out of range, and when out of memory; `*world` is
/// then NULL.
PL_API pl_status pl_world_create(pl_context *context, const pl_world_def *def, pl_world **world,
                                 pl_error *error);

/// Destroy a world and everything in it. Models are not destroyed. NULL is allowed. Inside a step
/// of the world nothing is destroyed, and that step fails with PL_ERROR_INVALID_ARGUMENT.
PL_API void pl_world_destroy(pl_world *world);

/// Input of pl_world_add_body().
typedef struct pl_body_def {
  // parameters of src/world/world_parameters.c by `make generate`: begin
  /// At the start.
  pl_vec3 velocity;  ///< m/s, default (0, 0, 0)
  /// At the start, around the centre of mass.
  pl_vec3 angular_velocity;  ///< rad/s, default (0, 0, 0)
  /// Fraction of gravity the body feels.
  double gravity_scale;  ///< -1e6 … 1e6, default 1
  /// Whether the body touches anything.
  bool collides;  ///< default true
  /// Layers that it is in, one bit each. Two things touch if each is in a layer of the other's
  /// mask.
  uint32_t collision_layers;  ///< 0 … 4294967295, default 1
  /// Layers that it touches, one bit each; 4294967295 is all 32.
  uint32_t collision_mask;  ///< 0 … 4294967295, default 4294967295
  // parameters: end

  const pl_model *model;   ///< must outlive the world
  pl_transform placement;  ///< of the model's mesh frame
  uint32_t magic;          ///< set by pl_default_body_def()
} pl_body_def;

/// Identity placement, every parameter at its default; the model is to be filled in.
PL_API pl_body_def pl_default_body_def(void);

/// Add a body. Bodies step in the order they were added. Fails with PL_ERROR_INVALID_ARGUMENT,
/// naming the field, for a def that is wrong, and when out of memory.
PL_API pl_status pl_world_add_body(pl_world *world, const pl_body_def *def, pl_body_id *id,
                                   pl_error *error);

/// Remove a body and its pins. Fails with PL_ERROR_NOT_FOUND for a stale handle.
PL_API pl_status pl_world_remove_body(pl_world *world, pl_body_id id, pl_error *error);

/// Add a collider. Fails with PL_ERROR_INVALID_ARGUMENT or PL_ERROR_INVALID_DATA, naming the field,
/// for a def that is wrong, and when out of memory.
PL_API pl_status pl_world_add_collider(pl_world *world, const pl_collider_def *def,
                                       pl_collider_id *id, pl_error *error);

/// Move a collider that was added without key frames to `placement`. It moves evenly during the
/// next step, so that bodies are pushed with the velocity of the move, and then stays. Snapshots do
/// not include its placement. Fails with PL_ERROR_NOT_FOUND for a stale handle,
/// PL_ERROR_INVALID_ARGUMENT for a collider with key frames or numbers that are not finite.
PL_API pl_status pl_world_move_collider(pl_world *world, pl_collider_id id, pl_transform placement,
                                        pl_error *error);

/// Impulse that bodies gave to a collider in the last step (N s), and its moment around the
/// collider's origin (N m s); divided by the step length they are mean force and torque. For hosts
/// that move rigid bodies of their own as colliders: apply them to the body. Everything counts that
/// a collider does to bodies: pressure, friction, what damps them on it, and what puts back those
/// that are too deep in it. The momentum of all bodies changes by gravity, forces, pins and damping
/// less the sum over all colliders, to rounding; for what this does not hold, as for rods, see
/// docs/contact.md. Zero before the first step, after bodies or colliders have changed, and for a
/// collider that nothing touched; bodies asleep do not count. Fails with PL_ERROR_NOT_FOUND for a
/// stale handle.
PL_API pl_status pl_world_get_collider_impulse(const pl_world *world, pl_collider_id id,
                                               pl_vec3 *linear, pl_vec3 *angular);

/// Remove a collider. Fails with PL_ERROR_NOT_FOUND for a stale handle.
PL_API pl_status pl_world_remove_collider(pl_world *world, pl_collider_id id, pl_error *error);

/// Input of pl_world_add_pin(): ties one particle to a place.
typedef struct pl_pin_def {
  // parameters of src/world/world_parameters.c by `make generate`: begin
  /// Where the particle is held, in the world.
  pl_vec3 target;  ///< m, default (0, 0, 0)
  /// Spring per particle; 0 means a hard pin, which puts the particle exactly on its target.
  double stiffness;  ///< N/m, 0 … 1e12, default 0
  /// Damping of the spring.
  double damping;  ///< N s/m, 0 … 1e12, default 0
  /// When the pin is released; 0 means never.
  double until;  ///< s, 0 … 1e9, default 0
  // parameters: end

  pl_body_id body;
  int32_t particle;  ///< point index of the mesh the model was built from
  uint32_t magic;    ///< set by pl_default_pin_def()
} pl_pin_def;

/// A hard pin at the origin; body and particle are to be filled in.
PL_API pl_pin_def pl_default_pin_def(void);

/// Add a pin. Fails with PL_ERROR_NOT_FOUND for a body that does not exist,
/// PL_ERROR_INVALID_ARGUMENT for a particle or numbers out of range, and when out of memory.
PL_API pl_status pl_world_add_pin(pl_world *world, const pl_pin_def *def, pl_pin_id *id,
                                  pl_error *error);

/// Move the target of a pin to `target` (metres, in the world). A hard pin moves its particle there
/// during the next step, so that the particle has the velocity of the move. Fails with
/// PL_ERROR_NOT_FOUND for a stale handle, PL_ERROR_INVALID_ARGUMENT for numbers that are not
/// finite.
PL_API pl_status pl_world_move_pin(pl_world *world, pl_pin_id id, pl_vec3 target, pl_error *error);

/// Remove a pin. Fails with PL_ERROR_NOT_FOUND for a stale handle.
PL_API pl_status pl_world_remove_pin(pl_world *world, pl_pin_id id, pl_error *error);

/// Apply a force in newtons to one particle during the next step only. Forces on one particle are
/// summed. Fails with PL_ERROR_NOT_FOUND for a stale handle, PL_ERROR_INVALID_ARGUMENT for a
/// particle out of range or numbers that are not finite.
PL_API pl_status pl_world_add_force(pl_world *world, pl_body_id body, int32_t particle,
                                    pl_vec3 force, pl_error *error);

/// Set gravity (m/s²) from the next step on.
PL_API void pl_world_set_gravity(pl_world *world, pl_vec3 gravity);

/// Set the velocity of the air (m/s) from the next step on.
PL_API void pl_world_set_wind(pl_world *world, pl_vec3 wind);

/// Number of bodies. Enumerate them with pl_world_get_body().
PL_API int32_t pl_world_body_count(const pl_world *world);

/// Handle of body `index` in the order of adding; null if out of range.
PL_API pl_body_id pl_world_get_body(const pl_world *world, int32_t index);

/// Model of a body; NULL for a stale handle.
PL_API const pl_model *pl_body_get_model(const pl_world *world, pl_body_id body);

/// Positions of a body's particles (metres, in the world), in the point order of the mesh that the
/// model was built from. `positions` holds the model's particle_count. Fails with
/// PL_ERROR_NOT_FOUND for a stale handle.
PL_API pl_status pl_body_get_positions(const pl_world *world, pl_body_id body, pl_vec3 *positions);

/// Velocities of a body's particles (m/s). Order, size and failure are those of
/// pl_body_get_positions().
PL_API pl_status pl_body_get_velocities(const pl_world *world, pl_body_id body,
                                        pl_vec3 *velocities);

/// Borrowed arrays of a body's own state, both in mesh point order.
typedef struct pl_body_view {
  int32_t particle_count;
  const pl_vec3 *positions;   ///< metres, in the world
  const pl_vec3 *velocities;  ///< m/s
} pl_body_view;

/// Positions and velocities of a body without a copy. The addresses stay valid until the body is
/// removed or the world destroyed; the numbers are those of the present state whenever no call that
/// changes the world is under way. Fails with PL_ERROR_NOT_FOUND for a stale handle,
/// PL_ERROR_UNSUPPORTED for methods that store them in another way: all but finite elements
/// (without PL_FEM_FAST); pl_body_get_positions() is for every method.
PL_API pl_status pl_body_get_view(const pl_world *world, pl_body_id body, pl_body_view *view);

/// Set positions (metres, in the world) and velocities (m/s) of a body's particles, both in mesh
/// point order. NULL keeps the current ones. Fails with PL_ERROR_NOT_FOUND for a stale handle,
/// PL_ERROR_INVALID_DATA for numbers that are not finite; nothing has changed then.
PL_API pl_status pl_body_set_state(pl_world *world, pl_body_id body, const pl_vec3 *positions,
                                   const pl_vec3 *velocities, pl_error *error);

/// Whether a body sleeps: it has come to rest with all it touches, and is not moved until something
/// touches it or it is changed (pl_world_def.sleeping). False for a stale handle.
PL_API bool pl_body_is_asleep(const pl_world *world, pl_body_id body);

/// Wake a body and those that fell asleep with it, and count its time at rest from zero. Bodies
/// wake by themselves when they are touched by a body that is awake or by a moving collider, when
/// they get a pin, force, state or weights, when gravity, wind or colliders change and when a body
/// they rest on is removed. Fails with PL_ERROR_NOT_FOUND for a stale handle.
PL_API pl_status pl_body_wake(pl_world *world, pl_body_id body, pl_error *error);

/// Sums over the particles of a body.
typedef struct pl_body_report {
  double mass;               ///< kg
  pl_vec3 center;            ///< centre of mass, metres; of a kinematic mesh the middle of its box
  pl_vec3 momentum;          ///< kg m/s
  pl_vec3 angular_momentum;  ///< around the centre of mass, kg m²/s
  double kinetic_energy;     ///< joules
  pl_box box;                ///< of the particles
  double max_speed;          ///< m/s
} pl_body_report;

/// Mass, position and motion of a body as a whole. All zero for a stale handle.
PL_API pl_body_report pl_body_get_report(const pl_world *world, pl_body_id body);

/// Surface points of a body (metres, in the world), in surface point order, after its surface
/// layers. `points` holds the model's surface_point_count. Fails with PL_ERROR_NOT_FOUND for a
/// stale handle.
PL_API pl_status pl_body_get_surface(const pl_world *world, pl_body_id body, pl_vec3 *points);

/// Contact pressure (Pa) at every surface point of a body in the last step in which it moved: the
/// mean force along the normals of its contacts, divided by the area that faces them, a third of
/// each triangle around the point as it is now. Contact with colliders, other bodies and itself
/// counts; that of rods with colliders does not. `pressures` holds the model's surface_point_count.
/// The pressures are not part of the state: after pl_world_restore() they are those from before,
/// and after a step that failed they may be 0. Fails with PL_ERROR_NOT_FOUND for a stale handle,
/// and when out of memory in the first call for a body.
PL_API pl_status pl_body_get_contact_pressures(const pl_world *world, pl_body_id body,
                                               double *pressures, pl_error *error);

/// Weights of the examples in the last step. `manifold` counts from 0 (pl_model_get_examples());
/// `weights` holds example_count numbers, each 0 … 1. The rest shape has the remaining weight, 1
/// minus their sum. Fails with PL_ERROR_NOT_FOUND for a stale handle or a manifold that does not
/// exist.
PL_API pl_status pl_body_get_weights(const pl_world *world, pl_body_id body, int32_t manifold,
                                     double *weights);

/// Set the weights of one manifold, such as from a slider or a curve, instead of finding them by
/// projection of the current shape. They stay until they are set again; NULL returns all manifolds
/// to projection. Negative weights count as 0, and a sum above 1 is scaled to 1. Fails with
/// PL_ERROR_NOT_FOUND for a stale handle, PL_ERROR_INVALID_ARGUMENT for a manifold whose weights
/// cannot be set.
PL_API pl_status pl_body_set_weights(pl_world *world, pl_body_id body, int32_t manifold,
                                     const double *weights, pl_error *error);

/// Move a body rigidly by `motion` at once. Velocities are rotated with it, so the move adds no
/// momentum. Pins are not moved. Fails with PL_ERROR_NOT_FOUND for a stale handle,
/// PL_ERROR_INVALID_ARGUMENT for a motion that is not finite.
PL_API pl_status pl_body_teleport(pl_world *world, pl_body_id body, pl_transform motion,
                                  pl_error *error);

/// Reset a body to the state it was added with. Fails with PL_ERROR_NOT_FOUND for a stale handle.
PL_API pl_status pl_body_reset(pl_world *world, pl_body_id body, pl_error *error);

/// Size in bytes of a snapshot of this world.
PL_API size_t pl_world_snapshot_size(const pl_world *world);

/// Copy the state of the world into `buffer` of pl_world_snapshot_size() bytes. Take it between
/// steps: pl_world_restore() refuses a snapshot that was taken inside a step. Never fails.
PL_API void pl_world_snapshot(const pl_world *world, void *buffer);

/// Restore a snapshot of this world, or of one built in the same way. Fails with
/// PL_ERROR_INVALID_DATA when sizes or models differ; nothing has changed then.
PL_API pl_status pl_world_restore(pl_world *world, const void *buffer, size_t size,
                                  pl_error *error);

/// Continue from the state of another world that was built from the same description with some
/// parameters changed: its time, and the motion of every body that has the same method and number
/// of particles as the body at the same index in `from`. Where the layout of the state is the same
/// too, all of the state is copied, and that of controllers; otherwise positions and velocities.
/// The meshes must be the same. `*transferred_count` receives the number of bodies whose motion was
/// copied. Fails with PL_ERROR_INVALID_ARGUMENT when the two worlds have different step lengths.
PL_API pl_status pl_world_transfer_state(pl_world *world, const pl_world *from,
                                         int32_t *transferred_count, pl_error *error);

/// 64-bit hash of the state: equal for equal states, on every machine with IEEE arithmetic and for
/// any number of threads.
PL_API uint64_t pl_world_get_hash(const pl_world *world);

#ifdef __cplusplus
}
#endif
#endif
