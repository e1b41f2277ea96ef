// The inner loops of the fast corotated solid: the same bits on every instruction set, and the forces and stiffness
// that the energy of corotated tets has.
// ctest: unit
#include "base/random.h"
#include "base/scratch.h"
#include "check.h"
#include "fem/fem_energy.h"
#include "fem/fem_fast_kernels.h"
#include "pliant/math.h"

typedef struct bench {
  pl_context *context;
  pl_mesh *mesh;
  pl_model *model;
  pl_scratch scratch;
  pl_fem_fast_work work;
  void *state;
  double squeeze;
} bench;

static const double YOUNG = 2e4, POISSON = 0.35, STEP = 1.0 / 60;

static void make_bench(bench *b) {
  pl_error error = {0};
  b->context = make_context(1);
  check_ok(pl_mesh_create_box(b->context, (pl_vec3){0.5, 0.4, 0.6}, (const int32_t[3]){3, 2, 3}, &b->mesh, &error),
           &error);
  pl_fem_def def = pl_default_fem_def(PL_FEM_FAST);
  def.young = YOUNG;
  def.poisson = POISSON;
  // One example, with weight 0 unless a test says otherwise.
  pl_mesh_view view = pl_mesh_get_view(b->mesh);
  static pl_vec3 posed[200];
  assert_true(view.point_count <= 200);
  for (int32_t i = 0; i < view.point_count; ++i) {
    pl_vec3 p = view.points[i];
    posed[i] = (pl_vec3){p.x + 0.5 * p.y * p.z, 0.8 * p.y - 0.2 * p.x, 1.1 * p.z + 0.3 * p.x * p.x};
  }
  def.examples = &(const pl_mesh_pose){"skewed", posed};
  def.example_count = 1;
  check_ok(pl_fem_fast_build(b->context, &def, b->mesh, &b->model, &error), &error);
  pl_scratch_init(&b->scratch, b->context);
  b->state = pl_scratch_take(&b->scratch, pl_fem_fast_state_size(b->model), 1);
  pl_fem_fast_start(b->model, b->state, &(pl_body_start){.placement = {.rotation = {0, 0, 0, 1}}});
  pl_fem_fast_model *model = (pl_fem_fast_model *)b->model;
  b->work = (pl_fem_fast_work){
      .model = model, .state = pl_fem_fast_state_of(b->model, b->state), .step = (float)STEP, .reach = (float)STEP};
  size_t padded = (size_t)b->model->particle_count + PL_FAST_PADDING;
  pl_f4 **arrays[] = {&b->work.predicted, &b->work.moves,     &b->work.forces, &b->work.solved,
                      &b->work.direction, &b->work.stretched, &b->work.product};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
    *arrays[i] = PL_SCRATCH(&b->scratch, pl_f4, padded);
    memset(*arrays[i], 0, padded * sizeof(pl_f4));
  }
  for (int k = 1; k < PL_FAST_PADDING; ++k) b->work.predicted[b->model->particle_count + k][k - 1] = 1;
  b->work.pulls = PL_SCRATCH(&b->scratch, float, (size_t)model->tets.group_count * 72);
  b->work.gradients = PL_SCRATCH(&b->scratch, float, (size_t)model->tets.group_count * 72);
  // A shape that is anything but at rest.
  pl_random random = pl_random_of_seed(4);
  for (int32_t i = 0; i < b->model->particle_count; ++i) {
    pl_f4 noise = pl_f4_of(pl_random_normal(&random), pl_random_normal(&random), pl_random_normal(&random));
    b->work.state.positions[i] += noise * 0.03f;
    b->work.state.velocities[i] = __builtin_shufflevector(noise, noise, 1, 2, 0, 3);
    b->work.direction[i] = __builtin_shufflevector(noise, noise, 2, 0, 1, 3);
  }
}

static void drop_bench(bench *b) {
  pl_scratch_destroy(&b->scratch);
  pl_model_destroy(b->model);
  pl_mesh_destroy(b->mesh);
  drop_context(b->context);
}

