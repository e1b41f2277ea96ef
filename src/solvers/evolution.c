// Separable CMA-ES (Ros and Hansen 2008): covariance matrix adaptation with a diagonal matrix.
//
//   x_i = m + σ D z_i, z_i normal;   m ← Σ w_i x_i over the better half, ranked
//   σ grows while successive steps of m point the same way, shrinks while they cancel
//   D grows along coordinates in which good trials lie far out
#include "solvers/evolution.h"

#include <math.h>
#include <string.h>

#include "pliant/math.h"

static const double MAX_STEP = 0.5;  // of the unit cube; wider draws would all end at bounds

bool pl_evolution_begin(pl_context *context, int32_t count, int32_t population, uint64_t seed, const double *center,
                        double step, pl_evolution *evolution) {
  pl_evolution *e = evolution;
  *e = (pl_evolution){.random = pl_random_of_seed(seed), .count = count, .population = population, .step = step};
  pl_arena_init(&e->arena, context, 0);
  e->center = PL_TAKE(&e->arena, double, count);
  e->widths = PL_TAKE(&e->arena, double, count);
  e->slope = PL_TAKE(&e->arena, double, count);
  e->spread = PL_TAKE(&e->arena, double, count);
  e->weights = PL_TAKE(&e->arena, double, population);
  e->order = PL_TAKE(&e->arena, int32_t, population);
  e->trials = PL_TAKE(&e->arena, double, (size_t)population *(size_t)count);
  e->draws = PL_TAKE(&e->arena, double, (size_t)population *(size_t)count);
  if (e->arena.failed) return false;
  double sum = 0;
  for (int32_t i = 0; i < population / 2; ++i) sum += e->weights[i] = log(0.5 * population + 0.5) - log(i + 1.0);
  for (int32_t i = 0; i < population / 2; ++i) e->weights[i] /= sum;
  for (int32_t k = 0; k < count; ++k) {
    e->center[k] = center != NULL ? center[k] : 0.5;
    e->widths[k] = 1;
  }
  return true;
}

void pl_evolution_end(pl_evolution *evolution) {
  pl_arena_destroy(&evolution->arena);
}

static double draw_normal(pl_random *random) {
  double radius = sqrt(-2 * log(1 - pl_random_unit(random)));
  return radius * cos(2 * PL_PI * pl_random_unit(random));
}

// Mirror a coordinate at the bounds until it is inside.
static double reflect(double x) {
  x = fabs(x);
  x -= 2 * floor(0.5 * x);
  return x > 1 ? 2 - x : x;
}

void pl_evolution_draw(pl_evolution *evolution) {
  pl_evolution *e = evolution;
  for (int32_t i = 0; i < e->population; ++i)
    for (int32_t k = 0; k < e->count; ++k) {
      ptrdiff_t at = (ptrdiff_t)i * e->count + k;
      e->trials[at] = reflect(e->center[k] + e->step * e->widths[k] * draw_normal(&e->random));
      e->draws[at] = (e->trials[at] - e->center[k]) / (e->step * e->widths[k]);
    }
}

// The better of two trials first; equal ones in the order of drawing.
static void rank(pl_evolution *e, const double *values) {
  for (int32_t i = 0; i < e->population; ++i) {
    int32_t at = i;
    for (; at > 0 && values[e->order[at - 1]] > values[i]; --at) e->order[at] = e->order[at - 1];
    e->order[at] = i;
  }
}

void pl_evolution_learn(pl_evolution *evolution, const double *values) {
  pl_evolution *e = evolution;
  double n = e->count, sum = 0;
  int32_t parents = e->population / 2;
  for (int32_t i = 0; i < parents; ++i) sum += e->weights[i] * e->weights[i];
  double mass = 1 / sum;  // effective number of parents
  double slope_rate = (mass + 2) / (n + mass + 5);
  double damping = 1 + 2 * fmax(0, sqrt((mass - 1) / (n + 1)) - 1) + slope_rate;
  double spread_rate = (4 + mass / n) / (n + 4 + 2 * mass / n);
  double separable = (n + 2) / 3;  // a diagonal has fewer numbers to learn
  double one = separable * 2 / ((n + 1.3) * (n + 1.3) + mass);
  double many = fmin(1 - fmin(one, 1), separable * 2 * (mass - 2 + 1 / mass) / ((n + 2) * (n + 2) + mass));
  double usual = sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n));  // length of a normal vector
  one = fmin(one, 1);
  rank(e, values);
  e->generation++;

  double length = 0;
  for (int32_t k = 0; k < e->count; ++k) {
    double mean = 0;
    for (int32_t i = 0; i < parents; ++i) mean += e->weights[i] * e->draws[(ptrdiff_t)e->order[i] * e->count + k];
    e->slope[k] = (1 - slope_rate) * e->slope[k] + sqrt(slope_rate * (2 - slope_rate) * mass) * mean;
    e->center[k] = reflect(e->center[k] + e->step * e->widths[k] * mean);
    length += e->slope[k] * e->slope[k];
  }
  length = sqrt(length);
  // Widths wait while the whole search moves: the step will grow instead.
  double run_in = sqrt(1 - pow(1 - slope_rate, 2.0 * e->generation));
  bool steady = length / run_in < (1.4 + 2 / (n + 1)) * usual;
  for (int32_t k = 0; k < e->count; ++k) {
    double mean = 0, square = 0;
    for (int32_t i = 0; i < parents; ++i) {
      double z = e->draws[(ptrdiff_t)e->order[i] * e->count + k];
      mean += e->weights[i] * z;
      square += e->weights[i] * z * z;
    }
    double w = e->widths[k];
    e->spread[k] = (1 - spread_rate) * e->spread[k];
    if (steady) e->spread[k] += sqrt(spread_rate * (2 - spread_rate) * mass) * mean * w;
    e->widths[k] = sqrt((1 - one - many) * w * w + one * e->spread[k] * e->spread[k] + many * square * w * w);
  }
  e->step = fmin(e->step * exp(slope_rate / damping * (length / usual - 1)), MAX_STEP);
}
