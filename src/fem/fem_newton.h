// Newton's method with line search on the incremental potential of a body.
#ifndef PL_FEM_NEWTON_H
#define PL_FEM_NEWTON_H

#include "fem/fem_potential.h"

// Linear solves by another solver than the body's own. `*shift` receives what multiple of its
// diagonal was added to a matrix that is not positive definite.
typedef struct pl_fem_direct {
  pl_status (*solve)(void *user, const pl_block_matrix *matrix, const double *rhs, double *x,
                     double *shift, pl_error *error);
  void *user;
} pl_fem_direct;

typedef struct pl_fem_newton {
  pl_fem_potential *potential;
  pl_linear_solver *solver;
  const pl_fem_direct *direct;  // in its place, or NULL
  int32_t limit;                // iterations
  double tolerance;             // of the residual force against the forces that balance
  double min;                   // N: residual that counts as none whatever the forces are
  double linear_tolerance;      // of the most exact linear solve
  bool positive;                // the first Hessian is a projected one
  int32_t early_count;   // iterations before friction is held in between and projected Hessians are
                         // no longer kept; 0: all
  double cap_tolerance;  // by how much caps of held friction may be off, as a fraction of their sum
  double cap_factor;     // of pl_fem_contacts_relax()
  double *step, *trial, *rhs;
} pl_fem_newton;

// Take the vectors; false when out of memory. The caller fills in the rest.
bool pl_fem_newton_take(pl_arena *arena, const pl_fem_model *model, pl_fem_newton *newton);

// Move u to a minimum; the potential's last evaluation is at the result. Iterations, residual,
// energy and times are added to the report, whose solver text is set. PL_REMARK_NOT_CONVERGED when
// the tolerance was not reached. Fails only as linear solvers do. Allocates nothing with conjugate
// gradients.
pl_status pl_fem_newton_minimise(pl_fem_newton *newton, double *u, pl_fem_report *report,
                                 pl_error *error);

#endif
