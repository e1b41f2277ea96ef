// The behaviours of the library.
#ifndef PL_BEHAVIOUR_LIST_H
#define PL_BEHAVIOUR_LIST_H

#include "pliant/actor.h"

extern const pl_behaviour pl_behaviour_stand, pl_behaviour_hop, pl_behaviour_roll,
    pl_behaviour_crawl, pl_behaviour_walk, pl_behaviour_waddle, pl_behaviour_bounce;

#endif
