// Viscosity of tets: derivatives against finite differences, what it must not see, and the closed forms of relaxation.
// ctest: derivative
#include "base/random.h"
#include "fem/fem_maxwell_assemble.h"
#include "fixtures/fem_bodies.h"
#include "pliant/math.h"

typedef struct subject {
  pl_context *context;
  pl_model *model;
  const pl_fem_model *fem;
  pl_arena arena;
  pl_fem_maxwell maxwell;
  pl_block_matrix matrix;
  int32_t n;
  double *x, *u, *gradient, *image, *direction, *moved, *sum;
} subject;

static subject make_subject(pl_fem_element_order element) {
  subject s = {.context = make_context(1)};
  pl_mesh *mesh = make_fem_box(s.context, (pl_vec3){0.3, 0.2, 0.2}, 2, 1, 1);
  pl_fem_def def = pl_default_fem_def(PL_FEM_NEO_HOOKEAN);
  def.element = element;
  def.poisson = 0.4;
  def.stiffness_damping = 0.02;
  def.prony_ratio = 0.6;
  def.prony_time = 0.05;
  def.second_prony_ratio = 0.3;
  def.second_prony_time = 0.4;
  s.model = make_fem_model(s.context, &def, mesh);
  pl_mesh_destroy(mesh);
  s.fem = (const pl_fem_model *)s.model;
  pl_arena_init(&s.arena, s.context, 0);
  assert_true(pl_fem_maxwell_take(&s.arena, s.context, s.fem, &s.maxwell));
  assert_true(pl_block_matrix_take(&s.arena, &s.fem->pattern, &s.matrix));
  s.n = 3 * s.model->particle_count;
  double **all[] = {&s.x, &s.u, &s.gradient, &s.image, &s.direction, &s.moved, &s.sum};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) assert_non_null(*all[i] = PL_TAKE(&s.arena, double, s.n));
  size_t size = pl_fem_metrics_size(s.fem);
  s.maxwell.metrics = PL_TAKE(&s.arena, double, 2 * size);
  assert_non_null(s.maxwell.metrics);
  pl_random random = pl_random_of_seed(9);
  for (int32_t i = 0; i < s.n; ++i) {
    s.x[i] = s.fem->rest_points[i] + pl_random_between(&random, -0.02, 0.02);
    s.u[i] = s.fem->rest_points[i] + pl_random_between(&random, -0.02, 0.02);
    s.direction[i] = pl_random_between(&random, -1, 1);
    s.moved[i] = s.fem->rest_points[i] + pl_random_between(&random, -0.02, 0.02);
  }
  pl_fem_maxwell_measure(&s.maxwell, s.moved, s.maxwell.metrics);
  pl_fem_maxwell_measure(&s.maxwell, s.fem->rest_points, s.maxwell.metrics + size);
  pl_fem_maxwell_begin(&s.maxwell, s.x, 0.005, 0.01);
  return s;
}

static void drop_subject(subject *s) {
  pl_arena_destroy(&s->arena);
  pl_model_destroy(s->model);
  drop_context(s->context);
}

static double size_of(int32_t n, const double *v) {
  double square = 0;
  for (int32_t i = 0; i < n; ++i) square += v[i] * v[i];
  return sqrt(square);
}

static void gradient_and_matrix_are_derivatives_of_the_energy(void **state) {
  (void)state;
  for (int element = 0; element < 2; ++element) {
    subject s = make_subject((pl_fem_element_order)element);
    const double h = 1e-6;
    double slope = 0, energies[2];
    pl_block_matrix_clear(s.context, &s.matrix);
    pl_fem_maxwell_evaluate(&s.maxwell, s.u, s.gradient, &s.matrix, false);
    for (int32_t i = 0; i < s.n; ++i) slope += s.gradient[i] * s.direction[i];
    pl_block_matrix_multiply(s.context, &s.matrix, s.direction, s.image);
    for (int side = 0; side < 2; ++side) {
      for (int32_t i = 0; i < s.n; ++i) s.moved[i] = s.u[i] + (side == 0 ? h : -h) * s.direction[i];
      energies[side] = pl_fem_maxwell_evaluate(&s.maxwell, s.moved, side == 0 ? s.gradient : s.sum, NULL, false);
    }
    check_near((energies[0] - energies[1]) / (2 * h), slope, 1e-7 * fabs(slope));
    double size = size_of(s.n, s.image);
    for (int32_t i = 0; i < s.n; ++i) check_near((s.gradient[i] - s.sum[i]) / (2 * h), s.image[i], 1e-7 * size);
    // Without what can be negative it is not.
    pl_block_matrix_clear(s.context, &s.matrix);
    pl_fem_maxwell_evaluate(&s.maxwell, s.u, s.gradient, &s.matrix, true);
    pl_random random = pl_random_of_seed(4);
    for (int trial = 0; trial < 50; ++trial) {
      double product = 0;
      for (int32_t i = 0; i < s.n; ++i) s.direction[i] = pl_random_between(&random, -1, 1);
      pl_block_matrix_multiply(s.context, &s.matrix, s.direction, s.image);
      for (int32_t i = 0; i < s.n; ++i) product += s.image[i] * s.direction[i];
      assert_true(product >= 0);
    }
    drop_subject(&s);
  }
}

