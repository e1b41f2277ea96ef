// What a single simulation, reference shape or modal analysis of a fit works in: the body's finite
// elements with moduli, rest shape and linear solver of its own, on one thread. Jobs of a fit run
// side by side, each with its own worker.
#ifndef PL_CAPTURE_FIT_WORKER_H
#define PL_CAPTURE_FIT_WORKER_H

#include "base/arena.h"
#include "fem/fem_system.h"

// Values of viscosity that a fit may have behind the three that it always has.
enum {
  PL_FIT_PRONY_RATIO,
  PL_FIT_PRONY_TIME,
  PL_FIT_SECOND_PRONY_RATIO,
  PL_FIT_SECOND_PRONY_TIME,
  PL_FIT_LOSS_FACTOR,
  PL_FIT_VISCOUS_KINDS
};

// What stays the same in all of them; borrowed.
typedef struct pl_fit_body {
  const pl_fem_model *model;  // of tets, built from the static shape
  int32_t point_count;        // points of the mesh; quadratic tets have more particles, behind them
  const uint8_t *fixed;       // PL_BLOCK_FIX bits by particle
  const double *load;         // N: gravity, 3 per particle
  int32_t control_count;      // control points of Young's modulus; 0: the model's moduli
  const double *weights;      // control_count per tet, sum 1
  int32_t viscous_count;      // values of viscosity that there are, behind stiffness damping
  int32_t viscous_kinds[PL_FIT_VISCOUS_KINDS];
  double loss_frequency;  // Hz
  const pl_linear_backend *direct;
} pl_fit_body;

// The Maxwell branches that values make, and how the coordinate of one of them changes each:
// ratios, and logarithms of times in the place of times (fit_viscous.c).
pl_fem_branches pl_fit_branches_of(const pl_fit_body *body, const double *values);
void pl_fit_branch_changes(const pl_fit_body *body, const double *values, int32_t value,
                           pl_fem_branches *changes);

typedef struct pl_fit_worker {
  pl_arena arena;
  pl_context *context;  // one thread, memory from the parent's
  const pl_fit_body *body;
  pl_fem_system system;
  double *rest;    // 3 per node and tet
  double *moduli;  // Young's modulus, Poisson's ratio per tet
  pl_block_matrix matrix;
  pl_linear_solver *solver;
} pl_fit_worker;

// A context of one thread whose memory is the parent's, so that what runs inside a task may use
// parallel loops (which are then plain ones).
pl_status pl_fit_context_create(pl_context *parent, pl_context **context, pl_error *error);

// The worker starts with the moduli of the model and the static shape as rest shape. `step`,
// seconds, is what the linear solver has to expect; 0: equilibria.
pl_status pl_fit_worker_create(pl_context *parent, const pl_fit_body *body, double step,
                               pl_fit_worker **worker, pl_error *error);
// NULL is allowed.
void pl_fit_worker_destroy(pl_fit_worker *worker);

// Moduli from the control points' and Poisson's ratio: E of a tet is the weighted mean.
void pl_fit_worker_set_moduli(pl_fit_worker *worker, const double *young, double poisson);
// Rest shape from 3 numbers per particle.
void pl_fit_worker_set_rest(pl_fit_worker *worker, const double *points);

#endif
