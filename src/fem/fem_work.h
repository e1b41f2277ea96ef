// What a finite-element body works in while it steps, and the parts of a step that are files of
// their own.
#ifndef PL_FEM_WORK_H
#define PL_FEM_WORK_H

#include "fem/fem_newton.h"

typedef struct pl_fem_work {
  pl_arena arena;  // holds all of it
  pl_fem_system system;
  pl_block_matrix matrix, damping;
  pl_linear_solver *solver;
  pl_fem_potential potential;
  pl_fem_maxwell maxwell;  // of viscous tets
  pl_fem_newton newton;
  pl_fem_contacts contacts;
  uint8_t *fixed;     // PL_BLOCK_FIX bits per particle
  double *goal;       // y of the inertia
  double *next;       // u, the unknown
  double *middle;     // particles in the middle of a step that is done in two halves, …
  double *mean;       // … and their velocities there
  double *evaluated;  // positions of the last evaluation in a coupled solve, …
  bool is_evaluated;  // … if there was one
  // particles moved by the rigid part of their motion; only with stiffness damping of what are not
  // tets
  double *carried;
  double *blocks;                      // 9 per particle: stiffness of contact
  double *weights;                     // that the system's rest shapes are mixed with
  const struct pl_fem_driver *driver;  // what chooses the rest shapes (fem_driver.h), or NULL
  bool driven;                         // it has changed them before this step
  pl_fem_report report;
} pl_fem_work;

// Length of an inner step, and how many of them x_{n+1} lies beyond x_n.
static inline double pl_fem_inner_step(const pl_fem_model *model, double step) {
  return model->scheme == PL_FEM_SECOND_ORDER ? 0.5 * step : step;
}
static inline double pl_fem_reach(const pl_fem_model *model) {
  return model->scheme == PL_FEM_SECOND_ORDER ? 2 : 1;
}

// Set up the equations of a step of a model that adapts, as pl_fem_move() does, for planning:
// work->potential is what is to be minimised, work->next where it begins. Positions, velocities,
// anchors and rest shapes of the state are borrowed. False when out of memory. The move's scratch
// is left with what was taken.
bool pl_fem_prepare_step(const pl_fem_model *model, pl_fem_work *work, pl_fem_state state,
                         const pl_body_move *move);

// Move work->next as a rigid body such that the forces other than elastic ones, as last evaluated,
// have no sum and no torque (fem_momentum.c). The gradient of the potential follows.
void pl_fem_keep_momentum(pl_fem_work *work);

// The rigid part of a motion: velocity is drift + spin × (x - center).
typedef struct pl_fem_rigid {
  pl_vec3 center, drift, spin;
} pl_fem_rigid;
pl_fem_rigid pl_fem_rigid_motion(const pl_fem_model *model, const double *x, const double *v);

// Where the rigid part of the motion of x and v takes the particles in a time, and where their
// whole motion does if what is not rigid continues along straight lines.
void pl_fem_carry(const pl_fem_model *model, const double *x, const double *v, double time,
                  double *rigid, double *whole);

pl_vec3 pl_fem_center_of(const pl_fem_model *model, const double *positions);

// Angular momentum around the centre of mass, and turning work->next such that with velocities
// (next - from) / step it has the one that is wanted.
pl_vec3 pl_fem_angular_momentum(const pl_fem_model *model, const double *positions,
                                const double *velocities);
// The angular velocity with which the body, as if rigid, has an angular momentum.
pl_vec3 pl_fem_spin_of(const pl_fem_model *model, const double *x, pl_vec3 momentum);
void pl_fem_turn_to_momentum(pl_fem_work *work, const double *from, double step, pl_vec3 wanted);

// Spin a body at work->middle with velocities work->mean such that it has an angular momentum.
void pl_fem_spin_to_momentum(pl_fem_work *work, pl_vec3 wanted);

#endif
