/// @file fem.h
/// Finite elements: curves, shells and solids with a Young's modulus in pascals, stepped
/// implicitly.
#ifndef PLIANT_FEM_H
#define PLIANT_FEM_H

#include "pliant/base.h"
#include "pliant/math.h"
#include "pliant/mesh.h"
#include "pliant/model.h"
#include "pliant/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A linear solver of the lab.
struct pl_linear_backend;

/// Material model. Each says which elements of the mesh it uses.
typedef enum pl_fem_material {
  PL_FEM_COROTATED =
      0,  ///< tets: corotated linear elasticity with exact tangent (paper 002, eqs. 1 to 3)
  PL_FEM_NEO_HOOKEAN,  ///< tets: stable neo-Hookean
  PL_FEM_EDGES,        ///< tets: edge lengths and volume (paper 004, appendix A)
  PL_FEM_SHELL,        ///< triangles: edges, areas and dihedral angles (paper 004, appendix A)
  PL_FEM_PLANE,  ///< triangles in a plane z = const, moving in it: Green strain and area (paper
                 ///< 004, appendix A)
  PL_FEM_CURVE,  ///< segments in a plane z = const, moving in it: lengths and angles (paper 004,
                 ///< appendix A)
  PL_FEM_FAST,   ///< tets: corotated for interactive use, one constant matrix factored once, volume
                 ///< kept by a few iterations
  PL_FEM_YEOH,   ///< tets: Yeoh's rubber, stable neo-Hookean with two coefficients more
} pl_fem_material;

/// Degree of the displacements within a tet.
typedef enum pl_fem_element_order {
  PL_FEM_LINEAR = 0,  ///< four nodes: the corners
  PL_FEM_QUADRATIC,   ///< ten nodes: corners and one on every edge (pl_mesh_view::tet_mids)
} pl_fem_element_order;

/// Time integration.
typedef enum pl_fem_scheme {
  PL_FEM_SECOND_ORDER = 0,  ///< keeps energy and damps only what the material damps; the default
  PL_FEM_IMPLICIT_EULER,    ///< first order: damps by itself, never gains energy
} pl_fem_scheme;

/// Steps of the second-order scheme that are steps of implicit Euler all the same.
typedef enum pl_fem_implicit_steps {
  PL_FEM_IMPLICIT_NONE = 0,  ///< none but those that would gain energy; the default
  PL_FEM_IMPLICIT_IMPACTS,   ///< those in which a point is about to meet a collider
  PL_FEM_IMPLICIT_CONTACT,   ///< those in which a point is about to meet or touches a collider
} pl_fem_implicit_steps;

/// Linear solver.
typedef enum pl_fem_solver {
  PL_FEM_SOLVER_AUTO = 0,  ///< chosen from size and stiffness; the report says why
  PL_FEM_SOLVER_CG,        ///< conjugate gradients
  PL_FEM_SOLVER_DIRECT,  ///< a factorisation: dense for small bodies, otherwise the lab's, if given
} pl_fem_solver;

