// Elastic energies of single elements, with every derivative that stepping, actors and estimation
// need.
//
// W(x, X, U, p) is the energy in joules of one element with corners at x (now) and X (rest), both
// in metres, and material parameters p. The energies of paper 004 integrate over the geometry at
// the start, U (X̄ in the paper), which stays while actors change X; the others ignore U. Arrays of
// corners are x0 y0 z0 x1 y1 z1 …; matrices are row-major. Two-dimensional elements live in the
// plane z = 0: they ignore z, and all derivatives by z are 0.
//
//   gradient   g_i   = ∂W/∂x_i                 the elastic force is -g
//   hessian    H_ij  = ∂²W/∂x_i ∂x_j           exact, symmetric, may be indefinite
//   mixed      M_ij  = ∂²W/∂x_i ∂X_j
//   material   D_ik  = ∂²W/∂x_i ∂p_k
//   third      derivatives of s(x, X) = λ · ∂W/∂x, for SQP:
//              xx_ij = ∂²s/∂x_i∂x_j,  xX_ij = ∂²s/∂x_i∂X_j,  XX_ij = ∂²s/∂X_i∂X_j
//
// All functions are pure, allocate nothing, and accept any finite input for which the rest element
// is not flat: compressed, flat and inverted states included. What they cannot evaluate to a finite
// number (coinciding points of an edge-length energy, say) is documented at the energy.
#ifndef PL_FEM_ENERGY_H
#define PL_FEM_ENERGY_H

#include <stdbool.h>
#include <stdint.h>

enum { PL_FEM_MAX_CORNERS = 10, PL_FEM_MAX_PARAMETERS = 4 };

typedef struct pl_fem_element {
  const double *x;  // corners now
  const double *X;  // corners at rest
  const double *U;  // corners at the start; X where nothing changes the rest shape
  const double *p;  // material parameters
} pl_fem_element;

typedef struct pl_fem_energy {
  const char *name;
  int32_t corner_count;
  int32_t parameter_count;
  const char *const *parameter_names;  // with their units, such as "young (Pa)"
  double (*energy)(const pl_fem_element *e);
  void (*gradient)(const pl_fem_element *e, double *g);
  void (*hessian)(const pl_fem_element *e, double *h);
  void (*mixed)(const pl_fem_element *e, double *m);
  void (*material)(const pl_fem_element *e, double *d);
  // NULL: there is none, so bodies of this element do not adapt.
  void (*third)(const pl_fem_element *e, const double *lambda, double *xx, double *xX, double *XX);
  // A positive semi-definite matrix in place of the Hessian, far cheaper than its projection: what
  // could be negative is left out. NULL: there is none.
  void (*positive)(const pl_fem_element *e, double *h);
  // Energy, gradient and, where h is not NULL, Hessian or its positive replacement at once,
  // together with those of damping by the same energy with the corners `before` in the place of the
  // rest, times a factor: energies[1] and `drag` are the damping's, h is of both. `before` NULL: no
  // damping. NULL: there is no such function.
  void (*together)(const pl_fem_element *e, const double *before, double factor, bool positive,
                   double energies[2], double *g, double *drag, double *h);
} pl_fem_energy;

// Solids (fem_tet.c …): corotated linear as paper 002 eqs. 1-3 with (Young's modulus Pa, Poisson's
// ratio); stable neo-Hookean with the same parameters; the edge-length energy with volume term of
// paper 004, appendix A, with its two stiffnesses.
extern const pl_fem_energy pl_fem_corotated_tet;
extern const pl_fem_energy pl_fem_neo_hookean_tet;
extern const pl_fem_energy pl_fem_edge_tet;
// Yeoh, with two more parameters for the second and third power of his measure (fem_yeoh.c).
extern const pl_fem_energy pl_fem_yeoh_tet;

// The same densities on tets with ten nodes, their corners and the middles of their edges
// (fem_quadratic.c).
extern const pl_fem_energy pl_fem_corotated_quadratic;
extern const pl_fem_energy pl_fem_neo_hookean_quadratic;
extern const pl_fem_energy pl_fem_yeoh_quadratic;

// Curves, shells and plane solids of paper 004, appendix A (fem_curve.c, fem_shell.c, fem_plane.c).
extern const pl_fem_energy pl_fem_curve_stretch;  // 2 corners
extern const pl_fem_energy pl_fem_curve_bend;     // 3 corners, in the plane z = 0
extern const pl_fem_energy pl_fem_shell_stretch;  // 2 corners: an edge
extern const pl_fem_energy pl_fem_shell_area;     // 3 corners
// 4 corners: the edge 0-1 and the corners 2, 3 opposite to it
extern const pl_fem_energy pl_fem_shell_hinge;
// 3 corners, Green strain and area term, in the plane z = 0
extern const pl_fem_energy pl_fem_plane_triangle;

#endif