// A rigid motion, far from the origin, and forces without sum and torque.
static void rigid_motion_has_no_forces(void **state) {
  (void)state;
  for (int element = 0; element < 2; ++element) {
    subject s = make_subject((pl_fem_element_order)element);
    pl_quat turn = pl_quat_normalize((pl_quat){0.3, -0.7, 0.2, 0.5});
    pl_fem_maxwell_evaluate(&s.maxwell, s.u, s.gradient, NULL, false);
    double size = size_of(s.n, s.gradient);
    pl_vec3 sum = {0, 0, 0}, torque = {0, 0, 0};
    for (int32_t i = 0; i < s.n / 3; ++i) {
      pl_vec3 force = pl_fem_vector(s.gradient, i);
      sum = pl_vec3_add(sum, force);
      torque = pl_vec3_add(torque, pl_vec3_cross(pl_fem_vector(s.u, i), force));
    }
    assert_true(pl_vec3_length(sum) < 1e-13 * size && pl_vec3_length(torque) < 1e-13 * size);
    size_t count = pl_fem_metrics_size(s.fem);
    for (size_t b = 0; b < 2; ++b) pl_fem_maxwell_measure(&s.maxwell, s.x, s.maxwell.metrics + b * count);
    pl_fem_maxwell_begin(&s.maxwell, s.x, 0.005, 0.01);
    for (int32_t i = 0; i < s.n / 3; ++i)
      pl_fem_put(s.u, i, pl_vec3_add(pl_quat_rotate(turn, pl_fem_vector(s.x, i)), (pl_vec3){5, -3, 2}));
    pl_fem_maxwell_evaluate(&s.maxwell, s.u, s.gradient, NULL, false);
    assert_true(size_of(s.n, s.gradient) < 1e-12 * size);
    drop_subject(&s);
  }
}

// A bar that is stretched at once and held: E (1 + Σ γ exp(-t / t_b)), of which a step has the mean.
static void stress_relaxes_as_the_closed_form_says(void **state) {
  (void)state;
  for (int element = 0; element < 2; ++element) {
    subject s = make_subject((pl_fem_element_order)element);
    const pl_fem_branches *branches = &s.fem->branches;
    const double strain = 1e-7, h = 0.02;
    size_t count = pl_fem_metrics_size(s.fem);
    double young = s.fem->groups[0].parameters[0], poisson = s.fem->groups[0].parameters[1];
    for (size_t b = 0; b < 2; ++b)
      pl_fem_maxwell_measure(&s.maxwell, s.fem->rest_points, s.maxwell.metrics + b * count);
    for (int32_t i = 0; i < s.n; ++i) s.u[i] = s.fem->rest_points[i] * (1 + (i % 3 == 0 ? strain : -poisson * strain));
    for (int step = 0; step < 40; ++step) {
      // Damping has done its work before: nothing moves.
      pl_fem_maxwell_begin(&s.maxwell, s.u, 0.5 * h, h);
      pl_fem_maxwell_evaluate(&s.maxwell, s.u, s.gradient, NULL, false);
      pl_fem_maxwell_finish(&s.maxwell, s.u, h);
      double force = 0, expected = 0;
      for (int32_t i = 0; i < s.n / 3; ++i)
        if (s.fem->rest_points[3 * i] > 0.149) force += s.gradient[3 * i];
      for (int b = 0; b < branches->count; ++b) {
        double t = branches->times[b];
        expected += branches->ratios[b] * t / h * (exp(-step * h / t) - exp(-(step + 1) * h / t));
      }
      check_near(force, young * strain * 0.04 * expected, 1e-6 * young * strain * 0.04);
    }
    drop_subject(&s);
  }
}

