// What the files of the planner share (actor_horizon*.c).
#ifndef PL_ACTOR_HORIZON_PARTS_H
#define PL_ACTOR_HORIZON_PARTS_H

#include "actor/actor_factor.h"
#include "actor/actor_horizon.h"
#include "sparse/dense_factor.h"

// One planned step.
typedef struct pl_plan_step {
  pl_fem_work *work;
  pl_actor_factor *factor;  // of D
  pl_fem_direct direct;     // Newton's method with that factor
  pl_fem_state state;       // at its start: positions, velocities, anchors; rest: its rest shapes
  pl_block_matrix cross;    // ∂c/∂x without inertia
  double *moved;            // u - x of the plan that was gone through last
  double *held;             // S: 9 per particle
  double *goals;            // by row
} pl_plan_step;

struct pl_actor_horizon {
  pl_arena arena;
  const pl_fem_model *model;
  pl_rest_space *space;
  int32_t n, P, H, max_rows;
  double tau;           // s, inner step of the plan that was gone through last
  bool is_warm;         // `moved` of the steps is a guess
  double max_square;    // of the goals: a plan with more is not gone through to its end
  pl_plan_step *steps;  // H
  pl_fem_state end;     // after the last of them
  double *rate;         // P x P: second derivative of the regulariser by the last step's parameters
  double *p, *trial;    // H x P
  double *gradient, *dp;  // H P: gradient of the objective, and the step
  double *J;              // rows of all steps x H P
  double *pulled;         // rows of all steps x P workspace
  double *hessian;        // P x P workspace
  // rows of all steps x n: adjoints by the state at the start of a step, workspace
  double *by_x, *by_v, *rhs, *lambda;
  double *workspace, *room2;  // n each, P each
  pl_dense_factor small;      // H P
};

// Go through the plan with the parameters `p` (H x P): all states, and the goals at the end of
// every step. `*square` receives the sum of their squares, or what exceeded max_square.
pl_status pl_horizon_roll(pl_actor_horizon *horizon, pl_fem_choice *choice,
                          const pl_plan_rows *rows, const double *p, double *square,
                          pl_error *error);

// Derivatives of all goals by all parameters along the plan that was gone through last: J.
pl_status pl_horizon_differentiate(pl_actor_horizon *horizon, const pl_plan_rows *rows,
                                   pl_error *error);

#endif
