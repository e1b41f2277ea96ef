// Curves in the plane: derivatives, balance, and bending against closed forms (circle, end moment, elastica under a tip
// load).
// ctest: derivative
#include "fixtures/element_states.h"

// Two edges of lengths a, b with the turning angle between them, anywhere in the plane; z is noise, which bending must
// not see.
static void make_turn(pl_random *random, double angle, double a, double b, double *x) {
  double start = pl_random_between(random, -3, 3);
  fill_random(random, 1, x, 9);
  x[3] = x[0] + a * cos(start), x[4] = x[1] + a * sin(start);
  x[6] = x[3] + b * cos(start + angle), x[7] = x[4] + b * sin(start + angle);
}

static void stretch_derivatives_agree_with_differences(void **unused) {
  (void)unused;
  pl_random random = pl_random_of_seed(1);
  for (int i = 0; i < 100; ++i) {
    double x[6], X[6], U[6], lambda[6], p[1] = {pl_random_between(&random, 1, 100)};
    fill_random(&random, 1, x, 6);
    fill_random(&random, 1, X, 6);
    fill_random(&random, 1, U, 6);
    fill_random(&random, 1, lambda, 6);
    // every fifth edge has hardly any length left, every tenth none
    for (int k = 0; k < 3 && i % 5 == 0; ++k) x[3 + k] = x[k] + (i % 10 == 0 ? 0 : 1e-6 * lambda[k]);
    pl_fem_element e = {x, X, U, p};
    check_energy(&pl_fem_curve_stretch, &e, lambda, 0.02, 1e-6, "random edge");
    check_balance(&pl_fem_curve_stretch, &e, 1e-12, "random edge");
    if (i % 5 != 0)
      check_frame(&pl_fem_curve_stretch, &e, random_rotation(&random), pl_vec3_of(1, -2, 0.5), 1e-10, "random edge");
  }
}

static void bend_derivatives_agree_with_differences(void **unused) {
  (void)unused;
  pl_random random = pl_random_of_seed(2);
  for (int i = 0; i < 150; ++i) {
    double x[9], X[9], U[9], lambda[9], p[1] = {pl_random_between(&random, 1, 100)};
    make_turn(&random, pl_random_between(&random, -3, 3), pl_random_between(&random, 0.5, 1.5),
              pl_random_between(&random, 0.5, 1.5), x);
    make_turn(&random, pl_random_between(&random, -3, 3), pl_random_between(&random, 0.5, 1.5),
              pl_random_between(&random, 0.5, 1.5), X);
    make_turn(&random, pl_random_between(&random, -1, 1), 1, 0.7, U);
    fill_random(&random, 1, lambda, 9);
    pl_fem_element e = {x, X, U, p};
    check_energy(&pl_fem_curve_bend, &e, lambda, 0.02, 1e-6, "random turn");
    x[2] = x[5] = x[8] = 0;
    check_balance(&pl_fem_curve_bend, &e, 1e-11, "random turn");
    check_frame(&pl_fem_curve_bend, &e, turn_about_z(pl_random_between(&random, -3, 3)), pl_vec3_of(1, -2, 0.5), 1e-10,
                "random turn");
  }
}

static void bend_derivatives_agree_where_it_nearly_fails(void **unused) {
  (void)unused;
  static const struct {
    const char *name;
    double angle, a, b, step;
  } cases[] = {{"straight", 0, 1, 1, 0.02},
               {"right angle", PL_PI / 2, 1, 1, 0.02},
               {"right angle, other side", -PL_PI / 2, 1, 1, 0.02},
               {"nearly folded", 3.13, 1, 1, 1e-3},
               {"nearly folded, other side", -3.13, 1, 1, 1e-3},
               {"short edge", 1, 1e-3, 1, 1e-4},
               {"short edge, blunt", 2.5, 1, 1e-4, 1e-5}};
  pl_random random = pl_random_of_seed(3);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    double x[9], X[9], lambda[9], p[1] = {3};
    make_turn(&random, cases[i].angle, cases[i].a, cases[i].b, x);
    make_turn(&random, 0.4, 1, 1, X);
    fill_random(&random, cases[i].a < cases[i].b ? cases[i].a : cases[i].b, lambda, 9);
    pl_fem_element e = {x, X, X, p};
    check_energy(&pl_fem_curve_bend, &e, lambda, cases[i].step, 1e-6, cases[i].name);
  }
}

