// Seeded random numbers: PCG-XSH-RR 64/32 (O'Neill 2014). The same seed gives the same numbers
// everywhere.
#ifndef PL_BASE_RANDOM_H
#define PL_BASE_RANDOM_H

#include <stdint.h>

typedef struct pl_random {
  uint64_t state;
} pl_random;

pl_random pl_random_of_seed(uint64_t seed);
uint32_t pl_random_u32(pl_random *random);

// Uniform in [0, 1) with 53 random bits.
double pl_random_unit(pl_random *random);

// Uniform in [least, most).
double pl_random_between(pl_random *random, double min, double max);

// Standard normal.
double pl_random_normal(pl_random *random);

#endif