static void run_kernels(bench *b, const pl_fem_fast_kernels *kernels, pl_fem_fast_sums *sums, double *pulls) {
  int32_t n = b->model->particle_count, groups = b->work.model->tets.group_count;
  b->work.gain = (pl_f4){0, -0.16f, 0, 0};
  b->work.damping = 0.1f;
  b->work.drift = (pl_f4){0.01f, 0.02f, 0.03f, 0};
  b->work.twist = (pl_f4){0.1f, 0.2f, 0.3f, 0};
  kernels->predict(&b->work, 0, n);
  b->work.state.weights[0] = 0.4f;
  kernels->measure(&b->work, 0, groups, pulls);
  b->work.is_measured = true;
  kernels->match(&b->work, 0, groups);
  kernels->stretch(&b->work, 0, n);
  kernels->press(&b->work, 0, groups);
  b->squeeze = kernels->squeeze(&b->work, 0, groups);
  kernels->advance(&b->work, (float)kernels->dot(b->work.direction, b->work.product, 0, n) * 1e-7f, 0, n);
  kernels->turn(&b->work, 0.3f, 0, n);
  kernels->sum(&b->work, 0, n, sums);
  assert_true(kernels->finish(&b->work, 0, n));
}

static void plain_and_avx2_give_the_same_bits(void **state) {
  (void)state;
#if PL_SIMD_HAS_AVX2
  if (!PL_SIMD_CAN_AVX2()) skip();
  static bench a, b;
  static pl_fem_fast_sums sums_a, sums_b;
  make_bench(&a);
  make_bench(&b);
  double pulls_a[8], pulls_b[8];
  run_kernels(&a, &pl_fem_fast_kernels_plain, &sums_a, pulls_a);
  run_kernels(&b, &pl_fem_fast_kernels_avx2, &sums_b, pulls_b);
  assert_memory_equal(pulls_a, pulls_b, sizeof pulls_a);
  size_t bytes = (size_t)a.model->particle_count * sizeof(pl_f4);
  assert_memory_equal(a.state, b.state, pl_fem_fast_state_size(a.model));
  assert_memory_equal(a.work.forces, b.work.forces, bytes);
  assert_memory_equal(a.work.product, b.work.product, bytes);
  assert_memory_equal(a.work.direction, b.work.direction, bytes);
  assert_memory_equal(a.work.pulls, b.work.pulls, (size_t)a.work.model->tets.group_count * 72 * sizeof(float));
  assert_memory_equal(&sums_a, &sums_b, sizeof sums_a);
  assert_memory_equal(a.work.stretched, b.work.stretched, bytes);
  assert_memory_equal(&a.squeeze, &b.squeeze, sizeof a.squeeze);
  drop_bench(&a);
  drop_bench(&b);
#endif
}

// Element by element in double.
static void inner_forces_are_those_of_corotated_tets(void **state) {
  (void)state;
  static bench b;
  make_bench(&b);
  int32_t n = b.model->particle_count;
  const pl_fem_fast_kernels *kernels = pl_fem_fast_kernels_choose();
  kernels->predict(&b.work, 0, n);
  kernels->match(&b.work, 0, b.work.model->tets.group_count);
  pl_mesh_view mesh = pl_mesh_get_view(b.mesh);
  double *wanted = calloc(3 * (size_t)n, sizeof *wanted), p[2] = {YOUNG, POISSON}, max = 0, worst = 0;
  for (int32_t t = 0; t < mesh.tet_count; ++t) {
    double X[12], x[12], g[12];
    for (int k = 0; k < 4; ++k) {
      int32_t point = mesh.tets[4 * t + k];
      pl_vec3 now = pl_vec3_of_f4(b.work.predicted[b.work.model->particle_of[point]]);
      memcpy(X + 3 * k, &mesh.points[point], sizeof(pl_vec3));
      memcpy(x + 3 * k, &now, sizeof(pl_vec3));
    }
    pl_fem_element element = {.x = x, .X = X, .U = X, .p = p};
    pl_fem_corotated_tet.gradient(&element, g);
    for (int k = 0; k < 12; ++k) wanted[3 * mesh.tets[4 * t + k / 3] + k % 3] -= STEP * STEP * g[k];
  }
  for (int32_t i = 0; i < n; ++i)
    for (int axis = 0; axis < 3; ++axis) {
      double found = (double)b.work.forces[b.work.model->particle_of[i]][axis];
      max = fmax(max, fabs(wanted[3 * i + axis]));
      worst = fmax(worst, fabs(found - wanted[3 * i + axis]));
    }
  print_message("forces differ by %.2g of the largest\n", worst / max);
  check_at_most(worst, 3e-6 * max);
  free(wanted);
  drop_bench(&b);
}