/// Input of pl_fem_build().
typedef struct pl_fem_def {
  // parameters of src/fem/fem_parameters.c by `make generate`: begin
  /// What the mesh is made of. Tets: corotated linear, stable neo-Hookean, Yeoh, edge lengths and
  /// volumes, or `fast` for interactive use. Triangles: a shell, or a plane solid that moves in its
  /// plane z = const. Segments: a curve in a plane z = const.
  pl_fem_material material;  ///< default PL_FEM_COROTATED
  /// Young's modulus, in pascals whatever `length_unit` a scene has.
  double young;  ///< Pa, above 0 up to 1e15, default 1e5
  /// Poisson's ratio: 0.3 for most solids, near 0.5 for what keeps its volume.
  double poisson;  ///< above -1 up to 0.4999, default 0.3
  /// Tets of corotated, neo-hookean and yeoh: linear, or quadratic with a node on every edge, which
  /// neither lock in bending nor near a Poisson's ratio of 1/2. A mesh without such nodes gets
  /// them.
  pl_fem_element_order element;  ///< default PL_FEM_LINEAR
  /// Of yeoh: second coefficient as a fraction of the first, c2 / c1.
  double stiffening;  ///< -1 … 1e3, default 0
  /// Of yeoh: third coefficient as a fraction of the first, c3 / c1.
  double late_stiffening;  ///< -1 … 1e3, default 0
  /// Mass per volume; of shells, plane solids and curves too.
  double density;  ///< kg/m³, above 0 up to 1e9, default 1000
  /// Of a shell or plane solid; side of a curve's square cross-section.
  double thickness;  ///< m, above 0 up to 1e6, default 0.01
  /// Alpha of Rayleigh damping: slows all motion, slow motion most.
  double mass_damping;  ///< 1/s, 0 … 1e6, default 0
  /// Beta of Rayleigh damping: slows deformation, fast vibration most.
  double stiffness_damping;  ///< s, 0 … 1e3, default 0
  /// Viscoelastic tets: stiffness of a Maxwell branch as a fraction of `young`, which stays the
  /// modulus at rest: E(t) = young (1 + prony_ratio exp(-t / prony_time) + …) after a sudden
  /// strain.
  double prony_ratio;  ///< 0 … 1e3, default 0
  /// Relaxation time of that branch: damping is strongest at a frequency of 1 / (2 pi prony_time).
  double prony_time;  ///< s, above 0 up to 1e9, default 0.1
  /// The same of a second branch.
  double second_prony_ratio;  ///< 0 … 1e3, default 0
  /// Relaxation time of the second branch.
  double second_prony_time;  ///< s, above 0 up to 1e9, default 1
  /// Structural damping of tets: loss tangent that is the same at all frequencies from
  /// `loss_frequency` to 2,000 times that, twice the damping ratio. The modulus grows with
  /// frequency, from `young` at rest, by about 2 / pi of it per factor e.
  double loss_factor;  ///< 0 … 1, default 0
  /// Lowest frequency at which structural damping acts in full.
  double loss_frequency;  ///< Hz, above 0 up to 1e9, default 0.5
  /// How time is stepped: second order keeps energy, implicit Euler damps by itself.
  pl_fem_scheme scheme;  ///< default PL_FEM_SECOND_ORDER
  /// Of the second-order scheme: steps that are ones of implicit Euler all the same. None; those in
  /// which a point is about to meet a collider, so that the impact does not throw a stiff body
  /// back; or all in which a point meets or touches one, so that only flight is of second order.
  /// Not of `fast`.
  pl_fem_implicit_steps implicit_steps;  ///< default PL_FEM_IMPLICIT_NONE
  /// How linear systems are solved: chosen from size and stiffness, conjugate gradients, or a
  /// factorisation.
  pl_fem_solver solver;  ///< default PL_FEM_SOLVER_AUTO
  /// Maximum Newton iterations a step; a scene allows an `actor` more when absent.
  int32_t max_newton_iterations;  ///< 1 … 1000, default 8
  /// Residual force, as a fraction of the typical one, at which a step counts as solved; a scene
  /// takes less for an `actor` when absent.
  double newton_tolerance;  ///< above 0 up to 1, default 1e-4
  /// Of `fast`: iterations that keep the volume; where Poisson's ratio is above 0.492, more are
  /// made as needed.
  int32_t volume_rounds;  ///< 0 … 1000, default 2
  /// Fraction of a projected weight of an example that stays in the rest shape: at 1 the body stays
  /// in any mixture of its examples, below 1 it returns from them.
  double fidelity;  ///< 0 … 1, default 1
  /// Of PL_FEM_FAST: the step that the constant matrix is for; worlds must step by it or a whole
  /// multiple of it.
  double fast_step;  ///< s, above 0 up to 10, default 1/60
  /// Coulomb coefficient.
  double friction;  ///< 0 … 1e3, default 0.5
  /// Fraction of the speed kept in a bounce; the larger of both counts. Not of curves, plane
  /// solids, bodies that adapt and those with `contact_stiffness`.
  double restitution;  ///< 0 … 1, default 0
  /// Gap kept around the surface; half the thickness lets a shell or curve rest on its outside.
  /// Negative: the contact thickness of its size, 0 for a body that adapts.
  double contact_radius;  ///< m, -1 … 1e6, default -1
  /// Of colliders: force per depth and area; 0 means ten times that of a layer of elements, or what
  /// stops the inertia of a layer within a step.
  double contact_stiffness;  ///< N/m³, 0 … 1e18, default 0
  /// Of colliders and bodies that adapt (actors): depth beyond which the force grows faster than
  /// linearly, to six times at twice this depth, so that an edge that carries much sinks little
  /// deeper; 0: nowhere. Negative: stiffness and hardening follow the weight, so that few points
  /// carry it at twice the contact thickness of the body's size.
  double contact_hardening;  ///< m, -1 … 1e6, default 0
  /// How far the surface may lie outside the tets.
  double surface_tolerance;  ///< m, 0 … 1e6, default 1e-3
  /// Whether the body collides with itself.
  bool self_contact;  ///< default false
  /// The state holds the rest shape, so that an actor can change it (actor.h). Stiffness damping
  /// then acts on changes of shape only and has no torque. Not with PL_FEM_FAST or examples.
  bool adapts;  ///< default false
  // parameters: end

  const double
      *young_scales;  ///< factor on `young` per element (tet, triangle or segment), or NULL; copied
  const double *density_scales;  ///< factor on `density` per element, or NULL; copied
  const double *added_masses;    ///< kg per point of the mesh, from 0 up, on top of what the
                                 ///< elements have: weights, markers; or NULL; copied
  /// PL_FEM_FAST: points that pins without a stiffness will hold, so that its matrix is factored
  /// for them and steps need no iterations to hold them. A second factor of the same size; steps
  /// in which one of these points is not held use the other. NULL for none; copied.
  const int32_t *held_points;
  int32_t held_count;      ///< 0 … number of points
  const pl_mesh *surface;  ///< finer surface to carry along, or NULL for the elements' own; copied
  const pl_mesh_pose *examples;  ///< poses whose element shapes the rest shape is mixed from (paper
                                 ///< 004, section 5.1); copied
  int32_t example_count;         ///< 0 … 32
  const struct pl_linear_backend
      *direct;     ///< sparse factorisation of the lab, or NULL; used where the solver says so
  uint32_t magic;  ///< set by pl_default_fem_def()
} pl_fem_def;

