// Elements whose energy, derivatives and damping are found in one go, or four at a time, against the plain functions of
// each energy, one element after the other.
// ctest: derivative
#include "base/random.h"
#include "fem/fem_viscous.h"
#include "fixtures/fem_bodies.h"
#include "pliant/math.h"

enum { KINDS = 6, VALUES = 3 * PL_FEM_MAX_CORNERS };

static const pl_fem_material MATERIALS[KINDS] = {PL_FEM_COROTATED, PL_FEM_NEO_HOOKEAN, PL_FEM_EDGES,
                                                 PL_FEM_SHELL,     PL_FEM_PLANE,       PL_FEM_CURVE};

typedef struct subject {
  pl_context *context;
  pl_model *model;
  const pl_fem_model *fem;
  pl_arena arena;
  pl_fem_system system;
  pl_block_matrix matrix, wanted;
  int32_t n;
  double *from, *u, *gradient, *wanted_gradient, *drag, *wanted_drag;
} subject;

static subject make_subject(pl_fem_material material) {
  subject s = {.context = make_context(1)};
  pl_mesh *mesh = NULL;
  if (material == PL_FEM_CURVE)
    mesh = make_fem_chain(s.context, 0.4, 5);
  else
    mesh = material >= PL_FEM_SHELL ? make_fem_sheet(s.context, 0.3, 3, 3)
                                    : make_fem_box(s.context, (pl_vec3){0.3, 0.2, 0.2}, 2, 1, 1);
  pl_fem_def def = pl_default_fem_def(material);
  def.adapts = true;
  s.model = make_fem_model(s.context, &def, mesh);
  pl_mesh_destroy(mesh);
  s.fem = (const pl_fem_model *)s.model;
  pl_arena_init(&s.arena, s.context, 0);
  assert_true(pl_fem_system_take(&s.arena, s.context, s.fem, &s.system));
  assert_true(pl_block_matrix_take(&s.arena, &s.fem->pattern, &s.matrix));
  assert_true(pl_block_matrix_take(&s.arena, &s.fem->pattern, &s.wanted));
  s.n = 3 * s.model->particle_count;
  double **all[] = {&s.from, &s.u, &s.gradient, &s.wanted_gradient, &s.drag, &s.wanted_drag};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) assert_non_null(*all[i] = PL_TAKE(&s.arena, double, s.n));
  // Far from rest, so that elements are stretched, compressed and some turned inside out; and another rest shape than
  // the start.
  pl_random random = pl_random_of_seed(9);
  double *rest[PL_FEM_MAX_GROUPS], *points = PL_TAKE(&s.arena, double, s.n);
  for (int32_t i = 0; i < s.n; ++i) {
    bool held = s.fem->planar && i % 3 == 2;
    double position = s.fem->rest_points[i];
    points[i] = position + (held ? 0 : pl_random_between(&random, -0.02, 0.02));
    s.from[i] = position + (held ? 0 : pl_random_between(&random, -0.06, 0.06));
    s.u[i] = position + (held ? 0 : pl_random_between(&random, -0.06, 0.06));
  }
  for (int32_t g = 0; g < s.fem->group_count; ++g)
    rest[g] =
        PL_TAKE(&s.arena, double, 3 * (size_t)s.fem->groups[g].corner_count * (size_t)s.fem->groups[g].element_count);
  pl_fem_system_gather_rest(s.fem, points, rest);
  pl_fem_system_use(&s.system, (const double *const *)rest, NULL);
  return s;
}

static void drop_subject(subject *s) {
  pl_arena_destroy(&s->arena);
  pl_model_destroy(s->model);
  drop_context(s->context);
}

static void add_blocks(const subject *s, int32_t g, int32_t element, const double *h, pl_block_matrix *to) {
  int k = s->fem->groups[g].corner_count;
  const int32_t *slots = s->fem->pattern.groups[g].slots + (ptrdiff_t)k * k * element;
  for (int a = 0; a < k; ++a)
    for (int b = 0; b < k; ++b)
      for (int i = 0; i < 9; ++i)
        to->values[9 * (ptrdiff_t)slots[k * a + b] + i] += h[3 * k * (3 * a + i / 3) + 3 * b + i % 3];
}

