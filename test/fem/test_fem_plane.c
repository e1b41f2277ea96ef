// Plane triangles: derivatives, balance, and uniaxial tension against the formula.
// ctest: derivative
#include "fixtures/element_states.h"

// A triangle of about unit size, turned anyhow in the plane; z is noise, which must not be seen. A negative height
// turns it inside out.
static void make_triangle(pl_random *random, double height, double *x) {
  double flat[9] = {0,      0, 0, pl_random_between(random, 0.7, 1.3), 0, 0, pl_random_between(random, -0.3, 1.2),
                    height, 0};
  memcpy(x, flat, sizeof flat);
  place(turn_about_z(pl_random_between(random, -3, 3)), pl_vec3_of(0.3, -0.2, 0), x, 3);
  for (int k = 0; k < 3; ++k) x[3 * k + 2] = pl_random_between(random, -1, 1);
}

static void derivatives_agree_with_differences(void **unused) {
  (void)unused;
  pl_random random = pl_random_of_seed(21);
  // heights now and at rest
  static const struct {
    const char *name;
    double height, rest, step;
  } cases[] = {
      {"plain", 0.8, 0.9, 0.02},        {"inverted", -0.7, 0.9, 0.02},      {"flat", 0, 0.9, 0.02},
      {"nearly flat", 1e-6, 0.9, 0.02}, {"inverted rest", 0.7, -0.8, 0.02}, {"both inverted", -0.9, -0.8, 0.02},
      {"long", 6, 0.9, 0.02},           {"thin at rest", 0.5, 0.02, 1e-3}};
  for (size_t i = 0; i < 20 * sizeof cases / sizeof *cases; ++i) {
    size_t c = i % (sizeof cases / sizeof *cases);
    double x[9], X[9], U[9], lambda[9], p[2] = {pl_random_between(&random, 1, 100), pl_random_between(&random, 1, 100)};
    make_triangle(&random, cases[c].height, x);
    make_triangle(&random, cases[c].rest, X);
    make_triangle(&random, i % 3 == 0 ? -0.8 : 0.8, U);
    fill_random(&random, 1, lambda, 9);
    pl_fem_element e = {x, X, U, p};
    check_energy(&pl_fem_plane_triangle, &e, lambda, cases[c].step, 1e-6, cases[c].name);
    x[2] = x[5] = x[8] = 0;
    check_balance(&pl_fem_plane_triangle, &e, 1e-11, cases[c].name);
    check_frame(&pl_fem_plane_triangle, &e, turn_about_z(pl_random_between(&random, -3, 3)), pl_vec3_of(1, -2, 0.5),
                1e-9, cases[c].name);
  }
}

