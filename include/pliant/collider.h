/// @file collider.h
/// Colliders: half-spaces, spheres, capsules, boxes and triangle meshes, fixed or moving along key
/// frames.
#ifndef PLIANT_COLLIDER_H
#define PLIANT_COLLIDER_H

#include "pliant/base.h"
#include "pliant/math.h"
#include "pliant/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Shape of a collider, in its own frame.
typedef enum pl_collider_shape {
  PL_COLLIDER_HALF_SPACE = 1,  ///< solid below Y = 0
  PL_COLLIDER_SPHERE,          ///< `radius` around the origin
  PL_COLLIDER_CAPSULE,         ///< `radius` around the segment from (0, -half_length, 0) to (0, half_length, 0)
  PL_COLLIDER_BOX,             ///< `half_size` around the origin
  PL_COLLIDER_MESH,            ///< solid inside a closed triangle mesh
} pl_collider_shape;

/// Placement of an animated collider at a time. Between keys the position is linear and the
/// rotation follows the shorter arc.
typedef struct pl_collider_key {
  double time;  ///< seconds, increasing
  pl_transform placement;
} pl_collider_key;

/// Input of pl_world_add_collider().
typedef struct pl_collider_def {
  pl_collider_shape shape;
  pl_transform placement;       ///< used when there are no keys
  double radius;                ///< metres
  double half_length;           ///< metres
  pl_vec3 half_size;            ///< metres
  const pl_mesh *mesh;          ///< for PL_COLLIDER_MESH; copied
  double friction;              ///< Coulomb coefficient; combined with the body's by geometric mean
  double restitution;           ///< 0 … 1; the larger of the two counts
  const pl_collider_key *keys;  ///< copied
  int32_t key_count;
  bool loop;       ///< repeat the keys after the last; otherwise the last placement is kept
  uint32_t magic;  ///< set by pl_default_collider_def()
} pl_collider_def;

/// A still collider of the given form at the origin, friction 0.5, restitution 0.
PL_API pl_collider_def pl_default_collider_def(pl_collider_shape shape);

#ifdef __cplusplus
}
#endif
#endif