static void check_same(int32_t count, const double *a, const double *b, const char *what, const subject *s) {
  double max = 0, worst = 0;
  for (int32_t i = 0; i < count; ++i) {
    max = fmax(max, fabs(b[i]));
    worst = fmax(worst, fabs(a[i] - b[i]));
  }
  if (!(worst <= 1e-12 * max))
    fail_msg("%s of material %d: off by %.3g of %.3g", what, (int)s->fem->material, worst, max);
}

// The same for matrices. Of bodies in a plane what belongs to z is not wanted, since z is fixed afterwards.
static void check_same_matrix(const subject *s, const char *what) {
  int32_t count = 9 * s->fem->pattern.block_count;
  for (int32_t i = 0; s->fem->planar && i < count; ++i)
    if (i % 3 == 2 || i % 9 >= 6) s->matrix.values[i] = s->wanted.values[i] = 0;
  check_same(count, s->matrix.values, s->wanted.values, what, s);
}

// Energy by elements; gradient and matrix are those of plain W + scale W² where the scale is not 0.
static double sum_elements(const subject *s, bool positive, double plain, double scale, double *gradient,
                           pl_block_matrix *matrix) {
  double sum = 0;
  memset(gradient, 0, (size_t)s->n * sizeof(double));
  for (int32_t g = 0; g < s->fem->group_count; ++g)
    for (int32_t e = 0; e < s->fem->groups[g].element_count; ++e) {
      const pl_fem_group *group = &s->fem->groups[g];
      double x[VALUES], own[VALUES], h[VALUES * VALUES];
      int n = 3 * group->corner_count;
      pl_fem_element element = pl_fem_system_element(&s->system, s->u, g, e, x);
      double energy = group->energy->energy(&element), slope = plain + 2 * scale * energy;
      sum += plain * energy + scale * energy * energy;
      group->energy->gradient(&element, own);
      if (positive && group->energy->positive != NULL)
        group->energy->positive(&element, h);
      else
        group->energy->hessian(&element, h);
      if (positive && group->energy->positive == NULL) pl_fem_project_positive(n, h);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) h[n * i + j] = slope * h[n * i + j] + 2 * scale * own[i] * own[j];
      for (int i = 0; i < n; ++i)
        gradient[3 * group->corners[group->corner_count * e + i / 3] + i % 3] += slope * own[i];
      add_blocks(s, g, e, h, matrix);
    }
  return sum;
}

static void damped_evaluations_are_the_sum_of_both(void **unused) {
  (void)unused;
  for (int k = 0; k < 2 * KINDS; ++k) {
    subject s = make_subject(MATERIALS[k / 2]);
    // Projected Hessians of tets are those of the kernel, which test_assemble looks at.
    bool positive = k % 2 == 1 && s.system.constants == NULL;
    pl_fem_damping damping = {.from = s.from, .factor = 0.7, .gradient = s.drag};
    double energy = pl_fem_system_evaluate_damped(&s.system, s.u, &damping, s.gradient, &s.matrix, positive);
    pl_block_matrix_clear(s.context, &s.wanted);
    double wanted = sum_elements(&s, positive, 1, 0, s.wanted_gradient, &s.wanted);
    double lost = pl_fem_viscous_evaluate(&s.system, s.from, 0.7, s.u, s.wanted_drag, &s.wanted, positive);
    assert_true(fabs(energy - wanted) <= 1e-12 * wanted);
    assert_true(fabs(damping.energy - lost) <= 1e-12 * lost);
    check_same(s.n, s.gradient, s.wanted_gradient, "gradient", &s);
    check_same(s.n, s.drag, s.wanted_drag, "damping", &s);
    check_same_matrix(&s, positive ? "positive matrix" : "matrix");
    drop_subject(&s);
  }
}

