// Hermite moments against closed forms, their rotation, and the distances made of them.
// ctest: unit
#include "fixtures/detail_cube.h"

// Points of a grid around the origin with spacing `step`, out to `reach`, each with its cell's volume; the rule is
// exact to rounding for what is smooth and dies out with the window.
enum { MAX_GRID = 70000 };
typedef struct grid {
  int32_t count;
  pl_vec3 points[MAX_GRID];
  double fractions[MAX_GRID], values[MAX_GRID];
} grid;

static grid *make_grid(double reach, double step) {
  grid *g = calloc(1, sizeof *g);
  int32_t half = (int32_t)(reach / step);
  for (int32_t k = -half; k <= half; ++k)
    for (int32_t j = -half; j <= half; ++j)
      for (int32_t i = -half; i <= half; ++i) {
        assert_true(g->count < MAX_GRID);
        g->points[g->count] = pl_vec3_of(step * i, step * j, step * k);
        g->fractions[g->count++] = step * step * step;
      }
  return g;
}

static pl_material material_of(const grid *g) {
  return (pl_material){g->count, g->points, g->fractions};
}

static void polynomials_are_orthonormal(void **state) {
  (void)state;
  grid *g = make_grid(8, 0.5);
  pl_material material = material_of(g);
  pl_window window = {{0, 0, 0}, 1};
  double worst = 0;
  for (int32_t a = 0; a < PL_MOMENT_COUNT; ++a) {
    for (int32_t m = 0; m < g->count; ++m) {
      double h[PL_MOMENT_COUNT];
      pl_hermite_evaluate(g->points[m], h);
      g->values[m] = h[a];
    }
    pl_moments sums;
    pl_moments_sum(&material, g->values, 1, &window, &sums);
    // An element that occurs m times has norm 1/m: m of them together have norm 1.
    for (int32_t b = 0; b < PL_MOMENT_COUNT; ++b)
      worst = fmax(worst, fabs(sums.values[b] - (a == b ? 1 / pl_moment_multiplicity(a) : 0)));
  }
  print_message("largest error of the products of polynomials: %.1e\n", worst);
  check_at_most(worst, 1e-6);
  free(g);
}

static void places_and_multiplicities_are_those_of_the_full_tensor(void **state) {
  (void)state;
  int32_t times[PL_MOMENT_COUNT] = {1};
  for (int i = 0; i < 3; ++i) {
    times[1 + i]++;
    for (int j = 0; j < 3; ++j) {
      times[pl_moment_place2(i, j)]++;
      for (int k = 0; k < 3; ++k) times[pl_moment_place3(i, j, k)]++;
    }
  }
  for (int32_t i = 0; i < PL_MOMENT_COUNT; ++i) assert_int_equal(times[i], (int32_t)pl_moment_multiplicity(i));
  // He_xyy = x (y² - 1) and so on, by the product of one-dimensional polynomials.
  pl_vec3 r = {0.7, -1.3, 0.4};
  const double c[3] = {r.x, r.y, r.z};
  double h[PL_MOMENT_COUNT];
  pl_hermite_evaluate(r, h);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k) {
        double product = 1;
        for (int axis = 0; axis < 3; ++axis) {
          int power = (i == axis) + (j == axis) + (k == axis);
          const double x = c[axis], one[4] = {1, x, x * x - 1, x * x * x - 3 * x};
          product *= one[power];
        }
        check_near(h[pl_moment_place3(i, j, k)], product / sqrt(6.0), 1e-14);
      }
}

