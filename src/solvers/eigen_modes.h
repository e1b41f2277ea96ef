// The lowest vibrations of a body: eigenmodes of K u = λ M u with lumped masses M.
#ifndef PL_SOLVERS_EIGEN_MODES_H
#define PL_SOLVERS_EIGEN_MODES_H

#include "sparse/linear_solver.h"

typedef struct pl_eigen_def {
  int32_t mode_count;  // how many of the lowest
  double shift;  // (rad/s)²: K + shift M is what is solved with, so it must be above 0; 0: chosen
  double tolerance;        // of the eigenvalues of (K + shift M)⁻¹ M, relative
  int32_t max_iterations;  // restarts
  pl_linear_def solver;    // tolerances above 1e-12 are taken as 1e-12
} pl_eigen_def;

typedef struct pl_eigen_report {
  int32_t iteration_count;  // restarts
  int32_t solve_count;      // linear systems solved
  int32_t converged_count;  // modes that reached the tolerance, the lowest ones
  double residual;          // the largest |K u - λ M u| / ((|λ| + shift) |M u|)
  double shift;             // as used
  char solver[64];          // name of the linear solver
  double seconds;
} pl_eigen_report;

// Six modes, tolerance 1e-10, 300 restarts, shift chosen, linear solver by itself.
pl_eigen_def pl_default_eigen_def(void);

// Whether this build can (PLIANT_ARPACK).
bool pl_eigen_is_available(void);

// The `mode_count` lowest eigenvalues, (rad/s)² in rising order, and their modes, 3 * row_count
// numbers each, one after the other, with uᵀ M u = 1 and zero in what the stiffness matrix has
// fixed (pl_block_matrix_fix()). `masses`, kg per row, must be positive. Equal input gives equal
// bits. PL_REMARK_NOT_CONVERGED: the report says how many modes did; the others are 0.
// PL_ERROR_INVALID_ARGUMENT when more modes are asked for than free unknowns less one;
// PL_ERROR_INVALID_DATA when K + shift M is not positive definite; PL_ERROR_UNSUPPORTED without
// ARPACK. May be called from any thread; calls take turns, as ARPACK keeps its state in global
// variables.
pl_status pl_eigen_modes_compute(pl_context *context, const pl_block_matrix *stiffness,
                                 const double *masses, const pl_eigen_def *def, double *eigenvalues,
                                 double *modes, pl_eigen_report *report, pl_error *error);

#endif
