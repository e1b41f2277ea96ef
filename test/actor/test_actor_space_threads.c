// Derivatives and costs of rest shapes have the same bits on any number of threads.
// ctest: unit threads
#include "fixtures/rest_spaces.h"

// Bytes of everything that is computed on a larger box, one after the other.
static double *compute_all(int32_t thread_count, pl_rest_kind kind, size_t *count) {
  pl_context *context = make_context(thread_count);
  rest_subject s = {.context = context, .mesh = NULL};
  pl_error error = {0};
  check_ok(pl_mesh_create_box(context, (pl_vec3){0.4, 0.3, 1}, (const int32_t[3]){4, 3, 10}, &s.mesh, &error), &error);
  pl_fem_def fem = pl_default_fem_def(PL_FEM_EDGES);
  check_ok(pl_fem_build(context, &fem, s.mesh, &s.model, &error), &error);
  s.fem = (const pl_fem_model *)s.model;
  s.n = 3 * s.fem->head.particle_count;
  pl_arena_init(&s.arena, context, 0);
  assert_true(pl_fem_system_take(&s.arena, context, s.fem, &s.system));
  assert_true(pl_block_matrix_take(&s.arena, &s.fem->pattern, &s.matrix));
  for (int32_t g = 0; g < s.fem->group_count; ++g)
    s.rest[g] = PL_TAKE(&s.arena, double, 3 * (size_t)(s.fem->groups[g].corner_count * s.fem->groups[g].element_count));
  make_rest_poses(&s);
  s.def = make_rest_def(&s, kind);
  check_ok(pl_rest_space_build(context, &s.def, s.fem, s.mesh, &s.space, &error), &error);
  s.size = pl_rest_space_size(s.space);
  size_t n = (size_t)s.n, size = (size_t)s.size;
  *count = 2 * n * size + 2 * size * size + 2 * size + 1;
  double *all = calloc(*count, sizeof *all), *E = all, *B = E + n * size, *C = B + n * size, *H = C + size * size;
  double *g = H + size * size, *pull = g + size;
  double *p = PL_TAKE(&s.arena, double, size), *x = PL_TAKE(&s.arena, double, n),
         *lambda = PL_TAKE(&s.arena, double, n);
  choose_parameters(&s, 1, p);
  choose_pose(&s, 2, x);
  choose_pose(&s, 3, lambda);
  use_rest(&s, p);
  pl_rest_space_mixed(s.space, &s.system, x, E);
  pl_rest_space_mixed_get_view(s.space, &s.system, x);
  pl_rest_space_mixed_pull(s.space, lambda, 1, pull);
  pl_rest_space_third(s.space, &s.system, x, lambda, &s.matrix, B, C);
  pull[size] = pl_rest_space_regularise(s.space, p, x, g, H);
  drop_rest_subject(&s);
  drop_context(context);
  return all;
}

static void threads_do_not_change_a_bit(void **state) {
  (void)state;
  const pl_rest_kind kinds[] = {PL_REST_FREE, PL_REST_EXAMPLES};
  for (size_t k = 0; k < 2; ++k) {
    size_t count, other;
    double *one = compute_all(1, kinds[k], &count), *four = compute_all(4, kinds[k], &other);
    assert_int_equal(count, other);
    assert_memory_equal(one, four, count * sizeof(double));
    free(one);
    free(four);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(threads_do_not_change_a_bit)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
