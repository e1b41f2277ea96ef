// Spaces of rest shapes: X(p) = X₀ + L p (paper 004, eq. 4, sections 4 and 5).
//
// Two kinds of map. In a *whole* space X are places of particles, shared by all elements around
// them: free points, cages, modes. In a *loose* one X are the corners of every element by itself:
// mixtures of examples, which do not fit together (section 5.1). In both, everything that the
// optimisation needs is a product with L; L is not used outside these files.
//
//   P         number of parameters
//   n         3 times the number of particles
//   c(u, p)   gradient of the step's potential by u, which must vanish
#ifndef PL_ACTOR_SPACE_H
#define PL_ACTOR_SPACE_H

#include "fem/fem_system.h"
#include "pliant/actor.h"

typedef struct pl_rest_space pl_rest_space;

// Build the space of a def for a model built from `mesh`. Fails as pl_actor_create() does.
pl_status pl_rest_space_build(pl_context *context, const pl_actor_def *def,
                              const pl_fem_model *model, const pl_mesh *mesh, pl_rest_space **space,
                              pl_error *error);
void pl_rest_space_destroy(pl_rest_space *space);

int32_t pl_rest_space_size(const pl_rest_space *space);  // P

// Rest shapes by element for parameters p, for pl_fem_system_use().
void pl_rest_space_shape(const pl_rest_space *space, const double *p, double *const *rest);

// Places of the particles in that shape; of loose spaces the mean over the elements around each,
// every element put where the rest has it.
void pl_rest_space_points(const pl_rest_space *space, const double *p, double *points);

// Take rigid motions out of p: the elements of its rest shape stay as they are. Modes and loose
// spaces have none.
void pl_rest_space_straighten(pl_rest_space *space, double *p);

// E = ∂c/∂p = (∂²W/∂x∂X) L at x, n x P row-major, overwritten; the system's rest shapes are those
// of p.
void pl_rest_space_mixed(pl_rest_space *space, const pl_fem_system *system, const double *x,
                         double *E);

// The same as a map: evaluate at x, then E dp (n numbers) and Eᵀ v (P numbers, of each of `count`
// vectors v that lie one after the other), both overwritten, until x is evaluated again. Whole
// spaces do without E: they multiply with the sparse ∂²W/∂x∂X and with L one after the other.
void pl_rest_space_mixed_get_view(pl_rest_space *space, const pl_fem_system *system,
                                  const double *x);
void pl_rest_space_mixed_apply(pl_rest_space *space, const double *dp, double *product);
void pl_rest_space_mixed_pull(pl_rest_space *space, const double *v, int32_t count,
                              double *product);

// Second derivatives of λ · ∂W/∂x: by x and x added to a block matrix on the model's pattern, by p
// and x (P x n row-major, overwritten), by p and p (P x P, added). Each may be NULL.
void pl_rest_space_third(pl_rest_space *space, const pl_fem_system *system, const double *x,
                         const double *lambda, pl_block_matrix *xx, double *B, double *C);

// r(p) with its gradient (P) and a Hessian (P x P, symmetric; exact or a positive one in its place
// where that is indefinite), both overwritten; either may be NULL. `last`: parameters of the last
// step, for the cost of change. Whole spaces: eq. 11, elastic energy of X(p) against X₀, in units
// of (Young's modulus x volume); loose ones: leaving the hull. actor_space_regularise.c has the
// formulas.
double pl_rest_space_regularise(pl_rest_space *space, const double *p, const double *last,
                                double *gradient, double *hessian);

// Spaces of free points have a Hessian as sparse as the stiffness matrix. The same with that in
// place of the P x P numbers: coordinate b of particle i is parameter axes i + b.
bool pl_rest_space_is_sparse(const pl_rest_space *space);
double pl_rest_space_regularise_sparse(pl_rest_space *space, const double *p, const double *last,
                                       double *gradient, pl_block_matrix *hessian);

// Root mean square strain between two rest shapes, for reports: to first order in p - q, so that
// where parts of a whole space turn far against each other it tells too much.
double pl_rest_space_strain(pl_rest_space *space, const double *p, const double *q);

#endif
