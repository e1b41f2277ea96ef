// The energy that steps gain though nothing supplies it, and what takes it out again
// (fem_budget.c).
#ifndef PL_FEM_BUDGET_H
#define PL_FEM_BUDGET_H

#include "fem/fem_work.h"

// A step from the positions and velocities of `from` to work->middle, with velocities work->mean.
typedef struct pl_fem_leap {
  pl_fem_work *work;
  pl_fem_state from;
  double tau;      // s: the inner step
  double elastic;  // J: elastic energy at work->middle
  bool flies;      // nothing holds or touches the body: its momentum is kept
} pl_fem_leap;

// Elastic energy of the state's positions, J: what the state has stored, or else computed.
double pl_fem_stored_energy(pl_fem_work *work, pl_fem_state state);

// Gain (J) of the midpoint rule with work->next in the middle.
double pl_fem_midpoint_gain(const pl_fem_leap *leap);

// Gain (J) of an implicit Euler step of length tau from x and v to work->next, where the potential
// was last evaluated; `elastic` is the elastic energy at x. Negative as a rule. Without what the
// residual does.
double pl_fem_euler_gain(const pl_fem_work *work, const double *x, const double *v, double tau,
                         double elastic);

// Energy (J) of a body with velocities v and an elastic energy: relative to its centre of mass.
double pl_fem_inner_energy(const pl_fem_model *model, const double *v, double elastic);

// Book the gain of a midpoint step. If the body has more than it may, slow the part of its motion
// that alternates from step to step. False if this is not enough; the state is then as it was.
bool pl_fem_spend(const pl_fem_leap *leap, double gain);

// Book the gain of a step of implicit Euler. If the body has more than it may, slow all motion
// within it.
void pl_fem_spend_all(const pl_fem_leap *leap, double gain);

#endif
