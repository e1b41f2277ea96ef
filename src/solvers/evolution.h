// Search by an evolution strategy: many trials at a time, no derivatives, noisy and discontinuous
// functions. NLopt's global searches ask for one value after the other; here a generation is
// evaluated in parallel.
#ifndef PL_SOLVERS_EVOLUTION_H
#define PL_SOLVERS_EVOLUTION_H

#include "base/arena.h"
#include "base/random.h"

// Trials lie in the unit cube. The same seed and values give the same trials.
typedef struct pl_evolution {
  pl_arena arena;
  pl_random random;
  int32_t count, population;  // coordinates, trials in a generation
  int32_t generation;
  double step;     // of the search as a whole; it ends where this is small
  double *center;  // where the next trials are drawn
  double *widths;  // of each coordinate, relative to `step`
  double *trials;  // population x count
  double *draws;   // the same before bounds, as multiples of step x width
  double *weights, *slope, *spread;
  int32_t *order;
} pl_evolution;

// Start around `center` (NULL: the middle) with trials a fraction `step` of the cube apart. False
// when out of memory; pl_evolution_end() is right either way.
bool pl_evolution_begin(pl_context *context, int32_t count, int32_t population, uint64_t seed,
                        const double *center, double step, pl_evolution *evolution);

// Draw the trials of the next generation.
void pl_evolution_draw(pl_evolution *evolution);

// Learn from the values of all trials, the smaller the better.
void pl_evolution_learn(pl_evolution *evolution, const double *values);

void pl_evolution_end(pl_evolution *evolution);

#endif
