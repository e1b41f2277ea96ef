// One way to solve A x = b with a block matrix, whatever does it: analyse a pattern once, factor
// new values, solve for one or many right-hand sides.
//
// It calls tables of functions: conjugate gradients and a dense factor here, a sparse factor in the
// lab (solvers/cholmod_solver.h), which the caller hands over so that the runtime never links it.
// Matrices that are not positive definite are shifted until they are, and the report says by how
// much.
#ifndef PL_SPARSE_LINEAR_SOLVER_H
#define PL_SPARSE_LINEAR_SOLVER_H

#include "sparse/block_conjugate.h"

typedef enum pl_linear_choice {
  PL_LINEAR_AUTO,    // whatever is expected to be fastest for the hint
  PL_LINEAR_CG,      // conjugate gradients
  PL_LINEAR_DENSE,   // dense Cholesky, up to PL_LINEAR_DENSE_MOST unknowns
  PL_LINEAR_DIRECT,  // the back end in `direct`
} pl_linear_choice;

enum { PL_LINEAR_MAX_DENSE = 3000 };

// What is known of the body; decides between back ends and preconditioners, never the result.
typedef struct pl_linear_hint {
  double young;              // Pa, the largest
  double young_contrast;     // largest against smallest, at least 1
  double poisson;            // the largest
  double density;            // kg/m³
  double step;               // s; 0: equilibrium without inertia
  double element_size;       // m, the smallest edge; 0: unknown
  double solves_per_factor;  // right-hand sides to expect for every new set of values
} pl_linear_hint;

typedef struct pl_linear_backend pl_linear_backend;

typedef struct pl_linear_def {
  pl_linear_choice choice;
  const pl_linear_backend *direct;         // NULL: none at hand
  const double *positions;                 // 3 per row, metres; read while creating; NULL: unknown
  bool choose_preconditioner;              // by the hint
  pl_block_preconditioner preconditioner;  // if not
  pl_block_limits limits;                  // of conjugate gradients
  pl_linear_hint hint;
} pl_linear_def;

typedef struct pl_linear_report {
  const char *name;         // of the back end
  char reason[320];         // why it was chosen, a sentence
  int32_t iteration_count;  // of the last solve; 0 for direct ones
  double residual;          // of the last solve: the largest |b - A x| / |b|, A with its shift
  // what was solved with is A + shift * |diag A|; 0 unless A was not positive definite
  double shift;
  int32_t try_count;        // factorisations that the last values took
  double analysis_seconds;  // when it was created
  double factor_seconds;    // of the last values
  double solve_seconds;     // of the last solve
} pl_linear_report;

// What a back end says about a solve.
typedef struct pl_linear_outcome {
  int32_t iteration_count;
  double residual;  // negative: not measured
  bool indefinite;  // found while solving; x is unusable or not wholly solved
} pl_linear_outcome;

// A back end. `self` is what `create` made. `factor` works on matrix + shift * diag(weights),
// weights three per row and not read where the shift is 0, and sets *indefinite (returning PL_OK)
// if that is not positive definite; matrix and weights stay until the next factor. x of `solve`
// holds a first guess, which direct ones ignore.
struct pl_linear_backend {
  const char *name;
  pl_status (*create)(pl_context *context, const pl_block_pattern *pattern,
                      const pl_linear_def *def, void **self, pl_error *error);
  pl_status (*factor)(void *self, const pl_block_matrix *matrix, double shift,
                      const double *weights, bool *indefinite, pl_error *error);
  pl_status (*solve)(void *self, const double *rhs, int32_t count, double *x,
                     pl_linear_outcome *outcome, pl_error *error);
  // Residual that coming solves have to reach; NULL for direct ones, which reach what rounding
  // leaves.
  void (*aim)(void *self, double tolerance);
  void (*destroy)(void *self);
};

extern const pl_linear_backend pl_linear_cg, pl_linear_dense;

typedef struct pl_linear_solver pl_linear_solver;

// Auto, no direct back end, tolerance 1e-4 (what a Newton step of an implicit integrator needs: the
// next iteration repairs the rest), 2000 iterations, a hint of soft rubber in water's density with
// an implicit step of 1/60 s.
pl_linear_def pl_default_linear_def(void);

// Analyse. The pattern must outlive the solver. Fails when out of memory, when the choice is a back
// end that is not at hand, or when the pattern is too large for it.
pl_status pl_linear_solver_create(pl_context *context, const pl_block_pattern *pattern,
                                  const pl_linear_def *def, pl_linear_solver **solver,
                                  pl_error *error);
void pl_linear_solver_destroy(pl_linear_solver *solver);

// Take new values. The matrix must stay, unchanged, until the last solve with it. If it is not
// positive definite and the back end sees that now, the shift grows until it is. With conjugate
// gradients allocates nothing. PL_ERROR_NOT_FINITE if no shift helps.
pl_status pl_linear_solver_factor(pl_linear_solver *solver, const pl_block_matrix *matrix,
                                  pl_error *error);

// Solve for `count` right-hand sides of 3 * row_count numbers, one after the other; x holds first
// guesses. Conjugate gradients find only here that a matrix is not positive definite, and shift
// then. With them allocates nothing. PL_REMARK_NOT_CONVERGED at the limit of iterations.
pl_status pl_linear_solver_solve(pl_linear_solver *solver, const double *rhs, int32_t count,
                                 double *x, pl_error *error);

// How exactly coming solves are to be done: |b - A x| against |b|. Without effect on direct back
// ends.
void pl_linear_solver_aim(pl_linear_solver *solver, double tolerance);

// Valid as long as the solver.
const pl_linear_report *pl_linear_solver_report(const pl_linear_solver *solver);

// Decide for a def: the back end and, for conjugate gradients, the preconditioner, both with the
// reason (linear_choice.c). NULL if there is none.
const pl_linear_backend *pl_linear_choose(const pl_block_pattern *pattern, pl_linear_def *def,
                                          char *reason, size_t reason_size);

#endif
