// Stiffness damping of bodies that adapt: forces that oppose changes of shape and nothing else.
#ifndef PL_FEM_VISCOUS_H
#define PL_FEM_VISCOUS_H

#include "fem/fem_system.h"

// D(u) for particles that were at `from`, times a factor (β over the time in between, so that its
// gradient is a force). `gradient` is overwritten; the Hessian is added to `matrix`, NULL: not
// wanted; `positive`: with all that could be negative left out or projected away. Uses the system's
// workspace for energies. The same bits for any number of threads; allocates nothing.
double pl_fem_viscous_evaluate(pl_fem_system *system, const double *from, double factor,
                               const double *u, double *gradient, pl_block_matrix *matrix,
                               bool positive);

// The same of one group, added to `gradient`; `energies` by element of all groups.
void pl_fem_viscous_add(pl_fem_system *system, int32_t group, const double *from, double factor,
                        const double *u, double *gradient, double *energies,
                        pl_block_matrix *matrix, bool positive);

#endif
