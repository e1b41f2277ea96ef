// The linear system of a step of the fast corotated solid: constant stretching, compliant volumes,
// pins, contact.
#ifndef PL_FEM_FEM_FAST_SOLVE_H
#define PL_FEM_FEM_FAST_SOLVE_H

#include "fem/fem_fast_touch.h"

// A pin during one step.
typedef struct pl_fem_fast_pin {
  int32_t particle;  // ours
  bool is_hard;
  pl_f4 start, target;  // where the particle is at the start of the move and should be at its end,
                        // from the body's origin
  float stiffness, damping;  // h² k and h c, kg
} pl_fem_fast_pin;

typedef struct pl_fem_fast_solver {
  pl_context *context;
  const pl_fem_fast_kernels *kernels;
  pl_fem_fast_work work;
  const pl_fem_fast_pin *pins;
  int32_t pin_count;
  pl_fem_fast_touch touch;
  float *workspace;     // of the factor
  int32_t first_group;  // of the colour at hand
} pl_fem_fast_solver;

// Run `work` over the groups of every colour, one colour after the other; its `data` is the solver,
// whose first_group its range is relative to.
void pl_fem_fast_for_colors(pl_fem_fast_solver *solver,
                            void (*work)(void *data, int32_t begin, int32_t end, int32_t block));

// After predict: held particles are put on their targets, springs pull. `fraction` is how much of
// the way from start to target is to be covered.
void pl_fem_fast_place_pins(const pl_fem_fast_solver *solver, double fraction);

// Whether nothing holds the body from outside.
bool pl_fem_fast_is_free(const pl_fem_fast_solver *solver);

// Find the moves that answer the forces.
void pl_fem_fast_solve(pl_fem_fast_solver *solver);

#endif
