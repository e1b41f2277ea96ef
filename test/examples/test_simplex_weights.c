// The exact weights against brute force: every support is tried, on the columns themselves and not on their Gram
// matrix.
// ctest: unit
#include "base/random.h"
#include "check.h"
#include "examples/simplex_weights.h"

enum { MAX_ROWS = 24 };

// Columns L and target d of one case.
typedef struct problem {
  int n, rows;
  double columns[PL_MAX_EXAMPLES][MAX_ROWS], target[MAX_ROWS];
  double gram[PL_MAX_EXAMPLES * PL_MAX_EXAMPLES], pull[PL_MAX_EXAMPLES];
} problem;

static double dot(int rows, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < rows; ++i) sum += a[i] * b[i];
  return sum;
}

static void finish(problem *p) {
  for (int i = 0; i < p->n; ++i) {
    for (int j = 0; j < p->n; ++j) p->gram[i * p->n + j] = dot(p->rows, p->columns[i], p->columns[j]);
    p->pull[i] = dot(p->rows, p->columns[i], p->target);
  }
}

typedef enum shape { GENERIC, DEPENDENT, EQUAL, ZERO, NEARLY, FEW_ROWS, AROUND_REST, UNEQUAL_SIZES, SHAPE_COUNT } shape;

static problem random_problem(pl_random *random, int n, shape kind) {
  problem p = {.n = n,
               .rows = kind == FEW_ROWS ? 1 + (int)(pl_random_u32(random) % 6) : 6 + (int)(pl_random_u32(random) % 18)};
  for (int k = 0; k < n; ++k) {
    double size = kind == UNEQUAL_SIZES ? pow(10, pl_random_between(random, -4, 4)) : 1;
    for (int i = 0; i < p.rows; ++i) p.columns[k][i] = size * pl_random_normal(random);
  }
  for (int k = 1; k < n; ++k) {
    if (pl_random_u32(random) % 2 == 0) continue;
    double offset = kind == NEARLY ? pow(10, pl_random_between(random, -12, -2)) : 0;
    double fraction = kind == EQUAL || kind == NEARLY ? 1 : pl_random_between(random, -1, 2);
    if (kind == DEPENDENT || kind == EQUAL || kind == NEARLY)
      for (int i = 0; i < p.rows; ++i)
        p.columns[k][i] = fraction * p.columns[k - 1][i] + (k > 1 ? (1 - fraction) * p.columns[k - 2][i] : 0) +
                          offset * pl_random_normal(random);
    if (kind == ZERO) memset(p.columns[k], 0, sizeof p.columns[k]);
  }
  if (kind == AROUND_REST && n > 1)
    for (int i = 0; i < p.rows; ++i) {
      p.columns[n - 1][i] = 0;
      for (int k = 0; k + 1 < n; ++k) p.columns[n - 1][i] -= p.columns[k][i];
    }
  double reach = pl_random_between(random, 0, 2);
  for (int i = 0; i < p.rows; ++i) {
    p.target[i] =
        reach * pl_random_normal(random) * (kind == UNEQUAL_SIZES ? pow(10, pl_random_between(random, -4, 4)) : 1);
    if (pl_random_u32(random) % 2 == 0) p.target[i] += p.columns[0][i] * pl_random_unit(random);
  }
  finish(&p);
  return p;
}

static double square_distance(const problem *p, const double *weights) {
  double sum = 0;
  for (int i = 0; i < p->rows; ++i) {
    double at = -p->target[i];
    for (int k = 0; k < p->n; ++k) at += weights[k] * p->columns[k][i];
    sum += at * at;
  }
  return sum;
}

