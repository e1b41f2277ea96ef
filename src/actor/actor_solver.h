// The optimisation of a step: the rest shape and the motion that come nearest to the goals, subject
// to the equations of motion (paper 004, section 6).
//
//   minimise  ½ |G u - s|² + r(p)   subject to   c(u, p) = 0
//
//   u         unknowns of the step (fem_potential.h), n numbers
//   p         parameters of the rest shape, P numbers
//   G u - s   goals (eqs. 6 to 10), one row for each coordinate of each
//   c         gradient of the step's potential by u
//   λ         multipliers, n numbers
#ifndef PL_ACTOR_SOLVER_H
#define PL_ACTOR_SOLVER_H

#include "actor/actor_space.h"
#include "fem/fem_driver.h"

// Rows of G: row k is Σ weights[i] u[places[i]] over i = start[k] … start[k + 1] - 1; places are
// numbers of coordinates, 3 particle + axis. Everything, targets too, is multiplied with the weight
// of the goal already.
typedef struct pl_goal_rows {
  int32_t count;
  const int32_t *start, *slots;
  const double *weights;
  const double *targets;
} pl_goal_rows;

// Whether coordinate i of a step's unknown is held: z in a plane, pinned points.
static inline bool pl_actor_is_fixed(const pl_fem_work *work, ptrdiff_t i) {
  const uint8_t *fixed = work->potential.fixed;
  return fixed != NULL && (fixed[i / 3] >> (i % 3) & 1) != 0;
}

// ½ |G u - s|² and, where `goals` is not NULL, G u - s.
double pl_actor_goals_measure(const pl_goal_rows *rows, const double *u, double *goals);

// Whether any row asks for anything: has a weight that is not 0.
bool pl_actor_rows_ask(const pl_goal_rows *rows);

typedef struct pl_actor_settings {
  pl_actor_hessian hessian;
  int32_t max_iterations;
  double tolerance;
  double usual_objective;  // what the last step was left with; 0: not known
} pl_actor_settings;

typedef struct pl_actor_outcome {
  int32_t iteration_count;
  bool converged;
  double objective, goal_square, regulariser;
  double residual;    // |c| as a fraction of the forces that balance
  double stationary;  // the remainder of the optimality conditions, relative
  double min_step;
  double shift;  // largest of pl_actor_solver.shift (actor_solver_parts.h)
} pl_actor_outcome;

typedef struct pl_actor_solver pl_actor_solver;

// Memory for at most `max_rows` goal rows. Model and space must outlive it.
pl_status pl_actor_solver_create(pl_context *context, const pl_fem_model *model,
                                 pl_rest_space *space, int32_t max_rows, pl_actor_solver **solver,
                                 pl_error *error);
void pl_actor_solver_destroy(pl_actor_solver *solver);

// Solve for the step of `choice`: u is choice->work->next, where it begins and ends; p begins with
// a guess and ends with the new ones, `last` are the last step's, where the search begins if they
// are better than the guess; λ is kept between steps (warm start). Afterwards the rest shapes of p
// are in choice->state.rest and in use by the system. Without rows, or with rows that are 0, p is
// `last` and nothing else changes. Allocates nothing. Fails only as linear solvers do.
pl_status pl_actor_solver_run(pl_actor_solver *solver, const pl_actor_settings *settings,
                              pl_fem_choice *choice, const pl_goal_rows *rows, const double *last,
                              double *p, double *lambda, pl_actor_outcome *outcome,
                              pl_error *error);

// Solve one linear system on the body's pattern with the memory of D's factor.
pl_status pl_actor_solver_solve(pl_actor_solver *solver, const pl_block_matrix *matrix,
                                const double *rhs, double *x, double *shift, pl_error *error);

// One linear solve of eqs. 13 to 17 at u, p, λ, for tests against the whole matrix: du, dp, dλ are
// what is to be subtracted (eq. 14). The blocks are left in the solver: A and D as block matrices,
// B (P x n), C (P x P), E (n x P); the last three in exact mode only.
pl_status pl_actor_solver_direction(pl_actor_solver *solver, const pl_actor_settings *settings,
                                    pl_fem_choice *choice, const pl_goal_rows *rows,
                                    const double *last, const double *p, const double *lambda,
                                    double *du, double *dp, double *dlambda, pl_error *error);

// Levenberg and Marquardt's damping, relative to the diagonal: a step shortened below
// PL_DAMPING_SHORT brings it in or raises it, full steps let it decay until it is dropped.
#define PL_DAMPING_SHORT 0.3
#define PL_DAMPING_FIRST 0.01
#define PL_DAMPING_DECAY 0.25
#define PL_DAMPING_LAST 1e-3

// Shifts of a Gauss-Newton matrix, relative to its largest diagonal entry, that are tried until it
// has a factor: none, then from rounding upwards.
#define PL_SHIFT_FIRST 1e-10
#define PL_SHIFT_GROWTH 100
#define PL_SHIFT_MAX 1e3

#endif
