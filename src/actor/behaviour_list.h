// The behaviours of the library.
#ifndef PL_BEHAVIOUR_LIST_H
#define PL_BEHAVIOUR_LIST_H

#include "pliant/actor.h"

extern const pl_behaviour pl_behaviour_stand, pl_behaviour_hop, pl_behaviour_roll,
    pl_behaviour_crawl, pl_behaviour_walk, pl_behaviour_waddle, pl_behaviour_bounce;

// Costs of rest shapes (pl_actor_def) with which a behaviour moves bodies that nobody tuned; 0: the
// def's own.
typedef struct pl_behaviour_costs {
  double regularisation, rate_regularisation, volume_regularisation;
} pl_behaviour_costs;

pl_behaviour_costs pl_behaviour_get_costs(const pl_behaviour *behaviour);

#endif
