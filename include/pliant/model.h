/// @file model.h
/// Models: meshes prepared for one simulation method. A model is immutable; many bodies in many worlds may share one.
#ifndef PLIANT_MODEL_H
#define PLIANT_MODEL_H

#include "pliant/base.h"
#include "pliant/math.h"
#include "pliant/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A prepared body of any method.
typedef struct pl_model pl_model;

/// Input of pl_solid_build(): a shape-matching solid (paper 000).
typedef struct pl_solid_def {
  double density;  ///< kg per cubic metre; masses are lumped to the particles
  double
      stiffness;  ///< alpha of eq. 4 in (0, 1]: the share of the way to its goal a particle covers in one step of `stiffness_step`
  double stiffness_step;     ///< the step in seconds that `stiffness` refers to, so that it means the same at any step length
  double damping;            ///< 1/s; slows motion relative to the body's rigid motion, which it spares
  double friction;           ///< Coulomb coefficient
  double restitution;        ///< 0 … 1
  double contact_radius;     ///< metres kept free around the surface; 0 for none
  bool self_contact;         ///< collide the body's surface with itself
  const pl_mesh *surface;    ///< finer surface to carry along, or NULL for the boundary of the tets; copied
  double surface_tolerance;  ///< metres a surface point may lie outside the tets
  uint32_t magic;            ///< set by pl_default_solid_def()
} pl_solid_def;

/// 1000 kg/m³, stiffness 0.5 at 1/240 s, damping 2/s, friction 0.5, restitution 0.2, surface tolerance 1 mm.
PL_API pl_solid_def pl_default_solid_def(void);

/// Prepare a tet mesh as a shape-matching solid: particles at the mesh points, one region per particle made of its 1-ring, grown where
/// the 1-ring is nearly flat. The mesh may be destroyed afterwards. Fails with PL_ERROR_INVALID_DATA when there are no tets, when a point
/// belongs to none, or when the surface lies farther outside the tets than the tolerance.
PL_API pl_status pl_solid_build(pl_context *context, const pl_solid_def *def, const pl_mesh *mesh, pl_model **model,
                                pl_error *error);

/// Destroy a model. Worlds that hold bodies of it must be gone. NULL is allowed.
PL_API void pl_model_destroy(pl_model *model);

/// What is in a model.
typedef struct pl_model_report {
  const char *method;  ///< "solid" …
  int32_t particle_count;
  int32_t surface_point_count;
  int32_t surface_triangle_count;
  double mass;         ///< kg
  pl_box box;          ///< of the rest shape
  int64_t byte_count;  ///< memory held
  uint64_t hash;       ///< of everything that decides how the model behaves
} pl_model_report;

/// Facts about a model.
PL_API pl_model_report pl_model_describe(const pl_model *model);

/// Triangles of the model's surface, 3 surface point indices each; valid as long as the model. Surface points are those of the def's
/// `surface` in its order, or the boundary points of the tets in theirs.
PL_API const int32_t *pl_model_surface_triangles(const pl_model *model);

#ifdef __cplusplus
}
#endif
#endif
