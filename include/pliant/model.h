/// @file model.h
/// Models: meshes or skeletons prepared for one simulation method. A model is immutable; many
/// bodies in many worlds may share one.
#ifndef PLIANT_MODEL_H
#define PLIANT_MODEL_H

#include "pliant/base.h"
#include "pliant/math.h"
#include "pliant/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A body prepared for one simulation method. Immutable; may be shared by many bodies and used from
/// several threads at once.
typedef struct pl_model pl_model;

/// Destroy a model. Worlds that hold bodies of it must be gone. NULL is allowed.
PL_API void pl_model_destroy(pl_model *model);

/// Properties of a model.
typedef struct pl_model_report {
  const char *method;  ///< "solid" …
  int32_t particle_count;
  int32_t surface_point_count;
  int32_t surface_triangle_count;
  double mass;            ///< kg
  pl_box box;             ///< of the rest shape
  double contact_radius;  ///< metres: gap kept around the surface, as given or automatic
  int64_t byte_count;     ///< memory held
  uint64_t hash;          ///< of everything that decides how the model behaves
} pl_model_report;

/// Properties of a model. Never fails.
PL_API pl_model_report pl_model_get_report(const pl_model *model);

/// Triangles of the model's surface, 3 surface point indices each; valid as long as the model.
/// Surface points are those of the def's `surface` in its order, or the boundary points of the tets
/// in theirs.
PL_API const int32_t *pl_model_get_surface_triangles(const pl_model *model);

/// The examples of a model, and the sets of weights that blend them.
typedef struct pl_example_view {
  int32_t example_count;     ///< 0: the model has none
  const char *const *names;  ///< example_count; valid as long as the model
  int32_t
      manifold_count;  ///< sets of weights that can be read: 1, one per group, or one per particle
  const char *const *manifold_names;  ///< names of the groups, NULL where they have none
  int32_t given_count;                ///< sets of weights that can be given: 1 or one per group
} pl_example_view;

/// Examples of a model; all zero for a model without examples.
PL_API pl_example_view pl_model_get_examples(const pl_model *model);

#ifdef __cplusplus
}
#endif
#endif
