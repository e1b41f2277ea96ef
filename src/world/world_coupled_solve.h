// The system of a coupled solve, and its solution (world_coupled.c, world_coupled_solve.c).
#ifndef PL_WORLD_WORLD_COUPLED_SOLVE_H
#define PL_WORLD_WORLD_COUPLED_SOLVE_H

#include "contact/contact_potential.h"
#include "contact/joint_potential.h"
#include "world/world_segments.h"

typedef enum pl_coupled_state {
  PL_COUPLED_WAITING,
  PL_COUPLED_ALONE,
  PL_COUPLED_TOGETHER,
  PL_COUPLED_ASLEEP,
  PL_COUPLED_KINEMATIC  // only animation moves it
} pl_coupled_state;

// A rigid body of it (world_coupled_rigid.c).
typedef struct pl_coupled_rigid {
  pl_contact_rigid start, goal;  // before its own step and after it
  double mass;                   // kg
  pl_mat3 inertia;               // around the centre at the goal, kg m²
  double length;                 // radius of gyration, metres
  pl_vec3 *points;               // its particles at the goal
  pl_vec3 force, torque;         // of contact, N, and N m around the centre at the start
} pl_coupled_rigid;

// A body that may touch others.
typedef struct pl_coupled_body {
  pl_body *body;
  const pl_body_coupled *coupled;  // NULL: free masses, or …
  pl_coupled_rigid *rigid;         // … a rigid body; its particles are two, centre and rotation
  int32_t index;                   // in the world
  int32_t first, count;            // its particles
  int32_t island;                  // the lowest body of it
  bool is_solved;                  // nothing has come to its island since that was solved
  pl_coupled_state state;          // how it moves in this step
  pl_body_move move;
  pl_body_coupled_step step;
  void *before;     // its state before its own step
  pl_vec3 way;      // of its centre of mass in the step
  pl_vec3 torque;   // of contact, beyond that of its forces at the ends; N m
  double allowed;   // metres of overlap that count as none
  bool is_guessed;  // its ends have been found, or guessed from the forces of the last step
  bool converged;
  int32_t newton_count;  // of its island, with the residual as a multiple of the tolerance
  double residual;
  pl_collider_impulse missing;  // of its balance (world_coupled_balance.c)
  bool rests;  // its island has not moved: multipliers stay too, or they would continue to close
               // gaps
} pl_coupled_body;

// Whether nothing moves a body in this step.
static inline bool pl_coupled_is_obstacle(const pl_coupled_body *body) {
  return body->state == PL_COUPLED_ASLEEP || body->state == PL_COUPLED_KINEMATIC;
}

typedef struct pl_coupled_joint pl_coupled_joint;
typedef struct pl_coupled_tie pl_coupled_tie;

// All of them. Particles are numbered through; vectors have three doubles per particle.
typedef struct pl_coupled {
  pl_world *world;
  int32_t body_count;
  pl_coupled_body *bodies;     // one per contact body
  int32_t *first;              // of each: first particle; body_count + 1
  pl_potential_rigid *rigids;  // of each: its frame at the goal
  int32_t term_count, term_capacity;
  pl_contact *contacts;
  pl_contact_potential *terms;
  int32_t joint_count;
  pl_coupled_joint *joints;  // those of its rigid bodies
  int32_t tie_count;
  pl_coupled_tie *ties;  // points of bodies that are attached to others
  int32_t *body_order, *term_order, *joint_order, *tie_order;  // sorted by island
  int32_t *starts;                                             // workspace of sorting
  struct pl_coupled_island *islands;
  pl_contact_rigid *wholes;  // two per body: workspace of pl_coupled_rest()
  int32_t island_count;
  pl_waiting_lines *waiting;  // to be moved with the first solve
  double *ends;               // z
  double *goal;               // of explicit bodies: y
  double *gradient, *direction, *base, *residual, *solved, *product;
  double *predicted;  // the gradient with contacts as they will be at the end of the direction
  double *blocks, *inverses;  // 9 per particle
  uint8_t *fixed;             // bits 1, 2, 4 per particle
} pl_coupled;

// An island of it.
typedef struct pl_coupled_island {
  pl_coupled *coupled;
  const int32_t *bodies, *terms, *joints, *ties;
  int32_t body_count, term_count, joint_count, tie_count;
  int32_t newton_count, conjugate_count;
  double residual;  // of the worst body, as a multiple of what counts as none
  bool is_rough;    // solve it as far as it takes to tell what else will touch
  bool converged;
} pl_coupled_island;

// Memory for the bodies of the world, as they are before the step (world_coupled_memory.c). False
// when out of memory.
bool pl_coupled_take(pl_coupled *coupled);

// Where a sleeper or a kinematic mesh is; nothing moves it, so it has neither direction nor
// stiffness.
void pl_coupled_place_obstacle(pl_coupled *coupled, const pl_coupled_body *body);

// Rigid bodies (world_coupled_rigid.c). Whether one takes part; memory, and the state before its
// step; the goal, after it, with the frame for contacts.
bool pl_coupled_rigid_is_part(const pl_world *world, int32_t index);
bool pl_coupled_rigid_take(pl_coupled *coupled, pl_coupled_body *body);
void pl_coupled_rigid_place(const pl_coupled_body *body, pl_potential_rigid *frame);
// Its part of the solve, with rate = 1 / step².
double pl_coupled_rigid_evaluate(pl_coupled_body *body, double rate);
void pl_coupled_rigid_multiply(const pl_coupled_body *body, double rate, const double *d,
                               double *product);
