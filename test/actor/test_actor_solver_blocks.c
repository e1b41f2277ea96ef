// The block elimination of an actor's step gives what the whole matrix of eq. 13 gives, and that matrix is the
// derivative of the optimality conditions.
// ctest: unit
#include "fixtures/actor_world.h"

typedef struct whole {
  int32_t n, P, size;
  bool without_regulariser;  // whose matrix may be a positive one in place of its Hessian
  double *matrix, *rhs, *lambda, *u, *p;
} whole;

static double random_number(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) / 4503599627370496.0 - 1;
}

// Gaussian elimination with pivots, in long double so that it is the judge; the right-hand side becomes the solution.
static void solve_whole(whole *w) {
  int32_t n = w->size;
  long double *a = malloc((size_t)n * (size_t)n * sizeof *a), *b = malloc((size_t)n * sizeof *b);
  for (int32_t i = 0; i < n * n; ++i) a[i] = (long double)w->matrix[i];
  for (int32_t i = 0; i < n; ++i) b[i] = (long double)w->rhs[i];
  for (int32_t k = 0; k < n; ++k) {
    int32_t best = k;
    for (int32_t i = k + 1; i < n; ++i)
      if (fabsl(a[i * n + k]) > fabsl(a[best * n + k])) best = i;
    for (int32_t j = 0; j < n; ++j) {
      long double kept = a[k * n + j];
      a[k * n + j] = a[best * n + j], a[best * n + j] = kept;
    }
    long double kept = b[k];
    b[k] = b[best], b[best] = kept;
    for (int32_t i = k + 1; i < n; ++i) {
      long double factor = a[i * n + k] / a[k * n + k];
      if (factor == 0) continue;
      for (int32_t j = k; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
      b[i] -= factor * b[k];
    }
  }
  for (int32_t k = n - 1; k >= 0; --k) {
    for (int32_t j = k + 1; j < n; ++j) b[k] -= a[k * n + j] * b[j];
    b[k] /= a[k * n + k];
    w->rhs[k] = (double)b[k];
  }
  free(a);
  free(b);
}

static bool is_fixed(const pl_fem_choice *choice, int32_t i) {
  const uint8_t *fixed = choice->work->potential.fixed;
  return fixed != NULL && (fixed[i / 3] >> (i % 3) & 1) != 0;
}

static double dense_goal(const pl_goal_rows *rows, int32_t k, int32_t slot) {
  double sum = 0;
  for (int32_t i = rows->start[k]; i < rows->start[k + 1]; ++i)
    if (rows->slots[i] == slot) sum += rows->weights[i];
  return sum;
}

static double goal_left(const pl_goal_rows *rows, int32_t k, const double *u) {
  double sum = -rows->targets[k];
  for (int32_t i = rows->start[k]; i < rows->start[k + 1]; ++i) sum += rows->weights[i] * u[rows->slots[i]];
  return sum;
}

static void add_block(const pl_block_matrix *matrix, double *to, int32_t size, int32_t row, int32_t column) {
  const pl_block_pattern *pattern = matrix->pattern;
  for (int32_t r = 0; r < pattern->row_count; ++r)
    for (int32_t i = pattern->start[r]; i < pattern->start[r + 1]; ++i)
      for (int e = 0; e < 9; ++e)
        to[(row + 3 * r + e / 3) * size + column + 3 * pattern->columns[i] + e % 3] += matrix->values[9 * i + e];
}

// Fill in the whole matrix and the gradients, by definition.
static void build_whole(actor_fixture *s, pl_fem_choice *choice, bool exact, whole *w) {
  int32_t n = s->n, P = s->P, size = w->size;
  pl_fem_work *work = choice->work;
  double *E = calloc((size_t)(n * P), sizeof *E), *B = calloc((size_t)(n * P), sizeof *B),
         *C = calloc((size_t)(P * P), sizeof *C);
  double *slope = calloc((size_t)P, sizeof *slope), *a = w->matrix;
  pl_arena arena;
  pl_arena_init(&arena, s->context, 0);
  pl_block_matrix third;
  assert_true(pl_block_matrix_take(&arena, &fixture_fem(s)->pattern, &third));
  memset(a, 0, (size_t)(size * size) * sizeof *a);
  memset(w->rhs, 0, (size_t)size * sizeof(double));
  pl_rest_space_shape(s->space, w->p, choice->state.rest);
  pl_fem_system_use(&work->system, (const double *const *)choice->state.rest, NULL);
  pl_fem_potential_evaluate(&work->potential, w->u, true, false);
  pl_rest_space_mixed(s->space, &work->system, w->u, E);
  pl_rest_space_regularise(s->space, w->p, s->last, slope, C);
  if (w->without_regulariser) {
    memset(slope, 0, (size_t)P * sizeof *slope);
    memset(C, 0, (size_t)(P * P) * sizeof *C);
  }
  if (exact) pl_rest_space_third(s->space, &work->system, w->u, w->lambda, &third, B, C);
  add_block(&third, a, size, 0, 0);
  for (int32_t k = 0; k < s->rows.count; ++k)
    for (int32_t i = 0; i < n; ++i)
      for (int32_t j = 0; j < n; ++j) a[i * size + j] += dense_goal(&s->rows, k, i) * dense_goal(&s->rows, k, j);
  for (int32_t i = 0; i < n; ++i)
    for (int32_t j = 0; j < n; ++j)
      if (is_fixed(choice, i) || is_fixed(choice, j)) a[i * size + j] = 0;
  add_block(work->potential.matrix, a, size, 0, n + P);
  add_block(work->potential.matrix, a, size, n + P, 0);
  for (int32_t i = 0; i < n; ++i)
    for (int32_t j = 0; j < P && !is_fixed(choice, i); ++j) {
      a[(n + P + i) * size + n + j] = a[(n + j) * size + n + P + i] = E[i * P + j];
      a[(n + j) * size + i] = a[i * size + n + j] = B[j * n + i];
    }
  for (int32_t i = 0; i < P; ++i)
    for (int32_t j = 0; j < P; ++j) a[(n + i) * size + n + j] = C[i * P + j];
  // Gradients: Gᵀ g + D λ, r' + Eᵀ λ, c.
  for (int32_t i = 0; i < n; ++i) {
    if (is_fixed(choice, i)) continue;
    for (int32_t k = 0; k < s->rows.count; ++k) w->rhs[i] += dense_goal(&s->rows, k, i) * goal_left(&s->rows, k, w->u);
    for (int32_t j = 0; j < n; ++j) w->rhs[i] += a[i * size + n + P + j] * w->lambda[j];
    w->rhs[n + P + i] = work->potential.gradient[i];
  }
  for (int32_t i = 0; i < P; ++i) {
    w->rhs[n + i] = slope[i];
    for (int32_t j = 0; j < n; ++j) w->rhs[n + i] += a[(n + i) * size + n + P + j] * w->lambda[j];
  }
  pl_arena_destroy(&arena);
  free(E), free(B), free(C), free(slope);
}

static whole make_whole(actor_fixture *s, pl_fem_choice *choice, uint64_t seed, double spread) {
  size_t size = (size_t)(2 * s->n + s->P);
  whole w = {s->n,
             s->P,
             (int32_t)size,
             false,
             calloc(size * size, sizeof(double)),
             calloc(size, sizeof(double)),
             calloc((size_t)s->n, sizeof(double)),
             calloc((size_t)s->n, sizeof(double)),
             calloc((size_t)s->P, sizeof(double))};
  double scale = fixture_fem(s)->element_size;
  for (int32_t i = 0; i < s->n; ++i) {
    bool fixed = is_fixed(choice, i);
    w.lambda[i] = fixed ? 0 : 1e-5 * random_number(&seed);
    w.u[i] = choice->work->next[i] + (fixed ? 0 : spread * scale * random_number(&seed));
  }
  for (int32_t j = 0; j < s->P; ++j) w.p[j] = spread * scale * random_number(&seed);
  return w;
}

static void drop_whole(whole *w) {
  free(w->matrix), free(w->rhs), free(w->lambda), free(w->u), free(w->p);
}

static double distance(const double *a, const double *b, int32_t count, double *size) {
  double square = 0, whole_square = 0;
  for (int32_t i = 0; i < count; ++i) {
    square += (a[i] - b[i]) * (a[i] - b[i]);
    whole_square += b[i] * b[i];
  }
  *size = sqrt(whole_square);
  return sqrt(square);
}

// The same of parameters, in the norm √(v r'' v), a strain: rigid motions of the rest shape, which nothing but a
// millionth of the regulariser sees, are left to rounding.
static double strain_distance(actor_fixture *s, const double *p, const double *a, const double *b, double *size) {
  size_t P = (size_t)s->P;
  double *slope = calloc(P, sizeof *slope), *bend = calloc(P * P, sizeof *bend), square = 0, whole_square = 0;
  pl_rest_space_regularise(s->space, p, s->last, slope, bend);
  for (size_t i = 0; i < P; ++i)
    for (size_t j = 0; j < P; ++j) {
      square += bend[i * P + j] * (a[i] - b[i]) * (a[j] - b[j]);
      whole_square += bend[i * P + j] * b[i] * b[j];
    }
  free(slope), free(bend);
  *size = sqrt(whole_square);
  return sqrt(fmax(square, 0));
}

static void add_goals(actor_fixture *s, const pl_fem_choice *choice) {
  fixture_add_center(s, choice, 0, 0.3, 1);
  fixture_add_center(s, choice, 1, 0.5, 2);
  fixture_add_point(s, choice, 0, 1, -0.2, 0.3);
  fixture_add_point(s, choice, s->model->particle_count - 1, 0, 0.4, 0.5);
}

typedef struct tally {
  int32_t compared, touched;
} tally;

static pl_status compare(actor_fixture *s, pl_fem_choice *choice, pl_error *error) {
  tally *t = s->data;
  add_goals(s, choice);
  for (int exact = 0; exact < 2; ++exact) {
    whole w = make_whole(s, choice, 77 + (uint64_t)exact, 0.02);
    size_t n = (size_t)s->n, P = (size_t)s->P;
    double *du = calloc(n, sizeof *du), *dp = calloc(P, sizeof *dp), *dl = calloc(n, sizeof *dl),
           *guess = calloc(n, sizeof *guess);
    memcpy(guess, choice->work->next, n * sizeof(double));
    memcpy(choice->work->next, w.u, n * sizeof(double));
    s->settings.hessian = exact ? PL_ACTOR_EXACT : PL_ACTOR_GAUSS_NEWTON;
    check_ok(
        pl_actor_solver_direction(s->solver, &s->settings, choice, &s->rows, s->last, w.p, w.lambda, du, dp, dl, error),
        error);
    // Where K was replaced the step is another, on purpose.
    if (s->solver->shift == 0) {
      build_whole(s, choice, exact, &w);
      solve_whole(&w);
      const double *parts[3] = {du, dp, dl};
      const int32_t starts[4] = {0, s->n, s->n + s->P, w.size};
      for (int k = 0; k < 3; ++k) {
        double size, off = k == 1 ? strain_distance(s, w.p, dp, w.rhs + starts[1], &size)
                                  : distance(parts[k], w.rhs + starts[k], starts[k + 1] - starts[k], &size);
        assert_true(size > 0);
        check_at_most(off, 1e-8 * size);
      }
      t->compared |= 1 << exact;
      if (choice->work->contacts.collider_count > 0 && pl_fem_contacts_any(&choice->work->contacts)) t->touched = 1;
    }
    memcpy(choice->work->next, guess, n * sizeof(double));
    drop_whole(&w);
    free(du), free(dp), free(dl), free(guess);
  }
  pl_actor_shape_use(s->solver, choice, s->p);
  return PL_OK;
}

static void test_block_solve_is_that_of_the_whole_matrix(void **state) {
  (void)state;
  for (int32_t k = 0; k <= FIXTURE_CASE_COUNT; ++k) {
    const fixture_case *it = k < FIXTURE_CASE_COUNT ? &FIXTURE_CASES[k] : &FIXTURE_CAGE;
    actor_fixture *s = make_case(it, true, -0.002, 10);
    tally t = {0, 0};
    s->probe = compare;
    s->data = &t;
    pl_error error = {0};
    for (int i = 0; i < 2; ++i) assert_true(pl_world_step(s->world, NULL, &error) >= 0);
    if (t.compared != 3 || t.touched == 0) fail_msg("%s: compared %d, touched %d", it->name, t.compared, t.touched);
    drop_fixture(s);
  }
}

// The matrix itself: differences of the gradients along random directions, in flight and without damping, where nothing
// is left out.
static pl_status differentiate(actor_fixture *s, pl_fem_choice *choice, pl_error *error) {
  (void)error;
  add_goals(s, choice);
  whole w = make_whole(s, choice, 5, 0.03), high = make_whole(s, choice, 5, 0.03), low = make_whole(s, choice, 5, 0.03);
  w.without_regulariser = high.without_regulariser = low.without_regulariser = true;
  uint64_t seed = 99;
  double length = 1e-6 * fixture_fem(s)->element_size, *way = calloc((size_t)w.size, sizeof *way);
  for (int32_t i = 0; i < w.size; ++i) {
    bool fixed = (i < s->n && is_fixed(choice, i)) || (i >= s->n + s->P && is_fixed(choice, i - s->n - s->P));
    way[i] = fixed ? 0 : random_number(&seed);
    // λ is five orders smaller.
    double *at[2] = {NULL, NULL};
    for (int k = 0; k < 2; ++k) {
      whole *it = k == 0 ? &high : &low;
      at[k] = i < s->n ? it->u + i : i < s->n + s->P ? it->p + i - s->n : it->lambda + i - s->n - s->P;
    }
    *at[0] += length * way[i];
    *at[1] -= length * way[i];
  }
  build_whole(s, choice, true, &high);
  build_whole(s, choice, true, &low);
  build_whole(s, choice, true, &w);
  double worst[3] = {0, 0, 0}, max[3] = {0, 0, 0};
  for (int32_t i = 0; i < w.size; ++i) {
    int part = i < s->n ? 0 : i < s->n + s->P ? 1 : 2;
    if (part != 1 && is_fixed(choice, part == 0 ? i : i - s->n - s->P)) continue;
    double product = 0, rate = (high.rhs[i] - low.rhs[i]) / (2 * length);
    for (int32_t j = 0; j < w.size; ++j) product += w.matrix[i * w.size + j] * way[j];
    worst[part] = fmax(worst[part], fabs(product - rate));
    max[part] = fmax(max[part], fabs(product));
  }
  for (int k = 0; k < 3; ++k) check_at_most(worst[k], 1e-5 * max[k]);
  drop_whole(&w), drop_whole(&high), drop_whole(&low);
  free(way);
  pl_actor_shape_use(s->solver, choice, s->p);
  return PL_OK;
}

static void test_whole_matrix_is_the_derivative_of_the_optimality_conditions(void **state) {
  (void)state;
  for (int32_t k = 0; k < FIXTURE_CASE_COUNT; ++k) {
    actor_fixture *s = make_case(&FIXTURE_CASES[k], false, 1, 1);
    s->probe = differentiate;
    pl_error error = {0};
    assert_true(pl_world_step(s->world, NULL, &error) >= 0);
    drop_fixture(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_block_solve_is_that_of_the_whole_matrix),
      cmocka_unit_test(test_whole_matrix_is_the_derivative_of_the_optimality_conditions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
