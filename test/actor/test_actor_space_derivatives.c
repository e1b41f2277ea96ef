// Derivatives by the parameters of a rest shape against central differences, for every material and every kind of
// space. With g = ∂W/∂x:
//
//   E dp = dg along p        B dx and C dp = changes of Eᵀλ along x and p        xx dx = change of (∂g/∂x) λ along x
// ctest: derivative
#include "fixtures/rest_spaces.h"

typedef struct arrays {
  double *x, *p, *dx, *dp, *lambda;  // state and directions
  double *E, *B, *C;
  double *plus, *minus, *product;  // n or P numbers
  double *moved;
} arrays;

static arrays take_arrays(rest_subject *s) {
  size_t n = (size_t)s->n, size = (size_t)s->size, max = n > size ? n : size;
  pl_arena *a = &s->arena;
  arrays w = {PL_TAKE(a, double, n),       PL_TAKE(a, double, size),       PL_TAKE(a, double, n),
              PL_TAKE(a, double, size),    PL_TAKE(a, double, n),          PL_TAKE(a, double, n *size),
              PL_TAKE(a, double, size *n), PL_TAKE(a, double, size *size), PL_TAKE(a, double, max),
              PL_TAKE(a, double, max),     PL_TAKE(a, double, max),        PL_TAKE(a, double, max)};
  choose_pose(s, 3, w.x);
  choose_parameters(s, 4, w.p);
  pl_random random = pl_random_of_seed(5);
  for (size_t i = 0; i < n; ++i) {
    bool held = s->fem->planar && i % 3 == 2;
    w.dx[i] = held ? 0 : pl_random_between(&random, -1, 1);
    w.lambda[i] = held ? 0 : pl_random_between(&random, -1, 1);
  }
  for (size_t k = 0; k < size; ++k) w.dp[k] = pl_random_between(&random, -1, 1);
  return w;
}

// a = b to a share of b's largest number.
static void check_same(const double *a, const double *b, int32_t count, double fraction, const char *what,
                       const rest_subject *s) {
  double max = 0, worst = 0;
  for (int32_t i = 0; i < count; ++i) {
    max = fmax(max, fabs(b[i]));
    worst = fmax(worst, fabs(a[i] - b[i]));
  }
  if (!(worst <= fraction * max))
    fail_msg("%s of material %d, kind %d: off by %.3g of %.3g", what, (int)s->fem->material, (int)s->def.rest, worst,
             max);
}

// out = (g or Eᵀλ or Hλ) at x + a dx, p + b dp.
typedef enum quantity { FORCE, PULL, STIFF } quantity;

static void evaluate(rest_subject *s, const arrays *w, quantity what, double along_x, double along_p, double *out) {
  double *x = w->moved, *p = w->product;
  for (int32_t k = 0; k < s->size; ++k) p[k] = w->p[k] + along_p * w->dp[k];
  use_rest(s, p);
  for (int32_t i = 0; i < s->n; ++i) x[i] = w->x[i] + along_x * w->dx[i];
  if (what == PULL) {
    pl_rest_space_mixed_get_view(s->space, &s->system, x);
    pl_rest_space_mixed_pull(s->space, w->lambda, 1, out);
    return;
  }
  pl_fem_system_evaluate(&s->system, x, out, &s->matrix, false);
  if (what == STIFF) pl_block_matrix_multiply(s->context, &s->matrix, w->lambda, out);
}

// w->plus = central difference
static void differentiate(rest_subject *s, const arrays *w, quantity what, double along_x, double along_p) {
  int32_t count = what == PULL ? s->size : s->n;
  evaluate(s, w, what, along_x, along_p, w->plus);
  evaluate(s, w, what, -along_x, -along_p, w->minus);
  for (int32_t i = 0; i < count; ++i) w->plus[i] = (w->plus[i] - w->minus[i]) / (2 * fmax(along_x, along_p));
}

