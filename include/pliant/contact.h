/// @file contact.h
/// What touches what in a world: collision layers, rules for single pairs, and events when things
/// begin and end to touch.
#ifndef PLIANT_CONTACT_H
#define PLIANT_CONTACT_H

#include "pliant/base.h"
#include "pliant/math.h"
#include "pliant/world.h"

#ifdef __cplusplus
extern "C" {
#endif

// --- filters

/// Set the collision layers of a body from the next step on: `layers` are those it is in, `mask`
/// those it touches, one bit each. Two things touch if each is in a layer of the other's mask. The
/// fields `collision_layers` and `collision_mask` of pl_body_def set the first ones. A body touches
/// itself (self contact) whatever its layers. Fails with PL_ERROR_NOT_FOUND for a stale handle.
PL_API pl_status pl_body_set_collision_filter(pl_world *world, pl_body_id body, uint32_t layers,
                                              uint32_t mask, pl_error *error);

/// Set the collision layers of a collider from the next step on, as pl_body_set_collision_filter()
/// does. Colliders of a rod's own skeleton have none. Fails with PL_ERROR_NOT_FOUND for a stale
/// handle.
PL_API pl_status pl_world_set_collider_filter(pl_world *world, pl_collider_id collider,
                                              uint32_t layers, uint32_t mask, pl_error *error);

/// A rule for a body and one other thing: a body or a collider.
typedef struct pl_contact_pair_def {
  // parameters of src/world/world_parameters.c by `make generate`: begin
  /// Whether the two touch; false for two that their layers would let touch.
  bool collides;  ///< default true
  /// Coulomb coefficient between the two; negative means the geometric mean of theirs.
  double friction;  ///< -1 … 1e3, default -1
  /// Fraction of the speed kept in a bounce; negative means the larger of theirs.
  double restitution;  ///< -1 … 1, default -1
  // parameters: end

  pl_body_id body;          ///< one of the two
  pl_body_id other_body;    ///< the other, if it is a body
  pl_collider_id collider;  ///< the other, if it is a collider
  uint32_t magic;           ///< set by pl_default_contact_pair_def()
} pl_contact_pair_def;

/// A rule that changes nothing yet; the two things are to be filled in.
PL_API pl_contact_pair_def pl_default_contact_pair_def(void);

/// Set the rule for two things from the next step on; it replaces an earlier one for them, and ends
/// when one of them is removed. `restitution` has no effect on rods, and none between colliders and
/// finite elements that adapt, are curves or plane solids, or have a `contact_stiffness`. Fails
/// with PL_ERROR_NOT_FOUND for a stale handle, PL_ERROR_INVALID_ARGUMENT for numbers out of range,
/// a body with itself, or both or neither of the others given, and when out of memory.
PL_API pl_status pl_world_set_contact_pair(pl_world *world, const pl_contact_pair_def *def,
                                           pl_error *error);

/// Remove the rule for the two things of `def`; its numbers are not read. Fails with
/// PL_ERROR_NOT_FOUND if there is none.
PL_API pl_status pl_world_remove_contact_pair(pl_world *world, const pl_contact_pair_def *def,
                                              pl_error *error);

// --- events

/// What happened between two things.
typedef enum pl_contact_event_kind {
  PL_CONTACT_BEGIN = 1,  ///< they touch, and did not in the step before
  PL_CONTACT_PERSIST,    ///< they touch, and did in the step before
  PL_CONTACT_END         ///< they do not touch any more, or one of them was removed
} pl_contact_event_kind;

/// Two things that touch, or did. Of an end, only the things and `step` are set.
typedef struct pl_contact_event {
  pl_contact_event_kind kind;
  pl_body_id body;          ///< of two bodies, the one that was added first
  pl_body_id other_body;    ///< null for a collider
  pl_collider_id collider;  ///< null for a body
  int64_t step;             ///< pl_world_step_count() after the step in which it happened
  int32_t contact_count;    ///< single contacts between the two
  pl_vec3 position;         ///< mean of the contacts, weighted by impulse; metres, in the world
  pl_vec3 normal;           ///< unit mean of their normals, from the other thing towards `body`
  double impulse;  ///< N s: sum along their normals in the step; divided by the step length
                   ///< it is the mean force
  double depth;    ///< metres: deepest overlap before it was resolved, 0 if none
} pl_contact_event;

/// Events of the last call of pl_world_step(), pl_world_advance() or pl_world_settle().
typedef struct pl_contact_event_view {
  const pl_contact_event *events;  ///< beginnings and ends of all steps of the call in their order,
                                   ///< then the pairs that persisted in the last step
  int32_t event_count;
  int32_t missed_count;  ///< events that there was no memory for: more than 32 pairs per body
                         ///< touch, or a call of very many steps
} pl_contact_event_view;

/// Contact events, for a world whose def has `contact_events` set; otherwise there are none. Valid
/// until the next step or change of the world. Self contact makes no events. Of a finite-element
/// body against colliders the impulses are those of its own contact forces at the end of the step;
/// a chain of a rod touches what pushes it in the step. Pairs that sleep make no events, and
/// persist when they wake. After pl_world_restore() pairs that touch begin again.
PL_API pl_contact_event_view pl_world_get_contact_events(const pl_world *world);

#ifdef __cplusplus
}
#endif
#endif
