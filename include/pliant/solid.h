/// @file solid.h
/// The shape-matching solid: a body of tets that is drawn back to its rest shape, or to the nearest
/// mixture of its example poses (paper 000).
#ifndef PLIANT_SOLID_H
#define PLIANT_SOLID_H

#include "pliant/base.h"
#include "pliant/mesh.h"
#include "pliant/model.h"
#include "pliant/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Over what the manifold of examples spans: which regions deform together (paper 000, §4.3).
typedef enum pl_solid_grouping {
  PL_SOLID_GLOBAL = 0,  ///< the whole body follows one mixture of the examples
  PL_SOLID_BY_GROUP,  ///< each named group of points has a mixture of its own; where groups overlap
                      ///< they are blended
  PL_SOLID_BY_REGION,  ///< every point has a mixture of its own
} pl_solid_grouping;

/// How the mixture of examples nearest to the current shape is found.
typedef enum pl_solid_weight_rule {
  PL_SOLID_WEIGHTS_EXACT = 0,  ///< the nearest point of the hull of rest and examples
  PL_SOLID_WEIGHTS_PAPER,      ///< as printed in paper 000: least squares, then negative weights
                               ///< removed one by one
} pl_solid_weight_rule;

/// Which rotation the goals of a region get.
typedef enum pl_solid_goal_rotation {
  PL_SOLID_ROTATION_CONSERVING = 0,  ///< the one that exerts no torque
  PL_SOLID_ROTATION_PAPER,  ///< that of the region itself, as printed; angular momentum drifts
} pl_solid_goal_rotation;

/// Input of pl_solid_build(): a shape-matching solid, with or without example poses (paper 000).
typedef struct pl_solid_def {
  // parameters of src/solid/solid_parameters.c by `make generate`: begin
  /// Fraction of the way to its goal that a particle covers in one `stiffness_step` (the paper's
  /// alpha).
  double stiffness;  ///< above 0 up to 1, default 0.5
  /// Step that `stiffness` refers to, so that it means the same at any step.
  double stiffness_step;  ///< s, above 0 up to 10, default 1/240
  /// Young's modulus, which means the same on any mesh, instead of `stiffness`; 0: by `stiffness`.
  double young;  ///< Pa, 0 … 1e15, default 0
  /// Fraction of an example's weight that stays in the goals (the paper's beta): at 1 the body
  /// stays in an example, below 1 it returns slowly, at 0 it ignores examples.
  double fidelity;  ///< 0 … 1, default 0.995
  /// Vibration dies away as exp(-damping t); rigid motion, flight and tumbling, is spared.
  double damping;  ///< 1/s, 0 … 1e6, default 2
  /// Mass per volume; matters against forces, springs and other bodies, not in free fall.
  double density;  ///< kg/m³, above 0 up to 1e9, default 1000
  /// Coulomb coefficient; with another body or collider the geometric mean of both counts.
  double friction;  ///< 0 … 1e3, default 0.5
  /// Fraction of the speed kept in a bounce; the larger of both bodies' counts. Off colliders: how
  /// much of its elastic rebound is kept.
  double restitution;  ///< 0 … 1, default 0.2
  /// Weight beyond which the rest shape moves along the examples and stays; 0 for never.
  double plastic_threshold;  ///< 0 … 1, default 0
  /// How fast the rest shape moves then.
  double plastic_rate;  ///< 1/s, 0 … 1e6, default 5
  /// Store the exact shape of every region in every example, so that each example is a minimum of
  /// the energy; without, only its affine part, in less time. Only with conserving rotation.
  bool hold_examples;  ///< default true
  /// What follows one mixture of the examples: the whole body, each group, or each region.
  pl_solid_grouping grouping;  ///< default PL_SOLID_GLOBAL
  /// How the nearest mixture is found: exactly, or as the paper prints it.
  pl_solid_weight_rule weight_rule;  ///< default PL_SOLID_WEIGHTS_EXACT
  /// How goals are turned: without torque, or as the paper prints it, which lets angular momentum
  /// drift.
  pl_solid_goal_rotation goal_rotation;  ///< default PL_SOLID_ROTATION_CONSERVING
  /// Gap kept around the surface; negative: the contact thickness of its size.
  double contact_radius;  ///< m, -1 … 1e6, default -1
  /// How far the surface may lie outside the tets.
  double surface_tolerance;  ///< m, 0 … 1e6, default 1e-3
  /// Whether the body collides with itself.
  bool self_contact;  ///< default false
  // parameters: end

  const pl_mesh
      *surface;  ///< finer surface to carry along, or NULL for the boundary of the tets; copied
  const pl_mesh_pose *examples;   ///< poses of the mesh's points that the body prefers; copied
  int32_t example_count;          ///< 0 … 32; 0 is the plain solid
  const float *stiffness_scales;  ///< factor on `stiffness` or `young` per mesh point, above 0 up
                                  ///< to 1e9, or NULL; copied
  const float *density_scales;    ///< factor on `density` per mesh point, likewise
  const float *fidelity_scales;  ///< factor on `fidelity` per mesh point, 0 … 1, or NULL: how far a
                                 ///< part follows the examples; copied
  const float *plastic_scales;  ///< fraction of the plastic change that a mesh point takes part in,
                                ///< 0 (elastic) … 1, or NULL; copied
  const pl_mesh_group *groups;  ///< for PL_SOLID_BY_GROUP: weights per mesh point; points of no
                                ///< group follow the rest shape
  int32_t group_count;
  uint32_t magic;  ///< set by pl_default_solid_def()
} pl_solid_def;

/// Every parameter at its default; no surface of its own, no examples.
PL_API pl_solid_def pl_default_solid_def(void);

/// Prepare a tet mesh as a shape-matching solid: particles at the mesh points, one region per
/// particle made of its 1-ring, grown where the 1-ring is nearly flat. The mesh may be destroyed
/// afterwards. Fails with PL_ERROR_INVALID_DATA when there are no tets, when a point belongs to
/// none, or when the surface lies farther outside the tets than the tolerance.
PL_API pl_status pl_solid_build(pl_context *context, const pl_solid_def *def, const pl_mesh *mesh,
                                pl_model **model, pl_error *error);

/// Whether the region around a mesh point can be held in an example's pose. It cannot where the
/// pose squeezes it to a line or a point, to less than a tenth of its extent across: then next to
/// nothing keeps what lies on both sides of it from turning. True for models of other methods, and
/// for an `example` or `point` that is out of range.
PL_API bool pl_solid_is_held(const pl_model *model, int32_t example, int32_t point);

/// How far a solid is deformed.
typedef struct pl_solid_report {
  int32_t inverted_count;  ///< regions that are inside out
  double
      min_volume_ratio;  ///< smallest volume of a region against that at rest, negative inside out
  int32_t worst_point;   ///< the mesh point around which that region lies
} pl_solid_report;

/// How far a body is deformed now. Fails with PL_ERROR_NOT_FOUND for a stale handle,
/// PL_ERROR_UNSUPPORTED for a body of another method.
PL_API pl_status pl_solid_get_report(const pl_world *world, pl_body_id body,
                                     pl_solid_report *report);

#ifdef __cplusplus
}
#endif
#endif
