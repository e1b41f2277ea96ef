// Standing, which the other behaviours do too when the command is to stop.
#ifndef PL_BEHAVIOUR_STAND_H
#define PL_BEHAVIOUR_STAND_H

#include "actor/behaviour_aim.h"

typedef struct pl_stand {
  pl_vec3 over;         // place on the ground that the centre of mass is to be above
  double height;        // of the centre of mass, share of that in the shape as built
  pl_quat turn;         // wanted rotation of the shape as built
  double gain;          // 1/beat
  double acceleration;  // gravities
  double weight;        // of the centre of mass
  double hold_weight;   // of how it is turned
} pl_stand;

// The presets of `stand`, over the body's support and facing as it does.
pl_stand pl_stand_usual(const pl_actor_view *view, const pl_motion_frame *frame);

// Lie still: no behaviour can get up, and one that tries tears at its body and throws it about. The
// centre of mass comes to rest, gently; the rest shape goes back to the shape as built by its cost.
void pl_stand_lie(const pl_actor_view *view, const pl_motion_frame *frame, pl_goals *goals);

// Centre of mass at rest above the place, body upright and feet at rest.
void pl_stand_goals(const pl_actor_view *view, const pl_motion_frame *frame, const pl_stand *stand,
                    pl_goals *goals);

#endif