static void multiply(const double *matrix, int32_t rows, int32_t columns, const double *v, double *out) {
  for (int32_t i = 0; i < rows; ++i) {
    out[i] = 0;
    for (int32_t j = 0; j < columns; ++j) out[i] += matrix[(ptrdiff_t)columns * i + j] * v[j];
  }
}

static void check_space(pl_context *context, pl_fem_material material, pl_rest_kind kind) {
  rest_subject s = make_rest_subject(context, material, kind);
  arrays w = take_arrays(&s);
  double step = 1e-6, tolerance = 2e-6;
  use_rest(&s, w.p);
  pl_rest_space_mixed(s.space, &s.system, w.x, w.E);
  pl_block_matrix_clear(context, &s.matrix);
  for (int32_t i = 0; i < s.size * s.size; ++i) w.C[i] = 1000;  // to be added to
  pl_block_matrix xx;
  assert_true(pl_block_matrix_take(&s.arena, &s.fem->pattern, &xx));
  pl_rest_space_third(s.space, &s.system, w.x, w.lambda, &xx, w.B, w.C);
  for (int32_t i = 0; i < s.size * s.size; ++i) w.C[i] -= 1000;

  // E as a map, and its transpose.
  pl_rest_space_mixed_get_view(s.space, &s.system, w.x);
  pl_rest_space_mixed_apply(s.space, w.dp, w.plus);
  multiply(w.E, s.n, s.size, w.dp, w.product);
  check_same(w.plus, w.product, s.n, 1e-12, "E as a map", &s);
  pl_rest_space_mixed_pull(s.space, w.lambda, 1, w.plus);
  for (int32_t k = 0; k < s.size; ++k) {
    w.product[k] = 0;
    for (int32_t i = 0; i < s.n; ++i) w.product[k] += w.E[(ptrdiff_t)s.size * i + k] * w.lambda[i];
  }
  check_same(w.product, w.plus, s.size, 1e-12, "the transpose of E", &s);

  double p_step = kind == PL_REST_EXAMPLES || kind == PL_REST_MODES ? 1e-5 : step;
  differentiate(&s, &w, FORCE, 0, p_step);
  multiply(w.E, s.n, s.size, w.dp, w.product);
  check_same(w.product, w.plus, s.n, tolerance, "E", &s);
  differentiate(&s, &w, PULL, step, 0);
  multiply(w.B, s.size, s.n, w.dx, w.product);
  check_same(w.product, w.plus, s.size, tolerance, "B", &s);
  differentiate(&s, &w, PULL, 0, p_step);
  multiply(w.C, s.size, s.size, w.dp, w.product);
  check_same(w.product, w.plus, s.size, tolerance, "C", &s);
  differentiate(&s, &w, STIFF, step, 0);
  pl_block_matrix_multiply(context, &xx, w.dx, w.product);
  check_same(w.product, w.plus, s.n, tolerance, "xx", &s);
  drop_rest_subject(&s);
}

static void check_kind(pl_rest_kind kind) {
  if (!kind_is_available(kind)) skip();
  pl_context *context = make_context(1);
  for (size_t m = 0; m < sizeof rest_materials / sizeof *rest_materials; ++m)
    check_space(context, rest_materials[m], kind);
  drop_context(context);
}

static void free_points_have_the_derivatives_of_differences(void **state) {
  (void)state;
  check_kind(PL_REST_FREE);
}
static void cages_have_the_derivatives_of_differences(void **state) {
  (void)state;
  check_kind(PL_REST_CAGE);
}
static void examples_have_the_derivatives_of_differences(void **state) {
  (void)state;
  check_kind(PL_REST_EXAMPLES);
}
static void modes_have_the_derivatives_of_differences(void **state) {
  (void)state;
  check_kind(PL_REST_MODES);
}

// --- regulariser --------------------------------------------------------------------------------------------------

