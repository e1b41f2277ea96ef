// A simulation of a fit from the inside: what the files fit_motion.c (steps), fit_balance.c
// (equilibria: starts and static experiments), fit_loads.c (known loads over time) and
// fit_observe.c (distance from the data) share. fit_motion.h has the equations.
#ifndef PL_CAPTURE_FIT_MOTION_PARTS_H
#define PL_CAPTURE_FIT_MOTION_PARTS_H

#include "capture/fit_motion.h"
#include "fem/fem_maxwell.h"

enum { PL_MOTION_STEPS_KEPT = 8, PL_FIT_MOTION_COLUMNS = 192 };

// Faces of tets with their nodes: 3 corners and, of quadratic tets, the middles of their edges from
// corner 0 to 1, 1 to 2, 2 to 0.
typedef struct pl_motion_faces {
  int32_t count, node_count;
  int32_t *nodes;
} pl_motion_faces;

typedef struct pl_motion {
  pl_fit_worker *worker;
  const pl_motion_job *job;
  const double *masses;
  double *load;          // N, 3 per particle: gravity, and what else acts on the body now
  const uint8_t *fixed;  // PL_BLOCK_FIX bits by particle
  // What is observed: markers, or the particles themselves where `parents` is NULL.
  const int32_t *parents;  // 4 per marker
  const float *weights;    // 4 per marker
  int32_t observed_count;
  double ratio;  // square of the fit's noise against the deviation of what is observed
  ptrdiff_t n;   // 3 per particle
  double tau, alpha, beta;
  double c;  // of A = c M + H + ∂²D
  double *x, *v, *u;
  double *last,
      *older;  // u of the last two steps: smooth also where stiff vibrations are not resolved, as x
               // and v are not
  int32_t step_count;
  double *gradient, *residual, *step, *base, *target, *stretch;
  double extent;  // of the body, m
  double *steps,
      squares[PL_MOTION_STEPS_KEPT];  // taken since the last factor, and squares of their lengths
  int kept;
  bool positive;  // Hessians are projected
  bool factored;  // the solver holds a factor of this or an earlier step
  // Sensitivities: column after column.
  int32_t columns, padded, alpha_column, beta_column, poisson_column;
  double *s, *t, *z, *rhs_list, *changed;
  // Viscosity: D for the step at hand, its forces, metrics of the branches and their derivatives.
  pl_fem_maxwell maxwell;
  double *viscous, *metric_changes, *anchor_changes, *now_changes, *moves, *now_metrics;
  double *ratio_changes,
      *time_changes;     // of branches by column: of the ratio, of the logarithm of the time
  double *lame_changes;  // λ and μ by Poisson's ratio, of every tet
  double *load_change;  // N, derivative of the load by every column, as s; NULL: it does not change
  pl_motion_faces *faces;  // that the pressure of each load of the sequence acts on
  pl_fem_tet_constants *derived;
  pl_motion_result *result;
  pl_arena *arena;  // of this motion
} pl_motion;

static inline bool pl_motion_is_fixed(const pl_motion *m, ptrdiff_t i) {
  return (m->fixed[i / 3] >> (i % 3) & 1) != 0;
}

// fit_motion.c: r at u; A at u, factored; u with r = 0, from u on, PL_REMARK_NOT_CONVERGED if there
// is none.
void pl_motion_evaluate(pl_motion *m);
pl_status pl_motion_factor(pl_motion *m, pl_error *error);
pl_status pl_motion_solve(pl_motion *m, pl_error *error);

// Set up a motion of the job, let `go` run it, and say in the result what came out.
pl_status pl_motion_run_as(pl_fit_worker *worker, const pl_motion_job *job,
                           pl_status (*go)(pl_motion *m, pl_error *error), pl_motion_result *result,
                           pl_error *error);

// A⁻¹ of what the parameters change of r, into z; `changed` then holds what they change of the
// elastic forces.
pl_status pl_motion_solve_sensitivities(pl_motion *m, pl_error *error);

// fit_viscous.c: memory and material; branches without stress at x; D of a step from x; derivatives
// of its forces into `changed`; metrics and their derivatives after the step.
bool pl_motion_viscous_take(pl_motion *m);
void pl_motion_viscous_set(pl_motion *m);
void pl_motion_viscous_start(pl_motion *m);
void pl_motion_viscous_begin(pl_motion *m);
void pl_motion_viscous_change(pl_motion *m);
void pl_motion_viscous_finish(pl_motion *m);
// Whether D is part of what is solved: not in an equilibrium.
static inline bool pl_motion_is_viscous(const pl_motion *m) {
  return m->c > 0 && (m->beta > 0 || m->maxwell.branches.count > 0);
}

// fit_loads.c: memory and faces; the load of a step from `time` until `end`, seconds, or at a time
// if both are the same, with surfaces where x and v bring them in its middle, and how it changes
// with the columns. Whether it depends on where the body is.
pl_status pl_motion_loads_take(pl_motion *m, pl_error *error);
void pl_motion_loads_set(pl_motion *m, double time, double end);
bool pl_motion_has_pressure(const pl_fit_sequence *sequence);

// fit_balance.c: moduli and rest shape of the worker; x in equilibrium with the unknown pull, or
// with the known loads, with derivatives; the unknown velocity; a static experiment.
void pl_motion_set_material(pl_motion *m);
pl_status pl_motion_start_balanced(pl_motion *m, pl_error *error);
pl_status pl_motion_start_pulled(pl_motion *m, pl_error *error);
void pl_motion_start_moving(pl_motion *m);
pl_status pl_motion_balance_case(pl_motion *m, pl_error *error);

// fit_observe.c: a point of what is observed in a field of 3 numbers per particle; add a frame, or
// a single number with its derivatives, to the result.
void pl_motion_observe(const pl_motion *m, int32_t point, const double *field, double to[3]);
void pl_motion_compare(pl_motion *m, const pl_vec3 *seen, const double *point_weights,
                       double weight, double *scores);
void pl_motion_compare_frame(pl_motion *m, int32_t frame);

// Add a number that is off by `off` and is `size` large, both in metres of noise, with derivatives
// unit * slopes.
void pl_motion_add_number(pl_motion_result *result, int32_t columns, double off, double size,
                          double unit, const double *slopes);

#endif
