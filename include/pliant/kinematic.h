/// @file kinematic.h
/// Kinematic meshes: surfaces that an animation deforms, such as a skinned character or a point
/// cache. They are bodies of a world: others touch them, and attachments tie to them, but nothing
/// pushes them.
#ifndef PLIANT_KINEMATIC_H
#define PLIANT_KINEMATIC_H

#include "pliant/base.h"
#include "pliant/mesh.h"
#include "pliant/model.h"
#include "pliant/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Input of pl_kinematic_build().
typedef struct pl_kinematic_def {
  // parameters of src/kinematic/kinematic_parameters.c by `make generate`: begin
  /// Coulomb coefficient; with another body the geometric mean of both counts.
  double friction;  ///< 0 … 1e3, default 0.5
  /// Fraction of the speed kept in a bounce; the larger of both bodies' counts.
  double restitution;  ///< 0 … 1, default 0
  /// Gap kept around the surface.
  double contact_radius;  ///< m, 0 … 1e6, default 0
  // parameters: end

  uint32_t magic;  ///< set by pl_default_kinematic_def()
} pl_kinematic_def;

/// Every parameter at its default.
PL_API pl_kinematic_def pl_default_kinematic_def(void);

/// Prepare a kinematic mesh. `mesh` has triangles; particles are its points, in their order, and
/// its shape is where a body starts. It may be destroyed afterwards. Soft and rigid bodies touch it
/// as they touch each other, all along its way, and friction takes them along; chains of rods touch
/// it as they touch a collider: there it should be closed. Two kinematic meshes do not touch each
/// other, nor do they touch colliders. Mass, momentum and energy of such a body count as zero. The
/// caller owns the model. Fails with PL_ERROR_INVALID_ARGUMENT, naming the field, for a def that is
/// wrong, with PL_ERROR_INVALID_DATA for a mesh without triangles, and when out of memory; `*model`
/// is then NULL.
PL_API pl_status pl_kinematic_build(pl_context *context, const pl_kinematic_def *def,
                                    const pl_mesh *mesh, pl_model **model, pl_error *error);

/// Move the points of a kinematic body to `points` (metres, in the world, one per particle) within
/// `seconds`: they move there evenly over the coming inner steps and then stay. 0 seconds: within
/// the next step. Call it before every step with the animation at the end of that step, and the
/// surface follows the animation exactly. A target replaces one that has not been reached. To put
/// the body somewhere at once use pl_body_set_state(). Fails with PL_ERROR_NOT_FOUND for a stale
/// handle, PL_ERROR_UNSUPPORTED for a body of another method, PL_ERROR_INVALID_ARGUMENT for numbers
/// that are not finite or a negative time; nothing has changed then.
PL_API pl_status pl_kinematic_set_target(pl_world *world, pl_body_id body, const pl_vec3 *points,
                                         double seconds, pl_error *error);

#ifdef __cplusplus
}
#endif
#endif
