// What pl_fem_system (fem_system.h) does with plane triangles, which are found four at a time.
#ifndef PL_FEM_SYSTEM_PLANES_H
#define PL_FEM_SYSTEM_PLANES_H

#include "fem/fem_system.h"

// Take the memory and put triangles in fours; false when out of memory.
bool pl_fem_planes_take(pl_arena *arena, pl_fem_system *system);

// What rest shapes and parameters of the system make of them; and damping, from `damped_from` with
// `damped_factor`.
void pl_fem_planes_use(pl_fem_system *system);
void pl_fem_planes_find_before(const pl_fem_system *system);

// Energies by triangle, and forces and matrix added to what is there; `damping` may be NULL.
void pl_fem_planes_evaluate(pl_fem_system *system, const double *x, const pl_fem_damping *damping,
                            double *gradient, pl_block_matrix *matrix, bool positive);
// The same of pl_fem_system_evaluate_limited() and pl_fem_system_mixed_blocks().
void pl_fem_planes_limit(const pl_fem_system *system, const double *x, double plain, double scale,
                         const double *limits, double *gradient, pl_block_matrix *matrix);
void pl_fem_planes_mix(const pl_fem_system *system, const double *x, pl_block_matrix *matrix);

#endif
