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

// A surface point that meets colliders in this step. Forces and stiffness are times h².
typedef struct pl_fem_fast_contact {
  int32_t collider;    // the one that presses hardest, -1: none meets it
  pl_f4 normal, slip;  // of that collider; way from the anchor in the tangent plane
  pl_f4 force;         // at the predicted position
  pl_f4 columns[3];    // of the stiffness, symmetric
  float depth;         // metres that the predicted position is inside, negative: outside
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

// After the moves are known: what friction remembers.
void pl_fem_fast_touch_settle(const pl_fem_fast_touch *touch);

// Add what the body felt of each collider in this step, after pl_fem_fast_touch_settle(), to
// `touches` and `presses` of the move, as far as they are wanted.
void pl_fem_fast_touch_report(const pl_fem_fast_touch *touch, const pl_body_move *move);

#endif