// f = exp(-|x - a|² / (2 s²)). With the window it is a Gaussian of variance v = s² / (1 + s²) around b = a / (1 + s²)
// and of known mass; the mean of He_n over it is the polynomial whose generating function is exp(b t + (v - 1) t² / 2).
static void moments_of_a_gaussian(void **state) {
  (void)state;
  grid *g = make_grid(8, 0.4);
  pl_material material = material_of(g);
  pl_vec3 a = {0.6, -0.3, 0.9};
  double s2 = 0.8, v = s2 / (1 + s2), d = v - 1;
  for (int32_t m = 0; m < g->count; ++m) {
    double off = pl_vec3_distance(g->points[m], a);
    g->values[m] = exp(-off * off / (2 * s2));
  }
  pl_window window = {{0, 0, 0}, 1};
  pl_moments found;
  pl_moments_sum(&material, g->values, 1, &window, &found);
  double mass = pow(v, 1.5) * exp(-pl_vec3_dot(a, a) / (2 * (1 + s2)));
  const double b[3] = {a.x / (1 + s2), a.y / (1 + s2), a.z / (1 + s2)};
  check_near(found.values[0], mass, 1e-9);
  for (int i = 0; i < 3; ++i) {
    check_near(found.values[1 + i], mass * b[i], 1e-9);
    for (int j = 0; j < 3; ++j) {
      check_near(found.values[pl_moment_place2(i, j)], mass * (b[i] * b[j] + (i == j) * d) / sqrt(2.0), 1e-9);
      for (int k = 0; k < 3; ++k)
        check_near(found.values[pl_moment_place3(i, j, k)],
                   mass * (b[i] * b[j] * b[k] + d * (b[i] * (j == k) + b[j] * (i == k) + b[k] * (i == j))) / sqrt(6.0),
                   1e-9);
    }
  }
  free(g);
}

// A polynomial of degree 3 is the sum of its moments times the polynomials (eq. 5), and its norm is that of its moments
// (eq. 6).
static void a_polynomial_is_given_back_with_its_norm(void **state) {
  (void)state;
  grid *g = make_grid(8, 0.5);
  pl_material material = material_of(g);
  double square = 0;
  for (int32_t m = 0; m < g->count; ++m) {
    pl_vec3 p = g->points[m];
    g->values[m] = 1.5 - p.x + 0.25 * p.y * p.z - p.x * p.y * p.y + 0.5 * p.z * p.z * p.z;
    square += g->fractions[m] * pow(2 * PL_PI, -1.5) * exp(-0.5 * pl_vec3_dot(p, p)) * g->values[m] * g->values[m];
  }
  pl_window window = {{0, 0, 0}, 1};
  pl_moments found;
  pl_moments_sum(&material, g->values, 1, &window, &found);
  check_near(pl_moments_dot(&found, &found, 0, PL_MOMENT_COUNT), square, 1e-9);
  for (int32_t m = 0; m < g->count; m += 997) {
    double h[PL_MOMENT_COUNT], sum = 0;
    pl_hermite_evaluate(g->points[m], h);
    for (int32_t i = 0; i < PL_MOMENT_COUNT; ++i) sum += pl_moment_multiplicity(i) * found.values[i] * h[i];
    check_near(sum, g->values[m], 1e-8 * (1 + fabs(g->values[m])));
  }
  free(g);
}

// Half a space below a face at height `depth` above the center, in layers by Gauss' rule with three points.
static pl_moments half_space(double depth, double radius, pl_mat3 axes, pl_vec3 center) {
  static const double nodes[3] = {-0.77459666924148337704, 0, 0.77459666924148337704},
                      weights[3] = {5.0 / 9, 8.0 / 9, 5.0 / 9};
  grid *g = calloc(1, sizeof *g);
  for (int32_t layer = 0; layer < 20; ++layer)
    for (int32_t node = 0; node < 3; ++node)
      for (int32_t j = -12; j <= 12; ++j)
        for (int32_t i = -12; i <= 12; ++i) {
          double height = depth - 0.4 * (layer + 0.5 + 0.5 * nodes[node]);
          pl_vec3 local = pl_vec3_scale(pl_vec3_of(0.5 * i, 0.5 * j, height), radius);
          g->points[g->count] = pl_vec3_add(center, pl_mat3_apply(axes, local));
          g->fractions[g->count++] = 0.25 * 0.2 * weights[node] * radius * radius * radius;
        }
  pl_material material = material_of(g);
  pl_window window = {center, radius};
  pl_moments sums;
  pl_moments_sum(&material, NULL, 1, &window, &sums);
  free(g);
  return sums;
}

