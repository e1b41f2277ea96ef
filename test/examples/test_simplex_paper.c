// The printed method does what is printed, its limit is the plain projection of the weights, and its pose is farther
// away than it need be.
// ctest: unit
#include "base/random.h"
#include "check.h"
#include "examples/simplex_project.h"
#include "examples/simplex_weights.h"

enum { ROWS = 24 };

typedef struct problem {
  int n;
  double columns[8][ROWS], target[ROWS], gram[64], pull[8];
} problem;

static void finish(problem *p) {
  memset(p->gram, 0, sizeof p->gram);
  memset(p->pull, 0, sizeof p->pull);
  for (int i = 0; i < p->n; ++i)
    for (int r = 0; r < ROWS; ++r) {
      for (int j = 0; j < p->n; ++j) p->gram[i * p->n + j] += p->columns[i][r] * p->columns[j][r];
      p->pull[i] += p->columns[i][r] * p->target[r];
    }
}

static problem random_problem(pl_random *random, int n) {
  problem p = {.n = n};
  for (int i = 0; i < ROWS; ++i) {
    for (int k = 0; k < n; ++k) p.columns[k][i] = pl_random_normal(random);
    p.target[i] = pl_random_normal(random);
  }
  finish(&p);
  return p;
}

static double distance(const problem *p, const double *weights) {
  double sum = 0;
  for (int r = 0; r < ROWS; ++r) {
    double off = -p->target[r];
    for (int k = 0; k < p->n; ++k) off += weights[k] * p->columns[k][r];
    sum += off * off;
  }
  return sqrt(sum);
}

// Least squares on the columns (orthogonalised, not through the Gram matrix), then the text of the paper word for word.
static void transcribe(const problem *p, double *weights) {
  int n = p->n;
  double q[8][ROWS], r[8][8] = {{0}}, w[9], sum = 0;
  for (int k = 0; k < n; ++k) {
    memcpy(q[k], p->columns[k], sizeof q[k]);
    for (int j = 0; j < k; ++j) {
      for (int i = 0; i < ROWS; ++i) r[j][k] += q[j][i] * q[k][i];
      for (int i = 0; i < ROWS; ++i) q[k][i] -= r[j][k] * q[j][i];
    }
    for (int i = 0; i < ROWS; ++i) r[k][k] += q[k][i] * q[k][i];
    r[k][k] = sqrt(r[k][k]);
    for (int i = 0; i < ROWS; ++i) q[k][i] /= r[k][k];
  }
  for (int k = n - 1; k >= 0; --k) {
    w[k + 1] = 0;
    for (int i = 0; i < ROWS; ++i) w[k + 1] += q[k][i] * p->target[i];
    for (int j = k + 1; j < n; ++j) w[k + 1] -= r[k][j] * w[j + 1];
    w[k + 1] /= r[k][k];
    sum += w[k + 1];
  }
  w[0] = 1 - sum;
  for (;;) {
    // "the smallest negative weight is chosen"
    int chosen = -1;
    for (int k = 0; k <= n; ++k)
      if (w[k] < -1e-12 && (chosen < 0 || w[k] < w[chosen])) chosen = k;
    if (chosen < 0) break;
    // "and set to zero, and its absolute value is divided by n and subtracted from all the other weights"
    double fraction = fabs(w[chosen]) / n;
    for (int k = 0; k <= n; ++k)
      if (k != chosen) w[k] -= fraction;
    w[chosen] = 0;
  }
  for (int k = 0; k < n; ++k) weights[k] = w[k + 1];
}

static void the_loop_is_the_printed_one(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(1);
  double worst = 0;
  for (int c = 0; c < 2000; ++c) {
    problem p = random_problem(&random, 1 + c % 8);
    double inverse[64], weights[8], printed[8];
    pl_simplex_pseudo_inverse(p.n, p.gram, PL_SIMPLEX_CUTOFF, inverse);
    pl_simplex_project_paper(p.n, inverse, p.pull, weights);
    transcribe(&p, printed);
    for (int k = 0; k < p.n; ++k) worst = fmax(worst, fabs(weights[k] - printed[k]));
  }
  print_message("paper loop against its transcription: %.1e, seed 1\n", worst);
  check_at_most(worst, 1e-8);
}

