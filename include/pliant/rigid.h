/// @file rigid.h
/// Rigid bodies: spheres, capsules, boxes, convex hulls and closed meshes that move and turn but do
/// not deform. Soft bodies push them and are pushed by them.
#ifndef PLIANT_RIGID_H
#define PLIANT_RIGID_H

#include "pliant/base.h"
#include "pliant/mesh.h"
#include "pliant/model.h"
#include "pliant/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Shape of a rigid body, in its own frame.
typedef enum pl_rigid_shape {
  PL_RIGID_MESH = 0,  ///< solid inside a closed triangle mesh, or the tets of a mesh
  PL_RIGID_HULL,      ///< convex hull of the points of a mesh
  PL_RIGID_SPHERE,    ///< `radius` around the origin
  PL_RIGID_CAPSULE,   ///< `radius` around the segment from (0, -half_length, 0) to (0, half_length,
                      ///< 0)
  PL_RIGID_BOX,       ///< `half_size` around the origin
} pl_rigid_shape;

/// Input of pl_rigid_build().
typedef struct pl_rigid_def {
  // parameters of src/rigid/rigid_parameters.c by `make generate`: begin
  /// What the body is: the inside of its mesh, the convex hull of its points, or a sphere, capsule
  /// or box of its own.
  pl_rigid_shape shape;  ///< default PL_RIGID_MESH
  /// Of a sphere or capsule.
  double radius;  ///< m, above 0 up to 1e9, default 0.5
  /// Of a capsule's axis along y.
  double half_length;  ///< m, 0 … 1e9, default 0.5
  /// Half the edge lengths of a box.
  pl_vec3 half_size;  ///< m, above 0 up to 5e8, default (0.5, 0.5, 0.5)
  /// How finely a sphere or capsule is divided into triangles; each subdivision halves their edges.
  int32_t subdivisions;  ///< 0 … 6, default 3
  /// Mass per volume; used when `mass` is 0.
  double density;  ///< kg/m³, above 0 up to 1e9, default 1000
  /// Of the whole body; 0: from the density.
  double mass;  ///< kg, 0 … 1e15, default 0
  /// Coulomb coefficient; with another body or collider the geometric mean of both counts.
  double friction;  ///< 0 … 1e3, default 0.5
  /// Fraction of the speed kept in a bounce; the larger of both bodies' counts.
  double restitution;  ///< 0 … 1, default 0
  /// The velocity dies away as exp(-damping t).
  double damping;  ///< 1/s, 0 … 1e6, default 0
  /// The angular momentum dies away as exp(-angular_damping t).
  double angular_damping;  ///< 1/s, 0 … 1e6, default 0
  /// Gap kept around the surface; negative: the contact thickness of its size.
  double contact_radius;  ///< m, -1 … 1e6, default -1
  // parameters: end

  uint32_t magic;  ///< set by pl_default_rigid_def()
} pl_rigid_def;

/// Every parameter at its default: the shape is that of the mesh.
PL_API pl_rigid_def pl_default_rigid_def(void);

/// Prepare a rigid body. `mesh` is needed for PL_RIGID_MESH and PL_RIGID_HULL and otherwise NULL;
/// it may be destroyed afterwards. Particles are the points of the mesh, or those of the triangles
/// that a sphere, capsule or box is drawn and touched with. Mass, centre of mass and inertia are
/// those of the exact shape of uniform density, not of its triangles. The caller owns the model.
/// Fails with PL_ERROR_INVALID_ARGUMENT, naming the field, for a def that is wrong, with
/// PL_ERROR_INVALID_DATA for a mesh that encloses no volume, and when out of memory; `*model` is
/// then NULL.
PL_API pl_status pl_rigid_build(pl_context *context, const pl_rigid_def *def, const pl_mesh *mesh,
                                pl_model **model, pl_error *error);

/// Mass properties of a rigid body.
typedef struct pl_rigid_report {
  double mass;      ///< kg
  pl_vec3 center;   ///< centre of mass in the mesh's frame, metres
  pl_mat3 inertia;  ///< around the centre of mass, in the axes of the mesh's frame, kg m²
} pl_rigid_report;

/// Mass properties of a model. Fails with PL_ERROR_UNSUPPORTED for a model that is not rigid; may
/// be called from several threads at once.
PL_API pl_status pl_rigid_get_report(const pl_model *model, pl_rigid_report *report);

/// Where a rigid body is and how it moves.
typedef struct pl_rigid_motion {
  pl_transform placement;    ///< of the mesh's frame in the world
  pl_vec3 velocity;          ///< of the centre of mass, m/s
  pl_vec3 angular_velocity;  ///< in the world's frame, rad/s
} pl_rigid_motion;

/// Placement and velocities of a rigid body. Fails with PL_ERROR_NOT_FOUND for a stale handle,
/// PL_ERROR_UNSUPPORTED for a body that is not rigid.
PL_API pl_status pl_rigid_get_motion(const pl_world *world, pl_body_id body,
                                     pl_rigid_motion *motion);

/// Set placement and velocities of a rigid body at once. Fails as pl_rigid_get_motion(), and with
/// PL_ERROR_INVALID_ARGUMENT for numbers that are not finite; nothing has changed then.
PL_API pl_status pl_rigid_set_motion(pl_world *world, pl_body_id body,
                                     const pl_rigid_motion *motion, pl_error *error);

/// Change the velocities of a rigid body at once by an impulse (N s) at a point (metres, in the
/// world). Fails as pl_rigid_set_motion().
PL_API pl_status pl_rigid_add_impulse(pl_world *world, pl_body_id body, pl_vec3 impulse,
                                      pl_vec3 point, pl_error *error);

#ifdef __cplusplus
}
#endif
#endif
