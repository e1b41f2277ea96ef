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

/// Over what the manifold of examples spans: which regions deform together (paper 000, §4.3).
typedef enum pl_solid_grouping {
  PL_SOLID_GLOBAL = 0,  ///< the whole body follows one mixture of the examples
  PL_SOLID_BY_GROUP,    ///< each named group of points has a mixture of its own; where groups overlap they are blended
  PL_SOLID_BY_REGION,   ///< every point has a mixture of its own
} pl_solid_grouping;

/// How the mixture of examples nearest to the current shape is found.
typedef enum pl_solid_weight_rule {
  PL_SOLID_WEIGHTS_EXACT = 0,  ///< the nearest point of the hull of rest and examples
  PL_SOLID_WEIGHTS_PAPER,      ///< as printed in paper 000: least squares, then negative weights removed one by one
} pl_solid_weight_rule;

/// Which rotation the goals of a region get.
typedef enum pl_solid_goal_rotation {
  PL_SOLID_ROTATION_CONSERVING = 0,  ///< the one that exerts no torque
  PL_SOLID_ROTATION_PAPER,           ///< that of the region itself, as printed; angular momentum drifts
} pl_solid_goal_rotation;

/// Input of pl_solid_build(): a shape-matching solid, with or without example poses (paper 000).
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

  const pl_mesh_pose *examples;  ///< poses of the mesh's points that the body prefers; copied
  int32_t example_count;         ///< 0 … 32; 0 is the plain solid
  double fidelity;               ///< beta in [0, 1]: 1 stays in an example for good, less lets go of it slowly, 0 ignores them
  pl_solid_grouping grouping;    ///< which regions deform together
  const pl_mesh_group *groups;   ///< for PL_SOLID_BY_GROUP: weights per mesh point; points of no group follow the rest shape
  int32_t group_count;
  pl_solid_weight_rule weight_rule;      ///< how the nearest mixture is found
  pl_solid_goal_rotation goal_rotation;  ///< which rotation the goals get
  bool hold_examples;        ///< make every example a true equilibrium, not only affine ones; only with conserving rotation
  double plastic_threshold;  ///< weight beyond which the rest shape moves along the examples and stays; 0: elastic
  double plastic_rate;       ///< 1/s; how fast it moves
  uint32_t magic;            ///< set by pl_default_solid_def()
} pl_solid_def;

/// 1000 kg/m³, stiffness 0.5 at 1/240 s, damping 2/s, friction 0.5, restitution 0.2, surface tolerance 1 mm; no examples, fidelity 0.995,
/// one exact, conserving manifold that holds its examples, elastic.
PL_API pl_solid_def pl_default_solid_def(void);

/// Prepare a tet mesh as a shape-matching solid: particles at the mesh points, one region per
/// particle made of its 1-ring, grown where the 1-ring is nearly flat. The mesh may be destroyed
/// afterwards. Fails with PL_ERROR_INVALID_DATA when there are no tets, when a point belongs to
/// none, or when the surface lies farther outside the tets than the tolerance.
PL_API pl_status pl_solid_build(pl_context *context, const pl_solid_def *def, const pl_mesh *mesh, pl_model **model,
                                pl_error *error);

/// Destroy a model. All worlds that hold bodies of it must have been destroyed before. NULL is
/// allowed.
PL_API void pl_model_destroy(pl_model *model);

/// Properties of a model.
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

/// Properties of a model. Never fails.
PL_API pl_model_report pl_model_get_report(const pl_model *model);

/// Triangles of the model's surface, 3 surface point indices each; valid as long as the model.
/// Surface points are those of the def's `surface` in its order, or the boundary points of the tets
/// in theirs.
PL_API const int32_t *pl_model_get_surface_triangles(const pl_model *model);

/// The examples of a model, and the sets of weights that blend them.
typedef struct pl_example_view {
  int32_t example_count;              ///< 0: the model has none
  const char *const *names;           ///< example_count; valid as long as the model
  int32_t manifold_count;             ///< sets of weights that can be read: 1, one per group, or one per particle
  const char *const *manifold_names;  ///< names of the groups, NULL where they have none
  int32_t given_count;                ///< sets of weights that can be given: 1 or one per group
} pl_example_view;

/// Examples of a model; all zero for a model without examples.
PL_API pl_example_view pl_model_get_examples(const pl_model *model);

#ifdef __cplusplus
}
#endif
#endif