static void angle_has_its_sign_up_to_the_fold(void **unused) {
  (void)unused;
  pl_random random = pl_random_of_seed(4);
  double rest[9], p[1] = {1};
  make_turn(&random, 0, 1, 1, rest);
  for (int i = -31; i <= 31; ++i) {
    double x[9], g[9], angle = 0.1 * i;
    make_turn(&random, angle, 1.3, 0.8, x);
    pl_fem_element e = {x, rest, rest, p};
    check_near(pl_fem_curve_bend.energy(&e), 0.5 * angle * angle, 1e-12);
    // the last corner is pushed back to where the curve is straight: about -z for a turn to the left
    pl_fem_curve_bend.gradient(&e, g);
    double bx = x[6] - x[3], by = x[7] - x[4];
    check_near(bx * g[7] - by * g[6], angle, 1e-12);
  }
}

static void edges_without_length_have_no_bending_force(void **unused) {
  (void)unused;
  double rest[9] = {0, 0, 0, 1, 0, 0, 2, 1, 0}, x[9] = {0, 0, 0, 0, 0, 0, 1, 1, 0},
         lambda[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, p[1] = {1};
  double g[9], h[81], m[81], xx[81], xX[81], XX[81];
  pl_fem_element e = {x, rest, rest, p};
  pl_fem_curve_bend.gradient(&e, g);
  pl_fem_curve_bend.hessian(&e, h);
  pl_fem_curve_bend.mixed(&e, m);
  pl_fem_curve_bend.third(&e, lambda, xx, xX, XX);
  assert_true(isfinite(pl_fem_curve_bend.energy(&e)));
  for (int i = 0; i < 81; ++i)
    check_near(fabs(g[i / 9]) + fabs(h[i]) + fabs(m[i]) + fabs(xx[i]) + fabs(xX[i]) + fabs(XX[i]), 0, 0);
}

static void stretching_stiffness_is_four_times_the_parameter(void **unused) {
  (void)unused;
  for (int pieces = 1; pieces <= 16; pieces *= 2) {
    double length = 0.8 / pieces, strain = 1e-5, p[1] = {250};
    double X[6] = {0, 0, 0, length, 0, 0}, x[6] = {0, 0, 0, length * (1 + strain), 0, 0};
    pl_fem_element e = {x, X, X, p};
    check_near(pieces * pl_fem_curve_stretch.energy(&e) / (0.5 * 1000 * strain * strain * 0.8), 1, 2 * strain);
  }
}

static void circle_has_the_energy_of_its_curvature(void **unused) {
  (void)unused;
  double stiffness = 0.03, radius = 0.4, exact = 0.5 * stiffness / (radius * radius) * 2 * PL_PI * radius, before = 0;
  for (int n = 8; n <= 256; n *= 2) {
    double sum = 0;
    for (int i = 0; i < n; ++i) {
      double x[9] = {0}, X[9] = {0}, side = 2 * radius * sin(PL_PI / n);
      for (int k = 0; k < 3; ++k) {
        x[3 * k] = radius * cos(2 * PL_PI * (i + k) / n), x[3 * k + 1] = radius * sin(2 * PL_PI * (i + k) / n);
        X[3 * k] = side * k;
      }
      pl_fem_element e = {x, X, X, &stiffness};
      sum += pl_fem_curve_bend.energy(&e);
    }
    double error = sum / exact - 1;
    if (n > 8) {
      print_message("circle of %3d edges: relative error %.2e, order %.3f\n", n, error, order_of(before, error));
      check_near(order_of(before, error), 2, 0.02);
    }
    before = error;
  }
  check_at_most(fabs(before), 1e-4);
}

// --- a clamped curve in equilibrium, by Newton on a dense matrix --------------------------------------------------

enum { MAX_CURVE = 40, MAX_UNKNOWNS = 2 * MAX_CURVE };

// Corners: 0 and 1 are the clamp (1 at the origin), the curve has the `edges` edges after it.
typedef struct curve {
  int edges;
  double length, stretch, bend, moment, load;
  double x[3 * (MAX_CURVE + 2)], X[3 * (MAX_CURVE + 2)];
} curve;

static curve make_curve(int edges) {
  curve c = {.edges = edges, .length = 1, .stretch = 1e4, .bend = 1};
  for (int i = 0; i < edges + 2; ++i) c.X[3 * i] = c.x[3 * i] = c.length * (i - 1) / edges;
  return c;
}

// Gradient and Hessian of an element go to the unknowns: corner i >= 2 has 2(i - 2) and the next.
static void add_element(const curve *c, const pl_fem_energy *energy, int first, double stiffness, double *g,
                        double *h) {
  double eg[9], eh[81];
  int n = energy->corner_count, unknowns = 2 * c->edges;
  pl_fem_element e = {c->x + 3 * first, c->X + 3 * first, c->X + 3 * first, &stiffness};
  energy->gradient(&e, eg);
  energy->hessian(&e, eh);
  for (int i = 0; i < 2 * n; ++i) {
    int row = 2 * (first + i / 2 - 2) + i % 2, from = 3 * (i / 2) + i % 2;
    if (row < 0) continue;
    g[row] += eg[from];
    for (int j = 0; j < 2 * n; ++j) {
      int column = 2 * (first + j / 2 - 2) + j % 2;
      if (column >= 0) h[unknowns * row + column] += eh[3 * n * from + 3 * (j / 2) + j % 2];
    }
  }
}

// The potential -moment · (direction of the last edge).
static void add_moment(const curve *c, double *g, double *h) {
  int unknowns = 2 * c->edges, last = c->edges + 1;
  double dx = c->x[3 * last] - c->x[3 * last - 3], dy = c->x[3 * last + 1] - c->x[3 * last - 2], r2 = dx * dx + dy * dy;
  double g2[2] = {-dy / r2, dx / r2}, xx = 2 * dx * dy / (r2 * r2), xy = (dy * dy - dx * dx) / (r2 * r2),
         h2[2][2] = {{xx, xy}, {xy, -xx}};
  for (int i = 0; i < 4; ++i) {
    int row = unknowns - 4 + i;
    double sign = i < 2 ? -1 : 1;
    g[row] -= c->moment * sign * g2[i % 2];
    for (int j = 0; j < 4; ++j)
      h[unknowns * row + unknowns - 4 + j] -= c->moment * sign * (j < 2 ? -1 : 1) * h2[i % 2][j % 2];
  }
}

// a x = b with pivots; b becomes x.
static void solve_dense(double *a, double *b, int n) {
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int i = k + 1; i < n; ++i) pivot = fabs(a[n * i + k]) > fabs(a[n * pivot + k]) ? i : pivot;
    for (int j = 0; j < n; ++j) {
      double t = a[n * k + j];
      a[n * k + j] = a[n * pivot + j], a[n * pivot + j] = t;
    }
    double t = b[k];
    b[k] = b[pivot], b[pivot] = t;
    for (int i = k + 1; i < n; ++i) {
      double f = a[n * i + k] / a[n * k + k];
      for (int j = k; j < n; ++j) a[n * i + j] -= f * a[n * k + j];
      b[i] -= f * b[k];
    }
  }
  for (int k = n - 1; k >= 0; --k) {
    for (int j = k + 1; j < n; ++j) b[k] -= a[n * k + j] * b[j];
    b[k] /= a[n * k + k];
  }
}

