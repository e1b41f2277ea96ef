// Tets with ten nodes: their four corners and the middles of their six edges, straight or curved.
//
//   N_a    shape function of node a, quadratic: L_a (2 L_a - 1) of corners, 4 L_a L_b of middles
//   B_a    ∂N_a/∂X at one of four points of integration
//   w      volume that the point stands for; exact for polynomials of second degree
//   F      Σ x_a B_aᵀ, the deformation gradient there
//
//   W = Σ w ψ(F; 0, μ) + V λ/2 d̄²          d̄ = Σ w d(F) / V
//
// d is what λ/2 d² of the density squares: tr S - 3 of corotated, J - 1 of the others. Squared at
// each point it would be a constraint for each of them when Poisson's ratio nears 1/2, more than
// the nodes can meet: the element locks, less than linear tets but visibly. So λ acts on the mean
// of the element, as a pressure that is constant in it (P2/P0 of the mixed methods, with the
// pressure eliminated). docs/fem.md has the measurements behind that choice; the order of
// convergence stays 3.
//
// Nodes are in the order of pl_mesh_view: corners 0 … 3, then the middles of the edges 0-1, 1-2,
// 2-0, 0-3, 1-3, 2-3.
#ifndef PL_FEM_QUADRATIC_H
#define PL_FEM_QUADRATIC_H

#include "fem/fem_tet.h"

enum { PL_FEM_QUADRATIC_NODES = 10, PL_FEM_QUADRATIC_POINTS = 4, PL_FEM_QUADRATIC_VALUES = 30 };

// B and w at every point of integration, from nodes at rest.
typedef struct pl_fem_quadratic_rest {
  double B[PL_FEM_QUADRATIC_POINTS][PL_FEM_QUADRATIC_NODES][3];
  double weights[PL_FEM_QUADRATIC_POINTS];  // m³; not positive where the element is folded
} pl_fem_quadratic_rest;

// ∂N_a/∂(L_1, L_2, L_3) at point q, with L_0 = 1 - L_1 - L_2 - L_3.
void pl_fem_quadratic_slopes(int q, double slopes[PL_FEM_QUADRATIC_NODES][3]);

void pl_fem_quadratic_rest_of(const double *X, pl_fem_quadratic_rest *rest);

// Share of an element's mass that each of its nodes has: the diagonal of the mass matrix, scaled to
// the whole (Hinton, Rock and Zienkiewicz 1976). Sums of rows would be negative at corners.
extern const double pl_fem_quadratic_shares[PL_FEM_QUADRATIC_NODES];

// N_a at the points of integration.
extern const double pl_fem_quadratic_values[PL_FEM_QUADRATIC_POINTS][PL_FEM_QUADRATIC_NODES];

#endif