static double min_bow(const double *H, int32_t size, pl_random *random) {
  double min = HUGE_VAL, d[400];
  assert_true(size <= 400);
  for (int round = 0; round < 50; ++round) {
    double sum = 0, square = 0;
    for (int32_t k = 0; k < size; ++k) d[k] = pl_random_between(random, -1, 1), square += d[k] * d[k];
    for (int32_t k = 0; k < size; ++k)
      for (int32_t l = 0; l < size; ++l) sum += d[k] * H[(ptrdiff_t)size * k + l] * d[l];
    min = fmin(min, sum / square);
  }
  return min;
}

// At `fraction` of the chosen parameters; `exact` whether the Hessian is that of differences.
static void check_regulariser(rest_subject *s, double fraction, bool exact) {
  size_t size = (size_t)s->size;
  pl_arena *a = &s->arena;
  double *p = PL_TAKE(a, double, size), *last = PL_TAKE(a, double, size), *d = PL_TAKE(a, double, size);
  double *g = PL_TAKE(a, double, size), *plus = PL_TAKE(a, double, size), *minus = PL_TAKE(a, double, size);
  double *H = PL_TAKE(a, double, size *size), *product = PL_TAKE(a, double, size), step = 1e-5;
  bool metres = s->def.rest == PL_REST_FREE || s->def.rest == PL_REST_CAGE;
  if (metres) step = 1e-6;
  pl_random random = pl_random_of_seed(8);
  choose_parameters(s, 4, p);
  choose_parameters(s, 9, last);
  for (size_t k = 0; k < size; ++k) {
    p[k] *= fraction;
    d[k] = pl_random_between(&random, -1, 1);
  }
  double value = pl_rest_space_regularise(s->space, p, last, g, H);
  check_near(pl_rest_space_regularise(s->space, p, last, NULL, NULL), value, 1e-14 * value);
  double slope = 0, up, down;
  for (size_t k = 0; k < size; ++k) slope += g[k] * d[k], p[k] += step * d[k];
  up = pl_rest_space_regularise(s->space, p, last, plus, NULL);
  for (size_t k = 0; k < size; ++k) p[k] -= 2 * step * d[k];
  down = pl_rest_space_regularise(s->space, p, last, minus, NULL);
  check_near((up - down) / (2 * step), slope, 2e-6 * fabs(slope) + 1e-9 * value / step);
  for (size_t k = 0; k < size; ++k)
    for (size_t l = 0; l < k; ++l) check_near(H[size * k + l], H[size * l + k], 1e-12 * fabs(H[size * k + k]));
  for (size_t k = 0; k < size; ++k) plus[k] = (plus[k] - minus[k]) / (2 * step);
  multiply(H, s->size, s->size, d, product);
  if (exact) check_same(product, plus, s->size, 2e-5, "the Hessian of the regulariser", s);
  assert_true(min_bow(H, s->size, &random) > 0);
}

static void the_regulariser_has_the_derivatives_of_differences(void **state) {
  (void)state;
  pl_context *context = make_context(1);
  for (size_t m = 0; m < sizeof rest_materials / sizeof *rest_materials; ++m)
    for (int kind = PL_REST_FREE; kind <= PL_REST_MODES; ++kind) {
      if (!kind_is_available((pl_rest_kind)kind)) continue;
      if (kind == PL_REST_CAGE && rest_materials[m] < PL_FEM_EDGES)
        continue;  // harmonic coordinates take long; products with L are the same
      rest_subject s = make_rest_subject(context, rest_materials[m], (pl_rest_kind)kind);
      check_regulariser(&s, 1, kind == PL_REST_EXAMPLES);
      // At the rest shape element Hessians are positive, and then they are exact. Mixtures have the kink of the hull
      // there.
      if (kind != PL_REST_EXAMPLES) check_regulariser(&s, 0, true);
      drop_rest_subject(&s);
    }
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(free_points_have_the_derivatives_of_differences),
      cmocka_unit_test(cages_have_the_derivatives_of_differences),
      cmocka_unit_test(examples_have_the_derivatives_of_differences),
      cmocka_unit_test(modes_have_the_derivatives_of_differences),
      cmocka_unit_test(the_regulariser_has_the_derivatives_of_differences),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