// With frozen rotations the energy is quadratic; stretch and press are its second derivative.
static void stretch_and_press_are_the_stiffness_with_frozen_rotations(void **state) {
  (void)state;
  static bench b;
  make_bench(&b);
  int32_t n = b.model->particle_count, groups = b.work.model->tets.group_count;
  const pl_fem_fast_kernels *kernels = pl_fem_fast_kernels_choose();
  pl_mesh_view mesh = pl_mesh_get_view(b.mesh);
  for (int32_t i = 0; i < n; ++i) {
    b.work.state.positions[i] = b.work.model->rest[i];
    b.work.state.velocities[i] = (pl_f4){0};
  }
  kernels->predict(&b.work, 0, n);
  kernels->match(&b.work, 0, groups);
  kernels->stretch(&b.work, 0, n);
  double in_parts = kernels->dot(b.work.direction, b.work.product, 0, n) + kernels->squeeze(&b.work, 0, groups);
  kernels->press(&b.work, 0, groups);
  // d . (A + ...) d = inertia + h² (2 mu |F'|² + lambda tr(F')²) V, summed over the tets in double.
  double wanted = 0, mu = YOUNG / (2 * (1 + POISSON)), lambda = YOUNG * POISSON / ((1 + POISSON) * (1 - 2 * POISSON));
  for (int32_t t = 0; t < mesh.tet_count; ++t) {
    pl_fem_def def = pl_default_fem_def(PL_FEM_FAST);
    pl_fem_fast_tet tet = pl_fem_fast_tet_of(&def, &mesh, t);
    double F[9] = {0}, square = 0;
    for (int k = 0; k < 4; ++k)
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          F[3 * i + j] += (double)b.work.direction[b.work.model->particle_of[mesh.tets[4 * t + k]]][i] * tet.B[k][j];
    for (int i = 0; i < 9; ++i) square += F[i] * F[i];
    double trace = F[0] + F[4] + F[8];
    wanted += STEP * STEP * tet.volume * (2 * mu * square + lambda * trace * trace);
  }
  for (int32_t i = 0; i < n; ++i) {
    pl_vec3 d = pl_vec3_of_f4(b.work.direction[i]);
    wanted += b.work.model->masses[i] * pl_vec3_dot(d, d);
  }
  double found = kernels->dot(b.work.direction, b.work.product, 0, n);
  print_message("quadratic form %.9g, element by element %.9g\n", found, wanted);
  check_near(found, wanted, 1e-5 * wanted);
  check_near(in_parts, wanted, 1e-5 * wanted);
  drop_bench(&b);
}

// Conjugate gradients know A times a direction without multiplying: turn() makes it of the forces, of which solved is
// the answer.
static void turn_knows_the_stretching_matrix_times_a_direction(void **state) {
  (void)state;
  static bench b;
  make_bench(&b);
  int32_t n = b.model->particle_count;
  const pl_fem_fast_kernels *kernels = pl_fem_fast_kernels_choose();
  float *workspace = PL_SCRATCH(&b.scratch, float, pl_sparse_cholesky_workspace(&b.work.model->factor));
  for (int round = 0; round < 3; ++round) {
    for (int32_t i = 0; i < n; ++i)
      b.work.solved[i] = b.work.forces[i] = b.work.state.velocities[(i + 7 * round) % n] * 1e-3f;
    pl_sparse_cholesky_solve(&b.work.model->factor, b.work.solved, workspace);
    if (round == 0) {
      for (int32_t i = 0; i < n; ++i) b.work.direction[i] = (pl_f4){0};
    }
    kernels->turn(&b.work, 0.6f, 0, n);
  }
  double max = 0, worst = 0;
  kernels->stretch(&b.work, 0, n);
  for (int32_t i = 0; i < n; ++i)
    for (int axis = 0; axis < 3; ++axis) {
      double wanted = (double)b.work.product[i][axis], found = (double)b.work.stretched[i][axis];
      max = fmax(max, fabs(wanted));
      worst = fmax(worst, fabs(found - wanted));
    }
  print_message("A times the direction is off by %.2g of the largest\n", worst / max);
  assert_true(max > 0);
  check_at_most(worst, 3e-6 * max);
  drop_bench(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plain_and_avx2_give_the_same_bits),
      cmocka_unit_test(inner_forces_are_those_of_corotated_tets),
      cmocka_unit_test(stretch_and_press_are_the_stiffness_with_frozen_rotations),
      cmocka_unit_test(turn_knows_the_stretching_matrix_times_a_direction),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
