// The evolution strategy finds minima inside and at bounds, of scales far apart, and the same way every time.
// ctest: unit
#include "check.h"
#include "solvers/evolution.h"

enum { COUNT = 6, POPULATION = 16 };

typedef double function(const double *x);

// Minimum 0 at 0.3; widths from 1 to 1e-3.
static double ellipsoid(const double *x) {
  double sum = 0;
  for (int k = 0; k < COUNT; ++k) sum += pow(1e6, k / (COUNT - 1.0)) * (x[k] - 0.3) * (x[k] - 0.3);
  return sum;
}

// Beyond the bounds: 1 in every coordinate is best.
static double slope(const double *x) {
  double sum = 0;
  for (int k = 0; k < COUNT; ++k) sum += 1 - x[k];
  return sum;
}

// Plateaus: only ranks tell.
static double stairs(const double *x) {
  double sum = 0;
  for (int k = 0; k < COUNT; ++k) sum += floor(20 * fabs(x[k] - 0.7));
  return sum;
}

static double search(function *f, uint64_t seed, int generations, double *x) {
  pl_context *context = make_context(1);
  pl_evolution e;
  assert_true(pl_evolution_begin(context, COUNT, POPULATION, seed, NULL, 0.2, &e));
  double best = HUGE_VAL;
  for (int g = 0; g < generations; ++g) {
    double values[POPULATION];
    pl_evolution_draw(&e);
    for (int i = 0; i < POPULATION; ++i) {
      values[i] = f(e.trials + i * COUNT);
      for (int k = 0; k < COUNT; ++k) assert_true(e.trials[i * COUNT + k] >= 0 && e.trials[i * COUNT + k] <= 1);
      if (values[i] >= best) continue;
      best = values[i];
      memcpy(x, e.trials + i * COUNT, COUNT * sizeof *x);
    }
    pl_evolution_learn(&e, values);
  }
  pl_evolution_end(&e);
  drop_context(context);
  return best;
}

static void minima_are_found_inside_and_at_bounds(void **state) {
  (void)state;
  double x[COUNT];
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    check_at_most(search(ellipsoid, seed, 300, x), 1e-8);
    check_at_most(search(slope, seed, 100, x), 1e-2);
    check_at_most(search(stairs, seed, 100, x), 0);
  }
}

static void the_same_seed_gives_the_same_trials(void **state) {
  (void)state;
  double x[COUNT], again[COUNT], other[COUNT];
  assert_true(search(ellipsoid, 3, 40, x) == search(ellipsoid, 3, 40, again));
  assert_memory_equal(x, again, sizeof x);
  search(ellipsoid, 4, 40, other);
  assert_memory_not_equal(x, other, sizeof x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(minima_are_found_inside_and_at_bounds),
      cmocka_unit_test(the_same_seed_gives_the_same_trials),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
