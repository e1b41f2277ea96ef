#include "actor/behaviour_list.h"

#include <string.h>

static const pl_behaviour *const behaviours[] = {&pl_behaviour_stand, &pl_behaviour_hop,  &pl_behaviour_roll,
                                                 &pl_behaviour_crawl, &pl_behaviour_walk, &pl_behaviour_waddle,
                                                 &pl_behaviour_bounce};

const pl_behaviour *const *pl_behaviour_list(int32_t *count) {
  *count = (int32_t)(sizeof behaviours / sizeof *behaviours);
  return behaviours;
}

const pl_behaviour *pl_behaviour_find(const char *name) {
  int32_t count;
  const pl_behaviour *const *list = pl_behaviour_list(&count);
  for (int32_t i = 0; i < count; ++i)
    if (strcmp(list[i]->name, name) == 0) return list[i];
  return NULL;
}

// With the costs of the def letters K, N and Y fall within seconds; with these they hop and bounce for ten.
pl_behaviour_costs pl_behaviour_get_costs(const pl_behaviour *behaviour) {
  bool moves = behaviour == &pl_behaviour_hop || behaviour == &pl_behaviour_bounce || behaviour == &pl_behaviour_waddle;
  return moves ? (pl_behaviour_costs){3, 50, 10} : (pl_behaviour_costs){0, 0, 0};
}