static void all_corners_in_one_point_give_finite_numbers(void **unused) {
  (void)unused;
  double X[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, x[9] = {0}, lambda[9] = {1, 2, 0, 4, 5, 0, 7, 9, 0}, p[2] = {3, 4};
  pl_fem_element e = {x, X, X, p};
  check_energy(&pl_fem_plane_triangle, &e, lambda, 0.02, 1e-6, "one point");
  // |E|² = ½, a - A = -½
  check_near(pl_fem_plane_triangle.energy(&e), 0.5 * 3 * 0.5 * 0.5 + 0.5 * 4 * 0.25 / 0.5, 1e-14);
}

// Corners of a triangle stretched by a along x and by b along y, then turned.
static void stretch(const double *X, double a, double b, double angle, double *x) {
  for (int k = 0; k < 3; ++k) x[3 * k] = a * X[3 * k], x[3 * k + 1] = b * X[3 * k + 1], x[3 * k + 2] = 0;
  place(turn_about_z(angle), pl_vec3_of(0.1, 0.2, 0), x, 3);
}

static void stretched_triangle_has_the_energy_and_force_of_the_formula(void **unused) {
  (void)unused;
  pl_random random = pl_random_of_seed(22);
  for (int i = 0; i < 50; ++i) {
    double X[9], x[9], g[9], p[2] = {70, 40};
    double a = pl_random_between(&random, 0.2, 3), b = pl_random_between(&random, -2, 2),
           angle = pl_random_between(&random, -3, 3);
    make_triangle(&random, 0.9, X);
    double area = 0.5 * ((X[3] - X[0]) * (X[7] - X[1]) - (X[4] - X[1]) * (X[6] - X[0]));
    stretch(X, a, b, angle, x);
    pl_fem_element e = {x, X, X, p};
    double ea = 0.5 * (a * a - 1), eb = 0.5 * (b * b - 1), change = a * b - 1;
    double density = 0.5 * p[0] * (ea * ea + eb * eb) + 0.5 * p[1] * change * change;
    check_near(pl_fem_plane_triangle.energy(&e) / (density * area), 1, 1e-12);
    // dW/da: power of the forces in stretching along x
    stretch(X, a, b, 0, x);
    pl_fem_plane_triangle.gradient(&e, g);
    double power = X[0] * g[0] + X[3] * g[3] + X[6] * g[6], exact = area * (p[0] * ea * a + p[1] * change * b);
    check_near(power, exact, 1e-11 * fmax(fabs(exact), 100));
  }
}

static void small_tension_shows_modulus_and_poissons_ratio(void **unused) {
  (void)unused;
  double X[9] = {0, 0, 0, 1, 0.2, 0, 0.3, 0.8, 0}, x[9], p[2] = {70, 40}, strain = 1e-6;
  double ratio = p[1] / (p[0] + p[1]), modulus = p[0] * (p[0] + 2 * p[1]) / (p[0] + p[1]),
         area = 0.5 * (0.8 - 0.2 * 0.3), g[9];
  stretch(X, 1 + strain, 1 - ratio * strain, 0, x);
  pl_fem_element e = {x, X, X, p};
  check_near(pl_fem_plane_triangle.energy(&e) / (0.5 * modulus * strain * strain * area), 1, 1e-4);
  // no stress across: stretching along y does no work
  pl_fem_plane_triangle.gradient(&e, g);
  check_near(X[1] * g[1] + X[4] * g[4] + X[7] * g[7], 0, 1e-5 * modulus * strain * area);
  check_near((X[0] * g[0] + X[3] * g[3] + X[6] * g[6]) / (modulus * strain * area), 1, 1e-4);
}

static void refined_triangles_have_the_same_energy(void **unused) {
  (void)unused;
  pl_random random = pl_random_of_seed(23);
  double X[9], x[9], p[2] = {70, 40};
  make_triangle(&random, 0.9, X);
  make_triangle(&random, -0.4, x);
  pl_fem_element whole = {x, X, X, p};
  double exact = pl_fem_plane_triangle.energy(&whole);
  for (int n = 2; n <= 8; n *= 2) {
    double sum = 0;
    // barycentric cells (i, j); the second triangle of a cell points the other way
    for (int cell = 0; cell < 2 * n * n; ++cell) {
      int i = cell / 2 % n, j = cell / 2 / n, down = cell % 2;
      if (i + j + down >= n) continue;
      const int corner[2][3][2] = {{{i, j}, {i + 1, j}, {i, j + 1}}, {{i + 1, j}, {i + 1, j + 1}, {i, j + 1}}};
      double part[9], rest[9];
      for (int k = 0; k < 9; ++k) {
        double u = (double)corner[down][k / 3][0] / n, v = (double)corner[down][k / 3][1] / n;
        part[k] = x[k % 3] * (1 - u - v) + x[3 + k % 3] * u + x[6 + k % 3] * v;
        rest[k] = X[k % 3] * (1 - u - v) + X[3 + k % 3] * u + X[6 + k % 3] * v;
      }
      pl_fem_element e = {part, rest, rest, p};
      sum += pl_fem_plane_triangle.energy(&e);
    }
    check_near(sum / exact, 1, 1e-12);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_agree_with_differences),
      cmocka_unit_test(all_corners_in_one_point_give_finite_numbers),
      cmocka_unit_test(stretched_triangle_has_the_energy_and_force_of_the_formula),
      cmocka_unit_test(small_tension_shows_modulus_and_poissons_ratio),
      cmocka_unit_test(refined_triangles_have_the_same_energy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