static void find_equilibrium(curve *c) {
  static double h[MAX_UNKNOWNS * MAX_UNKNOWNS], g[MAX_UNKNOWNS];
  int n = 2 * c->edges;
  double force = fmax(fabs(c->load), fabs(c->moment) * c->edges / c->length);
  for (int iteration = 0; iteration < 60; ++iteration) {
    memset(h, 0, sizeof h);
    memset(g, 0, sizeof g);
    for (int i = 1; i <= c->edges; ++i) add_element(c, &pl_fem_curve_stretch, i, c->stretch, g, h);
    // half of what a point stands for lies inside the clamp: the first hinge is twice as stiff
    for (int i = 0; i < c->edges; ++i) add_element(c, &pl_fem_curve_bend, i, i == 0 ? 2 * c->bend : c->bend, g, h);
    add_moment(c, g, h);
    g[n - 1] -= c->load;
    if (max_check(g, n) < 1e-8 * force) return;
    solve_dense(h, g, n);
    for (int i = 0; i < n; ++i) c->x[6 + 3 * (i / 2) + i % 2] -= g[i];
  }
  fail_msg("no equilibrium: %g of %g left", max_check(g, n), force);
}

static void end_moment_rolls_a_curve_into_a_circle_at_any_resolution(void **unused) {
  (void)unused;
  for (int edges = 5; edges <= 40; edges *= 2) {
    curve c = make_curve(edges);
    enum { STEPS = 32 };
    for (int step = 1; step <= STEPS; ++step) {
      c.moment = 2 * PL_PI * step / STEPS * c.bend / c.length;
      find_equilibrium(&c);
      if (step != STEPS / 4) continue;
      // a quarter of the way: deflection and shortening of end_moment_rollup.csv at ML/EI = π/2
      double tolerance = 1.0 / (edges * edges);
      check_near(c.x[3 * (edges + 1) + 1], 0.636619772368, tolerance);
      check_near(1 - c.x[3 * (edges + 1)], 0.363380227632, tolerance);
    }
    // closed; every point turns by the same angle, as a circle of radius EI/M does along one edge; corners lie on the
    // circle around that polygon
    double side = c.length / edges, max = 0, min = HUGE_VAL, around = side / (2 * sin(PL_PI / edges)), off = 0;
    for (int i = 2; i <= edges; ++i) {
      double *x = c.x + 3 * i, ax = x[0] - x[-3], ay = x[1] - x[-2], bx = x[3] - x[0], by = x[4] - x[1];
      double radius = side / atan2(ax * by - ay * bx, ax * bx + ay * by);
      max = fmax(max, radius);
      min = fmin(min, radius);
      off = fmax(off, fabs(hypot(x[0], x[1] - around) - around));
    }
    double gap = hypot(c.x[3 * (edges + 1)], c.x[3 * (edges + 1) + 1]);
    print_message("%2d edges, ML/EI = 2 pi: radius %.12f to %.12f (%.12f), off the circle %.1e, gap %.1e\n", edges, min,
                  max, 0.5 / PL_PI, off, gap);
    check_near(min, 0.5 / PL_PI, 1e-7);
    check_near(max, 0.5 / PL_PI, 1e-7);
    check_at_most(fmax(off, gap), 1e-7);
  }
}