void pl_coupled_rigid_get_blocks(const pl_coupled_body *body, double rate, double *blocks);
void pl_coupled_rigid_guess_rest(const pl_coupled_body *body);
// Particles at the ends; the state after the solve.
void pl_coupled_rigid_note_ends(const pl_coupled_body *body);
void pl_coupled_rigid_commit(const pl_coupled *coupled, const pl_coupled_body *body);

// Joints (world_coupled_joint.c): memory; rows, when all rigid bodies are at their goals; the body
// of a side, -1 for the world; the one whose island it belongs to.
bool pl_coupled_joints_take(pl_coupled *coupled);
void pl_coupled_joints_place(pl_coupled *coupled);
int32_t pl_coupled_joint_body(const pl_coupled *coupled, int32_t joint, int side);
int32_t pl_coupled_joint_owner(const pl_coupled *coupled, int32_t joint);
// The rows of all joints of an island in the solve, as terms of contacts are; `any_off`: is one not
// where it is to be?
void pl_coupled_joints_set_stiffness(const pl_coupled_island *island);
double pl_coupled_joints_evaluate(const pl_coupled_island *island);
bool pl_coupled_joints_predict(const pl_coupled_island *island);
void pl_coupled_joints_add_gradient(const pl_coupled_island *island, double *gradient);
void pl_coupled_joints_add_product(const pl_coupled_island *island, const double *d,
                                   double *product);
void pl_coupled_joints_add_blocks(const pl_coupled_island *island, double *blocks);
bool pl_coupled_joints_any_off(const pl_coupled_island *island);
void pl_coupled_joints_update(const pl_coupled_island *island);
// Their forces on bodies, and what joints keep from step to step.
void pl_coupled_joints_commit(const pl_coupled *coupled);

// Attached points (world_coupled_tie.c), likewise; `commit` adds their forces to those on
// particles.
bool pl_coupled_ties_take(pl_coupled *coupled);
void pl_coupled_ties_place(pl_coupled *coupled);
int32_t pl_coupled_tie_body(const pl_coupled *coupled, int32_t tie, int side);
int32_t pl_coupled_tie_owner(const pl_coupled *coupled, int32_t tie);
void pl_coupled_ties_set_stiffness(const pl_coupled_island *island);
double pl_coupled_ties_evaluate(const pl_coupled_island *island);
void pl_coupled_ties_add_gradient(const pl_coupled_island *island, double *gradient);
void pl_coupled_ties_add_product(const pl_coupled_island *island, const double *d, double *product);
void pl_coupled_ties_add_blocks(const pl_coupled_island *island, double *blocks);
bool pl_coupled_ties_any_off(const pl_coupled_island *island);
void pl_coupled_ties_update(const pl_coupled_island *island);
void pl_coupled_ties_commit(const pl_coupled *coupled, double *forces);

// What restitution does to a contact (world_coupled_bounce.c).
typedef struct pl_coupled_bounce {
  bool parts;    // it parts: the force of the last step was that of a blow
  double leave;  // m/s at which the gap is to open at least; 0: no bounce
  double lag;    // m/s: what the gap's velocity misses to that of the end of its step
  double loss;   // m/s: energy that an impulse is to take, per N s
} pl_coupled_bounce;
pl_coupled_bounce pl_coupled_bounce_of(const pl_coupled *coupled, const pl_contact *contact);

// Positions and velocities of an explicit body of particles, pushed by `forces`, 3 numbers per
// particle, N.
void pl_coupled_commit_masses(const pl_coupled *coupled, const pl_coupled_body *body,
                              const double *forces);

// Damp explicit soft bodies that sway on what they touch, after all states are written
// (world_coupled_rest.c).
void pl_coupled_rest(const pl_coupled *coupled);

// The forces of all contacts on rigid bodies, and the torques that implicit ones get besides.
void pl_coupled_add_forces(const pl_coupled *coupled);
// The same of one force on the first of two bodies, and its opposite on the second: they feel it at
// these points, and both at one of them.
void pl_coupled_push_pair(const pl_coupled *coupled, const int32_t bodies[2],
                          const pl_vec3 points[2], pl_vec3 force);
// The rotation of a rigid body from its goal.
pl_quat pl_coupled_rigid_turn(const pl_coupled_body *body);
// Whether a body takes part, or is one that others meet after the solve.
bool pl_coupled_has_place(const pl_coupled *coupled, int32_t body);

// What the solve leaves of the balance of momentum (world_coupled_balance.c): of an explicit body,
// before its state is written, when the forces on it are known; and all of it given to colliders,
// when all states are.
void pl_coupled_note_missing(const pl_coupled *coupled, pl_coupled_body *body,
                             const double *forces);
void pl_coupled_balance(const pl_coupled *coupled);

// Move the ends of the island's bodies to the minimum (world_coupled_solve.c), and again with
// smaller bounces where they would gain energy (world_coupled_bounce.c). False if the tolerance was
// not reached.
bool pl_coupled_minimize(pl_coupled_island *island);
bool pl_coupled_solve(pl_coupled_island *island);

// ½ |z - y|²_M / h² of an explicit body, with its gradient, J.
double pl_coupled_evaluate_masses(const pl_coupled *coupled, pl_coupled_body *body);

#endif
