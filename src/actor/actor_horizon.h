// Planning several steps at once: beyond paper 004, whose first stated limit is that it looks one
// step ahead.
#ifndef PL_ACTOR_HORIZON_H
#define PL_ACTOR_HORIZON_H

#include "actor/actor_solver.h"

// Goals at the end of any step: row k is Σ weights[i] (positions_by[k] x + speeds_by[k]
// v)[places[i]] - targets[k], over the entries of `rows`, with x and v of the body at the end of
// the step. `rows.targets` is not read.
typedef struct pl_plan_rows {
  pl_goal_rows rows;
  const double *positions_by, *speeds_by;  // one per row
  const double *targets;
} pl_plan_rows;

typedef struct pl_actor_horizon pl_actor_horizon;

// Memory for plans of `step_count` steps with at most `max_rows` rows each. Model and space must
// outlive it.
pl_status pl_actor_horizon_create(pl_context *context, const pl_fem_model *model,
                                  pl_rest_space *space, int32_t max_rows, int32_t step_count,
                                  pl_actor_horizon **horizon, pl_error *error);
void pl_actor_horizon_destroy(pl_actor_horizon *horizon);  // NULL is allowed

// Plan from the step of `choice` on. p begins with the last step's parameters and ends with those
// of the first planned step, whose rest shapes and u are then in use as after
// pl_actor_solver_run(). The outcome's goals and regulariser are sums over the plan. Without goals
// nothing happens.
pl_status pl_actor_horizon_run(pl_actor_horizon *horizon, const pl_actor_settings *settings,
                               pl_fem_choice *choice, const pl_plan_rows *rows, const double *last,
                               double *p, pl_actor_outcome *outcome, pl_error *error);

#endif
