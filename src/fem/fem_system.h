// The elastic part of a whole body in any pose: energy, gradient, Hessian, and derivatives by rest
// shape and material, put together from elements. What steps, equilibria, actors and estimation
// share.
//
//   W(x)       sum of the energies of all elements
//   evaluate   W, ∂W/∂x, ∂²W/∂x² as block matrix on the model's pattern
//   mixed      (∂²W/∂x∂X) dX and its transpose
//   material   ∂²W/∂x∂p of single elements
//
//   x          3 numbers per particle
//   X          3 corner_count numbers per element: rest shapes by element
//   p          parameters by element
//
// A system is memory to work in. It borrows rest shapes and parameters, at first those of the
// model; an actor or an estimator hands over its own.
#ifndef PL_FEM_SYSTEM_H
#define PL_FEM_SYSTEM_H

#include "fem/fem_edge_tet_assemble.h"
#include "fem/fem_model.h"
#include "fem/fem_plane_assemble.h"
#include "fem/fem_quadratic_assemble.h"
#include "fem/fem_shell_assemble.h"

typedef struct pl_fem_system {
  pl_context *context;
  const pl_fem_model *model;
  const double *rest[PL_FEM_MAX_GROUPS];        // X
  const double *parameters[PL_FEM_MAX_GROUPS];  // p
  double *mixed_rest[PL_FEM_MAX_GROUPS];        // mixtures of examples; NULL without examples
  pl_fem_tet_constants *constants;  // of tets that are computed four at a time, otherwise NULL
  pl_fem_plane_four *planes;        // the same of plane triangles
  int32_t plane_count;              // fours of them
  int32_t *plane_places;            // by triangle: its four
  double *plane_parameters;         // p that they were made with
  double *plane_forces;             // x and y of elastic forces and damping, by particle
  pl_fem_quadratic_constants *quadratics;             // … of quadratic tets
  pl_fem_shell_constants *shells[PL_FEM_MAX_GROUPS];  // … of shells and curves
  pl_fem_edge_tet_constants *edge_tets;               // … of tets by their edges
  pl_fem_edge_tet_before *edge_tets_before;           // … where their damping began
  pl_fem_edge_tet_blocks *edge_tets_lower;            // … blocks below the diagonal
  // Where damping of tets by their edges, plane triangles, shells and curves began last, and its
  // factor of plane triangles; only of bodies that adapt.
  double *damped_from;
  double damped_factor;
  double *energies;     // J, by element of all groups
  double *lost;         // the same of damping; only of bodies that adapt
  double *pulls;        // sums of the projection, by block of elements
  bool without_energy;  // energies are not summed up: evaluations return 0
  // Where pl_fem_system_has_lower(): evaluations do not assemble blocks above the diagonal of the
  // matrix. Each would be its counterpart turned, to the bit.
  bool lower;
} pl_fem_system;

// Take the memory from an arena; false when out of memory. The model must outlive it.
bool pl_fem_system_take(pl_arena *arena, pl_context *context, const pl_fem_model *model,
                        pl_fem_system *system);

// Use other rest shapes and parameters, one array per group, until further notice. NULL for an
// array: the model's. Call again after changing numbers in them.
void pl_fem_system_use(pl_fem_system *system, const double *const *rest,
                       const double *const *parameters);

// Rest shapes mixed from the model's examples.
void pl_fem_system_mix(pl_fem_system *system, const double *weights);

// Weights of the mixture of rest and examples whose elements are nearest in shape to those of a
// pose, all elements together (fem_examples.c).
void pl_fem_system_project(pl_fem_system *system, const double *x, double *weights);
// Numbers that pl_fem_system_project() needs.
size_t pl_fem_pulls_size(const pl_fem_model *model);

// Rest shapes by element from rest positions of the particles (3 each), for pl_fem_system_use();
// and the transpose: derivatives by element, as pl_fem_system_mixed_transposed() gives them, added
// to those by particle.
void pl_fem_system_gather_rest(const pl_fem_model *model, const double *points,
                               double *const *rest);
void pl_fem_system_scatter_rest(const pl_fem_model *model, const double *const *rest,
                                double *points);

// Energy in joules at x. `gradient` and `matrix` are overwritten, either may be NULL. `positive`:
// element Hessians are projected to positive semi-definite. The same bits for any number of
// threads; allocates nothing.
double pl_fem_system_evaluate(pl_fem_system *system, const double *x, double *gradient,
                              pl_block_matrix *matrix, bool positive);

// The same with damping by the change of shape (fem_viscous.h), in one go where an element's
// energies share their derivatives.
typedef struct pl_fem_damping {
  const double *from;  // where the particles were
  double factor;
  double *gradient;  // of the damping alone, overwritten
  double energy;     // J
} pl_fem_damping;
double pl_fem_system_evaluate_damped(pl_fem_system *system, const double *x,
                                     pl_fem_damping *damping, double *gradient,
                                     pl_block_matrix *matrix, bool positive);

// The sum of plain W + scale limits[i] W², W the energy of element i of all groups, with positive
// Hessians; of bodies whose elements are all found four at a time with that.
bool pl_fem_system_has_limits(const pl_fem_system *system);
bool pl_fem_system_has_lower(const pl_fem_model *model);
double pl_fem_system_evaluate_limited(pl_fem_system *system, const double *x, double plain,
                                      double scale, const double *limits, double *gradient,
                                      pl_block_matrix *matrix);

// ∂²W/∂x∂X by particle, for rest shapes whose elements share the positions of particles: a matrix
// that is not symmetric, overwritten.
void pl_fem_system_mixed_blocks(const pl_fem_system *system, const double *x,
                                pl_block_matrix *matrix);

// product += (∂²W/∂x∂X) dX, dX by element.
void pl_fem_system_mixed(const pl_fem_system *system, const double *x, const double *const *change,
                         double *product);
// product (by element, overwritten) = (∂²W/∂x∂X)ᵀ v, v by particle.
void pl_fem_system_mixed_transposed(const pl_fem_system *system, const double *x, const double *v,
                                    double *const *product);

// ∂²W/∂x∂p of one element: 3 corner_count rows, one column per parameter, row-major; belongs to the
// element's corners.
void pl_fem_system_material(const pl_fem_system *system, const double *x, int32_t group,
                            int32_t element, double *derivative);

// Corners of an element gathered from x, and the element with pointers into the system; `corners`
// holds 3 PL_FEM_MAX_CORNERS numbers.
pl_fem_element pl_fem_system_element(const pl_fem_system *system, const double *x, int32_t group,
                                     int32_t element, double *corners);

// Replace the negative eigenvalues of a symmetric n x n matrix, n <= 30, by 0.
void pl_fem_project_positive(int n, double *matrix);

#endif
