// Contacts as terms of an incremental potential, for steps that solve contact together with elastic
// forces.
//
// A term acts on the particles of several bodies at once. They are numbered through, three doubles
// each, so that a term neither knows bodies nor methods; z are the positions at the end of the
// step.
//
//   p - q = sum w_i z_i             where the sides are, relative to each other; of a rigid side
//                                   p = z_c + r + z_τ × r / L, see pl_potential_rigid
//   g     = n . (p - q) - offset    the gap
//   s     = P (p - q - start)       the way slid in this step, P = 1 - n nᵀ
//
//   normal     f = max(0, λ - k g)             energy f² / 2k
//   friction   t = μ-cone of λ_t - k s         energy |t|² / 2k, straight on where it yields
//
// λ and λ_t are the forces of the last step (augmented Lagrangian): what lies at rest has g = 0 and
// s = 0 whatever k is, so that k need not follow the load. It must follow what the particles answer
// with, or the multipliers oscillate: with a = k / (effective inertia over step²) they are stable
// for a > 1 and die out within a step or two for a >> 1.
//
// Friction's cap μ f has no energy. It is frozen while a search for a minimum is under way and
// renewed by evaluations with `refresh`.
#ifndef PL_CONTACT_CONTACT_POTENTIAL_H
#define PL_CONTACT_CONTACT_POTENTIAL_H

#include "contact/contact.h"

enum { PL_CONTACT_MAX_PARTS = 16 };  // 4 parents of each surface point, 4 surface points

// A rigid body moved a little from a goal: the first of its two particles is its centre, the second
// the rotation vector from the goal times a length.
typedef struct pl_potential_rigid {
  const pl_vec3 *points;  // its particles at the goal; NULL for a body of particles
  pl_vec3 center;         // of mass, at the goal
  double length;          // L, metres
} pl_potential_rigid;

typedef struct pl_contact_potential {
  // Particles that it acts on, each once, and their weights: negative on side b.
  int32_t count;
  int32_t particles[PL_CONTACT_MAX_PARTS];
  double weights[PL_CONTACT_MAX_PARTS];
  // Rigid sides: the particles that turn them, the levers that these act with, negative on side b,
  // and the constant part of p - q.
  int32_t turn_count;
  int32_t turns[2];
  pl_vec3 levers[2];  // r / L
  pl_vec3 fixed;
  pl_vec3 normal;
  double offset;
  double leave;  // metres of `offset` by which a bounce is to open the gap; 0: none
  // Of a bounce, metres: what the way of the gap misses to that of velocities at the ends of steps,
  // and the energy that it is to take, per N of its force.
  double lag, loss;
  pl_vec3 start;               // of p - q, plus the way that a collider's surface moves
  double friction;             // coefficient
  double stiffness;            // k, N/m
  double normal_multiplier;    // λ, N
  pl_vec3 tangent_multiplier;  // λ_t, N
  double cap;                  // N: the largest friction
  // Of the cap: before it was renewed, the change asked for when it was relaxed last, N, and the
  // part of it that was taken, 0 before the first time.
  double last_cap, last_change, fraction;
  // Of the last evaluation.
  double gap;
  double force;     // N along the normal on side a
  pl_vec3 tangent;  // N in the plane, on side a
  double grip;      // N/m: stiffness in the plane …
  pl_vec3 slide;    // … but for this direction, unit; zero where friction holds
  pl_vec3 pull;     // N: friction if nothing capped it
  bool presses;     // the force follows the gap
} pl_contact_potential;

// A term of a contact whose body b has particles first[b], first[b] + 1 …, and is rigid if
// rigids[b] has points (NULL: none is); `step` in seconds. Multipliers and stiffness are zero yet.
pl_contact_potential pl_contact_potential_of(const pl_contact *contact,
                                             const pl_contact_body *bodies, const int32_t *first,
                                             const pl_potential_rigid *rigids, double step);

// Work of the last evaluation's forces on the way of the two sides relative to each other, J.
double pl_contact_potential_work(const pl_contact_potential *term, const double *z);

// Take particles first … first + count - 1, where they are at z, as constants: nothing moves them.
void pl_contact_potential_freeze(pl_contact_potential *term, int32_t first, int32_t count,
                                 const double *z);

// k as `factor` times what the particles answer with. `blocks` are the diagonal blocks of the
// Hessian of the bodies, 9 per particle, those of held ones zero. A solve begins with it.
void pl_contact_potential_set_stiffness(pl_contact_potential *term, const double *blocks,
                                        double factor);

// Energy at z. With `refresh` friction's cap is renewed before.
double pl_contact_potential_evaluate(pl_contact_potential *term, const double *z, bool refresh);

// Take back part of the last renewal of friction's cap, for the next evaluation without `refresh`:
// so much that, by the secant through the last two, the next renewal changes nothing.
void pl_contact_potential_relax(pl_contact_potential *term);

// Where a step d of the positions would take the term from its last evaluation across a kink that
// its Hessian does not know: something apart that would meet, or friction that slides and would
// hold, or slide back. The term is then taken as pressing, or as holding, with the force and the
// Hessian of that, until the next evaluation. Returns whether anything changed.
bool pl_contact_potential_predict(pl_contact_potential *term, const double *d);

// Derivatives of the last evaluation: add the gradient, the product of the Hessian with d, and the
// diagonal blocks of the Hessian.
void pl_contact_potential_add_gradient(const pl_contact_potential *term, double *gradient);
void pl_contact_potential_add_product(const pl_contact_potential *term, const double *d,
                                      double *product);
void pl_contact_potential_add_blocks(const pl_contact_potential *term, double *blocks);

#endif