// Weights of the nearest point in the plane of the points in `mask` (bit 0: the rest), by orthogonalising the
// differences to the first of them (twice, so that nearly dependent ones come out right). False when they depend on
// each other or a weight is negative.
static bool plane_weights(const problem *p, unsigned mask, double *weights) {
  static const double rest[MAX_ROWS];
  const double *points[8];
  int names[8], count = 0;
  for (int j = 0; j <= p->n; ++j)
    if (mask >> j & 1) {
      names[count] = j;
      points[count++] = j == 0 ? rest : p->columns[j - 1];
    }
  double basis[8][MAX_ROWS], upper[8][8] = {{0}}, along[8], off[MAX_ROWS];
  for (int i = 0; i < p->rows; ++i) off[i] = p->target[i] - points[0][i];
  for (int c = 1; c < count; ++c) {
    for (int i = 0; i < p->rows; ++i) basis[c][i] = points[c][i] - points[0][i];
    double before = sqrt(dot(p->rows, basis[c], basis[c]));
    for (int twice = 0; twice < 2; ++twice)
      for (int b = 1; b < c; ++b) {
        double fraction = dot(p->rows, basis[c], basis[b]);
        upper[b][c] += fraction;
        for (int i = 0; i < p->rows; ++i) basis[c][i] -= fraction * basis[b][i];
      }
    upper[c][c] = sqrt(dot(p->rows, basis[c], basis[c]));
    if (!(upper[c][c] > 1e-13 * before)) return false;
    for (int i = 0; i < p->rows; ++i) basis[c][i] /= upper[c][c];
  }
  double z[8];
  z[0] = 1;
  for (int c = 1; c < count; ++c) along[c] = dot(p->rows, basis[c], off);
  for (int c = count - 1; c > 0; --c) {
    z[c] = along[c];
    for (int k = c + 1; k < count; ++k) z[c] -= upper[c][k] * z[k];
    z[c] /= upper[c][c];
    z[0] -= z[c];
  }
  for (int k = 0; k < p->n; ++k) weights[k] = 0;
  for (int c = 0; c < count; ++c) {
    if (!(z[c] >= -1e-14)) return false;
    if (names[c] > 0) weights[names[c] - 1] = fmax(z[c], 0);
  }
  return true;
}

// Least square distance over all supports. `is_unique` when the points do not depend on each other.
static double enumerate(const problem *p, double *weights, bool *is_unique) {
  double min = HUGE_VAL, tried[8];
  for (unsigned mask = 1; mask < 2u << p->n; ++mask) {
    if (!plane_weights(p, mask, tried)) continue;
    double square = square_distance(p, tried);
    if (square < min) {
      min = square;
      memcpy(weights, tried, (size_t)p->n * sizeof *weights);
    }
  }
  // The smallest pivot of the Gram matrix tells dependence.
  *is_unique = true;
  double a[8][8];
  for (int i = 0; i < p->n; ++i)
    for (int j = 0; j < p->n; ++j) a[i][j] = p->gram[i * p->n + j];
  for (int k = 0; k < p->n; ++k) {
    if (!(a[k][k] > 1e-8 * p->gram[k * p->n + k])) *is_unique = false;
    for (int i = k + 1; i < p->n && *is_unique; ++i)
      for (int j = k + 1; j < p->n; ++j) a[i][j] -= a[i][k] * a[k][j] / a[k][k];
  }
  return min;
}

static void check_feasible(int n, const double *weights) {
  double sum = 0;
  for (int k = 0; k < n; ++k) {
    assert_true(weights[k] >= 0);
    sum += weights[k];
  }
  check_at_most(sum, 1 + 1e-14);
}