static void limits_are_squares_of_energies(void **unused) {
  (void)unused;
  for (int k = 0; k < KINDS; ++k) {
    subject s = make_subject(MATERIALS[k]);
    int32_t elements = s.fem->element_start[s.fem->group_count];
    double *limits = PL_TAKE(&s.arena, double, elements);
    for (int32_t i = 0; i < elements; ++i) limits[i] = 0.01;
    bool is_elastic = MATERIALS[k] == PL_FEM_COROTATED || MATERIALS[k] == PL_FEM_NEO_HOOKEAN;
    assert_int_equal(pl_fem_system_has_limits(&s.system), !is_elastic);
    if (!is_elastic) {
      double energy = pl_fem_system_evaluate_limited(&s.system, s.u, 0.8, 3, limits, s.gradient, &s.matrix);
      pl_block_matrix_clear(s.context, &s.wanted);
      double wanted = sum_elements(&s, true, 0.8, 3 * 0.01, s.wanted_gradient, &s.wanted);
      assert_true(fabs(energy - wanted) <= 1e-12 * wanted);
      check_same(s.n, s.gradient, s.wanted_gradient, "gradient", &s);
      check_same_matrix(&s, "matrix");
    }
    drop_subject(&s);
  }
}

// Damping compares with where it began, also when that is another place than in the evaluation before.
static void damping_follows_where_it_begins(void **unused) {
  (void)unused;
  for (int k = 0; k < KINDS; ++k) {
    subject s = make_subject(MATERIALS[k]);
    for (int turn = 0; turn < 3; ++turn) {
      pl_fem_damping damping = {.from = turn == 1 ? s.u : s.from, .factor = 0.7, .gradient = s.drag};
      pl_fem_system_evaluate_damped(&s.system, s.u, &damping, s.gradient, NULL, false);
      pl_block_matrix_clear(s.context, &s.wanted);
      double lost = pl_fem_viscous_evaluate(&s.system, damping.from, 0.7, s.u, s.wanted_drag, &s.wanted, false);
      assert_true(fabs(damping.energy - lost) <= 1e-12 * lost);
      if (turn != 1) check_same(s.n, s.drag, s.wanted_drag, "damping", &s);
    }
    drop_subject(&s);
  }
}

static void derivatives_by_the_rest_are_those_of_elements(void **unused) {
  (void)unused;
  for (int k = 0; k < KINDS; ++k) {
    subject s = make_subject(MATERIALS[k]);
    pl_fem_system_mixed_blocks(&s.system, s.u, &s.matrix);
    pl_block_matrix_clear(s.context, &s.wanted);
    for (int32_t g = 0; g < s.fem->group_count; ++g)
      for (int32_t e = 0; e < s.fem->groups[g].element_count; ++e) {
        double x[VALUES], m[VALUES * VALUES];
        pl_fem_element element = pl_fem_system_element(&s.system, s.u, g, e, x);
        s.fem->groups[g].energy->mixed(&element, m);
        add_blocks(&s, g, e, m, &s.wanted);
      }
    check_same(9 * s.fem->pattern.block_count, s.matrix.values, s.wanted.values, "mixed", &s);
    drop_subject(&s);
  }
}

// Kernels are compiled for forces alone, forces with a matrix and everything else: the same bits of what they share.
static void forces_do_not_depend_on_what_else_is_asked_for(void **unused) {
  (void)unused;
  const pl_fem_material materials[] = {PL_FEM_PLANE, PL_FEM_EDGES, PL_FEM_SHELL, PL_FEM_CURVE};
  for (int k = 0; k < 4; ++k) {
    subject s = make_subject(materials[k]);
    size_t size = (size_t)s.n * sizeof(double);
    pl_fem_damping drag = {.from = s.from, .factor = 0.3, .gradient = s.drag},
                   other = {.from = s.from, .factor = 0.3, .gradient = s.wanted_drag};
    double energy = pl_fem_system_evaluate_damped(&s.system, s.u, &drag, s.gradient, NULL, false);
    for (int positive = 0; positive < 2; ++positive) {
      double same = pl_fem_system_evaluate_damped(&s.system, s.u, &other, s.wanted_gradient, &s.matrix, positive == 1);
      assert_true(same == energy && other.energy == drag.energy);
      assert_memory_equal(s.gradient, s.wanted_gradient, size);
      assert_memory_equal(s.drag, s.wanted_drag, size);
    }
    drop_subject(&s);
  }
}

