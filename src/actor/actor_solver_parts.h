// What the files of the actor's solver share (actor_solver*.c): memory, the blocks of eq. 13 at one
// point, and what is done with them.
#ifndef PL_ACTOR_SOLVER_PARTS_H
#define PL_ACTOR_SOLVER_PARTS_H

#include <math.h>

#include "actor/actor_cage.h"
#include "actor/actor_factor.h"
#include "actor/actor_solver.h"
#include "sparse/dense_factor.h"

struct pl_actor_solver {
  pl_arena arena;
  const pl_fem_model *model;
  pl_rest_space *space;
  pl_actor_factor *factor;  // of D
  pl_dense_factor small;    // of K
  const pl_cage_kernels *cage;
  // Free points: K = S + JᵀJ with a sparse S, solved by the formula of Sherman, Morrison and
  // Woodbury. NULL of other spaces.
  pl_actor_factor *sparse;         // of S
  pl_block_matrix sparse_hessian;  // S
  double *sparse_diagonal;         // of S as it was evaluated, P
  double *Z;                       // S⁻¹ Jᵀ, one row of n per goal row
  pl_dense_factor ties;            // of 1 + J S⁻¹ Jᵀ
  double *sparse_workspace;        // 2 n and max_rows
  bool is_sparse;                  // K was factored that way
  int32_t n, P, max_rows;
  // At the point that was evaluated last. Everything by u is 0 where u is fixed.
  double *goals;               // G u - s, one per row
  double *E;                   // n x P; exact mode only
  double *gradient, *hessian;  // of the regulariser: P, and P x P
  double *Y;                   // D⁻¹ Gᵀ, one row of n per goal row
  double *J;                   // derivative of G u by p on c = 0: rows x P
  double *F, *AF;              // D⁻¹ E and A D⁻¹ E by columns: P rows of n; exact mode only
  double *B, *C, *K;           // P x n, P x P, P x P; exact mode only
  pl_block_matrix bending;     // A without GᵀG; exact mode only
  double *pull;                // Jᵀ g
  double *reduced;             // gradient of the objective by p along c = 0
  double goal_square, regulariser;
  double forces;  // |c|₁
  // What made K positive: with Gauss-Newton this multiple of its largest diagonal entry, added to
  // the diagonal; with the exact Hessian this fraction of Gauss-Newton's.
  double shift;
  double factor_shift;  // the same of D
  bool is_evaluated;    // u is where pl_actor_settle() has left it, c and D are known there
  // The step, to be subtracted.
  double *du, *dp, *dlambda;
  double merit_weight;  // γ
  double first_length;  // where the next line search begins
  double damping;       // factor on the diagonal of K, less 1
  bool bends;  // the regulariser's Hessian is found at the next point, or that of an earlier one is
               // used
  // What the search has learnt of the second derivatives (actor_solver_memory.c).
  double *whole;                // gradient of the objective by p where c = 0, to first order: P
  double *memory_p, *memory_g;  // moves of p and changes of `whole`, PL_ACTOR_MEMORY rows of P
  double *memory_last;          // p, `whole` and dp of the point before, 3 P
  int32_t memory_count;         // pairs that are kept
  bool memory_begun;            // there is a point before
  // Room.
  double *rhs;                // for right-hand sides, (the larger of max_rows and P) + 1 of n
  double *workspace, *room2;  // n each
  double *small_workspace;    // the larger of P and max_rows
  double *trial_u, *trial_p;  // n, P
  double trial_cost;          // of trial_p; not a number: not found yet
  double *start_u, *start_p;  // n, P: where the search began
  double *held_u, *held_p;    // n, P: where a trial began
  double start_objective;
};

// Use the rest shapes of p, in the state and in the system.
void pl_actor_shape_use(pl_actor_solver *solver, pl_fem_choice *choice, const double *p);

// Everything about the point u = work->next, p: c, D with its factor, goals, regulariser, E.
pl_status pl_actor_get_point_view(pl_actor_solver *solver, pl_fem_choice *choice,
                                  const pl_goal_rows *rows, const double *last, const double *p,
                                  pl_error *error);

// The step from the point that was evaluated.
pl_status pl_actor_step_find(pl_actor_solver *solver, pl_actor_hessian hessian,
                             pl_fem_choice *choice, const pl_goal_rows *rows, const double *p,
                             const double *lambda, pl_error *error);

// Optimality conditions at the point that was evaluated, with the K of the step: √(what the step
// promises to gain / objective).
double pl_actor_point_stationary(const pl_actor_solver *solver);

// x = K⁻¹ x, P numbers, with the K of the step.
void pl_actor_reduced_solve(const pl_actor_solver *solver, double *x);

// The same with what was learnt since pl_actor_memory_clear() (actor_solver_memory.c).
enum { PL_ACTOR_MEMORY = 16 };
void pl_actor_memory_solve(const pl_actor_solver *solver, double *x);
void pl_actor_memory_clear(pl_actor_solver *solver);

// Forget the point before: the next one is not the end of a move from it.
void pl_actor_memory_part(pl_actor_solver *solver);

// Learn from the move to this point, where `whole` and K are known, and find dp.
void pl_actor_memory_learn(pl_actor_solver *solver, const double *p);

// Go along the step as far as the merit falls; u, p and λ are moved. `*length` is how far, 0:
// nowhere (all is as before). The potential is evaluated at the new u without a matrix.
pl_status pl_actor_line_search(pl_actor_solver *solver, pl_fem_choice *choice,
                               const pl_goal_rows *rows, const double *last, double *p,
                               double *lambda, double *length, pl_error *error);

// Bring u towards c = 0 with p as it is, until the residual is a share `tolerance` of the forces
// that balance. Overwrites the step.
pl_status pl_actor_settle(pl_actor_solver *solver, pl_fem_choice *choice, int32_t limit,
                          double tolerance, pl_error *error);

// |c| against the forces that balance: what is near enough to begin a search at, or to continuing
// from.
#define PL_ACTOR_NEAR 0.1

// |a|₁
static inline double pl_actor_sum_sizes(int32_t n, const double *a) {
  double sums[4] = {0, 0, 0, 0};
  int32_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (int k = 0; k < 4; ++k) sums[k] += fabs(a[i + k]);
  for (; i < n; ++i) sums[0] += fabs(a[i]);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

static inline double pl_actor_dot(int32_t n, const double *a, const double *b) {
  double sums[4] = {0, 0, 0, 0};
  int32_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (int k = 0; k < 4; ++k) sums[k] += a[i + k] * b[i + k];
  for (; i < n; ++i) sums[0] += a[i] * b[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

#endif
