// Contact of a finite-element body with colliders, as springs that are part of the system to be
// solved (paper 004, section 3).
#ifndef PL_FEM_CONTACT_H
#define PL_FEM_CONTACT_H

#include "fem/fem_model.h"

// One surface point. What is read of every point that may touch comes first, within a line of the
// cache.
typedef struct pl_fem_contact_point {
  // Friction, frozen while one search for a minimum is under way: the collider that presses hardest
  // (-1: none), its normal there, the position that friction holds the point at, the largest
  // friction force, and the stiffness of its spring.
  int32_t collider;
  bool is_active;  // of the last evaluation: whether any force acts
  double cap, grip;
  // Of the last evaluation, if active: energy, derivatives by the position of the point.
  double depth;  // metres below the collider that presses hardest
  double energy;
  pl_vec3 gradient;
  // Of those that press less hard, the hardest, -1: none; and its force, N
  int32_t other;
  pl_vec3 other_force;
  pl_mat3 matrix;
  pl_vec3 normal, anchor;  // of friction, see above
  // Of pl_fem_contacts_relax(): the cap before, and by how much the one that belonged to its forces
  // differed.
  double held, off;
  // Of the same call: what else friction was before.
  int32_t held_collider;
  pl_vec3 held_normal, held_anchor;
  double held_grip;
} pl_fem_contact_point;

// All contacts of a body in one step. The surface is taken at z = base + reach (u - base), and the
// energy by u is V(z) / reach: so the force on u is that on z.
typedef struct pl_fem_contacts {
  pl_context *context;
  const pl_fem_model *model;
  int32_t collider_count;
  const pl_collider *const *colliders;
  const double *frictions;            // as in pl_body_move
  const pl_transform *starts, *ends;  // where colliders are at the start and at the end of the step
  const double *base;                 // particles at the start of the step
  const double *anchors;              // of the state
  double reach;
  double damping;    // β: time in which the springs relax, as a multiple of the step; 0: at once
  double step;       // s that the end is away: how fast deep overlap comes out; 0: at once
  double stiffness;  // N/m per m²: that of the model, or what the inertia of a step needs
  pl_fem_contact_point *points;  // one per surface point
  int32_t *active;               // those that are active since the last evaluation, rising
  int32_t active_count;
  // How far each surface point is at least from all colliders when the particles are at `base` and
  // colliders at their ends; set `measured` to false when those change. Points that cannot have
  // come that far are not read.
  double *clearances;
  bool measured;
  // Points that matter while none goes farther than near_way, rising; less than 0: not listed.
  int32_t *near;
  int32_t near_count;
  double near_way;
  bool without_derivatives;  // evaluations find forces alone: neither energies nor matrices
} pl_fem_contacts;

// Stiffness, N/m per m², with which colliders push a body: `base`, or what carries its weight with
// a quarter of its contact thickness of overlap where that is more, up to `max_ratio` times the
// base: springs much stiffer than what they push are not solved any more. `area`, m², is that of
// its surface: it lies on about a sixth of it.
double pl_fem_contact_stiffness(const pl_model *model, double area, double base, double max_ratio);

// Evaluate all points at u. With `refresh`, friction is set up again from the forces at u before.
double pl_fem_contacts_evaluate(pl_fem_contacts *contacts, const double *u, bool refresh);

// Set friction up again for the forces at u, where the equations are solved with the present one,
// but let its caps go to where Aitken's relaxation expects them to end: `factor` is kept from one
// call to the next, 0 at first. Returns by how much caps were off, as a fraction of their sum. The
// points must be evaluated again. When that fraction was small enough to stay,
// pl_fem_contacts_keep() brings back the caps that the equations were solved with.
double pl_fem_contacts_relax(pl_fem_contacts *contacts, const double *u, double *factor);
void pl_fem_contacts_keep(pl_fem_contacts *contacts);

// Bring back all of friction as it was before the last pl_fem_contacts_relax(), not the caps alone:
// colliders, normals, anchors and grips too.
void pl_fem_contacts_restore(pl_fem_contacts *contacts);

// Add what the last evaluation found: the gradient, and derivatives by u to the matrix.
void pl_fem_contacts_add_gradient(const pl_fem_contacts *contacts, double *gradient);
void pl_fem_contacts_add_matrix(const pl_fem_contacts *contacts, pl_block_matrix *matrix);

// How much of a change of velocity of each particle the contacts of the last evaluation suppress:
// `changes` (3 per particle) becomes S changes, with S = H (H + inertia M)⁻¹ and H the stiffness of
// contact at the particle: 0 where it touches nothing, nearly 1 across hard ground. `blocks` is
// workspace, 9 per particle.
void pl_fem_contacts_suppress(const pl_fem_contacts *contacts, double inertia, double *blocks,
                              double *changes);

bool pl_fem_contacts_any(const pl_fem_contacts *contacts);

// Whether a point of the last evaluation overlaps a collider by more than the contact thickness.
bool pl_fem_contacts_any_deep(const pl_fem_contacts *contacts);

// Where friction holds every point from the end of the step on, written to `anchors` (4 per surface
// point, as in pl_fem_state).
void pl_fem_contacts_settle(pl_fem_contacts *contacts, const double *u, double *anchors);

// What the body felt of each collider at u, where the points were evaluated last: forces are times
// `seconds`. A point that several colliders press counts for the hardest, but what is given to
// colliders is divided. It is added to `touches` of the move, by collider, and to `presses`, by
// surface point, as far as they are wanted.
void pl_fem_contacts_report(const pl_fem_contacts *contacts, const double *u, double seconds,
                            const pl_body_move *move);

#endif
