// What a step or an equilibrium minimises: the incremental potential of a body.
//
//   Φ(u) = ½ c |u - y|²_M - f·u + W(u) + ½ b (u - x)ᵀ K₀ (u - x) + V(z(u)) + pins
//
//   u       positions at the end, the unknown
//   x       positions at the start
//   c, y    inertia: 1/s², and the positions by inertia alone
//   f       loads, N
//   W       elastic energy
//   b, K₀   stiffness damping, with the stiffness of one pose; tets have D(u) (fem_maxwell.h) in
//           place of this term, and bodies that adapt b W̃(u; x) (fem_viscous.h)
//   V, z    contact with colliders, and the surface (fem_contact.h)
#ifndef PL_FEM_POTENTIAL_H
#define PL_FEM_POTENTIAL_H

#include "fem/fem_contact.h"
#include "fem/fem_maxwell.h"
#include "fem/fem_system.h"

typedef struct pl_fem_potential {
  pl_fem_system *system;
  pl_block_matrix *matrix;
  double inertia;              // c, 1/s²; 0: none
  const double *goal;          // y
  const double *load;          // f, or NULL
  double load_size;            // N: size of loads that are hidden in y
  pl_block_matrix *damping;    // K₀, set by the caller, or NULL
  const double *damping_base;  // where particles would be by the rigid part of their motion: what
                               // differs from it is damped
  double damping_factor;       // b
  pl_fem_maxwell *maxwell;     // viscosity of tets in place of K₀, or NULL
  double *viscous;  // gradient of that, or of the W̃ of bodies that adapt, in the last evaluation;
                    // NULL: they have K₀
  const double *base;  // x
  pl_fem_contacts *contacts;
  bool refresh;  // set up friction again in evaluations without a matrix too
  bool hold;  // friction stays as it was last set up, in evaluations with a matrix too; not before
              // the first of a step
  // the elastic part and its damping are those of the last evaluation: u and all that they depend
  // on are the same. Evaluations with a matrix do not look at it
  bool is_repeated;
  bool without_energy;  // the energy is not wanted: what an evaluation returns means nothing
  // who solves with the matrix of a body in a plane does not look at z: where nothing else is
  // fixed, the matrix is left as it is
  bool without_z;
  bool lower;  // nor at blocks above its diagonal: they are not assembled (fem_system.h)
  const pl_body_pin *pins;  // those with a stiffness are springs
  int32_t pin_count;
  double end_factor;     // from x to the end of the step, over from x to u
  double pin_rate;       // 1/s: what a pin's damping is multiplied with for a displacement from x
  const uint8_t *fixed;  // PL_BLOCK_FIX bits, or NULL
  // Of the last evaluation.
  double elastic_energy, viscous_energy;
  double *elastic;   // ∂W/∂x
  double *gradient;  // ∂Φ/∂u, 0 where fixed
  double *image;     // where fixed: the force that holds it, N; workspace for products elsewhere
  double size;       // N: square root of the sum of squares of the forces that balance each other
} pl_fem_potential;

// Take the vectors; false when out of memory. The caller fills in the rest.
bool pl_fem_potential_take(pl_arena *arena, pl_fem_system *system, pl_block_matrix *matrix,
                           pl_fem_potential *potential);

// Φ at u, its gradient, and with `with_matrix` its Hessian with everything fixed in place.
// Allocates nothing.
double pl_fem_potential_evaluate(pl_fem_potential *potential, const double *u, bool with_matrix,
                                 bool positive);

// Square root of the sum of squares over the free degrees of freedom of the gradient.
double pl_fem_potential_residual(const pl_fem_potential *potential);

#endif