static void moments_of_half_a_space(void **state) {
  (void)state;
  for (double depth = -0.8; depth < 1; depth += 0.4) {
    pl_moments sums = half_space(depth, 0.03, pl_mat3_identity(), pl_vec3_of(4, -2, 7));
    pl_moments site = pl_site_of_sums(&sums, 0.03, PL_SITE_PER_VOLUME);
    // The integral of w He_n up to d is -w(d) He_(n-1)(d).
    double w = exp(-0.5 * depth * depth) / sqrt(2 * PL_PI), mass = 0.5 * (1 + erf(depth / sqrt(2.0)));
    double expected[PL_MOMENT_COUNT] = {0};
    expected[0] = mass;
    expected[3] = -w;
    expected[9] = -w * depth / sqrt(2.0);
    expected[19] = -w * (depth * depth - 1) / sqrt(6.0);
    for (int32_t i = 0; i < PL_MOMENT_COUNT; ++i) check_near(site.values[i], expected[i], 2e-6);
    pl_moments per_point = pl_site_of_sums(&sums, 0.03, PL_SITE_PER_POINT);
    check_near(per_point.values[0], 1, 1e-12);
    check_near(per_point.values[3], -w / mass, 1e-5);
  }
  // Nothing near: no descriptor rather than a division by nothing.
  pl_moments nothing = {{0}};
  nothing = pl_site_of_sums(&nothing, 0.03, PL_SITE_PER_POINT);
  for (int32_t i = 0; i < PL_MOMENT_COUNT; ++i) check_near(nothing.values[i], 0, 0);
}

static void rotating_the_object_is_rotating_the_tensors(void **state) {
  (void)state;
  pl_random random = pl_random_of_seed(5);
  enum { COUNT = 200 };
  pl_vec3 points[COUNT], turned[COUNT], field[COUNT], turned_field[COUNT];
  double fractions[COUNT], worst = 0;
  for (int trial = 0; trial < 20; ++trial) {
    pl_mat3 rotation = sample_rotation(&random);
    pl_window window = {sample_vector(&random, 1), pl_random_between(&random, 0.3, 1)};
    pl_window turned_window = {pl_mat3_apply(rotation, window.center), window.radius};
    for (int32_t m = 0; m < COUNT; ++m) {
      points[m] = sample_vector(&random, 1);
      field[m] = sample_vector(&random, 0.2);
      turned[m] = pl_mat3_apply(rotation, points[m]);
      turned_field[m] = pl_mat3_apply(rotation, field[m]);
      fractions[m] = pl_random_unit(&random);
    }
    pl_material before = {COUNT, points, fractions}, after = {COUNT, turned, fractions};
    pl_moments one, one_after, expected;
    pl_moments_sum(&before, NULL, 1, &window, &one);
    pl_moments_sum(&after, NULL, 1, &turned_window, &one_after);
    pl_moments_rotate(&one, rotation, &expected);
    double size = sqrt(pl_moments_dot(&one, &one, 0, PL_MOMENT_COUNT));
    for (int32_t i = 0; i < PL_MOMENT_COUNT; ++i)
      worst = fmax(worst, fabs(one_after.values[i] - expected.values[i]) / size);
    pl_vector_moments u, u_after, u_expected;
    pl_moments_sum(&before, &field[0].x, 3, &window, u.components);
    pl_moments_sum(&after, &turned_field[0].x, 3, &turned_window, u_after.components);
    pl_vector_moments_rotate(&u, rotation, &u_expected);
    size = sqrt(pl_vector_moments_dot(&u, &u, 0, PL_MOMENT_COUNT));
    for (int c = 0; c < 3; ++c)
      for (int32_t i = 0; i < PL_MOMENT_COUNT; ++i)
        worst = fmax(worst, fabs(u_after.components[c].values[i] - u_expected.components[c].values[i]) / size);
    // Turning keeps the norm, order by order, and turning back gives back.
    pl_moments back;
    pl_moments_rotate(&expected, pl_mat3_transpose(rotation), &back);
    for (int32_t i = 0; i < PL_MOMENT_COUNT; ++i) check_near(back.values[i], one.values[i], 1e-12);
    for (int32_t n = 0; n <= PL_MOMENT_ORDER; ++n) {
      int32_t begin = n == 0 ? 0 : pl_moment_count(n - 1), end = pl_moment_count(n);
      check_near(pl_moments_dot(&expected, &expected, begin, end), pl_moments_dot(&one, &one, begin, end), 1e-12);
    }
  }
  print_message("object turned against tensors turned: %.1e\n", worst);
  check_at_most(worst, 1e-12);
}

