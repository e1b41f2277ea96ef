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
  PL_COLLIDER_CAPSULE,         ///< `radius` around the segment from (0, -half_length, 0) to (0,
                               ///< half_length, 0)
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
  // parameters of src/contact/collider_parameters.c by `make generate`: begin
  /// Of a sphere or capsule.
  double radius;  ///< m, above 0 up to 1e9, default 0.5
  /// Of a capsule's axis along y.
  double half_length;  ///< m, 0 … 1e9, default 0.5
  /// Half the edge lengths of a box.
  pl_vec3 half_size;  ///< m, above 0 up to 5e8, default (0.5, 0.5, 0.5)
  /// Coulomb coefficient; combined with the body's by geometric mean.
  double friction;  ///< 0 … 1e3, default 0.5
  /// Fraction of the speed kept in a bounce; the larger of collider and body counts.
  double restitution;  ///< 0 … 1, default 0
  /// Layers that it is in, one bit each. Two things touch if each is in a layer of the other's
  /// mask.
  uint32_t collision_layers;  ///< 0 … 4294967295, default 1
  /// Layers that it touches, one bit each; 4294967295 is all 32.
  uint32_t collision_mask;  ///< 0 … 4294967295, default 4294967295
  /// Whether the motion along the keys repeats; otherwise the last placement is kept.
  bool loop;  ///< default false
  // parameters: end

  pl_collider_shape shape;
  pl_transform placement;       ///< used when there are no keys
  const pl_mesh *mesh;          ///< for PL_COLLIDER_MESH; copied
  const pl_collider_key *keys;  ///< copied
  int32_t key_count;
  uint32_t magic;  ///< set by pl_default_collider_def()
} pl_collider_def;

/// A still collider of the given form at the origin, every parameter at its default.
PL_API pl_collider_def pl_default_collider_def(pl_collider_shape shape);

#ifdef __cplusplus
}
#endif
#endif
