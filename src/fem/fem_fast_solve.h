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

// What turns in a step (fem_fast_turning.h).
typedef struct pl_fem_fast_turning {
  pl_vec3 center;   // of the predicted positions
  pl_mat3 inverse;  // of the inertia around it
  pl_f4 *kept;      // workspace, one per particle
} pl_fem_fast_turning;

typedef struct pl_fem_fast_solver {
  pl_context *context;
  const pl_fem_fast_kernels *kernels;
  pl_fem_fast_work work;
  const pl_fem_fast_pin *pins;
  int32_t pin_count;
  const pl_sparse_cholesky *factor;  // that of the particles that are held
  bool holds_all;                    // the factor knows every pin
  bool is_exact;                     // the factor knows every pin that is hard
  int32_t spring_count;              // pins that are not
  pl_fem_fast_touch touch;
  pl_fem_fast_turning turning;
  bool turns;           // colliders may turn the body: it is solved with the turning split off
  float *workspace;     // of the factor
  double *squeezes;     // sums of blocks of groups
  int32_t first_group;  // of the colour at hand, …
  // … and what is done to its groups
  void (*for_groups)(const pl_fem_fast_work *work, int32_t begin, int32_t end);
} pl_fem_fast_solver;

// One move of a body: its solver and what the parts of it share.
typedef struct pl_fem_fast_step {
  pl_fem_fast_solver solver;
  pl_fem_fast_sums *sums;
  bool *is_finite;
  pl_fem_fast_pin *pins;
  bool *is_pinned;        // per particle
  double *example_pulls;  // [block][example][8]
  pl_f4 *kept_forces;     // at the predicted positions
} pl_fem_fast_step;

// Weights of the examples of a step (fem_fast_examples.c), after predict.
void pl_fem_fast_find_weights(pl_fem_fast_step *step);

// For coupled solves (fem_fast_step.c): the equations of one step, in the move's scratch, NULL when
// out of memory; and the end of the step, once the moves are known. The rigid part of the moves is
// left in.
pl_fem_fast_step *pl_fem_fast_begin_step(const pl_model *model, void *state,
                                         const pl_body_move *move);
void pl_fem_fast_end_step(pl_fem_fast_step *step, const pl_body_move *move);
// Whether a step of the world is one of the model.
bool pl_fem_fast_is_one_step(const pl_model *model, double world_step);

// product = matrix * direction, in two parts: inertia and elasticity, and what pins and colliders
// add.
void pl_fem_fast_multiply_inner(pl_fem_fast_solver *solver);
void pl_fem_fast_add_held(const pl_fem_fast_solver *solver);

// Run a kernel over the groups of every colour, one colour after the other.
void pl_fem_fast_for_colors(pl_fem_fast_solver *solver,
                            void (*for_groups)(const pl_fem_fast_work *work, int32_t begin,
                                               int32_t end));

// After predict: held particles are put on their targets, springs pull. `fraction` is how much of
// the way from start to target is to be covered.
void pl_fem_fast_place_pins(const pl_fem_fast_solver *solver, double fraction);

// Choose the factor for the pins there are. `is_pinned` is for one number per particle.
void pl_fem_fast_choose_factor(pl_fem_fast_solver *solver, bool *is_pinned);

// Whether nothing holds the body from outside.
bool pl_fem_fast_is_free(const pl_fem_fast_solver *solver);

// How many numbers `squeezes` is for.
int32_t pl_fem_fast_squeeze_count(const pl_fem_fast_model *model);

// Find the moves that answer the forces, which become what is left of them. `kept` is workspace,
// one per particle.
void pl_fem_fast_solve(pl_fem_fast_solver *solver, pl_f4 *kept);

#endif
