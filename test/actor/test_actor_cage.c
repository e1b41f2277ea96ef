// Products with the map of a cage, and the dense sums of a search, against plain loops; every instruction set gives the
// same bits.
// ctest: unit
#include "actor/actor_cage.h"

#include "base/random.h"
#include "check.h"

enum { PARTICLES = 11, HANDLES = 13, STRIDE = 16, ELEMENTS = 9, MAX_P = 3 * HANDLES, ROWS = 5 };

typedef struct subject {
  pl_context *context;
  pl_arena arena;
  pl_block_pattern pattern;
  pl_block_matrix matrix;
  pl_cage_map map;
  double weights[PARTICLES * STRIDE], lanes[3 * STRIDE];
} subject;

static double number(pl_random *random) {
  return pl_random_between(random, -1, 1);
}

static void make(subject *s, int axes) {
  pl_context_def def = pl_default_context_def();
  pl_error error = {0};
  check_ok(pl_context_create(&def, &s->context, &error), &error);
  pl_arena_init(&s->arena, s->context, 0);
  int32_t corners[3 * ELEMENTS];
  for (int e = 0; e < ELEMENTS; ++e)
    for (int k = 0; k < 3; ++k) corners[3 * e + k] = e + k;
  pl_block_elements elements = {.corner_count = 3, .element_count = ELEMENTS, .corners = corners};
  check_ok(pl_block_pattern_build(&s->arena, PARTICLES, &elements, 1, &s->pattern, &error), &error);
  assert_true(pl_block_matrix_take(&s->arena, &s->pattern, &s->matrix));
  pl_random random = pl_random_of_seed(5);
  for (int i = 0; i < 9 * s->pattern.block_count; ++i) s->matrix.values[i] = number(&random);
  for (int i = 0; i < PARTICLES; ++i)
    for (int v = 0; v < STRIDE; ++v) s->weights[STRIDE * i + v] = v < HANDLES ? number(&random) : 0;
  s->map = (pl_cage_map){PARTICLES, HANDLES, axes, STRIDE, s->weights, s->lanes};
}

static void drop(subject *s) {
  pl_arena_destroy(&s->arena);
  pl_context_destroy(s->context);
}

// Everything that the kernels find.
typedef struct outcome {
  double change[3 * PARTICLES], product[MAX_P], many[8 * MAX_P], rows[PL_CAGE_BATCH * 9 * STRIDE],
      square[9 * STRIDE * STRIDE], transposed[24 * PARTICLES], K[MAX_P * MAX_P], image[MAX_P];
} outcome;

typedef struct input {
  double p[MAX_P], v[3 * PARTICLES], eight[24 * PARTICLES], base[MAX_P * MAX_P], J[ROWS * MAX_P];
} input;

static void fill(input *in) {
  pl_random random = pl_random_of_seed(8);
  for (int i = 0; i < MAX_P; ++i) in->p[i] = number(&random);
  for (int i = 0; i < 3 * PARTICLES; ++i) in->v[i] = number(&random);
  for (int i = 0; i < 24 * PARTICLES; ++i) in->eight[i] = number(&random);
  for (int i = 0; i < MAX_P * MAX_P; ++i) in->base[i] = number(&random);
  for (int i = 0; i < ROWS * MAX_P; ++i) in->J[i] = number(&random);
}

static void run(const pl_cage_kernels *kernels, subject *s, const input *in, outcome *out) {
  ptrdiff_t axes = s->map.axes, step = axes * axes * STRIDE;
  int32_t P = (int32_t)axes * HANDLES;
  memset(out, 0, sizeof *out);
  kernels->move(&s->map, in->p, out->change);
  kernels->pull(&s->map, in->v, out->product);
  kernels->pull_many(&s->map, in->eight, out->many);
  for (int32_t first = 0; first < PARTICLES; first += PL_CAGE_BATCH) {
    int32_t count = PARTICLES - first < PL_CAGE_BATCH ? PARTICLES - first : PL_CAGE_BATCH;
    for (int32_t k = 0; k < count; ++k) kernels->rows(&s->map, &s->matrix, first + k, out->rows + step * k);
    kernels->square(&s->map, first, count, out->rows, out->square);
  }
  kernels->transposed(&s->matrix, s->map.axes, in->eight, out->transposed);
  kernels->add_squares(out->K, in->base, P, in->J, ROWS);
  kernels->multiply(in->base, P, in->p, out->image);
}