static void exact_weights_equal_the_best_of_all_supports(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(1);
  double worst[SHAPE_COUNT] = {0}, worst_weight = 0;
  int unique_count = 0, pass_count = 0, cases = 12000;
  for (int c = 0; c < cases; ++c) {
    shape kind = (shape)(c % SHAPE_COUNT);
    problem p = random_problem(&random, 1 + c / SHAPE_COUNT % 6, kind);
    double weights[6], best[6] = {0};
    bool is_unique;
    pl_simplex_report report;
    pl_simplex_solve(p.n, p.gram, p.pull, false, weights, &report);
    check_feasible(p.n, weights);
    assert_true(report.is_exact);
    pass_count += report.pass_count;
    double min = enumerate(&p, best, &is_unique), found = square_distance(&p, weights);
    // Relative to the squares that the distance is a difference of.
    double scale = dot(p.rows, p.target, p.target);
    worst[kind] = fmax(worst[kind], (found - min) / scale);
    check_at_most(found, min + 1e-6 * scale);
    check_at_most(min, found + 1e-9 * scale);
    // With distance left, also relative to that distance.
    if (kind != NEARLY && kind != UNEQUAL_SIZES && min > 1e-6 * scale) check_near(found, min, 1e-6 * min);
    if (!is_unique) continue;
    unique_count++;
    for (int k = 0; k < p.n; ++k) {
      worst_weight = fmax(worst_weight, fabs(weights[k] - best[k]));
      check_near(weights[k], best[k], 1e-6);
    }
  }
  assert_true(unique_count > cases / 4);
  print_message(
      "%d cases, seed 1: %.2f passes each; weights differ by at most %.1e in %d with one answer; excess of the squared "
      "distance:",
      cases, (double)pass_count / cases, worst_weight, unique_count);
  for (int kind = 0; kind < SHAPE_COUNT; ++kind) print_message(" %.1e", worst[kind]);
  print_message("\n");
}

// gain_j = (L_j - y).(d - y) must not be positive for any j (rest included), and vanish on the support: measured on the
// columns.
static double worst_gain(const problem *p, const double *weights) {
  double off[MAX_ROWS], at[MAX_ROWS], worst = 0, rest = 1, max = 1e-300;
  for (int i = 0; i < p->rows; ++i) {
    at[i] = 0;
    for (int k = 0; k < p->n; ++k) at[i] += weights[k] * p->columns[k][i];
    off[i] = p->target[i] - at[i];
  }
  for (int k = 0; k < p->n; ++k) {
    rest -= weights[k];
    max = fmax(max, p->gram[k * p->n + k]);
  }
  double size = sqrt(max * (dot(p->rows, p->target, p->target) + max));
  for (int j = 0; j <= p->n; ++j) {
    double gain = (j == 0 ? 0 : dot(p->rows, p->columns[j - 1], off)) - dot(p->rows, at, off);
    double weight = j == 0 ? rest : weights[j - 1];
    worst = fmax(worst, (weight > 1e-9 ? fabs(gain) : gain) / size);
  }
  return worst;
}

static void no_point_brings_the_mixture_nearer(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(2);
  double worst = 0;
  int max_passes = 0;
  for (int c = 0; c < 3000; ++c) {
    problem p = random_problem(&random, 1 + c % 32, (shape)(c / 32 % SHAPE_COUNT));
    double weights[32];
    pl_simplex_report report;
    pl_simplex_solve(p.n, p.gram, p.pull, false, weights, &report);
    check_feasible(p.n, weights);
    assert_true(report.is_exact);
    max_passes = report.pass_count > max_passes ? report.pass_count : max_passes;
    worst = fmax(worst, worst_gain(&p, weights));
  }
  print_message("largest gain left %.1e, seed 2; at most %d passes\n", worst, max_passes);
  check_at_most(worst, 1e-13);
}

static void scaling_everything_changes_nothing(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(3);
  for (int c = 0; c < 2000; ++c) {
    problem p = random_problem(&random, 1 + c % 8, (shape)(c / 8 % SHAPE_COUNT));
    double weights[8], scaled[8];
    pl_simplex_solve(p.n, p.gram, p.pull, false, weights, NULL);
    // By powers of two, so that the rounding is the same too.
    double factor = ldexp(1, c % 2 == 0 ? 300 : -300);
    for (int i = 0; i < p.n * p.n; ++i) p.gram[i] *= factor;
    for (int i = 0; i < p.n; ++i) p.pull[i] *= factor;
    pl_simplex_solve(p.n, p.gram, p.pull, false, scaled, NULL);
    assert_memory_equal(weights, scaled, (size_t)p.n * sizeof *weights);
  }
}

