/// @file spring.h
/// Spring bones exactly as VRM specifies them, node by node (part of the lab). A rod moves the same
/// chains with more (lengths along whole segments, reaction, examples); this is for results that
/// agree with other programs.
#ifndef PLIANT_SPRING_H
#define PLIANT_SPRING_H

#include "pliant/base.h"
#include "pliant/character.h"
#include "pliant/math.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The spring bones of a character and their state. One thread at a time.
typedef struct pl_spring pl_spring;

/// Create the spring bones of a character, at rest. Each joint moves the tail of its bone by VRM's
/// update, in the frame of its `center`, and then out of its colliders: spheres and capsules around
/// the tail of the hit radius, and the planes and hollow shapes of
/// VRMC_springBone_extended_collider. A spring whose first joint has no parent is held by the
/// world. Joints move after those above them and after those that their colliders are attached to.
/// The caller owns the springs; the character must outlive them. Fails when out of memory.
PL_API pl_status pl_spring_create(pl_context *context, const pl_character *character,
                                  pl_spring **spring, pl_error *error);

/// Destroy spring bones. NULL is allowed.
PL_API void pl_spring_destroy(pl_spring *spring);

/// Number of joints that move.
PL_API int32_t pl_spring_joint_count(const pl_spring *spring);

/// Put all tails where `nodes` (global transforms of all nodes, as pl_character_sample() gives
/// them) have them, without velocity.
PL_API void pl_spring_reset(pl_spring *spring, const pl_transform *nodes);

/// One update over `seconds`. `nodes` are the global transforms of all nodes at its end, as
/// pl_character_sample() gives them; those of the joints and of all below them are replaced. VRM
/// players update once per frame, most of them 60 times per second, and stiffness and gravity
/// depend on that length: use 1/60 s to agree with them.
PL_API void pl_spring_step(pl_spring *spring, double seconds, pl_transform *nodes);

#ifdef __cplusplus
}
#endif
#endif