static void the_loop_tends_to_the_plain_projection_of_weights(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(2);
  double worst = 0;
  for (int c = 0; c < 2000; ++c) {
    problem p = random_problem(&random, 1 + c % 8);
    double inverse[64], weights[8], all[9] = {1};
    pl_simplex_pseudo_inverse(p.n, p.gram, PL_SIMPLEX_CUTOFF, inverse);
    pl_simplex_project_paper(p.n, inverse, p.pull, weights);
    for (int i = 0; i < p.n; ++i) {
      for (int j = 0; j < p.n; ++j) all[i + 1] += inverse[i * p.n + j] * p.pull[j];
      all[0] -= all[i + 1];
    }
    pl_simplex_project(p.n + 1, all, all);
    for (int k = 0; k < p.n; ++k) worst = fmax(worst, fabs(weights[k] - all[k + 1]));
  }
  print_message("paper loop against the projection it tends to: %.1e, seed 2\n", worst);
  check_at_most(worst, 1e-8);
}

// Mean over random sets of how many times farther the printed pose is than the nearest one.
static double excess(pl_random *random, int n, int rows, bool is_mixture, double *worst) {
  double sum = 0;
  int count = 0;
  *worst = 1;
  for (int c = 0; c < 1000; ++c) {
    problem p = random_problem(random, n);
    // The current shape: anything, or a mixture of the examples that need not be convex, with a little that no example
    // explains.
    double own = is_mixture ? 0.1 * pl_random_unit(random) : 1;
    for (int r = 0; r < rows; ++r) p.target[r] *= own;
    for (int k = 0; k < n; ++k) {
      double fraction = is_mixture ? pl_random_normal(random) : 0;
      for (int r = 0; r < rows; ++r) p.target[r] += fraction * p.columns[k][r];
      for (int r = rows; r < ROWS; ++r) p.columns[k][r] = 0;
    }
    for (int r = rows; r < ROWS; ++r) p.target[r] = 0;
    finish(&p);
    double inverse[64], paper[8], exact[8];
    pl_simplex_pseudo_inverse(n, p.gram, PL_SIMPLEX_CUTOFF, inverse);
    pl_simplex_project_paper(n, inverse, p.pull, paper);
    pl_simplex_solve(n, p.gram, p.pull, false, exact, NULL);
    double far = distance(&p, paper), near = distance(&p, exact);
    assert_true(far >= near * (1 - 1e-9) - 1e-12);
    if (near < 1e-6) continue;
    count++;
    sum += far / near;
    *worst = fmax(*worst, far / near);
  }
  return sum / count;
}

// How much farther depends on how sets are drawn, so several ways are printed. One of them is held to the 5 to 25 %
// that are quoted for the printed method: descriptors of one region (6 numbers, section 4.3) and a current shape that
// is an unbounded mixture of the examples.
static void the_printed_pose_is_farther_than_the_nearest(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(3);
  print_message("how much farther the paper's pose is than the nearest, mean and worst, seed 3\n");
  print_message("      any shape, 6 rows     24 rows      mixture, 6 rows     24 rows\n");
  for (int n = 2; n <= 8; ++n) {
    print_message("n = %d", n);
    for (int way = 0; way < 4; ++way) {
      double worst, ratio = excess(&random, n, way % 2 == 0 ? 6 : 24, way >= 2, &worst);
      print_message("   %5.1f %% %6.2f x", 100 * (ratio - 1), worst);
      check_at_most(1, ratio);
      if (way != 2) continue;
      check_at_most(1.05, ratio);
      check_at_most(ratio, 1.25);
    }
    print_message("\n");
  }
}

