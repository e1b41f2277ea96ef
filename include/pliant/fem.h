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
  PL_FEM_COROTATED = 0,  ///< tets: corotated linear elasticity with exact tangent (paper 002, eqs. 1 to 3)
  PL_FEM_NEO_HOOKEAN,    ///< tets: stable neo-Hookean
  PL_FEM_EDGES,          ///< tets: edge lengths and volume (paper 004, appendix A)
  PL_FEM_SHELL,          ///< triangles: edges, areas and dihedral angles (paper 004, appendix A)
  PL_FEM_PLANE,          ///< triangles in a plane z = const, moving in it: Green strain and area (paper 004, appendix A)
  PL_FEM_CURVE,          ///< segments in a plane z = const, moving in it: lengths and angles (paper 004, appendix A)
  PL_FEM_FAST,  ///< tets: corotated for interactive use, one constant matrix factored once, volume kept by a few iterations
} pl_fem_material;

/// Time integration.
typedef enum pl_fem_scheme {
  PL_FEM_SECOND_ORDER = 0,  ///< keeps energy and damps only what the material damps; the default
  PL_FEM_IMPLICIT_EULER,    ///< first order: damps by itself, never gains energy
} pl_fem_scheme;

/// Linear solver.
typedef enum pl_fem_solver {
  PL_FEM_SOLVER_AUTO = 0,  ///< chosen from size and stiffness; the report says why
  PL_FEM_SOLVER_CG,        ///< conjugate gradients
  PL_FEM_SOLVER_DIRECT,    ///< a factorisation: dense for small bodies, otherwise the lab's, if given
} pl_fem_solver;

/// Input of pl_fem_build().
typedef struct pl_fem_def {
  pl_fem_material material;
  double density;              ///< kg/m³
  double young;                ///< Young's modulus, Pa
  double poisson;              ///< Poisson's ratio, (-1, 0.5); solids and shells
  double thickness;            ///< metres: of a shell, of a plane solid, diameter of a curve's square cross-section
  const double *young_scales;  ///< factor on `young` per element (tet, triangle or segment), or NULL; copied
  double mass_damping;         ///< alpha of Rayleigh damping alpha M + beta K, 1/s
  double stiffness_damping;    ///< beta, s
  pl_fem_scheme scheme;
  pl_fem_solver solver;
  int32_t max_newton_iterations;     ///< most Newton iterations a step
  double newton_tolerance;  ///< residual force as a share of the typical force at which a step counts as solved
  int32_t volume_rounds;    ///< PL_FEM_FAST: iterations that keep the volume
  double
      fast_step;  ///< PL_FEM_FAST: seconds of the step the constant matrix is for; worlds must step by it or a whole multiple of it
  double friction;               ///< Coulomb coefficient
  double restitution;            ///< 0 … 1, for contact with other bodies
  double contact_radius;         ///< metres kept free around the surface
  double contact_stiffness;      ///< N/m per metre² of surface pressed into a collider; 0: ten times that of a layer of elements
  bool self_contact;             ///< collide the body's surface with itself
  const pl_mesh *surface;        ///< finer surface to carry along, or NULL for the elements' own; copied
  double surface_tolerance;      ///< metres a surface point may lie outside the tets
  const pl_mesh_pose *examples;  ///< poses whose element shapes the rest shape is mixed from (paper 004, section 5.1); copied
  int32_t example_count;         ///< 0 … 32
  /// The state holds the rest shape, so that an actor can change it (actor.h). Stiffness damping then acts on changes of shape only and has no torque. Not with
  /// PL_FEM_FAST or examples.
  bool adapts;
  const struct pl_linear_backend *direct;  ///< sparse factorisation of the lab, or NULL; used where the solver says so
  uint32_t magic;                          ///< set by pl_default_fem_def()
} pl_fem_def;

/// 1000 kg/m³, 1e5 Pa, Poisson's ratio 0.3, thickness 1 cm, no damping, second order, solver chosen by itself, 8 Newton iterations to 1e-4, friction 0.5;
/// mesh and all else are to be filled in.
PL_API pl_fem_def pl_default_fem_def(pl_fem_material material);

/// Build a finite-element model from a mesh; particles are its points. The mesh may be destroyed
/// afterwards. The caller owns the model. Fails with PL_ERROR_INVALID_DATA, naming the element,
/// when the mesh has no elements of the kind that the material uses, when one has no volume, area
/// or length, or when a point belongs to no element; PL_ERROR_INVALID_ARGUMENT for a def out of
/// range.
PL_API pl_status pl_fem_build(pl_context *context, const pl_fem_def *def, const pl_mesh *mesh, pl_model **model, pl_error *error);

/// Work and result of the last step or equilibrium of a finite-element body.
typedef struct pl_fem_report {
  int32_t newton_count;      ///< Newton iterations
  bool converged;            ///< the residual is below the tolerance
  int32_t linear_count;      ///< iterations of the linear solver in all of them
  double residual;           ///< newtons, largest of any point
  double relative_residual;  ///< root of the sum of squares of all residual forces, relative to that of the forces that balance
  double energy;             ///< J, elastic
  double assembly_seconds;   ///< wall-clock time in energies, forces and matrices
  double factor_seconds;     ///< in factorisations and preconditioners
  double solve_seconds;      ///< in linear solves
  char solver[400];          ///< which solver was used and why
} pl_fem_report;

/// Report of a body's last step. Fails with PL_ERROR_NOT_FOUND for a stale handle,
/// PL_ERROR_UNSUPPORTED for a body of another method.
PL_API pl_status pl_fem_get_report(const pl_world *world, pl_body_id body, pl_fem_report *report);

/// Input of pl_fem_equilibrium().
typedef struct pl_fem_equilibrium_def {
  pl_vec3 acceleration;   ///< m/s², such as gravity
  const pl_vec3 *forces;  ///< newtons per point, or NULL
  const int32_t *pinned;  ///< points that stay where `positions` has them
  int32_t pinned_count;
  int32_t load_steps;    ///< the load is applied in this many steps
  int32_t max_newton_iterations;  ///< most Newton iterations per load step
  double tolerance;      ///< residual force as a share of the load
  uint32_t magic;        ///< set by pl_default_fem_equilibrium_def()
} pl_fem_equilibrium_def;

/// No load, one load step, 50 iterations, tolerance 1e-8.
PL_API pl_fem_equilibrium_def pl_default_fem_equilibrium_def(void);

/// Find the equilibrium of a body under a load. `positions` (one per point, metres) holds the start
/// and receives the result. `report` may be NULL. Returns PL_REMARK_NOT_CONVERGED when the
/// tolerance was not reached; the report says how far it came. Fails with PL_ERROR_UNSUPPORTED for
/// a model of another method, PL_ERROR_INVALID_DATA for positions that are not finite,
/// PL_ERROR_INVALID_ARGUMENT for a def out of range. May be called from several threads at once.
PL_API pl_status pl_fem_equilibrium(pl_context *context, const pl_model *model, const pl_fem_equilibrium_def *def,
                                    pl_vec3 *positions, pl_fem_report *report, pl_error *error);

/// Elastic energy (J) of a model in the pose `positions`, and the elastic forces (N, one per point)
/// if `forces` is not NULL. Fails with PL_ERROR_UNSUPPORTED for a model of another method, and when
/// out of memory.
PL_API pl_status pl_fem_compute_energy(pl_context *context, const pl_model *model, const pl_vec3 *positions, double *energy,
                                  pl_vec3 *forces, pl_error *error);

#ifdef __cplusplus
}
#endif
#endif
