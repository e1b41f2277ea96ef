/// @file attachment.h
/// Attachments: particles of a body tied to another body, to the bone of a rod, or to a frame that
/// the host moves. Hard or by springs; they may break. Attachments are solved together with
/// contacts.
#ifndef PLIANT_ATTACHMENT_H
#define PLIANT_ATTACHMENT_H

#include "pliant/base.h"
#include "pliant/math.h"
#include "pliant/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Handle of an attachment; zero is null.
typedef struct pl_attachment_id {
  uint32_t slot, generation;
} pl_attachment_id;

/// Input of pl_world_add_attachment(). Each particle of body a is tied to one point:
///
/// - with `partners`: to the particle of body b of the same index in the list;
/// - of a rigid body b: to the point of b where the particle is when it is attached;
/// - of the bone `joint` of a rod b: likewise; the bone moves the particles and does not feel them;
/// - of a soft body b: to the point of its surface nearest to the particle; a gap closes;
/// - of the world (b null): to its position in the frame of pl_world_move_attachment().
///
/// With `max_distance` the tied point is a goal: it keeps the particle's place relative to the
/// nearest triangle of a kinematic mesh b (or to bone or frame), and the particle is free within
/// its range. `weights` then say how tightly each follows, and `backstop` keeps it from going
/// behind.
///
/// Particles of a finite-element body that are tied to a bone, a kinematic mesh or the world are
/// pins of its own step: what they follow does not stretch them. With the material PL_FEM_FAST
/// their force is not reported, unless the attachment may break; then they are not pins.
typedef struct pl_attachment_def {
  // parameters of src/world/joint_parameters.c by `make generate`: begin
  /// Spring per particle; 0 means hard, which holds the particle exactly.
  double stiffness;  ///< N/m, 0 … 1e12, default 0
  /// Damping of the spring.
  double damping;  ///< N s/m, 0 … 1e12, default 0
  /// Force on a particle at which it comes off; 0: never.
  double break_force;  ///< N, 0 … 1e12, default 0
  /// How far a particle of weight 0 may be from its goal; one of weight 1 is held, others in
  /// proportion. 0: no range, all are held. Only to what animation moves.
  double max_distance;  ///< m, 0 … 1e9, default 0
  /// With max_distance, how far a particle may be behind its goal, along the normal of the surface
  /// it is tied to; negative: no limit.
  double backstop;  ///< m, -1 … 1e9, default -1
  /// Whether the two bodies touch each other.
  bool collides;  ///< default false
  // parameters: end

  pl_body_id body_a;
  pl_body_id body_b;         ///< null for the world
  int32_t joint;             ///< bone of a rod b; -1 for a body without bones
  const int32_t *particles;  ///< of body a; copied
  int32_t particle_count;    ///< 1 or more
  /// Factor on stiffness, damping and break force of each particle, 0 … 1, such as a vertex group;
  /// particles of 0 are left out, unless there is a max_distance. NULL: 1. Copied.
  const float *weights;
  const int32_t *partners;  ///< particles of body b, particle_count, or NULL; copied
  pl_transform frame;  ///< for the world: its frame now, as the first of pl_world_move_attachment()
  uint32_t magic;      ///< set by pl_default_attachment_def()
} pl_attachment_def;

/// Every parameter at its default: hard, never breaks, to the world; bodies and particles are to be
/// filled in.
PL_API pl_attachment_def pl_default_attachment_def(void);

/// Add an attachment. Fails with PL_ERROR_NOT_FOUND for a body that does not exist,
/// PL_ERROR_INVALID_ARGUMENT, naming the field, for a def that is wrong, PL_ERROR_UNSUPPORTED for a
/// body a that meets other bodies in its own step (a rod), and when out of memory.
PL_API pl_status pl_world_add_attachment(pl_world *world, const pl_attachment_def *def,
                                         pl_attachment_id *id, pl_error *error);

/// Remove an attachment. Fails with PL_ERROR_NOT_FOUND for a stale handle.
PL_API pl_status pl_world_remove_attachment(pl_world *world, pl_attachment_id id, pl_error *error);

/// Number of attachments, broken ones included. Enumerate them with pl_world_get_attachment().
PL_API int32_t pl_world_attachment_count(const pl_world *world);

/// Handle of attachment `index` in the order of adding; null if out of range.
PL_API pl_attachment_id pl_world_get_attachment(const pl_world *world, int32_t index);

/// Move the frame of an attachment to the world. It moves there during the next step and then
/// stays. Fails with PL_ERROR_NOT_FOUND for a stale handle, PL_ERROR_INVALID_ARGUMENT for an
/// attachment to a body or numbers that are not finite.
PL_API pl_status pl_world_move_attachment(pl_world *world, pl_attachment_id id, pl_transform frame,
                                          pl_error *error);

/// What an attachment did in the last step.
typedef struct pl_attachment_report {
  int32_t point_count;   ///< attached particles
  int32_t broken_count;  ///< those that took more than the break force, and no longer act
  pl_vec3 force;         ///< sum over the particles, on body a, newtons
  double max_force;      ///< largest on one particle, newtons
} pl_attachment_report;

/// State of an attachment. All zero for a stale handle.
PL_API pl_attachment_report pl_attachment_get_report(const pl_world *world, pl_attachment_id id);

#ifdef __cplusplus
}
#endif
#endif