static void distances_are_metrics(void **state) {
  (void)state;
  enum { COUNT = 24 };
  pl_random random = pl_random_of_seed(9);
  pl_moments sites[COUNT];
  pl_vector_moments loads[COUNT];
  memset(loads, 0, sizeof loads);
  for (int a = 0; a < COUNT; ++a) {
    for (int32_t i = 0; i < PL_MOMENT_COUNT; ++i) sites[a].values[i] = pl_random_normal(&random);
    for (int c = 0; c < 3 && a > 0; ++c)
      for (int32_t i = 1; i < PL_LOAD_COUNT; ++i) loads[a].components[c].values[i] = pl_random_normal(&random);
  }
  for (int a = 0; a < COUNT; ++a)
    for (int b = 0; b < COUNT; ++b) {
      double site = pl_site_distance(&sites[a], &sites[b], 3), load = pl_load_distance(&loads[a], &loads[b], 2, 0);
      assert_true(a == b ? site == 0 && load < 1e-15 : site > 0 && load > 1e-3);
      check_near(site, pl_site_distance(&sites[b], &sites[a], 3), 0);
      check_near(load, pl_load_distance(&loads[b], &loads[a], 2, 0), 0);
      check_at_most(load, 2);
      for (int c = 0; c < COUNT; ++c) {
        check_at_most(site,
                      pl_site_distance(&sites[a], &sites[c], 3) + pl_site_distance(&sites[c], &sites[b], 3) + 1e-12);
        check_at_most(sqrt(load), sqrt(pl_load_distance(&loads[a], &loads[c], 2, 0)) +
                                      sqrt(pl_load_distance(&loads[c], &loads[b], 2, 0)) + 1e-12);
      }
    }
  // Eq. 14 itself is none: half-way between two loads at right angles it is nearer to both than half.
  pl_vector_moments x = {0}, y = {0}, both = {0};
  x.components[0].values[1] = both.components[0].values[1] = 1;
  y.components[1].values[5] = both.components[1].values[5] = 1 / sqrt(2.0);
  check_near(pl_load_distance(&x, &y, 2, 0), 1, 1e-15);
  check_near(pl_load_distance(&x, &both, 2, 0) + pl_load_distance(&both, &y, 2, 0), 2 - sqrt(2.0), 1e-12);
  // Size does not matter, except that nothing is nothing.
  pl_vector_moments opposite = x;
  opposite.components[0].values[1] = -1e-3;
  check_near(pl_load_distance(&x, &opposite, 2, 1e-4), 2, 1e-15);
  check_near(pl_load_distance(&x, &opposite, 2, 1e-2), 1, 0);
  check_near(pl_load_distance(&opposite, &opposite, 2, 1e-2), 0, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(polynomials_are_orthonormal),
      cmocka_unit_test(places_and_multiplicities_are_those_of_the_full_tensor),
      cmocka_unit_test(moments_of_a_gaussian),
      cmocka_unit_test(a_polynomial_is_given_back_with_its_norm),
      cmocka_unit_test(moments_of_half_a_space),
      cmocka_unit_test(rotating_the_object_is_rotating_the_tensors),
      cmocka_unit_test(distances_are_metrics),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