static void forces_change_with_parameters_as_differences_say(void **state) {
  (void)state;
  enum { COLUMNS = 4, REST = 0, YOUNG, POISSON, SHAPES };
  for (int element = 0; element < 2; ++element) {
    subject s = make_subject((pl_fem_element_order)element);
    const pl_fem_group *group = &s.fem->groups[0];
    ptrdiff_t elements = group->element_count, values = 3 * group->corner_count,
              metrics = (ptrdiff_t)pl_fem_metrics_size(s.fem);
    double *rest_change = PL_TAKE(&s.arena, double, COLUMNS *s.n), *rhs = PL_TAKE(&s.arena, double, COLUMNS *s.n);
    double *fractions = PL_TAKE(&s.arena, double, COLUMNS *elements),
           *poisson = PL_TAKE(&s.arena, double, 2 * elements);
    double *anchors = PL_TAKE(&s.arena, double, COLUMNS *metrics), *moves = PL_TAKE(&s.arena, double, COLUMNS *s.n);
    double *rest = PL_TAKE(&s.arena, double, values *elements), *parameters = PL_TAKE(&s.arena, double, 2 * elements);
    double factors[COLUMNS] = {0, 0, 0, 0.7};
    assert_false(s.arena.failed);
    for (int32_t i = 0; i < s.n; ++i) {
      rest_change[COLUMNS * i + REST] = s.direction[i];
      moves[COLUMNS * i + SHAPES] = s.direction[i];
    }
    for (ptrdiff_t e = 0; e < elements; ++e) {
      double nu = group->parameters[2 * e + 1], a = 1 + nu, b = 1 - 2 * nu, young = group->parameters[2 * e];
      fractions[COLUMNS * e + YOUNG] = 1;
      poisson[2 * e] = young * (1 + 2 * nu * nu) / (a * a * b * b);
      poisson[2 * e + 1] = -young / (2 * a * a);
    }
    // Anchors of the last column move with x, factor 3.
    pl_fem_maxwell_measure_change(&s.maxwell, s.x, moves, COLUMNS, anchors);
    for (ptrdiff_t i = 0; i < COLUMNS * metrics; ++i) anchors[i] *= 3;
    pl_fem_maxwell_changes changes = {.padded = COLUMNS,
                                      .u = s.u,
                                      .factors = factors,
                                      .anchors = anchors,
                                      .rest_change = rest_change,
                                      .fractions = fractions,
                                      .poisson_column = POISSON,
                                      .poisson = poisson,
                                      .rhs = rhs};
    pl_fem_maxwell_change(&s.maxwell, &changes);
    double *kept = pl_arena_copy(&s.arena, s.maxwell.anchors, (size_t)metrics, sizeof(double));
    double *first = PL_TAKE(&s.arena, double, metrics), *second = PL_TAKE(&s.arena, double, metrics);
    assert_true(kept != NULL && first != NULL && second != NULL);
    double factor = s.maxwell.factor;
    for (int column = 0; column < COLUMNS; ++column) {
      const double h = column == YOUNG ? 1e-3 : 1e-6;
      double *results[2] = {s.gradient, s.sum}, size = 0;
      for (int side = 0; side < 2; ++side) {
        double d = side == 0 ? h : -h;
        for (ptrdiff_t i = 0; i < values * elements; ++i) {
          ptrdiff_t at = 3 * (ptrdiff_t)group->corners[i / 3] + i % 3;
          rest[i] = group->starts[i] + (column == REST ? d * s.direction[at] : 0);
        }
        for (ptrdiff_t e = 0; e < elements; ++e) {
          parameters[2 * e] = group->parameters[2 * e] * (column == YOUNG ? 1 + d : 1);
          parameters[2 * e + 1] = group->parameters[2 * e + 1] + (column == POISSON ? d : 0);
        }
        pl_fem_maxwell_use(&s.maxwell, rest, parameters);
        memcpy(s.maxwell.anchors, kept, (size_t)metrics * sizeof(double));
        s.maxwell.factor = factor;
        if (column == SHAPES) {
          for (int32_t i = 0; i < s.n; ++i) s.moved[i] = s.x[i] + d * s.direction[i];
          pl_fem_maxwell_measure(&s.maxwell, s.moved, first);
          pl_fem_maxwell_measure(&s.maxwell, s.x, second);
          for (ptrdiff_t i = 0; i < metrics; ++i) s.maxwell.anchors[i] += 3 * (first[i] - second[i]);
          s.maxwell.factor += d * factors[SHAPES];
        }
        pl_fem_maxwell_evaluate(&s.maxwell, s.u, results[side], NULL, false);
      }
      for (int32_t i = 0; i < s.n; ++i) size = fmax(size, fabs(rhs[COLUMNS * i + column]));
      assert_true(size > 0);
      for (int32_t i = 0; i < s.n; ++i)
        check_near(-(s.gradient[i] - s.sum[i]) / (2 * h), rhs[COLUMNS * i + column], 1e-6 * size);
    }
    drop_subject(&s);
  }
}

// Numbers of a batch of tets by one kernel.
typedef struct batch {
  double energies[7], gradients[7 * 30], matrices[7 * 900];
} batch;