// Blocks above the diagonal are their counterparts, turned; blocks on and below it do not depend on whether they are
// assembled.
static void half_of_a_matrix_is_enough(void **unused) {
  (void)unused;
  const pl_fem_material materials[] = {PL_FEM_PLANE, PL_FEM_EDGES};
  for (int k = 0; k < 4; ++k) {
    subject s = make_subject(materials[k / 2]);
    const pl_block_pattern *pattern = &s.fem->pattern;
    pl_fem_damping drag = {.from = s.from, .factor = 0.3, .gradient = s.drag};
    assert_true(pl_fem_system_has_lower(s.fem));
    pl_fem_system_evaluate_damped(&s.system, s.u, &drag, s.gradient, &s.wanted, k % 2 == 1);
    for (int32_t i = 0; i < 9 * pattern->block_count; ++i) s.matrix.values[i] = 1e3;
    s.system.lower = true;
    pl_fem_system_evaluate_damped(&s.system, s.u, &drag, s.gradient, &s.matrix, k % 2 == 1);
    for (int32_t row = 0; row < pattern->row_count; ++row)
      for (int32_t i = pattern->start[row]; i < pattern->start[row + 1]; ++i) {
        int32_t column = pattern->columns[i], other = pl_block_pattern_find(pattern, column, row);
        for (int e = 0; e < 9; ++e) {
          double value = s.matrix.values[9 * i + e];
          assert_true(value == (column <= row ? s.wanted.values[9 * i + e] : 1e3));
          if (column < row) assert_true(s.wanted.values[9 * other + 3 * (e % 3) + e / 3] == value);
        }
      }
    drop_subject(&s);
  }
}

#if PL_SIMD_HAS_AVX2
enum { SOME = 7, MAX_ENERGIES = 64 };

// What one instruction set makes of some elements, with damping or by the rest.
typedef struct outcome {
  double energies[MAX_ENERGIES], lost[MAX_ENERGIES], *gradient, *drag, *values;
} outcome;

static void run_planes(const subject *s, int set, bool positive, bool mixed, outcome *to) {
  const pl_fem_plane_kernels *kernels = set == 1 ? &pl_fem_plane_kernels_avx2 : &pl_fem_plane_kernels_plain;
  const int32_t *elements = s->fem->pattern.groups[0].order;
  pl_fem_plane_four fours[(SOME + 3) / 4];
  memcpy(fours, s->system.planes, sizeof fours);
  kernels->rest(s->system.rest[0], (SOME + 3) / 4, fours);
  kernels->before(s->fem->groups[0].corners, s->from, 0.3, (SOME + 3) / 4, fours);
  pl_fem_planes planes = {.fours = fours,
                          .places = s->system.plane_places,
                          .corners = s->fem->groups[0].corners,
                          .slots = s->fem->pattern.groups[0].slots,
                          .positions = s->u,
                          .damped = true,
                          .plain = 1,
                          .positive = positive,
                          .energies = to->energies,
                          .viscous_energies = to->lost,
                          .gradient = to->gradient,
                          .viscous = to->drag,
                          .values = to->values};
  // Side by side where a step asks for both.
  double both[4 * MAX_ENERGIES] = {0};
  bool parts = !mixed && !positive;
  assert_true(s->n <= 3 * MAX_ENERGIES);
  if (parts) planes.both = both;
  (mixed ? kernels->mixed : kernels->assemble)(&planes, elements, SOME);
  for (int32_t i = 0; parts && i < s->n; ++i) {
    to->gradient[i] = i % 3 < 2 ? both[4 * (i / 3) + i % 3] : 0;
    to->drag[i] = i % 3 < 2 ? both[4 * (i / 3) + 2 + i % 3] : 0;
  }
}

static void run_edge_tets(const subject *s, int set, bool positive, bool mixed, outcome *to) {
  const pl_fem_edge_tet_kernels *kernels = set == 0   ? &pl_fem_edge_tet_kernels_plain
                                           : set == 1 ? &pl_fem_edge_tet_kernels_avx2
                                                      : &pl_fem_edge_tet_kernels_avx512;
  const int32_t elements[SOME] = {5, 0, 3, 1, 6, 2, 4};
  pl_fem_edge_tet_before before[SOME];
  double corners[12];
  for (int32_t i = 0; i < SOME; ++i) {
    pl_fem_system_element(&s->system, s->from, 0, i, corners);
    pl_fem_edge_tet_before_find(corners, &before[i]);
  }
  pl_fem_edge_tets tets = {.constants = s->system.edge_tets,
                           .corners = s->fem->groups[0].corners,
                           .slots = s->fem->pattern.groups[0].slots,
                           .positions = s->u,
                           .before = before,
                           .factor = 0.3,
                           .rest = s->system.rest[0],
                           .plain = 1,
                           .positive = positive,
                           .energies = to->energies,
                           .viscous_energies = to->lost,
                           .gradient = to->gradient,
                           .viscous = to->drag,
                           .values = to->values};
  (mixed ? kernels->mixed : kernels->assemble)(&tets, elements, SOME);
}

