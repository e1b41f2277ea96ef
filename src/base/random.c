#include "base/random.h"

#include <math.h>

#include "pliant/math.h"

uint32_t pl_random_u32(pl_random *random) {
  uint64_t old = random->state;
  random->state = old * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  uint32_t shifted = (uint32_t)(((old >> 18) ^ old) >> 27);
  uint32_t turn = (uint32_t)(old >> 59);
  return (shifted >> turn) | (shifted << ((32 - turn) & 31));
}

pl_random pl_random_of_seed(uint64_t seed) {
  pl_random random = {seed + UINT64_C(1442695040888963407)};
  pl_random_u32(&random);
  return random;
}

double pl_random_unit(pl_random *random) {
  uint64_t high = pl_random_u32(random) >> 5, low = pl_random_u32(random) >> 6;
  return ((double)high * 67108864.0 + (double)low) * (1.0 / 9007199254740992.0);
}

double pl_random_between(pl_random *random, double min, double max) {
  return min + (max - min) * pl_random_unit(random);
}

double pl_random_normal(pl_random *random) {
  // Box and Muller; 1 - u is never 0.
  double u = 1.0 - pl_random_unit(random), v = pl_random_unit(random);
  return sqrt(-2.0 * log(u)) * cos(2 * PL_PI * v);
}