static void kernels_give_the_same_bits(void **state) {
  (void)state;
#if PL_SIMD_HAS_AVX2
  if (!PL_SIMD_CAN_AVX2()) skip();
  for (int element = 0; element < 2; ++element)
    for (int positive = 0; positive < 2; ++positive) {
      subject s = make_subject((pl_fem_element_order)element);
      ptrdiff_t values = 3 * s.fem->groups[0].corner_count;
      pl_fem_maxwell_pose pose = {&s.maxwell, s.u, positive != 0};
      const int32_t elements[7] = {3, 0, 5, 8, 1, 9, 2};
      batch plain = {.energies = {0}}, wide = plain, single = plain;
      pl_fem_maxwell_plain.evaluate(&pose, elements, 7, plain.energies, plain.gradients, plain.matrices);
      pl_fem_maxwell_avx2.evaluate(&pose, elements, 7, wide.energies, wide.gradients, wide.matrices);
      assert_memory_equal(&plain, &wide, sizeof plain);
      // Nor do they depend on which tets are computed together, and on what else is asked for.
      for (int i = 0; i < 7; ++i) {
        pl_fem_maxwell_avx2.evaluate(&pose, elements + i, 1, NULL, single.gradients + values * i, NULL);
        pl_fem_maxwell_avx2.evaluate(&pose, elements + i, 1, single.energies + i, NULL,
                                     single.matrices + values * values * i);
      }
      assert_memory_equal(&plain, &single, sizeof plain);
      for (ptrdiff_t i = 0; i < 7 * values * values; ++i) {
        ptrdiff_t row = i / values % values, column = i % values, first = i - i % (values * values);
        assert_true(plain.matrices[i] == plain.matrices[first + values * column + row]);
      }
      drop_subject(&s);
    }
#else
  skip();
#endif
}

static void derivatives_by_kernels_have_the_same_bits(void **state) {
  (void)state;
#if PL_SIMD_HAS_AVX2
  enum { COLUMNS = 8 };
  if (!PL_SIMD_CAN_AVX2()) skip();
  for (int element = 0; element < 2; ++element) {
    subject s = make_subject((pl_fem_element_order)element);
    size_t elements = (size_t)s.fem->groups[0].element_count, metrics = pl_fem_metrics_size(s.fem), n = (size_t)s.n;
    double *moves = PL_TAKE(&s.arena, double, COLUMNS *n), *fractions = PL_TAKE(&s.arena, double, COLUMNS *elements);
    double *poisson = PL_TAKE(&s.arena, double, 2 * elements), factors[COLUMNS], *results[2], *anchors[2];
    for (int k = 0; k < 2; ++k) {
      results[k] = PL_TAKE(&s.arena, double, COLUMNS *n);
      anchors[k] = PL_TAKE(&s.arena, double, COLUMNS *metrics);
    }
    assert_false(s.arena.failed);
    pl_random random = pl_random_of_seed(3);
    for (size_t i = 0; i < COLUMNS * n; ++i) moves[i] = pl_random_between(&random, -1, 1);
    for (size_t i = 0; i < COLUMNS * elements; ++i) fractions[i] = pl_random_between(&random, -1, 1);
    for (size_t i = 0; i < 2 * elements; ++i) poisson[i] = pl_random_between(&random, -1e5, 1e5);
    for (int i = 0; i < COLUMNS; ++i) factors[i] = pl_random_between(&random, -1, 1);
    const pl_fem_maxwell_kernel *kernels[2] = {&pl_fem_maxwell_plain, &pl_fem_maxwell_avx2};
    for (int k = 0; k < 2; ++k) {
      kernels[k]->measure_change(&s.maxwell, &(pl_fem_maxwell_moves){s.x, moves, COLUMNS}, anchors[k]);
      pl_fem_maxwell_changes changes = {.padded = COLUMNS,
                                        .u = s.u,
                                        .factors = factors,
                                        .anchors = anchors[k],
                                        .rest_change = moves,
                                        .fractions = fractions,
                                        .poisson_column = 5,
                                        .poisson = poisson,
                                        .rhs = results[k]};
      kernels[k]->change(&s.maxwell, &changes);
    }
    assert_memory_equal(anchors[0], anchors[1], COLUMNS * metrics * sizeof(double));
    assert_memory_equal(results[0], results[1], COLUMNS * n * sizeof(double));
    drop_subject(&s);
  }
#else
  skip();
#endif
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradient_and_matrix_are_derivatives_of_the_energy),
      cmocka_unit_test(rigid_motion_has_no_forces),
      cmocka_unit_test(stress_relaxes_as_the_closed_form_says),
      cmocka_unit_test(forces_change_with_parameters_as_differences_say),
      cmocka_unit_test(kernels_give_the_same_bits),
      cmocka_unit_test(derivatives_by_kernels_have_the_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