static void run_shells(const subject *s, int set, bool positive, bool mixed, outcome *to) {
  const pl_fem_shell_kernels *kernels = set == 1 ? &pl_fem_shell_kernels_avx2 : &pl_fem_shell_kernels_plain;
  for (int32_t g = 0; g < s->fem->group_count; ++g) {
    int32_t elements[3] = {2, 0, 1}, count = s->fem->groups[g].element_count < 3 ? 1 : 3;
    pl_fem_shells shells = {.kind = pl_fem_shell_kind_of(s->fem->groups[g].energy),
                            .constants = s->system.shells[g],
                            .corners = s->fem->groups[g].corners,
                            .slots = s->fem->pattern.groups[g].slots,
                            .positions = s->u,
                            .rest = s->system.rest[g],
                            .factor = 0.3,
                            .plain = 1,
                            .positive = positive,
                            .energies = to->energies + 8 * g,
                            .viscous_energies = to->lost + 8 * g,
                            .gradient = to->gradient,
                            .viscous = to->drag,
                            .values = to->values};
    (mixed ? kernels->mixed : kernels->assemble)(&shells, elements, count);
  }
}

static void all_instruction_sets_give_the_same_bits(void **unused) {
  (void)unused;
  if (!PL_SIMD_CAN_AVX2()) skip();
  // The last with AVX-512, the others with AVX2.
  const pl_fem_material materials[] = {PL_FEM_PLANE, PL_FEM_EDGES, PL_FEM_SHELL, PL_FEM_CURVE, PL_FEM_EDGES};
  for (int k = 0; k < (PL_SIMD_CAN_AVX512() ? 20 : 16); ++k) {
    subject s = make_subject(materials[k / 4]);
    size_t size = (size_t)s.n * sizeof(double), values = 9 * (size_t)s.fem->pattern.block_count * sizeof(double);
    outcome plain = {.gradient = s.gradient, .drag = s.drag, .values = s.matrix.values};
    outcome fast = {.gradient = s.wanted_gradient, .drag = s.wanted_drag, .values = s.wanted.values};
    memset(s.matrix.values, 0, values);
    memset(s.wanted.values, 0, values);
    for (int set = 0; set < 2; ++set)
      (k / 4 == 0 ? run_planes
       : k / 4 == 1 || k / 4 == 4
           ? run_edge_tets
           : run_shells)(&s, k / 4 == 4 ? 2 * set : set, k % 2 == 1, k % 4 >= 2, set == 0 ? &plain : &fast);
    double sum = 0;
    for (size_t i = 0; i < values / sizeof(double); ++i) sum += fabs(s.matrix.values[i]);
    assert_true(sum > 0);
    assert_memory_equal(plain.energies, fast.energies, sizeof plain.energies);
    assert_memory_equal(plain.lost, fast.lost, sizeof plain.lost);
    assert_memory_equal(s.gradient, s.wanted_gradient, size);
    assert_memory_equal(s.drag, s.wanted_drag, size);
    assert_memory_equal(s.matrix.values, s.wanted.values, values);
    drop_subject(&s);
  }
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(damped_evaluations_are_the_sum_of_both),
    cmocka_unit_test(limits_are_squares_of_energies),
    cmocka_unit_test(damping_follows_where_it_begins),
    cmocka_unit_test(derivatives_by_the_rest_are_those_of_elements),
    cmocka_unit_test(forces_do_not_depend_on_what_else_is_asked_for),
    cmocka_unit_test(half_of_a_matrix_is_enough),
#if PL_SIMD_HAS_AVX2
    cmocka_unit_test(all_instruction_sets_give_the_same_bits),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
