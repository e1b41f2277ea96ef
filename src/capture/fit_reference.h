// The reference shape: where the points of a body would rest without gravity (paper 002,
// section 6.1, eqs. 7 and 8).
//
//   r(X) = g(x_s; X) - M a = 0          x_s  static shape, known        X    reference shape,
//   wanted; known where points are held
//                                       g    ∂W/∂x, the elastic force with the sign of a left-hand
//                                       side        M a   gravity
//
// Jacobian: J = ∂g/∂X, the appendix of the paper with its product rule put right; per element M_ab
// = g_a B_bᵀ - g_b B_aᵀ - H_ab F (fem/fem_tet.h). It is close to -H while strains are small, is not
// symmetric, and is solved with GMRES and a factor of H as preconditioner.
#ifndef PL_CAPTURE_FIT_REFERENCE_H
#define PL_CAPTURE_FIT_REFERENCE_H

#include "capture/fit_gmres.h"
#include "capture/fit_worker.h"
#include "pliant/fit.h"

typedef struct pl_reference {
  pl_fit_worker *worker;
  pl_block_matrix jacobian;
  pl_gmres gmres;
  double *gradient, *residual, *step, *trial, *image, *saved;
  double inertia;  // of artificial time: the operator is inertia M - rate J; 0: J alone
  double rate;
  const double *load;  // N, 3 per particle: under what the static shape is in equilibrium
  double load_size;    // N, over free points, of gravity
} pl_reference;

// Memory from the worker's arena; the worker must have its moduli set.
pl_status pl_reference_take(pl_fit_worker *worker, pl_reference *reference, pl_error *error);

// Improve X (3 per particle) by Newton's method on the force residual. The length of a step is
// halved until the residual falls and every element keeps `min_volume` of its volume in the static
// shape; where a step does not help, gravity is raised in parts. PL_REMARK_NOT_CONVERGED with X as
// far as it came. The worker's rest shape is then X.
pl_status pl_reference_newton(pl_reference *reference, const pl_reference_def *def, double *X,
                              pl_reference_report *report, pl_error *error);

// The same by the paper's artificial time: the residual acts as virtual force on the points of the
// reference shape, stepped by implicit Euler.
pl_status pl_reference_march(pl_reference *reference, const pl_reference_def *def, double *X,
                             pl_reference_report *report, pl_error *error);

// J at the static shape and the worker's rest shape; fixed rows and columns are those of the
// identity. `with_factor`: H is factored too.
pl_status pl_reference_linearise(pl_reference *reference, bool with_factor, pl_error *error);

// change_k = dX/dθ_k from J dX/dθ_k = -∂g/∂θ_k, by implicit differentiation, at a solution X the
// worker has as rest shape. `fractions` as in fit_changes.h; change, of the first column_count
// columns, is [3 particles][padded]. `poisson_column` -1: none.
pl_status pl_reference_derive(pl_reference *reference, int32_t column_count, int32_t padded,
                              const double *fractions, int32_t poisson_column, double *change,
                              pl_error *error);

// The change of X with the load, from J dX = dload, of which `change` has one column; J and the
// factor of H are those of pl_reference_linearise().
pl_status pl_reference_derive_load(pl_reference *reference, const double *load_change,
                                   int32_t padded, double *change, pl_error *error);

// r at X with a share of the load; returns its size, N.
double pl_reference_evaluate(pl_reference *reference, const double *X, double fraction);
// Least volume of an element as a share of that in the static shape, signed.
double pl_reference_min_volume(const pl_reference *reference, const double *X);

#endif
