// Colliders as implicit springs of the fast corotated solid.
#ifndef PL_FEM_FEM_FAST_TOUCH_H
#define PL_FEM_FEM_FAST_TOUCH_H

#include "fem/fem_fast_kernels.h"

// What friction remembers of a surface point, in the state. All zero: it touches nothing.
typedef struct pl_fem_fast_hold {
  double anchor[3];  // where friction holds it, in the collider's frame
  double collider;   // its number + 1
  double force;      // normal force at the end of the last step, N
} pl_fem_fast_hold;

enum { PL_FAST_MAX_PRESSES = 3 };  // of a point in the corner of a room

// What one collider does to a surface point.
typedef struct pl_fem_fast_press {
  pl_f4 normal;
  float depth;       // metres that the predicted position is inside, negative: outside
  bool is_released;  // it would pull: colliders only push
  int32_t switches;  // how often that has changed in this step
  int32_t collider;
} pl_fem_fast_press;

// A surface point that meets colliders in this step. Forces and stiffness are times h².
typedef struct pl_fem_fast_contact {
  int32_t collider;  // the one that presses hardest, -1: none meets it
  int32_t press_count;
  pl_fem_fast_press presses[PL_FAST_MAX_PRESSES];
  int32_t hardest;   // of these
  pl_f4 slip;        // way from the anchor in the tangent plane of the hardest
  float cap;         // the largest friction
  bool slides;       // friction pulls with all of it
  int32_t switches;  // how often it has changed between holding and sliding in this step
  pl_f4 friction;    // its force at the predicted position, by where the point is now, …
  pl_f4 columns[3];  // … and its stiffness, symmetric
  float stiffness;   // of each press
  bool is_loose;     // nothing presses: no friction
} pl_fem_fast_contact;

// The contacts of a step.
typedef struct pl_fem_fast_touch {
  const pl_fem_fast_work *work;
  const pl_collider *const *colliders;
  int32_t collider_count;
  const double *frictions;        // as in pl_body_move
  pl_transform *starts, *ends;    // of the colliders in this step
  pl_fem_fast_contact *points;    // one per surface point
  int32_t *active, active_count;  // surface points that meet something
} pl_fem_fast_touch;

// Find which surface points meet colliders, and add the forces; to be called while the forces are
// those from outside.
void pl_fem_fast_touch_find(pl_context *context, pl_fem_fast_touch *touch);

// Add to `product` what the contacts answer to `direction`.
void pl_fem_fast_touch_apply(const pl_fem_fast_touch *touch);

// Release what pulls at `moves`, push what is inside there, and let friction hold or slide as it
// does there; `forces`, those at the predicted positions, follow. Returns whether anything changed.
bool pl_fem_fast_touch_update(pl_fem_fast_touch *touch, pl_f4 *forces);
// Points that nothing presses in the end are no contacts.
void pl_fem_fast_touch_drop_loose(pl_fem_fast_touch *touch);

// For coupled solves, which look for the least energy; vectors have three doubles per particle in
// the order of the mesh. Whether each press pushes at the moves, and friction holds; with `refresh`
// also whether there is friction at all. Returns the energy of the springs, times h², and adds its
// gradient times `factor`, of which h² is not taken out. `forces` gets what pushes at the predicted
// positions, times h².
double pl_fem_fast_touch_evaluate(const pl_fem_fast_touch *touch, bool refresh, const double *moves,
                                  double factor, double *gradient, pl_f4 *forces);
// Add what they answer to d, times `factor`.
void pl_fem_fast_touch_add_product(const pl_fem_fast_touch *touch, const double *d, double factor,
                                   double *product);
// Take the forces that pl_fem_fast_touch_find() added out again.
void pl_fem_fast_touch_take_forces(const pl_fem_fast_touch *touch);
// What a point answers to a move.
pl_f4 pl_fem_fast_touch_answer(const pl_fem_fast_contact *contact, pl_f4 move);

// After the moves are known: what friction remembers.
void pl_fem_fast_touch_settle(const pl_fem_fast_touch *touch);

// Add what the body felt of each collider in this step, after pl_fem_fast_touch_settle(), to
// `touches` and `presses` of the move, as far as they are wanted.
void pl_fem_fast_touch_report(const pl_fem_fast_touch *touch, const pl_body_move *move);

// What colliders got, in balance with the momentum of the body, as in fem_reaction.h: rotations
// that are found once exert a torque, and the solve stops at a tolerance.
typedef struct pl_fem_fast_reaction {
  bool is_wanted;           // something touches, and nothing is pinned
  pl_collider_impulse sum;  // momentum at the start, and loads
} pl_fem_fast_reaction;
// Before pl_fem_fast_touch_report() of a step, with the state as at its start; then contact forces
// of other bodies in a coupled solve; and when the state is that of the end.
pl_fem_fast_reaction pl_fem_fast_reaction_begin(const pl_fem_fast_touch *touch,
                                                const pl_body_move *move);
void pl_fem_fast_reaction_add_forces(pl_fem_fast_reaction *reaction, const pl_fem_fast_work *work,
                                     const pl_body_coupled_result *result);
void pl_fem_fast_reaction_end(pl_fem_fast_reaction *reaction, const pl_fem_fast_touch *touch,
                              const pl_body_move *move);

#endif