static void check(double a, double b) {
  assert_true(fabs(a - b) <= 1e-13 * 64);
}

// Row (3 i + a) and column (axes v + b) of A L.
static double rows_at(const subject *s, int i, int a, int v, int b) {
  double sum = 0;
  for (int32_t k = s->pattern.start[i]; k < s->pattern.start[i + 1]; ++k)
    sum += s->matrix.values[9 * k + 3 * a + b] * s->weights[STRIDE * s->pattern.columns[k] + v];
  return sum;
}

static void kernels_are_plain_loops(void **state) {
  (void)state;
  static subject s;
  static input in;
  static outcome out;
  fill(&in);
  for (int axes = 2; axes <= 3; ++axes) {
    make(&s, axes);
    run(pl_cage_kernels_choose(), &s, &in, &out);
    int P = axes * HANDLES;
    for (int i = 0; i < 3 * PARTICLES; ++i) {
      double sum = 0;
      for (int v = 0; v < HANDLES && i % 3 < axes; ++v) sum += s.weights[STRIDE * (i / 3) + v] * in.p[axes * v + i % 3];
      check(out.change[i], sum);
    }
    for (int p = 0; p < P; ++p) {
      double sum = 0, many[8] = {0}, image = 0;
      for (int i = 0; i < PARTICLES; ++i) {
        double weight = s.weights[STRIDE * i + p / axes];
        sum += weight * in.v[3 * i + p % axes];
        for (int k = 0; k < 8; ++k) many[k] += weight * in.eight[8 * (3 * i + p % axes) + k];
      }
      for (int q = 0; q < P; ++q) image += in.base[P * p + q] * in.p[q];
      check(out.product[p], sum);
      check(out.image[p], image);
      for (int k = 0; k < 8; ++k) check(out.many[8 * p + k], many[k]);
      for (int q = 0; q <= p; ++q) {
        double square = in.base[P * p + q];
        for (int r = 0; r < ROWS; ++r) square += in.J[P * r + p] * in.J[P * r + q];
        check(out.K[P * p + q], square);
      }
      for (int q = p; q < P; ++q) {
        double square = 0;
        for (int i = 0; i < PARTICLES; ++i)
          square += s.weights[STRIDE * i + p / axes] * rows_at(&s, i, p % axes, q / axes, q % axes);
        check(out.square[axes * STRIDE * (STRIDE * (p % axes) + p / axes) + STRIDE * (q % axes) + q / axes], square);
      }
    }
    for (int j = 0; j < 3 * PARTICLES; ++j)
      for (int k = 0; k < 8 && j % 3 < axes; ++k) {
        double sum = 0;
        for (int i = 0; i < PARTICLES; ++i)
          for (int32_t m = s.pattern.start[i]; m < s.pattern.start[i + 1]; ++m)
            for (int a = 0; a < axes && s.pattern.columns[m] == j / 3; ++a)
              sum += s.matrix.values[9 * m + 3 * a + j % 3] * in.eight[8 * (3 * i + a) + k];
        check(out.transposed[8 * j + k], sum);
      }
    drop(&s);
  }
}

static void all_instruction_sets_give_the_same_bits(void **state) {
  (void)state;
#if PL_SIMD_HAS_AVX2
  if (!PL_SIMD_CAN_AVX2()) skip();
  static subject s;
  static input in;
  static outcome plain, fast;
  fill(&in);
  for (int k = 0; k < (PL_SIMD_CAN_AVX512() ? 4 : 2); ++k) {
    make(&s, 2 + k % 2);
    run(&pl_cage_kernels_plain, &s, &in, &plain);
    run(k < 2 ? &pl_cage_kernels_avx2 : &pl_cage_kernels_avx512, &s, &in, &fast);
    assert_memory_equal(&plain, &fast, sizeof plain);
    drop(&s);
  }
#endif
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kernels_are_plain_loops),
      cmocka_unit_test(all_instruction_sets_give_the_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
