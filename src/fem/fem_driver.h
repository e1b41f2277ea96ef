// A driver chooses the rest shape of a body in every step; actors are drivers.
//
// A model that adapts keeps the rest shapes of its elements in its state. A driver is called once
// the equations of a step are set up and before they are solved; it writes new rest shapes and may
// leave a first guess for the solution. Whatever it does, the step that follows solves the
// equations of motion with these rest shapes as it would any others: elastic forces are internal,
// so momentum is kept.
#ifndef PL_FEM_DRIVER_H
#define PL_FEM_DRIVER_H

#include "fem/fem_work.h"

// A step whose equations are set up: work->potential at work->next (u) is what is minimised, x at
// the end of the step is base + reach (u - base).
typedef struct pl_fem_choice {
  const pl_fem_model *model;
  pl_fem_work *work;
  pl_fem_state state;  // rest[g]: to be written; positions and velocities at the start of the step
  const pl_body_move *move;
  double reach;
} pl_fem_choice;

// Set up the equations of a step of implicit Euler of `tau` seconds from the state, whose end the
// choice's `reach` of them lies away (fem_step.c). False when out of memory.
bool pl_fem_begin_step(const pl_fem_choice *choice, double tau);
// The forces of the pins at u, where the equations were solved.
void pl_fem_report_pins(const pl_fem_work *work, const double *u, const pl_body_move *move);

typedef struct pl_fem_driver {
  // Write choice->state.rest, every element with the orientation and, roughly, the size that it was
  // built with; the step then uses what stands there. It may work in everything of choice->work
  // that a search does (potential, newton, matrix, solver) and call pl_fem_system_use() as it
  // likes. Called once a step, on any thread. A failure fails the world's step, which puts
  // everything back as it was, what stands in state.rest included.
  pl_status (*choose)(void *user, pl_fem_choice *choice, pl_error *error);
  // After the body's move, or NULL: the state is the new one, work->report says how it went.
  // Contact with other bodies comes later, and the world may yet roll the step back: what must be
  // rolled back along belongs into the state of a controller.
  void (*done)(void *user, const pl_fem_choice *choice);
  void *user;
  pl_fem_direct direct;  // how the step that follows a choice solves its linear systems; its
                         // `solve` may be NULL
} pl_fem_driver;

// Let a driver choose for a body from its next step on; NULL: none, and the rest shape stays as it
// is. It must outlive the body or be replaced before; it is not a part of snapshots, so that a
// restored world has the drivers it had (fem_body.c). Fails with PL_ERROR_NOT_FOUND for a stale
// handle, PL_ERROR_UNSUPPORTED for a body whose model does not adapt.
pl_status pl_fem_drive(pl_world *world, pl_body_id body, const pl_fem_driver *driver);

#endif