/// Every parameter at its default, of the given material; mesh and all else are to be filled in.
PL_API pl_fem_def pl_default_fem_def(pl_fem_material material);

/// Build a finite-element model from a mesh; particles are its points, and for PL_FEM_QUADRATIC of
/// a mesh without `tet_mids` the middles of its edges behind them, as pl_mesh_build_quadratic()
/// makes them. The mesh may be destroyed afterwards. The caller owns the model. Fails with
/// PL_ERROR_INVALID_DATA, naming the element, when the mesh has no elements of the kind that the
/// material uses, when one has no volume, area or length, or when a point belongs to no element;
/// PL_ERROR_INVALID_ARGUMENT for a def out of range.
PL_API pl_status pl_fem_build(pl_context *context, const pl_fem_def *def, const pl_mesh *mesh,
                              pl_model **model, pl_error *error);

/// Work and result of the last step or equilibrium of a finite-element body.
typedef struct pl_fem_report {
  int32_t newton_count;      ///< Newton iterations
  bool converged;            ///< the residual is below the tolerance
  bool damped;               ///< the step would have gained energy and was damped
  int32_t linear_count;      ///< iterations of the linear solver in all of them
  double residual;           ///< newtons, largest of any point
  double relative_residual;  ///< root of the sum of squares of all residual forces, relative to
                             ///< that of the forces that balance
  double energy;             ///< J, elastic
  double assembly_seconds;   ///< wall-clock time in energies, forces and matrices
  double factor_seconds;     ///< in factorisations and preconditioners
  double solve_seconds;      ///< in linear solves
  char solver[400];          ///< which solver was used and why
} pl_fem_report;

/// Report of a body's last step. Fails with PL_ERROR_NOT_FOUND for a stale handle,
/// PL_ERROR_UNSUPPORTED for a body of another method.
PL_API pl_status pl_fem_get_report(const pl_world *world, pl_body_id body, pl_fem_report *report);