static void a_warm_start_gives_the_same_distance_in_fewer_passes(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(4);
  int cold_passes = 0, warm_passes = 0;
  for (int c = 0; c < 2000; ++c) {
    problem p = random_problem(&random, 1 + c % 12, (shape)(c / 12 % SHAPE_COUNT));
    double warm[12], cold[12];
    pl_simplex_solve(p.n, p.gram, p.pull, false, warm, NULL);
    for (int step = 0; step < 5; ++step) {
      for (int i = 0; i < p.rows; ++i) p.target[i] += 0.02 * pl_random_normal(&random);
      finish(&p);
      pl_simplex_report report;
      pl_simplex_solve(p.n, p.gram, p.pull, true, warm, &report);
      warm_passes += report.pass_count;
      assert_true(report.is_exact);
      pl_simplex_solve(p.n, p.gram, p.pull, false, cold, &report);
      cold_passes += report.pass_count;
      check_feasible(p.n, warm);
      check_near(square_distance(&p, warm), square_distance(&p, cold),
                 1e-12 * (dot(p.rows, p.target, p.target) + p.gram[0]));
    }
  }
  print_message("passes: %d cold, %d warm\n", cold_passes, warm_passes);
  assert_true(warm_passes * 3 < cold_passes);
}

static void a_start_that_is_no_mixture_is_ignored(void **state) {
  (void)state;
  const double gram[4] = {1, 0, 0, 1}, pull[2] = {0.25, 0.5};
  const double starts[][2] = {{(double)NAN, 0}, {-1, 0}, {5, 5}, {HUGE_VAL, 0}, {0.5, 0.5}};
  for (int c = 0; c < 5; ++c) {
    double weights[2] = {starts[c][0], starts[c][1]};
    pl_simplex_solve(2, gram, pull, true, weights, NULL);
    check_near(weights[0], 0.25, 1e-15);
    check_near(weights[1], 0.5, 1e-15);
  }
}

static void each_example_is_its_own_weight(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(5);
  for (int n = 1; n <= 20; ++n) {
    problem p = random_problem(&random, n, GENERIC);
    p.rows = MAX_ROWS;
    for (int k = 0; k < n; ++k)
      for (int i = 0; i < p.rows; ++i) p.columns[k][i] = pl_random_normal(&random);
    for (int k = 0; k < n; ++k) {
      memcpy(p.target, p.columns[k], sizeof p.target);
      finish(&p);
      double weights[20];
      pl_simplex_solve(n, p.gram, p.pull, false, weights, NULL);
      for (int j = 0; j < n; ++j) check_near(weights[j], j == k, 1e-14);
    }
  }
}

static void broken_input_gives_the_rest_or_something_finite(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(6);
  for (int c = 0; c < 4000; ++c) {
    int n = c % 9;
    double gram[64], pull[8], weights[8];
    // No Gram matrix at all: not even symmetric.
    for (int i = 0; i < n * n; ++i) gram[i] = pl_random_normal(&random);
    for (int i = 0; i < n; ++i) pull[i] = pl_random_normal(&random);
    bool is_finite = n == 0 || c % 3 != 0;
    if (!is_finite && c % 2 == 0)
      gram[pl_random_u32(&random) % (unsigned)(n * n)] = c % 4 == 0 ? (double)NAN : HUGE_VAL;
    if (!is_finite && c % 2 == 1) pull[pl_random_u32(&random) % (unsigned)n] = c % 4 == 1 ? (double)NAN : -HUGE_VAL;
    pl_simplex_report report;
    pl_simplex_solve(n, gram, pull, false, weights, &report);
    check_feasible(n, weights);
    if (is_finite) continue;
    assert_false(report.is_exact);
    for (int k = 0; k < n; ++k) assert_true(weights[k] == 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exact_weights_equal_the_best_of_all_supports),
      cmocka_unit_test(no_point_brings_the_mixture_nearer),
      cmocka_unit_test(scaling_everything_changes_nothing),
      cmocka_unit_test(a_warm_start_gives_the_same_distance_in_fewer_passes),
      cmocka_unit_test(a_start_that_is_no_mixture_is_ignored),
      cmocka_unit_test(each_example_is_its_own_weight),
      cmocka_unit_test(broken_input_gives_the_rest_or_something_finite),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