static void the_pseudo_inverse_has_its_four_properties(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(4);
  for (int c = 0; c < 200; ++c) {
    enum { MAX = 12 };
    int n = 1 + c % MAX, rank = 1 + c % 5;
    double columns[MAX][5], g[MAX * MAX] = {0}, x[MAX * MAX], gx[MAX * MAX] = {0}, gxg[MAX * MAX] = {0},
                                    xgx[MAX * MAX] = {0};
    for (int k = 0; k < n; ++k)
      for (int r = 0; r < rank; ++r) columns[k][r] = 1e3 * pl_random_normal(&random);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        for (int r = 0; r < rank; ++r) g[i * n + j] += columns[i][r] * columns[j][r];
    pl_simplex_pseudo_inverse(n, g, PL_SIMPLEX_CUTOFF, x);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        for (int k = 0; k < n; ++k) gx[i * n + j] += g[i * n + k] * x[k * n + j];
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        for (int k = 0; k < n; ++k) {
          gxg[i * n + j] += gx[i * n + k] * g[k * n + j];
          xgx[i * n + j] += x[i * n + k] * gx[k * n + j];
        }
    double max = 0, max_inverse = 0;
    for (int i = 0; i < n * n; ++i) {
      max = fmax(max, fabs(g[i]));
      max_inverse = fmax(max_inverse, fabs(x[i]));
    }
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        check_near(gxg[i * n + j], g[i * n + j], 1e-9 * max);
        check_near(xgx[i * n + j], x[i * n + j], 1e-6 * max_inverse);
        check_near(gx[i * n + j], gx[j * n + i], 1e-6);
        check_near(x[i * n + j], x[j * n + i], 1e-12 * max_inverse);
      }
  }
}

static void examples_that_do_nothing_get_no_weight(void **state) {
  (void)state;
  // Two examples, the second equal to the rest; then two equal ones, which share.
  double inverse[4], weights[2];
  pl_simplex_pseudo_inverse(2, (const double[]){4, 0, 0, 0}, PL_SIMPLEX_CUTOFF, inverse);
  pl_simplex_project_paper(2, inverse, (const double[]){2, 0}, weights);
  check_near(weights[0], 0.5, 1e-15);
  check_near(weights[1], 0, 1e-15);
  pl_simplex_pseudo_inverse(2, (const double[]){4, 4, 4, 4}, PL_SIMPLEX_CUTOFF, inverse);
  pl_simplex_project_paper(2, inverse, (const double[]){2, 2}, weights);
  check_near(weights[0], 0.25, 1e-15);
  check_near(weights[1], 0.25, 1e-15);
}

static void broken_input_gives_the_rest(void **state) {
  (void)state;
  double inverse[4] = {1, 0, 0, 1}, weights[2];
  pl_simplex_project_paper(2, inverse, (const double[]){(double)NAN, 1}, weights);
  assert_true(weights[0] == 0 && weights[1] == 0);
  pl_simplex_project_paper(2, inverse, (const double[]){HUGE_VAL, 1}, weights);
  assert_true(weights[0] == 0 && weights[1] == 0);
  pl_simplex_pseudo_inverse(2, (const double[]){1, (double)NAN, 0, 1}, PL_SIMPLEX_CUTOFF, inverse);
  for (int i = 0; i < 4; ++i) assert_true(inverse[i] == 0);
  assert_int_equal(pl_simplex_project_paper(0, inverse, NULL, weights), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_loop_is_the_printed_one),
      cmocka_unit_test(the_loop_tends_to_the_plain_projection_of_weights),
      cmocka_unit_test(the_printed_pose_is_farther_than_the_nearest),
      cmocka_unit_test(the_pseudo_inverse_has_its_four_properties),
      cmocka_unit_test(examples_that_do_nothing_get_no_weight),
      cmocka_unit_test(broken_input_gives_the_rest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