static void tip_load_bends_a_curve_as_the_elastica(void **unused) {
  (void)unused;
  // elastica_tip_load.csv: PL²/EI, deflection, shortening
  static const double reference[][3] = {
      {1, 0.3017207738, 0.0564332362834}, {2, 0.493457480397, 0.160641720825}, {5, 0.713791523612, 0.387628360724}};
  double before = 0;
  for (int edges = 10; edges <= 40; edges *= 2) {
    curve c = make_curve(edges);
    c.stretch = 1e5;
    double error = 0;
    for (int step = 1; step <= 20; ++step) {
      c.load = 0.25 * step;
      find_equilibrium(&c);
      for (size_t r = 0; r < 3; ++r) {
        if (c.load != reference[r][0]) continue;
        error = c.x[3 * (edges + 1) + 1] / reference[r][1] - 1;
        double short_error = (1 - c.x[3 * (edges + 1)]) / reference[r][2] - 1;
        print_message("%2d edges, PL2/EI = %g: deflection off by %.2e, shortening by %.2e\n", edges, c.load, error,
                      short_error);
        check_at_most(fmax(fabs(error), fabs(short_error)), 1.0 / (edges * edges) + 1e-5);
      }
    }
    if (edges > 10) print_message("order %.2f\n", order_of(before, error));
    if (edges > 10) check_near(order_of(before, error), 2, 0.2);
    before = error;
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stretch_derivatives_agree_with_differences),
      cmocka_unit_test(bend_derivatives_agree_with_differences),
      cmocka_unit_test(bend_derivatives_agree_where_it_nearly_fails),
      cmocka_unit_test(angle_has_its_sign_up_to_the_fold),
      cmocka_unit_test(edges_without_length_have_no_bending_force),
      cmocka_unit_test(stretching_stiffness_is_four_times_the_parameter),
      cmocka_unit_test(circle_has_the_energy_of_its_curvature),
      cmocka_unit_test(end_moment_rolls_a_curve_into_a_circle_at_any_resolution),
      cmocka_unit_test(tip_load_bends_a_curve_as_the_elastica),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