/// Elastic Cauchy stress (Pa) of every tet of a body in its present pose: xx, yy, zz, xy, yz, xz in
/// the world's axes, 6 numbers per tet in the order of the mesh; tension is positive. The rest
/// shape is that of the last step (examples, actors); damping is not part of it. A tet without
/// volume has stress 0. Fails with PL_ERROR_NOT_FOUND for a stale handle, PL_ERROR_UNSUPPORTED for
/// bodies that are not of tets or of another method, and when out of memory.
PL_API pl_status pl_fem_get_stress(const pl_world *world, pl_body_id body, double *stresses,
                                   pl_error *error);

/// Young's modulus (Pa) of every tet of a model, in the order of the mesh. Fails with
/// PL_ERROR_UNSUPPORTED for models that are not of tets or of another method.
PL_API pl_status pl_fem_get_moduli(const pl_model *model, double *moduli);

/// Number of tets of a model, 0 for models that are not of tets or of another method.
PL_API int32_t pl_fem_tet_count(const pl_model *model);

/// Input of pl_fem_equilibrium().
typedef struct pl_fem_equilibrium_def {
  // parameters of src/fem/fem_parameters.c by `make generate`: begin
  /// Such as gravity.
  pl_vec3 acceleration;  ///< m/s², default (0, 0, 0)
  /// The load is applied in this many steps.
  int32_t load_steps;  ///< 1 … 1e6, default 1
  /// Maximum Newton iterations per load step.
  int32_t max_newton_iterations;  ///< 1 … 1e6, default 50
  /// Residual force as a fraction of the load.
  double tolerance;  ///< above 0 up to 1, default 1e-8
  // parameters: end

  const pl_vec3 *forces;  ///< newtons per point, or NULL
  const int32_t *pinned;  ///< points that stay where `positions` has them
  int32_t pinned_count;
  const uint8_t *pinned_axes;  ///< per pin, the coordinates that stay: 1 for x + 2 for y + 4 for z;
                               ///< NULL: all three. A plane of symmetry holds one.
  pl_vec3 *reactions;          ///< receives the force in newtons that holds each point, 0 in free
                               ///< coordinates; or NULL
  uint32_t magic;              ///< set by pl_default_fem_equilibrium_def()
} pl_fem_equilibrium_def;

/// Every parameter at its default: no load.
PL_API pl_fem_equilibrium_def pl_default_fem_equilibrium_def(void);

/// Find the equilibrium of a body under a load. `positions` (one per point, metres) holds the start
/// and receives the result. `report` may be NULL. Returns PL_REMARK_NOT_CONVERGED when the
/// tolerance was not reached; the report says how far it came. Fails with PL_ERROR_UNSUPPORTED for
/// a model of another method, PL_ERROR_INVALID_DATA for positions that are not finite,
/// PL_ERROR_INVALID_ARGUMENT for a def out of range. May be called from several threads at once.
PL_API pl_status pl_fem_equilibrium(pl_context *context, const pl_model *model,
                                    const pl_fem_equilibrium_def *def, pl_vec3 *positions,
                                    pl_fem_report *report, pl_error *error);

/// Elastic energy (J) of a model in the pose `positions`, and the elastic forces (N, one per point)
/// if `forces` is not NULL. Fails with PL_ERROR_UNSUPPORTED for a model of another method, and when
/// out of memory.
PL_API pl_status pl_fem_compute_energy(pl_context *context, const pl_model *model,
                                       const pl_vec3 *positions, double *energy, pl_vec3 *forces,
                                       pl_error *error);

/// The same of a model in the pose `positions` (one per point, metres) with its rest shape as
/// built, in the components of pl_fem_get_stress(). Fails with PL_ERROR_UNSUPPORTED for a model of
/// another method, of other elements than tets, or PL_FEM_FAST. May be called from several threads
/// at once.
PL_API pl_status pl_fem_compute_stress(const pl_model *model, const pl_vec3 *positions,
                                       double *stresses, pl_error *error);

#ifdef __cplusplus
}
#endif
#endif
